"""Inbound calls: who calls where, and what the phone reports.

Contract, section 2, rules 1, 2, 6 and 10.
"""

from datetime import datetime, timedelta, timezone

import pytest

from harness.shapes import CHALLENGE, EVENT_RESULT, check_shape, format_time, parse_time
from harness.shapes import seconds_between
from harness.tools import at_once, fresh_key, fresh_number, fresh_numbers

EVENT_PATHS = ["/api/events", "/device/v1/events"]


def shifted(challenge, seconds, field="created_at"):
    """A moment that lies so many seconds after one of the challenge's times."""
    return format_time(parse_time(challenge[field]) + timedelta(seconds=seconds))


def report(phone, caller, **options):
    return check_shape(phone.event(caller, **options).expect(200), EVENT_RESULT)


# --- the dialogue


@pytest.mark.parametrize("path", EVENT_PATHS)
def test_call_confirms(core, phone, path):
    caller = fresh_number()
    challenge = check_shape(core.create_challenge(caller).expect(201), CHALLENGE)
    assert challenge["caller"] == caller
    assert challenge["gateway_number"] == phone.number
    assert challenge["state"] == "pending"
    assert challenge["confirmed_at"] is None
    assert core.challenge(challenge["id"]).expect(200) == challenge

    event_id = fresh_key()
    answer = report(phone, caller, path=path, event_id=event_id)
    assert answer == {"event_id": event_id, "result": "confirmed", "duplicate": False,
                      "challenge_id": challenge["id"]}

    after = check_shape(core.challenge(challenge["id"]).expect(200), CHALLENGE)
    assert after["state"] == "confirmed"
    assert seconds_between(challenge["created_at"], after["confirmed_at"]) >= 0
    assert after["expires_at"] == challenge["expires_at"]


@pytest.mark.parametrize("ttl, status", [(29, 422), (30, 201), (900, 201), (901, 422)])
def test_time_to_live_is_30_to_900_seconds(core, phone, ttl, status):
    reply = core.create_challenge(fresh_number(), ttl_seconds=ttl)
    reply.expect(status)
    if status == 201:
        assert seconds_between(reply.json["created_at"], reply.json["expires_at"]) == ttl
    else:
        assert reply.fault_paths == ["ttl_seconds"]


def test_time_to_live_is_300_seconds_unless_told(core, phone):
    challenge = core.create_challenge(fresh_number()).expect(201)
    assert seconds_between(challenge["created_at"], challenge["expires_at"]) == 300


@pytest.mark.parametrize("fields", [
    {}, {"caller": None}, {"caller": ""}, {"caller": "89160000001"}, {"caller": 79160000001},
    {"caller": "+7916000000"}, {"caller": "+791600000012"},
    {"caller": "+79160000001", "ttl_seconds": "60"},
    {"caller": "+79160000001", "ttl_seconds": 60.5},
    {"caller": "+79160000001", "ttl_seconds": True}, {"caller": "+79160000001", "ttl_seconds": -60},
    {"caller": "+79160000001", "ttl_seconds": 10**30},
    {"caller": "+79160000001", "gateway_number": "8916"},
], ids=repr)
def test_faulty_challenge_is_422(core, phone, fields):
    reply = core.post("/internal/v1/challenges", fields, headers={"Idempotency-Key": fresh_key()})
    reply.expect(422, "validation_error")


# --- rule 1: choosing a number


def test_number_with_the_fewest_active_challenges_is_chosen(core, new_phone):
    numbers = new_phone(2).numbers + new_phone(1).numbers
    chosen = [core.create_challenge(fresh_number()).expect(201) for _ in range(6)]
    used = [challenge["gateway_number"] for challenge in chosen]
    assert sorted(used[:3]) == sorted(numbers)
    assert sorted(used[3:]) == sorted(numbers)

    for challenge in (chosen[1], chosen[4]):
        core.cancel_challenge(challenge["id"]).expect(204)
    freed = [chosen[1]["gateway_number"], chosen[4]["gateway_number"]]
    next_two = [core.create_challenge(fresh_number()).expect(201) for _ in range(2)]
    assert sorted(row["gateway_number"] for row in next_two) == sorted(freed)


def test_among_equals_the_longest_unused_is_chosen(core, new_phone):
    numbers = new_phone(3).numbers
    order = []
    for _ in range(9):
        challenge = core.create_challenge(fresh_number()).expect(201)
        core.cancel_challenge(challenge["id"]).expect(204)
        order.append(challenge["gateway_number"])
    assert sorted(order[:3]) == sorted(numbers)
    assert order[3:6] == order[:3]
    assert order[6:] == order[:3]


def test_among_equals_a_ready_one_is_chosen(core, new_phone):
    """Even if it was used last; but a number that is less busy comes before it."""
    ready, silent = new_phone(), new_phone(2)
    ready.be_ready()
    chosen = [core.create_challenge(fresh_number()).expect(201) for _ in range(4)]
    assert chosen[0]["gateway_number"] == ready.number and chosen[0]["gateway_ready"] is True
    assert sorted(row["gateway_number"] for row in chosen[1:3]) == sorted(silent.numbers)
    assert [row["gateway_ready"] for row in chosen[1:3]] == [False, False]
    assert chosen[3]["gateway_number"] == ready.number
    for row in chosen:
        core.cancel_challenge(row["id"]).expect(204)
    for _ in range(3):
        again = core.create_challenge(fresh_number()).expect(201)
        assert again["gateway_number"] == ready.number
        core.cancel_challenge(again["id"]).expect(204)


def test_gateway_ready_stays_as_it_was(core, new_phone):
    phone = new_phone()
    challenge = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    assert challenge["gateway_ready"] is False
    phone.be_ready()
    assert core.challenge(challenge["id"]).expect(200)["gateway_ready"] is False
    other = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    assert other["gateway_ready"] is True
    rows = core.challenges(gateway_number=phone.number).expect(200)["challenges"]
    assert {row["id"]: row["gateway_ready"] for row in rows} == {
        challenge["id"]: False, other["id"]: True}


def test_given_gateway_number_is_taken(core, new_phone):
    phone = new_phone(3)
    for number in phone.numbers:
        for _ in range(2):
            challenge = core.create_challenge(fresh_number(), gateway_number=number).expect(201)
            assert challenge["gateway_number"] == number


def test_gateway_number_that_nobody_owns_is_404(core, phone):
    caller = fresh_number()
    core.create_challenge(caller, gateway_number=fresh_number()).expect(404, "not_found")
    core.create_challenge(caller).expect(201)


def test_no_enabled_number_is_503(core, phone):
    caller = fresh_number()
    core.enable(phone.device_id, False).expect(204)
    refused = core.create_challenge(caller).expect(503, "channel_unavailable")
    assert refused["error"]["reason"] == "no_enabled_number"
    core.enable(phone.device_id, True).expect(204)
    core.create_challenge(caller).expect(201)


# --- rule 2: one active challenge


def test_second_challenge_for_a_caller_is_409_and_names_the_first(core, phone):
    caller = fresh_number()
    first = core.create_challenge(caller).expect(201)
    second = core.create_challenge(caller)
    second.expect(409, "active_challenge_exists")
    assert second.error["challenge_id"] == first["id"]


def test_code_stands_in_the_way_of_a_call_and_the_reverse(core, ready_phone):
    person = fresh_number()
    challenge = core.create_challenge(person).expect(201)
    refused = core.create_otp(person)
    refused.expect(409, "active_challenge_exists")
    assert refused.error["challenge_id"] == challenge["id"]

    core.cancel_challenge(challenge["id"]).expect(204)
    otp = core.create_otp(person).expect(201)
    refused = core.create_challenge(person)
    refused.expect(409, "active_challenge_exists")
    assert refused.error["challenge_id"] == otp["id"]


def test_confirmed_and_canceled_challenges_are_not_active(core, phone):
    caller = fresh_number()
    core.create_challenge(caller).expect(201)
    assert report(phone, caller)["result"] == "confirmed"
    canceled = core.create_challenge(caller).expect(201)
    core.cancel_challenge(canceled["id"]).expect(204)
    core.create_challenge(caller).expect(201)


# --- rule 6: events


@pytest.mark.parametrize("path", EVENT_PATHS)
def test_caller_in_the_shapes_that_phones_report(core, phone, path):
    for shape in ("+7{}", "7{}", "8{}"):
        caller = fresh_number()
        challenge = core.create_challenge(caller).expect(201)
        answer = report(phone, shape.format(caller[2:]), path=path)
        assert (answer["result"], answer["challenge_id"]) == ("confirmed", challenge["id"])


def test_only_callers_are_read_in_other_shapes(core, phone):
    caller = fresh_number()
    core.create_challenge(f"8{caller[2:]}").expect(422, "validation_error")
    core.create_challenge(caller, gateway_number=f"8{phone.number[2:]}").expect(422)


@pytest.mark.parametrize("caller", [None, "+79990000000"])
def test_call_that_nobody_waits_for(phone, caller):
    answer = report(phone, caller)
    assert (answer["result"], answer["challenge_id"]) == ("no_challenge", None)


@pytest.mark.parametrize("caller", [
    "112", "", " ", "Mum", "+49301234567", "sip:a@b", "8916", "x" * 300, "\u0645\u062c\u0647\u0648\u0644",
    79161234567, -1, 1.5, True, {}, {"number": ["+79161234567"]}, [], ["+79161234567"],
], ids=repr)
def test_caller_that_is_no_number_is_hidden(core, phone, caller):
    challenge = core.create_challenge(fresh_number()).expect(201)
    answer = report(phone, caller)
    assert (answer["result"], answer["challenge_id"]) == ("no_challenge", None)
    assert core.challenge(challenge["id"]).expect(200)["state"] == "pending"


@pytest.mark.parametrize("path", EVENT_PATHS)
def test_caller_that_is_absent_is_hidden(phone, path):
    body = {"event_id": fresh_key(), "gateway_number": phone.number,
            "occurred_at": "2026-01-01T00:00:00Z"}
    assert phone.post(path, body).expect(200)["result"] == "no_challenge"


def test_event_is_applied_once(core, phone):
    caller, event_id = fresh_number(), fresh_key()
    challenge = core.create_challenge(caller).expect(201)
    first = report(phone, caller, event_id=event_id)
    again = report(phone, caller, event_id=event_id, path="/device/v1/events")
    assert again == {**first, "duplicate": True}

    core.create_challenge(caller).expect(201)
    assert report(phone, caller, event_id=event_id) == {**first, "duplicate": True}
    assert first["challenge_id"] == challenge["id"]


def test_repeated_event_returns_the_first_result_whatever_the_body(core, phone):
    event_id, caller = fresh_key(), fresh_number()
    assert report(phone, None, event_id=event_id)["result"] == "no_challenge"
    challenge = core.create_challenge(caller).expect(201)
    again = report(phone, caller, event_id=event_id)
    assert (again["result"], again["duplicate"]) == ("no_challenge", True)
    assert core.challenge(challenge["id"]).expect(200)["state"] == "pending"


def test_event_ids_are_a_devices_own(core, new_phone):
    one, other = new_phone(), new_phone()
    event_id, caller = fresh_key(), fresh_number()
    core.create_challenge(caller, gateway_number=other.number).expect(201)
    assert report(one, None, event_id=event_id)["result"] == "no_challenge"
    answer = report(other, caller, event_id=event_id)
    assert (answer["result"], answer["duplicate"]) == ("confirmed", False)


def test_call_to_another_number_confirms_nothing(core, new_phone):
    phone, neighbour = new_phone(2), new_phone()
    caller = fresh_number()
    challenge = core.create_challenge(caller, gateway_number=phone.numbers[0]).expect(201)
    assert report(phone, caller, number=phone.numbers[1])["result"] == "no_challenge"
    assert report(neighbour, caller)["result"] == "no_challenge"
    assert core.challenge(challenge["id"]).expect(200)["state"] == "pending"
    assert report(phone, caller, number=phone.numbers[0])["result"] == "confirmed"


def test_event_for_a_number_of_another_phone_is_403(core, new_phone):
    phone, thief = new_phone(), new_phone()
    caller, event_id = fresh_number(), fresh_key()
    challenge = core.create_challenge(caller, gateway_number=phone.number).expect(201)
    for path in EVENT_PATHS:
        reply = thief.event(caller, number=phone.number, path=path, event_id=event_id)
        reply.expect(403, "number_not_owned")
    assert core.challenge(challenge["id"]).expect(200)["state"] == "pending"
    assert report(phone, caller, event_id=event_id)["result"] == "confirmed"


@pytest.mark.parametrize("offset, result", [
    (-6, "late"), (-5.001, "late"), (-5, "confirmed"), (-1.9, "confirmed"), (0, "confirmed"),
])
def test_call_before_the_challenge_is_late_beyond_5_seconds(core, phone, offset, result):
    caller = fresh_number()
    challenge = core.create_challenge(caller).expect(201)
    answer = report(phone, caller, occurred_at=shifted(challenge, offset))
    assert answer["result"] == result
    state = core.challenge(challenge["id"]).expect(200)["state"]
    assert state == ("pending" if result == "late" else "confirmed")


@pytest.mark.parametrize("offset, result", [(0, "confirmed"), (0.001, "late"), (3600, "late")])
def test_call_after_the_end_is_late(core, phone, offset, result):
    caller = fresh_number()
    challenge = core.create_challenge(caller).expect(201)
    occurred_at = shifted(challenge, offset, "expires_at")
    assert report(phone, caller, occurred_at=occurred_at)["result"] == result


@pytest.mark.parametrize("offset, is_told, result", [
    (-3500, True, "confirmed"), (3500, True, "confirmed"), (3500, False, "late"),
    (-3500, False, "late"), (-3700, True, "late"), (3700, True, "late"),
])
def test_clock_of_a_phone_may_be_off_by_an_hour(core, phone, offset, is_told, result):
    caller = fresh_number()
    core.create_challenge(caller).expect(201)
    clock = datetime.now(timezone.utc) + timedelta(seconds=offset)
    times = {"occurred_at": format_time(clock)}
    if is_told:
        times["sent_at"] = format_time(clock + timedelta(seconds=0.1))
    assert report(phone, caller, **times)["result"] == result


@pytest.mark.parametrize("sent_at, status", [(None, 200), ("2026-11-21T04:33:00Z", 200),
                                             ("now", 422), (7, 422), ("", 422)])
def test_sent_at_is_a_time_or_absent(phone, sent_at, status):
    reply = phone.event(None, sent_at=sent_at)
    reply.expect(status)
    assert status == 200 or reply.fault_paths == ["sent_at"]


# --- rule 6: one call confirms at most one challenge


def test_call_that_is_reported_again_confirms_no_second_challenge(core, phone):
    """The phone forgot that it had reported, and gives the call another event_id."""
    caller = fresh_number()
    first = core.create_challenge(caller).expect(201)
    now = first["created_at"]
    assert report(phone, caller, occurred_at=now)["result"] == "confirmed"
    second = core.create_challenge(caller, gateway_number=phone.number).expect(201)
    for occurred_at in (now, shifted(first, 1), shifted(first, 59)):
        answer = report(phone, caller, occurred_at=occurred_at)
        assert (answer["result"], answer["challenge_id"]) == ("no_challenge", None)
    assert core.challenge(second["id"]).expect(200)["state"] == "pending"


def test_call_that_its_phone_dates_ahead_is_one_of_now(core, phone):
    caller = fresh_number()
    first = core.create_challenge(caller).expect(201)
    assert report(phone, caller)["result"] == "confirmed"
    second = core.create_challenge(caller, gateway_number=phone.number).expect(201)
    ahead = shifted(first, 100)
    assert report(phone, caller, occurred_at=ahead)["result"] == "no_challenge"
    assert core.challenge(second["id"]).expect(200)["state"] == "pending"


def test_one_call_among_many_reports_and_challenges(core, phone):
    """Reported by ten at once while challenges come and go: it confirms one of them."""
    caller = fresh_number()
    made = [core.create_challenge(caller).expect(201)]
    moment = made[0]["created_at"]

    def act(index):
        if index % 3 == 0:
            return core.create_challenge(caller, gateway_number=phone.number)
        return phone.event(caller, occurred_at=moment)

    replies = at_once(60, act)
    made += [reply.json for reply in replies if reply.status == 201]
    states = [core.challenge(row["id"]).expect(200)["state"] for row in made]
    assert states.count("confirmed") == 1
    assert [reply.json["result"] for reply in replies
            if reply.status == 200].count("confirmed") == 1


def test_late_call_leaves_room_for_a_good_one(core, phone):
    caller = fresh_number()
    challenge = core.create_challenge(caller).expect(201)
    early = shifted(challenge, -60)
    assert report(phone, caller, occurred_at=early)["result"] == "late"
    assert report(phone, caller)["result"] == "confirmed"


@pytest.mark.parametrize("event_id, status", [
    ("e", 200), ("e" * 128, 200), ("\u044f" * 128, 200), ("", 422), ("e" * 129, 422), (17, 422),
])
def test_event_id_has_1_to_128_characters(phone, event_id, status):
    body = {"event_id": event_id, "gateway_number": phone.number, "caller": None,
            "occurred_at": "2026-01-01T00:00:00Z"}
    reply = phone.post("/api/events", body)
    reply.expect(status)
    if status == 200:
        assert reply.json["event_id"] == event_id


@pytest.mark.parametrize("occurred_at", [
    "2026-11-21T04:33:00Z", "2026-11-21T04:33:00.1Z", "2026-11-21T04:33:00.123456789Z",
    "2026-11-21T07:33:00+03:00", "2026-11-21T04:33:00.123-00:30",
    "2026-11-28T10:00:00+0300", "2026-11-28T10:00:00+03", "2026-11-28 10:00:00Z", "2026-11-28T10:00Z",
    "2026-11-28 10:00+03",
])
def test_times_of_phones_may_have_any_zone(phone, occurred_at):
    report(phone, None, occurred_at=occurred_at)


@pytest.mark.parametrize("form", ["%Y-%m-%dT%H:%M:%S+03:00", "%Y-%m-%d %H:%M:%S+0300",
                                  "%Y-%m-%dT%H:%M:%S+03"])
def test_zone_of_the_phones_time_is_understood(core, phone, form):
    """As in packages: all requests have one reader of times."""
    caller = fresh_number()
    challenge = core.create_challenge(caller).expect(201)
    local = parse_time(challenge["created_at"]) + timedelta(hours=3)
    occurred_at = local.strftime(form)
    assert report(phone, caller, occurred_at=occurred_at)["result"] == "confirmed"


@pytest.mark.parametrize("occurred_at", [
    "", "now", "2026-11-21", "2026-11-21 04:33", "2026-13-21T04:33:00Z", "2026-02-30T04:33:00Z",
    "2026-11-21T24:33:00Z", "2026-11-21T04:33:00", 1795235580, None,
])
def test_time_that_is_none_is_422(phone, occurred_at):
    body = {"event_id": fresh_key(), "gateway_number": phone.number, "caller": None,
            "occurred_at": occurred_at}
    reply = phone.post("/api/events", body)
    reply.expect(422, "validation_error")
    assert reply.fault_paths == ["occurred_at"]


@pytest.mark.parametrize("field", ["event_id", "gateway_number", "occurred_at"])
def test_event_fields_are_required(phone, field):
    body = {"event_id": fresh_key(), "gateway_number": phone.number, "caller": None,
            "occurred_at": "2026-01-01T00:00:00Z"}
    del body[field]
    reply = phone.post("/device/v1/events", body)
    reply.expect(422, "validation_error")
    assert reply.fault_paths == [field]


# --- rule 10: cancel


def test_cancel_is_repeatable(core, phone):
    challenge = core.create_challenge(fresh_number()).expect(201)
    for _ in range(3):
        assert core.cancel_challenge(challenge["id"]).expect(204) is None
    assert core.challenge(challenge["id"]).expect(200)["state"] == "canceled"


def test_confirmed_challenge_cannot_be_canceled(core, phone):
    caller = fresh_number()
    challenge = core.create_challenge(caller).expect(201)
    report(phone, caller)
    core.cancel_challenge(challenge["id"]).expect(409, "already_confirmed")
    assert core.challenge(challenge["id"]).expect(200)["state"] == "confirmed"


def test_call_to_a_canceled_challenge_confirms_nothing(core, phone):
    caller = fresh_number()
    challenge = core.create_challenge(caller).expect(201)
    core.cancel_challenge(challenge["id"]).expect(204)
    assert report(phone, caller)["result"] != "confirmed"
    assert core.challenge(challenge["id"]).expect(200)["state"] == "canceled"


def test_challenges_live_through_a_restart(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    made = [core.create_challenge(caller).expect(201) for caller in fresh_numbers(3)]
    report(phone, made[0]["caller"])
    core.cancel_challenge(made[1]["id"]).expect(204)
    before = [core.challenge(row["id"]).expect(200) for row in made]
    fresh_site.stop()
    fresh_site.serve()
    core = fresh_site.core()
    assert [core.challenge(row["id"]).expect(200) for row in made] == before
    assert report(phone.at(core.address), made[2]["caller"])["result"] == "confirmed"
