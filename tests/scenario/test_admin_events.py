"""`herald admin events`: a part of the feed as a table, and each event as it comes."""

import json
import subprocess
import time

import pytest

from harness.site import BINARY
from harness.tools import eventually
from test_admin import Admin, rows_of

SETTINGS = {"HERALD_EVENTS": "on"}


@pytest.fixture
def admin(site):
    return Admin(site)


def test_the_feed_is_listed(core, admin, new_phone):
    phone = new_phone()
    after = core.get("/internal/v1/events?from=now").expect(200)["last_seq"]
    core.enable(phone.device_id, False).expect(204)
    assert eventually(lambda: core.get(f"/internal/v1/events?after={after}&types=device.*").json["events"])
    rows = rows_of(admin("events", "list", "--after", str(after), "--types", "device.disabled"))
    row = next(row for row in rows if row["SUBJECT"] == f"device {phone.device_id}")
    assert row["TYPE"] == "device.disabled" and int(row["SEQ"]) > after
    shown = admin.json("events", "list", "--after", str(after))
    assert shown == core.get(f"/internal/v1/events?after={after}").expect(200)
    assert "no such event" in admin("events", "list", "--types", "package.*")


def test_events_are_followed(site, core, admin, new_phone):
    phone = new_phone()
    follower = subprocess.Popen(
        [BINARY, "admin", "events", "follow", "--json", "--types", "device.*"], cwd=site.home,
        env=site.environment(admin.changes), stdout=subprocess.PIPE, text=True)
    try:
        time.sleep(1.5)  # it has asked where the feed ends
        for is_enabled in (False, True):
            core.enable(phone.device_id, is_enabled).expect(204)
        events = [json.loads(follower.stdout.readline()) for _ in range(2)]
    finally:
        follower.kill()
        follower.wait()
    assert [event["type"] for event in events] == ["device.disabled", "device.enabled"]
    assert {event["subject"]["id"] for event in events} == {phone.device_id}


def test_a_refusal_is_explained(fresh_site):
    process = fresh_site.serve()
    listen = {"HERALD_LISTEN": "%s:%d" % process.address}
    done = fresh_site.run("admin", "events", "follow", changes=listen)
    assert done.returncode == 1 and "HERALD_EVENTS=on" in done.stdout
