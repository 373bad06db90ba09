"""Channels of several api and worker processes on one PostgreSQL (contract, section 3)."""

import time

import pytest

from harness.outcomes import GATEWAY, UCALLER
from harness.tools import at_once, eventually, fresh_chat, fresh_number

pytestmark = pytest.mark.only("postgres")

CODES = 60


@pytest.fixture
def cores(fresh_site, sim):
    """A core system at each of two apis; two workers call the providers."""
    fresh_site.settings |= sim.settings("ucaller", "gateway", "bot")
    return [fresh_site.core(process) for process in fresh_site.start_cluster()]


def test_each_code_is_sent_by_one_worker(sim, cores):
    channels = (UCALLER, GATEWAY)
    otps = at_once(CODES, lambda index: channels[index % 2].create(cores[index // 2 % 2]))
    for index, otp in enumerate(otps):
        call = channels[index % 2].take(sim, otp)
        cores[index % 2].wait_for_send(otp, "accepted", "sent", "delivered")
        channels[index % 2].confirm(cores[(index + 1) % 2], sim, otp, call["code"])
    sim.take_awaited()
    sim.expect_quiet()


def test_pace_of_a_chat_holds_over_all_workers(sim, cores):
    chat = fresh_chat()
    began_ms = time.time() * 1000
    for index in range(4):
        cores[index % 2].create_message(
            channel="messenger_bot", chat_id=chat, text=f"part {index}").expect(202)
    calls = [sim.take("telegram_bot", "sendMessage") for _ in range(4)]
    assert [call["request"]["json"]["text"] for call in calls] == [f"part {i}" for i in range(4)]
    times = [call["at_ms"] - began_ms for call in calls]
    # A worker that is busy may be late for a turn, which moves no other.
    assert all(at_ms >= index * 1000 - 10 for index, at_ms in enumerate(times)), times


def test_every_api_knows_of_an_open_circuit(sim, cores):
    UCALLER.order(sim, "401", count=None)
    UCALLER.send(cores[0], sim)

    def refused(core):
        reply = core.create_otp(fresh_number(), channel="flash_call")
        return reply if reply.status == 503 else None

    for core in cores:
        reply = eventually(lambda: refused(core), 10)
        assert reply, "an api takes codes for a channel that is closed"
        reply.expect(503, "channel_unavailable")
        otp, call = GATEWAY.send(core, sim)
        core.wait_for_send(otp, "accepted", "sent", "delivered")
        GATEWAY.confirm(core, sim, otp, call["code"])
    sim.take_awaited()
    sim.expect_quiet(seconds=0.2)
