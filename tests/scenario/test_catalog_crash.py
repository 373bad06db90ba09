"""kill -9 in the middle of intake and apply: every 202 is there, nothing half done, no hand work.

HERALD_CRASH_ROUNDS sets half the rounds on each engine. A round kills herald under packages of two
integrations, starts it again, and holds each package and both catalogs against the model, in the
order of the receipt numbers that the operator's list shows. That a package was half applied would
show in its counts, since the other half then had nothing left to change. A power cut takes from an
embedded database what a disk may lose, and then the same holds.
"""

import http.client
import os
import random
import threading
import time

import pytest

from harness import catalog
from harness.catalog_model import Exchange, list_packages, walk
from harness.disk import Disk
from harness.packages import SNAPSHOT, Desk, Sender, event_id_of

ROUNDS = 2 * int(os.environ.get("HERALD_CRASH_ROUNDS", "5"))
CUTS = ROUNDS // 2
MORE = 10  # times as many rounds, where chance keeps a case back
ROUNDS_A_CATALOG = 10
CLOCK = True
LEASE_S = 60
PRODUCTS = 40
BIG = {"sqlite": 12000, "postgres": 3000}  # applied in a time in which a kill can meet them
TRIES = 12
GONE = (OSError, http.client.HTTPException)


class Line:
    """One connection of an ERP: sends one package after the other, and remembers the answers."""

    def __init__(self, make):
        self.make = make
        self.bodies = {}
        self.answered = []    # event_ids with their 202, in the order in which they were sent
        self.unanswered = None

    def work(self, sender, faults):
        try:
            while True:
                self.send(sender, self.make(len(self.bodies)))
        except GONE:
            pass  # the kill
        except BaseException as fault:
            faults.append(fault)

    def send(self, sender, body):
        self.bodies[body["event_id"]] = self.unanswered = body
        kind = "catalog-snapshot" if "products" in body else "changes"
        sender.send(kind, body).expect(202)
        self.answered.append(body["event_id"])
        self.unanswered = None

    def repeat(self, sender):
        """What stayed without an answer is sent again, as it was."""
        if self.unanswered:
            self.send(sender, self.unanswered)


class Trade:
    """An integration with two such connections: one of snapshots and changes, one of changes."""

    def __init__(self, site):
        self.exchange = Exchange(site, Sender.of(site))
        self.lines = [Line(make_mixed), Line(make_changes)]

    @property
    def bodies(self):
        return {key: body for line in self.lines for key, body in line.bodies.items()}

    def check(self):
        """After a start: what was answered is there, in order, and did what it had to do."""
        model = self.exchange.model
        known, waiting = set(model.packages), model.waiting()
        self.exchange.follow(self.bodies)
        order = {event_id: index for index, event_id in enumerate(model.packages)}
        for line in self.lines:
            places = [order[event_id] for event_id in line.answered]
            assert places == sorted(places)
        new = set(model.packages) - known
        self.exchange.expect(event_ids=new | waiting, limit=200, singles=2)

    def finish(self):
        """A snapshot with every pair: then nothing has to wait any more, and all was applied."""
        self.lines[0].send(self.exchange.sender, make_snapshot(0, PRODUCTS))
        self.check()
        rows = list_packages(self.exchange.desk)
        assert {row["event_id"] for row in rows} == set(self.bodies)
        assert {row["status"] for row in rows} == {"applied"}


def make_snapshot(index, count):
    """Of its first products, whose prices tell which snapshot it is."""
    return catalog.snapshot(catalog.numbered_products(count, index), [catalog.category()])


def make_changes(index):
    first = random.randrange(PRODUCTS - 6)
    pairs = [(f"p-{row}", "v") for row in range(first, first + 6)]
    return catalog.changes([catalog.stock_row(index % 7, *pair) for pair in pairs],
                           [catalog.price_row(index, *pair) for pair in pairs])


def make_mixed(index):
    if index % 3:
        return make_changes(index)
    return make_snapshot(index, random.randrange(PRODUCTS // 2, PRODUCTS + 1))


def trade_until_killed(site, trades):
    faults = []
    threads = [threading.Thread(target=line.work, args=(trade.exchange.sender, faults), daemon=True)
               for trade in trades for line in trade.lines]
    for thread in threads:
        thread.start()
    time.sleep(random.uniform(0.01, 0.25))
    site.processes[-1].kill()
    for thread in threads:
        thread.join(timeout=30)
    assert not any(thread.is_alive() for thread in threads)
    assert faults == []
    site.processes[-1].check_output()
    site.processes.clear()


def start_again(site, trades):
    """Under a later hour, so that what was being processed does not wait for its lease to end."""
    site.clock.advance(LEASE_S + 1)
    site.serve()
    for trade in trades:
        trade.exchange.meet_again(site)


def finish(trades):
    """Returns how many packages were answered."""
    for trade in trades:
        trade.finish()
    return sum(len(line.answered) for trade in trades for line in trade.lines)


def trade_through(site, rounds, end_machine, has_met_all=lambda: True):
    """That many lives, and more until it has met all; `end_machine` is called after each."""
    site.settings["HERALD_PUBLIC_URL"] = "https://herald.example"
    site.serve()
    answered, trades = 0, []
    for index in range(MORE * rounds):
        if index >= rounds and has_met_all():
            break
        if index % ROUNDS_A_CATALOG == 0:
            answered += finish(trades)
            trades = [Trade(site) for _ in range(2)]
        trade_until_killed(site, trades)
        end_machine()
        start_again(site, trades)
        for trade in trades:
            trade.check()
            for line in trade.lines:
                line.repeat(trade.exchange.sender)
    return answered + finish(trades)


def test_kill_9_in_intake_and_apply(fresh_site):
    answered = trade_through(fresh_site, ROUNDS, end_machine=lambda: None)
    assert answered > 10 * ROUNDS, "hardly anything was sent between the kills"


@pytest.mark.only("sqlite")
def test_power_cut_in_intake_and_apply(fresh_site, tmp_path):
    disk = fresh_site.disk = Disk(tmp_path, fresh_site.state)
    trade_through(fresh_site, CUTS, end_machine=lambda: disk.cut(random),
                  has_met_all=lambda: disk.lost)
    assert disk.lost, "no cut met a write that was not synced"


# --- one large snapshot, killed while it is being applied


@pytest.fixture
def sender(fresh_site):
    fresh_site.settings["HERALD_PUBLIC_URL"] = "https://herald.example"
    fresh_site.serve()
    return Sender.of(fresh_site)


def test_kill_9_while_a_snapshot_is_being_applied(fresh_site, sender):
    """All of it or none of it is shown behind the start, and soon all."""
    size = BIG[fresh_site.engine]
    sender.apply(SNAPSHOT, make_generation(0, size))
    takes_s = measure_apply(sender, make_generation(1, size))
    met = 0
    for number in range(2, TRIES + 2):
        sender, is_met = kill_in_between(fresh_site, sender, number, takes_s)
        met += is_met
        if met == 2:
            break
    assert met, "no kill met a snapshot that was being applied"
    rows = walk(Desk.at(fresh_site, sender).products, "products", limit=200)
    assert len(rows) == size and read_generations(rows) == {number}


def measure_apply(sender, body):
    """How long it takes from the answer until it is applied."""
    sender.snapshot(body).expect(202)
    start = time.monotonic()
    sender.wait_for(event_id_of(body))
    return time.monotonic() - start


def kill_in_between(site, sender, number, takes_s):
    """The sender after the kill, and whether that met the snapshot while it was processed."""
    body = make_generation(number, BIG[site.engine])
    sender.snapshot(body).expect(202)
    time.sleep(random.uniform(0, takes_s))
    site.processes[-1].kill()
    site.processes.clear()
    site.serve()
    page = Desk.at(site, sender).products(limit=200).expect(200)["products"]
    assert read_generations(page) in ({number - 1}, {number})
    site.clock.advance(LEASE_S + 1)
    exchange = Exchange(site, sender)
    exchange.meet_again(site)
    record = exchange.sender.wait_for(event_id_of(body))
    assert record["attempts"] in (1, 2), record
    assert record["result"]["products"]["changed"] == BIG[site.engine], record
    return exchange.sender, record["attempts"] == 2


def make_generation(number, size):
    """A snapshot, as bytes, in which every product is another one than before."""
    rows = catalog.numbered_products(size, number, name=f"Generation {number}", tags=["new"] * 9)
    return catalog.encode(catalog.snapshot(rows))


def read_generations(rows):
    named = {int(row["name"].split()[-1]) for row in rows}
    return named | {row["variants"][0]["price"] for row in rows}
