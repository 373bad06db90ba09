"""What is limited says in headers how much is left, and what is refused until when.

Contract section 1: `RateLimit-Policy` and `RateLimit` (IETF httpapi, structured fields),
`Retry-After` and `error.retry_at`; and which key a 401 wants.
"""

import re

import pytest

from harness import catalog
from harness.exchange import Operator, fresh_source
from harness.http import Client
from harness.packages import CHANGES, SNAPSHOT, Sender
from harness.shapes import parse_time
from harness.tools import fresh_key, fresh_number

CLOCK = True
SETTINGS = {"HERALD_ERP_SNAPSHOTS_PER_DAY": "2", "HERALD_ERP_PACKAGES_PER_MINUTE": "6"}
MISSING_ID = "01900000-0000-7000-8000-000000000000"
CODES = '"codes";q=3;w=600'
FAILURES = '"failures";q=20;w=60'
DAY_S = 24 * 3600


def limits_of(reply):
    """{name: (left, seconds)} of the limits that an answer tells of."""
    text = reply.header("RateLimit")
    if text is None:
        assert reply.header("RateLimit-Policy") is None, reply
        return {}
    rows = [re.fullmatch(r'"([a-z-]+)";r=(\d+);t=(\d+)', row) for row in text.split(", ")]
    return {row[1]: (int(row[2]), int(row[3])) for row in rows}


def expect_retry_at(clock, reply, seconds):
    """The same moment in the header, in the body and in the limit."""
    assert seconds - 3 <= reply.retry_after <= seconds, reply
    left = (parse_time(reply.error["retry_at"]) - clock.now()).total_seconds()
    assert reply.retry_after - 4 <= left <= reply.retry_after, reply


def test_codes_of_a_recipient_count_down(clock, core, ready_phone):
    recipient = fresh_number()
    first = None
    for left in (2, 1, 0):
        key = fresh_key()
        reply = core.create_otp(recipient, key=key)
        otp = reply.expect(201)
        assert reply.header("RateLimit-Policy") == CODES
        told, seconds = limits_of(reply)["codes"]
        assert told == left and (seconds == 600 or first is not None and 590 <= seconds <= 600)
        first = first or reply
        core.cancel_otp(otp["id"]).expect(204)
        assert limits_of(core.create_otp(recipient, key=key)) == {}, "a repeat knows nothing of it"
    refused = core.create_otp(recipient)
    refused.expect(429, "rate_limited")
    assert refused.header("RateLimit-Policy") == CODES
    assert limits_of(refused) == {"codes": (0, refused.retry_after)}
    expect_retry_at(clock, refused, 600)
    clock.advance(refused.retry_after)
    ready_phone.be_ready()
    reply = core.create_otp(recipient)
    reply.expect(201)
    assert limits_of(reply)["codes"][0] < 3


def test_what_is_not_counted_tells_of_no_limit(core, ready_phone):
    assert limits_of(core.create_otp("+7123")) == {}
    assert limits_of(core.devices()) == {}
    recipient = fresh_number()
    core.create_otp(recipient).expect(201)
    refused = core.create_otp(recipient)
    refused.expect(409, "active_challenge_exists")
    assert limits_of(refused) == {}


def test_packages_of_an_integration_count_down(clock, site):
    sender = Sender.of(site)
    for left in (1, 0):
        reply = sender.send(SNAPSHOT, catalog.snapshot())
        reply.expect(202)
        assert reply.header("RateLimit-Policy") == (
            f'"packages";q=6;w=60, "snapshots";q=2;w={DAY_S}')
        told = limits_of(reply)
        assert told["snapshots"][0] == left and told["packages"][0] in (4, 5)
        assert 0 < told["snapshots"][1] <= DAY_S // 2 and 0 < told["packages"][1] <= 10
    refused = sender.send(SNAPSHOT, catalog.snapshot())
    refused.expect(429, "rate_limited")
    assert limits_of(refused)["snapshots"] == (0, refused.retry_after)
    expect_retry_at(clock, refused, DAY_S // 2)


def test_changes_count_against_the_minute_alone(clock, site):
    sender = Sender.of(site)
    body = catalog.changes()
    reply = sender.send(CHANGES, body)
    reply.expect(202)
    assert reply.header("RateLimit-Policy") == '"packages";q=6;w=60'
    assert limits_of(reply)["packages"][0] == 5
    assert limits_of(sender.send(CHANGES, body)) == {}, "a repeat costs nothing"
    for _ in range(7):
        refused = sender.send(CHANGES, catalog.changes())
        if refused.status == 429:
            break
    refused.expect(429, "rate_limited")
    assert limits_of(refused)["packages"] == (0, refused.retry_after)
    expect_retry_at(clock, refused, 10)


def test_integration_for_trying_out_tells_of_no_limit(site):
    operator = Operator.of(site)
    made = operator.create_integration(
        environment="test", erp={"base_url": "https://trial.example"}).expect(201)
    erp = operator.new_erp(made)
    reply = Sender(erp.address, erp.fetch_token(), made["id"]).send(SNAPSHOT, catalog.snapshot())
    reply.expect(202)
    assert limits_of(reply) == {}


def fail_at_the_token_endpoint(site, source):
    erp = Operator.of(site).new_erp().with_secret(f"hs_{fresh_key()}")
    erp.source = source
    return erp.ask_token


def fail_as_a_phone(site, source):
    phone = Client(site.address, {"X-Device-Key": "hd_x"}, source)
    return lambda: phone.post("/api/device/ping", {})


@pytest.mark.parametrize("begin", [fail_at_the_token_endpoint, fail_as_a_phone])
def test_failures_of_an_address_count_down(site, clock, begin):
    fail = begin(site, fresh_source())
    for left in range(19, -1, -1):
        reply = fail()
        reply.expect(401)
        assert reply.header("RateLimit-Policy") == FAILURES
        told, seconds = limits_of(reply)["failures"]
        assert told == left and 0 < seconds <= 60
    refused = fail()
    refused.expect(429)
    assert limits_of(refused) == {"failures": (0, refused.retry_after)}
    if isinstance(refused.json["error"], dict):
        expect_retry_at(clock, refused, 60)


@pytest.mark.parametrize("method, path, wanted", [
    ("GET", f"/internal/v1/otp/{MISSING_ID}", "X-Internal-API-Key"),
    ("POST", "/api/device/ping", "X-Device-Key"),
    ("POST", "/device/v1/sms/claim", "X-Device-Key"),
    ("GET", f"/api/v1/integrations/erp/{MISSING_ID}/events/x", "Authorization: Bearer"),
])
def test_401_names_the_header_that_is_wanted(site, method, path, wanted):
    for headers in ({}, {"X-Api-Key": "x"}, {"Authorization": f"Bearer {site.internal_key}"}):
        stranger = Client(site.address, headers, fresh_source())
        reply = stranger.request(method, path, raw=b"{}" if method == "POST" else None)
        reply.expect(401, "unauthorized")
        assert wanted in reply.error["message"], reply
