"""What a snapshot says under `absent: keep`, written out: the same snapshot with all that it keeps.

The model knows the rules and nothing of how they are kept (contract, section 5): applied
under `remove`, what it writes out must lead to the same catalog, or to the same refusal.
"""

import re
from datetime import date

KEPT = ("description", "composition", "category_id", "tax", "marking", "attributes",
        "option_axes", "allergens", "tags")
INT64 = range(-2**63, 2**63)
WHOLE_MAX = 10**15


def fits(attribute, definition):
    """Whether a snapshot could say this of a product: its value is of the declared type."""
    kind, value = definition["type"], attribute.get("value")
    if kind == "enum":
        return attribute.get("value_id") in {row["id"] for row in definition["values"]}
    if kind in ("string", "date"):
        return isinstance(value, str) and (kind == "string" or _is_date(value))
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    if kind == "integer":
        return value == int(value) and int(value) in INT64
    return abs(value) < WHOLE_MAX and round(value, 6) == value


def _is_date(text):
    try:
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", text) and date.fromisoformat(text))
    except ValueError:
        return False


class KeptCatalog:
    """The products of one integration as the newest snapshots that have them left them."""

    def __init__(self):
        self.products = {}

    def write_out(self, body):
        """Returns the snapshot with what its products keep, and how many fields that is."""
        kept, products = 0, []
        for row in body["products"]:
            stored = self.products.get(row["id"], {})
            fields = {name: _kept_of(name, stored, body) for name in KEPT if name not in row}
            fields = {name: value for name, value in fields.items() if value not in (None, "", [])}
            made = row | fields
            if "option_axes" in fields:
                made["variants"] = [_with_choices(one, stored) for one in row["variants"]]
            products.append(made)
            kept += len(fields)
        return body | {"products": products}, kept

    def take(self, written):
        """The snapshot was applied; products that it does not have stay as they were."""
        self.products |= {row["id"]: row for row in written["products"]}


def _kept_of(name, stored, body):
    value = stored.get(name)
    if name == "category_id":
        return value if value in {row["id"] for row in body["categories"]} else None
    if name == "attributes" and value:
        definitions = {row["id"]: row for row in body.get("attribute_definitions", [])}
        return [row for row in value if row["attribute_id"] in definitions
                and fits(row, definitions[row["attribute_id"]])]
    return value


def _with_choices(variant, stored):
    if variant.get("option_values"):
        return variant
    known = {row["id"]: row.get("option_values", []) for row in stored["variants"]}
    return variant | {"option_values": known.get(variant["id"], [])}
