"""Signed delivery reports of Telegram Gateway (contract, section 3).

The simulator sends them to herald, as the Gateway would to HERALD_PUBLIC_URL. Its answers about
states are told to be silent where only the report may move a code.
"""

import json
import time

import pytest

from harness.http import Client
from harness.outcomes import GATEWAY, expect_recipient_is_free
from harness.providers import sign_report
from harness.tools import at_once, eventually

CHANNELS = ("gateway",)
SETTINGS = {"HERALD_PUBLIC_URL": "https://herald.example"}
PATH = "/callbacks/telegram-gateway"


@pytest.fixture
def silent(sim):
    """Nothing is known of a message but what a report says."""
    sim.behave("silent", provider="telegram_gateway", method="sendVerificationMessage")
    sim.outcome("silent", report=False)
    return sim


def send(core, sim):
    """A code that went out, and the call that took it."""
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    return otp, call


def told(sim, call, status, http_status=200, **fields):
    """The Gateway reports; every attempt is answered alike."""
    report = sim.told("report", request_id=call["send_id"], status=status, **fields)
    statuses = {attempt["http_status"] for attempt in report["attempts"]}
    assert statuses == {http_status}, report


class Reporter(Client):
    """Somebody who posts to the callback from an address of their own."""

    def __init__(self, site, source):
        super().__init__(site.address, source=source)

    def report(self, body, token, timestamp=None, **headers):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        timestamp = int(time.time()) if timestamp is None else timestamp
        sent = {
            "X-Request-Timestamp": str(timestamp),
            "X-Request-Signature": sign_report(token, raw, timestamp),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return self.request("POST", PATH, raw=raw, headers=sent)


def status_body(call, status="delivered"):
    now = int(time.time())
    return {"request_id": call["send_id"], "phone_number": call["recipient"], "request_cost": 0.01,
            "delivery_status": {"status": status, "updated_at": now}}


@pytest.fixture
def reporter(site, request):
    """From an address of its own, whose failures are counted by themselves."""
    count = abs(hash(request.node.nodeid)) % 60000
    return Reporter(site, f"127.9.{count // 250}.{count % 250 + 1}")


@pytest.fixture
def token(sim):
    return sim.keys["gateway-token"]


# --- reports move a code


def test_gateway_is_told_where_to_report(sim, core):
    otp, call = send(core, sim)
    assert call["request"]["json"]["callback_url"] == f"https://herald.example{PATH}"
    core.wait_for_send(otp, "delivered")
    reports = eventually(lambda: sim.control(
        "GET", f"reports?request_id={call['send_id']}").json["reports"])
    assert [row["http_status"] for row in reports] == [200]
    GATEWAY.confirm(core, sim, otp, call["code"])


@pytest.mark.parametrize("status, state", [
    ("sent", "sent"), ("delivered", "delivered"), ("read", "delivered"),
])
def test_report_moves_the_code(silent, core, status, state):
    otp, call = send(core, silent)
    told(silent, call, status)
    read = core.otp(otp["id"]).expect(200)
    assert (read["state"], read["sends"][0]["state"]) == (state, state)
    GATEWAY.confirm(core, silent, otp, call["code"])


@pytest.mark.parametrize("status", ["expired", "revoked"])
def test_report_of_what_was_not_delivered(silent, core, status):
    otp, call = send(core, silent)
    told(silent, call, status)
    read = core.otp(otp["id"]).expect(200)
    assert (read["state"], read["sends"][0]["state"]) == ("undelivered", "failed")
    assert read["sends"][0]["error"]
    expect_recipient_is_free(core, silent, GATEWAY, otp)


def test_states_come_in_any_order_and_none_runs_back(silent, core):
    otp, call = send(core, silent)
    told(silent, call, "delivered")
    told(silent, call, "sent")
    assert core.otp(otp["id"]).expect(200)["state"] == "delivered"
    told(silent, call, "read")
    assert core.otp(otp["id"]).expect(200)["state"] == "delivered"
    GATEWAY.confirm(core, silent, otp, call["code"])


@pytest.mark.parametrize("status", ["delivered", "expired"])
def test_replay_is_harmless(silent, core, status):
    otp, call = send(core, silent)
    told(silent, call, status, times=1)
    before = core.otp(otp["id"]).expect(200)
    told(silent, call, status, times=5)
    assert core.otp(otp["id"]).expect(200) == before
    if status == "delivered":
        GATEWAY.confirm(core, silent, otp, call["code"])


@pytest.mark.parametrize("status", ["delivered", "expired", "revoked"])
def test_report_does_not_wake_a_final_code(silent, core, status):
    otp, call = send(core, silent)
    GATEWAY.confirm(core, silent, otp, call["code"])
    silent.take_awaited()
    told(silent, call, status)
    assert core.otp(otp["id"]).expect(200)["state"] == "confirmed"
    core.verify(otp["id"], call["code"]).expect(409, "already_confirmed")


def test_revoke_is_reported_and_changes_nothing(sim, core):
    sim.outcome("delivered", after_ms=60000)
    otp, call = send(core, sim)
    GATEWAY.cancel(core, sim, otp, call)
    assert eventually(lambda: sim.control(
        "GET", f"reports?request_id={call['send_id']}").json["reports"])
    assert core.otp(otp["id"]).expect(200)["state"] == "canceled"


def test_report_finds_a_message_whose_answer_was_lost(sim, core):
    """The id that herald sent along tells what the answer did not."""
    GATEWAY.warm_up(core, sim)
    sim.outcome("delivered", report=False)
    GATEWAY.order(sim, "cut_after")
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "unknown")
    told(sim, call, "delivered")
    read = core.otp(otp["id"]).expect(200)
    assert (read["state"], read["sends"][0]["state"]) == ("delivered", "delivered")
    GATEWAY.confirm(core, sim, otp, call["code"])


# --- who may report


@pytest.mark.parametrize("fields", [
    {"signature": "wrong"}, {"signature": "missing"}, {"age_s": 900}, {"age_s": -900},
], ids=str)
def test_untrusted_report_is_401(silent, core, fields):
    otp, call = send(core, silent)
    before = core.otp(otp["id"]).expect(200)
    told(silent, call, "expired", http_status=401, **fields)
    assert core.otp(otp["id"]).expect(200) == before
    told(silent, call, "delivered")
    GATEWAY.confirm(core, silent, otp, call["code"])


@pytest.mark.parametrize("headers", [
    {"X_Request_Timestamp": None}, {"X_Request_Timestamp": ""}, {"X_Request_Timestamp": "soon"},
    {"X_Request_Timestamp": "1"}, {"X_Request_Timestamp": "9" * 30},
    {"X_Request_Signature": None}, {"X_Request_Signature": ""}, {"X_Request_Signature": "0" * 64},
    {"X_Request_Signature": "zz" * 32}, {"X_Request_Signature": "ab"},
], ids=str)
def test_broken_headers_are_401(silent, core, reporter, token, headers):
    otp, call = send(core, silent)
    before = core.otp(otp["id"]).expect(200)
    reporter.report(status_body(call, "expired"), token, **headers).expect(401, "unauthorized")
    assert core.otp(otp["id"]).expect(200) == before
    GATEWAY.confirm(core, silent, otp, call["code"])


def test_signature_covers_time_and_body(silent, core, site, reporter, token):
    otp, call = send(core, silent)
    now = int(time.time())
    raw = json.dumps(status_body(call)).encode()
    good = sign_report(token, raw, now)
    for body, timestamp, signature in (
            (raw.replace(b"delivered", b"expired"), now, good),
            (raw + b" ", now, good),
            (raw, now - 1, good),
            (raw, now, sign_report("another-token", raw, now)),
            (raw, now, sign_report("", raw, now)),
            (raw, now, sign_report(site.internal_key, raw, now))):
        reporter.report(body, token, timestamp, X_Request_Signature=signature).expect(
            401, "unauthorized")
    reporter.report(raw, token, now, X_Internal_API_Key=site.internal_key,
                    X_Request_Signature=None).expect(401, "unauthorized")
    reporter.report(raw, token, now).expect(200)
    assert core.otp(otp["id"]).expect(200)["state"] == "delivered"
    GATEWAY.confirm(core, silent, otp, call["code"])


@pytest.mark.parametrize("age_s, status", [(0, 200), (240, 200), (-30, 200), (900, 401)])
def test_age_of_a_report(silent, core, reporter, token, age_s, status):
    otp, call = send(core, silent)
    reporter.report(status_body(call), token, int(time.time()) - age_s).expect(status)
    is_delivered = core.otp(otp["id"]).expect(200)["state"] == "delivered"
    assert is_delivered == (status == 200)
    GATEWAY.confirm(core, silent, otp, call["code"])


def test_more_than_20_wrong_ones_are_429(silent, core, site, reporter, token):
    otp, call = send(core, silent)
    raw = json.dumps(status_body(call)).encode()
    for _ in range(20):
        reporter.report(raw, "guess").expect(401, "unauthorized")
    refused = reporter.report(raw, "guess")
    refused.expect(429, "rate_limited")
    assert 1 <= refused.retry_after <= 60
    reporter.report(raw, token).expect(200)
    assert core.otp(otp["id"]).expect(200)["state"] == "delivered"
    GATEWAY.confirm(core, silent, otp, call["code"])


# --- what it may say


def test_unknown_message_is_404(reporter, token):
    body = {"request_id": "77777", "delivery_status": {"status": "delivered", "updated_at": 1}}
    reporter.report(body, token).expect(404, "not_found")


@pytest.mark.parametrize("raw", [
    b"", b"no JSON", b"[]", b"null", b'"text"', b"{}", b'{"request_id":7}', b'{"request_id":null}',
    b'{"request_id":""}', b'{"request_id":"1","request_id":"2"}', b'{"request_id":"\xff"}', b'{"request_id":"a\\u0000"}',
    b'{"request_id":"1"}x', b"[" * 100,
], ids=repr)
def test_signed_garbage_is_422(reporter, token, raw):
    reporter.report(raw, token).expect(422)


def test_unknown_members_and_states_are_no_fault(silent, core, reporter, token):
    """The Gateway may grow: what is new is taken, and says nothing."""
    otp, call = send(core, silent)
    before = core.otp(otp["id"]).expect(200)
    body = status_body(call, "pondered") | {"news": {"a": [1, None]}}
    reporter.report(body, token).expect(200)
    assert core.otp(otp["id"]).expect(200) == before
    body = status_body(call) | {"verification_status": {"status": "code_valid", "updated_at": 1}}
    reporter.report(body, token).expect(200)
    read = core.otp(otp["id"]).expect(200)
    assert (read["state"], read["confirmed_at"]) == ("delivered", None), "only verify confirms"
    GATEWAY.confirm(core, silent, otp, call["code"])


@pytest.mark.parametrize("status", ["delivered", None, 7, [], {"status": 1}, {"status": None}, {}],
                         ids=repr)
def test_unreadable_status_moves_nothing(silent, core, reporter, token, status):
    otp, call = send(core, silent)
    before = core.otp(otp["id"]).expect(200)
    reply = reporter.report(status_body(call) | {"delivery_status": status}, token)
    assert reply.status in (200, 422), reply
    assert core.otp(otp["id"]).expect(200) == before
    GATEWAY.confirm(core, silent, otp, call["code"])


def test_other_methods_and_sizes(reporter, token):
    assert reporter.get(PATH).expect(405)
    reporter.report(b" " * 65537, token).expect(413, "payload_too_large")


def test_herald_without_a_gateway_takes_no_report(fresh_site):
    fresh_site.serve({"HERALD_PUBLIC_URL": "https://herald.example"})
    body = {"request_id": "1", "delivery_status": {"status": "delivered", "updated_at": 1}}
    reply = Reporter(fresh_site, "127.8.0.2").report(body, "")
    assert reply.status in (401, 404), reply


def test_reports_at_the_same_moment(silent, core, site, token):
    """Ten copies at once: all are taken, and the code moves once."""
    otp, call = send(core, silent)
    raw = json.dumps(status_body(call)).encode()
    reporter = Reporter(site, "127.8.0.3")
    replies = at_once(10, lambda _: reporter.report(raw, token))
    assert {reply.status for reply in replies} == {200}
    read = core.otp(otp["id"]).expect(200)
    assert (read["state"], len(read["sends"])) == ("delivered", 1)
    GATEWAY.confirm(core, silent, otp, call["code"])
