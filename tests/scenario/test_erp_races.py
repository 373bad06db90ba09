"""The same event_id from many at once, and kill -9: what was answered with 202 is there for good.

Doc B section 4 rule 2, contract section 5: a repeat hears `duplicate` only when the first copy is on
disk, and what was accepted is applied with no hand work. HERALD_CRASH_ROUNDS sets the rounds.
"""

import collections
import http.client
import os
import random
import threading
import time

import pytest

from harness import catalog
from harness.exchange import Operator
from harness.packages import CHANGES, SNAPSHOT, Desk, Sender, expect_acceptance, number
from harness.site import free_port
from harness.tools import at_once

CLOCK = True
CONNECTIONS = 50
ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", "4"))
LEASE_MAX_S = 65
APPLIED_MAX_S = 30
GONE = (OSError, http.client.HTTPException)


@pytest.fixture
def sender(site):
    return Sender.of(site)


def tally(replies, event_id):
    for reply in replies:
        assert reply.expect(202)["event_id"] == event_id
    return collections.Counter(reply.json["status"] for reply in replies)


def send_at_once(senders, package_of):
    """Sends from every connection at one moment; the connections are open before."""
    for sender in senders:
        sender.close()

    def send(index):
        sender = senders[index % len(senders)]
        sender.connect()
        kind, package = package_of(index)
        return sender.send(kind, package)

    return at_once(CONNECTIONS, send)


# --- many at once


@pytest.mark.parametrize("kind", [SNAPSHOT, CHANGES])
def test_same_package_from_50_connections(site, sender, kind):
    sender.apply(SNAPSHOT, catalog.snapshot())
    for _ in range(3):
        package = catalog.snapshot() if kind == SNAPSHOT else catalog.changes()
        replies = send_at_once([sender], lambda _: (kind, package))
        counts = tally(replies, package["event_id"])
        assert counts == {"accepted": 1, "duplicate": CONNECTIONS - 1}
        assert sender.wait_for(package["event_id"])["attempts"] == 1
    listed = Desk.at(site, sender).packages(limit=200).expect(200)["events"]
    assert len({row["event_id"] for row in listed}) == len(listed) == 4


def send_until_taken(sender, package, tries=20):
    """As an ERP does: the same bytes again while the service is at its limit."""
    for _ in range(tries):
        reply = sender.snapshot(package)
        if reply.status != 503:
            return reply
        time.sleep(random.uniform(0.5, 1) * reply.retry_after)
    return reply


def test_large_package_from_50_connections(sender):
    """So many large bodies at once may be more than the service takes in; none of them is lost."""
    package = catalog.snapshot(catalog.numbered_products(500, description="Ж" * 500))
    replies = at_once(CONNECTIONS, lambda _: send_until_taken(sender, package))
    assert tally(replies, package["event_id"]) == {"accepted": 1, "duplicate": CONNECTIONS - 1}
    assert sender.wait_for(package["event_id"])["result"]["products"]["added"] == 500


def test_one_event_id_for_other_bodies_and_types_at_once(site, sender):
    """One of them wins, whole: its type, its body."""
    sender.apply(SNAPSHOT, catalog.snapshot())
    event_id = catalog.fresh_event_id("both")
    bodies = [(SNAPSHOT, catalog.snapshot([catalog.product(name=f"N{index}")], event_id=event_id))
              if index % 2 else
              (CHANGES, catalog.changes([catalog.stock_row(index)], event_id=event_id))
              for index in range(CONNECTIONS)]
    replies = send_at_once([sender], lambda index: bodies[index])
    assert tally(replies, event_id) == {"accepted": 1, "duplicate": CONNECTIONS - 1}
    winner, = [body for body, reply in zip(bodies, replies) if reply.json["status"] == "accepted"]
    record = sender.wait_for(event_id)
    assert record["event_type"] == ("snapshot" if winner[0] == SNAPSHOT else "delta")
    assert Desk.at(site, sender).body(event_id).body == catalog.encode(winner[1])


def test_refused_and_good_bodies_of_one_event_id_at_once(sender):
    """Those that are refused take nothing away from the one that is accepted."""
    event_id = catalog.fresh_event_id()
    good = catalog.snapshot(event_id=event_id)
    bad = catalog.without(good, "generated_at")
    replies = send_at_once([sender], lambda index: (SNAPSHOT, bad if index % 2 else good))
    counts = collections.Counter(
        reply.json["status"] if reply.status == 202 else reply.status for reply in replies)
    assert counts["accepted"] == 1 and set(counts) <= {"accepted", "duplicate", 422}, counts
    assert counts["duplicate"] >= CONNECTIONS // 2 - 1


@pytest.mark.only("postgres")
def test_same_package_at_two_processes(fresh_site):
    fresh_site.settings["HERALD_PUBLIC_URL"] = "http://herald.test"
    apis = fresh_site.start_cluster()
    identity = fresh_site.start("idp")
    identity.wait_until_ready()
    erp = Operator.of(fresh_site, apis[0]).new_erp()
    token = erp.at(identity.address).fetch_token()
    senders = [Sender(api.address, token, erp.integration_id) for api in apis]
    for _ in range(3):
        package = catalog.snapshot()
        replies = send_at_once(senders, lambda _: (SNAPSHOT, package))
        counts = tally(replies, package["event_id"])
        assert counts == {"accepted": 1, "duplicate": CONNECTIONS - 1}
        for sender in senders:
            sender.wait_for(package["event_id"])


# --- kill -9


def kill(site):
    site.processes[-1].kill()
    site.processes[-1].check_output()


def fresh_sender(site):
    """The ERP of a site that is killed now and then, and starts again under the same address."""
    site.port = free_port()
    site.serve()
    return Sender.of(site)


def start_again(site, sender):
    """What a killed process had begun is free at the next start, or when its lease has ended."""
    site.processes.clear()
    site.serve()
    if site.engine == "postgres":  # another process might be at it
        site.clock.advance(LEASE_MAX_S)
    return sender.at(site.address)


def test_duplicate_is_heard_only_when_the_first_is_on_disk(fresh_site):
    sender = fresh_sender(fresh_site)
    for _ in range(ROUNDS):
        package = catalog.snapshot(catalog.numbered_products(200, description="Ж" * 500))
        told, is_dead = [], threading.Event()

        def send(_, sender=sender, package=package, told=told, is_dead=is_dead):
            try:
                status = sender.snapshot(package).expect(202)["status"]
            except GONE:
                return
            told.append(status)
            if status == "duplicate" and not is_dead.is_set():
                is_dead.set()
                kill(fresh_site)

        at_once(20, send)
        assert is_dead.is_set(), f"nobody was told of a duplicate: {told}"
        sender = start_again(fresh_site, sender)
        record = sender.wait_for(package["event_id"], within=APPLIED_MAX_S)
        assert record["result"]["products"]["archived"] == 0
        expect_acceptance(sender.snapshot(package), package["event_id"], "duplicate")


def test_what_was_accepted_is_applied_after_a_kill(fresh_site):
    """Killed with the answer in hand: each package is there byte for byte, and none half applied."""
    sender = fresh_sender(fresh_site)
    for turn in range(ROUNDS):
        count = 400
        full = catalog.snapshot(catalog.numbered_products(count, turn + 1, tags=[f"t{turn}"]))
        stocks = [catalog.stock_row(turn + 1, f"p-{row}", "v") for row in range(count)]
        prices = [catalog.price_row(1000 + turn, f"p-{row}", "v") for row in range(count)]
        sent = [(SNAPSHOT, full), (CHANGES, catalog.changes(stocks)),
                (CHANGES, catalog.changes(None, prices))]
        for kind, package in sent:
            expect_acceptance(sender.send(kind, package), package["event_id"], "accepted")
        time.sleep(random.uniform(0, 0.03))
        kill(fresh_site)
        sender = start_again(fresh_site, sender)
        desk = Desk.at(fresh_site, sender)
        for kind, package in sent:
            sender.wait_for(package["event_id"], within=APPLIED_MAX_S)
            assert desk.body(package["event_id"]).body == catalog.encode(package)
            expect_acceptance(sender.send(kind, package), package["event_id"], "duplicate")
        for row in (0, 7, count - 1):
            found = desk.variants(f"p-{row}")["v"]
            assert (number(found["price"]), found["stock"]) == (1000 + turn, turn + 1)


def test_kill_at_any_moment_of_sending_and_applying(fresh_site):
    """A steady stream of packages; those that were accepted are applied, in order, all of them."""
    sender = fresh_sender(fresh_site)
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(50)))
    accepted, value = [], 0
    for _ in range(ROUNDS):
        timer = threading.Timer(random.uniform(0.05, 0.6), kill, [fresh_site])
        timer.start()
        try:
            while True:
                value += 1
                rows = [catalog.stock_row(value, f"p-{row}", "v") for row in range(50)]
                package = catalog.changes(rows, event_id=f"stream:{value}")
                expect_acceptance(sender.changes(package), package["event_id"], "accepted")
                accepted.append(package["event_id"])
        except GONE:
            timer.join()
        sender = start_again(fresh_site, sender)
        unanswered = f"stream:{value}"
        for event_id in accepted[-20:]:
            sender.wait_for(event_id, within=APPLIED_MAX_S)
        reply = sender.event(unanswered)
        newest = value if reply.status == 200 else value - 1
        if reply.status == 200:
            sender.wait_for(unanswered, within=APPLIED_MAX_S)
        desk = Desk.at(fresh_site, sender)
        assert {desk.variants(f"p-{row}")["v"]["stock"] for row in range(0, 50, 7)} == {newest}
    assert len(accepted) > ROUNDS
