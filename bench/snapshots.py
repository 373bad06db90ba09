"""The lines about snapshots of a catalog: how fast one is taken and applied, beside what one writes
with a framework."""

import tempfile
import time
from functools import partial

import flat
import framework
from bodies import PRODUCTS, Shop
from erp import Erp
from host import BenchFailed, Herald
from packages import SNAPSHOT_PAUSE_S, median_row
from table import at_most, judge, number
from turns import ROUNDS, Contender, measure_in_turn

PEER_PAUSE_S = 0.05
ALL_MAX_S = 180  # of a contender
ACCEPTED_MAX_MS, PEAK_MAX_MB = 150, 150

KINDS = {  # and the goals of each engine, in ms
    "first": ("into an empty catalog", {"SQLite": 600, "PostgreSQL": 2000}),
    "all": ("all products changed", {"SQLite": 600, "PostgreSQL": 2000}),
    "some": ("1 % of the products changed", {"SQLite": 600, "PostgreSQL": 2000}),
    "same": ("nothing changed", {"SQLite": 250, "PostgreSQL": 250}),
}


class Taker(Contender):
    """Who takes snapshots, and how long that took, by kind."""

    has_goals = True
    pause_s = SNAPSHOT_PAUSE_S  # between two looks at the status of a package
    later = ("same", "some", "all")  # kinds of a round
    turns = 2  # of each

    def __init__(self, engine):
        super().__init__(engine)
        self.before_mb = 0
        self.accepted = []
        self.applied = {kind: [] for kind in KINDS}
        self.cpu_s_of = {kind: 0 for kind in KINDS}
        self.spent_s = 0

    def enter(self, options, postgres, stack):
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        self.program = stack.enter_context(self.serve(options, folder, postgres))
        self.before_mb = self.program.peak_mb()

    def serve(self, options, folder, postgres):
        database = postgres if self.engine == "PostgreSQL" else None
        return Herald(options.herald, folder, database)

    def open(self):
        """An ERP with an empty catalog."""
        return Erp(self.program)

    def act(self, shop):
        """One round."""
        started = time.monotonic()
        with self.open() as erp:
            self.apply(erp, "first", shop.first)
            others = {"same": shop.first, "some": shop.some, "all": shop.all}
            for kind in self.later:
                for turn in range(self.turns):
                    self.apply(erp, kind, shop.first if turn % 2 else others[kind])
        self.spent_s += time.monotonic() - started
        if self.spent_s > ALL_MAX_S:
            raise BenchFailed(f"{len(self.accepted)} snapshots take longer than {ALL_MAX_S} s")

    def apply(self, erp, kind, package):
        cpu_s = self.program.cpu_s()
        accepted_ms, applied_ms, record = erp.apply(package, self.pause_s)
        self.cpu_s_of[kind] += self.program.cpu_s() - cpu_s
        self.accepted.append(accepted_ms)
        self.applied[kind].append(applied_ms)
        self.check(kind, record)

    def check(self, kind, record):
        """That a snapshot did what its line says."""
        products, prices = record["result"]["products"], record["result"]["prices"]
        touched = products["added"] + products["changed"] + products["archived"]
        touched += prices["changed"]
        is_right = {
            "first": products["added"] == PRODUCTS,
            "all": touched >= PRODUCTS,
            "some": 0 < touched < PRODUCTS / 20,
            "same": touched == 0,
        }
        if not is_right[kind]:
            raise BenchFailed(f"not what a snapshot of this kind ({kind}) does: {record['result']}")

    def goal(self, figure, bound):
        return {figure: at_most(bound)} if self.has_goals else {}

    def limits(self, options, shop, postgres):
        """The least that what it does takes on this machine, in words, by row."""
        floor_ms = flat.intake_floor_ms(options, self.program.folder, shop.first)
        bytes_words = "the same bytes received, packed, written, durable"
        words = {"accepted": f"{bytes_words}: {number(floor_ms)} ms"}
        if postgres:
            first_ms, again_ms = flat.upsert_ms(postgres, shop.products)
            words["first"] = f"COPY + upsert of flat rows into PostgreSQL: {number(first_ms)} ms"
            words["all"] = f"the same over rows that are there: {number(again_ms)} ms"
        return words


class PeerTaker(Taker):
    """The framework's service, which knows no goals and counts nothing that it changed."""

    has_goals = False
    pause_s = PEER_PAUSE_S
    later = ("same", "all")
    turns = 1

    def __init__(self):
        super().__init__(framework.TITLE)

    def serve(self, options, folder, postgres):
        return framework.serve(options, folder, postgres)

    def open(self):
        return framework.PeerErp(self.program)

    def check(self, kind, record):
        pass

    def limits(self, options, shop, postgres):
        return {}


def kind_rows(contender, limits):
    for kind, (what, bounds) in KINDS.items():
        times_ms = contender.applied[kind]
        if times_ms:
            yield median_row(
                f"the same: POST -> applied, {what}",
                contender.engine,
                times_ms,
                contender.goal("p50_ms", bounds.get(contender.engine)),
                limits.get(kind, ""),
                f"{contender.cpu_s_of[kind] / len(times_ms):.2f} s CPU",
            )


def make_rows(options, shop, postgres, contender):
    engine, peak_mb = contender.engine, contender.program.peak_mb()
    limits = contender.limits(options, shop, postgres)
    accepted = median_row(
        f"snapshot of {shop.first.length / 1e6:.1f} MB, {PRODUCTS:,} products: POST -> 202",
        engine,
        contender.accepted,
        contender.goal("p50_ms", ACCEPTED_MAX_MS),
        limits.get("accepted", ""),
    )
    goal, verdict = judge({"peak_mb": peak_mb}, contender.goal("peak_mb", PEAK_MAX_MB))
    words = f"{peak_mb:,.0f} MB; {contender.before_mb:,.0f} MB before the first"
    count = len(contender.program.pids())
    whose = "the process" if count == 1 else f"its {count} processes"
    memory = (f"the same: most memory of {whose}", engine, words, goal, verdict, "", "")
    return [accepted, *kind_rows(contender, limits), memory]


def measure(options, postgres, _):
    """The rows of all."""
    shop = Shop(options.erp)
    contenders = [Taker("SQLite")]
    contenders += [Taker("PostgreSQL"), PeerTaker()] if postgres else []
    return measure_in_turn(
        contenders,
        "snapshots",
        ROUNDS,
        lambda contender, stack: contender.enter(options, postgres, stack),
        lambda contender: contender.act(shop),
        partial(make_rows, options, shop, postgres),
    )


LINES = (("snapshot", "snapshots", measure),)  # name, title, what measures it on all engines

NOTES = """\
- The snapshots are those of the simulated ERP (`sim/erp`), as they come: categories, definitions,
  attributes, axes, barcodes, option groups, in Cyrillic. The time runs from the first byte sent
  over a connection that is open. That a package is applied is seen by asking for its status, with
  a pause of 10 ms in between (1 ms for changes); each asking takes about 0.2 ms of a core. Where
  all products are changed, a third has another name or text, the others another price, a tenth
  came and a tenth went.
- Flat rows are two tables, of products and of variants, in the PostgreSQL of this run: psql, COPY
  into a temporary table, INSERT ... ON CONFLICT DO UPDATE, one transaction; nothing is taken,
  checked, or compared.
- Beside herald stands a service as one writes it with FastAPI, pydantic and SQLAlchemy, on the same
  PostgreSQL (bench/peers/fastapi; 380 lines, half of them models): two processes of uvicorn check a
  snapshot, store it as it came, and answer once that is committed; another, woken by NOTIFY, lays
  it into tables of categories, products and variants by upserts of one transaction, removes what is
  gone, and archives products. It does less than herald: one token for all, no references between
  records checked, attributes and options as JSON, numbers of more than 15 digits rounded, nothing
  counted or compared, so that an unchanged snapshot costs what a changed one does, and no second
  attempts. Its status is asked for with a pause of 50 ms.
"""
