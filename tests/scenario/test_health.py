"""Health: live checks the process, ready the database and a worker.

Contract, section 2, rule 13.
"""

import resource
import time

import pytest

from harness.http import Client
from harness.proxy import HangingProxy
from harness.shapes import HEALTH, check_shape
from harness.tools import eventually, fresh_key, fresh_number, took_at_most


def test_both_are_green(site):
    anybody = Client(site.address)
    for path in ("/health/live", "/health/ready"):
        record = check_shape(anybody.get(path).expect(200), HEALTH)
        assert (record["ok"], record["version"]) == (True, "0.5.0")


def test_health_ignores_keys_and_query(site):
    stranger = Client(site.address, {"X-Internal-API-Key": "wrong"}, "127.0.6.1")
    stranger.get("/health/live?probe=1").expect(200)
    stranger.get("/health/ready?probe=1").expect(200)


@pytest.mark.only("postgres")
def test_database_that_goes_away_and_comes_back(fresh_site):
    """503 while it is away, to the probe and to callers; then all is well without a restart."""
    fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    key, caller = fresh_key(), fresh_number()
    fresh_site.database.take_away()

    assert eventually(lambda: core.get("/health/ready").status == 503)
    record = core.get("/health/ready").expect(503)
    assert record["ok"] is False
    assert record["error"]
    core.get("/health/live").expect(200)
    core.create_challenge(caller, key).expect(503, "storage_unavailable")
    core.devices().expect(503, "storage_unavailable")

    fresh_site.database.give_back()
    assert eventually(lambda: core.get("/health/ready").status == 200, seconds=20)
    challenge = core.create_challenge(caller, key).expect(201)
    assert core.challenge(challenge["id"]).expect(200) == challenge


@pytest.mark.only("sqlite")
def test_disk_that_is_full_and_has_room_again(fresh_site):
    """Ready says what is wrong while nothing can be written, and for as long as that."""
    fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    key, caller = fresh_key(), fresh_number()
    pid = fresh_site.processes[-1].pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE, (16 * 1024, resource.RLIM_INFINITY))

    assert eventually(lambda: core.get("/health/ready").status == 503, seconds=20)
    time.sleep(1)  # many a look into the database later
    assert core.get("/health/ready").expect(503)["error"] == "The database cannot be written."
    core.get("/health/live").expect(200)
    core.create_challenge(caller, key).expect(503, "storage_unavailable")

    resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
    assert eventually(lambda: core.get("/health/ready").status == 200, seconds=20)
    core.create_challenge(caller, key).expect(201)
    log = fresh_site.processes[-1].output
    assert log.count(b"SQLite could not write") == log.count(b"SQLite writes again") <= 2


def quick_ready(core):
    """Asks whether herald is ready; the round trip to the database is bounded by a second."""
    started = time.monotonic()
    reply = core.get("/health/ready")
    took_at_most(started, 5)  # a database that hangs does so for longer
    return reply


@pytest.mark.only("postgres")
def test_ready_is_bounded_by_a_second_when_the_database_hangs(fresh_site):
    with HangingProxy(fresh_site.database) as proxy:
        fresh_site.serve(proxy.settings())
        core = fresh_site.core()
        proxy.hang()
        assert eventually(lambda: quick_ready(core).status == 503)
        assert quick_ready(core).expect(503)["ok"] is False
        core.get("/health/live").expect(200)
        proxy.go_on()
        assert eventually(lambda: core.get("/health/ready").status == 200, seconds=20)
        fresh_site.phone(core)
        fresh_site.stop()
