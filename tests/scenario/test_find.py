"""Contract section 18.5: one question finds everything."""

import time
from datetime import timedelta
from urllib.parse import quote

import pytest

from harness import catalog
from harness.exchange import MISSING_ID, Operator
from harness.keys import key_of, with_key
from harness.orders import ORDER_SETTINGS
from harness.packages import SNAPSHOT, Sender
from harness.shapes import parse_time
from harness.tools import PATIENCE_S, eventually, fresh_key, fresh_number, masked
from test_admin import WRONG, Admin, rows_of

SETTINGS = ORDER_SETTINGS
CLOCK = True
SEARCH = "/internal/v1/search?q="
PHONES_MAX, ENTRIES_MAX = 1_000, 20_000  # so many of the newest are looked at


def find(client, q):
    return client.get(SEARCH + quote(q)).expect(200)["results"]


def named(rows):
    return [(row["type"], row["id"]) for row in rows]


def types(rows):
    return [row["type"] for row in rows]


def test_number_in_any_spelling(core, ready_phone):
    core.change_device(ready_phone.device_id, "Телефон у окна", ready_phone.numbers).expect(200)
    number = fresh_number()
    code = core.create_otp(number).expect(201)
    digits = number[2:]
    for spelled in (number, f"8{digits}", f"\u202a+7\u202f{digits}\u202c", f"+7 ({digits[:3]}) {digits[3:6]}-{digits[6:]}", f" {number} "):
        row = next(row for row in find(core, spelled) if row["type"] == "otp")
        assert (row["id"], row["title"], row["state"]) == (code["id"], number, "queued")
    row = next(r for r in find(core, ready_phone.number) if r["type"] == "device")
    assert (row["id"], row["title"]) == (ready_phone.device_id, "Телефон у окна")


def test_numbers_are_masked_by_role(site, core, ready_phone):
    number = fresh_number()
    core.create_otp(number).expect(201)
    viewer = with_key(site, key_of(core, "viewer"))
    row = next(row for row in find(viewer, number) if row["type"] == "otp")
    assert "***" in row["title"] and number not in str(row)


def test_id_name_and_request(core, phone):
    core.change_device(phone.device_id, "Полка Северная", phone.numbers).expect(200)
    assert types(find(core, phone.device_id)) == ["device"]
    assert types(find(core, "севЕРН")) == ["device"]
    assert find(core, "нет такого") == []
    request_id = f"find-{time.monotonic_ns()}"
    core.request("GET", f"/internal/v1/otp/{MISSING_ID}",
                 headers={"X-Request-Id": request_id}).expect(404)
    assert eventually(lambda: types(find(core, request_id)) == ["log"], seconds=10)
    assert find(core, request_id)[0]["id"] == request_id


def refusals_of(client, number):
    return [(row["id"], row["state"]) for row in find(client, number) if row["type"] == "log"]


def test_what_was_refused_is_found_by_its_number(site, core, phone):
    """Nothing was created, so that the number is all that somebody who asks has (contract, section 11.5)."""
    phone.be_ready()
    other, ids = fresh_number(), [f"find-{fresh_key()}" for _ in range(4)]
    number, closed, caller = fresh_number(), fresh_number(), fresh_number()
    core.create_otp(number).expect(201)

    def refuse(request_id, path, body, code):
        headers = {"X-Request-Id": request_id, "Idempotency-Key": fresh_key()}
        assert core.request("POST", path, body, headers=headers).code == code

    refuse(ids[0], "/internal/v1/otp", {"recipient": number, "channel": "sms"}, "active_challenge_exists")
    refuse(ids[1], "/internal/v1/otp", {"recipient": closed, "channel": "flash_call"}, "channel_unavailable")
    core.create_challenge(caller).expect(201)
    refuse(ids[2], "/internal/v1/challenges", {"caller": caller}, "active_challenge_exists")
    refuse(ids[3], "/internal/v1/otp", {"recipient": number, "channel": "nothing"}, "validation_error")
    wanted = [(ids[3], "validation_error"), (ids[0], "active_challenge_exists")]
    assert eventually(lambda: refusals_of(core, number) == wanted), refusals_of(core, number)
    assert eventually(lambda: refusals_of(core, caller) == [(ids[2], "active_challenge_exists")])
    assert eventually(lambda: refusals_of(core, closed) == [(ids[1], "not_configured")])
    assert refusals_of(core, other) == []
    viewer = with_key(site, key_of(core, "viewer"))
    assert refusals_of(viewer, "8" + number[2:]) == wanted
    assert number[1:] not in str(find(viewer, number))
    entry, = core.get(f"/internal/v1/logs?request_id={ids[0]}").expect(200)["entries"]
    assert entry["fields"]["recipient"].startswith(masked(number))


def test_entries_of_a_request_have_a_time(core):
    request_id = f"find-{fresh_key()}"
    core.request("GET", f"/internal/v1/otp/{MISSING_ID}",
                 headers={"X-Request-Id": request_id}).expect(404)
    assert eventually(lambda: find(core, request_id))
    entry, = core.get(f"/internal/v1/logs?request_id={request_id}").expect(200)["entries"]
    row, = find(core, request_id)
    assert (row["at"], row["title"]) == (entry["fields"]["at"], entry["message"])


def test_the_newest_points_come_first(site):
    operator, word = Operator.of(site), fresh_key()[:6]
    points = [operator.create_integration(name=f"{word} {number}").expect(201)
              for number in range(7)]
    made, core = [point["id"] for point in points], site.core()
    assert named(find(core, points[0]["point_id"].upper())) == [("integration", made[0])]
    newest = [("integration", point_id) for point_id in made[:1:-1]]
    assert named(find(core, word)) == newest
    assert named(find(core, made[0])) == [("integration", made[0])]


def test_the_newest_package_of_a_key_comes_first(site, clock):
    """Each ERP has keys of its own, and two may have the same."""
    core, senders = site.core(), [Sender.of(site), Sender.of(site)]
    package = catalog.snapshot()
    for sender in reversed(senders):
        sender.apply(SNAPSHOT, package)
        clock.advance(1)
    assert [row["integration_id"] for row in find(core, package["event_id"])] == [
        sender.integration_id for sender in senders]
    other = catalog.snapshot()
    for sender in senders:
        sender.apply(SNAPSHOT, other)
        clock.advance(1)
    assert [row["integration_id"] for row in find(core, other["event_id"])] == [
        sender.integration_id for sender in reversed(senders)]


def test_an_id_that_nothing_has_finds_nothing(site, sender):
    core, nil = site.core(), "00000000-0000-0000-0000-000000000000"
    assert find(core, nil) == find(core, MISSING_ID) == []
    assert core.get(f"/internal/v1/integrations?q={nil}").expect(200)["integrations"] == []


def test_point_and_package(site, sender):
    root = site.core()
    integration = root.get(f"/internal/v1/integrations/{sender.integration_id}").expect(200)
    rows = find(root, integration["name"])
    assert integration["id"] in [row["id"] for row in rows if row["type"] == "integration"]
    package = catalog.snapshot()
    sender.apply(SNAPSHOT, package)
    row, = find(root, package["event_id"])
    assert (row["type"], row["id"], row["state"]) == ("package", package["event_id"], "applied")
    assert (row["title"], row["integration_id"]) == (integration["name"], integration["id"])
    assert find(root, "нет такого") == []


def test_order_by_its_id_and_by_its_customer(site, clock, shop, ready_phone):
    number, orders = fresh_number(), []
    for _ in range(6):
        orders.append(shop.placed(customer={"name": "Анна", "phone": number}))
        clock.advance(1)
    core, newest = site.core(), [("order", order) for order in orders[:0:-1]]
    assert named(find(core, orders[0])) == [("order", orders[0])]
    assert named(find(core, number)) == named(find(core, f"8 ({number[2:5]}) {number[5:]}")) == newest
    ready_phone.be_ready()
    code = core.create_otp(number).expect(201)
    assert named(find(core, number)) == [("otp", code["id"]), *newest]
    assert number not in str(find(core, orders[0]))


def test_faults(core):
    assert core.get(SEARCH).fault_paths == ["q"]
    assert core.get(SEARCH + "x" * 201).fault_paths == ["q"]
    assert core.get(SEARCH + "%20%09%20").fault_paths == ["q"]
    assert core.get(SEARCH.split("?")[0]).fault_paths == ["q"]


def an_id(site, number):
    """SQL: an id that is older than any of herald's."""
    text = f"01{number:030x}"
    return f"decode('{text}', 'hex')" if site.engine == "postgres" else f"x'{text}'"


def test_so_many_of_the_newest_phones_are_looked_at(fresh_site):
    """A whole number is found by its key, however old the phone is."""
    site = fresh_site
    site.serve()
    site.stop()
    site.processes.clear()
    ids = [an_id(site, number) for number in range(PHONES_MAX + 1)]
    rows = ", ".join(f"({an_id}, 'Shelf {number}.', {an_id}, 1, 0)" for number, an_id in enumerate(ids))
    site.ask(f"INSERT INTO device (id, name, key_hash, is_enabled, created_at) VALUES {rows}")
    site.ask("INSERT INTO device_number (number, device_id, position, is_enabled, changes) VALUES"
             f" ('+79160000010', {ids[0]}, 0, 1, 0), ('+79160000011', {ids[1]}, 0, 1, 0)")
    site.serve()
    core = site.core()

    def titles(q):
        return [row["title"] for row in find(core, q)]

    assert titles("shelf 1.") == titles("0000011") == ["Shelf 1."]
    assert titles("shelf 0.") == titles("0000010") == []
    assert titles("8 916 000-00-10") == titles("+79160000010") == ["Shelf 0."]
    assert titles("Shelf") == [f"Shelf {PHONES_MAX - place}." for place in range(5)]
    newest = site.phone(core)
    core.change_device(newest.device_id, "Shelf new.", newest.numbers).expect(200)
    assert titles("shelf 1.") == [] and titles("shelf 2.") == ["Shelf 2."]
    assert titles("shelf NEW") == ["Shelf new."]


def test_so_many_of_the_newest_entries_are_looked_at(fresh_site):
    site, request_id = fresh_site, f"find-{fresh_key()}"
    site.serve()
    core, path = site.core(), f"/internal/v1/otp/{MISSING_ID}"
    core.request("GET", path, headers={"X-Request-Id": request_id}).expect(404)
    assert eventually(lambda: types(find(core, request_id)) == ["log"])
    site.stop()
    site.processes.clear()
    site.ask(f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ENTRIES_MAX})"
             " INSERT INTO log_entry (id, at, level, message, fields)"
             " SELECT last_id + i, (SELECT max(at) FROM log_entry), 1, 'more', '{}' FROM n, log_head")
    site.ask(f"UPDATE log_head SET last_id = last_id + {ENTRIES_MAX}")
    site.serve()
    core = site.core()
    assert find(core, request_id) == []
    page = core.get(f"/internal/v1/logs?request_id={request_id}").expect(200)
    while not page["entries"]:
        page = core.get(
            f"/internal/v1/logs?request_id={request_id}&cursor={page['next_cursor']}").expect(200)
    assert request_id in str(page["entries"])


def test_a_number_is_no_id_of_a_request(core):
    number = fresh_number()
    core.request("GET", f"/internal/v1/otp/{MISSING_ID}",
                 headers={"X-Request-Id": number}).expect(404)
    assert eventually(lambda: core.get(
        f"/internal/v1/logs?request_id={quote(number)}").expect(200)["entries"])
    assert find(core, number) == []


@pytest.mark.parametrize("letter", ["0", "+7", "8 (", "9-"])
@pytest.mark.parametrize("count", [99, 100, 101, 200])
def test_a_text_as_long_as_may_be_is_no_number(core, letter, count):
    """A phone is looked for by a part of its number, which is never so long."""
    query = quote((letter * count)[:count])
    assert core.get(f"/internal/v1/search?q={query}").expect(200)["results"] == []


def test_command_finds_in_both_stores(site, core, phone):
    admin, name = Admin(site), f"Южный {fresh_key()[:6]}"
    core.change_device(phone.device_id, name, phone.numbers).expect(200)
    point = Operator.of(site).create_integration(name=f"{name}, point").expect(201)
    rows = rows_of(admin("find", name))
    assert [(row["TYPE"], row["ID"]) for row in rows] == [
        ("device", phone.device_id), ("integration", point["id"])]
    assert admin.json("find", name)["results"] == find(core, name)


def test_command_wants_something_to_look_for(site):
    admin = Admin(site)
    admin.refuse("find", status=WRONG, says="It is: herald admin find WHAT")
    admin.refuse("find", "", status=WRONG, says="WHAT must not be empty")
    admin.refuse("find", " ", says="WHAT: Must have more than blanks")


def test_somebody_with_a_number_finds_why_the_code_did_not_come(site, core, clock, ready_phone):
    """At a shell: the code, each step of it with its time, and the reason."""
    admin, number, began = Admin(site), fresh_number(), clock.now()
    core.create_otp(number, gateway_number=ready_phone.number).expect(201)
    clock.advance(3)
    task = ready_phone.claim_task()
    clock.advance(4)
    ready_phone.result(task, "failed", error="barred by the carrier", permanent=True).expect(204)

    row, = rows_of(admin("find", f"8 ({number[2:5]}) {number[5:8]}-{number[8:]}"))
    assert (row["TYPE"], row["STATE"]) == ("otp", "undelivered")
    said = admin("otp", "timeline", row["ID"])
    assert "barred by the carrier" in " ".join(said.split())
    steps = admin.json("otp", "timeline", row["ID"])["steps"]
    assert [step["step"] for step in steps] == [
        "created", "queued", "claimed", "failed", "undelivered"]
    seconds = [(parse_time(step["at"]) - began) / timedelta(seconds=1) for step in steps]
    for passed, at_least in zip(seconds, (0, 0, 3, 7, 7), strict=True):
        assert at_least - 0.01 <= passed < at_least + PATIENCE_S
    assert (steps[2]["device_id"], steps[3]["error"]) == (
        ready_phone.device_id, "barred by the carrier")
