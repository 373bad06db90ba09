"""Signals that people, terminals and supervisors send (contract, section 7)."""

import fcntl
import json
import os
import pty
import signal
import subprocess
import termios

import pytest

from harness.http import Client
from harness.site import BINARY, free_port
from harness.tls import Pair
from harness.tools import eventually, fresh_numbers
from test_tls import Secure

MISTAKEN = [signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT, signal.SIGALRM]
KEYS = ["a" * 40, "b" * 40, "c" * 40]


def entries_of(output):
    return [json.loads(line) for line in output.decode().splitlines() if line.startswith("{")]


def said(process, words):
    return [row for row in entries_of(process.output) if words in row["message"]]


# --- Sent by mistake


@pytest.mark.parametrize("number", MISTAKEN, ids=lambda number: number.name)
def test_a_mistaken_signal_is_an_entry_and_nothing_else(fresh_site, number):
    process = fresh_site.serve()
    core = fresh_site.core()
    process.terminate(number)
    assert eventually(lambda: said(process, "means nothing"))
    row, = said(process, "means nothing")
    assert row["fields"] == {"signal": number.name, "from_pid": os.getpid()}
    core.devices().expect(200)  # over the same connection
    process.terminate()
    assert process.wait(10) == 0


def test_all_at_once_are_nothing_to_a_worker(engine, fresh_site):
    if engine != "postgres":
        pytest.skip("a worker needs PostgreSQL")
    fresh_site.migrate()
    process = fresh_site.start("worker")
    assert eventually(lambda: b"works" in process.output)
    for number in [*MISTAKEN, signal.SIGHUP]:
        process.terminate(number)
    assert eventually(lambda: len(said(process, "means nothing")) == len(MISTAKEN))
    assert eventually(lambda: said(process, "SIGHUP: "))
    process.terminate()
    assert process.wait(10) == 0


# --- SIGHUP


def is_key(site, key):
    asking = Client(site.address, {"X-Internal-API-Key": key}, "127.0.4.4")
    return asking.get("/internal/v1/devices").status == 200


@pytest.fixture
def keyed(fresh_site):
    """A site whose key lies in a file."""
    fresh_site.key_file = fresh_site.home / "key"
    fresh_site.key_file.write_text(KEYS[0] + "\n")
    fresh_site.settings.update(
        {"INTERNAL_API_KEY": None, "INTERNAL_API_KEY_FILE": str(fresh_site.key_file)})
    fresh_site.serve()
    return fresh_site


def test_a_key_file_is_read_anew(keyed):
    process = keyed.processes[-1]
    keyed.key_file.write_text(f"{KEYS[0]},{KEYS[1]}\n")
    assert [is_key(keyed, key) for key in KEYS] == [True, False, False], "nobody asked for it yet"
    process.terminate(signal.SIGHUP)
    assert eventually(lambda: said(process, "INTERNAL_API_KEY was read anew"))
    assert [is_key(keyed, key) for key in KEYS] == [True, True, False]
    keyed.key_file.write_text(KEYS[2])
    process.terminate(signal.SIGHUP)
    assert eventually(lambda: len(said(process, "INTERNAL_API_KEY was read anew")) == 2)
    assert [is_key(keyed, key) for key in KEYS] == [False, False, True]
    assert said(process, "SIGHUP: ")[0]["fields"] == {"key_file": str(keyed.key_file)}
    assert not any(key.encode() in process.output for key in KEYS)


def test_a_new_key_is_hidden_in_the_log(keyed):
    process = keyed.processes[-1]
    keyed.key_file.write_text(KEYS[1])
    process.terminate(signal.SIGHUP)
    assert eventually(lambda: is_key(keyed, KEYS[1]))
    asking = Client(keyed.address, {"X-Internal-API-Key": KEYS[1]}, "127.0.4.4")
    asking.post("/internal/v1/devices", {
        "name": f"phone {KEYS[1]}", "numbers": fresh_numbers(1)}).expect(201)

    def read_log():
        return json.dumps(asking.get("/internal/v1/logs?limit=100").expect(200))

    assert eventually(lambda: "phone ***" in read_log())
    assert KEYS[1] not in read_log()


def test_quotes_in_a_key_file_are_told_when_it_is_read_anew(keyed):
    process = keyed.processes[-1]
    keyed.key_file.write_text(f'"{KEYS[1]}"\n')
    process.terminate(signal.SIGHUP)
    assert eventually(lambda: said(process, "within quotes"))
    row, = said(process, "within quotes")
    assert row["level"] == "warning" and row["fields"] == {"file": str(keyed.key_file)}
    assert is_key(keyed, f'"{KEYS[1]}"') and KEYS[1].encode() not in process.output


@pytest.mark.parametrize("text", ["", "one,two,three", "two words", f"{KEYS[1]}\n{KEYS[2]}\n", None])
def test_a_bad_key_file_changes_nothing(keyed, text):
    process = keyed.processes[-1]
    keyed.key_file.unlink() if text is None else keyed.key_file.write_text(text)
    process.terminate(signal.SIGHUP)
    assert eventually(lambda: said(process, "cannot be read anew"))
    row, = said(process, "cannot be read anew")
    assert row["level"] == "error" and row["fields"]["reason"]
    assert is_key(keyed, KEYS[0])


def test_a_certificate_is_read_anew(fresh_site, tmp_path):
    secure = Secure(fresh_site, tmp_path).start()
    before = secure.certificate()
    secure.process.terminate(signal.SIGHUP)
    assert eventually(lambda: said(secure.process, "the certificate was read anew"))
    assert secure.certificate() == before, "the same files"
    secure.pair.renew()
    secure.process.terminate(signal.SIGHUP)
    assert eventually(lambda: secure.certificate() != before)
    assert said(secure.process, "SIGHUP: ")[0]["fields"] == {"cert_file": str(secure.pair.cert)}


def test_what_lies_in_no_file_stays(fresh_site):
    process = fresh_site.serve()
    process.terminate(signal.SIGHUP)
    assert eventually(lambda: said(process, "SIGHUP: "))
    assert "fields" not in said(process, "SIGHUP: ")[0] or not said(process, "SIGHUP: ")[0]["fields"]
    assert is_key(fresh_site, fresh_site.internal_key)


# --- Terminals


class Terminal:
    """A herald that a terminal has started, as its first process."""

    def __init__(self, site, behind=()):
        site.migrate()
        address = ("127.0.0.1", free_port())
        self.output_file = site.home / "terminal.output"
        self.master, slave = pty.openpty()
        with open(self.output_file, "wb") as output:
            self.child = subprocess.Popen(
                [*behind, BINARY, "serve"], stdin=slave, stdout=output, stderr=output,
                env=site.environment({"HERALD_LISTEN": f"{address[0]}:{address[1]}"}),
                start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        assert eventually(lambda: b"listens on" in self.output)

    @property
    def output(self):
        return self.output_file.read_bytes()

    def close(self):
        os.close(self.master)


@pytest.fixture
def new_terminal(fresh_site):
    made = []

    def open_terminal(**options):
        made.append(Terminal(fresh_site, **options))
        return made[-1]

    yield open_terminal
    for terminal in made:
        if terminal.child.poll() is None:
            terminal.child.terminate()
        assert terminal.child.wait(30) == 0


def test_a_lost_terminal_ends_it_as_sigterm_does(new_terminal):
    terminal = new_terminal()
    terminal.close()
    assert terminal.child.wait(30) == 0
    assert [row["message"] for row in entries_of(terminal.output)][-2:] == [
        "the terminal is gone: herald stops",
        "herald stops: running requests end, 30 seconds at most"]


def test_a_sighup_at_a_terminal_that_is_there(new_terminal):
    terminal = new_terminal()
    terminal.child.send_signal(signal.SIGHUP)
    assert eventually(lambda: b"SIGHUP: " in terminal.output)
    assert terminal.child.poll() is None
    terminal.child.terminate()
    assert terminal.child.wait(30) == 0


def test_a_lost_terminal_under_nohup_is_nothing(new_terminal):
    terminal = new_terminal(behind=("nohup",))
    terminal.close()
    terminal.child.send_signal(signal.SIGUSR1)  # comes behind the SIGHUP, if there is one
    assert eventually(lambda: b"means nothing" in terminal.output)
    assert terminal.child.poll() is None
