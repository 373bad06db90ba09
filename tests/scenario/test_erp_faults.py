"""Contract section 1, Exception 1: what an ERP is told of a body that is refused.

All faults at once with their places, a hundred at most, each with the value at fault; and what is
no JSON at all (contract section 1), by the byte where it stops being some.
"""

import json

import pytest

from harness import catalog
from harness.faults import ROWS_MAX, expect_faults, fault_at, places
from harness.packages import CHANGES, SNAPSHOT, expect_acceptance


KINDS = {SNAPSHOT: catalog.snapshot, CHANGES: catalog.changes}
NAMES = ["products", 0, "name"]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def with_member(kind, member):
    """A good package with another member, given as the bytes of its JSON."""
    package = KINDS[kind]()
    return package["event_id"], catalog.encode(package)[:-1] + b"," + member + b"}"


def expect_json_fault(reply, offset=None):
    row, = reply.expect(422)["detail"]
    assert row["type"] == "json_invalid", row
    if offset is not None:
        assert row["loc"] == ["body", offset], row


# --- no JSON


@pytest.mark.parametrize("raw", [
    b"", b" ", b"{", b"}", b'{"event_id"', b'{"a":}', b'{"a":1,}', b"{'a':1}", b"{a:1}", b"nul",
    b"tru", b"// x\n{}", b'{"a":01}', b'{"a":+1}', b'{"a":.5}', b'{"a":1.}', b'{"a":1e}',
    b'{"a":0x10}', b'{"a":-}', b'{"a":"\n"}', b'{"a":"\t"}', b'{"a":"\\x"}', b'{"a":"\\u12g4"}',
    b'{"a":"open}', b"\x00{}", b"\xef\xbb\xbf{", b'{"a":1 "b":2}', b'{"a":[1,]}', b'{"a":[1 2]}',
    b'{"a":NaN}', b'{"a":Infinity}', b'{"a":-Infinity}', b'{"a":nan}', b"\xff\xfe{\x00}\x00",
    b"<xml/>", b"event_id=x",
], ids=repr)
def test_malformed_json(sender, kind, raw):
    reply = sender.send(kind, raw, key="x")
    expect_json_fault(reply)
    assert 0 <= reply.json["detail"][0]["loc"][1] <= len(raw)


@pytest.mark.parametrize("member", [
    b'"a":NaN', b'"a":[Infinity]', b'"a":-Infinity', b'"a":01', b'"a":1.', b'"a":"\x1f"',
    b'"a":"\\u0000"', b'"a":"x\\u0000y"', b'"\\u0000":1', b'"deep":[{"a":"\\u0000"}]',
    b'"a":"\xff"', b'"a":"\xc0\xaf"', b'"a":"\xed\xa0\x80"', b'"a":"\xf4\x90\x80\x80"',
    b'"a":"\xe2\x82"', b'"\xff":1', b'"a":"\xf0\x9f\x98"',
], ids=repr)
def test_malformed_json_in_a_property_that_is_not_known(sender, kind, member):
    event_id, raw = with_member(kind, member)
    expect_json_fault(sender.send(kind, raw))
    sender.event(event_id).expect(404)


@pytest.mark.parametrize("member", [b'"a":"\\ud800"', b'"a":"\\udc00\\ud800"'], ids=repr)
def test_half_of_a_surrogate_pair_is_no_character(sender, kind, member):
    """It has no UTF-8: it may be refused, and may be read over where nobody keeps it."""
    _, raw = with_member(kind, member)
    assert sender.send(kind, raw).status in (202, 422)


@pytest.mark.parametrize("path", [(*NAMES[:2], "id"), tuple(NAMES), ("products", 0, "tags", 0)],
                         ids=str)
@pytest.mark.parametrize("text", [b"\\u0000", b"\\ud83d", b"\xff"], ids=repr)
def test_what_is_no_text_is_never_stored(sender, path, text):
    raw = catalog.encode(catalog.put(catalog.full_snapshot(), path, "HERE"))
    reply = sender.snapshot(raw.replace(b"HERE", b"a" + text + b"b"))
    assert reply.expect(422)["detail"], f"{reply}"


@pytest.mark.parametrize("end", [b"x", b"{}", b"}", b",", b"\x00", b" null", b"\n\n]"], ids=repr)
def test_trailing_bytes(sender, kind, end):
    package = KINDS[kind]()
    raw = catalog.encode(package)
    first = len(raw) + len(end) - len(end.lstrip())
    expect_json_fault(sender.send(kind, raw + end), first)
    sender.event(package["event_id"]).expect(404)


def test_white_space_around_the_value(sender, kind):
    package = KINDS[kind]()
    raw = b" \t\r\n" + catalog.encode(package) + b" \t\r\n"
    expect_acceptance(sender.send(kind, raw), package["event_id"], "accepted")


def test_body_that_is_cut_anywhere(sender, kind):
    package = catalog.full_snapshot() if kind == SNAPSHOT else catalog.changes()
    raw = catalog.encode(package)
    for length in range(0, len(raw), 1 if kind == CHANGES else 37):
        expect_json_fault(sender.send(kind, raw[:length], key=package["event_id"]), length)
    sender.event(package["event_id"]).expect(404)


def test_nesting_of_64_and_65(sender, kind):
    for depth, status in ((64, 202), (65, 422)):
        for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
            inner = opening * (depth - 1) + (b"0" if closing == b"}" else b"")
            event_id, raw = with_member(kind, b'"deep":' + inner + closing * (depth - 1))
            reply = sender.send(kind, raw)
            assert reply.status == status, f"{depth}: {reply}"
            if status == 422:
                expect_json_fault(reply)
                sender.event(event_id).expect(404)


# --- keys that stand twice


@pytest.mark.parametrize("member, place", [
    (b'"a":1,"a":1', ["a"]), (b'"a":1,"b":2,"a":3', ["a"]),
    (b'"deep":{"a":1,"a":2}', ["deep", "a"]), (b'"list":[0,{"a":1,"a":2}]', ["list", 1, "a"]),
    (b'"a":1,"\\u0061":2', ["a"]), (b'"":1,"":2', [""]),
    ('"ключ":1,"ключ":2'.encode(), ["ключ"]),
], ids=repr)
def test_key_that_stands_twice(sender, kind, member, place):
    event_id, raw = with_member(kind, member)
    expect_faults(sender.send(kind, raw), ("duplicate_key", *place))
    sender.event(event_id).expect(404)


def test_known_key_that_stands_twice(sender, kind):
    for name in (b"event_id", b"generated_at"):
        package = KINDS[kind]()
        raw = catalog.encode(package)
        first = raw.index(b'"%s":' % name)
        member = raw[first:raw.index(b",", first)]
        reply = sender.send(kind, raw[:-1] + b"," + member + b"}")
        expect_faults(reply, ("duplicate_key", name.decode()))


@pytest.mark.parametrize("member, twice, others", [
    ('"name":"a","name":"b"', NAMES, []),
    ('"name":"a","n\\u0061me":"b","name":"c"', NAMES, []),
    ('"name":"a","tax":{"vat_rate":"5","vat_rate":"5"}', ["products", 0, "tax", "vat_rate"], []),
    ('"name":"a","attributes":[],"attributes":[]', ["products", 0, "attributes"], []),
    ('"name":5,"name":"b"', NAMES, [("string_type", *NAMES)]),
], ids=repr)
def test_key_that_stands_twice_in_a_product(sender, member, twice, others):
    text = catalog.encode(catalog.snapshot([catalog.product()])).decode()
    raw = text.replace('"name":"Product p-1"', member).encode()
    expect_faults(sender.snapshot(raw), ("duplicate_key", *twice), *others)


# --- all at once


def test_all_faults_at_once(sender):
    made = catalog.full_snapshot(generated_at="never")
    made["attribute_definitions"][0]["type"] = "text"
    made["attribute_definitions"][5]["values"] = []
    made["categories"][1] = {"name": "x" * 256}
    product = made["products"][0]
    product["name"] = "x" * 256
    product["tax"] = {"vat_rate": "18", "tax_category": 5}
    product["marking"] = {}
    product["attributes"] = [{"attribute_id": "def-decimal"}]
    product["variants"][0]["price"] = -1
    product["variants"][1] |= {"measure_value": 0, "barcodes": {}, "default": "yes"}
    made["products"].append({})
    variant = ("products", 0, "variants")
    expect_faults(
        sender.snapshot(made),
        ("datetime_parsing", "generated_at"),
        ("enum", "attribute_definitions", 0, "type"),
        ("too_short", "attribute_definitions", 5, "values"),
        ("missing", "categories", 1, "id"), ("string_too_long", "categories", 1, "name"),
        ("string_too_long", "products", 0, "name"),
        ("enum", "products", 0, "tax", "vat_rate"), ("enum", "products", 0, "tax", "tax_category"),
        ("missing", "products", 0, "marking", "required"),
        ("missing", "products", 0, "attributes", 0, "value"),
        ("greater_than_equal", *variant, 0, "price"),
        ("greater_than", *variant, 1, "measure_value"), ("list_type", *variant, 1, "barcodes"),
        ("bool_type", *variant, 1, "default"),
        ("missing", "products", 2, "id"), ("missing", "products", 2, "name"),
        ("missing", "products", 2, "variants"),
    )


def test_all_faults_of_changes_at_once(sender):
    package = catalog.changes(
        [catalog.stock_row(1.5), {}, catalog.stock_row(1, "")],
        [catalog.price_row("1"), catalog.price_row(-1, "x" * 129)], generated_at=None)
    found = places(sender.changes(package))
    assert {place[0] for _, place in found} == {"generated_at", "stocks", "prices"}
    assert {
        ("int_from_float", ("stocks", 0, "available_quantity")),
        ("missing", ("stocks", 1, "product_id")), ("missing", ("stocks", 1, "variant_id")),
        ("missing", ("stocks", 1, "available_quantity")),
        ("float_type", ("prices", 0, "price")),
        ("string_too_long", ("prices", 1, "product_id")),
        ("greater_than_equal", ("prices", 1, "price")),
    } <= set(found)


def test_faults_of_content_and_of_references_come_together(sender):
    made = catalog.full_snapshot()
    made["products"][1] |= {"category_id": "unknown", "name": 5}
    expect_faults(sender.snapshot(made), ("reference_not_found", "products", 1, "category_id"),
                  ("string_type", "products", 1, "name"))


def test_what_is_at_fault_itself_can_be_referred_to(sender):
    """It is there; that it is wrong is told once, where it stands."""
    for path, value in ((("categories", 0, "name"), 5), (("attribute_definitions", 0, "name"), 5),
                        (("attribute_definitions", 1, "unit"), "x" * 33),
                        (("products", 0, "option_axes", 0, "name"), 5),
                        (("products", 0, "option_axes", 0, "values", 0, "name"), None),
                        (("attribute_definitions", 5, "values", 1, "name"), 7)):
        reply = sender.snapshot(catalog.put(catalog.full_snapshot(), path, value))
        assert [place for _, place in places(reply)] == [path], f"{path}: {reply}"


@pytest.mark.parametrize("count", [1, 99, 100])
def test_up_to_a_hundred_faults_are_told(sender, count):
    package = catalog.snapshot([catalog.product(f"p-{row}", name=row) for row in range(count)])
    expect_faults(sender.snapshot(package),
                  *[("string_type", "products", row, "name") for row in range(count)])


@pytest.mark.parametrize("count", [101, 5000])
def test_more_than_a_hundred_faults_are_cut(sender, count):
    package = catalog.snapshot([catalog.product(f"p-{row}", name=row) for row in range(count)])
    rows = sender.snapshot(package).expect(422)["detail"]
    assert len(rows) == ROWS_MAX + 1 and rows[-1]["type"] == "truncated"
    assert {row["type"] for row in rows[:-1]} == {"string_type"}
    assert len({json.dumps(row["loc"]) for row in rows[:-1]}) == ROWS_MAX
    stocks = [catalog.stock_row("x") for _ in range(count)]
    rows = sender.changes(catalog.changes(stocks)).expect(422)["detail"]
    assert len(rows) == ROWS_MAX + 1 and rows[-1]["type"] == "truncated"


def test_hundred_faults_and_an_unknown_reference(sender):
    """The one that is left out may be of another kind; it is counted all the same."""
    rows = [catalog.product(f"p-{row}", name=row) for row in range(99)]
    odd = [catalog.product(f"q-{row}", category_id="?") for row in range(2)]
    for more, count in ((odd[:1], 100), (odd, 101)):
        told = sender.snapshot(catalog.snapshot([*more, *rows])).expect(422)["detail"]
        assert len(told) == count and (told[-1]["type"] == "truncated") is (count == 101)


# --- the value at fault


@pytest.mark.parametrize("text", [
    "x" * 256, "ж" * 1000, "😀" * 300, "\"\\\n" * 200, "\u2028" * 300, "x" * 1_000_000,
], ids=lambda text: repr(text[:3]))
def test_long_text_is_cut_at_200_characters(sender, text):
    package = catalog.snapshot([catalog.product(name=text)])
    row = fault_at(sender.snapshot(package), *NAMES)
    assert row["type"] == "string_too_long" and row["input"] == text[:200]


@pytest.mark.parametrize("value", [
    ["x" * 195], ["x" * 196], ["x" * 197], ["ж" * 300], {"a": ["x"] * 100}, [[]] * 5000,
    {"😀" * 500: None},
], ids=lambda value: str(value)[:20])
def test_long_record_is_shown_as_its_first_200_characters(sender, value):
    package = catalog.snapshot([catalog.product(name=value)])
    text = catalog.encode(value).decode()
    row = fault_at(sender.snapshot(package), *NAMES)
    assert row["input"] == (value if len(text) <= 200 else text[:200])


@pytest.mark.parametrize("text", [
    "1" * 200, "1" * 201, "1" * 199 + ".5", "1" * 198 + "e+5", "0." + "0" * 300 + "1", "-" + "9" * 999,
    "1e" + "9" * 300,
], ids=lambda text: f"{text[:3]}-{len(text)}")
def test_long_number_is_cut_too(sender, text):
    package = catalog.snapshot([catalog.product(variants=[catalog.variant(price="<n>")])])
    reply = sender.snapshot(catalog.with_numbers(package, n=text))
    fault_at(reply, "products", 0, "variants", 0, "price")
    shown = reply.body.split(b'"input":')[1].strip(b'"').decode()
    digits = len(shown) - len(shown.lstrip("-.e+0123456789"))
    assert 195 <= digits <= 200 and text.startswith(shown[:digits]), f"{reply}"


def test_small_values_are_shown_as_they_are(sender):
    for value in (5, True, None, [], {}, [1, {"a": None}], 1.5):
        row = fault_at(sender.snapshot(catalog.snapshot([catalog.product(name=value)])), *NAMES)
        assert row["input"] == value and type(row["input"]) is type(value)


def test_secrets_of_the_request_are_not_told(sender, kind):
    reply = sender.send(kind, {"event_id": "x"}, key="x")
    assert sender.token.encode() not in reply.body
