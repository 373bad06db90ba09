"""While a large snapshot is being applied: readers see all or nothing, codes and phones go on.

Contract section 5, doc B section 4 rule 5. Nothing here is held against a clock: what goes on is
held against the snapshot that it does not wait for. The bench has the figures.
"""

import threading
import time

import pytest

from harness import catalog
from harness.actors import read_code
from harness.catalog_model import Exchange, walk
from harness.packages import CHANGES, SNAPSHOT, Sender, event_id_of, expect_acceptance
from harness.tools import eventually, fresh_number, lasted_at_most

SIZE = 4000
LARGE = 15000
APPLY_MAX_S = 60
PLANNED = 10000
SLOW_PLAN, WHILE_BUSY_S = 4, 2.0
"""What takes so many times as long as the same of a known integration reads all products for each,
which takes ten times as long; and what the machine may do meanwhile."""


@pytest.fixture
def exchange(site):
    return Exchange(site, Sender.of(site))


def generation(number, size=SIZE, **fields):
    """A catalog in which everything tells its generation: names, prices, category, attribute."""
    attribute = [{"attribute_id": "a-1", "value": f"Generation {number}"}]
    rows = catalog.numbered_products(
        size, number, name=f"Generation {number}", category_id="c-1", attributes=attribute,
        description="A text of some length, as products have it. " * 5, **fields)
    return catalog.snapshot(rows, [catalog.category("c-1", f"Generation {number}")],
                            attribute_definitions=[catalog.definition(name=f"Generation {number}")])


def generations_of(product):
    """All that the product says of its generation."""
    said = {product["name"], product["attributes"][0]["name"], product["attributes"][0]["value"]}
    numbers = {int(text.split()[-1]) for text in said}
    return numbers | {row["price"] for row in product["variants"]}


class Reader(threading.Thread):
    """Reads until it is told to stop; `seen` is the generation of each answer, in order."""

    def __init__(self, read):
        super().__init__(daemon=True)
        self.read, self.seen, self.fault = read, [], None
        self.is_over = threading.Event()

    def run(self):
        try:
            while not self.is_over.is_set():
                numbers = self.read()
                assert len(numbers) == 1, f"one answer shows generations {numbers}"
                self.seen += numbers
        except BaseException as fault:
            self.fault = fault

    def stop(self):
        """The generations that it saw, each once, in order."""
        self.is_over.set()
        self.join(timeout=60)
        if self.fault:
            raise self.fault
        assert self.seen == sorted(self.seen), "a reader saw an older catalog behind a newer one"
        return sorted(set(self.seen))


def read_page(desk, **query):
    rows = desk.products(limit=200, **query).expect(200)["products"]
    assert rows
    return set().union(*map(generations_of, rows))


def read_single(desk):
    return generations_of(desk.product(f"p-{SIZE - 1}").expect(200))


def read_named(desk, page, name):
    return {int(row["name"].split()[-1]) for row in page().expect(200)[name]}


def test_readers_see_all_or_nothing(exchange):
    exchange.put(generation(1))
    desk = exchange.desk
    end = desk.products(limit=200).expect(200)["next_cursor"]
    readers = [
        Reader(lambda: read_page(desk)), Reader(lambda: read_page(desk, cursor=end)),
        Reader(lambda: read_single(desk)),
        Reader(lambda: read_named(desk, desk.categories, "categories")),
        Reader(lambda: read_named(desk, desk.definitions, "attribute_definitions")),
    ]
    for reader in readers:
        reader.start()
    for number in (2, 3, 4):
        package = exchange.push(generation(number))
        exchange.sender.wait_for(package.event_id, within=APPLY_MAX_S)
        assert read_page(desk) == read_single(desk) == {number}, "applied, and not to be seen"
        assert len(walk(desk.products, "products", limit=200)) == SIZE
    for reader in readers:
        seen = reader.stop()
        assert seen[-1] == 4 and len(seen) >= 2, seen
    exchange.expect(limit=200, singles=3)


def test_walk_finds_each_product_once_while_snapshots_are_applied(exchange):
    """walk() itself demands that none comes twice."""
    exchange.put(generation(1, 1000))
    first = {row["id"] for row in walk(exchange.desk.products, "products", limit=50)}
    pushed = threading.Thread(target=lambda: [exchange.push(generation(number, 1000))
                                              for number in range(2, 6)], daemon=True)
    pushed.start()
    while pushed.is_alive():
        assert {row["id"] for row in walk(exchange.desk.products, "products", limit=50)} == first
    pushed.join()
    exchange.expect(limit=200, singles=3)


def test_progress_of_a_large_snapshot_is_shown(exchange):
    """How far it is, in rows done of all; nothing of the kind before and behind."""
    body = generation(1, LARGE)
    expect_acceptance(exchange.sender.send(SNAPSHOT, body), event_id_of(body), "accepted")
    seen = []

    def read():
        record = exchange.sender.status(body["event_id"])
        if record["status"] == "processing":
            seen.append(record["progress"])
        else:
            assert "progress" not in record, record
        return record["status"] == "applied"

    assert eventually(read, APPLY_MAX_S, 0.002)
    assert seen, "it was never seen as processing"
    done = [row["rows_done"] for row in seen]
    assert done == sorted(done) and done[-1] > 0, done
    assert {row["rows_all"] for row in seen} == {LARGE + 1}
    assert all(0 <= count <= LARGE + 1 for count in done)


# --- others, meanwhile


class Codes(threading.Thread):
    """A core system and a phone: a code is asked for, claimed, sent and verified, again and again."""

    def __init__(self, core, phone):
        super().__init__(daemon=True)
        self.core, self.phone = core, phone
        self.took_s, self.fault = [], None
        self.is_over = threading.Event()

    def run(self):
        try:
            while not self.is_over.is_set():
                start = time.monotonic()
                self.one()
                self.took_s.append(time.monotonic() - start)
        except BaseException as fault:
            self.fault = fault

    def one(self):
        otp = self.core.create_otp(fresh_number(), gateway_number=self.phone.number).expect(201)
        task = self.phone.claim_task()
        self.phone.result(task, "sent").expect(204)
        self.core.verify(otp["id"], read_code(task)).expect(200)

    def stop(self):
        self.is_over.set()
        self.join(timeout=60)
        if self.fault:
            raise self.fault
        return self.took_s


def test_codes_go_on_while_a_large_snapshot_is_taken_and_applied(site, exchange, ready_phone):
    codes = Codes(site.core(), ready_phone)
    codes.start()
    try:
        snapshot_s = min(time_to_apply(exchange.sender, SNAPSHOT, generation(number, LARGE))
                         for number in (1, 2))
    finally:
        took_s = codes.stop()
    assert len(took_s) >= 10, "hardly a code went through"
    lasted_at_most(max(took_s), snapshot_s / 2)


@pytest.mark.only("postgres")  # SQLite has one writer, for which a small change waits
def test_other_integrations_go_on_while_a_large_snapshot_is_applied(site, exchange):
    """Several integrations in parallel: a small change does not wait for the others' snapshots."""
    small = Exchange(site, Sender.of(site))
    small.put(catalog.snapshot())
    body = generation(1, LARGE)
    expect_acceptance(exchange.sender.send(SNAPSHOT, body), event_id_of(body), "accepted")
    small.sender.apply(CHANGES, catalog.changes([catalog.stock_row(1)]))
    assert exchange.sender.status(event_id_of(body))["status"] != "applied"
    exchange.sender.wait_for(event_id_of(body), within=APPLY_MAX_S)


@pytest.mark.only("postgres")
def test_statistics_of_one_integration_slow_no_other_one(fresh_site):
    """PostgreSQL plans by statistics, which know nothing of an integration that has just begun."""
    fresh_site.serve()
    known, new = Sender.of(fresh_site), Sender.of(fresh_site)
    known.apply(SNAPSHOT, generation(1, PLANNED))
    fresh_site.ask("ANALYZE")
    known_s = time_to_apply(known, SNAPSHOT, generation(2, PLANNED))
    slow_s = SLOW_PLAN * known_s + WHILE_BUSY_S
    for number in (1, 2):
        lasted_at_most(time_to_apply(new, SNAPSHOT, generation(number, PLANNED)), slow_s)
    rows = [catalog.stock_row(5, f"p-{index}", "v") for index in range(2000)]
    lasted_at_most(time_to_apply(new, CHANGES, catalog.changes(rows)), slow_s)


def time_to_apply(sender, kind, body):
    start = time.monotonic()
    sender.apply(kind, body)
    return time.monotonic() - start
