"""Another herald beside this one (bench/run --against HERALD): both are up at once and are measured
in turn, slice by slice, so that what slows the machine down for a while meets both. What comes out
is how fast this one is by the other, and how much CPU time it takes by the other, each as the median
of the slices with its 95 % interval. Above 1 is faster, and more."""

import copy
import math
import random
import statistics
import tempfile
from contextlib import ExitStack
from functools import partial

from bodies import Shop, make_changes
from erp import Erp
from host import BenchFailed, Herald, run_load
from lines import WHOLE, Entrant
from orders import MANY, PACE, Outbox, backlog_of, sink_address
from packages import (
    CHANGE_PAUSE_S,
    SMALL_CLIENTS,
    SMALL_INTEGRATIONS,
    SNAPSHOT_PAUSE_S,
    drain,
    make_senders,
)
from snapshots import KINDS, Taker
from table import failed_row
from turns import Contender

SLICES = 16  # of each, unless it is said
STARTS = 4  # of each, since where the threads of one start lie makes it faster or slower for good
LONG_SLICES = {"snapshot": 4}  # slices of these lines are as long as so many
SLICE_S = 1
CHANGES_IN_SLICE = 5
RESAMPLES = 4000
WORSE_AT_MOST = 0.95  # of the other's speed


# --- Who is measured: each gives figures of a slice, of which less is better --------------------


class Requests(Entrant):
    """A line of requests over many connections."""

    def __init__(self, line, engine):
        line = copy.copy(line)
        line.seconds = SLICE_S if line.unit and not line.flash else 2 * SLICE_S
        super().__init__(line, engine)

    def slice(self, options):
        self.act(options.load)
        result = self.results[-1]
        if self.line.unit and not self.line.flash:
            return {"": 1 / result["rate"]}, result["count"]
        return {"p50": result["p50_ms"]}, result["count"]


class Packages(Contender):
    """Small packages of so many integrations."""

    def __init__(self, integrations, engine):
        super().__init__(engine)
        self.integrations = integrations

    def enter(self, options, postgres, stack):
        enter_herald(self, options, postgres, stack)
        self.erps, self.extra = make_senders(self.program, stack, self.integrations)

    def slice(self, options):
        result = run_load(
            options.load, self.program, "packages", SMALL_CLIENTS, SLICE_S, self.extra
        )
        _, drain_s = drain(self.erps)
        whole_s = (result["seconds"] + drain_s) / result["count"]
        return {"202": 1 / result["rate"], "until applied": whole_s}, result["count"]


class Changes(Contender):
    """Packages of 2,000 changed rows, one after the other."""

    def __init__(self, shop, engine):
        super().__init__(engine)
        self.shop = shop
        self.turn = 0

    def enter(self, options, postgres, stack):
        enter_herald(self, options, postgres, stack)
        self.erp = stack.enter_context(Erp(self.program))
        self.erp.apply(self.shop.first, SNAPSHOT_PAUSE_S)

    def slice(self, options):
        times = []
        for _ in range(CHANGES_IN_SLICE):
            self.turn += 1
            package = make_changes(self.shop.offers, self.turn)
            times.append(self.erp.apply(package, CHANGE_PAUSE_S)[1])
        return {"": statistics.median(times)}, CHANGES_IN_SLICE


class Snapshots(Taker):
    """A snapshot of each kind into a catalog of its own."""

    def __init__(self, shop, engine):
        super().__init__(engine)
        self.shop = shop
        self.spent_s = -math.inf

    def slice(self, options):
        before = {kind: len(times) for kind, times in self.applied.items()}
        self.act(self.shop)
        figures = {
            KINDS[kind][0]: statistics.median(times[before[kind] :])
            for kind, times in self.applied.items()
        }
        return figures, sum(map(len, self.applied.values())) - sum(before.values())


class Orders(Outbox):
    """A backlog of orders, or orders at a pace."""

    def __init__(self, scenario, integrations, engine):
        super().__init__(engine, integrations)
        self.scenario = scenario

    def enter(self, options, postgres, stack):
        super().enter(options, postgres, stack, sink_address())

    def slice(self, options):
        if self.scenario == "arrivals":
            self.act(options.load, "arrivals", 2 * SLICE_S, lambda _: ["--pace", str(PACE)])
            return {"p50": self.results[-1]["p50_ms"]}, self.results[-1]["count"]
        self.act(options.load, "orders", 1, lambda one: ["--orders", str(backlog_of(one))])
        result = self.results[-1]
        figures = {"delivered": 1 / result["rate"], "accepted": 1 / result["accept_rate"]}
        return figures, 2 * backlog_of(self)


def enter_herald(contender, options, postgres, stack):
    folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
    database = postgres if contender.engine == "PostgreSQL" else None
    contender.program = stack.enter_context(Herald(options.herald, folder, database))


# --- Two of them ----------------------------------------------------------------------------------


def measure_slice(contender, options):
    """The figures of a slice, and the CPU time of a unit."""
    before_s = contender.program.cpu_s()
    figures, count = contender.slice(options)
    return figures | {"CPU": (contender.program.cpu_s() - before_s) / count}


def interval(ratios):
    """The median, and where it lies with 95 %."""
    chance = random.Random(1)
    medians = sorted(
        statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES)
    )
    at = RESAMPLES * 25 // 1000
    return statistics.median(ratios), medians[at], medians[-1 - at]


def compare(slices):
    """By figure, this one's by the other's: of a time the speed, of CPU time how much it takes."""
    ratios = {name: [] for name in slices[0][0]}
    for this, other in slices:
        for name, values in ratios.items():
            values.append(this[name] / other[name] if name == "CPU" else other[name] / this[name])
    return {name: interval(values) for name, values in ratios.items()}


def words_of(found, speed_min=WORSE_AT_MOST):
    """Whether it is surely not worse, surely worse, or not known."""
    parts, is_kept, is_lost = [], True, False
    for name, (median, least, most) in found.items():
        label = "CPU" if name == "CPU" else f"{name} speed".strip()
        parts.append(f"{label} {median:.3f} ({least:.3f} to {most:.3f})")
        if name != "CPU":
            is_kept = is_kept and least >= speed_min
            is_lost = is_lost or most < speed_min
    return "; ".join(parts), "**no**" if is_lost else "yes" if is_kept else "not known"


def measure_start(this, other, options, others, postgres, turns):
    """The slices of these turns, by two that are started for them."""
    slices = []
    with ExitStack() as stack:
        this.enter(options, postgres, stack)
        other.enter(others, postgres, stack)
        order = ((this, options), (other, others))
        for one, its in order:  # to get warm
            measure_slice(one, its)
        for turn in turns:
            found = {one: measure_slice(one, its) for one, its in order[:: 1 - 2 * (turn % 2)]}
            slices.append((found[this], found[other]))
    return slices


def measure_pair(name, title, make, options, others, postgres):
    """A row: slices of both in turn, each first as often as the other, over several starts."""
    count = max(STARTS, options.slices // LONG_SLICES.get(name, 1))
    slices = []
    for start in range(STARTS):
        turns = range(start * count // STARTS, (start + 1) * count // STARTS)
        slices += measure_start(make(), make(), options, others, postgres, turns)
    words, verdict = words_of(compare(slices))
    goal = f"speed >= {WORSE_AT_MOST}"
    return (title, make().engine, words, goal, verdict, "", f"{len(slices)} slices of each")


def make_pairs(options):
    """The name and title of each line, and what makes a contender on an engine."""
    # A gateway that hangs does so once: after that its circuit is open.
    repeated = [line for line in WHOLE if not (line.flash and line.flash.beside)]
    pairs = [(line.name, line.title, partial(Requests, line)) for line in repeated]
    for count in SMALL_INTEGRATIONS:
        title = f"packages of 1 to 5 rows, {count} integration{'s' * (count > 1)}"
        pairs.append(("packages", title, partial(Packages, count)))
    shop = Shop(options.erp)
    pairs.append(("change", "change of 2,000 rows: POST -> applied", partial(Changes, shop)))
    pairs.append(("snapshot", "snapshot of 25 MB: POST -> applied", partial(Snapshots, shop)))
    for name, count in (("orders", MANY), ("lane", 1)):
        title = f"orders to an ERP, {count} integration{'s' * (count > 1)}"
        pairs.append((name, title, partial(Orders, "orders", count)))
    title = "accepted order to its ERP"
    return [*pairs, ("arrivals", title, partial(Orders, "arrivals", MANY))]


def measure(options, postgres, show):
    """The rows of all lines, or of those that are asked for."""
    others = copy.copy(options)
    others.herald = options.against
    rows = []
    for name, title, make in make_pairs(options):
        if options.lines and name not in options.lines:
            continue
        for engine in ["SQLite"] + ["PostgreSQL"] * bool(postgres):
            try:
                one = partial(make, engine)
                rows.append(measure_pair(name, title, one, options, others, postgres))
            except (BenchFailed, OSError) as fault:
                rows.append(failed_row(title, engine, fault))
            show(rows[-1])
    return rows
