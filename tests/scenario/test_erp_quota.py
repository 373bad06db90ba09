"""What an integration may send and what is kept of it (contract, section 5 "Quotas").

60 snapshots a day and 600 packages a minute unless the settings say otherwise, each a token bucket
that all processes share; the oldest bodies of applied packages go when there are too many bytes.
"""

import collections
import contextlib
import http.client
import random
import sqlite3
import time

import pytest

from harness import catalog
from harness.exchange import Operator
from harness.packages import CHANGES, SNAPSHOT, Desk, Sender, expect_acceptance
from harness.site import free_port
from harness.tools import at_once, eventually

CLOCK = True
SETTINGS = {
    "HERALD_ERP_SNAPSHOTS_PER_DAY": "4", "HERALD_ERP_PACKAGES_PER_MINUTE": "12",
    "HERALD_ERP_BODIES_MIB": "1",
}
DAY_S, MINUTE_S = 24 * 3600, 60
MIB = 1024 * 1024


@pytest.fixture
def sender(site):
    return Sender.of(site)


def send_many(sender, kind, count):
    build = catalog.snapshot if kind == SNAPSHOT else catalog.changes
    return [sender.send(kind, build()) for _ in range(count)]


def expect_wait(reply, seconds):
    """Within the second or two that have passed meanwhile."""
    reply.expect(429, "rate_limited")
    assert seconds - 3 <= reply.retry_after <= seconds, reply


@pytest.mark.parametrize("kind, limit, length_s", [(SNAPSHOT, 4, DAY_S), (CHANGES, 12, MINUTE_S)])
def test_limit_and_one_more(clock, sender, kind, limit, length_s):
    for reply in send_many(sender, kind, limit):
        reply.expect(202)
    refused = sender.send(kind, catalog.snapshot() if kind == SNAPSHOT else catalog.changes())
    expect_wait(refused, length_s // limit)
    clock.advance(refused.retry_after)
    sender = renewed(sender)
    first, second = send_many(sender, kind, 2)
    first.expect(202)
    expect_wait(second, length_s // limit)


def test_test_points_are_exempt(site):
    """And are shown as such, with their packages and orders."""
    operator = Operator.of(site)
    made = operator.create_integration(
        environment="test", erp={"base_url": "https://trial.example"}).expect(201)
    erp = operator.new_erp(made)
    sender = Sender(erp.address, erp.fetch_token(), made["id"])
    for kind, count in ((SNAPSHOT, 6), (CHANGES, 16)):
        for reply in send_many(sender, kind, count):
            reply.expect(202)
    desk = Desk.at(site, sender)
    events = desk.packages(limit=50).expect(200)["events"]
    assert {row["environment"] for row in events} == {"test"} and len(events) == 22
    assert desk.package(events[0]["event_id"]).expect(200)["environment"] == "test"


def renewed(sender):
    """The same ERP; its token may have expired meanwhile."""
    return Sender(sender.address, sender.erp.fetch_token(), sender.integration_id)


def test_repeats_do_not_count(sender):
    package = catalog.changes()
    expect_acceptance(sender.changes(package), package["event_id"], "accepted")
    for _ in range(20):
        expect_acceptance(sender.changes(package), package["event_id"], "duplicate")
    for reply in send_many(sender, CHANGES, 11):
        reply.expect(202)
    sender.changes(catalog.changes()).expect(429, "rate_limited")
    expect_acceptance(sender.changes(package), package["event_id"], "duplicate")


def test_refused_packages_do_not_count(sender):
    for _ in range(20):
        sender.changes(catalog.changes([])).expect(422)
    for reply in send_many(sender, CHANGES, 12):
        reply.expect(202)


def test_one_integration_is_not_limited_by_another(site, sender):
    for reply in send_many(sender, CHANGES, 13)[:12]:
        reply.expect(202)
    sender.changes(catalog.changes()).expect(429)
    Sender.of(site).changes(catalog.changes()).expect(202)


def test_bucket_is_exact_for_many_at_once(sender):
    """The row that each package locks says who gets the last token."""
    packages = [catalog.changes() for _ in range(60)]
    replies = at_once(len(packages), lambda index: renewed(sender).changes(packages[index]))
    assert collections.Counter(reply.status for reply in replies) == {202: 12, 429: 48}


def test_bucket_outlives_a_kill(engine, fresh_site):
    fresh_site.settings |= SETTINGS
    fresh_site.port = free_port()
    fresh_site.serve()
    sender = Sender.of(fresh_site)
    for reply in send_many(sender, SNAPSHOT, 4):
        reply.expect(202)
    fresh_site.processes.pop().kill()
    fresh_site.serve()
    expect_wait(sender.snapshot(catalog.snapshot()), DAY_S // 4)


@pytest.mark.only("postgres")
def test_all_processes_share_one_bucket(fresh_site):
    fresh_site.settings |= SETTINGS | {"HERALD_PUBLIC_URL": "https://herald.example"}
    fresh_site.migrate()
    _, idp, *apis = (fresh_site.start(verb) for verb in ("worker", "idp", "api", "api"))
    for process in (idp, *apis):
        process.wait_until_ready()
    erp = Operator.of(fresh_site, apis[0]).new_erp()
    token = erp.at(idp.address).fetch_token()
    senders = [Sender(api.address, token, erp.integration_id) for api in apis]
    packages = [catalog.changes() for _ in range(40)]
    replies = at_once(len(packages), lambda index: Sender(
        apis[index % 2].address, token, erp.integration_id).changes(packages[index]))
    assert collections.Counter(reply.status for reply in replies) == {202: 12, 429: 28}
    for sender in senders:
        sender.changes(catalog.changes()).expect(429)


def incompressible(length):
    return "".join(random.choices("0123456789abcdefghijklmnopqrstuvwxyz", k=length))


def test_oldest_bodies_of_applied_packages_go(site, sender):
    """A MiB is kept, of which each of these takes somewhat more than a third."""
    desk = Desk.at(site, sender)
    first, second, third = (catalog.snapshot(note=incompressible(600_000)) for _ in range(3))
    sender.apply(SNAPSHOT, first)
    sender.apply(SNAPSHOT, second)
    assert desk.body(first["event_id"]).status == 200
    sender.apply(SNAPSHOT, third)
    assert eventually(lambda: desk.body(first["event_id"]).status == 409, 20, 0.2)
    gone = desk.body(first["event_id"]).expect(409, "body_gone")
    assert "HERALD_ERP_BODY_DAYS" in gone["error"]["message"], gone
    desk.body("never-sent").expect(404, "not_found")
    for package in (second, third):
        assert desk.body(package["event_id"]).body == catalog.encode(package)
    assert desk.package(first["event_id"]).expect(200)["status"] == "applied"
    sender.send(SNAPSHOT, first).expect(202)


def test_bodies_that_wait_are_bounded(site, sender):
    """They never go; beyond 2 MiB of them, of which each of these takes more than a half, no more
    are stored but a snapshot, which brings what they wait for."""
    desk = Desk.at(site, sender)
    packages = [catalog.changes([catalog.stock_row(1, "late")], note=incompressible(900_000))
                for _ in range(5)]
    ids = [package["event_id"] for package in packages]
    for package in packages[:4]:
        expect_acceptance(sender.changes(package), package["event_id"], "accepted")
    for _ in range(3):
        refused = sender.changes(packages[4])
        refused.expect(429, "rate_limited")
        assert 1 <= refused.retry_after <= 30, refused
    desk.package(ids[4]).expect(404)
    expect_acceptance(sender.changes(packages[0]), ids[0], "duplicate")
    assert [desk.body(event_id).status for event_id in ids[:4]] == [200] * 4
    Sender.of(site).changes(catalog.changes()).expect(202)
    sender.apply(SNAPSHOT, catalog.snapshot([catalog.product("late")]))
    for event_id in ids[:4]:
        sender.wait_for(event_id)
    assert eventually(lambda: sender.changes(packages[4]).status == 202, 30, 1)


@pytest.mark.only("postgres")
def test_finishing_an_upgrade_counts_anew(fresh_site):
    """What 0.5.0 took in beside was not counted, and nothing of it went."""
    fresh_site.settings |= {"HERALD_ERP_BODIES_MIB": "1"}
    fresh_site.serve()
    sender = Sender.of(fresh_site)
    for _ in range(3):
        sender.apply(SNAPSHOT, catalog.snapshot(note=incompressible(600_000)))
        fresh_site.ask("UPDATE erp_receipt SET kept_bytes = 1, trim_at = NULL")
    assert kept(fresh_site)[1] > MIB
    assert fresh_site.run("migrate", "finish").returncode == 0
    assert eventually(lambda: kept(fresh_site)[1] <= MIB)
    counted, there = kept(fresh_site)
    assert counted == there > 0


def kept(site):
    """The bytes of bodies as they are counted, and as they are there."""
    return [int(ask_exchange(site, sql)) for sql in (
        "SELECT COALESCE(SUM(kept_bytes), 0) FROM erp_receipt",
        "SELECT COALESCE(SUM(LENGTH(packed)), 0) FROM erp_package_body")]


def ask_exchange(site, sql):
    """What stands in the exchange store; of an embedded one while nothing runs."""
    if site.database:
        return site.database.ask(sql)
    with contextlib.closing(sqlite3.connect(site.state / "herald-exchange.db")) as connection:
        return "|".join(map(str, connection.execute(sql).fetchone()))


def test_kept_bytes_are_exact_after_kills(fresh_site):
    """However it ends while packages come, are applied, and bodies go."""
    fresh_site.settings |= {"HERALD_ERP_BODIES_MIB": "1", "HERALD_PUBLIC_URL": "https://herald.example"}
    fresh_site.port = free_port()
    fresh_site.serve()
    sender = Sender.of(fresh_site)
    for seconds in (1.5, 3, 6):
        ends_at, sent = time.monotonic() + seconds, []

        def send(index):
            with contextlib.suppress(OSError, http.client.HTTPException):
                while True:
                    package = catalog.snapshot(note=incompressible(200_000))
                    renewed(sender).snapshot(package)
                    sent.append(package["event_id"])

        def kill(index):
            time.sleep(max(0, ends_at - time.monotonic()))
            fresh_site.processes.pop().kill()

        at_once(3, lambda index: kill(index) if index == 0 else send(index))
        assert sent
        counted, there = kept(fresh_site)
        assert counted == there > 0
        fresh_site.serve()
