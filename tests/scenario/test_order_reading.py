"""Contract section 6: orders read, listed, tried again, and their attempts. The order itself is not
returned by any of them."""

import time
from datetime import timedelta

import pytest

from harness import catalog
from harness.exchange import MISSING_ID, Operator
from harness.orders import (
    ORDER_SETTINGS, ORDERS, Shop, accept_all, expect_nothing_more, http_answer, item, list_all,
    list_orders, refuse_all,
)
from harness.packages import Sender
from harness.schema import Document
from harness.shapes import format_time, parse_time
from harness.tools import eventually, fresh_key, fresh_number
from test_admin import Admin

SETTINGS = ORDER_SETTINGS
CLOCK = True


def reject_all(head, body):
    return http_answer(b'{"accepted":false}')


def fill(shop, erp):
    """Orders that are accepted, rejected and queued; their ids by state, oldest first."""
    made = {"accepted": [], "rejected": [], "queued": []}
    for _ in range(2):
        for state, answer in (("accepted", accept_all), ("rejected", reject_all),
                              ("queued", refuse_all)):
            erp.answer = answer
            made[state].append(shop.placed())
            if state == "queued":
                shop.wait_for_attempt(made[state][-1], 1)
            else:
                shop.wait_for(made[state][-1], state)
    return made


# --- one


def test_order_is_read_as_it_was_answered(shop, erp):
    erp.answer = refuse_all
    before = shop.clock.now().timestamp()
    record = shop.place().expect(202)
    after = shop.clock.now().timestamp()
    assert before - 0.01 <= parse_time(record["created_at"]).timestamp() <= after + 0.01
    assert (record["state"], record["attempts"]) == ("queued", 0)
    assert record["next_attempt_at"] >= record["created_at"]
    assert record["integration_id"] == shop.integration_id
    later, _ = shop.wait_for_attempt(record["id"], 1)
    assert later["created_at"] == record["created_at"]
    assert later["updated_at"] >= record["updated_at"]
    assert later["next_attempt_at"] > later["updated_at"]


def test_nothing_of_the_order_itself_is_returned(shop, erp):
    order = shop.order(number="N-canary", comment="C-canary", customer={
        "name": "K-canary", "phone": "P-canary"})
    replies = [shop.place(order)]
    shop.wait_for(order["id"], "accepted")
    path = f"{ORDERS}/{order['id']}"
    replies += [shop.operator.get(path), shop.operator.get(f"{path}/attempts"),
                shop.operator.get(ORDERS)]
    assert all(b"canary" not in reply.body for reply in replies)


@pytest.mark.parametrize("order_id", [
    MISSING_ID, "none", "1", MISSING_ID[:-1], "%2e%2e", "x" * 200,
])
def test_order_that_is_not_there(shop, order_id):
    path = f"{ORDERS}/{order_id}"
    shop.operator.get(path).expect(404, "not_found")
    shop.operator.get(f"{path}/attempts").expect(404, "not_found")
    shop.operator.post(f"{path}/retry").expect(404, "not_found")


def test_other_methods_and_head(shop):
    order_id = shop.delivered()["id"]
    path = f"{ORDERS}/{order_id}"
    for method, place in (("DELETE", path), ("PATCH", path), ("PUT", ORDERS), ("POST", path),
                          ("GET", f"{path}/retry"), ("POST", f"{path}/attempts")):
        shop.operator.request(method, place).expect(405, "method_not_allowed")
    for place in (path, ORDERS, f"{path}/attempts"):
        assert shop.operator.request("HEAD", place).status == 200
    shop.operator.get(f"{path}/body").expect(404, "not_found")


# --- lists


def test_orders_are_listed_newest_first_and_by_pages(shop, erp):
    ids = [shop.delivered()["id"] for _ in range(7)]
    for limit in (1, 3, 7, 200):
        pages, cursor = [], {}
        while True:
            rows, cursor_text = shop.listed(limit=limit, **cursor)
            assert len(rows) <= limit
            pages += [row["id"] for row in rows]
            if cursor_text is None:
                break
            assert len(rows) == limit
            cursor = {"cursor": cursor_text}
        assert pages == ids[::-1]


def test_list_shows_what_reading_shows(shop, erp):
    fill(shop, erp)
    for row in shop.listed()[0]:
        shown = shop.read(row["id"])
        if row["state"] == shown["state"] == "queued":  # one that is due shows the time of the answer
            assert shown["next_attempt_at"] >= row.pop("next_attempt_at")
            shown.pop("next_attempt_at")
        assert row == shown


def test_page_of_50_unless_told_otherwise(shop, erp):
    for _ in range(51):
        shop.placed()
    rows, cursor = shop.listed()
    assert len(rows) == 50 and cursor
    rows, cursor = shop.listed(cursor=cursor)
    assert len(rows) == 1 and cursor is None


def test_filter_by_state(shop, erp):
    made = fill(shop, erp)
    for state, ids in made.items():
        assert [row["id"] for row in shop.listed(state=state)[0]] == ids[::-1]
        rows, cursor = shop.listed(state=state, limit=1)
        assert [row["id"] for row in rows] == ids[1:]
        rows, cursor = shop.listed(state=state, limit=1, cursor=cursor)
        assert [row["id"] for row in rows] == ids[:1] and cursor is None
    assert shop.listed(state="failed") == shop.listed(state="delivering") == ([], None)


def test_filter_by_integration(site, shop, erp):
    other = Shop(site, erp)
    mine, its = shop.delivered()["id"], other.delivered()["id"]
    assert [row["id"] for row in shop.listed()[0]] == [mine]
    assert [row["id"] for row in other.listed()[0]] == [its]
    assert [row["id"] for row in list_orders(shop.operator, limit=2)[0]] == [its, mine]
    assert list_orders(shop.operator, integration_id=fresh_key()) == ([], None)


def spelled(number):
    return (number, number[1:], f"8 ({number[2:5]}) {number[5:8]}-{number[8:]}")


def test_orders_of_a_customer_are_found_in_any_spelling(site, shop, erp):
    other, number, its = Shop(site, erp), fresh_number(), fresh_number()

    def placed(at, phone):
        site.clock.advance(1)
        return at.placed(customer={"name": "Анна", "phone": phone})

    ids = [placed(shop, number), placed(other, spelled(number)[2]), placed(shop, number)]
    placed(shop, its)
    placed(shop, "no number")
    for text in spelled(number):
        rows, cursor = list_orders(shop.operator, recipient=text)
        assert [row["id"] for row in rows] == ids[::-1] and cursor is None
    assert all(row == shop.read(row["id"]) for row in list_all(shop.operator, recipient=number))
    assert [row["id"] for row in shop.listed(recipient=number)[0]] == [ids[2], ids[0]]
    assert [row["id"] for row in other.listed(recipient=number)[0]] == [ids[1]]
    assert list_orders(shop.operator, recipient=fresh_number()) == ([], None)
    seen, cursor = [], None
    for left in (2, 1, 0):
        rows, cursor = list_orders(
            shop.operator, recipient=number, limit=1, **{"cursor": cursor} if cursor else {})
        seen += [row["id"] for row in rows]
        assert bool(cursor) == bool(left)
    assert seen == ids[::-1]


def test_orders_of_a_customer_by_state(shop, erp):
    number, made = fresh_number(), {}
    for state, answer in (("accepted", accept_all), ("rejected", reject_all)):
        erp.answer = answer
        made[state] = []
        for _ in range(2):
            made[state].append(shop.placed(customer={"name": "Анна", "phone": number}))
            shop.wait_for(made[state][-1], state)
            shop.clock.advance(1)
    for state, ids in made.items():
        for filters in ({}, {"integration_id": shop.integration_id}):
            rows, cursor = list_orders(
                shop.operator, recipient=number, state=state, limit=1, **filters)
            assert [row["id"] for row in rows] == ids[1:]
            rows, cursor = list_orders(
                shop.operator, recipient=number, state=state, limit=1, cursor=cursor, **filters)
            assert [row["id"] for row in rows] == ids[:1] and cursor is None
    assert list_orders(shop.operator, recipient=number, state="failed") == ([], None)


def test_orders_of_a_time(shop, erp):
    """From since on, and before until, of all and of a customer, to the millisecond."""
    number, made = fresh_number(), []
    for _ in range(3):
        made.append(shop.delivered(customer={"name": "Анна", "phone": number}))
        shop.clock.advance(10)
    first, second, third = (row["created_at"] for row in made)
    later = format_time(parse_time(second) + timedelta(milliseconds=1))
    for filters in ({}, {"state": "accepted"}, {"recipient": number},
                    {"recipient": number, "state": "accepted"}):
        def found(limit=200, **times):
            rows, cursor = shop.listed(limit=limit, **filters, **times)
            seen = [row["created_at"] for row in rows]
            while cursor:
                rows, cursor = shop.listed(limit=limit, cursor=cursor, **filters, **times)
                seen += [row["created_at"] for row in rows]
            return seen

        for limit in (1, 2, 200):
            assert found(limit) == [third, second, first]
            assert found(limit, since=first, until=third) == [second, first]
            assert found(limit, since=second) == [third, second]
            assert found(limit, since=later) == [third]
            assert found(limit, until=second) == [first]
            assert found(limit, until=later) == [second, first]
            assert found(limit, since=third, until=first) == []
            assert found(limit, since="9999-12-31T23:59:59Z") == []
            assert found(limit, until="1969-01-01T00:00:00Z") == []


def test_command_lists_orders_of_a_customer(site, shop, erp):
    number = fresh_number()
    order = shop.delivered(customer={"name": "Анна", "phone": number})
    admin = Admin(site)
    assert order["id"] in admin("orders", "list", "--recipient", number)
    rows = admin.json("orders", "list", "--recipient", spelled(number)[2], "--state", "accepted",
                      "--since", order["created_at"])["orders"]
    assert [row["id"] for row in rows] == [order["id"]]
    assert admin.json("orders", "list", "--recipient", number, "--until",
                      order["created_at"])["orders"] == []


def test_pages_hold_while_orders_come(shop, erp):
    """Nothing is seen twice or missed of what was there at the first page."""
    ids = [shop.delivered()["id"] for _ in range(6)]
    rows, cursor = shop.listed(limit=2)
    seen = [row["id"] for row in rows]
    while cursor:
        shop.placed()
        rows, cursor = shop.listed(limit=2, cursor=cursor)
        seen += [row["id"] for row in rows]
    assert seen == ids[::-1]


def test_orders_of_one_moment_are_listed_once_each(shop, erp):
    """With ids that the caller chose, which do not grow with time."""
    ids = {shop.placed() for _ in range(20)}
    for limit in (1, 3):
        rows, cursor = shop.listed(limit=limit)
        seen = [row["id"] for row in rows]
        while cursor:
            rows, cursor = shop.listed(limit=limit, cursor=cursor)
            seen += [row["id"] for row in rows]
        assert len(seen) == 20 and set(seen) == ids


@pytest.mark.parametrize("query, path", [
    ("limit=0", "limit"), ("limit=201", "limit"), ("limit=x", "limit"), ("limit=", "limit"),
    ("limit=-1", "limit"), ("cursor=", "cursor"), ("cursor=x", "cursor"), ("state=", "state"),
    ("cursor=1795235580123.nothing", "cursor"), ("state=sent", "state"), ("state=Failed", "state"),
    ("integration_id=x", "integration_id"), ("integration_id=", "integration_id"),
    (f"cursor={'1' * 61}", "cursor"), ("cursor=%00", "cursor"),
    ("recipient=", "recipient"), ("recipient=shop", "recipient"), ("recipient=12", "recipient"),
    ("since=yesterday", "since"), ("until=2026-11-21", "until"),
    ("recipient=%2B79161234567&cursor=x", "cursor"),
    (f"cursor=99999999999999999999.{MISSING_ID}", "cursor"),
])
def test_faulty_query(shop, query, path):
    reply = shop.operator.get(f"{ORDERS}?{query}")
    reply.expect(422, "validation_error")
    assert reply.fault_paths == [path], f"{reply}"


# --- attempts


def test_each_attempt_is_listed(shop, erp):
    erp.answer = refuse_all
    order_id = shop.placed()
    for number in range(1, 4):
        shop.wait_for_attempt(order_id, number)
        if number == 3:
            erp.answer = reject_all
        shop.retry(order_id).expect(204)
    record = shop.wait_for(order_id, "rejected")
    rows = shop.attempts(order_id)
    assert [row["attempt"] for row in rows] == [1, 2, 3, 4]
    assert record["attempts"] == 4 and len(erp.requests) == 4
    assert [row["status"] for row in rows] == [503, 503, 503, 200]
    assert [row["outcome"] for row in rows] == ["refused"] * 3 + ["rejected"]
    assert all("503" in row["error"] for row in rows[:3])
    starts = [row["started_at"] for row in rows]
    assert starts == sorted(starts) and starts[0] >= record["created_at"]
    assert all(0 <= row["duration_ms"] < 5000 for row in rows)


def test_attempts_are_paged(shop, erp):
    erp.answer = refuse_all
    order_id = shop.placed()
    for number in range(1, 5):
        shop.wait_for_attempt(order_id, number)
        shop.retry(order_id).expect(204) if number < 4 else None
    path = f"{ORDERS}/{order_id}/attempts"
    for limit in (1, 3, 4):
        seen, query = [], f"?limit={limit}"
        while query:
            page = shop.operator.get(path + query).expect(200)
            seen += [row["attempt"] for row in page["attempts"]]
            cursor = page["next_cursor"]
            query = f"?limit={limit}&cursor={cursor}" if cursor else None
        assert seen == [1, 2, 3, 4]
    for query, place in (("limit=0", "limit"), ("limit=201", "limit"), ("cursor=x", "cursor"),
                         ("cursor=", "cursor")):
        reply = shop.operator.get(f"{path}?{query}")
        reply.expect(422, "validation_error")
        assert reply.fault_paths == [place], f"{reply}"


def test_order_without_an_attempt_has_none(site, erp):
    """Four others are on their way and hang: the fifth waits for its turn."""
    erp.answer = lambda *_: time.sleep(3)
    shop = Shop(site, erp)
    ids = [shop.placed() for _ in range(5)]
    assert eventually(lambda: len(erp.requests) == 4, 5, 0.02)
    waiting, = [row["id"] for row in shop.listed(state="queued")[0]]
    assert waiting in ids and shop.attempts(waiting) == []
    assert len(shop.listed(state="delivering")[0]) == 4
    shop.close()


# --- what the catalog knows of it


def test_products_that_the_catalog_has_are_counted(site, shop, erp):
    """Contract section 6 "OrderDelivery": it tells, and refuses nothing."""
    operator = Operator.of(site)
    client = operator.new_erp(integration=shop.integration)
    sender = Sender(client.address, client.fetch_token(), client.integration_id)

    def known(*ids):
        order_id = shop.placed(items=[item(product_id=product_id) for product_id in ids])
        record = shop.read(order_id)
        assert shop.listed()[0][0]["known_products"] == record["known_products"]
        return record["known_products"]

    assert known("p-0", "p-1") == {"known": 0, "of": 2}, "there is no catalog yet"
    sender.apply("catalog-snapshot", catalog.snapshot(catalog.numbered_products(3)))
    assert known("p-0", "p-1", "p-1", "p-2") == {"known": 3, "of": 3}
    assert known("p-0", "gone", "Ж\"\\") == {"known": 1, "of": 3}
    sender.apply("catalog-snapshot", catalog.snapshot(catalog.numbered_products(1)))
    assert known("p-0", "p-1") == {"known": 1, "of": 2}, "what is archived is not for sale"


# --- trying again


def test_retry_of_what_is_accepted_is_refused(shop, erp):
    """Contract section 6 "Operator operations"."""
    made = fill(shop, erp)
    erp.answer = accept_all
    for order_id in made["accepted"]:
        before = shop.read(order_id)
        seen = len(erp.requests)
        shop.retry(order_id).expect(409, "already_accepted")
        assert shop.read(order_id) == before and len(erp.requests) == seen
    expect_nothing_more(lambda: len(erp.requests))


def test_retry_takes_no_body(shop, erp):
    """Whatever stands in one is not looked at."""
    erp.answer = refuse_all
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    path = f"{ORDERS}/{order_id}/retry"
    shop.operator.post(path).expect(204)
    shop.operator.post(path, {"extra": 1}).expect(204)


def test_retry_by_many_at_once_is_one_attempt(shop, erp):
    erp.answer = refuse_all
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    erp.answer = lambda *_: (time.sleep(0.3), accept_all(*_))[1]
    for _ in range(10):
        shop.retry(order_id).expect(204)
    record = shop.wait_for(order_id, "accepted")
    assert record["attempts"] == 2 and len(erp.requests) == 2
    expect_nothing_more(lambda: len(erp.requests))


# --- the document of the API


def test_answers_fit_the_openapi_document(site, shop, erp):
    made = fill(shop, erp)
    document = Document(shop.operator.get("/openapi.json").expect(200))
    order_id = made["queued"][0]
    for method, path in (("GET", ORDERS), ("GET", f"{ORDERS}/{order_id}"),
                         ("GET", f"{ORDERS}/{order_id}/attempts")):
        reply = shop.operator.request(method, path)
        operation = document.find(method, path)
        answer = document.resolve(operation["responses"]["200"])
        schema = answer["content"]["application/json"]["schema"]
        assert document.faults(reply.json, schema) == []
    order = shop.order()
    schema = document.document["components"]["schemas"]["Order"]
    assert document.faults(order, schema) == []
    assert shop.place(order).status == 202


def test_states_survive_a_restart(fresh_site, erp):
    fresh_site.settings |= ORDER_SETTINGS
    fresh_site.serve()
    shop = Shop(fresh_site, erp)
    made = fill(shop, erp)
    before = {row["id"]: row for row in list_all(shop.operator)}
    erp.answer = accept_all
    fresh_site.restart()
    shop.move_to(fresh_site)
    for state in ("accepted", "rejected"):
        for order_id in made[state]:
            assert shop.read(order_id) == before[order_id]
    shop.pass_time(10)
    for order_id in made["queued"]:
        assert shop.wait_for(order_id, "accepted")["created_at"] == before[order_id]["created_at"]
