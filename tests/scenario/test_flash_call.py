"""Codes by flash call through uCaller, which takes our four digits (contract, sections 2 and 3).

The table of uCaller's answers: each row is a scenario. uCaller knows a repeat by `unique`, so what
may have got lost on the way is asked for again, and rings once.
"""

import pytest

from harness.actors import read_code, wrong_code
from harness.outcomes import (
    UCALLER, expect_one_ring, expect_open_circuit, expect_permanent, expect_rate_limited,
    expect_rate_limited_without_a_word, expect_recipient_is_free, expect_repeated,
    expect_undelivered, take_repeats,
)
from harness.shapes import OTP, UUID_V7, check_shape, seconds_between
from harness.tools import Moment, at_once, fresh_number

CLOCK = True
CHANNELS = ("ucaller",)

NEVER = Moment(0.3)


# --- the dialogue


def test_call_goes_out_and_confirms(sim, core, clock):
    recipient = fresh_number()
    otp = check_shape(UCALLER.create(core, recipient), OTP)
    assert (otp["channel"], otp["recipient"], otp["state"]) == ("flash_call", recipient, "queued")
    assert (otp["code_length"], otp["attempts_left"]) == (4, 5)
    assert seconds_between(otp["created_at"], otp["expires_at"]) == 300
    assert [(row["channel"], row["gateway_number"], row["state"], row["error"])
            for row in otp["sends"]] == [("flash_call", None, "queued", None)]

    call = UCALLER.take(sim, otp)
    asked = call["request"]
    assert (asked["method"], asked["path"]) == ("POST", "/v1.0/initCall")
    assert asked["headers"]["authorization"] == f"Bearer {sim.keys['ucaller-key']}.7007"
    assert asked["json"]["phone"] == int(recipient[1:])
    assert len(asked["json"]["code"]) == 4 and asked["json"]["code"].isdecimal()
    assert UUID_V7.fullmatch(asked["json"]["unique"])
    core.wait_for_send(otp, "accepted", "delivered")
    clock.advance(10)
    assert core.wait_for_send(otp, "delivered")["state"] == "delivered"

    refused = core.verify(otp["id"], wrong_code(call["code"]))
    refused.expect(422, "code_mismatch")
    assert refused.error["attempts_left"] == 4
    confirmed = check_shape(UCALLER.confirm(core, sim, otp, call["code"]), OTP)
    assert confirmed["expires_at"] == otp["expires_at"]
    core.create_otp(recipient, channel="flash_call").expect(201)
    UCALLER.take(sim, otp)


def test_taken_call_is_accepted_until_more_is_known(sim, core, clock):
    sim.outcome("pending")
    otp, call = UCALLER.send(core, sim)
    assert core.wait_for_send(otp, "accepted")["state"] == "accepted"
    sim.expect_quiet(clock)
    assert core.otp(otp["id"]).expect(200)["state"] == "accepted"
    UCALLER.confirm(core, sim, otp, call["code"])


def test_repeat_with_the_same_key_makes_no_second_call(sim, core):
    recipient, key = fresh_number(), "flash-" + fresh_number()
    made = [core.create_otp(recipient, key, channel="flash_call") for _ in range(3)]
    assert len({reply.expect(201)["id"] for reply in made}) == 1
    assert [reply.replayed for reply in made] == [False, True, True]
    UCALLER.take(sim, made[0].json)
    sim.expect_quiet()


def test_codes_are_four_digits_and_spread(sim, core):
    otps = at_once(40, lambda _: UCALLER.create(core))
    codes = [UCALLER.take(sim, otp)["code"] for otp in otps]
    assert all(len(code) == 4 and code.isdecimal() for code in codes)
    assert len(set(codes)) >= 36
    assert len({code[0] for code in codes}) >= 4


def test_five_wrong_codes_exhaust_it(sim, core):
    otp, call = UCALLER.send(core, sim)
    for left in (4, 3, 2, 1, 0):
        refused = core.verify(otp["id"], wrong_code(call["code"]))
        refused.expect(422, "code_mismatch")
        assert refused.error["attempts_left"] == left
    core.verify(otp["id"], call["code"]).expect(409, "attempts_exhausted")


def test_one_active_code_over_all_channels(sim, core, ready_phone):
    recipient = fresh_number()
    otp, call = UCALLER.send(core, sim, recipient)
    for channel in ("flash_call", "sms"):
        refused = core.create_otp(recipient, channel=channel)
        refused.expect(409, "active_challenge_exists")
        assert refused.error["challenge_id"] == otp["id"]
    core.create_challenge(recipient).expect(409, "active_challenge_exists")
    UCALLER.confirm(core, sim, otp, call["code"])
    core.create_otp(recipient).expect(201)


def test_three_codes_in_ten_minutes_over_all_channels(sim, core, ready_phone):
    recipient = fresh_number()
    for _ in range(2):
        otp, _ = UCALLER.send(core, sim, recipient)
        core.cancel_otp(otp["id"]).expect(204)
    core.cancel_otp(core.create_otp(recipient).expect(201)["id"]).expect(204)
    core.create_otp(recipient, channel="flash_call").expect(429, "rate_limited")


# --- while the call is under way


def test_code_is_verified_before_the_provider_has_answered(sim, core):
    UCALLER.order(sim, "slow", wait_ms=700)
    otp, call = UCALLER.send(core, sim)
    assert core.verify(otp["id"], call["code"]).expect(200)["state"] == "confirmed"
    core.wait_for_send(otp, "accepted", "sent", "delivered", "unknown")
    assert core.otp(otp["id"]).expect(200)["state"] == "confirmed"
    sim.expect_quiet()


def test_code_is_canceled_before_the_provider_has_answered(sim, core):
    UCALLER.order(sim, "slow", wait_ms=700)
    otp, call = UCALLER.send(core, sim)
    core.cancel_otp(otp["id"]).expect(204)
    core.verify(otp["id"], call["code"]).expect(409, "challenge_canceled")
    core.create_otp(otp["recipient"], channel="flash_call").expect(201)
    UCALLER.take(sim, otp)
    assert core.otp(otp["id"]).expect(200)["state"] == "canceled"
    sim.expect_quiet()


def test_canceled_code_is_not_tried_again(sim, core, clock):
    UCALLER.order(sim, "500", count=None)
    otp, _ = UCALLER.send(core, sim)
    core.cancel_otp(otp["id"]).expect(204)
    sim.expect_quiet(clock)
    assert core.otp(otp["id"]).expect(200)["state"] == "canceled"


def test_expired_code_is_not_tried_again(sim, core, clock):
    UCALLER.warm_up(core, sim)
    UCALLER.order(sim, "500", count=None)
    otp, _ = UCALLER.send(core, sim, ttl_seconds=60)
    clock.advance(61)
    sim.expect_quiet(clock)
    assert core.otp(otp["id"]).expect(200)["state"] == "expired"


# --- undelivered


def test_undelivered_code_can_still_be_verified(sim, core):
    UCALLER.order(sim, "9")
    otp, call = UCALLER.send(core, sim)
    expect_undelivered(core, otp)
    refused = core.verify(otp["id"], wrong_code(call["code"]))
    refused.expect(422, "code_mismatch")
    assert core.otp(otp["id"]).expect(200)["state"] == "undelivered"
    UCALLER.confirm(core, sim, otp, call["code"])


def test_undelivered_code_can_still_fall_back(sim, core, ready_phone):
    UCALLER.order(sim, "3")
    otp, call = UCALLER.send(core, sim)
    expect_undelivered(core, otp)
    core.fall_back(otp["id"]).expect(204)
    task = ready_phone.claim_task()
    assert read_code(task, 4) == call["code"]
    ready_phone.result(task, "sent").expect(204)
    read = core.otp(otp["id"]).expect(200)
    assert [row["state"] for row in read["sends"]] == ["failed", "sent"]
    UCALLER.confirm(core, sim, otp, call["code"])


def test_undelivered_code_counts_among_three(sim, core):
    recipient = fresh_number()
    for _ in range(3):
        UCALLER.order(sim, "20")
        otp, _ = UCALLER.send(core, sim, recipient)
        expect_undelivered(core, otp)
    core.create_otp(recipient, channel="flash_call").expect(429, "rate_limited")


# --- the table of answers


@pytest.mark.parametrize("what", ["3", "9", "20", "unreachable_recipient"])
def test_recipient_that_cannot_be_called(sim, core, clock, what):
    expect_permanent(core, sim, clock, UCALLER, what)


def test_call_that_was_not_connected(sim, core, clock):
    sim.outcome("undelivered", after_ms=1)
    otp, call = UCALLER.send(core, sim)
    core.wait_for_send(otp, "accepted", "failed")
    clock.advance(10)
    expect_undelivered(core, otp)
    sim.expect_quiet(clock)
    assert call["had_effect"]
    sim.outcome("delivered")
    expect_recipient_is_free(core, sim, UCALLER, otp)


def test_status_without_its_field_says_nothing(sim, core, clock):
    UCALLER.order(sim, "silent")
    otp, call = UCALLER.send(core, sim)
    core.wait_for_send(otp, "accepted")
    sim.expect_quiet(clock)
    assert core.otp(otp["id"]).expect(200)["state"] == "accepted"
    UCALLER.confirm(core, sim, otp, call["code"])


@pytest.mark.parametrize("what", [
    "0", "1", "2", "4", "401", "1001", "1002", "1003", "1004", "1005",
])
def test_credentials_or_balance_open_the_circuit(site, sim, core, what):
    expect_open_circuit(site, core, sim, UCALLER, what)


def test_limit_is_waited_for_as_told(sim, core):
    expect_rate_limited(core, sim, UCALLER, "429", retry_after_s=2)


@pytest.mark.parametrize("what", ["18", "19"])
def test_limit_without_a_time(sim, core, clock, what):
    expect_rate_limited_without_a_word(core, sim, clock, UCALLER, what)


@pytest.mark.parametrize("what, order", [
    ("500", {}), ("500", {"taken": True}),
    ("server_error", {}), ("server_error", {"http_status": 503}), ("server_error", {"taken": True}),
    ("cut_after", {}), ("cut_within", {}),
    ("slow", {"wait_ms": 3300}),
], ids=str)
def test_what_may_be_lost_is_repeated_and_rings_once(sim, core, clock, what, order):
    expect_repeated(core, sim, clock, UCALLER, what, **order)


@pytest.mark.parametrize("shape", ["html", "truncated", "huge", "empty", "other_json"])
def test_unreadable_answer_rings_once(sim, core, clock, shape):
    expect_one_ring(core, sim, clock, UCALLER, "nonsense", shape=shape)


def test_call_that_was_cut_before_it_was_taken(sim, core, clock):
    UCALLER.warm_up(core, sim)
    sim.behave("cut_before", provider="ucaller", count=1)
    otp = UCALLER.create(core)
    call, = take_repeats(sim, clock, UCALLER, otp, 1)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    UCALLER.confirm(core, sim, otp, call["code"])


def test_provider_that_is_away_for_a_moment(sim, core):
    UCALLER.warm_up(core, sim)
    sim.told("down", for_ms=700)
    otp = UCALLER.create(core)
    call = UCALLER.take(sim, otp)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    UCALLER.confirm(core, sim, otp, call["code"])


def test_failed_question_does_not_undo_what_is_known(sim, core, clock):
    sim.outcome("pending")
    sim.behave("500", provider="ucaller", method="getInfo", count=1)
    otp, call = UCALLER.send(core, sim)
    core.wait_for_send(otp, "accepted")
    assert take_question(sim, clock)
    assert core.otp(otp["id"]).expect(200)["state"] == "accepted"
    UCALLER.confirm(core, sim, otp, call["code"])


def take_question(sim, clock):
    clock.advance(10)
    return sim.take("ucaller", "getInfo")
