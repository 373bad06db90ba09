"""Contract section 11.8: how the channels stand, by what the database knows."""

import json
from datetime import timedelta

import pytest

from harness.http import Client
from harness.outcomes import GATEWAY, UCALLER
from harness.shapes import parse_time
from harness.tools import eventually, fresh_chat, fresh_key, fresh_number

CLOCK = True
CHANNELS = ("gateway", "bot", "ucaller")
PATH = "/internal/v1/channels"
WORDS = ["sms", "flash_call", "messenger_gateway", "messenger_bot", "personal_messenger"]
CLOSED = {"state": "closed", "since": None, "next_probe_at": None, "last_error": None}
OPEN_S = 30
PROBED_WITHIN_S = 45


def write(core):
    return core.create_message(
        channel="messenger_bot", chat_id=fresh_chat(), text="Hello").expect(202)


def open_bot(core, sim):
    """The bot's token is good for nothing; returns the message that found out, and the channel."""
    sim.behave("unauthorized", provider="telegram_bot")
    message = write(core)
    sim.take("telegram_bot", "sendMessage", recipient=str(message["chat_id"]))
    assert eventually(lambda: core.channels()["messenger_bot"]["circuit"]["state"] == "open")
    return message, core.channels()["messenger_bot"]


def test_nothing_is_configured(fresh_site):
    fresh_site.serve()
    channels = fresh_site.core().channels()
    assert list(channels) == WORDS
    for word in ("flash_call", "messenger_gateway", "messenger_bot"):
        assert channels[word] == {
            "channel": word, "driver": None, "configured": False, "circuit": CLOSED,
            "under_way": 0, "waiting": 0, "oldest_waiting_at": None, "last_success_at": None,
            "rate_limit": None, "ready_sims": None, "connected_accounts": None,
        }
    for word, own in (("sms", "ready_sims"), ("personal_messenger", "connected_accounts")):
        row = channels[word]
        assert (row["driver"], row["configured"], row["circuit"]) == (None, True, None)
        assert (row["waiting"], row["last_success_at"], row[own]) == (0, None, 0)
    assert channels["sms"]["connected_accounts"] is None
    assert channels["personal_messenger"]["ready_sims"] is None


def test_a_channel_that_is_configured_no_more_is_closed(fresh_site, providers, sim):
    """Nobody would close the circuit that its driver had."""
    own = providers.settings("bot")
    fresh_site.settings |= own
    fresh_site.serve()
    open_bot(fresh_site.core(), sim)
    for name in own:
        del fresh_site.settings[name]
    fresh_site.restart()
    row = fresh_site.core().channels()["messenger_bot"]
    assert (row["driver"], row["configured"], row["circuit"]) == (None, False, CLOSED)
    fresh_site.clock.advance(3 * OPEN_S)
    core = fresh_site.core()
    assert core.channels()["messenger_bot"]["circuit"] == CLOSED
    assert core.overview()["channels"][WORDS.index("messenger_bot")]["circuit"] == CLOSED
    sim.told("reset")


def test_a_send_that_goes_well_is_told(sim, core):
    for channel, driver in ((GATEWAY, "telegram_gateway"), (UCALLER, "ucaller")):
        channel.warm_up(core, sim)
        row = core.channels()[channel.word]
        assert (row["driver"], row["configured"], row["circuit"]) == (driver, True, CLOSED)
        assert (row["under_way"], row["waiting"], row["oldest_waiting_at"]) == (0, 0, None)
        first = row["last_success_at"]
        assert first
        channel.warm_up(core, sim)
        assert core.channels()[channel.word]["last_success_at"] > first
    assert core.channels()["messenger_bot"]["rate_limit"] == 30
    sim.take_awaited()


def test_a_slow_fetch_is_under_way(sim, core):
    GATEWAY.order(sim, "slow", wait_ms=1500)
    otp, _ = GATEWAY.send(core, sim)
    row = core.channels()["messenger_gateway"]
    assert (row["under_way"], row["waiting"]) == (1, 0)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    assert core.channels()["messenger_gateway"]["under_way"] == 0
    core.cancel_otp(otp["id"]).expect(204)
    sim.take("telegram_gateway", "revokeVerificationMessage")


def test_messages_of_a_chat_wait_for_their_turn(sim, core):
    chat = fresh_chat()
    messages = [core.create_message(channel="messenger_bot", chat_id=chat, text="x").expect(202)
                for _ in range(3)]
    row = core.channels()["messenger_bot"]
    assert 1 <= row["waiting"] <= 3 and row["waiting"] + row["under_way"] <= 3
    waits_since = parse_time(row["oldest_waiting_at"])
    assert waits_since >= parse_time(messages[0]["created_at"])
    for message in messages:
        sim.take("telegram_bot", "sendMessage", recipient=str(chat))
        core.wait_for_message(message, "sent")
    assert core.channels()["messenger_bot"]["waiting"] == 0


def test_a_task_of_a_phone(core, phone):
    before = core.channels()["sms"]
    phone.be_ready()
    assert core.channels()["sms"]["ready_sims"] == before["ready_sims"] + 1
    otp = core.create_otp(fresh_number()).expect(201)
    row = core.channels()["sms"]
    assert (row["under_way"], row["waiting"]) == (before["under_way"], before["waiting"] + 1)
    assert row["oldest_waiting_at"] == otp["created_at"]
    task = phone.claim_task()
    row = core.channels()["sms"]
    assert (row["under_way"], row["waiting"]) == (before["under_way"] + 1, before["waiting"])
    assert row["last_success_at"] == before["last_success_at"]
    phone.result(task, "sent").expect(204)
    row = core.channels()["sms"]
    assert (row["under_way"], row["waiting"]) == (before["under_way"], before["waiting"])
    assert row["last_success_at"] >= otp["created_at"]


def test_what_is_no_more_wanted_does_not_wait(core, ready_phone, clock):
    before = core.channels()["sms"]["waiting"]
    core.create_otp(fresh_number(), ttl_seconds=60).expect(201)
    assert core.channels()["sms"]["waiting"] == before + 1
    clock.advance(61)
    assert core.channels()["sms"]["waiting"] == before


def test_connected_accounts(core, phone, clock):
    before = core.channels()["personal_messenger"]["connected_accounts"]
    core.connect_accounts(phone, f"account-{fresh_key()[:12]}")
    assert core.channels()["personal_messenger"]["connected_accounts"] == before + 1
    clock.advance(61)
    assert core.channels()["personal_messenger"]["connected_accounts"] == 0


def test_open_half_open_and_closed_by_a_send(site, sim, core):
    message, row = open_bot(core, sim)
    circuit = row["circuit"]
    since = parse_time(circuit["since"])
    assert circuit["last_error"] and "canary" not in circuit["last_error"]
    assert parse_time(message["created_at"]) <= since
    assert parse_time(circuit["next_probe_at"]) - since == timedelta(seconds=OPEN_S)
    assert row["waiting"] == 1 and row["configured"]
    assert core.channels()["messenger_gateway"]["circuit"] == CLOSED
    sim.told("reset")
    site.restart()  # the process that opened it is no more
    site.clock.advance(60)
    def stands():
        return core.channels()["messenger_bot"]["circuit"]
    if stands()["state"] == "half_open":
        assert stands() == circuit | {"state": "half_open", "next_probe_at": None}
    sim.take("telegram_bot", "sendMessage", recipient=str(message["chat_id"]))
    core.wait_for_message(message, "sent")
    assert stands() == CLOSED


@pytest.mark.long
def test_a_probe_that_fails_is_the_same_trouble(sim, core):
    message, row = open_bot(core, sim)
    first = row["circuit"]

    def stands():
        return core.channels()["messenger_bot"]["circuit"]

    def is_put_off():
        at = stands()["next_probe_at"]
        later = at and parse_time(at) - parse_time(first["next_probe_at"])
        return later and later > timedelta(seconds=OPEN_S - 1)
    assert eventually(is_put_off, PROBED_WITHIN_S)
    again = stands()
    assert (again["state"], again["since"]) == ("open", first["since"])
    sim.told("reset")
    assert eventually(lambda: stands() == CLOSED, PROBED_WITHIN_S)
    sim.take("telegram_bot", "sendMessage", recipient=str(message["chat_id"]))
    core.wait_for_message(message, "sent")


def test_what_is_refused(site):
    Client(site.address).get(PATH).expect(401, "unauthorized")
    site.core().get(f"{PATH}?limit=1").expect(422, "validation_error")


def test_the_command_fits_a_terminal(site, sim, core):
    listen = {"HERALD_LISTEN": "%s:%d" % site.address}

    def shown(*flags):
        done = site.run("admin", "channels", "list", *flags, changes=listen)
        assert done.returncode == 0, done.stdout
        return done.stdout
    head, *lines = shown().splitlines()
    assert head.split() == ["CHANNEL", "DRIVER", "CIRCUIT", "READY", "BUSY", "WAIT", "SUCCESS"]
    assert [line.split()[0] for line in lines] == WORDS
    assert max(map(len, lines)) <= 80
    assert [row["channel"] for row in json.loads(shown("--json"))["channels"]] == WORDS
    message, row = open_bot(core, sim)
    assert f"messenger_bot is open since {row['circuit']['since']}" in shown()
    assert row["circuit"]["last_error"] in shown()
    sim.told("reset")
    site.restart()
    site.clock.advance(60)
    sim.take("telegram_bot", "sendMessage", recipient=str(message["chat_id"]))
    core.wait_for_message(message, "sent")


@pytest.mark.only("postgres")
def test_every_api_tells_the_same(fresh_site, providers, sim):
    fresh_site.settings |= providers.settings("gateway", "bot", "ucaller")
    cores = [fresh_site.core(process) for process in fresh_site.start_cluster()]
    message = write(cores[0])
    sim.take("telegram_bot", "sendMessage", recipient=str(message["chat_id"]))
    cores[0].wait_for_message(message, "sent")
    open_bot(cores[0], sim)
    first, second = (core.channels() for core in cores)
    assert first == second and second["messenger_bot"]["circuit"]["state"] == "open"
    sim.told("reset")
