"""Fresh phone numbers, waiting for something to become true, and many starts at one moment."""

import itertools
import random
import threading
import time
import uuid

PATIENCE_S = 30.0  # what never takes so long has failed, also on a busy machine

_numbers = itertools.count(random.randrange(10**8, 9 * 10**8))


def fresh_number():
    """A phone number that no other test of this run uses."""
    return f"+79{next(_numbers):09d}"


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


def eventually(ask, seconds=PATIENCE_S, pause=0.05):
    """Asks until the answer is truthy and returns it; the last answer when the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer or time.monotonic() >= deadline:
            return answer
        time.sleep(pause)


def at_once(count, act):
    """Runs act(0) ... act(count - 1) in threads that start together; returns what they returned.

    The first exception of any of them is raised again here.
    """
    barrier = threading.Barrier(count)
    results = [None] * count
    faults = []

    def run(index):
        try:
            barrier.wait(timeout=60)
            results[index] = act(index)
        except BaseException as fault:  # handed on to the test below
            faults.append(fault)

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    if faults:
        raise faults[0]
    assert not any(thread.is_alive() for thread in threads), "a request has not come back in 120 s"
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
