"""A provider goes down under load: refused, hanging, or 5xx (contract, section 3).

Creation answers 503 once the circuit is open, nothing waits longer than its time-out, the other
channels keep their pace, and everything recovers by itself. Each channel has a simulator of its own
here, so that they fail one by one; two heralds have their outages at the same time.
"""

import threading
import time
from collections import Counter

import pytest

from harness.packages import is_sanitized
from harness.providers import Providers
from harness.site import Site
from harness.tools import IS_TIMED, Moment, at_once, eventually, fresh_number, lasted_at_most

from conftest import SERVER_URL

pytestmark = pytest.mark.long

TIMEOUT_S = 2.5
QUIET_S = 1.5    # everybody is well
OUTAGE_S = 4.0   # after the circuits are open
OPENS_S = 12.0   # until then they must be
RECOVERS_S = 45.0
PACE_S = 0.25 if is_sanitized() else 0.08  # between two sends of a channel
ANSWER_MAX_S = 2.0  # less than a provider that hangs
SEND_MAX_S = 2.0  # from creation to the provider or the phone, on a loaded machine


class Line(threading.Thread):
    """A channel under load: one send after the other, at a pace, until it is stopped."""

    def __init__(self, stage, word):
        super().__init__(daemon=True)
        self.stage, self.word = stage, word
        self.core = stage.site.core()
        self.rows = []  # (when, seconds, status, code, recipient, id)
        self.fault = None
        self.is_over = threading.Event()

    def run(self):
        try:
            while not self.is_over.wait(PACE_S):
                self.create()
        except BaseException as fault:  # told to the test by stop()
            self.fault = fault

    def create(self):
        recipient, began = fresh_number(), time.time()
        reply = self.stage.create(self.core, self.word, recipient)
        row = (began, time.time() - began, reply.status, reply.code, recipient,
               reply.json.get("id"))
        self.rows.append(row)
        return row

    def stop(self):
        self.is_over.set()
        self.join(timeout=60)
        if self.fault:
            raise self.fault

    def between(self, start, end):
        return [row for row in self.rows if start <= row[0] < end]

    @property
    def is_refused(self):
        """The last answers were 503: the circuit is open."""
        return [row[2] for row in self.rows[-3:]] == [503] * 3


class Stage:
    """A herald with every channel, each provider by itself, and a phone."""

    def __init__(self, site, sims):
        self.site, self.sims = site, sims
        self.core = site.core()
        self.phone = site.phone(self.core)
        self.phone.be_ready()
        self.sent = {}  # by recipient: when its SMS was claimed
        self.is_over = threading.Event()
        self.worker = threading.Thread(target=self.send_sms, daemon=True)

    def create(self, core, word, recipient):
        if word == "messenger_bot":
            return core.create_message(channel=word, chat_id=int(recipient[3:]), text="Hello")
        return core.create_otp(recipient, channel=word)

    def __enter__(self):
        self.worker.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.worker.join(timeout=30)

    def send_sms(self):
        """The phone at work."""
        phone = self.phone.at(self.site.address)
        while not self.is_over.wait(0.01):
            task = phone.claim().expect(200)["task"]
            if task:
                self.sent[task["recipient"]] = time.time()
                phone.result(task, "sent").expect(204)

    def arrivals(self, word):
        """When each recipient's send came to the provider, or to the phone."""
        if word == "sms":
            return dict(self.sent)
        start = "+79" if word == "messenger_bot" else ""
        calls = self.sims[word].calls(limit=100000)
        return {start + call["recipient"]: call["at_ms"] / 1000
                for call in calls if call["recipient"]}


def expect_pace(stage, line, start, end):
    """All is taken at once, and goes out at once."""
    rows = line.between(start, end)
    least = 0.3 * (end - start) / (PACE_S + 0.05) if IS_TIMED else 1
    assert len(rows) >= least, f"{line.word}: {len(rows)} sends"
    assert {row[2] for row in rows} <= {201, 202}, f"{line.word}: {Counter(r[3] for r in rows)}"
    lasted_at_most(max(row[1] for row in rows), ANSWER_MAX_S)
    eventually(lambda: {row[4] for row in rows} <= stage.arrivals(line.word).keys(), 3, 0.3)
    arrivals = stage.arrivals(line.word)
    missing = [row for row in rows if row[4] not in arrivals]
    assert not missing, f"{line.word}: {len(missing)} never went out: {missing[0]} ..."
    waits = sorted(arrivals[row[4]] - row[0] for row in rows)
    lasted_at_most(waits[len(waits) // 2], SEND_MAX_S)


def expect_refusals(line, start, end):
    """Every answer comes at once: 503 while the circuit is open."""
    rows = line.between(start, end)
    assert {(row[2], row[3]) for row in rows} <= {
        (201, None), (202, None), (503, "channel_unavailable")}
    lasted_at_most(max(row[1] for row in rows), ANSWER_MAX_S)
    refused = sum(row[2] == 503 for row in rows)
    assert refused >= 0.7 * len(rows), f"{line.word}: {refused} of {len(rows)} refused"


def expect_recovery(stage, word, deadline):
    """Without any hand work, a new send goes through to the end."""
    def works():
        recipient = fresh_number()
        reply = stage.create(stage.core, word, recipient)
        if reply.status == 503:
            assert reply.code == "channel_unavailable" and 1 <= reply.retry_after <= 60
            return False
        return eventually(lambda: recipient in stage.arrivals(word), Moment(2))

    assert eventually(works, deadline - time.monotonic(), 0.25), f"{word} did not recover"


BREAK = {
    "refused": lambda sim: sim.told("down"),
    "hanging": lambda sim: sim.behave("slow", wait_ms=120000),
    "5xx": lambda sim: sim.behave("server_error", http_status=503),
}
MEND = {
    "refused": lambda sim: sim.told("up"),
    "hanging": lambda sim: sim.behave("ok"),
    "5xx": lambda sim: sim.behave("ok"),
}
PLANS = [
    {"flash_call": "refused", "messenger_gateway": "hanging"},
    {"flash_call": "5xx", "messenger_bot": "hanging"},
]
WORDS = ("flash_call", "messenger_gateway", "messenger_bot", "sms")


def go_down_and_up(stage, plan):
    lines = {word: Line(stage, word) for word in WORDS}
    try:
        for line in lines.values():
            line.start()
        time.sleep(QUIET_S)
        begin = time.time()
        for word, fault in plan.items():
            BREAK[fault](stage.sims[word])
        for word in plan:
            assert eventually(lambda: lines[word].is_refused, OPENS_S), f"{word} stays open"
        opened = time.time()
        time.sleep(OUTAGE_S)
        end = time.time()
    finally:
        for line in lines.values():
            line.stop()
    expect_no_wait(stage, lines, plan)
    for word, fault in plan.items():
        MEND[fault](stage.sims[word])
    mended = time.monotonic()
    for word, line in lines.items():
        if word in plan:
            expect_refusals(line, opened, end)
        else:
            expect_pace(stage, line, begin, end)
    for word in plan:
        expect_recovery(stage, word, mended + RECOVERS_S)
    expect_sent_once(stage)


def expect_no_wait(stage, lines, plan):
    """What hung is over, one time-out later: nobody knows how it ended, and that is told."""
    hanging = [word for word, fault in plan.items() if fault == "hanging"]
    for word in hanging:
        called = stage.arrivals(word)
        rows = [row for row in lines[word].rows if row[4] in called and row[5]]
        read = stage.core.message if word == "messenger_bot" else stage.core.otp
        ids = [row[5] for row in rows]

        def are_over():
            records = [read(row_id).expect(200) for row_id in ids]
            return not any(is_under_way(record) for record in records)

        assert eventually(are_over, TIMEOUT_S + 2, 0.2), f"{word} waits for longer than it may"


def is_under_way(record):
    if "sends" in record:
        return record["sends"][0]["state"] in ("queued", "claimed")
    return record["state"] == "accepted" and not record["error"]


def expect_sent_once(stage):
    """Neither the outage nor the recovery has sent anything twice."""
    for word, sim in stage.sims.items():
        effects = Counter(
            (call["provider"], call["recipient"]) for call in sim.unclaimed()
            if call["had_effect"])
        assert not [key for key, count in effects.items() if count > 1], f"{word} was sent twice"
        sim.told("reset")


def make_site(engine, folder, sims):
    folder.mkdir()
    settings = {}
    for channel, word in (("ucaller", "flash_call"), ("gateway", "messenger_gateway"),
                          ("bot", "messenger_bot")):
        settings |= sims[word].settings(channel)
    return Site(engine, folder, server_url=SERVER_URL, settings=settings)


def test_provider_goes_down_under_load(engine, tmp_path):
    def run(index):
        with Providers() as flash, Providers() as gateway, Providers() as bot:
            sims = {"flash_call": flash, "messenger_gateway": gateway, "messenger_bot": bot}
            with make_site(engine, tmp_path / str(index), sims) as site:
                site.serve()
                with Stage(site, sims) as stage:
                    go_down_and_up(stage, PLANS[index])

    at_once(len(PLANS), run)
