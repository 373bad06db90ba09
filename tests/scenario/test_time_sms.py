"""What time does to phones: readiness of 60 s, leases of 90 s.

Contract, section 2, rules 1, 7 and 11.
"""

from harness.shapes import parse_time
from harness.tools import Moment, fresh_number

CLOCK = True
NEVER = Moment(0.3)


def state_of(core, otp):
    return core.otp(otp["id"]).expect(200)["state"]


# --- readiness


def test_readiness_ends_after_60_seconds(core, clock, ready_phone):
    clock.advance(58)
    assert core.device(ready_phone.device_id)["numbers"][0]["sim_ready"] is True
    otp = core.create_otp(fresh_number()).expect(201)
    core.cancel_otp(otp["id"]).expect(204)
    clock.advance(3)
    assert core.device(ready_phone.device_id)["numbers"][0]["sim_ready"] is False
    core.create_otp(fresh_number()).expect(503, "no_ready_sim")


def test_each_claim_renews_readiness(core, clock, ready_phone):
    for _ in range(5):
        clock.advance(40)
        ready_phone.be_ready()
    core.create_otp(fresh_number()).expect(201)


def test_sims_fall_asleep_one_by_one(core, clock, new_phone):
    phone = new_phone(2)
    phone.be_ready()
    clock.advance(40)
    phone.be_ready(phone.numbers[1])
    clock.advance(30)
    for _ in range(3):
        otp = core.create_otp(fresh_number()).expect(201)
        assert otp["sends"][0]["gateway_number"] == phone.numbers[1]


def test_task_waits_for_a_phone_that_was_asleep(core, clock, ready_phone):
    otp = core.create_otp(fresh_number(), ttl_seconds=900).expect(201)
    clock.advance(300)
    task = ready_phone.claim_task()
    assert task["recipient"] == otp["recipient"]


# --- leases


def test_lease_that_ends_unanswered_puts_the_task_back(core, clock, ready_phone):
    otp = core.create_otp(fresh_number(), ttl_seconds=900).expect(201)
    first = ready_phone.claim_task()
    clock.advance(88)
    assert ready_phone.claim().expect(200)["task"] == first
    clock.advance(3)
    second = ready_phone.claim_task()
    assert second["id"] == first["id"]
    assert second["text"] == first["text"]
    assert second["lease_id"] != first["lease_id"]
    assert parse_time(second["lease_expires_at"]) > parse_time(first["lease_expires_at"])
    ready_phone.result(second, "sent").expect(204)
    assert state_of(core, otp) == "sent"
    assert ready_phone.claim().expect(200)["task"] is None


def test_result_after_the_lease_is_taken_while_nobody_else_has_one(core, clock, ready_phone):
    otp = core.create_otp(fresh_number(), ttl_seconds=900).expect(201)
    task = ready_phone.claim_task()
    clock.advance(200)
    ready_phone.result(task, "sent").expect(204)
    assert state_of(core, otp) == "sent"
    assert ready_phone.claim_task(within=NEVER) is None


def test_result_with_an_old_lease_is_409_once_another_was_given(core, clock, ready_phone):
    otp = core.create_otp(fresh_number(), ttl_seconds=900).expect(201)
    first = ready_phone.claim_task()
    clock.advance(91)
    second = ready_phone.claim_task()
    ready_phone.result(first, "sent").expect(409, "lease_lost")
    ready_phone.result(first, "failed").expect(409, "lease_lost")
    assert core.otp(otp["id"]).expect(200)["sends"][0]["state"] == "claimed"
    ready_phone.result(second, "sent").expect(204)
    assert state_of(core, otp) == "sent"


# --- never past the expiry


def test_expired_code_is_not_sent(core, clock, ready_phone):
    otp = core.create_otp(fresh_number(), ttl_seconds=60).expect(201)
    clock.advance(61)
    assert ready_phone.claim_task(within=NEVER) is None
    assert state_of(core, otp) == "expired"


def test_failure_after_the_expiry_is_not_tried_again(core, clock, ready_phone):
    otp = core.create_otp(fresh_number(), ttl_seconds=60).expect(201)
    task = ready_phone.claim_task()
    clock.advance(61)
    ready_phone.result(task, "failed").expect(204)
    assert ready_phone.claim_task(within=NEVER) is None
    assert state_of(core, otp) == "expired"


def test_lease_that_ends_after_the_expiry_brings_nothing_back(core, clock, ready_phone):
    core.create_otp(fresh_number(), ttl_seconds=60).expect(201)
    assert ready_phone.claim_task() is not None
    clock.advance(91)
    assert ready_phone.claim_task(within=NEVER) is None


def test_failure_goes_to_no_sleeping_number(core, clock, new_phone):
    phone, asleep = new_phone(), new_phone()
    asleep.be_ready()
    clock.advance(61)
    phone.be_ready()
    otp = core.create_otp(fresh_number(), ttl_seconds=900).expect(201)
    task = phone.claim_task()
    phone.result(task, "failed").expect(204)
    again = phone.claim_task()
    assert (again["attempt"], again["gateway_number"]) == (2, phone.number)
    phone.result(again, "sent").expect(204)
    assert state_of(core, otp) == "sent"
