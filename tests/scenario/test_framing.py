"""HTTP itself: what is refused and closed, and what a strict server still has to serve."""

import pytest

from harness.http import RawConnection, check_conventions

GET = b"GET /health/live HTTP/1.1\r\nHost: herald\r\n"
POST = b"POST /api/device/ping HTTP/1.1\r\nHost: herald\r\nContent-Type: application/json\r\n"
HIDDEN = b"GET /health/live HTTP/1.1\r\nHost: herald\r\nX-Request-Id: hidden\r\n\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"

REFUSED = {
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 60\r\n\r\n{}" + HIDDEN,
    "one length twice": POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "list of lengths": POST + b"Content-Length: 2, 2\r\n\r\n{}",
    "length and coding": POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    + HIDDEN,
    "unknown coding": POST + b"Transfer-Encoding: gzip\r\n\r\n{}",
    "coding that looks like chunked": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "chunked is not last": POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    "coding twice": POST + b"Transfer-Encoding: chunked\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "signed length": POST + b"Content-Length: +2\r\n\r\n{}",
    "negative length": POST + b"Content-Length: -2\r\n\r\n{}",
    "length in hex": POST + b"Content-Length: 0x2\r\n\r\n{}",
    "empty length": POST + b"Content-Length: \r\n\r\n",
    "length beyond 64 bits": POST + b"Content-Length: 18446744073709551618\r\n\r\n{}",
    "bare line feeds": b"GET /health/live HTTP/1.1\nHost: herald\n\n",
    "bare line feed in headers": GET + b"X-One: 1\nX-Two: 2\r\n\r\n",
    "bare carriage return": GET + b"X-One: 1\rX-Two: 2\r\n\r\n",
    "folded header": GET + b"X-One: 1\r\n 2\r\n\r\n",
    "space before the colon": GET + b"X-One : 1\r\n\r\n",
    "space before the first header": b"GET /health/live HTTP/1.1\r\n Host: herald\r\n\r\n",
    "name that is no token": GET + b"X(One): 1\r\n\r\n",
    "empty name": GET + b": 1\r\n\r\n",
    "no colon": GET + b"nonsense\r\n\r\n",
    "NUL in a value": GET + b"X-One: 1\x002\r\n\r\n",
    "no host": b"GET /health/live HTTP/1.1\r\n\r\n",
    "two hosts": GET + b"Host: other\r\n\r\n",
    "bad chunk size": CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n",
    "signed chunk size": CHUNKED + b"+2\r\n{}\r\n0\r\n\r\n",
    "endless chunk size": CHUNKED + b"fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
    "chunk longer than its size": CHUNKED + b"1\r\n{}\r\n0\r\n\r\n",
    "line feed after the chunk size": CHUNKED + b"2\n{}\r\n0\r\n\r\n",
    "no version": b"GET /health/live\r\nHost: herald\r\n\r\n",
    "future version": b"GET /health/live HTTP/2.0\r\nHost: herald\r\n\r\n",
    "wrong protocol": b"GET /health/live HTTQ/1.1\r\nHost: herald\r\n\r\n",
    "two spaces": b"GET  /health/live HTTP/1.1\r\nHost: herald\r\n\r\n",
    "control byte in the target": b"GET /health\x01live HTTP/1.1\r\nHost: herald\r\n\r\n",
    "method that is no token": b"G@T /health/live HTTP/1.1\r\nHost: herald\r\n\r\n",
    "TLS on a plain port":
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64) + b"\r\n\r\n",
    "header of 17 KiB": GET + b"X-Long: " + b"x" * 17_000 + b"\r\n\r\n",
    "target of 17 KiB": b"GET /" + b"x" * 17_000 + b" HTTP/1.1\r\nHost: herald\r\n\r\n",
    "101 headers": GET + b"".join(b"X-%d: 1\r\n" % index for index in range(100)) + b"\r\n",
}
STATUSES = {400, 413, 414, 431, 501, 505}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_and_closed(site, phone, name):
    """One refusal comes, then the end: what stands behind it is never taken for a request."""
    bytes_sent = REFUSED[name].replace(
        b"Content-Type", b"X-Device-Key: " + phone.device_key.encode() + b"\r\nContent-Type")
    with RawConnection(site.address, timeout=10) as connection:
        connection.send(bytes_sent)
        reply = connection.read_reply()
        if reply is not None:
            assert reply.status in STATUSES, f"{name}: {reply}"
            check_conventions(reply)
            assert reply.header("X-Request-Id") != "hidden"
        assert connection.is_closed()


def test_100_headers_are_taken(site):
    head = GET + b"".join(b"X-%d: 1\r\n" % index for index in range(99)) + b"\r\n"
    with RawConnection(site.address) as connection:
        connection.send(head)
        connection.read_reply().expect(200)


def test_requests_in_one_write_are_answered_in_order(site):
    with RawConnection(site.address) as connection:
        one = b"GET /health/live HTTP/1.1\r\nHost: herald\r\nX-Request-Id: %d\r\n\r\n"
        connection.send(b"".join(one % index for index in range(20)))
        replies = [connection.read_reply() for _ in range(20)]
        assert [reply.header("X-Request-Id") for reply in replies] == [str(n) for n in range(20)]


def test_request_that_comes_byte_by_byte(site, phone):
    key = b"X-Device-Key: " + phone.device_key.encode() + b"\r\n"
    request = POST + key + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;note=x\r\n}\r\n0\r\n\r\n"
    with RawConnection(site.address) as connection:
        for index in range(len(request)):
            connection.send(request[index:index + 1])
        connection.read_reply().expect(200)
        connection.send(GET + b"\r\n")
        connection.read_reply().expect(200)


def test_expect_continue(site, phone):
    key = b"X-Device-Key: " + phone.device_key.encode() + b"\r\n"
    with RawConnection(site.address) as connection:
        connection.send(POST + key + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert connection.read_reply().status == 100
        connection.send(b"{}")
        connection.read_reply().expect(200)


def test_expect_continue_with_a_wrong_key_is_refused_before_the_body(site):
    with RawConnection(site.address, source="127.0.9.2") as connection:
        head = POST.replace(b"/api/device/ping", b"/internal/v1/devices")
        connection.send(head + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        connection.read_reply().expect(401)


def test_unknown_expectation_is_417(site, phone):
    key = b"X-Device-Key: " + phone.device_key.encode() + b"\r\n"
    with RawConnection(site.address) as connection:
        connection.send(POST + key + b"Expect: miracles\r\nContent-Length: 2\r\n\r\n{}")
        connection.read_reply().expect(417)


def test_http_1_0_is_answered_and_closed(site):
    with RawConnection(site.address) as connection:
        connection.send(b"GET /health/live HTTP/1.0\r\n\r\n")
        connection.read_reply().expect(200)
        assert connection.is_closed()


def test_connection_close_is_obeyed(site):
    with RawConnection(site.address) as connection:
        connection.send(GET + b"Connection: close\r\n\r\n")
        connection.read_reply().expect(200)
        assert connection.is_closed()


def test_error_keeps_the_connection_when_the_framing_is_sound(core):
    core.get("/nowhere").expect(404)
    with RawConnection(core.address) as connection:
        connection.send(b"GET /nowhere HTTP/1.1\r\nHost: herald\r\n\r\n" + GET + b"\r\n")
        connection.read_reply().expect(404)
        connection.read_reply().expect(200)


def test_callers_that_vanish_do_no_harm(site, core):
    for cut in range(1, len(CHUNKED), 7):
        with RawConnection(site.address) as connection:
            connection.send(CHUNKED[:cut])
    core.get("/health/live").expect(200)
