"""Contract section 11.9: the overview names what is wrong, says what to do, and forgets what is over.

Each trouble is there within 10 seconds of its time, and gone within 10 seconds of its end; on a machine
that is busy a look may be late, so these bounds hold in ./dev campaign timing.
"""

import os
import signal
import time
from datetime import timedelta

import pytest

from harness import catalog
from harness.actors import alive
from harness.exchange import Operator
from harness.hooks import WEBHOOK_SETTINGS, Endpoint, Receiver
from harness.orders import (
    FAILURES_IN_A_ROW, HEALTHY, ORDER_SETTINGS, PROBE_S, Shop, accept_all, http_answer, refuse_all,
)
from harness.packages import CHANGES, SNAPSHOT, Sender
from harness.providers import Providers
from harness.shapes import parse_time
from harness.tools import eventually, fresh_chat

CLOCK = True
SETTINGS = ORDER_SETTINGS | {"HERALD_SIM_SILENT_SECONDS": "6", "HERALD_ERP_MAX_ARCHIVE_SHARE": "0.5"}
NAMED_WITHIN_S = 10
LOST_WITHIN_S = 25  # 15 s after the last beat, and some for a busy machine
HOUR_S = 3600
PROCESS_LOST_S = 15


class Scene:
    """Somebody who asks what is wrong, and follows what the answer says."""

    def __init__(self, site, core):
        self.site, self.core = site, core

    def troubles(self, kind):
        return [row for row in self.core.overview()["troubles"] if row["kind"] == kind]

    def wait_for(self, kind, count=1):
        """The troubles of a kind, once there are so many; each says what to do and where to look."""
        assert eventually(lambda: len(self.troubles(kind)) == count, NAMED_WITHIN_S), \
            (self.core.overview()["troubles"], self.core.processes().json)
        found = self.troubles(kind)
        for row in found:
            assert row["what"].endswith(".") and row["remedy"].endswith(".")
            assert parse_time(row["since"]) <= self.site.clock.now()
            if row["record"]["path"]:
                self.core.get(row["record"]["path"]).expect(200)
        return found

    def wait_until_over(self, kind):
        assert eventually(lambda: not self.troubles(kind), NAMED_WITHIN_S), self.core.overview()

    def wait_until_well(self):
        """Returns since when nothing is wrong."""
        def look():
            overview = self.core.overview()
            return overview if overview["well_since"] else None

        overview = eventually(look, NAMED_WITHIN_S)
        assert (overview["troubles"], overview["trouble_count"]) == ([], 0)
        return parse_time(overview["well_since"])

    def see(self, trouble):
        """Types the command of a trouble; returns what it prints."""
        program, *words = trouble["record"]["command"].split()
        assert program == "herald"
        done = self.site.run(*words, changes={"HERALD_LISTEN": "%s:%d" % self.core.address})
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture
def scene(fresh_site):
    fresh_site.settings.update(SETTINGS)
    fresh_site.serve()
    made = Scene(fresh_site, fresh_site.core())
    made.wait_until_well()
    return made


def test_eight_phones_die(scene):
    phones = [scene.site.phone(scene.core) for _ in range(9)]
    here, *dying = phones
    for phone in phones:
        phone.be_ready()
    with alive(*phones):
        before = scene.wait_until_well()
    with alive(here):
        assert eventually(lambda: scene.core.overview()["fleet"]["silent_sims"] == 8, 40)
        found = scene.wait_for("sim_silent", 8)
        names = {row["record"]["id"]: row["record"]["name"] for row in found}
        assert set(names) == {phone.device_id for phone in dying}
        for phone in dying:
            assert names[phone.device_id].startswith(f"{phone.number} (")
        assert {row["record"]["type"] for row in found} == {"device"}
        assert scene.core.overview()["well_since"] is None
        assert found[0]["record"]["id"] in scene.see(found[0])
    with alive(*phones):
        scene.wait_until_over("sim_silent")
        assert scene.wait_until_well() > before


def test_no_phone_can_send(scene):
    phone = scene.site.phone(scene.core)
    row, = scene.wait_for("no_ready_sim")
    assert (row["record"]["type"], row["record"]["id"]) == ("fleet", None)
    assert phone.device_id in scene.see(row)
    assert scene.core.overview()["troubles"][0] == row, "it is the worst"
    with alive(phone):
        scene.wait_until_well()


def test_a_channel_closes(fresh_site):
    with Providers() as bot:
        fresh_site.settings.update(SETTINGS | bot.settings("bot"))
        fresh_site.serve()
        scene = Scene(fresh_site, fresh_site.core())
        bot.behave("unauthorized", provider="telegram_bot")
        scene.core.create_message(
            channel="messenger_bot", chat_id=fresh_chat(), text="Hello").expect(202)

        def circuit():
            return scene.core.channels()["messenger_bot"]["circuit"]
        assert eventually(lambda: circuit()["state"] == "open")
        row, = scene.wait_for("channel_closed")
        assert (row["record"]["type"], row["record"]["id"]) == ("channel", "messenger_bot")
        assert (row["reason"], row["since"]) == (circuit()["last_error"], circuit()["since"])
        assert "messenger_bot is open" in scene.see(row)
        bot.told("reset")
        fresh_site.restart()  # the process that opened it is no more
        scene.core = fresh_site.core()
        fresh_site.clock.advance(60)
        assert eventually(lambda: circuit()["state"] == "closed")
        scene.wait_until_over("channel_closed")


def test_a_closed_channel_is_taken_out_of_the_settings(fresh_site):
    with Providers() as bot:
        fresh_site.settings.update(SETTINGS)
        settings = bot.settings("bot")
        fresh_site.serve(changes=settings)
        scene = Scene(fresh_site, fresh_site.core())
        bot.behave("unauthorized", provider="telegram_bot")
        scene.core.create_message(
            channel="messenger_bot", chat_id=fresh_chat(), text="Hello").expect(202)
        scene.wait_for("channel_closed")
        fresh_site.restart()
        scene.core = fresh_site.core()
        assert not scene.core.channels()["messenger_bot"]["configured"]
        scene.wait_until_over("channel_closed")


def test_an_erp_stops(scene, erp):
    shop = Shop(scene.site, erp)
    erp.answer, erp.health = refuse_all, http_answer(b"", "401 Unauthorized")
    for _ in range(FAILURES_IN_A_ROW + 1):
        shop.placed()
    assert eventually(lambda: scene.core.exchange_overview()["open_circuits"] == 1, 10)
    row, = scene.wait_for("erp_circuit")
    assert row["record"]["type"] == "integration"
    assert (row["record"]["id"], row["record"]["name"]) == (
        shop.integration_id, shop.integration["name"])
    assert row["reason"].startswith("HTTP 5") and "open since" in scene.see(row)
    # Nobody asks the ERP of a disabled integration for its health, so that would not end by itself.
    shop.operator.change_integration(shop.integration_id, enabled=False).expect(200)
    scene.wait_until_over("erp_circuit")
    shop.operator.change_integration(shop.integration_id, enabled=True).expect(200)
    scene.wait_for("erp_circuit")
    erp.answer, erp.health = accept_all, HEALTHY
    shop.pass_time(PROBE_S + 1)
    assert eventually(lambda: scene.core.exchange_overview()["open_circuits"] == 0, 10)
    scene.wait_until_over("erp_circuit")


def test_a_snapshot_is_refused(scene):
    """Changes that are applied meanwhile do not bring what it had."""
    sender = Sender.of(scene.site)
    sender.apply(SNAPSHOT, catalog.snapshot())
    sender.snapshot(catalog.snapshot() | {"generated_at": "yesterday"}).expect(422)
    row, = scene.wait_for("package_refused")
    assert (row["record"]["id"], row["record"]["name"], row["reason"]) == (
        sender.integration_id, sender.erp.integration["name"], "validation_error")
    assert "422 validation_error" in scene.see(row)
    sender.apply(CHANGES, catalog.changes([catalog.stock_row(3)]))
    scene.site.clock.advance(1)
    assert scene.wait_for("package_refused") == [row]
    sender.apply(SNAPSHOT, catalog.snapshot())
    scene.wait_until_over("package_refused")


def test_refused_changes_until_others_are_applied(scene):
    sender = Sender.of(scene.site)
    sender.apply(SNAPSHOT, catalog.snapshot())
    sender.changes(catalog.changes([{"product_id": 7}])).expect(422)
    scene.wait_for("package_refused")
    sender.apply(CHANGES, catalog.changes([catalog.stock_row(3)]))
    scene.wait_until_over("package_refused")


def test_a_refusal_grows_old_and_so_does_the_catalog(scene):
    sender = Sender.of(scene.site)
    sender.apply(SNAPSHOT, catalog.snapshot())
    sender.snapshot(catalog.snapshot() | {"generated_at": "yesterday"}).expect(422)
    scene.wait_for("package_refused")
    scene.site.clock.advance(71 * HOUR_S)
    scene.wait_for("package_refused")
    assert scene.troubles("catalog_old") == []
    scene.site.clock.advance(2 * HOUR_S)
    scene.wait_until_over("package_refused")
    row, = scene.wait_for("catalog_old")
    assert row["record"]["id"] == sender.integration_id
    Operator.of(scene.site).change_integration(sender.integration_id, enabled=False).expect(200)
    scene.wait_until_over("catalog_old")


def test_a_snapshot_fails(scene):
    sender = Sender.of(scene.site)
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(50)))
    small = catalog.snapshot(catalog.numbered_products(5))
    assert sender.snapshot(small).status == 202
    status = sender.wait_for(small["event_id"], "failed")
    row, = scene.wait_for("package_failed")
    assert row["record"]["id"] == sender.integration_id and row["since"] == status["processed_at"]
    assert small["event_id"] in scene.see(row)
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(50)))
    scene.wait_until_over("package_failed")


def test_troubles_outlive_a_restart(scene):
    sender = Sender.of(scene.site)
    sender.snapshot(catalog.snapshot() | {"generated_at": "yesterday"}).expect(422)
    row, = scene.wait_for("package_refused")
    scene.site.restart()
    scene.core = scene.site.core()
    assert scene.troubles("package_refused") == [row]


def test_nobody_saw_whether_all_was_well_while_no_worker_ran(scene):
    before = scene.core.overview()["well_since"]
    scene.site.restart()
    scene.core = scene.site.core()
    assert eventually(lambda: scene.core.overview()["well_since"] != before, NAMED_WITHIN_S)
    process, = scene.core.processes().expect(200)["processes"]
    assert scene.wait_until_well() >= parse_time(process["started_at"])


def begun(core, count):
    """The processes by their numbers, once there are so many."""
    rows = core.processes().expect(200)["processes"]
    return len(rows) == count and {row["pid"]: row for row in rows}


def test_nobody_saw_whether_all_was_well_while_the_worker_hung(fresh_site):
    process = fresh_site.serve()
    scene = Scene(fresh_site, fresh_site.core())
    before = scene.wait_until_well()
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(PROCESS_LOST_S)  # the clock that counts is the machine's, and nobody is there to be asked
    os.kill(process.pid, signal.SIGCONT)
    awake_at = fresh_site.clock.now()
    assert eventually(lambda: scene.wait_until_well() > before, NAMED_WITHIN_S)
    since = scene.wait_until_well()
    assert since >= awake_at - timedelta(seconds=1)

    def beat():
        row, = scene.core.processes().expect(200)["processes"]
        return row["last_beat_at"]

    last = beat()
    assert eventually(lambda: beat() > last, 20)
    assert scene.wait_until_well() == since, "it begins anew once"


@pytest.mark.only("postgres")
def test_nobody_saw_whether_all_was_well_while_all_workers_hung(fresh_site):
    api, = fresh_site.start_cluster(apis=1, workers=2)
    scene = Scene(fresh_site, fresh_site.core(api))
    assert eventually(lambda: begun(scene.core, 3), 20)
    workers = [process for process in fresh_site.processes if process.pid != api.pid]
    before = scene.wait_until_well()
    for process in workers:
        os.kill(process.pid, signal.SIGSTOP)
    assert eventually(lambda: scene.core.overview()["processes"]["lost"] == 2, LOST_WITHIN_S)
    scene.wait_for("no_worker")
    for process in workers:
        os.kill(process.pid, signal.SIGCONT)
    awake_at = fresh_site.clock.now()
    scene.wait_until_over("no_worker")
    assert eventually(lambda: scene.wait_until_well() > before, NAMED_WITHIN_S)
    assert scene.wait_until_well() >= awake_at - timedelta(seconds=1)


@pytest.mark.only("postgres")
def test_a_worker_is_killed_and_then_all_are(fresh_site):
    """The first one while its only sign of life is older than the other worker, which replaced nobody."""
    fresh_site.settings.update(SETTINGS)
    api, = fresh_site.start_cluster(apis=1, workers=1)
    scene = Scene(fresh_site, fresh_site.core(api))
    assert eventually(lambda: begun(scene.core, 2), 20)
    last = fresh_site.start("worker")
    rows = eventually(lambda: begun(scene.core, 3), 20)
    gone = fresh_site.processes[0]
    gone.kill()
    assert eventually(lambda: scene.core.overview()["processes"]["lost"] == 1, LOST_WITHIN_S)
    row, = scene.wait_for("process_gone")
    assert (row["record"]["type"], row["record"]["id"]) == ("process", rows[gone.pid]["id"])
    assert row["record"]["name"].startswith("herald worker on ")
    fresh_site.start("worker")  # in its place
    scene.wait_until_over("process_gone")
    scene.wait_until_well()
    last.kill()
    fresh_site.processes[-1].kill()
    assert eventually(lambda: scene.core.overview()["processes"]["lost"] == 3, LOST_WITHIN_S)
    row, = scene.wait_for("no_worker")
    assert scene.core.overview()["troubles"][0] == row
    assert scene.core.overview()["well_since"] is None
    fresh_site.start("worker")
    scene.wait_until_over("no_worker")
    for process in (gone, last, fresh_site.processes[-2]):
        fresh_site.processes.remove(process)


def test_a_webhook_endpoint_is_disabled(fresh_site):
    """By its own answer, 410."""
    fresh_site.settings.update(SETTINGS | WEBHOOK_SETTINGS)
    fresh_site.serve()
    scene = Scene(fresh_site, fresh_site.core())
    with Receiver() as receiver:
        receiver.answer = lambda _: (410, {}, b"gone")
        endpoint = Endpoint(scene.core, receiver)
        phone = scene.site.phone(scene.core)
        scene.core.enable(phone.device_id, False).expect(204)
        row, = scene.wait_for("endpoint_disabled")
        assert row["record"]["id"] == endpoint.record["id"]
        assert row["record"]["name"] == receiver.url.rsplit("/", 1)[0], "its path may be a secret"
        assert endpoint.record["id"] in scene.see(row)
        endpoint.close()
        scene.wait_until_over("endpoint_disabled")
