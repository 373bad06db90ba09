"""Contract section 5 "Numbers": exact decimals, from the ERP to the catalog, never a binary float.

At most 15 digits before and 6 after the point, exponents read; the body is kept byte for byte.
"""

import itertools
from decimal import Decimal

import pytest

from harness import catalog
from harness.faults import fault_at
from harness.packages import CHANGES, SNAPSHOT, exact, number

PRICE = ("products", 0, "variants", 0, "price")
KEPT = {
    "0": "0", "-0": "0", "0.0": "0", "-0.000000": "0", "0e5": "0",
    "1e2": "100", "1E2": "100", "1e+2": "100", "1E-2": "0.01", "1.5e1": "15", "12345e-3": "12.345",
    "89.90": "89.9", "0.1": "0.1", "0.2": "0.2", "0.30000000": "0.3", "0.300001": "0.300001",
    "0.000001": "0.000001", "1e-6": "0.000001", "1000000e-12": "0.000001",
    "999999999999999.999999": "999999999999999.999999", "999999999999999": "999999999999999",
    "1e14": "100000000000000", "0.0000001e1": "0.000001", "0.999999999999999e15": "999999999999999",
    "4503599627370497.5e-1": "450359962737049.75",  # not what a double makes of it
    "9007199254740993e-2": "90071992547409.93", "123456789012345.678901": "123456789012345.678901",
    "0.1e0": "0.1", "100000000000000000e-6": "100000000000",
}
TOO_LONG = ["1000000000000000", "1e15", "1e16", "1e999999999", "99999999999999999999", "0.1e17",
            "1" + "0" * 400, "10000000000000000000000e-6", "1e" + "9" * 50]
TOO_FINE = ["0.0000001", "1e-7", "0.1234567", "1e-999999999", "123456789012345.6789012",
            "0." + "0" * 400 + "1", "1e-" + "9" * 50, "100000000000000e-21"]


def priced(**texts):
    """A snapshot of a product with a variant for each name, at the price of that text."""
    rows = [catalog.variant(name, f"<{name}>") for name in texts]
    package = catalog.snapshot([catalog.product(variants=rows)])
    return catalog.with_numbers(package, **texts), package["event_id"]


def named(texts):
    return {f"n{index}": text for index, text in enumerate(texts)}


def prices(desk):
    return {name: number(row["price"]) for name, row in desk.variants("p-1").items()}


def test_numbers_of_a_snapshot_are_kept_exactly(sender, desk):
    texts = named(KEPT)
    raw, event_id = priced(**texts)
    sender.apply(SNAPSHOT, raw)
    assert prices(desk) == {name: Decimal(KEPT[text]) for name, text in texts.items()}
    assert desk.body(event_id).body == raw


def test_numbers_of_changes_are_kept_exactly(sender, desk):
    texts = named(KEPT)
    sender.apply(SNAPSHOT, priced(**dict.fromkeys(texts, "7"))[0])
    rows = [catalog.price_row(f"<{name}>", "p-1", name) for name in texts]
    package = catalog.changes(None, rows)
    raw = catalog.with_numbers(package, **texts)
    record = sender.apply(CHANGES, raw)
    assert record["result"]["prices"] == {
        "changed": len(KEPT), "unchanged": 0, "superseded": 0}
    assert prices(desk) == {name: Decimal(KEPT[text]) for name, text in texts.items()}
    assert desk.body(package["event_id"]).body == raw


def test_same_number_in_other_digits_is_no_change(sender):
    ways = ["100", "1e2", "100.000000", "1.0E+2", "1000e-1"]
    for text in ways:
        record = sender.apply(SNAPSHOT, priced(v=text)[0])
        assert sum(record["result"]["prices"].values()) == 1
        changed = record["result"]["prices"]["changed"]
        assert changed == (text == ways[0]), f"{text}: {record}"
    package = catalog.changes(None, [catalog.price_row("<n>", "p-1", "v")])
    record = sender.apply(CHANGES, catalog.with_numbers(package, n="0.1e3"))
    assert record["result"]["prices"] == {"changed": 0, "unchanged": 1, "superseded": 0}


def test_least_difference_is_a_change(sender, desk):
    texts = ["999999999999999.999998", "999999999999999.999999", "0.000001", "0.000002", "0"]
    for text, before in zip(texts, [None, *texts]):
        record = sender.apply(SNAPSHOT, priced(v=text)[0])
        assert record["result"]["prices"]["changed"] == 1, f"{before} to {text}"
        assert prices(desk) == {"v": Decimal(text)}


@pytest.mark.parametrize("text", TOO_LONG, ids=lambda text: f"{text[:12]}-{len(text)}")
def test_more_than_15_digits_before_the_point(sender, text):
    for sign, place in itertools.product(("", "-"), ("price_delta", "price")):
        path = PRICE if place == "price" else (*PRICE[:4], "option_groups", 0, "options", 0, place)
        made = catalog.put(catalog.full_snapshot(), path, "<n>")
        row = fault_at(sender.snapshot(catalog.with_numbers(made, n=sign + text)), *path)
        assert row["type"] in ("decimal_max_digits", "decimal_whole_digits"), row


@pytest.mark.parametrize("text", TOO_FINE, ids=lambda text: f"{text[:12]}-{len(text)}")
def test_more_than_6_digits_after_the_point(sender, text):
    for kind, path, made in (
            (SNAPSHOT, PRICE, catalog.full_snapshot()),
            (SNAPSHOT, (*PRICE[:4], "measure_value"), catalog.full_snapshot()),
            (CHANGES, ("prices", 0, "price"), catalog.changes(None, [catalog.price_row()]))):
        reply = sender.send(kind, catalog.with_numbers(catalog.put(made, path, "<n>"), n=text))
        row = fault_at(reply, *path)
        assert (row["type"], row["ctx"]) == ("decimal_max_places", {"decimal_places": 6})


def test_other_decimals_are_kept_exactly_too(sender, desk):
    texts = {"measure": "0.000001", "delta": "-123456789012345.678901", "attribute": "-0.1e-5"}
    made = catalog.full_snapshot()
    paths = {"measure": (*PRICE[:4], "measure_value"),
             "delta": (*PRICE[:4], "option_groups", 0, "options", 0, "price_delta"),
             "attribute": ("products", 0, "attributes", 1, "value")}
    for name, path in paths.items():
        made = catalog.put(made, path, f"<{name}>")
    sender.apply(SNAPSHOT, catalog.with_numbers(made, **texts))
    only = desk.variants("full")["full-1"]
    assert number(only["measure_value"]) == Decimal("0.000001")
    delta = only["option_groups"][0]["options"][0]["price_delta"]
    assert number(delta) == Decimal("-123456789012345.678901")
    values = {row["attribute_id"]: row["value"]
              for row in exact(desk.product("full"))["attributes"]}
    assert number(values["def-decimal"]) == Decimal("-0.000001")


@pytest.mark.parametrize("path", [
    (*PRICE[:4], "measure_value"), (*PRICE[:4], "option_groups", 0, "options", 0, "price_delta"),
    ("products", 0, "attributes", 1, "value"),
], ids=lambda path: path[-1])
def test_same_decimal_in_other_digits_is_no_change_of_the_product(sender, path):
    """Numbers are compared as decimals."""
    for text in ("100", "1e2", "100.0", "0.1e+3"):
        made = catalog.put(catalog.full_snapshot(), path, "<n>")
        record = sender.apply(SNAPSHOT, catalog.with_numbers(made, n=text))
        assert text == "100" or record["result"]["products"]["changed"] == 0, f"{text}: {record}"


def test_sum_in_the_erp_is_not_what_counts(sender, desk):
    """What a careless ERP makes of 0.1 + 0.2 has 17 places: that is told, not rounded."""
    raw, _ = priced(v="0.30000000000000004")
    assert fault_at(sender.snapshot(raw), *PRICE)["type"] == "decimal_max_places"
    sender.apply(SNAPSHOT, priced(a="0.1", b="0.2")[0])
    assert sum(prices(desk).values()) == Decimal("0.3")
