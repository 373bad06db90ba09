"""Contract section 5: what it means that a product's field is not there in a snapshot.

A snapshot is the complete state (`remove`), unless the integration says `keep`: then what was not
exported stays, null and empty remove it, and what refers to what is gone goes too.
"""

import re

import pytest

from harness import catalog
from harness.exchange import Operator
from harness.packages import SNAPSHOT, Desk, Sender, expect_acceptance, is_sanitized

OPTIONAL = ("description", "composition", "category_id", "tax", "marking", "attributes",
            "option_axes", "allergens", "tags")
EMPTY = {"attributes": [], "option_axes": [], "allergens": [], "tags": []}


class Point:
    """A sales point whose ERP sends snapshots of one rich product, with changes."""

    def __init__(self, site, absent="keep"):
        self.operator = Operator.of(site)
        self.sender = Sender.of(site)
        self.desk = Desk.at(site, self.sender)
        self.set(absent)

    def set(self, absent):
        changed = self.operator.change_integration(self.sender.integration_id, absent=absent)
        assert changed.expect(200)["absent"] == absent

    def send(self, product=None, **fields):
        """Returns the result; the product has all its fields unless it is given."""
        made = catalog.full_snapshot(**fields)
        made["products"] = [full() if product is None else product]
        return self.sender.apply(SNAPSHOT, made)["result"]

    def post(self, product):
        """Sends a snapshot of this product, and does not say what has to become of it."""
        return self.sender.snapshot(catalog.full_snapshot(products=[product]))

    def expect_refusal(self, product, faults):
        """The snapshot was taken, and can never be applied: these variants are at fault."""
        made = catalog.full_snapshot(products=[catalog.product("first"), product])
        expect_acceptance(self.sender.snapshot(made), made["event_id"], "accepted")
        record = self.sender.wait_for(made["event_id"], "failed")
        assert "send its option_axes and option_values" in record["last_error"]
        assert len(record["errors"]) == len(faults)
        for row, (variant_id, what) in zip(record["errors"], faults):
            assert what in row.pop("message")
            assert row == {"list": "products", "index": 1, "product_id": "full",
                           "variant_id": variant_id}
        return record

    def product(self):
        record = self.desk.product("full").expect(200)
        return {name: record[name] for name in record if name != "updated_at"}


def full(*lacks, **changes):
    made = catalog.full_snapshot()["products"][0]
    if "option_axes" in lacks:  # without them no variant can name one
        for variant in made["variants"]:
            variant.pop("option_values")
    return {name: value for name, value in made.items() if name not in lacks} | changes


@pytest.fixture
def point(site):
    return Point(site)


def test_default_removes(site):
    operator = Operator.of(site)
    made = operator.create_integration().expect(201)
    assert made["absent"] == "remove"
    assert operator.create_integration(absent="keep").expect(201)["absent"] == "keep"
    operator.change_integration(made["id"], absent="other").expect(422, "validation_error")
    point = Point(site, "remove")
    point.send()
    result = point.send(full(*OPTIONAL))
    assert "kept" not in result and result["products"]["changed"] == 1
    shown = point.product()
    assert all(not shown[name] for name in OPTIONAL)


def test_what_is_not_there_is_kept_and_counted(point):
    assert point.send()["kept"] == 0
    before = point.product()
    result = point.send(full(*OPTIONAL))
    assert result["kept"] == len(OPTIONAL)
    assert result["products"] == {"added": 0, "changed": 0, "unchanged": 1, "archived": 0}
    assert point.product() == before, "choices of the axes included"
    assert point.send(full(*OPTIONAL))["kept"] == len(OPTIONAL), "of an equal text as well"
    assert point.send(full(*OPTIONAL, name="Other"))["kept"] == len(OPTIONAL)
    assert point.product() == before | {"name": "Other"}
    assert point.send()["kept"] == 0
    assert point.product() == before


@pytest.mark.parametrize("name", OPTIONAL)
def test_each_field_is_kept_alone(point, name):
    point.send()
    before = point.product()
    assert point.send(full(name))["kept"] == 1
    assert point.product() == before


@pytest.mark.parametrize("name", OPTIONAL)
def test_null_removes(point, name):
    point.send()
    lacks = ["option_axes"] if name == "option_axes" else []
    assert point.send(full(*lacks, **{name: None}))["kept"] == 0
    assert not point.product()[name]
    assert point.send(full(*lacks, name))["kept"] == 0, "nothing is stored any more"
    assert not point.product()[name]


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_list_removes(point, name):
    point.send()
    lacks = ["option_axes"] if name == "option_axes" else []
    assert point.send(full(*lacks, **{name: []}))["kept"] == 0
    assert point.product()[name] == []


@pytest.mark.parametrize("name", ["description", "composition"])
def test_an_empty_text_removes(point, name):
    point.send()
    assert point.send(full(**{name: ""}))["kept"] == 0
    assert not point.product()[name]
    assert point.send(full(name))["kept"] == 0, "an empty text is none that is kept"


def test_defaults_are_no_values_that_are_kept(point):
    """`available` has one: true."""
    point.send(full(available=False))
    assert point.send(full("available"))["kept"] == 0
    assert point.product()["available"] is True


@pytest.mark.parametrize("is_equal", [True, False])
@pytest.mark.parametrize("order", [None, reversed])
def test_what_refers_to_what_is_gone_goes_too(point, is_equal, order):
    """Whether the text of the product is the same as before or not, and wherever the lists stand."""
    lean = full("category_id", "attributes")
    point.send()
    assert point.send(lean)["kept"] == 2
    definitions = catalog.full_snapshot()["attribute_definitions"]
    some = [row for row in definitions if row["id"] in ("def-string", "def-enum", "def-date")]
    some[2]["values"] = [row for row in some[2]["values"] if row["id"] != "enum-2"]
    some[1]["type"] = "decimal"
    made = catalog.full_snapshot(
        attribute_definitions=some, categories=[catalog.category("cat-2", "Хлеб")])
    made["products"] = [lean if is_equal else lean | {"name": "Other"}]
    if order:
        made = dict(order(list(made.items())))
    result = point.sender.apply(SNAPSHOT, made)["result"]
    assert result["kept"] == 1 and result["products"]["changed"] == 1
    shown = point.product()
    assert shown["category_id"] is None
    assert [row["attribute_id"] for row in shown["attributes"]] == ["def-string"]
    assert point.send(lean)["kept"] == 1, "what is gone does not come back with its definition"


def with_new_variant(**fields):
    """The product without its axes, with a variant more that may be of them."""
    lean = full("option_axes")
    return lean | {"variants": [lean["variants"][0], catalog.variant("new", 5, **fields)]}


CHOICES = [{"axis_id": "axis-a", "value_id": "axis-a-2"},
           {"axis_id": "axis-b", "value_id": "axis-b-1"}]


def test_new_variant_may_choose_of_kept_axes(point):
    point.send()
    before = point.product()
    assert point.send(with_new_variant(option_values=CHOICES))["kept"] == 1
    shown = point.product()
    assert shown["option_axes"] == before["option_axes"]
    assert shown["variants"][0]["option_values"] == before["variants"][0]["option_values"]
    assert shown["variants"][1]["option_values"] == CHOICES


@pytest.mark.parametrize("choices,what", [
    ([], "no value of an option axis"),
    (CHOICES[:1], "no value of an option axis"),
    (CHOICES + CHOICES[:1], "twice"),
    ([CHOICES[0] | {"value_id": "other"}, CHOICES[1]], "a value that the option axis does not have"),
    ([CHOICES[0] | {"axis_id": "other"}, CHOICES[1]], "an option axis that the product does not"),
])
def test_variant_must_choose_of_kept_axes_as_if_they_were_sent(point, choices, what):
    point.send()
    before = point.product()
    lean = with_new_variant(option_values=choices)
    point.expect_refusal(lean, [("new", what)])
    assert point.product() == before, "nothing of it was applied"
    stated = lean | {"option_axes": full()["option_axes"]}
    stated["variants"] = [full()["variants"][0], lean["variants"][1]]
    assert point.post(stated).status == 422


def test_known_variant_must_choose_of_kept_axes_too(point):
    """What it says counts; only where it names no axis, it stays what it was."""
    point.send()
    lean = full("option_axes")
    lean["variants"][1]["option_values"] = CHOICES[:1]
    point.expect_refusal(lean, [("full-2", "no value of an option axis")])


def test_all_variants_at_fault_are_counted_and_100_told(point):
    point.send()
    lean = full("option_axes")
    lean["variants"] += [catalog.variant(f"new-{index}", 5) for index in range(130)]
    record = point.expect_refusal(lean, [(f"new-{index}", "no value") for index in range(100)])
    assert record["last_error"].startswith("130 variants do not choose one value")


@pytest.mark.parametrize("axes", [{}, {"option_axes": None}, {"option_axes": []}])
def test_without_axes_there_is_nothing_to_choose_of(point, axes):
    """Where null or an empty list removes them this is known at once; else when it is applied."""
    point.send(full("option_axes", option_axes=[]))
    lean = with_new_variant(option_values=CHOICES) | axes
    if axes:
        assert point.post(lean).status == 422
    else:
        point.expect_refusal(lean, [("new", "an option axis that the product does not have")])
    point.set("remove")
    assert point.post(lean).status == 422, "at once, where nothing is kept"


def test_product_that_comes_back_has_what_it_had(point):
    point.send()
    before = point.product()
    point.send(catalog.product("other"))
    assert point.product()["archived"] is True
    assert point.send(full(*OPTIONAL))["kept"] == len(OPTIONAL)
    assert point.product() == before


def test_another_setting_counts_from_the_next_snapshot_on(point):
    """Also for a product whose text is the same."""
    point.send()
    before, lean = point.product(), full(*OPTIONAL)
    assert point.send(lean)["kept"] == len(OPTIONAL)
    point.set("remove")
    assert point.product() == before
    assert "kept" not in point.send(lean)
    assert all(not point.product()[name] for name in OPTIONAL)
    point.set("keep")
    assert point.send(lean)["kept"] == 0


def test_new_product_has_nothing_to_keep(point):
    assert point.send(full(*OPTIONAL))["kept"] == 0
    assert all(not point.product()[name] for name in OPTIONAL)


def test_many_products_in_any_mixture(point):
    """More than are looked at together; only what lacks something is filled."""
    def products(lacking):
        made = catalog.numbered_products(1500, description="Text", tags=["a", "b"])
        for index, row in enumerate(made):
            if index % lacking == 0:
                row.pop("tags"), row.pop("description")
        return made

    def apply(rows):
        body = catalog.snapshot(rows)
        expect_acceptance(point.sender.snapshot(body), body["event_id"], "accepted")
        return point.sender.wait_for(body["event_id"])["result"]

    apply(products(10**6))  # but the first
    result = apply(products(3))
    assert result["kept"] == 2 * 499 and result["products"]["changed"] == 0
    assert apply(products(3))["kept"] == 2 * 499
    shown = point.desk.product("p-3").expect(200)
    assert (shown["description"], shown["tags"]) == ("Text", ["a", "b"])
    assert point.desk.product("p-0").expect(200)["tags"] == []


def peak_mb(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1]) // 1024


def test_much_that_is_kept_is_not_held_at_once(site):
    """Many snapshots together have stored what one alone could not say."""
    point, text, products = Point(site), "x" * 6_000_000, []
    for _ in range(3):
        products += [catalog.product(f"p-{len(products) + index}") for index in range(4)]
        body = catalog.snapshot(products[:-4] + [
            row | {"description": row["id"] + text} for row in products[-4:]])
        assert point.sender.apply(SNAPSHOT, body)["result"]["kept"] == len(products) - 4
    before = peak_mb(site.processes[-1])
    body = catalog.snapshot([row | {"name": "Other"} for row in products])
    result = point.sender.apply(SNAPSHOT, body)["result"]
    assert is_sanitized() or peak_mb(site.processes[-1]) < before + 60
    assert result["kept"] == len(products) == result["products"]["changed"]
    for row in products[::5]:
        shown = point.desk.product(row["id"]).expect(200)
        assert (shown["name"], shown["description"]) == ("Other", row["id"] + text)
