"""The secret key is replaced while herald works (contract, section 10.4).

HERALD_CRASH_ROUNDS sets how often herald is killed at a random moment of a replacement.
"""

import http.client
import os
import random
import signal
import stat
import threading
import time

import pytest

from harness.actors import read_code
from harness.exchange import Operator
from harness.orders import ORDER_SETTINGS, Shop, accept_all, refuse_all
from harness.sealed import SealedStore, Vault
from harness.site import fresh_secret_key
from harness.tools import Moment, at_once, eventually, fresh_key, fresh_number

CLOCK = True
ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", "3"))
ANNOUNCED_S, PAUSE_S = 30, 60
GONE = (OSError, http.client.HTTPException)
OLD_SETTING = "HERALD_SECRET_KEY_OLD"


class Installation:
    """A herald with something sealed in it, whose secret key is to become another one."""

    def __init__(self, site, erp):
        self.site, self.erp = site, erp
        site.settings.update(ORDER_SETTINGS | {"HERALD_ISSUER": "https://herald.example"})
        self.old, self.new = site.settings["HERALD_SECRET_KEY"], fresh_secret_key()
        erp.answer = refuse_all
        site.serve()
        core = site.core()
        self.phone = site.phone(core)
        self.phone.be_ready()
        self.otp_key, self.number = fresh_key(), fresh_number()
        self.otp_id = core.create_otp(self.number, self.otp_key).expect(201)["id"]
        self.shop = Shop(site, erp)
        self.customer = Operator.of(site).new_erp(self.shop.integration)
        self.token = self.customer.fetch_token()
        self.order_id = self.shop.placed()
        assert eventually(lambda: erp.requests)

    def know_both(self):
        self.site.settings.update({"HERALD_SECRET_KEY": self.new, OLD_SETTING: self.old})

    def know_new(self):
        self.site.settings.update({"HERALD_SECRET_KEY": self.new, OLD_SETTING: None})

    def rotate(self):
        return self.site.core().post("/internal/v1/secret-key/rotate", {})

    def shown(self):
        return self.site.core().get("/internal/v1/secret-key").expect(200)

    def is_state(self, state):
        return eventually(lambda: self.shown()["state"] == state, 10)

    def pass_to_the_end(self):
        self.site.clock.advance(ANNOUNCED_S, is_monotonic_too=True)
        assert self.is_state("sealing")
        self.finish()

    def finish(self):
        """Of two databases the second one follows, so its pause may begin a moment later."""
        for _ in range(3):
            self.site.clock.advance(PAUSE_S, is_monotonic_too=True)
            if eventually(lambda: self.shown()["state"] == "idle", Moment(6)):
                return
        raise AssertionError(self.shown())

    def expect_replay(self):
        """The same key with the same body is the same code; with another body it is refused."""
        core = self.site.core()
        assert core.create_otp(self.number, self.otp_key).expect(201)["id"] == self.otp_id
        core.create_otp(fresh_number(), self.otp_key).expect(409, "idempotency_conflict")

    def expect_readable(self, is_new=True):
        """All that was sealed is used, and what was asked before is answered as before. Long after
        its beginning, the code and the token are over by the clock."""
        self.shop.move_to(self.site)
        self.expect_replay()
        customer = self.customer.at(self.site.address)
        assert customer.with_token(self.token).is_taken() or not is_new
        assert customer.with_token(customer.fetch_token()).is_taken()
        self.erp.answer = accept_all
        self.shop.pass_until_due(self.order_id)
        self.shop.wait_for(self.order_id, "accepted")
        if is_new:
            code = read_code(self.phone.at(self.site.address).claim_task())
            self.site.core().verify(self.otp_id, code).expect(200)

    def expect_sealed_under(self, key):
        self.site.stop()
        self.site.processes.clear()
        assert SealedStore(self.site).prefixes() == {Vault(key).prefix}


@pytest.fixture
def herald(fresh_site, erp):
    return Installation(fresh_site, erp)


def test_key_is_replaced_while_herald_works(herald):
    herald.know_both()
    herald.site.restart()
    assert herald.shown()["state"] == "ready"
    herald.expect_replay()
    begun = herald.rotate().expect(202)
    assert begun["state"] == "announced" and begun["columns_done"] == 0
    assert herald.rotate().expect(202)["next_key_id"] == begun["next_key_id"]
    herald.pass_to_the_end()
    done = herald.shown()
    assert done["key_id"] == begun["next_key_id"] and done["old_key_id"] is None
    assert done["columns_done"] == done["columns_total"]
    herald.expect_sealed_under(herald.new)
    herald.know_new()
    herald.site.serve()
    herald.expect_readable()
    herald.rotate().expect(409, "no_new_secret_key")


def test_old_key_is_wanted_until_nothing_is_sealed_under_it(herald):
    herald.know_both()
    herald.site.restart()
    herald.rotate().expect(202)
    herald.site.clock.advance(ANNOUNCED_S, is_monotonic_too=True)
    assert herald.is_state("sealing")
    herald.site.stop()
    for changes, words in (
            ({OLD_SETTING: None}, ("HERALD_SECRET_KEY_OLD", "still sealed")),
            ({OLD_SETTING: fresh_secret_key()}, ("HERALD_SECRET_KEY_OLD", "still sealed")),
            ({"HERALD_SECRET_KEY": herald.old, OLD_SETTING: None}, ("is not the key",))):
        done = herald.site.run("serve", changes=changes, timeout=10)
        assert done.returncode > 0, done.stdout
        for word in words:
            assert word in done.stdout, done.stdout
    herald.site.processes.clear()
    herald.site.serve()
    herald.finish()
    herald.expect_readable()


def test_start_with_a_wrong_old_key_is_refused(herald):
    herald.site.stop()
    done = herald.site.run("serve", changes={"HERALD_SECRET_KEY": herald.new,
                                             OLD_SETTING: fresh_secret_key()}, timeout=10)
    assert done.returncode > 0 and "HERALD_SECRET_KEY_OLD" in done.stdout, done.stdout
    herald.site.processes.clear()
    herald.site.serve()
    herald.expect_readable()


class Load:
    """Codes that are asked for while herald is killed: what was answered must be replayed."""

    def __init__(self, site):
        self.site = site
        self.created = {}  # idempotency key -> (number, id)
        self.fault = None

    def run(self):
        core = self.site.core()
        try:
            while True:
                number, key = fresh_number(), fresh_key()
                reply = core.create_otp(number, key)
                if reply.status in (408, 503):  # the clock jumped: what is in force is read first
                    continue
                self.created[key] = (number, reply.expect(201)["id"])
        except GONE:
            return
        except BaseException as fault:  # told to the test
            self.fault = fault

    def until_killed(self, seconds):
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        time.sleep(seconds)
        assert eventually(lambda: self.created or not thread.is_alive())
        self.site.processes[-1].kill()
        thread.join(timeout=30)
        self.site.processes[-1].check_output()
        self.site.processes.clear()
        if self.fault:
            raise self.fault

    def expect_replays(self):
        core = self.site.core()
        assert self.created
        for key, (number, otp_id) in random.sample(sorted(self.created.items()),
                                                   min(20, len(self.created))):
            assert core.create_otp(number, key).expect(201)["id"] == otp_id


def test_kill_at_any_moment_of_a_replacement_is_harmless(herald):
    load = Load(herald.site)
    herald.know_both()
    herald.site.restart()
    for _ in range(ROUNDS):
        herald.rotate().expect(202)
        herald.site.clock.advance(random.choice((0, ANNOUNCED_S, PAUSE_S)), is_monotonic_too=True)
        herald.phone.at(herald.site.address).claim().expect(200)
        load.until_killed(random.uniform(0.05, 1.5))
        herald.site.serve()
        load.expect_replays()
        if herald.shown()["state"] == "idle":  # and back again
            herald.old, herald.new = herald.new, herald.old
            herald.know_both()
            herald.site.restart()
    herald.rotate().expect(202)
    herald.site.clock.advance(ANNOUNCED_S, is_monotonic_too=True)
    assert eventually(lambda: herald.shown()["state"] != "announced", 10)
    herald.finish()
    load.expect_replays()
    herald.expect_sealed_under(herald.new)
    herald.know_new()
    herald.site.serve()
    load.expect_replays()
    herald.expect_readable(is_new=False)


# --- herald's own key file

NO_KEY = {"HERALD_SECRET_KEY": None}


@pytest.mark.only("sqlite")
def test_own_key_file_is_replaced_by_herald_itself(fresh_site):
    site = fresh_site
    site.settings.update(NO_KEY)
    site.serve()
    file, following = site.state / "secret-key", site.state / "secret-key.new"
    before = file.read_text().strip()
    core = site.core()
    phone = site.phone(core)
    phone.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    done = site.run("admin", "secret-key", "rotate",
                    changes={"HERALD_LISTEN": "%s:%d" % site.address})
    assert done.returncode == 0 and "announced" in done.stdout, done.stdout
    assert stat.S_IMODE(following.stat().st_mode) == 0o600
    after = following.read_text().strip()
    assert after != before and file.read_text().strip() == before
    for _ in range(ROUNDS):
        site.processes[-1].kill()
        site.processes.clear()
        site.serve()
    core = site.core()
    site.clock.advance(ANNOUNCED_S, is_monotonic_too=True)
    assert eventually(
        lambda: core.get("/internal/v1/secret-key").expect(200)["state"] == "sealing", 10)
    for _ in range(2):  # the second database follows the first
        time.sleep(2)
        site.clock.advance(PAUSE_S, is_monotonic_too=True)
    assert eventually(lambda: not following.exists(), 20)
    assert file.read_text().strip() == after
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    code = read_code(phone.at(site.address).claim_task())
    core.verify(otp["id"], code).expect(200)
    site.restart()
    state = site.core().get("/internal/v1/secret-key").expect(200)
    assert state["state"] == "idle" and state["old_key_id"] is None


# --- several processes

@pytest.mark.only("postgres")
def test_process_that_slept_seals_nothing_under_the_earlier_key(herald):
    """It knows that one alone, and is asked to store tokens before it has heard of anything."""
    left = herald.site.processes[-1]
    operator = Operator.of(herald.site)
    os.kill(left.pid, signal.SIGSTOP)
    try:
        herald.know_both()
        right = herald.site.serve()
        herald.rotate().expect(202)
        herald.pass_to_the_end()
        answers = []
        asking = threading.Thread(target=lambda: answers.extend(at_once(
            16, lambda _: operator.create_integration())), daemon=True)
        asking.start()
        time.sleep(0.5)  # what they ask lies in the sockets
    finally:
        os.kill(left.pid, signal.SIGCONT)
    asking.join(timeout=60)
    for reply in answers:
        reply.expect(503, "storage_unavailable")
    assert SealedStore(herald.site).prefixes() == {Vault(herald.new).prefix}
    assert eventually(lambda: b"does not know" in left.output, 10)
    operator.post("/internal/v1/secret-key/rotate", {}).expect(503, "storage_unavailable")
    Operator.of(herald.site, right).create_integration().expect(201)


@pytest.mark.only("postgres")
def test_process_that_lacks_the_new_key_stands_aside(herald):
    """It answers 503 and tells why; what others seal is whole."""
    left = herald.site.processes[-1]
    both = {"HERALD_SECRET_KEY": herald.new, OLD_SETTING: herald.old}
    right = herald.site.start("api", changes=both)
    right.wait_until_ready()
    core = herald.site.core(right)
    core.post("/internal/v1/secret-key/rotate", {}).expect(202)
    assert eventually(lambda: b"does not know" in left.output, 10)
    herald.site.core(left).create_otp(fresh_number()).expect(503, "storage_unavailable")
    core.create_otp(fresh_number()).expect(201)
    herald.know_both()
    left.stop()
    herald.site.processes.remove(left)
    herald.site.serve()
    herald.pass_to_the_end()
    herald.expect_readable()
