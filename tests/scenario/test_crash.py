"""kill -9 at random moments under load: what was acknowledged is there, and nothing is there twice.

HERALD_CRASH_ROUNDS sets the rounds on each engine. A round starts herald again with no hand work,
holds every fact that callers were told against it, repeats what stayed without an answer, and kills
it in the middle of new work. So does a power cut, after which the files of an embedded database have
what a disk may have kept; the disk of a PostgreSQL is its own matter.
"""

import http.client
import os
import random
import threading
import time

import pytest

from harness.actors import Phone, read_code
from harness.disk import Disk
from harness.tools import fresh_key, fresh_number

ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", "3"))
MORE = 10  # times as many rounds, where chance keeps a case back
GONE = (OSError, http.client.HTTPException)


class Facts:
    """What callers know: answers they were given, and requests that stayed without one."""

    def __init__(self):
        self.devices = {}      # device id -> key
        self.created = {}      # idempotency key -> (kind, number, id)
        self.unanswered = {}   # idempotency key -> (kind, number)
        self.confirmed = set()
        self.canceled = set()
        self.sent = {}         # task id -> the phone's number that reported it


def create(core, kind, number, key):
    return core.create_otp(number, key) if kind == "otp" else core.create_challenge(number, key)


def remember_create(facts, core, kind):
    """Creates one resource; returns its record. Without an answer it stays in `unanswered`."""
    number, key = fresh_number(), fresh_key()
    facts.unanswered[key] = (kind, number)
    reply = create(core, kind, number, key)
    record = reply.expect(201)
    facts.created[key] = (kind, number, record["id"])
    del facts.unanswered[key]
    return record


def call_and_confirm(facts, site, phone):
    """A core system and a phone at inbound calls, with a cancel now and then."""
    core, phone = site.core(), phone.at(site.address)
    while True:
        challenge = remember_create(facts, core, "challenge")
        if random.random() < 0.3:
            core.cancel_challenge(challenge["id"]).expect(204)
            facts.canceled.add(challenge["id"])
        elif challenge["gateway_number"] == phone.number:
            assert phone.event(challenge["caller"]).expect(200)["result"] == "confirmed"
            facts.confirmed.add(challenge["id"])


def send_and_verify(facts, site, phone):
    """A core system and a phone at codes: create, claim, result, verify."""
    core, phone = site.core(), phone.at(site.address)
    known = list(facts.created.values())
    otp_of = {number: row_id for kind, number, row_id in known if kind == "otp"}
    while True:
        otp = remember_create(facts, core, "otp")
        otp_of[otp["recipient"]] = otp["id"]
        task = phone.claim().expect(200)["task"]
        if task is None:
            continue
        assert task["id"] not in facts.sent, "a task that was reported as sent came again"
        phone.result(task, "sent").expect(204)
        facts.sent[task["id"]] = phone.number
        otp_id = otp_of.get(task["recipient"])
        if otp_id:
            core.verify(otp_id, read_code(task)).expect(200)
            facts.confirmed.add(otp_id)


def register_phones(facts, site):
    core = site.core()
    while True:
        credentials = core.register("crash", [fresh_number()]).expect(201)
        core.enable(credentials["device_id"], False)
        facts.devices[credentials["device_id"]] = credentials["device_key"]
        time.sleep(0.02)


def work_until_killed(facts, site, phones, faults):
    """Everybody works; the process is killed at a random moment; everybody notices and stops."""
    jobs = [(call_and_confirm, phones[0]), (call_and_confirm, phones[1]),
            (send_and_verify, phones[0]), (send_and_verify, phones[1])]

    def run(job, *arguments):
        try:
            job(facts, site, *arguments)
        except GONE:
            pass  # the kill; what it left open is in facts.unanswered
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=run, args=job, daemon=True) for job in jobs]
    threads.append(threading.Thread(target=run, args=(register_phones,), daemon=True))
    for thread in threads:
        thread.start()
    time.sleep(random.uniform(0.1, 0.8))
    site.processes[-1].kill()
    for thread in threads:
        thread.join(timeout=30)
    assert not any(thread.is_alive() for thread in threads)
    site.processes[-1].check_output()
    site.processes.clear()


def hold_facts_against(facts, site):
    core = site.core()
    read = {"otp": core.otp, "challenge": core.challenge}
    for key, (kind, number, row_id) in facts.created.items():
        record = read[kind](row_id).expect(200)
        repeat = create(core, kind, number, key)
        assert repeat.expect(201)["id"] == row_id, f"{key} made two resources"
        assert repeat.replayed
        if row_id in facts.confirmed:
            assert record["state"] == "confirmed"
        if row_id in facts.canceled:
            assert record["state"] == "canceled"
    listed = {row["id"] for row in core.devices().expect(200)["devices"]}
    assert set(facts.devices) <= listed
    for device_id, key in list(facts.devices.items())[-5:]:
        Phone(site.address, device_id, key, []).ping().expect(200)


def repeat_unanswered(facts, site):
    """The same key again makes one resource, whether the first request was applied or not."""
    core = site.core()
    for key, (kind, number) in list(facts.unanswered.items()):
        first = create(core, kind, number, key)
        second = create(core, kind, number, key)
        assert first.expect(201)["id"] == second.expect(201)["id"]
        assert second.replayed
        facts.created[key] = (kind, number, first.json["id"])
        del facts.unanswered[key]


def forget_finished(facts):
    """Keeps the check of a round short: what was held against two starts is not asked again."""
    for key in list(facts.created)[:-400]:
        del facts.created[key]


def live_through(site, end_machine, has_met_all=lambda: True):
    """As many lives as there are rounds, and more until it has met all; `end_machine` is called after
    each."""
    site.serve()
    facts, faults = Facts(), []
    phones = [site.phone(site.core()) for _ in range(2)]
    for phone in phones:
        phone.be_ready()
    for index in range(MORE * ROUNDS):
        if index >= ROUNDS and has_met_all():
            break
        work_until_killed(facts, site, phones, faults)
        assert faults == []
        end_machine()
        site.serve()
        for phone in phones:
            phone.at(site.address).claim().expect(200)
        hold_facts_against(facts, site)
        repeat_unanswered(facts, site)
        forget_finished(facts)
    assert facts.created and facts.confirmed and facts.canceled and facts.sent and facts.devices


def test_kill_9_under_load(fresh_site):
    live_through(fresh_site, end_machine=lambda: None)


@pytest.mark.only("sqlite")
def test_power_cut_under_load(fresh_site, tmp_path):
    disk = fresh_site.disk = Disk(tmp_path, fresh_site.state)
    live_through(fresh_site, end_machine=lambda: disk.cut(random), has_met_all=lambda: disk.lost)
    assert disk.lost, "no cut met a write that was not synced"


def test_kill_9_loses_no_log_entry_of_an_answered_request(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    request_ids = [f"crash-{fresh_key()}" for _ in range(20)]
    for request_id in request_ids:
        headers = {"Idempotency-Key": fresh_key(), "X-Request-Id": request_id}
        core.post("/internal/v1/challenges", {"caller": fresh_number()}, headers=headers)
    with fresh_site.log_reader(last_event_id=0) as reader:
        assert reader.wait_for_text(request_ids[-1])
        seen = reader.ids
    fresh_site.processes[-1].kill()
    fresh_site.processes.clear()
    fresh_site.serve()
    with fresh_site.log_reader(last_event_id=0) as reader:
        reader.wait_for_count(len(seen))
        assert reader.ids[:len(seen)] == seen
