"""What messages mean: connections, expectations, upgrades, methods, ranges, conditions, content."""

from .http_cases import (
    CHUNKED, END, GET, HOST, INTERNAL_KEY, JSON, KEY, POST, half_closed, field, half_closed,
    last, refused, served, sized,
)

OLD_POST = b"POST /api/device/ping HTTP/1.0\r\n" + KEY + JSON
BODY = b"Content-Length: 2\r\n\r\n{}"
H2C = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__"
WEBSOCKET = (b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
             b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
RANGES = b"Range: bytes=" + b",".join(b"%d-" % index for index in range(1000))
INTERNAL = b"X-Internal-API-Key: " + INTERNAL_KEY + b"\r\n"


def asked(method, path, more=b""):
    return method + b" " + path + b" HTTP/1.1\r\n" + HOST + more + END


CONNECTION = {
    "close": last("9112 9.6", field(b"Connection: close"), 200),
    "close in capitals": last("9110 7.6.1", field(b"Connection: CLOSE"), 200),
    "close in a list": last("9112 9.3", field(b"Connection: keep-alive, close"), 200),
    "close in a second line":
    last("9112 9.3", field(b"Connection: keep-alive\r\nConnection: close"), 200),
    "close behind empty elements": last("9110 5.6.1", field(b"Connection: ,, close"), 200),
    "close with a body": last("9112 9.6", POST + b"Connection: close\r\n" + BODY, 200),
    "close of an error":
    last("9112 9.6", asked(b"GET", b"/nowhere", b"Connection: close\r\n"), 404),
    "close in quotes is another word": served("9110 7.6.1", field(b'Connection: "close"'), 200),
    "keep-alive": served("9112 9.3", field(b"Connection: keep-alive"), 200),
    "an empty Connection": served("9110 5.6.1", field(b"Connection:"), 200),
    "an option that nobody knows": served("9110 7.6.1", field(b"Connection: X-One"), 200),
    "Host as an option": served("9110 7.6.1", field(b"Connection: Host, Content-Length"), 200),
    "Keep-Alive": served("9112 9.3", field(b"Keep-Alive: timeout=1, max=1"), 200),
    "Proxy-Connection": served("9112 C.2.2", field(b"Proxy-Connection: close"), 200),
    "HTTP/1.0 with a body": last("9112 9.3", OLD_POST + BODY, 200),
    "HTTP/1.0 with a body, and that stays":
    served("9112 9.3", OLD_POST + b"Connection: keep-alive\r\n" + BODY, 200),
    "an empty line behind a body": served("9112 2.2", sized(b"2") + END, 200),
}

PIPELINES = {
    "twenty requests": served("9112 9.3.2", (GET + END) * 20, *[200] * 20),
    "bodies between requests":
    served("9112 9.3.2", GET + END + sized(b"2") + GET + END + CHUNKED
           + b"2\r\n{}\r\n0\r\n\r\n" + GET + END, 200, 200, 200, 200, 200),
    "errors between requests":
    served("9112 9.3.2", asked(b"GET", b"/nowhere") + GET + END + asked(b"PUT", b"/health/live")
           + GET + END, 404, 200, 405, 200),
    "HEAD between requests":
    served("9112 9.3.2", GET + END + asked(b"GET", b"/nowhere") + GET + END, 200, 404, 200),
    "one that is refused":
    last("9112 9.3.2", GET + END + field(b"X-One : 1"), 200, 400),
    "one that is refused within its body":
    last("9112 9.3.2", GET + END + CHUNKED + b"zz\r\n", 200, 400),
    "one that is the last": last("9112 9.6", GET + END + field(b"Connection: close"), 200, 200),
}

HALF_CLOSED = {
    "behind a request": half_closed("9112 9.6", GET + END, 200),
    "behind a body": half_closed("9112 9.6", sized(b"2"), 200),
    "behind three requests": half_closed("9112 9.6", (GET + END) * 3, 200, 200, 200),
    "without a byte": half_closed("9112 8", b"", {0}),
    "in the request line": half_closed("9112 8", b"GET /health/li", {0, 400}),
    "in a field": half_closed("9112 8", GET + b"X-One", {0, 400}),
    "before the empty line": half_closed("9112 8", GET, {0, 400}),
    "behind a request, in the next one":
    half_closed("9112 8", GET + END + b"GET /health", 200, {0, 400}),
}

EXPECTATIONS = {
    "met by the body that came with it":
    served("9110 10.1.1", POST + b"Expect: 100-continue\r\n" + BODY, {100, 200}),
    "in capitals": served("9110 10.1.1", POST + b"Expect: 100-CONTINUE\r\n" + BODY, {100, 200}),
    "of no body": served("9110 10.1.1", field(b"Expect: 100-continue"), 200),
    "of HTTP/1.0": last("9110 10.1.1", OLD_POST + b"Expect: 100-continue\r\n" + BODY, 200),
    "another": refused("9110 10.1.1", POST + b"Expect: miracles\r\n" + BODY, {200, 417}),
    "another beside it":
    refused("9110 10.1.1", POST + b"Expect: 100-continue, x=y\r\n" + BODY, {200, 417}),
    "another of HTTP/1.0": last("9110 10.1.1", OLD_POST + b"Expect: miracles\r\n" + BODY, 200),
    "empty": served("9110 5.6.1", field(b"Expect:"), 200),
    "empty elements": served("9110 5.6.1", field(b"Expect: , 100-continue ,"), 200),
}

UPGRADES = {
    "h2c": served("9110 7.8", field(H2C), 200),
    "websocket": served("9110 7.8", field(WEBSOCKET), 200),
    "without Connection": served("9110 7.8", field(b"Upgrade: h2c"), 200),
    "of HTTP/1.0": last(
        "9110 7.8", b"GET /health/live HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        200),
    "a list of protocols": served(
        "9110 7.8", field(b"Connection: Upgrade\r\nUpgrade: TLS/1.0, HTTP/3.0"), 200),
    "TE": served("9110 10.1.4", field(b"Connection: TE\r\nTE: trailers, deflate;q=0.5"), 200),
}

METHODS = {
    "HEAD": served("9110 9.3.2", asked(b"HEAD", b"/health/live"), 200),
    "HEAD of a document": served("9110 9.3.2", asked(b"HEAD", b"/openapi.json"), 200),
    "HEAD of a path that is not there": served("9110 9.3.2", asked(b"HEAD", b"/nowhere"), 404),
    "HEAD where GET is not": served("9110 9.1", asked(b"HEAD", b"/api/device/ping"), 405),
    "HEAD of a stream": served(
        "9110 9.3.2", asked(b"HEAD", b"/internal/v1/logs/stream", INTERNAL), 200),
    "HEAD of HTTP/1.0": last("9110 9.3.2", b"HEAD /health/live HTTP/1.0\r\n\r\n", 200),
    "OPTIONS": served("9110 9.3.7", asked(b"OPTIONS", b"/health/live"), {200, 204, 405}),
    "OPTIONS with Max-Forwards":
    served("9110 7.6.2", asked(b"OPTIONS", b"/health/live", b"Max-Forwards: 0\r\n"),
           {200, 204, 405}),
    "TRACE": served("9110 9.3.8", asked(b"TRACE", b"/health/live"), {405, 501}),
    "TRACE with a key": served("9110 9.3.8", asked(b"TRACE", b"/internal/v1/devices", INTERNAL),
                               {405, 501}),
    "PUT": served("9110 15.5.6", asked(b"PUT", b"/health/live"), 405),
    "DELETE": served("9110 15.5.6", asked(b"DELETE", b"/openapi.json"), 405),
    "GET in place of POST": served("9110 15.5.6", asked(b"GET", b"/api/device/ping"), 405),
    "without a key": served("9110 15.5.2", asked(b"GET", b"/internal/v1/devices"), 401),
    "X-HTTP-Method-Override": served(
        "9110 9.1", asked(b"GET", b"/health/live", b"X-HTTP-Method-Override: DELETE\r\n"), 200),
}

RANGES_AND_CONDITIONS = {
    "Range": served("9110 14.2", asked(b"GET", b"/openapi.json", b"Range: bytes=0-9\r\n"),
                    {200, 206}),
    "a Range that is not there": served(
        "9110 14.2", asked(b"GET", b"/openapi.json", b"Range: bytes=99999999-\r\n"), {200, 416}),
    "1,000 ranges": served("9110 14.2", field(RANGES), {200, 206, 416}),
    "a Range that is none": served("9110 14.2", field(b"Range: bytes=9-0"), {200, 416}),
    "a Range in a unit that nobody knows": served("9110 14.2", field(b"Range: lines=1-2"), 200),
    "Range of POST": served("9110 14.2", POST + b"Range: bytes=0-0\r\n" + BODY, 200),
    "If-Range": served("9110 13.1.5", field(b'If-Range: "a"\r\nRange: bytes=0-1'), 200),
    "If-None-Match": served("9110 13.1.2", field(b'If-None-Match: "a"'), 200),
    "If-Modified-Since, where nothing is dated": served(
        "9110 13.1.3", field(b"If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"), 200),
    "If-Modified-Since that is no date":
    served("9110 13.1.3", field(b"If-Modified-Since: yesterday"), 200),
    "If-Unmodified-Since that is no date":
    served("9110 13.1.4", field(b"If-Unmodified-Since: yesterday"), 200),
    "a condition of what is not there": served(
        "9110 13.2.1", asked(b"GET", b"/nowhere", b"If-None-Match: *\r\n"), 404),
}

CONTENT = {
    "a key before the media type is known": served(
        "9110 15.5.2", b"POST /internal/v1/devices HTTP/1.1\r\n" + HOST
        + b"Content-Type: text/plain\r\n" + BODY, 401),
    "another media type": served(
        "9110 15.5.16", POST.replace(b"application/json", b"text/plain") + BODY, 415),
    "a media type with parameters": served(
        "9110 8.3.1", POST.replace(b"json", b'json; charset="UTF-8" ; x=y') + BODY, 200),
    "a media type in capitals":
    served("9110 8.3.1", POST.replace(b"application/json", b"APPLICATION/JSON") + BODY, 200),
    "two media types":
    served("9110 8.3", POST + b"Content-Type: text/plain\r\n" + BODY, {200, 400, 415}),
    "a content coding": served("9110 8.4", POST + b"Content-Encoding: gzip\r\n" + BODY, 415),
    "a list of content codings":
    served("9110 8.4", POST + b"Content-Encoding: br\r\nContent-Encoding: gzip\r\n" + BODY, 415),
    "the content coding that is none":
    served("9110 8.4", POST + b"Content-Encoding: identity\r\n" + BODY, {200, 415}),
    "an Accept of what there is not":
    served("9110 12.5.1", field(b"Accept: image/png"), {200, 406}),
    "an Accept-Encoding of nothing":
    served("9110 12.5.3", field(b"Accept-Encoding: identity;q=0, *;q=0"), {200, 406, 415}),
    "an Accept that is none": served("9110 12.5.1", field(b"Accept: ;;;,,,"), 200),
    "a Date of another time": served("9110 6.6.1", field(b"Date: never"), 200),
    "a request id of two lines":
    served("9110 5.3", field(b"X-Request-Id: one\r\nX-Request-Id: two"), 200),
    "a request id beyond ASCII": served("9110 5.5", field(b"X-Request-Id: \xd0\xb4"), 200),
}

MEANING_TABLES = {
    "connection": CONNECTION,
    "pipeline": PIPELINES,
    "half-closed": HALF_CLOSED,
    "expectation": EXPECTATIONS,
    "upgrade": UPGRADES,
    "method": METHODS,
    "ranges and conditions": RANGES_AND_CONDITIONS,
    "content": CONTENT,
}
