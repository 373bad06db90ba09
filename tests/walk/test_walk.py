"""The walk of `./dev run`: on an empty state folder, and once more on what that left behind."""

import json
import os
import pathlib
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
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


HELP = [
    *([BUILD / "sim" / name, "--help"] for name in ("erp", "hook", "modem", "phone", "provider",
                                                    "smsgate")),
    *([BUILD / "herald", *words, "--help"] for words in ([], ["serve"], ["doctor"], ["migrate"],
                                                         ["config"], ["openapi"], ["admin"])),
    [BUILD / "src/modem/herald-modem", "--help"], [ROOT / "tools/walk", "--help"], [ROOT / "dev", "help"],
]


@pytest.mark.parametrize("command", HELP, ids=lambda command: " ".join(
    pathlib.Path(word).name for word in command))
def test_help_fits_a_terminal(command):
    done = subprocess.run(command, env=clean_environment(), capture_output=True, text=True,
                          timeout=30, check=True)
    assert done.stdout and [line for line in done.stdout.splitlines() if len(line) > 80] == []


def clean_environment():
    """herald refuses settings that it does not know, so those of the tests stay here."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith("HERALD_") and name != "COLUMNS"}


def start_walk(state_dir, *options):
    environment = clean_environment()
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
    for sign in ("code_mismatch", "200 confirmed", "200 confirmed by Tasker's call",
                 "200 no_challenge: `kind` says", "genuine: webhook-id", "The phone of",
                 "200 undelivered", "The bot wrote", "202 accepted", "200 applied",
                 "202 queued", "200 queued after 1 attempt", "accepted at attempt",
                 "exactly one document", "nobody types a key. docs/phones.md does it", "SMS from +79990000003", "SMS from +79990000004", "The modem rings"):
        assert sign in shown, shown


def test_walk_ends_well_on_an_empty_folder(state_dir):
    process = start_walk(state_dir, "--exit-after-walk")
    shown, _ = process.communicate(timeout=120)
    expect_whole(process, shown)
    expect_readable(shown)
    assert "/console/" not in shown  # it is gone by the time that this is read
    assert stat.S_IMODE(state_dir.stat().st_mode) == 0o700


def expect_console_first(shown):
    """Its address and the link stand before the first step, and once more at the end. Returns the link."""
    links = re.findall(r"^http.*/console/#/welcome/.*$", shown, re.MULTILINE)
    assert len(links) == 2 and len(set(links)) == 1, links
    start = re.split(r"^1\. ", shown, maxsplit=1, flags=re.MULTILINE)[0]
    assert links[0] in start and all(len(line) <= 80 for line in start.splitlines() if line != links[0]), start
    assert f"The console is at {links[0].partition('#')[0]}\n" in start
    return links[0]


def set_password(link):
    """What the page of the link does."""
    origin, token = link.split("/console/#/welcome/")
    request = urllib.request.Request(
        f"{origin}/console/api/welcome", method="POST",
        data=json.dumps({"link": token, "password": "correct horse battery"}).encode(),
        headers={"Content-Type": "application/json", "Origin": origin, "X-Herald-Console": "1"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.headers["Set-Cookie"], json.load(answer)


class StayingWalk:
    """A walk that stays up after its last screen; `shown` grows."""

    def __init__(self, state_dir, *options):
        self.process = start_walk(state_dir, *options)
        self.shown = ""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.wait_for("SMS that the phones send are shown here", 120)

    def _read(self):
        for line in self.process.stdout:
            self.shown += line

    def wait_for(self, text, within=30):
        end = time.monotonic() + within
        while text not in self.shown:
            assert self.process.poll() is None and time.monotonic() < end, f"{text}: {self.shown}"
            time.sleep(0.05)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        self.reader.join(timeout=10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def commands(self):
        """What the last screen proposes, by what it says of each."""
        proposed = self.shown.rpartition("In another terminal")[2].replace("\\\n", "")
        return dict(re.findall(r"^   # (.*)\n   (.*)$", proposed, re.MULTILINE))


def answer_of(command, folder):
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=clean_environment(),
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def answer_until(command, folder, sign):
    """Of a command that goes on until Ctrl-C: it says this."""
    process = subprocess.Popen(["sh", "-c", command], cwd=folder, env=clean_environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True)
    end = threading.Timer(60, os.killpg, (process.pid, signal.SIGKILL))
    end.start()
    try:
        shown = ""
        for line in process.stdout:
            shown += line
            if sign in line:
                break
        assert sign in shown, f"{command}\n{shown}"
        os.killpg(process.pid, signal.SIGINT)
        process.stdout.read()
        process.wait()
    finally:
        end.cancel()


def test_walk_stays_and_all_that_it_proposes_works(state_dir):
    """On what the first one left behind."""
    folder = state_dir.parent
    with StayingWalk(state_dir) as walk:
        commands = walk.commands()
        assert len(commands) == 6, walk.shown
        assert all(words in walk.shown for words in ("22 of 22 steps", "./dev run --step otp"))
        answer_of(commands["what is wrong, and how all stands"], folder)
        code = commands["a code by SMS, which is shown below"]
        number = re.search(r"\+7\d{10}", code)[0]
        answer_of(code, folder)
        walk.wait_for(f"to {number}")
        assert "otp" in answer_of(commands["what became of it"], folder)
        assert "accepted" in answer_of(commands["the orders"], folder)
        answer_until(commands["the log as it comes, until Ctrl-C"], folder, "otp")
        answer_until(commands["an ERP at work, until Ctrl-C: changes every few seconds"], folder,
                     "changes")

        expect_readable(walk.shown)
        link = expect_console_first(walk.shown)
        cookie, operator = set_password(link)
        assert cookie.startswith("herald_session=hs_") and operator["role"] == "admin"
        with pytest.raises(urllib.error.HTTPError) as refused:
            set_password(link)
        assert refused.value.code == 401
        walk.stop()
        expect_whole(walk.process, walk.shown)
    assert [path.name for path in folder.iterdir()] == [state_dir.name]


def test_walk_shows_a_step_alone(state_dir):
    """On what the others left behind, at once."""
    process = start_walk(state_dir, "--step", "fallback", "--exit-after-walk")
    shown, _ = process.communicate(timeout=120)
    assert process.returncode == 0, shown
    assert "15. A flash call that does not reach" in shown and "SMS from" in shown
    assert "Two phones" not in shown and "Messages:" not in shown
    assert "Step fallback was shown" not in shown  # that is for who stays


def test_walk_begins_with_the_console(state_dir):
    """Whoever watches one step alone gets the link, too, before it and behind it."""
    with StayingWalk(state_dir, "--step", "test-number") as walk:
        link = expect_console_first(walk.shown)
        assert set_password(link)[1]["role"] == "admin"
        walk.stop()


def test_an_unknown_step_is_told(state_dir):
    process = start_walk(state_dir, "--step", "none")
    shown, _ = process.communicate(timeout=60)
    assert process.returncode == 2 and "'otp'" in shown and "none" in shown


def test_a_port_that_is_taken_is_told_first(state_dir):
    with socket.create_server(("127.0.0.1", 0)) as server:
        listen = f"127.0.0.1:{server.getsockname()[1]}"
        process = start_walk(state_dir, "--ask-port", "--listen", listen)
        shown, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert shown == f"Something listens on {listen} already. Choose another with --listen.\n"
    process = start_walk(state_dir, "--ask-port", "--listen", listen)
    assert (process.communicate(timeout=60)[0], process.returncode) == ("", 0)


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
