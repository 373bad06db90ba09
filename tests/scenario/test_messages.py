"""Messages: what may be asked, and what is answered (contract, sections 1 and 2)."""

import pytest

from harness.http import NOTHING
from harness.shapes import MESSAGE, check_shape
from harness.tools import at_once, fresh_chat, fresh_key, fresh_number

CHANNELS = ("bot",)
MISSING_ID = "01900000-0000-7000-8000-000000000000"
TO_CHAT = {"channel": "messenger_bot", "chat_id": 4242, "text": "Hello"}
TO_PERSON = {"channel": "personal_messenger", "account_id": "main", "recipient": "+79160000001",
             "text": "Hello"}


def without(body, *names):
    return {name: value for name, value in body.items() if name not in names}


@pytest.fixture
def account(core, new_phone):
    """A connected account of its own."""
    account_id = f"account-{fresh_key()[:8]}"
    core.connect_accounts(new_phone(), account_id)
    return account_id


def take(sim, message):
    return sim.take("telegram_bot", "sendMessage", recipient=str(message["chat_id"]))


# --- limits at n and n + 1


@pytest.mark.parametrize("text, status", [
    ("", 422), ("x", 202), ("x" * 4096, 202), ("x" * 4097, 422),
    ("Ы" * 4096, 202), ("Ы" * 4097, 422), ("🍕" * 2048, 202), (7, 422), (None, 422),
    ("a\u0000b", 422), ("line\nline\u2028\r\n\u0001", 202), (["x"], 422),
], ids=lambda value: str(value)[:6].encode("unicode_escape").decode())
def test_text(sim, core, text, status):
    body = {**TO_CHAT, "chat_id": fresh_chat(), "text": text}
    reply = core.create_message(**body)
    reply.expect(status)
    if status == 202:
        assert take(sim, reply.json)["request"]["json"]["text"] == text


@pytest.mark.parametrize("text, status", [
    ("x" * 4096, 202), ("x" * 4097, 422), ("", 422), ("Ы" * 4096, 202), ("🍕" * 4096, 202),
], ids=lambda value: str(value)[:6].encode("unicode_escape").decode())
def test_text_to_a_person(core, account, text, status):
    body = {**TO_PERSON, "account_id": account, "recipient": fresh_number(), "text": text}
    core.create_message(**body).expect(status)


@pytest.mark.parametrize("chat_id, status", [
    (1, 202), (2**52, 202), (-(2**52), 202), ("@abcde", 202), ("@" + "a" * 32, 202),
    ("", 422), ("@", 422), ("@" + "a" * 200, 422), ("nobody", 422), ("1.5", 422), (1.5, 422),
    ("@a b", 422), ("@имя", 422), ("12\n34", 422), (" 12", 422), ("+12", 422), ("-", 422),
    ("--1", 422), (True, 422), (None, 422), ({}, 422), ([1], 422), (2**63, 422), ("9" * 40, 422),
], ids=repr)
def test_chat_id(sim, core, chat_id, status):
    reply = core.create_message(**{**TO_CHAT, "chat_id": chat_id})
    reply.expect(status)
    if status == 422:
        assert reply.fault_paths == ["chat_id"]
    else:
        take(sim, reply.json)


@pytest.mark.parametrize("length, status", [(1, 404), (128, 404), (0, 422), (129, 422)])
def test_account_id(core, length, status):
    reply = core.create_message(**{**TO_PERSON, "account_id": "a" * length})
    reply.expect(status)
    assert status == 404 or reply.fault_paths == ["account_id"]


@pytest.mark.parametrize("recipient", [
    "89160000001", "+7916000000", "+791600000011", "+1916000000123456", "", 79160000001, None,
])
def test_recipient(core, account, recipient):
    reply = core.create_message(
        **{**TO_PERSON, "account_id": account, "recipient": recipient})
    reply.expect(422, "validation_error")
    assert reply.fault_paths == ["recipient"]


@pytest.mark.parametrize("body, paths", [
    ({}, ["channel", "text"]),
    (without(TO_CHAT, "channel"), ["channel"]),
    (without(TO_CHAT, "text"), ["text"]),
    (without(TO_CHAT, "chat_id"), ["chat_id"]),
    ({**TO_CHAT, "channel": "sms"}, ["channel"]),
    ({**TO_CHAT, "channel": "flash_call"}, ["channel"]),
    ({**TO_CHAT, "channel": None}, ["channel"]),
    ({**TO_CHAT, "account_id": "main"}, ["account_id"]),
    ({**TO_CHAT, "recipient": "+79160000001"}, ["recipient"]),
    ({**TO_CHAT, "parse_mode": "HTML"}, ["parse_mode"]),
    (without(TO_PERSON, "account_id"), ["account_id"]),
    (without(TO_PERSON, "recipient"), ["recipient"]),
    (without(TO_PERSON, "account_id", "recipient"), ["account_id", "recipient"]),
    ({**TO_PERSON, "chat_id": 1}, ["chat_id"]),
    ({**TO_PERSON, "chat_id": "1", "text": ""}, ["chat_id", "text"]),
], ids=lambda value: ",".join(value) if isinstance(value, list) else "")
def test_faulty_message_is_422(core, body, paths):
    reply = core.create_message(**body)
    reply.expect(422, "validation_error")
    known = {"channel", "text", "chat_id", "account_id", "recipient", "parse_mode"}
    assert set(reply.fault_paths) <= known
    if body:
        assert sorted(reply.fault_paths) == sorted(paths)
    else:
        assert set(paths) <= set(reply.fault_paths)


@pytest.mark.parametrize("text, is_taken", [
    ("\U0001F355" * 2048, True), ("\U0001F355" * 2049, False), ("\u0416" * 4096, True),
    ("\U0001F355" * 2047 + "ab", True), ("\U0001F355" * 2047 + "abc", False)],
    ids=lambda value: str(value)[-4:])
def test_text_of_the_bot_is_measured_as_the_messenger_does(sim, core, text, is_taken):
    """In units of UTF-16, of which an emoji is two."""
    reply = core.create_message(**{**TO_CHAT, "chat_id": fresh_chat(), "text": text})
    reply.expect(202 if is_taken else 422)
    if is_taken:
        take(sim, reply.json)
    else:
        assert reply.fault_paths == ["text"]


@pytest.mark.parametrize("key, status", [
    (None, 422), ("", 422), ("k", 202), ("k" * 200, 202), ("k" * 201, 422), ("a b", 202),
], ids=lambda value: str(value)[:4])
def test_idempotency_key(sim, core, key, status):
    key = key and key.replace("k" * 10, fresh_key()[:10], 1)
    reply = core.create_message(key, **{**TO_CHAT, "chat_id": fresh_chat()})
    reply.expect(status)
    if status == 202:
        take(sim, reply.json)


# --- who may, and what for


@pytest.mark.parametrize("message_id", [MISSING_ID, "no-uuid"])
def test_unknown_message_is_404(core, message_id):
    core.message(message_id).expect(404, "not_found")


def test_key_is_needed(core):
    headers = {"X-Internal-API-Key": None, "Idempotency-Key": fresh_key()}
    core.post("/internal/v1/messages", TO_CHAT, headers=headers).expect(401, "unauthorized")
    core.get(f"/internal/v1/messages/{MISSING_ID}",
             headers={"X-Internal-API-Key": None}).expect(401, "unauthorized")


@pytest.mark.parametrize("method, path, allowed", [
    ("PUT", "/internal/v1/messages", "POST"), ("DELETE", "/internal/v1/messages", "POST"),
    ("POST", f"/internal/v1/messages/{MISSING_ID}", "GET"),
])
def test_other_methods_are_405(core, method, path, allowed):
    reply = core.request(method, path, {} if method == "POST" else NOTHING)
    reply.expect(405, "method_not_allowed")
    assert allowed in reply.header("Allow")


def test_bodies_are_held_to_the_conventions(core):
    headers = {"Idempotency-Key": fresh_key()}
    path = "/internal/v1/messages"
    core.request("POST", path, raw=b"{broken", headers=headers).expect(422, "validation_error")
    core.request("POST", path, raw=b'{"text":"a","text":"b"}', headers=headers).expect(422)
    core.request("POST", path, raw=b" " * 65537, headers=headers).expect(413)
    core.request("POST", path, raw=b"{}", headers={**headers, "Content-Type": "text/plain"}
                 ).expect(415, "unsupported_media_type")


# --- what is answered


def test_text_is_in_no_answer(sim, core, account):
    text = "canary of a message that is nobody's business"
    to_chat = core.create_message(**{**TO_CHAT, "chat_id": fresh_chat(), "text": text})
    to_person = core.create_message(**{
        **TO_PERSON, "account_id": account, "recipient": fresh_number(), "text": text})
    for reply in (to_chat, to_person):
        read = core.message(reply.expect(202)["id"])
        assert "canary" not in (reply.body + read.body).decode()
    take(sim, to_chat.json)


def test_keys_are_a_family_of_their_own(sim, core, ready_phone):
    """The key of a code or a challenge may be used for a message too."""
    key = fresh_key()
    core.create_challenge(fresh_number(), key).expect(201)
    core.create_otp(fresh_number(), key).expect(201)
    message = core.create_message(key, **{**TO_CHAT, "chat_id": fresh_chat()}).expect(202)
    take(sim, message)


def test_same_body_is_the_same_json_value(sim, core):
    key, chat = fresh_key(), fresh_chat()
    headers = {"Idempotency-Key": key}
    first = core.request("POST", "/internal/v1/messages", headers=headers, raw=(
        b'{"channel":"messenger_bot","chat_id":%d,"text":"Hello"}' % chat))
    again = core.request("POST", "/internal/v1/messages", headers=headers, raw=(
        b'{ "text" : "H\\u0065llo", "chat_id":%d,\n"channel":"messenger_bot"}' % chat))
    assert first.expect(202)["id"] == again.expect(202)["id"]
    assert again.replayed
    as_text = core.request("POST", "/internal/v1/messages", headers=headers, raw=(
        b'{"channel":"messenger_bot","chat_id":"%d","text":"Hello"}' % chat))
    as_text.expect(409, "idempotency_conflict")
    take(sim, first.json)


def test_refused_message_leaves_its_key_free(sim, core):
    key = fresh_key()
    core.create_message(key, **{**TO_PERSON, "account_id": "nobody"}).expect(404, "not_found")
    message = core.create_message(key, **{**TO_CHAT, "chat_id": fresh_chat()}).expect(202)
    take(sim, message)


def test_many_at_once(sim, core, account):
    """Both ways side by side; each is one message."""
    people = [fresh_number() for _ in range(10)]

    def make(index):
        if index % 2:
            return core.create_message(**{**TO_CHAT, "chat_id": fresh_chat()}).expect(202)
        return core.create_message(**{
            **TO_PERSON, "account_id": account, "recipient": people[index // 2]}).expect(202)

    made = at_once(20, make)
    assert len({message["id"] for message in made}) == 20
    for message in made:
        check_shape(core.message(message["id"]).expect(200), MESSAGE)
        if message["channel"] == "messenger_bot":
            take(sim, message)
