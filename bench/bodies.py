"""Bodies of packages: made by the simulated ERP, or here where their form matters more than that
they look like a shop."""

import json
import os
import random
import subprocess
import uuid

from host import ROOT, BenchFailed

SNAPSHOT, CHANGES = "catalog-snapshot", "changes"
PLACE = "bench-event-000000"  # of the event id in a body that was made beforehand
MADE_AT = "2026-11-21T04:33:00Z"
PRODUCTS = 15000
CHANGE_ROWS = 2000
BODY_MAX = 26_214_400
HOSTILE_BYTES = 25_000_000
HOSTILE_KEYS = 1_000_000
SHORT_CATEGORIES = 200


class Package:
    """A body that can be sent many times, each time as a new package."""

    made = 0

    def __init__(self, kind, body):
        self.kind = kind
        before, place, after = body.partition(PLACE.encode())
        if not place or len(body) > BODY_MAX:
            raise BenchFailed("a body has no place for its event id, or is too long")
        self.before, self.after = before, after
        self.length = len(body)

    def renew(self):
        """A new event id, and the body with it."""
        Package.made += 1
        event_id = f"{PLACE[:-6]}{Package.made:06d}"
        return event_id, b"".join((self.before, event_id.encode(), self.after))


def dump(record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


# --- By the simulated ERP -----------------------------------------------------------------------


def make_by_erp(program, verb, *options):
    command = [program, verb, "--event-id", PLACE, *options]
    try:
        return subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout
    except subprocess.CalledProcessError as fault:
        raise BenchFailed(f"{os.path.basename(program)} {verb}: {fault.stderr.decode()}") from fault


class Shop:
    """The catalog of a shop of 25 MB, and what it was on two other days."""

    def __init__(self, program, products=PRODUCTS):
        first, some, all_of_it = (
            make_by_erp(program, "snapshot", "--products", str(products), *options)
            for options in (
                (),
                ("--change-seed", "1", "--change-share", "0.01"),
                ("--change-seed", "2", "--change-share", "1"),
            )
        )
        self.products = json.loads(first)["products"]
        self.some_changed = count_changed(self.products, some)
        self.all_changed = count_changed(self.products, all_of_it)
        if self.some_changed > products // 50 or self.all_changed < products:
            raise BenchFailed("the simulated ERP changes more or less than it was asked for")
        self.first = Package(SNAPSHOT, first)
        self.some = Package(SNAPSHOT, some)
        self.all = Package(SNAPSHOT, all_of_it)

    @property
    def offers(self):
        return offers_of(self.products)


def count_changed(products, other):
    """How many products differ in another body, came or went."""
    before = {product["id"]: product for product in products}
    after = {product["id"]: product for product in json.loads(other)["products"]}
    kept = before.keys() & after.keys()
    gone_or_new = len(before) + len(after) - 2 * len(kept)
    return gone_or_new + sum(before[key] != after[key] for key in kept)


def offers_of(products):
    return [(product["id"], row["id"]) for product in products for row in product["variants"]]


# --- Here ---------------------------------------------------------------------------------------


def make_changes(offers, number):
    """Of as many prices as stocks, of any variants, all of them new."""
    chance = random.Random(number)
    half = CHANGE_ROWS // 2
    stocks = [
        {"product_id": product, "variant_id": variant, "available_quantity": number * 1000 + place}
        for place, (product, variant) in enumerate(chance.sample(offers, half))
    ]
    prices = [
        {"product_id": product, "variant_id": variant, "price": number * 1000 + place + 0.25}
        for place, (product, variant) in enumerate(chance.sample(offers, half))
    ]
    package = {"event_id": PLACE, "generated_at": MADE_AT, "stocks": stocks, "prices": prices}
    return Package(CHANGES, dump(package))


def short_product(index, price):
    """Little more than a product has to have, so that 120,000 of them are one snapshot."""
    return {
        "id": str(uuid.UUID(int=index * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128)),
        "name": f"Товар {index:06d}",
        "category_id": f"c-{index % SHORT_CATEGORIES}",
        "variants": [{"id": "default", "price": price, "sku": f"A-{index:06d}"}],
    }


def make_short(products):
    """The products, a snapshot of them, and one in which every hundredth has another name and
    price."""
    categories = [{"id": f"c-{index}", "name": f"Ряд {index}"} for index in range(SHORT_CATEGORIES)]
    first = [short_product(index, index % 1000 + 0.5) for index in range(products)]
    some = [
        {**product, "name": product["name"] + " новый"} if index % 100 == 0 else product
        for index, product in enumerate(first)
    ]
    head = {"event_id": PLACE, "generated_at": MADE_AT, "categories": categories}
    packages = (Package(SNAPSHOT, dump({**head, "products": rows})) for rows in (first, some))
    return first, *packages


def make_hostile():
    """Bodies of people who wish nobody well, by what they are."""
    keys = ",".join(f'"key{number}":{number}' for number in range(HOSTILE_KEYS))
    return {
        "25 MB of `[`": b"[" * HOSTILE_BYTES,
        "a million keys": ("{" + keys + "}").encode(),
    }
