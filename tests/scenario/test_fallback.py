"""Contract section 2, rule 8: sending a code by SMS as well, where another channel carries it."""

import time

import pytest

from harness.actors import read_code, wrong_code
from harness.outcomes import GATEWAY, UCALLER
from harness.tools import Moment, at_once, eventually, fresh_key, fresh_number, took_at_most

CLOCK = True
CHANNELS = ("ucaller", "gateway")

NEVER = Moment(0.3)
MISSING_ID = "01900000-0000-7000-8000-000000000000"
ENDS = {
    "confirmed": "already_confirmed",
    "canceled": "challenge_canceled",
    "exhausted": "attempts_exhausted",
    "expired": "challenge_expired",
}


class Account:
    """A code that a phone's messenger account carries, with the face of a provider's channel."""

    word, code_length = "personal_messenger", 6

    def __init__(self, phone):
        self.phone = phone
        self.account_id = f"account-{fresh_key()[:12]}"

    def send(self, core, sim, **fields):
        core.connect_accounts(self.phone, self.account_id)
        otp = core.create_otp(
            fresh_number(), channel=self.word, account_id=self.account_id, **fields).expect(201)
        task = self.phone.claim_message_task(self.account_id)
        self.phone.message_result(task, "sent").expect(204)
        return otp, {"code": read_code(task)}

    def confirm(self, core, sim, otp, code):
        core.verify(otp["id"], code).expect(200)

    def cancel(self, core, sim, otp, call):
        core.cancel_otp(otp["id"]).expect(204)


@pytest.fixture(params=["flash_call", "messenger_gateway", "personal_messenger"])
def channel(request, new_phone):
    if request.param == "personal_messenger":
        return Account(new_phone())
    return UCALLER if request.param == "flash_call" else GATEWAY


def send(core, sim, channel, **fields):
    """A code that went out by this channel, and its digits."""
    otp, call = channel.send(core, sim, **fields)
    return core.wait_for_send(otp, "accepted", "sent", "delivered"), call


def send_by_sms(core, phone):
    otp = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    return otp, read_code(task)


def end_code(core, otp, code, end):
    if end == "confirmed":
        core.verify(otp["id"], code).expect(200)
    if end == "canceled":
        core.cancel_otp(otp["id"]).expect(204)
    if end == "exhausted":
        for _ in range(5):
            core.verify(otp["id"], wrong_code(code)).expect(422)


def kept(otp):
    """What no fallback changes."""
    return [otp[name] for name in ("id", "expires_at", "attempts_left", "channel", "code_length")]


# --- the first success, and every repeat


def test_first_success_queues_one_sms_with_the_same_code(sim, core, new_phone, channel):
    otp, call = send(core, sim, channel)
    core.fall_back(otp["id"]).expect(503, "no_ready_sim")
    phone = new_phone()
    core.fall_back(otp["id"], gateway_number=phone.number).expect(503, "no_ready_sim")
    phone.be_ready()
    before = core.otp(otp["id"]).expect(200)

    for _ in range(3):
        assert core.fall_back(otp["id"]).expect(204) is None
    task = phone.claim_task()
    assert task["recipient"] == otp["recipient"]
    assert read_code(task, channel.code_length) == call["code"]
    core.fall_back(otp["id"]).expect(204)
    phone.result(task, "sent").expect(204)
    core.fall_back(otp["id"]).expect(204)
    assert phone.claim_task(within=NEVER) is None

    after = core.otp(otp["id"]).expect(200)
    assert [row["channel"] for row in after["sends"]] == [channel.word, "sms"]
    assert after["sends"][-1]["gateway_number"] == phone.number
    assert kept(after) == kept(before)
    channel.confirm(core, sim, otp, call["code"])
    core.fall_back(otp["id"]).expect(409, "already_confirmed")


def test_20_repeats_at_the_same_moment_send_one_sms(sim, core, new_phone, channel):
    phone = new_phone(4)
    phone.be_ready()
    otp, call = send(core, sim, channel)
    replies = at_once(20, lambda _: core.fall_back(otp["id"]))
    assert {reply.status for reply in replies} == {204}
    assert len(core.otp(otp["id"]).expect(200)["sends"]) == 2
    tasks = [phone.claim(number).expect(200)["task"] for number in phone.numbers]
    task, = filter(None, tasks)
    phone.result(task, "sent").expect(204)
    assert all(phone.claim_task(number, within=Moment(0)) is None for number in phone.numbers)
    assert core.otp(otp["id"]).expect(200)["state"] in ("sent", "delivered")
    channel.confirm(core, sim, otp, call["code"])


def test_attempts_and_expiry_stay_as_they_are(sim, core, clock, ready_phone, channel):
    otp, call = send(core, sim, channel, ttl_seconds=120)
    for left in (4, 3, 2):
        refused = core.verify(otp["id"], wrong_code(call["code"]))
        assert (refused.status, refused.error["attempts_left"]) == (422, left)
    clock.advance(50)
    ready_phone.be_ready()
    core.fall_back(otp["id"]).expect(204)
    task = ready_phone.claim_task()
    ready_phone.result(task, "sent").expect(204)
    read = core.otp(otp["id"]).expect(200)
    assert (read["attempts_left"], read["expires_at"]) == (2, otp["expires_at"])
    clock.advance(71)
    core.verify(otp["id"], call["code"]).expect(409, "challenge_expired")
    if channel is GATEWAY:  # what is over is taken back
        sim.take("telegram_gateway", "revokeVerificationMessage", contains=call["send_id"])


def test_fallback_is_not_a_code_more(sim, core, ready_phone):
    """It counts neither among three codes in ten minutes nor as another active one."""
    recipient = fresh_number()
    for _ in range(3):
        otp, call = UCALLER.send(core, sim, recipient)
        core.fall_back(otp["id"]).expect(204)
        task = ready_phone.claim_task()
        ready_phone.result(task, "sent").expect(204)
        UCALLER.confirm(core, sim, otp, read_code(task, 4))


def test_fallback_to_a_number(sim, core, new_phone):
    phone, other = new_phone(), new_phone(2)
    phone.be_ready()
    other.be_ready(other.numbers[1])
    otp, call = send(core, sim, UCALLER)
    core.fall_back(otp["id"], gateway_number=fresh_number()).expect(404, "not_found")
    core.fall_back(otp["id"], gateway_number=other.numbers[0]).expect(503, "no_ready_sim")
    core.fall_back(otp["id"], gateway_number=other.numbers[1]).expect(204)
    core.fall_back(otp["id"], gateway_number=phone.number).expect(204)
    assert phone.claim_task(within=NEVER) is None
    assert read_code(other.claim_task(other.numbers[1]), 4) == call["code"]


def test_failed_sms_is_tried_three_times(sim, core, ready_phone, channel):
    otp, call = send(core, sim, channel)
    core.fall_back(otp["id"]).expect(204)
    for attempt in (1, 2, 3):
        task = ready_phone.claim_task()
        assert task["attempt"] == attempt
        ready_phone.result(task, "failed").expect(204)
    core.fall_back(otp["id"]).expect(204)
    assert ready_phone.claim_task(within=NEVER) is None
    read = core.otp(otp["id"]).expect(200)
    assert [row["channel"] for row in read["sends"]] == [channel.word, "sms", "sms", "sms"]
    assert read["state"] != "undelivered", "the first send has not failed"
    channel.confirm(core, sim, otp, call["code"])


def send_in_vain(core, sim, recipient=None):
    """A code that is undelivered, and its digits: its recipient may start again."""
    UCALLER.order(sim, "9")
    otp, call = UCALLER.send(core, sim, recipient)
    core.wait_for_send(otp, "failed")
    return otp, call["code"]


def test_all_sends_failed_is_undelivered(sim, core, ready_phone):
    otp, code = send_in_vain(core, sim)
    core.fall_back(otp["id"]).expect(204)
    assert core.otp(otp["id"]).expect(200)["state"] == "queued"
    ready_phone.result(ready_phone.claim_task(), "failed", permanent=True).expect(204)
    assert core.otp(otp["id"]).expect(200)["state"] == "undelivered"
    UCALLER.confirm(core, sim, otp, code)


def active_on(core, phone):
    row, = core.device(phone.device_id)["numbers"]
    return row["active_challenges"]


def test_fallback_takes_the_place_of_the_recipient_again(sim, core, ready_phone):
    """It holds the place and counts on its number, until it is confirmed."""
    otp, code = send_in_vain(core, sim)
    assert active_on(core, ready_phone) == 0
    core.fall_back(otp["id"]).expect(204)
    assert active_on(core, ready_phone) == 1
    for create in (core.create_otp, core.create_challenge):
        refused = create(otp["recipient"]).expect(409, "active_challenge_exists")
        assert refused["error"]["challenge_id"] == otp["id"]
    ready_phone.result(ready_phone.claim_task(), "sent").expect(204)
    UCALLER.confirm(core, sim, otp, code)
    assert active_on(core, ready_phone) == 0
    core.create_otp(otp["recipient"]).expect(201)


@pytest.mark.parametrize("kind", ["code", "call"])
def test_fallback_waits_for_another_challenge_of_the_recipient(sim, core, ready_phone, kind):
    """Contract, section 2, rule 8: the refusal names the active one, changes nothing, and ends with it."""
    otp, code = send_in_vain(core, sim)
    if kind == "code":
        again = core.create_otp(otp["recipient"]).expect(201)
    else:
        again = core.create_challenge(otp["recipient"]).expect(201)
    before = core.otp(otp["id"]).expect(200)
    for _ in range(2):
        refused = core.fall_back(otp["id"]).expect(409, "active_challenge_exists")
        assert refused["error"]["challenge_id"] == again["id"]
    assert core.otp(otp["id"]).expect(200) == before
    assert active_on(core, ready_phone) == 1

    cancel = core.cancel_otp if kind == "code" else core.cancel_challenge
    cancel(again["id"]).expect(204)
    core.fall_back(otp["id"]).expect(204)
    task = ready_phone.claim_task()
    assert read_code(task, 4) == code
    ready_phone.result(task, "sent").expect(204)
    UCALLER.confirm(core, sim, otp, code)


def test_undelivered_code_can_be_verified_beside_another(sim, core, ready_phone):
    otp, code = send_in_vain(core, sim)
    again, second = UCALLER.send(core, sim, otp["recipient"])
    core.fall_back(otp["id"]).expect(409, "active_challenge_exists")
    UCALLER.confirm(core, sim, otp, code)
    UCALLER.confirm(core, sim, again, second["code"])


def test_fallbacks_and_creates_at_one_moment_make_one_active_challenge(sim, core, ready_phone):
    """Two undelivered codes of one recipient fall back while others start anew: one wins."""
    for _ in range(8):
        otp, _ = send_in_vain(core, sim)
        other, _ = send_in_vain(core, sim, otp["recipient"])
        acts = (lambda: core.fall_back(otp["id"]), lambda: core.fall_back(other["id"]),
                lambda: core.create_challenge(otp["recipient"]))
        replies = at_once(9, lambda n: acts[n % 3]())
        taken = [n for n, reply in enumerate(replies) if reply.status in (201, 204)]
        winner = {n % 3 for n in taken}
        assert len(winner) == 1, [(reply.status, reply.code) for reply in replies]
        kind = winner.pop()
        active = replies[taken[0]].json["id"] if kind == 2 else (otp, other)[kind]["id"]
        assert taken == ([0 + kind, 3 + kind, 6 + kind] if kind < 2 else taken[:1])
        lost = [reply for n, reply in enumerate(replies) if n not in taken]
        assert {reply.code for reply in lost} == {"active_challenge_exists"}
        assert {reply.error["challenge_id"] for reply in lost} == {active}
        assert active_on(core, ready_phone) == 1
        (core.cancel_challenge if kind == 2 else core.cancel_otp)(active).expect(204)
        assert active_on(core, ready_phone) == 0


# --- while the first channel is still being called


@pytest.mark.parametrize("slow", [UCALLER, GATEWAY], ids=["flash_call", "messenger_gateway"])
def test_fallback_during_the_call(sim, core, ready_phone, slow):
    slow.order(sim, "slow", wait_ms=2000)
    otp, call = slow.send(core, sim)
    begun = time.monotonic()
    replies = at_once(5, lambda _: core.fall_back(otp["id"]))
    assert {reply.status for reply in replies} == {204}
    task = ready_phone.claim_task()
    took_at_most(begun, 1.5)  # the SMS waits for nobody

    def first_story():
        first, _ = core.otp(otp["id"]).expect(200)["sends"]
        return first["state"] if first["state"] not in ("queued", "claimed") else None

    assert read_code(task, slow.code_length) == call["code"]
    ready_phone.result(task, "sent").expect(204)
    assert eventually(first_story) in ("accepted", "sent", "delivered")
    assert ready_phone.claim_task(within=NEVER) is None
    slow.confirm(core, sim, otp, call["code"])


def test_fallback_before_the_provider_can_be_reached(sim, core, ready_phone):
    """The call goes out when it can, and the SMS at once."""
    sim.told("down")
    otp = UCALLER.create(core)
    core.fall_back(otp["id"]).expect(204)
    task = ready_phone.claim_task()
    ready_phone.result(task, "sent").expect(204)
    code = read_code(task, 4)
    sim.told("up")
    assert UCALLER.take(sim, otp, within=15)["code"] == code
    UCALLER.confirm(core, sim, otp, code)


# --- codes that have ended, and codes that go by SMS


@pytest.mark.parametrize("end", ENDS)
def test_final_codes_tell_their_end(sim, core, clock, ready_phone, end):
    otp, call = send(core, sim, UCALLER, ttl_seconds=60)
    end_code(core, otp, call["code"], end)
    if end == "expired":
        clock.advance(61)
    ready_phone.be_ready()
    assert core.otp(otp["id"]).expect(200)["state"] == end
    core.fall_back(otp["id"]).expect(409, ENDS[end])
    core.fall_back(otp["id"], gateway_number=ready_phone.number).expect(409, ENDS[end])
    assert ready_phone.claim_task(within=NEVER) is None


def test_canceled_code_is_not_sent_by_sms(sim, core, ready_phone):
    otp, _ = send(core, sim, UCALLER)
    core.fall_back(otp["id"]).expect(204)
    core.cancel_otp(otp["id"]).expect(204)
    assert ready_phone.claim_task(within=NEVER) is None


@pytest.mark.parametrize("end", [None, "confirmed", "canceled", "exhausted"])
def test_code_that_goes_by_sms_has_nothing_to_fall_back_to(core, ready_phone, end):
    otp, code = send_by_sms(core, ready_phone)
    end_code(core, otp, code, end)
    before = core.otp(otp["id"]).expect(200)
    core.fall_back(otp["id"]).expect(409, "fallback_not_applicable")
    core.fall_back(otp["id"], gateway_number=ready_phone.number).expect(
        409, "fallback_not_applicable")
    assert core.otp(otp["id"]).expect(200) == before
    assert ready_phone.claim_task(within=NEVER) is None


@pytest.mark.parametrize("otp_id", [MISSING_ID, "no-uuid"])
def test_unknown_code_is_404(core, ready_phone, otp_id):
    core.fall_back(otp_id).expect(404, "not_found")
    core.fall_back(otp_id, gateway_number=ready_phone.number).expect(404, "not_found")


@pytest.mark.parametrize("body, paths", [
    ({"colour": "red"}, ["colour"]), ({"gateway_number": "8916"}, ["gateway_number"]),
    ({"gateway_number": 7, "channel": "sms"}, ["gateway_number", "channel"]),
])
def test_body_is_strict(core, ready_phone, body, paths):
    """Also where the code could not fall back anyhow, or is unknown."""
    otp = core.create_otp(fresh_number()).expect(201)
    for otp_id in (otp["id"], MISSING_ID):
        reply = core.post(f"/internal/v1/otp/{otp_id}/sms-fallback", body)
        reply.expect(422, "validation_error")
        assert sorted(reply.fault_paths) == sorted(paths)


@pytest.mark.parametrize("media_type", [None, "application/json", "text/plain", ""])
def test_body_of_no_byte_is_left_out(core, ready_phone, media_type):
    """Contract section 1: whatever its Content-Type says."""
    otp = core.create_otp(fresh_number()).expect(201)
    headers = {"Content-Type": media_type}
    path = f"/internal/v1/otp/{otp['id']}/sms-fallback"
    core.request("POST", path, raw=b"", headers=headers).expect(409, "fallback_not_applicable")


@pytest.mark.parametrize("raw", [b"[]", b"{broken", b'{"gateway_number":null,}'])
def test_body_is_an_object(core, ready_phone, raw):
    otp = core.create_otp(fresh_number()).expect(201)
    path = f"/internal/v1/otp/{otp['id']}/sms-fallback"
    core.request("POST", path, raw=raw).expect(422, "validation_error")
