"""One phone: read, changed and removed; lists with filters; what a phone says of itself.

Contract, section 11, and section 2, rules 1 and 11.
"""

import threading

import pytest

from harness.actors import read_code
from harness.shapes import DEVICE, check_shape, parse_time
from harness.tools import Moment, eventually, fresh_number, fresh_numbers, masked

MISSING_ID = "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"


def numbers_of(device):
    return [row["number"] for row in device["numbers"]]


def restored(core, phone, numbers=None):
    return core.change_device(phone.device_id, "Phone", numbers or phone.numbers)


# --- reading


def test_one_phone_is_read_as_the_list_shows_it(core, phone):
    device = check_shape(core.read_device(phone.device_id).expect(200), DEVICE)
    assert device == core.device(phone.device_id)
    core.read_device(MISSING_ID).expect(404, "not_found")


# --- changing


def test_name_and_numbers_change_and_the_key_stays(core, new_phone):
    phone = new_phone(3)
    first, second, third = phone.numbers
    added = fresh_number()
    wanted = [third, added, first]
    for _ in range(2):
        device = core.change_device(phone.device_id, "Drawer", wanted).expect(200)
        check_shape(device, DEVICE)
        assert (device["name"], numbers_of(device)) == ("Drawer", wanted)
        assert core.read_device(phone.device_id).expect(200) == device
    phone.claim(added).expect(200)
    phone.claim(second).expect(403, "number_not_owned")
    core.register("Another", [second]).expect(201)


def test_number_of_another_phone_is_refused_and_nothing_changes(core, new_phone):
    phone, other = new_phone(2), new_phone()
    before = core.read_device(phone.device_id).expect(200)
    reply = core.change_device(phone.device_id, "New", [fresh_number(), other.number])
    assert reply.expect(409, "number_taken")["error"]["number"] == other.number
    assert core.read_device(phone.device_id).expect(200) == before


def test_a_sim_moves_from_phone_to_phone(core, new_phone):
    giver, taker = new_phone(2), new_phone()
    moved = giver.numbers[1]
    core.change_device(giver.device_id, "Giver", giver.numbers[:1]).expect(200)
    core.change_device(taker.device_id, "Taker", [*taker.numbers, moved]).expect(200)
    taker.claim(moved).expect(200)
    giver.claim(moved).expect(403, "number_not_owned")


@pytest.mark.parametrize("body", [
    {}, {"name": "x"}, {"numbers": ["+79160000001"]}, {"name": "", "numbers": ["+79160000001"]},
    {"name": "x" * 101, "numbers": ["+79160000001"]}, {"name": "x", "numbers": []},
    {"name": "x", "numbers": ["+79160000001"] * 2}, {"name": "x", "numbers": ["89160000001"]},
    {"name": "x", "numbers": [f"+7916000000{i}" for i in range(9)]},
    {"name": "x", "numbers": ["+79160000001"], "enabled": True},
    {"name": "x", "numbers": ["+79160000001"], "accounts": []},
])
def test_change_wants_name_and_numbers_and_nothing_else(core, phone, body):
    core.put(f"/internal/v1/devices/{phone.device_id}", body).expect(422, "validation_error")


def test_unknown_phone_is_not_changed(core):
    core.change_device(MISSING_ID, "x", [fresh_number()]).expect(404, "not_found")


def test_numbers_of_a_disabled_phone_stay_disabled(core, phone):
    core.enable(phone.device_id, False).expect(204)
    added = fresh_number()
    device = core.change_device(phone.device_id, "x", [phone.number, added]).expect(200)
    assert device["enabled"] is False
    core.create_challenge(fresh_number(), gateway_number=added).expect(404, "not_found")
    core.enable(phone.device_id, True).expect(204)
    core.create_challenge(fresh_number(), gateway_number=added).expect(201)


def test_open_tasks_of_a_number_that_goes_move_to_another_sim(core, new_phone):
    """All but the one that its phone has claimed: that SMS may be out."""
    phone, other = new_phone(), new_phone()
    phone.be_ready()
    waiting = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    claimed = phone.claim_task()
    queued = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    other.be_ready()
    core.change_device(phone.device_id, "x", [fresh_number()]).expect(200)
    task = other.claim_task(within=12)
    assert task, "a task stayed with a number that is nobody's"
    assert task["recipient"] == queued["recipient"]
    told = [(masked(phone.number), masked(other.number), "sim_not_ready")]
    assert eventually(lambda: core.changes_of_sim(queued["id"]) == told)
    other.result(task, "sent").expect(204)
    core.verify(queued["id"], read_code(task)).expect(200)
    assert other.claim_task(within=Moment(3)) is None
    assert core.otp(waiting["id"]).expect(200)["sends"][0]["state"] == "claimed"
    for _ in range(2):
        phone.result(claimed, "sent").expect(204)
    assert [row["state"] for row in core.otp(waiting["id"]).expect(200)["sends"]] == ["sent"]
    core.verify(waiting["id"], read_code(claimed)).expect(200)


def test_a_number_does_not_inherit_the_challenges_of_its_former_phone(core, new_phone):
    phone, other = new_phone(2), new_phone()
    moved = phone.number
    challenge = core.create_challenge(fresh_number(), gateway_number=moved).expect(201)
    core.change_device(phone.device_id, "x", phone.numbers[1:]).expect(200)
    phone.event(challenge["caller"], moved).expect(403, "number_not_owned")
    assert core.challenge(challenge["id"]).expect(200)["state"] == "pending"
    device = core.change_device(other.device_id, "y", [*other.numbers, moved]).expect(200)
    core.cancel_challenge(challenge["id"]).expect(204)
    rows = core.read_device(device["id"]).expect(200)["numbers"]
    assert [row["active_challenges"] for row in rows] == [0, 0]


def test_changes_at_once_leave_one_of_them(core, new_phone):
    phone = new_phone(2)
    wishes = [[phone.numbers[0], *fresh_numbers(2)] for _ in range(6)]
    threads = [
        threading.Thread(target=core.change_device, args=(phone.device_id, f"n{i}", numbers))
        for i, numbers in enumerate(wishes)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    device = core.read_device(phone.device_id).expect(200)
    assert numbers_of(device) == wishes[int(device["name"][1:])]


# --- removing


def test_removed_phone_is_gone_and_its_history_stays(site, core, new_phone):
    phone, other = site.phone(core, 2), new_phone()
    core.connect_accounts(phone, f"shop-{phone.number}")
    phone.be_ready()
    sent = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    phone.result(phone.claim_task(), "sent").expect(204)
    challenge = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    phone.event(challenge["caller"]).expect(200)
    other.be_ready()
    waiting = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    phone.claim_task()

    for _ in range(2):
        assert core.remove_device(phone.device_id).expect(204) is None
    for refused in (phone.ping(), phone.claim(), phone.event(fresh_number())):
        refused.expect(401, "unauthorized")
    core.read_device(phone.device_id).expect(404, "not_found")
    core.enable(phone.device_id, True).expect(404, "not_found")
    core.rotate_key(phone.device_id).expect(404, "not_found")
    core.bind_accounts(phone.device_id).expect(404, "not_found")
    restored(core, phone).expect(404, "not_found")
    assert phone.device_id not in [row["id"] for row in core.devices().expect(200)["devices"]]

    assert core.otp(sent["id"]).expect(200)["sends"][0]["gateway_number"] == phone.number
    assert core.challenge(challenge["id"]).expect(200)["state"] == "confirmed"
    task = other.claim_task(within=12)
    assert task and task["recipient"] == waiting["recipient"]
    again = core.register("Again", phone.numbers, accounts=[f"shop-{phone.number}"]).expect(201)
    assert again["device_id"] != phone.device_id
    core.enable(again["device_id"], False).expect(204)
    core.remove_device(MISSING_ID).expect(404, "not_found")


def test_phone_is_registered_changed_and_removed_at_once(core):
    """Whoever wins, a number is nobody's or belongs to one phone that there is."""
    numbers = fresh_numbers(2)
    made = [core.register("x", [fresh_number()]).expect(201)["device_id"] for _ in range(4)]

    def quarrel(device_id):
        for _ in range(5):
            core.change_device(device_id, "x", numbers)
            core.change_device(device_id, "x", [fresh_number()])
        core.remove_device(device_id).expect(204)

    threads = [threading.Thread(target=quarrel, args=(row,)) for row in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    core.register("last", numbers).expect(201)


@pytest.mark.only("postgres")
def test_change_and_removal_at_one_process_hold_at_the_other(fresh_site):
    cluster = fresh_site.start_cluster()
    first, second = (fresh_site.core(process) for process in cluster)
    phone = fresh_site.phone(first, 2)
    there = phone.at(second.address)
    there.claim(phone.numbers[1]).expect(200)
    first.change_device(phone.device_id, "x", phone.numbers[:1]).expect(200)
    there.claim(phone.numbers[1]).expect(403, "number_not_owned")
    assert second.read_device(phone.device_id).expect(200)["name"] == "x"
    first.remove_device(phone.device_id).expect(204)
    there.ping().expect(401, "unauthorized")
    second.read_device(phone.device_id).expect(404)


def test_what_was_acknowledged_outlives_a_kill(fresh_site):
    process = fresh_site.serve()
    core = fresh_site.core()
    kept, gone = fresh_site.phone(core), fresh_site.phone(core)
    added = fresh_number()
    core.change_device(kept.device_id, "Kept", [added]).expect(200)
    core.remove_device(gone.device_id).expect(204)
    process.kill()
    fresh_site.processes.remove(process)
    fresh_site.serve()
    core = fresh_site.core()
    device = core.read_device(kept.device_id).expect(200)
    assert (device["name"], numbers_of(device)) == ("Kept", [added])
    core.read_device(gone.device_id).expect(404)
    core.remove_device(gone.device_id).expect(204)


# --- lists with filters


def found(core, query):
    return {row["id"] for row in core.devices(query).expect(200)["devices"]}


def test_list_is_filtered(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    ready, silent, disabled = (fresh_site.phone(core) for _ in range(3))
    ready.be_ready()
    disabled.be_ready()
    core.enable(disabled.device_id, False).expect(204)
    core.change_device(silent.device_id, "Точка 7, ЯЩИК", silent.numbers).expect(200)
    every = {ready.device_id, silent.device_id, disabled.device_id}
    assert found(core, "?ready=true") == {ready.device_id}
    assert found(core, "?ready=false") == every - {ready.device_id}
    assert found(core, "?enabled=true") == every - {disabled.device_id}
    assert found(core, "?enabled=false&ready=false") == {disabled.device_id}
    assert found(core, "?q=%D1%8F%D1%89%D0%B8%D0%BA") == {silent.device_id}
    digits = silent.number[2:]
    spelled = f"8%20({digits[:3]})%20{digits[3:6]}-{digits[6:8]}-{digits[8:]}"
    for spelling in (f"%2B7{digits}", f"7{digits}", f"8{digits}", digits, spelled):
        assert found(core, f"?q={spelling}") == {silent.device_id}, spelling
    assert found(core, "?q=nothing") == set()
    assert found(core, f"?q=%2B7{digits[0]}") == set()  # two digits are no part of a number
    page = core.devices("?ready=false&limit=1").expect(200)
    rest = core.devices(f"?ready=false&limit=1&cursor={page['next_cursor']}").expect(200)
    assert rest["next_cursor"] is None
    assert {page["devices"][0]["id"], rest["devices"][0]["id"]} == every - {ready.device_id}


@pytest.mark.parametrize("query", [
    "?ready=", "?ready=1", "?enabled=yes", "?q=", "?q=" + "x" * 101, "?name=x",
    "?ready=true&ready=true",
])
def test_bad_filter_is_422(core, query):
    core.devices(query).expect(422, "validation_error")


# --- what a phone says of itself


def status_of(core, phone):
    return core.read_device(phone.device_id).expect(200)["status"]


def test_last_ping_is_kept_as_the_status(core, phone):
    assert status_of(core, phone) is None
    phone.ping(battery=5).expect(200)
    said = {"battery": 87, "charging": False, "network": "wifi", "app_version": "1.2",
            "more": {"rows": [1, None, "я"]}}
    shown = phone.ping(**said).expect(200)["device"]["status"]
    assert {**shown, "at": 0, "raw": 0} == {
        "battery": 87, "charging": False, "network": "wifi", "app_version": "1.2", "at": 0,
        "raw": 0}
    assert shown["raw"] == said
    stored = eventually(lambda: (status_of(core, phone) or {}).get("raw") == said)
    assert stored
    assert status_of(core, phone) == shown
    assert core.device(phone.device_id)["status"] == shown
    seen_at = core.read_device(phone.device_id).expect(200)["last_seen_at"]
    assert parse_time(seen_at) >= parse_time(shown["at"])


@pytest.mark.parametrize("said, shown", [
    ({"battery": 0}, {"battery": 0}), ({"battery": 100}, {"battery": 100}),
    ({"battery": 55.5}, {"battery": 55.5}), ({"battery": 100.1}, {}), ({"battery": -1}, {}),
    ({"battery": 0.57 * 100}, {"battery": 57}), ({"battery": 100 / 3}, {"battery": 33.333333}),
    ({"battery": 99.99999999}, {"battery": 100}), ({"battery": 100.0000001}, {}),
    ({"battery": -0.0000001}, {}), ({"battery": 1e-7}, {"battery": 0}),
    ({"battery": "50"}, {}), ({"battery": None}, {}), ({"battery": True}, {}),
    ({"battery": [1]}, {}), ({"charging": True}, {"charging": True}), ({"charging": 1}, {}),
    ({"charging": "true"}, {}), ({"network": "я" * 64}, {"network": "я" * 64}),
    ({"network": "x" * 65}, {}), ({"network": 4}, {}), ({"network": {"a": 1}}, {}),
    ({"app_version": ""}, {"app_version": ""}), ({"app_version": "1" * 65, "battery": 1},
                                                  {"battery": 1}),
])
def test_a_member_is_shown_only_where_it_fits(phone, said, shown):
    status = phone.ping(**said).expect(200)["device"]["status"]
    assert status.pop("raw") == said
    status.pop("at")
    assert status == shown


def test_ping_has_at_most_16_kib(core, phone):
    def send(size):
        body = b'{"x":"' + b"y" * (size - 8) + b'"}'
        return phone.request("POST", "/api/device/ping", raw=body)

    send(16 * 1024).expect(200)
    send(16 * 1024 + 1).expect(413, "payload_too_large")
    phone.request("POST", "/api/device/ping", raw=b'{"a":1,"a":2}').expect(422)


def test_disabled_phone_tells_its_status_too(core, phone):
    core.enable(phone.device_id, False).expect(204)
    assert phone.ping(battery=3).expect(200)["device"]["status"]["battery"] == 3


def test_status_is_that_of_the_phone_with_the_key(core, new_phone):
    phones = [new_phone() for _ in range(5)]
    for i, phone in enumerate(phones):
        phone.ping(battery=i).expect(200)
    for i, phone in enumerate(phones):
        assert eventually(lambda: (status_of(core, phone) or {}).get("battery") == i)
