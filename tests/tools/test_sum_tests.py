"""tools/sum_tests and tools/second_look on what meson, pytest and tests/journal.py write."""

import json
import os
import re
import subprocess
import sys

import pytest
import tool

MESON_END = """\

Ok:                 {ok:<4}
Expected Fail:      {zero:<4}
Fail:               {fail:<4}
Unexpected Pass:    {zero:<4}
Skipped:            {skipped:<4}
Timeout:            {timeout:<4}

Full log written to build/meson-logs/testlog.txt
"""


def meson(ok=(), fail=0, skipped=0, timeout=0):
    """What `meson test` prints; `ok` has the tests of each program that passes, 0 for not told."""
    lines = [" 9/99 db_test    ERROR          0.01s   exit status 1"] * fail
    for tests in ok:
        detail = f"   {tests} subtests passed" if tests else ""
        lines.append(f"10/99 arena test OK             0.02s{detail}")
    if fail:
        lines += ["", "Summary of Failures:", "", *lines[:fail]]
    return "\n".join(lines) + "\n" + MESON_END.format(
        zero=0, ok=len(ok), fail=fail, skipped=skipped, timeout=timeout
    )


def total(folder, steps):
    """Runs the tool on {name: (log, status)}; a status of None was never written."""
    for name, (log, status) in steps.items():
        (folder / f"{name}.log").write_text(log, encoding="utf-8")
        if status is not None:
            (folder / f"{name}.status").write_text(f"{status}\n", encoding="utf-8")
    return tool.run("sum_tests", folder)


def test_counts_of_both_runners_are_added(tmp_path):
    steps = {
        "unit": (meson(ok=[12, 1, 0, 18]), 0),
        "scenario": ("...\n======== 212 passed in 83.12s (0:01:23) ========\n", 0),
        "tools": ("....\n44 passed in 1.45s\n", 0),
    }
    assert total(tmp_path, steps) == (0, ["288 passed, 0 failed"])


@pytest.mark.parametrize(
    "log, wanted",
    [
        (meson(ok=[2, 1], fail=2, timeout=1), "3 passed, 3 failed"),
        ("=== 2 failed, 5 passed, 1 error in 0.10s ===\n", "5 passed, 3 failed"),
        ("=== 5 passed, 2 errors in 0.10s ===\n", "5 passed, 2 failed"),
        ("Segmentation fault\n", "0 passed, 1 failed"),
    ],
)
def test_failures_are_counted(tmp_path, log, wanted):
    status, lines = total(tmp_path, {"step": (log, None)})
    assert (status, lines[-1]) == (1, wanted)
    assert lines[0].startswith("step: did not end")


def test_skips_are_said(tmp_path):
    steps = {"a": ("=== 4 passed, 2 skipped, 7 deselected, 1 warning in 3.00s ===\n", 0)}
    assert total(tmp_path, steps) == (0, ["4 passed, 0 failed, 2 skipped"])


def test_failed_step_without_a_count_is_one_failure(tmp_path):
    steps = {"a": (meson(ok=[4]), 0), "b": ("=== 9 passed in 1.00s ===\n", None)}
    status, lines = total(tmp_path, steps)
    assert (status, lines[-1]) == (1, "13 passed, 1 failed")


def test_step_that_ran_nothing_is_a_failure(tmp_path):
    status, lines = total(tmp_path, {"a": (meson(ok=[4]), 0), "b": ("3 skipped in 0.01s\n", 0)})
    assert (status, lines[-1]) == (1, "4 passed, 1 failed, 3 skipped")
    assert lines[0].startswith("b: ended well, but no test ran")


def test_no_step_at_all_is_a_failure(tmp_path):
    assert total(tmp_path, {}) == (1, ["0 passed, 0 failed"])


def test_symptoms_follow_the_name_of_a_failed_step(tmp_path):
    log = "\n".join([
        " 23/133 client_test                  ERROR            9.67s   exit status 66",
        "not ok 14 - test_tls_handshake_fails",
        '# "the time was up" != "the TLS handshake failed"',
        "ok 15 - test_connection_is_reused",
        "SUMMARY: ThreadSanitizer: thread leak client_fixture.h:153 in server_run",
        "E   AssertionError: assert 1 == 2",
        "FAILED tests/scenario/test_calls.py::test_call[sqlite] - AssertionError",
        "=== 1 failed, 5 passed in 0.10s ===",
    ]) + "\n"
    _, lines = total(tmp_path, {"unit": (log, None), "well": (log, 0)})
    shown = [line.strip() for line in lines if line.startswith("    ")]
    assert shown == [
        line.strip() for line in log.splitlines() if not line.startswith(("ok ", "==="))
    ]


def test_symptoms_are_bounded(tmp_path):
    log = "E   one of many\n" * 100 + "=== 1 failed in 0.10s ===\n"
    _, lines = total(tmp_path, {"unit": (log, None)})
    assert len([line for line in lines if line.startswith("    ")]) == 41
    assert lines[41].strip() == "... and 60 lines more"


# --- what tests/journal.py writes down

TESTS = """\
    import os
    import pathlib
    import sys
    import time

    import pytest

    def test_passes():
        pass

    @pytest.mark.parametrize("word", ["a@b", "ä::/ [x]"])
    def test_fails_once(word):
        seen = pathlib.Path(__file__).with_name(f"seen-{word[0]}")
        had_been_seen = seen.exists()
        seen.touch()
        assert had_been_seen, "not seen"

    def test_fails_always():
        assert 1 == 2, "one is two"

    def test_breaks():
        raise RuntimeError("ERROR: AddressSanitizer: heap-use-after-free")

    def test_is_refused():
        raise ConnectionRefusedError("nobody listens")

    @pytest.fixture
    def broken():
        raise RuntimeError("nothing stands")

    def test_has_nothing(broken):
        pass

    def test_is_left_out():
        pytest.skip("not here")

    def test_hangs():
        time.sleep(60)

    def test_dies():
        os._exit(9)
"""


def run_pytest(folder, *options, name="step", timeout=None):
    """Runs TESTS as ./dev does, and keeps what it prints and how it ended."""
    results = folder / "results"
    results.mkdir(exist_ok=True)
    file = folder / "test_them.py"
    if not file.exists():
        tool.write(folder, {"test_them.py": TESTS, "pytest.ini": "[pytest]\n"})
    environment = {**os.environ, "PYTHONPATH": str(tool.ROOT / "tests"), "PYTEST_ADDOPTS": "",
                   "HERALD_TEST_JOURNAL": str(results / f"{name}.tests"), "HERALD_MARK": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "journal", *options, file]
    with open(results / f"{name}.log", "wb") as log:
        if timeout:
            command = ["timeout", str(timeout), *command]
        done = subprocess.run(command, env=environment, stdout=log, stderr=log, check=False)
    (results / f"{name}.status").write_text(f"{done.returncode} 7\n", encoding="ascii")
    return results


def last_lines(results):
    status, lines = tool.run("sum_tests", results)
    return status, lines


@pytest.mark.parametrize("workers", [[], ["-n", "2", "--dist", "loadgroup"]])
def test_failed_tests_are_named_with_their_reason(tmp_path, workers):
    results = run_pytest(tmp_path, "-k", "not dies and not hangs and not once and not refused", *workers)
    status, lines = last_lines(results)
    assert status == 1 and lines[-1] == "1 passed, 3 failed, 1 skipped"
    told = {line.strip() for line in lines if line.startswith("    FAILED")}
    assert told == {
        "FAILED test_them.py::test_fails_always: AssertionError: one is two",
        "FAILED test_them.py::test_breaks: RuntimeError: ERROR: AddressSanitizer: heap-use-after-free",
        "FAILED test_them.py::test_has_nothing: RuntimeError: nothing stands",
    }
    assert re.fullmatch(r"step +1 passed +7 s", lines[0])


def test_what_passes_at_the_second_look_is_flaky(tmp_path):
    results = run_pytest(tmp_path, "-n", "2", "-k", "once or passes")
    status, lines = tool.run("second_look", results)
    assert status == 0 and lines[0].count("test_fails_once") == 2
    status, lines = last_lines(results)
    assert (status, lines[-1]) == (0, "3 passed, 0 failed")
    flaky = (results / "flaky.txt").read_text(encoding="utf-8").splitlines()
    assert len(flaky) == 2 and [line for line in lines if line.startswith("flaky: step test_them")]
    assert all(line.endswith(": AssertionError: not seen") for line in flaky)


def test_second_look_does_not_hide_what_fails_again(tmp_path):
    results = run_pytest(tmp_path, "-k", "always or once or passes")
    assert tool.run("second_look", results)[0] == 0
    status, lines = last_lines(results)
    assert (status, lines[-1]) == (1, "3 passed, 1 failed")


def test_no_second_look_where_herald_broke(tmp_path):
    results = run_pytest(tmp_path, "-k", "breaks or refused")
    assert tool.run("second_look", results) == (0, [])
    assert last_lines(results)[0] == 1


@pytest.mark.parametrize("file", [
    "test_crash.py", "test_erp_races.py", "test_idempotency.py", "test_catalog_sequence.py",
    "test_upgrade.py", "test_secret_key_crash.py", "test_smsgate_random.py",
])
def test_no_second_look_at_what_shows_lost_or_doubled_data(tmp_path, file):
    rows = [{"folder": str(tmp_path), "settings": {}}, {"begun": f"{file}::test_it"},
            {"test": f"{file}::test_it", "outcome": "failed", "seconds": 1, "why": "no", "broke": False}]
    (tmp_path / "a.tests").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "a.log").write_text("", encoding="utf-8")
    (tmp_path / "a.status").write_text("1 1\n", encoding="ascii")
    assert tool.run("second_look", tmp_path) == (0, [])
    assert not (tmp_path / "a.again").exists()


def test_unit_program_is_looked_at_as_a_whole(tmp_path):
    (tmp_path / "unit.log").write_text(meson(ok=[3], fail=1), encoding="utf-8")
    (tmp_path / "unit.status").write_text("1 5\n", encoding="ascii")
    again = {"test": "db_test", "outcome": "passed"}
    (tmp_path / "unit.again").write_text(json.dumps(again) + "\n", encoding="utf-8")
    status, lines = last_lines(tmp_path)
    assert (status, lines[-1]) == (0, "4 passed, 0 failed")
    assert lines[-2].startswith("flaky: unit db_test")


def test_many_flaky_tests_are_a_failure(tmp_path):
    rows = [{"test": f"test_a.py::test_{i}", "outcome": "failed", "seconds": 1, "why": "w", "broke": False}
            for i in range(6)]
    for suffix, outcome in (("tests", "failed"), ("again", "passed")):
        text = "".join(json.dumps({**row, "outcome": outcome}) + "\n" for row in rows)
        (tmp_path / f"a.{suffix}").write_text(text, encoding="utf-8")
    (tmp_path / "a.log").write_text("", encoding="utf-8")
    (tmp_path / "a.status").write_text("1 1\n", encoding="ascii")
    status, lines = last_lines(tmp_path)
    assert (status, lines[-1]) == (1, "0 passed, 6 failed")
    assert "6 were flaky" in lines[-2]


def test_step_that_runs_out_of_time_says_what_was_under_way(tmp_path):
    results = run_pytest(tmp_path, "-k", "passes or hangs", timeout=4)
    status, lines = last_lines(results)
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")
    assert "step: ran out of time; under way: test_them.py::test_hangs" in "\n".join(lines)


def test_test_that_hangs_is_ended_alone(tmp_path):
    results = run_pytest(tmp_path, "-n", "2", "--timeout=2", "-k", "passes or hangs")
    status, lines = last_lines(results)
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")
    assert any("FAILED test_them.py::test_hangs: Failed: Timeout >2.0s" in line for line in lines)


def test_worker_that_dies_is_told_of_its_test(tmp_path):
    results = run_pytest(tmp_path, "-n", "2", "-k", "passes or dies")
    status, lines = last_lines(results)
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")
    assert any("FAILED test_them.py::test_dies" in line for line in lines)


def test_file_that_cannot_be_read_is_a_failure(tmp_path):
    tool.write(tmp_path, {"test_them.py": "import nothing_of_that_name\n", "pytest.ini": "[pytest]\n"})
    results = run_pytest(tmp_path)
    status, lines = last_lines(results)
    assert status == 1 and lines[-1].startswith("0 passed,")
    assert any("nothing_of_that_name" in line for line in lines)


def test_parts_that_could_not_be_fetched_are_told(tmp_path):
    (tmp_path / "unit.log").write_text(meson(ok=[4]), encoding="utf-8")
    (tmp_path / "unit.status").write_text("0 5\n", encoding="ascii")
    (tmp_path / "clients.not-run").write_text("its registry\n", encoding="utf-8")
    status, lines = last_lines(tmp_path)
    assert (status, lines[-2:]) == (0, ["clients: NOT RUN: its registry", "4 passed, 0 failed"])


def test_fetch_has_three_tries(tmp_path):
    count = tmp_path / "count"
    script = f'echo x >>{count}; [ "$(wc -l <{count})" -ge "$1" ]'
    assert tool.run("fetch", "sh", "-c", script, "-", "2")[0] == 0
    assert count.read_text(encoding="ascii") == "x\nx\n"
