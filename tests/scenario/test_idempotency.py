"""Contract section 1, Idempotency-Key: one key makes one resource, whatever the network does."""

import json

import pytest

from harness.tools import fresh_key, fresh_number, fresh_numbers


def send(core, path, raw, key):
    return core.request("POST", path, raw=raw.encode(), headers={"Idempotency-Key": key})


# As bytes: http.client would write text beyond ASCII in Latin-1.
UNUSABLE = ["", " ", "k" * 201, ("\u00e9" * 201).encode(), "tab\there", "a\u0085b".encode(),
            "\u009f".encode(), b"\xe9t\xe9", b"cut \xd0", b"\xc0\xaf", b"\xed\xa0\x80"]


@pytest.mark.parametrize("key", UNUSABLE)
def test_unusable_key_is_422(core, ready_phone, key):
    core.create_challenge(fresh_number(), key).expect(422, "validation_error")
    core.create_otp(fresh_number(), key).expect(422, "validation_error")


@pytest.mark.parametrize("key", ["\x01", "a\x1fb", "a\x7f"])
def test_control_character_of_ascii_is_no_http(core, phone, key):
    """But for a tab, no header may have one (RFC 9110, section 5.5)."""
    core.create_challenge(fresh_number(), key).expect(400, "bad_request")


def test_missing_key_is_422(core, ready_phone):
    core.create_challenge(fresh_number(), None).expect(422, "validation_error")
    core.create_otp(fresh_number(), None).expect(422, "validation_error")


@pytest.mark.parametrize("key", [
    "1", "longest" + "~" * 193, "two words,  and \"more\"", "\u00e9t\u00e9 \u2116 1",
    "\u043a\u043b\u044e\u0447" * 50, "\U0001f511" * 200, "\u00a0"])
def test_any_string_is_a_key(core, phone, key):
    """1 to 200 characters, not bytes (contract, section 1 "Idempotency-Key")."""
    assert 1 <= len(key) <= 200
    caller, sent = fresh_number(), key.encode()
    first = core.create_challenge(caller, sent).expect(201)
    assert core.create_challenge(caller, sent).expect(201)["id"] == first["id"]
    assert core.create_challenge(caller, b"  " + sent + b" ").expect(201)["id"] == first["id"]
    core.create_challenge(fresh_number(), sent).expect(409, "idempotency_conflict")


def test_repeat_answers_with_the_same_challenge(core, phone):
    caller, key = fresh_number(), fresh_key()
    first = core.create_challenge(caller, key)
    repeat = core.create_challenge(caller, key)
    assert first.expect(201) == repeat.expect(201)
    assert first.header("Idempotent-Replayed") is None
    assert repeat.replayed


def test_repeat_answers_with_the_same_otp_and_sends_one_sms(core, ready_phone):
    recipient, key = fresh_number(), fresh_key()
    first = core.create_otp(recipient, key)
    repeat = core.create_otp(recipient, key)
    assert first.expect(201)["id"] == repeat.expect(201)["id"]
    assert first.header("Idempotent-Replayed") is None
    assert repeat.replayed
    task = ready_phone.claim_task()
    ready_phone.result(task, "sent").expect(204)
    assert ready_phone.claim().expect(200)["task"] is None


def test_same_body_means_the_same_json_value(core, phone):
    caller, key = fresh_number(), fresh_key()
    path = "/internal/v1/challenges"
    written = [
        f'{{"caller":"{caller}","ttl_seconds":120}}',
        f'{{ "ttl_seconds" : 120 ,\n\t"caller" : "{caller}" }}',
        f'{{"ttl_seconds":120,"caller":"\\u002b{caller[1:]}"}}',
        f'{{"c\\u0061ller":"{caller}","ttl_seconds":120}}',
    ]
    replies = [send(core, path, raw, key) for raw in written]
    assert len({reply.expect(201)["id"] for reply in replies}) == 1
    assert [reply.replayed for reply in replies] == [False, True, True, True]


def test_other_body_is_409(core, phone):
    caller, key = fresh_number(), fresh_key()
    first = core.create_challenge(caller, key).expect(201)
    core.create_challenge(fresh_number(), key).expect(409, "idempotency_conflict")
    core.create_challenge(caller, key, ttl_seconds=60).expect(409, "idempotency_conflict")
    core.create_challenge(caller, key, ttl_seconds=300).expect(409, "idempotency_conflict")
    assert core.create_challenge(caller, key).expect(201)["id"] == first["id"]


def test_families_do_not_share_keys(core, ready_phone):
    key = fresh_key()
    challenge = core.create_challenge(fresh_number(), key)
    otp = core.create_otp(fresh_number(), key)
    assert challenge.expect(201)["id"] != otp.expect(201)["id"]
    assert not challenge.replayed and not otp.replayed


def test_keys_differ_in_every_character(core, phone):
    key = fresh_key() + "-Case"
    ids = {core.create_challenge(fresh_number(), row).expect(201)["id"]
           for row in (key, key.lower(), key + "-", key[:-1])}
    assert len(ids) == 4


def test_repeat_shows_the_resource_as_it_is_now(core, ready_phone):
    caller, recipient, key = fresh_number(), fresh_number(), fresh_key()
    challenge = core.create_challenge(caller, key).expect(201)
    core.cancel_challenge(challenge["id"]).expect(204)
    assert core.create_challenge(caller, key).expect(201)["state"] == "canceled"

    otp = core.create_otp(recipient, key).expect(201)
    core.cancel_otp(otp["id"]).expect(204)
    assert core.create_otp(recipient, key).expect(201)["state"] == "canceled"


def test_failed_request_is_not_remembered(core, phone):
    recipient, key = fresh_number(), fresh_key()
    core.create_otp(recipient, key, ttl_seconds=1).expect(422, "validation_error")
    core.create_otp(recipient, key).expect(503, "no_ready_sim")
    phone.be_ready()
    reply = core.create_otp(recipient, key)
    reply.expect(201)
    assert not reply.replayed


def test_conflict_is_not_remembered(core, phone):
    caller, key = fresh_number(), fresh_key()
    first = core.create_challenge(caller).expect(201)
    core.create_challenge(caller, key).expect(409, "active_challenge_exists")
    core.cancel_challenge(first["id"]).expect(204)
    second = core.create_challenge(caller, key).expect(201)
    assert second["id"] != first["id"]


def test_repeat_comes_before_the_active_challenge_and_the_rate(core, ready_phone):
    recipient = fresh_number()
    keys = [fresh_key() for _ in range(3)]
    ids = []
    for key in keys:
        ids.append(core.create_otp(recipient, key).expect(201)["id"])
        core.cancel_otp(ids[-1]).expect(204)
    for _ in range(3):
        assert [core.create_otp(recipient, key).expect(201)["id"] for key in keys] == ids
    core.create_otp(recipient).expect(429, "rate_limited")


def test_key_is_looked_at_after_key_and_body(core, phone):
    caller, key = fresh_number(), fresh_key()
    core.create_challenge(caller, key).expect(201)
    raw = json.dumps({"caller": caller, "colour": "red"})
    send(core, "/internal/v1/challenges", raw, key).expect(422, "validation_error")


def test_keys_live_through_a_restart(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    pairs = [(number, fresh_key()) for number in fresh_numbers(5)]
    ids = [core.create_challenge(*pair).expect(201)["id"] for pair in pairs]
    fresh_site.stop()
    fresh_site.serve()
    replies = [fresh_site.core().create_challenge(*pair) for pair in pairs]
    assert [reply.expect(201)["id"] for reply in replies] == ids
    assert all(reply.replayed for reply in replies)
