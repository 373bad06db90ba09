"""Contract section 13: what happened is in the feed, once, in order, and as the commit left it."""

import json
import re
import signal
import socket
import threading
import time

import pytest

from harness.actors import read_code, wrong_code
from harness.feed import PATH, Feed
from harness.hooks import WEBHOOKS
from harness.http import Client
from harness.keys import key_of, with_key
from harness.site import PROJECT
from harness.tools import Moment, at_once, eventually, fresh_key, fresh_number, masked, took_at_most

CLOCK = True
SETTINGS = {"HERALD_EVENTS": "on", "HERALD_SIM_SILENT_SECONDS": "6"}
TOLD_WITHIN_S = 2
PLACES = 1000
DATA_MAX = 18 * 1024  # bytes of an event's record
MASKS = 500  # what they add to it, at most


@pytest.fixture
def feed(core):
    return Feed.from_now_on(core)


def sent_code(core, phone):
    """A code that its phone has sent; returns it and its digits."""
    otp = core.create_otp(fresh_number()).expect(201)
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    return otp, read_code(task), task


# --- Subjects ---------------------------------------------------------------------------------


def test_a_code_is_told_step_by_step(core, feed, ready_phone):
    otp = core.create_otp(fresh_number(), metadata={"order": "1712"}).expect(201)
    task = ready_phone.claim_task()
    code = read_code(task)
    ready_phone.result(task, "sent").expect(204)
    ready_phone.result(task, "delivered", has_lease=False).expect(204)
    core.verify(otp["id"], wrong_code(code)).expect(422, "code_mismatch")
    confirmed = core.verify(otp["id"], code).expect(200)
    event = feed.wait_for(otp["id"], "otp.sent", "otp.delivered", "otp.confirmed")
    assert [sequence for _, sequence in feed.of(otp["id"])] == [1, 2, 3]
    assert event["data"] == confirmed == core.otp(otp["id"]).expect(200)
    assert event["data"]["metadata"] == {"order": "1712"}
    assert event["subject"] == {"type": "otp", "id": otp["id"], "sequence": 3}
    assert event["timestamp"] == confirmed["confirmed_at"]
    assert all(code not in str(row["data"]) for row in feed.events)


def test_other_ends_of_a_code(core, feed, ready_phone):
    canceled = core.create_otp(fresh_number()).expect(201)
    core.cancel_otp(canceled["id"]).expect(204)
    core.cancel_otp(canceled["id"]).expect(204)
    feed.wait_for(canceled["id"], "otp.canceled")
    otp, code, _ = sent_code(core, ready_phone)
    for _ in range(5):
        core.verify(otp["id"], wrong_code(code)).expect(422)
    event = feed.wait_for(otp["id"], "otp.sent", "otp.exhausted")
    assert event["data"]["attempts_left"] == 0


def test_undelivered_and_sent_after_all(core, feed, new_phone):
    phone = new_phone()
    phone.be_ready()
    otp = core.create_otp(fresh_number(), ttl_seconds=600).expect(201)
    for _ in range(9):
        task = phone.claim_task(within=Moment(3))
        if not task:
            break
        phone.result(task, "failed", error="no network", retryable=False).expect(204)
    assert core.otp(otp["id"]).expect(200)["state"] == "undelivered"
    event = feed.wait_for(otp["id"], "otp.undelivered")
    assert event["data"]["sends"][-1]["state"] == "failed"


def test_calls(core, feed, phone):
    call = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    assert phone.event(call["caller"]).expect(200)["result"] == "confirmed"
    event = feed.wait_for(call["id"], "challenge.confirmed")
    assert event["data"] == core.challenge(call["id"]).expect(200)
    other = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    core.cancel_challenge(other["id"]).expect(204)
    feed.wait_for(other["id"], "challenge.canceled")


def test_messages(core, feed, phone):
    account = f"shop-{fresh_key()[:8]}"
    core.connect_accounts(phone, account)
    message = core.create_message(
        channel="personal_messenger", account_id=account, recipient=fresh_number(),
        text="Your order is ready").expect(202)
    task = phone.claim_message_task(account)
    phone.message_result(task, "sent").expect(204)
    phone.message_result(task, "delivered", has_lease=False).expect(204)
    event = feed.wait_for(message["id"], "message.sent", "message.delivered")
    assert event["data"] == core.message(message["id"]).expect(200)
    assert "Your order" not in str(feed.events)


def test_phones_and_their_sims(core, feed, new_phone):
    phone = new_phone()
    phone.be_ready()
    account = f"shop-{fresh_key()[:8]}"
    core.connect_accounts(phone, account)
    phone.declare((account, "banned")).expect(204)
    gone = feed.wait_for(account, "account.gone")
    phone.be_connected(account)
    back = feed.wait_for(account, "account.gone", "account.back")
    assert back["subject"]["sequence"] == gone["subject"]["sequence"] + 1
    assert back["data"]["id"] == phone.device_id
    silent = feed.wait_for(phone.number, "sim.silent", within=15)
    assert silent["data"]["id"] == phone.device_id
    phone.be_ready()
    ready = feed.wait_for(phone.number, "sim.silent", "sim.ready")
    assert ready["subject"]["sequence"] == silent["subject"]["sequence"] + 1
    for is_enabled in (False, False, True):
        core.enable(phone.device_id, is_enabled).expect(204)
    event = feed.wait_for(phone.device_id, "device.disabled", "device.enabled")
    assert event["data"]["enabled"] is True
    assert feed.of(phone.device_id) == [("device.disabled", 1), ("device.enabled", 2)]


def test_a_record_that_is_too_long_is_left_out(core, feed, new_phone):
    """A phone says of itself what it likes, up to 16 KiB, and has numbers and accounts beside."""
    phone = new_phone(8)
    core.connect_accounts(phone, *(fresh_key() for _ in range(16)))

    def shown(filling):
        """How long the record is with a ping of that length."""
        phone.ping(filling="x" * filling).expect(200)

        def read():
            device = core.read_device(phone.device_id).expect(200)
            raw = (device["status"] or {"raw": {}})["raw"]
            return device if len(raw.get("filling", "")) == filling else None

        return len(json.dumps(eventually(read), separators=(",", ":"), ensure_ascii=False).encode())

    most = 1000 + DATA_MAX - shown(1000)
    types = []
    for filling, is_shown in ((most - MASKS, True), (most, False)):
        shown(filling)
        core.enable(phone.device_id, False).expect(204)
        types.append("device.disabled")
        event = feed.wait_for(phone.device_id, *types)
        assert (event["data"] is not None) == is_shown
        assert event["subject"]["sequence"] == len(types)
        core.enable(phone.device_id, True).expect(204)
        types.append("device.enabled")
        feed.wait_for(phone.device_id, *types)


def test_each_type_has_its_scenario():
    words = re.findall(r'= "([a-z_]+\.[a-z_]+)"',
                       (PROJECT / "src" / "core" / "event.c").read_text(encoding="utf-8"))
    folder = PROJECT / "tests" / "scenario"
    told = "".join(path.read_text(encoding="utf-8") for path in folder.glob("test_*.py"))
    assert len(words) > 30
    assert [word for word in words if f'"{word}"' not in told] == []


# --- What is none -----------------------------------------------------------------------------


def test_what_changes_nothing_has_no_event(core, feed, ready_phone):
    otp, code, task = sent_code(core, ready_phone)
    feed.wait_for(otp["id"], "otp.sent")
    ready_phone.result(task, "sent").expect(204)
    core.create_otp(otp["recipient"]).expect(409, "active_challenge_exists")
    core.verify(otp["id"], wrong_code(code)).expect(422, "code_mismatch")
    core.verify(otp["id"], code).expect(200)
    core.verify(otp["id"], code).expect(409, "already_confirmed")
    core.cancel_otp(otp["id"]).expect(409, "already_confirmed")
    feed.wait_for(otp["id"], "otp.sent", "otp.confirmed")
    time.sleep(0.5)
    feed.read()
    assert feed.types_of(otp["id"]) == ["otp.sent", "otp.confirmed"]


# --- The feed ---------------------------------------------------------------------------------


def test_it_is_read_in_parts_and_by_types(core, feed, phone):
    calls = [core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
             for _ in range(5)]
    start = feed.after
    for call in calls:
        core.cancel_challenge(call["id"]).expect(204)
    core.enable(phone.device_id, False).expect(204)
    feed.wait_for(phone.device_id, "device.disabled")
    assert len([event for event in feed.events if event["type"] == "challenge.canceled"]) == 5
    again = Feed(core, start)
    parts = []
    while part := again.read(limit=2):
        assert len(part) <= 2
        parts += part
    assert parts == feed.events
    for types, wanted in (("device.*", ("device.",)), ("challenge.canceled", ("challenge.canceled",)),
                          ("otp.*", ("otp.",)), ("*", ("",)),
                          ("device.*, challenge.canceled", ("device.", "challenge.canceled"))):
        chosen = Feed(core, start)
        assert chosen.read(types=types) == [
            event for event in feed.events if event["type"].startswith(wanted)]
        assert chosen.after == feed.after


def test_a_reader_waits_for_the_next_event(core, feed, site, phone):
    call = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    while feed.read(wait_seconds=1):  # the phone of the test before is being disabled
        pass
    began = time.monotonic()
    assert feed.read(wait_seconds=1) == []
    assert time.monotonic() - began > 0.9
    took_at_most(began, 4)
    timer = threading.Timer(0.5, lambda: site.core().cancel_challenge(call["id"]).expect(204))
    timer.start()
    began = time.monotonic()
    events = feed.read(wait_seconds=20)
    waited = time.monotonic() - began
    timer.join()
    assert [event["type"] for event in events] == ["challenge.canceled"]
    assert 0.4 < waited < 5
    # Others do not end its wait.
    other = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    timer = threading.Timer(0.3, lambda: site.core().cancel_challenge(other["id"]).expect(204))
    timer.start()
    began = time.monotonic()
    assert feed.read(types="otp.*", wait_seconds=2) == []
    assert time.monotonic() - began > 1.8
    timer.join()


def test_many_readers_wait_at_once(core, site, phone):
    start = Feed.from_now_on(core).after
    call = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)

    def act(index):
        if index == 0:
            time.sleep(0.7)
            site.core().cancel_challenge(call["id"]).expect(204)
            return None
        return Feed(site.core(), start).read(types="challenge.canceled", wait_seconds=20)

    answers = at_once(41, act)
    assert all([event["subject"]["id"] for event in events] == [call["id"]]
               for events in answers[1:])


def test_a_reader_whose_key_is_revoked_is_told_no_more(core, feed, site):
    made = core.post("/internal/v1/api-keys", {"name": "Reader", "role": "viewer"}).expect(201)
    reader = with_key(site, made["key"])
    timer = threading.Timer(
        0.5, lambda: site.core().post(f"/internal/v1/api-keys/{made['id']}/revoke").expect(204))
    timer.start()
    began = time.monotonic()
    reply = reader.get(f"{PATH}?after={feed.after}&types=package.failed&wait_seconds=30")
    timer.join()
    reply.expect(401, "unauthorized")
    took_at_most(began, 10)


def test_readers_who_have_left_keep_no_place(feed, site):
    """There are 1,000 places, and each of them asked to wait for half a minute."""
    waiting = f"{PATH}?after={feed.after}&types=package.failed&wait_seconds="
    asked = (f"GET {waiting}30 HTTP/1.1\r\nHost: herald\r\n"
             f"X-Internal-API-Key: {site.internal_key}\r\n\r\n").encode()
    for _ in range(PLACES):
        with socket.create_connection(site.address) as gone:
            gone.sendall(asked)
    time.sleep(3)  # by then they would all wait

    def can_wait():
        began = time.monotonic()
        site.core().get(f"{waiting}1").expect(200)
        return time.monotonic() - began > 0.9

    assert eventually(can_wait, 15, 0.5)


def test_what_is_refused(core, site):
    Client(site.address).get(PATH).expect(401, "unauthorized")
    for query in ("types=otp.never", "types=otp", "limit=0", "limit=501", "wait_seconds=31",
                  "after=-1", "after=x", "since=1"):
        core.get(f"{PATH}?{query}").expect(422, "validation_error")
    refused = core.get(f"{PATH}?after=999999999")
    refused.expect(410, "events_gone")
    assert refused.error["oldest_seq"] >= 1


def test_numbers_are_masked_for_whom_they_are_elsewhere(core, feed, site, phone):
    other = fresh_number()
    call = core.create_challenge(fresh_number(), gateway_number=phone.number,
                                 metadata={"note": f"of {other}"}).expect(201)
    core.cancel_challenge(call["id"]).expect(204)
    event = feed.wait_for(call["id"], "challenge.canceled")
    assert event["data"]["caller"] == call["caller"]
    for role in ("core", "admin", "viewer", "support", "operator"):
        reader = with_key(site, key_of(core, role))
        shown, = Feed(reader, event["seq"] - 1).read(limit=1)
        same = reader.get(f"/internal/v1/challenges/{call['id']}").expect(200)
        assert shown["data"] == same
        if role in ("viewer", "support", "operator"):
            assert shown["data"]["caller"].startswith(masked(call["caller"]))
        if role == "viewer":
            assert shown["data"]["metadata"] == {"note": f"of +***{other[-2:]}"}


# --- Who listens ------------------------------------------------------------------------------


def test_without_listeners_nothing_is_written_but_counted(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    core.get(PATH).expect(409, "events_off")
    phone = fresh_site.phone(core)
    core.enable(phone.device_id, False).expect(204)
    core.enable(phone.device_id, True).expect(204)
    fresh_site.stop()
    assert fresh_site.ask("SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM event)") == "0"
    fresh_site.processes.clear()
    fresh_site.serve(changes={"HERALD_EVENTS": "on"})
    core = fresh_site.core()
    feed = Feed(core, 0)
    core.enable(phone.device_id, False).expect(204)
    feed.wait_for(phone.device_id, "device.disabled")
    assert feed.of(phone.device_id) == [("device.disabled", 3)]


def test_with_off_there_is_no_feed(fresh_site):
    fresh_site.serve(changes={"HERALD_EVENTS": "off"})
    fresh_site.core().get(PATH).expect(409, "events_off")


def test_old_events_are_dropped(fresh_site):
    fresh_site.serve(changes={"HERALD_EVENTS": "on", "HERALD_EVENT_DAYS": "1"})
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    feed = Feed(core, 0)
    for is_enabled in (False, True):
        core.enable(phone.device_id, is_enabled).expect(204)
    feed.wait_for(phone.device_id, "device.disabled", "device.enabled")
    fresh_site.stop()
    fresh_site.processes.clear()
    fresh_site.clock.advance(2 * 24 * 3600)
    fresh_site.serve(changes={"HERALD_EVENTS": "on", "HERALD_EVENT_DAYS": "1"})
    core = fresh_site.core()
    assert eventually(lambda: core.get(f"{PATH}?after=0").status == 410, 15)
    refused = core.get(f"{PATH}?after=1")
    refused.expect(410, "events_gone")
    assert refused.error["oldest_seq"] == feed.after + 1
    core.enable(phone.device_id, False).expect(204)
    last = Feed(core)
    last.wait_for(phone.device_id, "device.disabled")
    assert last.events[0]["seq"] == feed.after + 1


@pytest.mark.only("postgres")
def test_every_process_learns_who_listens(fresh_site):
    fresh_site.start_cluster()
    apis = [process for process in fresh_site.processes if process.output_file.name.startswith("api")]
    cores = [fresh_site.core(process) for process in apis]
    phone = fresh_site.phone(cores[0])
    cores[1].get(PATH).expect(409, "events_off")
    # An endpoint stands for the whole test: without one, the workers end the listening again.
    endpoint = {"url": "https://receiver.example/hooks", "types": ["order.accepted"]}
    cores[0].post(WEBHOOKS, endpoint).expect(201)
    fresh_site.ask("UPDATE event_head SET epoch = epoch + 1")  # nobody is woken, so they must ask

    def are_confirmed():
        return fresh_site.ask("SELECT count(*) FROM process JOIN event_head ON event_epoch = epoch") == "4"

    began = time.monotonic()
    assert eventually(are_confirmed, 10, 0.05)
    took_at_most(began, 4)
    for core, is_enabled in zip(cores, (False, True)):
        core.enable(phone.device_id, is_enabled).expect(204)
    feed = Feed(cores[1], 0)
    feed.wait_for(phone.device_id, "device.disabled", "device.enabled")


@pytest.mark.only("postgres")
def test_what_not_every_process_confirms_is_not_registered(fresh_site):
    hangs, api = fresh_site.start_cluster()
    core = fresh_site.core(api)
    endpoint = {"url": "https://receiver.example/hooks", "types": ["order.accepted"]}
    hangs.terminate(signal.SIGSTOP)
    try:
        refused = core.post(WEBHOOKS, endpoint)
        refused.expect(503, "overloaded")
        assert "confirmed" in refused.error["message"]
        assert core.get(WEBHOOKS).expect(200)["endpoints"] == []
    finally:
        hangs.terminate(signal.SIGCONT)
    assert eventually(lambda: core.post(WEBHOOKS, endpoint).status == 201)
    assert len(core.get(WEBHOOKS).expect(200)["endpoints"]) == 1


# --- The clock: behind all others, since it runs ahead of the phones' from now on -----------------


def test_what_the_clock_ends_is_told_in_time(core, feed, site, ready_phone, clock):
    otp = core.create_otp(fresh_number(), ttl_seconds=60).expect(201)
    call = core.create_challenge(fresh_number(), ttl_seconds=60).expect(201)
    clock.advance(58)
    feed.read()
    assert feed.of(otp["id"]) == feed.of(call["id"]) == []
    clock.advance(2)
    began = time.monotonic()
    event = feed.wait_for(call["id"], "challenge.expired", within=6)
    feed.wait_for(otp["id"], "otp.expired", within=6)
    took_at_most(began, TOLD_WITHIN_S + 2.5)
    assert event["data"]["state"] == "expired"
    assert feed.of(call["id"]) == [("challenge.expired", 1)]
