"""The lines about events on their way to webhook endpoints, which are the load generator itself."""

import tempfile
from functools import partial

from host import Herald, run_load
from orders import sink_address
from table import at_least, at_most, judge, number
from turns import ROUNDS, Contender, measure_in_turn

ENDPOINTS = 10
CONNECTIONS = 32
CODES = 2000  # of a backlog; each is an event for each endpoint
PACE, PACE_SECONDS = 50, 4
RATES_MIN = {"SQLite": 3000, "PostgreSQL": 2000}
SETTINGS = {"HERALD_WEBHOOK_ALLOW_HTTP": "true", "HERALD_WEBHOOK_NETWORKS": "loopback"}


class Webhooks(Contender):
    """herald, with its endpoints."""

    def enter(self, options, postgres, stack, sink):
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        database = postgres if self.engine == "PostgreSQL" else None
        self.program = stack.enter_context(Herald(options.herald, folder, database, SETTINGS))
        self.program.make_fleet()
        for index in range(ENDPOINTS):
            self.program.post("/internal/v1/webhook-endpoints", {
                "url": f"http://{sink}/{index}", "types": ["otp.canceled"], "full_numbers": True})
        self.options = ["--key-file", self.program.key_file, "--fleet", self.program.fleet_file,
                        "--sink", sink]

    def act(self, load, scenario, seconds, extra):
        self.measure(lambda: run_load(load, self.program, scenario, CONNECTIONS, seconds,
                                      [*self.options, *extra]))


def backlog_row(fsync_ms, contender):
    rate = contender.median("rate")
    goal, verdict = judge({"rate": rate}, {"rate": at_least(RATES_MIN[contender.engine])})
    cost_us = contender.cpu_s * 1e6 / (CODES * ENDPOINTS * len(contender.results))
    return (
        f"events to {ENDPOINTS} webhook endpoints that take 1 ms",
        contender.engine,
        f"{number(rate)} deliveries/s of a backlog of {CODES * ENDPOINTS:,}{contender.spread('rate')}",
        goal,
        verdict,
        f"an fsync is {fsync_ms:.2f} ms",
        f"{cost_us:,.0f} us CPU, its share of making and canceling the code included, "
        f"{contender.program.rss_mb():.0f} MB",
    )


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


def measure(load, make_row, options, postgres, fsync_ms):
    sink = sink_address()
    return measure_in_turn(
        [Webhooks(engine) for engine in ("SQLite", "PostgreSQL") if engine == "SQLite" or postgres],
        "events to webhook endpoints",
        ROUNDS,
        lambda contender, stack: contender.enter(options, postgres, stack, sink),
        lambda contender: contender.act(options.load, *load),
        lambda contender: [make_row(fsync_ms, contender)],
    )


LINES = (  # name, title, what measures it on all engines
    ("hooks", "a backlog of events for webhooks",
     partial(measure, ("hooks", 1, ["--orders", str(CODES)]), backlog_row)),
    ("hook_arrivals", "changes on their way to webhooks",
     partial(measure, ("hook_arrivals", PACE_SECONDS, ["--pace", str(PACE)]), arrival_row)),
)

NOTES = """\
- The webhook endpoints are within the load generator, as the ERP of the orders is. Each code that is
  canceled is an event that all ten of them want. Of a backlog the time runs from when it gives the
  answers that it kept back until all are delivered. The time of a change runs from the answer to the
  request that made it to its arrival at each endpoint; one that overtakes the answer counts as 0.
"""
