"""Contract section 13.4: people are told of troubles in a sentence, once, and once when it is over.

A trouble is told when it has been there for half a minute; the clock of herald is moved over that,
and over the ten minutes in which the same trouble is not told again.
"""

import contextlib
import random
import time

import pytest

from harness import catalog
from harness.actors import alive
from harness.disk import Room
from harness.hooks import WEBHOOK_SETTINGS, Endpoint, Receiver
from harness.orders import FAILURES_IN_A_ROW, ORDER_SETTINGS, Shop, http_answer, refuse_all
from harness.packages import SNAPSHOT, Sender
from harness.providers import Providers
from harness.tools import Moment, eventually, fresh_chat, fresh_number
from test_troubles import begun
from test_webhooks import canceled_call

CLOCK = True
SETTINGS = {"HERALD_SMS_LANGUAGE": "en", "HERALD_SIM_SILENT_SECONDS": "6"}
HOLD_S, REST_S, DAY_S = 31, 601, 86_401
WATCHED_MAX = 100  # troubles of a kind
LOOKS_S = Moment(4.5)  # two looks, on a machine that is not busy
TOLD_S = 60  # if the clock was moved before the first look, half a minute goes by in truth
SILENT = "SIM {0} ({1}) is silent: its phone has not been heard of."
BACK = "SIM {0} ({1}) is back, or out of use."


class Scene:
    """A herald with a bot and a fleet, and the chat and the phone of who looks after it."""

    def __init__(self, site, sim, start=lambda site: site.serve(), **settings):
        self.site, self.sim = site, sim
        self.chat, self.number = str(fresh_chat()), fresh_number()
        site.settings.update(SETTINGS | sim.settings("bot") | {
            "HERALD_ALERT_CHAT_ID": self.chat, "HERALD_ALERT_NUMBER": self.number} | settings)
        start(site)
        self.core = site.core()

    def phone(self):
        made = self.site.phone(self.core)
        made.be_ready()
        made.name = self.core.read_device(made.device_id).expect(200)["name"]
        return made

    def take(self, within):
        """The next message in the chat; None: none came."""
        def claim():
            call = self.sim.control("POST", "claim", {
                "provider": "telegram_bot", "method": "sendMessage", "recipient": self.chat})
            return call.json["request"]["json"]["text"] if call.status == 200 else None

        return eventually(claim, within, 0.1)

    def hear(self):
        """Its lines."""
        text = self.take(TOLD_S)
        assert text and text.startswith("herald: "), text
        return text.removeprefix("herald: ").split("\n")

    def pass_time(self, seconds):
        self.site.clock.advance(seconds)

    def expect_silence(self):
        assert not self.take(LOOKS_S)

    def wait_for_silent(self, count):
        assert eventually(lambda: self.core.overview()["fleet"]["silent_sims"] == count, 40)

    def sms(self):
        """What the phone is sent, newest first."""
        return self.core.messages(channel="sms").expect(200)["messages"]


@pytest.fixture
def bot():
    with Providers() as made:
        yield made


@pytest.mark.long
def test_a_silent_sim_is_told_once_and_when_it_is_back(fresh_site, bot):
    scene = Scene(fresh_site, bot)
    gone, here = scene.phone(), scene.phone()
    told = SILENT.format(gone.number, gone.name), BACK.format(gone.number, gone.name)
    with alive(here):
        scene.wait_for_silent(1)
        scene.expect_silence()  # it has not lasted yet
        scene.pass_time(HOLD_S)
        assert scene.hear() == [told[0]]
        scene.pass_time(HOLD_S)
        scene.expect_silence()
    with alive(here, gone):
        scene.wait_for_silent(0)
        scene.expect_silence()
        scene.pass_time(HOLD_S)
        assert scene.hear() == [told[1]]
    with alive(here):  # it comes and goes
        scene.wait_for_silent(1)
        scene.expect_silence()
        scene.pass_time(HOLD_S)
        scene.expect_silence()
        scene.pass_time(REST_S)
        assert scene.hear() == [told[0]]


def test_a_package_that_failed_until_a_newer_one_is_applied(fresh_site, bot):
    scene = Scene(fresh_site, bot, HERALD_ERP_MAX_ARCHIVE_SHARE="0.5")
    sender = Sender.of(fresh_site)
    name = sender.erp.integration["name"]
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(50)))
    small = catalog.snapshot(catalog.numbered_products(5))
    assert sender.snapshot(small).status == 202
    sender.wait_for(small["event_id"], "failed")
    scene.expect_silence()
    scene.pass_time(HOLD_S)
    assert scene.hear() == [f"a package of {name} failed, so its catalog is not up to date."]
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(50)))
    scene.expect_silence()
    scene.pass_time(HOLD_S)
    assert scene.hear() == [f"packages of {name} are applied again, or its integration was disabled."]


def test_an_erp_that_takes_no_orders(fresh_site, bot, erp):
    fresh_site.settings.update(ORDER_SETTINGS)
    scene = Scene(fresh_site, bot)
    shop = Shop(fresh_site, erp)
    name = shop.integration["name"]
    erp.answer, erp.health = refuse_all, http_answer(b"", "401 Unauthorized")
    for _ in range(FAILURES_IN_A_ROW + 1):
        shop.placed()
    assert eventually(lambda: scene.core.exchange_overview()["open_circuits"] == 1, 10)
    scene.expect_silence()
    scene.pass_time(HOLD_S)
    assert scene.hear() == [f"the ERP of {name} takes no orders; they wait."]


@contextlib.contextmanager
def disabled_endpoint(scene, phone):
    """herald has disabled it; with it the beginning of its URL, which is told."""
    with Receiver() as receiver:
        receiver.answer = lambda _: (410, {}, b"gone")
        endpoint = Endpoint(scene.core, receiver, ("challenge.*",))
        canceled_call(scene.core, phone)
        assert eventually(lambda: not endpoint.read()["enabled"])
        yield endpoint, receiver.url.removesuffix("/hooks")


def test_a_webhook_endpoint_that_herald_disabled(fresh_site, bot):
    scene = Scene(fresh_site, bot, **WEBHOOK_SETTINGS)
    phone = scene.phone()
    with alive(phone), disabled_endpoint(scene, phone) as (endpoint, where):
        scene.expect_silence()
        scene.pass_time(HOLD_S)
        assert scene.hear() == [f"the webhook endpoint {where} is disabled: it took no events."]
        endpoint.change(enabled=True).expect(200)
        scene.expect_silence()
        scene.pass_time(HOLD_S)
        assert scene.hear() == [f"the webhook endpoint {where} is enabled again, or gone."]
        endpoint.change(enabled=False).expect(200)  # by somebody, who knows
        scene.pass_time(REST_S)
        scene.expect_silence()
        scene.pass_time(HOLD_S)
        scene.expect_silence()


@pytest.mark.long
def test_troubles_of_a_moment_are_one_message_and_the_worst_come_first(fresh_site, bot):
    """15 lines in a chat and 3 in an SMS, of the first 100 SIMs that are silent; the endpoint, of which
    there is no line, weighs least."""
    scene = Scene(fresh_site, bot, **WEBHOOK_SETTINGS)
    here = scene.phone()
    gone = [scene.site.phone(scene.core, count) for count in [*12 * [8], WATCHED_MAX + 1 - 12 * 8]]
    with alive(here), disabled_endpoint(scene, here):
        for phone in gone:
            phone.be_ready()
        scene.wait_for_silent(WATCHED_MAX + 1)
        scene.expect_silence()
        scene.pass_time(HOLD_S)
        lines = scene.hear()
        assert len(lines) == 16 and lines.pop() == f"and {WATCHED_MAX + 1 - 15} more"
        numbers = [number for phone in gone for number in phone.numbers]
        assert {line.split()[1] for line in lines} < set(numbers)
        assert len(eventually(scene.sms, TOLD_S, 0.5)) == 1
    lines = here.claim_task()["text"].removeprefix("herald: ").split("\n")
    assert len(lines) == 4 and lines.pop() == f"and {WATCHED_MAX + 1 - 3} more"
    assert {line.split()[1] for line in lines} < set(numbers)


def test_it_is_told_once_whatever_is_killed(fresh_site, bot):
    scene = Scene(fresh_site, bot)
    gone, here = scene.phone(), scene.phone()

    def told():
        return scene.core.messages(channel="messenger_bot").expect(200)["messages"]

    with alive(here):
        scene.wait_for_silent(1)
        scene.expect_silence()
        scene.pass_time(HOLD_S)
        time.sleep(random.uniform(0, 3))  # it looks every 2 s
    fresh_site.processes[-1].kill()
    fresh_site.processes.clear()
    fresh_site.serve()
    scene.core = fresh_site.core()
    with alive(here.at(fresh_site.address)):
        assert eventually(told, TOLD_S, 0.5)
        scene.pass_time(HOLD_S)
        assert not eventually(lambda: len(told()) != 1, LOOKS_S, 0.5)
        assert scene.core.overview()["fleet"]["silent_sims"] == 1
    gone.at(fresh_site.address).be_ready()


@pytest.mark.only("sqlite")
def test_a_disk_that_is_nearly_full(fresh_site, bot, tmp_path):
    """Less than 1 GiB; of a database on a server herald knows no disk."""
    fresh_site.disk = Room(tmp_path, free_mib=1023)
    scene = Scene(fresh_site, bot)
    phone = scene.phone()
    with alive(phone):
        scene.expect_silence()
        scene.pass_time(HOLD_S)
        line, = scene.hear()
        assert line == f"less than 1 GB is left on the disk of the database ({fresh_site.state})."
        fresh_site.disk.set(1024)
        scene.expect_silence()
        scene.pass_time(HOLD_S)
        assert scene.hear() == [f"the disk of the database ({fresh_site.state}) has room again."]


def close_bot(scene):
    """Its token is good for nothing; so it tells nobody anything."""
    scene.sim.behave("unauthorized", provider="telegram_bot")
    scene.core.create_message(
        channel="messenger_bot", chat_id=fresh_chat(), text="Hello").expect(202)
    assert eventually(
        lambda: scene.core.channels()["messenger_bot"]["circuit"]["state"] == "open", 20)


def test_an_sms_where_the_bot_is_away(fresh_site, bot):
    scene = Scene(fresh_site, bot)
    phone = scene.phone()
    close_bot(scene)
    with alive(phone):
        assert not eventually(scene.sms, LOOKS_S, 0.5)
        scene.pass_time(HOLD_S)
        row, = eventually(scene.sms, TOLD_S, 0.5)
    assert (row["recipient"], row["account_id"], row["chat_id"]) == (scene.number, None, None)
    task = phone.claim_task()
    assert (task["recipient"], task["gateway_number"]) == (scene.number, phone.number)
    assert task["text"] == (
        "herald: the channel messenger_bot is closed: its provider does not answer, or refuses "
        "the key.")
    phone.result(task, "sent").expect(204)
    assert scene.core.message(row["id"]).expect(200)["state"] == "sent"
    for number, ids in ((f"8{phone.number[2:]}", [row["id"]]), (fresh_number(), [])):
        found = scene.core.messages(gateway_number=number).expect(200)["messages"]
        assert [message["id"] for message in found] == ids


def test_an_sms_is_told_once_a_sim_is_ready(fresh_site, bot):
    """What is still true then: that none was ready is not."""
    scene = Scene(fresh_site, bot)
    phone = scene.site.phone(scene.core)
    close_bot(scene)
    assert not eventually(scene.sms, LOOKS_S, 0.5)
    scene.pass_time(HOLD_S)
    assert not eventually(scene.sms, LOOKS_S, 0.5)
    with alive(phone):
        assert len(eventually(scene.sms, TOLD_S, 0.5)) == 1
    text = phone.claim_task()["text"]
    assert "the channel messenger_bot is closed" in text and "no SIM is ready" not in text


COPIES = {
    "sqlite": "randomblob(16)", "postgres": "decode(replace(gen_random_uuid()::text, '-', ''), 'hex')"}


def test_at_most_ten_sms_a_day(fresh_site, bot):
    scene = Scene(fresh_site, bot)
    gone, here = scene.phone(), scene.phone()
    with alive(here):
        scene.wait_for_silent(1)
        assert not eventually(scene.sms, LOOKS_S, 0.5)
        scene.pass_time(HOLD_S)
        assert len(eventually(scene.sms, TOLD_S, 0.5)) == 1
    fresh_site.stop()
    fresh_site.processes.clear()
    for _ in range(9):
        fresh_site.ask(
            "INSERT INTO message (id, channel, state, recipient, chat_is_integer, created_at,"
            f" updated_at, expires_at) SELECT {COPIES[fresh_site.engine]}, channel, 'sent',"
            " recipient, 0, created_at, updated_at, expires_at FROM message"
            " WHERE channel = 'sms' LIMIT 1")
    fresh_site.serve()
    scene.core = fresh_site.core()
    with alive(*(phone.at(fresh_site.address) for phone in (gone, here))):
        scene.wait_for_silent(0)
        assert not eventually(lambda: len(scene.sms()) > 10, LOOKS_S, 0.5)
        scene.pass_time(HOLD_S)
        while BACK.format(gone.number, gone.name) not in scene.hear():
            pass  # the bot tells it all
        assert not eventually(lambda: len(scene.sms()) > 10, LOOKS_S, 0.5)
        scene.pass_time(DAY_S)
        assert eventually(lambda: len(scene.sms()) == 11, TOLD_S, 0.5)


def test_a_process_that_was_replaced_when_the_clock_was_set_back(fresh_site, bot):
    scene = Scene(fresh_site, bot)
    scene.pass_time(3600)
    time.sleep(7)  # it beats every 5 s
    fresh_site.processes[-1].kill()
    fresh_site.processes.clear()
    fresh_site.clock.set(-3600)
    fresh_site.serve()
    scene.core = fresh_site.core()
    assert eventually(lambda: scene.core.overview()["processes"]["lost"] == 1, 20)
    scene.expect_silence()
    scene.pass_time(HOLD_S)
    scene.expect_silence()


def test_russian_is_the_first_language(fresh_site, bot):
    scene = Scene(fresh_site, bot, HERALD_SMS_LANGUAGE="ru")
    scene.site.phone(scene.core)
    scene.expect_silence()
    scene.pass_time(HOLD_S)
    assert scene.hear()[0] == "ни одна SIM-карта не готова, SMS не уходят."


def test_nobody_else_can_ask_for_an_sms(fresh_site, bot):
    scene = Scene(fresh_site, bot)
    refused = scene.core.create_message(
        channel="sms", recipient=fresh_number(), text="Hello").expect(422, "validation_error")
    assert "channel" in str(refused)


@pytest.mark.parametrize(("settings", "said"), [
    ({"HERALD_ALERT_CHAT_ID": "17"}, "there is no messenger bot"),
    ({"HERALD_ALERT_CHAT_ID": "0"}, "HERALD_ALERT_CHAT_ID"),
    ({"HERALD_ALERT_NUMBER": "89161234567"}, "HERALD_ALERT_NUMBER"),
])
def test_settings_that_tell_nobody_are_refused(fresh_site, settings, said):
    done = fresh_site.run("serve", changes=settings)
    assert done.returncode == 2 and said in done.stdout


@pytest.mark.only("postgres")
def test_a_worker_that_is_gone_is_told_by_another(fresh_site, bot):
    scene = Scene(fresh_site, bot, lambda site: site.start_cluster(apis=1, workers=2))
    assert eventually(lambda: begun(scene.core, 3), 20)
    gone = fresh_site.processes[0]
    gone.kill()
    assert eventually(lambda: scene.core.overview()["processes"]["lost"] == 1, 40)
    scene.expect_silence()
    scene.pass_time(HOLD_S)
    line, = scene.hear()
    assert line.startswith("herald worker on ") and line.endswith(" gives no sign of life.")
    fresh_site.processes.remove(gone)
