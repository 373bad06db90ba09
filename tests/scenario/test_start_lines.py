"""What a process says of itself on stderr, and to whom (contract, section 7)."""

import json
import os
import pty
import re
import socket
import subprocess

import pytest

from harness.site import BINARY, clean_environment

pytestmark = pytest.mark.only("sqlite")  # no line depends on the engine

PROVIDER = {"HERALD_TELEGRAM_BOT_TOKEN": "123456:" + "a" * 35}


def environment_of(folder, changes):
    return {**clean_environment(), "HERALD_STATE_DIR": str(folder), "HERALD_LISTEN": "127.0.0.1:0",
            "HERALD_CONSOLE_LISTEN": "off",
            "HERALD_DRAIN_SECONDS": "0", **changes}


def read_all(read):
    """What the process says until nobody has the other end."""
    said = b""
    try:
        while piece := read():
            said += piece
    except OSError:  # the end of a terminal
        pass
    return said.decode()


def lines_said_to(reader, writer, read, folder, changes):
    """The lines of a process that begins, listens and stops; stderr is `writer`."""
    child = subprocess.Popen([BINARY, "serve"], env=environment_of(folder, changes),
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer)
    os.close(writer)
    said = ""
    while "listens on" not in said and (piece := read().decode()):
        said += piece
    child.terminate()
    said += read_all(read)
    os.close(reader)
    child.wait(timeout=30)
    return said.splitlines()


def is_entry(line):
    return {"at", "level", "message", "fields"} == json.loads(line).keys()


def test_every_line_is_json_for_a_program(engine, tmp_path):
    reader, writer = os.pipe()
    lines = lines_said_to(reader, writer, lambda: os.read(reader, 65536), tmp_path / "var", PROVIDER)
    assert all(is_entry(line) for line in lines)
    messages = [json.loads(line)["message"] for line in lines]
    assert any(re.fullmatch(r"herald 0\.5\.0 listens on http://127\.0\.0\.1:\d+", message)
               for message in messages)
    assert "secret-key was made and lies in " + str(tmp_path / "var/secret-key") in messages
    assert ("providers: messenger_bot by telegram_bot; not set up: flash_call, messenger_gateway"
            in messages)


def test_the_journal_gets_priorities(engine, tmp_path):
    ours, theirs = socket.socketpair()
    stat = os.fstat(theirs.fileno())
    changes = {"JOURNAL_STREAM": f"{stat.st_dev}:{stat.st_ino}", "LOG_SENSITIVE": "true"}
    reader = os.dup(ours.fileno())
    lines = lines_said_to(reader, theirs.detach(), lambda: ours.recv(65536), tmp_path / "var",
                          changes)
    ours.close()
    levels = {"6": "info", "4": "warning", "3": "error"}
    for line in lines:
        priority, entry = re.fullmatch(r"<(\d)>(.*)", line).groups()
        assert is_entry(entry) and json.loads(entry)["level"] == levels[priority]
    assert any(line.startswith("<4>") and "LOG_SENSITIVE is true" in line for line in lines)


def test_a_start_that_fails_tells_the_journal(engine, tmp_path):
    ours, theirs = socket.socketpair()
    stat = os.fstat(theirs.fileno())
    changes = {"JOURNAL_STREAM": f"{stat.st_dev}:{stat.st_ino}", "HERALD_LISTEN": "nowhere"}
    done = subprocess.run([BINARY, "serve"], env=environment_of(tmp_path / "var", changes),
                          stderr=theirs, check=False, timeout=30)
    theirs.close()
    said = read_all(lambda: ours.recv(65536))
    ours.close()
    assert done.returncode == 2
    assert said.startswith("<3>") and "HERALD_LISTEN" in json.loads(said[3:])["message"]


def test_another_stream_than_the_journal_gets_none(engine, tmp_path):
    reader, writer = os.pipe()
    lines = lines_said_to(reader, writer, lambda: os.read(reader, 65536), tmp_path / "var",
                          {"JOURNAL_STREAM": "1:1"})
    assert lines and all(is_entry(line) for line in lines)


def test_people_read_sentences(engine, tmp_path):
    reader, writer = pty.openpty()
    lines = lines_said_to(reader, writer, lambda: os.read(reader, 65536), tmp_path / "var", {})
    assert any(re.fullmatch(r"herald 0\.5\.0 listens on http://127\.0\.0\.1:\d+", line)
               for line in lines)
    assert "providers: none; not set up: flash_call, messenger_gateway, messenger_bot" in lines
