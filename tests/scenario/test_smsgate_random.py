"""The stand-in for the SMSGate app and herald under what goes wrong between them: no SMS goes out
twice, and none is lost without being told as unknown or failed (contract, section 15.2).

HERALD_CRASH_ROUNDS sets the rounds on each engine. A round sends some codes while the app dies behind
a step that is drawn, its stream is lost, it sleeps beyond its lease, its clock is off, its radio
refuses, or herald is killed; then the app is started anew with what it has kept, and all comes to
rest.
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
ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", "3"))
PROGRAM = BINARY.parent / "sim" / "smsgate"
CODES = 3
STEPS = ("pull", "memory", "processed", "air", "sent")
AT_REST = {"sent", "delivered", "failed", "unknown"}
PATIENCE_S = 60


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


def install(site, folder):
    core, number = site.core(), fresh_number()
    device_id = core.register("Ящик", [number]).expect(201)["device_id"]
    app = StandIn(site, folder, device_id, number)
    app.start(code=core.pair(device_id).expect(201)["code"])
    assert eventually(lambda: is_ready(app)), app.said()
    app.stop()
    return app


def is_ready(app):
    row, = read(lambda: app.site.core().read_device(app.device_id))["numbers"]
    return row["sim_ready"]


def draw_faults(draw):
    options = []
    if draw.random() < 0.6:
        options += ["--die-at", draw.choice(STEPS)]
    if draw.random() < 0.3:
        options += ["--stuck", 2]
    if draw.random() < 0.3:
        options += ["--fail", 2]
    if draw.random() < 0.3:
        options += ["--clock-off-s", draw.choice((-86400, -40, 40, 86400))]
    if draw.random() < 0.3:
        options += ["--doze-ms", draw.randrange(200, 1500)]
    options += ["--lose-stream-ms", 200] if draw.random() < 0.3 else []
    options += ["--skip-sent"] if draw.random() < 0.3 else []
    options += ["--pull-twice"] if draw.random() < 0.3 else []
    return options


def read(ask):
    """A database that has other work may not answer at once."""
    return eventually(lambda: (reply := ask()).status != 503 and reply, PATIENCE_S).expect(200)


def sends_of(core, otps):
    return {otp["recipient"]: read(lambda otp=otp: core.otp(otp["id"]))["sends"] for otp in otps}


def is_at_rest(core, otps):
    return all(sends[-1]["state"] in AT_REST for sends in sends_of(core, otps).values())


def live_through(site, app, draw):
    """One round; returns the codes and what was drawn."""
    faults = draw_faults(draw)
    app.start(*faults)
    core = site.core()
    assert eventually(lambda: is_ready(app) or app.process.poll() is not None), app.said()
    otps = [core.create_otp(fresh_number(), gateway_number=app.number).expect(201)
            for _ in range(CODES) if is_ready(app)]
    if draw.random() < 0.3:
        time.sleep(draw.uniform(0.05, 0.6))
        site.processes[-1].kill()
        site.processes[-1].check_output()
        site.processes.clear()
        site.serve()
    if draw.random() < 0.4:
        time.sleep(draw.uniform(0.05, 0.6))
        site.clock.advance(91)  # every lease ends
        faults.append("leases ended")
    eventually(lambda: is_at_rest(site.core(), otps), Moment(1.5))
    app.stop()
    return otps, faults


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
    draw = random.Random(random.random())
    for _ in range(ROUNDS):
        otps, faults = live_through(site, app, draw)
        come_to_rest(site, app, otps)
        judge(app, otps, sends_of(site.core(), otps), faults)


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
