"""Those who meet at one row wait for each other and never in a circle.

Contract, section 2, rules 2, 5, 7.

Pairs of clients at two api processes work for a while; PostgreSQL counts the deadlocks, and a
deadlock also shows in the answers: PostgreSQL looks for one only after a second.
"""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.actors import read_code
from harness.tools import at_once, fresh_number, fresh_numbers, lasted_at_most

pytestmark = pytest.mark.only("postgres")

CLOCK = True
PAIRS = 6
LASTS_S = 3
ANSWER_MAX_S = 4.0  # a lock that nobody gives is waited for for 5 s
TTL_S = 60
JUMP_S = 15


class Stopwatch:
    """How long each answer took."""

    def __init__(self):
        self.seconds = []
        self.ends_at = time.monotonic() + LASTS_S

    @property
    def is_running(self):
        return time.monotonic() < self.ends_at or len(self.seconds) <= 2 * PAIRS

    def time(self, ask, *arguments, **fields):
        began = time.monotonic()
        reply = ask(*arguments, **fields)
        self.seconds.append(time.monotonic() - began)
        return reply


class Pair:
    """A core system at one api and a phone at the other, each with a second hand."""

    def __init__(self, site, apis, index):
        self.core, other = (site.core(apis[(index + turn) % 2]) for turn in (0, 1))
        self.other = other
        self.phone = site.phone(self.core)
        self.phone.be_ready()
        self.phone = self.phone.at(other.address)

    def send(self, recipient):
        """A code that the phone holds and has not reported yet."""
        reply = self.core.create_otp(recipient, gateway_number=self.phone.number)
        otp = reply.expect(201)
        return otp, self.phone.claim_task()


def work(site, act, meanwhile=contextlib.nullcontext):
    """act(pair, stopwatch, second_hand) over and over by all pairs; then the counts are held."""
    apis = site.start_cluster()
    pairs = [Pair(site, apis, index) for index in range(PAIRS)]
    stopwatch = Stopwatch()

    def run(index):
        with ThreadPoolExecutor(1) as second_hand:
            while stopwatch.is_running:
                act(pairs[index], stopwatch, second_hand)

    with meanwhile():
        at_once(PAIRS, run)
    demand_no_deadlock(site, stopwatch)


def demand_no_deadlock(site, stopwatch):
    site.stop()  # every connection has handed in its counts then
    counted = site.database.ask(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    assert counted == "0", f"{counted} deadlocks"
    lasted_at_most(max(stopwatch.seconds), ANSWER_MAX_S)


def test_report_of_a_code_that_is_verified_at_that_moment(fresh_site):
    def act(pair, stopwatch, second_hand):
        otp, task = pair.send(fresh_number())
        report = second_hand.submit(stopwatch.time, pair.phone.result, task, "sent")
        stopwatch.time(pair.core.verify, otp["id"], read_code(task)).expect(200)
        report.result(timeout=60).expect(204)

    work(fresh_site, act)


def test_failure_of_a_code_that_is_verified_at_that_moment(fresh_site):
    """A failure also chooses another number, so a phone may hold the task of another's code."""
    otp_of = {}

    def act(pair, stopwatch, second_hand):
        recipient = fresh_number()
        made = pair.core.create_otp(recipient, gateway_number=pair.phone.number).expect(201)
        otp_of[recipient] = made["id"]
        task = pair.phone.claim_task()
        report = second_hand.submit(stopwatch.time, pair.phone.result, task, "failed")
        verified = stopwatch.time(pair.core.verify, otp_of[task["recipient"]], read_code(task))
        assert verified.status == 200 or verified.code == "already_confirmed", verified
        report.result(timeout=60).expect(204)

    work(fresh_site, act)


def test_create_for_a_recipient_whose_code_is_verified_at_that_moment(fresh_site):
    def act(pair, stopwatch, second_hand):
        recipient = fresh_number()
        otp, task = pair.send(recipient)
        second = second_hand.submit(
            stopwatch.time, pair.other.create_otp, recipient, gateway_number=pair.phone.number)
        stopwatch.time(pair.core.verify, otp["id"], read_code(task)).expect(200)
        reply = second.result(timeout=60)
        assert (reply.status, reply.code) in ((201, None), (409, "active_challenge_exists")), reply
        pair.phone.result(task, "sent").expect(204)
        if reply.status == 201:
            pair.core.cancel_otp(reply.json["id"]).expect(204)

    work(fresh_site, act)


@contextlib.contextmanager
def running_clock(clock):
    """Time runs, a minute in less than a second, as long as the block lasts. Not while anybody
    connects to the database, which may take no more than some seconds."""
    is_over = threading.Event()

    def run():
        while not is_over.wait(0.2):
            clock.advance(JUMP_S)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def test_codes_that_expire_while_new_ones_are_created(fresh_site):
    """Workers clean up behind codes of recipients who ask for the next ones meanwhile."""
    allowed = {(201, None), (409, "active_challenge_exists"), (429, "rate_limited"),
               (503, "no_ready_sim")}
    people = {}

    def act(pair, stopwatch, second_hand):
        crowd = people.setdefault(pair.phone.number, fresh_numbers(30))
        crowd.append(crowd.pop(0))
        claim = second_hand.submit(stopwatch.time, pair.phone.claim)
        reply = stopwatch.time(pair.core.create_otp, crowd[0], ttl_seconds=TTL_S)
        assert (reply.status, reply.code) in allowed, reply
        task = claim.result(timeout=60).expect(200)["task"]
        if task:
            stopwatch.time(pair.phone.result, task, "sent")

    work(fresh_site, act, lambda: running_clock(fresh_site.clock))
    expired = int(fresh_site.ask("SELECT count(*) FROM otp WHERE state = 'expired'"))
    assert expired > PAIRS, "hardly a code has expired: the scenario tells nothing"
