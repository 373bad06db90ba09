"""A worker that dies, or stands still, leaves its orders to the others within seconds."""

import signal
import time

import pytest

from harness.orders import ORDER_SETTINGS, OrderErp, Shop
from harness.tools import eventually

pytestmark = [pytest.mark.only("postgres"), pytest.mark.long]

SHOPS = 6
TAKEN_OVER_WITHIN_S = 8  # 6 since the last sign of life, and what a busy machine adds
STANDS_STILL_S = 8


@pytest.fixture
def scene(fresh_site):
    """An api, a worker that holds the lanes of all shops, and one that was started later."""
    fresh_site.settings |= ORDER_SETTINGS
    fresh_site.migrate()
    first = fresh_site.start("worker")
    api = fresh_site.start("api")
    api.wait_until_ready()
    with OrderErp() as erp:
        shops = [Shop(fresh_site, erp) for _ in range(SHOPS)]
        for shop in shops:
            shop.delivered()
        second = fresh_site.start("worker")
        fresh_site.processes.remove(api)
        fresh_site.processes.append(api)
        assert eventually(lambda: b"works" in second.output)
        time.sleep(1)
        for shop in shops:
            shop.delivered()
        assert fresh_site.ask("SELECT count(DISTINCT holder) FROM order_lane") == "1"
        yield fresh_site, erp, shops, first, second
        erp.expect_sound()


def hang_call(erp, shop):
    """An order whose first call makes the document, and is not answered for long."""
    order = shop.order()
    erp.behave("late", order=order["id"], count=1, wait_ms=12_000)
    shop.placed(order)
    assert eventually(lambda: erp.calls_of(order["id"]), 5, 0.005)
    return order["id"]


def expect_taken_over(shops, waiting, since):
    """Orders that are new, and the one that was under way."""
    placed = [(shop, shop.placed()) for shop in shops] + [waiting]
    for shop, order_id in placed:
        left = TAKEN_OVER_WITHIN_S - (time.monotonic() - since)
        shop.wait_for(order_id, "accepted", within=max(left, 0.1))


def test_a_worker_that_is_killed(scene):
    site, erp, shops, first, second = scene
    waiting = shops[0], hang_call(erp, shops[0])
    first.kill()
    site.processes.remove(first)
    expect_taken_over(shops, waiting, time.monotonic())
    assert [row["attempt"] for row in sorted(
        shops[0].attempts(waiting[1]), key=lambda row: row["attempt"])] == [1, 2]
    assert b"a worker is dead" in second.output
    assert site.ask("SELECT count(*) FROM lease WHERE name LIKE 'orders:%'") == "1"


def test_a_worker_that_stands_still(scene):
    """It comes back and finds its orders done by another: nothing is done twice, and it goes on."""
    site, erp, shops, first, second = scene
    waiting = shops[0], hang_call(erp, shops[0])
    first.terminate(signal.SIGSTOP)
    stopped = time.monotonic()
    expect_taken_over(shops, waiting, stopped)
    time.sleep(max(0, STANDS_STILL_S - (time.monotonic() - stopped)))
    document = erp.document_of(waiting[1])
    first.terminate(signal.SIGCONT)
    time.sleep(2)
    assert shops[0].read(waiting[1])["erp_order_id"] == document["order_id"]
    assert len(erp.calls_of(waiting[1])) == 2
    for shop in shops:
        shop.delivered()
    second.stop()
    site.processes.remove(second)
    for shop in shops:
        shop.delivered()


def test_a_database_that_was_away_kills_nobody(scene):
    """Where nobody could show a sign of life, nobody judges by its absence."""
    site, erp, shops, first, second = scene
    site.database.take_away()
    time.sleep(STANDS_STILL_S)
    site.database.give_back()
    assert eventually(lambda: site.processes[-1].get_health("/health/ready") == 200)
    for shop in shops:
        shop.delivered()
    time.sleep(2)
    assert b"a worker is dead" not in first.output + second.output
