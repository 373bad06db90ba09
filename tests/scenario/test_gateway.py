"""Codes by Telegram Gateway (contract, sections 2 and 3): no public address, so herald asks.

The table of the Gateway's answers: each row is a scenario. It has no idempotency field: what may
have been sent is never sent again by itself.
"""

import pytest

from harness.actors import read_code, wrong_code
from harness.outcomes import (
    GATEWAY, expect_open_circuit, expect_permanent, expect_rate_limited,
    expect_recipient_is_free, expect_undelivered, expect_unknown,
)
from harness.shapes import OTP, check_shape
from harness.tools import at_once, fresh_number

CLOCK = True
CHANNELS = ("gateway",)


def reports_of_success(sim, call):
    """How often the Gateway was told that this message's code was right."""
    rows = sim.calls(provider="telegram_gateway", method="checkVerificationStatus", limit=10000)
    return [row["request"]["json"] for row in rows
            if row["request"]["json"].get("request_id") == call["send_id"]
            and "code" in row["request"]["json"]]


# --- the dialogue


@pytest.mark.parametrize("ttl", [60, 300, 900])
def test_message_goes_out_and_confirms(sim, core, ttl):
    sim.outcome("pending")
    recipient = fresh_number()
    otp = check_shape(GATEWAY.create(core, recipient, ttl_seconds=ttl), OTP)
    assert (otp["channel"], otp["recipient"], otp["state"]) == (
        "messenger_gateway", recipient, "queued")
    assert (otp["code_length"], otp["attempts_left"]) == (6, 5)
    assert [(row["channel"], row["gateway_number"], row["state"], row["error"])
            for row in otp["sends"]] == [("messenger_gateway", None, "queued", None)]

    call = GATEWAY.take(sim, otp)
    asked = call["request"]
    assert asked["headers"]["authorization"] == f"Bearer {sim.keys['gateway-token']}"
    assert asked["json"]["phone_number"] == recipient
    assert len(asked["json"]["code"]) == 6 and asked["json"]["code"].isdecimal()
    assert ttl - 5 <= asked["json"]["ttl"] <= ttl
    assert "callback_url" not in asked["json"]
    assert core.wait_for_send(otp, "accepted", "sent")["state"] in ("accepted", "sent")

    refused = core.verify(otp["id"], wrong_code(call["code"]))
    refused.expect(422, "code_mismatch")
    GATEWAY.confirm(core, sim, otp, call["code"])


def test_codes_are_six_digits_and_differ(sim, core):
    otps = at_once(20, lambda _: GATEWAY.create(core))
    calls = [GATEWAY.take(sim, otp) for otp in otps]
    codes = [call["code"] for call in calls]
    assert all(len(code) == 6 and code.isdecimal() for code in codes)
    assert len(set(codes)) >= 19
    for otp, call in zip(otps, calls):
        core.wait_for_send(otp, "accepted", "sent", "delivered")
        GATEWAY.confirm(core, sim, otp, call["code"])


# --- success is reported


def test_gateway_is_told_of_the_right_code_once(sim, core, clock):
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "sent", "delivered")
    core.verify(otp["id"], wrong_code(call["code"])).expect(422)
    GATEWAY.confirm(core, sim, otp, call["code"])
    core.verify(otp["id"], call["code"]).expect(409, "already_confirmed")
    core.cancel_otp(otp["id"]).expect(409, "already_confirmed")
    sim.expect_quiet(clock)
    assert reports_of_success(sim, call) == [
        {"request_id": call["send_id"], "code": call["code"]}]


def test_gateway_is_told_also_if_the_code_came_by_the_fallback(sim, core, ready_phone):
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "sent", "delivered")
    core.fall_back(otp["id"]).expect(204)
    task = ready_phone.claim_task()
    ready_phone.result(task, "sent").expect(204)
    assert read_code(task) == call["code"]
    core.verify(otp["id"], call["code"]).expect(200)
    sim.take_success(call["code"])


def test_code_is_verified_before_the_gateway_has_answered(sim, core):
    GATEWAY.order(sim, "slow", wait_ms=600)
    otp, call = GATEWAY.send(core, sim)
    assert core.verify(otp["id"], call["code"]).expect(200)["state"] == "confirmed"
    sim.take_success(call["code"])
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    assert core.otp(otp["id"]).expect(200)["state"] == "confirmed"
    sim.expect_quiet()


# --- cancel revokes


def test_cancel_revokes_once(sim, core, clock):
    sim.outcome("pending")
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "accepted", "sent")
    GATEWAY.cancel(core, sim, otp, call)
    for _ in range(2):
        core.cancel_otp(otp["id"]).expect(204)
    sim.expect_quiet(clock)
    assert core.otp(otp["id"]).expect(200)["state"] == "canceled"


def test_cancel_during_the_call_revokes_after_it(sim, core, clock):
    sim.outcome("pending")
    GATEWAY.order(sim, "slow", wait_ms=600)
    otp, call = GATEWAY.send(core, sim)
    GATEWAY.cancel(core, sim, otp, call)
    sim.expect_quiet(clock)
    assert core.otp(otp["id"]).expect(200)["state"] == "canceled"


@pytest.mark.parametrize("what", ["PHONE_NUMBER_INVALID", "MESSAGE_ALREADY_SENT"])
def test_cancel_of_what_the_gateway_has_not_revokes_nothing(sim, core, clock, what):
    GATEWAY.warm_up(core, sim)
    GATEWAY.order(sim, what)
    otp, _ = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "failed", "unknown")
    core.cancel_otp(otp["id"]).expect(204)
    sim.expect_quiet(clock)


@pytest.mark.parametrize("what", ["server_error", "cut_after", "INTERNAL_SERVER_ERROR"])
def test_failed_revoke_changes_nothing(sim, core, what):
    sim.outcome("pending")
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "accepted", "sent")
    sim.behave(what, provider="telegram_gateway", method="revokeVerificationMessage", count=1)
    GATEWAY.cancel(core, sim, otp, call)
    assert core.otp(otp["id"]).expect(200)["state"] == "canceled"
    sim.expect_quiet()


# --- the table of states


@pytest.mark.parametrize("fate, state", [
    ("pending", "sent"), ("delivered", "delivered"), ("read", "delivered"),
])
def test_states_of_delivery(sim, core, clock, fate, state):
    sim.outcome(fate, after_ms=1)
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    clock.advance(10)
    read = core.wait_for_send(otp, state)
    assert (read["state"], len(read["sends"])) == (state, 1)
    GATEWAY.confirm(core, sim, otp, call["code"])


@pytest.mark.parametrize("fate", ["undelivered", "revoked"])
def test_message_that_was_not_delivered(sim, core, clock, fate):
    sim.outcome(fate, after_ms=1)
    otp, _ = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "accepted", "sent", "failed")
    clock.advance(10)
    expect_undelivered(core, otp)
    sim.expect_quiet(clock)
    sim.outcome("delivered")
    expect_recipient_is_free(core, sim, GATEWAY, otp)


def test_status_without_its_field_says_nothing(sim, core, clock):
    GATEWAY.order(sim, "silent")
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "accepted", "sent")
    sim.expect_quiet(clock)
    assert core.otp(otp["id"]).expect(200)["state"] in ("accepted", "sent")
    GATEWAY.confirm(core, sim, otp, call["code"])


def test_late_news_do_not_wake_a_final_code(sim, core, clock):
    sim.outcome("pending")
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "sent")
    confirmed = GATEWAY.confirm(core, sim, otp, call["code"])
    sim.outcome("undelivered", recipient=otp["recipient"])
    clock.advance(60)
    sim.expect_quiet()
    read = core.otp(otp["id"]).expect(200)
    assert (read["state"], read["confirmed_at"]) == ("confirmed", confirmed["confirmed_at"])


# --- the table of refusals


@pytest.mark.parametrize("what", [
    "PHONE_NUMBER_INVALID", "PHONE_NUMBER_NOT_FOUND", "PHONE_NUMBER_NOT_AVAILABLE",
])
def test_recipient_that_cannot_be_reached(sim, core, clock, what):
    expect_permanent(core, sim, clock, GATEWAY, what)


@pytest.mark.parametrize("what", ["ACCESS_TOKEN_INVALID", "BALANCE_NOT_ENOUGH"])
def test_credentials_or_balance_open_the_circuit(site, sim, core, what):
    expect_open_circuit(site, core, sim, GATEWAY, what)


def test_limit_is_waited_for_as_told(sim, core):
    expect_rate_limited(core, sim, GATEWAY, "FLOOD_WAIT", retry_after_s=2)


@pytest.mark.parametrize("what, order", [
    ("MESSAGE_ALREADY_SENT", {}),
    ("server_error", {}), ("server_error", {"http_status": 503}), ("server_error", {"taken": True}),
    ("cut_after", {}), ("cut_within", {}),
    *(("nonsense", {"shape": shape})
      for shape in ("html", "truncated", "huge", "empty", "other_json")),
    ("slow", {"wait_ms": 3300}),
], ids=str)
def test_what_may_have_been_sent_is_never_sent_again(sim, core, clock, what, order):
    expect_unknown(core, sim, clock, GATEWAY, what, **order)


def test_connection_that_is_cut_before_the_request_is_taken(sim, core, clock):
    """Its bytes went out; that nobody read them is more than herald can know."""
    GATEWAY.warm_up(core, sim)
    sim.take_awaited()  # or the report of that code is cut
    sim.behave("cut_before", provider="telegram_gateway", count=1)
    otp = GATEWAY.create(core)
    core.wait_for_send(otp, "unknown")
    sim.expect_quiet(clock)


def test_provider_that_is_away_for_a_moment(sim, core):
    """Nobody took the connection, so nothing was sent: that is tried again."""
    GATEWAY.warm_up(core, sim)
    sim.told("down", for_ms=700)
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    GATEWAY.confirm(core, sim, otp, call["code"])


def test_unknown_code_can_fall_back(sim, core, ready_phone):
    GATEWAY.warm_up(core, sim)
    GATEWAY.order(sim, "cut_after")
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "unknown")
    core.fall_back(otp["id"]).expect(204)
    task = ready_phone.claim_task()
    assert read_code(task) == call["code"]
    ready_phone.result(task, "sent").expect(204)
    read = core.otp(otp["id"]).expect(200)
    assert [row["state"] for row in read["sends"]] == ["unknown", "sent"]
    assert read["state"] == "sent"
    core.verify(otp["id"], call["code"]).expect(200)
