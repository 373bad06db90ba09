"""Contract section 2, rule 13, and section 6, on a bad day: PostgreSQL without room, machines whose
clocks differ, a clock that was ahead when herald was killed. Ready tells what is so and nothing
else, no order that was taken is lost, and all goes on by itself.
"""

import time

import pytest

from harness.clock import Clock
from harness.exchange import Operator
from harness.orders import (
    ORDER_SETTINGS, OrderErp, RawErp, Shop, accept_all, http_answer,
)
from harness.tools import eventually, fresh_key

CLOCK = True
HOUR_S = 3600
ALIVE_S = 30  # a worker must have been heard of within

FILL = """
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END$$;
    CREATE TRIGGER no_room BEFORE INSERT ON order_delivery EXECUTE FUNCTION no_room();
"""
FREE = "DROP FUNCTION no_room() CASCADE"


@pytest.fixture
def erp():
    with OrderErp() as made:
        yield made


def ready(core):
    """What is wrong, or None."""
    reply = core.get("/health/ready")
    assert reply.status == (200 if reply.json["ok"] else 503)
    return reply.json.get("error")


# --- no room


@pytest.mark.only("postgres")
def test_postgres_without_room(fresh_site, erp):
    """What needs none goes well all the time, signs of life and turns of the worker among it."""
    fresh_site.settings |= ORDER_SETTINGS
    fresh_site.serve()
    shop, key = Shop(fresh_site, erp), fresh_key()
    order = shop.order()
    fresh_site.database.ask(FILL)
    shop.place(order, key).expect(503, "storage_unavailable")
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:  # two signs of life later
        assert ready(shop.operator) == "The database cannot be written."
        time.sleep(0.1)
    shop.operator.get("/health/live").expect(200)

    fresh_site.database.ask(FREE)
    shop.place(order, key).expect(202)
    assert eventually(lambda: ready(shop.operator) is None, seconds=15)
    shop.wait_for(order["id"], "accepted")
    erp.wait_for_calls(order["id"], 1)
    log = fresh_site.processes[-1].output
    assert log.count(b"PostgreSQL has no room on its disk") == log.count(b"PostgreSQL has room") == 1


# --- clocks


@pytest.mark.only("postgres")
@pytest.mark.parametrize("ahead_s", [1, 20])
def test_worker_whose_clock_is_ahead(fresh_site, tmp_path, ahead_s):
    """The clocks of two machines are never quite the same."""
    fresh_site.migrate()
    folder = tmp_path / "ahead"
    folder.mkdir()
    mine, fresh_site.clock = fresh_site.clock, Clock(folder)
    fresh_site.clock.set(ahead_s)
    worker = fresh_site.start("worker")
    fresh_site.clock = mine
    api = fresh_site.start("api")
    api.wait_until_ready()
    core = fresh_site.core(api)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        assert ready(core) is None
        time.sleep(0.05)
    worker.kill()
    fresh_site.clock.advance(ahead_s + ALIVE_S)
    assert eventually(lambda: ready(core) == "No worker was heard of within 30 seconds.")


def test_clock_that_was_ahead_when_herald_was_killed(fresh_site):
    """Neither the signs of life nor the leases of the dead are from the future."""
    fresh_site.settings |= ORDER_SETTINGS
    fresh_site.clock.advance(1000 * HOUR_S)
    process = fresh_site.serve()
    with RawErp(lambda *_: http_answer(b"", "503 Busy")) as erp:
        shop = Shop(fresh_site, erp)
        shop.wait_for_attempt(shop.placed(), 1)
        process.kill()
        fresh_site.processes.clear()
        fresh_site.clock.set(-1000 * HOUR_S)
        process = fresh_site.serve()  # which is ready
        shop.move_to(fresh_site)
        order_id = shop.placed()
        shop.wait_for_attempt(order_id, 1)
        # A periodic job ends what was not delivered within 72 hours.
        fresh_site.clock.advance(73 * HOUR_S)
        shop.wait_for(order_id, "failed", within=15)
    assert Operator.of(fresh_site).get("/health/live").status == 200


@pytest.mark.only("postgres")
def test_orders_do_not_wait_for_the_clock_of_a_dead_worker(fresh_site, tmp_path):
    """They were to be tried again soon, by a clock that was ten hours ahead."""
    fresh_site.settings |= ORDER_SETTINGS
    first = fresh_site.serve()
    folder = tmp_path / "ahead"
    folder.mkdir()
    mine, fresh_site.clock = fresh_site.clock, Clock(folder)
    fresh_site.clock.set(10 * HOUR_S)
    ahead = fresh_site.serve()
    fresh_site.clock = mine
    with RawErp(lambda *_: http_answer(b"", "503 Busy")) as erp:
        shops = [Shop(fresh_site, erp) for _ in range(6)]
        placed = [(shop, shop.placed()) for shop in shops]
        for shop, order_id in placed:
            shop.wait_for_attempt(order_id, 1)
        ahead.kill()
        erp.answer = accept_all
        mine.advance(61, is_monotonic_too=True)
        first.wait_until_ready()
        for shop, order_id in placed:
            shop.move_to(fresh_site, first)
            shop.wait_for(order_id, "accepted", within=20)
