"""Contract, section 7 "Connections make room": a crowd without a key that holds more connections than there are places.

Whatever it keeps herald waiting for, who asks with a right key, and for health, is answered in time.
"""

import json
import time
import uuid
from base64 import urlsafe_b64encode

import pytest

from harness import catalog
from harness.crowd import TURN_S, Crowd, Way
from harness.exchange import FORM, TOKEN_PATH, Operator
from harness.http import Client, RawConnection, check_conventions
from harness.packages import CHANGES, SNAPSHOT, Sender, event_id_of, package_path
from harness.site import free_port
from harness.tls import Pair
from harness.tools import IS_TIMED, fresh_key, fresh_number

pytestmark = pytest.mark.only("sqlite")  # HTTP is the same on both engines

PLACES = 100
ROUNDS, PAUSE_S = 15, 0.2
ANSWER_MAX_S, SHARE_LEAST = 2.0, 0.95
BODY = 60_000  # bytes; below what is refused by its length alone
FLOOR = 10 * 1024  # bytes a second that a body must have


def head(method, path, *lines):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: herald", *lines, "", ""]).encode()


def body_head(path, *lines):
    return head("POST", path, f"X-Device-Key: {fresh_key()}", *lines)


def phone(*lines):
    return body_head("/device/v1/sms/claim", *lines)


LENGTH = f"Content-Length: {BODY}"
CHUNKED = "Transfer-Encoding: chunked"
HALF_A_HEAD = head("GET", "/health/live", "X-Slow: 1")[:-4]
DOCUMENTS = head("GET", "/openapi.json") * 8
CHUNK = b"1\r\n \r\n"
PIECE = b" " * (FLOOR // 10)

WAYS = {
    "body of a claim": [Way(phone(LENGTH), b" ")],
    "body of a ping": [Way(body_head("/api/device/ping", LENGTH) + b"{", b" ")],
    "body of a token request": [
        Way(head("POST", TOKEN_PATH, f"Content-Type: {FORM}", LENGTH), b"a")],
    "body that waits for 100 Continue": [Way(phone(LENGTH, "Expect: 100-continue"))],
    "chunks": [Way(phone(CHUNKED), CHUNK)],
    "body at the slowest rate": [Way(phone(LENGTH) + PIECE * 2, PIECE, every_s=0.1)],
    "body that nobody wants": [
        Way(head("POST", "/internal/v1/challenges", "X-Internal-API-Key: wrong", LENGTH), b" ")],
    "answers that nobody reads": [Way(DOCUMENTS)],
    "answers that are read by drops": [Way(DOCUMENTS, reads=1024)],
    "coming again in silence": [Way(b"", stays_s=0.9), Way(HALF_A_HEAD, stays_s=0.9)],
    "coming again with more": [Way(phone(LENGTH), stays_s=0.9), Way(DOCUMENTS, stays_s=0.9)],
}


def pipelined(request):
    """Without a pause: the next request is there before this one is answered."""
    return Way(request * 60, request * 60, every_s=TURN_S, reads=1 << 16)


def token_of_nobody():
    header, claims = {"alg": "EdDSA", "typ": "at+jwt", "kid": "nobody"}, {"sub": "nobody"}
    parts = [json.dumps(header).encode(), json.dumps(claims).encode(), bytes(64)]
    return b".".join(urlsafe_b64encode(part).rstrip(b"=") for part in parts).decode()


WRONG_PHONE = pipelined(phone("Content-Length: 2") + b"{}")
NO_FORM = pipelined(
    head("POST", TOKEN_PATH, f"Content-Type: {FORM}", "Content-Length: 1") + b"a")
NO_TOKEN = pipelined(
    head("POST", package_path(uuid.uuid4(), SNAPSHOT), "Content-Length: 2",
         f"Authorization: Bearer {token_of_nobody()}") + b"{}")
WRONG_INTERNAL = pipelined(head("GET", "/internal/v1/devices", "X-Internal-API-Key: wrong"))
WAYS |= {
    "wrong keys of phones without a pause": [WRONG_PHONE],
    "no forms of clients without a pause": [NO_FORM],
    "tokens of nobody without a pause": [NO_TOKEN],
    "wrong internal keys without a pause": [WRONG_INTERNAL],
    "wrong keys and slow bodies": [WRONG_PHONE, NO_TOKEN, NO_FORM, WRONG_INTERNAL,
                                   *WAYS["body of a claim"], *WAYS["answers that nobody reads"]],
}
WAYS["all of it"] = [way for ways in WAYS.values() for way in ways]


SECURE = ("127.0.0.1", free_port())
HALF_A_HANDSHAKE = b"\x16\x03\x01\x02\x00\x01"
WAYS_OVER_TLS = {
    "half handshakes": (False, [Way(HALF_A_HANDSHAKE, b"\0"),
                                Way(HALF_A_HANDSHAKE, stays_s=0.9), Way(b"")]),
    "answers that are read by drops": (True, WAYS["answers that are read by drops"]),
    "all of it": (True, WAYS["all of it"]),
}


@pytest.fixture(scope="module")
def served(site, tmp_path_factory):
    """A herald with few places, which all its addresses share."""
    site.stop()
    site.processes.clear()
    plain, pair = free_port(), Pair(tmp_path_factory.mktemp("tls"))
    site.start("serve", port=plain, changes={
        **pair.settings, "HERALD_CONNECTIONS_MAX": str(PLACES),
        "HERALD_LISTEN": f"http://127.0.0.1:{plain},https://{SECURE[0]}:{SECURE[1]}",
    }).wait_until_ready()
    return site


def right_requests(site):
    """(who, what they ask, the status that it has)"""
    core, erp = site.core(), Operator.of(site).new_erp()
    device = site.phone(core)
    return [
        (core, lambda: core.create_challenge(fresh_number()), 201),
        (core, core.devices, 200),
        (device, device.claim, 200),
        (device, device.ping, 200),
        (erp, erp.ask_token, 200),
        (anybody := Client(site.address), lambda: anybody.get("/health/ready"), 200),
    ]


def is_answered(client, ask, status):
    """Asked on a connection of its own."""
    began = time.monotonic()
    try:
        reply = ask()
    except (OSError, AssertionError):  # cut off, or refused before the operation could answer
        return False
    finally:
        client.close()
    return reply.status == status and (not IS_TIMED or time.monotonic() - began < ANSWER_MAX_S)


def expect_answers_beside(site, ways):
    expect_answers_while(site, Crowd(site.address, ways))


def expect_answers_while(site, crowd):
    requests = right_requests(site)
    with crowd:
        time.sleep(1.5)
        answered = []
        for _ in range(ROUNDS):
            answered += [is_answered(*request) for request in requests]
            time.sleep(PAUSE_S)
    assert sum(answered) >= SHARE_LEAST * len(answered), f"{answered.count(False)} of {len(answered)}"


@pytest.mark.parametrize("way", WAYS)
def test_right_requests_are_answered(served, way):
    expect_answers_beside(served, WAYS[way])


@pytest.mark.parametrize("way", WAYS_OVER_TLS)
def test_right_requests_are_answered_beside_a_crowd_over_tls(served, way):
    is_tls, ways = WAYS_OVER_TLS[way]
    expect_answers_while(served, Crowd(SECURE, ways, is_tls))


def test_slow_bodies_of_one_tenant_keep_nobody_out(served):
    """Behind right tokens, of two integrations, and each below what needs a place of large bodies."""
    operator = Operator.of(served)
    tenant = {"tenant_id": fresh_key()}
    erps = [operator.new_erp(operator.create_integration(**tenant).expect(201)) for _ in range(2)]
    senders = [Sender(erp.address, erp.fetch_token(), erp.integration_id) for erp in erps]
    expect_answers_beside(served, [
        Way(sender.head(CHANGES, f"Content-Length: {250_000}") + b"{" + PIECE * 2, PIECE, every_s=0.05)
        for sender in senders])


def half_of_a_challenge(site):
    """(head, the first half of its body, the other half)"""
    body = json.dumps({"caller": fresh_number()}).encode()
    lines = ["Content-Type: application/json", f"X-Internal-API-Key: {site.internal_key}",
             f"Idempotency-Key: {fresh_key()}", f"Content-Length: {len(body)}"]
    return head("POST", "/internal/v1/challenges", *lines), body[:10], body[10:]


def half_of_a_package(sender):
    body = catalog.encode(catalog.full_snapshot())
    key = event_id_of(body[:1000])
    return sender.head(SNAPSHOT, f"Content-Length: {len(body)}", key=key), body[:10], body[10:]


def test_bodies_behind_a_right_key_stay(served):
    sender = Sender.of(served)
    served.phone(served.core())
    with RawConnection(served.address) as challenge, sender.connection() as package:
        asked = [(challenge, *half_of_a_challenge(served), "POST /internal/v1/challenges", 201),
                 (package, *half_of_a_package(sender),
                  f"POST {package_path(sender.integration_id, SNAPSHOT)}", 202)]
        for connection, start, first, *_ in asked:
            connection.send(start + first)
        with Crowd(served.address, WAYS["all of it"]):
            time.sleep(4)
            for connection, _, _, rest, path, status in asked:
                assert not connection.has_answer(0), path
                connection.send(rest)
                connection.read_reply(path).expect(status)


def test_body_that_goes_for_others_is_told_why(served):
    with RawConnection(served.address) as slow:
        slow.send(phone(LENGTH) + b"{")
        with Crowd(served.address, WAYS["body of a claim"]):
            reply = slow.read_reply("POST /device/v1/sms/claim")
    check_conventions(reply)
    reply.expect(503, "overloaded")
    assert reply.retry_after == 1
