"""Messages from the messenger bot (contract, sections 2 and 3; doc A, section 4 "Messages").

The table of the Bot API's answers: each row is a scenario. It has no idempotency field: what may
have been sent is never sent again by itself.
"""

import time

import pytest

from harness.outcomes import expect_closed
from harness.shapes import MESSAGE, check_shape
from harness.timelines import wait_for_step
from harness.tools import at_once, fresh_chat, fresh_number

CLOCK = True
CHANNELS = ("bot",)
LATE_MS = 10_000  # what a busy machine may take longer


def create(core, chat_id=None, text="Hello", **fields):
    chat_id = fresh_chat() if chat_id is None else chat_id
    reply = core.create_message(channel="messenger_bot", chat_id=chat_id, text=text, **fields)
    return check_shape(reply.expect(202), MESSAGE)


def take(sim, message, **fields):
    return sim.take(
        "telegram_bot", "sendMessage", recipient=str(message["chat_id"]), **fields)


def order(sim, what, count=1, **fields):
    if count:
        fields["count"] = count
    sim.behave(what, provider="telegram_bot", method="sendMessage", **fields)


def warm_up(core, sim):
    """A message that goes well: failures in a row are over, and a connection is open."""
    message = create(core)
    take(sim, message)
    core.wait_for_message(message, "sent")


def expect_never_again(core, sim, clock):
    """No further call, not even later: the worker, woken for another one, has seen what is due."""
    time.sleep(0.1)
    clock.advance(30)
    warm_up(core, sim)
    sim.expect_quiet(seconds=0.05)


# --- the dialogue


def test_message_goes_out(sim, core):
    chat, text = fresh_chat(), "Заказ 17 готов: 🍕 \"A\" <b>&\n\\ конец"
    message = create(core, chat, text)
    assert (message["channel"], message["state"]) == ("messenger_bot", "accepted")
    assert (message["chat_id"], message["account_id"], message["recipient"]) == (chat, None, None)
    assert message["error"] is None
    call = take(sim, message)
    asked = call["request"]
    assert asked["path"] == f"/bot{sim.keys['bot-token']}/sendMessage"
    assert asked["json"]["text"] == text
    assert asked["json"]["chat_id"] in (chat, str(chat))
    assert "parse_mode" not in asked["json"], "the text is sent as it is"
    read = core.wait_for_message(message, "sent")
    assert read["updated_at"] >= message["updated_at"]
    assert (read["created_at"], read["error"]) == (message["created_at"], None)
    sim.expect_quiet()


@pytest.mark.parametrize("chat_id", [
    123456789, "123456790", -1001234567890, "-1001234567891", "@herald_news",
])
def test_forms_of_a_chat(sim, core, chat_id):
    message = create(core, chat_id)
    assert message["chat_id"] == chat_id and type(message["chat_id"]) is type(chat_id)
    call = take(sim, message)
    assert str(call["request"]["json"]["chat_id"]) == str(chat_id)
    assert core.wait_for_message(message, "sent")["chat_id"] == chat_id


def test_repeat_with_the_same_key_is_the_same_message(sim, core):
    key, chat = f"bot-{fresh_number()}", fresh_chat()
    body = {"channel": "messenger_bot", "chat_id": chat, "text": "Hello"}
    first = core.create_message(key, **body)
    take(sim, first.expect(202))
    core.wait_for_message(first.json, "sent")
    repeat = core.create_message(key, **body)
    assert repeat.expect(202)["id"] == first.json["id"]
    assert repeat.replayed and not first.replayed
    assert repeat.json["state"] == "sent"
    core.create_message(key, **{**body, "text": "Hello!"}).expect(409, "idempotency_conflict")
    sim.expect_quiet()


def test_repeats_at_the_same_moment_are_one_message(sim, core):
    key, chat = f"bot-{fresh_number()}", fresh_chat()
    body = {"channel": "messenger_bot", "chat_id": chat, "text": "Hello"}
    replies = at_once(10, lambda _: core.create_message(key, **body))
    assert len({reply.expect(202)["id"] for reply in replies}) == 1
    take(sim, replies[0].json)
    sim.expect_quiet()


def test_messages_to_one_chat_keep_their_order_and_pace(sim, core):
    """One a second to a chat, 20 a minute to a group; no other chat waits for them."""
    chat, group = fresh_chat(), -1_002_000_000_000 - fresh_chat()
    began_ms = time.time() * 1000
    to_chat = [create(core, chat, f"part {index}") for index in range(4)]
    to_group = [create(core, group) for _ in range(2)]
    other = create(core)
    calls = [take(sim, message) for message in to_chat]
    assert [call["request"]["json"]["text"] for call in calls] == [f"part {i}" for i in range(4)]
    times = [call["at_ms"] for call in calls]
    # Turns count from the creation: one that is late, as on a busy machine, moves no other one.
    for index, at_ms in enumerate(times):
        assert index * 1000 - 10 <= at_ms - began_ms <= index * 1000 + LATE_MS, (began_ms, times)
    assert take(sim, other)["at_ms"] <= times[-1]
    first, second = (take(sim, message)["at_ms"] for message in to_group)
    assert first < second and 2990 <= second - began_ms <= 3000 + LATE_MS
    for message in [*to_chat, *to_group]:
        core.wait_for_message(message, "sent")


def test_30_messages_a_second_in_all(sim, core):
    made = [create(core) for _ in range(75)]
    times = sorted(take(sim, message)["at_ms"] for message in made)
    for index in range(len(times) - 31):
        # Less what may delay the first of them on a busy machine.
        assert times[index + 31] - times[index] >= 700, "more than 30 in a second"
    assert times[-1] - times[0] <= 2500 + LATE_MS, "far fewer than 30 in a second"


# --- the table of answers


@pytest.mark.parametrize("what", [
    "blocked", "deactivated", "cannot_initiate", "kicked", "chat_not_found",
])
def test_chat_that_cannot_be_reached(sim, core, clock, what):
    warm_up(core, sim)
    order(sim, what)
    message = create(core)
    take(sim, message)
    read = core.wait_for_message(message, "failed")
    assert read["error"], "nobody is told why"
    expect_never_again(core, sim, clock)


def test_group_that_has_moved(sim, core, clock):
    """The group has another id now. That is told; the core system knows what it wants then."""
    order(sim, "migrated")
    message = create(core)
    take(sim, message)
    assert core.wait_for_message(message, "failed")["error"]
    sim.expect_quiet(clock)


def test_credentials_open_the_circuit(site, sim, core):
    warm_up(core, sim)
    order(sim, "unauthorized", count=None)
    with site.log_reader() as reader:
        message = create(core)
        take(sim, message)
        assert reader.wait_for(lambda entry: entry["level"] == "error"), "no error was logged"
        assert [key for key in sim.secret_keys if key in reader.text] == []
    for _ in range(3):
        expect_closed(site, core.create_message(
            channel="messenger_bot", chat_id=fresh_chat(), text="x"))
    assert core.message(message["id"]).expect(200)["state"] in ("accepted", "failed")
    sim.expect_quiet(seconds=0.3)
    sim.told("reset")
    site.restart()  # the worker forgets it; what the database keeps of it runs out
    site.clock.advance(60)
    if core.message(message["id"]).expect(200)["state"] == "accepted":
        take(sim, message)
    warm_up(core, sim)


def test_limit_is_waited_for_as_told(sim, core):
    warm_up(core, sim)
    order(sim, "too_many_requests", retry_after_s=2)
    message = create(core)
    refused = take(sim, message)
    assert core.message(message["id"]).expect(200)["state"] == "accepted"
    taken = take(sim, message)
    assert 2000 <= taken["at_ms"] - refused["at_ms"] <= 10000
    core.wait_for_message(message, "sent")
    sim.expect_quiet()


@pytest.mark.parametrize("what, fields", [
    ("internal", {}), ("bad_gateway", {}), ("server_error", {}), ("server_error", {"taken": True}),
    ("cut_after", {}), ("cut_within", {}),
    *(("nonsense", {"shape": shape})
      for shape in ("html", "truncated", "huge", "empty", "other_json")),
    ("slow", {"wait_ms": 3300}),
], ids=str)
def test_what_may_have_been_sent_is_never_sent_again(sim, core, clock, what, fields):
    warm_up(core, sim)
    order(sim, what, **fields)
    message = create(core)
    take(sim, message)
    told = core.wait_for_message(message, "unknown")
    assert told["error"], "nobody is told why it is not known"
    expect_never_again(core, sim, clock)
    clock.advance(25 * 3600)
    expect_never_again(core, sim, clock)
    assert core.message(message["id"]).expect(200) == told, "it ends so"


def test_provider_that_is_away_for_a_moment(sim, core):
    warm_up(core, sim)
    sim.told("down", for_ms=700)
    message = create(core)
    take(sim, message)
    core.wait_for_message(message, "sent")


def test_waiting_message_is_sent_hours_later(sim, core, clock):
    """A code would be over by then; a message is not."""
    warm_up(core, sim)
    order(sim, "too_many_requests", retry_after_s=3600)
    message = create(core)
    take(sim, message)
    wait_for_step(core, "messages", message["id"], "fetch")  # the wait begins with the answer
    clock.advance(1800)
    sim.expect_quiet()
    clock.advance(1830)
    take(sim, message)
    core.wait_for_message(message, "sent")
