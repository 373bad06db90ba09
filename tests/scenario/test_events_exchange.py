"""Contract section 13: events of the exchange, which has a store of its own on SQLite, and channels."""

import pytest

from harness import catalog
from harness.feed import Feed
from harness.orders import (
    FAILURES_IN_A_ROW, HEALTHY, ORDER_SETTINGS, PROBE_S, accept_all, http_answer, refuse_all,
)
from harness.outcomes import UCALLER
from harness.packages import SNAPSHOT, Desk, Sender, event_id_of
from harness.tools import eventually
from test_bot import create, order, take

CLOCK = True
CHANNELS = ("bot", "ucaller")
GIVEN_UP_AFTER_S = 73 * 3600
SETTINGS = ORDER_SETTINGS | {"HERALD_EVENTS": "on", "HERALD_ERP_MAX_ARCHIVE_SHARE": "0.5"}


@pytest.fixture
def feed(core):
    return Feed.from_now_on(core)


def test_orders(feed, shop, erp):
    accepted = shop.delivered()
    event = feed.wait_for(accepted["id"], "order.accepted")
    assert event["data"] == accepted == shop.read(accepted["id"])
    assert event["subject"] == {"type": "order", "id": accepted["id"], "sequence": 1}
    erp.answer = lambda *_: http_answer(b'{"accepted":false}')
    rejected = shop.placed()
    shop.wait_for(rejected, "rejected")
    feed.wait_for(rejected, "order.rejected")
    erp.answer = accept_all
    shop.retry(rejected).expect(204)
    shop.wait_for(rejected, "accepted")
    feed.wait_for(rejected, "order.rejected", "order.accepted")
    assert [sequence for _, sequence in feed.of(rejected)] == [1, 2]


def test_the_circuit_of_an_erp(feed, shop, erp):
    erp.answer, erp.health = refuse_all, refuse_all(None, None)
    ids = [shop.placed() for _ in range(FAILURES_IN_A_ROW + 1)]
    event = feed.wait_for(shop.integration_id, "integration.circuit_opened", within=15)
    assert event["data"]["exchange"]["circuit"]["state"] == "open"
    erp.answer, erp.health = accept_all, HEALTHY
    shop.pass_time(PROBE_S + 1)
    for order_id in ids:
        shop.wait_for(order_id, "accepted", within=20)
    event = feed.wait_for(
        shop.integration_id, "integration.circuit_opened", "integration.circuit_closed")
    assert event["data"]["exchange"]["circuit"]["state"] == "closed"
    assert [sequence for _, sequence in feed.of(shop.integration_id)] == [1, 2]


def test_packages(feed, sender, desk):
    package = catalog.snapshot([catalog.product("p", [catalog.variant("v")])])
    sender.apply(SNAPSHOT, package)
    name = f"{sender.integration_id}/{event_id_of(package)}"
    event = feed.wait_for(name, "package.applied")
    shown = desk.package(event_id_of(package)).expect(200)
    assert event["data"] == catalog.without(shown, "errors", "warnings")
    desk.retry(event_id_of(package))
    feed.read()
    assert feed.of(name) == [("package.applied", 1)]


def test_a_channel_that_closes_and_opens(site, core, sim, feed):
    order(sim, "unauthorized", count=None)
    message = create(core)
    event = feed.wait_for("messenger_bot", "channel.closed", within=15)
    assert event["data"]["circuit"]["state"] == "open"
    sim.start_anew()
    site.clock.advance(45)
    core.wait_for_message(message, "sent", within=60)
    event = feed.wait_for("messenger_bot", "channel.closed", "channel.opened", within=15)
    assert event["data"]["circuit"]["state"] == "closed"
    sequences = [sequence for _, sequence in feed.of("messenger_bot")]
    assert sequences[1] == sequences[0] + 1
    assert eventually(lambda: core.message(message["id"]).json["state"] == "sent")
    sim.awaited.clear()
    sim.told("reset")


def test_a_package_that_fails(site, feed):
    sender = Sender.of(site)
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(50)))
    package = catalog.snapshot(catalog.numbered_products(5))
    sender.snapshot(package)
    event = feed.wait_for(f"{sender.integration_id}/{event_id_of(package)}", "package.failed")
    shown = Desk.at(site, sender).package(event_id_of(package)).expect(200)
    assert event["data"] == catalog.without(shown, "errors", "warnings")
    assert event["data"]["last_error"] == "archive_limit"


def test_a_code_that_a_provider_takes(core, sim, feed):
    sim.outcome("pending")
    otp, call = UCALLER.send(core, sim)

    def first():
        feed.read()
        return [event for event in feed.events if event["subject"]["id"] == otp["id"]][:1]

    event, = eventually(first)
    assert (event["type"], event["subject"]["sequence"]) == ("otp.accepted", 1)
    assert event["data"]["sends"][0]["state"] in ("accepted", "sent")
    UCALLER.confirm(core, sim, otp, call["code"])
    assert eventually(lambda: first() and feed.types_of(otp["id"])[-1] == "otp.confirmed")


@pytest.mark.parametrize("what, state, kind", [
    ("blocked", "failed", "message.failed"), ("bad_gateway", "unknown", "message.unknown"),
])
def test_a_message_that_does_not_go_out(core, sim, feed, what, state, kind):
    order(sim, what)
    message = create(core)
    take(sim, message)
    told = core.wait_for_message(message, state)
    event = feed.wait_for(message["id"], kind)
    own = event["data"].pop("error")  # herald's own word, without those of the provider
    assert own and told.pop("error") != own and event["data"] == told


# --- The clock: behind all others, since it is far ahead from now on


def test_an_order_that_is_given_up(feed, shop, erp):
    erp.answer = refuse_all
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    shop.pass_time(GIVEN_UP_AFTER_S)
    failed = shop.wait_for(order_id, "failed")
    event = feed.wait_for(order_id, "order.failed")
    assert event["data"] == failed
