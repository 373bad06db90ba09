"""Contract section 13.3: what was not delivered at once. Attempts as the schedule says, what is recovered,
and what becomes of deliveries and events while their endpoint is disabled."""

from datetime import timedelta
from functools import partial

from harness.feed import Feed
from harness.hooks import WEBHOOK_SETTINGS, Endpoint, Receiver, copy_delivery
from harness.shapes import format_time, parse_time
from harness.tools import Moment, eventually
from test_webhooks import DAY_S, canceled_call

SETTINGS = WEBHOOK_SETTINGS
CLOCK = True
REST_S = 30  # of an endpoint, after 5 failures in a row
FAILURES_IN_A_ROW = 5  # and it rests
ATTEMPTS = 10
WAITS_S = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
RECOVERED_MAX = 10_000


def failed_call(core, phone, receiver, endpoint):
    """A call whose delivery has failed for good; the endpoint is enabled again."""
    receiver.answer = lambda _: (410, {}, b"gone")
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    assert eventually(lambda: not endpoint.read()["enabled"])
    receiver.answer = lambda _: (200, {}, b"ok")
    endpoint.change(enabled=True).expect(200)
    row = endpoint.delivery_of(delivery.id)
    assert (row["state"], row["attempts"]) == ("failed", 1)
    return call["id"], row["created_at"]


def test_only_events_since_then_are_recovered(core, phone, receiver):
    """And no test, of which none is an event."""
    endpoint = Endpoint(core, receiver, ("challenge.canceled",))
    receiver.answer = lambda _: (500, {}, b"")
    assert core.post(f"{endpoint.path}/test").expect(200)["state"] == "failed"
    early_id, early_at = failed_call(core, phone, receiver, endpoint)
    late_id, late_at = failed_call(core, phone, receiver, endpoint)
    behind = format_time(parse_time(late_at) + timedelta(milliseconds=1))
    before_all = endpoint.record["created_at"]
    for since, queued, heard in ((behind, 0, (1, 1)), (late_at, 1, (1, 2)), (early_at, 1, (2, 2)),
                                 (before_all, 0, (2, 2))):
        assert core.post(f"{endpoint.path}/recover", {"since": since}).expect(200) == {
            "queued": queued, "more": False}
        receiver.wait_for(late_id, heard[1])
        receiver.wait_for(early_id, heard[0])
        assert eventually(lambda: endpoint.deliveries("?state=pending") == [])
        assert (len(receiver.of(early_id)), len(receiver.of(late_id))) == heard
    assert [row["type"] for row in endpoint.deliveries("?state=failed")] == ["test.ping"]
    assert [row["attempts"] for row in endpoint.deliveries("?state=delivered")] == [1, 1]
    endpoint.close()


def test_at_most_10_000_are_recovered_at_once(fresh_site, receiver):
    fresh_site.settings.update(WEBHOOK_SETTINGS | {"HERALD_DATABASE_TIMEOUT_MS": "15000"})
    fresh_site.serve()
    core = fresh_site.core()
    receiver.answer = lambda _: (410, {}, b"gone")
    endpoint = Endpoint(core, receiver, ("challenge.*",))
    canceled_call(core, fresh_site.phone(core))
    row, = eventually(lambda: endpoint.deliveries("?state=failed"))
    fresh_site.stop()
    copy_delivery(fresh_site, row, RECOVERED_MAX)
    fresh_site.processes.clear()
    fresh_site.serve()
    endpoint.core = fresh_site.core()
    for queued, more in ((RECOVERED_MAX, True), (1, False), (0, False)):
        body = {"since": endpoint.record["created_at"]}
        assert endpoint.core.post(f"{endpoint.path}/recover", body).expect(200) == {
            "queued": queued, "more": more}
    assert len(receiver.deliveries) == 1, "it is disabled"


def test_what_is_due_of_a_disabled_endpoint_waits(core, right_clock, phone, receiver, endpoint):
    """And its next attempt is not in the past."""
    receiver.answer = lambda _: (503, {"Retry-After": "3600"}, b"")
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    row = eventually(lambda: (found := endpoint.delivery_of(delivery.id)) and found["status"] and found)
    receiver.answer = lambda _: (200, {}, b"ok")
    endpoint.change(enabled=False).expect(200)
    asked = right_clock.now()
    replayed = core.post(f"{endpoint.path}/deliveries/{row['id']}/replay").expect(200)
    assert (replayed["state"], replayed["attempts"]) == ("pending", 0)
    assert not eventually(lambda: len(receiver.of(call["id"])) > 1, Moment(1))
    right_clock.advance(3600)
    for moment, shown in ((asked, replayed), (right_clock.now(), endpoint.delivery_of(delivery.id))):
        assert parse_time(shown["next_attempt_at"]) >= moment - timedelta(seconds=1)
    endpoint.change(enabled=True).expect(200)
    receiver.wait_for(call["id"], 2)
    assert eventually(lambda: endpoint.delivery_of(delivery.id)["state"] == "delivered")


def test_what_happens_while_it_is_disabled_is_in_the_feed_alone(core, phone, receiver, endpoint):
    with Receiver() as other_receiver:
        other = Endpoint(core, other_receiver)  # so events are written
        feed = Feed.from_now_on(core)
        endpoint.change(enabled=False).expect(200)
        missed = canceled_call(core, phone)
        other_receiver.wait_for(missed["id"])
        endpoint.change(enabled=True).expect(200)
        event = feed.wait_for(missed["id"], "challenge.canceled")
        told = canceled_call(core, phone)
        receiver.wait_for(told["id"])
        assert core.post(f"{endpoint.path}/recover", {"since": endpoint.record["created_at"]}).expect(
            200) == {"queued": 0, "more": False}
        assert endpoint.delivery_of(event["id"]) is None
        row = other.delivery_of(event["id"])
        core.post(f"{endpoint.path}/deliveries/{row['id']}/replay").expect(404)
        assert receiver.of(missed["id"]) == []
        other.close()


def test_what_is_due_of_a_deleted_endpoint_is_not_delivered(core, right_clock, phone, receiver):
    receiver.answer = lambda _: (503, {"Retry-After": "3600"}, b"")
    endpoint = Endpoint(core, receiver, ("challenge.canceled",))
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    assert eventually(lambda: endpoint.delivery_of(delivery.id)["status"])
    endpoint.close()
    right_clock.advance(3700)
    assert not eventually(lambda: len(receiver.of(call["id"])) > 1, Moment(1))


def recorded_wait(endpoint, event_id, attempt):
    """The delivery and its wait in seconds, once that attempt is recorded: before, the row shows the
    end of its lease."""
    row = endpoint.delivery_of(event_id)
    if row["attempts"] != attempt or not row["status"]:
        return None
    wait = parse_time(row["next_attempt_at"]) - parse_time(row["updated_at"])
    wait_s = wait.total_seconds()
    return (row, wait_s) if WAITS_S[attempt - 1] <= wait_s <= 1.2 * WAITS_S[attempt - 1] else None


def test_after_ten_attempts_it_has_failed(fresh_site, receiver):
    """Each as long behind the one before as the contract says, up to a fifth later."""
    fresh_site.settings.update(WEBHOOK_SETTINGS)
    fresh_site.serve()
    core, clock = fresh_site.core(), fresh_site.clock
    receiver.answer = lambda _: (500, {}, b"")
    endpoint = Endpoint(core, receiver, ("challenge.*",))
    call = canceled_call(core, fresh_site.phone(core))
    delivery, = receiver.wait_for(call["id"])
    for attempt in range(1, ATTEMPTS):
        found = eventually(partial(recorded_wait, endpoint, delivery.id, attempt))
        assert found and found[0]["state"] == "pending", endpoint.delivery_of(delivery.id)
        clock.advance(max(int(found[1]), REST_S) + 1, is_monotonic_too=True)
        fresh_site.processes[-1].wait_until_ready()
        receiver.wait_for(call["id"], attempt + 1)
    row = eventually(lambda: (found := endpoint.delivery_of(delivery.id))["state"] == "failed" and found)
    assert (row["attempts"], row["next_attempt_at"]) == (ATTEMPTS, None)
    assert len(receiver.of(call["id"])) == ATTEMPTS
    assert endpoint.read()["enabled"] is True


def test_deliveries_are_kept_as_long_as_their_events(fresh_site, receiver):
    fresh_site.settings.update(WEBHOOK_SETTINGS | {"HERALD_EVENT_DAYS": "1"})
    fresh_site.serve()
    endpoint = Endpoint(fresh_site.core(), receiver, ("challenge.*",))
    phone = fresh_site.phone(endpoint.core)
    old = canceled_call(endpoint.core, phone)
    receiver.wait_for(old["id"])
    assert eventually(lambda: len(endpoint.deliveries("?state=delivered")) == 1)
    fresh_site.stop()
    fresh_site.processes.clear()
    fresh_site.clock.advance(2 * DAY_S)
    fresh_site.serve()
    endpoint.core = fresh_site.core()
    assert eventually(lambda: endpoint.deliveries() == [])
    call = canceled_call(endpoint.core, phone)
    receiver.wait_for(call["id"])
    assert len(endpoint.deliveries()) == 1


def test_a_test_waits_until_its_endpoint_has_rested(core, right_clock, phone, receiver, endpoint):
    """The answer does as long as an attempt may take; then it is 202, and what came back is read later."""
    receiver.answer = lambda _: (503, {}, b"")
    for _ in range(FAILURES_IN_A_ROW):
        canceled_call(core, phone)
    assert eventually(lambda: len([row for row in endpoint.deliveries() if row["status"]]) >=
                      FAILURES_IN_A_ROW)  # one more, if what the phone did before was heard
    receiver.answer = lambda _: (200, {}, b"ok")
    seen = len(receiver.deliveries)
    row = core.post(f"{endpoint.path}/test").expect(202)
    assert (row["type"], row["state"], row["answer"]) == ("test.ping", "pending", None)
    assert len(receiver.deliveries) == seen
    right_clock.advance(REST_S)
    assert eventually(lambda: endpoint.delivery_of(row["event_id"])["state"] == "delivered")
