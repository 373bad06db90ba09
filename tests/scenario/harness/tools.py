"""Fresh phone numbers, waiting for something to become true, and many starts at one moment."""

import itertools
import os
import random
import threading
import time
import uuid

PATIENCE_S = float(os.environ.get("HERALD_TEST_PATIENCE") or 60)  # what takes longer has failed
IS_TIMED = os.environ.get("HERALD_TEST_TIMING") == "1"  # bounds of time count: ./dev campaign timing

_numbers = itertools.count(random.randrange(10**8, 9 * 10**8))
_addresses = itertools.count(random.randrange(2**20))


def fresh_number():
    """A phone number that no other test of this run uses."""
    return f"+79{next(_numbers):09d}"


def fresh_address():
    """An address of this machine from which no other client of this process asks. Wrong keys are
    counted by address (contract, section 1, Keys)."""
    number = next(_addresses)
    return f"127.{64 + (number >> 16 & 63)}.{number >> 8 & 255}.{number & 255}"


def fresh_chat():
    """A chat of the messenger bot that no other test of this run uses."""
    return next(_numbers)


def fresh_numbers(count):
    return [fresh_number() for _ in range(count)]


def fresh_key():
    return str(uuid.uuid4())


def masked(number):
    """A number as the log shows it."""
    return f"{number[:5]}***{number[-4:]}"


class Moment(float):
    """Seconds in which something does not come, or need not come; patience makes it no longer."""


def eventually(ask, seconds=PATIENCE_S, pause=0.05):
    """Asks until the answer is truthy and returns it; the last answer when the time is over.

    A machine that is busy has patience, so `seconds` are what they say only of a Moment, and in the
    campaign of times.
    """
    is_exact = IS_TIMED or isinstance(seconds, Moment)
    deadline = time.monotonic() + (seconds if is_exact else max(seconds, PATIENCE_S))
    while True:
        answer = ask()
        if answer or time.monotonic() >= deadline:
            return answer
        time.sleep(pause)


def lasted_at_most(lasted, seconds):
    """What lasted that long may last so many seconds. A busy machine breaks such a bound without a
    fault, so it counts in the campaign of times alone."""
    assert lasted <= seconds or not IS_TIMED, f"it lasted {lasted:.2f} s, and may last {seconds}"


def took_at_most(begun, seconds):
    """The same of what began at `begun`, a time.monotonic(), and is over now."""
    lasted_at_most(time.monotonic() - begun, seconds)


def at_once(count, act):
    """Runs act(0) ... act(count - 1) in threads that start together; returns what they returned.

    The first exception of any of them is raised again here.
    """
    barrier = threading.Barrier(count)
    results = [None] * count
    faults = []

    def run(index):
        try:
            barrier.wait(timeout=PATIENCE_S)
            results[index] = act(index)
        except BaseException as fault:  # handed on to the test below
            faults.append(fault)

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=3 * PATIENCE_S)
    if faults:
        raise faults[0]
    assert not any(thread.is_alive() for thread in threads), "a request has not come back"
    return results


def assert_ends_at(clock, end, ask, good, bad=401):
    """Asks across the moment `end`: all answers before it are good, the one behind it is bad.

    What is on its way at that moment may be either.
    """
    early = 0
    while True:
        asked = clock.now()
        answer = ask()
        answered = clock.now()
        if asked >= end:
            assert answer == bad, f"{answer} although asked at {asked}, and it ended at {end}"
            assert early, "nothing was asked before the end"
            return
        if answered < end:
            assert answer == good, f"{answer} at {answered}, and it ends only at {end}"
            early += 1
        time.sleep(0.005)
