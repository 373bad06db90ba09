"""Random snapshots with gaps, sent to a point that keeps what is absent (contract, section 5).

Beside it stands a twin that is sent each of them written out, under `remove`. Both must come to the
same catalog with the same counts, or refuse the same snapshots. HERALD_KEEPING_CASES sets the number
of sequences on each engine; a failing one is shown in its shortest form.
"""

import copy
import os

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from harness import catalog
from harness.catalog_model import read_rows
from harness.exchange import Operator
from harness.keep_model import KeptCatalog, fits
from harness.packages import CHANGES, SNAPSHOT, Desk, Sender, expect_acceptance

CASES = int(os.environ.get("HERALD_KEEPING_CASES", "25"))
CLOCK = True
SETTINGS = {"HERALD_PUBLIC_URL": "https://herald.example",  # stays, whatever port a restart takes
            "HERALD_ERP_SNAPSHOTS_PER_DAY": "0"}
LEASE_S = 60
ENDED = ("applied", "failed")
VALUES = {
    "string": ["a text", "", "2026-02-28", "2026-02-30", "12", "true"],
    "decimal": [3.2, 100, 1e2, 0.000001, 999999999999999],
    "integer": [12, 0, 10**15, -2**63],
    "boolean": [True, False],
    "date": ["2026-02-28", "2024-02-29"],
}
CHOSEN = {"size": ["s", "m"], "color": ["red", "blue"]}


# --- snapshots

def _maybe(values):
    """A field that may be absent, null, or one of these."""
    return st.one_of(st.just("absent"), st.just("absent"), st.none(), values)


@st.composite
def _definition(draw, definition_id):
    kind = draw(st.sampled_from([*VALUES, "enum"]))
    made = catalog.definition(definition_id, kind)
    if kind == "enum":
        made["values"] = draw(st.sampled_from([made["values"], made["values"][:1]]))
    return made | draw(st.sampled_from([{}, {"unit": "g"}]))


@st.composite
def _attribute(draw, definition):
    """Of the declared type, but for a value beside that has no meaning, until the type changes."""
    made = {"attribute_id": definition["id"]}
    if definition["type"] == "enum":
        made["value_id"] = draw(st.sampled_from(definition["values"]))["id"]
        return made | draw(st.sampled_from([{}, {"value": "a text"}, {"value": 10**17}]))
    made["value"] = draw(st.sampled_from(VALUES[definition["type"]]))
    return made | draw(st.sampled_from([{}, {"value_id": "blue"}, {"unit": "kg"}]))


@st.composite
def _variant(draw, variant_id, axis_ids):
    """Mostly with the choices that these axes want."""
    made = catalog.variant(variant_id, draw(st.sampled_from([1, 2.5, 89.9])))
    named = draw(st.sampled_from([axis_ids, axis_ids, axis_ids, axis_ids[:1], ["size", "shape"]]))
    rows = [{"axis_id": axis_id, "value_id": draw(st.sampled_from(CHOSEN.get(axis_id, ["x"])))}
            for axis_id in named]
    return made | {"option_values": rows} if rows else made


@st.composite
def _product(draw, product_id, categories, definitions):
    axes = draw(_maybe(st.sampled_from([[], ["size"], ["color"], ["size", "color"]])))
    guessed = draw(st.sampled_from([[], [], [], [], ["size"], ["size", "color"]]))
    wanted = guessed if axes == "absent" else axes or []
    variants = draw(st.sampled_from([["v-0"], ["v-0", "v-1"], ["v-1"], ["v-1", "v-2"]]))
    fields = {
        "description": draw(_maybe(st.sampled_from(["A text", ""]))),
        "composition": draw(_maybe(st.just("Milk"))),
        "category_id": draw(_maybe(st.sampled_from(categories))) if categories else "absent",
        "tax": draw(_maybe(st.sampled_from([{"vat_rate": "10"}, {"vat_rate": "20"}]))),
        "marking": draw(_maybe(st.just({"required": True, "group": "milk"}))),
        "attributes": draw(_maybe(st.lists(
            st.one_of(*map(_attribute, definitions)), max_size=4) if definitions else st.just([]))),
        "option_axes": [catalog.axis(one, *CHOSEN[one]) for one in axes]
        if isinstance(axes, list) else axes,
        "allergens": draw(_maybe(st.sampled_from([[], ["gluten"]]))),
        "tags": draw(_maybe(st.sampled_from([[], ["new"]]))),
    }
    rows = [draw(_variant(variant_id, wanted)) for variant_id in variants]
    return catalog.product(product_id, rows) | {
        name: value for name, value in fields.items() if value != "absent"}


@st.composite
def _snapshot(draw):
    categories = draw(st.sampled_from([[], ["c-0"], ["c-0", "c-1"]]))
    definition_ids = draw(st.sampled_from([[], ["a-0"], ["a-0", "a-1"], ["a-0", "a-1"]]))
    definitions = [draw(_definition(row_id)) for row_id in definition_ids]
    product_ids = draw(st.sampled_from([["p-0"], ["p-0", "p-1"], ["p-1"]]))
    lists = {"attribute_definitions": definitions,
             "products": [draw(_product(row_id, categories, definitions))
                          for row_id in product_ids],
             "categories": [catalog.category(row_id) for row_id in categories]}
    names = draw(st.permutations(list(lists)))
    return {name: lists[name] for name in names}


STEPS = st.lists(st.one_of(_snapshot(), _snapshot(), _snapshot(), _snapshot(),
                           st.sampled_from(["again", "changes", "kill"])), min_size=2, max_size=8)


# --- the two points

class Point:
    def __init__(self, site, absent):
        self.site, self.absent = site, absent
        self.sender = Sender.of(site)
        self.desk = Desk.at(site, self.sender)
        Operator.of(site).change_integration(self.sender.integration_id, absent=absent).expect(200)

    def meet_again(self):
        """After a restart, at the address of now."""
        erp = self.sender.erp.at(self.site.address)
        self.sender = Sender(self.site.address, erp.fetch_token(), erp.integration_id)
        self.sender.erp = erp
        self.desk = Desk.at(self.site, self.sender)

    def push(self, content):
        """Returns the event id; None: it was refused at once."""
        body = {"event_id": catalog.fresh_event_id(), "generated_at": catalog.now_text()} | content
        reply = self.sender.snapshot(body)
        if reply.status == 422:
            return None
        expect_acceptance(reply, body["event_id"], "accepted")
        return body["event_id"]

    def end_of(self, event_id):
        """What became of it: its result; None where it was refused, at once or when it was applied."""
        if not event_id:
            return None
        record = self.sender.wait_for(event_id, *ENDED)
        if record["status"] == "applied":
            return record["result"]
        assert self.absent == "keep", record
        assert "option_axes" in record["last_error"] and record["errors"], record
        assert all(row["list"] == "products" for row in record["errors"]), record
        return None

    def products(self):
        return read_rows(self.desk.products, "products")

    def set_offers(self):
        """Prices and stock of what there is; a snapshot sets the prices anew."""
        pairs = [(row["id"], variant["id"]) for row in self.products().values()
                 if not row["archived"] for variant in row["variants"]]
        if pairs:
            self.sender.apply(CHANGES, catalog.changes(
                [catalog.stock_row(index, *pair) for index, pair in enumerate(pairs)],
                [catalog.price_row(7, *pair) for pair in pairs]))


class Twins:
    """One keeps what is absent; the other is told it."""

    def __init__(self, site):
        self.site = site
        self.keeper, self.twin = Point(site, "keep"), Point(site, "remove")
        self.model = KeptCatalog()
        self.last, self.is_killed = None, False

    def take(self, step):
        if step == "changes":
            self.keeper.set_offers()
            self.twin.set_offers()
        elif step == "kill":
            self.is_killed = True  # during the next snapshot
        elif step == "again" and self.last:
            self.put(self.last)
        elif isinstance(step, dict):
            self.put(step)

    def put(self, content):
        self.last = content
        written, kept = self.model.write_out(copy.deepcopy(content))
        sent, twin_sent = self.keeper.push(content), self.twin.push(written)
        if self.is_killed:
            self.kill()
        result, wanted = self.keeper.end_of(sent), self.twin.end_of(twin_sent)
        if wanted is not None:
            wanted["kept"] = kept
            self.model.take(written)
        assert result == wanted, written
        assert self.keeper.products() == self.twin.products()

    def kill(self):
        self.is_killed = False
        self.site.processes[-1].kill()
        self.site.processes.clear()
        self.site.clock.advance(LEASE_S + 1)  # else what died in between waits for so long
        self.site.serve()
        self.keeper.meet_again()
        self.twin.meet_again()


@settings(max_examples=CASES, deadline=None, database=None, print_blob=True,
          phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_keeping_is_writing_it_out(site, steps):
    twins = Twins(site)
    for step in steps:
        twins.take(step)


# --- every pair of types

def test_a_kept_value_is_of_the_type_that_its_definition_has_now(site):
    """Every value of every type, under every other one."""
    point, kinds = Point(site, "keep"), [*VALUES, "enum"]
    samples = [(kind, {"value": value}) for kind, values in VALUES.items() for value in values]
    samples += [("enum", {"value_id": "red"}), ("enum", {"value_id": "blue", "value": "a text"}),
                ("string", {"value": "a text", "value_id": "red"})]
    cases = {f"{index}-{kind}": (old, attribute, kind)
             for index, (old, attribute) in enumerate(samples) for kind in kinds}
    rows = [{"attribute_id": case_id} | attribute for case_id, (_, attribute, _) in cases.items()]
    product = catalog.product(attributes=rows)
    old = [catalog.definition(case_id, kind) for case_id, (kind, _, _) in cases.items()]
    new = [catalog.definition(case_id, kind) for case_id, (_, _, kind) in cases.items()]
    point.sender.apply(SNAPSHOT, catalog.snapshot([product], attribute_definitions=old))
    lean = catalog.snapshot([catalog.without(product, "attributes")], attribute_definitions=new)
    assert point.sender.apply(SNAPSHOT, lean)["result"]["kept"] == 1
    shown = {row["attribute_id"] for row in point.desk.product("p-1").expect(200)["attributes"]}
    wanted = {row["attribute_id"] for row, definition in zip(rows, new) if fits(row, definition)}
    assert shown == wanted and len(wanted) < len(rows)
    # What stays could be said, and nothing else.
    for row, definition in zip(rows, new):
        said = catalog.snapshot([catalog.product(attributes=[row])],
                                attribute_definitions=[definition])
        status = 202 if row["attribute_id"] in wanted else 422
        assert point.sender.snapshot(said).status == status, (row, definition)
