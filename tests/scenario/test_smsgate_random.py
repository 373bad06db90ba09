"""The stand-in for the SMSGate app and herald under what goes wrong between them: no SMS goes out
twice, and none is lost without being told as unknown or failed (contract, section 15.2).

HERALD_CRASH_ROUNDS sets the rounds on each engine; default 10, whose seeds are fixed: HERALD_SEED gives
others. A round sends some codes while the app dies behind a step that is drawn, its stream is lost, it
sleeps beyond its lease, its clock is off, its radio refuses, or herald is killed; then the app is
started anew with what it has kept, and all comes to rest.
"""

import json
import os
import random
import subprocess

import pytest
import time

from harness.site import BINARY, free_port
from harness.tools import Moment, eventually, fresh_number

CLOCK = True
GATE_ROUNDS = 10
GATE_SEED = "103"
ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", GATE_ROUNDS))
SEED = os.environ.get("HERALD_SEED", GATE_SEED)
PROGRAM = BINARY.parent / "sim" / "smsgate"
CODES = 3
STEPS = ("pull", "stored", "memory", "processed", "air", "sent")
AT_REST = {"sent", "delivered", "failed", "unknown"}
PATIENCE_S = 60
LEASE_S = 90


class StandIn:
    """An installed app, which is started and ends; its files outlive it."""

    def __init__(self, site, folder, device_id, number):
        self.site, self.folder = site, folder
        self.device_id, self.number = device_id, number
        self.process = None

    def start(self, *options, code=None):
        command = [
            PROGRAM, "--url", "http://{}:{}/smsgate/v1".format(*self.site.address),
            "--key-file", self.folder / "key", "--sim", self.number,
            "--sms-file", self.folder / "sms", "--memory", self.folder / "memory",
            "--ping-ms", "300", *map(str, options),
        ]
        if code:
            command += ["--code", code]
        with open(self.folder / "said", "a", encoding="utf-8") as said:
            self.process = subprocess.Popen(command, stdout=said, stderr=said)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(timeout=PATIENCE_S)

    def aired(self):
        """The recipients of what went over the air."""
        file = self.folder / "sms"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return [json.loads(line)["recipient"] for line in lines]

    def said(self):
        return (self.folder / "said").read_text(encoding="utf-8")

    def said_since(self, before):
        return self.said().removeprefix(before)


def install(site, folder, *options):
    core, number = site.core(), fresh_number()
    device_id = core.register("Ящик", [number]).expect(201)["device_id"]
    app = StandIn(site, folder, device_id, number)
    app.start(*options, code=core.pair(device_id).expect(201)["code"])
    assert eventually(lambda: is_ready(app)), app.said()
    app.stop()
    return app


def is_ready(app):
    row, = read(lambda: app.site.core().read_device(app.device_id))["numbers"]
    return row["sim_ready"]


class Faults:
    """What goes wrong in a round: options of the app, and what is done to it and to herald meanwhile."""

    def __init__(self, seed, number):
        draw = random.Random(f"{seed} {number}")
        self.options = []
        self.draw_option(draw, 0.6, "--die-at", draw.choice(STEPS))
        self.draw_option(draw, 0.3, "--stuck", 2)
        self.draw_option(draw, 0.3, "--fail", 2)
        self.draw_option(draw, 0.3, "--undelivered", 2, *draw.choice(([], ["--skip-sent"])))
        self.draw_option(draw, 0.3, "--clock-off-s", draw.choice((-86400, -40, 40, 86400)))
        self.draw_option(draw, 0.3, "--doze-ms", draw.randrange(200, 1500))
        self.draw_option(draw, 0.3, "--lose-stream-ms", 200)
        self.draw_option(draw, 0.3, "--skip-sent")
        self.draw_option(draw, 0.3, "--pull-twice")
        self.kill_herald_s = draw.uniform(0.05, 0.6) if draw.random() < 0.3 else None
        self.end_leases_s = draw.uniform(0.05, 0.6) if draw.random() < 0.4 else None

    def draw_option(self, draw, chance, *words):
        if draw.random() < chance:
            self.options += words

    def words(self):
        """By which one fault is told from another."""
        steps = {f"--die-at {word}" for word in self.options if word in STEPS}
        names = {word for word in self.options if str(word).startswith("--")}
        herald = {"kill herald"} if self.kill_herald_s else set()
        leases = {"end leases"} if self.end_leases_s else set()
        return steps | names | herald | leases

    def __repr__(self):
        return f"{self.options} killed {self.kill_herald_s} leases {self.end_leases_s}"


def read(ask):
    """A database that has other work may not answer at once."""
    return eventually(lambda: (reply := ask()).status != 503 and reply, PATIENCE_S).expect(200)


def sends_of(core, otps):
    return {otp["recipient"]: read(lambda otp=otp: core.otp(otp["id"]))["sends"] for otp in otps}


def is_at_rest(core, otps):
    return all(sends[-1]["state"] in AT_REST for sends in sends_of(core, otps).values())


def kill_herald(site):
    site.processes[-1].kill()
    site.processes[-1].check_output()
    site.processes.clear()
    site.serve()


def live_through(site, app, faults):
    """One round; returns the codes."""
    app.start(*faults.options)
    core = site.core()
    assert eventually(lambda: is_ready(app) or app.process.poll() is not None), app.said()
    otps = [core.create_otp(fresh_number(), gateway_number=app.number).expect(201)
            for _ in range(CODES) if is_ready(app)]
    if faults.kill_herald_s:
        time.sleep(faults.kill_herald_s)
        kill_herald(site)
    if faults.end_leases_s:
        time.sleep(faults.end_leases_s)
        site.clock.advance(LEASE_S + 1)
    eventually(lambda: is_at_rest(site.core(), otps), Moment(1.5))
    app.stop()
    return otps


def come_to_rest(site, app, otps):
    """The app works without a fault, and what its radio never answered to becomes unknown."""
    app.start()
    core = site.core()

    def rest():
        if is_at_rest(core, otps):
            return True
        site.clock.advance(31)
        return None

    assert eventually(rest, PATIENCE_S, 0.7), (sends_of(core, otps), app.said()[-3000:])
    app.stop()


def judge(app, otps, sends, faults):
    aired = app.aired()
    for otp in otps:
        states = [send["state"] for send in sends[otp["recipient"]]]
        count = aired.count(otp["recipient"])
        story = (faults, states, app.said()[-4000:])
        assert count <= 1, ("an SMS went out twice", *story)
        told_out = {"sent", "delivered"} & set(states)
        assert count == 1 or not told_out, ("an SMS that nobody sent is told as sent", *story)
        assert told_out or "unknown" in states or states[-1] == "failed", ("lost", *story)


@pytest.mark.long
def test_no_sms_goes_out_twice(fresh_site, tmp_path):
    site = fresh_site
    site.port = free_port()  # the app finds it again after a kill
    site.serve()
    app = install(site, tmp_path)
    for number in range(ROUNDS):
        faults = Faults(SEED, number)
        otps = live_through(site, app, faults)
        come_to_rest(site, app, otps)
        judge(app, otps, sends_of(site.core(), otps), faults)


def test_rounds_of_the_gate_have_every_fault():
    rounds = [Faults(GATE_SEED, number).words() for number in range(GATE_ROUNDS)]
    wanted = {f"--die-at {step}" for step in STEPS} | {
        "--stuck", "--fail", "--undelivered", "--clock-off-s", "--doze-ms", "--lose-stream-ms", "--skip-sent",
        "--pull-twice", "kill herald", "end leases"}
    assert wanted <= set().union(*rounds)
    assert any({"--doze-ms", "end leases"} <= words for words in rounds)
    assert any({"--undelivered", "--skip-sent"} <= words for words in rounds
               if not words & {"--die-at", "--stuck", "--fail", "--clock-off-s"})


# --- the stand-in by itself


def test_stand_in_listens_and_sends(site, core, tmp_path):
    """An SMS goes out within the time of a hint, not of a ping."""
    app = install(site, tmp_path)
    app.start("--ping-ms", 600000)
    assert eventually(lambda: "is told" not in app.said() and is_ready(app))
    time.sleep(0.7)
    otp = core.create_otp(fresh_number(), gateway_number=app.number).expect(201)
    core.wait_for_send(otp, "delivered")
    assert app.aired() == [otp["recipient"]] and "is told MessageEnqueued" in app.said()
    app.stop()
    core.remove_device(app.device_id)


def test_stand_in_asks_all_that_the_app_asks(site, core, tmp_path):
    """The first start registers and has the settings told; the next one obeys them."""
    app = install(site, tmp_path, "--google", "--ping-ms", "0")
    first = app.said()
    for sign in ("asks every 900000 ms, and does not listen", "asked for its address: 200",
                 "registered as", "asked for webhooks: 200", "asked for settings: 200",
                 "settings are changed: start the app anew"):
        assert sign in first, first
    app.start("--google", "--ping-ms", "0")
    assert eventually(lambda: "asked for settings: 200" in app.said_since(first))
    again = app.said_since(first)
    assert "asks every 20000 ms, and listens" in again and "said which SIMs there are: 204" in again
    assert "registered as" not in again and "settings are changed" not in again
    otp = eventually(lambda: is_ready(app)) and core.create_otp(
        fresh_number(), gateway_number=app.number).expect(201)
    core.wait_for_send(otp, "delivered")
    app.stop()
    core.remove_device(app.device_id)


def test_stand_in_says_at_each_start_which_sims_there_are(site, core, tmp_path):
    app = install(site, tmp_path)
    app.number, number = fresh_number(), app.number
    app.start()
    assert eventually(lambda: not is_ready(app)), app.said()
    app.stop()
    app.number = number
    app.start()
    assert eventually(lambda: is_ready(app)), app.said()
    app.stop()
    core.remove_device(app.device_id)


def test_stand_in_that_died_sends_what_it_had_stored(site, core, tmp_path):
    app = install(site, tmp_path)
    app.start("--die-at", "stored")
    assert eventually(lambda: is_ready(app))
    otp = core.create_otp(fresh_number(), gateway_number=app.number).expect(201)
    app.process.wait(timeout=PATIENCE_S)
    assert app.aired() == []
    app.start()
    core.wait_for_send(otp, "delivered")
    assert app.aired() == [otp["recipient"]]
    app.stop()
    core.remove_device(app.device_id)


def test_stand_in_whose_key_ended_waits_for_a_code(site, core, tmp_path):
    app = install(site, tmp_path)
    core.rotate_key(app.device_id).expect(200)
    app.start()
    assert app.process.wait(timeout=PATIENCE_S) == 1
    code = core.pair(app.device_id).expect(201)["code"]
    (tmp_path / "key").unlink()
    app.start(code=code)
    otp = eventually(lambda: is_ready(app)) and core.create_otp(
        fresh_number(), gateway_number=app.number).expect(201)
    core.wait_for_send(otp, "delivered")
    app.stop()
    core.remove_device(app.device_id)


def test_numbers_that_are_hidden_are_confirmed(site, core, tmp_path):
    app = install(site, tmp_path)
    app.start("--hide-numbers")
    assert eventually(lambda: not is_ready(app))
    core.set_slots(app.device_id, app.number).expect(200)
    assert eventually(lambda: is_ready(app))
    app.stop()
    core.remove_device(app.device_id)
