"""The line about tables that grow: what an operation costs with one, ten and a hundred times as
many rows of what was done before. Herald writes some rows of each kind; the others are copies of
them with keys of their own, laid down by SQL while it is stopped."""

import math
import os
import random
import sqlite3
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import orders
from bodies import make_changes, make_short, offers_of
from erp import Erp, Wire
from host import BenchFailed, Herald, run_load
from table import number
from turns import Contender

TIMES = (1, 10, 100)
CODES, PHONES, PRODUCTS, ORDERS = 10_000, 1_000, 2_000, 2_000  # rows of each kind, once
RATIO_MAX, MORE_MAX_MS = 2, 0.5  # a hundred times the rows: twice the time, or so much more of it
SEARCH_MS = {"SQLite": 5, "PostgreSQL": 10}  # of codes by a number
ROUNDS = 3
CODES_LOAD = (8, 2, 200)  # connections, seconds, requests a second
LOG_LOAD = (1, 2, 200)
ARRIVALS_LOAD = (8, 1, 200)
SEED_LOAD = (8, 1, 200)
PAGES, READS, SEARCHES, CHANGES, LISTS = 30, 200, 6, 8, 40
PAGE = 50
APPLY_PAUSE_S = 0.001
DAY_MS = 86_400_000


# --- Rows ---------------------------------------------------------------------------------------


def an_id(index):
    """As old as no id of herald's."""
    return b"\x01" + index.to_bytes(15, "big")


def a_number(index):
    return f"+7900{index:07d}"


BUSY_NUMBER, BUSY_SHARE = "+79009999999", 10  # has one of so many codes


POSTGRES_FUNCTIONS = """
CREATE FUNCTION bench_id(i bigint) RETURNS bytea LANGUAGE sql IMMUTABLE
    AS $$ SELECT decode('01' || lpad(to_hex(i), 30, '0'), 'hex') $$;
CREATE FUNCTION bench_number(i bigint) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT '+7900' || lpad(i::text, 7, '0') $$;
"""
NO_TRIGGERS = "SET session_replication_role = replica"


class SqliteRows:
    """The files of a herald that is stopped."""

    def __init__(self, herald):
        self.folder = herald.folder

    @staticmethod
    def numbers(count):
        return (
            "(WITH RECURSIVE counted (i) AS"
            f" (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < {count})"
            " SELECT i FROM counted)"
        )

    def run(self, copies, settled):
        for name in ("herald.db", "herald-exchange.db"):
            self.run_in(os.path.join(self.folder, name), [*copies, *settled])

    def run_in(self, path, sql):
        """What is about tables of this file."""
        with closing(sqlite3.connect(path, isolation_level=None)) as file:
            file.create_function("bench_id", 1, an_id, deterministic=True)
            file.create_function("bench_number", 1, a_number, deterministic=True)
            file.execute("PRAGMA synchronous = OFF")
            file.execute("PRAGMA journal_mode = OFF")  # each page is written once
            file.execute("PRAGMA cache_size = -200000")
            file.execute("BEGIN")
            tables = {name for (name,) in file.execute("SELECT name FROM sqlite_schema")}
            for table, statement in sql:
                if table in tables:
                    file.execute(statement)
            file.execute("COMMIT")
            file.execute("PRAGMA journal_mode = WAL")

    def columns_of(self, table):
        for name in ("herald.db", "herald-exchange.db"):
            with closing(sqlite3.connect(os.path.join(self.folder, name))) as file:
                found = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
            if found:
                return found
        raise BenchFailed(f"there is no table {table}")


class PostgresRows:
    """The database of a herald that is stopped."""

    def __init__(self, herald):
        self.url = herald.environment["HERALD_DATABASE_URL"]

    def psql(self, sql):
        command = ["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d", self.url]
        ended = subprocess.run(command, input=sql, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise BenchFailed(f"PostgreSQL: {ended.stderr.strip()}")
        return ended.stdout.split()

    @staticmethod
    def numbers(count):
        return f"(SELECT i FROM generate_series(1, {count}::bigint) AS numbers (i))"

    def run(self, copies, settled):
        """Tables are filled side by side, by as many sessions as there are processors."""
        self.psql(POSTGRES_FUNCTIONS)
        with ThreadPoolExecutor(os.cpu_count()) as sessions:
            for _ in sessions.map(lambda row: self.psql(f"{NO_TRIGGERS}; {row[1]};"), copies):
                pass
        self.psql("".join(f"{statement};" for _, statement in settled))
        self.psql("DROP FUNCTION bench_id, bench_number; VACUUM ANALYZE; CHECKPOINT;")

    def columns_of(self, table):
        return self.psql(
            "SELECT column_name FROM information_schema.columns"
            f" WHERE table_name = '{table}' ORDER BY ordinal_position"
        )


def copy(rows, table, like, changes, count):
    """Copies of the row that `like` finds; `changes` says what differs in the i-th one."""
    columns = rows.columns_of(table)
    values = ", ".join(changes.get(column, f"s.{column}") for column in columns)
    return table, (
        f"INSERT INTO {table} ({', '.join(columns)})"
        f" SELECT {values} FROM {rows.numbers(count)} AS numbers"
        f" CROSS JOIN (SELECT * FROM {table} WHERE {like} LIMIT 1) AS s"
    )


AN_ID, EARLIER = "bench_id(i)", f"- {DAY_MS} / 2 + i"
CREATED = {"created_at": f"s.created_at {EARLIER}"}
A_PRODUCT = "(s.product / 4294967296) * 4294967296 + 1000000 + i"
AN_ERP_ID = "'bench-' || i"
A_RECIPIENT = f"CASE WHEN i % {BUSY_SHARE} = 0 THEN '{BUSY_NUMBER}' ELSE bench_number(i) END"
ONE_PRODUCT = "product = (SELECT MIN(product) FROM catalog_product)"

# By what they are counted: each table, which row is copied, and what differs.
KINDS = {
    "codes": (
        ("otp", "state = 'confirmed'", {"id": AN_ID, "recipient": A_RECIPIENT, **CREATED}),
        (
            "phone_task",
            "state IN ('sent', 'delivered')",
            {"id": AN_ID, "owner_id": AN_ID, "recipient": A_RECIPIENT, **CREATED},
        ),
        ("idempotency_key", "1 = 1", {"key": AN_ERP_ID, "resource_id": AN_ID}),
        ("log_entry", "1 = 1", {"id": "(SELECT last_id FROM log_head) + i"}),
    ),
    "phones": (
        ("device", "1 = 1", {"id": AN_ID, "key_hash": AN_ID}),
        (
            "device_number",
            "active_challenges = 0",
            {
                "number": "bench_number(i)",
                "device_id": AN_ID,
                "is_ready": "0",
                "sim_ready_until": "0",
            },
        ),
    ),
    "products": (
        ("catalog_product", ONE_PRODUCT, {"product": A_PRODUCT, "id": AN_ERP_ID}),
        (
            "catalog_product_doc",
            ONE_PRODUCT,
            {"product": A_PRODUCT, "doc": "replace(s.doc, '{product_id}', 'bench-' || i)"},
        ),
        (
            "catalog_product_name",
            ONE_PRODUCT,
            {"product": A_PRODUCT, "folded": "'tea ' || i || '.'"},
        ),
        ("catalog_variant", ONE_PRODUCT, {"product": A_PRODUCT}),
        ("catalog_offer", ONE_PRODUCT, {"product": A_PRODUCT}),
        ("erp_package", "status = 'applied'", {"event_id": AN_ERP_ID, "receipt": "1000000 + i"}),
    ),
    "orders": (
        ("order_delivery", "state = 'accepted'", {"id": AN_ID, **CREATED}),
        ("order_attempt", "outcome = 'accepted'", {"id": AN_ID}),
    ),
}
SETTLED = (  # what herald gives numbers from
    ("log_head", "UPDATE log_head SET last_id = (SELECT MAX(id) FROM log_entry)"),
    ("catalog", "UPDATE catalog SET last_product = 2000000"),
    ("erp_receipt", "UPDATE erp_receipt SET last_receipt = 2000000"),
)


def counts_of(options):
    return {
        "codes": options.codes,
        "phones": PHONES,
        "products": PRODUCTS,
        "orders": ORDERS,
    }


def grow(rows, product_id, times, counts):
    """So many times as many rows of each kind."""
    sql = [
        copy(rows, table, like, changes, times * counts[kind])
        for kind, tables in KINDS.items()
        for table, like, changes in tables
    ]
    sql = [(table, statement.replace("{product_id}", product_id)) for table, statement in sql]
    rows.run(sql, SETTLED)


# --- Operations ---------------------------------------------------------------------------------


class Site(Contender):
    """A herald with phones, a sales point with a catalog, and another one whose orders the load
    generator takes; all of them did much before."""

    def __init__(self, engine, times):
        super().__init__(engine)
        self.times = times
        self.copies = times * PRODUCTS
        self.codes_laid = 0
        self.figures = {}  # by what is done: those of each round
        self.turn = 0

    def enter(self, options, postgres, stack):
        settings = {"HERALD_ERP_ALLOW_HTTP": "true", "HERALD_ERP_NETWORKS": "loopback"}
        database = postgres if self.engine == "PostgreSQL" else None
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        herald = stack.enter_context(Herald(options.herald, folder, database, settings))
        self.program, self.load, self.sink = herald, options.load, orders.sink_address()
        herald.make_fleet()
        self.erp = Erp(herald)
        stack.callback(lambda: self.erp.wire.close())
        products = self.seed()
        herald.stop()
        rows = PostgresRows(herald) if database else SqliteRows(herald)
        counts = counts_of(options)
        self.codes_laid = self.times * counts["codes"]
        grow(rows, products[0]["id"], self.times, counts)
        herald.start()

    def seed(self):
        """Some rows of each kind. Returns the products."""
        products, snapshot, _ = make_short(PRODUCTS // 2)
        self.erp.apply(snapshot, APPLY_PAUSE_S)
        self.change(offers_of(products))
        outbox = orders.Outbox(self.engine, 1)
        outbox.program = self.program
        with open(self.outbox, "w", encoding="ascii") as file:
            file.write(" ".join(outbox.make_integration(self.sink, 10)) + "\n")
        self.run("codes", SEED_LOAD)
        self.run("arrivals", SEED_LOAD)
        outbox.check()
        return products

    @property
    def outbox(self):
        return os.path.join(self.program.folder, "bench-integrations")

    def connect(self):
        """Anew, since herald closes what is idle while the others are measured, and a token lasts
        for less than ten million rows take."""
        self.erp.wire.close()
        self.erp.wire = Wire(self.program.address)
        self.erp.token = self.erp.fetch_token()

    def run(self, scenario, load):
        connections, seconds, pace = load
        herald = self.program
        extra = ["--key-file", herald.key_file, "--fleet", herald.fleet_file, "--pace", str(pace)]
        extra += ["--integrations", self.outbox, "--sink", self.sink]
        return run_load(self.load, herald, scenario, connections, seconds, extra)

    def some_copies(self, count):
        chance = random.Random(self.copies)
        return [chance.randint(1, self.copies) for _ in range(count)]

    def change(self, offers):
        self.turn += 1
        return self.erp.apply(make_changes(offers, self.turn), APPLY_PAUSE_S)[1]

    def changes(self):
        """Of the same products each time, as many as there are at the least: herald remembers their
        numbers, whatever else there is."""
        chosen = random.Random(0).sample(range(1, self.copies + 1), PRODUCTS)
        offers = [(f"bench-{index}", "default") for index in chosen]
        return [self.change(offers) for _ in range(1 + CHANGES)][1:]

    def pages(self):
        times, query = [], {}
        while len(times) < PAGES:
            read_ms, page = self.erp.read("products", limit=PAGE, **query)
            times.append(read_ms)
            query = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
        return times

    def products(self):
        return [self.erp.read(f"products/bench-{one}")[0] for one in self.some_copies(READS)]

    def search(self, words, found):
        times = []
        for word in words:
            read_ms, page = self.erp.read("products", q=word, limit=PAGE)
            times.append(read_ms)
            if len(page["products"]) != found:
                raise BenchFailed(f"a search finds {len(page['products'])} products")
        return times

    def found(self):
        return self.search([f"tea {one}." for one in self.some_copies(SEARCHES)], 1)

    def common(self):
        return self.search(["tea"] * SEARCHES, PAGE)

    def packages(self):
        return [self.erp.read("events", limit=PAGE, status="applied")[0] for _ in range(LISTS)]

    def find_codes(self, count, found, **query):
        """All pages are as long as that."""
        times = []
        for _ in range(count):
            read_ms, page = self.erp.look("otp", limit=PAGE, **query)
            times.append(read_ms)
            if len(page["codes"]) != found:
                raise BenchFailed(f"a search finds {len(page['codes'])} codes")
        return times

    def codes_of_a_number(self):
        """Of numbers that have one each."""
        chance, times = random.Random(self.codes_laid), []
        for _ in range(LISTS):
            index = chance.randrange(self.codes_laid // BUSY_SHARE) * BUSY_SHARE + 1
            times += self.find_codes(1, 1, recipient=a_number(index))
        return times

    def codes_of_the_busy_number(self):
        return self.find_codes(LISTS, PAGE, recipient=BUSY_NUMBER)

    def all_of_a_number(self):
        """What a search for everything finds: of the number one code, and nothing else."""
        chance, times = random.Random(self.codes_laid), []
        for _ in range(LISTS):
            index = chance.randrange(self.codes_laid // BUSY_SHARE) * BUSY_SHARE + 1
            read_ms, page = self.erp.look("search", q=a_number(index))
            times.append(read_ms)
            codes = [row for row in page["results"] if row["type"] == "otp"]
            if len(codes) != 1:
                raise BenchFailed(f"a search for a number finds {len(codes)} codes")
        return times

    def codes_of_a_rare_state(self):
        """There is none: each search looks at as many as it may."""
        return self.find_codes(SEARCHES, 0, state="canceled")

    def codes(self):
        return self.run("codes", CODES_LOAD)

    def log(self):
        return self.run("log", LOG_LOAD)

    def arrivals(self):
        return self.run("arrivals", ARRIVALS_LOAD)


def summary(made):
    """The figures of a run of the generator, or of times."""
    if isinstance(made, dict):
        return made
    made = sorted(made)
    last = min(len(made) - 1, int(len(made) * 0.99))
    return {"p50_ms": statistics.median(made), "p99_ms": made[last], "count": len(made)}


class Operation:
    """What is measured, and which figures of it are shown."""

    def __init__(self, title, kind, act, figure="", has_goal=True, most_ms=None):
        self.title = title
        self.kind = kind  # whose rows grow
        self.act = act
        self.figure = figure  # before the names of the figures
        self.has_goal = has_goal
        self.most_ms = most_ms or {}  # by engine: p99 at the last size


OPERATIONS = (
    Operation("OTP create + verify", "codes", Site.codes),
    Operation("claim of its SMS", "codes", Site.codes, "claim_"),
    Operation("log entry to its reader", "codes", Site.log),
    Operation(
        "the codes of a number that has one", "codes", Site.codes_of_a_number, most_ms=SEARCH_MS
    ),
    Operation(
        f"the newest {PAGE} codes of a number that has a tenth",
        "codes",
        Site.codes_of_the_busy_number,
        most_ms=SEARCH_MS,
    ),
    Operation(
        "a search for everything by the number of a code",
        "codes",
        Site.all_of_a_number,
        most_ms=SEARCH_MS,
    ),
    Operation(
        "a search of codes by a state that none has",
        "codes",
        Site.codes_of_a_rare_state,
        has_goal=False,
    ),
    Operation("accepted order to its ERP", "orders", Site.arrivals),
    Operation("change of 2,000 rows: POST -> applied", "products", Site.changes, has_goal=False),
    Operation(f"a page of {PAGE} products", "products", Site.pages),
    Operation("a product", "products", Site.products),
    Operation(f"the newest {PAGE} packages", "products", Site.packages),
    Operation("a search that finds one product", "products", Site.found, has_goal=False),
    Operation(f"a search that finds {PAGE} at once", "products", Site.common),
)
LAST = {Site.log}  # leaves SMS that nobody claims


def cpu_us_of(pid):
    """In steps that are finer than those of /proc/PID/stat."""
    total_ns = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
            total_ns += int(file.read().split()[0])
    return total_ns / 1000


def measure_operations(site, acts):
    """A round of them."""
    site.connect()
    for act in acts:
        cpu_us = cpu_us_of(site.program.process.pid)
        made = summary(act(site))
        made["cpu_us"] = (cpu_us_of(site.program.process.pid) - cpu_us) / made["count"]
        site.figures.setdefault(act, []).append(made)


# --- The line -----------------------------------------------------------------------------------


def measure_sites(options, engine, postgres):
    """All sizes, in turn."""
    acts = dict.fromkeys(operation.act for operation in OPERATIONS)
    last = acts.keys() & LAST
    sites = [Site(engine, times) for times in TIMES]
    with ExitStack() as stack:
        for site in sites:
            site.enter(options, postgres, stack)
        for _ in range(ROUNDS):
            for site in sites:
                measure_operations(site, [act for act in acts if act not in last])
        for site in sites:
            measure_operations(site, last)
    return sites


def make_row(engine, operation, sites, counts):
    def medians(name):
        return [
            statistics.median(made[name] for made in site.figures[operation.act]) for site in sites
        ]

    def words(name):
        return " / ".join(number(value) for value in medians(name))

    p50, p99 = f"{operation.figure}p50_ms", f"{operation.figure}p99_ms"
    first_ms, *_, last_ms = medians(p50)
    ratio, more_ms = last_ms / first_ms, last_ms - first_ms
    most_ms = operation.most_ms.get(engine, math.inf)
    is_met = (ratio <= RATIO_MAX or more_ms <= MORE_MAX_MS) and medians(p99)[-1] <= most_ms
    rows = " / ".join(f"{times * counts[operation.kind]:,}" for times in TIMES)
    has_goal = operation.has_goal
    goal = f"at most {RATIO_MAX}x, or {MORE_MAX_MS} ms more"
    if operation.most_ms:
        goal += f"; p99 <= {most_ms} ms"
    return (
        f"{operation.title}, beside {rows} {operation.kind}",
        engine,
        f"p50 {words(p50)} ms, p99 {words(p99)} ms; {TIMES[-1]}x the rows: {ratio:.1f}x the time",
        goal if has_goal else "",
        ("yes" if is_met else "**no**") if has_goal else "",
        "",
        "" if operation.figure else f"{words('cpu_us')} us CPU",
    )


def measure_growth(options, engine, postgres):
    sites = measure_sites(options, engine, postgres)
    counts = counts_of(options)
    return [make_row(engine, operation, sites, counts) for operation in OPERATIONS]


LINES = (("growth", "growing tables", measure_growth),)

NOTES = f"""\
- Beside {CODES:,} codes means beside as many codes that are over, each with its task, its key and
  its log entry, and {PHONES:,} phones; then ten and a hundred times as many. Herald writes some
  rows of each kind, and the others are copies of them with keys of their own, of which PostgreSQL
  then makes its statistics. The three sizes are up at once and are measured in turn, in {ROUNDS}
  rounds, at a pace that leaves herald idle in between. What lies in memory at the first size does
  not at the last, which costs a look into the file. The {PRODUCTS:,} products of a change are the
  same each time, and lie as far apart as there are others between them: on pages of their own in
  the end, which are then as many to write; so it has no goal. Nor has a search that reads all
  names, nor one of codes by a state alone, which looks at up to 20,000 of them. `bench/run growth
  --codes 100000` lays down ten million codes at the last size.
"""
