"""Contract section 11.9: all at a glance, of both stores."""

import json

import pytest

from harness import catalog
from harness.exchange import Operator
from harness.http import Client
from harness.orders import FAILURES_IN_A_ROW, ORDER_SETTINGS, http_answer, refuse_all
from harness.packages import SNAPSHOT, Sender, expect_acceptance
from harness.tools import eventually, fresh_key, fresh_number

SETTINGS = ORDER_SETTINGS | {"HERALD_ENVIRONMENT": "test"}
CLOCK = True
PATHS = ("/internal/v1/overview", "/internal/v1/overview/exchange")
NO_FLEET = {"phones": 0, "enabled_phones": 0, "sims": 0, "ready_sims": 0, "silent_sims": 0,
            "accounts": 0, "connected_accounts": 0}
NO_EXCHANGE = {"integrations": 0, "enabled_integrations": 0, "open_circuits": 0, "old_catalogs": 0,
               "packages_waiting": 0, "packages_failed": 0, "orders_waiting": 0,
               "oldest_package_at": None, "oldest_order_at": None}


def test_nothing_is_there_yet(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    overview = core.overview()
    assert (overview["fleet"], overview["environment"]) == (NO_FLEET, "production")
    assert overview["processes"] == {"living": 1, "lost": 0}
    assert {row["channel"]: row for row in overview["channels"]} == core.channels()
    assert core.exchange_overview() == NO_EXCHANGE
    assert eventually(lambda: core.overview()["well_since"], 10)
    assert (overview["troubles"], overview["trouble_count"]) == ([], 0)
    done = fresh_site.run(
        "admin", "overview", changes={"HERALD_LISTEN": "%s:%d" % fresh_site.address})
    assert done.stdout.startswith("Nothing is wrong since "), done.stdout


def test_the_fleet_is_counted(fresh_site):
    fresh_site.settings["HERALD_SIM_SILENT_SECONDS"] = "6"
    fresh_site.serve()
    core = fresh_site.core()
    phone, other, removed = (fresh_site.phone(core, count) for count in (2, 1, 1))
    phone.be_ready(phone.numbers[0])
    core.connect_accounts(phone, f"account-{fresh_key()[:12]}")
    core.enable(other.device_id, False).expect(204)
    core.remove_device(removed.device_id).expect(204)
    core.create_otp(fresh_number()).expect(201)
    overview = core.overview()
    assert overview["fleet"] == {
        "phones": 2, "enabled_phones": 1, "sims": 3, "ready_sims": 1, "silent_sims": 0,
        "accounts": 1, "connected_accounts": 1}
    sms = overview["channels"][0]
    assert (sms["channel"], sms["waiting"], sms["ready_sims"]) == ("sms", 1, 1)
    assert eventually(lambda: core.overview()["fleet"]["silent_sims"] == 1, 20)


def test_orders_and_circuits_are_counted(core, shop, erp):
    before = core.exchange_overview()
    erp.answer, erp.health = refuse_all, http_answer(b"", "401 Unauthorized")
    ids = [shop.placed() for _ in range(FAILURES_IN_A_ROW + 1)]
    assert eventually(
        lambda: core.exchange_overview()["open_circuits"] == before["open_circuits"] + 1, 10)
    now = core.exchange_overview()
    assert now["orders_waiting"] == before["orders_waiting"] + len(ids)
    assert now["oldest_order_at"] == shop.read(ids[0])["created_at"]
    assert now["integrations"] >= 1


def test_integrations_and_packages_are_counted(site, core, sender):
    operator = Operator.of(site)
    before = core.exchange_overview()
    made = operator.create_integration(name="Shop").expect(201)
    operator.change_integration(made["id"], enabled=False).expect(200)
    now = core.exchange_overview()
    assert now["integrations"] == before["integrations"] + 1
    assert now["enabled_integrations"] == before["enabled_integrations"]
    sender.apply(SNAPSHOT, catalog.snapshot())
    assert core.exchange_overview()["packages_waiting"] == before["packages_waiting"]
    unknown = catalog.changes([catalog.stock_row(1, "nobody-has-it")])
    expect_acceptance(sender.changes(unknown), unknown["event_id"], "accepted")
    status = sender.wait_for(unknown["event_id"], "retry")
    now = core.exchange_overview()
    assert now["packages_waiting"] == before["packages_waiting"] + 1
    assert now["oldest_package_at"] == (before["oldest_package_at"] or status["received_at"])


@pytest.mark.parametrize("hours, count", [(71, 0), (73, 1)])
def test_catalogs_that_are_old_are_counted(fresh_site, hours, count):
    """One that was never filled, and one of an integration that is disabled, are not."""
    fresh_site.serve()
    operator, core = Operator.of(fresh_site), fresh_site.core()
    operator.create_integration(name="Empty").expect(201)
    senders = [Sender.of(fresh_site), Sender.of(fresh_site)]
    for sender in senders:
        sender.apply(SNAPSHOT, catalog.snapshot())
    operator.change_integration(senders[0].integration_id, enabled=False).expect(200)
    assert core.exchange_overview()["old_catalogs"] == 0
    fresh_site.clock.advance(hours * 3600)
    assert core.exchange_overview()["old_catalogs"] == count


@pytest.mark.parametrize("path", PATHS)
def test_what_is_refused(site, path):
    Client(site.address).get(path).expect(401, "unauthorized")
    site.core().get(f"{path}?limit=1").expect(422, "validation_error")


def test_the_commands_fit_a_terminal(site, core):
    listen = {"HERALD_LISTEN": "%s:%d" % site.address}

    def shown(*words):
        done = site.run("admin", "overview", *words, changes=listen)
        assert done.returncode == 0, done.stdout
        assert words == ("--json",) or max(map(len, done.stdout.splitlines())) <= 80
        return done.stdout
    troubles, facts = shown().split("\nversion ")
    facts = dict(line.rsplit(maxsplit=1) for line in f"version {facts}".splitlines()[:11])
    assert (facts["version"], facts["environment"]) == ("0.5.0", "test")
    assert facts["processes living"] == "1"
    for row in core.overview()["troubles"]:
        assert row["record"]["command"] in troubles, "it stands on one line, to be typed"
        assert row["remedy"] in " ".join(troubles.split())
    assert "\nmessenger_gateway" in shown() and "herald admin overview exchange" in shown()
    assert json.loads(shown("--json"))["fleet"] == core.overview()["fleet"]
    assert dict(line.split() for line in shown("exchange").splitlines()) == {
        name: "-" if value is None else str(value)
        for name, value in core.exchange_overview().items()}


@pytest.mark.only("postgres")
def test_every_api_tells_the_same(fresh_site):
    first, second = (fresh_site.core(process) for process in fresh_site.start_cluster())
    fresh_site.phone(first)
    assert eventually(lambda: first.overview()["processes"] == {"living": 4, "lost": 0}, 10)
    assert eventually(lambda: first.overview()["trouble_count"] == 1, 10), "no SIM is ready"
    assert first.overview() == second.overview()
    assert first.exchange_overview() == second.exchange_overview()
