"""tools/sum_tests on logs as meson and pytest write them."""

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
    assert lines[0].startswith("step: failed")


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
    assert lines[0] == "b: ended well, but no test ran"


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
