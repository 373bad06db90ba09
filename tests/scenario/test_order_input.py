"""Contract section 6: what an order may be, and that its ERP gets it as it was given.

The constraints are those of the OpenAPI document, each at its limit and one beyond; where doc B
names an identifier or a word, it is doc B's.
"""

import copy
import json

import pytest

from harness.catalog import drop, put
from harness.exchange import Operator
from harness.http import Client
from harness.orders import (
    ORDER_SETTINGS, ORDERS, RawErp, Shop, accept_all, item, modifier, order_input, read_strictly,
)
from harness.shapes import ORDER_DELIVERY, UUID_V7, check_shape
from harness.tools import at_once, eventually, fresh_key


SETTINGS = ORDER_SETTINGS
LETTERS = {"latin": "x", "cyrillic": "ж", "emoji": "😀"}
ITEM = ("items", 0)
MODIFIER = (*ITEM, "modifiers", 0)


def named(path):
    return ".".join(map(str, path))


def told(path):
    """A place in the order as the error record names it."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in path]
    return "order" + "".join(steps)


def refuse(reply, *paths):
    reply.expect(422, "validation_error")
    assert sorted(set(reply.fault_paths)) == sorted(told(path) for path in paths), f"{reply}"


def arrived(erp, order_id):
    """What came of an order: the head and the body of its one request."""
    def find():
        return [(head, body) for head, body in list(erp.requests)
                if order_id.encode() in head]

    assert eventually(find, 10, 0.02), "it never came"
    found = find()
    assert len(found) == 1
    return found[0]


def expect_sent(shop, order):
    """It is accepted, and its ERP gets each member as it stands here."""
    order_id = shop.placed(order)
    _, body = arrived(shop.erp, order_id)
    assert read_strictly(body) == order | {"id": order_id}


# --- what its ERP gets


def test_order_is_sent_as_it_was_given(shop, erp):
    order = shop.order()
    order_id = shop.placed(order)
    assert order_id == order["id"]
    head, body = arrived(erp, order_id)
    assert read_strictly(body) == order
    line, *rows = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (row.split(": ", 1) for row in rows if row)}
    assert len(headers) == len([row for row in rows if row]), "a header comes twice"
    assert line == "POST /svc/v1/orders HTTP/1.1"
    assert headers["authorization"] == f"Bearer {erp.token}"
    assert headers["content-type"] == "application/json"
    assert headers["idempotency-key"] == order_id
    assert headers["content-length"] == str(len(body))
    assert "content-encoding" not in headers and "transfer-encoding" not in headers
    assert "cookie" not in headers and "expect" not in headers
    record = shop.wait_for(order_id, "accepted")
    assert (record["erp_order_id"], record["erp_number"]) == ("doc-1", "SO-1")
    assert record["next_attempt_at"] is None and record["last_error"] is None


def test_id_is_made_if_it_is_left_out(shop, erp):
    order = drop(shop.order(), ("id",))
    order_id = shop.placed(order)
    assert UUID_V7.fullmatch(order_id)
    _, body = arrived(erp, order_id)
    assert read_strictly(body) == order | {"id": order_id}


def test_smallest_order(shop):
    expect_sent(shop, shop.order(
        number="1", type="pickup", payment_method=None, subtotal="0", delivery_fee="0", total="0",
        customer={"name": "", "phone": ""}, delivery={"address": "", "scheduled_for": None},
        comment="", items=[{
            "product_id": "p", "variant_id": "v", "name": "", "quantity": "1", "unit_price": "0",
            "line_total": "0", "modifiers": []}]))


def test_path_and_token_are_those_of_the_integration(site, erp):
    shop = Shop(site, erp, base_url=erp.url + "/hs/", order_path="/in/orders", token="other-token")
    order_id = shop.placed()
    head, _ = arrived(erp, order_id)
    assert head.startswith(b"POST /hs/in/orders HTTP/1.1\r\n")
    assert b"\r\nAuthorization: Bearer other-token\r\n" in head


@pytest.mark.parametrize("word", ["cash", "card_offline", "card_online", "sbp", None])
def test_each_payment_method(shop, word):
    expect_sent(shop, shop.order(payment_method=word))


@pytest.mark.parametrize("word", ["pending", "paid", "refunded", "failed"])
def test_each_payment_status(shop, word):
    expect_sent(shop, shop.order(payment_status=word))


def test_unusual_status_and_currency(shop):
    expect_sent(shop, shop.order(status="x" * 32, currency="XAF"))


@pytest.mark.parametrize("given, sent", [
    ("2026-11-21T07:32:58+03:00", "2026-11-21T04:32:58.000Z"),
    ("2026-11-21T04:32:58Z", "2026-11-21T04:32:58.000Z"),
    ("2026-11-21T04:32:58.5Z", "2026-11-21T04:32:58.500Z"),
    ("2026-11-21T04:32:58.123-00:30", "2026-11-21T05:02:58.123Z"),
    ("2024-02-29T23:59:59+00:00", "2024-02-29T23:59:59.000Z"),
    ("2026-11-21 07:32:58+0300", "2026-11-21T04:32:58.000Z"),
    ("2026-11-21T07:32+03", "2026-11-21T04:32:00.000Z"),
])
def test_times_are_sent_in_utc(shop, erp, given, sent):
    order_id = shop.placed(shop.order(
        created_at=given, delivery={"address": "a", "scheduled_for": given}))
    record = read_strictly(arrived(erp, order_id)[1])
    assert (record["created_at"], record["delivery"]["scheduled_for"]) == (sent, sent)


@pytest.mark.parametrize("text", [
    "2026-11-21", "2026-11-21T04:32:58", "2026-02-30T00:00:00Z", "2026-11-21 04:32:58", "2026-11-21T04:32", "",
    "yesterday", "2026-11-21T24:32:58Z", "2026-11-21T04:32:58+3",
])
def test_time_that_is_none(shop, text):
    refuse(shop.place(created_at=text, delivery={"address": "", "scheduled_for": text}),
           ("created_at",), ("delivery", "scheduled_for"))


def test_time_at_the_beginning_of_all_times(shop, erp):
    """Refused, or sent as it is: but never as no time at all."""
    first = "1970-01-01T00:00:00.000Z"
    for order in (shop.order(created_at=first),
                  shop.order(delivery={"address": "", "scheduled_for": first})):
        reply = shop.place(order)
        if reply.status != 422:
            assert read_strictly(arrived(erp, reply.expect(202)["id"])[1]) == order


def test_id_of_zeros(shop, erp):
    """Refused, or it is the order's id: but never another one."""
    reply = shop.place(id="00000000-0000-0000-0000-000000000000")
    assert reply.status == 422 or reply.expect(202)["id"].startswith("00000000"), f"{reply}"


# --- decimals


AMOUNTS = [("subtotal",), ("delivery_fee",), ("total",), (*ITEM, "unit_price"),
           (*ITEM, "line_total")]
MODIFIER_AMOUNTS = [(*MODIFIER, "unit_price"), (*MODIFIER, "line_total")]
QUANTITIES = [(*ITEM, "quantity"), (*MODIFIER, "quantity")]
DIGITS = ["1", "1.0", "1.00", "001.50", "0.1", "0.000001", "999999999999999.999999",
          "123456789012345", "1.100000", "0000000000000.10", "900719925474099.93"]


@pytest.mark.parametrize("digits", DIGITS)
def test_decimals_are_passed_on_digit_for_digit(shop, digits):
    order = shop.order()
    for path in AMOUNTS + MODIFIER_AMOUNTS + QUANTITIES:
        order = put(order, path, digits)
    expect_sent(shop, order)


@pytest.mark.parametrize("digits", ["0", "0.00", "000"])
def test_an_amount_may_be_nothing(shop, digits):
    order = shop.order()
    for path in AMOUNTS + MODIFIER_AMOUNTS:
        order = put(order, path, digits)
    expect_sent(shop, order)
    refuse(shop.place(put(put(shop.order(), QUANTITIES[0], digits), QUANTITIES[1], digits)),
           *QUANTITIES)


def test_a_modifier_may_make_it_cheaper(shop):
    order = shop.order()
    for path in MODIFIER_AMOUNTS:
        order = put(order, path, "-12.340")
    expect_sent(shop, order)
    for path in AMOUNTS + QUANTITIES:
        refuse(shop.place(put(shop.order(), path, "-1")), path)


@pytest.mark.parametrize("text", [
    "", " 1", "1 ", "+1", "1e2", "1E2", "1.", ".5", "1,5", "1 000", "0x10", "NaN", "Infinity", "-",
    "--1", "1.2.3", "١", "1\n", "1234567890123456", "1.1234567", "1_000", "½", "1\u00a0",
], ids=ascii)
def test_decimal_that_is_none(shop, text):
    paths = AMOUNTS + MODIFIER_AMOUNTS + QUANTITIES
    order = shop.order()
    for path in paths:
        order = put(order, path, text)
    refuse(shop.place(order), *paths)


@pytest.mark.parametrize("value", [1, 1.5, None, True, [], {}, ["1"]], ids=str)
def test_decimal_of_another_type(shop, value):
    paths = AMOUNTS + MODIFIER_AMOUNTS + QUANTITIES
    order = shop.order()
    for path in paths:
        order = put(order, path, value)
    refuse(shop.place(order), *paths)


# --- texts and lists


TEXTS = [
    (("number",), 1, 128), (("customer", "name"), 0, 500), (("customer", "phone"), 0, 64),
    (("delivery", "address"), 0, 1000), (("comment",), 0, 4000),
    ((*ITEM, "product_id"), 1, 128), ((*ITEM, "variant_id"), 1, 128), ((*ITEM, "name"), 0, 500),
    ((*MODIFIER, "id"), 1, 128), ((*MODIFIER, "group_id"), 1, 128), ((*MODIFIER, "name"), 0, 500),
]


@pytest.mark.parametrize("letter", LETTERS.values(), ids=LETTERS)
def test_longest_texts_and_one_character_more(shop, letter):
    """Characters count, not bytes."""
    order, too_long = shop.order(), shop.order()
    for path, _, most in TEXTS:
        order = put(order, path, letter * most)
        too_long = put(too_long, path, letter * (most + 1))
    expect_sent(shop, order)
    refuse(shop.place(too_long), *[path for path, _, _ in TEXTS])


def test_shortest_texts(shop):
    order, empty = shop.order(), shop.order()
    for path, least, _ in TEXTS:
        order = put(order, path, "x" * least)
        empty = put(empty, path, "")
    expect_sent(shop, order)
    refuse(shop.place(empty), *[path for path, least, _ in TEXTS if least])


@pytest.mark.parametrize("path, good, bad", [
    (("status",), "c", ["", "x" * 33, "Confirmed", "a-b", "a b", "подтверждён"]),
    (("currency",), "EUR", ["", "RU", "RUBL", "rub", "Р"]),
    (("type",), "pickup", ["", "Delivery", "dine_in"]),
    (("payment_method",), "cash", ["", "CASH", "bitcoin"]),
    (("payment_status",), "paid", ["", "open", "Paid"]),
], ids=lambda value: named(value) if isinstance(value, tuple) else "")
def test_words(shop, path, good, bad):
    expect_sent(shop, put(shop.order(), path, good))
    for word in bad:
        refuse(shop.place(put(shop.order(), path, word)), path)


@pytest.mark.parametrize("path", [("id",), ("point_id",)], ids=named)
@pytest.mark.parametrize("text", ["", "1", "x" * 36, "a2b30c51-a46c-4a2a-8330-96de2a0abb0g",
                                  "{a2b30c51-a46c-4a2a-8330-96de2a0abb01}"])
def test_id_that_is_none(shop, path, text):
    refuse(shop.place(put(shop.order(), path, text)), path)


@pytest.mark.parametrize("count, is_good", [(0, False), (1, True), (150, True)])
def test_number_of_items(shop, count, is_good):
    """One at least, and many."""
    items = [item(product_id=f"p-{index}") for index in range(count)]
    if is_good:
        expect_sent(shop, shop.order(items=items))
    else:
        refuse(shop.place(items=items), ("items",))


def test_number_of_modifiers(shop):
    row = modifier()
    expect_sent(shop, shop.order(items=[item(*[row] * 100)]))
    refuse(shop.place(items=[item(*[row] * 101)]), (*ITEM, "modifiers"))


def test_order_has_a_mebibyte_and_no_byte_more(shop, erp):
    """Contract section 6."""
    order = shop.order(items=[item(name="x" * 500) for _ in range(1560)])
    body = {"integration_id": shop.integration_id, "order": order}
    room = 1024 * 1024 - len(json.dumps(body).encode())
    assert 4000 < room < 600_000, room
    for more, status in ((1, 413), (0, 202)):
        raw = json.dumps(body).encode() + b" " * (room + more)
        reply = shop.operator.request("POST", ORDERS, raw=raw, headers={
            "Idempotency-Key": fresh_key(), "Content-Type": "application/json"})
        reply.expect(status, *["payload_too_large"] * (status == 413))
    shop.wait_for(order["id"], "accepted")
    assert json.loads(erp.requests[-1][1]) == order


# --- what must be there


REQUIRED = [
    *[(name,) for name in order_input("") if name != "id"],
    ("customer", "name"), ("customer", "phone"), ("delivery", "address"),
    ("delivery", "scheduled_for"), *[(*ITEM, name) for name in item()],
    *[(*MODIFIER, name) for name in modifier()],
]
NULLABLE = {("payment_method",), ("delivery", "scheduled_for")}


@pytest.mark.parametrize("path", REQUIRED, ids=named)
def test_required_field(shop, path):
    refuse(shop.place(drop(shop.order(), path)), path)
    if path not in NULLABLE:
        refuse(shop.place(put(shop.order(), path, None)), path)


@pytest.mark.parametrize("path", REQUIRED, ids=named)
def test_field_of_another_type(shop, path):
    for value in (7, 1.5, True, ["x"], {"x": 1}, "x"):
        if isinstance(value, (list, dict)) and path[-1] in ("items", "modifiers", "customer",
                                                            "delivery"):
            continue
        if value == "x" and path[-1] not in ("items", "modifiers", "customer", "delivery"):
            continue
        refuse(shop.place(put(shop.order(), path, value)), path)


@pytest.mark.parametrize("path", [(), ("customer",), ("delivery",), ITEM, MODIFIER], ids=named)
def test_unknown_field(shop, path):
    for name in ("extra", "Id", "bundle", "price"):
        refuse(shop.place(put(shop.order(), (*path, name), "x")), (*path, name))


def test_fields_beside_the_order(shop):
    body = {"integration_id": shop.integration_id, "order": shop.order()}
    key = {"Idempotency-Key": fresh_key()}
    for changed, paths in (
        (body | {"extra": 1}, ["extra"]), (body | {"order": None}, ["order"]),
        (body | {"order": []}, ["order"]), ({"order": body["order"]}, ["integration_id"]),
        ({}, ["integration_id", "order"]), (body | {"integration_id": "x"}, ["integration_id"]),
        (body | {"integration_id": 5}, ["integration_id"]),
    ):
        reply = shop.operator.post(ORDERS, changed, headers=key)
        reply.expect(422, "validation_error")
        assert reply.fault_paths == paths, f"{reply}"


def test_all_faults_at_once(shop):
    order = shop.order(currency="rub", total=5, items=[item(quantity="0"), item(modifier(id=""))])
    refuse(shop.place(drop(order, ("comment",))), ("currency",), ("total",), ("comment",),
           ("items", 0, "quantity"), ("items", 1, "modifiers", 0, "id"))


def test_refused_order_leaves_nothing(shop, erp):
    seen, rows = len(erp.requests), shop.listed()
    order = shop.order()
    shop.place(put(order, ("total",), "1e2")).expect(422)
    shop.operator.get(f"{ORDERS}/{order['id']}").expect(404, "not_found")
    assert len(erp.requests) == seen and shop.listed() == rows
    expect_sent(shop, order)


def raw_order(shop, text):
    """An order of which one part is a text that json.dumps would not write."""
    body = json.dumps({"integration_id": shop.integration_id, "order": shop.order(comment="@@")})
    return shop.operator.request(
        "POST", ORDERS, raw=body.replace('"@@"', text).encode("utf-8", "surrogatepass"),
        headers={"Idempotency-Key": fresh_key()})


@pytest.mark.parametrize("text", [
    '"a", "comment": "b"', '"\\u0000"', '"\\ud800"', '"\ud800"', "NaN", '"\n"', '"x"}', "'x'",
    "[" * 70 + "]" * 70,
], ids=ascii)
def test_body_that_is_no_json_of_ours(shop, text):
    raw_order(shop, text).expect(422, "validation_error")


@pytest.mark.parametrize("text, means", [
    ('"\\u0436\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\"\\\\"', "ж😀/\b\f\n\r\t\"\\"),
    ('"\\u0001\\u001f\\u007f\\u0085"', "\x01\x1f\x7f\x85"),
    ('"\u2028\u2029\ufeff\u200b\u202e"', "\u2028\u2029\ufeff\u200b\u202e"),
    ('"</script>%0d%0a${x}{{x}}\'--"', "</script>%0d%0a${x}{{x}}'--"),
], ids=ascii)
def test_any_text_comes_through(shop, erp, text, means):
    order_id = raw_order(shop, text).expect(202)["id"]
    assert read_strictly(arrived(erp, order_id)[1])["comment"] == means


# --- whose order it is


def test_sales_point_is_that_of_the_integration(shop):
    refuse(shop.place(point_id=fresh_key()), ("point_id",))
    refuse(shop.place(point_id=shop.integration_id), ("point_id",))


def test_integration_that_is_not_there(site, shop, erp):
    body = {"integration_id": fresh_key(), "order": shop.order()}
    reply = shop.operator.post(ORDERS, body, headers={"Idempotency-Key": fresh_key()})
    reply.expect(404, "not_found")


def test_integration_that_is_disabled(site, erp):
    shop = Shop(site, erp)
    order = shop.order()
    shop.operator.change_integration(shop.integration_id, enabled=False).expect(200)
    shop.place(order).expect(422, "validation_error")
    shop.operator.get(f"{ORDERS}/{order['id']}").expect(404)
    shop.operator.change_integration(shop.integration_id, enabled=True).expect(200)
    shop.delivered(order)


@pytest.mark.parametrize("headers", [
    {}, {"X-Internal-API-Key": "wrong"}, {"Authorization": "Bearer wrong"},
], ids=str)
def test_wrong_key(site, shop, headers):
    order = shop.order()
    stranger = Client(site.address, headers, "127.0.9.9")
    body = {"integration_id": shop.integration_id, "order": order}
    for ask in (
        lambda: stranger.post(ORDERS, body, headers={"Idempotency-Key": fresh_key()}),
        lambda: stranger.get(ORDERS), lambda: stranger.get(f"{ORDERS}/{order['id']}"),
        lambda: stranger.get(f"{ORDERS}/{order['id']}/attempts"),
        lambda: stranger.post(f"{ORDERS}/{order['id']}/retry"),
    ):
        ask().expect(401, "unauthorized")
    shop.operator.get(f"{ORDERS}/{order['id']}").expect(404)


def test_token_of_the_erp_opens_no_orders(site, shop):
    """What an ERP may do is in its scopes, and orders are in none."""
    erp = Operator.of(site).new_erp(shop.integration)
    bearer = erp.with_token(erp.fetch_token())
    bearer.get(ORDERS).expect(401, "unauthorized")
    bearer.get(f"{ORDERS}/{shop.delivered()['id']}").expect(401, "unauthorized")


# --- once


@pytest.mark.parametrize("key", ["", "k" * 201, "two\twords", None])
def test_unusable_idempotency_key(shop, key):
    shop.place(key=key).expect(422, "validation_error")


def test_repeat_of_a_request_is_the_same_order(shop, erp):
    for order in (shop.order(), drop(shop.order(), ("id",))):
        key = fresh_key() + "~" * 164
        first, again = shop.place(order, key), shop.place(order, key)
        assert first.expect(202)["id"] == again.expect(202)["id"]
        assert (first.replayed, again.replayed) == (False, True)
        shop.wait_for(first.json["id"], "accepted")
        assert shop.place(order, key).expect(202)["state"] == "accepted"
        arrived(erp, first.json["id"])


def test_same_body_means_the_same_json_value(shop):
    order, key = shop.order(), fresh_key()
    turned = {name: order[name] for name in reversed(order)}
    first = shop.place(order, key).expect(202)
    assert shop.place(turned, key).expect(202)["id"] == first["id"]
    shop.place(order | {"comment": "other"}, key).expect(409, "idempotency_conflict")
    shop.place(order | {"total": order["total"] + "0"}, key).expect(409, "idempotency_conflict")


def test_failed_request_is_not_remembered(shop):
    order, key = shop.order(), fresh_key()
    shop.place(put(order, ("total",), ""), key).expect(422)
    reply = shop.place(order, key)
    reply.expect(202)
    assert not reply.replayed


def test_same_order_with_another_key_is_that_order(shop, erp):
    order = shop.order()
    first = shop.placed(order)
    assert shop.placed(copy.deepcopy(order)) == first
    shop.wait_for(first, "accepted")
    assert check_shape(shop.place(order).expect(202), ORDER_DELIVERY)["state"] == "accepted"
    arrived(erp, first)


@pytest.mark.parametrize("path, value", [
    (("comment",), "x"), (("total",), "889.500"), (("customer", "phone"), "+79161234568"),
    ((*ITEM, "quantity"), "2.0"), ((*MODIFIER, "id"), "o"), (("payment_method",), None),
    (("delivery", "scheduled_for"), None), (("created_at",), "2026-11-21T04:32:58.001Z"),
    (("items",), [item()]),
], ids=lambda value: named(value) if isinstance(value, tuple) else "")
def test_same_id_with_another_order_is_409(shop, erp, path, value):
    order = shop.order()
    shop.delivered(order)
    shop.place(put(order, path, value)).expect(409, "idempotency_conflict")
    arrived(erp, order["id"])
    assert shop.read(order["id"])["state"] == "accepted"


def test_same_id_in_another_integration_is_another_order(site, shop, erp):
    """Contract section 6: an id is unique within its integration."""
    order = shop.order()
    shop.delivered(order)
    with RawErp(accept_all) as second:
        other = Shop(site, second)
        key, body = fresh_key(), order | {"point_id": other.integration["point_id"]}
        made = other.place(body, key=key).expect(202)
        assert made["id"] != order["id"] and made["order_id"] == order["id"]
        assert other.wait_for(made["id"], "accepted")["integration_id"] == other.integration_id
        head, sent = second.requests[0]
        assert f"Idempotency-Key: {order['id']}\r\n".encode() in head
        assert json.loads(sent) == body
        first = shop.read(order["id"])
        assert (first["integration_id"], first["order_id"]) == (shop.integration_id, order["id"])
        assert other.place(body, key=key).expect(202)["id"] == made["id"], "the same request"
        assert other.place(body).expect(202)["id"] == made["id"], "the same order"
        other.place(body | {"comment": "x"}).expect(409, "idempotency_conflict")
        assert [row["id"] for row in other.listed()[0]] == [made["id"]]
        assert len(second.requests) == len(erp.requests) == 1
        assert other.attempts(made["id"])[0]["outcome"] == "accepted"


def test_one_id_in_many_integrations_at_once(site, erp):
    shops = [Shop(site, erp) for _ in range(4)]
    order = shops[0].order()
    def place(index):
        mine = shops[index % 4]
        return mine.place(order | {"point_id": mine.integration["point_id"]}).expect(202)

    made = at_once(16, place)
    for index, one in enumerate(shops):
        assert len({record["id"] for record in made[index::4]}) == 1
        one.wait_for(made[index]["id"], "accepted")
    assert len({record["id"] for record in made}) == 4
    assert {record["order_id"] for record in made} == {order["id"]}
    assert len(erp.requests) == 4


def test_same_order_from_many_at_once_is_one(site, shop, erp):
    order = shop.order()
    shops = [Shop.__new__(Shop) for _ in range(8)]
    for one in shops:
        vars(one).update(vars(shop), operator=Operator.of(site))
    ids = at_once(8, lambda index: shops[index].place(order).expect(202)["id"])
    assert set(ids) == {order["id"]}
    shop.wait_for(order["id"], "accepted")
    arrived(erp, order["id"])


def test_one_of_two_orders_with_one_id_at_once_is_taken(site, shop, erp):
    orders = [shop.order()]
    orders.append(orders[0] | {"comment": "other"})
    shops = [Shop.__new__(Shop) for _ in range(8)]
    for one in shops:
        vars(one).update(vars(shop), operator=Operator.of(site))
    statuses = at_once(8, lambda index: shops[index].place(orders[index % 2]).status)
    assert sorted(statuses) in ([202] * 4 + [409] * 4,)
    _, body = arrived(erp, orders[0]["id"])
    taken = orders[statuses.index(202) % 2]
    assert read_strictly(body) == taken


def test_id_is_read_in_any_case(shop, erp):
    order = shop.order()
    record = shop.place(order | {"id": order["id"].upper()}).expect(202)
    assert record["id"] == order["id"]
    head, body = arrived(erp, order["id"])
    assert json.loads(body)["id"] == order["id"]
    assert f"Idempotency-Key: {order['id']}\r\n".encode() in head
