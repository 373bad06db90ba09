"""Contract, section 7 "Connections make room": more connections than there are places. New requests
are answered, health always; what runs and what streams is never sent away.
"""

import contextlib
import json
import re
import time

import pytest

from harness.http import Client, RawConnection
from harness.network import run_beyond_loopback
from harness.tools import eventually, fresh_key, fresh_number

pytestmark = pytest.mark.only("sqlite")  # HTTP is the same on both engines

PLACES = 100
HALF_A_HEAD = b"GET /health/live HTTP/1.1\r\nHost: herald\r\nX-Slow: "
ASK_LIVE = b"GET /health/live HTTP/1.1\r\nHost: herald\r\n\r\n"


@pytest.fixture
def crowded(fresh_site):
    """A herald with few places; whoever connects to it does so for the length of the scenario."""
    fresh_site.serve({"HERALD_CONNECTIONS_MAX": str(PLACES)})
    with contextlib.ExitStack() as stack:
        fresh_site.connect = lambda source=None: stack.enter_context(
            RawConnection(fresh_site.address, source))
        yield fresh_site


def is_live(site):
    """Asked on a connection of its own."""
    with RawConnection(site.address) as probe:
        probe.send(ASK_LIVE)
        reply = probe.read_reply("GET /health/live")
        return reply is not None and reply.status == 200


def begin_challenge(site, connection):
    """Half of a request that has its place until it is whole; returns its other half."""
    body = json.dumps({"caller": fresh_number()}).encode()
    head = "\r\n".join([
        "POST /internal/v1/challenges HTTP/1.1", "Host: herald", "Content-Type: application/json",
        f"X-Internal-API-Key: {site.internal_key}", f"Idempotency-Key: {fresh_key()}",
        f"Content-Length: {len(body)}", "", ""])
    connection.send(head.encode() + body[:10])
    return body[10:]


def occupy(site, way):
    """Takes all places and more of them over again."""
    for _ in range(2 * PLACES):
        connection = site.connect()
        if way == "half a head":
            connection.send(HALF_A_HEAD)
        elif way == "kept alive":
            connection.send(ASK_LIVE)
            connection.read_reply("GET /health/live").expect(200)


@pytest.mark.parametrize("way", ["silent", "kept alive", "half a head"])
def test_codes_are_answered_when_all_places_are_taken(crowded, way):
    core = crowded.core()
    phone = crowded.phone(core)
    phone.be_ready()
    running = crowded.connect()
    rest = begin_challenge(crowded, running)
    with crowded.log_reader() as reader:
        for _ in range(3):
            occupy(crowded, way)
            otp = crowded.core().create_otp(fresh_number()).expect(201)
            assert crowded.core().otp(otp["id"]).expect(200)["state"] == "queued"
            assert is_live(crowded)
        assert reader.wait_for_text(otp["id"]) and not reader.has_ended.is_set()
        running.send(rest)
        running.read_reply("POST /internal/v1/challenges").expect(201)


def test_health_is_answered_where_nobody_can_be_spared(crowded):
    with contextlib.ExitStack() as stack:
        readers = [stack.enter_context(crowded.log_reader()) for _ in range(PLACES)]
        for _ in range(3):
            reply = crowded.core().devices()
            reply.expect(503, "overloaded")
            assert reply.retry_after == 1
            silent = [crowded.connect() for _ in range(PLACES)]
            assert is_live(crowded)
            assert Client(crowded.address).get("/health/ready").expect(200)["ok"] is True
        assert not any(reader.has_ended.is_set() for reader in readers)
        assert all(connection.has_answer(5) for connection in silent), "they are told why"
    assert eventually(lambda: crowded.core().devices().status == 200)


def test_number_of_places_of_one_address(fresh_site):
    """A number holds for everybody; by default this machine itself has as many as there are."""
    fresh_site.serve({"HERALD_CONNECTIONS_PER_ADDRESS": "5"})
    crowd = [RawConnection(fresh_site.address, "127.0.9.1") for _ in range(5)]
    time.sleep(0.3)
    Client(fresh_site.address, source="127.0.9.1").get("/openapi.json").expect(503, "overloaded")
    Client(fresh_site.address, source="127.0.9.1").get("/health/live").expect(200)
    Client(fresh_site.address, source="127.0.9.2").get("/openapi.json").expect(200)
    for connection in crowd:
        connection.close()
    fresh_site.stop()
    fresh_site.serve({"HERALD_CONNECTIONS_MAX": "40"})
    crowd = [RawConnection(fresh_site.address, "127.0.9.1") for _ in range(30)]
    Client(fresh_site.address, source="127.0.9.1").get("/openapi.json").expect(200)
    assert not any(connection.has_answer(0) for connection in crowd)
    for connection in crowd:
        connection.close()


def expect_a_quarter(site, own):
    """One address of 40 places has 10, and a proxy that is named as many as it wants."""
    for proxies, has_more in (("", False), (f"::ffff:{own}", True)):
        process = site.start("serve", changes={
            "HERALD_LISTEN": "0.0.0.0:0", "HERALD_CONNECTIONS_MAX": "40",
            "HERALD_TRUSTED_PROXIES": proxies})
        assert eventually(lambda: b"listens on http://" in process.output), process.output
        port = int(re.search(rb"listens on http://[^ \"]*:(\d+)", process.output)[1])
        crowd = [RawConnection((own, port)) for _ in range(11)]
        time.sleep(2)  # twice as long as one without a place has to say what it wants
        silent = sum(not connection.has_answer(0) for connection in crowd)
        assert silent == (11 if has_more else 10)
        for connection in crowd:
            connection.close()
        process.stop()


def test_one_address_has_a_quarter_by_default(fresh_site):
    run_beyond_loopback(expect_a_quarter, fresh_site)
