"""Random sequences of packages, restarts, crashes and hours, held against the model at their end.

HERALD_SEQUENCE_CASES sets the number of sequences on each engine, HERALD_SEED which ones they are. A
failing one is shown in its shortest form. Each works on an integration of its own; herald is the same one for all.
"""

import os

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from harness import catalog
from harness.catalog_model import Exchange
from harness.packages import Sender, expect_acceptance

CASES = int(os.environ.get("HERALD_SEQUENCE_CASES", "30"))
SEED = os.environ.get("HERALD_SEED")
CLOCK = True
SETTINGS = {"HERALD_PUBLIC_URL": "https://herald.example"}  # stays, whatever port a restart takes
STEPS_MIN, STEPS_MAX = 6, 30
LEASE_S = 60
UNENDED_MAX = 2  # attempts; after one more a package is put off, of which the model knows nothing
PRODUCTS = [f"p-{index}" for index in range(2)]
VARIANTS = ["v-0", "v-1"]
CATEGORIES = ["c-0", "c-1"]
PRICES = [0, 10, 10.5, 89.9]
STOCKS = [-1, 0, 1, 2, 3]


# --- what happens

_names = st.sampled_from(["One", "Другой"])
_prices = st.sampled_from(PRICES)
_variant_ids = st.sampled_from([VARIANTS, VARIANTS, VARIANTS[:1], VARIANTS[1:]])


@st.composite
def _product(draw, product_id):
    rows = [catalog.variant(variant_id, draw(_prices)) for variant_id in draw(_variant_ids)]
    made = catalog.product(product_id, rows, name=draw(_names), available=draw(st.booleans()))
    if category_id := draw(st.sampled_from([None, *CATEGORIES])):
        made["category_id"] = category_id
    if color := draw(st.sampled_from([None, "red", "blue"])):
        made["attributes"] = [{"attribute_id": "color", "value_id": color}]
    return made


def _products():
    """Most of those that there are; so most pairs of a change are known, and come back if not."""
    absent = st.sets(st.sampled_from(PRODUCTS), max_size=1)
    rows = st.tuples(*map(_product, PRODUCTS))
    return st.builds(lambda gone, products: [row for row in products if row["id"] not in gone],
                     absent, rows)


def _snapshot(products, category_name, definition_name):
    definition = catalog.definition("color", "enum", name=definition_name)
    rows = [catalog.category(category_id, category_name) for category_id in CATEGORIES]
    used = {product.get("category_id") for product in products}
    return {"categories": [row for row in rows if row["id"] in used or category_name == "One"],
            "products": products, "attribute_definitions": [definition]}


def _rows(field, values):
    pairs = st.fixed_dictionaries({
        "product_id": st.sampled_from(PRODUCTS), "variant_id": st.sampled_from(VARIANTS),
        field: st.sampled_from(values)})
    return st.lists(pairs, max_size=3)


SNAPSHOTS = st.builds(_snapshot, _products(), _names, _names)
CHANGES = st.builds(lambda stocks, prices: {"stocks": stocks, "prices": prices},
                    _rows("available_quantity", STOCKS), _rows("price", PRICES)).filter(
                        lambda body: body["stocks"] or body["prices"])
PACKAGES = st.one_of(CHANGES, CHANGES, CHANGES, SNAPSHOTS, SNAPSHOTS, st.just("same snapshot"))
EVENTS = st.sampled_from(["restart", "kill", "6 s", "6 min", "all is applied", "repeat"])
STEPS = st.lists(st.one_of(*[PACKAGES] * 12, EVENTS), min_size=STEPS_MIN, max_size=STEPS_MAX)

EVERYTHING = _snapshot([catalog.product(product_id, [
    catalog.variant(variant_id, 5) for variant_id in VARIANTS]) for product_id in PRODUCTS],
                       "One", "One")
"""A snapshot behind which no package has to wait."""


class Play:
    """One sequence on one integration."""

    def __init__(self, site):
        self.site = site
        self.exchange = Exchange(site, Sender.of(site))
        self.newest_snapshot = None
        self.sent = []
        self.unended = 0  # attempts that a package may have had and that came to no end

    def run(self, steps):
        for step in steps:
            if isinstance(step, dict):
                self.send(step)
            else:
                getattr(self, EVENT_METHODS[step])()
        self.exchange.expect()
        self.send(EVERYTHING)
        assert not self.exchange.model.waiting()
        self.exchange.expect()

    def send(self, content):
        body = {"event_id": catalog.fresh_event_id(), "generated_at": catalog.now_text()} | content
        if "products" in body:
            self.newest_snapshot = content
        self.sent.append(body)
        self.exchange.push(body)

    def send_again(self):
        if self.newest_snapshot:
            self.send(self.newest_snapshot)

    def repeat(self):
        for body in self.sent[-2:]:
            kind = "catalog-snapshot" if "products" in body else "changes"
            reply = self.exchange.sender.send(kind, body)
            expect_acceptance(reply, body["event_id"], "duplicate")

    def restart(self):
        self.site.restart()
        self.exchange.meet_again(self.site)

    def cut_off(self):
        """What is being applied now is left without an end."""
        if self.unended == UNENDED_MAX:
            self.settle()
        self.unended += 1

    def kill(self):
        self.cut_off()
        self.site.processes[-1].kill()
        self.site.processes.clear()
        self.site.clock.advance(LEASE_S + 1)  # else what died in between waits for so long
        self.site.serve()
        self.exchange.meet_again(self.site)

    def wait_6_seconds(self):
        self.site.clock.advance(6)

    def wait_6_minutes(self):
        self.cut_off()
        self.site.clock.advance(360)
        self.exchange.meet_again(self.site)

    def settle(self):
        self.exchange.expect(singles=0)
        self.unended = 0


EVENT_METHODS = {
    "restart": "restart", "kill": "kill", "6 s": "wait_6_seconds", "6 min": "wait_6_minutes",
    "all is applied": "settle", "repeat": "repeat", "same snapshot": "send_again",
}


def seeded(test):
    return seed(int(SEED))(test) if SEED else test


@seeded
@settings(max_examples=CASES, deadline=None, database=None, print_blob=True,
          phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_any_sequence_leaves_the_catalog_of_the_model(site, steps):
    Play(site).run(steps)
