"""Personal messenger: accounts of phones, claims, leases, results, for messages and for codes.

Contract, section 2, rules 7, 9 and 11; doc A, section 4 "Messages".
"""

import random
import string

import pytest

from harness.actors import read_code, wrong_code
from harness.shapes import ACCOUNT_ROW, DEVICE, MESSAGE, OTP, check_shape, parse_time
from harness.tools import Moment, at_once, fresh_key, fresh_number

CLOCK = True
NEVER = Moment(0.3)
MISSING_ID = "01900000-0000-7000-8000-000000000000"


@pytest.fixture
def account_id():
    return f"account-{fresh_key()[:12]}"


@pytest.fixture
def connected(core, phone, account_id):
    """A phone whose messenger account is bound to it and connected."""
    core.connect_accounts(phone, account_id)
    return phone


def write(core, account_id, recipient=None, text="Hello"):
    """A message that waits for the phone."""
    message = core.create_message(
        channel="personal_messenger", account_id=account_id,
        recipient=recipient or fresh_number(), text=text).expect(202)
    return check_shape(message, MESSAGE)


def send_code(core, account_id, recipient=None, **fields):
    recipient = recipient or fresh_number()
    return core.create_otp(
        recipient, channel="personal_messenger", account_id=account_id, **fields).expect(201)


def rows_of(core, phone):
    return {row["account_id"]: check_shape(row, ACCOUNT_ROW)
            for row in core.device(phone.device_id)["accounts"]}


# --- accounts


def test_declared_accounts_are_shown(core, clock, phone, account_id):
    states = ["linked", "connected", "disconnected", "banned"]
    names = [f"{account_id}-{state}" for state in states]
    bound = check_shape(core.bind_accounts(phone.device_id, *names).expect(200), DEVICE)
    assert [(row["account_id"], row["state"], row["state_until"]) for row in bound["accounts"]] == [
        (name, "disconnected", None) for name in sorted(names)]
    phone.declare(*zip(names, states)).expect(204)
    rows = rows_of(core, phone)
    assert [rows[name]["state"] for name in names] == states
    assert all(rows[name]["messenger"] == "telegram" for name in names)
    until = parse_time(rows[names[1]]["state_until"])
    assert 50 <= (until - clock.now()).total_seconds() <= 61


def test_next_declaration_counts(core, phone, account_id):
    core.connect_accounts(phone, account_id)
    phone.declare((account_id, "banned")).expect(204)
    assert rows_of(core, phone)[account_id]["state"] == "banned"
    phone.be_connected(account_id)
    assert rows_of(core, phone)[account_id]["state"] == "connected"
    phone.declare().expect(204)


def test_word_of_a_phone_is_good_for_60_seconds(core, clock, connected, account_id):
    clock.advance(58)
    write(core, account_id)
    clock.advance(3)
    body = {"channel": "personal_messenger", "account_id": account_id, "text": "x"}
    core.create_message(recipient=fresh_number(), **body).expect(503, "channel_unavailable")
    connected.be_connected(account_id)
    write(core, account_id)


def test_declaring_again_and_again_keeps_it_connected(core, clock, connected, account_id):
    for _ in range(4):
        clock.advance(40)
        connected.be_connected(account_id)
    write(core, account_id)


def test_account_belongs_to_one_phone(core, connected, new_phone, account_id):
    other = new_phone()
    other.declare((account_id, "connected")).expect(204)
    other.claim_message(account_id).expect(403, "number_not_owned")
    assert account_id not in rows_of(core, other)
    message = write(core, account_id)
    task = connected.claim_message_task(account_id)
    other.message_result(task, "sent").expect(403, "number_not_owned")
    assert core.message(message["id"]).expect(200)["state"] == "accepted"
    connected.message_result(task, "sent").expect(204)


# --- whose it is: the operator says (contract, section 2, rule 9)


def left_out_of(core, phone):
    return check_shape(core.device(phone.device_id), DEVICE)["accounts_left_out"]


def test_no_silence_moves_an_account(core, clock, connected, new_phone, account_id):
    """Whoever declares an account whose phone is silent gets nothing of it."""
    thief, own_id = new_phone(), f"{account_id}-thief"
    core.bind_accounts(thief.device_id, own_id).expect(200)
    write(core, account_id)
    for wait in (61, 31 * 24 * 3600):
        clock.advance(wait)
        thief.declare((account_id, "connected"), (own_id, "connected")).expect(204)
        thief.claim_message(account_id).expect(403, "number_not_owned")
        assert rows_of(core, thief)[own_id]["state"] == "connected"  # the rest stands
        assert left_out_of(core, thief) == [account_id]
        assert thief.ping().expect(200)["device"]["accounts_left_out"] == [account_id]
        assert rows_of(core, connected)[account_id]["state"] == "disconnected"
        core.create_otp(fresh_number(), channel="personal_messenger", account_id=account_id).expect(
            503, "channel_unavailable")
    connected.be_connected(account_id)
    otp = send_code(core, account_id)
    thief.claim_message(account_id).expect(403, "number_not_owned")
    task = connected.claim_message_task(account_id)
    assert core.verify(otp["id"], read_code(task)).expect(200)["state"] == "confirmed"


def test_account_that_is_bound_to_nobody_is_not_used(core, phone, new_phone, account_id):
    """An id that somebody else squats does not keep its owner from anything."""
    squatter = new_phone()
    for one in (squatter, phone):
        one.be_connected(account_id)
        row = rows_of(core, one)[account_id]
        assert (row["state"], row["state_until"]) == ("unbound", None)
        one.claim_message(account_id).expect(403, "number_not_owned")
    person = {"account_id": account_id, "recipient": fresh_number()}
    core.create_message(channel="personal_messenger", text="x", **person).expect(404, "not_found")
    core.connect_accounts(phone, account_id)
    write(core, account_id)
    assert account_id not in rows_of(core, squatter)
    assert left_out_of(core, squatter) == [account_id]


def test_operator_moves_an_account(core, connected, new_phone, account_id):
    other = new_phone()
    refused = core.bind_accounts(other.device_id, account_id)
    refused.expect(409, "number_taken")
    assert refused.error["account_id"] == account_id
    message = write(core, account_id)
    core.bind_accounts(connected.device_id).expect(200)
    connected.claim_message(account_id).expect(403, "number_not_owned")
    core.connect_accounts(other, account_id)
    core.bind_accounts(other.device_id, account_id).expect(200)  # a repeat
    assert rows_of(core, other)[account_id]["state"] == "connected"
    other.message_result(other.claim_message_task(account_id), "sent").expect(204)
    assert core.message(message["id"]).expect(200)["state"] == "sent"


def test_phone_is_registered_with_its_accounts(core, account_id):
    numbers = [fresh_number(), fresh_number()]
    made = core.register("shop", numbers[:1], accounts=[account_id]).expect(201)
    assert [row["account_id"] for row in made["device"]["accounts"]] == [account_id]
    refused = core.register("shop", numbers[1:], accounts=[account_id])
    refused.expect(409, "number_taken")
    assert refused.error["account_id"] == account_id
    core.register("shop", numbers[1:]).expect(201)  # nothing of the refused one was kept
    core.enable(made["device_id"], False).expect(204)


@pytest.mark.parametrize("body, path", [
    ({}, "accounts"), ({"accounts": None}, "accounts"), ({"accounts": [""]}, "accounts[0]"),
    ({"accounts": ["a" * 129]}, "accounts[0]"), ({"accounts": [7]}, "accounts[0]"),
    ({"accounts": [], "more": 1}, "more"),
    ({"accounts": [f"a{index}" for index in range(17)]}, "accounts"),
])
def test_faulty_binding_is_422(core, phone, body, path):
    reply = core.put(f"/internal/v1/devices/{phone.device_id}/accounts", body)
    reply.expect(422, "validation_error")
    assert reply.fault_paths == [path]


def test_binding_of_no_phone_is_404(core, account_id):
    for device_id in (MISSING_ID, "no-uuid"):
        core.bind_accounts(device_id, account_id).expect(404, "not_found")


def test_log_names_what_is_left_out_once(site, core, phone, new_phone):
    taken, free = ("".join(random.choices(string.ascii_letters, k=16)) for _ in range(2))
    core.bind_accounts(phone.device_id, taken).expect(200)
    other = new_phone()
    with site.log_reader() as reader:
        for _ in range(3):
            other.declare((taken, "connected"), (free, "linked")).expect(204)
        core.connect_accounts(phone, taken)
        assert reader.wait_for(lambda entry: entry["message"] == "account declared")
    entries = [(entry["level"], entry["message"], entry["fields"]["account_id"])
               for entry in reader.entries
               if entry["fields"].get("device_id") == other.device_id
               and entry["message"].startswith("account ")]
    assert sorted(entries) == sorted([
        ("warning", "account left out: it is bound to another phone", taken),
        ("warning", "account not used: it is bound to no phone until an operator binds it", free),
    ])


def test_faulty_declaration_takes_nothing_of_it(core, phone, account_id):
    good = {"account_id": account_id, "messenger": "telegram", "state": "connected"}
    for fault, path in (
            ({"state": "tired"}, "accounts[1].state"), ({"state": None}, "accounts[1].state"),
            ({"account_id": ""}, "accounts[1].account_id"),
            ({"account_id": "a" * 129}, "accounts[1].account_id"),
            ({"account_id": 7}, "accounts[1].account_id"),
            ({"messenger": ""}, "accounts[1].messenger")):
        bad = {**good, "account_id": f"{account_id}-2", **fault}
        reply = phone.post("/device/v1/accounts", {"accounts": [good, bad]})
        reply.expect(422, "validation_error")
        assert reply.fault_paths == [path]
    for body in ({}, {"accounts": None}, {"accounts": {}}, [], {"accounts": [7]}):
        phone.post("/device/v1/accounts", body).expect(422, "validation_error")
    assert account_id not in rows_of(core, phone)


def test_phones_may_say_more_than_is_known(core, phone, account_id):
    row = {"account_id": account_id, "messenger": "max", "state": "connected", "battery": 90}
    core.bind_accounts(phone.device_id, account_id).expect(200)
    phone.post("/device/v1/accounts", {"accounts": [row], "app": "2.1"}).expect(204)
    assert rows_of(core, phone)[account_id]["messenger"] == "max"
    phone.claim_message(account_id, version=3).expect(200)


@pytest.mark.parametrize("count, status", [(16, 204), (17, 422)])
def test_accounts_of_one_phone(phone, account_id, count, status):
    rows = ((f"{account_id}-{index}", "linked") for index in range(count))
    phone.declare(*rows).expect(status)


def test_same_account_twice_is_422(phone, account_id):
    phone.declare((account_id, "connected"), (account_id, "banned")).expect(
        422, "validation_error")


# --- who can send


def test_unknown_account_is_404(core, account_id):
    person = {"account_id": account_id, "recipient": fresh_number()}
    core.create_message(channel="personal_messenger", text="x", **person).expect(404, "not_found")
    core.create_otp(channel="personal_messenger", **person).expect(404, "not_found")


@pytest.mark.parametrize("state", ["linked", "disconnected", "banned"])
def test_account_that_is_not_connected_is_503(core, phone, account_id, state):
    core.bind_accounts(phone.device_id, account_id).expect(200)
    phone.declare((account_id, state)).expect(204)
    person = {"account_id": account_id, "recipient": fresh_number()}
    for _ in range(4):
        for refused in (core.create_otp(channel="personal_messenger", **person),
                        core.create_message(channel="personal_messenger", text="x", **person)):
            refused.expect(503, "channel_unavailable")
            assert refused.error["reason"] == "account_not_connected"
    phone.be_connected(account_id)
    core.create_otp(channel="personal_messenger", **person).expect(201)


def test_account_of_a_disabled_phone_is_503(core, connected, account_id):
    core.enable(connected.device_id, False).expect(204)
    body = {"channel": "personal_messenger", "account_id": account_id, "recipient": fresh_number()}
    core.create_otp(**body).expect(503, "channel_unavailable")
    connected.declare((account_id, "connected")).expect(403, "device_disabled")
    connected.claim_message(account_id).expect(403, "device_disabled")


def test_claim_of_what_is_no_account_of_this_phone(phone, account_id):
    phone.claim_message(account_id).expect(403, "number_not_owned")
    for body in ({}, {"account_id": ""}, {"account_id": 7}, {"account_id": "a" * 129}, []):
        phone.post("/device/v1/messages/claim", body).expect(422, "validation_error")


# --- a message


def test_message_goes_to_the_phone(core, connected, account_id):
    recipient, text = fresh_number(), "Заказ 17 готов 🍕\nПриходите"
    assert connected.claim_message(account_id).expect(200) == {"task": None}
    message = write(core, account_id, recipient, text)
    assert (message["channel"], message["state"]) == ("personal_messenger", "accepted")
    assert (message["account_id"], message["recipient"], message["chat_id"]) == (
        account_id, recipient, None)
    task = connected.claim_message_task(account_id)
    assert (task["account_id"], task["recipient"], task["text"], task["attempt"]) == (
        account_id, recipient, text, 1)
    assert core.message(message["id"]).expect(200)["state"] == "accepted"
    connected.message_result(task, "sent").expect(204)
    assert core.message(message["id"]).expect(200)["state"] == "sent"
    connected.message_result(task, "delivered").expect(204)
    read = core.message(message["id"]).expect(200)
    assert (read["state"], read["error"]) == ("delivered", None)
    assert read["updated_at"] > message["updated_at"]
    assert connected.claim_message_task(account_id, within=NEVER) is None


def test_delivered_may_come_at_once(core, connected, account_id):
    message = write(core, account_id)
    connected.message_result(connected.claim_message_task(account_id), "delivered").expect(204)
    assert core.message(message["id"]).expect(200)["state"] == "delivered"


def test_repeat_with_the_same_key_is_one_message(core, connected, account_id):
    key, recipient = fresh_key(), fresh_number()
    body = {"channel": "personal_messenger", "account_id": account_id, "recipient": recipient,
            "text": "Hello"}
    replies = at_once(10, lambda _: core.create_message(key, **body))
    assert len({reply.expect(202)["id"] for reply in replies}) == 1
    assert sum(reply.replayed for reply in replies) == 9
    task = connected.claim_message_task(account_id)
    connected.message_result(task, "sent").expect(204)
    assert connected.claim_message_task(account_id, within=NEVER) is None
    connected.declare((account_id, "banned")).expect(204)
    assert core.create_message(key, **body).expect(202)["state"] == "sent"


def test_messages_of_one_account_go_one_at_a_time_in_order(core, connected, account_id):
    made = [write(core, account_id, text=f"part {index}") for index in range(3)]
    for index in range(3):
        task = connected.claim_message_task(account_id)
        assert task["text"] == f"part {index}"
        assert connected.claim_message_task(account_id) == task
        connected.message_result(task, "sent").expect(204)
    assert {core.message(row["id"]).expect(200)["state"] for row in made} == {"sent"}


def test_each_account_has_its_own_line(core, phone, account_id):
    first, second = f"{account_id}-1", f"{account_id}-2"
    core.connect_accounts(phone, first, second)
    to_first, to_second = write(core, first), write(core, second)
    assert phone.claim_message_task(second)["recipient"] == to_second["recipient"]
    assert phone.claim_message_task(first)["recipient"] == to_first["recipient"]


def test_claims_at_the_same_moment_get_one_task(core, connected, account_id):
    write(core, account_id)
    write(core, account_id)
    tasks = at_once(20, lambda _: connected.claim_message_task(account_id))
    assert len({(task["id"], task["lease_id"]) for task in tasks}) == 1


# --- failures, at most three sends


def test_failed_message_is_sent_three_times_at_most(core, connected, account_id):
    message = write(core, account_id)
    for attempt in (1, 2, 3):
        task = connected.claim_message_task(account_id)
        assert (task["attempt"], task["account_id"]) == (attempt, account_id)
        connected.message_result(task, "failed", error="no route").expect(204)
    read = core.message(message["id"]).expect(200)
    assert (read["state"], read["error"]) == ("failed", "no route")
    assert connected.claim_message_task(account_id, within=NEVER) is None


def test_permanent_failure_is_the_last(core, connected, account_id):
    message = write(core, account_id)
    task = connected.claim_message_task(account_id)
    connected.message_result(task, "failed", error="not registered", permanent=True).expect(204)
    read = core.message(message["id"]).expect(200)
    assert (read["state"], read["error"]) == ("failed", "not registered")
    assert connected.claim_message_task(account_id, within=NEVER) is None


def test_second_send_may_do_better(core, connected, account_id):
    message = write(core, account_id, text="Hello again")
    connected.message_result(connected.claim_message_task(account_id), "failed").expect(204)
    task = connected.claim_message_task(account_id)
    assert task["text"] == "Hello again"
    connected.message_result(task, "sent").expect(204)
    assert core.message(message["id"]).expect(200)["state"] == "sent"


# --- results


@pytest.mark.parametrize("status", ["sent", "delivered", "failed"])
def test_same_result_twice_is_204_twice(core, connected, account_id, status):
    message = write(core, account_id)
    task = connected.claim_message_task(account_id)
    for _ in range(3):
        connected.message_result(task, status, permanent=True).expect(204)
    assert core.message(message["id"]).expect(200)["state"] == status


@pytest.mark.parametrize("first, second", [
    ("sent", "failed"), ("failed", "sent"), ("delivered", "failed"), ("failed", "delivered"),
])
def test_contradicting_result_is_409(core, connected, account_id, first, second):
    message = write(core, account_id)
    task = connected.claim_message_task(account_id)
    connected.message_result(task, first, permanent=True).expect(204)
    connected.message_result(task, second, permanent=True).expect(409, "result_conflict")
    assert core.message(message["id"]).expect(200)["state"] == first


def test_result_may_leave_out_the_lease(core, connected, account_id):
    message = write(core, account_id)
    task = connected.claim_message_task(account_id)
    connected.message_result(task, "sent", has_lease=False).expect(204)
    assert core.message(message["id"]).expect(200)["state"] == "sent"


@pytest.mark.parametrize("fields, path", [
    ({"status": "read"}, "status"), ({"status": None}, "status"),
    ({"status": "failed", "error": "x" * 501}, "error"),
    ({"status": "failed", "permanent": "yes"}, "permanent"),
    ({"status": "sent", "lease_id": "no-uuid"}, "lease_id"),
])
def test_faulty_result_is_422(core, connected, account_id, fields, path):
    message = write(core, account_id)
    task = connected.claim_message_task(account_id)
    reply = connected.post(f"/device/v1/messages/{task['id']}/result", fields)
    reply.expect(422, "validation_error")
    assert reply.fault_paths == [path]
    connected.message_result(task, "failed", error="x" * 500, permanent=True).expect(204)
    assert len(core.message(message["id"]).expect(200)["error"]) == 500


@pytest.mark.parametrize("task_id", [MISSING_ID, "no-uuid"])
def test_result_of_an_unknown_task_is_404(connected, task_id):
    connected.post(f"/device/v1/messages/{task_id}/result", {"status": "sent"}).expect(
        404, "not_found")


def test_sms_and_messages_do_not_mix(core, connected, account_id):
    """A task of one channel is unknown to the other."""
    connected.be_ready()
    otp = core.create_otp(fresh_number(), gateway_number=connected.number).expect(201)
    message = write(core, account_id)
    sms, task = connected.claim_task(), connected.claim_message_task(account_id)
    connected.message_result(sms, "sent").expect(404, "not_found")
    connected.result(task, "sent").expect(404, "not_found")
    assert core.otp(otp["id"]).expect(200)["state"] == "queued"
    assert core.message(message["id"]).expect(200)["state"] == "accepted"


# --- leases


def test_lease_that_ends_unanswered_puts_the_task_back(core, clock, connected, account_id):
    message = write(core, account_id)
    first = connected.claim_message_task(account_id)
    lasts = parse_time(first["lease_expires_at"]) - clock.now()
    assert 85 <= lasts.total_seconds() <= 91
    clock.advance(88)
    connected.be_connected(account_id)
    assert connected.claim_message(account_id).expect(200)["task"] == first
    clock.advance(3)
    second = connected.claim_message_task(account_id)
    assert second["id"] == first["id"] and second["lease_id"] != first["lease_id"]
    connected.message_result(first, "sent").expect(409, "lease_lost")
    connected.message_result(second, "sent").expect(204)
    assert core.message(message["id"]).expect(200)["state"] == "sent"


def test_late_result_is_taken_while_nobody_else_has_the_lease(core, clock, connected, account_id):
    message = write(core, account_id)
    task = connected.claim_message_task(account_id)
    clock.advance(200)
    connected.message_result(task, "sent").expect(204)
    assert core.message(message["id"]).expect(200)["state"] == "sent"


def test_task_of_a_disabled_phone_returns(core, connected, account_id):
    message = write(core, account_id)
    first = connected.claim_message_task(account_id)
    core.enable(connected.device_id, False).expect(204)
    core.enable(connected.device_id, True).expect(204)
    connected.be_connected(account_id)
    second = connected.claim_message_task(account_id)
    assert second["id"] == first["id"] and second["lease_id"] != first["lease_id"]
    connected.message_result(second, "sent").expect(204)
    assert core.message(message["id"]).expect(200)["state"] == "sent"


def test_message_that_no_phone_takes_has_failed_after_a_day(core, clock, connected, account_id):
    message = write(core, account_id)
    clock.advance(23 * 3600)
    assert core.message(message["id"]).expect(200)["state"] == "accepted"
    clock.advance(3600 + 60)
    assert core.wait_for_message(message, "failed", within=20)["error"]
    connected.be_connected(account_id)
    assert connected.claim_message_task(account_id, within=NEVER) is None


def test_message_that_its_phone_never_reported_is_unknown(core, clock, connected, account_id):
    """It may have been sent: nobody sends it again, and a late report still tells."""
    message = write(core, account_id)
    task = connected.claim_message_task(account_id)
    clock.advance(24 * 3600 + 60)
    assert core.wait_for_message(message, "unknown", within=20)["error"]
    connected.be_connected(account_id)
    assert connected.claim_message_task(account_id, within=NEVER) is None
    connected.message_result(task, "sent").expect(204)
    told = core.message(message["id"]).expect(200)
    assert (told["state"], told["error"]) == ("sent", None)


# --- codes


def test_code_goes_out_and_confirms(core, connected, account_id):
    recipient = fresh_number()
    otp = check_shape(send_code(core, account_id, recipient), OTP)
    assert (otp["channel"], otp["state"], otp["code_length"]) == (
        "personal_messenger", "queued", 6)
    assert [(row["channel"], row["gateway_number"], row["state"]) for row in otp["sends"]] == [
        ("personal_messenger", None, "queued")]
    task = connected.claim_message_task(account_id)
    assert (task["recipient"], task["account_id"]) == (recipient, account_id)
    code = read_code(task)
    assert core.otp(otp["id"]).expect(200)["sends"][0]["state"] == "claimed"
    connected.message_result(task, "sent").expect(204)
    assert core.otp(otp["id"]).expect(200)["state"] == "sent"
    connected.message_result(task, "delivered").expect(204)
    assert core.otp(otp["id"]).expect(200)["state"] == "delivered"
    refused = core.verify(otp["id"], wrong_code(code))
    refused.expect(422, "code_mismatch")
    assert refused.error["attempts_left"] == 4
    assert core.verify(otp["id"], code).expect(200)["state"] == "confirmed"


def test_undelivered_code(core, connected, ready_phone, account_id):
    """The recipient may start again; the first code can be verified and fall back all the same."""
    otp = send_code(core, account_id)
    task = connected.claim_message_task(account_id)
    connected.message_result(task, "failed", error="blocked", permanent=True).expect(204)
    read = core.otp(otp["id"]).expect(200)
    assert (read["state"], read["sends"][0]["state"], read["sends"][0]["error"]) == (
        "undelivered", "failed", "blocked")
    core.fall_back(otp["id"]).expect(204)
    sms = ready_phone.claim_task()
    assert read_code(sms) == read_code(task)
    ready_phone.result(sms, "sent").expect(204)
    assert core.otp(otp["id"]).expect(200)["state"] == "sent"
    core.verify(otp["id"], read_code(sms)).expect(200)


def test_undelivered_code_frees_its_recipient(core, connected, account_id):
    otp = send_code(core, account_id)
    task = connected.claim_message_task(account_id)
    connected.message_result(task, "failed", permanent=True).expect(204)
    again = send_code(core, account_id, otp["recipient"])
    assert again["id"] != otp["id"]
    core.verify(otp["id"], read_code(task)).expect(200)


def test_code_is_sent_three_times_at_most(core, connected, account_id):
    otp = send_code(core, account_id)
    for attempt in (1, 2, 3):
        task = connected.claim_message_task(account_id)
        assert task["attempt"] == attempt
        connected.message_result(task, "failed", error="no route").expect(204)
    read = core.otp(otp["id"]).expect(200)
    assert read["state"] == "undelivered"
    assert [row["state"] for row in read["sends"]] == ["failed"] * 3
    assert connected.claim_message_task(account_id, within=NEVER) is None


@pytest.mark.parametrize("end", ["cancel", "confirm", "expire"])
def test_ended_code_is_not_sent(core, clock, connected, account_id, end):
    write(core, account_id)  # it stands in front, so the code waits
    blocker = connected.claim_message_task(account_id)
    otp = send_code(core, account_id, ttl_seconds=60)
    if end == "cancel":
        core.cancel_otp(otp["id"]).expect(204)
    if end == "expire":
        clock.advance(61)
    if end == "confirm":
        connected.message_result(blocker, "sent").expect(204)
        task = connected.claim_message_task(account_id)
        core.verify(otp["id"], read_code(task)).expect(200)
        connected.message_result(task, "failed").expect(204)
    else:
        connected.message_result(blocker, "sent").expect(204)
    assert connected.claim_message_task(account_id, within=NEVER) is None


def test_means_of_an_sms_do_not_hurt(core, connected, ready_phone, account_id):
    """app_hash and origin are for the SMS that may follow."""
    otp = send_code(core, account_id, app_hash="FA+9qCX9VSu", origin="shop.example")
    code = read_code(connected.claim_message_task(account_id))
    core.fall_back(otp["id"]).expect(204)
    text = ready_phone.claim_task()["text"]
    assert f"@shop.example #{code}" in text.split("\n") and "FA+9qCX9VSu" in text
