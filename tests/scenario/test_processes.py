"""Contract section 11.9: which processes run, which were lost, and which stopped in order."""

import json
import os
import socket

import pytest

from harness.http import Client
from harness.shapes import PROCESS, check_shape, parse_time
from harness.tools import eventually

PATH = "/internal/v1/processes"
CLOCK = True
DAY_S = 24 * 3600
LOST_WITHIN_S = 25  # 15 s after the last beat, and some for a busy machine


def listed(site, process=None):
    return site.core(process).processes().expect(200)["processes"]


def row_of(site, process, at=None):
    rows = [row for row in listed(site, at) if row["pid"] == process.pid]
    assert len(rows) <= 1
    return rows[0] if rows else None


def test_a_process_lists_itself(site):
    rows = listed(site)
    row = next(row for row in rows if row["answering"])
    check_shape(row, PROCESS)
    assert [row["answering"] for row in rows].count(True) == 1
    assert (row["verb"], row["state"], row["version"]) == ("serve", "living", "0.5.0")
    assert row["host"] == socket.gethostname()
    os.kill(row["pid"], 0)
    assert parse_time(row["started_at"]) <= parse_time(row["last_beat_at"])


def test_it_beats(site):
    def beat():
        return next(row for row in listed(site) if row["answering"])["last_beat_at"]
    first = beat()
    assert eventually(lambda: beat() > first, seconds=15)


def test_the_command_fits_a_terminal(site):
    row = next(row for row in listed(site) if row["answering"])
    listen = {"HERALD_LISTEN": "%s:%d" % site.address}
    done = site.run("admin", "processes", "list", changes=listen)
    assert done.returncode == 0, done.stdout
    head, *lines = done.stdout.splitlines()
    assert head.split()[:4] == ["VERB", "VERSION", "PID", "STATE"]
    assert lines[0].split()[:4] == ["serve", "0.5.0", str(row["pid"]), "living"]
    assert max(len(line.removesuffix(row["host"])) for line in lines) <= 66
    shown = json.loads(site.run("admin", "processes", "list", "--json", changes=listen).stdout)
    assert shown["processes"][0]["id"] == row["id"]


def test_what_is_refused(site):
    Client(site.address).get(PATH).expect(401, "unauthorized")
    site.core().get(f"{PATH}?limit=1").expect(422, "validation_error")


def test_a_restart_in_order_leaves_nothing(fresh_site):
    fresh_site.serve()
    first = listed(fresh_site)
    assert len(first) == 1
    fresh_site.restart()
    second = listed(fresh_site)
    assert len(second) == 1 and second[0]["id"] != first[0]["id"]


def test_a_killed_process_is_lost(fresh_site):
    killed = fresh_site.serve()
    before = listed(fresh_site)[0]
    killed.kill()
    fresh_site.serve()
    def lost():
        return next(row for row in listed(fresh_site) if row["id"] == before["id"])["state"] == "lost"
    assert eventually(lost, seconds=LOST_WITHIN_S)
    rows = listed(fresh_site)
    assert [row["answering"] for row in rows] == [False, True]
    assert [row["state"] for row in rows] == ["lost", "living"]


def test_a_lost_process_is_forgotten_after_a_day(site):
    """A start sweeps at once; so the clock stands a day ahead before it."""
    stays = listed(site)
    site.processes[-1].kill()
    site.clock.advance(DAY_S + 60)
    site.serve()
    gone = {row["id"] for row in stays}
    assert eventually(lambda: not gone & {row["id"] for row in listed(site)}, seconds=15)
    assert len(listed(site)) == 1


@pytest.mark.only("postgres")
def test_all_verbs_are_listed_by_every_api(fresh_site):
    first, second = fresh_site.start_cluster()
    idp = fresh_site.start("idp")
    idp.wait_until_ready()
    assert eventually(lambda: len(listed(fresh_site, first)) == 5, seconds=10)
    for process in (first, second):
        rows = listed(fresh_site, process)
        assert sorted(row["verb"] for row in rows) == ["api", "api", "idp", "worker", "worker"]
        assert {row["state"] for row in rows} == {"living"}
        assert row_of(fresh_site, process, at=process)["answering"]
    idp.stop()
    assert row_of(fresh_site, idp, at=second) is None
    second.kill()
    assert row_of(fresh_site, second, at=first)["state"] == "living"
    assert eventually(
        lambda: row_of(fresh_site, second, at=first)["state"] == "lost", seconds=LOST_WITHIN_S)
    others = [row for row in listed(fresh_site, first) if row["pid"] != second.pid]
    assert [row["state"] for row in others] == ["living"] * 3
