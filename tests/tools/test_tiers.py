"""tests/tiers.txt says of each file whether it is in the gate; tests/tiers.py keeps to it."""

import os
import subprocess
import sys

import pytest
import tool

sys.path.insert(0, str(tool.ROOT / "tests"))

from tiers import TIERS, read_table  # noqa: E402 (known from here on)

TESTS = tool.ROOT / "tests"
TABLE = read_table()


def files():
    return {path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}


def test_each_file_has_its_row():
    assert sorted(files() - set(TABLE)) == []


def test_each_row_is_of_something_that_is_there():
    for name in TABLE:
        file, _, test = name.partition("::")
        assert file in files(), name
        assert not test or f"def {test}(" in (TESTS / file).read_text(encoding="utf-8"), name


def test_what_is_left_out_says_why():
    for name, (tier, why) in TABLE.items():
        assert tier in TIERS, name
        assert tier == "gate" or len(why) > 10, name


def test_each_suite_has_something_in_the_gate():
    suites = {name.partition("/")[0] for name in TABLE}
    assert {name.partition("/")[0] for name, (tier, _) in TABLE.items() if tier != "full"} == suites


@pytest.mark.parametrize("tier, wanted", [
    ("", {"here", "a[x-sqlite]", "a[x-postgres]", "b[sqlite]", "left"}),
    ("gate", {"here", "b[sqlite]"}),
])
def test_rows_take_turns_in_the_gate_alone(tmp_path, tier, wanted):
    suite = {
        "tiers.txt": "s/test_a.py gate\ns/test_a.py::test_a turns decodes\ns/test_b.py full long\n",
        "s/test_a.py": """\
            import pytest

            def test_here():
                pass

            @pytest.mark.parametrize("engine", ["sqlite", "postgres"])
            @pytest.mark.parametrize("row", ["x", "y", "z"])
            def test_a(row, engine):
                pass

            @pytest.mark.parametrize("engine", ["sqlite"])
            def test_b(engine):
                pass
            """,
        "s/test_b.py": "def test_left():\n    pass\n",
        "s/pytest.ini": "[pytest]\n",
    }
    tool.write(tmp_path, suite)
    (tmp_path / "tiers.py").write_text((TESTS / "tiers.py").read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "tiers", "--collect-only", "-q",
         tmp_path / "s"], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTEST_ADDOPTS": "", "HERALD_TEST_TIER": tier})
    names = {line.partition("::test_")[2] for line in done.stdout.splitlines() if "::" in line}
    assert wanted <= names
    rows = [name for name in names if name.startswith("a[")]
    assert len(rows) == (3 if tier else 6)
    assert {name[2] for name in rows} == {"x", "y", "z"}
