"""A herald whose standard input, output or error is closed when it starts: nothing that it opens gets
one of these numbers, so that no log and no output is written into its database."""

import os
import sqlite3
import subprocess

import pytest

from harness.site import BINARY

CLOSED = {"input": [0], "output": [1], "error": [2], "output and error": [1, 2], "all": [0, 1, 2]}
VERBS = (["--version"], ["config"], ["openapi"], ["migrate", "status"], ["migrate", "up"], ["doctor"],
         ["admin", "integrations", "list"], ["admin", "devices", "list"], ["no-such-verb"])
closed_streams = pytest.mark.parametrize("closed", CLOSED.values(), ids=CLOSED)


def closing(fds):
    """The beginning of a command: a shell closes these, and becomes what follows."""
    return ["sh", "-c", f'exec "$@" {" ".join(f"{fd}>&-" for fd in fds)}', "sh"]


@closed_streams
def test_what_is_stored_outlives_a_start_with_closed_streams(fresh_site, closed):
    fresh_site.migrate()
    process = fresh_site.start("serve", behind=closing(closed))
    process.wait_until_ready()
    assert {os.readlink(f"/proc/{process.pid}/fd/{fd}") for fd in closed} == {"/dev/null"}
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    for _ in range(20):  # each is a line of the log
        core.get("/internal/v1/devices/none").expect(404)
    fresh_site.restart()
    assert [row["id"] for row in fresh_site.core().devices().expect(200)["devices"]] == [phone.device_id]


@closed_streams
@pytest.mark.only("sqlite")
def test_no_verb_prints_into_the_database(fresh_site, closed):
    fresh_site.serve()
    fresh_site.phone(fresh_site.core())
    fresh_site.stop()
    for verb in VERBS:
        subprocess.run([*closing(closed), BINARY, *verb], cwd=fresh_site.home, timeout=60, check=False,
                       env=fresh_site.environment(), capture_output=True)
    with sqlite3.connect(fresh_site.state / "herald.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT count(*) FROM device").fetchall() == [(1,)]
    connection.close()
