"""What became of a code, a call or a message, step by step (contract, section 11.7)."""

import itertools
from datetime import timedelta

import pytest

from harness.actors import read_code, wrong_code
from harness.outcomes import GATEWAY, UCALLER
from harness.shapes import format_time, parse_time
from harness.timelines import steps_of, wait_for_step, words_of
from harness.tools import fresh_chat, fresh_key, fresh_number
from test_admin import REFUSED, Admin

CLOCK = True
CHANNELS = ("ucaller", "gateway", "bot")
TEST_NUMBERS = "+79000000000-+79000999999"
SETTINGS = {"HERALD_ENVIRONMENT": "test", "HERALD_TEST_NUMBERS": TEST_NUMBERS}
LEASE_S = 90
MISSING_ID = "01900000-0000-7000-8000-000000000000"

_hundreds = itertools.count()


def told(step, *names):
    return tuple(step.get(name) for name in names)


def send_by_sms(core, phone, **fields):
    """A code that a phone has claimed, and its task."""
    otp = core.create_otp(fresh_number(), gateway_number=phone.number, **fields).expect(201)
    return otp, phone.claim_task()


def steps_with(steps, word):
    return [step for step in steps if step["step"] == word]


# --- SMS


def test_code_by_sms_that_is_delivered_and_confirmed(core, ready_phone):
    otp, task = send_by_sms(core, ready_phone)
    ready_phone.result(task, "sent").expect(204)
    ready_phone.result(task, "delivered").expect(204)
    code = read_code(task)
    core.verify(otp["id"], wrong_code(code)).expect(422, "code_mismatch")
    core.verify(otp["id"], wrong_code(code)).expect(422, "code_mismatch")
    confirmed = core.verify(otp["id"], code).expect(200)

    steps = steps_of(core, "otp", otp["id"])
    assert [step["step"] for step in steps] == [
        "created", "queued", "claimed", "sent", "delivered", "wrong_code", "wrong_code", "confirmed"]
    assert steps[0]["at"] == otp["created_at"] and steps[-1]["at"] == confirmed["confirmed_at"]
    assert told(steps[0], "channel", "gateway_number") == ("sms", None)
    name = core.device(ready_phone.device_id)["name"]
    assert told(steps[2], "channel", "gateway_number", "attempt", "device_id", "device_name") == (
        "sms", ready_phone.number, 1, ready_phone.device_id, name)
    assert [step.get("attempt") for step in steps[5:]] == [1, 2, None]


def test_no_step_has_the_code_or_the_recipient(core, ready_phone):
    otp, task = send_by_sms(core, ready_phone)
    code = read_code(task)
    ready_phone.result(
        task, "failed", permanent=True, error=f"Код: {code} to {otp['recipient']}").expect(204)
    core.verify(otp["id"], wrong_code(code)).expect(422)
    core.cancel_otp(otp["id"]).expect(204)
    text = core.get(f"/internal/v1/otp/{otp['id']}/timeline").body.decode()
    assert "failed" in text and code not in text and ready_phone.device_key not in text
    error = core.otp(otp["id"]).expect(200)["sends"][0]["error"]
    failed, = steps_with(steps_of(core, "otp", otp["id"]), "failed")
    assert failed["error"] == error


def test_failed_sms_is_sent_again_by_another_sim(core, new_phone):
    phone, other = new_phone(), new_phone()
    phone.be_ready()
    otp, task = send_by_sms(core, phone)
    other.be_ready()
    phone.result(task, "failed", error="no service").expect(204)
    again = other.claim_task()
    other.result(again, "sent").expect(204)

    steps = steps_of(core, "otp", otp["id"])
    assert [step["step"] for step in steps] == [
        "created", "queued", "claimed", "failed", "queued", "claimed", "sent"]
    assert told(steps[3], "gateway_number", "attempt", "error") == (phone.number, 1, "no service")
    assert told(steps[4], "gateway_number", "attempt") == (other.number, 2)
    assert told(steps[5], "gateway_number", "device_id") == (other.number, other.device_id)


def test_every_send_failed(core, ready_phone):
    otp, task = send_by_sms(core, ready_phone)
    ready_phone.result(task, "failed", error="barred", permanent=True).expect(204)
    assert words_of(core, "otp", otp["id"]) == [
        "created", "queued", "claimed", "failed", "undelivered"]


def test_lease_that_lapsed_and_was_claimed_again(core, clock, ready_phone):
    otp, task = send_by_sms(core, ready_phone, ttl_seconds=900)
    for _ in range(2):
        clock.advance(LEASE_S + 1)
        again = ready_phone.claim_task()
        assert again["lease_id"] != task["lease_id"]
    ready_phone.result(again, "sent").expect(204)
    steps = steps_of(core, "otp", otp["id"])
    assert [step["step"] for step in steps] == [
        "created", "queued", "claimed", "claimed", "claimed", "sent"]
    times = [parse_time(step["at"]) for step in steps_with(steps, "claimed")]
    assert times[1] - times[0] > timedelta(seconds=LEASE_S) < times[2] - times[1]


def test_lease_that_lapsed_and_nobody_reported(core, clock, ready_phone):
    otp, _ = send_by_sms(core, ready_phone, ttl_seconds=60)
    clock.advance(LEASE_S + 60)
    wait_for_step(core, "otp", otp["id"], "unknown")
    assert words_of(core, "otp", otp["id"]) == ["created", "queued", "claimed", "expired", "unknown"]


def test_phone_is_disabled_and_another_sim_gets_the_task(core, new_phone):
    phone, other = new_phone(), new_phone()
    phone.be_ready()
    otp, _ = send_by_sms(core, phone)
    core.enable(phone.device_id, False).expect(204)
    other.be_ready()
    task = other.claim_task()
    other.result(task, "sent").expect(204)

    steps = steps_of(core, "otp", otp["id"])
    assert [step["step"] for step in steps] == [
        "created", "queued", "claimed", "returned", "moved", "claimed", "sent"]
    senders = [step.get("gateway_number") for step in steps]
    assert senders == [None] + 3 * [phone.number] + 3 * [other.number]


def test_phone_that_was_removed_has_its_name(core, new_phone):
    phone = new_phone()
    phone.be_ready()
    otp, task = send_by_sms(core, phone)
    phone.result(task, "sent").expect(204)
    name = core.device(phone.device_id)["name"]
    core.remove_device(phone.device_id).expect(204)
    claimed, = steps_with(steps_of(core, "otp", otp["id"]), "claimed")
    assert told(claimed, "device_id", "device_name") == (phone.device_id, name)
    core.enable(phone.device_id, False).expect(404)


@pytest.fixture
def new_phone(site, core):
    """Registers phones for one scenario, and disables those that are left at its end."""
    phones = []

    def register(count=1):
        phones.append(site.phone(core, count))
        return phones[-1]

    yield register
    for phone in phones:
        core.enable(phone.device_id, False)


# --- the end of a code


def test_wrong_codes_exhaust_it(core, ready_phone):
    otp, task = send_by_sms(core, ready_phone)
    ready_phone.result(task, "sent").expect(204)
    for _ in range(6):
        core.verify(otp["id"], wrong_code(read_code(task)))
    steps = steps_of(core, "otp", otp["id"])
    assert [step["step"] for step in steps][4:] == 5 * ["wrong_code"] + ["exhausted"]
    assert [step["attempt"] for step in steps_with(steps, "wrong_code")] == [1, 2, 3, 4, 5]


def test_canceled_before_a_phone_had_it(core, ready_phone):
    otp = core.create_otp(fresh_number(), gateway_number=ready_phone.number).expect(201)
    for _ in range(3):
        core.cancel_otp(otp["id"]).expect(204)
    steps = steps_of(core, "otp", otp["id"])
    assert sorted(step["step"] for step in steps) == ["canceled", "created", "failed", "queued"]
    assert steps_with(steps, "failed")[0]["error"] == "canceled"


def test_expired(core, clock, ready_phone):
    otp, task = send_by_sms(core, ready_phone, ttl_seconds=60)
    ready_phone.result(task, "sent").expect(204)
    clock.advance(61)
    steps = steps_of(core, "otp", otp["id"])
    assert told(steps[-1], "step", "at") == ("expired", otp["expires_at"])
    core.verify(otp["id"], read_code(task)).expect(409, "challenge_expired")
    assert words_of(core, "otp", otp["id"]) == ["created", "queued", "claimed", "sent", "expired"]


# --- providers


def test_flash_call_that_is_tried_again(sim, core, clock):
    UCALLER.warm_up(core, sim)
    UCALLER.order(sim, "500", count=1)
    otp, _ = UCALLER.send(core, sim)
    steps = wait_for_step(core, "otp", otp["id"], "fetch")
    clock.advance(30)
    call = UCALLER.take(sim, otp)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    steps = steps_of(core, "otp", otp["id"])
    assert [step["step"] for step in steps][:4] == ["created", "queued", "fetch", "fetch"]
    first, second = steps_with(steps, "fetch")
    assert told(first, "attempt", "channel") == (1, "flash_call")
    assert first["outcome"] != "done" and first["error"] and first["duration_ms"] >= 0
    assert told(second, "attempt", "outcome", "error") == (2, "done", None)
    assert steps[4]["step"] in ("accepted", "sent")
    UCALLER.confirm(core, sim, otp, call["code"])
    assert words_of(core, "otp", otp["id"])[-1] == "confirmed"


def test_recipient_that_cannot_be_called_falls_back(sim, core, ready_phone):
    UCALLER.warm_up(core, sim)
    UCALLER.order(sim, "9")
    otp, call = UCALLER.send(core, sim)
    core.wait_for_send(otp, "failed")
    core.fall_back(otp["id"]).expect(204)
    task = ready_phone.claim_task()
    ready_phone.result(task, "sent").expect(204)
    steps = steps_of(core, "otp", otp["id"])
    words = [step["step"] for step in steps]
    assert words[:3] == ["created", "queued", "fetch"]
    assert sorted(words[3:5]) == ["failed", "undelivered"]
    # The code and its sends have steps of their own, which one millisecond puts in no order.
    assert words.count("fallback") == 1
    assert [word for word in words[5:] if word != "fallback"] == ["queued", "claimed", "sent"]
    fetch, = steps_with(steps, "fetch")
    assert fetch["outcome"] == "permanent"
    assert steps_with(steps, "failed")[0]["error"]
    UCALLER.confirm(core, sim, otp, call["code"])


def test_gateway_that_limits_and_then_sends(sim, core, clock):
    GATEWAY.warm_up(core, sim)
    GATEWAY.order(sim, "FLOOD_WAIT", retry_after_s=2)
    otp, _ = GATEWAY.send(core, sim)
    wait_for_step(core, "otp", otp["id"], "fetch")
    call = GATEWAY.take(sim, otp, within=10)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    fetches = steps_with(steps_of(core, "otp", otp["id"]), "fetch")
    assert [step["outcome"] for step in fetches] == ["rate_limited", "done"]
    GATEWAY.confirm(core, sim, otp, call["code"])
    steps = wait_for_step(core, "otp", otp["id"], "success")
    success, = steps_with(steps, "success")
    assert told(success, "status", "outcome") == (200, None)


def test_gateway_that_tells_what_became_of_it(sim, core, clock):
    GATEWAY.warm_up(core, sim)
    sim.outcome("delivered", after_ms=1)
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    clock.advance(10)
    core.wait_for_send(otp, "delivered")
    steps = steps_of(core, "otp", otp["id"])
    words = [step["step"] for step in steps]
    assert words[-1] == "delivered"
    assert "status" in words or words == ["created", "queued", "fetch", "delivered"]
    GATEWAY.confirm(core, sim, otp, call["code"])


def test_fetch_of_which_nobody_knows(sim, core, clock):
    GATEWAY.warm_up(core, sim)
    GATEWAY.order(sim, "cut_after")
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "unknown")
    steps = steps_of(core, "otp", otp["id"])
    assert [step["step"] for step in steps] == ["created", "queued", "fetch", "unknown"]
    assert told(steps[2], "outcome") == ("unknown",) and steps[3]["error"]
    core.cancel_otp(otp["id"]).expect(204)


def test_fetch_under_way_has_no_outcome_yet(sim, core):
    UCALLER.warm_up(core, sim)
    UCALLER.order(sim, "slow", wait_ms=700)
    otp, call = UCALLER.send(core, sim)
    fetch, = steps_with(steps_of(core, "otp", otp["id"]), "fetch")
    assert told(fetch, "attempt", "outcome", "duration_ms") == (1, None, None)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    fetch, = steps_with(steps_of(core, "otp", otp["id"]), "fetch")
    assert fetch["outcome"] == "done" and fetch["duration_ms"] >= 600
    UCALLER.confirm(core, sim, otp, call["code"])


# --- messages


def test_message_by_the_bot(sim, core):
    message = core.create_message(
        channel="messenger_bot", chat_id=fresh_chat(), text="Hello").expect(202)
    sim.take("telegram_bot", "sendMessage", recipient=str(message["chat_id"]))
    core.wait_for_message(message, "sent")
    steps = steps_of(core, "messages", message["id"])
    words = [step["step"] for step in steps]
    assert words[:3] == ["created", "queued", "fetch"] and words[3] in ("accepted", "sent")
    assert told(steps[2], "channel", "outcome") == ("messenger_bot", "done")


def test_message_by_a_personal_messenger(core, phone):
    account_id = f"account-{fresh_key()[:12]}"
    core.connect_accounts(phone, account_id)
    message = core.create_message(channel="personal_messenger", account_id=account_id,
                                  recipient=fresh_number(), text="Hello").expect(202)
    task = phone.claim_message_task(account_id)
    phone.message_result(task, "failed", error="offline").expect(204)
    task = phone.claim_message_task(account_id)
    phone.message_result(task, "sent").expect(204)
    phone.message_result(task, "delivered").expect(204)
    steps = steps_of(core, "messages", message["id"])
    assert [step["step"] for step in steps] == [
        "created", "queued", "claimed", "failed", "queued", "claimed", "sent", "delivered"]
    assert {step["account_id"] for step in steps} == {account_id}
    assert {step["channel"] for step in steps} == {"personal_messenger"}
    assert not any("gateway_number" in step for step in steps)
    assert [step["attempt"] for step in steps[1:]] == 3 * [1] + 4 * [2]


# --- inbound calls


def test_challenge_that_is_confirmed(core, clock, phone):
    challenge = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    assert words_of(core, "challenges", challenge["id"]) == ["created"]
    reported = phone.event(challenge["caller"], occurred_at=format_time(clock.now()))
    assert reported.expect(200)["result"] == "confirmed"
    created, confirmed = steps_of(core, "challenges", challenge["id"])
    assert told(created, "step", "gateway_number") == ("created", phone.number)
    assert told(confirmed, "step", "device_id") == ("confirmed", phone.device_id)
    assert confirmed["at"] == core.challenge(challenge["id"]).expect(200)["confirmed_at"]


def test_challenge_that_expires_or_is_canceled(core, clock, phone):
    made = [core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
            for _ in range(2)]
    for _ in range(2):
        core.cancel_challenge(made[0]["id"]).expect(204)
    clock.advance(301)
    assert words_of(core, "challenges", made[0]["id"]) == ["created", "canceled"]
    created, expired = steps_of(core, "challenges", made[1]["id"])
    assert told(expired, "step", "at") == ("expired", made[1]["expires_at"])


# --- test numbers


def number_with(ending):
    return f"+79000{next(_hundreds):04d}{ending:02d}"


@pytest.mark.parametrize("ending, words", [
    (0, ["created", "queued", "delivered"]),
    (1, ["created", "queued", "failed", "undelivered"]),
    (2, ["created", "queued", "unknown"]),
    (3, ["created", "queued", "sent", "delivered"]),
])
def test_code_of_a_test_number(core, clock, ending, words):
    otp = core.create_otp(number_with(ending)).expect(201)
    if ending == 3:
        wait_for_step(core, "otp", otp["id"], "sent")
        clock.advance(20)
    wait_for_step(core, "otp", otp["id"], words[-1])
    assert sorted(words_of(core, "otp", otp["id"])) == sorted(words)
    core.verify(otp["id"], "111111").expect(422)
    core.verify(otp["id"], "000000").expect(200)
    assert words_of(core, "otp", otp["id"])[-2:] == ["wrong_code", "confirmed"]


def test_fallback_message_and_call_of_a_test_number(core):
    otp = core.create_otp(number_with(1), channel="flash_call").expect(201)
    wait_for_step(core, "otp", otp["id"], "undelivered")
    core.fall_back(otp["id"]).expect(204)
    steps = wait_for_step(core, "otp", otp["id"], "delivered")
    assert [step["channel"] for step in steps_with(steps, "queued")] == ["flash_call", "sms"]
    message = core.create_message(channel="personal_messenger", text="Hello", account_id="none",
                                  recipient=number_with(0)).expect(202)
    wait_for_step(core, "messages", message["id"], "delivered")
    challenge = core.create_challenge(number_with(0)).expect(201)
    steps = wait_for_step(core, "challenges", challenge["id"], "confirmed")
    assert [step["step"] for step in steps] == ["created", "confirmed"]
    assert "device_id" not in steps[1]


# --- the command line


def test_command_line_shows_it_in_80_columns(site, core, new_phone):
    admin, phone = Admin(site), new_phone()
    phone.be_ready()
    otp, task = send_by_sms(core, phone)
    phone.result(task, "failed", permanent=True, error="слишком длинно " * 30).expect(204)
    said = admin("otp", "timeline", otp["id"])
    assert max(map(len, said.splitlines())) <= 80
    assert said.split()[:4] == ["TIME", "(UTC)", "SECONDS", "STEP"]
    assert [word for word in said.split() if word in ("created", "queued", "claimed", "failed")] == [
        "created", "queued", "claimed", "failed"]
    assert "+0.000" in said and phone.number in said
    assert f"by {core.device(phone.device_id)['name']}" in " ".join(said.split())
    assert admin.json("otp", "timeline", otp["id"])["steps"] == steps_of(core, "otp", otp["id"])

    challenge = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    assert "created" in admin("challenges", "timeline", challenge["id"])
    message = core.create_message(channel="personal_messenger", text="Hello", account_id="none",
                                  recipient=number_with(0)).expect(202)
    assert "personal_messenger" in admin("messages", "timeline", message["id"])
    for noun, says in (("otp", "code"), ("challenges", "challenge"), ("messages", "message")):
        admin.refuse(noun, "timeline", MISSING_ID, status=REFUSED, says=says)


# --- asking


@pytest.mark.parametrize("what", ["otp", "challenges", "messages", "orders"])
def test_what_nobody_knows_is_404(core, what):
    core.get(f"/internal/v1/{what}/{MISSING_ID}/timeline").expect(404, "not_found")
    core.get(f"/internal/v1/{what}/none/timeline").expect(404, "not_found")
    core.post(f"/internal/v1/{what}/{MISSING_ID}/timeline", {}).expect(405)
    core.get(f"/internal/v1/{what}/{MISSING_ID}/timeline?limit=1").expect(422)


def test_timeline_wants_the_internal_key(core, ready_phone):
    otp = core.create_otp(fresh_number()).expect(201)
    ready_phone.get(f"/internal/v1/otp/{otp['id']}/timeline").expect(401)
