"""Doc B section 5, rules 7 and 8: the personal data of an order and the ERP's token show up in no
log, output, file or dump, not even where the ERP repeats them; what it says is shown with the order
and its attempts alone, without the token (contract, section 2, rule 14)."""

import base64
import itertools
import json
import re
import threading
import time
from urllib.parse import quote, unquote

from harness.exchange import Operator
from harness.orders import (
    FAILURES_IN_A_ROW, ORDER_SETTINGS, ORDERS, PROBE_S, RawErp, Shop, acceptance, accept_all,
    http_answer, item, modifier,
)
from harness.tools import eventually
from test_admin import Admin
from test_secrets import stored_bytes

CLOCK = True
SETTINGS = ORDER_SETTINGS | {"HERALD_LOG_LEVEL": "debug"}
# What must be found nowhere, each a word of its own.
NAME = ("Kanareykina", "Аделаида")
PHONE = "+79995550142"
ADDRESS = ("Kanarskaya", "Птичья")
COMMENT = ("Domophone77x", "Собака Тузик")
PRODUCTS = ("Cake-canary", "Latte-canary")  # not personal: an ERP may say what it has not
CANARIES = [*NAME, PHONE[5:], *ADDRESS, *COMMENT]


def canary_order(shop, **changes):
    return shop.order(
        customer={"name": " ".join(NAME), "phone": PHONE},
        delivery={"address": f"{ADDRESS[0]} 7, {ADDRESS[1]} ул.", "scheduled_for": None},
        comment=f"{COMMENT[0]}; {COMMENT[1]}",
        items=[item(modifier(name=PRODUCTS[1]), name=PRODUCTS[0])], **changes)


def found_in(blob, words=CANARIES):
    """Those that the bytes hold, in any letters: plainly, escaped as in JSON or in a URL, as
    digits in groups, spaced out, with what nobody sees, or with Latin letters in a Russian word."""
    text = unquote(blob.decode("utf-8", "replace"))
    text = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    text = re.sub("[\u00ad\u200b\u3164]", "", text)
    text += "".join(text.split()) + text.translate(str.maketrans("ae", "ае"))
    digits = re.sub(r"(?<=\d)[\s().\-/\u00a0\u2010-\u2015]{1,3}(?=\d)", "", text)
    return [word for word in words
            if word.lower() in text.lower() or word.lower() in digits.lower()]


def expect_none(places, words):
    for place, blob in places.items():
        blob = blob if isinstance(blob, bytes) else blob.encode()
        assert found_in(blob, words) == [], f"in {place}"


# --- what an ERP may say


def text_of(order):
    return json.dumps(order, ensure_ascii=False)


def grouped(between):
    return between.join([PHONE[:2], PHONE[2:5], PHONE[5:8], PHONE[8:10], PHONE[10:]])


ECHOES = {
    "body": text_of,
    "body in a text": lambda order: json.dumps({"message": text_of(order)}),
    "body, ASCII": json.dumps,
    "name": lambda order: f"No such client: {order['customer']['name']}",
    "surname": lambda order: f"No such client: {NAME[0]}",
    "name in capitals": lambda order: f"NO CLIENT {order['customer']['name'].upper()}!",
    "phone": lambda order: f"Phone {PHONE} is blocked",
    "phone of digits": lambda order: f"8{PHONE[2:]} is blocked, {PHONE[1:]} too",
    "phone in groups": lambda order: f"{PHONE[:2]} ({PHONE[2:5]}) {PHONE[5:8]}-{PHONE[8:10]}-"
                                     f"{PHONE[10:]} is blocked",
    "phone with NBSP": lambda order: f"Phone {grouped(chr(0xa0))} is blocked",
    "phone with hyphens": lambda order: f"Phone {grouped(chr(0x2011))} is blocked",
    "phone with slashes": lambda order: f"Phone {grouped('/')} is blocked",
    "end of the phone": lambda order: f"Phone ...{PHONE[5:]} is blocked",
    "name, ASCII": lambda order: f'{{"name": {json.dumps(order["customer"]["name"])}}}',
    "name in a URL": lambda order: f"GET /clients?name={quote(order['customer']['name'])} failed",
    "address": lambda order: f"Cannot reach {order['delivery']['address']}",
    "street": lambda order: f"No zone for {ADDRESS[0]}, {ADDRESS[1]}",
    "comment": lambda order: f"Comment: {order['comment']}",
    "half of it": lambda order: text_of(order)[:120] + "...",
    "name with a soft hyphen": lambda order: f"No client {NAME[0][:4]}\u00ad{NAME[0][4:]}",
    "name with what is not seen": lambda order: "No client " + "\u200b".join(NAME[1]),
    "name of two scripts": lambda order: "No client " + NAME[1].replace("а", "a").replace("е", "e"),
    "name spaced out": lambda order: "No client " + "   ".join(NAME[0]),
    "name in two": lambda order: f"No client {NAME[0][:5]} {NAME[0][5:]}",
    "phone with fillers": lambda order: f"Phone {chr(0x3164).join(PHONE)} is blocked",
    "second half": lambda order: text_of(order)[-250:],
    "in an error": lambda order: json.dumps(
        {"error": {"code": NAME[0], "message": f"{' '.join(NAME)} {PHONE}"}}, ensure_ascii=False),
}
PLACES = {
    "rejected": lambda text: http_answer(json.dumps(
        {"accepted": False, "error": {"code": text, "message": text}, "message": text},
        ensure_ascii=False).encode()),
    "422": lambda text: http_answer(json.dumps(
        {"error": {"code": "x", "message": text}}).encode(), "422 Unprocessable"),
    "500": lambda text: http_answer(text.encode(), "500 Oops"),
    "200": lambda text: http_answer(text.encode()),
    "header": lambda text: http_answer(b"", "400 Bad", f"X-Error: {text}", f"Retry-After: {text}"),
    "reason": lambda text: http_answer(b"", f"400 {text}"),
    "location": lambda text: http_answer(b"", "302 Found", f"Location: /{quote(text)}"),
    "no HTTP": lambda text: text.encode() + b"\r\n\r\n",
}


def answers_of(shop, order_id):
    """What operators can read of an order."""
    get = shop.operator.get
    replies = [get(f"{ORDERS}/{order_id}"), get(f"{ORDERS}/{order_id}/attempts"),
               get(f"{ORDERS}?integration_id={shop.integration_id}")]
    return b"\n".join(reply.body + repr(reply.headers).encode() for reply in replies)


def test_echoes_stay_with_their_record(site):
    """Each text in each place of an answer; then all that is kept of any of them."""
    with RawErp() as erp, site.log_reader(last_event_id=0, query="?level=debug") as reader:
        answers = {}
        for name, place in itertools.product(ECHOES, PLACES):
            shop = Shop(site, erp)
            order = canary_order(shop)
            answer = PLACES[place](ECHOES[name](order).replace("\n", " "))
            erp.answer = lambda *_, answer=answer: answer
            order_id = shop.placed(order)
            assert eventually(lambda: shop.attempts(order_id), 10, 0.005)
            answers[f"{name}, {place}"] = answers_of(shop, order_id)
            shop.close()
        reader.wait_until_quiet(0.5)
        assert len(answers) == len(ECHOES) * len(PLACES) and "attempt" in reader.text
        kept = {"the log": reader.text, "the output": site.processes[-1].output}
        expect_none(kept, [*PRODUCTS, *CANARIES, erp.token])
        assert [place for place, blob in answers.items() if found_in(blob, [erp.token])] == []
        told = [place for place, blob in answers.items() if found_in(blob, CANARIES)]
        assert {place.split(", ")[-1] for place in told} == {"rejected", "422", "500", "200"}


def test_what_helps_the_operator_is_kept(site):
    sentence = f"Variant v-1 is out of stock in warehouse 12 for {NAME[1]}, {PHONE}"
    said = {"accepted": False, "error": {"code": "no_stock", "message": sentence}}
    with RawErp(lambda *_: http_answer(json.dumps(said).encode())) as erp:
        shop = Shop(site, erp)
        record = shop.wait_for(shop.placed(canary_order(shop)), "rejected")
        assert sentence == record["last_error"]
        assert shop.attempts(record["id"])[0]["error"] == record["last_error"]


def test_order_is_nowhere_on_disk(fresh_site):
    """While it waits it is encrypted; the answer that ended it is not kept with it either."""
    fresh_site.serve(SETTINGS)
    with RawErp(accept_all) as erp:
        shop = Shop(fresh_site, erp)
        shop.delivered(canary_order(shop))
        erp.answer = lambda *_: http_answer(b"", "503 Busy")
        waiting = shop.placed(canary_order(shop))
        shop.wait_for_attempt(waiting, 1)
        faulty = canary_order(shop, total="1e2")
        shop.place(faulty).expect(422)
        shop.place(canary_order(shop, id=waiting, number="other")).expect(409)
        words = [*CANARIES, *PRODUCTS, erp.token,
                 base64.b64encode(PHONE.encode()).decode()[:-2]]
        while_running = stored_bytes(fresh_site)
        fresh_site.stop()
        expect_none(while_running | stored_bytes(fresh_site), words)


def test_refused_orders_are_not_quoted(site):
    """Neither in the answer nor in the log of a request that was wrong."""
    with RawErp(accept_all) as erp, site.log_reader(
            last_event_id=0, query="?level=debug") as reader:
        shop = Shop(site, erp)
        order = canary_order(shop)
        replies = [
            shop.place(order | {"total": PHONE}), shop.place(order | {"type": NAME[0]}),
            shop.place(order | {"currency": ADDRESS[0]}), shop.place(order | {"created_at": PHONE}),
            shop.place(order | {"point_id": COMMENT[0]}), shop.place(order, key=None),
            shop.operator.post(ORDERS, order),
        ]
        for reply in replies:
            reply.expect(422)
        reader.wait_until_quiet(0.5)
        places = {"the log": reader.text, "the output": site.processes[-1].output,
                  "answers": b"".join(reply.body for reply in replies)}
        expect_none(places, CANARIES)


def test_document_ids_are_what_the_erp_says_they_are(site):
    """Even an ERP that calls its document by the customer's phone writes it into no log."""
    with RawErp(lambda *_: http_answer(acceptance(PHONE, f"{NAME[0]} {PHONE}"))) as erp, \
            site.log_reader(last_event_id=0, query="?level=debug") as reader:
        shop = Shop(site, erp)
        shop.delivered(canary_order(shop))
        reader.wait_until_quiet(0.5)
        expect_none({"the log": reader.text, "output": site.processes[-1].output}, CANARIES)


def test_commands_show_nothing_of_it_but_what_its_erp_said(site):
    with RawErp(lambda *_: http_answer(json.dumps(
            {"accepted": False, "message": f"{' '.join(NAME)} {PHONE}"}).encode())) as erp:
        shop, admin = Shop(site, erp), Admin(site)
        order_id = shop.placed(canary_order(shop))
        shop.wait_for(order_id, "rejected")
        said = f"{' '.join(NAME)} {PHONE}"
        mine = ("list", "--integration", shop.integration_id)
        for words in (mine, ("show", order_id), ("attempts", order_id)):
            shown = {"text": " ".join(admin("orders", *words).split()),
                     "JSON": admin("orders", *words, "--json")}
            expect_none({place: text.replace(said, "") for place, text in shown.items()},
                        [*CANARIES, erp.token])


# --- the token


def test_token_is_nowhere(site):
    def answer(head, body):
        """It says the whole head again."""
        return http_answer(head.replace(b"\r\n", b" | "), "401 " + "Unauthorized")

    with RawErp(answer) as erp, site.log_reader(
            last_event_id=0, query="?level=debug") as reader:
        shop = Shop(site, erp)
        erp.health = http_answer(erp.token.encode(), f"503 {erp.token}", f"Location: {erp.token}")
        order_id = shop.placed()
        others = [shop.placed() for _ in range(FAILURES_IN_A_ROW)]
        assert eventually(lambda: len(erp.requests) >= FAILURES_IN_A_ROW, 10, 0.02)
        for _ in range(2):
            shop.pass_time(PROBE_S + 1)
            time.sleep(0.2)
        assert erp.probes and f"Bearer {erp.token}".encode() in erp.requests[0][0]
        erp.answer = lambda head, body: http_answer(
            json.dumps({"accepted": False, "message": head.decode()}).encode())
        erp.health = http_answer(b"")
        shop.pass_time(PROBE_S + 1)
        shop.wait_for(order_id, "rejected")
        places = {
            "answers": b"".join(answers_of(shop, row) for row in [order_id, *others]),
            "integration": Operator.of(site).integration(shop.integration_id).body,
        }
        reader.wait_until_quiet(0.5)
        places |= {"the log": reader.text, "the output": site.processes[-1].output}
        places |= stored_bytes(site)
        expect_none(places, [erp.token])


def refuse_all(head, body):
    return http_answer(b"{}", "503 Service Unavailable")


def circuit_of(shop):
    integration = shop.operator.integration(shop.integration_id).expect(200)
    return integration["exchange"]["circuit"]["state"]


def test_token_stays_with_its_address(site):
    """Contract section 4: an address alone is refused; with a token of its own it gets that one
    only: with orders that wait for a retry, with a probe, and after an operator's retry."""
    with RawErp(refuse_all) as before, RawErp(refuse_all) as after:
        shop = Shop(site, before)
        before.health = after.health = refuse_all(b"", b"")
        ids = [shop.placed() for _ in range(FAILURES_IN_A_ROW + 1)]
        assert eventually(lambda: len(before.requests) >= FAILURES_IN_A_ROW, 10, 0.02)
        reply = shop.operator.change_integration(shop.integration_id, erp={"base_url": after.url})
        reply.expect(422, "validation_error")
        assert reply.fault_paths == ["erp.token"]
        assert eventually(lambda: circuit_of(shop) == "open", 10, 0.02)
        shop.pass_time(PROBE_S + 1)
        assert eventually(lambda: before.probes, 5, 0.02) and not after.probes

        shop.operator.change_integration(
            shop.integration_id, erp={"base_url": after.url, "token": after.token}).expect(200)
        shop.pass_time(PROBE_S + 1)
        assert eventually(lambda: after.probes, 5, 0.02)
        after.answer, after.health = accept_all, http_answer(b"")
        shop.pass_time(PROBE_S + 1)
        for order_id in ids:
            assert shop.retry(order_id).status in (204, 409)  # it may be accepted by now
            shop.wait_for(order_id, "accepted", within=20)
        heads = [head for head, _ in after.requests] + after.probes
        assert all(f"Bearer {after.token}\r\n".encode() in head for head in heads)
        assert all(before.token.encode() not in head for head in heads)


def test_order_on_its_way_ends_where_it_began(site):
    """A change of the address during a call takes nothing of that call along."""
    gate = threading.Event()

    def answer_late(head, body):
        gate.wait(5)
        return http_answer(b"{}", "503 Service Unavailable")

    with RawErp(answer_late) as before, RawErp(accept_all) as after:
        shop = Shop(site, before)
        order_id = shop.placed()
        assert eventually(lambda: before.requests, 5, 0.02)
        shop.operator.change_integration(
            shop.integration_id, erp={"base_url": after.url, "token": after.token}).expect(200)
        gate.set()
        shop.wait_for_attempt(order_id, 1)
        shop.pass_until_due(order_id)
        shop.wait_for(order_id, "accepted")
        assert len(before.requests) == len(after.requests) == 1
        assert before.token.encode() not in after.requests[0][0]
