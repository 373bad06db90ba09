"""Contract section 6, "Delivery": when an order is tried again, for how long, and what the ERP may
say about that. The clock is moved; no wait is real but the first ones."""

import json
import time
from datetime import timedelta
from email.utils import format_datetime

import pytest

from harness.orders import (
    NEVER, ORDER_SETTINGS, PROBE_S, SCHEDULE_S, RawErp, Shop, accept_all, acceptance,
    expect_nothing_more, http_answer, waited_s,
)
from harness.shapes import parse_time
from harness.tools import Moment, eventually

SETTINGS = ORDER_SETTINGS
CLOCK = True
HOUR_S = 3600
SLACK_S = 0.01
WORDS = {401: "401 Unauthorized", 403: "403 Forbidden", 429: "429 Too Many Requests",
         503: "503 Service Unavailable"}


@pytest.fixture
def erp():
    with RawErp() as made:
        made.answer = refuse()
        yield made


def refuse(status=503, *headers):
    return lambda *_: http_answer(b"", WORDS[status], *headers)


def expect_wait(attempt, record, seconds):
    """Within 20 % of what the schedule says."""
    waited = waited_s(attempt, record)
    assert 0.8 * seconds - SLACK_S <= waited <= 1.2 * seconds + SLACK_S, f"{waited} s, not {seconds}"


def pass_until_tried(shop, order_id, number):
    """The clock runs on until that attempt was made; where the circuit is open, past a probe."""
    shop.pass_until_due(order_id)
    for _ in range(3):
        if eventually(lambda: shop.read(order_id)["attempts"] >= number, Moment(1.5), 0.02):
            return shop.wait_for_attempt(order_id, number)
        shop.pass_time(PROBE_S + 1)
    raise AssertionError(f"no attempt {number}: {shop.read(order_id)}")


# --- the schedule


def test_each_wait_of_the_schedule(shop, erp):
    order_id = shop.placed()
    for number, seconds in enumerate(SCHEDULE_S, 1):
        record, attempt = (shop.wait_for_attempt(order_id, 1) if number == 1
                           else pass_until_tried(shop, order_id, number))
        assert record["state"] == "queued" and record["attempts"] == number
        expect_wait(attempt, record, seconds)
    assert len(erp.requests) == len(SCHEDULE_S)
    assert len(set(erp.requests)) == 1, "each attempt is the same, to the byte"


def test_first_waits_are_real(shop, erp):
    """Without a moved clock: nothing before its time."""
    order_id = shop.placed()
    record, attempt = shop.wait_for_attempt(order_id, 1)
    second = shop.wait_for_attempt(order_id, 2)[1]
    gap = (parse_time(second["started_at"]) - parse_time(attempt["started_at"])).total_seconds()
    assert gap >= 0.79, f"{gap} s"


def test_nothing_goes_before_its_time(shop, erp):
    order_id = shop.placed()
    for number in range(1, 4):
        record, _ = (shop.wait_for_attempt(order_id, 1) if number == 1
                     else pass_until_tried(shop, order_id, number))
    due = parse_time(record["next_attempt_at"])
    shop.pass_time(int((due - shop.clock.now()) / timedelta(seconds=1)) - 2)
    time.sleep(NEVER)
    assert len(erp.requests) == 3 and shop.read(order_id)["attempts"] == 3
    pass_until_tried(shop, order_id, 4)


def test_waits_are_spread(site):
    """+-20 %: orders that failed together do not come back together."""
    waits = []
    with RawErp(refuse()) as erp:
        shop = Shop(site, erp)
        ids = [shop.placed() for _ in range(4)]
        for order_id in ids:
            record, attempt = shop.wait_for_attempt(order_id, 1)
            waits.append(waited_s(attempt, record))
        shop.close()
        others = [Shop(site, erp) for _ in range(8)]
        for other in others:
            record, attempt = other.wait_for_attempt(other.placed(), 1)
            waits.append(waited_s(attempt, record))
            other.close()
    assert max(waits) - min(waits) >= 0.1, f"{sorted(waits)}"


def test_72_hours_then_failed(shop, erp):
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    shop.pass_time(71 * HOUR_S)
    record, _ = pass_until_tried(shop, order_id, 2)
    assert record["state"] == "queued", "72 hours are not over"
    shop.pass_time(HOUR_S + 400)
    record = shop.wait_for(order_id, "failed")
    assert record["next_attempt_at"] is None and record["last_error"]
    seen = len(erp.requests)
    shop.pass_time(24 * HOUR_S)
    expect_nothing_more(lambda: len(erp.requests))
    assert shop.read(order_id) == record and len(erp.requests) == seen
    assert [row["id"] for row in shop.listed(state="failed")[0]] == [order_id]

    shop.retry(order_id).expect(204)
    record, _ = shop.wait_for_attempt(order_id, record["attempts"] + 1)
    assert record["state"] == "queued", "72 hours begin anew"
    erp.answer = accept_all
    pass_until_tried(shop, order_id, record["attempts"] + 1)
    record = shop.wait_for(order_id, "accepted")
    assert record["erp_order_id"] == "doc-1" and record["last_error"] is None
    assert len(set(erp.requests)) == 1, "the same bytes after days"


def test_failed_order_is_accepted_by_its_first_retry(shop, erp):
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    shop.pass_time(73 * HOUR_S)
    shop.wait_for(order_id, "failed")
    erp.answer = accept_all
    shop.retry(order_id).expect(204)
    shop.wait_for(order_id, "accepted")
    before = len(erp.requests)
    shop.pass_time(100)
    expect_nothing_more(lambda: len(erp.requests))
    assert len(erp.requests) == before


@pytest.mark.parametrize("state", ["failed", "rejected"])
def test_body_is_kept_for_30_days(shop, erp, state):
    """Contract section 6 "Bodies": until then `retry` sends the same bytes again, afterwards it is 409."""
    if state == "rejected":
        erp.answer = lambda head, body: http_answer(b'{"accepted":false}')
    ids = [shop.placed(), shop.placed()]
    for order_id in ids:
        shop.wait_for_attempt(order_id, 1)
    if state == "failed":
        shop.pass_time(73 * HOUR_S)
    for order_id in ids:
        shop.wait_for(order_id, state)
    erp.answer = accept_all
    shop.pass_time(30 * 24 * HOUR_S - 60)
    shop.retry(ids[0]).expect(204)
    shop.wait_for(ids[0], "accepted")
    mine = [body for _, body in erp.requests if json.loads(body)["id"] == ids[0]]
    assert len(mine) >= 2 and len(set(mine)) == 1
    shop.pass_time(120)
    before = shop.read(ids[1])
    shop.retry(ids[1]).expect(409, "body_gone")
    shop.retry(ids[1]).expect(409, "body_gone")
    assert shop.read(ids[1]) == before and before["state"] == state
    shop.retry(ids[0]).expect(409, "already_accepted")


# --- Retry-After


def wait_of_first(shop, erp, answer):
    erp.answer = answer
    record, attempt = shop.wait_for_attempt(shop.placed(), 1)
    return attempt, record


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("text, seconds", [
    ("120", 120), ("  60 ", 60), ("2", 2), ("3600", 3600), ("3601", 3600), ("86400", 3600),
])
def test_retry_after_makes_the_wait_longer(shop, erp, status, text, seconds):
    attempt, record = wait_of_first(shop, erp, refuse(status, f"Retry-After: {text}"))
    waited = waited_s(attempt, record)
    assert seconds - 0.01 <= waited <= min(1.2 * seconds, 3600) + SLACK_S, f"{waited} s"


def test_retry_after_as_a_date(shop, erp):
    end = shop.clock.now() + timedelta(seconds=200)
    date = format_datetime(end, usegmt=True)
    attempt, record = wait_of_first(shop, erp, refuse(429, f"Retry-After: {date}"))
    assert 140 <= waited_s(attempt, record) <= 1.2 * 200 + SLACK_S  # a busy machine answers late


def test_retry_after_as_a_date_of_next_week(shop, erp):
    date = format_datetime(shop.clock.now() + timedelta(days=7), usegmt=True)
    attempt, record = wait_of_first(shop, erp, refuse(429, f"Retry-After: {date}"))
    assert 3599 <= waited_s(attempt, record) <= 3600 + SLACK_S


def test_retry_after_never_makes_the_wait_shorter(shop, erp):
    erp.answer = refuse(503, "Retry-After: 1")
    order_id = shop.placed()
    for number, seconds in enumerate([1, 5, 15], 1):
        record, attempt = (shop.wait_for_attempt(order_id, 1) if number == 1
                           else pass_until_tried(shop, order_id, number))
        assert waited_s(attempt, record) >= 0.8 * seconds - 0.01
        assert waited_s(attempt, record) <= 1.2 * seconds + SLACK_S


@pytest.mark.parametrize("text", [
    "0", "-5", "soon", "", "1e3", "0x10", "1,000", "120 s", "Wed, 21 Oct 2015 07:28:00 GMT",
    "Wed, 99 Oct 2026 07:28:00 GMT", "2026-11-21T04:33:00Z", "\"120\"", "120;120", "\x7f",
], ids=ascii)
def test_retry_after_that_is_none(shop, erp, text):
    attempt, record = wait_of_first(shop, erp, refuse(429, f"Retry-After: {text}"))
    expect_wait(attempt, record, 1)


@pytest.mark.parametrize("text", ["9" * 20, "9" * 400, "18446744073709551617", "4294967297"])
def test_retry_after_beyond_all_numbers(shop, erp, text):
    """A number, or nonsense: but no overflow that makes it some other time."""
    attempt, record = wait_of_first(shop, erp, refuse(429, f"Retry-After: {text}"))
    waited = waited_s(attempt, record)
    assert 0.79 <= waited <= 1.21 or 3599 <= waited <= 3600 + SLACK_S, f"{waited} s"


def test_retry_after_holds_up_that_order_alone(shop, erp):
    """The next order is tried at once."""
    attempt, record = wait_of_first(shop, erp, refuse(429, "Retry-After: 600"))
    erp.answer = accept_all
    shop.delivered()
    assert shop.read(record["id"])["state"] == "queued"


def test_retry_by_hand_does_not_wait_for_retry_after(shop, erp):
    _, record = wait_of_first(shop, erp, refuse(429, "Retry-After: 3600"))
    erp.answer = accept_all
    shop.retry(record["id"]).expect(204)
    shop.wait_for(record["id"], "accepted")


def test_waits_live_through_a_restart(fresh_site, erp):
    fresh_site.settings |= ORDER_SETTINGS
    fresh_site.serve()
    shop = Shop(fresh_site, erp)
    _, record = wait_of_first(shop, erp, refuse(429, "Retry-After: 900"))
    fresh_site.restart()
    shop.move_to(fresh_site)
    assert shop.read(record["id"])["next_attempt_at"] == record["next_attempt_at"]
    shop.pass_time(890)
    time.sleep(NEVER)
    assert len(erp.requests) == 1
    erp.answer = accept_all
    shop.pass_time(11)
    shop.wait_for(record["id"], "accepted")


def test_schedule_begins_anew_after_a_retry_by_hand(shop, erp):
    """And what herald itself cut is no failure of the ERP. A fifth failure would open the circuit."""
    order_id = shop.placed()
    for number in range(1, 4):
        record, attempt = (shop.wait_for_attempt(order_id, 1) if number == 1
                           else pass_until_tried(shop, order_id, number))
    expect_wait(attempt, record, SCHEDULE_S[2])
    shop.retry(order_id).expect(204)
    record, attempt = shop.wait_for_attempt(order_id, 4)
    expect_wait(attempt, record, SCHEDULE_S[0])


def test_crashes_are_no_failures_of_the_schedule(fresh_site, erp):
    fresh_site.settings |= ORDER_SETTINGS
    fresh_site.serve()
    shop = Shop(fresh_site, erp, timeout_seconds=5)
    erp.answer = lambda *_: time.sleep(5)
    order_id = shop.placed()
    for number in range(1, 5):
        assert eventually(lambda: len(erp.requests) == number, 5, 0.01)
        fresh_site.processes[-1].kill()
        fresh_site.processes.clear()
        erp.answer = refuse() if number == 4 else erp.answer
        fresh_site.clock.advance(60)
        fresh_site.serve()
    shop.move_to(fresh_site)
    record, attempt = shop.wait_for_attempt(order_id, 5)
    assert attempt["outcome"] == "refused"
    expect_wait(attempt, record, SCHEDULE_S[0])


# --- who does not know the token


@pytest.mark.parametrize("status", [401, 403])
def test_refused_credentials_are_told_once_an_hour(site, shop, erp, status):
    """Beside it an open circuit may be told, which is another thing."""
    def entries(reader):
        return [entry for entry in reader.entries
                if entry["level"] == "error" and "token" in entry["message"]]

    erp.answer = refuse(status)
    with site.log_reader(query="?level=error") as reader:
        order_id = shop.placed()
        shop.wait_for_attempt(order_id, 1)
        entry = reader.wait_for(lambda entry: shop.integration_id in str(entry))
        assert entry and str(status) in str(entry), f"{entry}"
        for number in range(2, 7):
            pass_until_tried(shop, order_id, number)
        reader.wait_until_quiet(0.3)
        assert len(entries(reader)) == 1, f"{reader.entries}"
        assert shop.read(order_id)["state"] == "queued", "it is retried like the others"

        number = shop.read(order_id)["attempts"] + 1
        shop.pass_time(HOUR_S)
        pass_until_tried(shop, order_id, number)
        assert reader.wait_for(lambda entry: len(entries(reader)) == 2), f"{reader.entries}"
        reader.wait_until_quiet(0.3)
        assert len(entries(reader)) == 2, f"{reader.entries}"
        assert erp.token not in reader.text


def test_refused_credentials_of_another_integration_are_told_too(site, shop, erp):
    erp.answer = refuse(401)
    other = Shop(site, erp)
    with site.log_reader(query="?level=error") as reader:
        for one in (shop, other):
            one.wait_for_attempt(one.placed(), 1)
            assert reader.wait_for_text(one.integration_id)
    other.close()


def test_other_failures_are_no_error_of_the_log(site, shop, erp):
    with site.log_reader(query="?level=error") as reader:
        shop.wait_for_attempt(shop.placed(), 1)
        reader.wait_until_quiet(0.3)
        assert reader.entries == []


def test_new_token_is_used_by_the_next_attempt(shop, erp):
    def answer(head, body):
        return http_answer(acceptance()) if b"Bearer token-2\r\n" in head else refuse(401)()

    erp.answer = answer
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    shop.operator.change_integration(shop.integration_id, erp={"token": "token-2"}).expect(200)
    shop.retry(order_id).expect(204)
    shop.wait_for(order_id, "accepted")
