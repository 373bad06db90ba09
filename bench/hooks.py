"""The lines about events on their way to webhook endpoints, which are the load generator itself."""

import os
import re
import sqlite3
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from functools import partial

from host import BenchFailed, Herald, Postgres, Program, run_load
from orders import sink_address
from peer import PEERS
from table import at_least, at_most, failed_row, judge, number
from turns import ROUNDS, Contender, measure_in_turn

ENDPOINTS = 10
IN_FLIGHT = 16  # of an endpoint
CONNECTIONS = 32
CODES = 2000  # of a backlog; each is an event for each endpoint
PACE, PACE_SECONDS = 50, 4
RATES_MIN = {"SQLite": 3000, "PostgreSQL": 2000}
RATIO_MIN = 1.2
WAITING = 100_000  # deliveries, for the endpoint that is dead
OTHERS_LATER_MS = 20  # at the 99th percentile, at most, beside it
WAITING_MB = 16  # what they may take of memory
PEER_START_MAX_S = 10
SETTINGS = {"HERALD_WEBHOOK_ALLOW_HTTP": "true", "HERALD_WEBHOOK_NETWORKS": "loopback"}


class Webhooks(Contender):
    """herald, with its endpoints."""

    def enter(self, options, postgres, stack, sink):
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        database = postgres if self.engine == "PostgreSQL" else None
        self.program = stack.enter_context(Herald(options.herald, folder, database, SETTINGS))
        self.program.make_fleet()
        for index in range(ENDPOINTS):
            self.add_endpoint(f"{sink}/{index}")
        self.options = ["--key-file", self.program.key_file, "--fleet", self.program.fleet_file,
                        "--sink", sink]

    def add_endpoint(self, place):
        return self.program.post("/internal/v1/webhook-endpoints", {
            "url": f"http://{place}", "types": ["otp.canceled"], "full_numbers": True})["id"]

    def act(self, load, scenario, seconds, extra):
        self.measure(lambda: run_load(load, self.program, scenario, CONNECTIONS, seconds,
                                      [*self.options, *extra]))


# --- Beside a peer --------------------------------------------------------------------------------


class Sender(Program):
    """The peer's one process."""

    def __init__(self, folder, sink):
        super().__init__(os.path.join(folder, "hooks.log"))
        self.sink = sink

    def __enter__(self):
        script = os.path.join(PEERS, "hooks", "server.py")
        self.spawn([sys.executable, script, self.sink, str(ENDPOINTS), str(IN_FLIGHT)], os.environ)
        give_up = time.monotonic() + PEER_START_MAX_S
        while not self.has_address():
            if self.process.poll() is not None or time.monotonic() > give_up:
                self.stop()
                raise BenchFailed(f"the peer does not start: {self.last_words()}")
            time.sleep(0.02)
        return self

    def __exit__(self, *_):
        self.stop()

    def has_address(self):
        with open(self.log_file, encoding="utf-8") as log:
            found = re.search(r"^listening on (\S+)$", log.read(), re.MULTILINE)
        self.address = found.group(1) if found else None
        return found is not None


class ByHand(Contender):
    """A program of Python's standard library, which delivers what herald delivered before it."""

    def __init__(self):
        super().__init__(f"http.client, Python {sys.version.split()[0]}")

    def enter(self, options, _postgres, stack, sink):
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        self.program = stack.enter_context(Sender(folder, sink))
        self.options = ["--sink", sink]

    def act(self, load, _scenario, seconds, extra):
        self.measure(lambda: run_load(load, self.program, "hooks_by_peer", CONNECTIONS, seconds,
                                      [*self.options, *extra]))


def backlog_row(fsync_ms, peer, contender):
    result, goals, beside = contender.medians(), {}, ""
    if contender is not peer:
        goals["rate"] = at_least(RATES_MIN[contender.engine])
    if contender is not peer and not peer.fault:
        result["ratio"] = result["rate"] / peer.median("rate")
        goals["ratio"] = at_least(RATIO_MIN)
        beside = f", {number(result['ratio'])} times the peer's"
    goal, verdict = judge(result, goals)
    cost_us = contender.cpu_s * 1e6 / (CODES * ENDPOINTS * len(contender.results))
    share = "taking the event" if contender is peer else "making and canceling the code"
    return (
        f"events to {ENDPOINTS} webhook endpoints that take 1 ms",
        contender.engine,
        f"{number(result['rate'])} deliveries/s of a backlog of {CODES * ENDPOINTS:,}"
        f"{contender.spread('rate')}{beside}",
        goal,
        verdict,
        f"an fsync is {fsync_ms:.2f} ms",
        f"{cost_us:,.0f} us CPU, its share of {share} included, "
        f"{contender.program.rss_mb():.0f} MB",
    )


def engines_of(postgres):
    return ["SQLite", "PostgreSQL"] if postgres else ["SQLite"]


def measure_in_rounds(contenders, load, make_row, options, postgres):
    sink = sink_address()
    return measure_in_turn(
        contenders,
        "events to webhook endpoints",
        ROUNDS,
        lambda contender, stack: contender.enter(options, postgres, stack, sink),
        lambda contender: contender.act(options.load, *load),
        lambda contender: [make_row(contender)],
    )


def measure_backlog(options, postgres, fsync_ms):
    peer = ByHand()
    contenders = [Webhooks(engine) for engine in engines_of(postgres)]
    bodies = os.path.join(options.folder, "hook-bodies")
    load = "hooks", 1, ["--orders", str(CODES), "--bodies", bodies]
    make_row = partial(backlog_row, fsync_ms, peer)
    return measure_in_rounds([*contenders, peer], load, make_row, options, postgres)


# --- A change -------------------------------------------------------------------------------------


def arrival_row(fsync_ms, contender):
    result = contender.medians()
    goal, verdict = judge(result, {"p99_ms": at_most(100)})
    return (
        f"a change to {ENDPOINTS} webhook endpoints, {PACE} changes/s",
        contender.engine,
        f"p50 {number(result['p50_ms'])} ms, p99 {number(result['p99_ms'])} ms"
        f"{contender.spread('p99_ms')}",
        goal,
        verdict,
        f"an fsync is {fsync_ms:.2f} ms",
        f"{contender.cpu_s * 1e6 / contender.total('count'):,.0f} us CPU a delivery, "
        f"{contender.program.rss_mb():.0f} MB",
    )


ARRIVALS = "hook_arrivals", PACE_SECONDS, ["--pace", str(PACE)]


def measure_arrivals(options, postgres, fsync_ms):
    contenders = [Webhooks(engine) for engine in engines_of(postgres)]
    return measure_in_rounds(contenders, ARRIVALS, partial(arrival_row, fsync_ms), options, postgres)


# --- Beside an endpoint that is dead --------------------------------------------------------------

WAIT = {  # so many more of the newest delivery of an endpoint, as if nobody had attempted them
    engine: f"""
        {numbers} INSERT INTO webhook_delivery (id, endpoint_id, seq, event_id, type, state, attempts,
            due_at, created_at, updated_at)
        SELECT {fresh_id}, d.endpoint_id, d.seq, d.event_id, d.type, 'pending', 0, d.created_at,
            d.created_at, d.created_at
        FROM n, (SELECT * FROM webhook_delivery WHERE endpoint_id = {endpoint}
            ORDER BY created_at DESC, id DESC LIMIT 1) AS d"""
    for engine, numbers, fresh_id, endpoint in (
        ("SQLite", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})",
         "CAST(x'{time}' || randomblob(8) AS BLOB)", "x'{endpoint}'"),
        ("PostgreSQL", "WITH n(i) AS (SELECT generate_series(1, {count}))",
         "decode('{time}' || substr(md5(random()::text), 1, 16), 'hex')",
         "decode('{endpoint}', 'hex')"),
    )
}


def add_waiting(contender, endpoint_id):
    """While herald does not run: an embedded database is its own."""
    sql = WAIT[contender.engine].format(count=WAITING, time=f"{int(time.time() * 1000):012x}7000",
                                        endpoint=endpoint_id.replace("-", ""))
    herald = contender.program
    if contender.engine == "PostgreSQL":
        Postgres(herald.environment["HERALD_DATABASE_URL"]).query(sql)
        return
    with closing(sqlite3.connect(os.path.join(herald.folder, "herald.db"))) as database:
        with database:
            database.execute(sql)


def dead_row(fsync_ms, contender, alone_mb):
    alone, result = contender.results[0], contender.results[-1]
    beside_mb = contender.program.rss_mb()
    bound = round(alone["p99_ms"] + OTHERS_LATER_MS, 1)
    goal, verdict = judge({**result, "more_mb": beside_mb - alone_mb},
                          {"p99_ms": at_most(bound), "more_mb": at_most(WAITING_MB)})
    return (
        f"the same beside an endpoint that is dead, for which {WAITING:,} deliveries wait",
        contender.engine,
        f"p50 {number(result['p50_ms'])} ms, p99 {number(result['p99_ms'])} ms; alone, before: "
        f"p50 {number(alone['p50_ms'])} ms, p99 {number(alone['p99_ms'])} ms",
        goal,
        verdict,
        f"an fsync is {fsync_ms:.2f} ms",
        f"{beside_mb:.0f} MB, and {alone_mb:.0f} MB alone",
    )


def measure_one_beside(options, fsync_ms, contender, postgres):
    with ExitStack() as stack:
        contender.enter(options, postgres, stack, sink_address())
        contender.act(options.load, *ARRIVALS)
        alone_mb = contender.program.rss_mb()
        dead = contender.add_endpoint(f"{sink_address()}/dead")
        contender.act(options.load, *ARRIVALS)  # it has deliveries of its own now
        contender.program.stop()
        add_waiting(contender, dead)
        contender.program.start()
        contender.act(options.load, *ARRIVALS)
        return dead_row(fsync_ms, contender, alone_mb)


def measure_beside(options, postgres, fsync_ms):
    rows = []
    for engine in engines_of(postgres):
        try:
            rows.append(measure_one_beside(options, fsync_ms, Webhooks(engine), postgres))
        except BenchFailed as fault:
            rows.append(failed_row("events beside an endpoint that is dead", engine, fault))
    return rows


LINES = (  # name, title, what measures it on all engines
    ("hooks", "a backlog of events for webhooks", measure_backlog),
    ("hook_arrivals", "changes on their way to webhooks", measure_arrivals),
    ("hook_waiting", "the same beside an endpoint that is dead", measure_beside),
)

NOTES = """\
- The webhook endpoints are within the load generator, as the ERP of the orders is. Each code that is
  canceled is an event that all ten of them want. Of a backlog the time runs from when it gives the
  answers that it kept back until all are delivered. The time of a change runs from the answer to the
  request that made it to its arrival at each endpoint; one that overtakes the answer counts as 0.
- Beside herald stands a program as a team writes it that delivers its events by itself
  (bench/peers/hooks): Python's standard library, a thread for each of as many connections, which stay
  open; it signs each delivery, too. It is given the bodies that herald delivered in the same round, and
  delivers them to the same endpoints, whose answers are kept back in the same way. It stores nothing:
  neither what waits nor what came of it, which herald does in its database.
- Where an endpoint is dead, nothing listens; the deliveries that wait for it are copied into the database
  while herald does not run.
"""
