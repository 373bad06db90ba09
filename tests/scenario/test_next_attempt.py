"""Contract section 4: what is due is never shown as due in the past (O4)."""

import pytest

from harness import catalog
from harness.hooks import WEBHOOK_SETTINGS, Endpoint, Receiver
from harness.orders import (
    FAILURES_IN_A_ROW, ORDER_SETTINGS, Shop, http_answer, refuse_all,
)
from harness.packages import SNAPSHOT, Desk, Sender
from harness.shapes import parse_time
from harness.tools import eventually

CLOCK = True
SETTINGS = ORDER_SETTINGS | WEBHOOK_SETTINGS
HOUR_S = 3600


def expect_not_past(clock, read, member="next_attempt_at"):
    """What it shows is no earlier than the question."""
    asked_at = clock.now().timestamp()
    shown = read()[member]
    assert shown and parse_time(shown).timestamp() >= asked_at - 0.01, (shown, asked_at)


def test_an_order_of_a_disabled_integration(site, shop, erp):
    erp.answer = refuse_all
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    shop.operator.change_integration(shop.integration_id, enabled=False).expect(200)
    site.clock.advance(HOUR_S)
    expect_not_past(site.clock, lambda: shop.read(order_id))
    row, = shop.listed(state="queued")[0]
    assert parse_time(row["next_attempt_at"]).timestamp() > site.clock.now().timestamp() - 60


def test_an_order_waits_for_the_probe_of_its_erp(site, shop, erp):
    """The sixth has had no attempt, and none is to come before the probe."""
    erp.answer, erp.health = refuse_all, http_answer(b"", "401 Unauthorized")
    ids = [shop.placed() for _ in range(FAILURES_IN_A_ROW + 1)]

    def circuit():
        return shop.read(ids[-1])["circuit"]
    assert eventually(lambda: circuit() and circuit()["state"] == "open", 10)
    for order_id in ids:
        record = shop.read(order_id)
        if record["state"] == "queued":
            assert record["next_attempt_at"] >= record["circuit"]["next_probe_at"]


@pytest.mark.only("postgres")
def test_while_no_worker_runs(fresh_site, erp):
    """Everything that waits, at an api alone."""
    fresh_site.settings.update(SETTINGS)
    worker = fresh_site.serve()
    core = fresh_site.core()
    sender, shop = Sender.of(fresh_site), Shop(fresh_site, erp)
    sender.apply(SNAPSHOT, catalog.snapshot())
    unknown = catalog.changes([catalog.stock_row(1, "nobody-has-it")])
    sender.changes(unknown)
    sender.wait_for(unknown["event_id"], "retry")
    erp.answer, erp.health = refuse_all, http_answer(b"", "401 Unauthorized")
    ids = [shop.placed() for _ in range(FAILURES_IN_A_ROW + 1)]
    assert eventually(lambda: core.exchange_overview()["open_circuits"] == 1, 10)
    with Receiver() as receiver:
        receiver.answer = lambda _: (500, {}, b"")
        endpoint = Endpoint(core, receiver)
        core.enable(fresh_site.phone(core).device_id, False).expect(204)
        assert eventually(lambda: any(row["attempts"] for row in endpoint.deliveries()), 20)
        worker.kill()
        fresh_site.processes.clear()
        api = fresh_site.start("api")
        api.wait_until_ready("/health/live")
        fresh_site.clock.advance(HOUR_S)
        clock, core = fresh_site.clock, fresh_site.core(api)
        shop.move_to(fresh_site, api)
        endpoint.core = core
        desk = Desk.at(fresh_site, sender.at(api.address))
        expect_not_past(clock, lambda: shop.read(ids[0]))
        expect_not_past(clock, lambda: shop.read(ids[0])["circuit"], "next_probe_at")
        expect_not_past(clock, lambda: shop.operator.get(
            f"/internal/v1/integrations/{shop.integration_id}").expect(200)["exchange"]["circuit"],
            "next_probe_at")
        expect_not_past(clock, lambda: desk.package(unknown["event_id"]).expect(200))
        expect_not_past(clock, lambda: endpoint.deliveries("?state=pending")[0])
