"""The lines about other packages of ERPs than snapshots: how fast they are taken and applied, how
that grows, and that nobody else has to wait for it."""

import os
import statistics
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager

import flat
from bodies import (
    PRODUCTS,
    SNAPSHOT,
    Shop,
    make_changes,
    make_hostile,
    make_short,
    offers_of,
)
from erp import Erp, Wire
from host import BenchFailed, Herald, run_load
from table import at_least, at_most, goals_on, judge, number

SNAPSHOT_PAUSE_S = 0.01  # between two looks at the status of a package
CHANGE_PAUSE_S = 0.001
CHANGES_MADE = 60
SMALL_CLIENTS, SMALL_SECONDS, SMALL_PRODUCTS = 32, 5, 1000
SMALL_INTEGRATIONS = (1, 8)
DRAIN_MAX_S = 120
SIZES = (1, 2, 4, 8)  # times PRODUCTS
GROWN_TURNS, GROWN_CHANGES, SEARCHES, PAGE = 3, 15, 20, 100
CODES_CONNECTIONS, CODES_SECONDS = 32, 8
CODES_REQUESTS = {"SQLite": 1000, "PostgreSQL": 400}  # a second
HOSTILE_SENDERS = 2
REFUSALS = (400, 413, 422)


@contextmanager
def serve(options, engine, postgres):
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        with Herald(options.herald, folder, postgres if engine == "PostgreSQL" else None) as herald:
            yield herald


def median_words(times_ms):
    return (
        f"p50 {number(statistics.median(times_ms))} ms "
        f"({number(min(times_ms))} to {number(max(times_ms))} in {len(times_ms)})"
    )


def median_row(title, engine, times_ms, goals, limit="", cost=""):
    goal, verdict = judge({"p50_ms": statistics.median(times_ms)}, goals)
    return (title, engine, median_words(times_ms), goal, verdict, limit, cost)


# --- change -------------------------------------------------------------------------------------


def measure_changes(options, engine, postgres):
    shop = Shop(options.erp)
    offers = shop.offers
    made = [make_changes(offers, turn) for turn in range(1, CHANGES_MADE + 1)]
    with serve(options, engine, postgres) as herald, Erp(herald) as erp:
        erp.apply(shop.first, SNAPSHOT_PAUSE_S)
        cpu_s = herald.cpu_s()
        times = [erp.apply(package, CHANGE_PAUSE_S) for package in made]
        cpu_s = herald.cpu_s() - cpu_s
    if any(record["result"]["prices"]["changed"] != 1000 for _, _, record in times):
        raise BenchFailed("packages of changes do not change what they should")
    limit = ""
    if postgres:
        update_ms = flat.update_ms(postgres, shop.products, offers)
        limit = f"one UPDATE of 2,000 flat rows on PostgreSQL: {number(update_ms)} ms"
    accepted = statistics.median(accepted_ms for accepted_ms, _, _ in times)
    title, applied, measured, *rest = median_row(
        "change of 2,000 rows (prices and stocks): POST -> applied",
        engine,
        [applied_ms for _, applied_ms, _ in times],
        goals_on(engine, {"p50_ms": at_most(10)}),
        limit,
        f"{cpu_s * 1000 / len(times):.1f} ms CPU",
    )
    return [(title, applied, f"{measured}; 202 after {number(accepted)} ms", *rest)]


# --- packages -----------------------------------------------------------------------------------


def make_senders(herald, stack, count):
    """Integrations with a small catalog each, and files about them for the generator."""
    products, snapshot, _ = make_short(SMALL_PRODUCTS)
    erps = [stack.enter_context(Erp(herald)) for _ in range(count)]
    for erp in erps:
        erp.apply(snapshot, SNAPSHOT_PAUSE_S)
    senders, offers = (os.path.join(herald.folder, name) for name in ("senders", "offers"))
    with open(senders, "w", encoding="ascii") as file:
        file.writelines(f"{erp.integration_id} {erp.token}\n" for erp in erps)
    with open(offers, "w", encoding="ascii") as file:
        file.writelines(f"{product} {variant}\n" for product, variant in offers_of(products))
    return erps, ["--senders", senders, "--offers", offers]


def newest_receipt(erp, **query):
    events = erp.read("events", limit=1, **query)[1]["events"]
    return events[0]["receipt"] if events else 0


def count_behind(erp):
    """Packages that are not applied yet, as they are applied in order."""
    newest = newest_receipt(erp)
    return newest - newest_receipt(erp, status="applied") if is_waiting(erp) else 0


def is_waiting(erp):
    return any(newest_receipt(erp, status=status) for status in ("accepted", "processing", "retry"))


def drain(erps):
    """How many packages lag behind, and how long until all are applied."""
    start = time.monotonic()
    behind = sum(count_behind(erp) for erp in erps)
    while any(is_waiting(erp) for erp in erps):
        if time.monotonic() > start + DRAIN_MAX_S:
            raise BenchFailed(f"{behind} packages lag behind, and are not applied in two minutes")
        time.sleep(0.02)
    return behind, time.monotonic() - start


def measure_small(options, engine, postgres, integrations):
    with serve(options, engine, postgres) as herald, ExitStack() as stack:
        erps, extra = make_senders(herald, stack, integrations)
        cpu_s = herald.cpu_s()
        result = run_load(options.load, herald, "packages", SMALL_CLIENTS, SMALL_SECONDS, extra)
        sent_cpu_s = herald.cpu_s() - cpu_s
        behind, drain_s = drain(erps)
        floor = run_load(options.load, herald, "floor", SMALL_CLIENTS, 2)
        peak_mb = herald.peak_mb()
    goal, verdict = judge(result, goals_on(engine, {"rate": at_least(10000)}))
    over = "one integration" if integrations == 1 else f"{integrations} integrations"
    return (
        f"202 of packages of 1 to 5 changed rows, {SMALL_CLIENTS} clients, {over}",
        engine,
        f"{number(result['rate'])} packages/s, p50 {number(result['p50_ms'])} ms, "
        f"p99 {number(result['p99_ms'])} ms; then {behind:,} of {result['count']:,} lag behind, "
        f"all are applied {drain_s:.1f} s later",
        goal,
        verdict,
        f"HTTP alone {number(floor['rate'])} requests/s",
        f"{sent_cpu_s * 1e6 / result['count']:,.0f} us CPU, {peak_mb:.0f} MB at the most",
    )


def measure_packages(options, engine, postgres):
    return [measure_small(options, engine, postgres, count) for count in SMALL_INTEGRATIONS]


# --- growth -------------------------------------------------------------------------------------


def read_pages(erp):
    """The times of all pages of a catalog, one after the other."""
    times, query = [], {}
    while True:
        read_ms, page = erp.read("products", limit=PAGE, **query)
        times.append(read_ms)
        if not page["next_cursor"]:
            return times
        query = {"cursor": page["next_cursor"]}


def search(erp, words, found):
    times = []
    for word in words:
        read_ms, page = erp.read("products", q=word, limit=PAGE)
        times.append(read_ms)
        if len(page["products"]) != found:
            raise BenchFailed(f"the search for {word!r} finds {len(page['products'])} products")
    return times


def measure_size(herald, products):
    """The medians of what is done with a catalog of so many products."""
    rows, first, some = make_short(products)
    offers = offers_of(rows)
    with Erp(herald) as erp:
        figures = {"first": [erp.apply(first, SNAPSHOT_PAUSE_S)[1]], "same": [], "some": []}
        for _ in range(GROWN_TURNS):
            figures["same"].append(erp.apply(first, SNAPSHOT_PAUSE_S)[1])
        for turn in range(2 * GROWN_TURNS):
            other = first if turn % 2 else some
            figures["some"].append(erp.apply(other, SNAPSHOT_PAUSE_S)[1])
        figures["change"] = [
            erp.apply(make_changes(offers, turn), CHANGE_PAUSE_S)[1]
            for turn in range(1, GROWN_CHANGES + 1)
        ]
        figures["page"] = read_pages(erp)
        words = [f"ВАР {products // SEARCHES * turn:06d}" for turn in range(SEARCHES)]
        figures["found"] = search(erp, words, 1)
        figures["nothing"] = search(erp, [f"{word}0" for word in words], 0)
    medians = {name: number(statistics.median(times)) for name, times in figures.items()}
    return medians, first.length


def measure_growth(options, engine, postgres):
    rows = []
    for size in SIZES:
        products = size * PRODUCTS
        with serve(options, engine, postgres) as herald:
            ms, length = measure_size(herald, products)
            peak_mb = herald.peak_mb()
        rows.append(
            (
                f"{products:,} products of a short form, {length / 1e6:.1f} MB",
                engine,
                f"snapshot -> applied: first {ms['first']} ms, 1 % changed {ms['some']} ms, "
                f"unchanged {ms['same']} ms; 2,000 changed rows {ms['change']} ms; a page of "
                f"{PAGE} {ms['page']} ms; a search that finds one {ms['found']} ms, "
                f"none {ms['nothing']} ms",
                "",
                "",
                "",
                f"{peak_mb:.0f} MB at the most",
            )
        )
    return rows


# --- undisturbed --------------------------------------------------------------------------------


class Disturber(threading.Thread):
    """Does something again and again until it is told to end."""

    def __init__(self, act):
        super().__init__()
        self.act = act
        self.count = 0
        self.fault = None
        self.is_over = threading.Event()

    def run(self):
        try:
            while not self.is_over.is_set():
                self.act(self.count)
                self.count += 1
        except (BenchFailed, OSError) as fault:
            self.fault = fault

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.join()
        if self.fault:
            raise BenchFailed(f"what should disturb: {self.fault}") from self.fault


def snapshot_sender(erp, shop):
    def act(turn):
        erp.apply(shop.first if turn % 2 else shop.all, SNAPSHOT_PAUSE_S)

    return act


def hostile_sender(erp, bodies):
    """Each over a connection of its own, which herald may close before it has read all."""

    def act(turn):
        body = bodies[turn % len(bodies)]
        wire = Wire(erp.herald.address)
        try:
            status, text = wire.exchange(erp.head(SNAPSHOT, "bench-hostile", len(body)), body)
        except (BrokenPipeError, ConnectionResetError):
            return
        finally:
            wire.close()
        if status not in REFUSALS:
            raise BenchFailed(f"a hostile body is answered {status} {text[:200].decode()}")

    return act


def codes_row(options, herald, engine, title, goals, acts):
    """Codes at a pace while the acts go on."""
    pace = CODES_REQUESTS[engine]
    extra = ["--key-file", herald.key_file, "--fleet", herald.fleet_file, "--pace", str(pace)]
    with ExitStack() as stack:
        disturbers = [stack.enter_context(Disturber(act)) for act in acts]
        result = run_load(options.load, herald, "codes", CODES_CONNECTIONS, CODES_SECONDS, extra)
        turns = sum(disturber.count for disturber in disturbers)
    if acts and turns < 2:
        raise BenchFailed("there was hardly anything that disturbed")
    goal, verdict = judge(result, goals)
    return (
        f"OTP create -> claim -> result -> verify, {pace // 4} codes/s, {title}",
        engine,
        f"create + verify p50 {number(result['p50_ms'])} ms, p99 {number(result['p99_ms'])} ms, "
        f"max {number(result['max_ms'])} ms; claim p50 {number(result['claim_p50_ms'])} ms, "
        f"p99 {number(result['claim_p99_ms'])} ms, max {number(result['claim_max_ms'])} ms"
        + (f"; {turns} of them" if acts else ""),
        goal,
        verdict,
        "",
        f"{herald.peak_mb():.0f} MB at the most",
    )


def measure_undisturbed(options, engine, postgres):
    shop = Shop(options.erp)
    hostile = list(make_hostile().values())
    snapshot_goals = {"p99_ms": at_most(50), "claim_p99_ms": at_most(50)}
    hostile_goals = {"p99_ms": at_most(100), "claim_p99_ms": at_most(100)}
    with serve(options, engine, postgres) as herald, Erp(herald) as erp:
        herald.make_fleet()
        erp.apply(shop.first, SNAPSHOT_PAUSE_S)
        senders = [hostile_sender(erp, hostile) for _ in range(HOSTILE_SENDERS)]
        return [
            codes_row(options, herald, engine, "alone", {}, []),
            codes_row(
                options,
                herald,
                engine,
                "beside snapshots of 25 MB, one after the other",
                goals_on(engine, snapshot_goals),
                [snapshot_sender(erp, shop)],
            ),
            codes_row(
                options,
                herald,
                engine,
                f"beside {HOSTILE_SENDERS} senders of 25 MB of `[` and of a million keys",
                hostile_goals,
                senders,
            ),
        ]


LINES = (  # name, title, what measures it on an engine
    ("change", "a change of 2,000 rows", measure_changes),
    ("packages", "small packages", measure_packages),
    ("growth", "growing catalogs", measure_growth),
    ("undisturbed", "codes beside packages", measure_undisturbed),
)

NOTES = """\
- Small packages hold one to five prices and stocks of any products of a catalog of 1,000.
- The products of a short form have a name, a category, and one variant with a price and an SKU, so
  that 120,000 of them are below 25 MB. Each size has a database of its own; pages are read one
  behind the other through the whole catalog.
- Codes fall due at their pace, answered or not, and their times run from then: 1,000 requests a
  second on SQLite, 400 on PostgreSQL. The snapshots beside them change all products, each sent
  when the one before is applied.
"""
