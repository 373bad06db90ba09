"""SIGTERM: what runs comes to its end, nothing new begins, exit 0 (contract section 7)."""

import json
import signal
import socket
import time

import pytest

from harness.http import RawConnection
from harness.tools import eventually, fresh_key, fresh_number, took_at_most

QUICK_S = 10


def test_exit_code_is_0(fresh_site):
    process = fresh_site.serve()
    process.terminate()
    assert process.wait(QUICK_S) == 0


def test_ctrl_c_is_the_same(fresh_site):
    process = fresh_site.serve()
    process.terminate(signal.SIGINT)
    assert process.wait(QUICK_S) == 0


def test_open_log_streams_are_closed(fresh_site):
    process = fresh_site.serve()
    readers = [fresh_site.log_reader() for _ in range(5)]
    process.terminate()
    for reader in readers:
        assert reader.has_ended.wait(QUICK_S), "the stream is still open"
    assert process.wait(QUICK_S) == 0


def test_idle_connections_hold_nobody_up(fresh_site):
    process = fresh_site.serve()
    core = fresh_site.core()
    core.devices().expect(200)
    silent = [socket.create_connection(process.address) for _ in range(5)]
    process.terminate()
    assert process.wait(QUICK_S) == 0
    for connection in silent:
        connection.close()


def test_ready_is_red_before_connections_are_refused(fresh_site):
    """Contract, section 7 "Stopping": by default for three seconds, in which all else goes on."""
    process = fresh_site.serve({"HERALD_DRAIN_SECONDS": None})
    core = fresh_site.core()
    fresh_site.phone(core).be_ready()
    with fresh_site.log_reader() as reader:
        began = time.monotonic()
        process.terminate()
        assert eventually(lambda: process.get_health("/health/ready") == 503, 2, 0.01)
        while time.monotonic() < began + 2:
            assert process.get_health("/health/ready") == 503
            assert process.get_health("/health/live") == 200
            otp = fresh_site.core().create_otp(fresh_number()).expect(201)
            time.sleep(0.1)
        assert reader.wait_for_text(otp["id"]) and not reader.has_ended.is_set()
        assert process.wait(QUICK_S) == 0
    assert time.monotonic() - began >= 3
    took_at_most(began, 3 + QUICK_S)


def test_another_signal_ends_the_wait(fresh_site):
    process = fresh_site.serve({"HERALD_DRAIN_SECONDS": "10"})
    process.terminate()
    assert eventually(lambda: process.get_health("/health/ready") == 503, 2, 0.01)
    began = time.monotonic()
    process.terminate()
    assert process.wait(QUICK_S) == 0
    took_at_most(began, 5)


def test_ctrl_c_does_not_wait(fresh_site):
    process = fresh_site.serve({"HERALD_DRAIN_SECONDS": "10"})
    began = time.monotonic()
    process.terminate(signal.SIGINT)
    assert process.wait(QUICK_S) == 0
    took_at_most(began, 5)


@pytest.mark.only("postgres")
def test_worker_has_nobody_to_wait_for(fresh_site):
    fresh_site.migrate()
    process = fresh_site.start("worker", changes={"HERALD_DRAIN_SECONDS": "10"})
    assert eventually(lambda: b"herald 0.5.0 works" in process.output)
    began = time.monotonic()
    process.terminate()
    assert process.wait(QUICK_S) == 0
    took_at_most(began, 5)


def send_half(site, core, body):
    """A request of which half the body has arrived."""
    connection = RawConnection(site.address)
    head = "\r\n".join([
        "POST /internal/v1/challenges HTTP/1.1", "Host: herald", "Content-Type: application/json",
        f"X-Internal-API-Key: {core.headers['X-Internal-API-Key']}",
        f"Idempotency-Key: {fresh_key()}", f"Content-Length: {len(body)}", "", "",
    ])
    connection.send(head.encode() + body[:10])
    return connection


def test_request_in_the_middle_comes_to_its_end(fresh_site):
    process = fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    body = json.dumps({"caller": fresh_number()}).encode()
    with send_half(fresh_site, core, body) as connection:
        time.sleep(0.1)
        process.terminate()
        time.sleep(0.3)
        assert process.is_running
        connection.send(body[10:])
        challenge = connection.read_reply("POST /internal/v1/challenges").expect(201)
        assert process.wait(QUICK_S) == 0
    fresh_site.serve()
    assert fresh_site.core().challenge(challenge["id"]).expect(200) == challenge


def test_no_new_connections_while_it_ends(fresh_site):
    process = fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    body = json.dumps({"caller": fresh_number()}).encode()
    with send_half(fresh_site, core, body) as connection:
        time.sleep(0.1)
        process.terminate()
        assert eventually(lambda: process.get_health("/health/live") is None, seconds=5)
        assert process.is_running
        connection.send(body[10:])
        connection.read_reply("POST /internal/v1/challenges").expect(201)
    assert process.wait(QUICK_S) == 0


def test_kept_connection_is_told_that_it_ends(fresh_site):
    """A probe on a connection of before sees red, or the connection's end; never green."""
    process = fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    body = json.dumps({"caller": fresh_number()}).encode()
    with send_half(fresh_site, core, body) as busy, RawConnection(process.address) as probe:
        ask = b"GET /health/ready HTTP/1.1\r\nHost: herald\r\n\r\n"
        probe.send(ask)
        probe.read_reply("GET /health/ready").expect(200)
        process.terminate()
        time.sleep(0.3)
        probe.send(ask)
        reply = probe.read_reply("GET /health/ready")
        assert reply is None or (reply.status == 503 and reply.json["ok"] is False)
        busy.send(body[10:])
        busy.read_reply("POST /internal/v1/challenges").expect(201)
    assert process.wait(QUICK_S) == 0


def test_restart_under_the_same_address(fresh_site):
    process = fresh_site.serve()
    for _ in range(3):
        core = fresh_site.core(process)
        core.devices().expect(200)
        process.stop()
        process = fresh_site.start("serve", port=process.address[1])
        process.wait_until_ready()


@pytest.mark.only("postgres")
def test_api_and_worker_end_alike(fresh_site):
    fresh_site.start_cluster(apis=1, workers=1)
    for process in fresh_site.processes:
        process.terminate()
    assert [process.wait(QUICK_S) for process in fresh_site.processes] == [0, 0]
