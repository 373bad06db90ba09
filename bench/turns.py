"""What is compared is up at once and is measured in turn, round by round, so that what slows the
machine down for a while meets all of it. A figure is the median of the rounds."""

import statistics
from contextlib import ExitStack

from host import BenchFailed
from table import failed_row, number

ROUNDS = 3


class Contender:
    """A program that is measured beside others, and what it was measured at."""

    def __init__(self, engine):
        self.engine = engine  # or who it is, where it is a peer
        self.program = None
        self.results = []
        self.cpu_s = 0
        self.fault = None

    def measure(self, run):
        """One round."""
        before_s = self.program.cpu_s()
        self.results.append(run())
        self.cpu_s += self.program.cpu_s() - before_s

    def medians(self):
        """Of each figure of the results."""
        return {name: self.median(name) for name in self.results[0] if name != "scenario"}

    def median(self, name):
        return statistics.median(result[name] for result in self.results)

    def total(self, name):
        return sum(result[name] for result in self.results)

    def spread(self, name):
        """In brackets, behind a median; nothing of one round."""
        values = [result[name] for result in self.results]
        if len(values) == 1:
            return ""
        return f" ({number(min(values))} to {number(max(values))} in {len(values)})"


def explain(contender, fault):
    """What happened, where the program ended, rather than what that led to."""
    process = contender.program and contender.program.process
    if not process or process.poll() is None:
        return fault
    return BenchFailed(f"it ended, with {process.returncode}: {contender.program.last_words()}")


def attempt(contender, act, *arguments):
    """A fault is a contender's own: the others go on, and get nothing of what it left."""
    if contender.fault:
        return
    try:
        act(*arguments)
    except (BenchFailed, OSError) as fault:
        contender.fault = explain(contender, fault)
        if contender.program:
            contender.program.stop()


def finish(contender, title, make_rows):
    """Its rows, once what it did is checked."""
    try:
        if contender.fault:
            raise contender.fault
        return make_rows(contender)
    except (BenchFailed, OSError) as fault:
        return [failed_row(title, contender.engine, fault)]


def measure_in_turn(contenders, title, rounds, enter, act, make_rows):
    """The rows of all: `enter` starts a contender on a stack, `act` measures it for a round."""
    with ExitStack() as stack:
        for one in contenders:
            attempt(one, enter, one, stack)
        for _ in range(rounds):
            for one in contenders:
                attempt(one, act, one)
        return [row for one in contenders for row in finish(one, title, make_rows)]
