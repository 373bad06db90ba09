"""Help, wrong words and terminals, alike for every verb (contract, section 11.10)."""

import fcntl
import os
import pty
import re
import select
import socket
import struct
import subprocess
import termios
import threading
import time
import unicodedata

import pytest

from harness.exchange import Operator
from harness.orders import ORDER_SETTINGS
from harness.site import BINARY, clean_environment

VERBS = ["serve", "api", "worker", "idp", "migrate", "admin", "doctor", "config", "openapi"]
CLEAR_LINE = "\r\x1b[K"
COLUMNS = 80
SILENT_S = 1  # so long a command says nothing


def run(*words):
    return subprocess.run([BINARY, *words], env=clean_environment(), text=True, timeout=30,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)


def help_of(*words):
    done = run(*words)
    assert (done.returncode, done.stderr) == (0, ""), f"{words}: {done}"
    return done.stdout


def commands():
    """(noun, verb or None) of every command that the help of `herald admin` shows."""
    found = re.findall(r"^  herald admin ([a-z-]+)(?: ([a-z-]+))?", help_of("admin", "--help"), re.M)
    assert len(found) > 30
    return [(noun, verb or None) for noun, verb in found]


@pytest.mark.parametrize("verb", [*VERBS, "help", "--version"])
def test_each_verb_has_help(verb):
    assert help_of(verb, "--help") == help_of(verb, "-h")
    if verb in VERBS:
        assert help_of("help", verb) == help_of(verb, "--help")
        assert f"herald {verb}" in help_of(verb, "--help")


def test_all_verbs_are_in_the_help():
    text = help_of("--help")
    assert all(f"herald {verb} " in text for verb in VERBS)


def test_each_noun_and_command_has_help():
    for noun, verb in commands():
        shown = help_of("admin", noun, "--help")
        assert set(re.findall(r"^  herald admin ([a-z-]+)", shown, re.M)) == {noun}
        if not verb:
            continue  # what goes on behind the noun is shown with it
        words = [noun, verb]
        only = help_of("admin", *words, "--help")
        assert re.findall(r"^  herald admin ([a-z-]+(?: [a-z-]+)?)", only, re.M) == [" ".join(words)]


@pytest.mark.parametrize("words, meant", [
    (["docter"], "`herald doctor`"), (["sevre"], "`herald serve`"),
    (["admin", "integration", "list"], '"integrations"'), (["admin", "keys", "lst"], '"list"'),
    (["admin", "devcies", "--help"], '"devices"'),
    (["admin", "devices", "rotate-kye", "--help"], '"rotate-key"'),
])
def test_unknown_word_is_named_with_the_nearest_one(words, meant):
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"Did you mean {meant}?" in done.stderr


@pytest.mark.parametrize("words", [["dance"], ["admin", "dance"], ["admin", "keys", "dance"]])
def test_word_that_nothing_is_near(words):
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean" not in done.stderr and "herald" in done.stderr


# --- terminals


def run_in_terminal(words, environment, folder, is_stderr_alone=False):
    """What a terminal of 80 columns gets: (exit status, stdout, stderr), which may be the same."""
    terminal, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    child = subprocess.Popen(
        [BINARY, *words], env=environment, cwd=folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if is_stderr_alone else inside, stderr=inside)
    os.close(inside)
    shown = b""
    while select.select([terminal], [], [], 30)[0]:
        try:
            shown += os.read(terminal, 65536)
        except OSError:
            break
    output = child.stdout.read() if is_stderr_alone else b""
    os.close(terminal)
    return child.wait(timeout=30), output.decode(), shown.decode()


def width_of(line):
    return sum(0 if unicodedata.combining(char) else
               2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


@pytest.fixture
def slow_service():
    """It takes a request and answers it after two seconds, with keys."""
    body = b'{"keys":[],"next_cursor":null}'
    answer = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
              b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body)) + body

    def serve(listener):
        try:
            while True:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    time.sleep(2 * SILENT_S)
                    connection.sendall(answer)
        except OSError:
            pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def test_what_takes_long_says_so_and_clears_it(slow_service, tmp_path):
    environment = {**clean_environment(), "INTERNAL_API_KEY": "k" * 30}
    words = ["admin", "keys", "list", "--url", slow_service]
    status, output, shown = run_in_terminal(words, environment, tmp_path, is_stderr_alone=True)
    assert status == 0 and output.startswith("KID")
    assert f"{CLEAR_LINE}herald waits for the service: 1 s" in shown
    assert shown.endswith(CLEAR_LINE)
    assert all(width_of(line) < COLUMNS for line in shown.split(CLEAR_LINE))
    # Nobody looks at a file.
    done = subprocess.run([BINARY, *words], env=environment, cwd=tmp_path, capture_output=True,
                          text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.only("sqlite")
def test_what_is_quick_says_nothing(fresh_site):
    fresh_site.serve()
    environment = fresh_site.environment({"HERALD_LISTEN": "%s:%d" % fresh_site.address})
    words = ["admin", "keys", "list"]
    status, _, shown = run_in_terminal(words, environment, fresh_site.home, is_stderr_alone=True)
    assert (status, shown) == (0, "")


@pytest.mark.only("sqlite")
def test_tables_fit_the_terminal(fresh_site):
    fresh_site.serve(ORDER_SETTINGS)
    operator = Operator.of(fresh_site)
    names = ["Точка на улице с очень длинным названием", "中文名字很长的一个商店中文名字很长的一个商店", "short"]
    made = [operator.create_integration(name=name).expect(201)["id"] for name in names]
    environment = fresh_site.environment({"HERALD_LISTEN": "%s:%d" % fresh_site.address})
    words = ["admin", "integrations", "list"]
    status, _, shown = run_in_terminal(words, environment, fresh_site.home)
    lines = shown.splitlines()
    assert status == 0 and len(lines) == 1 + len(names)
    assert all(width_of(line) <= COLUMNS for line in lines)
    for line, integration_id in zip(lines[1:], sorted(made), strict=True):
        assert line.startswith(integration_id)
    assert "Точка на улице" in shown and "названием" not in shown and "short" in shown
    # What goes into a file is whole.
    done = subprocess.run([BINARY, *words], env=environment, cwd=fresh_site.home, text=True,
                          capture_output=True, timeout=30, check=False)
    assert all(name in done.stdout for name in names)


@pytest.mark.only("sqlite")
def test_the_report_of_the_doctor_goes_on_below_itself(fresh_site):
    environment = fresh_site.environment()
    status, _, shown = run_in_terminal(["doctor"], environment, fresh_site.home)
    lines = shown.splitlines()
    assert status == 2 and any(line.startswith(" " * 18) for line in lines)
    for line in lines:  # a path may be longer than the line
        assert width_of(line) <= COLUMNS or " " not in line[18:]
