"""Codes go out while everything breaks: herald-modem, herald and ModemManager are killed at any
moment, modems are unplugged and refuse. No SMS goes out twice, and none is lost without being told
as unknown or failed (contract, section 15.4)."""

import collections
import json
import os
import random
import time

from harness.tools import eventually, fresh_number

ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", "6"))
SEED = os.environ.get("HERALD_SEED")
MODEMS = 4
ENDS = ("sent", "delivered", "failed", "unknown")
DISTURBANCE_S = 1.6  # claims go out every second


class Chaos:
    """One way to break things, and to mend them again."""

    def __init__(self, stage, draw):
        self.stage, self.draw = stage, draw

    def none(self):
        pass

    def kill_agent(self):
        self.stage.agent.kill()
        self.stage.agent.start()

    def kill_agent_twice(self):
        self.kill_agent()
        time.sleep(self.draw.uniform(0, 0.6))
        self.kill_agent()

    def stop_agent(self):
        self.stage.agent.stop()
        self.stage.agent.start()

    def kill_manager(self):
        self.stage.manager.kill()
        self.stage.manager.start()
        self.stage.plug()

    def kill_both(self):
        self.stage.manager.kill()
        self.stage.agent.kill()
        self.stage.manager.start()
        self.stage.agent.start()
        self.stage.plug()

    def kill_herald(self):
        self.stage.kill_herald()

    def kill_all(self):
        self.stage.manager.kill()
        self.stage.agent.kill()
        self.stage.kill_herald()
        self.stage.manager.start()
        self.stage.agent.start()
        self.stage.plug()

    def unplug(self):
        index = self.draw.randrange(MODEMS)
        self.stage.modems.order(f"unplug {index}")
        time.sleep(self.draw.uniform(0, 0.5))
        self.stage.modems.order(f"plug {index}")
        self.stage.manager.plug(self.stage.modems.socket(index))

    WAYS = (none, kill_agent, kill_agent, kill_agent_twice, stop_agent, kill_manager, kill_both,
            kill_herald, kill_all, unplug)


def set_deeds(stage, draw):
    """How each modem behaves with its next SMS; some unplug themselves."""
    for index in range(MODEMS):
        stage.modems.order(f"slow {index} {draw.choice([0, 0, 50, 300, 900])}")
        deed = draw.choice(["send", "send", "send", "send", "refuse", "drop-before", "drop-after"])
        stage.modems.order(f"next {index} {deed}")


def mend(stage):
    """All modems are there and well again."""
    for index in range(MODEMS):
        stage.modems.order(f"next {index} send")
        stage.modems.order(f"slow {index} 0")
        if not stage.modems.is_plugged(index):
            stage.modems.order(f"plug {index}")
            stage.manager.plug(stage.modems.socket(index))


def check(stage, otp, seed):
    sends = stage.core.otp(otp["id"]).expect(200)["sends"]
    states = [send["state"] for send in sends]
    heard = len(stage.modems.sms(recipient=otp["recipient"]))
    about = f"seed {seed}: {otp['id']}: {states}, {heard} in the air\n{stage.agent.log()[-8000:]}"
    assert heard <= 1, f"twice: {about}"
    assert all(state in ENDS for state in states), f"not told: {about}"
    if {"sent", "delivered"} & set(states):
        assert heard == 1, f"told as sent, but was not: {about}"
    if set(states) == {"failed"}:
        assert heard == 0, f"told as failed, but was sent: {about}"
    return states


def round_of(stage, draw, seed, counts):
    stage.wait_until_ready(within=180)  # on a machine that has other work
    set_deeds(stage, draw)
    codes = [stage.core.create_otp(fresh_number(), gateway_number=number).expect(201)
             for number in stage.numbers]
    time.sleep(draw.uniform(0, DISTURBANCE_S))
    way = draw.choice(Chaos.WAYS)
    way(Chaos(stage, draw))
    time.sleep(draw.uniform(0, 1))
    mend(stage)
    for otp in codes:
        eventually(lambda: all(
            send["state"] in ENDS for send in stage.core.otp(otp["id"]).expect(200)["sends"]), 100)
    told = [check(stage, otp, seed) for otp in codes]
    counts.update([way.__name__, *(" ".join(states) for states in told)])
    return told


def test_nothing_goes_out_twice_and_nothing_is_lost(new_stage):
    seed = int(SEED) if SEED else random.randrange(2**31)
    print(f"HERALD_SEED={seed}")
    draw = random.Random(seed)
    stage = new_stage(MODEMS).begin()
    counts = collections.Counter()
    told = [states for _ in range(ROUNDS) for states in round_of(stage, draw, seed, counts)]
    print(json.dumps(counts))
    assert len(told) == ROUNDS * MODEMS
    assert ["delivered"] in told or ["sent"] in told
