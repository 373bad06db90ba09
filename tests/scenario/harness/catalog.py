"""Packages of an ERP as doc B has them: small ones, and one with every field that there is.

A builder takes changes by field name; without() leaves fields out, put() and read_at() go by path,
and rename() gives a thing another id wherever it is referred to.
"""

import copy
import json
import uuid
from datetime import datetime, timezone

from .shapes import format_time

ATTRIBUTE_TYPES = ("string", "decimal", "integer", "boolean", "date", "enum")


def fresh_event_id(kind="catalog"):
    return f"{kind}:{uuid.uuid4()}"


def now_text():
    return format_time(datetime.now(timezone.utc))


# --- small ones


def variant(variant_id="v-1", price=10, **fields):
    return {"id": variant_id, "price": price} | fields


def product(product_id="p-1", variants=None, **fields):
    rows = [variant()] if variants is None else variants
    return {"id": product_id, "name": f"Product {product_id}", "variants": rows} | fields


def category(category_id="c-1", name="Category"):
    return {"id": category_id, "name": name}


def definition(definition_id="a-1", kind="string", **fields):
    made = {"id": definition_id, "name": f"Attribute {definition_id}", "type": kind}
    if kind == "enum":
        made["values"] = [{"id": "red", "name": "Red"}, {"id": "blue", "name": "Blue"}]
    return made | fields


def axis(axis_id="size", *value_ids, **fields):
    values = [{"id": value_id, "name": f"Value {value_id}"} for value_id in value_ids or ("s", "m")]
    return {"id": axis_id, "name": f"Axis {axis_id}", "values": values} | fields


def snapshot(products=None, categories=(), **fields):
    """A snapshot of one product, or of those given."""
    rows = [product()] if products is None else products
    return {"event_id": fresh_event_id(), "generated_at": now_text(),
            "categories": list(categories), "products": list(rows)} | fields


def numbered_products(count, price=10, **fields):
    return [product(f"p-{index}", [variant("v", price)], **fields) for index in range(count)]


def stock_row(quantity=5, product_id="p-1", variant_id="v-1", **fields):
    return {"product_id": product_id, "variant_id": variant_id,
            "available_quantity": quantity} | fields


def price_row(price=10, product_id="p-1", variant_id="v-1"):
    return {"product_id": product_id, "variant_id": variant_id, "price": price}


def changes(stocks=None, prices=None, **fields):
    """A package of changes with these lists; one stock row when none is given."""
    made = {"event_id": fresh_event_id("changes"), "generated_at": now_text()}
    if stocks is None and prices is None:
        stocks = [stock_row()]
    lists = {"stocks": stocks, "prices": prices}
    return made | {name: rows for name, rows in lists.items() if rows is not None} | fields


# --- the one with everything


def full_snapshot(**fields):
    """Every field of doc B. No text stands in it twice, but where one thing refers to another."""
    return {
        "event_id": fresh_event_id(),
        "generated_at": "2026-11-21T04:33:00.123Z",
        "attribute_definitions": [_full_definition(kind) for kind in ATTRIBUTE_TYPES],
        "categories": [category("cat-1", "Молоко 🥛"), category("cat-2", "Хлеб")],
        "products": [_full_product(), product("plain", [variant("plain-v", 7)])],
    } | fields


def _full_definition(kind):
    made = {"id": f"def-{kind}", "code": f"code-{kind}", "name": f"Name {kind}", "type": kind,
            "unit": f"unit-{kind}", "canonical_code": f"canonical-{kind}"}
    if kind == "enum":
        made["values"] = [
            {"id": f"enum-{index}", "code": f"enum-code-{index}", "name": f"Enum {index}"}
            for index in (1, 2)
        ]
    return made


def _full_product():
    return {
        "id": "full", "name": "Полный товар 🧀", "description": "A description",
        "composition": "A composition", "category_id": "cat-1", "available": True,
        "tax": {"vat_rate": "10", "vat_included": True, "tax_category": "goods"},
        "marking": {"required": True, "group": "milk", "traceable": False},
        "attributes": [
            {"attribute_id": "def-string", "value": "a text", "unit": "own unit"},
            {"attribute_id": "def-decimal", "value": 3.2},
            {"attribute_id": "def-integer", "value": 12},
            {"attribute_id": "def-boolean", "value": False},
            {"attribute_id": "def-date", "value": "2026-02-28"},
            {"attribute_id": "def-enum", "value_id": "enum-2"},
        ],
        "option_axes": [_full_axis("axis-a"), _full_axis("axis-b")],
        "variants": [_full_variant(1), _full_variant(2)],
        "allergens": ["gluten", "lactose"], "tags": ["new", "сезон"],
    }


def _full_axis(axis_id):
    values = [{"id": f"{axis_id}-{index}", "code": f"{axis_id}-code-{index}",
               "name": f"{axis_id} name {index}"} for index in (1, 2)]
    return {"id": axis_id, "code": f"{axis_id}-code", "name": f"{axis_id} name", "values": values}


def _full_variant(index):
    return {
        "id": f"full-{index}", "name": f"Variant {index}", "price": 89.9, "sku": f"SKU-{index}",
        "barcodes": [f"460000000001{index}", f"460000000002{index}"], "default": index == 1,
        "measure_unit": "kilogram", "measure_value": 0.5,
        "option_values": [{"axis_id": axis_id, "value_id": f"{axis_id}-{index}"}
                          for axis_id in ("axis-a", "axis-b")],
        "option_groups": [{
            "id": f"group-{index}", "name": f"Group {index}", "required": True, "min_select": 1,
            "max_select": 2,
            "options": [
                {"id": f"option-{index}-{row}", "name": f"Option {index} {row}",
                 "price_delta": -1.5, "available": True, "sku": f"option-sku-{index}-{row}"}
                for row in (1, 2)
            ],
        }],
    }


# --- changing them


def without(record, *names):
    return {name: value for name, value in record.items() if name not in names}


def read_at(record, path):
    for step in path:
        record = record[step]
    return record


def put(record, path, value):
    """A copy with another value at that path."""
    made = copy.deepcopy(record)
    read_at(made, path[:-1])[path[-1]] = value
    return made


def drop(record, path):
    """A copy without the field at that path."""
    made = copy.deepcopy(record)
    del read_at(made, path[:-1])[path[-1]]
    return made


def rename(record, path, text):
    """A copy in which the text at that path, and all that refer to it, are this one."""
    old = read_at(record, path)

    def walk(node):
        if isinstance(node, dict):
            return {name: walk(value) for name, value in node.items()}
        if isinstance(node, list):
            return [walk(row) for row in node]
        return text if isinstance(node, str) and node == old else node

    return walk(record)


def encode(record):
    """As an ERP writes it: UTF-8, nothing between the tokens."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def padded(record, size):
    """The record as JSON of exactly that many bytes, by white space at its end."""
    text = encode(record)
    return text + b" " * (size - len(text))


def with_numbers(record, **texts):
    """The record as JSON in which each text "<name>" stands as the bare number of that name."""
    made = encode(record)
    for name, text in texts.items():
        made = made.replace(b'"<%s>"' % name.encode(), text.encode())
    return made
