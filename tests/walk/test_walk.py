"""The walk of `./dev run`: on an empty state folder, and once more on what that left behind."""

import json
import os
import pathlib
import shlex
import signal
import socket
import stat
import subprocess
import sys
import threading
import types
import urllib.error
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import walk_modem  # noqa: E402
from walk_stage import Programs, Voice  # noqa: E402

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


def start_walk(state_dir, *options):
    # herald refuses settings that it does not know, so those of the tests stay here.
    environment = {
        name: value for name, value in os.environ.items()
        if not name.startswith("HERALD_") and name != "COLUMNS"
    }
    environment["HERALD_CONSOLE_LISTEN"] = f"127.0.0.1:{free_port()}"
    return subprocess.Popen(
        [ROOT / "tools/walk", "--herald", BUILD / "herald", "--phone", BUILD / "sim/phone",
         "--app", BUILD / "sim/smsgate",
         "--provider", BUILD / "sim/provider", "--erp", BUILD / "sim/erp",
         "--hook", BUILD / "sim/hook", "--state-dir", state_dir.name,  # as ./dev run gives it
         "--modem", BUILD / "src/modem/herald-modem", "--modem-sim", BUILD / "sim/modem",
         "--listen", f"127.0.0.1:{free_port()}", *options],
        cwd=state_dir.parent, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)


def expect_whole(process, shown):
    assert process.returncode == 0, shown
    for sign in ("code_mismatch", "200 confirmed", "call challenge confirmed", "200 confirmed by Tasker's call",
                 "200 no_challenge: `kind` says", "genuine: webhook-id", "The phone of",
                 "200 undelivered", "The bot wrote", "202 accepted", "200 applied",
                 "202 queued", "200 queued after 1 attempt", "accepted at attempt",
                 "exactly one document", "SMS from +79990000003", "SMS from +79990000004", "The modem rings"):
        assert sign in shown, shown


def test_walk_ends_well_on_an_empty_folder(state_dir):
    process = start_walk(state_dir, "--exit-after-walk")
    shown, _ = process.communicate(timeout=120)
    expect_whole(process, shown)
    expect_readable(shown)
    assert stat.S_IMODE(state_dir.stat().st_mode) == 0o700


def set_password(link):
    """What the page of the link does."""
    origin, token = link.split("/console/#/welcome/")
    request = urllib.request.Request(
        f"{origin}/console/api/welcome", method="POST",
        data=json.dumps({"link": token, "password": "correct horse battery"}).encode(),
        headers={"Content-Type": "application/json", "Origin": origin, "X-Herald-Console": "1"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.headers["Set-Cookie"], json.load(answer)


def test_walk_stays_with_a_link_to_the_console(state_dir):
    """On what the first one left behind."""
    process = start_walk(state_dir)
    end = threading.Timer(120, process.kill)
    end.start()
    try:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "SMS that the phones send are shown here" in line:
                break
        links = [line.strip() for line in lines if "/console/#/welcome/" in line]
        assert len(links) == 1, "".join(lines)
        cookie, operator = set_password(links[0])
        assert cookie.startswith("herald_session=hs_") and operator["role"] == "admin"
        with pytest.raises(urllib.error.HTTPError) as refused:
            set_password(links[0])
        assert refused.value.code == 401
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=60)
    finally:
        end.cancel()
        process.kill()
    expect_whole(process, "".join(lines) + rest)


@pytest.mark.parametrize("manager, modem, why", [
    ("/bin/false", BUILD / "src/modem/herald-modem", "ModemManager does not run here"),
    ("/nowhere/ModemManager", BUILD / "src/modem/herald-modem", "package modemmanager is missing"),
    ("/bin/false", pathlib.Path("/nowhere/herald-modem"), "built without herald-modem"),
])
def test_where_no_modem_can_be_shown_the_walk_goes_on(
        voice_of, capsys, monkeypatch, tmp_path, manager, modem, why):
    monkeypatch.setattr(walk_modem, "MANAGER", manager)
    programs = Programs(str(tmp_path))
    options = types.SimpleNamespace(modem=str(modem), modem_sim=str(BUILD / "sim/modem"),
                                    state_dir=str(tmp_path))
    assert walk_modem.start_modem(options, voice_of(80), programs) is None
    assert not programs.running
    shown = " ".join(capsys.readouterr().out.split())
    assert why in shown and "the walk goes on without" in shown
