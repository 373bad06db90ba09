"""SIMs that fall silent and accounts that go are told, once each (contract, section 11)."""

import collections
import threading
import time
from datetime import datetime, timedelta, timezone

import pytest

from harness.shapes import parse_time
from harness.tools import at_once, eventually, fresh_key, lasted_at_most
from test_admin import Admin, rows_of

SILENT_S = 6
SETTINGS = {"HERALD_SIM_SILENT_SECONDS": str(SILENT_S)}
IN_TIME_S = 5
EDGES = ("SIM silent", "SIM back", "messenger account gone", "messenger account back")


class Edges:
    """The edges of one phone, as the log tells them."""

    def __init__(self, reader, phone):
        self.reader = reader
        self.phone = phone

    def told(self):
        return [
            next(edge for edge in EDGES if entry["message"].startswith(edge))
            for entry in list(self.reader.entries)
            if entry["fields"].get("device_id") == self.phone.device_id
            and entry["message"].startswith(EDGES)
        ]

    def wait_for(self, *expected, within):
        end = time.monotonic() + within
        while time.monotonic() < end and self.told() != list(expected):
            time.sleep(0.1)
        assert self.told() == list(expected)


@pytest.fixture
def edges(site):
    with site.log_reader(last_event_id=0) as reader:
        yield lambda phone: Edges(reader, phone)


def poll(phone, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        phone.claim().expect(200)
        time.sleep(0.5)


def test_sim_is_told_silent_in_time_and_back_at_once(edges, new_phone):
    dead, alive, never = new_phone(), new_phone(), new_phone()
    dead.be_ready()
    poll(alive, SILENT_S - 1)
    assert edges(dead).told() == []
    poll(alive, 1 + IN_TIME_S)
    edges(dead).wait_for("SIM silent", within=1)
    poll(alive, SILENT_S)
    dead.claim().expect(200)
    dead.claim().expect(200)
    edges(dead).wait_for("SIM silent", "SIM back", within=3)
    entry = next(row for row in edges(dead).reader.entries
                 if row["message"].startswith("SIM silent")
                 and row["fields"]["device_id"] == dead.device_id)
    assert entry["level"] == "warning"
    assert dead.number not in str(entry)
    assert edges(alive).told() == edges(never).told() == []


def test_sim_that_is_not_ready_is_heard_by_the_pings_of_its_phone(core, edges, new_phone):
    alive, dead = new_phone(), new_phone()
    for phone in (alive, dead):
        phone.be_ready()
        phone.claim(sim_ready=False).expect(200)

    def ping_until_the_other_is_told():
        alive.ping(battery=5).expect(200)
        return edges(dead).told()

    assert eventually(ping_until_the_other_is_told) == ["SIM silent"]
    assert edges(alive).told() == []
    pinged_at = core.read_device(alive.device_id).expect(200)["last_seen_at"]
    edges(alive).wait_for("SIM silent", within=SILENT_S + IN_TIME_S)
    since = row_of(core, alive, alive.number)["silent_since"]
    assert parse_time(since) >= parse_time(pinged_at)


def test_account_is_told_gone_and_back(core, edges, new_phone):
    phone, account = new_phone(), f"shop-{fresh_key()[:8]}"
    core.connect_accounts(phone, account)
    phone.declare((account, "banned")).expect(204)
    edges(phone).wait_for("messenger account gone", within=3)
    row, = core.read_device(phone.device_id).expect(200)["accounts"]
    assert (row["state"], bool(row["gone_since"])) == ("banned", True)
    phone.be_connected(account)
    edges(phone).wait_for(*EDGES[2:], within=3)
    row, = core.read_device(phone.device_id).expect(200)["accounts"]
    assert (row["state"], row["gone_since"]) == ("connected", None)
    edges(phone).wait_for(*EDGES[2:], EDGES[2], within=SILENT_S + IN_TIME_S)


def row_of(core, phone, number):
    """How a number of the phone stands."""
    rows = core.read_device(phone.device_id).expect(200)["numbers"]
    return next(row for row in rows if row["number"] == number)


def test_sim_that_is_silent_is_shown_so_and_is_back_once_in_another_phone(
        site, core, edges, new_phone):
    broken, other, admin = new_phone(2), new_phone(), Admin(site)
    kept, moved = broken.numbers
    broken.be_ready(moved)
    claimed_at = datetime.now(timezone.utc)
    assert row_of(core, broken, moved)["silent_since"] is None
    edges(broken).wait_for("SIM silent", within=SILENT_S + IN_TIME_S)
    since = row_of(core, broken, moved)["silent_since"]
    assert abs(parse_time(since) - claimed_at) < timedelta(seconds=SILENT_S)
    rows = rows_of(admin("devices", "show", broken.device_id).split("\n\n")[1])
    shown = {row["NUMBER"]: (row["SIM"], row["SILENT SINCE"]) for row in rows}
    assert shown[moved] == ("silent", f"{since[5:10]} {since[11:16]}")
    assert shown[kept][0] == "not ready"

    core.change_device(broken.device_id, "Broken", [kept]).expect(200)
    core.change_device(other.device_id, "Other", [*other.numbers, moved]).expect(200)
    assert row_of(core, other, moved)["silent_since"] == since
    for _ in range(2):
        other.be_ready(moved)
    edges(other).wait_for("SIM back", within=3)
    assert row_of(core, other, moved)["silent_since"] is None
    assert edges(broken).told() == ["SIM silent"]


def test_a_thousand_that_fall_silent_at_once_have_an_entry_each(core, edges, new_phone):
    phones = [new_phone(8) for _ in range(125)]
    at_once(25, lambda n: [phone.be_ready() for phone in phones[n::25]])
    ids = {phone.device_id for phone in phones}
    reader = edges(phones[0]).reader

    def told():
        return [row["fields"] for row in list(reader.entries)
                if row["message"].startswith(EDGES) and row["fields"].get("device_id") in ids]

    assert eventually(lambda: len(told()) >= 1000)
    figures = core.overview()["fleet"]
    assert figures["silent_sims"] >= 1000
    counts = collections.Counter((row["device_id"], row["gateway_number"]) for row in told())
    assert (len(counts), set(counts.values())) == (1000, {1})
    seconds = [int(row["seconds"]) for row in told()]
    assert min(seconds) >= SILENT_S
    lasted_at_most(max(seconds), SILENT_S + IN_TIME_S)


def test_restart_tells_nothing_again(fresh_site):
    fresh_site.settings.update(SETTINGS)
    process = fresh_site.serve()
    phone = fresh_site.phone(fresh_site.core())
    phone.be_ready()
    with fresh_site.log_reader(last_event_id=0) as reader:
        Edges(reader, phone).wait_for("SIM silent", within=SILENT_S + IN_TIME_S)
    process.kill()
    fresh_site.processes.remove(process)
    fresh_site.serve()
    time.sleep(SILENT_S + 2)
    with fresh_site.log_reader(last_event_id=0) as reader:
        Edges(reader, phone).wait_for("SIM silent", within=2)


@pytest.mark.only("postgres")
def test_several_processes_tell_it_once(fresh_site):
    fresh_site.settings.update(SETTINGS)
    cluster = fresh_site.start_cluster()
    core = fresh_site.core(cluster[0])
    phones = [fresh_site.phone(core) for _ in range(20)]
    for phone in phones:
        phone.be_ready()
    time.sleep(SILENT_S + IN_TIME_S)
    back = [threading.Thread(target=phone.at(fresh_site.core(cluster[i % 2]).address).claim)
            for i, phone in enumerate([*phones, *phones])]
    with fresh_site.log_reader(cluster[1], last_event_id=0) as reader:
        for thread in back:
            thread.start()
        for thread in back:
            thread.join()
        for phone in phones:
            Edges(reader, phone).wait_for("SIM silent", "SIM back", within=4)
