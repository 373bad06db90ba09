"""Contract section 1: operations that take no body hold one to the same limits."""

import pytest

from harness.http import RawConnection, check_conventions
from harness.tools import fresh_number


BODY_MAX = 64 * 1024
MISSING_ID = "01900000-0000-7000-8000-000000000000"
BODILESS = {
    "health": ("GET", "/health/live"),
    "document": ("GET", "/openapi.json"),
    "devices": ("GET", "/internal/v1/devices"),
    "challenge": ("GET", f"/internal/v1/challenges/{MISSING_ID}"),
    "stream": ("GET", "/internal/v1/logs/stream"),
    "rotate": ("POST", f"/internal/v1/devices/{MISSING_ID}/rotate-key"),
    "cancel challenge": ("POST", f"/internal/v1/challenges/{MISSING_ID}/cancel"),
    "cancel code": ("POST", f"/internal/v1/otp/{MISSING_ID}/cancel"),
}


@pytest.fixture(params=BODILESS)
def operation(request):
    return BODILESS[request.param]


def head_of(operation, core, *extra):
    method, path = operation
    key = core.headers["X-Internal-API-Key"]
    lines = [f"{method} {path} HTTP/1.1", "Host: herald", f"X-Internal-API-Key: {key}", *extra]
    return "\r\n".join([*lines, "", ""]).encode()


def read_reply(connection, operation):
    reply = connection.read_reply(" ".join(operation))
    assert reply is not None, "the connection was closed without an answer"
    check_conventions(reply)
    return reply


@pytest.mark.parametrize("coding", ["gzip", "identity", "br"])
def test_content_encoding_is_415(core, operation, coding):
    method, path = operation
    reply = core.request(method, path, raw=b"{}", headers={"Content-Encoding": coding})
    reply.expect(415, "unsupported_media_type")


def test_content_encoding_without_a_body_is_415(core, operation):
    with RawConnection(core.address, timeout=5) as connection:
        connection.send(head_of(operation, core, "Content-Encoding: gzip"))
        read_reply(connection, operation).expect(415, "unsupported_media_type")


@pytest.mark.parametrize("size", [BODY_MAX + 1, 2**30])
def test_announced_body_over_64_kib_is_413(core, operation, size):
    """Before a byte of it is sent."""
    with RawConnection(core.address, timeout=5) as connection:
        connection.send(head_of(operation, core, f"Content-Length: {size}"))
        read_reply(connection, operation).expect(413, "payload_too_large")


def send_chunks(connection, size):
    """A body of that size in chunks; it may be refused before its end."""
    part = b"x" * 8192
    for start in range(0, size, len(part)):
        piece = part[:size - start]
        if not connection.send(b"%x\r\n%s\r\n" % (len(piece), piece)):
            return
    connection.send(b"0\r\n\r\n")


@pytest.mark.parametrize("size", [BODY_MAX + 1, 300_000])
def test_chunked_body_over_64_kib_is_413(core, operation, size):
    with RawConnection(core.address, timeout=5) as connection:
        connection.send(head_of(operation, core, "Transfer-Encoding: chunked"))
        send_chunks(connection, size)
        read_reply(connection, operation).expect(413, "payload_too_large")


@pytest.mark.parametrize("raw", [b"{}", b"no json", b" " * BODY_MAX], ids=lambda raw: str(len(raw)))
def test_small_body_changes_nothing(core, phone, raw):
    challenge = core.create_challenge(fresh_number()).expect(201)
    core.request("GET", "/health/live", raw=raw).expect(200)
    core.request("GET", f"/internal/v1/challenges/{challenge['id']}", raw=raw).expect(200)
    path = f"/internal/v1/challenges/{challenge['id']}/cancel"
    core.request("POST", path, raw=raw, headers={"Content-Type": "text/plain"}).expect(204)


def test_wrong_key_is_told_before_the_body(site):
    closed = [row for row in BODILESS.values() if row[1].startswith("/internal")]
    for method, path in closed:
        with RawConnection(site.address, source="127.0.10.1", timeout=5) as connection:
            connection.send(
                f"{method} {path} HTTP/1.1\r\nHost: herald\r\nContent-Encoding: gzip\r\n"
                f"Content-Length: {2**30}\r\n\r\n".encode())
            read_reply(connection, (method, path)).expect(401, "unauthorized")
