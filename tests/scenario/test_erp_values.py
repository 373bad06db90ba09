"""Doc B's tables: of what type a value is, which words it may be, and how large or small a number.

What is refused is told of as pydantic tells it (contract section 1, Exception 1).
"""

import pytest

from harness import catalog
from harness.faults import expect_faults, fault_at, places
from harness.packages import CHANGES, SNAPSHOT, Desk, Sender, exact

PRODUCT = ("products", 0)
VARIANT = (*PRODUCT, "variants", 0)
GROUP = (*VARIANT, "option_groups", 0)
OPTION = (*GROUP, "options", 0)


def full(path=None, value=None):
    made = catalog.full_snapshot()
    return made if path is None else catalog.put(made, path, value)


def named(value):
    return ".".join(map(str, value)) if isinstance(value, tuple) else repr(value)


# --- types


TEXT, TRUTH, LIST, RECORD, DECIMAL, INTEGER = range(6)
WRONG = {
    TEXT: ("string_type", [5, 1.5, True, [], {}]),
    TRUTH: ("bool_type", ["true", "", 1, 0, [], {}]),
    LIST: ("list_type", ["x", 5, True, {}]),
    RECORD: ("dict_type", ["x", 5, True, []]),
    DECIMAL: ("float_type", ["10", "", True, [], {}]),
    INTEGER: ("int_type", ["10", "", True, [], {}]),
}
TYPES = [
    (("categories", 0, "id"), TEXT), (("categories", 0, "name"), TEXT),
    *[(("attribute_definitions", 0, name), TEXT)
      for name in ("id", "code", "name", "unit", "canonical_code")],
    *[(("attribute_definitions", 5, "values", 0, name), TEXT) for name in ("id", "code", "name")],
    *[((*PRODUCT, name), TEXT)
      for name in ("id", "name", "description", "composition", "category_id")],
    ((*PRODUCT, "marking", "group"), TEXT), ((*PRODUCT, "attributes", 0, "attribute_id"), TEXT),
    ((*PRODUCT, "attributes", 0, "unit"), TEXT), ((*PRODUCT, "attributes", 5, "value_id"), TEXT),
    *[((*PRODUCT, "option_axes", 0, name), TEXT) for name in ("id", "code", "name")],
    *[((*VARIANT, name), TEXT) for name in ("id", "name", "sku")],
    ((*VARIANT, "barcodes", 1), TEXT), ((*PRODUCT, "allergens", 0), TEXT),
    ((*PRODUCT, "tags", 1), TEXT),
    *[((*VARIANT, "option_values", 0, name), TEXT) for name in ("axis_id", "value_id")],
    *[((*GROUP, name), TEXT) for name in ("id", "name")],
    *[((*OPTION, name), TEXT) for name in ("id", "name", "sku")],
    ((*PRODUCT, "available"), TRUTH), ((*PRODUCT, "tax", "vat_included"), TRUTH),
    ((*PRODUCT, "marking", "required"), TRUTH), ((*PRODUCT, "marking", "traceable"), TRUTH),
    ((*VARIANT, "default"), TRUTH), ((*GROUP, "required"), TRUTH), ((*OPTION, "available"), TRUTH),
    *[((name,), LIST) for name in ("attribute_definitions", "categories", "products")],
    (("attribute_definitions", 5, "values"), LIST),
    *[((*PRODUCT, name), LIST)
      for name in ("attributes", "option_axes", "variants", "allergens", "tags")],
    *[((*VARIANT, name), LIST) for name in ("barcodes", "option_values", "option_groups")],
    ((*PRODUCT, "option_axes", 0, "values"), LIST), ((*GROUP, "options"), LIST),
    *[((*place, 0), RECORD) for place in (("categories",), ("attribute_definitions",),
                                          ("products",), (*PRODUCT, "attributes"),
                                          (*PRODUCT, "option_axes"), (*PRODUCT, "variants"),
                                          (*VARIANT, "option_values"), (*GROUP, "options"))],
    ((*PRODUCT, "tax"), RECORD), ((*PRODUCT, "marking"), RECORD),
    ((*VARIANT, "price"), DECIMAL), ((*VARIANT, "measure_value"), DECIMAL),
    ((*OPTION, "price_delta"), DECIMAL),
    ((*GROUP, "min_select"), INTEGER), ((*GROUP, "max_select"), INTEGER),
]


@pytest.mark.parametrize("path, kind", TYPES, ids=named)
def test_value_of_another_type(sender, path, kind):
    wanted, values = WRONG[kind]
    for value in values:
        row = fault_at(sender.snapshot(full(path, value)), *path)
        assert (row["type"], row["input"]) == (wanted, value)


@pytest.mark.parametrize("path, kind", [
    (path, kind) for path, kind in TYPES
    if path[-1] in ("id", "price", "products", "axis_id", "attribute_id", "variants")
    or path[-2:] == ("marking", "required") or path == ("categories",) or isinstance(path[-1], int)
], ids=named)
def test_null_in_a_required_field(sender, path, kind):
    row = fault_at(sender.snapshot(full(path, None)), *path)
    assert (row["type"], row["input"]) == (WRONG[kind][0], None)


@pytest.mark.parametrize("name, kind", [
    ("product_id", TEXT), ("variant_id", TEXT), ("available_quantity", INTEGER),
])
def test_value_of_another_type_in_a_stock_row(sender, name, kind):
    wanted, values = WRONG[kind]
    for value in [*values, None]:
        package = catalog.changes([catalog.stock_row() | {name: value}])
        expect_faults(sender.changes(package), (wanted, "stocks", 0, name))


@pytest.mark.parametrize("name, kind", [
    ("product_id", TEXT), ("variant_id", TEXT), ("price", DECIMAL),
])
def test_value_of_another_type_in_a_price_row(sender, name, kind):
    wanted, values = WRONG[kind]
    for value in [*values, None]:
        package = catalog.changes(None, [catalog.price_row() | {name: value}])
        expect_faults(sender.changes(package), (wanted, "prices", 0, name))


@pytest.mark.parametrize("name", ["stocks", "prices"])
def test_lists_and_rows_of_changes(sender, name):
    for value in ("x", 5, True, {}):
        reply = sender.changes(catalog.changes() | {name: value})
        assert fault_at(reply, name)["type"] == "list_type"
    for value in ("x", 5, True, [], None):
        reply = sender.changes(catalog.changes() | {name: [value]})
        expect_faults(reply, ("dict_type", name, 0))


@pytest.mark.parametrize("quantity", [
    {"warehouse_id": "w"}, {"warehouse_id": None}, {"warehouse_id": 7},
], ids=str)
def test_warehouse_is_read_over(sender, quantity):
    sender.apply(SNAPSHOT, catalog.snapshot())
    sender.apply(CHANGES, catalog.changes([catalog.stock_row(3, **quantity)]))


@pytest.mark.parametrize("raw", [b"[]", b'"text"', b"17", b"null", b"true"], ids=repr)
def test_body_that_is_no_object(sender, raw):
    for kind in (SNAPSHOT, CHANGES):
        expect_faults(sender.send(kind, raw), ("dict_type",))


# --- words


VAT_RATES = ["none", "0", "5", "7", "10", "20", "22",
             "105/5", "107/7", "110/10", "120/20", "122/22"]
TAX_CATEGORIES = ["goods", "service", "excise", "marked_goods", "agent_goods"]
UNITS = ["piece", "gram", "kilogram", "milliliter", "liter"]
WORDS = [
    (("attribute_definitions", 0, "type"), list(catalog.ATTRIBUTE_TYPES)),
    ((*PRODUCT, "tax", "vat_rate"), VAT_RATES),
    ((*PRODUCT, "tax", "tax_category"), TAX_CATEGORIES),
    ((*VARIANT, "measure_unit"), UNITS),
]


def worded(path, word):
    made = full(path, word)
    if path[-1] == "type":  # nobody has values of it, and an enum has its own
        made["products"][0]["attributes"] = []
        made["attribute_definitions"][0]["values"] = [{"id": "own", "name": "Own"}]
    return made


@pytest.mark.parametrize("path, words", WORDS, ids=lambda value: named(value))
def test_each_word_is_taken_and_no_other(sender, path, words):
    for word in words:
        sender.apply(SNAPSHOT, worded(path, word))
    expected = f"{', '.join(repr(word) for word in words[:-1])} or {words[-1]!r}"
    for word in ("other", "", words[0].upper() + " ", words[0] + "s", True, [], {}):
        row = fault_at(sender.snapshot(worded(path, word)), *path)
        assert (row["type"], row["ctx"]) == ("enum", {"expected": expected})
        assert row["input"] == word


def test_each_rate_of_vat_may_come_as_a_number(sender, desk):
    for rate in (0, 5, 7, 10, 20, 22, 20.0):
        sender.apply(SNAPSHOT, full((*PRODUCT, "tax", "vat_rate"), rate))
        assert desk.product("full").expect(200)["tax"]["vat_rate"] == str(int(rate))
    row = fault_at(sender.snapshot(full((*PRODUCT, "tax", "vat_rate"), 20.5)),
                   *PRODUCT, "tax", "vat_rate")
    assert (row["type"], row["input"]) == ("enum", 20.5)


def test_rates_of_vat_are_a_setting(fresh_site):
    """Contract section 5 "VAT": a rate that the law brings is named; what is stored keeps its own."""
    fresh_site.serve()
    sender = Sender.of(fresh_site)
    sender.apply(SNAPSHOT, full((*PRODUCT, "tax", "vat_rate"), "120/20"))
    fresh_site.stop()
    process = fresh_site.serve({"HERALD_ERP_VAT_RATES": "none,24,124/24"})
    erp = sender.erp.at(process.address)
    sender = Sender(process.address, erp.fetch_token(), erp.integration_id)
    desk = Desk.at(fresh_site, sender, process)
    assert desk.product("full").expect(200)["tax"]["vat_rate"] == "120/20"
    row = fault_at(sender.snapshot(full((*PRODUCT, "tax", "vat_rate"), 20)),
                   *PRODUCT, "tax", "vat_rate")
    assert (row["type"], row["input"]) == ("enum", 20)
    assert row["ctx"] == {"expected": "'none', '24' or '124/24'"}
    for rate, shown in (("124/24", "124/24"), (24, "24")):
        sender.apply(SNAPSHOT, full((*PRODUCT, "tax", "vat_rate"), rate))
        assert desk.product("full").expect(200)["tax"]["vat_rate"] == shown


# --- times


@pytest.mark.parametrize("text", [
    "2026-11-21T04:33:00Z", "2026-11-21T04:33:00.1Z", "2026-11-21T04:33:00.123456Z",
    "2026-11-21T07:33:00+03:00", "2026-11-20T23:33:00.000-05:00", "2024-02-29T00:00:00Z",
    "2026-11-21T04:33:00+00:00",
])
def test_time_with_a_zone(sender, text):
    sender.snapshot(catalog.snapshot(generated_at=text)).expect(202)
    sender.changes(catalog.changes(generated_at=text)).expect(202)


@pytest.mark.parametrize("text", [
    "2026-11-21T04:33:00", "2026-11-21T04:33:00.123",
])
def test_time_without_a_zone(sender, text):
    for kind, build in ((SNAPSHOT, catalog.snapshot), (CHANGES, catalog.changes)):
        reply = sender.send(kind, build(generated_at=text))
        expect_faults(reply, ("timezone_aware", "generated_at"))
        assert fault_at(reply, "generated_at")["input"] == text


@pytest.mark.parametrize("text", [
    "", "yesterday", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-11-21T25:00:00Z",
    "2026-11-21T04:60:00Z", "2026-11-21T04:33:00+25:00", "2026-11-21T04:33:00Zx",
    "21.11.2026 04:33:00", "2026-11-21T04:33:00Z" * 100,
])
def test_text_that_is_no_time(sender, text):
    for kind, build in ((SNAPSHOT, catalog.snapshot), (CHANGES, catalog.changes)):
        reply = sender.send(kind, build(generated_at=text))
        expect_faults(reply, ("datetime_parsing", "generated_at"))
        assert fault_at(reply, "generated_at")["input"] == text[:200]


@pytest.mark.parametrize("value", [None, True, [], {}], ids=repr)
def test_time_that_is_no_text(sender, value):
    (kind, place), = places(sender.changes(catalog.changes(generated_at=value)))
    assert kind in ("datetime_type", "datetime_parsing") and place == ("generated_at",)


# --- numbers


LIMITS = [
    ((*VARIANT, "price"), "-0.000001", "greater_than_equal", {"ge": 0}),
    ((*VARIANT, "price"), "-1", "greater_than_equal", {"ge": 0}),
    ((*VARIANT, "measure_value"), "0", "greater_than", {"gt": 0}),
    ((*VARIANT, "measure_value"), "-0", "greater_than", {"gt": 0}),
    ((*VARIANT, "measure_value"), "0.000000", "greater_than", {"gt": 0}),
    ((*VARIANT, "measure_value"), "-0.5", "greater_than", {"gt": 0}),
    ((*GROUP, "min_select"), "-1", "greater_than_equal", {"ge": 0}),
]


@pytest.mark.parametrize("path, text, kind, ctx", LIMITS, ids=named)
def test_number_that_is_too_small(sender, path, text, kind, ctx):
    reply = sender.snapshot(catalog.with_numbers(full(path, "<n>"), n=text))
    row = fault_at(reply, *path)
    assert (row["type"], row["ctx"]) == (kind, ctx)


@pytest.mark.parametrize("path, text", [
    ((*VARIANT, "price"), "0"), ((*VARIANT, "price"), "0.000001"), ((*VARIANT, "price"), "-0"),
    ((*VARIANT, "measure_value"), "0.000001"), ((*OPTION, "price_delta"), "-5"),
    ((*OPTION, "price_delta"), "-999999999999999.999999"), ((*GROUP, "min_select"), "0"),
    ((*GROUP, "min_select"), "2"), ((*GROUP, "max_select"), "2.0"), ((*GROUP, "max_select"), "2e0"),
], ids=named)
def test_number_at_its_limit(sender, path, text):
    sender.apply(SNAPSHOT, catalog.with_numbers(full(path, "<n>"), n=text))


def test_price_of_changes_is_not_negative(sender):
    package = catalog.changes(None, [catalog.price_row("<n>")])
    reply = sender.changes(catalog.with_numbers(package, n="-0.01"))
    row = fault_at(reply, "prices", 0, "price")
    assert (row["type"], row["ctx"]) == ("greater_than_equal", {"ge": 0})


def test_least_choice_is_not_above_the_most(sender):
    made = full((*GROUP, "min_select"), 3)
    assert {place[:6] for _, place in places(sender.snapshot(made))} == {GROUP}
    made = catalog.drop(made, (*GROUP, "max_select"))  # the number of options, which is 2
    assert {place[:6] for _, place in places(sender.snapshot(made))} == {GROUP}
    made = catalog.put(full((*GROUP, "min_select"), 3), (*GROUP, "max_select"), 3)
    sender.apply(SNAPSHOT, made)


@pytest.mark.parametrize("text, kind", [
    ("1.5", "int_from_float"), ("0.1", "int_from_float"), ("-2.000001", "int_from_float"),
    ("15e-1", "int_from_float"), ("1e-400", "int_from_float"),
])
def test_whole_number_with_a_fraction(sender, text, kind):
    package = catalog.changes([catalog.stock_row("<n>")])
    reply = sender.changes(catalog.with_numbers(package, n=text))
    expect_faults(reply, (kind, "stocks", 0, "available_quantity"))


@pytest.mark.parametrize("text, quantity", [
    ("0", 0), ("-0", 0), ("5", 5), ("-5", -5), ("5.0", 5), ("1e2", 100), ("1.5E+1", 15),
    ("2000000000", 2_000_000_000), ("-2147483649", -2_147_483_649), ("50e-1", 5),
])
def test_whole_number(sender, desk, text, quantity):
    sender.apply(SNAPSHOT, catalog.snapshot())
    package = catalog.changes([catalog.stock_row("<n>")])
    sender.apply(CHANGES, catalog.with_numbers(package, n=text))
    found = exact(desk.product("p-1"))["variants"][0]
    assert max(found["stock"], 0) == max(quantity, 0)  # a negative one is zero availability
    assert found["available"] is (quantity > 0)


@pytest.mark.parametrize("text", ["1" + "0" * 18, "9" * 19, "9" * 400, "1e999999999", "-1e19"],
                         ids=lambda text: text[:20])
def test_huge_whole_number_is_kept_or_refused(sender, desk, text):
    sender.apply(SNAPSHOT, catalog.snapshot())
    package = catalog.changes([catalog.stock_row("<n>")])
    reply = sender.changes(catalog.with_numbers(package, n=text))
    if reply.status == 202:
        sender.wait_for(package["event_id"])
        assert exact(desk.product("p-1"))["variants"][0]["stock"] == int(text)
    else:
        assert reply.status == 422 and "detail" in reply.json, f"{reply}"
