"""kill -9 while events are written: each change that was acknowledged is in the feed, once.

HERALD_CRASH_ROUNDS sets the rounds on each engine. A change that stayed without an answer may be
there or not, but then its subject says the same as the feed. Both stores have their share: codes and
calls in one, orders in the other.
"""

import http.client
import os
import random
import threading
import time
from collections import Counter

import pytest

from harness.feed import Feed
from harness.orders import ORDER_SETTINGS, Shop
from harness.tools import eventually, fresh_number

ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", "3"))
LIFE_S = 0.6
CALLERS = 4
GONE = (OSError, http.client.HTTPException)
ENDS = {"confirmed": "challenge.confirmed", "canceled": "challenge.canceled"}


class Facts:
    def __init__(self):
        self.ended = {}    # challenge id -> how it ended, as somebody was told
        self.doubtful = set()  # challenge ids whose end stayed without an answer
        self.orders = set()    # that were taken


def end_calls(facts, site, phone):
    """Makes calls that are confirmed or canceled, until herald is gone."""
    core, phone = site.core(), phone.at(site.address)
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


def place_orders(facts, shop):
    """Places orders, which their ERP takes, until herald is gone."""
    while True:
        facts.orders.add(shop.placed())


def live_and_die(facts, site, phone, shop, start, kill):
    def until_gone(act, *arguments):
        try:
            act(*arguments)
        except GONE:
            pass

    start()
    shop.move_to(site)
    calls = (end_calls, facts, site, phone)
    acts = [calls] * CALLERS + [(place_orders, facts, shop)]
    threads = [threading.Thread(target=until_gone, args=act, daemon=True) for act in acts]
    for thread in threads:
        thread.start()
    time.sleep(LIFE_S * random.uniform(0.5, 1.5))
    kill()
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()


def check(facts, site):
    core = site.core()
    feed = Feed(core, 0)

    def are_told():
        while feed.read(limit=500):
            pass
        told = {event["subject"]["id"] for event in feed.events}
        return facts.orders | facts.ended.keys() <= told

    assert eventually(are_told, 60, 0.2), "a change that was acknowledged has no event"
    assert set(Counter(event["id"] for event in feed.events).values()) <= {1}
    accepted = Counter(event["subject"]["id"] for event in feed.events
                       if event["type"] == "order.accepted")
    assert {order_id: accepted[order_id] for order_id in facts.orders} == dict.fromkeys(facts.orders, 1)
    told = {}
    for event in feed.events:
        if event["subject"]["type"] == "challenge":
            told.setdefault(event["subject"]["id"], []).append(event)
    for challenge_id, end in facts.ended.items():
        event, = told[challenge_id]
        assert (event["type"], event["subject"]["sequence"]) == (ENDS[end], 1)
        assert event["data"]["state"] == end
    for challenge_id in facts.doubtful:
        state = core.challenge(challenge_id).expect(200)["state"]
        events = [event["type"] for event in told.get(challenge_id, [])]
        assert events == ([ENDS[state]] if state in ENDS else []), (state, events)


def run(site, erp, start):
    def kill():
        for process in site.processes:
            process.kill()
        for process in site.processes:
            process.check_output()
        site.processes.clear()

    site.settings.update(ORDER_SETTINGS | {"HERALD_EVENTS": "on"})
    facts = Facts()
    start()
    phone = site.phone(site.core())
    shop = Shop(site, erp)
    kill()
    for _ in range(ROUNDS):
        live_and_die(facts, site, phone, shop, start, kill)
    start()
    check(facts, site)
    assert len(facts.ended) > 5 * ROUNDS and len(facts.orders) > ROUNDS


def test_killed_at_any_moment(fresh_site, erp):
    run(fresh_site, erp, fresh_site.serve)


@pytest.mark.only("postgres")
def test_all_of_a_cluster_killed(fresh_site, erp):
    run(fresh_site, erp, fresh_site.start_cluster)
