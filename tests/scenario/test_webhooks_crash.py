"""kill -9 while events are delivered to an endpoint that misbehaves: none that somebody knows of is
missing.

HERALD_CRASH_ROUNDS sets the rounds on each engine. In each of them calls and codes come to their
ends, and herald is killed at a random moment; of a cluster some process first, and then the rest.
The receiver answers 30 % of the deliveries badly. In the end all changes that were acknowledged have
been delivered, each as its record stands; nothing else has, and no code.
"""

import http.client
import json
import os
import random
import re
import threading
import time

import pytest

from harness.actors import read_code
from harness.feed import Feed
from harness.hooks import WEBHOOK_SETTINGS, Endpoint, HookService
from harness.tools import eventually, fresh_number

CLOCK = True
ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", "3"))
LIFE_S = 0.8
CALLERS = 3
GONE = (OSError, http.client.HTTPException)
SETTLES_IN_H = 160  # hours of herald's clock, a second each: all ten attempts take less, and a rest
MISBEHAVES_FOR_H = 10
ENDS = {"confirmed": "challenge.confirmed", "canceled": "challenge.canceled"}


class Facts:
    """What somebody was told: how calls and codes ended."""

    def __init__(self):
        self.ended = {}  # subject id -> type of the event
        self.codes = {}  # subject id -> the code itself
        self.faults = []


def end_calls(facts, site, phone):
    core, phone = site.core(), phone.at(site.address)
    while True:
        call = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
        end = random.choice(list(ENDS))
        if end == "canceled":
            core.cancel_challenge(call["id"]).expect(204)
        else:
            assert phone.event(call["caller"]).expect(200)["result"] == "confirmed"
        facts.ended[call["id"]] = ENDS[end]


def confirm_codes(facts, site, phone):
    core, phone = site.core(), phone.at(site.address)
    otp_of = {}
    phone.claim().expect(200)  # its SIM is ready from now on
    while True:
        otp = core.create_otp(fresh_number()).expect(201)
        otp_of[otp["recipient"]] = otp["id"]
        task = phone.claim().expect(200)["task"]
        otp_id = task and otp_of.get(task["recipient"])
        if not otp_id:
            continue
        facts.codes[otp_id] = read_code(task)
        phone.result(task, "sent").expect(204)
        core.verify(otp_id, facts.codes[otp_id]).expect(200)
        facts.ended[otp_id] = "otp.confirmed"


def live_and_die(facts, site, phone, start):
    def until_gone(act):
        try:
            act(facts, site, phone)
        except GONE:
            pass
        except BaseException as fault:
            facts.faults.append(fault)

    start()
    acts = [end_calls] * CALLERS + [confirm_codes]
    threads = [threading.Thread(target=until_gone, args=(act,), daemon=True) for act in acts]
    for thread in threads:
        thread.start()
    time.sleep(LIFE_S * random.uniform(0.3, 1))
    random.choice(site.processes).kill()
    time.sleep(LIFE_S * random.uniform(0, 0.5) if len(site.processes) > 1 else 0)
    kill(site)
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()
    if facts.faults:
        raise facts.faults[0]


def kill(site):
    for process in site.processes:
        process.kill()
    for process in site.processes:
        process.check_output()
    site.processes.clear()


def settle(site, endpoint, facts, hook):
    """Waits until nothing is due any more, while herald's clock runs. The receiver is well in the
    end, since it rests for 30 s whenever it has failed 5 times in a row."""
    feed = Feed(endpoint.core, 0)

    def are_told():
        while feed.read(limit=500):
            pass
        return facts.ended.keys() <= {event["subject"]["id"] for event in feed.events}

    assert eventually(are_told, 60, 0.2), "a change that was acknowledged has no event"
    for hour in range(SETTLES_IN_H):
        if hour == MISBEHAVES_FOR_H:
            hook.behave("ok")
        if not endpoint.deliveries("?state=pending&limit=1"):
            break
        site.clock.advance(3600)
        time.sleep(1)
    assert endpoint.deliveries("?state=pending") == endpoint.deliveries("?state=failed") == []
    assert endpoint.read()["enabled"] is True
    are_told()
    return {event["id"]: event for event in feed.events}


def hold_against(facts, events, hook):
    calls = hook.all_calls()
    assert {call["verdict"] for call in calls} == {"genuine"}
    bodies = {}
    for call in calls:
        assert bodies.setdefault(call["webhook_id"], call["body"]) == call["body"]
    assert bodies.keys() == events.keys(), "what was delivered is not what the feed tells"
    told = {}
    for event_id, text in bodies.items():
        body, event = json.loads(text), events[event_id]
        assert body == {name: event[name] for name in ("type", "timestamp", "data", "subject")}
        told.setdefault(body["subject"]["id"], set()).add(body["type"])
        code = facts.codes.get(body["subject"]["id"])
        assert not (code and re.search(rf"(?<![0-9a-f-]){code}(?![0-9a-f-])", text)), text
    for subject_id, kind in facts.ended.items():
        assert kind in told[subject_id], (subject_id, told[subject_id])
    assert len(calls) > len(events), "nothing was tried twice"


@pytest.mark.long
def test_kill_9_with_a_receiver_that_misbehaves(fresh_site, deployment):
    def start():
        if deployment == "cluster":
            fresh_site.start_cluster()
        else:
            fresh_site.serve()

    fresh_site.settings.update(WEBHOOK_SETTINGS)
    facts, seed = Facts(), random.randrange(1_000_000)
    print("seed", seed)  # shown if it fails
    with HookService("--misbehave", 30, "--seed", seed, "--tolerance-s", 0) as hook:
        start()
        phone = fresh_site.phone(fresh_site.core())
        endpoint = Endpoint(fresh_site.core(), hook, ("otp.*", "challenge.*"), full_numbers=True)
        hook.know(endpoint.secret)
        kill(fresh_site)
        for _ in range(ROUNDS):
            live_and_die(facts, fresh_site, phone, start)
        start()
        endpoint.core = fresh_site.core()
        events = settle(fresh_site, endpoint, facts, hook)
        hold_against(facts, events, hook)
        assert len(facts.ended) > 3 * ROUNDS and facts.codes
