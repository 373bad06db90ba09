"""The line about the console in a browser: how soon the first rows of a page are there, and whether the
log stays smooth while 200 entries a second come."""

import json
import os
import shutil
import subprocess
import threading
import time
from contextlib import ExitStack

import console
import growth
from host import BenchFailed
from table import at_most, judge, number

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS = os.path.join(ROOT, "build", "console-tests")  # what tools/install_console_tests puts there
VISITS = 5  # of each page, of which the median counts
LOOKED_S = 10
LOG_LOAD = (8, LOOKED_S + 5, 200)  # connections, seconds, requests a second
FIRST_ROWS_GOALS = {"slowest_ms": at_most(500)}
SMOOTH_GOALS = {"p99_ms": at_most(100)}
PAGES = {
    "codes": "tbody tr", "calls": "tbody tr", "messages": "tbody tr", "fleet": "tbody tr", "channels": "tbody tr", "log": ".log li",
    f"codes?recipient=%2B{growth.BUSY_NUMBER[1:]}": "tbody tr", f"search?q={growth.BUSY_NUMBER}": "tbody tr",
}


def more_rows(rows, count):
    """As many calls and messages as codes; what is over, of a day."""
    now = int(time.time() * 1000)
    times = f"{now - growth.DAY_MS} + i, {now - growth.DAY_MS} + i, {now - growth.DAY_MS} + i"
    every = f"FROM {rows.numbers(count)} AS numbers"
    rows.run([
        ("call_challenge", (
            "INSERT INTO call_challenge (id, caller, gateway_number, state, created_at, expires_at, confirmed_at)"
            f" SELECT bench_id(i), bench_number(i), '+78000000000', 'confirmed', {times} {every}")),
        ("message", (
            "INSERT INTO message (id, channel, state, account_id, recipient, chat_is_integer, created_at, updated_at, expires_at)"
            f" SELECT bench_id(i), 'personal_messenger', 'sent', 'shop-1', bench_number(i), 0, {times} {every}")),
    ], ())


def command_of(site):
    chromium = shutil.which("chromium")
    if not chromium or not os.path.isdir(PARTS):
        raise BenchFailed("there is no chromium, or tools/install_console_tests build/console-tests has not run")
    shutil.copy(os.path.join(ROOT, "bench", "browser.mjs"), PARTS)
    made = site.program.post("/internal/v1/operators", {"name": "who looks on", "role": "admin"})
    asked = {"base": f"http://{site.console}/console/", "token": made["link"].split("#/welcome/")[1], "password": console.PASSWORD,
             "chromium": chromium, "pages": PAGES, "visits": VISITS, "looked_s": LOOKED_S}
    return ["node", "browser.mjs", json.dumps(asked)]


def look(site):
    """What the browser measured. It says when it has the log open: entries come from then on."""
    with subprocess.Popen(command_of(site), cwd=PARTS, stdout=subprocess.PIPE, text=True) as running:
        writer = threading.Thread(target=site.run, args=("codes", LOG_LOAD))
        for line in running.stdout:
            if line.strip() != "log":
                measured = json.loads(line)
                break
            writer.start()
        else:
            raise BenchFailed("the browser ended early")
        writer.join()
    return measured


def measure_browser(options, engine, postgres):
    site = console.Company(engine, options.rows, more_rows)
    with ExitStack() as stack:
        site.enter(options, postgres, stack)
        measured = look(site)
    taken = measured["pages"]
    slowest = sorted(taken, key=taken.get, reverse=True)
    what = f"beside {options.rows:,} codes, calls and messages each and {console.PHONES} phones"
    return [
        (f"first rows of a page in a browser, {what}", engine, ", ".join(f"{name} {number(taken[name])} ms" for name in slowest),
         *judge({"slowest_ms": taken[slowest[0]]}, FIRST_ROWS_GOALS), "", ""),
        (f"the log in a browser at {number(measured['entries_s'])} entries a second", engine,
         f"from one picture to the next p50 {number(measured['p50_ms'])} ms, p99 {number(measured['p99_ms'])} ms",
         *judge(measured, SMOOTH_GOALS), "", ""),
    ]


LINES = (("browser", "the console in a browser", measure_browser),)

NOTES = f"""\
- The line browser opens pages in Chromium on the same machine, from another page to the first row, {VISITS} times each. The log is looked at
  for {LOOKED_S} s while codes come at {LOG_LOAD[2]} requests a second, each of which writes an entry or more.
"""
