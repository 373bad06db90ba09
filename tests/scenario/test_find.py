"""Contract section 18.5: one question finds everything."""

import time
from urllib.parse import quote

import pytest

from harness import catalog
from harness.exchange import Operator
from harness.keys import key_of, with_key
from harness.orders import ORDER_SETTINGS
from harness.packages import SNAPSHOT
from harness.tools import eventually, fresh_key, fresh_number
from test_admin import Admin, rows_of

SETTINGS = ORDER_SETTINGS
SEARCH, EXCHANGE = "/internal/v1/search?q=", "/internal/v1/search/exchange?q="


def find(client, q, where=SEARCH):
    return client.get(where + quote(q)).expect(200)["results"]


def types(rows):
    return [row["type"] for row in rows]


def test_number_in_any_spelling(core, ready_phone):
    core.change_device(ready_phone.device_id, "Телефон у окна", ready_phone.numbers).expect(200)
    number = fresh_number()
    code = core.create_otp(number).expect(201)
    digits = number[2:]
    for spelled in (number, f"8{digits}", f"+7 ({digits[:3]}) {digits[3:6]}-{digits[6:]}", f" {number} "):
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
    core.request("GET", "/internal/v1/otp/01900000-0000-7000-8000-000000000000",
                 headers={"X-Request-Id": request_id}).expect(404)
    assert eventually(lambda: types(find(core, request_id)) == ["log"], seconds=10)
    assert find(core, request_id)[0]["id"] == request_id


def test_point_and_package(site, sender):
    root = site.core()
    integration = root.get(f"/internal/v1/integrations/{sender.integration_id}").expect(200)
    rows = find(root, integration["name"], EXCHANGE)
    assert integration["id"] in [row["id"] for row in rows if row["type"] == "integration"]
    package = catalog.snapshot()
    sender.apply(SNAPSHOT, package)
    row, = find(root, package["event_id"], EXCHANGE)
    assert (row["type"], row["id"], row["state"]) == ("package", package["event_id"], "applied")
    assert (row["title"], row["integration_id"]) == (integration["name"], integration["id"])
    assert find(root, "нет такого", EXCHANGE) == []


def test_order(site, shop):
    order = shop.placed()
    rows = find(site.core(), order, EXCHANGE)
    assert [(row["type"], row["id"]) for row in rows] == [("order", order)]


def test_faults(core):
    for where in (SEARCH, EXCHANGE):
        assert core.get(where).fault_paths == ["q"]
        assert core.get(where + "x" * 201).fault_paths == ["q"]
        assert core.get(where.split("?")[0]).fault_paths == ["q"]


@pytest.mark.parametrize("letter", ["0", "+7", "8 (", "9-"])
@pytest.mark.parametrize("count", [99, 100, 101, 200])
def test_a_text_as_long_as_may_be_is_no_number(core, letter, count):
    """A phone is looked for by a part of its number, which is never so long."""
    query = quote((letter * count)[:count])
    assert core.get(f"/internal/v1/search?q={query}").expect(200)["results"] == []


def test_command_finds_in_both_stores(site, core, phone):
    admin, name = Admin(site), f"Южный {fresh_key()[:8]}"
    core.change_device(phone.device_id, name, phone.numbers).expect(200)
    point = Operator.of(site).create_integration(name=f"{name}, point").expect(201)
    rows = rows_of(admin("find", name))
    assert [(row["TYPE"], row["ID"]) for row in rows] == [
        ("device", phone.device_id), ("integration", point["id"])]
    both = find(core, name) + find(core, name, EXCHANGE)
    assert admin.json("find", name)["results"] == both
    assert admin.json("find", "exchange", name)["results"] == both[1:]
