"""The lines about the console: what its pages ask, beside as much as a large company has; and what
codes take while ten people look on."""

import gzip
import http.client
import json
import random
import statistics
import tempfile
import threading
import time
import urllib.parse
import uuid
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone

import growth
from host import BenchFailed, Herald, free_port, run_load
from table import at_most, judge, number

CODES, PHONES, POINTS, PRODUCTS, ORDERS = 1_000_000, 100, 200, 2_000, 100_000
PASSWORD = "a password of the bench"
OPERATORS = 10
ROUNDS = 10  # of each page
SEARCHES = 40
CODES_LOAD = (8, 6, 200)  # connections, seconds, requests a second
TURNS = 3  # alone, and looked at
PAGE_GOALS = {"slowest_ms": at_most(500)}
SEARCH_GOALS = {"p99_ms": at_most(100)}
BESIDE_GOALS = {"more_ms": at_most(2)}
SIZE_GOALS = {"kb": at_most(150)}


def a_while_ago(**before):
    return (datetime.now(timezone.utc) - timedelta(**before)).strftime("%Y-%m-%dT%H:%M:00Z")


def pages():
    """What each page asks at once before it shows its first rows, and how often it asks again."""
    hour, week = a_while_ago(hours=1), a_while_ago(days=7)
    return {
        "top of each page": (15, ["overview", "overview/exchange"]),
        "overview": (5, ["overview", "overview/exchange", f"otp?since={hour}&limit=200"]),
        "overview's lines": (60, ["figures?hours=48"]),
        "fleet": (3, ["devices?limit=200"]),
        "fleet's strips": (60, ["figures/sims"]),
        "codes": (3, ["otp?limit=50"]),
        "codes by state": (3, ["otp?limit=50&state=canceled"]),
        "codes of a number": (3, [f"otp?limit=50&recipient=%2B{growth.BUSY_NUMBER[1:]}"]),
        "calls": (3, ["challenges?limit=50"]),
        "messages": (3, ["messages?limit=50"]),
        "funnel by SIM": (60, [f"figures/funnel?by=number&since={week}"]),
        "funnel by prefix": (60, [f"figures/funnel?by=prefix&since={week}"]),
        "channels": (5, ["channels"]),
        "codes of an hour": (3, [f"otp?limit=50&since={hour}"]),
        "log": (0, ["logs?limit=200"]),
        "log of an hour": (0, [f"logs?limit=200&since={hour}"]),
        "points": (10, ["integrations?limit=200"]),
        "packages": (5, ["packages?limit=50"]),
        "orders": (5, ["orders?limit=50"]),
        "webhooks": (10, ["webhook-endpoints"]),
        "keys": (0, ["api-keys?limit=50"]),
        "people": (10, ["operators?limit=200"]),
        "audit": (0, ["audit?limit=50"]),
        "settings": (0, ["settings"]),
        "processes": (5, ["processes"]),
    }


class Browser:
    """One who is logged in; a connection for as long as herald keeps it."""

    def __init__(self, address, link):
        self.address = address
        self.wire = http.client.HTTPConnection(address, timeout=30)
        self.headers = {"Accept-Encoding": "gzip"}
        token = link.split("#/welcome/")[1]
        body = json.dumps({"link": token, "password": PASSWORD})
        self.wire.request("POST", "/console/api/welcome", body, {
            "Origin": f"http://{address}", "X-Herald-Console": "1", "Content-Type": "application/json"})
        answer = self.wire.getresponse()
        if answer.status != 200:
            raise BenchFailed(f"nobody is logged in: {answer.status} {answer.read()}")
        answer.read()
        self.headers["Cookie"] = answer.headers["Set-Cookie"].split(";")[0]

    def read(self, path):
        """Milliseconds, and the bytes of the answer."""
        began = time.monotonic()
        for is_last in (False, True):
            try:
                self.wire.request("GET", path, headers=self.headers)
                answer = self.wire.getresponse()
                body = answer.read()
                break
            except (http.client.HTTPException, OSError):
                self.wire.close()
                if is_last:
                    raise
        if answer.status != 200:
            raise BenchFailed(f"GET {path}: {answer.status} {body[:300]}")
        return (time.monotonic() - began) * 1000, body

    def open(self, calls):
        return sum(self.read(f"/console/api/internal/v1/{call}")[0] for call in calls)


class Company(growth.Site):
    """A herald with a console, and much that was done before: so many codes, and what `more` adds."""

    def __init__(self, engine, codes=CODES, more=None):
        super().__init__(engine, 1)
        self.counts = {"codes": codes, "phones": PHONES, "products": PRODUCTS, "orders": ORDERS}
        self.more = more
        self.console = f"127.0.0.1:{free_port()}"

    def enter(self, options, postgres, stack):
        settings = {
            "HERALD_ERP_ALLOW_HTTP": "true", "HERALD_ERP_NETWORKS": "loopback",
            "HERALD_CONSOLE_LISTEN": self.console,
        }
        database = postgres if self.engine == "PostgreSQL" else None
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        herald = stack.enter_context(Herald(options.herald, folder, database, settings))
        self.program, self.load, self.sink = herald, options.load, growth.orders.sink_address()
        herald.make_fleet()
        self.erp = growth.Erp(herald)
        stack.callback(lambda: self.erp.wire.close())
        products = self.seed()
        for point in range(POINTS):
            self.make_point(point)
        herald.stop()
        rows = growth.PostgresRows(herald) if database else growth.SqliteRows(herald)
        growth.grow(rows, products[0]["id"], 1, self.counts)
        keep_figures(rows)
        if self.more:
            self.more(rows, self.counts["codes"])
        herald.start()

    def make_point(self, point):
        self.program.post("/internal/v1/integrations", {
            "name": f"point {point}", "tenant_id": str(uuid.uuid4()), "point_id": str(uuid.uuid4()),
            "erp": {"base_url": self.sink if "://" in self.sink else f"http://{self.sink}", "token": "of-the-bench"}})

    def browser(self, name):
        made = self.program.post("/internal/v1/operators", {"name": name, "role": "admin"})
        return Browser(self.console, made["link"])


HOURS, CELLS, SIMS, PREFIXES = 7 * 24, 144, 2 * PHONES, 100


def keep_figures(rows):
    """A week of hours by SIM and by prefix, and a day of strips, as a worker keeps them."""
    now = int(time.time() * 1000)
    hour, cell = now - now % 3_600_000, now - now % 600_000
    nobody = "bench_id(1)"
    per_hour = (("otp_by_number", SIMS), ("otp_by_prefix", PREFIXES))
    sql = []
    for name, keys in per_hour:
        for outcome in ("created", "sent", "delivered", "confirmed"):
            label = f"'key=' || bench_number(i % {keys}) || ',outcome={outcome}'"
            sql.append(("metric_hour", (
                "INSERT INTO metric_hour (at, process, name, labels, value)"
                f" SELECT {hour} - 3600000 * (i / {keys}), {nobody}, '{name}', {label}, i % 50"
                f" FROM {rows.numbers(HOURS * keys)} AS numbers")))
    sql.append(("metric_minute", (
        "INSERT INTO metric_minute (at, process, name, labels, value)"
        f" SELECT {cell} - 600000 * (i / {SIMS}), {nobody}, 'sim_minutes',"
        f" 'number=' || bench_number(i % {SIMS}), 1023 FROM {rows.numbers(CELLS * SIMS)} AS numbers")))
    rows.run(sql, ())


# --- What is measured ---------------------------------------------------------------------------


def measure_pages(browser):
    times = {name: [] for name in pages()}
    for _ in range(ROUNDS):
        for name, (_, calls) in pages().items():
            times[name].append(browser.open(calls))
    return {name: statistics.median(taken) for name, taken in times.items()}


def measure_searches(browser):
    chance = random.Random(0)
    asked = [growth.a_number(chance.randrange(1, CODES)) for _ in range(SEARCHES)]
    asked += ["point 7", "bench 1", growth.BUSY_NUMBER, str(uuid.uuid4())] * 5
    times = []
    for q in asked:
        query = urllib.parse.urlencode({"q": q})
        times.append(browser.open([f"search?{query}"]))
    return growth.summary(times)


def look_on(browsers, until):
    """Each person has one page open, which asks again as often as it does."""

    def look(place, browser):
        names = [name for name, (every_s, _) in pages().items() if 0 < every_s <= 5]
        every_s, calls = pages()[names[place % len(names)]]
        while not until.wait(every_s * random.random()):
            browser.open(calls)
            if until.wait(every_s / 2):
                return

    threads = [threading.Thread(target=look, args=pair) for pair in enumerate(browsers)]
    for thread in threads:
        thread.start()
    return threads


def measure_beside(site, browsers):
    """p99 of codes alone and looked at, in turn; medians of the turns."""
    alone, beside = [], []
    for _ in range(TURNS):
        alone.append(site.run("codes", CODES_LOAD)["p99_ms"])
        until = threading.Event()
        threads = look_on(browsers, until)
        beside.append(site.run("codes", CODES_LOAD)["p99_ms"])
        until.set()
        for thread in threads:
            thread.join()
    first, second = statistics.median(alone), statistics.median(beside)
    return {"alone_ms": first, "beside_ms": second, "more_ms": second - first}


def measure_size(browser):
    """KB that a first visit fetches, as it is sent."""
    _, page = browser.read("/console/")
    text = gzip.decompress(page).decode() if page[:2] == b"\x1f\x8b" else page.decode()
    folder = text.split('href="')[1].split("/")[0]
    names, seen, total = ["main.js", "style.css", "icon.svg"], set(), len(page)
    while names:
        name = names.pop()
        if name in seen:
            continue
        seen.add(name)
        _, body = browser.read(f"/console/{folder}/{name}")
        total += len(body)
        text = gzip.decompress(body).decode() if body[:2] == b"\x1f\x8b" else body.decode()
        place = name.rpartition("/")[0]
        for part in text.split('from "')[1:] if name.endswith(".js") else ():
            target = part.split('"')[0]
            if target.startswith("."):
                path = urllib.parse.urljoin(f"/{place}/" if place else "/", target)
                names.append(path.lstrip("/"))
    return {"kb": total / 1024}


# --- The lines ----------------------------------------------------------------------------------


def measure_console(options, engine, postgres):
    site = Company(engine)
    with ExitStack() as stack:
        site.enter(options, postgres, stack)
        browsers = [site.browser(f"person {place}") for place in range(OPERATORS)]
        taken = measure_pages(browsers[0])
        found = measure_searches(browsers[0])
        size = measure_size(browsers[0])
        beside = measure_beside(site, browsers)
    what = f"beside {CODES:,} codes, {PHONES} phones, {POINTS} points, {ORDERS:,} orders"
    slowest = sorted(taken, key=taken.get, reverse=True)
    pages_goal = judge({"slowest_ms": taken[slowest[0]]}, PAGE_GOALS)
    words = ", ".join(f"{name} {number(taken[name])} ms" for name in slowest)
    return [
        (f"what a page of the console asks, {what}", engine, words, *pages_goal, "", ""),
        (f"the console's search, {what}", engine,
         f"p50 {number(found['p50_ms'])} ms, p99 {number(found['p99_ms'])} ms",
         *judge(found, SEARCH_GOALS), "", ""),
        (f"OTP create + verify while {OPERATORS} people look on", engine,
         f"p99 {number(beside['beside_ms'])} ms, alone {number(beside['alone_ms'])} ms",
         *judge(beside, BESIDE_GOALS), "", ""),
        ("the console, fetched for the first time", engine, f"{number(size['kb'])} KB",
         *judge(size, SIZE_GOALS), "", ""),
    ]


LINES = (("console", "the console", measure_console),)

NOTES = f"""\
- The lines of the console have a database as those of growing tables have, and a week of figures. A page is what it asks
  before it shows its first rows, one call behind the other over one connection; medians of {ROUNDS}. The browser is not in it. Of
  {OPERATORS} people each has a page open that asks again by itself, every 3 to 5 seconds; codes come at {CODES_LOAD[2]} requests a second, in
  turn alone and looked at, {TURNS} times.
"""
