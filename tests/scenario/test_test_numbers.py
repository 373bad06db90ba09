"""Test numbers (contract, section 12): every path of a confirmation without a phone or a provider."""

import itertools
import time

import pytest

from harness.shapes import CHALLENGE, MESSAGE, OTP, check_shape, seconds_between
from harness.tools import Moment, eventually, fresh_key

CLOCK = True
RANGE = "+79000000000-+79000999999"
SETTINGS = {"HERALD_ENVIRONMENT": "test", "HERALD_TEST_NUMBERS": f"{RANGE},+79110000000-+79110000000"}
LIVE = {"HERALD_ENVIRONMENT": "production"}
CHANNELS_OF_CODES = ("sms", "flash_call", "messenger_gateway", "personal_messenger")
NEVER = Moment(0.3)

each_channel = pytest.mark.parametrize("channel", CHANNELS_OF_CODES)
_hundreds = itertools.count(1)  # 0 is the first number of the range


def number_with(ending):
    """A test number that no other scenario uses."""
    return f"+79000{next(_hundreds):04d}{ending:02d}"


def fields_of(channel):
    account = {"account_id": "nobody's"} if channel == "personal_messenger" else {}
    return {"channel": channel, **account}


def of_test(record, shape):
    """The record has its shape, and one member more."""
    assert record["test"] is True
    return check_shape({name: record[name] for name in record if name != "test"}, shape)


def code_of(otp):
    return "0" * otp["code_length"]


def refused(reply, status, code):
    """What the refusal tells."""
    reply.expect(status, code)
    return reply.error


def create(core, ending, channel="sms", **fields):
    reply = core.create_otp(number_with(ending), **fields_of(channel), **fields)
    otp = of_test(reply.expect(201), OTP)
    assert (otp["state"], [row["state"] for row in otp["sends"]]) == ("queued", ["queued"])
    return otp


def wait_for(core, otp, *states):
    """Reads the code until its last send is in one of these states."""
    def read():
        record = of_test(core.otp(otp["id"]).expect(200), OTP)
        return record if record["sends"][-1]["state"] in states else None

    found = eventually(read)
    assert found, f"the send is not {states}: {core.otp(otp['id']).json}"
    return found


def create_message(core, ending, **fields):
    return core.create_message(channel="personal_messenger", text="Your order is ready.",
                               account_id="nobody's", recipient=number_with(ending), **fields)


def wait_for_message(core, message, state):
    def read():
        record = of_test(core.message(message["id"]).expect(200), MESSAGE)
        return record if record["state"] == state else None

    found = eventually(read)
    assert found, f"the message is not {state}: {core.message(message['id']).json}"
    return found


def challenge_is(core, challenge, state):
    record = of_test(core.challenge(challenge["id"]).expect(200), CHALLENGE)
    return record if record["state"] == state else None


# --- codes


@each_channel
@pytest.mark.parametrize("ending", [0, 7, 10, 89, 90, 99])
def test_code_is_delivered_and_zeros_confirm_it(core, channel, ending):
    otp = create(core, ending, channel)
    sent = wait_for(core, otp, "delivered")
    assert (sent["state"], sent["channel"], sent["attempts_left"]) == ("delivered", channel, 5)
    assert [row["channel"] for row in sent["sends"]] == [channel]
    wrong = refused(core.verify(otp["id"], "1" * otp["code_length"]), 422, "code_mismatch")
    assert wrong["attempts_left"] == 4
    done = of_test(core.verify(otp["id"], code_of(otp)).expect(200), OTP)
    assert (done["state"], done["attempts_left"]) == ("confirmed", 4)
    core.verify(otp["id"], code_of(otp)).expect(409, "already_confirmed")


@each_channel
def test_01_is_undelivered_and_can_be_verified(core, channel):
    otp = create(core, 1, channel)
    failed = wait_for(core, otp, "failed")
    assert (failed["state"], failed["sends"][0]["error"]) == (
        "undelivered", "the test number ends in 01")
    again = core.create_otp(otp["recipient"], **fields_of(channel)).expect(201)
    assert again["id"] != otp["id"]
    assert core.verify(otp["id"], code_of(otp)).expect(200)["state"] == "confirmed"


@each_channel
def test_02_is_unknown(core, channel):
    otp = create(core, 2, channel)
    unknown = wait_for(core, otp, "unknown")
    assert (unknown["state"], unknown["sends"][0]["error"]) == (
        "queued", "the test number ends in 02")
    reply = core.create_otp(otp["recipient"], **fields_of(channel))
    assert refused(reply, 409, "active_challenge_exists")["challenge_id"] == otp["id"]
    assert core.verify(otp["id"], code_of(otp)).expect(200)["state"] == "confirmed"


@each_channel
def test_03_is_delivered_after_20_seconds(core, clock, channel):
    otp = create(core, 3, channel)
    assert wait_for(core, otp, "sent")["state"] == "sent"
    clock.advance(15)
    time.sleep(1.5)
    assert core.otp(otp["id"]).expect(200)["state"] == "sent"
    clock.advance(5)
    late = wait_for(core, otp, "delivered")
    assert late["state"] == "delivered"
    assert seconds_between(late["created_at"], late["sends"][0]["updated_at"]) >= 20


@each_channel
def test_04_is_rate_limited_and_05_unavailable(core, channel):
    for _ in range(2):
        limited = core.create_otp(number_with(4), **fields_of(channel))
        limited.expect(429, "rate_limited")
        assert limited.retry_after == 600
        assert limited.header("RateLimit") == '"codes";r=0;t=600'
        closed = core.create_otp(number_with(5), **fields_of(channel))
        assert refused(closed, 503, "channel_unavailable")["reason"] == "circuit_open"
        assert closed.retry_after == 30


@each_channel
def test_06_is_exhausted_at_the_first_wrong_code(core, channel):
    otp = create(core, 6, channel)
    assert wait_for(core, otp, "delivered")["attempts_left"] == 1
    wrong = refused(core.verify(otp["id"], "1" * otp["code_length"]), 422, "code_mismatch")
    assert wrong["attempts_left"] == 0
    core.verify(otp["id"], code_of(otp)).expect(409, "attempts_exhausted")
    assert core.otp(otp["id"]).expect(200)["state"] == "exhausted"
    right = create(core, 6, channel)
    assert core.verify(right["id"], code_of(right)).expect(200)["state"] == "confirmed"


def test_numbers_of_all_ranges_and_no_others_are_test_numbers(core):
    for number in ("+79000000000", "+79000999999", "+79110000000"):
        assert core.create_otp(number).expect(201)["test"] is True
    for number in ("+78999999999", "+79001000000", "+79110000001", "+79109999999"):
        core.create_otp(number).expect(503, "no_ready_sim")


def test_repeat_with_the_same_key_is_the_same_code(core):
    number, key = number_with(0), fresh_key()
    first = core.create_otp(number, key).expect(201)
    wait_for(core, first, "delivered")
    again = of_test(core.create_otp(number, key).expect(201), OTP)
    assert (again["id"], len(again["sends"])) == (first["id"], 1)
    core.create_otp(number_with(0), key).expect(409, "idempotency_conflict")


def test_one_active_challenge_and_three_codes_in_ten_minutes(core, clock):
    number = number_with(0)
    for _ in range(3):
        otp = core.create_otp(number).expect(201)
        core.create_otp(number).expect(409, "active_challenge_exists")
        core.create_challenge(number).expect(409, "active_challenge_exists")
        core.cancel_otp(otp["id"]).expect(204)
    core.create_otp(number).expect(429, "rate_limited")
    clock.advance(601)
    core.create_otp(number).expect(201)


def test_code_expires(core, clock):
    otp = create(core, 0, ttl_seconds=60)
    wait_for(core, otp, "delivered")
    clock.advance(62)
    assert core.otp(otp["id"]).expect(200)["state"] == "expired"
    core.verify(otp["id"], code_of(otp)).expect(409, "challenge_expired")


def test_canceled_code_stays_so_when_its_delivery_is_told(core, clock):
    otp = create(core, 3)
    wait_for(core, otp, "sent")
    core.cancel_otp(otp["id"]).expect(204)
    clock.advance(21)
    assert wait_for(core, otp, "delivered")["state"] == "canceled"


# --- the fallback


@pytest.mark.parametrize("ending, first", [(0, "delivered"), (1, "failed"), (2, "unknown")])
@pytest.mark.parametrize("channel", CHANNELS_OF_CODES[1:])
def test_fallback_is_delivered(core, channel, ending, first):
    otp = create(core, ending, channel)
    wait_for(core, otp, first)
    for _ in range(2):
        core.fall_back(otp["id"], gateway_number="+79160000001").expect(204)
    sent = wait_for(core, otp, "delivered")
    rows = [(row["channel"], row["state"], row["gateway_number"]) for row in sent["sends"]]
    if ending:
        assert rows == [(channel, first, None), ("sms", "delivered", "+79160000001")]
    assert sent["state"] == "delivered"
    core.create_otp(otp["recipient"]).expect(409, "active_challenge_exists")
    assert core.verify(otp["id"], code_of(otp)).expect(200)["state"] == "confirmed"
    core.fall_back(otp["id"]).expect(409, "already_confirmed")


def test_fallback_of_03_is_late_too(core, clock):
    otp = create(core, 3, "flash_call")
    wait_for(core, otp, "sent")
    core.fall_back(otp["id"]).expect(204)
    sends = wait_for(core, otp, "sent")["sends"]
    assert [row["channel"] for row in sends] == ["flash_call", "sms"]
    clock.advance(21)
    assert wait_for(core, otp, "delivered")["state"] == "delivered"


def test_sms_has_no_fallback(core):
    core.fall_back(create(core, 1)["id"]).expect(409, "fallback_not_applicable")


# --- calls


@pytest.mark.parametrize("ending", [0, 4, 6, 10, 99])
def test_call_comes_after_two_seconds(core, ending):
    reply = core.create_challenge(number_with(ending))
    challenge = of_test(reply.expect(201), CHALLENGE)
    assert (challenge["state"], challenge["gateway_number"]) == ("pending", "+79000000000")
    done = eventually(lambda: challenge_is(core, challenge, "confirmed"))
    assert seconds_between(done["created_at"], done["confirmed_at"]) >= 2
    core.create_challenge(challenge["caller"]).expect(201)


def test_call_of_03_comes_after_20_seconds(core, clock):
    challenge = core.create_challenge(number_with(3), ttl_seconds=30).expect(201)
    clock.advance(15)
    time.sleep(1.5)
    assert challenge_is(core, challenge, "pending")
    clock.advance(5)
    assert eventually(lambda: challenge_is(core, challenge, "confirmed"))


@pytest.mark.parametrize("ending", [1, 2])
def test_call_of_01_and_02_never_comes(core, clock, ending):
    challenge = core.create_challenge(number_with(ending), ttl_seconds=30).expect(201)
    clock.advance(28)
    time.sleep(1.5)
    assert challenge_is(core, challenge, "pending")
    clock.advance(3)
    assert challenge_is(core, challenge, "expired")


def test_05_has_no_number_to_call(core):
    error = refused(core.create_challenge(number_with(5)), 503, "channel_unavailable")
    assert error["reason"] == "no_enabled_number"


def test_canceled_challenge_is_not_confirmed(core, clock):
    challenge = core.create_challenge(number_with(0)).expect(201)
    core.cancel_challenge(challenge["id"]).expect(204)
    clock.advance(5)
    time.sleep(1.5)
    assert challenge_is(core, challenge, "canceled")


# --- messages


@pytest.mark.parametrize("ending, state, error", [
    (0, "delivered", None), (6, "delivered", None), (50, "delivered", None),
    (1, "failed", "the test number ends in 01"),
    (2, "unknown", "it is not known whether it was sent: the test number ends in 02"),
])
def test_message(core, ending, state, error):
    message = of_test(create_message(core, ending).expect(202), MESSAGE)
    assert (message["state"], message["account_id"]) == ("accepted", "nobody's")
    assert wait_for_message(core, message, state)["error"] == error


def test_message_of_03_is_delivered_late(core, clock):
    message = create_message(core, 3).expect(202)
    wait_for_message(core, message, "sent")
    clock.advance(21)
    wait_for_message(core, message, "delivered")


def test_message_of_04_is_rate_limited_and_of_05_unavailable(core):
    create_message(core, 4).expect(429, "rate_limited")
    closed = refused(create_message(core, 5), 503, "channel_unavailable")
    assert closed["reason"] == "circuit_open"


# --- the fleet


def test_phone_hears_nothing_of_test_numbers(core, phone):
    phone.be_ready()
    core.connect_accounts(phone, "an-account")
    before = core.device(phone.device_id)
    caller = number_with(1)
    core.create_otp(number_with(0), gateway_number=phone.number).expect(201)
    core.create_otp(number_with(3)).expect(201)
    core.create_otp(number_with(0), channel="personal_messenger", account_id="an-account").expect(201)
    core.create_message(channel="personal_messenger", text="Text.", account_id="an-account",
                        recipient=number_with(0)).expect(202)
    challenge = core.create_challenge(caller, gateway_number=phone.number).expect(201)
    assert challenge["gateway_number"] == phone.number

    assert phone.claim_task(within=NEVER) is None
    assert phone.claim_message_task("an-account", within=NEVER) is None
    assert phone.event(caller).expect(200)["result"] == "no_challenge"
    assert challenge_is(core, challenge, "pending")
    after = core.device(phone.device_id)
    assert [row["active_challenges"] for row in after["numbers"]] == [
        row["active_challenges"] for row in before["numbers"]] == [0]


# --- environments and restarts


def test_in_production_such_a_number_is_a_number(fresh_site):
    fresh_site.serve({**SETTINGS, **LIVE})
    core = fresh_site.core()
    for ending in (0, 4, 5):
        core.create_otp(number_with(ending)).expect(503, "no_ready_sim")
    phone = fresh_site.phone(core)
    phone.be_ready()
    otp = check_shape(core.create_otp(number_with(1)).expect(201), OTP)
    task = phone.claim_task()
    assert task["recipient"] == otp["recipient"]
    phone.result(task, "sent").expect(204)
    assert core.wait_for_send(otp, "sent")["attempts_left"] == 5
    challenge = check_shape(core.create_challenge(number_with(1)).expect(201), CHALLENGE)
    assert challenge["gateway_number"] == phone.number
    assert phone.event(challenge["caller"]).expect(200)["result"] == "confirmed"
    create_message(core, 0).expect(404)
    fresh_site.stop()
    assert fresh_site.ask("SELECT COUNT(*) FROM test_send") == "0"
    assert fresh_site.ask("SELECT COUNT(*) FROM job") == "0"


def test_without_ranges_a_test_environment_has_no_test_numbers(fresh_site):
    fresh_site.serve({"HERALD_ENVIRONMENT": "test"})
    fresh_site.core().create_otp(number_with(0)).expect(503, "no_ready_sim")


@pytest.mark.parametrize("settings", [SETTINGS, LIVE], ids=["test", "production"])
def test_states_go_on_after_kill_9(fresh_site, settings):
    """Also where the settings have no test numbers any more: the record is a test."""
    process = fresh_site.serve(SETTINGS)
    core = fresh_site.core()
    otp = create(core, 3)
    challenge = core.create_challenge(number_with(0)).expect(201)
    process.kill()
    fresh_site.processes.clear()
    fresh_site.serve(settings)
    core = fresh_site.core()
    wait_for(core, otp, "sent")
    assert eventually(lambda: challenge_is(core, challenge, "confirmed"))
    fresh_site.clock.advance(21)
    assert wait_for(core, otp, "delivered")["state"] == "delivered"
    assert core.verify(otp["id"], code_of(otp)).expect(200)["state"] == "confirmed"


@pytest.mark.only("postgres")
def test_two_environments_of_one_database(fresh_site):
    """Who creates a record decides; anyone's worker carries it on."""
    fresh_site.migrate()
    live = fresh_site.start("serve", changes={**SETTINGS, **LIVE})
    test = fresh_site.start("api", changes=SETTINGS)
    for process in (live, test):
        process.wait_until_ready()
    fresh_site.core(live).create_otp(number_with(0)).expect(503, "no_ready_sim")
    core = fresh_site.core(test)
    otp = create(core, 0)
    wait_for(fresh_site.core(live), otp, "delivered")
    assert fresh_site.core(live).verify(otp["id"], code_of(otp)).expect(200)["state"] == "confirmed"
