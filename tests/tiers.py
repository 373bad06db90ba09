"""A pytest plugin that keeps the gate to what tests/tiers.txt says (`-p tiers`).

HERALD_TEST_TIER=gate   leaves out what is for `./dev test full`, and lets rows that take turns run on
                        one engine each; without it everything runs
"""

import os
import pathlib
import zlib

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent
TABLE = FOLDER / "tiers.txt"
TIERS = ("gate", "turns", "full")


def read_table(path=TABLE):
    """{name: (tier, why)}; a name is a file below tests/, or FILE::TEST for one of its tests."""
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, tier, *why = line.split(maxsplit=2)
            rows[name] = (tier, "".join(why))
    return rows


def tier_of(item, table):
    file = item.path.relative_to(FOLDER).as_posix()
    test = item.nodeid.partition("[")[0].rpartition("::")[2]
    return table.get(f"{file}::{test}", table.get(file, ("gate", "")))[0]


def has_its_turn(item, rows):
    """Each row of a test that takes turns runs on one engine, and the next row on the other."""
    engine = getattr(item, "callspec", None) and item.callspec.params.get("engine")
    if not engine or item.get_closest_marker("only"):
        return True
    test = item.nodeid.partition("[")[0]
    rows[test, engine] = row = rows.get((test, engine), zlib.crc32(test.encode())) + 1
    return row % 2 == (engine == "postgres")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    if os.environ.get("HERALD_TEST_TIER") != "gate":
        return
    table, rows, kept, left_out = read_table(), {}, [], []
    for item in items:
        tier = tier_of(item, table)
        is_kept = tier == "gate" or (tier == "turns" and has_its_turn(item, rows))
        (kept if is_kept else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept
