"""tools/campaign: its bookkeeping, with programs in place of the scenarios."""

import json
import os
import re
import runpy
import signal
import subprocess
import time

import pytest
import tool

PASSES = 'echo "$HERALD_SEED $HERALD_SEQUENCE_CASES $*"; echo "3 passed in 1.00s"'
FAILS = 'echo "E   AssertionError: lost"; echo "1 failed, 2 passed in 1.00s"; exit 1'
STAYS = "echo begun; exec sleep 60"


def command(folder, rounds, script, name="random"):
    return [tool.ROOT / "tools/campaign", folder, name, str(rounds), "sh", "-c", script, "runner"]


def run(folder, rounds, script, name="random", **settings):
    """(exit status, what it prints). One of `random` has portions of 100."""
    done = subprocess.run(command(folder, rounds, script, name), capture_output=True, text=True,
                          env=environment(**settings), timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def environment(**settings):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("HERALD_")}
    return kept | settings


def logs(folder, name="random"):
    """The first line of each portion's log, by its rounds."""
    return {path.parent.name: path.read_text(encoding="utf-8").splitlines()[0]
            for path in sorted((folder / name).glob("*/*.log"))}


def test_portions_have_their_rounds_and_different_seeds(tmp_path):
    status, out = run(tmp_path, 250, PASSES, HERALD_SEED="7")
    assert status == 0
    assert logs(tmp_path) == {
        "000001-000100": "7 100 tests/scenario/test_catalog_sequence.py",
        "000101-000200": "107 100 tests/scenario/test_catalog_sequence.py",
        "000201-000250": "207 50 tests/scenario/test_catalog_sequence.py"}
    lines = out.splitlines()
    assert len(lines) == 3
    assert "rounds 201 to 250 of 250: 3 passed, 0 failed in " in lines[2]


def test_campaigns_without_a_seed_differ(tmp_path):
    seeds = set()
    for _ in range(3):
        run(tmp_path, 1, PASSES)
        seeds |= set(logs(tmp_path).values())
    assert len(seeds) == 3


def test_failing_portion_ends_it_and_is_run_again_as_it_was(tmp_path):
    status, out = run(tmp_path, 300, f'[ "$HERALD_SEED" != 107 ] || {{ {FAILS}; }}; {PASSES}',
                      HERALD_SEED="7")
    assert status == 1
    assert "rounds 101 to 200 of 300: 2 passed, 1 failed" in out and "seed 107" in out
    assert "E   AssertionError: lost" in out
    assert str(tmp_path / "random" / "000101-000200" / "sequences.log") in out
    assert list(logs(tmp_path)) == ["000001-000100", "000101-000200"]

    status, out = run(tmp_path, 300, PASSES)
    assert status == 0
    assert "100 of 300 rounds are done; goes on there" in out
    assert [row.split()[0] for row in logs(tmp_path).values()] == ["7", "107", "207"]


def test_portion_in_which_nothing_ran_has_failed(tmp_path):
    assert run(tmp_path, 1, "true")[0] == 1


def test_every_row_of_a_portion_runs(tmp_path):
    status, out = run(tmp_path, 1, 'echo "3 passed in 1.00s"; echo "$*" >&2', name="cuts")
    assert status == 0 and "6 passed, 0 failed" in out
    assert {path.name for path in (tmp_path / "cuts").glob("*/*.log")} == {
        "power.log", "connections.log"}


def test_interrupted_campaign_goes_on(tmp_path):
    script = f'[ "$HERALD_SEED" != 107 ] || {{ {STAYS}; }}; {PASSES}'
    with subprocess.Popen(command(tmp_path, 200, script), stdout=subprocess.PIPE, text=True,
                          env=environment(HERALD_SEED="7")) as child:
        log = tmp_path / "random" / "000101-000200" / "sequences.log"
        end = time.monotonic() + 30
        while not (log.exists() and "begun" in log.read_text(encoding="utf-8")):
            assert time.monotonic() < end
            time.sleep(0.02)
        child.send_signal(signal.SIGTERM)
        assert "100 of 200 rounds are done" in child.communicate(timeout=30)[0]
        assert child.returncode == 130
    status, out = run(tmp_path, 200, PASSES)
    assert status == 0 and out.count("rounds 101 to 200") == 1 and "rounds 1 to" not in out


@pytest.mark.parametrize("rounds, settings", [(300, {}), (200, {"HERALD_SEED": "8"})])
def test_another_campaign_begins_anew(tmp_path, rounds, settings):
    run(tmp_path, 200, f'[ "$HERALD_SEED" != 107 ] || {{ {FAILS}; }}; {PASSES}', HERALD_SEED="7")
    status, out = run(tmp_path, rounds, PASSES, **settings)
    assert status == 0 and "begins anew" in out and "rounds 1 to 100" in out


def test_another_build_begins_anew(tmp_path):
    binary = tmp_path / "herald"
    binary.write_text("one", encoding="utf-8")
    run(tmp_path, 200, f'[ "$HERALD_SEED" != 107 ] || {{ {FAILS}; }}; {PASSES}', HERALD_SEED="7",
        HERALD_BINARY=str(binary))
    binary.write_text("other", encoding="utf-8")
    assert "begins anew" in run(tmp_path, 200, PASSES, HERALD_BINARY=str(binary))[1]


def test_campaign_that_is_done_begins_anew(tmp_path):
    run(tmp_path, 100, PASSES)
    assert "rounds 1 to 100 of 100" in run(tmp_path, 100, PASSES)[1]
    state = json.loads((tmp_path / "random" / "state.json").read_text(encoding="utf-8"))
    assert state["done"] == 100


@pytest.mark.parametrize("words", [["strolls", "5"], ["kills", "0"], ["kills", "-1"],
                                   ["kills", "many"], ["kills", ""], ["", ""]])
def test_what_is_no_campaign_is_refused(tmp_path, words):
    status, lines = tool.run("campaign", tmp_path / "made", *words, "true")
    assert status == 2 and "There are kills, cuts, rotation, random, clocks, timing, waiting, smsgate, modem, cluster." in lines[0]
    assert not (tmp_path / "made").exists()


def test_every_scenario_that_is_named_exists():
    """A name that pytest does not find would fail only at night."""
    text = (tool.ROOT / "tools/campaign").read_text(encoding="utf-8")
    table = text[text.index("CAMPAIGNS = {"):text.index("class Campaign")]
    rows = [line.split('"')[1] for line in table.splitlines() if ".py" in line]
    rows = [row if ".py" in row else "catalog_sequence.py" for row in rows]
    assert len(rows) > 20
    for row in rows:
        file, _, test = row.partition("::")
        source = (tool.ROOT / f"tests/scenario/test_{file}").read_text(encoding="utf-8")
        assert f"def {test}(" in source or not test, row


def test_every_bound_of_time_counts_in_a_campaign():
    """What only the campaign of times holds is held nowhere, where a file is missing there."""
    scenarios = tool.ROOT / "tests/scenario"
    rows = runpy.run_path(str(tool.ROOT / "tools/campaign"))["CAMPAIGNS"]["timing"][1]["timing"][1]
    bounds = re.compile(r"\b(IS_TIMED|took_at_most|lasted_at_most|expect_rate_limited)\b")
    bounded = {path.name for path in scenarios.glob("test_*.py")
               if bounds.search(path.read_text(encoding="utf-8"))}
    assert bounded - {f"test_{row.partition('::')[0]}" for row in rows} == set()
