"""Random sequences against a model of time: three processes whose clocks are up to an hour apart and
step by minutes, an hour and a day, and that are killed meanwhile (contract, section 7 "Clocks"). On
SQLite there is one process.

HERALD_SEQUENCE_CASES sets how many sequences go on each engine; default 20 of a fixed seed:
HERALD_SEED gives others.
"""

import os
import random
import time

import pytest

from harness import catalog
from harness.actors import read_code, wrong_code
from harness.clock import Machines
from harness.keys import make_key, with_key
from harness.packages import CHANGES, Sender
from harness.shapes import parse_time
from harness.tools import PATIENCE_S, eventually, fresh_number

GATE_ROUNDS = 20
ROUNDS = int(os.environ.get("HERALD_SEQUENCE_CASES", GATE_ROUNDS))
SEED = os.environ.get("HERALD_SEED", "34")
ACTS = 30
SLACK_S = 60  # nothing ends earlier or later by more
HOUR_S, DAY_S = 3600, 24 * 3600
STEPS_S = (-45, 45, -HOUR_S, HOUR_S, -DAY_S, DAY_S)
PASSING_S = (1, 20, 70, 200, 700)
LENGTHS_S = (60, 120, 600, 900)
CODES_IN_WINDOW, WINDOW_S = 3, 600
LEASE_S = 90
CODES_TO_BLOCK, ATTEMPTS = 10, 5  # 50 wrong codes in 24 hours
PER_MINUTE = 12
SETTINGS = {"HERALD_ERP_PACKAGES_PER_MINUTE": str(PER_MINUTE),
            "HERALD_PUBLIC_URL": "https://id.example"}


class Model:
    """True time, and what lives by it."""

    def __init__(self, site, folder, rng):
        self.site, self.rng = site, rng
        count = 3 if site.engine == "postgres" else 1
        site.settings |= SETTINGS
        self.machines = Machines(folder, site.database, count)
        self.processes = [None] * count
        for index in range(count):
            if index:  # the first is right, so that its tokens are good
                self.machines.clocks[index].set(rng.randint(-HOUR_S, HOUR_S))
            self.start(index)
        self.passed_s = 0
        self.living = {}  # by number
        self.codes = {}  # by number: when they were made
        self.blocked = {}  # by number: when the first wrong codes were given
        self.held = None  # what a phone has in hand that does not report
        self.phone, self.holder = site.phone(self.core()), site.phone(self.core())
        self.sender = Sender.of(site, self.processes[0])

    def start(self, index):
        site = self.site
        site.clock = self.machines.clocks[index]
        site.migrate()
        self.processes[index] = site.start("serve")
        self.processes[index].wait_until_ready()
        site.clock = None

    def begin_round(self):
        self.numbers = [fresh_number() for _ in range(3)]

    def now(self):
        return time.monotonic() + self.passed_s

    def core(self):
        return self.site.core(self.rng.choice(self.processes))

    def at(self, phone=None):
        return (phone or self.phone).at(self.rng.choice(self.processes).address)

    # --- what lives

    def must_live(self, record):
        return record and record["open"] and self.now() < record["begun"] + record["length"] - SLACK_S

    def must_be_over(self, record):
        return not record or not record["open"] or (
            self.now() > record["begun"] + record["length"] + SLACK_S)

    def take(self, number, kind, made, length):
        """The answer to whoever wants the number's place."""
        record = self.living.get(number)
        if made.status == 409:
            assert not self.must_be_over(record), (made, record)
            return None
        assert not self.must_live(record), (made, record)
        if made.status == 201:
            self.living[number] = {"kind": kind, "id": made.json["id"], "begun": self.now(),
                                   "length": length, "open": True, "wrong": 0, "task": None}
            return self.living[number]
        return None

    # --- acts

    def create_code(self):
        number, length = self.rng.choice(self.numbers), self.rng.choice(LENGTHS_S)
        self.at().be_ready()
        made = self.core().create_otp(
            number, gateway_number=self.phone.number, ttl_seconds=length)
        times = self.codes.setdefault(number, [])
        if made.status == 429:
            assert sum(self.now() - at < WINDOW_S + SLACK_S for at in times) >= CODES_IN_WINDOW
            assert 0 < made.retry_after <= WINDOW_S + SLACK_S
            return
        assert made.status in (201, 409), made
        record = self.take(number, "code", made, length)
        if record:
            assert sum(self.now() - at < WINDOW_S - SLACK_S for at in times) < CODES_IN_WINDOW
            times.append(self.now())
            record["task"] = self.at().claim_task()
            assert record["task"]["recipient"] == number
            self.at().result(record["task"], "sent").expect(204)

    def create_call(self):
        number, length = self.rng.choice(self.numbers), self.rng.choice(LENGTHS_S)
        made = self.core().create_challenge(
            number, gateway_number=self.phone.number, ttl_seconds=length)
        assert made.status in (201, 409), made
        self.take(number, "call", made, length)

    def look(self):
        number = self.rng.choice(self.numbers)
        record = self.living.get(number)
        if not record:
            return
        core = self.core()
        read = core.otp if record["kind"] == "code" else core.challenge
        state = read(record["id"]).expect(200)["state"]
        if self.must_live(record):
            assert state not in ("expired", "confirmed", "exhausted"), record
        if record["open"] and self.must_be_over(record):
            assert state == "expired", record

    def code_of_somebody(self):
        found = [record for record in self.living.values() if record["task"]]
        return self.rng.choice(found) if found else None

    def verify(self):
        record = self.code_of_somebody()
        if not record:
            return
        answer = self.core().verify(record["id"], read_code(record["task"]))
        if self.must_live(record):
            answer.expect(200)
        if self.must_be_over(record):
            answer.expect(409)
        assert answer.status in (200, 409), answer
        record["open"] = False

    def verify_wrongly(self):
        record = self.code_of_somebody()
        if not record:
            return
        answer = self.core().verify(record["id"], wrong_code(read_code(record["task"])))
        if self.must_live(record):
            answer.expect(422)
        if answer.status != 422:
            return
        record["wrong"] += 1
        left = self.core().otp(record["id"]).expect(200)["attempts_left"]
        assert left == 5 - record["wrong"], record
        record["open"] = left > 0

    def take_in_hand(self):
        self.at(self.holder).be_ready()
        made = self.core().create_otp(fresh_number(), gateway_number=self.holder.number,
                                      ttl_seconds=max(LENGTHS_S)).expect(201)
        self.held = {"id": made["id"], "begun": self.now(), "length": max(LENGTHS_S), "open": True,
                     "task": self.at(self.holder).claim_task(), "leased": self.now()}

    def hold(self):
        """A phone that asks again has the same lease until that ends, and then another one."""
        if not self.held:
            return self.take_in_hand()
        held, since = self.held, self.now() - self.held["leased"]
        task = self.at(self.holder).claim().expect(200)["task"]
        if self.must_live(held) and since > LEASE_S + SLACK_S:
            task = task or self.at(self.holder).claim_task()
            assert task["lease_id"] != held["task"]["lease_id"], held
        if self.must_live(held) and self.now() - held["leased"] < LEASE_S - SLACK_S:
            assert task and task["lease_id"] == held["task"]["lease_id"], held
        assert not (task and self.must_be_over(held)), held
        if not task:
            self.held = None if self.must_be_over(held) else held
            return
        assert task["id"] == held["task"]["id"]
        if task["lease_id"] != held["task"]["lease_id"]:
            held |= {"task": task, "leased": self.now()}
        if self.rng.random() < 0.3:
            self.at(self.holder).result(task, "sent").expect(204)
            self.held = None

    def guess(self):
        """Somebody tries codes until the number is blocked, over half an hour and a clock's step."""
        number, begun, steps_at = fresh_number(), self.now(), self.rng.randrange(CODES_TO_BLOCK)
        for index in range(CODES_TO_BLOCK):
            self.at().be_ready()
            otp = self.core().create_otp(number, gateway_number=self.phone.number).expect(201)
            task = self.at().claim_task()
            for _ in range(ATTEMPTS):
                self.core().verify(otp["id"], wrong_code(read_code(task))).expect(422)
            self.at().result(task, "sent").expect(204)
            if index == steps_at:
                self.step()
            self.advance(WINDOW_S // CODES_IN_WINDOW + 1)
        self.blocked[number] = begun

    def ask_blocked(self):
        if not self.blocked:
            return
        number = self.rng.choice(list(self.blocked))
        if self.rng.random() < 0.3:
            self.advance(DAY_S)
        self.at().be_ready()
        made, left = self.core().create_otp(
            number, gateway_number=self.phone.number), self.blocked[number] + DAY_S - self.now()
        if left > SLACK_S:
            made.expect(429, "rate_limited")
            assert abs(made.retry_after - left) < SLACK_S
        if left < -SLACK_S:
            self.core().cancel_otp(made.expect(201)["id"]).expect(204)
            del self.blocked[number]

    def use_key(self):
        """The one before lasts as long as it was given, whoever is asked."""
        core = self.core()
        made = make_key(core, "viewer")
        core.post(f"/internal/v1/api-keys/{made['id']}/rotate", {"overlap_seconds": 120}).expect(200)
        begun, process = self.now(), self.rng.choice(self.processes)
        old = with_key(self.site, made["key"], process)
        self.step()
        status = old.get("/internal/v1/api-keys/self").status
        assert status == 200 or self.now() > begun + 120 - SLACK_S
        self.advance(120 + SLACK_S + 1)
        assert eventually(lambda: old.get("/internal/v1/api-keys/self").status == 401, 10)

    def send_package(self):
        sender = Sender(self.processes[0].address, self.sender.erp.at(
            self.processes[0].address).fetch_token(), self.sender.integration_id)
        answer = sender.send(CHANGES, catalog.changes())
        if answer.status != 202:
            answer.expect(429)
            assert answer.retry_after <= 60 // PER_MINUTE + 1

    def step(self):
        """Somebody sets a clock: that of a process's machine, or of the server."""
        clock = self.rng.choice([*self.machines.clocks, self.machines.server])
        step_s = self.rng.choice(STEPS_S)
        clock.set(step_s)
        if self.site.engine == "sqlite" and step_s > 0:
            self.wait_until_noticed()

    def wait_until_noticed(self):
        """One that was set forward while nobody looked cannot be told from time that has passed."""
        core, clock = self.core(), self.machines.clocks[0]
        asked = core.create_challenge(fresh_number()).expect(201)
        assert eventually(lambda: abs((parse_time(core.challenge(asked["id"]).expect(200)[
            "created_at"]) - clock.now()).total_seconds()) < 30)

    def advance(self, seconds):
        self.machines.advance(seconds)
        self.passed_s += seconds

    def wait(self):
        self.advance(self.rng.choice(PASSING_S))

    def wait_until_noted(self):
        """Signs of life are seconds apart, which are more where time passes in no time."""
        core, asked = self.core(), self.now()

        def is_noted():
            beats = [parse_time(row["last_beat_at"]) for row in core.processes().expect(200)[
                "processes"] if row["state"] == "living"]
            clock = self.machines.server if self.site.database else self.machines.clocks[0]
            return beats and abs((clock.now() - max(beats)).total_seconds()) < self.now() - asked

        assert eventually(is_noted)

    def kill(self):
        self.wait_until_noted()
        index = self.rng.randrange(len(self.processes))
        self.processes[index].kill()
        self.site.processes.remove(self.processes[index])
        clock = self.machines.clocks[index]
        back_s = [step_s for step_s in STEPS_S if step_s < 0 or self.site.engine == "postgres"]
        if self.rng.random() < 0.5:
            clock.set(self.rng.choice(back_s))
        self.start(index)

    def act(self):
        acts = {self.create_code: 8, self.create_call: 5, self.look: 6, self.verify: 4,
                self.verify_wrongly: 4, self.step: 6, self.wait: 5, self.send_package: 3,
                self.hold: 5, self.guess: 0.3, self.ask_blocked: 2, self.use_key: 1, self.kill: 1}
        act = self.rng.choices(list(acts), list(acts.values()))[0]
        act()
        return act.__name__


@pytest.mark.timeout(20 * PATIENCE_S)
def test_what_lives_keeps_its_time_whatever_the_clocks_say(fresh_site, tmp_path):
    rng = random.Random(SEED)
    model = Model(fresh_site, tmp_path, rng)
    for index in range(ROUNDS):
        model.begin_round()
        done = []
        try:
            for _ in range(ACTS):
                done.append(model.act())
        except BaseException:
            print(f"sequence {index} of seed {SEED}: {done}")
            raise
