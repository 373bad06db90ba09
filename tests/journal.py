"""A pytest plugin that writes down each test as it begins and as it ends (`-p journal`).

HERALD_TEST_JOURNAL  the file; a line of JSON each: first where the tests stand and what was set for
                     them, then {"begun": ID}, then {"test": ID, "outcome": ..., "seconds": ...},
                     where it failed with `why` in a line and `broke`, if herald itself broke
HERALD_TEST_ONLY     a file with the ids, a line each, to which this run keeps

So a run that is ended in the middle still counts with what it did, and says what was under way.
tools/results.py reads it.
"""

import json
import os
import re

import pytest

JOURNAL = "HERALD_TEST_JOURNAL"
ONLY = "HERALD_TEST_ONLY"
WHY_MAX = 300
# Where a scenario shares its herald, xdist writes who shares it behind the id.
GROUP = re.compile(r"@test_\w+\.py-\w+$")
# A herald that has ended unexpectedly answers nobody.
BROKE = re.compile(r"Sanitizer|runtime error:|sanitizer report|herald failed:|herald ended at its start"
                   r"|ConnectionRefusedError|RemoteDisconnected")


def pytest_configure(config):
    path = os.environ.pop(JOURNAL, None)  # not for whom the tests start
    if path:
        config.pluginmanager.register(Journal(config, path))


@pytest.hookimpl(trylast=True)  # behind those who leave out every other row
def pytest_collection_modifyitems(config, items):
    if ONLY not in os.environ:
        return
    with open(os.environ[ONLY], encoding="utf-8") as lines:
        wanted = set(lines.read().splitlines())
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in wanted])
    items[:] = [item for item in items if item.nodeid in wanted]


def name_of(nodeid):
    return GROUP.sub("", nodeid)


def why_of(report):
    """The first line of the error itself, which stands behind an E."""
    text = str(report.longrepr)
    lines = [line[1:].strip() for line in text.splitlines() if re.match(r"E\s", line)]
    return (lines or text.splitlines() or ["no reason was told"])[0][:WHY_MAX]


class Journal:
    """What the process that was started hears of its tests, whichever process runs them."""

    def __init__(self, config, path):
        self.file = open(path, "w", encoding="utf-8")
        self.open = {}
        settings = {name: value for name, value in os.environ.items()
                    if name.startswith("HERALD_")
                    and not name.startswith(("HERALD_TEST_POSTGRES", ONLY))}
        self.write({"folder": str(config.rootpath), "settings": settings})

    def write(self, record):
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()

    def pytest_runtest_logstart(self, nodeid):
        self.write({"begun": name_of(nodeid)})

    def pytest_collectreport(self, report):
        if report.failed:
            self.fail(self.record(report.nodeid), report)

    def pytest_runtest_logreport(self, report):
        record = self.record(report.nodeid)
        record["seconds"] = round(record["seconds"] + report.duration, 3)
        if report.failed:
            self.fail(record, report)
        elif report.skipped and not hasattr(report, "wasxfail"):
            record["outcome"] = "skipped"
        if report.when not in ("setup", "call"):  # a worker that dies tells of its test otherwise
            self.write(self.open.pop(record["test"]))

    def record(self, nodeid):
        name = name_of(nodeid)
        return self.open.setdefault(name, {"test": name, "outcome": "passed", "seconds": 0})

    def fail(self, record, report):
        if record["outcome"] != "failed":
            record.update(outcome="failed", why=why_of(report))
        record["broke"] = record.get("broke", False) or bool(BROKE.search(str(report.longrepr)))

    def pytest_sessionfinish(self):
        for record in self.open.values():
            if record["outcome"] == "failed":
                self.write(record)
        self.open.clear()
