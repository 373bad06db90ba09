"""A database that hangs keeps no process from its end (contract section 7)."""

import time

import pytest

from harness.http import RawConnection
from harness.proxy import HangingProxy
from harness.tools import eventually, fresh_key, fresh_number, lasted_at_most

pytestmark = [pytest.mark.only("postgres"), pytest.mark.long]

REFUSED_WITHIN_S = 5
ENDS_WITHIN_S = 31


def send_challenge(process, key):
    """A request that the database does not answer; the reply is not waited for."""
    body = f'{{"caller":"{fresh_number()}"}}'.encode()
    head = "\r\n".join([
        "POST /internal/v1/challenges HTTP/1.1", "Host: herald", "Content-Type: application/json",
        f"X-Internal-API-Key: {key}", f"Idempotency-Key: {fresh_key()}",
        f"Content-Length: {len(body)}", "", "",
    ])
    connection = RawConnection(process.address)
    connection.send(head.encode() + body)
    return connection


def end_while_hanging(processes, has_server):
    """SIGTERM for all; returns after how many seconds each came to its end, with which code."""
    began = time.monotonic()
    for process in processes:
        process.terminate()
    for process in filter(has_server, processes):
        assert eventually(
            lambda listener=process: listener.get_health("/health/live") is None,
            seconds=REFUSED_WITHIN_S), "new connections are still taken"
    return [(process.wait(), time.monotonic() - began) for process in processes]


def test_process_ends_in_time_while_the_database_hangs(fresh_site):
    """A `serve`, an `api` and a `worker` at once, since each takes its 30 seconds."""
    fresh_site.migrate()
    with HangingProxy(fresh_site.database) as proxy:
        started = [fresh_site.start(verb, changes=proxy.settings()) for verb in ("serve", "api", "worker")]
        for process in started[:2]:
            process.wait_until_ready()
        assert eventually(lambda: fresh_site.ask("SELECT count(*) FROM worker") == "2"), (
            "the worker does not begin", started[2].output)
        core = fresh_site.core(started[0])
        fresh_site.phone(core)
        core.create_challenge(fresh_number()).expect(201)
        proxy.hang()
        waiting = [send_challenge(process, fresh_site.internal_key) for process in started[:2]]
        time.sleep(0.5)
        ends = end_while_hanging(started, lambda process: process is not started[2])
        for connection in waiting:
            connection.close()
    assert [code for code, _ in ends] == [0, 0, 0], [row.describe_end() for row in started]
    lasted_at_most(max(seconds for _, seconds in ends), ENDS_WITHIN_S)
