"""./dev itself: what it says, without building anything."""

import re
import subprocess

import pytest
import tool


def dev(folder, *arguments):
    done = subprocess.run(
        [tool.ROOT / "dev", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"]])
def test_help_lists_every_verb(tmp_path, arguments):
    status, out, _ = dev(tmp_path, *arguments)
    assert status == 0
    text = (tool.ROOT / "dev").read_text(encoding="utf-8")
    verbs = re.findall(r"^([a-z]+)\)", text.split("case $verb in")[1], re.MULTILINE)
    assert {"build", "run", "test"} <= set(verbs)
    assert [verb for verb in verbs if f"./dev {verb}" not in out] == []


def test_unknown_verb_is_refused(tmp_path):
    status, out, err = dev(tmp_path, "tset")
    assert (status, out) == (1, "")
    assert "no such verb: tset" in err


def test_continuous_integration_runs_all_tests():
    text = (tool.ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert text.splitlines()[-1] == "exec ./dev test"


def test_no_step_is_without_a_limit():
    """A step that hangs would keep what ended before from being told."""
    text = (tool.ROOT / "tools" / "testing.sh").read_text(encoding="utf-8")
    functions = dict(re.findall(r"^(\w+)\(\) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL))
    runners = re.findall(r"""^ *step (?:'[^']*'|"[^"]*") (\S+)""", text, re.MULTILINE)
    assert len(runners) > 10
    assert [name for name in runners
            if name != "limit" and not re.search(r"\blimit ", functions[name])] == []


def test_full_walks_the_console_in_every_look():
    """Each of 4 roles in 2 languages and 2 schemes, two at once, of which each may take five minutes."""
    text = (tool.ROOT / "tools" / "testing.sh").read_text(encoding="utf-8")
    full = text.split("    full)\n")[1].split(";;")[0]
    before, _, _ = full.partition("test_gate")
    assert "console_looks=HERALD_CONSOLE_ALL=1\n" in before
    assert int(re.search(r"console_seconds=(\d+)", before)[1]) >= 16 * 300 / 2
    assert "console_looks= " in text, "the gate has some of them"
    assert 'HERALD_CONSOLE_SHOTS="$results/' in text
