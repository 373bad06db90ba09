"""Doc B's tables and contract section 5 "Required": every constraint at its limit and one beyond.

A row names a place in the snapshot that has every field. What is within the limits is accepted and
applied; what is not is told of as pydantic tells it (contract section 1, Exception 1).
"""

import pytest

from harness import catalog
from harness.faults import expect_faults, fault_at, places
from harness.packages import CHANGES, SNAPSHOT, exact, expect_acceptance

DEFINITION = ("attribute_definitions", 0)
ENUM_VALUE = ("attribute_definitions", 5, "values", 1)
PRODUCT = ("products", 0)
AXIS = (*PRODUCT, "option_axes", 0)
AXIS_VALUE = (*AXIS, "values", 0)
VARIANT = (*PRODUCT, "variants", 0)
GROUP = (*VARIANT, "option_groups", 0)
OPTION = (*GROUP, "options", 0)
LETTERS = {"latin": "x", "cyrillic": "ж", "emoji": "😀"}


def full(path=None, value=None):
    made = catalog.full_snapshot()
    return made if path is None else catalog.put(made, path, value)


def named(path):
    return ".".join(map(str, path))


def rows(table):
    return [pytest.param(path, *rest, id=named(path)) for path, *rest in table]


# --- texts


IDS = [("categories", 0), DEFINITION, ENUM_VALUE, PRODUCT, AXIS, AXIS_VALUE, VARIANT, GROUP, OPTION]
TEXTS = [((*place, "id"), 128) for place in IDS] + [
    (("categories", 0, "name"), 255),
    ((*DEFINITION, "name"), 255),
    ((*DEFINITION, "code"), 128),
    ((*DEFINITION, "unit"), 32),
    ((*DEFINITION, "canonical_code"), 64),
    ((*PRODUCT, "name"), 255),
    ((*PRODUCT, "marking", "group"), 64),
]


@pytest.mark.parametrize("letter", LETTERS.values(), ids=LETTERS)
@pytest.mark.parametrize("path, most", rows(TEXTS))
def test_longest_text_and_one_character_more(sender, path, most, letter):
    """Characters count, not bytes; a text that others refer to is renamed there too."""
    sender.apply(SNAPSHOT, catalog.rename(full(), path, letter * most))
    too_long = letter * (most + 1)
    reply = sender.snapshot(catalog.rename(full(), path, too_long))
    row = fault_at(reply, *path)
    assert (row["type"], row["ctx"]) == ("string_too_long", {"max_length": most})
    assert row["input"] == too_long[:200]
    assert {kind for kind, _ in places(reply)} == {"string_too_long"}


@pytest.mark.parametrize("path", [("categories", 0, "id"), ("categories", 0, "name")], ids=named)
def test_shortest_text_and_none(sender, path):
    sender.apply(SNAPSHOT, catalog.rename(full(), path, "ж"))
    reply = sender.snapshot(full(path, ""))
    row = fault_at(reply, *path)
    assert (row["type"], row["ctx"]) == ("string_too_short", {"min_length": 1})
    assert row["input"] == ""


@pytest.mark.parametrize("letter", LETTERS.values(), ids=LETTERS)
def test_longest_event_id(sender, letter):
    for kind, build in ((SNAPSHOT, catalog.snapshot), (CHANGES, catalog.changes)):
        event_id = (kind + letter * 128)[:128]
        reply = sender.send(kind, build(event_id=event_id), key=event_id.encode())
        expect_acceptance(reply, event_id, "accepted")
        assert sender.status(event_id)["event_id"] == event_id
        reply = sender.send(kind, build(event_id=event_id + letter), key=(event_id + letter).encode())
        row = fault_at(reply, "event_id")
        assert (row["type"], row["ctx"]) == ("string_too_long", {"max_length": 128})


@pytest.mark.parametrize("path", [
    (*PRODUCT, "description"), (*PRODUCT, "composition"), (*VARIANT, "name"), (*VARIANT, "sku"),
    (*VARIANT, "barcodes", 0), (*PRODUCT, "allergens", 0), (*PRODUCT, "tags", 0), (*AXIS, "name"),
    (*GROUP, "name"), (*OPTION, "name"), (*PRODUCT, "attributes", 0, "value"),
], ids=named)
def test_text_without_a_limit(sender, desk, path):
    text = "Ж" * 10_000 + "\n\t\"\\\u2028😀"
    sender.apply(SNAPSHOT, full(path, text))
    record = desk.product("full").expect(200)
    assert catalog.read_at(record, path[2:]) == text


# --- lists


def many_definitions(count):
    return full(("attribute_definitions",), full()["attribute_definitions"] + [
        catalog.definition(f"more-{index}") for index in range(count - 6)])


def many_attributes(count):
    made = full(("attribute_definitions",), full()["attribute_definitions"] + [
        catalog.definition(f"more-{index}") for index in range(count)])
    return catalog.put(made, (*PRODUCT, "attributes"), [
        {"attribute_id": f"more-{index}", "value": "x"} for index in range(count)])


def many_axes(count):
    axes = [catalog.axis(f"axis-{index}", "one") for index in range(count)]
    chosen = [{"axis_id": row["id"], "value_id": "one"} for row in axes]
    only = [catalog.variant("v", option_values=chosen)]
    return full(PRODUCT, catalog.product("full", only, option_axes=axes))


def many_barcodes(count):
    return full((*VARIANT, "barcodes"), [f"460{index:010d}" for index in range(count)])


def many_stocks(count):
    return catalog.changes([catalog.stock_row(index, "full", "full-1") for index in range(count)])


def many_prices(count):
    return catalog.changes(None, [catalog.price_row(1, "full", "full-1") for _ in range(count)])


LISTS = [
    (("attribute_definitions",), 5000, many_definitions),
    ((*PRODUCT, "attributes"), 500, many_attributes),
    ((*PRODUCT, "option_axes"), 20, many_axes),
    ((*VARIANT, "barcodes"), 100, many_barcodes),
    (("stocks",), 5000, many_stocks),
    (("prices",), 5000, many_prices),
]


@pytest.mark.parametrize("path, most, build", rows(LISTS))
def test_longest_list_and_one_more(sender, path, most, build):
    kind = CHANGES if path[0] in ("stocks", "prices") else SNAPSHOT
    sender.apply(SNAPSHOT, full())
    sender.apply(kind, build(most))
    for count in (most + 1, most + 20):
        reply = sender.send(kind, build(count))
        expect_faults(reply, ("too_long", *path))
        ctx = {"field_type": "List", "max_length": most, "actual_length": count}
        assert fault_at(reply, *path)["ctx"] == ctx


@pytest.mark.parametrize("path", [
    (*PRODUCT, "variants"), (*AXIS, "values"), (*GROUP, "options"),
    ("attribute_definitions", 5, "values"),
], ids=named)
def test_list_that_needs_a_row(sender, path):
    reply = sender.snapshot(full(path, []))
    row = fault_at(reply, *path)
    assert row["type"] == "too_short" and row["input"] == []
    assert row["ctx"] == {"field_type": "List", "min_length": 1, "actual_length": 0}


@pytest.mark.parametrize("lists", [
    {}, {"stocks": []}, {"prices": []}, {"stocks": [], "prices": []}, {"stocks": None},
], ids=str)
def test_changes_need_a_row(sender, lists):
    package = catalog.without(catalog.changes(), "stocks") | lists
    kinds = places(sender.changes(package))
    assert len(kinds) == 1 and kinds[0][0] == "too_short", kinds


@pytest.mark.parametrize("path", [
    ("attribute_definitions",), ("categories",), ("products",), (*PRODUCT, "attributes"),
    (*PRODUCT, "option_axes"), (*VARIANT, "barcodes"), (*VARIANT, "option_groups"),
    (*PRODUCT, "allergens"), (*PRODUCT, "tags"), ("attribute_definitions", 0, "values"),
], ids=named)
def test_list_that_may_be_empty(sender, path):
    """Doc B wants fields that are empty to be sent as such."""
    made = full(path, [])
    if path == ("categories",):
        made["products"][0]["category_id"] = None
    if path == ("attribute_definitions",):
        made["products"][0]["attributes"] = []
    if path[-1] == "option_axes":
        for row in made["products"][0]["variants"]:
            row["option_values"] = []
    sender.apply(SNAPSHOT, made)


# --- what is required


REQUIRED = [
    "generated_at", "categories", "products",
    *[(*place, "id") for place in IDS],
    *[(*place, "name") for place in (("categories", 0), DEFINITION, ENUM_VALUE, PRODUCT, AXIS,
                                     AXIS_VALUE, GROUP, OPTION)],
    (*DEFINITION, "type"), ("attribute_definitions", 5, "values"),
    (*PRODUCT, "attributes", 0, "attribute_id"), (*PRODUCT, "attributes", 0, "value"),
    (*PRODUCT, "variants"), (*PRODUCT, "tax", "vat_rate"), (*PRODUCT, "marking", "required"),
    (*AXIS, "values"), (*VARIANT, "price"), (*VARIANT, "option_values", 0, "axis_id"),
    (*VARIANT, "option_values", 0, "value_id"), (*GROUP, "options"),
]


@pytest.mark.parametrize("path", [
    (path,) if isinstance(path, str) else path for path in REQUIRED
], ids=named)
def test_required_field(sender, path):
    made = catalog.drop(full(), path)
    row = fault_at(sender.snapshot(made), *path)
    assert row["type"] == "missing"
    parent = catalog.read_at(made, path[:-1])
    text = catalog.encode(parent).decode()
    assert row["input"] == (parent if len(text) <= 200 else text[:200])


@pytest.mark.parametrize("name", ["product_id", "variant_id", "available_quantity"])
def test_required_field_of_a_stock_row(sender, name):
    row = catalog.without(catalog.stock_row(), name)
    reply = sender.changes(catalog.changes([catalog.stock_row(), row]))
    expect_faults(reply, ("missing", "stocks", 1, name))
    assert fault_at(reply, "stocks", 1, name)["input"] == row


@pytest.mark.parametrize("name", ["product_id", "variant_id", "price"])
def test_required_field_of_a_price_row(sender, name):
    row = catalog.without(catalog.price_row(), name)
    reply = sender.changes(catalog.changes(None, [catalog.price_row(), row]))
    expect_faults(reply, ("missing", "prices", 1, name))
    assert fault_at(reply, "prices", 1, name)["input"] == row


def test_event_id_and_time_are_required_of_changes_too(sender):
    reply = sender.changes(catalog.without(catalog.changes(), "generated_at"))
    expect_faults(reply, ("missing", "generated_at"))


OPTIONAL = [
    (("code",), DEFINITION), (("unit",), DEFINITION), (("canonical_code",), DEFINITION),
    (("code",), ENUM_VALUE), (("code",), AXIS), (("code",), AXIS_VALUE),
    *[((name,), PRODUCT) for name in ("description", "composition", "category_id", "available",
                                      "tax", "marking", "attributes", "allergens", "tags")],
    (("unit",), (*PRODUCT, "attributes", 0)),
    *[((name,), (*PRODUCT, "tax")) for name in ("vat_included", "tax_category")],
    *[((name,), (*PRODUCT, "marking")) for name in ("group", "traceable")],
    *[((name,), VARIANT) for name in ("name", "sku", "barcodes", "default", "measure_unit",
                                      "measure_value", "option_groups")],
    *[((name,), GROUP) for name in ("required", "min_select", "max_select")],
    *[((name,), OPTION) for name in ("price_delta", "available", "sku")],
]


@pytest.mark.parametrize("path", [(*place, *name) for name, place in OPTIONAL], ids=named)
def test_optional_field_may_be_left_out_or_null(sender, desk, path):
    sender.apply(SNAPSHOT, catalog.drop(full(), path))
    record = catalog.without(exact(desk.product("full")), "updated_at")
    sender.apply(SNAPSHOT, full())
    sender.apply(SNAPSHOT, full(path, None))
    assert catalog.without(exact(desk.product("full")), "updated_at") == record


def test_defaults(sender, desk):
    """Contract section 5, "Required": what is left out."""
    group = {"id": "g", "name": "G", "options": [{"id": "o1", "name": "O"}, {"id": "o2", "name": "P"}]}
    only = [catalog.variant("v", 5, option_groups=[group])]
    made = catalog.product("bare", only, tax={"vat_rate": "none"}, marking={"required": False})
    sender.apply(SNAPSHOT, catalog.snapshot([made]))
    record = exact(desk.product("bare"))
    assert record["available"] is True
    assert record["tax"] == {"vat_rate": "none", "vat_included": True, "tax_category": "goods"}
    for name in ("attributes", "option_axes", "allergens", "tags"):
        assert record[name] == [], name
    found = record["variants"][0]
    assert (found["name"], found["default"]) == ("", False)
    assert (found["measure_unit"], found["measure_value"]) == ("piece", 1)
    assert found["barcodes"] == found["option_values"] == []
    options = found["option_groups"][0]
    assert (options["required"], options["min_select"], options["max_select"]) == (False, 0, 2)
    assert [(row["price_delta"], row["available"]) for row in options["options"]] == [(0, True)] * 2
