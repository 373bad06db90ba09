"""`herald admin devices`: the fleet from the command line (contract, section 11)."""

import json
import re
import shlex

from harness.actors import Phone
from harness.tools import eventually, fresh_number, fresh_numbers
from test_admin import REFUSED, WRONG, Admin, facts, rows_of

KEY = re.compile(r"hd_[A-Za-z0-9_-]{43}")
WIDTH = 80


def test_life_of_a_phone(site, core):
    admin = Admin(site)
    numbers = fresh_numbers(2)
    said = admin("devices", "register", "--name", "Ящик", "--numbers", " ".join(numbers))
    device_id, key = facts(said)["id"], KEY.search(said)[0]
    assert "shown this once" in said
    phone = Phone(core.address, device_id, key, numbers)
    phone.be_ready(numbers[1])
    phone.ping(battery=87.5, charging=True, network="wifi", app_version="1.2").expect(200)
    assert eventually(lambda: core.read_device(device_id).expect(200)["status"])

    said = admin("devices", "show", device_id)
    shown = facts(said)
    assert (shown["name"], shown["state"]) == ("Ящик", "enabled")
    assert (shown["battery"], shown["charging"], shown["network"]) == ("87.5", "yes", "wifi")
    rows = rows_of(said.split("\n\n")[1])
    assert [(row["NUMBER"], row["SIM"]) for row in rows] == [
        (numbers[0], "not ready"), (numbers[1], "ready")]

    row, = rows_of(admin("devices", "list", "--q", numbers[0], "--ready", "true"))
    assert (row["ID"], row["READY"], row["BATT"]) == (device_id, "1/2", "87%")
    assert "no such phone" in admin("devices", "list", "--q", numbers[0], "--enabled=false")

    added = fresh_number()
    said = admin("devices", "change", device_id, "--name", "Полка", "--numbers", added)
    assert facts(said)["name"] == "Полка" and added in said and numbers[0] not in said
    said = admin("devices", "callgate", device_id)
    assert f"/callgate/v1/{device_id}" in said and "call:ringing" in said
    setup = core.callgate(device_id).expect(200)
    assert facts(said.split("\n\n")[0]) == setup
    words = shlex.split(said[said.index("curl "):])
    assert words[:4] == ["curl", "-u", "USER:PASSWORD", "http://PHONE:8084/api/v1/webhooks"]
    assert json.loads(words[-1]) == {"event": setup["event"], "url": setup["url"]}
    said = admin("devices", "rotate-key", device_id)
    assert KEY.search(said)[0] != key
    phone.ping().expect(401)
    assert "disabled" in admin("devices", "disable", device_id)
    row, = rows_of(admin("devices", "list", "--q", added))
    assert row["READY"] == "off"
    assert "enabled" in admin("devices", "enable", device_id)
    assert admin.json("devices", "show", device_id)["enabled"] is True
    assert "removed" in admin("devices", "remove", device_id)
    admin.refuse("devices", "show", device_id, status=REFUSED, says="phone")
    admin.refuse("devices", "change", device_id, status=WRONG, says=["--name", "--numbers"])


def test_what_another_phone_has_is_named(site, core):
    admin = Admin(site)
    one, other = fresh_numbers(2)
    device_id = core.register("One", [one]).expect(201)["device_id"]
    core.register("Other", [other], accounts=[f"shop{other}"]).expect(201)
    admin.refuse("devices", "change", device_id, "--name", "One", "--numbers", f"{one} {other}",
                 says=["already belongs", other])
    admin.refuse("devices", "accounts", device_id, "--accounts", f"shop{one} shop{other}",
                 says=["already belongs", f"shop{other}"])


def test_phone_goes_by_its_name(site, core):
    """Where several have it, their ids are listed."""
    admin = Admin(site)
    name = f"Ящик & Co {fresh_number()[-7:]}"
    one = core.register(name, fresh_numbers(1)).expect(201)["device_id"]
    core.register(f"{name}, back door", fresh_numbers(1)).expect(201)
    assert facts(admin("devices", "show", name))["id"] == one
    assert "disabled" in admin("devices", "disable", name)
    assert core.read_device(one).expect(200)["enabled"] is False
    admin.refuse("devices", "show", name.upper(), says=["DEVICE", "no phone has the id or the name"])
    other = core.register(name, fresh_numbers(1)).expect(201)["device_id"]
    admin.refuse("devices", "remove", name, says=["2 phones have the name", one, other])
    core.read_device(one).expect(200)


def test_list_fits_80_columns(site, core):
    admin = Admin(site)
    numbers = fresh_numbers(8)
    device_id = core.register("ж" * 100, numbers).expect(201)["device_id"]
    key = core.rotate_key(device_id).expect(200)["device_key"]
    Phone(core.address, device_id, key, numbers).ping(battery=100).expect(200)
    assert eventually(lambda: core.read_device(device_id).expect(200)["status"])
    lines = admin("devices", "list").splitlines() + admin("devices", "show", device_id).splitlines()[3:]
    assert max(map(len, lines)) <= WIDTH
