"""`herald admin orders`: what became of an order, and how an operator has it tried again."""

import re

import pytest

from harness.exchange import MISSING_ID
from harness.orders import (
    ORDER_SETTINGS, ORDERS, accept_all, expect_nothing_more, http_answer, refuse_all,
)
from test_admin import WRONG, Admin, facts, rows_of

SETTINGS = ORDER_SETTINGS
CLOCK = True


@pytest.fixture
def admin(site):
    return Admin(site)


def fail_once(shop, erp):
    """An order whose first attempt failed."""
    erp.answer = refuse_all
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    return order_id


def test_order_is_shown(shop, erp, admin):
    record = shop.delivered()
    shown = facts(admin("orders", "show", record["id"]))
    assert shown["id"] == record["id"] and shown["state"].startswith("accepted")
    text = admin("orders", "show", record["id"])
    for value in (record["integration_id"], record["erp_order_id"], record["erp_number"]):
        assert value in text
    assert admin.json("orders", "show", record["id"]) == shop.read(record["id"])


def test_order_that_failed_is_shown_with_its_reason(shop, erp, admin):
    order_id = fail_once(shop, erp)
    text = admin("orders", "show", order_id)
    assert "queued" in text and "503" in text


def test_orders_are_listed_from_the_newest_on(shop, erp, admin):
    ids = [shop.delivered()["id"] for _ in range(3)]
    ids.append(fail_once(shop, erp))
    mine = ("--integration", shop.integration_id)
    assert [row["ORDER"] for row in rows_of(admin("orders", "list", *mine))] == ids[::-1]
    name = shop.operator.integration(shop.integration_id).expect(200)["name"]
    assert {row["INTEGRATION"] for row in rows_of(admin("orders", "list", *mine))} == {name}
    rows = rows_of(admin("orders", "list", *mine, "--state", "queued"))
    assert [(row["ORDER"], row["STATE"]) for row in rows] == [(ids[3], "queued")]
    page = admin.json("orders", "list", *mine)
    assert page == shop.operator.get(
        f"{ORDERS}?integration_id={shop.integration_id}").expect(200)
    assert admin.json("orders", "list", "--limit", "1")["orders"][0]["id"] == ids[3]
    assert "no such order" in admin("orders", "list", *mine, "--state", "failed").lower()


def test_list_goes_on_where_it_ended(shop, admin):
    ids = [shop.delivered()["id"] for _ in range(5)]
    mine, more, seen = ("--integration", shop.integration_id), (), []
    while True:
        table, _, rest = admin("orders", "list", *mine, "--limit", "2", *more).partition("\n\n")
        seen += [row["ORDER"] for row in rows_of(table)]
        found = re.search(r"--cursor (\S+)", rest)
        if not found:
            break
        more = ("--cursor", found[1])
    assert seen == ids[::-1]


def test_attempts_are_listed(shop, erp, admin):
    order_id = fail_once(shop, erp)
    erp.answer = accept_all
    shop.retry(order_id).expect(204)
    shop.wait_for(order_id, "accepted")
    rows = rows_of(admin("orders", "attempts", order_id).split("\n\n")[0])
    assert len(rows) == 2
    text = admin("orders", "attempts", order_id)
    assert "503" in text and "refused" in text and "accepted" in text
    page = admin.json("orders", "attempts", order_id)
    assert page["attempts"] == shop.attempts(order_id)
    first = admin.json("orders", "attempts", order_id, "--limit", "1")
    assert first["attempts"] == page["attempts"][:1]
    rest = admin.json("orders", "attempts", order_id, "--cursor", first["next_cursor"])
    assert rest["attempts"] == page["attempts"][1:]


def test_order_is_tried_again(shop, erp, admin):
    erp.answer = lambda *_: http_answer(b"", "429 Later", "Retry-After: 3000")
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    erp.answer = accept_all
    admin("orders", "retry", order_id)
    shop.wait_for(order_id, "accepted")
    admin.refuse("orders", "retry", order_id, says="accepted this order")
    expect_nothing_more(lambda: len(erp.requests))
    assert len(erp.requests) == shop.read(order_id)["attempts"] == 2


def test_commands_about_orders_that_are_not_there(admin):
    for word in ("show", "attempts", "retry"):
        admin.refuse("orders", word, MISSING_ID, says="no such order")
        for order_id in ("none", "../integrations", "a b", MISSING_ID + "?x"):
            admin.refuse("orders", word, order_id, status=WRONG, says="ORDER")
    admin.refuse("orders", "list", "--state", "lost", says="--state")
    admin.refuse("orders", "list", "--cursor", "x", says="--cursor")
    admin.refuse("orders", "list", "--integration", "x", says="--integration")
    admin.refuse("orders", "list", "--limit", "201", says="--limit")


@pytest.mark.parametrize("words", [
    ("orders",), ("orders", "show"), ("orders", "cancel", MISSING_ID), ("orders", "retry"),
    ("orders", "show", MISSING_ID, MISSING_ID), ("orders", "list", "--status", "failed"),
], ids=" ".join)
def test_wrong_commands(admin, words):
    admin.refuse(*words, status=WRONG)


def test_text_of_an_erp_cannot_write_on_the_terminal(shop, erp, admin):
    answer = b'{"accepted":false,"message":"\\u001b[2J\\u0007\\u009bm\\r\\nSTATE accepted"}'
    erp.answer = lambda *_: http_answer(answer)
    order_id = shop.placed()
    shop.wait_for(order_id, "rejected")
    for words in (("list",), ("show", order_id), ("attempts", order_id)):
        said = admin("orders", *words)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", said), f"{said!r}"
        assert "\nSTATE accepted" not in said
