"""kill -9 between a call and its record: nobody is called or written to twice (contract, section 3).

The simulator answers slowly, herald is killed while many sends of each driver are under way, and
starts again with no hand work. HERALD_CRASH_ROUNDS sets the rounds on each engine.
"""

import http.client
import os
import random
import threading
import time
from collections import defaultdict

import pytest

from harness.tools import Moment, at_once, eventually, fresh_chat, fresh_number

ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", "3"))
CLOCK = True
SENDS = 8  # of each channel in a round
ANSWER_MS, LATE_MS = 100, 400  # how long the simulator takes: half of the calls, the others
KILL_LATEST_S = 0.3  # after the first calls went out: some are answered then, some are not
LEASE_S = 120  # longer than a dead worker holds what it had
GONE = (OSError, http.client.HTTPException)

METHODS = {"initCall", "sendVerificationMessage", "sendMessage", "apps/flash/calls/flash"}
DONE = {"accepted", "sent", "delivered"}


class Sends:
    """What was acknowledged, by the recipient: (what, id)."""

    def __init__(self, channels):
        self.channels = channels
        self.known = {}

    def create(self, core, channel):
        """One send; the kill may come before the answer."""
        try:
            if channel == "messenger_bot":
                chat_id = fresh_chat()
                message = core.create_message(channel=channel, chat_id=chat_id, text="Hello")
                self.known[str(chat_id)] = ("message", message.expect(202)["id"])
                return
            recipient = fresh_number()
            otp = core.create_otp(recipient, channel=channel, ttl_seconds=900).expect(201)
            self.known[recipient] = ("otp", otp["id"])
        except GONE:
            pass

    def create_round(self, site):
        """Some for each channel, from several clients at once."""
        core = site.core()
        count = len(self.channels)
        at_once(SENDS, lambda index: [
            self.create(core, self.channels[(index + turn) % count]) for turn in range(count)])

    def state(self, core, recipient):
        what, row_id = self.known[recipient]
        if what == "otp":
            record = core.otp(row_id).expect(200)
            assert len(record["sends"]) == 1
            return record["sends"][0]["state"]
        record = core.message(row_id).expect(200)
        return "queued" if record["state"] == "accepted" else record["state"]

    def settle(self, core):
        """Waits until every send is over; the states by recipient."""
        states = {}

        def is_over():
            for recipient in self.known.keys() - states.keys():
                state = self.state(core, recipient)
                if state not in ("queued", "claimed"):
                    states[recipient] = state
            return len(states) == len(self.known)

        assert eventually(is_over, 30, 0.2), f"{len(self.known) - len(states)} sends hang"
        return states


def kill_rounds(site, sim, sends):
    sim.behave("slow", wait_ms=LATE_MS)
    for _ in range(ROUNDS):
        sim.behave("slow", wait_ms=ANSWER_MS, count=SENDS * len(sends.channels) // 2)
        process = site.serve()
        killer = threading.Thread(target=kill_in_the_middle, args=(sim, process))
        killer.start()
        sends.create_round(site)
        killer.join(timeout=60)
        process.check_output()
        site.processes.clear()


def kill_in_the_middle(sim, process):
    """While calls of some provider are under way: their number is drawn, and so is the moment."""
    wanted = random.randint(1, SENDS)

    def are_under_way():
        return any(tally["in_flight"] >= wanted for tally in sim.control("GET", "stats").json.values())

    eventually(are_under_way, Moment(2), 0.005)
    time.sleep(random.uniform(0, KILL_LATEST_S))
    process.kill()


def calls_by_recipient(sim):
    """Every call that would ring or write; they are claimed by this."""
    calls = defaultdict(list)
    for call in sim.unclaimed():
        assert call["method"] in METHODS, call
        calls[call["recipient"]].append(call)
    return calls


def expect_called_once(states, calls):
    for recipient, rows in calls.items():
        assert len(rows) == 1, f"{recipient} was sent {len(rows)} times: {rows}"
    for recipient, state in states.items():
        assert state in DONE | {"unknown"}, f"{recipient}: {state}"
        assert state == "unknown" or recipient in calls
    assert "unknown" in states.values(), "no kill came between a call and its record"


def expect_rung_once(states, calls):
    """The same `unique` in each repeat: it rings once, and every send ends well."""
    for recipient, rows in calls.items():
        assert sum(call["had_effect"] for call in rows) == 1, f"{recipient} rang twice"
        assert len({call["request"]["json"]["unique"] for call in rows}) == 1
    for recipient, state in states.items():
        assert state in DONE and recipient in calls, f"{recipient}: {state}"
    assert any(len(rows) > 1 for rows in calls.values()), "no call was repeated"


def of_provider(provider, states, calls):
    """The part of both that is this provider's. What never got so far belongs to no call."""
    its_calls = {key: rows for key, rows in calls.items() if rows[0]["provider"] == provider}
    return {key: state for key, state in states.items() if key in its_calls}, its_calls


@pytest.mark.parametrize("drivers, channels", [
    (("ucaller", "gateway", "bot"), ("flash_call", "messenger_gateway", "messenger_bot")),
    (("unibell",), ("flash_call",)),
], ids=["ucaller-gateway-bot", "unibell"])
def test_kill_9_between_call_and_record(fresh_site, sim, drivers, channels):
    fresh_site.settings |= sim.settings(*drivers)
    sends = Sends(channels)
    kill_rounds(fresh_site, sim, sends)

    sim.behave("ok")
    fresh_site.serve()
    core = fresh_site.core()
    for _ in range(2):
        time.sleep(0.6)
        fresh_site.clock.advance(LEASE_S)
    states = sends.settle(core)
    time.sleep(1)
    calls = calls_by_recipient(sim)
    for provider in {rows[0]["provider"] for rows in calls.values()}:
        check = expect_rung_once if provider == "ucaller" else expect_called_once
        check(*of_provider(provider, states, calls))
    uncalled = {state for recipient, state in states.items() if recipient not in calls}
    assert uncalled <= {"unknown"}
    sim.told("reset")
