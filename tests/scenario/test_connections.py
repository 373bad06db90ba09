"""Connections to PostgreSQL (contract, section 7): opened when they are needed, 8 a process at most."""

import threading

import pytest

from harness.exchange import Operator
from harness.tools import eventually, fresh_number

pytestmark = pytest.mark.only("postgres")

BESIDE_THE_POOLS = 2  # one listens, one sees whether the server answers


def count(site):
    return int(site.database.ask_server("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'herald'"
                                        f" AND datname = '{site.database.name}'"))


def wait_for_blocked(site, wanted):
    blocked = (f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{site.database.name}'"
               " AND wait_event_type = 'Lock'")
    assert eventually(lambda: int(site.database.ask_server(blocked)) >= wanted)


def test_one_is_opened_when_it_is_needed(fresh_site):
    """The work of a start, one task behind the other in the most part, takes a few."""
    fresh_site.serve({"HERALD_DATABASE_CONNECTIONS": "100"})
    core = fresh_site.core()
    fresh_site.phone(core).be_ready()
    core.create_otp(fresh_number()).expect(201)
    assert BESIDE_THE_POOLS < count(fresh_site) < 40


ALLOWED = [(None, (3, 3)), ("2", (1, 1)), ("5", (2, 1))]  # 8 by default


@pytest.mark.parametrize("allowed, pools", ALLOWED)
def test_never_more_than_allowed(fresh_site, allowed, pools):
    """All threads of both pools wait at a lock, and more tasks behind them."""
    fresh_site.serve({"HERALD_DATABASE_TIMEOUT_MS": "15000"}
                     | ({"HERALD_DATABASE_CONNECTIONS": allowed} if allowed else {}))
    core, operator = fresh_site.core(), Operator.of(fresh_site)
    fresh_site.phone(core).be_ready()

    def ask(act):
        thread = threading.Thread(target=act, daemon=True)
        thread.start()
        return thread

    with (fresh_site.database.locked("otp IN ACCESS EXCLUSIVE MODE"),
          fresh_site.database.locked("integration IN ACCESS EXCLUSIVE MODE")):
        threads = [ask(lambda: fresh_site.core().create_otp(fresh_number())) for _ in range(6)]
        threads += [ask(lambda: Operator.of(fresh_site).create_integration()) for _ in range(6)]
        wait_for_blocked(fresh_site, sum(pools))
        assert count(fresh_site) <= sum(pools) + BESIDE_THE_POOLS
    for thread in threads:
        thread.join(60)
    core.create_otp(fresh_number()).expect(201)
    operator.create_integration().expect(201)
    assert count(fresh_site) <= sum(pools) + BESIDE_THE_POOLS


def test_one_that_the_server_ended_is_opened_anew(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core).be_ready()
    core.create_otp(fresh_number()).expect(201)
    fresh_site.database.ask_server("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                                   f" WHERE datname = '{fresh_site.database.name}'")
    core.create_otp(fresh_number()).expect(201)
    Operator.of(fresh_site).create_integration().expect(201)
