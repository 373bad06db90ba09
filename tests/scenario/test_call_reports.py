"""Calls as other applications report them: httpSMS, CallGate, and templates of Tasker and MacroDroid.

Contract, section 15.3: a report proves that it was a call, of whom, and on which SIM, or it confirms
nothing.
"""

import json
import re
import time
from datetime import datetime, timedelta, timezone

import pytest

from harness.call_apps import CallGate, HttpSms
from harness.shapes import EVENT_RESULT, check_shape, format_time
from harness.site import PROJECT
from harness.tools import at_once, eventually, fresh_key, fresh_number

DAY_S = 24 * 60 * 60
CALLS = "/device/v1/calls"
RESULT = {**EVENT_RESULT, "reason": lambda value: value is None or bool(value)}


def template(phone, caller, **fields):
    """What the page about phones tells to write into Tasker and MacroDroid."""
    now = int(time.time() * 1000)
    body = {"kind": "call", "gateway_number": phone.number, "caller": caller,
            "occurred_at": str(now), "sent_at": str(now), **fields}
    return {name: value for name, value in body.items() if value is not ...}


def read(reply):
    return check_shape(reply.expect(200), RESULT)


def by_template(core, phone):
    return lambda caller, shift_s=0: phone.post(CALLS, template(
        phone, caller, occurred_at=int(time.time() + shift_s), sent_at=...))


def by_httpsms(core, phone):
    app = HttpSms(phone)
    return lambda caller, shift_s=0: app.miss(
        caller, moment=datetime.now(timezone.utc) + timedelta(seconds=shift_s))


def by_callgate(core, phone):
    app = CallGate(phone, core.callgate(phone.device_id).expect(200))
    return lambda caller, shift_s=0: app.call(caller, offset_s=shift_s)


APPS = pytest.mark.parametrize("app", [by_template, by_httpsms, by_callgate])


def challenge(core, phone, caller=None):
    return core.create_challenge(caller or fresh_number(), gateway_number=phone.number).expect(201)


def state_of(core, asked):
    return core.challenge(asked["id"]).expect(200)["state"]


# --- what all of them have in common


@APPS
def test_a_call_confirms(core, phone, app):
    ring = app(core, phone)
    asked = challenge(core, phone)
    answer = read(ring(asked["caller"]))
    assert answer["result"] == "confirmed" and answer["challenge_id"] == asked["id"]
    assert answer["reason"] is None and answer["duplicate"] is False
    assert state_of(core, asked) == "confirmed"


@APPS
def test_caller_in_the_shapes_that_phones_report(core, phone, app):
    ring = app(core, phone)
    for shape in ("7{}", "8{}"):
        asked = challenge(core, phone)
        assert read(ring(shape.format(asked["caller"][2:])))["result"] == "confirmed"


@APPS
@pytest.mark.parametrize("caller", [None, "", "Unknown", "-1", "%CNUM", "{call_number}"])
def test_a_missing_number_confirms_nothing(core, phone, app, caller):
    asked = challenge(core, phone)
    answer = read(app(core, phone)(caller))
    assert answer["result"] == "no_challenge" and "hidden" in answer["reason"]
    assert state_of(core, asked) == "pending"


@APPS
def test_a_call_of_another_confirms_nothing(core, phone, app):
    asked = challenge(core, phone)
    answer = read(app(core, phone)(fresh_number()))
    assert answer["result"] == "no_challenge" and "asked to call" in answer["reason"]
    assert state_of(core, asked) == "pending"


@APPS
@pytest.mark.parametrize("shift_s", [-DAY_S, DAY_S])
def test_a_clock_that_is_a_day_off_confirms_nothing(core, phone, app, shift_s):
    asked = challenge(core, phone)
    answer = read(app(core, phone)(asked["caller"], shift_s))
    assert answer["result"] == "late" and "clock" in answer["reason"]
    assert state_of(core, asked) == "pending"


@pytest.mark.parametrize("shift_s", [-DAY_S, DAY_S])
def test_a_clock_that_is_a_day_off_confirms_nothing_with_sent_at_either(core, phone, shift_s):
    """The offset is not taken out where it is more than an hour."""
    asked = challenge(core, phone)
    moment = int(time.time() + shift_s)
    body = template(phone, asked["caller"], occurred_at=moment, sent_at=moment)
    answer = read(phone.post(CALLS, body))
    assert answer["result"] == "late" and answer["reason"]
    assert state_of(core, asked) == "pending"


@APPS
def test_a_disabled_phone_confirms_nothing(core, phone, app):
    ring = app(core, phone)
    asked = challenge(core, phone)
    core.enable(phone.device_id, False).expect(204)
    ring(asked["caller"]).expect(403, "device_disabled")
    assert state_of(core, asked) == "pending"


@APPS
def test_a_rotated_key_ends_it(core, phone, app):
    ring = app(core, phone)
    core.rotate_key(phone.device_id).expect(200)
    ring(fresh_number()).expect(401, "unauthorized")


@APPS
def test_a_removed_phone_is_nobody(core, site, app):
    phone = site.phone(core)
    ring = app(core, phone)
    core.remove_device(phone.device_id).expect(204)
    ring(fresh_number()).expect(401, "unauthorized")


@APPS
def test_what_comes_of_it_is_in_the_log(core, phone, app):
    request_id = app(core, phone)(None).header("X-Request-Id")
    entries = eventually(
        lambda: core.get(f"/internal/v1/logs?request_id={request_id}").expect(200)["entries"])
    assert any(entry["fields"].get("device_id") == phone.device_id for entry in entries), entries


# --- templates


@pytest.mark.parametrize("kind", ["call", "Incoming Call", "MISSED CALL", " ringing "])
def test_words_for_a_call(core, phone, kind):
    asked = challenge(core, phone)
    reply = phone.post(CALLS, template(phone, asked["caller"], kind=kind))
    assert read(reply)["result"] == "confirmed"


@pytest.mark.parametrize("kind", ["Incoming SMS", "sms", "call ended", "outgoing call", "", "%kind"])
def test_what_says_that_it_is_something_else_confirms_nothing(core, phone, kind):
    asked = challenge(core, phone)
    answer = read(phone.post(CALLS, template(phone, asked["caller"], kind=kind)))
    assert answer["result"] == "no_challenge" and "kind" in answer["reason"]
    assert state_of(core, asked) == "pending"
    assert read(phone.post(CALLS, template(phone, asked["caller"])))["result"] == "confirmed"


def test_a_report_that_is_sent_again_confirms_nothing_more(core, phone):
    asked = challenge(core, phone)
    body = template(phone, asked["caller"])
    first = read(phone.post(CALLS, body))
    again = challenge(core, phone, asked["caller"])
    second = read(phone.post(CALLS, body))
    assert second == {**first, "duplicate": True}
    assert state_of(core, again) == "pending"


def test_a_report_that_is_sent_again_with_another_id_confirms_nothing_more(core, phone):
    asked = challenge(core, phone)
    body = template(phone, asked["caller"], event_id=fresh_key())
    assert read(phone.post(CALLS, body))["event_id"] == body["event_id"]
    again = challenge(core, phone, asked["caller"])
    answer = read(phone.post(CALLS, {**body, "event_id": fresh_key()}))
    assert answer["result"] == "no_challenge" and "60 s" in answer["reason"]
    assert state_of(core, again) == "pending"


@pytest.mark.parametrize("many", [48, 49, 60])
def test_a_call_confirms_no_more_however_many_challenges_came_since(core, phone, many):
    """Of its caller 50 challenges are read, and those of one who asks again and again hid it."""
    asked = challenge(core, phone)
    body = template(phone, asked["caller"], event_id=fresh_key())
    assert read(phone.post(CALLS, body))["result"] == "confirmed"
    for _ in range(many):
        core.cancel_challenge(challenge(core, phone, asked["caller"])["id"]).expect(204)
    again = challenge(core, phone, asked["caller"])
    answer = read(phone.post(CALLS, {**body, "event_id": fresh_key()}))
    assert answer["result"] == "no_challenge" and "60 s" in answer["reason"]
    assert state_of(core, again) == "pending"


def add_canceled(site, caller, number, count):
    """Challenges of the last minutes, each a millisecond after the other."""
    now, row = int(time.time() * 1000) - 60_000, "INSERT INTO call_challenge (id, caller, gateway_number, state, created_at, expires_at)"
    numbers, an_id = {
        "sqlite": (f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
                   " SELECT {} FROM n", "randomblob(16)"),
        "postgres": (f"SELECT {{}} FROM generate_series(1, {count}) AS n(i)",
                     "decode(md5(random()::text), 'hex')")}[site.engine]
    site.ask(f"{row} " + numbers.format(
        f"{an_id}, '{caller}', '{number}', 'canceled', {now} + i, {now} + 300000"))


@pytest.mark.parametrize("others, result", [(1959, "confirmed"), (1960, "no_challenge")])
def test_where_too_many_came_to_look_through_a_call_confirms_nothing(site, core, phone, others, result):
    caller = fresh_number()
    add_canceled(site, caller, phone.number, others)
    asked = challenge(core, phone, caller)
    assert read(phone.post(CALLS, template(phone, caller)))["result"] == result
    assert state_of(core, asked) == ("confirmed" if result == "confirmed" else "pending")


@pytest.mark.parametrize("field", ["text", "content", "message", "body"])
@pytest.mark.parametrize("text", ["call me", "0", " ", "%SMSRB", "\U0001f4de" * 1000])
def test_a_template_that_sends_the_text_of_an_sms_confirms_nothing(core, phone, field, text):
    """Its rule fires for SMS, and `kind` is typed into it."""
    asked = challenge(core, phone)
    answer = read(phone.post(CALLS, template(phone, asked["caller"], **{field: text})))
    assert answer["result"] == "no_challenge" and "text of a message" in answer["reason"]
    assert state_of(core, asked) == "pending"
    for nothing in ("", None):
        body = template(phone, asked["caller"], **{field: nothing})
        assert read(phone.post(CALLS, body))["result"] in ("confirmed", "no_challenge")
        assert state_of(core, asked) == "confirmed"


@pytest.mark.parametrize("value", [1, True, ["call me"], {"text": "call me"}])
def test_a_text_that_is_no_string_is_422(core, phone, value):
    asked = challenge(core, phone)
    reply = phone.post(CALLS, template(phone, asked["caller"], text=value))
    reply.expect(422, "validation_error")
    assert reply.fault_paths == ["text"]
    assert state_of(core, asked) == "pending"


def test_a_number_of_another_phone_is_403(core, new_phone):
    phone, thief = new_phone(), new_phone()
    asked = challenge(core, phone)
    for kind in ("call", "sms"):
        thief.post(CALLS, template(phone, asked["caller"], kind=kind)).expect(403, "number_not_owned")
    assert state_of(core, asked) == "pending"


@pytest.mark.parametrize("write", [
    lambda now: str(int(now.timestamp())),
    lambda now: int(now.timestamp()),
    lambda now: int(now.timestamp() * 1000),
    lambda now: format_time(now),
    lambda now: now.astimezone(timezone(timedelta(hours=7))).isoformat(),
], ids=["seconds", "number of seconds", "milliseconds", "UTC", "offset"])
def test_times_as_templates_write_them(core, phone, write):
    for has_sent_at in (False, True):
        asked = challenge(core, phone)
        moment = write(datetime.now(timezone.utc))
        sent_at = moment if has_sent_at else ...
        body = template(phone, asked["caller"], occurred_at=moment, sent_at=sent_at)
        assert read(phone.post(CALLS, body))["result"] == "confirmed"


@pytest.mark.parametrize("field", ["occurred_at", "sent_at"])
@pytest.mark.parametrize("value", ["", "now", "%TIMEMS", 0, -1, "2026-11-21", 10**15, 1.5, True])
def test_a_time_that_is_none_is_422(phone, field, value):
    reply = phone.post(CALLS, template(phone, fresh_number(), **{field: value}))
    reply.expect(422, "validation_error")
    assert reply.fault_paths == [field]


def filled(text, phone, caller, kind):
    """The template as an application fills it in: Tasker, MacroDroid, Incoming SMS gateway."""
    now = str(int(time.time() * 1000))
    for name, value in {
        "%CNUM": caller, "{call_number}": caller, "%from%": caller, "%messageType%": kind,
        "%TIMEMS": now, "{system_time_ms}": now, "%receivedStamp%": now,
        "+79160000001": phone.number,
    }.items():
        text = text.replace(name, value)
    return text.encode()


@pytest.mark.parametrize("template_number", range(3))
def test_templates_of_the_page_about_phones(core, phone, template_number):
    page = (PROJECT / "docs" / "phones.md").read_text(encoding="utf-8")
    templates = re.findall(r"```json\n(.*?)```", page, re.S)
    assert len(templates) == 3
    text = templates[template_number]
    asked = challenge(core, phone)
    if "%messageType%" in text:
        sms = filled(text, phone, asked["caller"], "Incoming SMS")
        assert read(phone.request("POST", CALLS, raw=sms))["result"] == "no_challenge"
    call = filled(text, phone, asked["caller"], "Incoming Call")
    assert read(phone.request("POST", CALLS, raw=call))["result"] == "confirmed"


@pytest.mark.parametrize("field", ["kind", "gateway_number", "occurred_at"])
def test_without_these_nothing_can_be_proven(phone, field):
    reply = phone.post(CALLS, template(phone, fresh_number(), **{field: ...}))
    reply.expect(422, "validation_error")
    assert reply.fault_paths == [field]


# --- httpSMS


def test_log_in_to_httpsms(core, new_phone):
    phone, other = new_phone(2), new_phone()
    app = HttpSms(phone)
    for sim, number in zip(("SIM1", "SIM2"), phone.numbers):
        answer = app.log_in(number, sim).expect(200)
        assert answer["status"] == "success" and answer["message"]
        assert answer["data"] == {"id": phone.device_id, "user_id": phone.device_id,
                                  "phone_number": number, "sim": sim}
    app.log_in(other.number).expect(403, "number_not_owned")
    app.log_in("79161234567").expect(422)
    app.headers["x-api-key"] = phone.device_key[:-1] + "?"
    app.log_in().expect(401, "unauthorized")
    del app.headers["x-api-key"]
    app.log_in().expect(401, "unauthorized")
    app.headers["X-Device-Key"] = phone.device_key  # which it never sends
    app.log_in().expect(401, "unauthorized")


def test_its_heartbeat_shows_that_the_phone_lives(core, phone):
    HttpSms(phone).beat().expect(204)
    status = eventually(lambda: core.read_device(phone.device_id).expect(200)["status"])
    assert status["charging"] is True


def test_an_sms_is_no_call(core, phone):
    asked = challenge(core, phone)
    app = HttpSms(phone)
    app.receive(asked["caller"], "call me").expect(204)
    app.receive(asked["caller"], "\U0001f4de" * 1000).expect(204)
    assert state_of(core, asked) == "pending"


def test_each_sim_has_its_own_calls(core, new_phone):
    phone = new_phone(2)
    app = HttpSms(phone)
    asked = challenge(core, phone)
    assert read(app.miss(asked["caller"], phone.numbers[1], sim="SIM2"))["result"] == "no_challenge"
    assert state_of(core, asked) == "pending"
    moment = datetime.now(timezone.utc)
    assert read(app.miss(asked["caller"], moment=moment))["result"] == "confirmed"


def test_a_sim_in_another_slot_than_its_number_confirms_nothing(core, new_phone):
    """The SIMs changed places since somebody typed their numbers into the application."""
    phone = new_phone(2)
    app = HttpSms(phone)
    asked = challenge(core, phone)
    assert "slots" in app.log_in(phone.number, "SIM2").expect(200)["message"]
    for _ in range(2):
        answer = read(app.miss(asked["caller"], phone.number, sim="SIM2"))
        assert answer["result"] == "no_challenge" and "slot" in answer["reason"]
    assert state_of(core, asked) == "pending"
    core.put(f"/internal/v1/devices/{phone.device_id}/slots",
             {"slots": phone.numbers[::-1]}).expect(200)
    answer = read(app.miss(asked["caller"], phone.number, sim="SIM1"))
    assert answer["result"] == "no_challenge" and "slot" in answer["reason"]
    assert "are taken" in app.log_in(phone.number, "SIM2").expect(200)["message"]
    assert read(app.miss(asked["caller"], phone.number, sim="SIM2"))["result"] == "confirmed"


def test_a_number_without_a_slot_confirms_nothing_by_httpsms(core, new_phone):
    phone = new_phone(2)
    asked = challenge(core, phone)
    core.put(f"/internal/v1/devices/{phone.device_id}/slots",
             {"slots": ["-", phone.numbers[1]]}).expect(200)
    for sim in ("SIM1", "SIM2"):
        answer = read(HttpSms(phone).miss(asked["caller"], phone.number, sim=sim))
        assert answer["result"] == "no_challenge" and "slot" in answer["reason"]
    assert state_of(core, asked) == "pending"


def test_a_missed_call_of_another_phones_sim_is_403(core, new_phone):
    phone, thief = new_phone(), new_phone()
    asked = challenge(core, phone)
    HttpSms(thief).miss(asked["caller"], phone.number).expect(403, "number_not_owned")
    assert state_of(core, asked) == "pending"


def test_a_missed_call_that_is_told_again_confirms_nothing_more(core, phone):
    """Android's work manager tries again when an answer is lost, maybe much later."""
    app, moment = HttpSms(phone), datetime.now(timezone.utc)
    asked = challenge(core, phone)
    first = read(app.miss(asked["caller"], moment=moment))
    assert first["result"] == "confirmed"
    again = challenge(core, phone, asked["caller"])
    assert read(app.miss(asked["caller"], moment=moment)) == {**first, "duplicate": True}
    assert state_of(core, again) == "pending"


def test_a_missed_call_from_before_is_late(core, phone):
    app, moment = HttpSms(phone), datetime.now(timezone.utc) - timedelta(seconds=30)
    asked = challenge(core, phone)
    assert read(app.miss(asked["caller"], moment=moment))["result"] == "late"
    assert state_of(core, asked) == "pending"


def test_httpsms_finds_nothing_to_send(phone):
    app = HttpSms(phone)
    app.get("/httpsms/v1/messages/outstanding?message_id=1").expect(404)
    app.post("/httpsms/v1/messages/1/events", {"event_name": "SENT"}).expect(404)


# --- CallGate


@pytest.fixture
def callgate(core, phone):
    return CallGate(phone, core.callgate(phone.device_id).expect(200))


def test_what_to_enter_in_callgate(core, phone, site):
    setup = core.callgate(phone.device_id).expect(200)
    assert set(setup) == {"url", "event", "signing_key"}
    assert setup["url"] == "http://{}:{}/callgate/v1/{}".format(*site.address, phone.device_id)
    assert setup["event"] == "call:ringing"
    assert len(setup["signing_key"]) == 32
    assert core.callgate(phone.device_id).expect(200) == setup
    core.callgate(fresh_key()).expect(404)
    core.rotate_key(phone.device_id).expect(200)
    assert core.callgate(phone.device_id).expect(200)["signing_key"] != setup["signing_key"]


def test_signing_keys_differ(core, new_phone):
    keys = {core.callgate(new_phone().device_id).expect(200)["signing_key"] for _ in range(3)}
    assert len(keys) == 3


@pytest.mark.parametrize("event", ["call:started", "call:ended", "sms:received", "call:Ringing"])
def test_other_webhooks_confirm_nothing(core, phone, callgate, event):
    asked = challenge(core, phone)
    answer = read(callgate.call(asked["caller"], event))
    assert answer["result"] == "no_challenge" and "call:ringing" in answer["reason"]
    assert state_of(core, asked) == "pending"


def test_android_tells_of_each_call_twice(core, phone, callgate):
    asked = challenge(core, phone)
    assert read(callgate.call(None))["result"] == "no_challenge"
    assert read(callgate.call(asked["caller"]))["result"] == "confirmed"


def test_which_of_two_sims_rang_is_not_proven(core, new_phone):
    phone = new_phone(2)
    app = CallGate(phone, core.callgate(phone.device_id).expect(200))
    asked = challenge(core, phone)
    answer = read(app.call(asked["caller"]))
    assert answer["result"] == "no_challenge" and "which SIM" in answer["reason"]
    assert state_of(core, asked) == "pending"


def test_a_webhook_that_is_played_again_confirms_nothing_more(core, phone, callgate):
    asked = challenge(core, phone)
    webhook_id = fresh_key()[-21:]
    first = read(callgate.call(asked["caller"], webhook_id=webhook_id))
    again = challenge(core, phone, asked["caller"])
    assert read(callgate.call(asked["caller"], webhook_id=webhook_id)) == {**first, "duplicate": True}
    assert state_of(core, again) == "pending"


def test_only_the_phones_own_signature_is_taken(core, new_phone):
    phone, other = new_phone(), new_phone()
    app = CallGate(phone, core.callgate(phone.device_id).expect(200))
    of_other = CallGate(other, core.callgate(other.device_id).expect(200))
    asked = challenge(core, phone)
    forged = json.dumps({"id": "1", "event": "call:ringing",
                         "payload": {"phoneNumber": asked["caller"]}}).encode()
    for changes in (
        {"raw": forged},
        {"headers": {"X-Timestamp": str(int(time.time()) + 7)}},
        {"headers": {"X-Timestamp": None}},
        {"headers": {"X-Signature": None}},
        {"headers": {"X-Signature": ""}},
        {"headers": {"X-Signature": "0" * 64}},
        {"headers": {"X-Signature": "z" * 64}},
    ):
        app.call(asked["caller"], **changes).expect(401, "unauthorized")
    of_other.call(asked["caller"], path=app.path).expect(401, "unauthorized")
    app.call(asked["caller"], path="/callgate/v1/nobody").expect(404)
    app.call(asked["caller"], path="/callgate/v1/01900000-0000-7000-8000-000000000000").expect(401)
    assert state_of(core, asked) == "pending"
    assert read(app.call(asked["caller"]))["result"] == "confirmed"


# --- at the same moment, and of others


def test_ids_of_two_phones_are_not_mixed_up(core, new_phone):
    """Tasker counts its calls on each phone."""
    phones = [new_phone(), new_phone()]
    for phone in phones:
        asked = challenge(core, phone)
        phone.post(CALLS, template(phone, asked["caller"], event_id="1")).expect(200)
        assert state_of(core, asked) == "confirmed"


def test_a_webhook_of_another_path_or_body_is_no_ones(core, new_phone):
    one, other = new_phone(), new_phone()
    app = CallGate(one, core.callgate(one.device_id).expect(200))
    path = core.callgate(other.device_id).expect(200)["url"].split("/callgate/")[1]
    asked = challenge(core, other)
    app.call(asked["caller"], path=f"/callgate/{path}").expect(401)
    app.call(fresh_number(), raw=b'{"id":"x","event":"call:ringing","payload":{"phoneNumber":"%b"}}'
             % asked["caller"].encode()).expect(401)
    app.call(asked["caller"], headers={"X-Signature": 64 * "0"}).expect(401)
    app.call(asked["caller"], headers={"X-Timestamp": str(int(time.time()) + 1)}).expect(401)
    assert state_of(core, asked) != "confirmed"


def test_calls_at_once_confirm_one_challenge_each(core, new_phone):
    """One call that three applications and their repeats tell at the same moment."""
    phone = new_phone()
    app = CallGate(phone, core.callgate(phone.device_id).expect(200))
    asked = challenge(core, phone)
    results = at_once(12, lambda i: (
        app.call(asked["caller"]) if i % 2 else
        phone.post(CALLS, template(phone, asked["caller"], event_id=f"c-{i % 4}"))
    ).expect(200))
    assert state_of(core, asked) == "confirmed"
    assert all(row["challenge_id"] in (asked["id"], None) for row in results)
    again = challenge(core, phone, asked["caller"])
    app.call(asked["caller"]).expect(200)
    assert eventually(lambda: state_of(core, again) != "confirmed", 1), "the same call within 60 s"
