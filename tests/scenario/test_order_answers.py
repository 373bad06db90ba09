"""Doc B section 4, "Service reaction to the ERP order response": every row, every kind of answer.

Whatever is retried is retried with the same bytes under the same uuid, and ends as one document.
"""

import re
import time

import pytest

from harness.orders import (
    NEVER, ORDER_SETTINGS, OrderErp, RawErp, Shop, accept_all, acceptance,
    expect_nothing_more, http_answer, read_strictly, waited_s,
)
from harness.tools import eventually

SETTINGS = ORDER_SETTINGS
CLOCK = True
ANSWER_MAX = 64 * 1024


@pytest.fixture(scope="module")
def erp():
    with OrderErp() as made:
        yield made
        made.expect_sound()


@pytest.fixture
def shop(site, erp):
    made = Shop(site, erp, timeout_seconds=1)
    yield made
    made.close()


def expect_retried(shop, order_id, outcome, status):
    """The attempt failed in that way, the next one is due a second later; it is not awaited."""
    record, attempt = shop.wait_for_attempt(order_id, 1)
    assert record["state"] == "queued", f"{record} {attempt}"
    assert (attempt["outcome"], attempt["status"]) == (outcome, status), f"{attempt}"
    assert attempt["error"] and record["last_error"] == attempt["error"]
    assert record["erp_order_id"] is None and record["erp_number"] is None
    assert record["attempts"] == 1
    assert 0.75 <= waited_s(attempt, record) <= 1.21, f"{record} {attempt}"
    shop.retry(order_id).expect(204)


def expect_one_document(shop, order_id, calls=2):
    """The next attempt was accepted, with the document that the ERP has of it."""
    record = shop.wait_for(order_id, "accepted")
    shop.erp.wait_for_calls(order_id, calls)
    document = shop.erp.document_of(order_id)
    assert (record["erp_order_id"], record["erp_number"]) == (
        document["order_id"], document["number"])
    assert record["attempts"] == calls and record["last_error"] is None
    assert [row["attempt"] for row in shop.attempts(order_id)] == list(range(1, calls + 1))
    assert shop.attempts(order_id)[-1]["outcome"] == "accepted"
    assert eventually(lambda: made_by(shop, order_id).count(True) == 1, 5, 0.05)
    return shop.erp.calls_of(order_id)


def made_by(shop, order_id):
    """For each call whether it made the document; of one that hangs it is told when it is over."""
    return [call["had_effect"] for call in shop.erp.calls_of(order_id)]


def place_with(shop, what, **order):
    """An order whose first call is answered in that way."""
    made = shop.order()
    shop.erp.behave(what, order=made["id"], count=1, **order)
    shop.placed(made)
    return made["id"]


# --- accepted


def test_accepted(shop, erp):
    order = shop.order()
    order_id = shop.delivered(order)["id"]
    call, = expect_one_document(shop, order_id, calls=1)
    sent = call["request"]
    assert (sent["method"], sent["path"], sent.get("query") or None) == (
        "POST", "/svc/v1/orders", None)
    assert sent["headers"]["authorization"] == f"Bearer {erp.token}"
    assert sent["headers"]["content-type"] == "application/json"
    assert sent["headers"]["idempotency-key"] == order_id
    assert read_strictly(sent["body"]) == order
    assert shop.attempts(order_id)[0]["status"] == 200


@pytest.mark.parametrize("status", [200, 201, 202, 203, 226, 299])
def test_any_2xx_accepts(shop, status):
    order_id = place_with(
        shop, "answer", http_status=status, body=acceptance("d-1", "№ 1").decode())
    record = shop.wait_for(order_id, "accepted")
    assert (record["erp_order_id"], record["erp_number"]) == ("d-1", "№ 1")
    assert shop.attempts(order_id)[0]["status"] == status


@pytest.mark.parametrize("body, number", [
    ('{"accepted":true,"order_id":"x"}', None),
    ('{"accepted":true,"order_id":"x","number":null}', None),
    ('{"accepted":true,"order_id":"x","number":""}', ""),
    ('{ "more":[{}], "number":"N", "order_id":"x", "accepted":true, "error":null }\r\n', "N"),
    ('\n\t{"accepted":true,"order_id":"x","number":"\\u2116 1\\n"}', None),
], ids=str)
def test_acceptance_may_hold_less_or_more(shop, body, number):
    order_id = place_with(shop, "answer", http_status=200, body=body)
    record = shop.wait_for(order_id, "accepted")
    assert record["erp_order_id"] == "x"
    if number is not None:
        assert record["erp_number"] in (number, number or None)


def test_acceptance_of_exactly_64_kib(shop):
    body = acceptance().decode()
    order_id = place_with(shop, "answer", http_status=200, body=body.ljust(ANSWER_MAX))
    shop.wait_for(order_id, "accepted")
    order_id = place_with(shop, "answer", http_status=200, body=body.ljust(ANSWER_MAX + 1))
    record, attempt = shop.wait_for_attempt(order_id, 1)
    assert record["state"] == "queued" and attempt["outcome"] in ("contract_error", "unknown")


# --- rejected


@pytest.mark.parametrize("status", [200, 201, 299])
@pytest.mark.parametrize("body", [
    '{"accepted":false}', '{"accepted":false,"order_id":null,"number":null}',
    '{"accepted":false,"error":{"code":"no_stock","message":"Not in stock"}}',
    '{"accepted":false,"order_id":"doc-9"}',
], ids=str)
def test_rejected_is_not_sent_again_by_itself(shop, erp, status, body):
    order_id = place_with(shop, "answer", http_status=status, body=body)
    record = shop.wait_for(order_id, "rejected")
    assert record["next_attempt_at"] is None and record["attempts"] == 1
    attempt, = shop.attempts(order_id)
    assert (attempt["outcome"], attempt["status"]) == ("rejected", status)
    shop.pass_time(3600)
    time.sleep(NEVER)
    erp.wait_for_calls(order_id, 1)
    assert shop.read(order_id) == record
    shop.retry(order_id).expect(204)
    assert shop.wait_for(order_id, "accepted")["attempts"] == 2
    erp.wait_for_calls(order_id, 2)


def test_reason_of_a_rejection_is_told(shop):
    order_id = place_with(shop, "rejected", body="Variant v-1 is not sold any more")
    record = shop.wait_for(order_id, "rejected")
    assert "not sold any more" in record["last_error"]


# --- retried


NO_ORDER_ID = ['{"accepted":true}', *[f'{{"accepted":true,"order_id":{value}}}'
                                      for value in ("null", '""', "5", "[]", "{}", "true")]]
NO_ACCEPTANCE = [
    "", " ", "null", "true", "[]", "{}", '"accepted"', "accepted",
    '{"accepted":true,"order_id":"x"',
    '{"accepted":"true","order_id":"x"}', '{"accepted":1,"order_id":"x"}',
    '{"accepted":null,"order_id":"x"}', '{"order_id":"x"}', '{"Accepted":true,"order_id":"x"}',
    '[{"accepted":true,"order_id":"x"}]', '{"accepted":true,"order_id":"x"}{}',
    '{"accepted":true,"accepted":false,"order_id":"x"}', '{"accepted":true,"order_id":"\\u0000"}',
    "<html><body>200 OK</body></html>", '{"result":{"accepted":true,"order_id":"x"}}',
    "{'accepted':true,'order_id':'x'}", '{"accepted":true,"order_id":"x\n"}',
]


@pytest.mark.parametrize("body", NO_ORDER_ID + NO_ACCEPTANCE, ids=ascii)
def test_2xx_that_says_nothing_is_a_contract_error(shop, body):
    order_id = place_with(shop, "answer", http_status=200, body=body)
    expect_retried(shop, order_id, "contract_error", 200)
    expect_one_document(shop, order_id)


def test_document_without_order_id_is_asked_for_again(shop):
    order_id = place_with(shop, "no_order_id")
    expect_retried(shop, order_id, "contract_error", 200)
    first, again = expect_one_document(shop, order_id)
    assert first["had_effect"] and not again["had_effect"]


@pytest.mark.parametrize("shape", ["html", "truncated", "empty", "other_json"])
def test_nonsense_is_a_contract_error(shop, shape):
    order_id = place_with(shop, "nonsense", shape=shape)
    expect_retried(shop, order_id, "contract_error", 200)
    expect_one_document(shop, order_id)


@pytest.mark.parametrize("what, order", [("huge", {}), ("nonsense", {"shape": "huge"})], ids=str)
def test_huge_answer_is_not_read_to_its_end(shop, what, order):
    """Doc B asks for the order again; the document may be there."""
    order_id = place_with(shop, what, **order)
    record, attempt = shop.wait_for_attempt(order_id, 1)
    assert record["state"] == "queued"
    assert attempt["outcome"] in ("contract_error", "unknown") and attempt["error"]
    shop.retry(order_id).expect(204)
    expect_one_document(shop, order_id)


STATUSES = [300, 304, 400, 401, 402, 403, 404, 408, 409, 410, 413, 422, 425, 429, 499, 500, 503,
            504, 599]


@pytest.mark.parametrize("status, taken", [
    *[(status, False) for status in STATUSES], (401, True), (409, True), (422, True), (500, True),
])
def test_every_other_status_is_retried(shop, status, taken):
    """Even one that says that the order is there: only 2xx accepts or rejects."""
    body = acceptance("d-1").decode() if taken else '{"accepted":false}'
    order_id = place_with(shop, "status", http_status=status, taken=taken, body=body)
    expect_retried(shop, order_id, "refused", status)
    expect_one_document(shop, order_id)


def test_server_error_after_the_document_was_made(shop):
    order_id = place_with(shop, "server_error", taken=True)
    expect_retried(shop, order_id, "refused", 502)
    first, again = expect_one_document(shop, order_id)
    assert first["had_effect"] and not again["had_effect"]


@pytest.mark.parametrize("status", [302, 307, 308])
def test_redirect_is_not_followed(shop, erp, status):
    order_id = place_with(shop, "redirect", http_status=status)
    expect_retried(shop, order_id, "refused", status)
    expect_one_document(shop, order_id)
    assert erp.calls(method="redirected") == []


@pytest.mark.parametrize("field, wrong, status", [
    ("token", "another-token", 401), ("order_path", "/svc/v2/orders", 404),
])
def test_integration_that_is_wrong_until_it_is_mended(site, erp, field, wrong, status):
    shop = Shop(site, erp, **{field: wrong})
    order_id = shop.placed()
    _, attempt = shop.wait_for_attempt(order_id, 1)
    assert (attempt["outcome"], attempt["status"]) == ("refused", status)
    right = {"token": erp.token, "order_path": "/svc/v1/orders"}[field]
    shop.operator.change_integration(shop.integration_id, erp={field: right}).expect(200)
    shop.retry(order_id).expect(204)
    assert shop.wait_for(order_id, "accepted")["attempts"] == 2
    assert erp.document_of(order_id)
    shop.close()


# --- no whole answer


@pytest.mark.parametrize("what, is_made", [
    ("cut_before", False), ("cut_after", True), ("cut_within", True),
])
def test_connection_that_is_cut(shop, what, is_made):
    order_id = place_with(shop, what)
    expect_retried(shop, order_id, "unknown", None)
    first, _ = expect_one_document(shop, order_id)
    assert first["had_effect"] is is_made


@pytest.mark.parametrize("what, order", [
    ("slow", {"wait_ms": 2000}), ("late", {"wait_ms": 2000}), ("trickle", {"wait_ms": 100}),
], ids=str)
def test_answer_after_the_time_out(shop, what, order):
    """timeout_seconds of the integration is for the whole call, however busy it looks."""
    order_id = place_with(shop, what, **order)
    record, attempt = shop.wait_for_attempt(order_id, 1)
    assert attempt["duration_ms"] >= 950, f"{attempt}"
    assert (record["state"], attempt["outcome"], attempt["status"]) == ("queued", "unknown", None)
    shop.retry(order_id).expect(204)
    if what == "late":
        first, again = expect_one_document(shop, order_id)
        assert first["had_effect"] and not again["had_effect"]
    else:
        shop.wait_for(order_id, "accepted")
        assert shop.erp.document_of(order_id)


def test_slow_answer_within_the_time_out(site, erp):
    shop = Shop(site, erp, timeout_seconds=3)
    order_id = place_with(shop, "slow", wait_ms=1500)
    shop.wait_for(order_id, "accepted")
    assert shop.attempts(order_id)[0]["duration_ms"] >= 1450
    erp.wait_for_calls(order_id, 1)
    shop.close()


def test_nobody_listens(shop, erp):
    erp.told("down")
    order_id = shop.placed()
    _, attempt = shop.wait_for_attempt(order_id, 1)
    assert (attempt["outcome"], attempt["status"]) == ("not_sent", None)
    erp.told("up")
    shop.retry(order_id).expect(204)
    assert shop.wait_for(order_id, "accepted")["attempts"] == 2
    erp.wait_for_calls(order_id, 1)
    assert erp.document_of(order_id)


# --- answers that no HTTP library would give


RAW = {
    "not a word": b"",
    "no HTTP": b"accepted, thank you\r\n\r\n",
    "HTTP/0.9": acceptance(),
    "half a status line": b"HTTP/1.1 20",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Le",
    "half a body": b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + acceptance(),
    "half a chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n" + acceptance(),
    "a length that is none": b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n" + acceptance(),
    "no length, status 999": b"HTTP/1.1 999 \r\n\r\n" + acceptance(),
    "status 099": b"HTTP/1.1 099 OK\r\n\r\n" + acceptance(),
    "only 100": b"HTTP/1.1 100 Continue\r\n\r\n",
    "101": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n" + acceptance(),
    "gzip": http_answer(b"\x1f\x8b\x08\x00garbage", "200 OK", "Content-Encoding: gzip"),
    "204": b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    "endless head": [b"HTTP/1.1 200 OK\r\n"] + [b"X-More: " + b"x" * 8000 + b"\r\n"] * 200,
    "endless 1xx": [b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"] * 20000,
}


@pytest.mark.parametrize("answer", RAW.values(), ids=RAW)
def test_answer_that_is_no_acceptance(site, answer):
    with RawErp(lambda *_: answer) as erp:
        shop = Shop(site, erp, timeout_seconds=2)
        order_id = shop.placed()
        record, attempt = shop.wait_for_attempt(order_id, 1)
        assert record["state"] == "queued" and attempt["error"], f"{record} {attempt}"
        assert attempt["outcome"] in ("contract_error", "unknown", "refused")
        erp.answer = accept_all
        shop.retry(order_id).expect(204)
        shop.wait_for(order_id, "accepted")
        keys = {read_key(head) for head, _ in erp.requests}
        assert keys == {order_id} and len({body for _, body in erp.requests}) == 1
        shop.close()


def read_key(head):
    return re.search(rb"(?i)idempotency-key: (\S+)", head)[1].decode()


GOOD = {
    "without a length": b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + acceptance(),
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\n\r\n" + acceptance(),
    "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x;x=y\r\n%s\r\n0\r\n\r\n" % (
        len(acceptance()), acceptance()),
    "after 100 and 103": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
                         + http_answer(acceptance()),
    "no reason, no type": b"HTTP/1.1 200\r\nContent-Length: %d\r\n\r\n%s" % (
        len(acceptance()), acceptance()),
    "in single bytes": [bytes([byte]) for byte in http_answer(acceptance())],
    "with cookies": http_answer(acceptance(), "200 OK", "Set-Cookie: a=b; Path=/"),
}


@pytest.mark.parametrize("answer", GOOD.values(), ids=GOOD)
def test_answer_that_http_allows(site, answer):
    with RawErp(lambda *_: answer) as erp:
        shop = Shop(site, erp, timeout_seconds=5)
        assert shop.delivered()["erp_order_id"] == "doc-1"
        assert shop.delivered()["attempts"] == 1
        assert b"cookie" not in erp.requests[-1][0].lower()


# --- operations while it is on its way


def test_retry_makes_it_due_now(shop, erp):
    order_id = place_with(shop, "rate_limit", retry_after="3000")
    shop.wait_for_attempt(order_id, 1)
    shop.retry(order_id).expect(204)
    expect_one_document(shop, order_id)
    shop.retry(order_id).expect(409, "already_accepted")
    expect_nothing_more(lambda: len(erp.calls_of(order_id)))


def test_retry_of_an_order_that_is_on_its_way_changes_nothing(shop, erp):
    order_id = place_with(shop, "slow", wait_ms=500)
    assert eventually(lambda: shop.read(order_id)["state"] == "delivering", 5, 0.01)
    record = shop.read(order_id)
    assert record["next_attempt_at"] is None and record["attempts"] == 1
    shop.retry(order_id).expect(204)
    expect_one_document(shop, order_id, calls=1)
    expect_nothing_more(lambda: len(erp.calls_of(order_id)))


def test_changed_integration_does_not_change_the_order(shop, erp):
    """The body is frozen; how the ERP is reached is not."""
    order_id = place_with(shop, "server_error")
    shop.wait_for_attempt(order_id, 1)
    shop.operator.change_integration(shop.integration_id, name="Another name").expect(200)
    shop.retry(order_id).expect(204)
    expect_one_document(shop, order_id)


def test_orders_of_a_disabled_integration_wait(shop, erp):
    order_id = place_with(shop, "server_error")
    shop.wait_for_attempt(order_id, 1)
    shop.operator.change_integration(shop.integration_id, enabled=False).expect(200)
    shop.pass_time(60)
    time.sleep(NEVER)
    erp.wait_for_calls(order_id, 1)
    shop.operator.change_integration(shop.integration_id, enabled=True).expect(200)
    shop.pass_time(60)
    expect_one_document(shop, order_id)


def test_health_is_not_asked_while_all_is_well(shop, erp):
    erp.told("reset")
    for _ in range(3):
        shop.delivered()
    shop.pass_time(120)
    time.sleep(NEVER)
    assert erp.calls(method="health") == [], "health is for an open circuit"


