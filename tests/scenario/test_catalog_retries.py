"""Retries by the clock: 5, 15, 30, 60, 120 s, then every 5 minutes, 24 hours in all.

Contract, section 5.

The server's wall clock is moved, so nobody waits. Tokens do not outlive most moves, so the ERP
fetches a new one after each.
"""

import time

import pytest

from harness import catalog
from harness.catalog_model import Exchange, expect_package
from harness.packages import Sender, expect_acceptance
from harness.shapes import seconds_between
from harness.tools import eventually

CLOCK = True
DELAYS_S = (5, 15, 30, 60, 120, 300, 300, 300)
DAY_S = 24 * 3600
TRIED_WITHIN_S = 4
LOOK_S = 0.8
"""Longer than a worker sleeps when nobody wakes it."""


@pytest.fixture
def exchange(site):
    return Exchange(site, Sender.of(site))


@pytest.fixture
def move(site, exchange):
    """Moves the clock; the ERP then asks with a new token."""
    def advance(seconds):
        site.clock.advance(seconds)
        exchange.meet_again(site)

    return advance


def waiting_change(exchange, product_id="x"):
    """A package whose first processing found no such product."""
    return exchange.put(catalog.changes([catalog.stock_row(3, product_id)]))


def record_of(exchange, package):
    return exchange.desk.package(package.event_id).expect(200)


def wait_for_attempts(exchange, package, count):
    def read():
        record = record_of(exchange, package)
        return record if record["attempts"] >= count and record["status"] != "processing" else None

    record = eventually(read, TRIED_WITHIN_S, 0.02)
    assert record, f"not tried: {record_of(exchange, package)}"
    assert record["attempts"] == count, record
    return record


def test_retries_come_after_5_15_30_60_120_and_300_seconds(exchange, move):
    package = waiting_change(exchange)
    record = wait_for_attempts(exchange, package, 1)
    for attempts, delay_s in enumerate(DELAYS_S, 2):
        wait_s = seconds_between(record["processed_at"], record["next_attempt_at"])
        assert delay_s - 0.05 <= wait_s <= delay_s * 1.02 + 0.05, (attempts, record)
        move(delay_s - 2)
        time.sleep(LOOK_S if attempts < 4 else 0)
        assert record_of(exchange, package)["attempts"] == attempts - 1, "too early"
        move(2)
        record = wait_for_attempts(exchange, package, attempts)
        expect_package(record, package)
        assert record["last_error"]


def test_retries_end_after_24_hours(exchange, move):
    package = waiting_change(exchange)
    move(DAY_S - 120)
    record = wait_for_attempts(exchange, package, 2)
    assert record["status"] == "retry", "24 hours are not over"
    move(600)
    record = exchange.sender.wait_for(package.event_id, "failed", within=TRIED_WITHIN_S)
    assert record["last_error"] and record["errors"] and record["processed_at"]
    assert record_of(exchange, package)["next_attempt_at"] is None
    attempts = record["attempts"]
    for seconds in (400, DAY_S):
        move(seconds)
        time.sleep(LOOK_S)
        assert exchange.sender.status(package.event_id)["attempts"] == attempts


def test_failed_is_final_until_an_operator_has_it_retried(exchange, move):
    """No snapshot brings it back, and a repeat is a duplicate. What came later is newer."""
    exchange.put(catalog.snapshot([catalog.product("a")]))
    package = exchange.push(catalog.changes(
        [catalog.stock_row(1, "a"), catalog.stock_row(1, "x")]))
    exchange.put(catalog.changes([catalog.stock_row(2, "a")]))
    move(DAY_S + 600)
    exchange.sender.wait_for(package.event_id, "failed", within=TRIED_WITHIN_S)
    late = exchange.sender.changes(package.body)
    expect_acceptance(late, package.event_id, "duplicate")
    both = [catalog.product("a"), catalog.product("x")]
    exchange.sender.apply("catalog-snapshot", catalog.snapshot(both))
    time.sleep(LOOK_S)
    assert exchange.sender.status(package.event_id)["status"] == "failed"
    assert exchange.desk.variants("x")["v-1"]["stock"] is None
    for _ in range(2):
        exchange.desk.retry(package.event_id).expect(204)
        record = exchange.sender.wait_for(package.event_id)
        assert record["result"]["stocks"] == {"changed": 1, "unchanged": 0, "superseded": 1}
        assert record["last_error"] is None and not record.get("errors")
    assert exchange.desk.variants("a")["v-1"]["stock"] == 2
    assert exchange.desk.variants("x")["v-1"]["stock"] == 1


def test_operators_retry_gives_another_24_hours(exchange, move):
    package = waiting_change(exchange)
    move(DAY_S + 600)
    failed = exchange.sender.wait_for(package.event_id, "failed", within=TRIED_WITHIN_S)
    exchange.desk.retry(package.event_id).expect(204)
    record = exchange.sender.wait_for(package.event_id, "retry", within=TRIED_WITHIN_S)
    assert record["attempts"] > failed["attempts"]
    move(DAY_S - 3600)
    time.sleep(LOOK_S)
    assert exchange.sender.status(package.event_id)["status"] == "retry"
    exchange.put(catalog.snapshot([catalog.product("x")]))
    exchange.expect()


def test_retry_of_what_is_not_failed_changes_no_content(exchange):
    exchange.put(catalog.snapshot())
    done = exchange.put(catalog.changes())
    before = exchange.sender.status(done.event_id)
    exchange.desk.retry(done.event_id).expect(204)
    assert exchange.sender.status(done.event_id) == before
    exchange.desk.retry("no such package").expect(404, "not_found")
    exchange.expect()


def test_snapshot_does_not_wait_for_the_schedule(exchange, move):
    """Long after the first tries, when 5 minutes lie between two, a snapshot is followed at once."""
    package = waiting_change(exchange)
    for attempts, seconds in enumerate((6, 16, 31, 61, 121), 2):
        move(seconds)
        wait_for_attempts(exchange, package, attempts)
    exchange.put(catalog.snapshot([catalog.product("x")]))
    record = exchange.sender.wait_for(package.event_id, within=TRIED_WITHIN_S)
    assert record["attempts"] == 7
    exchange.expect()


def test_schedule_survives_a_restart(exchange, site, move):
    package = waiting_change(exchange)
    record = wait_for_attempts(exchange, package, 1)
    site.restart()
    exchange.meet_again(site)
    assert record_of(exchange, package)["next_attempt_at"] == record["next_attempt_at"]
    site.clock.advance(6)
    wait_for_attempts(exchange, package, 2)
    exchange.sender.apply("catalog-snapshot", catalog.snapshot([catalog.product("x")]))
    exchange.sender.wait_for(package.event_id)
