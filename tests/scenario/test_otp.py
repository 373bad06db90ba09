"""One-time codes by SMS: create, read, verify, cancel.

Contract, section 2, rules 1 to 5, 8 and 10.
"""

import re

import pytest

from harness.actors import read_code, wrong_code
from harness.shapes import OTP, check_shape, seconds_between
from harness.tools import fresh_key, fresh_number, fresh_numbers

APP_HASH = "FA+9qCX9VSu"


def send_code(core, phone, recipient=None, **fields):
    """Creates an OTP over this phone's number; returns it and the code that the phone got."""
    fields.setdefault("gateway_number", phone.number)
    otp = core.create_otp(recipient or fresh_number(), **fields).expect(201)
    task = phone.claim_task(otp["sends"][0]["gateway_number"])
    assert task["recipient"] == otp["recipient"]
    phone.result(task, "sent").expect(204)
    return otp, read_code(task)


# --- the dialogue


def test_code_goes_out_and_confirms(core, ready_phone):
    recipient = fresh_number()
    otp = check_shape(core.create_otp(recipient).expect(201), OTP)
    assert (otp["channel"], otp["recipient"], otp["state"]) == ("sms", recipient, "queued")
    assert (otp["code_length"], otp["attempts_left"], otp["confirmed_at"]) == (6, 5, None)
    assert seconds_between(otp["created_at"], otp["expires_at"]) == 300
    assert len(otp["sends"]) == 1
    send = otp["sends"][0]
    assert (send["channel"], send["gateway_number"]) == ("sms", ready_phone.number)
    assert (send["state"], send["error"]) == ("queued", None)

    task = ready_phone.claim_task()
    assert (task["recipient"], task["gateway_number"]) == (recipient, ready_phone.number)
    assert core.otp(otp["id"]).expect(200)["sends"][0]["state"] == "claimed"
    ready_phone.result(task, "sent").expect(204)
    read = check_shape(core.otp(otp["id"]).expect(200), OTP)
    assert (read["state"], read["sends"][0]["state"]) == ("sent", "sent")

    code = read_code(task)
    refused = core.verify(otp["id"], wrong_code(code))
    refused.expect(422, "code_mismatch")
    assert refused.error["attempts_left"] == 4
    confirmed = check_shape(core.verify(otp["id"], code).expect(200), OTP)
    assert confirmed["state"] == "confirmed"
    assert confirmed["confirmed_at"] is not None
    assert confirmed["expires_at"] == otp["expires_at"]
    assert core.otp(otp["id"]).expect(200) == confirmed


def test_delivery_report_makes_it_delivered(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, "sent").expect(204)
    ready_phone.result(task, "delivered").expect(204)
    read = core.otp(otp["id"]).expect(200)
    assert (read["state"], read["sends"][0]["state"]) == ("delivered", "delivered")


def test_codes_are_six_digits_and_differ(core, new_phone):
    phone = new_phone(8)
    phone.be_ready()
    codes = []
    for number in phone.numbers * 5:
        _, code = send_code(core, phone, gateway_number=number)
        codes.append(code)
    assert all(re.fullmatch(r"[0-9]{6}", code) for code in codes)
    assert len(set(codes)) >= 38
    assert len({code[0] for code in codes}) >= 4


# --- what may be asked


@pytest.mark.parametrize("ttl, status", [(59, 422), (60, 201), (900, 201), (901, 422)])
def test_time_to_live_is_60_to_900_seconds(core, ready_phone, ttl, status):
    reply = core.create_otp(fresh_number(), ttl_seconds=ttl)
    reply.expect(status)
    if status == 201:
        assert seconds_between(reply.json["created_at"], reply.json["expires_at"]) == ttl
    else:
        assert reply.fault_paths == ["ttl_seconds"]


@pytest.mark.parametrize("fields, path", [
    ({"channel": "pigeon"}, "channel"),
    ({"channel": None}, "channel"),
    ({"channel": "SMS"}, "channel"),
    ({"recipient": "89160000001"}, "recipient"),
    ({"recipient": None}, "recipient"),
    ({"gateway_number": "8916"}, "gateway_number"),
    ({"ttl_seconds": "300"}, "ttl_seconds"),
    ({"app_hash": "x" * 10}, "app_hash"),
    ({"app_hash": "x" * 12}, "app_hash"),
    ({"app_hash": "x\ny\nzzzzzzz"}, "app_hash"),
    ({"origin": ""}, "origin"),
    ({"origin": "https://shop.example"}, "origin"),
    ({"origin": "shop.example\n#000000"}, "origin"),
    ({"origin": "shop example"}, "origin"),
    ({"account_id": "main"}, "account_id"),
    ({"channel": "personal_messenger"}, "account_id"),
    ({"channel": "flash_call", "gateway_number": "+79160000001"}, "gateway_number"),
    ({"channel": "flash_call", "account_id": "main"}, "account_id"),
    ({"channel": "messenger_gateway", "gateway_number": "+79160000001"}, "gateway_number"),
], ids=repr)
def test_faulty_request_is_422(core, ready_phone, fields, path):
    reply = core.create_otp(**{"recipient": fresh_number(), **fields})
    reply.expect(422, "validation_error")
    assert reply.fault_paths == [path]


@pytest.mark.parametrize("channel", ["flash_call", "messenger_gateway"])
def test_channel_without_a_driver_is_503_and_creates_nothing(core, ready_phone, channel):
    recipient = fresh_number()
    for _ in range(4):
        refused = core.create_otp(recipient, channel=channel)
        refused.expect(503, "channel_unavailable")
        assert refused.error["reason"] == "not_configured"
    core.create_otp(recipient).expect(201)


# --- rule 1: choosing a number


def test_no_ready_sim_is_503_and_creates_nothing(core, phone):
    recipient = fresh_number()
    for _ in range(4):
        core.create_otp(recipient).expect(503, "no_ready_sim")
        core.create_otp(recipient, gateway_number=phone.number).expect(503, "no_ready_sim")
    phone.be_ready()
    core.create_otp(recipient).expect(201)


def test_gateway_number_that_nobody_owns_is_404(core, ready_phone):
    core.create_otp(fresh_number(), gateway_number=fresh_number()).expect(404, "not_found")


def test_given_gateway_number_is_taken(core, new_phone):
    phone = new_phone(3)
    phone.be_ready()
    for number in phone.numbers * 2:
        otp = core.create_otp(fresh_number(), gateway_number=number).expect(201)
        assert otp["sends"][0]["gateway_number"] == number


def test_codes_are_spread_over_the_ready_numbers_alone(core, new_phone):
    phone = new_phone(4)
    phone.be_ready(*phone.numbers[:3])
    made = [core.create_otp(row).expect(201) for row in fresh_numbers(6)]
    used = [otp["sends"][0]["gateway_number"] for otp in made]
    assert sorted(used) == sorted(phone.numbers[:3] * 2)


# --- rule 2: one active challenge


def test_second_code_for_a_recipient_is_409_and_names_the_first(core, ready_phone):
    recipient = fresh_number()
    first = core.create_otp(recipient).expect(201)
    second = core.create_otp(recipient)
    second.expect(409, "active_challenge_exists")
    assert second.error["challenge_id"] == first["id"]


def test_confirmed_canceled_and_exhausted_codes_are_not_active(core, ready_phone):
    recipient = fresh_number()
    otp, code = send_code(core, ready_phone, recipient)
    core.verify(otp["id"], code).expect(200)
    otp = core.create_otp(recipient).expect(201)
    core.cancel_otp(otp["id"]).expect(204)
    otp, code = send_code(core, ready_phone, recipient)
    for _ in range(5):
        core.verify(otp["id"], wrong_code(code)).expect(422, "code_mismatch")
    core.create_challenge(recipient).expect(201)


# --- rule 3: three codes in ten minutes


def test_fourth_code_in_ten_minutes_is_429(core, ready_phone):
    recipient = fresh_number()
    for _ in range(3):
        otp = core.create_otp(recipient).expect(201)
        core.cancel_otp(otp["id"]).expect(204)
    refused = core.create_otp(recipient)
    refused.expect(429, "rate_limited")
    assert 560 <= refused.retry_after <= 600
    core.create_otp(fresh_number()).expect(201)
    core.create_challenge(recipient).expect(201)


def test_order_of_checks(core, phone):
    """Key, body, idempotency, active challenge, rate, channel."""
    recipient = fresh_number()
    phone.be_ready()
    for _ in range(2):
        core.cancel_otp(core.create_otp(recipient).expect(201)["id"]).expect(204)
    key = fresh_key()
    active = core.create_otp(recipient, key).expect(201)
    phone.claim(sim_ready=False).expect(200)

    core.create_otp(recipient, key, ttl_seconds=1).expect(422, "validation_error")
    assert core.create_otp(recipient, key).expect(201)["id"] == active["id"]
    core.create_otp(recipient, key, ttl_seconds=60).expect(409, "idempotency_conflict")
    core.create_otp(recipient).expect(409, "active_challenge_exists")
    core.cancel_otp(active["id"]).expect(204)
    core.create_otp(recipient).expect(429, "rate_limited")
    core.create_otp(fresh_number()).expect(503, "no_ready_sim")


# --- rule 4: verify


def test_five_wrong_codes_exhaust_it(core, ready_phone):
    otp, code = send_code(core, ready_phone)
    for left in (4, 3, 2, 1, 0):
        refused = core.verify(otp["id"], wrong_code(code))
        refused.expect(422, "code_mismatch")
        assert refused.error["attempts_left"] == left
        read = core.otp(otp["id"]).expect(200)
        assert read["attempts_left"] == left
        assert read["state"] == ("exhausted" if left == 0 else "sent")
    core.verify(otp["id"], wrong_code(code)).expect(409, "attempts_exhausted")
    core.verify(otp["id"], code).expect(409, "attempts_exhausted")
    assert core.otp(otp["id"]).expect(200)["state"] == "exhausted"


def test_right_code_after_four_wrong_ones(core, ready_phone):
    otp, code = send_code(core, ready_phone)
    for _ in range(4):
        core.verify(otp["id"], wrong_code(code)).expect(422, "code_mismatch")
    confirmed = core.verify(otp["id"], code).expect(200)
    assert (confirmed["state"], confirmed["attempts_left"]) == ("confirmed", 1)


def test_confirmed_code_is_not_verified_again(core, ready_phone):
    otp, code = send_code(core, ready_phone)
    core.verify(otp["id"], code).expect(200)
    core.verify(otp["id"], code).expect(409, "already_confirmed")
    core.verify(otp["id"], wrong_code(code)).expect(409, "already_confirmed")


def test_code_may_be_verified_before_the_phone_reports(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    assert core.verify(otp["id"], read_code(task)).expect(200)["state"] == "confirmed"
    ready_phone.result(task, "sent").expect(204)
    assert core.otp(otp["id"]).expect(200)["state"] == "confirmed"


@pytest.mark.parametrize("code", [
    "", "123", "1234567", "12345a", " 12345", "12345 ", "-12345", "\u0661\u0662\u0663\u0664",
    123456, None, ["123456"],
])
def test_what_is_no_code_is_422_and_costs_no_attempt(core, ready_phone, code):
    otp = core.create_otp(fresh_number()).expect(201)
    reply = core.verify(otp["id"], code)
    reply.expect(422, "validation_error")
    assert reply.fault_paths == ["code"]
    assert core.otp(otp["id"]).expect(200)["attempts_left"] == 5


def test_shorter_code_is_a_wrong_code(core, ready_phone):
    otp, code = send_code(core, ready_phone)
    for left, guess in ((4, code[:4]), (3, code[:5])):
        refused = core.verify(otp["id"], guess)
        refused.expect(422, "code_mismatch")
        assert refused.error["attempts_left"] == left


def test_code_of_another_is_wrong(core, new_phone):
    phone = new_phone(2)
    phone.be_ready()
    otp, code = send_code(core, phone, gateway_number=phone.numbers[0])
    _, other_code = send_code(core, phone, gateway_number=phone.numbers[1])
    if code != other_code:
        core.verify(otp["id"], other_code).expect(422, "code_mismatch")
    core.verify(otp["id"], code).expect(200)


# --- rule 5: the text


def test_text_fits_one_part(core, ready_phone):
    core.create_otp(fresh_number(), app_hash=APP_HASH, origin="shop.example").expect(201)
    text = ready_phone.claim_task()["text"]
    assert len(text) <= (160 if text.isascii() else 70)


def test_app_hash_ends_the_text(core, ready_phone):
    core.create_otp(fresh_number(), app_hash=APP_HASH).expect(201)
    task = ready_phone.claim_task()
    assert task["text"].endswith(APP_HASH)
    read_code(task)


def test_origin_makes_a_last_line_for_webotp(core, ready_phone):
    core.create_otp(fresh_number(), origin="shop.example").expect(201)
    lines = ready_phone.claim_task()["text"].split("\n")
    host, code = re.fullmatch(r"@(\S+) #([0-9]{6})", lines[-1]).groups()
    assert host == "shop.example"
    assert code in lines[0]


def test_app_hash_and_origin_stand_in_one_text(core, ready_phone):
    fields = {"app_hash": APP_HASH, "origin": "shop.example"}
    core.create_otp(fresh_number(), **fields).expect(201)
    task = ready_phone.claim_task()
    assert f"@shop.example #{read_code(task)}" in task["text"].split("\n")
    assert APP_HASH in task["text"]


# --- rule 8: a code that goes by SMS has nothing to fall back to


def test_fallback_of_an_sms_code_is_409(core, ready_phone):
    otp, code = send_code(core, ready_phone)
    core.fall_back(otp["id"]).expect(409, "fallback_not_applicable")
    core.fall_back(otp["id"], gateway_number=ready_phone.number).expect(
        409, "fallback_not_applicable")
    assert ready_phone.claim().expect(200)["task"] is None
    core.verify(otp["id"], code).expect(200)
    core.fall_back(otp["id"]).expect(409)


@pytest.mark.parametrize("body", [
    {"gateway_number": "8916"}, {"gateway_number": 1}, {"to": "x"}, [],
])
def test_faulty_fallback_is_422(core, ready_phone, body):
    otp = core.create_otp(fresh_number()).expect(201)
    path = f"/internal/v1/otp/{otp['id']}/sms-fallback"
    core.post(path, body).expect(422, "validation_error")


# --- rule 10: cancel


def test_cancel_is_repeatable_and_final(core, ready_phone):
    otp, code = send_code(core, ready_phone)
    for _ in range(3):
        assert core.cancel_otp(otp["id"]).expect(204) is None
    assert core.otp(otp["id"]).expect(200)["state"] == "canceled"
    core.verify(otp["id"], code).expect(409, "challenge_canceled")
    assert core.otp(otp["id"]).expect(200)["attempts_left"] == 5


def test_confirmed_code_cannot_be_canceled(core, ready_phone):
    otp, code = send_code(core, ready_phone)
    core.verify(otp["id"], code).expect(200)
    core.cancel_otp(otp["id"]).expect(409, "already_confirmed")
    assert core.otp(otp["id"]).expect(200)["state"] == "confirmed"


def test_canceled_code_is_not_sent(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    core.cancel_otp(otp["id"]).expect(204)
    assert ready_phone.claim().expect(200)["task"] is None
