"""The phone fleet: register, list, enable, rotate, ping.

Doc A, section 4; contract, section 2, rule 11.
"""

from datetime import datetime, timezone

import pytest

from harness.actors import Phone
from harness.shapes import CREDENTIALS, DEVICE, check_shape, parse_time
from harness.tools import eventually, fresh_key, fresh_number, fresh_numbers


def register(core, name="Phone", numbers=None):
    return core.register(name, fresh_numbers(1) if numbers is None else numbers)


# --- registering


def test_registration_shows_key_and_device(core):
    numbers = fresh_numbers(2)
    credentials = check_shape(core.register("Front desk", numbers).expect(201), CREDENTIALS)
    device = credentials["device"]
    assert credentials["device_id"] == device["id"]
    assert device["name"] == "Front desk"
    assert device["enabled"] is True
    assert device["last_seen_at"] is None
    assert device["accounts"] == []
    assert [row["number"] for row in device["numbers"]] == numbers
    for row in device["numbers"]:
        assert row["sim_ready"] is False
        assert row["sim_ready_until"] is None
        assert row["active_challenges"] == 0


def test_key_is_shown_once(core):
    credentials = register(core).expect(201)
    phone = Phone(core.address, credentials["device_id"], credentials["device_key"], [])
    for reply in (core.devices(), phone.ping(), core.enable(credentials["device_id"], True)):
        assert credentials["device_key"].encode() not in reply.body


@pytest.mark.parametrize("name, status", [
    ("x", 201), ("x" * 100, 201), ("\u044f" * 100, 201), ("\U0001f4de" * 100, 201),
    ("", 422), ("x" * 101, 422), ("\u044f" * 101, 422), (None, 422), (7, 422), (["x"], 422),
])
def test_name_has_1_to_100_characters(core, name, status):
    reply = core.register(name, fresh_numbers(1))
    reply.expect(status)
    if status == 201:
        assert reply.json["device"]["name"] == name
    else:
        assert reply.fault_paths == ["name"]


def test_1_to_8_numbers(core):
    register(core, numbers=fresh_numbers(8)).expect(201)
    register(core, numbers=fresh_numbers(9)).expect(422, "validation_error")
    register(core, numbers=[]).expect(422, "validation_error")


def test_numbers_must_differ(core):
    number = fresh_number()
    register(core, numbers=[number, fresh_number(), number]).expect(422, "validation_error")
    register(core, numbers=[number]).expect(201)


@pytest.mark.parametrize("number", [
    "", "+7", "+7916000000", "+791600000011", "89160000001", "79160000001", "+89160000001",
    "+7 916 000 00 01", "+7916000000a", " +79160000001", "+79160000001\n", "+7\u0661160000001",
    79160000001, None,
])
def test_number_has_one_form(core, number):
    reply = register(core, numbers=[fresh_number(), number])
    reply.expect(422, "validation_error")
    assert len(reply.fault_paths) == 1 and reply.fault_paths[0].startswith("numbers")


@pytest.mark.parametrize("body", [
    {"name": "x"}, {"numbers": ["+79160000001"]}, {"name": "x", "numbers": "+79160000001"},
    {"name": "x", "numbers": {}}, {"name": "x", "numbers": None},
])
def test_both_fields_are_required(core, body):
    core.post("/internal/v1/devices", body).expect(422, "validation_error")


def test_number_belongs_to_one_device(core):
    number, other = fresh_numbers(2)
    register(core, numbers=[number]).expect(201)
    register(core, numbers=[number]).expect(409, "number_taken")
    register(core, numbers=[other, number]).expect(409, "number_taken")
    register(core, numbers=[other]).expect(201)


def test_names_need_not_differ(core):
    assert register(core, "twin").expect(201)["device_id"] != register(
        core, "twin").expect(201)["device_id"]


# --- listing


def test_list_holds_every_device(core):
    made = [register(core).expect(201)["device"] for _ in range(60)]
    listed = {row["id"]: row for row in core.devices().expect(200)["devices"]}
    for device in made:
        assert check_shape(listed[device["id"]], DEVICE) == device


def test_list_in_pages_holds_every_device_once(core):
    for _ in range(9):
        register(core).expect(201)
    whole = [row["id"] for row in core.devices().expect(200)["devices"]]
    for limit in (1, 7, 200):
        paged, cursor = [], ""
        while cursor is not None:
            page = core.devices(f"?limit={limit}{cursor and '&cursor=' + cursor}").expect(200)
            assert len(page["devices"]) <= limit
            paged += [row["id"] for row in page["devices"]]
            cursor = page["next_cursor"]
        assert len(paged) == len(set(paged))
        assert set(paged) == set(whole)


def test_cursor_alone_takes_pages_of_50(core):
    for _ in range(52):
        register(core).expect(201)
    first = core.devices("?limit=1").expect(200)
    page = core.devices(f"?cursor={first['next_cursor']}").expect(200)
    assert len(page["devices"]) == 50
    assert first["devices"][0]["id"] not in [row["id"] for row in page["devices"]]


@pytest.mark.parametrize("query", [
    "?limit=0", "?limit=201", "?limit=-1", "?limit=abc", "?limit=1.5", "?limit=",
    "?limit=99999999999999999999", "?limit=1&limit=2", "?cursor=%00", "?cursor=nonsense",
])
def test_bad_page_is_422(core, query):
    core.devices(query).expect(422, "validation_error")


# 80,000 phones with names of 800 bytes: more than the 64 MB that an answer may have.
CROWD = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80000)
    INSERT INTO device (id, name, key_hash, is_enabled, created_at)
    SELECT {an_id}, '{name}', {an_id}, 1, 0 FROM n
"""
AN_ID = {"sqlite": "randomblob(16)", "postgres": "decode(lpad(to_hex(i), 32, '0'), 'hex')"}


def test_fleet_too_large_for_one_answer_is_read_in_pages(fresh_site):
    fresh_site.serve()
    fresh_site.stop()
    fresh_site.ask(CROWD.format(an_id=AN_ID[fresh_site.engine], name="n" * 800))
    fresh_site.serve()
    core = fresh_site.core()
    refused = core.devices().expect(422, "validation_error")
    assert [fault["path"] for fault in refused["error"]["fields"]] == ["limit"]
    assert len(core.devices("?limit=200").expect(200)["devices"]) == 200


# --- enabling, disabling


def test_enable_and_disable(core):
    device_id = register(core).expect(201)["device_id"]
    for is_enabled in (False, False, True, True):
        assert core.enable(device_id, is_enabled).expect(204) is None
        assert core.device(device_id)["enabled"] is is_enabled


@pytest.mark.parametrize("body", [
    {}, {"enabled": None}, {"enabled": "true"}, {"enabled": 1}, {"enabled": True, "name": "x"},
])
def test_enable_wants_a_boolean_and_nothing_else(core, body):
    device_id = register(core).expect(201)["device_id"]
    core.patch(f"/internal/v1/devices/{device_id}", body).expect(422, "validation_error")
    assert core.device(device_id)["enabled"] is True


def test_disabled_phone_may_ping_and_nothing_else(core, phone):
    core.enable(phone.device_id, False).expect(204)
    assert phone.ping().expect(200)["device"]["enabled"] is False
    phone.claim().expect(403, "device_disabled")
    phone.event(fresh_number()).expect(403, "device_disabled")
    phone.event(fresh_number(), path="/device/v1/events").expect(403, "device_disabled")
    core.enable(phone.device_id, True).expect(204)
    phone.claim().expect(200)


def test_numbers_of_a_disabled_phone_are_not_chosen(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    disabled, enabled = fresh_site.phone(core), fresh_site.phone(core)
    disabled.be_ready()
    enabled.be_ready()
    core.enable(disabled.device_id, False).expect(204)
    for _ in range(3):
        challenge = core.create_challenge(fresh_number()).expect(201)
        assert challenge["gateway_number"] == enabled.number
        otp = core.create_otp(fresh_number()).expect(201)
        assert otp["sends"][0]["gateway_number"] == enabled.number
    core.create_challenge(fresh_number(), gateway_number=disabled.number).expect(404, "not_found")


def test_task_of_a_phone_that_is_disabled_returns_to_the_queue(core, ready_phone):
    core.create_otp(fresh_number()).expect(201)
    task = ready_phone.claim_task()
    core.enable(ready_phone.device_id, False).expect(204)
    core.enable(ready_phone.device_id, True).expect(204)
    again = ready_phone.claim_task()
    assert again["recipient"] == task["recipient"]
    assert again["text"] == task["text"]
    assert again["lease_id"] != task["lease_id"]


# --- ping


def test_ping_shows_the_device_as_the_list_does(core, phone):
    answer = phone.ping().expect(200)
    assert set(answer) == {"ok", "device"}
    assert answer["ok"] is True
    device = check_shape(answer["device"], DEVICE)
    assert eventually(lambda: core.device(phone.device_id)["status"])
    assert core.device(phone.device_id) == device


def test_ping_takes_any_object_and_wants_one(phone):
    for body in ({}, {"app": {"version": [1, 2.5, None]}}):
        phone.post("/api/device/ping", body).expect(200)
    phone.post("/api/device/ping").expect(422, "validation_error")
    phone.post("/api/device/ping", []).expect(422, "validation_error")


def test_ping_and_claim_show_when_the_phone_was_seen(core, phone):
    assert core.device(phone.device_id)["last_seen_at"] is None
    created_at = phone.ping().expect(200)["device"]["created_at"]
    seen_at = eventually(lambda: core.device(phone.device_id)["last_seen_at"])
    assert parse_time(seen_at) >= parse_time(created_at)
    phone.be_ready()
    assert eventually(lambda: core.device(phone.device_id)["last_seen_at"] > seen_at)


# --- readiness and load, as the list shows them


def test_claim_makes_the_sim_ready_for_60_seconds(core, new_phone):
    phone = new_phone(2)
    phone.be_ready(phone.numbers[1])
    rows = core.device(phone.device_id)["numbers"]
    assert [row["sim_ready"] for row in rows] == [False, True]
    assert rows[0]["sim_ready_until"] is None
    wait = parse_time(rows[1]["sim_ready_until"]) - datetime.now(timezone.utc)
    assert 57 <= wait.total_seconds() <= 60


def test_claim_can_withdraw_readiness(core, ready_phone):
    assert ready_phone.claim(sim_ready=False).expect(200) == {"task": None}
    row = core.device(ready_phone.device_id)["numbers"][0]
    assert row["sim_ready"] is False
    core.create_otp(fresh_number()).expect(503, "no_ready_sim")


def test_active_challenges_are_counted(core, phone):
    def count():
        return core.device(phone.device_id)["numbers"][0]["active_challenges"]

    here = phone.number
    made = [core.create_challenge(row, gateway_number=here).expect(201) for row in fresh_numbers(3)]
    assert count() == 3
    core.cancel_challenge(made[0]["id"]).expect(204)
    assert count() == 2
    phone.event(made[1]["caller"], event_id=fresh_key()).expect(200)
    assert count() == 1


# --- keys


def test_rotation_wants_no_body_and_gives_a_new_key_each_time(core, phone):
    keys = {core.rotate_key(phone.device_id).expect(200)["device_key"] for _ in range(5)}
    assert len(keys) == 5
    phone.ping().expect(401)
    works = [
        Phone(core.address, phone.device_id, key, phone.numbers).ping().status for key in keys
    ]
    assert sorted(works) == [200, 401, 401, 401, 401]
