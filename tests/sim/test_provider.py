"""Each provider's wire format: what it answers to a good request, and how it refuses a bad one."""

import re
import uuid

import pytest

from provider_client import BOT, GATEWAY, PLUSOFON, UCALLER, UNIBELL

PHONE = "+79161234567"


def claim_all(sim, provider, count):
    """Claims so many calls of the provider; the records."""
    return [sim.claim(provider=provider) for _ in range(count)]


# --- Telegram Gateway -------------------------------------------------------------------------


def send_code(sim, **fields):
    return sim.gateway(
        "sendVerificationMessage", **({"phone_number": PHONE, "code": "123456"} | fields)
    )


def gateway_status(sim, request_id, **fields):
    return sim.gateway("checkVerificationStatus", request_id=request_id, **fields).json["result"]


def test_gateway_sends_a_code(sim):
    answer = send_code(sim, ttl=300, payload="otp-1")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json["ok"] is True
    result = answer.json["result"]
    assert isinstance(result["request_id"], str)
    assert result["phone_number"] == PHONE
    assert result["request_cost"] == 0.01
    assert isinstance(result["remaining_balance"], float)
    assert result["delivery_status"]["status"] == "sent"
    assert isinstance(result["delivery_status"]["updated_at"], int)
    assert result["payload"] == "otp-1"
    assert sim.code(PHONE) == "123456"
    call = sim.claim(provider="telegram_gateway", method="sendVerificationMessage")
    assert call["had_effect"] and call["recipient"] == PHONE and call["code"] == "123456"
    assert call["send_id"] == result["request_id"]
    assert call["request"]["json"] == {
        "phone_number": PHONE, "code": "123456", "ttl": 300, "payload": "otp-1",
    }
    assert call["request"]["headers"]["authorization"] == "Bearer gateway-token"
    assert call["answer"] == {
        "status": 200, "body": answer.body.decode(), "length": len(answer.body), "cut": False,
    }


def test_gateway_chooses_a_code_itself(sim):
    assert sim.gateway("sendVerificationMessage", phone_number=PHONE, code_length=5).json["ok"]
    assert re.fullmatch("[0-9]{5}", sim.code(PHONE))
    claim_all(sim, "telegram_gateway", 1)


def test_gateway_has_no_idempotency(sim):
    first, second = send_code(sim), send_code(sim)
    assert first.json["result"]["request_id"] != second.json["result"]["request_id"]
    assert all(call["had_effect"] for call in claim_all(sim, "telegram_gateway", 2))


def test_gateway_ability_pays_for_one_message(sim):
    ability = sim.gateway("checkSendAbility", phone_number=PHONE).json["result"]
    assert "delivery_status" not in ability
    sent = send_code(sim, request_id=ability["request_id"]).json["result"]
    assert sent["request_id"] == ability["request_id"]
    assert "remaining_balance" not in sent
    assert send_code(sim, request_id=ability["request_id"]).json == {
        "ok": False, "error": "MESSAGE_ALREADY_SENT",
    }
    other = send_code(sim, request_id=ability["request_id"], phone_number="+79160000000")
    assert other.json["error"] == "REQUEST_ID_INVALID"
    effects = [call["had_effect"] for call in claim_all(sim, "telegram_gateway", 4)]
    assert effects == [False, True, False, False]


@pytest.mark.parametrize(
    ("fate", "word"),
    [("pending", "sent"), ("delivered", "delivered"), ("read", "read"), ("undelivered", "expired")],
)
def test_gateway_delivery_status(sim, fate, word):
    sim.told("outcome", provider="telegram_gateway", status=fate)
    request_id = send_code(sim).json["result"]["request_id"]
    result = gateway_status(sim, request_id)
    assert result["delivery_status"]["status"] == word
    assert result.get("is_refunded", False) == (fate == "undelivered")
    claim_all(sim, "telegram_gateway", 2)


def test_gateway_delivery_takes_its_time(sim):
    sim.told("outcome", status="delivered", after_ms=60000)
    request_id = send_code(sim).json["result"]["request_id"]
    assert gateway_status(sim, request_id)["delivery_status"]["status"] == "sent"
    claim_all(sim, "telegram_gateway", 2)


def test_gateway_verification_status(sim):
    request_id = send_code(sim).json["result"]["request_id"]
    assert "verification_status" not in gateway_status(sim, request_id)
    wrong = gateway_status(sim, request_id, code="000000")["verification_status"]
    assert (wrong["status"], wrong["code_entered"]) == ("code_invalid", "000000")
    right = gateway_status(sim, request_id, code="123456")["verification_status"]
    assert right["status"] == "code_valid"
    assert gateway_status(sim, request_id)["verification_status"]["status"] == "code_valid"
    unknown = sim.gateway("checkVerificationStatus", request_id="1")
    assert unknown.json == {"ok": False, "error": "REQUEST_ID_INVALID"}
    claim_all(sim, "telegram_gateway", 6)


def test_gateway_revokes_what_is_not_delivered(sim):
    for fate, word in (("pending", "revoked"), ("delivered", "delivered")):
        sim.told("outcome", status=fate)
        request_id = send_code(sim).json["result"]["request_id"]
        answer = sim.gateway("revokeVerificationMessage", request_id=request_id)
        assert answer.json == {"ok": True, "result": True}
        assert gateway_status(sim, request_id)["delivery_status"]["status"] == word
    claim_all(sim, "telegram_gateway", 6)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"phone_number": "79161234567"}, "PHONE_NUMBER_INVALID"),
        ({"phone_number": 79161234567}, "PHONE_NUMBER_INVALID"),
        ({"phone_number": None}, "PHONE_NUMBER_INVALID"),
        ({"code": "123"}, "CODE_INVALID"),
        ({"code": "123456789"}, "CODE_INVALID"),
        ({"code": 123456}, "CODE_INVALID"),
        ({"code": "12a4"}, "CODE_INVALID"),
        ({"ttl": 29}, "TTL_INVALID"),
        ({"ttl": 3601}, "TTL_INVALID"),
        ({"ttl": "300"}, "TTL_INVALID"),
        ({"payload": "x" * 129}, "PAYLOAD_INVALID"),
        ({"callback_url": "ftp://example.com/"}, "CALLBACK_URL_INVALID"),
        ({"callback_url": "https://example.com/" + "x" * 237}, "CALLBACK_URL_INVALID"),
        ({"request_id": "77"}, "REQUEST_ID_INVALID"),
    ],
)
def test_gateway_refuses_bad_fields(sim, fields, error):
    answer = send_code(sim, **fields)
    assert (answer.status, answer.json) == (200, {"ok": False, "error": error})
    assert not sim.claim(provider="telegram_gateway")["had_effect"]


@pytest.mark.parametrize(
    "fields",
    [
        {"code": "1234"}, {"code": "12345678"}, {"ttl": 30}, {"ttl": 3600}, {"payload": "x" * 128},
        {"callback_url": "https://example.com/" + "x" * 236},
    ],
)
def test_gateway_takes_the_limits(sim, fields):
    sim.told("outcome", status="delivered", report=False)
    assert send_code(sim, **fields).json["ok"] is True
    claim_all(sim, "telegram_gateway", 1)


def test_gateway_needs_a_code_or_its_length(sim):
    answer = sim.gateway("sendVerificationMessage", phone_number=PHONE)
    assert answer.json["error"] == "CODE_LENGTH_INVALID"
    claim_all(sim, "telegram_gateway", 1)


def test_gateway_refuses_other_tokens_methods_and_bodies(sim):
    for headers in ({}, {"Authorization": "Bearer gateway-toke"}, {"Authorization": "gateway-token"}):
        answer = sim.post("/checkSendAbility", {"phone_number": PHONE}, headers)
        assert answer.json == {"ok": False, "error": "ACCESS_TOKEN_INVALID"}
    assert sim.gateway("sendMessages").json["error"] == "UNKNOWN_METHOD"
    for body in (b"{", b"[]", b'{"phone_number":"\xff"}'):
        assert sim.post("/checkSendAbility", body, GATEWAY).json["error"] == "REQUEST_INVALID"
    calls = claim_all(sim, "telegram_gateway", 7)
    assert calls[3]["method"] is None
    assert calls[6]["request"]["json"] is None
    assert calls[6]["request"]["body"] == '{"phone_number":"?"}'


# --- Telegram bot -----------------------------------------------------------------------------


@pytest.mark.parametrize(("chat", "shown"), [(42, 42), ("42", 42), (-1001, -1001)])
def test_bot_sends_a_message(sim, chat, shown):
    result = sim.bot("sendMessage", chat_id=chat, text="Привет").json["result"]
    assert isinstance(result["message_id"], int)
    assert result["chat"]["id"] == shown
    assert result["text"] == "Привет"
    assert result["from"]["is_bot"] is True
    call = sim.claim(provider="telegram_bot", recipient=str(chat))
    assert call["had_effect"] and call["request"]["json"]["text"] == "Привет"


def test_bot_names_itself(sim):
    answer = sim.call("GET", f"{BOT}/getMe")
    assert answer.json["ok"] and answer.json["result"]["is_bot"] is True
    assert not sim.claim(provider="telegram_bot", method="getMe")["had_effect"]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"text": "x"}, "Bad Request: chat_id is empty"),
        ({"chat_id": "nobody", "text": "x"}, "Bad Request: chat not found"),
        ({"chat_id": 1.5, "text": "x"}, "Bad Request: chat not found"),
        ({"chat_id": 1}, "Bad Request: message text is empty"),
        ({"chat_id": 1, "text": ""}, "Bad Request: message text is empty"),
        ({"chat_id": 1, "text": "ы" * 4097}, "Bad Request: message is too long"),
    ],
)
def test_bot_refuses_bad_fields(sim, fields, text):
    answer = sim.bot("sendMessage", **fields)
    assert (answer.status, answer.json) == (
        400, {"ok": False, "error_code": 400, "description": text},
    )
    claim_all(sim, "telegram_bot", 1)


def test_bot_takes_4096_characters(sim):
    assert sim.bot("sendMessage", chat_id=1, text="ы" * 4096).json["ok"]
    claim_all(sim, "telegram_bot", 1)


def test_bot_refuses_other_tokens_and_methods(sim):
    for token in ("1000:bot-toke", "1000:bot-token2", ""):
        answer = sim.post(f"/bot{token}/getMe")
        assert (answer.status, answer.json) == (
            401, {"ok": False, "error_code": 401, "description": "Unauthorized"},
        )
    answer = sim.post(f"{BOT}/sendMessages")
    assert (answer.status, answer.json["description"]) == (404, "Not Found")
    claim_all(sim, "telegram_bot", 4)


# --- uCaller ----------------------------------------------------------------------------------


def init_call(sim, **fields):
    return sim.ucaller("initCall", **({"phone": 79161234567, "code": "0123"} | fields))


def test_ucaller_calls_once_for_a_unique(sim):
    unique = str(uuid.uuid4())
    first = init_call(sim, unique=unique, client="otp")
    assert first.status == 200
    assert first.json == {
        "status": True, "ucaller_id": first.json["ucaller_id"], "phone": 79161234567,
        "code": "0123", "client": "otp", "unique_request_id": unique,
    }
    assert isinstance(first.json["ucaller_id"], int)
    again = init_call(sim, unique=unique, client="otp")
    assert again.json == first.json | {"exists": True}
    other = init_call(sim, unique=str(uuid.uuid4()))
    assert other.json["ucaller_id"] != first.json["ucaller_id"]
    calls = claim_all(sim, "ucaller", 3)
    assert [call["had_effect"] for call in calls] == [True, False, True]
    assert calls[0]["send_id"] == calls[1]["send_id"]
    assert sim.stats("ucaller")["effects"] == 2
    assert sim.code("8 (916) 123-45-67") == "0123"


def test_ucaller_chooses_a_code_itself(sim):
    answer = sim.ucaller("initCall", phone=79161234567)
    assert answer.json["code"] == sim.code(PHONE)
    assert re.fullmatch("[0-9]{4}", answer.json["code"])
    claim_all(sim, "ucaller", 1)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"phone": "79161234567"}, 3),
        ({"phone": None}, 3),
        ({"phone": 12}, 3),
        ({"code": "123"}, 2),
        ({"code": "12345"}, 2),
        ({"code": "0000"}, 2),
        ({"code": 123}, 2),
        ({"client": "x" * 65}, 2),
        ({"unique": 7}, 2),
    ],
)
def test_ucaller_refuses_bad_fields(sim, fields, code):
    refused = init_call(sim, **fields).json
    assert (refused["status"], refused["code"]) == (False, code)
    assert refused["error"]
    assert "ucaller_id" not in refused
    assert not sim.claim(provider="ucaller")["had_effect"]


@pytest.mark.parametrize("code", ["0001", "9999", 1000])
def test_ucaller_takes_codes(sim, code):
    assert init_call(sim, code=code).json["code"] == str(code)
    claim_all(sim, "ucaller", 1)


def test_ucaller_refuses_what_it_does_not_know(sim):
    assert sim.ucaller("initCall", code="1234").json["code"] == 1
    assert sim.ucaller("initCalls").json["code"] == 4
    assert sim.ucaller("getInfo", uid=1).json["code"] == 4
    assert sim.ucaller("getInfo").json["code"] == 1
    for key in ("ucaller-key.1001", "ucaller-key", "ucaller-ke.1000"):
        answer = sim.post("/v1.0/initCall", {}, {"Authorization": f"Bearer {key}"})
        assert (answer.status, answer.json["code"]) == (401, 401)
    claim_all(sim, "ucaller", 7)


@pytest.mark.parametrize(("fate", "status"), [("pending", -1), ("delivered", 1), ("undelivered", 0)])
def test_ucaller_info(sim, fate, status):
    sim.told("outcome", recipient=PHONE, status=fate)
    uid = init_call(sim).json["ucaller_id"]
    info = sim.ucaller("getInfo", uid=uid).json
    assert info["status"] is True and info["ucaller_id"] == uid
    assert info["call_status"] == status
    by_query = sim.call("GET", f"/v1.0/getInfo?uid={uid}&key=ucaller-key&service_id=1000")
    assert by_query.json == info
    claim_all(sim, "ucaller", 3)


def test_ucaller_info_may_miss_fields(sim):
    sim.behave("silent", provider="ucaller", method="initCall", count=1)
    uid = init_call(sim).json["ucaller_id"]
    assert "call_status" not in sim.ucaller("getInfo", uid=uid).json
    claim_all(sim, "ucaller", 2)


def test_ucaller_cannot_reach_a_subscriber(sim):
    sim.behave("unreachable_recipient", recipient=PHONE, count=2)
    unique = str(uuid.uuid4())
    answer = init_call(sim, unique=unique)
    assert answer.json["status"] is False and "error" not in answer.json
    uid = answer.json["ucaller_id"]
    assert init_call(sim, unique=unique).json == answer.json | {"exists": True}
    assert sim.ucaller("getInfo", uid=uid).json["call_status"] == 0
    assert not any(call["had_effect"] for call in claim_all(sim, "ucaller", 3))


# --- The others -------------------------------------------------------------------------------


def test_sms_ru_chooses_the_code(sim):
    answer = sim.sms_ru()
    assert answer.json == {
        "status": "OK", "code": sim.code(PHONE), "call_id": answer.json["call_id"], "cost": 0.4,
        "balance": answer.json["balance"],
    }
    assert re.fullmatch("[0-9]{4}", answer.json["code"])
    assert re.fullmatch("[0-9]+-[0-9]+", answer.json["call_id"])
    call = sim.claim(provider="sms_ru", recipient=PHONE)
    assert call["request"]["query"] == "api_id=sms-ru-id&phone=79161234567&ip=-1"


def test_sms_ru_refuses(sim):
    for answer in (sim.sms_ru(api_id="other"), sim.sms_ru(phone="x"), sim.sms_ru(phone="")):
        assert answer.status == 200
        assert set(answer.json) == {"status", "status_text"}
        assert answer.json["status"] == "ERROR"
    assert not any(call["had_effect"] for call in claim_all(sim, "sms_ru", 3))


def test_unibell_takes_our_code(sim):
    answer = sim.unibell(number=PHONE, code=1234, timeout=60000)
    assert answer.status == 200
    assert set(answer.json) == {"requestId", "from"}
    assert isinstance(answer.json["requestId"], int)
    assert answer.json["from"].endswith("1234")
    assert sim.code(PHONE, provider="unibell") == "1234"
    claim_all(sim, "unibell", 1)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"code": "1234"}, 10), ({"code": 999}, 10), ({"code": 10000}, 10), ({"timeout": 0}, 10),
        ({"timeout": "60000"}, 10), ({"number": "+7"}, 11), ({"number": 79161234567}, 11),
    ],
)
def test_unibell_refuses_bad_fields(sim, fields, code):
    answer = sim.unibell(**({"number": PHONE, "code": 1234, "timeout": 60000} | fields))
    assert (answer.status, answer.json["errorCode"]) == (400, code)
    assert answer.json["errorReason"]
    claim_all(sim, "unibell", 1)


def test_unibell_refuses_other_keys(sim):
    for headers in ({}, {"X-Authorization": "AccessKey x"}, {"X-Authorization": "unibell-key"}):
        answer = sim.post("/apps/flash/calls/flash", {}, headers)
        assert (answer.status, answer.json["errorCode"]) == (401, 1)
    claim_all(sim, "unibell", 3)


def test_plusofon(sim):
    answer = sim.plusofon(phone="79161234567", pin="0007")
    assert answer.json["success"] is True
    assert set(answer.json["data"]) == {"key", "operator"}
    assert sim.code(PHONE) == "0007"
    for fields in ({"phone": 79161234567, "pin": "1234"}, {"phone": "79161234567", "pin": 1234}):
        refused = sim.plusofon(**fields)
        assert (refused.status, refused.json["success"]) == (200, False)
    for missing, status in (("Authorization", 401), ("Client", 403)):
        headers = {name: value for name, value in PLUSOFON.items() if name != missing}
        assert sim.post("/api/v1/flash-call/send", {}, headers).status == status
    claim_all(sim, "plusofon", 5)


def test_zvonok(sim):
    ours = sim.zvonok(phone=PHONE, phone_suffix="4321").json
    assert ours["status"] == "ok" and ours["data"]["pincode"] == "4321"
    theirs = sim.zvonok(phone=PHONE).json["data"]
    assert theirs["pincode"] == sim.code(PHONE) and isinstance(theirs["call_id"], int)
    for fields in ({"public_key": "x"}, {"campaign_id": "x"}, {"phone": "x"}, {"phone_suffix": "1"}):
        assert sim.zvonok(**({"phone": PHONE} | fields)).json["status"] == "error"
    assert claim_all(sim, "zvonok", 6)[0]["recipient"] == PHONE


def test_smsc(sim):
    answer = sim.smsc().json
    assert set(answer) == {"id", "cnt", "code"}
    assert re.fullmatch("[0-9]{6}", answer["code"])
    assert sim.code(PHONE) == answer["code"][-4:]
    faults = {"login": "x", "psw": "x", "phones": "x", "mes": "hello", "fmt": 1}
    codes = [sim.smsc(**{name: value}).json["error_code"] for name, value in faults.items()]
    assert codes == [2, 2, 7, 1, 1]
    claim_all(sim, "smsc", 6)


def test_an_unknown_verb_is_an_unknown_method(sim):
    assert sim.call("PUT", "/v1.0/initCall", {}, UCALLER).json["code"] == 4
    answer = sim.call("GET", "/apps/flash/calls/flash", headers=UNIBELL)
    assert answer.json["errorCode"] == 10
    claim_all(sim, "ucaller", 1)
    claim_all(sim, "unibell", 1)
