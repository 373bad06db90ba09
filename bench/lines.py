"""The lines about requests over many connections: codes, SMS, calls, the log, tokens."""

import tempfile
from functools import partial

import identity
import otp
import sms
from host import BenchFailed, Herald, Provider, run_load
from table import at_least, at_most, goals_on, judge, number
from turns import ROUNDS, Contender, measure_in_turn

FLOOR_S = 2
FLASH_PACES = {"SQLite": 1050, "PostgreSQL": 350}  # a second: a little more than the goal
HUNG_MIN = 100  # calls of a slow gateway that make it a measurement


class Line:
    """One row of the table: what is run, and what it should reach."""

    def __init__(
        self,
        name,
        title,
        unit,
        connections,
        seconds,
        requests,
        goals,
        is_durable=True,
        flash=None,
        scenario=None,
        has_clients=False,
        peers=(),
    ):
        self.name = name
        self.title = title
        self.unit = unit  # what the rate counts; None where a time is the figure
        self.connections = connections
        self.seconds = seconds  # of a round
        self.requests = requests  # HTTP requests that one unit takes
        self.goals = goals  # by engine, at least SQLite's: figures of the result with their bounds
        self.is_durable = is_durable
        self.flash = flash  # a Flash, where herald calls providers
        self.scenario = scenario or name  # of the generator
        self.has_clients = has_clients  # workload clients in place of a fleet
        self.peers = peers  # what is measured beside herald


class Flash:
    """Flash calls at a pace, through providers that take their time."""

    def __init__(self, paces, answer_ms, beside=0, beside_answer_ms=0):
        self.paces = paces  # by engine
        self.answer_ms = answer_ms
        self.beside = beside  # codes for the messenger gateway, created before
        self.beside_answer_ms = beside_answer_ms

    def orders(self):
        """For Provider."""
        slow_calls = {"provider": "ucaller", "method": "initCall", "wait_ms": self.answer_ms}
        slow_gateway = {"provider": "telegram_gateway", "wait_ms": self.beside_answer_ms}
        orders = [slow_calls, slow_gateway] if self.beside else [slow_calls]
        return [{"what": "slow", **order} for order in orders]

    def options(self, engine, provider):
        """For the generator."""
        options = ["--pace", str(self.paces[engine]), "--provider", provider.control_address]
        return options + (["--beside", str(self.beside)] if self.beside else [])

    def words(self, provider):
        """What was under way at once."""
        words = f"; up to {provider.in_flight_max('ucaller')} calls under way"
        if not self.beside:
            return words
        hung = provider.in_flight_max("telegram_gateway")
        if hung < HUNG_MIN:
            raise BenchFailed(f"only {hung} calls of the messenger gateway were under way")
        return words + f", and {hung} of the messenger gateway"


WHOLE = (
    Line(
        "pairs",
        "OTP create + verify",
        "pairs",
        connections=32,
        seconds=3,
        requests=2,
        goals={"SQLite": {"rate": at_least(3000), "p99_ms": at_most(20)}},
        peers=otp.PEERS,
    ),
    Line(
        "claims",
        "empty claim that renews readiness",
        "claims",
        connections=64,
        seconds=4,
        requests=1,
        goals={"SQLite": {"rate": at_least(20000)}, "PostgreSQL": {"rate": at_least(5000)}},
        is_durable=False,
    ),
    Line(
        "sms",
        "SMS create -> claim -> result",
        "SMS",
        connections=32,
        seconds=3,
        requests=3,
        goals={"SQLite": {"rate": at_least(4000)}},
        peers=(sms.Kannel,),
    ),
    Line(
        "flash",
        "flash call: create -> provider, which takes 150 ms",
        "calls",
        connections=64,
        seconds=6,
        requests=1,
        goals={"SQLite": {"rate": at_least(1000), "p99_ms": at_most(100)}},
        flash=Flash(FLASH_PACES, answer_ms=150),
    ),
    Line(
        "beside",
        "the same beside a messenger gateway that takes 9 s",
        "calls",
        connections=64,
        seconds=6,
        requests=1,
        goals={"SQLite": {"rate": at_least(1000), "p99_ms": at_most(100)}},
        flash=Flash(FLASH_PACES, answer_ms=150, beside=400, beside_answer_ms=9000),
        scenario="flash",
    ),
    Line(
        "log",
        "log entry to its reader, 200 entries/s",
        None,
        connections=1,
        seconds=5,
        requests=1,
        goals={"SQLite": {"p99_ms": at_most(50)}, "PostgreSQL": {"p99_ms": at_most(50)}},
        is_durable=False,
    ),
    Line(
        "tokens",
        "access token by client credentials",
        "tokens",
        connections=32,
        seconds=3,
        requests=1,
        goals={"SQLite": {"rate": at_least(10000), "p99_ms": at_most(10)}},
        is_durable=False,
        has_clients=True,
        peers=(identity.Peer,),
    ),
    Line(
        "bearer",
        "a call with a token that was shown before",
        "checks",
        connections=32,
        seconds=4,
        requests=1,
        goals={"SQLite": {"rate": at_least(50000)}},
        is_durable=False,
        has_clients=True,
    ),
    Line(
        "bearer",
        "a call with a token that is new",
        "checks",
        connections=32,
        seconds=6,
        requests=1,
        goals={"SQLite": {"rate": at_least(8000)}},
        is_durable=False,
        scenario="bearer_new",
        has_clients=True,
    ),
)


# --- Measuring ----------------------------------------------------------------------------------


class Entrant(Contender):
    """Who is measured at a line: herald on an engine, or a peer."""

    def __init__(self, line, engine, make_peer=None):
        super().__init__(engine)
        self.line = line
        self.make_peer = make_peer
        self.settings = None
        self.scenario = make_peer.scenario if make_peer else None
        self.provider = None
        self.extra = []  # what the generator has to know
        self.more_words = ""

    def enter(self, options, postgres, stack):
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        if self.make_peer:
            self.program = stack.enter_context(self.make_peer(options.build, folder))
            self.extra = self.program.load_options
            return
        if self.line.flash:
            orders = self.line.flash.orders()
            self.provider = stack.enter_context(Provider(options.provider, orders))
        database = postgres if self.engine == "PostgreSQL" else None
        settings = self.provider.environment() if self.provider else self.settings
        self.program = stack.enter_context(Herald(options.herald, folder, database, settings))
        self.extra = self.make_callers()

    def make_callers(self):
        """Those who call herald at this line."""
        herald = self.program
        if self.line.has_clients:
            identity.make_clients(herald, herald.clients_file)
            return ["--clients", herald.clients_file]
        herald.make_fleet()
        flash = self.line.flash.options(self.engine, self.provider) if self.provider else []
        return ["--key-file", herald.key_file, "--fleet", herald.fleet_file, *flash]

    def run(self, load, scenario, seconds):
        return run_load(load, self.program, scenario, self.line.connections, seconds, self.extra)

    def run_round(self, load):
        result = self.run(load, self.scenario or self.line.scenario, self.line.seconds)
        return self.program.settle(result) if self.make_peer else result

    def act(self, load):
        self.measure(partial(self.run_round, load))
        if self.provider:
            self.more_words = self.line.flash.words(self.provider)
            self.provider.reset()


def measured_words(line, contender):
    result = contender.medians()
    times = f"p50 {number(result['p50_ms'])} ms, p99 {number(result['p99_ms'])} ms"
    if not line.unit:
        return times
    words = f"{number(result['rate'])} {line.unit}/s{contender.spread('rate')}, {times}"
    if "whole_rate" in result:
        words += f" ({number(result['whole_rate'])}/s with the phones' part)"
    if "accepted_rate" in result:
        words += f" of the request alone (accepted at {number(result['accepted_rate'])}/s)"
    return words + contender.more_words


def limit_words(line, contender, load, fsync_ms):
    """What HTTP alone costs, of a program that answers to it, and what the disk needs."""
    words = [f"an fsync is {fsync_ms:.2f} ms"] if line.is_durable else []
    if contender.make_peer and not contender.make_peer.has_floor:
        return "".join(words)
    floor = contender.run(load, "floor", FLOOR_S)
    if not line.unit:
        return f"a request over HTTP: p50 {number(floor['p50_ms'])} ms"
    alone = f"HTTP alone {number(floor['rate'])} requests/s"
    if line.requests > 1:
        alone += f" = {number(floor['rate'] / line.requests)} {line.unit}/s"
    return "; ".join([alone, *words])


def make_row(load, fsync_ms, contender):
    line, count = contender.line, contender.total("count")
    goals = line.goals.get(contender.engine) or goals_on(contender.engine, line.goals["SQLite"])
    goal, verdict = judge(contender.medians(), goals)
    generator_us = contender.total("generator_cpu_s") * 1e6 / count
    cost = (
        f"{contender.cpu_s * 1e6 / count:,.0f} us CPU (generator {generator_us:,.0f}), "
        f"{contender.program.rss_mb():.0f} MB"
    )
    return (
        f"{line.title}, {line.connections} connections" if line.unit else line.title,
        contender.engine,
        measured_words(line, contender),
        goal,
        verdict,
        limit_words(line, contender, load, fsync_ms),
        cost,
    )


def measure_line(line, options, postgres, fsync_ms):
    """The rows of a line; a peer stands beside SQLite."""
    contenders = [Entrant(line, "SQLite")]
    contenders += [Entrant(line, peer.title(), peer) for peer in line.peers]
    contenders += [Entrant(line, "PostgreSQL")] if postgres else []
    return measure_in_turn(
        contenders,
        line.title,
        ROUNDS if line.peers else 1,
        lambda contender, stack: contender.enter(options, postgres, stack),
        lambda contender: contender.act(options.load),
        lambda contender: [make_row(options.load, fsync_ms, contender)],
    )


LINES = tuple(  # name, title, what measures it on all engines
    (line.name, line.title, partial(measure_line, line)) for line in WHOLE
)

NOTES = """\
- Where PostgreSQL has no goal of its own, it is to be within three times of SQLite's. Why a goal is
  missed stands in [NOTES.md](NOTES.md).
- Where a peer stands beside herald, all are up at once and are measured in turn, three rounds each;
  what stands there is the median of the rounds, with the least and the most in brackets.
- A pair is one create and one verify; its time is the sum of both. Only a phone sees a code, so
  batches are created, then handed to phones (claim and result, with the rate in brackets), then
  verified.
- Beside herald stands npm's better-auth with its plugin for phone numbers, over SQLite
  (node:sqlite, WAL, synchronous FULL): one node process, which uses one core, and the same
  generator and requests. What its callback is to send waits in memory for the phones, so that
  their part is nearly free. A code is verified and consumed; no user and no session are made, which
  the library also could. It counts attempts as herald does, but keeps codes as they are, and knows
  no idempotency keys, no gateways, no limits by number, and no log.
- chi is a program as one writes it in Go over Redis, with chi and go-redis (bench/peers/chi): a
  code is a hash that expires, each guess is counted in the step that reads it, the right one
  removes it; phones, and what it lacks, are as with better-auth. It has a Redis of its own, once as
  Redis comes, which saves its memory now and then and may lose minutes, and once with an answer
  only after its log is synchronised (appendfsync always), which is what herald promises. Its cost
  has Redis in it. It stands for knadh's otpgateway, another Go program over Redis, whose module
  (github.com/knadh/otpgateway, also its v2 and v3) Go's module proxy did not give: "403 Forbidden:
  This module version is not available".
- What is slow gets smaller batches, so that a run ends in time.
- Each SMS is created for a number of its own connection, which then claims and reports it; the time
  is that of all three requests.
- Kannel takes an SMS by a request to its smsbox, answers once its bearerbox has stored it (spool: a
  file each, written without an fsync, so that it outlives a crash of Kannel and not of the
  machine), hands it to Debian's fakesmsc, and removes the file. The times are those of that
  request; the rate counts until the centre has all of a round and nothing is stored any more. It
  pushes, where herald's phones fetch and report, which takes two requests more, and makes no code,
  knows no idempotency keys, chooses no SIM, tries none again, and keeps no record and no log. Its
  cost has all three programs in it.
- Flash calls are created at a steady pace, 1,050 a second on SQLite and 350 on PostgreSQL, whose
  server shares the cores; the time is that from a create's write to the provider's having the
  call. The provider is `sim/provider` on the same machine: it keeps each call and answers it late.
- The log line takes the time from the answer of a create to the arrival of its entry at a reader of
  the stream; an entry that overtakes the answer counts as 0.
- Each connection is a client of its own. Its tokens are for three scopes and signed by Ed25519.
  Beside herald stands npm's oidc-provider: its in-memory adapter, one node process, which uses one
  core, and the same generator, requests and claims.
- A call with a token asks for a package that was never sent: it reads the integration, and finds no
  row. New tokens are fetched in between and shown once each; the rate leaves out that time.
- The cost is the CPU time of what is measured by unit (beside it that of the generator, which
  shares the cores), with the work in time that the rate leaves out, and its resident memory at the
  end.
"""
