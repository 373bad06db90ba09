"""Contract section 10.3: a start leaves a record of the settings that changed since the one before,
and of nothing else."""

import json

import pytest

from harness.site import free_port
from harness.tools import at_once, eventually
from test_admin import Admin

CHANGED = "settings.changed"
DRAIN, SILENT, TOKEN = (
    "HERALD_DRAIN_SECONDS", "HERALD_SIM_SILENT_SECONDS", "HERALD_TELEGRAM_BOT_TOKEN")
PROXY = "HERALD_UCALLER_PROXY"


def told(core):
    """(target, changes) of each record of a start, oldest first."""
    records = core.audit(f"?action={CHANGED}&limit=200").expect(200)["records"][::-1]
    for record in records:
        assert record["actor"] == {"kind": "system", "id": None, "name": "herald"}
        assert record["target"]["type"] == "process" and record["address"] is None
    return [
        (record["target"]["id"].split("@")[0],
         {row["field"]: (row["from"], row["to"]) for row in record["changes"]})
        for record in records]


@pytest.fixture
def one(fresh_site):
    """A site whose `serve` listens at one place, as every real one does."""
    fresh_site.port = free_port()
    return fresh_site


def again(site, **changes):
    site.settings.update(changes)
    site.restart()
    return site.core()


def test_what_changed_between_two_starts(one):
    one.serve()
    assert told(one.core()) == []  # nobody knows what was before the first
    assert told(again(one)) == []
    core = again(one, **{DRAIN: "1", SILENT: "77"})
    assert told(core) == [("serve", {DRAIN: ("0", "1"), SILENT: ("180", "77")})]
    assert len(told(again(one))) == 1
    core = again(one, **{DRAIN: "0"})
    assert told(core)[1:] == [("serve", {DRAIN: ("1", "0")})]
    assert "whole" in Admin(one)("audit", "verify")


def test_a_start_after_a_crash_compares_too(one):
    one.serve()
    one.processes[-1].kill()
    one.processes.clear()
    one.settings[DRAIN] = "1"
    one.serve()
    assert told(one.core()) == [("serve", {DRAIN: ("0", "1")})]


def test_a_secret_is_never_shown(one):
    secrets = ["100200:first-token-of-the-bot", "100200:second-token-of-the-bot"]
    one.settings.update({TOKEN: secrets[0], PROXY: "http://herald:password-1@192.0.2.1:3128"})
    one.serve()
    core = again(one, **{TOKEN: secrets[1]})
    assert told(core) == [("serve", {TOKEN: (None, "changed")})]
    core = again(one, **{PROXY: "http://herald:password-2@192.0.2.1:3128"})
    assert told(core)[1:] == [("serve", {PROXY: (None, "changed")})]
    del one.settings[TOKEN]
    core = again(one)
    assert told(core)[2:] == [("serve", {TOKEN: (None, "changed")})]
    one.stop()
    text = json.dumps(one.ask("SELECT changes FROM audit_record")) + one.ask(
        "SELECT settings FROM settings_seen")
    for secret in (*secrets, "password-1", "password-2", one.internal_key):
        assert secret not in text


def test_where_it_listens_is_a_setting_too(one):
    one.serve()
    before = one.port
    one.port = free_port()
    core = again(one)
    assert told(core) == [("serve", {
        "HERALD_LISTEN": (f"127.0.0.1:{before}", f"127.0.0.1:{one.port}")})]


def test_a_machine_with_a_new_name(one):
    """As a container has it at each start: it is compared with the newest start."""
    one.serve()
    one.stop()
    one.ask("UPDATE settings_seen SET host = 'pod-1'")
    one.processes.clear()
    one.serve()
    assert told(one.core()) == []
    one.stop()
    one.ask("UPDATE settings_seen SET host = 'pod-2' WHERE host <> 'pod-1'")
    one.processes.clear()
    one.settings[DRAIN] = "1"
    one.serve()
    assert told(one.core()) == [("serve", {DRAIN: ("0", "1")})]


# --- Several processes

class Cluster:
    """Processes with a place to listen of their own, and settings that may differ."""

    def __init__(self, site):
        self.site = site
        self.members = []
        site.migrate()

    def add(self, verb, **settings):
        self.members.append((verb, free_port(), settings))

    def start(self):
        """All of them at once; returns somebody who asks the first api."""
        started = at_once(len(self.members), lambda i: self.site.start(
            self.members[i][0], changes=self.members[i][2], port=self.members[i][1]))
        apis = [process for (verb, _, _), process in zip(self.members, started) if verb == "api"]
        for process in apis:
            process.wait_until_ready()
        return self.site.core(apis[0])

    def restart(self, **changes):
        self.site.stop()
        self.site.processes.clear()
        self.site.settings.update(changes)
        return self.start()


@pytest.fixture
def cluster(fresh_site):
    return Cluster(fresh_site)


@pytest.mark.only("postgres")
def test_processes_that_start_at_once_leave_one_record(cluster):
    for verb in ("api", "api", "api", "worker", "worker"):
        cluster.add(verb)
    assert told(cluster.start()) == []
    assert told(cluster.restart()) == []
    core = cluster.restart(**{SILENT: "77"})
    change = {SILENT: ("180", "77")}
    assert eventually(lambda: len(told(core)) >= 2)  # nobody waits for a worker's start
    assert sorted(told(core)) == [("api", change), ("worker", change)]
    assert len(told(cluster.restart())) == 2
    core = cluster.restart(**{SILENT: "180"})
    back = {SILENT: ("77", "180")}
    assert eventually(lambda: len(told(core)) >= 4)
    assert sorted(told(core)[2:]) == [("api", back), ("worker", back)]


@pytest.mark.only("postgres")
def test_processes_with_settings_of_their_own(cluster):
    """They never tell of each other's, however often they start."""
    cluster.add("api", **{DRAIN: "1", SILENT: "60"})
    cluster.add("api", **{DRAIN: "2", SILENT: "60"})
    cluster.add("worker", **{SILENT: "90"})
    first = told(cluster.start())
    assert all(verb == "api" for verb, _ in first) and len(first) <= 1
    for _ in range(2):
        assert told(cluster.restart()) == first
    cluster.members[1][2][SILENT] = "61"
    assert told(cluster.restart())[len(first):] == [("api", {SILENT: ("60", "61")})]
    assert len(told(cluster.restart())) == len(first) + 1
