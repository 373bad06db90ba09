"""Contract section 13.3: an endpoint is dead while very many deliveries wait for it. The others do not
feel it, herald keeps no more in memory for it, and nothing storms in when it is back.

HERALD_WAITING   how many wait; default 2000. ./dev campaign waiting 100000 has very many
"""

import contextlib
import os
import re
import threading
import time

import pytest

from harness.hooks import WEBHOOK_SETTINGS, Endpoint, Receiver, copy_delivery
from harness.packages import is_sanitized
from harness.tools import eventually, lasted_at_most
from test_webhooks import canceled_call

CLOCK = True
WAITING = int(os.environ.get("HERALD_WAITING", "2000"))
AT_ONCE = 16  # attempts of an endpoint, in a worker
FAILURES, REST_S = 5, 30  # in a row, and what an endpoint rests then
CALLS = 20
LATER_MAX_S = 0.1  # for the slowest of them, beside the dead endpoint
GROWTH_MAX_KB = 16 * 1024
VISIT_S = 0.01
DRAINED_A_S = 50  # deliveries, at least, on a machine that is busy


class Doors:
    """Answers of a receiver: closed first; then open, when the first visit takes a while."""

    def __init__(self):
        self.lock = threading.Lock()
        self.is_open = False
        self.inside = self.most = 0
        self.beside_first = None  # how many others came while the first was inside
        self.came = 0

    @contextlib.contextmanager
    def entered(self):
        with self.lock:
            self.came += 1
            self.inside += 1
            self.most = max(self.most, self.inside)
        yield
        with self.lock:
            self.inside -= 1

    def answer(self, _):
        if not self.is_open:
            return 503, {}, b"closed"
        with self.entered():
            is_first = self.came == 1
            time.sleep(1 if is_first else VISIT_S)
            if is_first:
                self.beside_first = self.came - 1
        return 200, {}, b"ok"


def memory_kb(site):
    with open(f"/proc/{site.processes[-1].pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1])


def slowest_s(core, phone, receiver):
    """Of some changes, from the answer to the arrival."""
    times = []
    for _ in range(CALLS):
        call = canceled_call(core, phone)
        began = time.monotonic()
        times.append(receiver.wait_for(call["id"])[0].at - began)
    return max(times)


def begin_anew(site, endpoints):
    site.serve()
    for endpoint in endpoints:
        endpoint.core = site.core()


@pytest.mark.long
def test_many_wait_for_one_that_is_dead(fresh_site):
    doors = Doors()
    with Receiver() as well, Receiver() as dead:
        dead.answer = doors.answer
        fresh_site.settings.update(WEBHOOK_SETTINGS)
        fresh_site.serve()
        phone = fresh_site.phone(fresh_site.core())
        endpoints = [Endpoint(fresh_site.core(), one, ("challenge.*",)) for one in (well, dead)]
        alone_s = slowest_s(fresh_site.core(), phone, well)
        before_kb = memory_kb(fresh_site)
        newest = endpoints[1].deliveries("?state=pending&limit=1")[0]
        assert newest["attempts"] == 0, "it rests since the first that failed"
        fresh_site.stop()
        fresh_site.processes.clear()
        copy_delivery(fresh_site, newest, WAITING)

        dead.deliveries.clear()
        begin_anew(fresh_site, endpoints)
        began = time.monotonic()
        assert eventually(lambda: len(dead.deliveries) >= FAILURES)
        beside_s = slowest_s(fresh_site.core(), phone, well)
        lasted_at_most(beside_s, alone_s + LATER_MAX_S)
        probes = 1 + (time.monotonic() - began) / REST_S
        assert len(dead.deliveries) <= AT_ONCE + FAILURES + probes, "it is left alone"
        if not is_sanitized():  # which keep memory of their own
            assert memory_kb(fresh_site) - before_kb <= GROWTH_MAX_KB

        doors.is_open = True
        fresh_site.clock.advance(3600, is_monotonic_too=True)  # its rest is over, and all waits
        fresh_site.processes[-1].wait_until_ready()
        lasted_at_most(slowest_s(fresh_site.core(), phone, well), alone_s + LATER_MAX_S)
        assert eventually(lambda: endpoints[1].deliveries("?state=pending&limit=1") == [],
                          WAITING / DRAINED_A_S)
        assert doors.beside_first == 0, "one attempt alone finds out whether it serves"
        assert 1 < doors.most <= AT_ONCE, "and then no storm comes"
        assert doors.came >= WAITING
        assert endpoints[1].deliveries("?state=failed&limit=1") == []
