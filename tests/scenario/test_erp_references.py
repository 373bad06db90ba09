"""Contract section 5 "References": what a snapshot refers to is in it, in whatever order it stands.

Also attribute values, each of the type that its definition declares.
"""

import itertools
from decimal import Decimal

import pytest

from harness import catalog
from harness.faults import expect_faults, fault_at, places
from harness.packages import SNAPSHOT, exact

PRODUCT = ("products", 0)
ATTRIBUTE = (*PRODUCT, "attributes", 0)
VARIANT = (*PRODUCT, "variants", 0)


LISTS = ("attribute_definitions", "categories", "products", "event_id", "generated_at")


def ordered(package, names):
    return {name: package[name] for name in names}


# --- the order of the body


@pytest.mark.parametrize("names", [
    *itertools.permutations(LISTS[:3]), ("products", "event_id", "categories"),
], ids="-".join)
def test_lists_may_come_in_any_order(sender, names):
    rest = tuple(name for name in LISTS if name not in names)
    for order in (names + rest, rest + names):
        sender.apply(SNAPSHOT, ordered(catalog.full_snapshot(), order))
        made = catalog.put(catalog.full_snapshot(), (*PRODUCT, "category_id"), "unknown")
        made = catalog.put(made, (*PRODUCT, "attributes", 5, "value_id"), "unknown")
        made["products"][1]["attributes"] = [{"attribute_id": "unknown", "value": 1}]
        expect_faults(
            sender.snapshot(ordered(made, order)),
            ("reference_not_found", *PRODUCT, "category_id"),
            ("reference_not_found", *PRODUCT, "attributes", 5, "value_id"),
            ("reference_not_found", "products", 1, "attributes", 0, "attribute_id"),
        )


def test_type_of_a_value_is_checked_when_its_definition_comes_last(sender):
    made = catalog.put(catalog.full_snapshot(), (*PRODUCT, "attributes", 1, "value"), "3.2")
    made = catalog.put(made, (*PRODUCT, "attributes", 2, "value"), 1.5)
    order = ("products", "event_id", "generated_at", "categories", "attribute_definitions")
    expect_faults(sender.snapshot(ordered(made, order)),
                  ("float_type", *PRODUCT, "attributes", 1, "value"),
                  ("int_from_float", *PRODUCT, "attributes", 2, "value"))


def test_keys_of_a_product_may_come_in_any_order(sender, desk):
    def turn(node):
        if isinstance(node, dict):
            return {name: turn(node[name]) for name in reversed(node)}
        return [turn(row) for row in node] if isinstance(node, list) else node

    sender.apply(SNAPSHOT, catalog.full_snapshot())
    record = exact(desk.product("full"))
    package = catalog.full_snapshot()
    result = sender.apply(SNAPSHOT, turn(package))["result"]
    assert catalog.without(exact(desk.product("full")), "updated_at") \
        == catalog.without(record, "updated_at")
    assert result["products"]["archived"] == result["products"]["added"] == 0
    made = turn(catalog.put(catalog.full_snapshot(), (*VARIANT, "option_values", 0, "value_id"), "?"))
    expect_faults(sender.snapshot(made),
                  ("reference_not_found", *VARIANT, "option_values", 0, "value_id"))


# --- what is not there


UNKNOWN = [
    (*PRODUCT, "category_id"), (*ATTRIBUTE, "attribute_id"),
    (*PRODUCT, "attributes", 5, "value_id"), (*VARIANT, "option_values", 1, "value_id"),
]


@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: ".".join(map(str, path)))
@pytest.mark.parametrize("text", ["unknown", "CAT-1", "cat-1 ", "дрўгой", "enum-11", "axis-a-2"])
def test_unknown_reference(sender, path, text):
    if path[-1] == "value_id" and path[2] == "variants" and text == "axis-a-2":
        text = "axis-a-1"  # a value of the other axis
    reply = sender.snapshot(catalog.put(catalog.full_snapshot(), path, text))
    row = fault_at(reply, *path)
    assert (row["type"], row["input"]) == ("reference_not_found", text)
    assert len(reply.json["detail"]) == 1, f"{reply}"


def test_reference_is_to_the_same_snapshot(sender):
    """What an earlier one had does not count."""
    sender.apply(SNAPSHOT, catalog.full_snapshot())
    only = catalog.product("full", category_id="cat-1")
    expect_faults(sender.snapshot(catalog.snapshot([only])),
                  ("reference_not_found", *PRODUCT, "category_id"))


def test_category_of_a_product_may_be_missing_when_there_are_none(sender):
    sender.apply(SNAPSHOT, catalog.snapshot([catalog.product(category_id=None)]))
    sender.apply(SNAPSHOT, catalog.snapshot([]))


# --- option values


AXES = [catalog.axis("size", "s", "m"), catalog.axis("color", "red", "blue")]


def choosing(*pairs):
    """A snapshot of a product with two axes and a variant that chooses these (axis, value)."""
    chosen = [{"axis_id": axis_id, "value_id": value_id} for axis_id, value_id in pairs]
    only = [catalog.variant(option_values=chosen)]
    return catalog.snapshot([catalog.product(variants=only, option_axes=AXES)])


def test_each_axis_is_named_once(sender):
    sender.apply(SNAPSHOT, choosing(("size", "m"), ("color", "red")))
    sender.apply(SNAPSHOT, choosing(("color", "blue"), ("size", "s")))


@pytest.mark.parametrize("pairs, place", [
    ([], (*VARIANT,)),
    ([("size", "m")], (*VARIANT,)),
    ([("size", "m"), ("size", "s")], (*VARIANT, "option_values")),
    ([("size", "m"), ("color", "red"), ("color", "red")], (*VARIANT, "option_values", 2)),
    ([("size", "m"), ("color", "red"), ("weight", "x")], (*VARIANT, "option_values", 2, "axis_id")),
    ([("size", "red"), ("color", "red")], (*VARIANT, "option_values", 0, "value_id")),
    ([("size", "m"), ("color", "green")], (*VARIANT, "option_values", 1, "value_id")),
], ids=str)
def test_choice_that_is_not_one_of_each_axis(sender, pairs, place):
    found = places(sender.snapshot(choosing(*pairs)))
    assert all(row[1][:len(place)] == place for row in found), found


def test_option_values_left_out_where_there_are_axes(sender):
    made = catalog.snapshot([catalog.product(option_axes=AXES)])
    assert all(row[1][:4] == VARIANT for row in places(sender.snapshot(made)))


def test_option_values_where_there_are_no_axes(sender):
    chosen = [{"axis_id": "size", "value_id": "m"}]
    made = catalog.snapshot([catalog.product(variants=[catalog.variant(option_values=chosen)])])
    expect_faults(sender.snapshot(made),
                  ("reference_not_found", *VARIANT, "option_values", 0, "axis_id"))


def test_axes_of_another_product_do_not_count(sender):
    chosen = [{"axis_id": "size", "value_id": "m"}]
    sized = catalog.product("p-1", [catalog.variant(option_values=chosen)], option_axes=AXES[:1])
    plain = catalog.product("p-2", [catalog.variant(option_values=chosen)])
    expect_faults(sender.snapshot(catalog.snapshot([sized, plain])),
                  ("reference_not_found", "products", 1, "variants", 0, "option_values", 0,
                   "axis_id"))


# --- ids that stand twice


def twice(path):
    """The full snapshot with the first row of the list at that path once more at its end."""
    made = catalog.full_snapshot()
    rows = catalog.read_at(made, path)
    return catalog.put(made, path, [*rows, rows[0]]), len(rows)


@pytest.mark.parametrize("path", [
    ("categories",), ("products",), ("attribute_definitions",), (*PRODUCT, "option_axes"),
    (*PRODUCT, "variants"),
], ids=lambda path: ".".join(map(str, path)))
def test_id_that_stands_twice(sender, path):
    made, index = twice(path)
    row = fault_at(sender.snapshot(made), *path, index, "id")
    assert row["type"] == "duplicate_id"
    assert row["input"] == catalog.read_at(made, (*path, 0, "id"))
    assert len(places(sender.snapshot(made))) == 1


def test_each_id_but_the_first_is_told(sender):
    package = catalog.snapshot([catalog.product("p"), catalog.product("q"), catalog.product("p"),
                                catalog.product("p")])
    expect_faults(sender.snapshot(package), ("duplicate_id", "products", 2, "id"),
                  ("duplicate_id", "products", 3, "id"))


def test_id_may_stand_twice_in_different_places(sender):
    """Variants of two products, a category and a product, axes of two products."""
    chosen = [{"axis_id": "x", "value_id": "x"}]
    rows = [catalog.product(name, [catalog.variant("x", option_values=chosen)], category_id="x",
                            option_axes=[catalog.axis("x", "x")]) for name in ("x", "y")]
    made = catalog.snapshot(rows, [catalog.category("x")],
                            attribute_definitions=[catalog.definition("x")])
    sender.apply(SNAPSHOT, made)


def test_ids_are_compared_as_they_are(sender):
    """Upper and lower case, composed and decomposed, with a blank: each is an id of its own."""
    ids = ["a", "A", "a ", " a", "й", "и\u0306", "й\u200b", "1", "01", "1.0"]
    sender.apply(SNAPSHOT, catalog.snapshot([catalog.product(text) for text in ids]))


def test_escaped_id_is_the_same_id(sender):
    package = catalog.snapshot([catalog.product("молоко"), catalog.product("twin")])
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in "молоко").encode()
    raw = catalog.encode(package).replace(b'"id":"twin"', b'"id":"' + escaped + b'"')
    expect_faults(sender.snapshot(raw), ("duplicate_id", "products", 1, "id"))


def test_barcode_that_stands_twice(sender):
    made = catalog.full_snapshot()
    codes = catalog.read_at(made, (*VARIANT, "barcodes"))
    found = places(sender.snapshot(catalog.put(made, (*VARIANT, "barcodes"), [*codes, codes[0]])))
    assert len(found) == 1 and found[0][1] == (*VARIANT, "barcodes", len(codes)), found
    sender.apply(SNAPSHOT, catalog.put(made, (*VARIANT, "barcodes"),
                                       made["products"][0]["variants"][1]["barcodes"]))


# --- attribute values


VALUES = {
    "string": (["", "text", "Ж" * 1000, "5"], ["string_type"], [5, 1.5, True, [], {}]),
    "decimal": ([0, 3.2, -5, 1e2, 999999999999999], ["float_type"], ["3.2", "", True, [], {}]),
    "integer": ([0, -7, 12, 2147483648], ["int_type", "int_from_float"],
                ["12", 1.5, True, [], {}]),
    "boolean": ([True, False], ["bool_type"], ["true", 1, 0, "", [], {}]),
    "date": (["2026-02-28", "2024-02-29", "0001-01-01", "9999-12-31"],
             ["date_type", "date_parsing"],
             ["2026-02-29", "2026-13-01", "28.02.2026", "2026-2-8", "", "2026-02-28x", 20260228,
              True, [], {}]),
}


def with_value(kind, **fields):
    row = {"attribute_id": "a-1"} | fields
    return catalog.snapshot([catalog.product(attributes=[row])],
                            attribute_definitions=[catalog.definition("a-1", kind)])


@pytest.mark.parametrize("kind", VALUES)
def test_value_of_the_declared_type(sender, desk, kind):
    for value in VALUES[kind][0]:
        sender.apply(SNAPSHOT, with_value(kind, value=value))
        found = exact(desk.product("p-1"))["attributes"][0]["value"]
        wanted = Decimal(str(value)) if kind == "decimal" else value
        assert found == wanted and isinstance(found, bool) is isinstance(value, bool), found


@pytest.mark.parametrize("kind", VALUES)
def test_value_of_another_type(sender, kind):
    _, kinds, values = VALUES[kind]
    for value in values:
        row = fault_at(sender.snapshot(with_value(kind, value=value)), *ATTRIBUTE, "value")
        assert row["input"] == value, row
        if not isinstance(value, (list, dict)):  # those are no scalar of any type
            assert row["type"] in kinds, row


def test_decimal_value_has_the_digits_of_a_price(sender):
    for text, status in (("999999999999999.999999", 202), ("1000000000000000", 422),
                         ("0.0000001", 422), ("-999999999999999.999999", 202)):
        raw = catalog.with_numbers(with_value("decimal", value="<n>"), n=text)
        assert sender.snapshot(raw).status == status, text


@pytest.mark.parametrize("fields", [{}, {"value": None}, {"unit": "g"}, {"value_id": None}], ids=str)
def test_attribute_needs_a_value(sender, fields):
    for kind in (*VALUES, "enum"):
        (found, place), = places(sender.snapshot(with_value(kind, **fields)))
        assert found == "missing" and place[:-1] == ATTRIBUTE, place
        assert place[-1] in ("value", "value_id")


def test_value_of_an_enum_is_one_of_its_ids(sender, desk):
    sender.apply(SNAPSHOT, with_value("enum", value_id="blue"))
    found = exact(desk.product("p-1"))["attributes"][0]
    assert (found["value_id"], found["value_name"]) == ("blue", "Blue")
    for text in ("green", "Blue", ""):
        reply = sender.snapshot(with_value("enum", value_id=text))
        assert [place for _, place in places(reply)] == [(*ATTRIBUTE, "value_id")], f"{reply}"


def test_enum_has_no_free_value_and_the_others_have_no_id(sender):
    for kind, fields in (("enum", {"value": "blue"}), ("string", {"value_id": "blue"})):
        found = places(sender.snapshot(with_value(kind, **fields)))
        assert all(place[:4] == ATTRIBUTE for _, place in found), found


def test_values_of_another_definition_do_not_count(sender):
    definitions = [catalog.definition("a-1", "enum"), catalog.definition(
        "a-2", "enum", values=[{"id": "other", "name": "Other"}])]
    row = {"attribute_id": "a-1", "value_id": "other"}
    made = catalog.snapshot([catalog.product(attributes=[row])],
                            attribute_definitions=definitions)
    expect_faults(sender.snapshot(made), ("reference_not_found", *ATTRIBUTE, "value_id"))
