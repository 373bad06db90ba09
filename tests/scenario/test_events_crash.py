"""kill -9 while events are written: each change that was acknowledged is in the feed, once.

HERALD_CRASH_ROUNDS sets the rounds on each engine. In each, the processes are killed one after the
other at random moments. A change that stayed without an answer may be there or not, but then its
subject says the same as the feed. Both stores have their share: codes and calls in one, orders in
the other. The last event of a subject shows its record as it is stored, and none shows a code.
"""

import http.client
import json
import os
import random
import re
import threading
import time
from collections import Counter

import pytest

from harness.actors import read_code
from harness.feed import Feed
from harness.orders import ORDER_SETTINGS, Shop
from harness.tools import eventually, fresh_number

ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", "3"))
LIFE_S = 0.6  # from when something of each kind has happened
CALLERS = 2
COMPARED = 30  # calls, and orders, whose record is read as it is stored
GONE = (OSError, http.client.HTTPException)
ENDS = {"confirmed": "challenge.confirmed", "canceled": "challenge.canceled"}


class Facts:
    def __init__(self):
        self.ended = {}    # challenge id -> how it ended, as somebody was told
        self.doubtful = set()  # challenge ids whose end stayed without an answer
        self.orders = set()    # that were taken
        self.confirmed = set()  # codes that were confirmed, as somebody was told
        self.otp_of = {}   # recipient -> the code that was made for it
        self.codes = {}    # otp id -> the digits, of those that a phone had
        self.faults = []

    def known(self):
        """How much of each kind somebody was told."""
        return len(self.ended), len(self.confirmed), len(self.orders)


def end_calls(facts, core, phone):
    """Makes calls that are confirmed or canceled, until herald is gone."""
    while True:
        fields = {"gateway_number": phone.number}
        challenge = core.create_challenge(fresh_number(), **fields).expect(201)
        end = random.choice(list(ENDS))
        facts.doubtful.add(challenge["id"])
        if end == "canceled":
            core.cancel_challenge(challenge["id"]).expect(204)
        else:
            assert phone.event(challenge["caller"]).expect(200)["result"] == "confirmed"
        facts.ended[challenge["id"]] = end
        facts.doubtful.discard(challenge["id"])


def confirm_codes(facts, core, phone):
    """Sends codes and confirms them, until herald is gone."""
    phone.claim().expect(200)  # its SIM is ready from now on
    while True:
        otp = core.create_otp(fresh_number()).expect(201)
        facts.otp_of[otp["recipient"]] = otp["id"]
        task = phone.claim().expect(200)["task"]  # maybe of an earlier round
        if not task:
            continue
        otp_id = facts.otp_of.get(task["recipient"])
        if otp_id:
            facts.codes[otp_id] = read_code(task)
        phone.result(task, "sent").expect(204)
        if not otp_id:
            continue  # nobody was told that it was made
        core.verify(otp_id, facts.codes[otp_id]).expect(200)
        facts.confirmed.add(otp_id)


def place_orders(facts, shop):
    """Places orders, which their ERP takes, until herald is gone."""
    while True:
        facts.orders.add(shop.placed())


def kill(site):
    """One process after the other, in any order, with time between for the others to go on."""
    for process in random.sample(site.processes, len(site.processes)):
        time.sleep(random.uniform(0, LIFE_S / len(site.processes)))
        process.kill()
    for process in site.processes:
        process.check_output()
    site.processes.clear()


def live_and_die(facts, site, phone, shop, start):
    def until_gone(act, *arguments):
        try:
            act(facts, *arguments)
        except GONE:
            pass
        except BaseException as fault:
            facts.faults.append(fault)

    apis = start()
    shop.move_to(site)
    at = [(site.core(api), phone.at(api.address)) for api in apis]  # who asks which of them
    acts = [(end_calls, *at[i % len(at)]) for i in range(CALLERS)]
    acts += [(confirm_codes, *random.choice(at)), (place_orders, shop)]
    threads = [threading.Thread(target=until_gone, args=act, daemon=True) for act in acts]
    before = facts.known()
    for thread in threads:
        thread.start()
    eventually(lambda: facts.faults or all(new > old for new, old in zip(facts.known(), before)),
               pause=0.01)
    time.sleep(LIFE_S * random.random())
    kill(site)
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()
    if facts.faults:
        raise facts.faults[0]


def read_all(facts, core):
    """All events, by subject and in order."""
    feed = Feed(core, 0)

    def are_told():
        while feed.read(limit=500):
            pass
        told = {event["subject"]["id"] for event in feed.events if event["type"] != "otp.sent"}
        return facts.orders | facts.ended.keys() | facts.confirmed <= told

    assert eventually(are_told, 60, 0.2), "a change that was acknowledged has no event"
    assert set(Counter(event["id"] for event in feed.events).values()) <= {1}
    told = {}
    for event in feed.events:
        told.setdefault(event["subject"]["id"], []).append(event)
    for events in told.values():
        sequences = [event["subject"]["sequence"] for event in events]
        assert sequences == list(range(1, len(events) + 1)), events
    return told


def some_of(ids):
    return random.sample(sorted(ids), min(COMPARED, len(ids)))


def check_calls(facts, core, told):
    for challenge_id, end in facts.ended.items():
        event, = told[challenge_id]
        assert (event["type"], event["data"]["state"]) == (ENDS[end], end)
    for challenge_id in some_of(facts.ended):
        assert told[challenge_id][0]["data"] == core.challenge(challenge_id).expect(200)
    for challenge_id in facts.doubtful:
        challenge = core.challenge(challenge_id).expect(200)
        events = [(event["type"], event["data"]) for event in told.get(challenge_id, [])]
        state = challenge["state"]
        assert events == ([(ENDS[state], challenge)] if state in ENDS else []), (state, events)


def check_codes(facts, core, told):
    for otp_id in facts.codes:
        stored = core.otp(otp_id).expect(200)
        types = [event["type"] for event in told.get(otp_id, [])]
        is_confirmed = stored["state"] == "confirmed"
        assert otp_id not in facts.confirmed or is_confirmed
        assert types in ([["otp.sent", "otp.confirmed"]] if is_confirmed else [[], ["otp.sent"]])
        if is_confirmed:
            assert told[otp_id][-1]["data"] == stored
    for otp_id, code in facts.codes.items():
        shown = re.compile(rf"(?<![0-9a-f-]){code}(?![0-9a-f-])")
        for event in told.get(otp_id, []):
            assert not shown.search(json.dumps(event["data"])), event


def check_orders(facts, shop, told):
    for order_id in facts.orders:
        event, = told[order_id]
        assert event["type"] == "order.accepted"
    for order_id in some_of(facts.orders):
        assert told[order_id][0]["data"] == shop.read(order_id)


def run(site, erp, start):
    site.settings.update(ORDER_SETTINGS | {"HERALD_EVENTS": "on"})
    facts = Facts()
    start()
    phone = site.phone(site.core())
    shop = Shop(site, erp)
    kill(site)
    for _ in range(ROUNDS):
        live_and_die(facts, site, phone, shop, start)
    start()
    core = site.core()
    shop.move_to(site)
    told = read_all(facts, core)
    check_calls(facts, core, told)
    check_codes(facts, core, told)
    check_orders(facts, shop, told)
    assert all(count >= ROUNDS for count in facts.known())


def test_killed_at_any_moment(fresh_site, erp):
    run(fresh_site, erp, lambda: [fresh_site.serve()])


@pytest.mark.only("postgres")
def test_all_of_a_cluster_killed(fresh_site, erp):
    run(fresh_site, erp, fresh_site.start_cluster)
