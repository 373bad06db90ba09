"""Packages come into the catalog: content, prices, stock, archive, counts (contract section 5).

Each package is followed by the model of harness/catalog_model.py, and what the reading operations
show is compared to it row by row.
"""

import time
from decimal import Decimal

import pytest

from harness import catalog
from harness.catalog_model import Exchange, empty_result, expect_errors, read_rows, walk
from harness.packages import CHANGES, SNAPSHOT, Sender, exact
from harness.shapes import parse_time
from harness.tools import eventually

EXACT = ("0.3", "0.30", "1e2", "1.5e-3", "10", "89.90", "0.000001", "999999999999999.999999",
         "123456789012345", "0", "1E+2", "0.1000000")

MODIFIERS = {"id": "g", "name": "G", "options": [{"id": "o", "name": "O", "price_delta": 2.5}]}
SAME_WORDS = [
    ('"price":10', '"price":10.00'), ('"price":10', '"price":1e1'),
    ('"measure_value":1', '"measure_value":1.0'), ('"measure_value":1', '"measure_value":10e-1'),
    ('"price_delta":2.5', '"price_delta":2.50'), ('"price_delta":2.5', '"price_delta":25e-1'),
    ('"id":"p-1"', '"unknown":[1],"id":"p-1"'), ('"id":"p-1"', '"id": "p-1"'),
    ('"id":"p-1","name":"Product p-1"', '"name":"Product p-1","id":"p-1"'),
    ('"name":"Product p-1"', r'"name":"Pr\u006fduct p-1"'),
    ('"id":"p-1"', '"available":true,"tags":[],"attributes":[],"id":"p-1"'),
    ('"id":"v-1"', '"name":"","default":false,"measure_unit":"piece","barcodes":[],"id":"v-1"'),
    ('"id":"g"', '"required":false,"min_select":0,"max_select":1,"id":"g"'),
]
"""A piece of a snapshot, and other words for the same."""


@pytest.fixture
def exchange(site):
    return Exchange(site, Sender.of(site))


@pytest.fixture
def other(site):
    """Another sales point."""
    return Exchange(site, Sender.of(site))


def counts(**changes):
    """The result of a package: as named `products_added=1`, all else 0."""
    made = empty_result()
    for name, count in changes.items():
        thing, word = name.split("_")
        made[thing][word] = count
    return made


def snapshot_of(products, **fields):
    return catalog.snapshot(products, [catalog.category()], **fields)


def two_products(price=10):
    return [catalog.product("a", [catalog.variant("a-1", price), catalog.variant("a-2", price)]),
            catalog.product("b", [catalog.variant("b-1", price)])]


# --- snapshots


def test_first_snapshot_adds_everything(exchange):
    package = exchange.put(snapshot_of(two_products()))
    assert package.result == counts(products_added=2, categories_added=1, prices_changed=3)
    exchange.expect()


def test_every_field_comes_into_the_catalog(exchange):
    exchange.put(catalog.full_snapshot())
    exchange.expect()


def test_defaults_are_those_of_the_contract(exchange):
    groups = [{"id": "g", "name": "G", "options": [{"id": "o", "name": "O"},
                                                  {"id": "o2", "name": "O2", "price_delta": -5}]}]
    exchange.put(catalog.snapshot([
        catalog.product("bare"),
        catalog.product("parts", [catalog.variant(option_groups=groups)],
                        tax={"vat_rate": "20"}, marking={"required": False}),
    ]))
    product = exchange.desk.product("parts").expect(200)
    variant = product["variants"][0]
    group = variant["option_groups"][0]
    assert product["tax"] == {"vat_rate": "20", "vat_included": True, "tax_category": "goods"}
    assert (product["available"], product["category_id"], product["tags"]) == (True, None, [])
    assert (variant["name"], variant["default"], variant["measure_unit"]) == ("", False, "piece")
    assert variant["measure_value"] == 1 and variant["stock"] is None and variant["available"]
    assert (group["required"], group["min_select"], group["max_select"]) == (False, 0, 2)
    assert (group["options"][0]["price_delta"], group["options"][0]["available"]) == (0, True)
    exchange.expect()


def test_equal_snapshot_changes_nothing(exchange):
    body = catalog.full_snapshot()
    exchange.put(body)
    before = walk(exchange.desk.products, "products")
    package = exchange.put(body | {"event_id": catalog.fresh_event_id()})
    assert package.result == counts(products_unchanged=2, categories_unchanged=2,
                                    prices_unchanged=3)
    assert walk(exchange.desk.products, "products") == before, "updated_at included"


@pytest.mark.parametrize("words", SAME_WORDS)
def test_snapshot_that_says_the_same_in_other_words_changes_nothing(exchange, words):
    body = catalog.snapshot([catalog.product(variants=[catalog.variant(
        "v-1", 10, measure_value=1, option_groups=[MODIFIERS])])], event_id="<event>")
    was = catalog.encode(body)
    event_ids = [catalog.fresh_event_id() for _ in range(2)]
    now = was.replace(words[0].encode(), words[1].encode())
    assert now != was
    exchange.sender.apply(SNAPSHOT, was.replace(b"<event>", event_ids[0].encode()))
    before = walk(exchange.desk.products, "products")
    record = exchange.sender.apply(SNAPSHOT, now.replace(b"<event>", event_ids[1].encode()))
    assert record["result"] == counts(products_unchanged=1, prices_unchanged=1)
    assert walk(exchange.desk.products, "products") == before


def test_snapshot_tells_what_is_different(exchange):
    exchange.put(catalog.snapshot(
        [catalog.product(name, [catalog.variant("v", 10)]) for name in "abcd"],
        [catalog.category("c-1"), catalog.category("c-2"), catalog.category("c-3")]))
    package = exchange.put(catalog.snapshot(
        [catalog.product("a", [catalog.variant("v", 10)]),
         catalog.product("b", [catalog.variant("v", 11)]),
         catalog.product("c", [catalog.variant("v", 10), catalog.variant("w", 5)], name="Other"),
         catalog.product("e", [catalog.variant("v", 1)])],
        [catalog.category("c-1"), catalog.category("c-2", "Other"), catalog.category("c-4")]))
    assert package.result == counts(
        products_added=1, products_changed=1, products_unchanged=2, products_archived=1,
        categories_added=1, categories_changed=1, categories_unchanged=1, categories_archived=1,
        prices_changed=3, prices_unchanged=2)
    exchange.expect()


def test_removed_values_are_gone(exchange):
    """Doc B section 2: in a full snapshot what is empty is empty."""
    exchange.put(catalog.full_snapshot())
    full = catalog.full_snapshot()
    full["products"][0] = catalog.product("full", [catalog.variant("full-1", 1)])
    exchange.put(full)
    exchange.expect()


def test_definition_that_changes_alone_is_shown_by_its_products(exchange):
    body = catalog.full_snapshot()
    exchange.put(body)
    for row in body["attribute_definitions"]:
        row["name"], row["canonical_code"] = f"New {row['name']}", f"new-{row['id']}"
    body["attribute_definitions"][-1]["values"][1]["name"] = "Another name"
    exchange.put(body | {"event_id": catalog.fresh_event_id()})
    exchange.expect()


def test_empty_snapshot_archives_everything(exchange):
    exchange.put(catalog.full_snapshot())
    package = exchange.put(catalog.snapshot([]))
    assert package.result == counts(products_archived=2, categories_archived=2)
    exchange.expect()


@pytest.mark.parametrize("text", EXACT)
def test_prices_are_exact(exchange, text):
    """Contract section 5, "Numbers": by a snapshot and by changes."""
    def shown():
        return exact(exchange.desk.product("p-1"))["variants"][0]

    body = catalog.snapshot([catalog.product(variants=[catalog.variant(
        price="<price>", measure_value=1)])])
    exchange.sender.apply(SNAPSHOT, catalog.with_numbers(body, price=text))
    assert Decimal(shown()["price"]) == Decimal(text)
    exchange.sender.apply(CHANGES, catalog.changes(prices=[catalog.price_row(7)]))
    assert shown()["price"] == 7
    row = catalog.changes(prices=[catalog.price_row("<price>")])
    exchange.sender.apply(CHANGES, catalog.with_numbers(row, price=text))
    assert Decimal(shown()["price"]) == Decimal(text)
    assert b"e" not in exchange.desk.product("p-1").body.split(b'"price":')[1].split(b",")[0]


def test_price_with_other_digits_of_the_same_value_is_unchanged(exchange):
    exchange.put(snapshot_of([catalog.product(variants=[catalog.variant(price=10)])]))
    for text in ("10.0", "1e1", "10.000000", "100e-1"):
        body = catalog.changes(prices=[catalog.price_row("<price>")])
        record = exchange.sender.apply(CHANGES, catalog.with_numbers(body, price=text))
        assert record["result"] == counts(prices_unchanged=1), text


# --- changes


def test_changes_set_prices_and_stock(exchange):
    exchange.put(snapshot_of(two_products()))
    package = exchange.put(catalog.changes(
        [catalog.stock_row(5, "a", "a-1"), catalog.stock_row(0, "b", "b-1")],
        [catalog.price_row(12.5, "a", "a-2"), catalog.price_row(10, "b", "b-1")]))
    assert package.result == counts(stocks_changed=2, prices_changed=1, prices_unchanged=1)
    exchange.expect()
    variants = exchange.desk.variants("b")
    assert (variants["b-1"]["stock"], variants["b-1"]["available"]) == (0, False)


def test_changes_that_say_what_is_so_change_nothing(exchange):
    exchange.put(snapshot_of(two_products()))
    rows = [catalog.stock_row(5, "a", "a-1")], [catalog.price_row(12, "a", "a-2")]
    exchange.put(catalog.changes(*rows))
    before = walk(exchange.desk.products, "products")
    package = exchange.put(catalog.changes(*rows))
    assert package.result == counts(stocks_unchanged=1, prices_unchanged=1)
    assert walk(exchange.desk.products, "products") == before


def test_negative_stock_is_none(exchange):
    """Doc B section 2: a negative value is treated as zero availability."""
    exchange.put(snapshot_of(two_products()))
    package = exchange.put(catalog.changes([catalog.stock_row(-3, "a", "a-1")]))
    assert package.result == counts(stocks_changed=1)
    assert exchange.desk.variants("a")["a-1"]["stock"] == 0
    package = exchange.put(catalog.changes([catalog.stock_row(0, "a", "a-1")]))
    assert package.result == counts(stocks_unchanged=1)
    exchange.expect()


def test_last_row_of_a_pair_wins(exchange):
    exchange.put(snapshot_of(two_products()))
    package = exchange.put(catalog.changes(
        [catalog.stock_row(count, "a", "a-1") for count in (5, 0, 7)],
        [catalog.price_row(price, "a", "a-1") for price in (99, 98, 10)]))
    assert package.result == counts(stocks_changed=1, prices_unchanged=1)
    exchange.expect()


def test_product_that_is_not_available_has_no_variant_that_is(exchange):
    exchange.put(snapshot_of([catalog.product("a", available=False), catalog.product("b")]))
    exchange.put(catalog.changes([catalog.stock_row(5, "a"), catalog.stock_row(5, "b")]))
    exchange.expect()
    shown = read_rows(exchange.desk.products, "products")
    assert [row["variants"][0]["available"] for row in shown.values()] == [False, True]


@pytest.mark.parametrize("pair", [("no such", "v"), ("p-7", "no such"), ("", "v")][:2])
@pytest.mark.parametrize("name", ["stocks", "prices"])
def test_one_bad_row_of_2000_and_nothing_is_applied(exchange, name, pair):
    """Doc B section 4 rule 5: all rows or none. Section 3: a pair that does not exist."""
    exchange.put(catalog.snapshot(catalog.numbered_products(1000)))
    stocks = [catalog.stock_row(index, f"p-{index}", "v") for index in range(1000)]
    prices = [catalog.price_row(index, f"p-{index}", "v") for index in range(1000)]
    rows = {"stocks": stocks, "prices": prices}
    rows[name][777] |= {"product_id": pair[0], "variant_id": pair[1]}
    package = exchange.put(catalog.changes(stocks, prices))
    assert package.status == "retry"
    assert package.errors == [{"list": name, "index": 777, "product_id": pair[0],
                               "variant_id": pair[1]}]
    exchange.expect(limit=200, singles=0)


def test_errors_are_the_first_hundred_rows(exchange):
    exchange.put(catalog.snapshot())
    package = exchange.put(catalog.changes([catalog.stock_row(1, f"?{row}") for row in range(150)]))
    record = exchange.sender.status(package.event_id)
    assert len(record["errors"]) == 100
    expect_errors(record, package.errors)
    assert record["attempts"] == 1 and record["last_error"] and record["processed_at"]


def test_changes_before_any_snapshot_wait_for_it(exchange):
    package = exchange.put(catalog.changes([catalog.stock_row(3)]))
    assert package.status == "retry"
    exchange.put(catalog.snapshot())
    assert package.status == "applied"
    exchange.expect()


# --- archive


def test_what_is_absent_is_archived_and_comes_back_as_it_was(exchange):
    exchange.put(snapshot_of(two_products()))
    exchange.put(catalog.changes([catalog.stock_row(7, "a", "a-1"),
                                  catalog.stock_row(0, "a", "a-2")]))
    package = exchange.put(catalog.snapshot(two_products()[1:]))
    assert package.result == counts(products_unchanged=1, products_archived=1, prices_unchanged=1,
                                    categories_archived=1)
    exchange.expect()
    archived = exchange.desk.product("a").expect(200)
    assert archived["archived"] and not any(row["available"] for row in archived["variants"])
    package = exchange.put(snapshot_of(two_products()))
    assert package.result["products"] == counts(products_changed=1, products_unchanged=1)["products"]
    exchange.expect()
    assert exchange.desk.variants("a")["a-1"]["stock"] == 7


def test_archived_stays_archived_without_being_counted_again(exchange):
    exchange.put(snapshot_of(two_products()))
    for archived in (1, 0):
        package = exchange.put(snapshot_of(two_products()[1:]))
        assert package.result["products"]["archived"] == archived
    exchange.expect()


def test_variant_that_goes_and_comes_back_keeps_its_stock(exchange):
    both, one = two_products(), two_products()
    del one[0]["variants"][0]
    exchange.put(snapshot_of(both))
    exchange.put(catalog.changes([catalog.stock_row(7, "a", "a-1")]))
    exchange.put(snapshot_of(one))
    exchange.expect()
    waiting = exchange.put(catalog.changes([catalog.stock_row(8, "a", "a-1")]))
    assert waiting.status == "retry", "the pair does not exist while the variant is gone"
    exchange.put(snapshot_of(one))
    assert waiting.status == "retry"
    exchange.put(snapshot_of(both))
    exchange.expect()
    assert waiting.status == "applied" and exchange.desk.variants("a")["a-1"]["stock"] == 8


# --- several integrations, and their packages at once


def test_two_integrations_do_not_see_each_other(exchange, other):
    for index, erp in enumerate((exchange, other)):
        erp.put(snapshot_of(two_products(10 + index)))
        erp.put(catalog.changes([catalog.stock_row(5 + index, "a", "a-1")]))
    exchange.put(catalog.snapshot([catalog.product("mine")]))
    other.put(catalog.changes([catalog.stock_row(1, "mine")]))
    other.put(catalog.changes(prices=[catalog.price_row(3, "a", "a-2")]))
    for erp in (exchange, other):
        erp.expect()
    other.desk.product("mine").expect(404, "not_found")
    for event_id in exchange.model.packages:
        other.sender.event(event_id).expect(404, "not_found")
        other.desk.package(event_id).expect(404, "not_found")


def test_same_event_ids_and_ids_in_two_integrations(exchange, other):
    body, change = snapshot_of(two_products()), catalog.changes([catalog.stock_row(4, "a", "a-1")])
    for erp in (exchange, other):
        erp.put(body)
    exchange.put(change)
    other.put(change | {"stocks": [catalog.stock_row(9, "a", "a-1")]})
    for erp in (exchange, other):
        erp.expect()


def test_statuses_go_forward(exchange):
    """Doc B section 3: accepted, processing, applied; processed_at and the result at the end."""
    body = catalog.snapshot(catalog.numbered_products(3000))
    exchange.push(body)
    seen = []
    busy = []  # when it was seen being applied

    def read():
        asked_at = time.time()
        record = exchange.sender.status(body["event_id"])
        if record["status"] not in seen:
            seen.append(record["status"])
        if record["status"] == "processing":
            busy.append(asked_at)
        if record["status"] == "accepted":
            assert (record["attempts"], record["processed_at"]) == (0, None), record
        return record if record["status"] == "applied" else None

    record = eventually(read, 30, 0.002)
    order = ["accepted", "processing", "applied"]
    assert seen == [status for status in order if status in seen] and seen[-1] == "applied"
    assert record["attempts"] == 1 and record["received_at"] <= record["processed_at"]
    if len(busy) > 1:  # told at its end, but for the commit
        ended_at = parse_time(record["processed_at"]).timestamp()
        assert ended_at >= busy[0] + (busy[-1] - busy[0]) / 3
    exchange.expect(limit=200, singles=3)
