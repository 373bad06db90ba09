"""SMS tasks for phones: claims, leases, results, repeats (contract section 2, rule 7)."""

import pytest

from harness.actors import read_code
from harness.shapes import SMS_JOB, check_shape, seconds_between
from harness.timelines import steps_of
from harness.tools import Moment, eventually, fresh_key, fresh_number, fresh_numbers, masked

NEVER = Moment(0.3)


def state_of(core, otp):
    return core.otp(otp["id"]).expect(200)["state"]


# --- claims


def test_empty_claim(phone):
    assert phone.claim().expect(200) == {"task": None}


def test_claim_gives_the_task_with_a_lease_of_90_seconds(core, ready_phone):
    recipient = fresh_number()
    otp = core.create_otp(recipient).expect(201)
    task = check_shape(ready_phone.claim().expect(200)["task"], SMS_JOB)
    assert task["gateway_number"] == ready_phone.number
    assert task["recipient"] == recipient
    assert task["attempt"] == 1
    assert 88 <= seconds_between(otp["created_at"], task["lease_expires_at"]) <= 100


def test_same_phone_gets_the_same_task_with_the_same_lease(core, ready_phone):
    core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    for _ in range(3):
        assert ready_phone.claim().expect(200)["task"] == task


def test_one_task_at_a_time_in_order(core, ready_phone):
    made = [core.create_otp(row).expect(201) for row in fresh_numbers(3)]
    for otp in made:
        task = ready_phone.claim_task()
        assert task["recipient"] == otp["recipient"]
        ready_phone.result(task, "sent").expect(204)
    assert ready_phone.claim().expect(200)["task"] is None


def test_each_number_has_its_own_task(core, new_phone):
    phone = new_phone(2)
    phone.be_ready()
    wanted = {number: fresh_number() for number in phone.numbers}
    for number, recipient in wanted.items():
        core.create_otp(recipient, gateway_number=number).expect(201)
    for number, recipient in wanted.items():
        task = phone.claim_task(number)
        assert (task["gateway_number"], task["recipient"]) == (number, recipient)


def test_other_phones_do_not_get_the_task(core, new_phone):
    phone, neighbour = new_phone(), new_phone()
    phone.be_ready()
    neighbour.be_ready()
    core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    assert neighbour.claim_task(within=NEVER) is None
    assert phone.claim_task() is not None
    assert neighbour.claim_task(within=NEVER) is None


def test_claim_for_a_number_of_another_is_403(core, new_phone):
    phone, thief = new_phone(), new_phone()
    phone.be_ready()
    core.create_otp(fresh_number()).expect(201)
    thief.claim(phone.number).expect(403, "number_not_owned")
    thief.claim(fresh_number()).expect(403, "number_not_owned")
    assert core.device(phone.device_id)["numbers"][0]["sim_ready"] is True


def test_claim_that_withdraws_readiness_never_returns_a_task(core, ready_phone):
    core.create_otp(fresh_number()).expect(201)
    assert ready_phone.claim(sim_ready=False).expect(200) == {"task": None}
    assert ready_phone.claim(sim_ready=True).expect(200)["task"] is not None


@pytest.mark.parametrize("body", [
    {}, {"gateway_number": None}, {"gateway_number": "8916"}, {"gateway_number": 7},
    {"sim_ready": True},
])
def test_faulty_claim_is_422(phone, body):
    reply = phone.post("/device/v1/sms/claim", body)
    reply.expect(422, "validation_error")
    assert reply.fault_paths == ["gateway_number"]


@pytest.mark.parametrize("sim_ready", ["true", 1, []])
def test_readiness_is_a_boolean(phone, sim_ready):
    reply = phone.claim(sim_ready=sim_ready)
    reply.expect(422, "validation_error")
    assert reply.fault_paths == ["sim_ready"]


# --- results


@pytest.mark.parametrize("status", ["sent", "delivered"])
def test_result_may_leave_out_the_lease_and_come_twice(core, ready_phone, status):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    for has_lease in (False, True, False):
        assert ready_phone.result(task, status, has_lease).expect(204) is None
    read = core.otp(otp["id"]).expect(200)
    assert (read["state"], read["sends"][0]["state"]) == (status, status)
    assert len(read["sends"]) == 1


def test_sent_then_delivered_is_no_contradiction(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, "sent").expect(204)
    ready_phone.result(task, "delivered").expect(204)
    ready_phone.result(task, "delivered").expect(204)
    assert state_of(core, otp) == "delivered"


@pytest.mark.parametrize("first, second", [
    ("sent", "failed"), ("delivered", "failed"), ("failed", "sent"), ("failed", "delivered"),
])
def test_contradicting_result_is_409(core, ready_phone, first, second):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, first, permanent=True).expect(204)
    before = core.otp(otp["id"]).expect(200)
    ready_phone.result(task, second, permanent=True).expect(409, "result_conflict")
    assert core.otp(otp["id"]).expect(200) == before


def test_result_of_another_phone_is_refused(core, new_phone):
    phone, thief = new_phone(), new_phone()
    phone.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    task = phone.claim_task()
    for has_lease in (True, False):
        reply = thief.result(task, "sent", has_lease)
        assert reply.status in (403, 404, 409), reply
    assert core.otp(otp["id"]).expect(200)["sends"][0]["state"] == "claimed"
    phone.result(task, "sent").expect(204)


def test_result_with_a_lease_that_never_was_is_409(core, ready_phone):
    core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    stranger = {**task, "lease_id": "01900000-0000-7000-8000-000000000000"}
    ready_phone.result(stranger, "sent").expect(409, "lease_lost")
    ready_phone.result(task, "sent").expect(204)


@pytest.mark.parametrize("fields, path", [
    ({}, "status"), ({"status": "done"}, "status"), ({"status": None}, "status"),
    ({"status": "sent", "lease_id": 5}, "lease_id"),
    ({"status": "failed", "error": "x" * 501}, "error"),
    ({"status": "failed", "error": "\u044f" * 501}, "error"),
    ({"status": "failed", "permanent": "yes"}, "permanent"),
], ids=lambda value: repr(value)[:40])
def test_faulty_result_is_422(core, ready_phone, fields, path):
    core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    reply = ready_phone.post(f"/device/v1/sms/{task['id']}/result", fields)
    reply.expect(422, "validation_error")
    assert reply.fault_paths == [path]
    ready_phone.result(task, "sent").expect(204)


@pytest.mark.parametrize("error", ["no credit", "x" * 500, "\u044f" * 500])
def test_error_of_the_phone_is_shown(core, ready_phone, error):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, "failed", error=error, permanent=True).expect(204)
    send = core.otp(otp["id"]).expect(200)["sends"][0]
    assert (send["state"], send["error"]) == ("failed", error)


# --- repeats


def test_permanent_failure_is_not_tried_again(core, new_phone):
    phone = new_phone(2)
    phone.be_ready()
    recipient = fresh_number()
    otp = core.create_otp(recipient, gateway_number=phone.numbers[0]).expect(201)
    task = phone.claim_task(phone.numbers[0])
    phone.result(task, "failed", error="number is barred", permanent=True).expect(204)
    assert state_of(core, otp) == "undelivered"
    for number in phone.numbers:
        assert phone.claim_task(number, within=NEVER) is None
    assert len(core.otp(otp["id"]).expect(200)["sends"]) == 1


def test_failure_is_tried_again_by_another_ready_number(core, new_phone):
    phone, other = new_phone(), new_phone()
    phone.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    other.be_ready()
    task = phone.claim_task()
    phone.result(task, "failed", error="no network").expect(204)

    again = other.claim_task()
    assert again["gateway_number"] == other.number
    assert (again["recipient"], again["text"]) == (task["recipient"], task["text"])
    assert again["attempt"] == 2
    other.result(again, "sent").expect(204)
    sends = core.otp(otp["id"]).expect(200)["sends"]
    assert [(row["gateway_number"], row["state"]) for row in sends] == [
        (phone.number, "failed"), (other.number, "sent")]
    assert sends[0]["error"] == "no network"
    told = [(masked(phone.number), masked(other.number), "send_failed")]
    assert eventually(lambda: core.changes_of_sim(otp["id"]) == told)
    assert core.verify(otp["id"], read_code(again)).expect(200)["state"] == "confirmed"
    assert phone.claim_task(within=NEVER) is None


def test_at_most_3_sends_in_all(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    texts = []
    for attempt in (1, 2, 3):
        task = ready_phone.claim_task()
        assert task["attempt"] == attempt
        texts.append(task["text"])
        ready_phone.result(task, "failed", error=f"try {attempt}").expect(204)
    assert len(set(texts)) == 1
    assert ready_phone.claim_task(within=NEVER) is None
    read = core.otp(otp["id"]).expect(200)
    assert read["state"] == "undelivered"
    assert [row["error"] for row in read["sends"]] == ["try 1", "try 2", "try 3"]


def test_repeat_of_a_failure_makes_no_second_repeat(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    for _ in range(3):
        ready_phone.result(task, "failed").expect(204)
    assert eventually(lambda: len(core.otp(otp["id"]).expect(200)["sends"]) == 2)
    again = ready_phone.claim_task()
    assert again["attempt"] == 2
    ready_phone.result(again, "sent").expect(204)
    assert ready_phone.claim_task(within=NEVER) is None
    assert state_of(core, otp) == "sent"


# --- undelivered


def test_undelivered_code_leaves_the_recipient_free(core, ready_phone):
    recipient = fresh_number()
    first = core.create_otp(recipient).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, "failed", permanent=True).expect(204)
    assert state_of(core, first) == "undelivered"
    second = core.create_otp(recipient).expect(201)
    assert second["id"] != first["id"]
    assert ready_phone.claim_task()["text"] != task["text"]


def test_undelivered_code_can_be_verified(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, "failed", permanent=True).expect(204)
    assert state_of(core, otp) == "undelivered"
    assert core.verify(otp["id"], read_code(task)).expect(200)["state"] == "confirmed"


def test_failure_of_a_canceled_code_is_not_tried_again(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    core.cancel_otp(otp["id"]).expect(204)
    ready_phone.result(task, "failed").expect(204)
    assert ready_phone.claim_task(within=NEVER) is None
    assert state_of(core, otp) == "canceled"


def test_result_after_the_confirmation_changes_no_state(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    core.verify(otp["id"], read_code(task)).expect(200)
    ready_phone.result(task, "failed", permanent=True).expect(204)
    assert state_of(core, otp) == "confirmed"


# --- a result that nobody knows (contract, section 15.4)


def test_unknown_is_shown_and_not_sent_again(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, "unknown", error="the modem was unplugged").expect(204)
    ready_phone.result(task, "unknown").expect(204)
    (send,) = core.otp(otp["id"]).expect(200)["sends"]
    assert (send["state"], send["error"]) == ("unknown", "the modem was unplugged")
    assert ready_phone.claim_task(within=NEVER) is None
    *_, step = steps_of(core, "otp", otp["id"])
    assert step["step"] == "unknown" and seconds_between(otp["created_at"], step["at"]) < 60


def test_a_code_whose_sms_is_unknown_can_be_verified(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, "unknown").expect(204)
    assert state_of(core, otp) == "queued"
    assert core.verify(otp["id"], read_code(task)).expect(200)["state"] == "confirmed"


@pytest.mark.parametrize("status, shown", [("sent", "sent"), ("delivered", "delivered")])
def test_a_result_behind_unknown_is_taken(core, ready_phone, status, shown):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, "unknown").expect(204)
    ready_phone.result(task, status).expect(204)
    ready_phone.result(task, "unknown").expect(204)
    assert core.otp(otp["id"]).expect(200)["sends"][-1]["state"] == shown
    assert state_of(core, otp) == shown


def test_a_messenger_knows_what_became_of_a_message(core, ready_phone):
    core.connect_accounts(ready_phone, account := f"account-{fresh_number()}")
    core.create_message(channel="personal_messenger", account_id=account, text="Hello",
                        recipient=fresh_number(), key=fresh_key()).expect(202)
    task = ready_phone.claim_message_task(account)
    ready_phone.message_result(task, "unknown").expect(422, "validation_error")
    ready_phone.message_result(task, "delivered").expect(204)
