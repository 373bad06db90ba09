"""The bodies that build/sim/erp makes, held against the rules of doc B."""

import json

import pytest

from erp_client import changes, erp, snapshot
from erp_rules import BODY_MAX, MEASURES, TAX_CATEGORIES, TYPES, faults_of_changes, \
    faults_of_snapshot, read


def products_of(*arguments):
    return {product["id"]: product for product in read(snapshot(*arguments))["products"]}


def pairs_of(*arguments):
    return {(product_id, variant["id"]) for product_id, product in products_of(*arguments).items()
            for variant in product["variants"]}


def variants_of(body):
    return [variant for product in body["products"] for variant in product["variants"]]


# --- Snapshots ----------------------------------------------------------------------------------


@pytest.mark.parametrize("products", [1, 2, 7, 100, 1200])
@pytest.mark.parametrize("seed", [0, 1, 4711])
def test_a_snapshot_is_valid(products, seed):
    made = snapshot("--seed", seed, "--products", products)
    assert faults_of_snapshot(made) == []
    assert len(read(made)["products"]) == products


def test_the_same_seed_gives_the_same_bytes():
    made = snapshot("--seed", 5, "--products", 300)
    assert snapshot("--seed", 5, "--products", 300) == made
    assert snapshot("--seed", 6, "--products", 300) != made


def test_event_id_is_taken():
    assert read(snapshot("--event-id", "ночь:1"))["event_id"] == "ночь:1"
    assert erp("snapshot", "--event-id", "x" * 129, check=False).returncode == 2


def test_15000_products_fit_into_a_package():
    made = snapshot("--products", 15000)
    assert 24_000_000 < len(made) < BODY_MAX
    assert faults_of_snapshot(made) == []


def test_bytes_are_as_asked_for():
    made = snapshot("--products", 500, "--bytes", 2_000_000)
    assert 2_000_000 - 128 <= len(made) <= 2_000_000
    assert faults_of_snapshot(made) == []
    assert len(snapshot("--products", 15000, "--bytes", BODY_MAX)) in range(BODY_MAX - 128,
                                                                           BODY_MAX + 1)
    done = erp("snapshot", "--products", 500, "--bytes", 1000, check=False)
    assert done.returncode == 2 and b"--bytes" in done.stderr


def test_everything_of_doc_b_is_in_it():
    text = snapshot("--products", 1200)
    body = read(text)
    definitions = {row["id"]: row for row in body["attribute_definitions"]}
    assert {row["type"] for row in definitions.values()} == TYPES
    assert {"brand", "color", "size"} <= {row["canonical_code"] for row in definitions.values()}
    taxes = [product["tax"] for product in body["products"] if product["tax"]]
    assert {str(tax["vat_rate"]) for tax in taxes} == {
        "none", "0", "5", "7", "10", "20", "105/5", "107/7", "110/10", "120/20"}
    assert any(isinstance(tax["vat_rate"], int) for tax in taxes)
    assert {tax["tax_category"] for tax in taxes} == TAX_CATEGORIES
    assert {tax["vat_included"] for tax in taxes} == {True, False}
    used = {row["attribute_id"] for product in body["products"] for row in product["attributes"]}
    assert {definitions[id_]["type"] for id_ in used} == TYPES
    for lone in ("tax", "marking", "category_id"):
        assert any(product[lone] is None for product in body["products"]), lone
    for many in ("attributes", "option_axes", "allergens", "tags"):
        assert any(len(product[many]) > 1 for product in body["products"]), many
    variants = variants_of(body)
    assert {variant["measure_unit"] for variant in variants} == MEASURES
    assert {len(variant["barcodes"]) for variant in variants} >= {0, 1, 5}
    assert any(option["price_delta"] < 0 for variant in variants
               for group in variant["option_groups"] for option in group["options"])
    assert max(len(product["description"]) for product in body["products"]) > 3000
    for form in (b'"price":1.5e2,', b'"price":1E+2,', b'"price":123456789012345.123456,',
                 b'"price":-0,', b'"price":0.000001,'):
        assert form in text, form
    for sign in ("Ё", "👨‍👩‍👧", "中", "\n", "\t", "\\"):
        assert json.dumps(sign, ensure_ascii=False)[1:-1].encode() in text, sign


def test_variants_are_exactly_the_combinations_of_the_axes():
    counts = set()
    for product in read(snapshot("--products", 400))["products"]:
        wanted = 1
        for axis in product["option_axes"]:
            wanted *= len(axis["values"])
        chosen = {tuple(sorted((choice["axis_id"], choice["value_id"])
                               for choice in variant["option_values"]))
                  for variant in product["variants"]}
        assert len(chosen) == len(product["variants"]) == wanted
        assert [variant["default"] for variant in product["variants"]].count(True) == 1
        counts.add((len(product["option_axes"]), wanted))
    assert {(0, 1), (1, 3), (2, 4), (3, 12)} <= counts


# --- Another day --------------------------------------------------------------------------------


def test_a_change_seed_changes_a_share():
    before = products_of("--products", 5000)
    after = products_of("--products", 5000, "--change-seed", 1, "--change-share", 0.1)
    gone, come = before.keys() - after.keys(), after.keys() - before.keys()
    differ = [id_ for id_ in before.keys() & after.keys() if before[id_] != after[id_]]
    assert 20 < len(gone) < 90 and 20 < len(come) < 90
    assert 300 < len(differ) < 500
    keys = {key for id_ in differ for key in before[id_] if before[id_][key] != after[id_][key]}
    assert keys == {"name", "description", "variants"}
    assert faults_of_snapshot(snapshot("--products", 5000, "--change-seed", 1,
                                       "--change-share", 0.1)) == []


def test_no_change_is_no_change():
    asked = ("--products", 300, "--event-id", "x")
    made = products_of(*asked)
    assert products_of(*asked, "--change-seed", 9, "--change-share", 0) == made
    assert products_of(*asked, "--change-share", 0.5) == made
    assert products_of(*asked, "--change-seed", 9, "--change-share", 1) != made


def test_what_is_filled_up_stays_the_same_on_another_day():
    asked = ("--products", 2000, "--bytes", 6_000_000)
    before, after = products_of(*asked), products_of(*asked, "--change-seed", 3, "--event-id", "a")
    same = [id_ for id_ in before.keys() & after.keys() if before[id_] == after[id_]]
    assert len(same) > 1950


# --- Changes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [1, 2, 101, 2000])
def test_changes_are_valid(rows):
    made = changes("--products", 3000, "--rows", rows)
    assert faults_of_changes(made) == []
    body = read(made)
    assert (len(body["prices"]), len(body["stocks"])) == ((rows + 1) // 2, rows // 2)


def test_changes_are_of_pairs_that_the_snapshot_has():
    asked = ("--seed", 3, "--products", 900, "--change-seed", 2, "--change-share", 0.3)
    pairs = pairs_of(*asked)
    for number in range(1, 6):
        body = read(changes(*asked, "--number", number, "--prices", 700, "--stocks", 400))
        for name, count in (("prices", 700), ("stocks", 400)):
            named = [(row["product_id"], row["variant_id"]) for row in body[name]]
            assert len(set(named)) == len(named) == count
            assert set(named) <= pairs


def test_changes_differ_by_their_number():
    asked = ("--products", 900, "--rows", 50)
    assert changes(*asked) == changes(*asked, "--number", 1)
    assert changes(*asked) != changes(*asked, "--number", 2)


def test_one_kind_of_rows_alone():
    body = read(changes("--products", 50, "--stocks", 20))
    assert (len(body["prices"]), len(body["stocks"])) == (0, 20)
    body = read(changes("--products", 50, "--prices", 20))
    assert (len(body["prices"]), len(body["stocks"])) == (20, 0)


def test_stock_may_be_none_and_less():
    body = read(changes("--products", 3000, "--stocks", 2000))
    quantities = {row["available_quantity"] for row in body["stocks"]}
    assert {0, -3} < quantities and max(quantities) > 100


def test_more_rows_than_the_limit():
    faults = faults_of_changes(changes("--products", 5000, "--prices", 5001))
    assert faults == ["body.prices: too many"]


def test_more_rows_than_variants_are_refused():
    count = len(pairs_of("--products", 10))
    assert len(read(changes("--products", 10, "--prices", count))["prices"]) == count
    done = erp("changes", "--products", 10, "--prices", count + 1, check=False)
    assert done.returncode == 2 and b"fewer variants" in done.stderr and done.stdout == b""


# --- Faults -------------------------------------------------------------------------------------

OF_BOTH = {
    "no-event-id": "body.event_id: missing",
    "no-time-zone": "body.generated_at: no time zone",
    "cut": "body: ",
    "trailing": "body: Extra data",
    "bad-utf8": "body: 'utf-8' codec",
    "nul": "body: NUL",
    "nan": "body: NaN",
    "same-key": "body: a key stands twice",
    "deep": "body: nested too deep",
    "too-large": "body: the body is too large",
}

OF_SNAPSHOT = OF_BOTH | {
    "no-name": ".name: missing",
    "long-name": ".name: too long",
    "no-variants": ".variants: too few",
    "negative-price": ".price: too small",
    "text-price": ".price: no number",
    "long-price": ".price: too many digits",
    "fine-price": ".price: too many places",
    "unknown-category": ".category_id: unknown",
    "unknown-attribute": ".attribute_id: unknown",
    "unknown-value": ".value_id: unknown",
    "wrong-type": ".value: not of its type",
    "unknown-vat": ".vat_rate: not one of the words",
    "unchosen-axis": ".option_values: not one value of each axis",
    "unknown-axis": "no value of an axis",
    "same-product": "products: not unique",
    "same-variant": ".variants: not unique",
    "same-barcode": ".barcodes: not unique",
    "many-barcodes": ".barcodes: too many",
}

OF_CHANGES = OF_BOTH | {
    "negative-price": ".price: too small",
    "text-price": ".price: no number",
    "fractional-stock": ".available_quantity: no integer",
}


@pytest.mark.parametrize("fault", OF_SNAPSHOT)
@pytest.mark.parametrize("products", [2, 40, 203])
def test_a_fault_of_a_snapshot(fault, products):
    faults = faults_of_snapshot(snapshot("--products", products, "--fault", fault))
    assert any(OF_SNAPSHOT[fault] in row for row in faults), faults


@pytest.mark.parametrize("fault", OF_CHANGES)
@pytest.mark.parametrize("rows", [2, 100])
def test_a_fault_of_changes(fault, rows):
    faults = faults_of_changes(changes("--rows", rows, "--fault", fault))
    assert len(faults) == 1 and OF_CHANGES[fault] in faults[0], faults


def test_an_unknown_pair_is_no_fault_of_the_body():
    made = changes("--fault", "unknown-pair")
    assert faults_of_changes(made) == []
    named = {(row["product_id"], row["variant_id"]) for row in read(made)["prices"]}
    assert len(named - pairs_of()) == 1


def test_every_fault_is_tested():
    told = erp("--help").stdout.decode().split("Faults, and")[1].split("Exit status")[0]
    rows = [line.split()[:2] for line in told.splitlines()[1:] if line.strip()]
    of_snapshot = {name for name, types in rows if types in ("snapshot", "both")}
    of_changes = {name for name, types in rows if types in ("changes", "both")}
    assert of_snapshot == OF_SNAPSHOT.keys()
    assert of_changes == OF_CHANGES.keys() | {"unknown-pair"}


# --- The command line ---------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [
    [], ["sell"], ["push"], ["snapshot", "--products", "0"], ["snapshot", "--products", "many"],
    ["snapshot", "--rows", "5"], ["changes", "--fault", "no-name"], ["snapshot", "extra"],
    ["snapshot", "--change-share", "1.5"], ["snapshot", "--unheard-of"], ["run", "--repeat", "2"],
])
def test_a_wrong_command_line(arguments):
    done = erp(*arguments, check=False)
    assert done.returncode == 2
    assert done.stdout == b"" and done.stderr
