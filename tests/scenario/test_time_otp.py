"""What time does to challenges and codes: deadlines and sliding windows.

Contract, section 2, rules 2 to 6.

The server's wall clock is moved, so nobody waits. Clock slack of a second is left on either side.
"""

from datetime import timedelta

import pytest

from harness.actors import read_code, wrong_code
from harness.shapes import OTP, check_shape, format_time
from harness.tools import fresh_key, fresh_number

CLOCK = True
DAY_S = 24 * 3600


def send_code(core, phone, recipient, **fields):
    """Creates an OTP as the only ready phone's next task; returns it and its code."""
    phone.claim().expect(200)
    otp = core.create_otp(recipient, gateway_number=phone.number, **fields).expect(201)
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    return otp, read_code(task)


# --- deadlines


def test_challenge_expires_by_the_clock(core, clock, phone):
    caller = fresh_number()
    challenge = core.create_challenge(caller, ttl_seconds=30).expect(201)
    clock.advance(28)
    assert core.challenge(challenge["id"]).expect(200)["state"] == "pending"
    core.create_challenge(caller).expect(409, "active_challenge_exists")
    clock.advance(3)
    assert core.challenge(challenge["id"]).expect(200)["state"] == "expired"
    second = core.create_challenge(caller).expect(201)
    assert core.challenge(second["id"]).expect(200)["state"] == "pending"


def test_call_within_the_deadline_that_arrives_after_it_is_late(core, clock, phone):
    caller, event_id = fresh_number(), fresh_key()
    challenge = core.create_challenge(caller, ttl_seconds=30).expect(201)
    rang_at = format_time(clock.now())
    clock.advance(31)
    answer = phone.event(caller, occurred_at=rang_at, event_id=event_id).expect(200)
    assert answer["result"] == "late"
    assert core.challenge(challenge["id"]).expect(200)["state"] == "expired"
    again = phone.event(caller, occurred_at=rang_at, event_id=event_id).expect(200)
    assert (again["result"], again["duplicate"]) == ("late", True)


def test_call_of_an_earlier_challenge_does_not_confirm_a_later_one(core, clock, phone):
    caller = fresh_number()
    core.create_challenge(caller, ttl_seconds=30).expect(201)
    rang_at = format_time(clock.now())
    clock.advance(40)
    challenge = core.create_challenge(caller).expect(201)
    assert phone.event(caller, occurred_at=rang_at).expect(200)["result"] == "late"
    assert core.challenge(challenge["id"]).expect(200)["state"] == "pending"
    answer = phone.event(caller, occurred_at=format_time(clock.now())).expect(200)
    assert (answer["result"], answer["challenge_id"]) == ("confirmed", challenge["id"])


def test_report_that_waited_confirms_no_later_challenge(core, clock, phone):
    """The phone stored its request, and sends it again as it was: sent_at is of the first try."""
    caller = fresh_number()
    core.create_challenge(caller, ttl_seconds=30).expect(201)
    rang_at = format_time(clock.now())
    clock.advance(1200)
    challenge = core.create_challenge(caller).expect(201)
    stored = {"occurred_at": rang_at, "sent_at": rang_at}
    assert phone.event(caller, **stored).expect(200)["result"] == "late"
    assert core.challenge(challenge["id"]).expect(200)["state"] == "pending"
    now = format_time(clock.now())
    assert phone.event(caller, occurred_at=now, sent_at=now).expect(200)["result"] == "confirmed"


@pytest.mark.parametrize("behind_s", [0, 600, 3400, -600, -3500])
@pytest.mark.parametrize("is_told", [True, False])
def test_call_that_counted_counts_once_however_late_it_is_reported_again(core, clock, phone,
                                                                         behind_s, is_told):
    def by_phone(shift_s=0):
        return format_time(clock.now() + timedelta(seconds=shift_s - behind_s))

    caller = fresh_number()
    core.create_challenge(caller, ttl_seconds=900).expect(201)
    rang_at = by_phone()
    told = {"sent_at": rang_at} if is_told or behind_s else {}
    assert phone.event(caller, occurred_at=rang_at, **told).expect(200)["result"] == "confirmed"

    clock.advance(75)
    second = core.create_challenge(caller, gateway_number=phone.number).expect(201)
    for sent_at in (rang_at, by_phone(-30), by_phone()):
        answer = phone.event(caller, occurred_at=rang_at, sent_at=sent_at).expect(200)
        assert (answer["result"], answer["challenge_id"]) == ("no_challenge", None)
    assert core.challenge(second["id"]).expect(200)["state"] == "pending"
    another = phone.event(caller, occurred_at=by_phone(), sent_at=by_phone()).expect(200)
    assert (another["result"], another["challenge_id"]) == ("confirmed", second["id"])


def test_expired_challenge_is_not_counted(core, clock, phone):
    here = phone.number
    core.create_challenge(fresh_number(), gateway_number=here, ttl_seconds=30).expect(201)
    core.create_challenge(fresh_number(), gateway_number=here, ttl_seconds=900).expect(201)
    assert core.device(phone.device_id)["numbers"][0]["active_challenges"] == 2
    clock.advance(31)
    assert core.device(phone.device_id)["numbers"][0]["active_challenges"] == 1


def test_code_expires_by_the_clock(core, clock, phone):
    recipient = fresh_number()
    otp, code = send_code(core, phone, recipient, ttl_seconds=60)
    clock.advance(61)
    read = check_shape(core.otp(otp["id"]).expect(200), OTP)
    assert read["state"] == "expired"
    core.verify(otp["id"], code).expect(409, "challenge_expired")
    core.verify(otp["id"], wrong_code(code)).expect(409, "challenge_expired")
    assert core.otp(otp["id"]).expect(200)["attempts_left"] == 5
    core.create_challenge(recipient).expect(201)


def test_code_holds_until_its_end(core, clock, phone):
    otp, code = send_code(core, phone, fresh_number(), ttl_seconds=900)
    clock.advance(897)
    assert core.verify(otp["id"], code).expect(200)["state"] == "confirmed"
    clock.advance(60)
    assert core.otp(otp["id"]).expect(200)["state"] == "confirmed"
    core.verify(otp["id"], code).expect(409, "already_confirmed")


def test_final_states_stay_after_the_end(core, clock, phone):
    canceled, _ = send_code(core, phone, fresh_number(), ttl_seconds=60)
    exhausted, code = send_code(core, phone, fresh_number(), ttl_seconds=60)
    core.cancel_otp(canceled["id"]).expect(204)
    for _ in range(5):
        core.verify(exhausted["id"], wrong_code(code)).expect(422)
    clock.advance(61)
    assert core.otp(canceled["id"]).expect(200)["state"] == "canceled"
    assert core.otp(exhausted["id"]).expect(200)["state"] == "exhausted"


def test_undelivered_code_expires_too(core, clock, ready_phone):
    otp = core.create_otp(fresh_number(), ttl_seconds=60).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, "failed", permanent=True).expect(204)
    clock.advance(61)
    assert core.otp(otp["id"]).expect(200)["state"] == "expired"
    core.verify(otp["id"], read_code(task)).expect(409, "challenge_expired")


def test_repeat_after_the_end_shows_the_expired_challenge(core, clock, phone):
    caller, key = fresh_number(), fresh_key()
    core.create_challenge(caller, key, ttl_seconds=30).expect(201)
    clock.advance(31)
    repeat = core.create_challenge(caller, key, ttl_seconds=30)
    assert repeat.expect(201)["state"] == "expired"
    assert repeat.replayed


# --- rule 3: three codes in a sliding ten minutes


def test_retry_after_is_the_true_wait(core, clock, phone):
    recipient = fresh_number()
    for pause in (200, 100, 50):
        otp, _ = send_code(core, phone, recipient)
        core.cancel_otp(otp["id"]).expect(204)
        clock.advance(pause)
    phone.be_ready()
    refused = core.create_otp(recipient)
    refused.expect(429, "rate_limited")
    assert 245 <= refused.retry_after <= 250

    clock.advance(refused.retry_after - 2)
    core.create_otp(recipient).expect(429, "rate_limited")
    clock.advance(3)
    otp, _ = send_code(core, phone, recipient)
    core.cancel_otp(otp["id"]).expect(204)

    refused = core.create_otp(recipient)
    refused.expect(429, "rate_limited")
    assert 190 <= refused.retry_after <= 200


def test_waiting_as_told_is_enough(core, clock, phone):
    recipient = fresh_number()
    for _ in range(3):
        otp, _ = send_code(core, phone, recipient)
        core.cancel_otp(otp["id"]).expect(204)
    refused = core.create_otp(recipient)
    refused.expect(429)
    clock.advance(refused.retry_after)
    send_code(core, phone, recipient)


# --- rule 4: fifty wrong codes in a day


def spend_attempts(core, clock, phone, recipient, wrong):
    """One OTP with that many wrong guesses, canceled where it is not exhausted by them."""
    otp, code = send_code(core, phone, recipient)
    for _ in range(wrong):
        core.verify(otp["id"], wrong_code(code)).expect(422, "code_mismatch")
    if wrong < 5:
        core.cancel_otp(otp["id"]).expect(204)
    clock.advance(201)


def test_fifty_wrong_codes_in_a_day_stop_a_recipient(core, clock, phone):
    recipient = fresh_number()
    for _ in range(9):
        spend_attempts(core, clock, phone, recipient, 5)
    spend_attempts(core, clock, phone, recipient, 4)

    otp, code = send_code(core, phone, recipient)
    core.verify(otp["id"], wrong_code(code)).expect(422, "code_mismatch")
    refused = core.verify(otp["id"], code)
    refused.expect(429, "rate_limited")
    assert DAY_S - 11 * 201 - 30 <= refused.retry_after <= DAY_S
    assert core.otp(otp["id"]).expect(200)["state"] != "confirmed"

    core.cancel_otp(otp["id"]).expect(204)
    clock.advance(601)
    phone.be_ready()
    core.create_otp(recipient).expect(429, "rate_limited")
    send_code(core, phone, fresh_number())

    clock.advance(DAY_S)
    otp, code = send_code(core, phone, recipient)
    assert core.verify(otp["id"], code).expect(200)["state"] == "confirmed"


def test_49_wrong_codes_leave_the_recipient_free(core, clock, phone):
    recipient = fresh_number()
    for _ in range(9):
        spend_attempts(core, clock, phone, recipient, 5)
    spend_attempts(core, clock, phone, recipient, 4)
    otp, code = send_code(core, phone, recipient)
    assert core.verify(otp["id"], code).expect(200)["state"] == "confirmed"
