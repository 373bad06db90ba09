"""What doc B and the contract, section 5, demand of the bodies of packages: a judge of its own."""

import datetime
import json
import re
from decimal import Decimal

ID_MAX = 128
VAT_RATES = {"none", "0", "5", "7", "10", "20", "105/5", "107/7", "110/10", "120/20"}
TAX_CATEGORIES = {"goods", "service", "excise", "marked_goods", "agent_goods"}
MEASURES = {"piece", "gram", "kilogram", "milliliter", "liter"}
TYPES = {"string", "decimal", "integer", "boolean", "date", "enum"}
BODY_MAX = 25 * 1024 * 1024


class Judge:
    """Collects what is wrong, each with its place."""

    def __init__(self):
        self.faults = []

    def say(self, place, what):
        self.faults.append(f"{place}: {what}")

    def text(self, record, key, place, least=0, most=None, required=False):
        value = record.get(key)
        if value is None:
            if required:
                self.say(f"{place}.{key}", "missing")
        elif not isinstance(value, str):
            self.say(f"{place}.{key}", "no string")
        elif len(value) < least:
            self.say(f"{place}.{key}", "too short")
        elif most is not None and len(value) > most:
            self.say(f"{place}.{key}", "too long")

    def identifier(self, record, key, place):
        self.text(record, key, place, 1, ID_MAX, required=True)

    def word(self, record, key, place, words, required=False):
        value = record.get(key)
        if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
            value = str(value)
        if value is None and not required:
            return
        if value not in words:
            self.say(f"{place}.{key}", "not one of the words")

    def flag(self, record, key, place, required=False):
        value = record.get(key)
        if (value is not None or required) and not isinstance(value, bool):
            self.say(f"{place}.{key}", "no boolean")

    def number(self, record, key, place, least=None, above=None, required=False):
        value = record.get(key)
        if value is None:
            if required:
                self.say(f"{place}.{key}", "missing")
            return
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            self.say(f"{place}.{key}", "no number")
            return
        _, digits, exponent = Decimal(value).normalize().as_tuple()
        if len(digits) + exponent > 15:
            self.say(f"{place}.{key}", "too many digits")
        if -exponent > 6:
            self.say(f"{place}.{key}", "too many places")
        if (least is not None and value < least) or (above is not None and value <= above):
            self.say(f"{place}.{key}", "too small")

    def items(self, record, key, place, most=None, least=0, required=False):
        value = record.get(key)
        if value is None:
            if required:
                self.say(f"{place}.{key}", "missing")
            return []
        if not isinstance(value, list):
            self.say(f"{place}.{key}", "no list")
            return []
        if len(value) < least:
            self.say(f"{place}.{key}", "too few")
        if most is not None and len(value) > most:
            self.say(f"{place}.{key}", "too many")
        return list(enumerate(value))

    def texts(self, record, key, place, most=None):
        values = [value for _, value in self.items(record, key, place, most)]
        if any(not isinstance(value, str) for value in values):
            self.say(f"{place}.{key}", "no strings")
        return values

    def unique(self, place, values):
        if len(set(values)) < len(values):
            self.say(place, "not unique")


# --- Parts of a snapshot ------------------------------------------------------------------------


def check_values(judge, record, place, least=1):
    rows = judge.items(record, "values", place, least=least)
    for i, value in rows:
        judge.identifier(value, "id", f"{place}.values[{i}]")
        judge.text(value, "code", f"{place}.values[{i}]")
        judge.text(value, "name", f"{place}.values[{i}]", required=True)
    judge.unique(f"{place}.values", [value.get("id") for _, value in rows])
    return {value.get("id") for _, value in rows}


def check_definitions(judge, body):
    """The definitions by id: their type, and their values if they are enums."""
    known = {}
    rows = judge.items(body, "attribute_definitions", "body", 5000)
    for i, row in rows:
        place = f"attribute_definitions[{i}]"
        judge.identifier(row, "id", place)
        judge.text(row, "code", place, most=128)
        judge.text(row, "name", place, 1, 255, required=True)
        judge.word(row, "type", place, TYPES, required=True)
        judge.text(row, "unit", place, most=32)
        judge.text(row, "canonical_code", place, most=64)
        values = check_values(judge, row, place) if row.get("type") == "enum" else None
        known[row.get("id")] = (row.get("type"), values)
    judge.unique("attribute_definitions", [row.get("id") for _, row in rows])
    return known


def is_of_type(kind, value):
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind == "string":
        return isinstance(value, str)
    if kind == "date":
        try:
            return bool(datetime.date.fromisoformat(value))
        except (TypeError, ValueError):
            return False
    if kind == "integer":
        return isinstance(value, (int, Decimal)) and value == int(value)
    return isinstance(value, (int, Decimal))


def check_attributes(judge, product, place, definitions):
    for i, row in judge.items(product, "attributes", place, 500):
        spot = f"{place}.attributes[{i}]"
        judge.text(row, "unit", spot, most=32)
        known = definitions.get(row.get("attribute_id"))
        if not known:
            judge.say(f"{spot}.attribute_id", "unknown")
            continue
        kind, values = known
        if kind == "enum":
            if row.get("value_id") not in values:
                judge.say(f"{spot}.value_id", "unknown")
        elif row.get("value") is None:
            judge.say(spot, "neither value nor value_id")
        elif not is_of_type(kind, row["value"]):
            judge.say(f"{spot}.value", "not of its type")


def check_axes(judge, product, place):
    """The values of each axis, by the axis."""
    known = {}
    rows = judge.items(product, "option_axes", place, 20)
    for i, axis in rows:
        spot = f"{place}.option_axes[{i}]"
        judge.identifier(axis, "id", spot)
        judge.text(axis, "name", spot, required=True)
        judge.text(axis, "code", spot)
        known[axis.get("id")] = check_values(judge, axis, spot)
    judge.unique(f"{place}.option_axes", [axis.get("id") for _, axis in rows])
    return known


def check_groups(judge, variant, place):
    for i, group in judge.items(variant, "option_groups", place):
        spot = f"{place}.option_groups[{i}]"
        judge.identifier(group, "id", spot)
        judge.text(group, "name", spot, required=True)
        judge.flag(group, "required", spot)
        options = judge.items(group, "options", spot, least=1, required=True)
        least, most = group.get("min_select", 0), group.get("max_select", len(options))
        if not 0 <= least <= most:
            judge.say(spot, "min_select and max_select do not fit")
        for k, option in options:
            judge.identifier(option, "id", f"{spot}.options[{k}]")
            judge.text(option, "name", f"{spot}.options[{k}]", required=True)
            judge.number(option, "price_delta", f"{spot}.options[{k}]")
            judge.flag(option, "available", f"{spot}.options[{k}]")
            judge.text(option, "sku", f"{spot}.options[{k}]")


def check_choices(judge, variant, place, axes):
    chosen = []
    for i, choice in judge.items(variant, "option_values", place):
        chosen.append(choice.get("axis_id"))
        if choice.get("value_id") not in axes.get(choice.get("axis_id"), ()):
            judge.say(f"{place}.option_values[{i}]", "no value of an axis")
    if sorted(map(str, chosen)) != sorted(map(str, axes)):
        judge.say(f"{place}.option_values", "not one value of each axis")


def check_variants(judge, product, place, axes):
    rows = judge.items(product, "variants", place, least=1, required=True)
    for i, variant in rows:
        spot = f"{place}.variants[{i}]"
        judge.identifier(variant, "id", spot)
        judge.text(variant, "name", spot)
        judge.number(variant, "price", spot, least=0, required=True)
        judge.text(variant, "sku", spot)
        barcodes = judge.texts(variant, "barcodes", spot, 100)
        judge.unique(f"{spot}.barcodes", barcodes)
        judge.flag(variant, "default", spot)
        judge.word(variant, "measure_unit", spot, MEASURES)
        judge.number(variant, "measure_value", spot, above=0)
        check_choices(judge, variant, spot, axes)
        check_groups(judge, variant, spot)
    judge.unique(f"{place}.variants", [variant.get("id") for _, variant in rows])


def check_product(judge, product, place, categories, definitions):
    judge.identifier(product, "id", place)
    judge.text(product, "name", place, 1, 255, required=True)
    judge.text(product, "description", place)
    judge.text(product, "composition", place)
    judge.flag(product, "available", place)
    if product.get("category_id") is not None and product["category_id"] not in categories:
        judge.say(f"{place}.category_id", "unknown")
    if product.get("tax") is not None:
        judge.word(product["tax"], "vat_rate", f"{place}.tax", VAT_RATES, required=True)
        judge.flag(product["tax"], "vat_included", f"{place}.tax")
        judge.word(product["tax"], "tax_category", f"{place}.tax", TAX_CATEGORIES)
    if product.get("marking") is not None:
        judge.flag(product["marking"], "required", f"{place}.marking", required=True)
        judge.text(product["marking"], "group", f"{place}.marking", most=64)
        judge.flag(product["marking"], "traceable", f"{place}.marking")
    check_attributes(judge, product, place, definitions)
    check_variants(judge, product, place, check_axes(judge, product, place))
    judge.texts(product, "allergens", place)
    judge.texts(product, "tags", place)


# --- Bodies -------------------------------------------------------------------------------------


def no_repeats(pairs):
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return made


def no_constant(text):
    raise ValueError(f"{text} is no number")


def depth_of(value):
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth_of, value), default=0)
    return 0


def read(text):
    """The body as Python has it, numbers with all digits. ValueError: it is no JSON."""
    if len(text) > BODY_MAX:
        raise ValueError("the body is too large")
    body = json.loads(text.decode("utf-8"), parse_float=Decimal, parse_constant=no_constant,
                      object_pairs_hook=no_repeats)
    if b"\\u0000" in text:
        raise ValueError("NUL in a string")
    if depth_of(body) > 64:
        raise ValueError("nested too deep")
    return body


def check_head(judge, body):
    judge.text(body, "event_id", "body", 1, 128, required=True)
    judge.text(body, "generated_at", "body", required=True)
    if not re.search(r"T.*(Z|[+-]\d\d:\d\d)$", str(body.get("generated_at"))):
        judge.say("body.generated_at", "no time zone")


def faults_of_snapshot(text):
    """All that is wrong; an empty list is a good body."""
    return faults_of(text, check_snapshot)


def faults_of_changes(text):
    return faults_of(text, check_changes)


def faults_of(text, check_body):
    try:
        body = read(text)
    except ValueError as fault:
        return [f"body: {fault}"]
    judge = Judge()
    check_head(judge, body)
    check_body(judge, body)
    return judge.faults


def check_snapshot(judge, body):
    definitions = check_definitions(judge, body)
    rows = judge.items(body, "categories", "body", required=True)
    for i, category in rows:
        judge.identifier(category, "id", f"categories[{i}]")
        judge.text(category, "name", f"categories[{i}]", 1, 255, required=True)
    categories = [category.get("id") for _, category in rows]
    judge.unique("categories", categories)
    known = set(categories)
    rows = judge.items(body, "products", "body", required=True)
    for i, product in rows:
        check_product(judge, product, f"products[{i}]", known, definitions)
    judge.unique("products", [product.get("id") for _, product in rows])


def check_changes(judge, body):
    prices = judge.items(body, "prices", "body", 5000)
    stocks = judge.items(body, "stocks", "body", 5000)
    if not prices and not stocks:
        judge.say("body", "no rows")
    for name, rows in (("prices", prices), ("stocks", stocks)):
        for i, row in rows:
            judge.identifier(row, "product_id", f"{name}[{i}]")
            judge.identifier(row, "variant_id", f"{name}[{i}]")
    for i, row in prices:
        judge.number(row, "price", f"prices[{i}]", least=0, required=True)
    for i, row in stocks:
        if not is_of_type("integer", row.get("available_quantity")):
            judge.say(f"stocks[{i}].available_quantity", "no integer")
