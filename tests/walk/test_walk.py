"""The walk of `./dev run`: on an empty state folder, and once more on what that left behind."""

import json
import os
import pathlib
import shlex
import socket
import stat
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from walk_stage import Voice  # noqa: E402

BUILD = pathlib.Path(os.environ.get("HERALD_BUILD", ROOT / "build"))


@pytest.fixture(scope="module")
def state_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("walk") / "state"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def expect_readable(shown):
    """It fits 80 columns, where nothing says how many there are; a path alone may be longer."""
    too_wide = [line for line in shown.splitlines()
                if len(line) > 80 and max(map(len, line.split())) < 70]
    assert not too_wide
    assert not any(line != line.rstrip() for line in shown.splitlines())
    assert "\033" not in shown and "{'" not in shown and "=True" not in shown
    assert 'error="no connection to the server"' in shown


@pytest.fixture
def voice_of(monkeypatch, capsys):
    def make(columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        return Voice()

    monkeypatch.setattr(sys.stdout, "reconfigure", lambda **_: None, raising=False)
    return make


WIDTHS = pytest.mark.parametrize("columns", [40, 60, 80, 132])


@WIDTHS
def test_json_that_is_shown_can_be_copied(voice_of, capsys, columns):
    body = {"name": "Phone, in the \"hall\"", "numbers": ["+79990000001", "+79990000002"],
            "text": "Ваш заказ готов", "accounts": []}
    voice_of(columns).request("POST", "/internal/v1/devices", json.dumps(body, ensure_ascii=False))
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= columns
    assert json.loads(shown[shown.index("{"):]) == body


@WIDTHS
def test_command_that_is_shown_can_be_copied(voice_of, capsys, columns):
    pieces = ["curl -s", "-H 'X-Key: a b'", "-d '{\"id\": 1}'", "http://127.0.0.1:8080/health"]
    voice_of(columns).command(pieces)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= columns
    words = subprocess.check_output(["sh", "-c", f"printf '%s\\n' {shown}"], text=True)
    assert words.splitlines() == shlex.split(" ".join(pieces))


@WIDTHS
def test_nothing_of_a_log_entry_collides(voice_of, capsys, columns):
    fields = ['error="no connection to the server"', "attempt=1"]
    voice = voice_of(columns)
    voice.log_entry("23:52:45.519  warning  ", "they are tried again, a long sentence", fields)
    voice.log_entry("23:52:45.519  info     ", "order queued", [])
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= max(columns, 53)  # a field is not cut
    for field in fields:
        assert f"  {field}" in shown


@pytest.mark.parametrize("round_", ["on an empty folder", "on what the first left"])
def test_walk_ends_well(state_dir, round_):
    # herald refuses settings that it does not know, so those of the tests stay here.
    environment = {
        name: value for name, value in os.environ.items()
        if not name.startswith("HERALD_") and name != "COLUMNS"
    }
    done = subprocess.run(
        [ROOT / "tools/walk", "--herald", BUILD / "herald", "--phone", BUILD / "sim/phone",
         "--provider", BUILD / "sim/provider", "--erp", BUILD / "sim/erp", "--state-dir", state_dir,
         "--listen", f"127.0.0.1:{free_port()}", "--exit-after-walk"],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    expect_readable(done.stdout)
    assert stat.S_IMODE(state_dir.stat().st_mode) == 0o700
    assert done.returncode == 0, done.stdout
    for sign in ("code_mismatch", "200 confirmed", "call challenge confirmed", "The phone of",
                 "200 undelivered", "The bot wrote", "202 accepted", "200 applied",
                 "202 queued", "200 queued after 1 attempt", "accepted at attempt",
                 "exactly one document"):
        assert sign in done.stdout, done.stdout
