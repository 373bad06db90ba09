"""Issue 6: control characters and very long values in every field, header and path: refused or
harmless, and never a second request at the ERP."""

import json
import time
import unicodedata

import pytest

from harness.catalog import put
from harness.exchange import Operator
from harness.http import RawConnection
from harness.orders import (
    ORDER_SETTINGS, ORDERS, RawErp, Shop, expect_nothing_more, http_answer, read_strictly,
)
from harness.tools import eventually


SETTINGS = ORDER_SETTINGS
CLOCK = True
SECOND_REQUEST = "\r\n\r\nPOST /svc/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
INJECTIONS = {
    "a second request": SECOND_REQUEST,
    "a header": "x\r\nX-Injected: 1",
    "a header by LF": "x\nX-Injected: 1",
    "a header by CR": "x\rX-Injected: 1",
    "the end of the head": "x\r\n\r\n",
    "folding": "x\r\n\tX-Injected: 1",
    "NEL and LS": "x\u0085X-Injected: 1\u2028X-Injected: 2",
    "C0 and DEL": "".join(map(chr, [*range(1, 32), 127])),
    "C1": "".join(map(chr, range(128, 160))),
    "the end of a text": '"}],"extra":{"a":"',
    "a template": "${jndi:x}{{7*7}}%0d%0aX-Injected:1%00",
    "right to left": "\u202e\u2066\u200f\ufeff",
}


def text_paths(node, path=()):
    """The place of every text in a record."""
    if isinstance(node, dict):
        return [found for key, value in node.items() for found in text_paths(value, (*path, key))]
    if isinstance(node, list):
        return [found for key, value in enumerate(node)
                for found in text_paths(value, (*path, key))]
    return [path] if isinstance(node, str) else []


def expect_one_request(erp, seen, order):
    """What came since is one request, with the order as it was given and nothing injected."""
    assert eventually(lambda: len(erp.requests) > seen, 10, 0.005)
    (head, body), = erp.requests[seen:]
    assert read_strictly(body) == order
    assert b"\nx-injected" not in head.lower() and b"\x00" not in head
    assert head.count(b"\r\n") == head.count(b"\n") == head.count(b"\r")
    assert head.lower().count(b"host:") == head.lower().count(b"content-length:") == 1
    assert len(body) == int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])


@pytest.mark.parametrize("text", INJECTIONS.values(), ids=INJECTIONS)
def test_injection_in_every_field(shop, erp, text):
    """Each text of an order in its turn; one that is taken comes through as it is."""
    taken = []
    for path in text_paths(shop.order()):
        order = put(shop.order(), path, text)
        seen, reply = len(erp.requests), shop.place(order)
        if reply.status == 422:
            assert len(erp.requests) == seen
            continue
        reply.expect(202)
        expect_one_request(erp, seen, order)
        taken.append(path)
    for path in (("customer", "name"), ("comment",), ("delivery", "address")):
        assert path in taken, "people write what they like"
    assert ("id",) not in taken and ("currency",) not in taken and ("status",) not in taken


@pytest.mark.parametrize("length", [5_000, 60_000])
def test_very_long_values_in_every_field(shop, erp, length):
    seen = len(erp.requests)
    for path in text_paths(shop.order()):
        for letter in ("x", "9", "ж"):
            reply = shop.place(put(shop.order(), path, letter * length))
            assert reply.status in (413, 422), f"{path}: {reply.status}"
            assert len(reply.body) < 10_000, "the fault is told, not the value"
    expect_nothing_more(lambda: len(erp.requests))
    assert len(erp.requests) == seen


def test_very_long_names(shop):
    order = shop.order()
    for name in ("x" * 60_000, "\r\n" * 1000, "\u202e", ""):
        for record in (order | {name: 1}, put(order, ("customer",), order["customer"] | {name: 1})):
            reply = shop.place(record)
            reply.expect(422, "validation_error")
            assert len(reply.body) < 10_000


@pytest.mark.parametrize("key", [
    "k\r\nX-Injected: 1", "k\nX: 1", "k\x01", "k\x7f", "ключ", "k" * 201, "k" * 60_000, " ", "k k",
], ids=ascii)
def test_idempotency_key_of_the_caller_reaches_no_erp(site, shop, erp, key):
    """Ours is the order's id; theirs is refused or forgotten."""
    body = json.dumps({"integration_id": shop.integration_id, "order": shop.order()}).encode()
    head = (f"POST {ORDERS} HTTP/1.1\r\nHost: herald\r\nX-Internal-API-Key: {site.internal_key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            f"Connection: close\r\nIdempotency-Key: {key}\r\n\r\n")
    seen = len(erp.requests)
    with RawConnection(site.address) as connection:
        connection.send(head.encode() + body)
        reply = connection.read_reply(f"POST {ORDERS}")
    assert reply is None or reply.status in (202, 400, 422, 431), f"{reply}"
    time.sleep(0.1)
    for sent, _ in erp.requests[seen:]:
        assert b"x-injected" not in sent.lower() and b"\nX: 1" not in sent


# --- how the ERP is reached


UNFIT = ["x\r\nX-Injected: 1", "x\nX: 1", "x\r", "x\x00", "x\x01", "x\x1f", "x\x7f", "x\u0085",
         "x y", "x\ty", "жетон", "x\u2028"]


@pytest.mark.parametrize("text", UNFIT, ids=ascii)
@pytest.mark.parametrize("field", ["token", "order_path", "base_url"])
def test_control_characters_in_how_the_erp_is_reached(site, shop, field, text):
    given = {"order_path": f"/{text}", "base_url": f"http://{text}"}.get(field, text)
    operator = Operator.of(site)
    for reply in (operator.create_integration(erp={field: given}),
                  operator.change_integration(shop.integration_id, erp={field: given})):
        reply.expect(422, "validation_error")
        assert reply.fault_paths == ([f"erp.{field}"] if "\x00" not in text else [""])
    shop.delivered()


@pytest.mark.parametrize("path", [
    "", "orders", "?x=1", "/x?y=1", "/x#y", "/x y", "/\\x", "/x{y}", "/<x>", '/"x"', "/x|y", "/^",
    "/x\\..\\y", "http://other.example/x", "/" + "x" * 200, "/%", "/%0", "/%zz", "/..", "/../x",
    "/x/../y", "/.", "/x/./y", "/%2e%2e/x", "/x/%2E./y",
])
def test_order_path_that_is_refused_or_harmless(site, erp, path):
    """What is taken is the path of the one request, to the letter, at the ERP's own address."""
    reply = Operator.of(site).create_integration(
        erp={"base_url": erp.url, "token": erp.token, "order_path": path})
    if reply.status == 422:
        assert reply.fault_paths == ["erp.order_path"]
        return
    expect_path(site, erp, path)


@pytest.mark.parametrize("path", [
    "/", "//", "//other.example/x", "/a//b", "/%0d%0aX-Injected:%201", "/@other.example",
    "/x;y=1", "/a=b&c", "/:80", "/$x", "/x'y", "/(x)", "/*", "/~x", "/%2f%3f%23%00", "/.x", "/..x",
    "/x..", "/" + "x" * 199,
])
def test_order_path_is_sent_as_it_stands(site, erp, path):
    expect_path(site, erp, path)


def expect_path(site, erp, path):
    shop = Shop(site, erp, order_path=path)
    order, seen = shop.order(), len(erp.requests)
    shop.delivered(order)
    expect_one_request(erp, seen, order)
    head = erp.requests[seen][0]
    assert head.startswith(f"POST {path} HTTP/1.1\r\n".encode()), f"{head}"
    assert f"\r\nHost: 127.0.0.1:{erp.port}\r\n".encode() in head
    shop.close()


@pytest.mark.parametrize("token", [
    "~", "!", "\\", '"', "Bearer x", "x" * 1000, "a,b;c=d", "%0d%0a",
])
def test_token_is_sent_as_it_stands(site, erp, token):
    reply = Operator.of(site).create_integration(erp={"base_url": erp.url, "token": token})
    if " " in token:
        reply.expect(422)
        return
    shop = Shop(site, erp, token=token)
    order, seen = shop.order(), len(erp.requests)
    shop.delivered(order)
    expect_one_request(erp, seen, order)
    assert f"\r\nAuthorization: Bearer {token}\r\n".encode() in erp.requests[seen][0]
    shop.close()


@pytest.mark.parametrize("url", [
    "http://user@127.0.0.1", "http://user:word@127.0.0.1", "http://127.0.0.1?x",
    "http://127.0.0.1#x", "http://127.0.0.1:99999", "http://127.0.0.1:0x50", "http://",
    "http:///x", "ftp://x", "file:///etc/passwd", "gopher://127.0.0.1", "javascript:x",
    "127.0.0.1", "//127.0.0.1", "http://127.0.0.1\\@x", "http://[::1", "http://[x]", "http://a b",
    "http://ж.рф", "http://x%00y", "http://x/" + "y" * 500, "http://127.0.0.1/../x", "unix:/tmp/x",
    "http://127.0.0.1:80:80",
], ids=ascii)
def test_base_url_that_is_refused(site, url):
    reply = Operator.of(site).create_integration(erp={"base_url": url})
    reply.expect(422, "validation_error")
    assert reply.fault_paths == ["erp.base_url"]


# --- what the ERP answers


def has_controls(text):
    """C0, C1, DEL, and what breaks lines."""
    return any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in text)


@pytest.mark.parametrize("order_id, number", [
    ("x" * 128, "№" * 128), ("a\r\nX-Injected: 1", "b\nc"), ('"<script>', "\u202e\u0085"),
    ("\x01", "\x7f"), ("x" * 60_000, None), ("x", "y" * 60_000), ("😀" * 129, "n"),
], ids=["longest", "header", "html", "control", "very long", "very long number", "emoji"])
def test_ids_of_the_erp_do_no_harm(site, order_id, number):
    """Taken, or a contract error; whichever, it is shown as one JSON text, and the list works."""
    answer = http_answer(json.dumps({
        "accepted": True, "order_id": order_id, "number": number}).encode())
    with RawErp(lambda *_: answer) as erp:
        shop = Shop(site, erp)
        made = shop.placed()
        _, attempt = shop.wait_for_attempt(made, 1)
        record = shop.read(made)
        if record["state"] == "accepted":
            assert 1 <= len(record["erp_order_id"]) <= len(order_id)
            assert record["erp_number"] is None or len(record["erp_number"]) <= len(number or "")
            assert not has_controls(record["erp_order_id"] + (record["erp_number"] or ""))
        else:
            assert attempt["outcome"] == "contract_error"
        assert [row["id"] for row in shop.listed()[0]] == [made]
        shop.close()


@pytest.mark.parametrize("text", [
    "x" * 60_000, "\r\nX-Injected: 1", "\x00\x01\x7f", "\udcff", "{" * 5000, "\u202e<script>",
    "😀" * 15_000,
], ids=["long", "header", "control", "no UTF-8", "nested", "html", "emoji"])
@pytest.mark.parametrize("status", ["200 OK", "500 Oops"])
def test_errors_of_the_erp_do_no_harm(site, text, status):
    """What is kept of them is short, one line, and valid; the log stream stays a stream."""
    body = text.encode("utf-8", "surrogateescape")
    quoted = json.dumps({"accepted": False, "error": {"code": text, "message": text}},
                        ensure_ascii=True).encode()
    for answer in (http_answer(body, status), http_answer(quoted, status)):
        with RawErp(lambda *_, answer=answer: answer) as erp, site.log_reader() as reader:
            shop = Shop(site, erp)
            made = shop.placed()
            _, attempt = shop.wait_for_attempt(made, 1)
            kept = attempt["error"]
            assert kept and len(kept) <= 1000 and not has_controls(kept), f"{kept!r}"
            assert (shop.read(made)["last_error"] or kept) == kept
            shop.close()
            assert reader.wait_for_text(shop.integration_id)


def test_answers_cannot_make_herald_large(site):
    """Bodies, heads and trickles without an end, four at once of several ERPs."""
    def endless(head, body):
        yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
        for _ in range(3000):
            yield b'{"accepted":true,' * 1000

    before = memory_kb(site)
    with RawErp(endless) as erp:
        shops = [Shop(site, erp, timeout_seconds=3) for _ in range(4)]
        ids = [(shop, shop.placed()) for shop in shops for _ in range(4)]
        for shop, order_id in ids:
            shop.wait_for_attempt(order_id, 1)
        for shop in shops:
            shop.close()
    assert memory_kb(site) - before < 40_000


def memory_kb(site):
    with open(f"/proc/{site.processes[-1].pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def test_herald_lives_and_works(shop):
    assert shop.delivered()["attempts"] == 1
