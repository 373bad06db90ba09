"""Contract section 10.5 where `herald api` takes the request and `herald worker` does it."""

import signal
import time

import pytest

from harness.tools import eventually, fresh_number, took_at_most
from test_personal_data import done, fill, is_done, started, traces_of

pytestmark = pytest.mark.only("postgres")  # an embedded database belongs to one process
MANY = 10_000


@pytest.fixture
def apart(fresh_site):
    fresh_site.migrate()
    api = fresh_site.start("api")
    api.wait_until_ready("/health/live")  # without a worker it is not ready
    return fresh_site, fresh_site.core(api)


def test_without_a_worker_it_waits(apart):
    """The answer is 202 after a second; the first worker that comes does it."""
    site, core = apart
    number = fresh_number()
    fill(site, number, 10)
    began = time.monotonic()
    erasure = started(core, "erase", number)
    assert time.monotonic() - began > 0.9
    took_at_most(began, 5)
    assert (erasure["state"], erasure["phase"], erasure["finished_at"]) == ("running", "orders", None)
    export = started(core, "export", fresh_number())
    assert is_done(core, erasure) is None and is_done(core, export) is None
    assert traces_of(site, number)
    site.start("worker")
    assert eventually(lambda: is_done(core, erasure))["codes"] == 10
    assert eventually(lambda: is_done(core, export))["found"]["codes"] == []
    assert not traces_of(site, number)


def test_with_a_worker_it_is_done_at_once(apart):
    site, core = apart
    site.start("worker")
    done(core, "erase", fresh_number())  # it has begun
    number = fresh_number()
    fill(site, number, 10)
    shown = core.post("/internal/v1/subjects/erase", {"phone": number}).expect(200)
    assert (shown["state"], shown["codes"]) == ("done", 10)
    shown = core.post("/internal/v1/subjects/export", {"phone": number}).expect(200)
    assert shown["found"]["codes"] == []


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_a_worker_that_ends_in_the_middle(apart, end):
    """Another one goes on behind its last batch; one that wakes up later does no harm."""
    site, core = apart
    number = fresh_number()
    fill(site, number, MANY)
    job = started(core, "erase", number)
    path = f"/internal/v1/subjects/jobs/{job['id']}"
    worker = site.start("worker")
    assert eventually(lambda: core.get(path).expect(200)["codes"], pause=0.01)
    worker.terminate(end)
    time.sleep(1)
    left = core.get(path).expect(200)
    assert left["codes"] < MANY and left["state"] == "running"
    site.start("worker")
    assert eventually(lambda: is_done(core, job))["codes"] == MANY
    if end == signal.SIGSTOP:
        worker.terminate(signal.SIGCONT)
    assert not traces_of(site, number)
    assert done(core, "erase", number)["codes"] == 0
    site.processes.remove(worker)
    worker.kill()
    assert site.ask("SELECT count(*) FROM otp WHERE erased = 2") == str(MANY)
