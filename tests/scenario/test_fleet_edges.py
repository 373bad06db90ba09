"""SIMs that fall silent and accounts that go are told, once each (contract, section 11)."""

import threading
import time

import pytest

from harness.tools import fresh_key

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


def test_account_is_told_gone_and_back(core, edges, new_phone):
    phone, account = new_phone(), f"shop-{fresh_key()[:8]}"
    core.connect_accounts(phone, account)
    phone.declare((account, "banned")).expect(204)
    edges(phone).wait_for("messenger account gone", within=3)
    phone.be_connected(account)
    edges(phone).wait_for(*EDGES[2:], within=3)
    edges(phone).wait_for(*EDGES[2:], EDGES[2], within=SILENT_S + IN_TIME_S)


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
