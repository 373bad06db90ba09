"""The lines about the feed of events: what writing it costs codes, and how soon a crowd that waits for
it hears of a change, beside a crowd that follows the log."""

import json
import selectors
import socket
import statistics
import tempfile
import time
from contextlib import ExitStack

from host import BenchFailed, Herald, ask
from lines import WHOLE
from paired import STARTS, Requests, compare, measure_start, words_of
from table import at_most, judge, number

SPEED_MIN = 0.9  # of what it is while no events are written
READERS, CHANGES, CHANGES_PER_SECOND = 100, 100, 20
LAST_S = 20  # for what was told to arrive
WAIT_S = 30
PIECE = 65536
GOALS = {"p99_ms": at_most(100)}


# --- What it costs --------------------------------------------------------------------------------


class Codes(Requests):
    """Codes that are made and verified, while events are written or are not."""

    def __init__(self, engine, mode):
        super().__init__(next(line for line in WHOLE if line.name == "pairs"), engine)
        self.settings = {"HERALD_EVENTS": mode}


def measure_cost(options, engine, postgres):
    slices = []
    for start in range(STARTS):
        turns = range(start * options.slices // STARTS, (start + 1) * options.slices // STARTS)
        slices += measure_start(
            Codes(engine, "on"), Codes(engine, "off"), options, options, postgres, turns
        )
    words, verdict = words_of(compare(slices), SPEED_MIN)
    return [(
        "OTP create + verify while events are written, by the same while none are", engine, words,
        f"speed >= {SPEED_MIN}", verdict, "", f"{len(slices)} slices of each",
    )]


# --- Who hears of it ------------------------------------------------------------------------------


class Reader:
    """A connection. It notes when it was told of each change, by the id of its challenge."""

    def __init__(self, herald):
        host, port = herald.address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.key, self.rest, self.heard = herald.key, b"", {}

    def ask(self, path):
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: herald\r\nX-Internal-API-Key: {self.key}\r\n\r\n".encode())

    def note(self, challenge_id):
        self.heard.setdefault(challenge_id, time.monotonic())

    def read(self):
        piece = self.socket.recv(PIECE)
        if not piece:
            raise BenchFailed("herald closed the connection of a reader")
        self.rest += piece
        self.take()


class OfTheFeed(Reader):
    """It asks again as soon as it is answered."""

    def __init__(self, herald, last_seq):
        super().__init__(herald)
        self.wait(last_seq)

    def wait(self, after):
        self.ask(f"/internal/v1/events?after={after}&wait_seconds={WAIT_S}&types=challenge.canceled")

    def take(self):
        head, mark, body = self.rest.partition(b"\r\n\r\n")
        if not mark:
            return
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        if len(body) < int(fields[b"content-length"]):
            return
        self.rest, answer = b"", json.loads(body)
        for event in answer["events"]:
            self.note(event["subject"]["id"])
        self.wait(answer["last_seq"])


class OfTheLog(Reader):
    def __init__(self, herald):
        super().__init__(herald)
        self.ask("/internal/v1/logs/stream")

    def take(self):
        *lines, self.rest = self.rest.split(b"\n")
        for line in lines:
            entry = json.loads(line.removeprefix(b"data: ")) if line.startswith(b"data: ") else {}
            if entry.get("message") == "call challenge canceled":
                self.note(entry["fields"]["challenge_id"])


def read_until(selector, end, is_enough=lambda: False):
    while not is_enough() and (left := end - time.monotonic()) > 0:
        for key, _ in selector.select(left):
            key.data.read()


def cancel_all(herald, ids, selector):
    """Cancels a challenge after the other, at their pace. Returns when each answer was there."""
    began, answered = time.monotonic(), {}
    for turn, challenge_id in enumerate(ids):
        read_until(selector, began + turn / CHANGES_PER_SECOND)
        path = f"/internal/v1/challenges/{challenge_id}/cancel"
        status, text = ask(herald.address, "POST", path, {"X-Internal-API-Key": herald.key})
        if status != 204:
            raise BenchFailed(f"POST {path}: {status} {text}")
        answered[challenge_id] = time.monotonic()
    return answered


def times_of(readers, answered):
    """One that overtakes the answer counts as 0."""
    made = [1000 * max(0, reader.heard[one] - at) for reader in readers for one, at in answered.items()]
    return {"p50_ms": statistics.median(made), "p99_ms": sorted(made)[int(0.99 * (len(made) - 1))]}


def hear(herald):
    """What a reader of the feed waits for, and one of the log."""
    herald.make_fleet()
    ids = [
        herald.post("/internal/v1/challenges", {"caller": f"+7900{turn:07d}"},
                    {"Idempotency-Key": f"feed-{turn}"})["id"]
        for turn in range(CHANGES)
    ]
    last_seq = json.loads(ask(herald.address, "GET", "/internal/v1/events?from=now",
                              {"X-Internal-API-Key": herald.key})[1])["last_seq"]
    feed = [OfTheFeed(herald, last_seq) for _ in range(READERS)]
    log = [OfTheLog(herald) for _ in range(READERS)]
    with selectors.DefaultSelector() as selector:
        for reader in feed + log:
            selector.register(reader.socket, selectors.EVENT_READ, reader)
        read_until(selector, time.monotonic() + 1)  # all wait
        answered = cancel_all(herald, ids, selector)
        read_until(selector, time.monotonic() + LAST_S,
                   lambda: all(len(reader.heard) == CHANGES for reader in feed + log))
    if any(len(reader.heard) != CHANGES for reader in feed + log):
        raise BenchFailed("a change did not reach a reader")
    for reader in feed + log:
        reader.socket.close()
    return times_of(feed, answered), times_of(log, answered)


def measure_readers(options, engine, postgres):
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        herald = stack.enter_context(Herald(
            options.herald, folder, postgres if engine == "PostgreSQL" else None, {"HERALD_EVENTS": "on"}))
        before_s = herald.cpu_s()
        feed, log = hear(herald)
        cost_us = (herald.cpu_s() - before_s) * 1e6 / CHANGES / READERS / 2
    goal, verdict = judge(feed, GOALS)
    return [(
        f"a change to {READERS} readers of the feed, {CHANGES_PER_SECOND} changes/s", engine,
        f"p50 {number(feed['p50_ms'])} ms, p99 {number(feed['p99_ms'])} ms", goal, verdict,
        f"to {READERS} readers of the log, at once: p50 {number(log['p50_ms'])} ms, "
        f"p99 {number(log['p99_ms'])} ms", f"{cost_us:,.0f} us CPU a change and reader",
    )]


LINES = (  # name, title, what measures it on an engine
    ("feed", "codes while events are written", measure_cost),
    ("feed_readers", "a crowd that waits for the feed", measure_readers),
)

NOTES = f"""\
- The line feed compares two herald of the same build that are up at once, of which one writes events
  (HERALD_EVENTS on) and the other none; slices of both take turns.
- The {READERS} readers of the feed ask again as soon as they are answered. The same {CHANGES} changes, calls
  that are canceled, are told to {READERS} readers of the log at the same time, all of them read by one
  thread of Python; the time is that from the answer to the request that made the change.
"""
