"""A table that somebody has locked holds up those who need it, and nobody of the other store."""

import threading
import time

import pytest

from harness import catalog
from harness.http import Client
from harness.packages import Sender
from harness.tools import eventually, fresh_key, fresh_number, lasted_at_most

pytestmark = [pytest.mark.only("postgres"), pytest.mark.long]

CALLERS = 12  # more than a store has connections
ASKED = 20
AT_ONCE_S = 1.5
HELD_UP_S = 3


class Crowd:
    """Callers that ask all the time, whatever the answer."""

    def __init__(self, ask):
        self.replies = []
        self._ask = ask
        self._is_over = threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(CALLERS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        time.sleep(HELD_UP_S)
        return self

    def __exit__(self, *_):
        self._is_over.set()
        for thread in self._threads:
            thread.join(timeout=60)

    def _work(self):
        while not self._is_over.is_set():
            self.replies.append(self._ask())


def timed(ask):
    began = time.monotonic()
    return ask(), time.monotonic() - began


def expect_quick(ask, status):
    for _ in range(ASKED):
        reply, seconds = timed(ask)
        reply.expect(status)
        lasted_at_most(seconds, AT_ONCE_S)


def expect_held_up(crowd):
    """It was the lock that they waited for."""
    assert crowd.replies
    for reply in crowd.replies:
        assert reply.status == 503, str(reply)
        reply.expect(503, "storage_unavailable")


@pytest.fixture
def core(site):
    made = site.core()
    site.phone(made)
    return made


@pytest.fixture
def sender(site):
    made = Sender.of(site)
    made.apply("catalog-snapshot", catalog.snapshot(catalog.numbered_products(5)))
    return made


def one_change(number):
    return catalog.changes(prices=[catalog.price_row(number, "p-1", "v")])


@pytest.mark.parametrize("table", ["erp_package", "erp_receipt", "integration"])
def test_codes_while_a_table_of_the_exchange_is_locked(site, core, sender, table):
    with site.database.locked(table):
        with Crowd(lambda: sender.changes(one_change(1))) as crowd:
            expect_quick(lambda: core.create_challenge(fresh_number()), 201)
            assert site.processes[-1].get_health("/health/ready") == 200
    expect_held_up(crowd)
    sender.apply("changes", one_change(2))


@pytest.mark.parametrize("table", ["call_challenge", "device_number", "idempotency_key"])
def test_packages_while_a_table_of_codes_is_locked(site, core, sender, table):
    crowded = Client(core.address, core.headers)

    def create():
        return crowded.post("/internal/v1/challenges", {"caller": fresh_number()},
                            headers={"Idempotency-Key": fresh_key()})

    with site.database.locked(table):
        with Crowd(create) as crowd:
            expect_quick(lambda: sender.changes(one_change(3)), 202)
            sender.apply("changes", one_change(4))
            assert site.processes[-1].get_health("/health/ready") == 200
    expect_held_up(crowd)
    core.create_challenge(fresh_number()).expect(201)


# --- What a process writes of itself

BEATS_S = 8  # a process writes every 5 s that it lives, and what phones renew every second
SHARE = "IN SHARE MODE"  # the table is read, and not written


@pytest.mark.parametrize("table", ["process", f"process {SHARE}", f"device_number {SHARE}"])
def test_a_write_that_waits_makes_nobody_unready(site, core, table):
    """The database answers, so the process is ready, whatever its own writes wait for."""
    process, phone = site.processes[-1], site.phone(core)
    phone.be_ready()
    with site.database.locked(table):
        until = time.monotonic() + BEATS_S
        while time.monotonic() < until:
            phone.be_ready()  # renews the readiness of its SIM
            status, seconds = timed(lambda: process.get_health("/health/ready"))
            assert status == 200
            lasted_at_most(seconds, AT_ONCE_S)
            time.sleep(0.2)
    expect_beat(core)


def expect_beat(core):
    def beat():
        rows = core.processes().expect(200)["processes"]
        return next(row for row in rows if row["answering"])["last_beat_at"]

    first = beat()
    assert eventually(lambda: beat() > first, seconds=15)
