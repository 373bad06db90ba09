"""SMS tasks of phones that fall silent, are disabled or never report.

Contract, section 2, rules 7, 11.
"""

from harness.actors import read_code
from harness.tools import eventually, fresh_number

CLOCK = True
LEASE_S = 90
SILENCE_S = 61
MOVED_WITHIN_S = 12
NOT_MOVED_FOR_S = 7


def sends_of(core, otp):
    return core.otp(otp["id"]).expect(200)["sends"]


def send_and_verify(core, phone):
    """The number works as ever: the next code is claimed, sent and verified."""
    otp = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    task = phone.claim_task()
    assert task["recipient"] == otp["recipient"]
    phone.result(task, "sent").expect(204)
    core.verify(otp["id"], read_code(task)).expect(200)


# --- silent phones


def test_task_of_a_silent_phone_moves_to_a_ready_one(core, clock, new_phone):
    silent, other = new_phone(), new_phone()
    silent.be_ready()
    otp = core.create_otp(fresh_number(), ttl_seconds=900).expect(201)
    assert sends_of(core, otp)[0]["gateway_number"] == silent.number
    clock.advance(SILENCE_S)

    task = other.claim_task(within=MOVED_WITHIN_S)
    assert task is not None, "the task stayed with a phone that is silent"
    assert (task["recipient"], task["gateway_number"]) == (otp["recipient"], other.number)
    assert task["attempt"] == 1
    other.result(task, "sent").expect(204)
    assert [(row["gateway_number"], row["state"]) for row in sends_of(core, otp)] == [
        (other.number, "sent")]
    assert silent.claim().expect(200) == {"task": None}
    core.verify(otp["id"], read_code(task)).expect(200)


def test_all_tasks_of_a_silent_phone_move(core, clock, new_phone):
    silent, other = new_phone(), new_phone()
    silent.be_ready()
    recipients = [fresh_number() for _ in range(4)]
    for recipient in recipients:
        core.create_otp(recipient, ttl_seconds=900).expect(201)
    clock.advance(SILENCE_S)
    for recipient in recipients:
        task = other.claim_task(within=MOVED_WITHIN_S)
        assert task is not None, f"the task for {recipient} did not move"
        assert task["recipient"] == recipient
        other.result(task, "sent").expect(204)


def test_task_that_was_just_claimed_does_not_move(core, clock, new_phone):
    """The phone may be sending it at this moment, silent or not."""
    holder, other = new_phone(), new_phone()
    holder.be_ready()
    otp = core.create_otp(fresh_number(), ttl_seconds=900).expect(201)
    task = holder.claim_task()
    clock.advance(SILENCE_S)
    other.be_ready()
    assert other.claim_task(within=NOT_MOVED_FOR_S) is None
    assert sends_of(core, otp)[0]["gateway_number"] == holder.number
    holder.result(task, "sent").expect(204)
    assert [row["state"] for row in sends_of(core, otp)] == ["sent"]
    assert other.claim().expect(200) == {"task": None}


def test_waking_phone_and_a_ready_one_do_not_both_get_the_task(core, clock, new_phone):
    silent, other = new_phone(), new_phone()
    for _ in range(3):
        silent.be_ready()
        otp = core.create_otp(fresh_number(), gateway_number=silent.number).expect(201)
        clock.advance(SILENCE_S)
        task = other.claim().expect(200)["task"]
        tasks = [task] if task else []  # it may have moved at this moment

        def both_asked():
            tasks.extend(filter(None, (
                phone.claim().expect(200)["task"] for phone in (other, silent))))
            return tasks

        assert tasks or eventually(both_asked, seconds=MOVED_WITHIN_S)
        assert len({task["lease_id"] for task in tasks}) == 1
        assert tasks[0]["recipient"] == otp["recipient"]
        holder = other if tasks[0]["gateway_number"] == other.number else silent
        holder.result(tasks[0], "sent").expect(204)


# --- disabled phones


def test_claimed_task_of_a_disabled_phone_goes_to_the_next_that_is_ready(core, new_phone):
    disabled, late = new_phone(), new_phone()
    disabled.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    held = disabled.claim_task()
    core.enable(disabled.device_id, False).expect(204)
    assert sends_of(core, otp)[0]["state"] == "queued"

    task = late.claim_task(within=MOVED_WITHIN_S)
    assert task is not None, "the task stayed with a phone that is disabled"
    assert (task["id"], task["text"]) == (held["id"], held["text"])
    assert task["lease_id"] != held["lease_id"]
    assert task["gateway_number"] == late.number

    for status in ("sent", "failed"):
        disabled.result(held, status).expect(409, "lease_lost")
    assert sends_of(core, otp)[0]["state"] == "claimed"
    late.result(task, "sent").expect(204)
    disabled.result(held, "sent").expect(409, "lease_lost")
    assert [row["state"] for row in sends_of(core, otp)] == ["sent"]
    core.verify(otp["id"], read_code(task)).expect(200)


def test_claimed_task_of_a_disabled_phone_moves_to_a_ready_one(core, new_phone):
    disabled, other = new_phone(), new_phone()
    disabled.be_ready()
    core.create_otp(fresh_number()).expect(201)
    other.be_ready()
    held = disabled.claim_task()
    core.enable(disabled.device_id, False).expect(204)
    task = other.claim_task(within=MOVED_WITHIN_S)
    assert (task["id"], task["gateway_number"]) == (held["id"], other.number)
    disabled.result(held, "sent").expect(409, "lease_lost")
    other.result(task, "sent").expect(204)


def test_disabled_phone_that_sent_its_task_before_is_heard(core, new_phone):
    """Nobody else was given a lease: the report of what went out counts."""
    phone = new_phone()
    phone.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    task = phone.claim_task()
    core.enable(phone.device_id, False).expect(204)
    phone.result(task, "sent").expect(204)
    assert [row["state"] for row in sends_of(core, otp)] == ["sent"]


# --- a confirmed code whose phone never reports


def test_send_that_is_never_reported_is_unknown_after_the_lease(core, clock, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    core.verify(otp["id"], read_code(task)).expect(200)
    assert sends_of(core, otp)[0]["state"] == "claimed"
    assert ready_phone.claim().expect(200)["task"] is None
    clock.advance(LEASE_S + 1)
    assert sends_of(core, otp)[0]["state"] == "unknown"

    ready_phone.be_ready()
    send_and_verify(core, ready_phone)
    assert sends_of(core, otp)[0]["state"] == "unknown"
    assert core.otp(otp["id"]).expect(200)["state"] == "confirmed"


def test_next_claim_works_during_the_lease_of_a_confirmed_code(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    core.verify(otp["id"], read_code(task)).expect(200)
    send_and_verify(core, ready_phone)
    ready_phone.result(task, "sent").expect(204)
    assert sends_of(core, otp)[0]["state"] == "sent"


def test_late_report_on_an_unknown_send_is_taken(core, clock, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    core.verify(otp["id"], read_code(task)).expect(200)
    clock.advance(LEASE_S + 1)
    assert sends_of(core, otp)[0]["state"] == "unknown"
    ready_phone.result(task, "sent").expect(204)
    assert sends_of(core, otp)[0]["state"] == "sent"
    assert core.otp(otp["id"]).expect(200)["state"] == "confirmed"
