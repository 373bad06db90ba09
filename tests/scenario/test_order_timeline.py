"""What became of an order, step by step (contract, section 11.7)."""

import pytest

from harness.orders import (
    ORDER_SETTINGS, RawErp, accept_all, acceptance, http_answer, refuse_all,
)
from harness.timelines import steps_of, words_of
from harness.tools import at_once
from test_admin import REFUSED, Admin

SETTINGS = ORDER_SETTINGS
CLOCK = True
MISSING_ID = "01900000-0000-7000-8000-000000000000"
GIVE_UP_S = 72 * 3600


def reject_all(head, body):
    return http_answer(b'{"accepted": false, "reason": "closed"}')


def told(step, *names):
    return tuple(step.get(name) for name in names)


def test_order_that_is_accepted_at_once(shop):
    order_id = shop.delivered()["id"]
    created, attempt, accepted = steps_of(shop.operator, "orders", order_id)
    assert told(attempt, "step", "attempt", "status", "outcome", "error") == (
        "attempt", 1, 200, "accepted", None)
    assert attempt["duration_ms"] >= 0
    assert (created["step"], accepted["step"]) == ("created", "accepted")


def test_order_that_is_refused_and_tried_again(shop, erp):
    erp.answer = refuse_all
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    steps = steps_of(shop.operator, "orders", order_id)
    assert [step["step"] for step in steps] == ["created", "attempt"]
    assert told(steps[1], "status", "outcome", "error") == (503, "refused", "HTTP 503")
    erp.answer = accept_all
    shop.retry(order_id).expect(204)
    shop.wait_for(order_id, "accepted")
    steps = steps_of(shop.operator, "orders", order_id)
    assert [step["step"] for step in steps] == [
        "created", "attempt", "retried", "attempt", "accepted"]
    assert [step["attempt"] for step in steps if step["step"] == "attempt"] == [1, 2]
    shop.retry(order_id).expect(409, "already_accepted")
    assert words_of(shop.operator, "orders", order_id).count("retried") == 1


def test_order_that_is_rejected_and_tried_again(shop, erp):
    erp.answer = reject_all
    order_id = shop.placed()
    record = shop.wait_for(order_id, "rejected")
    steps = steps_of(shop.operator, "orders", order_id)
    assert [step["step"] for step in steps] == ["created", "attempt", "rejected"]
    assert told(steps[1], "outcome") == ("rejected",)
    assert told(steps[2], "error") == (record["last_error"],)
    erp.answer = accept_all
    shop.retry(order_id).expect(204)
    shop.wait_for(order_id, "accepted")
    again = steps_of(shop.operator, "orders", order_id)
    assert [step["step"] for step in again] == [
        "created", "attempt", "rejected", "retried", "attempt", "accepted"]
    assert again[2]["at"] == steps[2]["at"]


def test_operators_who_retry_at_once_do_not_make_two_ends(shop, erp):
    erp.answer = reject_all
    order_id = shop.placed()
    shop.wait_for(order_id, "rejected")
    erp.answer = accept_all
    replies = at_once(8, lambda _: shop.retry(order_id))
    assert {reply.status for reply in replies} <= {204, 409}  # it may be accepted by then
    shop.wait_for(order_id, "accepted")
    words = words_of(shop.operator, "orders", order_id)
    assert words.count("rejected") == 1 and 1 <= words.count("retried") <= 8


def test_order_that_fails_after_72_hours(shop, erp):
    erp.answer = refuse_all
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    shop.pass_time(GIVE_UP_S + 60)
    shop.wait_for(order_id, "failed")
    assert words_of(shop.operator, "orders", order_id)[-1] == "failed"
    erp.answer = accept_all
    shop.retry(order_id).expect(204)
    words = words_of(shop.operator, "orders", order_id)
    assert "failed" in words and words.index("failed") < words.index("retried")


@pytest.mark.only("postgres")
def test_of_many_attempts_the_last_ones_are_told(site, shop, erp):
    order_id = shop.delivered()["id"]
    site.ask("INSERT INTO order_attempt (id, attempt, started_at, duration_ms, status, outcome)"
             " SELECT id, n, created_at + n, 5, 503, 'refused' FROM order_delivery,"
             f" generate_series(2, 700) AS n WHERE id = decode('{order_id.replace('-', '')}', 'hex')")
    site.ask("UPDATE order_delivery SET attempts = 700"
             f" WHERE id = decode('{order_id.replace('-', '')}', 'hex')")
    steps = steps_of(shop.operator, "orders", order_id)
    attempts = [step["attempt"] for step in steps if step["step"] == "attempt"]
    assert attempts == list(range(201, 701))
    assert [step["step"] for step in steps].count("cut") == 1


def test_command_line(site, shop):
    admin = Admin(site)
    order_id = shop.delivered()["id"]
    said = admin("orders", "timeline", order_id)
    assert max(map(len, said.splitlines())) <= 80
    words = " ".join(said.split())
    assert "attempt #1 accepted in" in words and "HTTP 200" in words
    admin.refuse("orders", "timeline", MISSING_ID, status=REFUSED, says="order")
