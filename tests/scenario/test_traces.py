"""A trace goes through herald: taken from a request, shown by the log, carried to whoever is called
for it (contract, section 17.2)."""

import re
import secrets

import pytest

from harness.actors import read_code
from harness.hooks import WEBHOOK_SETTINGS, Endpoint, Receiver
from harness.http import Client, RawConnection
from harness.orders import (
    ORDER_SETTINGS, ORDERS, OrderErp, RawErp, Shop, accept_all, refuse_all,
)
from harness.outcomes import GATEWAY, UCALLER
from harness.tools import eventually, fresh_key, fresh_number

CHANNELS = ("gateway", "ucaller")
SETTINGS = {**ORDER_SETTINGS, **WEBHOOK_SETTINGS}
CLOCK = True
MISSING_ID = "01900000-0000-7000-8000-000000000000"
TRACEPARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")


class Trace:
    """What a client that traces sends along."""

    def __init__(self, flags="01"):
        self.id, self.span, self.flags = secrets.token_hex(16), secrets.token_hex(8), flags

    def __str__(self):
        return f"00-{self.id}-{self.span}-{self.flags}"

    def span_below(self, traceparent):
        """The span that herald gave itself, as it stands in what it sent."""
        trace_id, span, flags = TRACEPARENT.fullmatch(traceparent).groups()
        assert (trace_id, flags) == (self.id, self.flags)
        assert span not in (self.span, "0" * 16)
        return span


@pytest.fixture
def trace():
    return Trace()


@pytest.fixture
def shop(site):
    with OrderErp() as erp:
        made = Shop(site, erp, timeout_seconds=5)
        yield made
        made.close()


def headers_of(trace, **more):
    return {"Idempotency-Key": fresh_key(), "traceparent": str(trace), **more}


def create(core, trace, channel="messenger_gateway", **headers):
    body = {"channel": channel, "recipient": fresh_number()}
    sent = headers_of(trace, **headers)
    return core.post("/internal/v1/otp", body, headers=sent).expect(201)


def finish(core, sim, otp, call):
    """The code is right, so nothing more comes of it."""
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    GATEWAY.confirm(core, sim, otp, call["code"])


def entries_of(core, text):
    """The entries of the log with that text, oldest first."""
    rows = core.get(f"/internal/v1/logs?q={text}&limit=200").expect(200)["entries"]
    return rows[::-1]


def wait_for_entry(core, text, message):
    def found():
        rows = [row for row in entries_of(core, text) if message in row["message"]]
        return rows[0] if rows else None

    entry = eventually(found, 10, 0.05)
    assert entry, f"{message}: {[row['message'] for row in entries_of(core, text)]}"
    return entry


def ids_of(entry):
    return entry["fields"].get("trace_id"), entry["fields"].get("span_id")


# --- providers


def test_provider_is_called_in_the_trace_of_the_request(sim, core, trace):
    otp = create(core, trace, **{"X-Request-Id": f"request-{trace.id}"})
    call = GATEWAY.take(sim, otp)
    span = trace.span_below(call["request"]["headers"]["traceparent"])
    entry = wait_for_entry(core, f"request-{trace.id}", "otp created")
    assert ids_of(entry) == (trace.id, span)
    finish(core, sim, otp, call)


def test_every_call_for_one_request_has_the_same_parent(sim, core, clock, trace):
    otp = create(core, trace)
    call = GATEWAY.take(sim, otp)
    span = trace.span_below(call["request"]["headers"]["traceparent"])
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    core.verify(otp["id"], call["code"]).expect(200)  # a request without a trace
    told = sim.take_success(call["code"])
    assert trace.span_below(told["request"]["headers"]["traceparent"]) == span
    sim.expect_quiet(clock)


def test_each_request_is_a_span_of_its_own(sim, core, trace):
    spans = set()
    for _ in range(3):
        otp = create(core, trace, channel="flash_call")
        call = UCALLER.take(sim, otp)
        spans.add(trace.span_below(call["request"]["headers"]["traceparent"]))
        core.wait_for_send(otp, "accepted", "delivered")
    assert len(spans) == 3


def test_what_a_worker_says_of_a_send_has_the_trace(sim, core, trace):
    otp = create(core, trace)
    call = GATEWAY.take(sim, otp)
    finish(core, sim, otp, call)
    rows = eventually(lambda: [row for row in entries_of(core, trace.id) if
                               "request_id" not in row["fields"]], 10, 0.05)
    assert rows, [row["message"] for row in entries_of(core, trace.id)]
    assert len({ids_of(row) for row in entries_of(core, trace.id)}) == 1


def test_who_does_not_trace_starts_no_trace(sim, core):
    otp = core.create_otp(fresh_number(), channel="messenger_gateway").expect(201)
    call = GATEWAY.take(sim, otp)
    assert "traceparent" not in call["request"]["headers"]
    finish(core, sim, otp, call)
    assert all(ids_of(row) == (None, None) for row in entries_of(core, otp["id"]))


@pytest.mark.parametrize("value", [
    "", "00", "{id}", "00-{id}-{span}", "00-{id}-{span}-01-more", "00-{upper}-{span}-01",
    "00-{zeros}{zeros}-{span}-01", "00-{id}-{zeros}-01", "ff-{id}-{span}-01", "00-{id}-{span}-1",
    "00-{id}-{span}-01, 00-{id}-{span}-01",
])
def test_what_is_no_traceparent_is_ignored(sim, core, value):
    trace = Trace()
    sent = value.format(id=trace.id, upper="A" + trace.id[1:], span=trace.span, zeros="0" * 16)
    otp = create(core, sent)
    call = GATEWAY.take(sim, otp)
    assert "traceparent" not in call["request"]["headers"]
    finish(core, sim, otp, call)
    assert all(ids_of(row) == (None, None) for row in entries_of(core, otp["id"]))


def test_header_that_comes_twice_is_ignored(site, core, trace):
    """Clients of Python merge headers, so this one is made of bytes."""
    with RawConnection(core.address) as connection:
        connection.send(
            f"GET /internal/v1/otp/{MISSING_ID} HTTP/1.1\r\nHost: a\r\n"
            f"X-Internal-API-Key: {site.internal_key}\r\nX-Request-Id: twice-{trace.id}\r\n"
            f"traceparent: {trace}\r\ntraceparent: {trace}\r\n\r\n".encode())
        assert connection.read_reply().status == 404
    assert ids_of(wait_for_entry(core, f"twice-{trace.id}", "refused")) == (None, None)


def test_a_later_version_is_continued_as_the_first(sim, core, trace):
    otp = create(core, f"01-{trace.id}-{trace.span}-01-what.comes")
    call = GATEWAY.take(sim, otp)
    trace.span_below(call["request"]["headers"]["traceparent"])
    finish(core, sim, otp, call)


def test_a_trace_that_nobody_samples_goes_on(sim, core):
    trace = Trace(flags="00")
    otp = create(core, trace)
    call = GATEWAY.take(sim, otp)
    trace.span_below(call["request"]["headers"]["traceparent"])
    finish(core, sim, otp, call)


def test_tracestate_goes_to_no_provider(sim, core, trace):
    otp = create(core, trace, tracestate="vendor=secret")
    call = GATEWAY.take(sim, otp)
    assert "tracestate" not in call["request"]["headers"]
    assert "vendor=secret" not in str(call)
    finish(core, sim, otp, call)


def test_repeat_of_a_request_makes_no_second_call_and_no_second_trace(sim, core, trace):
    body = {"channel": "messenger_gateway", "recipient": fresh_number()}
    first = headers_of(trace)
    otp = core.post("/internal/v1/otp", body, headers=first).expect(201)
    call = GATEWAY.take(sim, otp)
    again = first | {"traceparent": str(Trace())}
    core.post("/internal/v1/otp", body, headers=again).expect(201)
    trace.span_below(call["request"]["headers"]["traceparent"])
    finish(core, sim, otp, call)
    sim.expect_quiet()


# --- phones: what a phone does is told in the trace of its own request


def test_phone_has_the_trace_of_its_own_request(core, ready_phone, trace):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    result = {"lease_id": task["lease_id"], "status": "sent"}
    ready_phone.post(f"/device/v1/sms/{task['id']}/result", result,
                     headers={"traceparent": str(trace)}).expect(204)
    entry = wait_for_entry(core, trace.id, "")
    assert entry["fields"]["trace_id"] == trace.id
    core.verify(otp["id"], read_code(task)).expect(200)


# --- refusals


def test_refusal_is_logged_with_its_trace(core, trace):
    core.get(f"/internal/v1/otp/{MISSING_ID}", headers={"traceparent": str(trace)}).expect(404)
    entry = wait_for_entry(core, trace.id, "request refused")
    trace_id, span = ids_of(entry)
    assert trace_id == trace.id and re.fullmatch("[0-9a-f]{16}", span) and span != trace.span
    assert entry["fields"]["request_id"]


def test_failed_key_is_logged_with_its_trace(site, core, trace):
    client = Client(core.address, {"X-Internal-API-Key": "wrong", "traceparent": str(trace)})
    client.get("/internal/v1/overview").expect(401)
    assert ids_of(wait_for_entry(core, trace.id, "authentication failed"))[0] == trace.id


# --- orders


def place(shop, trace):
    body = {"integration_id": shop.integration_id, "order": shop.order()}
    return shop.operator.post(ORDERS, body, headers=headers_of(trace)).expect(202)["id"]


def sent_with(erp, order_id):
    return [call["request"]["headers"].get("traceparent") for call in erp.calls_of(order_id)]


def test_order_goes_to_its_erp_in_the_trace_of_its_request(shop, core, trace):
    order_id = place(shop, trace)
    shop.wait_for(order_id, "accepted")
    [sent] = sent_with(shop.erp, order_id)
    entry = wait_for_entry(core, order_id, "accepted by its ERP")
    assert ids_of(entry) == (trace.id, trace.span_below(sent))


def test_each_attempt_has_the_same_parent(site, trace):
    with RawErp(refuse_all) as erp:
        shop = Shop(site, erp)
        order_id = place(shop, trace)
        shop.wait_for_attempt(order_id, 1)
        erp.answer = accept_all
        shop.operator.post(f"{ORDERS}/{order_id}/retry",
                           headers={"traceparent": str(Trace())}).expect(204)
        shop.wait_for(order_id, "accepted")
        sent = [re.search(rb"\r\ntraceparent: (.+)\r\n", head)[1].decode()
                for head, _ in erp.requests]
        assert len(sent) == 2 and trace.span_below(sent[0]) == trace.span_below(sent[1])
        shop.close()


def test_order_without_a_trace_has_no_header(shop, core):
    order_id = shop.delivered()["id"]
    assert sent_with(shop.erp, order_id) == [None]
    entry = wait_for_entry(core, order_id, "accepted by its ERP")
    assert ids_of(entry) == (None, None)


# --- webhooks


def test_event_is_delivered_in_the_trace_of_the_change(core, phone, trace):
    with Receiver() as receiver:
        endpoint = Endpoint(core, receiver, ("challenge.canceled",))
        traced, bare = (core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
                        for _ in range(2))
        core.post(f"/internal/v1/challenges/{traced['id']}/cancel",
                  headers={"traceparent": str(trace)}).expect(204)
        core.cancel_challenge(bare["id"]).expect(204)
        [delivery] = receiver.wait_for(traced["id"])
        assert trace.span_below(delivery.headers["traceparent"])
        [delivery] = receiver.wait_for(bare["id"])
        assert "traceparent" not in delivery.headers
        endpoint.close()


def test_code_that_its_provider_sends_is_told_in_the_trace_of_its_request(sim, core, trace):
    with Receiver() as receiver:
        endpoint = Endpoint(core, receiver, ("otp.sent",))
        otp = create(core, trace)
        call = GATEWAY.take(sim, otp)
        [delivery] = receiver.wait_for(otp["id"])
        assert trace.span_below(delivery.headers["traceparent"]) == trace.span_below(
            call["request"]["headers"]["traceparent"])
        finish(core, sim, otp, call)
        endpoint.close()
