"""What the steps of a test run left in their folder (build/test-results), for those who read it.

    NAME.log      what the runner printed
    NAME.status   how it ended, and the seconds that it took, where they are known
    NAME.tests    what tests/journal.py wrote down, where pytest ran
    NAME.again    the same of the second look at what had failed (tools/second_look)
    NAME.not-run  why a part was left out: what it needs could not be fetched
"""

import collections
import dataclasses
import json
import re

FLAKY_MAX = 5
OUT_OF_TIME = (124, 137)  # as timeout(1) says it

PYTEST = re.compile(r"^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in \d+\.\d+s", re.MULTILINE)
MESON_OK = re.compile(
    r"^ *\d+/\d+ .* OK +\d+\.\d+s(?: +(\d+) subtests passed)?\s*?$", re.MULTILINE
)
MESON_REST = re.compile(
    r"^(Expected Fail|Fail|Unexpected Pass|Skipped|Timeout): +(\d+)\s*?$", re.MULTILINE
)
MESON_FAILED = re.compile(
    r"^ *\d+/\d+ (?:\S+ */ *)?(\S+) +(?:FAIL|ERROR|TIMEOUT) +\d+\.\d+s.*$", re.MULTILINE
)
BROKE = re.compile(r"SUMMARY: \w+Sanitizer|runtime error:")
SYMPTOM = re.compile(
    r"^(?:FAILED|ERROR) |^E  |^not ok |^# .*(?:!=|error:)|SUMMARY: \w+Sanitizer"
    r"|^ *(?:▶ +)?\d+/\d+ .* (?:FAIL|ERROR|TIMEOUT)\b"
)
SYMPTOMS_MAX = 40
OUTCOMES = {
    "passed": "passed",
    "xfailed": "passed",
    "failed": "failed",
    "xpassed": "failed",
    "error": "failed",
    "errors": "failed",
    "skipped": "skipped",
    "Expected Fail": "passed",
    "Fail": "failed",
    "Unexpected Pass": "failed",
    "Timeout": "failed",
    "Skipped": "skipped",
}


@dataclasses.dataclass
class Failure:
    test: str
    why: str
    broke: bool  # herald itself broke, or a sanitizer said so


class Journal:
    """What was written down of one run of pytest; the last line may be cut off."""

    def __init__(self, path):
        self.folder, self.settings, self.ended, begun = "", {}, {}, {}
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if "folder" in record:
                self.folder, self.settings = record["folder"], record["settings"]
            elif "begun" in record:
                begun[record["begun"]] = None
            else:
                self.ended[record["test"]] = record
        self.under_way = [test for test in begun if test not in self.ended]

    def counts(self):
        return collections.Counter(record["outcome"] for record in self.ended.values())

    def failures(self):
        return [Failure(test, record["why"], record["broke"])
                for test, record in self.ended.items() if record["outcome"] == "failed"]


class Step:
    def __init__(self, log):
        self.log, self.name = log, log.stem
        self.text = log.read_text(encoding="utf-8", errors="replace")
        self.status, self.seconds = self._read_status()
        self.journal = self._journal("tests")
        again = self._journal("again")
        self.passed_again = set()
        if again:
            self.passed_again = {test for test, record in again.ended.items()
                                 if record["outcome"] == "passed"}

    def _read_status(self):
        """A status of None: it did not come to an end."""
        path = self.log.with_suffix(".status")
        words = path.read_text(encoding="utf-8").split() if path.exists() else []
        status, seconds = [*map(int, words), None, None][:2]
        return status, seconds

    def _journal(self, suffix):
        path = self.log.with_suffix(f".{suffix}")
        return Journal(path) if path.exists() else None

    @property
    def counts(self):
        """By outcome. A unit program that passes counts with each of its tests, one that fails once."""
        return self.journal.counts() if self.journal else count_printed(self.text)

    @property
    def failures(self):
        if self.journal:
            return self.journal.failures()
        if self.status == 0:
            return []
        broke = bool(BROKE.search(self.text))
        lines = {found[1]: " ".join(found[0].split()) for found in MESON_FAILED.finditer(self.text)}
        return [Failure(program, line, broke) for program, line in lines.items()]

    @property
    def flaky(self):
        return [failure for failure in self.failures if failure.test in self.passed_again]

    @property
    def trouble(self):
        """What went wrong beside single tests; None: nothing."""
        if self.status in OUT_OF_TIME:
            under_way = self.journal.under_way if self.journal else []
            return f"ran out of time; under way: {', '.join(under_way) or 'nothing that is known'}"
        if self.status == 0 and not self.counts["passed"]:
            return "ended well, but no test ran"
        if self.status != 0 and (self.status is None or not self.failures):
            return f"ended with {self.status}" if self.status is not None else "did not end"
        if self.journal and self.status not in (0, 1):
            return f"pytest ended with {self.status}"
        return None

    def symptoms(self):
        """The lines by which a runner tells why, where no journal does."""
        lines = [line for line in self.text.splitlines() if SYMPTOM.search(line)]
        if len(lines) > SYMPTOMS_MAX:
            lines[SYMPTOMS_MAX:] = [f"... and {len(lines) - SYMPTOMS_MAX} lines more"]
        return lines


def count_printed(text):
    counts = collections.Counter()
    for summary in PYTEST.findall(text):
        for part in summary.split(", "):
            number, word = part.split(" ")
            counts[OUTCOMES.get(word)] += int(number)
    for subtests in MESON_OK.findall(text):
        counts["passed"] += int(subtests or 1)
    for word, number in MESON_REST.findall(text):
        counts[OUTCOMES[word]] += int(number)
    return counts


def steps_of(folder):
    return [Step(log) for log in sorted(folder.glob("*.log"))]
