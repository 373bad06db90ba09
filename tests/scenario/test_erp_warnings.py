"""Contract section 5 "Warnings": what a package says that was probably not meant is told with its status.

A row for each kind and place in the form, twenty at most; nothing is refused for it.
"""

import pytest

from harness import catalog
from harness.packages import CHANGES, SNAPSHOT
from test_admin import Admin

ROWS_MAX = 20
UNREAD = "Nobody reads this property"
PRODUCT = ("products", "[]")
VARIANT = (*PRODUCT, "variants", "[]")
OPTION = (*VARIANT, "option_groups", "[]", "options", "[]")


@pytest.fixture(scope="module")
def admin(site):
    return Admin(site)


def sound(product_id="p-1", **fields):
    """A product without anything to be warned of."""
    return catalog.product(product_id, [catalog.variant(default=True)], **fields)


def sound_snapshot(**fields):
    return catalog.snapshot([sound()]) | fields


def warned(sender, kind, package):
    """Applies the package; returns its warnings: {(type, place): (msg, count)}."""
    rows = sender.apply(kind, package)["warnings"]
    assert all(row["loc"][0] == "body" for row in rows), rows
    found = {(row["type"], *row["loc"][1:]): (row["msg"], row["count"]) for row in rows}
    assert len(found) == len(rows) <= ROWS_MAX, rows
    return found


def place_in(package, place):
    """What stands first at a place of the form."""
    for step in place:
        package = package[0] if step == "[]" else package[step]
    return package


def test_a_package_as_it_should_be_has_none(sender):
    snapshot = catalog.full_snapshot()
    snapshot["products"][1]["variants"][0]["default"] = True
    assert warned(sender, SNAPSHOT, snapshot) == {}
    assert warned(sender, SNAPSHOT, sound_snapshot()) == {}
    row = catalog.stock_row(warehouse_id="main")
    assert warned(sender, CHANGES, catalog.changes([row], [catalog.price_row()])) == {}


def test_a_package_has_them_before_it_is_applied(sender):
    """They are known at its receipt, and stay while it waits for its product."""
    package = catalog.changes([catalog.stock_row(product_id="later", prise=1)])
    assert sender.changes(package).status == 202
    row, = sender.wait_for(package["event_id"], "retry")["warnings"]
    assert row["loc"] == ["body", "stocks", "[]", "prise"]


def test_kinds_are_counted_over_products(sender, desk):
    many = [sound(f"p-{n}", catgory_id="c-1", name=" ") for n in range(3)]
    many += [catalog.product(f"none-{n}", [catalog.variant(), catalog.variant("w")]) for n in range(4)]
    twice = [catalog.variant("v", default=True), catalog.variant("w", default=True, stock=3)]
    many += [catalog.product(f"both-{n}", twice) for n in range(5)]
    package = catalog.snapshot(many)
    wanted = {
        ("unknown_field", *PRODUCT, "catgory_id"):
            (f"{UNREAD}: did you mean category_id? First at products[0] (p-0).", 3),
        ("empty_name", *PRODUCT, "name"): ("The name is empty. First at products[0] (p-0).", 3),
        ("no_default_variant", *PRODUCT, "variants"):
            ("No variant has default true. First at products[3] (none-0).", 4),
        ("several_defaults", *PRODUCT, "variants"):
            ("Several variants have default true. First at products[7] (both-0).", 5),
        ("stock_not_taken", *VARIANT, "stock"):
            ("A snapshot brings no stock: send it as changes. First at products[7] (both-0).", 5),
    }
    assert warned(sender, SNAPSHOT, package) == wanted
    row = desk.package(package["event_id"]).expect(200)
    assert row["status"] == "applied" and len(row["warnings"]) == 5
    assert all("warnings" not in row for row in desk.packages().expect(200)["events"])
    assert warned(sender, SNAPSHOT, package | {"event_id": catalog.fresh_event_id()}) == wanted


@pytest.mark.parametrize("place", [
    ("attribute_definitions", "[]"), ("attribute_definitions", "[]", "values", "[]"),
    PRODUCT, (*PRODUCT, "option_axes", "[]"), (*PRODUCT, "option_axes", "[]", "values", "[]"),
    OPTION[:-2], OPTION], ids=".".join)
@pytest.mark.parametrize("name", ["", " \t\n"], ids=repr)
def test_names_may_be_empty_anywhere(sender, place, name):
    package = catalog.full_snapshot()
    package["attribute_definitions"].reverse()  # an enum comes first
    del package["products"][1]
    place_in(package, place)["name"] = name
    (_, count), = [row for at, row in warned(sender, SNAPSHOT, package).items()
                   if at == ("empty_name", *place, "name")]
    assert count == 1


def test_the_name_of_a_category_may_be_of_blanks(sender):
    """An empty one is a fault."""
    package = sound_snapshot(categories=[catalog.category(name="  ")])
    (at, (msg, count)), = warned(sender, SNAPSHOT, package).items()
    assert at == ("empty_name", "categories", "[]", "name")
    assert (msg, count) == ("The name is empty. First at categories[0] (c-1).", 1)


def test_the_name_of_a_variant_may_be_empty(sender):
    assert warned(sender, SNAPSHOT, catalog.snapshot(
        [catalog.product(variants=[catalog.variant(name="", default=True)])])) == {}


@pytest.mark.parametrize("place", [
    (), ("categories", "[]"), ("attribute_definitions", "[]"), PRODUCT, VARIANT, OPTION,
    (*PRODUCT, "tax"), (*PRODUCT, "attributes", "[]"), (*PRODUCT, "option_axes", "[]", "values", "[]"),
], ids=lambda place: ".".join(place) or "body")
def test_unknown_properties_are_told_wherever_they_stand(sender, place):
    package = catalog.full_snapshot()
    place_in(package, place)["x"] = {"within": {"an": ["object"]}}
    msg, count = warned(sender, SNAPSHOT, package)["unknown_field", *place, "x"]
    assert msg.startswith(f"{UNREAD}.") and count == 1
    assert ("First at" in msg) == (place != ())


@pytest.mark.parametrize(("kind", "wrong", "place", "hint"), [
    (SNAPSHOT, "generatedat", (), "generated_at"),
    (SNAPSHOT, "Price", VARIANT, "price"),
    (SNAPSHOT, "descripton", PRODUCT, "description"),
    (SNAPSHOT, "completely_other", PRODUCT, None),
    (CHANGES, "stock", (), "stocks"),
    (CHANGES, "warehouse", ("stocks", "[]"), None),
    (CHANGES, "warehouse_id", ("prices", "[]"), None),
    (CHANGES, "pric", ("prices", "[]"), "price"),
], ids=str)
def test_the_nearest_name_is_told(sender, kind, wrong, place, hint):
    sender.apply(SNAPSHOT, sound_snapshot())
    package = sound_snapshot() if kind == SNAPSHOT else catalog.changes(
        [catalog.stock_row()], [catalog.price_row()])
    place_in(package, place)[wrong] = 1
    (at, (msg, _)), = warned(sender, kind, package).items()
    assert at == ("unknown_field", *place, wrong)
    assert msg.startswith(f"{UNREAD}: did you mean {hint}?" if hint else f"{UNREAD}.")


@pytest.mark.parametrize("place", [(), PRODUCT, VARIANT, OPTION], ids=str)
@pytest.mark.parametrize("name", ["stock", "stocks", "stock_quantity", "available_quantity", "quantity"])
def test_a_snapshot_takes_no_stock(sender, place, name):
    package = catalog.full_snapshot()
    place_in(package, place)[name] = 5
    assert warned(sender, SNAPSHOT, package)["stock_not_taken", *place, name][1] == 1


@pytest.mark.parametrize("kind", [SNAPSHOT, CHANGES])
def test_twenty_rows_are_told(sender, kind):
    sender.apply(SNAPSHOT, sound_snapshot())
    extra = {f"unknown-{n}": n for n in range(1000)}
    package = (sound_snapshot if kind == SNAPSHOT else catalog.changes)(**extra)
    rows = warned(sender, kind, package)
    assert set(rows) == {("unknown_field", f"unknown-{n}") for n in range(ROWS_MAX)}


def test_texts_of_others_are_bounded_and_steer_nothing(sender, desk, admin):
    names = {"k" * 10_000: 1, "\u001b[2J\u0007\u202e": 2, "": 3, '"\\': 4, "ы" * 60: 5}
    ids = ["\u001b]0;x\u0007", "\u009b" * 128, '"' * 128]
    package = catalog.snapshot([sound(one, **names) for one in ids])
    rows = warned(sender, SNAPSHOT, package)
    assert set(rows) == {("unknown_field", *PRODUCT, name) for name in (
        "k" * 60 + "...", r"\u001b[2J\u0007\u202e", "", '"\\', "ы" * 30 + "...")}
    assert all(count == 3 for _, count in rows.values())
    assert all(r"products[0] (\u001b]0;x\u0007)." in msg for msg, _ in rows.values()), rows
    text = admin("packages", "show", sender.integration_id, package["event_id"])
    assert "\u001b" not in text and max(map(len, text.splitlines())) <= 80

    for one in ids[1:]:  # as the first, and 20 times the longest row
        names = {f"{n:02}" + '"' * 58: n for n in range(30)}
        rows = warned(sender, SNAPSHOT, catalog.snapshot([sound(one, **names)]))
        assert len(rows) == ROWS_MAX and all(len(msg) < 1000 for msg, _ in rows.values())


def test_the_command_line_shows_them(sender, admin):
    package = catalog.snapshot([sound("0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f", catgory_id="c-1")])
    sender.apply(SNAPSHOT, package)
    text = admin("packages", "show", sender.integration_id, package["event_id"])
    assert ("unknown_field, 1 at products.[].catgory_id: Nobody reads this property: did you mean "
            "category_id?") in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
