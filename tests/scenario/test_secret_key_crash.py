"""kill -9 while the secret key is replaced under load (contract, section 10.4).

HERALD_CRASH_ROUNDS sets the rounds on each engine. In each of them the key is replaced by a fresh
one while codes, messages, orders, integrations and clients are made, and herald is killed at a
random moment of it. At its end nothing is sealed under the earlier key, a herald that knows the new
one alone opens everything, and what was asked before is answered as before.
"""

import http.client
import os
import random
import threading
import time

from harness.actors import read_code
from harness.exchange import Erp, Operator
from harness.orders import ORDER_SETTINGS, accept_all, order_input, refuse_all
from harness.sealed import SealedStore
from harness.site import fresh_secret_key
from harness.tools import Moment, eventually, fresh_key, fresh_number

CLOCK = True
ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", "2"))
ANNOUNCED_S, PAUSE_S = 30, 60
BEGUN, SEALING, WALKING = range(3)  # how far a replacement is when herald is killed
WALK_S = 3                          # in which a walk through the sealed columns goes far
TURNS_MAX = 8                       # of the clock, until a replacement is over
CHECKED = 30                        # of what a round made
ACCOUNT = "rotation"
GONE = (OSError, http.client.HTTPException)
VERBS = {"serve": ("serve",), "cluster": ("worker", "idp", "api")}


def taken(reply, status):
    """None where the clock jumped: the wait for the body was over by it, what is in force is read
    first, or no SIM is ready any more."""
    return None if reply.status in (408, 503) else reply.expect(status)


class Herald:
    """The processes of a site by their verbs; some are killed, and started again."""

    def __init__(self, site, deployment):
        self.site, self.verbs = site, VERBS[deployment]
        self.running, self.latest = {}, {}

    @property
    def front(self):
        """Whoever is asked; killed, it answers nobody."""
        return self.latest[self.verbs[-1]]

    @property
    def token_front(self):
        return self.latest.get("idp", self.front)

    def start(self):
        self.site.migrate()
        for verb in self.verbs:
            if verb not in self.running:
                self.running[verb] = self.latest[verb] = self.site.start(verb)
        for verb, process in self.running.items():
            if verb != "worker":
                process.wait_until_ready()

    def kill(self, verbs):
        for verb in verbs:
            process = self.running.pop(verb)
            process.kill()
            process.check_output()
            self.site.processes.remove(process)

    def stop(self):
        self.site.stop()
        self.site.processes.clear()
        self.running.clear()

    def know(self, key, old=None):
        self.site.settings.update({"HERALD_SECRET_KEY": key, "HERALD_SECRET_KEY_OLD": old})

    def core(self):
        return Operator.of(self.site, self.front)

    def state(self):
        """None while what is in force is being read, since the clock jumped."""
        try:
            reply = self.core().get("/internal/v1/secret-key")
        except GONE:
            return None
        return reply.json["state"] if reply.status == 200 else None

    def is_state(self, state):
        return eventually(lambda: self.state() == state, 6)


class Load:
    """Callers of all kinds. What stayed without an answer is asked again, with the same key."""

    def __init__(self, herald, erp):
        self.herald, self.erp = herald, erp
        self.phone = self.core = None
        self.threads, self.faults, self.is_over = [], [], threading.Event()
        self.forget()

    def forget(self):
        """Another round begins."""
        self.asked = {}     # key -> (what asks, what is asked)
        self.answered = {}  # key -> id
        self.codes = {}     # recipient -> code, as its text said
        self.texts = set()  # of messages, as the phone was given them
        self.tokens = {}    # id of an order -> the token that its ERP wants
        self.customers = []

    # --- what each of them does

    def ask(self, kind, body):
        key = fresh_key()
        self.asked[key] = (kind, body)
        self.repeat(key)
        return self.answered.get(key)

    def repeat(self, key):
        """503: the clock jumped, so what is in force is read first, or no SIM is ready."""
        kind, body = self.asked[key]
        record = taken(getattr(self, kind)(key, body), 201 if kind == "code" else 202)
        if record:
            assert self.answered.setdefault(key, record["id"]) == record["id"]
        return record

    def code(self, key, number):
        return self.core.create_otp(number, key, ttl_seconds=900)

    def message(self, key, body):
        whom = {"channel": "personal_messenger", "account_id": ACCOUNT}
        return self.core.create_message(key, **whom, **body)

    def order(self, key, body):
        return self.core.post("/internal/v1/orders", body, headers={"Idempotency-Key": key})

    def make_codes(self):
        self.ask("code", fresh_number())

    def make_messages(self):
        self.ask("message", {"recipient": fresh_number(), "text": f"text {fresh_key()}"})
        time.sleep(0.1)

    def make_orders(self):
        """Each with an integration and a client of its own, with their secrets."""
        token = f"erp-{fresh_key()}"
        erp = {"base_url": self.erp.url, "token": token}
        integration = taken(self.core.create_integration(erp=erp), 201)
        if not integration:
            return
        order = order_input(integration["point_id"])
        self.tokens[order["id"]] = token
        self.ask("order", {"integration_id": integration["id"], "order": order})
        credentials = taken(self.core.create_client(integration["id"]), 201)
        if credentials:
            self.customers.append(Erp(self.core.address, integration, credentials))
            taken(self.customers[-1].at(self.herald.token_front.address).ask_token(), 200)
        time.sleep(0.3)

    def be_a_phone(self):
        """A lease may end by the clock, and the task comes again. True if there was one."""
        phone = self.phone.at(self.herald.front.address)
        task = (taken(phone.claim(), 200) or {}).get("task")
        if task:
            self.codes[task["recipient"]] = read_code(task)
            assert phone.result(task, "sent").status in (204, 408, 409, 503)
        phone.declare((ACCOUNT, "connected"))
        text = (taken(phone.claim_message(ACCOUNT), 200) or {}).get("task")
        if text:
            self.texts.add(text["text"])
            assert phone.message_result(text, "sent").status in (204, 408, 409, 503)
        return bool(task or text)

    # --- their life

    def run(self, act):
        while not self.is_over.is_set() and not self.faults:
            try:
                act()
            except GONE:
                pass  # the kill, or a wait that was over by the clock
            except BaseException as fault:  # told to the test
                self.faults.append(fault)
            time.sleep(0.02)

    def start(self):
        self.is_over.clear()
        self.core = self.herald.core()
        self.phone = self.phone or self.make_phone()
        acts = (self.make_codes, self.make_messages, self.make_orders, self.be_a_phone)
        self.threads = [threading.Thread(target=self.run, args=(act,), daemon=True) for act in acts]
        for thread in self.threads:
            thread.start()

    def make_phone(self):
        phone = self.herald.site.phone(self.core)
        phone.be_ready()
        self.core.connect_accounts(phone, ACCOUNT)
        return phone

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(timeout=60)
        assert not any(thread.is_alive() for thread in self.threads)
        if self.faults:
            raise self.faults[0]

    # --- what must hold

    def expect_all(self):
        """Herald runs with the new key alone: all is used, and is answered as it was before."""
        self.core = self.herald.core()
        assert eventually(lambda: not self.be_a_phone(), 60, 0)
        self.expect_replays()
        self.expect_codes()
        self.expect_texts()
        self.expect_orders()
        self.expect_tokens()

    def expect_replays(self):
        for kind in ("code", "message", "order"):
            keys = [key for key, (asked, _) in self.asked.items() if asked == kind]
            assert keys, f"no {kind} was asked for"
            for key in random.sample(keys, min(CHECKED, len(keys))):
                assert eventually(lambda key=key: self.repeat(key))

    def expect_codes(self):
        otps = {number: self.answered[key] for key, (kind, number) in self.asked.items()
                if kind == "code" and key in self.answered}
        known = sorted(otps.keys() & self.codes.keys())
        assert known
        for number in random.sample(known, min(CHECKED, len(known))):
            self.core.verify(otps[number], self.codes[number]).expect(200)

    def expect_texts(self):
        asked = {body["text"] for kind, body in self.asked.values() if kind == "message"}
        assert self.texts & asked

    def expect_orders(self):
        """Each leaves with the token of its integration."""
        self.erp.answer = accept_all
        for key, (kind, body) in self.asked.items():
            if kind == "order" and key in self.answered:
                self.expect_accepted(f"/internal/v1/orders/{self.answered[key]}")
                self.expect_token(body["order"]["id"])

    def expect_accepted(self, path):
        def is_accepted():
            return self.core.get(path).expect(200)["state"] == "accepted"

        for _ in range(TURNS_MAX):
            if is_accepted():
                return
            self.herald.site.clock.advance(60)
            eventually(is_accepted, Moment(2))
        raise AssertionError(self.core.get(path))

    def expect_token(self, order_id):
        heads = [head for head, body in self.erp.requests if order_id.encode() in body]
        assert heads and all(self.tokens[order_id].encode() in head for head in heads)

    def expect_tokens(self):
        assert self.customers
        for customer in self.customers:
            token = customer.at(self.herald.token_front.address).fetch_token()
            assert customer.at(self.herald.front.address).with_token(token).is_taken()


class Rotation:
    def __init__(self, site, deployment, erp):
        site.settings.update(ORDER_SETTINGS | {"HERALD_ISSUER": "https://herald.example"})
        self.clock, self.key = site.clock, site.settings["HERALD_SECRET_KEY"]
        self.herald, self.erp = Herald(site, deployment), erp
        self.load = Load(self.herald, erp)
        self.herald.start()
        self.herald.stop()

    def play(self):
        """A replacement, with a kill in it."""
        self.erp.answer = refuse_all
        self.erp.requests.clear()
        old, self.key = self.key, fresh_secret_key()
        self.herald.know(self.key, old)
        self.herald.start()
        self.load.start()
        self.herald.core().post("/internal/v1/secret-key/rotate", {}).expect(202)
        self.pass_until(random.choice((BEGUN, SEALING, WALKING)))
        time.sleep(random.uniform(0, WALK_S))
        verbs = self.herald.verbs
        self.herald.kill(random.sample(verbs, random.randint(1, len(verbs))))
        self.load.end()
        self.herald.start()
        self.load.start()
        self.pass_to_the_end()
        self.load.end()
        if random.random() < 0.5:  # killed once more, and started as it was
            self.herald.kill(verbs)
            self.herald.start()
            assert self.herald.is_state("idle")
        self.herald.stop()
        SealedStore(self.herald.site).expect_sealed_by(self.key)
        self.herald.know(self.key)
        self.herald.start()
        assert self.herald.is_state("idle")
        self.load.expect_all()
        self.load.forget()
        self.herald.stop()

    def pass_until(self, moment):
        if moment >= SEALING:
            self.clock.advance(ANNOUNCED_S, is_monotonic_too=True)
        if moment >= WALKING:
            assert self.herald.is_state("sealing")
            self.clock.advance(PAUSE_S, is_monotonic_too=True)

    def pass_to_the_end(self):
        """A dead worker's lease ends by the clock, and a second database follows the first."""
        for _ in range(TURNS_MAX):
            state = eventually(self.herald.state)
            if state == "idle":
                return
            self.clock.advance(PAUSE_S, is_monotonic_too=True)
            follows = {"announced": "sealing", "sealing": "idle"}[state]
            eventually(lambda: self.herald.state() in (follows, "idle"), Moment(6))
        ends = {verb: process.describe_end() for verb, process in self.herald.running.items()}
        raise AssertionError(self.herald.core().get("/internal/v1/secret-key"), ends)


def test_kill_9_while_the_key_is_replaced_under_load(fresh_site, deployment, erp):
    rotation = Rotation(fresh_site, deployment, erp)
    for _ in range(ROUNDS):
        rotation.play()
