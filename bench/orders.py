"""The lines about orders on their way to ERPs. All that are compared are measured in turn; the
ERP is the load generator itself."""

import json
import os
import random
import secrets
import socket
import tempfile
import time
import uuid
from contextlib import ExitStack, contextmanager
from functools import partial

from host import BenchFailed, Herald, ask, run_load
from peer import NodePeer, describe_node_peer
from table import at_least, at_most, failed_row, judge, number
from turns import ROUNDS, Contender, measure_in_turn

PEERS = ("graphile-worker", "pg-boss")
PEER_CONCURRENCY = 100  # more does not help them
IN_FLIGHT = 4  # of an integration
MANY = 100
CONNECTIONS = 64  # of those who post orders
BACKLOGS = {MANY: 4000, 1: 1000}  # orders in a round, by integrations; on SQLite twice as many
DIRECT_SECONDS = 1
PACE, PACE_SECONDS = 300, 3
BESIDE_SECONDS, BESIDE_QUEUE = 10, 100  # orders that each ERP in trouble was to get
ERP_TIMEOUT_S = 2  # of the one that takes too long
OTHERS_LATER_MS = 5  # at the 99th percentile, at most, beside ERPs in trouble
RECORDED_MAX_S = 5
UNFINISHED = ("queued", "delivering", "rejected", "failed")
SINK_PORTS = range(20000, 30000)  # which no connection gets as its own


# --- Orders ---------------------------------------------------------------------------------------


def make_order(point_id):
    return {
        "id": str(uuid.uuid4()),
        "number": "A-1",
        "created_at": "2026-11-21T04:32:58.000Z",
        "point_id": point_id,
        "type": "delivery",
        "status": "confirmed",
        "payment_method": "card_online",
        "payment_status": "paid",
        "currency": "RUB",
        "subtotal": "250.00",
        "delivery_fee": "0",
        "total": "250.00",
        "customer": {"name": "Anna", "phone": "+79161234567"},
        "delivery": {"address": "Moscow, Tverskaya 1, 12", "scheduled_for": None},
        "comment": "",
        "items": [
            {
                "product_id": "coffee",
                "variant_id": "coffee-small",
                "name": "Coffee",
                "quantity": "1",
                "unit_price": "250.00",
                "line_total": "250.00",
                "modifiers": [],
            }
        ],
    }


# --- What delivers them ---------------------------------------------------------------------------


def sink_address():
    """Where nothing listens, and nothing will."""
    for port in random.sample(SINK_PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return f"127.0.0.1:{port}"
    raise BenchFailed("there is no port for the ERP")


class Deliverer(Contender):
    """A program that takes orders and delivers them."""

    has_goals = True

    def __init__(self, engine, integrations, in_flight):
        super().__init__(engine)
        self.integrations = integrations
        self.in_flight = in_flight  # deliveries at once, at most
        self.options = []

    def enter(self, options, postgres, stack, sink):
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        rows = self.start(options, postgres, stack, folder, sink)
        file = os.path.join(folder, "bench-integrations")
        with open(file, "w", encoding="ascii") as integrations:
            integrations.writelines(" ".join(row) + "\n" for row in rows)
        self.options += ["--integrations", file, "--sink", sink]

    def start(self, options, postgres, stack, folder, sink):
        """Rows of integrations and their points."""
        raise NotImplementedError

    def run(self, load, scenario, seconds, extra=()):
        return run_load(
            load, self.program, scenario, CONNECTIONS, seconds, [*self.options, *extra]
        )

    def act(self, load, scenario, seconds, extra):
        self.measure(lambda: self.run(load, scenario, seconds, extra(self)))

    def check(self):
        """That what was measured was also recorded."""


class Outbox(Deliverer):
    """herald."""

    def __init__(self, engine, integrations):
        super().__init__(engine, integrations, IN_FLIGHT * integrations)

    def start(self, options, postgres, stack, folder, sink):
        settings = {"HERALD_ERP_ALLOW_HTTP": "true", "HERALD_ERP_NETWORKS": "loopback"}
        database = postgres if self.engine == "PostgreSQL" else None
        herald = stack.enter_context(Herald(options.herald, folder, database, settings))
        self.program = herald
        self.options = ["--key-file", herald.key_file]
        # also while the ERP keeps its answers back
        return [self.make_integration(sink, 60) for _ in range(self.integrations)]

    def make_integration(self, address, timeout_s):
        point_id = str(uuid.uuid4())
        erp = {"base_url": f"http://{address}", "token": secrets.token_urlsafe(16)}
        made = self.program.post(
            "/internal/v1/integrations",
            {
                "tenant_id": str(uuid.uuid4()),
                "point_id": point_id,
                "name": "bench",
                "erp": {**erp, "timeout_seconds": timeout_s},
            },
        )
        return made["id"], point_id

    def queue_orders(self, address, count):
        """Orders of an integration of their own, for the ERP at `address`."""
        integration_id, point_id = self.make_integration(address, ERP_TIMEOUT_S)
        for _ in range(count):
            order = make_order(point_id)
            self.program.post(
                "/internal/v1/orders",
                {"integration_id": integration_id, "order": order},
                {"Idempotency-Key": order["id"]},
            )

    def check(self):
        give_up = time.monotonic() + RECORDED_MAX_S
        while any(self.has_orders(state) for state in UNFINISHED):
            if time.monotonic() > give_up:
                raise BenchFailed("not all orders are recorded as accepted")
            time.sleep(0.05)

    def has_orders(self, state):
        path = f"/internal/v1/orders?state={state}&limit=1"
        key = {"X-Internal-API-Key": self.program.key}
        status, text = ask(self.program.address, "GET", path, key)
        if status != 200:
            raise BenchFailed(f"GET {path}: {status} {text}")
        return len(json.loads(text)["orders"]) > 0


class Peer(Deliverer):
    """A library of jobs, on the same PostgreSQL."""

    has_goals = False

    def __init__(self, name, integrations):
        concurrency = IN_FLIGHT if integrations == 1 else PEER_CONCURRENCY
        super().__init__(describe_node_peer(name) + ", PostgreSQL", integrations, concurrency)
        self.name = name

    def start(self, options, postgres, stack, folder, sink):
        name, url = postgres.create()
        stack.callback(postgres.drop, name)
        arguments = [f"http://{sink}", str(self.in_flight)]
        settings = {"DATABASE_URL": url, "NO_LOG_SUCCESS": "1"}
        self.program = stack.enter_context(
            NodePeer(self.name, options.build, folder, arguments, settings)
        )
        return [(str(uuid.uuid4()), str(uuid.uuid4())) for _ in range(self.integrations)]


def make_contenders(postgres, integrations):
    contenders = [Outbox("SQLite", integrations)]
    if postgres:
        contenders.append(Outbox("PostgreSQL", integrations))
        contenders += [Peer(name, integrations) for name in PEERS]
    return contenders


def measure(options, postgres, integrations, load, make_row):
    """The rows of all."""
    sink = sink_address()

    def make_rows(contender):
        contender.check()
        return [make_row(contender)]

    return measure_in_turn(
        make_contenders(postgres, integrations),
        "orders to an ERP",
        ROUNDS,
        lambda contender, stack: contender.enter(options, postgres, stack, sink),
        lambda contender: contender.act(options.load, *load),
        make_rows,
    )


# --- A backlog ------------------------------------------------------------------------------------


def backlog_of(contender):
    return BACKLOGS[contender.integrations] * (2 if contender.engine == "SQLite" else 1)


def direct_rate(options, contender):
    """What the ERP takes of the generator itself over as many connections."""
    extra = ["--in-flight", str(contender.in_flight)]
    return contender.run(options.load, "direct", DIRECT_SECONDS, extra)["rate"]


def backlog_row(options, fsync_ms, rate_min, contender):
    rate = contender.median("rate")
    goals = {"rate": at_least(rate_min)} if contender.has_goals else {}
    goal, verdict = judge({"rate": rate}, goals)
    count = contender.integrations
    whose = "one integration" if count == 1 else f"{count} integrations"
    backlog = backlog_of(contender)
    cost_us = contender.cpu_s * 1e6 / (2 * backlog * len(contender.results))
    return (
        f"orders to an ERP that takes 1 ms, {whose}, up to {contender.in_flight} at once",
        contender.engine,
        f"{number(rate)} deliveries/s of a backlog of {backlog:,}{contender.spread('rate')}; "
        f"accepted before, at {number(contender.median('accept_rate'))}/s; "
        f"accepted and delivered at once: {number(contender.median('whole_rate'))}/s",
        goal,
        verdict,
        f"the generator itself to the ERP, {contender.in_flight} connections: "
        f"{number(direct_rate(options, contender))} orders/s; an fsync is {fsync_ms:.2f} ms",
        f"{cost_us:,.0f} us CPU, accepting it included, {contender.program.rss_mb():.0f} MB",
    )


def measure_backlog(integrations, rate_min, options, postgres, fsync_ms):
    def extra(contender):
        return ["--orders", str(backlog_of(contender))]

    load = "orders", 1, extra
    make_row = partial(backlog_row, options, fsync_ms, rate_min)
    return measure(options, postgres, integrations, load, make_row)


# --- The first attempt ----------------------------------------------------------------------------


def arrival_row(options, fsync_ms, contender):
    result = contender.medians()
    goal, verdict = judge(result, {"p99_ms": at_most(50)} if contender.has_goals else {})
    floor = run_load(options.load, contender.program, "floor", 1, 1)
    return (
        f"accepted order to its ERP, {PACE} orders/s, {contender.integrations} integrations",
        contender.engine,
        f"p50 {number(result['p50_ms'])} ms, p99 {number(result['p99_ms'])} ms"
        f"{contender.spread('p99_ms')}; from its POST p50 {number(result['sent_p50_ms'])} ms, "
        f"p99 {number(result['sent_p99_ms'])} ms",
        goal,
        verdict,
        f"a request over HTTP: p50 {number(floor['p50_ms'])} ms; an fsync is {fsync_ms:.2f} ms",
        f"{contender.cpu_s * 1e6 / contender.total('count'):,.0f} us CPU, "
        f"{contender.program.rss_mb():.0f} MB",
    )


def measure_arrivals(options, postgres, fsync_ms):
    load = "arrivals", PACE_SECONDS, lambda contender: ["--pace", str(PACE)]
    make_row = partial(arrival_row, options, fsync_ms)
    return measure(options, postgres, MANY, load, make_row)


# --- Beside ERPs in trouble -----------------------------------------------------------------------


@contextmanager
def silent_erp():
    """The address of an ERP that lets everybody connect, and says nothing."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1024)
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def beside_row(options, fsync_ms, alone, contender):
    result = contender.results[-1]
    bound = round(alone["p99_ms"] + OTHERS_LATER_MS, 1)
    goal, verdict = judge(result, {"p99_ms": at_most(bound)})
    return (
        f"the same beside an ERP that is down and one that takes longer than its {ERP_TIMEOUT_S} s,"
        f" {BESIDE_QUEUE} orders to each",
        contender.engine,
        f"p50 {number(result['p50_ms'])} ms, p99 {number(result['p99_ms'])} ms; alone, a moment "
        f"before: p50 {number(alone['p50_ms'])} ms, p99 {number(alone['p99_ms'])} ms",
        goal,
        verdict,
        f"an fsync is {fsync_ms:.2f} ms",
        f"{contender.program.rss_mb():.0f} MB",
    )


def measure_one_beside(options, fsync_ms, contender, postgres, sink):
    pace = BESIDE_SECONDS, lambda _: ["--pace", str(PACE)]
    with ExitStack() as stack:
        contender.enter(options, postgres, stack, sink)
        contender.act(options.load, "arrivals", *pace)
        for address in (sink_address(), stack.enter_context(silent_erp())):
            contender.queue_orders(address, BESIDE_QUEUE)
        contender.act(options.load, "arrivals", *pace)
        return beside_row(options, fsync_ms, contender.results[0], contender)


def measure_beside(options, postgres, fsync_ms):
    engines = ["SQLite", "PostgreSQL"] if postgres else ["SQLite"]
    rows = []
    for engine in engines:
        try:
            contender = Outbox(engine, MANY)
            rows.append(measure_one_beside(options, fsync_ms, contender, postgres, sink_address()))
        except BenchFailed as fault:
            rows.append(failed_row("orders beside ERPs in trouble", engine, fault))
    return rows


LINES = (  # name, title, what measures it on all engines
    ("orders", "orders of many integrations", partial(measure_backlog, MANY, 5000)),
    ("lane", "orders of one integration", partial(measure_backlog, 1, 1000)),
    ("arrivals", "accepted orders on their way", measure_arrivals),
    ("trouble", "the same beside ERPs in trouble", measure_beside),
)

NOTES = """\
- The ERP of the lines about orders is within the load generator: it answers each order with its
  document 1 ms after it came, and sees to it that each comes once, with its own body. For a backlog
  it keeps its answers back while the orders are posted, so that each integration has as many under
  way as it may; the time runs from when it gives them until all are delivered, and those that were
  under way before are not counted. Then as many are posted and delivered at once: the time runs
  from the first POST to the last answer of the ERP. The CPU time of PostgreSQL's server is not in
  the cost.
- Beside herald stands npm's graphile-worker, on the same PostgreSQL: a job for each order, its task
  posts the order over connections that stay open (undici), with a local queue of 500 and jobs
  completed in batches, as its page about performance has it, 100 at once (4 for one integration);
  orders that come while others are stored are stored together (add_jobs). It is one node process,
  knows no integrations, keeps no record of attempts, and stores what names a customer as it is.
- pg-boss stands there in the same way: a queue with a table of its own, four workers, which are
  woken by NOTIFY, fetch 250 jobs at a time, without a pause while as many come, and settle each job
  on its own (perJobResults); up to 100 connections (4 for one integration) bound what is under way.
  It keeps done jobs with their payload for a week, and knows no more than the other.
- The ERPs in trouble: nothing listens where the one should be, and the other lets everybody connect
  and says nothing. Their orders are accepted a moment before the others are posted, so that all
  that herald does about them falls into that time: time-outs, retries, open circuits, probes.
- The time of an accepted order runs from the answer of its POST to its arrival at the ERP; one that
  overtakes the answer counts as 0.
"""
