"""The safety brake: a snapshot that would archive too much waits for an operator.

Contract, section 5.
"""

import time

import pytest

from harness import catalog
from harness.catalog_model import Exchange, read_rows
from harness.exchange import Operator
from harness.packages import Sender, expect_acceptance

SETTINGS = {"HERALD_ERP_MAX_ARCHIVE_SHARE": "0.5"}
LOOK_S = 0.8


@pytest.fixture
def exchange(site):
    return Exchange(site, Sender.of(site))


def send(exchange, body):
    kind = "catalog-snapshot" if "products" in body else "changes"
    expect_acceptance(exchange.sender.send(kind, body), body["event_id"], "accepted")
    return body["event_id"]


def live(exchange):
    return set(read_rows(exchange.desk.products, "products", archived="false", limit=200))


def names(first, end):
    return {f"p-{index}" for index in range(first, end)}


def products(first, end, price=10):
    return catalog.numbered_products(end, price)[first:]


def expect_braked(exchange, event_id):
    record = exchange.sender.wait_for(event_id, "failed", "applied")
    assert (record["status"], record["last_error"]) == ("failed", "archive_limit"), record
    assert record["attempts"] == 1 and record["processed_at"]
    return record


@pytest.mark.parametrize("kept", [30, 40])
def test_half_may_be_archived(exchange, kept):
    exchange.put(catalog.snapshot(products(0, 60)))
    exchange.put(catalog.snapshot(products(0, kept)))
    exchange.expect()


@pytest.mark.parametrize("kept", [29, 1, 0])
def test_more_than_half_needs_an_operator(exchange, kept):
    """Nothing of it is applied: not the new product, not the new prices."""
    exchange.put(catalog.snapshot(products(0, 60)))
    body = catalog.snapshot(products(0, kept, 11) + [catalog.product("new")])
    expect_braked(exchange, send(exchange, body))
    exchange.expect(singles=0)
    exchange.desk.release(body["event_id"]).expect(204)
    record = exchange.sender.wait_for(body["event_id"])
    assert record["result"]["products"] == {"added": 1, "changed": 0, "unchanged": kept,
                                            "archived": 60 - kept}
    assert record["attempts"] == 2 and record["last_error"] is None
    assert live(exchange) == names(0, kept) | {"new"}


def test_first_snapshot_and_small_catalogs_are_free(exchange):
    """Never below 20 products."""
    exchange.put(catalog.snapshot([]))
    exchange.put(catalog.snapshot(products(0, 19)))
    exchange.put(catalog.snapshot([]))
    exchange.put(catalog.snapshot(products(0, 30)))
    exchange.put(catalog.snapshot(products(0, 11)))
    exchange.expect()


@pytest.mark.parametrize("live_count, gone, is_stopped", [
    (19, 19, False), (20, 20, True), (39, 19, False), (39, 20, True), (40, 20, False)])
def test_brake_begins_at_20_products(exchange, live_count, gone, is_stopped):
    """Contract section 5 "Safety brake": fewer than 20 always go, 20 or more not beyond the share."""
    exchange.put(catalog.snapshot(products(0, live_count)))
    event_id = send(exchange, catalog.snapshot(products(gone, live_count)))
    if is_stopped:
        expect_braked(exchange, event_id)
    else:
        exchange.sender.wait_for(event_id, "applied")


def test_integration_has_a_share_of_its_own(site, exchange):
    """It goes before the setting, and null goes back to that."""
    operator, integration_id = Operator.of(site), exchange.sender.integration_id
    exchange.put(catalog.snapshot(products(0, 60)))
    operator.change_integration(integration_id, max_archive_share=1).expect(200)
    exchange.put(catalog.snapshot(products(0, 1)))
    exchange.put(catalog.snapshot(products(0, 100)))
    operator.change_integration(integration_id, max_archive_share=0.2).expect(200)
    expect_braked(exchange, send(exchange, catalog.snapshot(products(0, 79))))
    exchange.put(catalog.snapshot(products(0, 80)))
    operator.change_integration(integration_id, max_archive_share=None).expect(200)
    exchange.put(catalog.snapshot(products(0, 40)))
    expect_braked(exchange, send(exchange, catalog.snapshot(products(0, 19))))


def test_share_of_nothing_stops_at_20(site):
    operator = Operator.of(site)
    sender = Sender.of(site)
    operator.change_integration(sender.integration_id, max_archive_share=0).expect(200)
    exchange = Exchange(site, sender)
    exchange.put(catalog.snapshot(products(0, 100)))
    exchange.put(catalog.snapshot(products(19, 100)))
    expect_braked(exchange, send(exchange, catalog.snapshot(products(39, 100))))


def test_share_is_of_live_products(exchange):
    """Archived ones count neither way: 40 of 70 live ones are too many, though 170 were there."""
    exchange.put(catalog.snapshot(products(0, 170)))
    exchange.put(catalog.snapshot(products(0, 100)))
    exchange.put(catalog.snapshot(products(0, 70)))
    expect_braked(exchange, send(exchange, catalog.snapshot(products(0, 30))))
    exchange.put(catalog.snapshot(products(0, 35)))
    exchange.expect()


def test_braked_snapshot_holds_nothing_back(exchange):
    exchange.put(catalog.snapshot(products(0, 60)))
    waiting = exchange.put(catalog.changes([catalog.stock_row(4, "new")]))
    event_id = send(exchange, catalog.snapshot([catalog.product("new")]))
    expect_braked(exchange, event_id)
    change = catalog.changes([catalog.stock_row(5, "p-7", "v")])
    assert exchange.sender.apply("changes", change)["result"]["stocks"]["changed"] == 1
    assert exchange.sender.status(waiting.event_id)["status"] == "retry"
    assert exchange.desk.variants("p-7")["v"]["stock"] == 5


def test_released_snapshot_undoes_nothing_newer(exchange):
    """2 is braked; 3 sets a price and a stock; 2, released, archives, but that price stays."""
    exchange.put(catalog.snapshot(products(0, 60)))
    late = send(exchange, catalog.snapshot(products(0, 10, 20)))
    expect_braked(exchange, late)
    exchange.sender.apply("changes", catalog.changes(
        [catalog.stock_row(5, "p-7", "v")], [catalog.price_row(15, "p-7", "v")]))
    exchange.desk.release(late).expect(204)
    record = exchange.sender.wait_for(late)
    assert record["result"]["products"]["archived"] == 50
    assert record["result"]["prices"] == {"changed": 9, "unchanged": 0, "superseded": 1}
    variant = exchange.desk.variants("p-7")["v"]
    assert (variant["price"], variant["stock"]) == (15, 5)
    assert exchange.desk.variants("p-8")["v"]["price"] == 20


def test_snapshot_that_is_released_behind_a_newer_one_changes_nothing(exchange):
    exchange.put(catalog.snapshot(products(0, 60)))
    late = send(exchange, catalog.snapshot(products(0, 10, 20) + [catalog.product("old")]))
    expect_braked(exchange, late)
    newer = catalog.snapshot(products(0, 50, 30))
    exchange.sender.apply("catalog-snapshot", newer)
    before = read_rows(exchange.desk.products, "products")
    exchange.desk.release(late).expect(204)
    record = exchange.sender.wait_for(late)
    assert all(count == 0 for counts in record["result"].values()
               for word, count in counts.items() if word in ("added", "changed", "archived"))
    assert read_rows(exchange.desk.products, "products") == before


def test_waiting_packages_follow_a_released_snapshot_at_once(exchange):
    exchange.put(catalog.snapshot(products(0, 60)))
    waiting = exchange.put(catalog.changes([catalog.stock_row(4, "new")]))
    late = send(exchange, catalog.snapshot([catalog.product("new")]))
    expect_braked(exchange, late)
    exchange.desk.release(late).expect(204)
    exchange.sender.wait_for(waiting.event_id, within=4)
    assert exchange.desk.variants("new")["v-1"]["stock"] == 4


def test_retry_does_not_release(exchange):
    """An operator's retry tries again under the same brake; only a release goes past it."""
    exchange.put(catalog.snapshot(products(0, 60)))
    event_id = send(exchange, catalog.snapshot([]))
    expect_braked(exchange, event_id)
    exchange.desk.retry(event_id).expect(204)
    time.sleep(LOOK_S)
    record = exchange.sender.wait_for(event_id, "failed")
    assert (record["last_error"], record["attempts"]) == ("archive_limit", 2)
    exchange.expect(singles=0)


def test_release_of_what_is_not_braked_changes_nothing(exchange):
    done = exchange.put(catalog.snapshot(products(0, 60)))
    before = exchange.sender.status(done.event_id)
    exchange.desk.release(done.event_id)
    assert exchange.sender.status(done.event_id) == before
    exchange.desk.release("no such package").expect(404, "not_found")
    exchange.expect(singles=0)
