"""What a catalog must be after packages with receipt numbers, and a comparison with what it is.

The model knows the rules and nothing of how they are kept (doc B sections 3 and 4; contract section
5, "Applying"): packages are applied in order of receipt, all or none; one that names an unknown
pair waits and is tried again right after each snapshot; each price and each stock remembers the
receipt of the package that set it, and is only overwritten by a later one; what a snapshot does not
have is archived, and comes back with its stock and its receipts.
"""

import copy
import json
from decimal import Decimal

from . import catalog
from .packages import Desk, Sender, exact
from .tools import eventually

SNAPSHOT_TYPE, CHANGES_TYPE = "snapshot", "delta"
ERRORS_MAX = 100
SETTLE_MAX_S = 60  # longer than a lease
UNSETTLED = ("accepted", "processing")


def plain(value):
    """A value with its numbers as text, so that 1, 1.0 and 1e0 are one, and 1 is not true."""
    if isinstance(value, dict):
        return {name: plain(row) for name, row in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(row) for row in value]
    if value is None or isinstance(value, (bool, str)):
        return value
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return f"number {number.normalize() + 0:f}"


def _filled(record, defaults):
    return {name: record.get(name, default) for name, default in defaults.items()}


def _coded(rows):
    return [_filled(row, {"id": None, "code": None, "name": None}) for row in rows]


# --- the records of a snapshot with the defaults of the contract


def definition_content(row):
    made = _filled(row, {"id": None, "code": None, "name": None, "type": None, "unit": None,
                         "canonical_code": None})
    return plain(made | {"values": _coded(row.get("values") or [])})


def variant_content(row):
    made = _filled(row, {"id": None, "name": "", "sku": None, "barcodes": [], "default": False,
                         "measure_unit": "piece", "measure_value": 1, "option_values": []})
    groups = [_option_group(group) for group in row.get("option_groups", [])]
    return plain(made | {"option_groups": groups})


def _option_group(group):
    options = [_filled(row, {"id": None, "name": None, "price_delta": 0, "available": True,
                             "sku": None}) for row in group["options"]]
    made = _filled(group, {"id": None, "name": None, "required": False, "min_select": 0,
                           "max_select": len(options)})
    return made | {"options": options}


def product_content(row):
    """All of a product but the prices of its variants."""
    made = _filled(row, {"id": None, "name": None, "description": None, "composition": None,
                         "category_id": None, "available": True, "allergens": [], "tags": []})
    tax, marking = row.get("tax"), row.get("marking")
    made["tax"] = tax and _filled(
        tax, {"vat_rate": None, "vat_included": True, "tax_category": "goods"})
    made["marking"] = marking and _filled(
        marking, {"required": None, "group": None, "traceable": False})
    made["attributes"] = [
        _filled(value, {"attribute_id": None, "value": None, "value_id": None, "unit": None})
        for value in row.get("attributes", [])
    ]
    made["option_axes"] = [
        _filled(axis, {"id": None, "code": None, "name": None})
        | {"values": _coded(axis["values"])} for axis in row.get("option_axes", [])
    ]
    return plain(made) | {"variants": [variant_content(variant) for variant in row["variants"]]}


class Offer:
    """Price and stock of a variant, each with the receipt of the package that set it."""

    def __init__(self):
        self.price = self.stock = None
        self.price_receipt = self.stock_receipt = 0

    def set(self, field, value, receipt):
        """Returns the count that this belongs to."""
        if getattr(self, f"{field}_receipt") > receipt:
            return "superseded"
        old = getattr(self, field)
        setattr(self, field, value)
        setattr(self, f"{field}_receipt", receipt)
        return "unchanged" if old == value else "changed"


class Product:
    def __init__(self, content):
        self.content = content
        self.is_archived = False
        self.offers = {}  # by variant; also of those that are gone, as they may come back

    def has(self, variant_id):
        known = any(variant["id"] == variant_id for variant in self.content["variants"])
        return known and not self.is_archived


class Package:
    """A package as the model saw it, with what must stand in its status record."""

    def __init__(self, body, receipt):
        self.body = body
        self.receipt = receipt
        self.event_id = body["event_id"]
        self.status, self.result, self.errors = "accepted", None, None

    @property
    def is_snapshot(self):
        return "products" in self.body


class CatalogModel:
    """The catalog of one integration."""

    def __init__(self):
        self.categories = {}   # id -> [name, is_archived]
        self.definitions = {}  # id -> [content, is_archived]
        self.products = {}     # id -> Product, in the order in which they came
        self.packages = {}     # event_id -> Package
        self.snapshot_receipt = 0

    def receive(self, body, receipt=None):
        """The next package in order of receipt; returns it with what became of it at once."""
        newest = max((package.receipt for package in self.packages.values()), default=0)
        package = Package(copy.deepcopy(body), newest + 1 if receipt is None else receipt)
        assert package.receipt > newest and package.event_id not in self.packages
        self.packages[package.event_id] = package
        self._try(package)
        if package.is_snapshot:
            for waiting in self.packages.values():
                if waiting.status == "retry":
                    self._try(waiting)
        return package

    def _try(self, package):
        apply = self._apply_snapshot if package.is_snapshot else self._apply_changes
        apply(package)

    # --- snapshots

    def _apply_snapshot(self, package):
        body, receipt = package.body, package.receipt
        assert receipt > self.snapshot_receipt
        self.snapshot_receipt = receipt
        result = empty_result()
        _merge(self.categories, {row["id"]: row["name"] for row in body["categories"]},
               result["categories"])
        definitions = body.get("attribute_definitions", [])
        _merge(self.definitions, {row["id"]: definition_content(row) for row in definitions},
               empty_result()["categories"])
        for row in body["products"]:
            self._merge_product(row, receipt, result)
        self._archive_absent({row["id"] for row in body["products"]}, result["products"])
        package.status, package.result, package.errors = "applied", result, None

    def _merge_product(self, row, receipt, result):
        content = product_content(row)
        known = self.products.get(row["id"])
        if known is None:
            known = self.products[row["id"]] = Product(content)
            result["products"]["added"] += 1
        else:
            is_same = known.content == content and not known.is_archived
            result["products"]["unchanged" if is_same else "changed"] += 1
            known.content, known.is_archived = content, False
        for variant in row["variants"]:
            offer = known.offers.setdefault(variant["id"], Offer())
            result["prices"][offer.set("price", plain(variant["price"]), receipt)] += 1

    def _archive_absent(self, present, counts):
        for product_id, product in self.products.items():
            if product_id not in present and not product.is_archived:
                product.is_archived = True
                counts["archived"] += 1

    # --- changes

    def _apply_changes(self, package):
        rows = {name: package.body.get(name, []) for name in ("stocks", "prices")}
        faults = [_row_fault(name, index, row) for name in rows
                  for index, row in enumerate(rows[name]) if not self._has_pair(row)]
        if faults:
            package.status, package.errors = "retry", faults
            return
        result = empty_result()
        for name, field, source in (("stocks", "stock", "available_quantity"),
                                    ("prices", "price", "price")):
            for (product_id, variant_id), row in _last_of_each_pair(rows[name]).items():
                value = plain(max(row[source], 0))
                offer = self.products[product_id].offers[variant_id]
                result[name][offer.set(field, value, package.receipt)] += 1
        package.status, package.result, package.errors = "applied", result, None

    def _has_pair(self, row):
        product = self.products.get(row["product_id"])
        return product is not None and product.has(row["variant_id"])

    def waiting(self):
        """The event_ids of those that wait for a snapshot."""
        return {package.event_id for package in self.packages.values()
                if package.status == "retry"}

    # --- what a reader must be shown

    def shown_categories(self):
        return {row_id: {"id": row_id, "name": name, "archived": is_archived}
                for row_id, (name, is_archived) in self.categories.items()}

    def shown_definitions(self):
        return {row_id: content | {"archived": is_archived}
                for row_id, (content, is_archived) in self.definitions.items()}

    def shown_products(self):
        return {row_id: self._shown_product(row) for row_id, row in self.products.items()}

    def _shown_product(self, product):
        is_archived = product.is_archived
        made = product.content | {"archived": is_archived}
        made["attributes"] = [self._shown_attribute(row, is_archived) for row in made["attributes"]]
        made["variants"] = [
            variant | _shown_offer(product.offers[variant["id"]],
                                   made["available"] and not is_archived)
            for variant in made["variants"]
        ]
        return made

    def _shown_attribute(self, row, is_archived):
        if is_archived:
            return _bare_attribute(row)
        definition = self.definitions[row["attribute_id"]][0]
        names = {value["id"]: value["name"] for value in definition["values"]}
        return row | {"unit": row["unit"] or definition["unit"], "name": definition["name"],
                      "canonical_code": definition["canonical_code"],
                      "value_name": names.get(row["value_id"])}


def empty_result():
    things, rows = ("added", "changed", "unchanged", "archived"), ("changed", "unchanged",
                                                                 "superseded")
    return {"products": dict.fromkeys(things, 0), "categories": dict.fromkeys(things, 0),
            "prices": dict.fromkeys(rows, 0), "stocks": dict.fromkeys(rows, 0)}


def _merge(known, sent, counts):
    for row_id, content in sent.items():
        if row_id not in known:
            counts["added"] += 1
        else:
            counts["unchanged" if known[row_id] == [content, False] else "changed"] += 1
        known[row_id] = [content, False]
    for row_id, row in known.items():
        if row_id not in sent and not row[1]:
            row[1] = True
            counts["archived"] += 1


def _last_of_each_pair(rows):
    return {(row["product_id"], row["variant_id"]): row for row in rows}


def _row_fault(name, index, row):
    return {"list": name, "index": index, "product_id": row["product_id"],
            "variant_id": row["variant_id"]}


def _shown_offer(offer, may_be_ordered):
    has_stock = offer.stock is None or offer.stock != plain(0)
    return {"price": offer.price, "stock": offer.stock, "available": may_be_ordered and has_stock}


def _bare_attribute(row):
    """Of an archived product: how its definition is called meanwhile is nobody's business."""
    return {name: row[name] for name in ("attribute_id", "value", "value_id")}


# --- the catalog as it is


def walk(page, name, **query):
    """All rows of a list, page by page; none comes twice."""
    rows, cursor = [], {}
    while True:
        record = exact(page(**query, **cursor))
        rows += record[name]
        if record["next_cursor"] is None:
            break
        assert record[name], f"a page of {name} is empty, and yet there is another one"
        cursor = {"cursor": record["next_cursor"]}
    ids = [row["id"] for row in rows]
    assert len(ids) == len(set(ids)), f"a row of {name} came twice: {ids}"
    return rows


def read_rows(page, name, **query):
    """All rows of a list by their ids, without the time of their last change."""
    return {row["id"]: _read(row) for row in walk(page, name, **query)}


def read_product(desk, product_id):
    """As a list shows it: the origins, which only one product has, are those of its values."""
    row = exact(desk.product(product_id))
    for variant in row["variants"]:
        assert variant.pop("price_origin")["value"] == variant["price"]
        stock = variant.pop("stock_origin", None)
        assert (stock and stock["value"]) == variant["stock"]
    return _read(row)


def _read(row):
    made = plain({name: value for name, value in row.items() if name != "updated_at"})
    if made["archived"] and "attributes" in made:
        made["attributes"] = [_bare_attribute(value) for value in made["attributes"]]
    return made


def expect_rows(actual, expected, what):
    """Row by row, so that a difference names its row."""
    assert set(actual) == set(expected), f"{what}: {set(actual) ^ set(expected)} on one side only"
    for row_id, row in expected.items():
        assert actual[row_id] == row, f"{what} {row_id!r}"


def expect_catalog(desk, model, limit=50, singles=20):
    """What the reading operations show is what the model says; so many products also one by one."""
    products = read_rows(desk.products, "products", limit=limit)
    expect_rows(products, model.shown_products(), "product")
    expect_rows(read_rows(desk.categories, "categories", limit=limit), model.shown_categories(),
                "category")
    definitions = read_rows(desk.definitions, "attribute_definitions", limit=limit)
    expect_rows(definitions, model.shown_definitions(), "definition")
    for product_id in list(products)[:singles]:
        assert read_product(desk, product_id) == products[product_id]


def expect_package(record, package):
    """The package became what the model says, with the same counts or the same rows at fault."""
    said = json.dumps(record, ensure_ascii=False)
    assert record["status"] == package.status, f"wanted {package.status}: {said}"
    assert record.get("result") == package.result, f"wanted {package.result}: {said}"
    expect_errors(record, package.errors)
    if package.status == "applied":
        assert record["last_error"] is None and record["attempts"] >= 1, said


def expect_errors(record, faults):
    """Up to 100 of the rows at fault, in their order, each with a sentence."""
    shown = record.get("errors") or []
    assert all(row["message"] for row in shown), record
    without_message = [catalog.without(row, "message") for row in shown]
    assert without_message == (faults or [])[:ERRORS_MAX], record


# --- an ERP and its model side by side


def settle(desk, model, within=SETTLE_MAX_S):
    """Waits until all were processed, and none waits but those that the model has waiting.

    What is wrong at the end of that time is found by who compares; here it would have no name.
    """
    def is_settled():
        if any(desk.packages(status=status, limit=1).expect(200)["events"] for status in UNSETTLED):
            return False
        rows = list_packages(desk)  # of one moment: in between, one that waits may have begun anew
        waiting = [row for row in rows if row["status"] == "retry"]
        return (not any(row["status"] in UNSETTLED for row in rows)
                and all(row["processed_at"] >= _newest_snapshot_at(rows) for row in waiting)
                and {row["event_id"] for row in waiting} == model.waiting())

    eventually(is_settled, within, 0.005)


def _newest_snapshot_at(rows):
    """When a snapshot was processed last: what waits is tried again behind it."""
    return max((row["processed_at"] for row in rows
                if row["event_type"] == "snapshot" and row["status"] == "applied"), default="")


def list_packages(desk, **query):
    """The operator's list from its first page to its last: newest first."""
    rows, cursor = [], {}
    while True:
        page = desk.packages(limit=200, **query, **cursor).expect(200)
        rows += page["events"]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    numbers = [row["receipt"] for row in rows]
    assert numbers == sorted(set(numbers), reverse=True), "not newest first"
    return rows


class Exchange:
    """An ERP of a new integration, the operator at it, and the model of its catalog."""

    def __init__(self, site, sender, process=None):
        self.sender = sender
        self.desk = Desk.at(site, sender, process)
        self.model = CatalogModel()

    def meet_again(self, site):
        """After a restart, or a move of the clock: at the address of now, with a new token."""
        erp = self.sender.erp.at(site.address)
        self.sender = Sender(site.address, erp.fetch_token(), erp.integration_id)
        self.sender.erp = erp
        self.desk = Desk.at(site, self.sender)

    def push(self, body):
        """Sends a package and does not wait for what becomes of it; returns the model's view."""
        kind = "catalog-snapshot" if "products" in body else "changes"
        reply = self.sender.send(kind, body)
        assert reply.expect(202)["status"] == "accepted", f"{reply}"
        return self.model.receive(body)

    def put(self, body):
        """Sends a package, waits until it was processed, and demands what the model says of it."""
        package = self.push(body)
        settle(self.desk, self.model)
        expect_package(self.desk.package(package.event_id).expect(200), package)
        return package

    def expect(self, event_ids=None, **options):
        """Everything is as the model says: each package, or each of these, and the whole catalog."""
        settle(self.desk, self.model)
        for event_id in self.model.packages if event_ids is None else event_ids:
            expect_package(self.desk.package(event_id).expect(200), self.model.packages[event_id])
        expect_catalog(self.desk, self.model, **options)

    def follow(self, bodies):
        """Takes into the model what the operator's list has more than it, in order of receipt.

        `bodies`: event_id -> package, all that was ever sent.
        """
        for row in reversed(list_packages(self.desk)):
            if row["event_id"] not in self.model.packages:
                self.model.receive(bodies[row["event_id"]], row["receipt"])
