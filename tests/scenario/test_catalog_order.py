"""The order of packages: a late retry never undoes newer data, and holds nothing back.

Contract section 5, "Applying"; doc B section 4 rule 5, section 3. Numbers in the comments are the
packages in order of their receipt.
"""

import pytest

from harness import catalog
from harness.catalog_model import Exchange, settle
from harness.clock import Clock
from harness.exchange import Operator
from harness.packages import Sender
from harness.site import BINARY
from harness.tools import at_once

RETRY_MIN_S = 5
SKEW_S = 12


@pytest.fixture
def exchange(site):
    return Exchange(site, Sender.of(site))


def products(**prices):
    """One product a name, each with a variant "v" of that price."""
    return [catalog.product(name, [catalog.variant("v", price)]) for name, price in prices.items()]


def stocks(**counts):
    return [catalog.stock_row(count, name, "v") for name, count in counts.items()]


def prices(**values):
    return [catalog.price_row(price, name, "v") for name, price in values.items()]


def offer(exchange, product_id):
    """Price and stock of the product's only variant."""
    variant = exchange.desk.variants(product_id)["v"]
    return variant["price"], variant["stock"]


# --- a package that waits


def test_unknown_pair_waits_and_holds_nothing_back(exchange):
    exchange.put(catalog.snapshot(products(a=10)))
    waiting = exchange.put(catalog.changes(stocks(a=1, x=1)))
    assert waiting.status == "retry"
    exchange.put(catalog.changes(stocks(a=2)))
    exchange.put(catalog.changes(prices=prices(a=11)))
    exchange.put(catalog.snapshot(products(a=12)))
    assert waiting.status == "retry"
    assert exchange.sender.status(waiting.event_id)["status"] == "retry"
    exchange.expect()


def test_snapshot_has_waiting_packages_applied_at_once(exchange):
    waiting = exchange.put(catalog.changes(stocks(x=3), prices(x=99)))
    exchange.put(catalog.snapshot(products(a=10)))
    exchange.push(catalog.snapshot(products(a=10, x=20)))
    record = exchange.sender.wait_for(waiting.event_id, within=RETRY_MIN_S - 1)
    assert record["result"]["stocks"]["changed"] == 1
    assert record["result"]["prices"]["superseded"] == 1
    assert record["last_error"] is None and not record.get("errors")
    assert record["attempts"] >= 3
    assert offer(exchange, "x") == (20, 3)
    exchange.expect()


def test_several_waiting_packages_are_applied_in_order_of_receipt(exchange):
    for index in range(40):
        exchange.put(catalog.changes(stocks(x=index + 1), prices(**{f"y{index % 3}": index})))
    exchange.put(catalog.snapshot(products(x=1)))
    exchange.put(catalog.snapshot(products(x=1, y0=1, y1=1)))
    exchange.expect()
    exchange.put(catalog.snapshot(products(x=1, y0=1, y1=1, y2=1)))
    assert offer(exchange, "x") == (1, 40)
    exchange.expect()


def test_waiting_package_goes_in_between_two_snapshots_that_wait(exchange):
    """1 waits; 2 brings its pair, 3 takes it away. Behind 2 it is applied, so that 4 finds it."""
    first = exchange.put(catalog.changes(stocks(x=3)))
    exchange.push(catalog.snapshot(products(x=20)))
    exchange.push(catalog.snapshot(products(a=10)))
    settle(exchange.desk, exchange.model)
    assert exchange.sender.status(first.event_id)["status"] == "applied"
    exchange.put(catalog.snapshot(products(x=20, a=10)))
    assert offer(exchange, "x") == (20, 3)
    exchange.expect()


# --- a late retry


def test_late_retry_undoes_no_newer_stock(exchange):
    """2 waits for x. 3 sets the stock of a; 4 brings x: 2 may only set x."""
    exchange.put(catalog.snapshot(products(a=10, b=10)))
    waiting = exchange.put(catalog.changes(stocks(a=1, b=1, x=1)))
    exchange.put(catalog.changes(stocks(a=2)))
    exchange.put(catalog.snapshot(products(a=10, b=10, x=10)))
    assert waiting.result["stocks"] == {"changed": 2, "unchanged": 0, "superseded": 1}
    assert [offer(exchange, name)[1] for name in ("a", "b", "x")] == [2, 1, 1]
    exchange.expect()


def test_late_retry_undoes_no_newer_price(exchange):
    """A snapshot carries prices: those of 2 are older, wherever they come from."""
    exchange.put(catalog.snapshot(products(a=10, b=10)))
    waiting = exchange.put(catalog.changes(stocks(a=1), prices(a=98, b=97, x=96)))
    exchange.put(catalog.changes(prices=prices(b=11)))
    exchange.put(catalog.snapshot(products(a=10, b=10, x=10)))
    assert waiting.result["prices"] == {"changed": 0, "unchanged": 0, "superseded": 3}
    assert waiting.result["stocks"] == {"changed": 1, "unchanged": 0, "superseded": 0}
    assert offer(exchange, "a") == (10, 1)
    exchange.expect()


def test_value_that_was_confirmed_later_is_newer_too(exchange):
    """3 sets the stock that is there already. It is 3's from then on, and 2 comes too late."""
    exchange.put(catalog.snapshot(products(a=10)))
    exchange.put(catalog.changes(stocks(a=5)))
    waiting = exchange.put(catalog.changes(stocks(a=1, x=1)))
    exchange.put(catalog.changes(stocks(a=5)))
    exchange.put(catalog.snapshot(products(a=10, x=10)))
    assert waiting.result["stocks"] == {"changed": 1, "unchanged": 0, "superseded": 1}
    assert offer(exchange, "a") == (10, 5)
    exchange.expect()


def test_price_that_a_snapshot_confirmed_is_newer_too(exchange):
    """Nothing of a changes in 3, and yet 2 is older than its price."""
    exchange.put(catalog.snapshot(products(a=10)))
    waiting = exchange.put(catalog.changes(prices=prices(a=99, x=99)))
    exchange.put(catalog.snapshot(products(a=10, x=10)))
    assert waiting.result["prices"]["superseded"] == 2
    exchange.put(catalog.snapshot(products(a=10, x=10)))
    exchange.put(catalog.changes(prices=prices(a=12)))
    exchange.expect()
    assert offer(exchange, "a") == (12, None)


def test_price_and_stock_of_a_variant_age_apart(exchange):
    exchange.put(catalog.snapshot(products(a=10)))
    waiting = exchange.put(catalog.changes(stocks(a=1, x=1), prices(a=99)))
    exchange.put(catalog.changes(prices=prices(a=11)))
    exchange.put(catalog.snapshot(products(a=11, x=1)))
    assert waiting.result["prices"]["superseded"] == 1
    assert waiting.result["stocks"]["changed"] == 2
    assert offer(exchange, "a") == (11, 1)
    exchange.expect()


def test_waiting_packages_that_disagree_leave_the_newest(exchange):
    older = exchange.put(catalog.changes(stocks(a=1, x=1)))
    newer = exchange.put(catalog.changes(stocks(a=2)))
    exchange.put(catalog.snapshot(products(a=10)))
    assert (older.status, newer.status) == ("retry", "applied")
    exchange.put(catalog.snapshot(products(a=10, x=10)))
    assert older.result["stocks"] == {"changed": 1, "unchanged": 0, "superseded": 1}
    assert offer(exchange, "a") == (10, 2)
    exchange.expect()


# --- archive and receipts


def test_stock_and_its_receipt_come_back_from_the_archive(exchange):
    """2 waits for x. 3 sets a's stock, 4 archives a, 5 brings both: 3 stays newer than 2."""
    exchange.put(catalog.snapshot(products(a=10)))
    waiting = exchange.put(catalog.changes(stocks(a=1, x=1), prices(a=99)))
    exchange.put(catalog.changes(stocks(a=2)))
    exchange.put(catalog.snapshot(products(b=10)))
    exchange.put(catalog.snapshot(products(a=10, b=10, x=10)))
    assert waiting.result["stocks"] == {"changed": 1, "unchanged": 0, "superseded": 1}
    assert offer(exchange, "a") == (10, 2)
    exchange.expect()


def test_change_for_an_archived_product_waits_until_it_is_back(exchange):
    exchange.put(catalog.snapshot(products(a=10, b=10)))
    exchange.put(catalog.snapshot(products(b=10)))
    waiting = exchange.put(catalog.changes(stocks(a=4), prices(a=99)))
    assert waiting.status == "retry"
    exchange.put(catalog.snapshot(products(b=10)))
    exchange.put(catalog.snapshot(products(a=30, b=10)))
    assert offer(exchange, "a") == (30, 4)
    exchange.expect()


def test_variant_that_moves_to_another_product_is_another_pair(exchange):
    exchange.put(catalog.snapshot(products(a=10)))
    exchange.put(catalog.changes(stocks(a=4)))
    moved = [catalog.product("a", [catalog.variant("w", 5)])] + products(b=10)
    exchange.put(catalog.snapshot(moved))
    assert offer(exchange, "b") == (10, None)
    exchange.expect()


# --- snapshots and prices in between


def test_equal_snapshot_takes_back_the_prices_of_changes(exchange):
    body = catalog.snapshot(products(a=10, b=10, c=10))
    exchange.put(body)
    exchange.put(catalog.changes(stocks(a=5), prices(a=11, b=10)))
    package = exchange.put(body | {"event_id": catalog.fresh_event_id()})
    assert package.result["products"] == {"added": 0, "changed": 0, "unchanged": 3, "archived": 0}
    assert package.result["prices"] == {"changed": 1, "unchanged": 2, "superseded": 0}
    assert offer(exchange, "a") == (10, 5)
    exchange.expect()


def test_prices_change_back_and_forth(exchange):
    for price in (10, 10, 12, 10):
        exchange.put(catalog.snapshot(products(a=price, b=10)))
        exchange.put(catalog.changes(prices=prices(a=11)))
        assert offer(exchange, "a") == (11, None)
    exchange.put(catalog.snapshot(products(a=10, b=10)))
    exchange.expect()


# --- order of receipt, under load


def test_burst_is_applied_in_order_of_receipt(exchange):
    exchange.put(catalog.snapshot(products(a=0, b=0)))
    for index in range(1, 200):
        if index % 50 == 0:
            exchange.push(catalog.snapshot(products(a=index, b=index, **{f"x{index}": 1})))
        else:
            exchange.push(catalog.changes(stocks(a=index), prices(b=index, **_ahead(index))))
    exchange.expect()
    assert offer(exchange, "a") == (150, 199)


def _ahead(index):
    """Now and then a row for a product that only the next snapshot brings."""
    return {f"x{(index // 50 + 1) * 50}": index} if index % 7 == 0 else {}


def push_many(sender, bodies, count=30):
    """An ERP that sends what comes to its mind; what it sent is added to `bodies`."""
    for index in range(count):
        kind = index % 10
        body = (catalog.snapshot(products(a=index, b=index, c=index)[:1 + index % 3])
                if kind == 3 else
                catalog.changes(stocks(a=index, b=index), prices(c=index)) if kind == 6 else
                catalog.changes(stocks(a=index), prices(a=index)))
        bodies[body["event_id"]] = body
        sender.send("catalog-snapshot" if "products" in body else "changes", body).expect(202)


def expect_order_of_receipt(exchange, bodies):
    """All that was sent, in the order that the operator's list shows, makes this catalog."""
    exchange.follow(bodies)
    assert set(exchange.model.packages) == set(bodies)
    exchange.expect()


def test_four_connections_of_each_of_three_erps(site):
    """Several integrations in parallel, each in an order of its own."""
    senders = [Sender.of(site) for _ in range(3)]
    bodies = [{} for _ in senders]
    at_once(12, lambda index: push_many(senders[index % 3], bodies[index % 3]))
    for sender, sent in zip(senders, bodies):
        expect_order_of_receipt(Exchange(site, sender), sent)


@pytest.mark.only("postgres")
def test_two_apis_and_two_workers(fresh_site):
    fresh_site.settings["HERALD_PUBLIC_URL"] = "https://id.example"
    apis = fresh_site.start_cluster()
    identity = fresh_site.start("idp")
    identity.wait_until_ready()
    senders = [new_sender(fresh_site, apis[0], identity) for _ in range(3)]
    bodies = [{} for _ in senders]
    ends = [Sender(api.address, sender.token, sender.integration_id)
            for api in apis for sender in senders]
    at_once(12, lambda index: push_many(ends[index % 6], bodies[index % 3]))
    for sender, sent in zip(senders, bodies):
        expect_order_of_receipt(Exchange(fresh_site, sender, apis[1]), sent)


@pytest.mark.only("postgres")
def test_order_of_receipt_is_not_that_of_clocks(fresh_site, tmp_path):
    """1 is taken by a machine whose clock is ahead; 2 takes the product away that 1 is about."""
    fresh_site.settings["HERALD_PUBLIC_URL"] = "https://id.example"
    ahead = Clock(tmp_path)
    ahead.set(SKEW_S)
    api = fresh_site.serve()
    other = fresh_site.start("api", changes=ahead.environment(BINARY))
    other.wait_until_ready()
    exchange = Exchange(fresh_site, Sender.of(fresh_site, api), api)
    exchange.put(catalog.snapshot(products(a=10, b=10)))
    change, drop = catalog.changes(stocks(a=3, b=4)), catalog.snapshot(products(b=10))
    exchange.sender.at(other.address).changes(change).expect(202)
    exchange.sender.snapshot(drop).expect(202)
    for body in (change, drop):
        exchange.model.receive(body)
        exchange.sender.wait_for(body["event_id"], within=SKEW_S / 2)
    exchange.expect()


def new_sender(site, api, identity):
    """The ERP of a new integration, where one process issues tokens and another takes packages."""
    erp = Operator.of(site, api).new_erp()
    return Sender(api.address, erp.at(identity.address).fetch_token(), erp.integration_id)
