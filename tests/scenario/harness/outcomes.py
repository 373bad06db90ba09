"""What a code of any provider's channel must do with each kind of answer (contract, section 3).

The rows of the providers' tables are parameters of scenarios; each kind of row ends in one of the
functions here. All of them claim the calls that they cause.
"""

import time

from .shapes import parse_time
from .tools import PATIENCE_S, fresh_number, lasted_at_most

GATEWAY_METHOD = "sendVerificationMessage"


class Channel:
    """A channel of codes and the simulated provider behind it."""

    def __init__(self, word, provider, method, code_length):
        self.word = word
        self.provider = provider
        self.method = method
        self.code_length = code_length

    def order(self, sim, what, count=1, **fields):
        """The next call, or so many, or with None all of them, end like that."""
        if count:
            fields["count"] = count
        sim.behave(what, provider=self.provider, method=self.method, **fields)

    def create(self, core, recipient=None, **fields):
        recipient = recipient or fresh_number()
        return core.create_otp(recipient, channel=self.word, **fields).expect(201)

    def take(self, sim, otp, **fields):
        """The call that went out for this code, also if it was refused."""
        call = sim.take(self.provider, self.method, recipient=otp["recipient"], **fields)
        asked = call["request"]["json"] or {}
        call["code"] = call["code"] or str(asked.get("code") or asked.get("pin") or "") or None
        return call

    def send(self, core, sim, recipient=None, **fields):
        """A code, and the call that went out for it."""
        otp = self.create(core, recipient, **fields)
        return otp, self.take(sim, otp)

    def confirm(self, core, sim, otp, code):
        """The recipient types the code in; a provider that wants to know is told."""
        confirmed = core.verify(otp["id"], code).expect(200)
        assert confirmed["state"] == "confirmed"
        has_id = confirmed["sends"][0]["state"] in ("accepted", "sent", "delivered")
        if self.provider == "telegram_gateway" and has_id:
            sim.await_success(code)
        return confirmed

    def cancel(self, core, sim, otp, call):
        """Takes the code back, at a provider that can do so too."""
        core.cancel_otp(otp["id"]).expect(204)
        if self.provider == "telegram_gateway":
            sim.take(self.provider, "revokeVerificationMessage", contains=call["send_id"])

    def warm_up(self, core, sim):
        """A code that goes well: failures in a row are over, and a connection is open."""
        otp, call = self.send(core, sim)
        core.wait_for_send(otp, "accepted", "sent", "delivered")
        self.confirm(core, sim, otp, call["code"])


UCALLER = Channel("flash_call", "ucaller", "initCall", 4)
GATEWAY = Channel("messenger_gateway", "telegram_gateway", GATEWAY_METHOD, 6)
TEMPLATES = {
    "smsru": Channel("flash_call", "sms_ru", "code/call", 4),
    "unibell": Channel("flash_call", "unibell", "apps/flash/calls/flash", 4),
    "plusofon": Channel("flash_call", "plusofon", "flash-call/send", 4),
    "zvonok": Channel("flash_call", "zvonok", "phones/flashcall", 4),
    "smsc": Channel("flash_call", "smsc", "send", 4),
}


def expect_permanent(core, sim, clock, channel, what, **order):
    """This recipient cannot be reached: undelivered, never again, and the next one can be."""
    channel.warm_up(core, sim)
    channel.order(sim, what, **order)
    otp, _ = channel.send(core, sim)
    expect_undelivered(core, otp)
    clock.advance(30)
    expect_recipient_is_free(core, sim, channel, otp)
    sim.expect_quiet(seconds=0.05)


def expect_never_again(core, sim, clock, channel):
    """No further call, not even later: the worker, woken for another one, has seen what is due."""
    time.sleep(0.1)
    clock.advance(30)
    channel.warm_up(core, sim)
    sim.expect_quiet(seconds=0.05)


def expect_undelivered(core, otp, within=PATIENCE_S):
    read = core.wait_for_send(otp, "failed", within=within)
    assert read["state"] == "undelivered"
    assert [send["state"] for send in read["sends"]] == ["failed"]
    assert read["sends"][0]["error"], "nobody is told why"
    assert read["attempts_left"] == 5


def expect_recipient_is_free(core, sim, channel, otp):
    """The recipient may start again at once; the circuit is closed too."""
    again, call = channel.send(core, sim, otp["recipient"])
    core.wait_for_send(again, "accepted", "sent", "delivered")
    channel.confirm(core, sim, again, call["code"])


def expect_unknown(core, sim, clock, channel, what, **order):
    """It may have been sent: never again by itself, but the code can be verified."""
    channel.warm_up(core, sim)
    channel.order(sim, what, **order)
    otp, call = channel.send(core, sim)
    read = core.wait_for_send(otp, "unknown")
    assert [send["state"] for send in read["sends"]] == ["unknown"]
    assert read["sends"][0]["error"], "nobody is told why"
    assert read["state"] in ("queued", "accepted"), "it is neither undelivered nor known to be sent"
    expect_never_again(core, sim, clock, channel)
    refused = core.create_otp(otp["recipient"], channel=channel.word)
    refused.expect(409, "active_challenge_exists")
    channel.confirm(core, sim, otp, call["code"])


def expect_repeated(core, sim, clock, channel, what, calls=2, **order):
    """The provider knows a repeat: the call is made again, and rings once."""
    channel.warm_up(core, sim)
    channel.order(sim, what, **order)
    otp = channel.create(core)
    seen = take_repeats(sim, clock, channel, otp, calls)
    assert len({call["request"]["json"]["unique"] for call in seen}) == 1
    assert [call["had_effect"] for call in seen].count(True) == 1
    read = core.wait_for_send(otp, "accepted", "sent", "delivered")
    assert len(read["sends"]) == 1
    expect_never_again(core, sim, clock, channel)
    channel.confirm(core, sim, otp, seen[-1]["code"])


def take_repeats(sim, clock, channel, otp, count):
    """So many calls for one code; herald's clock runs on between them."""
    seen = [channel.take(sim, otp)]
    while len(seen) < count:
        time.sleep(0.15)
        clock.advance(10)
        seen.append(channel.take(sim, otp))
    return seen


def expect_one_ring(core, sim, clock, channel, what, **order):
    """Whether it is asked for again or not: it rings once, and the code can be verified."""
    channel.warm_up(core, sim)
    channel.order(sim, what, **order)
    otp, call = channel.send(core, sim)
    read = core.wait_for_send(otp, "unknown", "accepted", "sent", "delivered")
    assert read["state"] != "undelivered" and len(read["sends"]) == 1
    time.sleep(0.1)
    clock.advance(30)
    channel.warm_up(core, sim)
    time.sleep(0.05)
    calls = [call, *(sim.take(channel.provider, channel.method) for _ in sim.unclaimed())]
    assert [row["had_effect"] for row in calls].count(True) == 1
    assert len({row["request"]["json"]["unique"] for row in calls}) == 1
    channel.confirm(core, sim, otp, call["code"])


def expect_rate_limited(core, sim, channel, what, wait_s=2, **order):
    """Nothing was sent: once more when the wait is over, not before."""
    channel.warm_up(core, sim)
    channel.order(sim, what, **order)
    otp, refused = channel.send(core, sim)
    assert core.otp(otp["id"]).expect(200)["state"] == "queued"
    taken = channel.take(sim, otp, within=wait_s + 5)
    waited_s = (taken["at_ms"] - refused["at_ms"]) / 1000
    assert wait_s <= waited_s
    lasted_at_most(waited_s, wait_s + 3)
    read = core.wait_for_send(otp, "accepted", "sent", "delivered")
    assert len(read["sends"]) == 1
    channel.confirm(core, sim, otp, taken["code"])


def expect_rate_limited_without_a_word(core, sim, clock, channel, what, **order):
    """The provider does not say for how long: later, while the code is good."""
    channel.warm_up(core, sim)
    channel.order(sim, what, **order)
    otp, _ = channel.send(core, sim)
    sim.expect_quiet(seconds=0.2)
    assert core.otp(otp["id"]).expect(200)["state"] == "queued"
    clock.advance(60)
    taken = channel.take(sim, otp)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    channel.confirm(core, sim, otp, taken["code"])


def expect_closed(site, refused):
    """Nobody is called before a time that both header and body tell."""
    refused.expect(503, "channel_unavailable")
    assert refused.error["reason"] == "circuit_open"
    assert 1 <= refused.retry_after <= 60
    wait = parse_time(refused.error["retry_at"]) - site.clock.now()
    assert refused.retry_after - 5 <= wait.total_seconds() <= refused.retry_after


def expect_open_circuit(site, core, sim, channel, what, **order):
    """Credentials or balance: nobody is called any more, and the operator is told."""
    channel.warm_up(core, sim)
    channel.order(sim, what, count=None, **order)
    with site.log_reader() as reader:
        otp, _ = channel.send(core, sim)
        assert reader.wait_for(lambda entry: entry["level"] == "error"), "no error was logged"
        assert [key for key in sim.secret_keys if key in reader.text] == []
    recipient = fresh_number()
    for _ in range(4):
        expect_closed(site, core.create_otp(recipient, channel=channel.word))
    waiting, = core.otp(otp["id"]).expect(200)["sends"]
    assert waiting["state"] == "queued" and waiting["error"], "nothing was sent: it waits"
    core.cancel_otp(otp["id"]).expect(204)
    sim.expect_quiet(seconds=0.1)
    sim.start_anew()
    site.restart()  # the worker forgets it; what the database keeps of it runs out
    site.clock.advance(60)
    otp, call = channel.send(core, sim, recipient)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    channel.confirm(core, sim, otp, call["code"])
