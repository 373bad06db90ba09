"""Contract section 1: what a body may be: its media type, coding, size and JSON."""

import base64
import json

import pytest

from harness.exchange import FORM, TOKEN_PATH, Operator
from harness.http import RawConnection, check_conventions
from harness.tools import fresh_key, fresh_number


BODY_MAX = 64 * 1024
PING_MAX = 16 * 1024


def padded(record, size):
    """The record as JSON of exactly that many bytes."""
    text = json.dumps(record).encode()
    return text + b" " * (size - len(text))


def challenge_body():
    return {"caller": fresh_number()}


def post_challenge(core, raw, **headers):
    sent = {"Idempotency-Key": fresh_key(), **headers}
    return core.request("POST", "/internal/v1/challenges", raw=raw, headers=sent)


def nested(depth):
    """A JSON object whose deepest array or object stands at that depth."""
    return b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


# --- media type and coding


@pytest.mark.parametrize("media_type", [
    "application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8",
    "Application/JSON", 'application/json; CHARSET="Utf-8"; x=y',
])
def test_json_is_taken(core, phone, media_type):
    raw = json.dumps(challenge_body()).encode()
    post_challenge(core, raw, **{"Content-Type": media_type}).expect(201)


@pytest.mark.parametrize("media_type", [
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
    "application/jsonp", "application/json-patch+json", "json", "",
])
def test_other_media_types_are_415(core, phone, media_type):
    headers = {"Content-Type": media_type}
    raw = json.dumps(challenge_body()).encode()
    post_challenge(core, raw, **headers).expect(415, "unsupported_media_type")


OTHER_CHARSETS = [
    "windows-1251", "ISO-8859-1", '"utf-16"', "us-ascii", '"Windows-1251"; x=y', "utf-8; charset=koi8-r",
]


@pytest.mark.parametrize("charset", OTHER_CHARSETS)
def test_other_charsets_are_415(core, phone, charset):
    headers = {"Content-Type": f"application/json; charset={charset}"}
    raw = json.dumps(challenge_body()).encode()
    reply = post_challenge(core, raw, **headers)
    reply.expect(415, "unsupported_media_type")
    assert headers["Content-Type"] in reply.error["message"], "what came is told"
    ping = phone.request("POST", "/api/device/ping", raw=b"{}", headers=headers)
    ping.expect(415, "unsupported_media_type")


def test_repeated_media_type_is_400(site, core, phone):
    """Contract, section 1: also where both say the same, and before any fault of the body."""
    client = Operator.of(site).new_erp()
    basic = base64.b64encode(f"{client.client_id}:{client.client_secret}".encode()).decode()
    json_type, text, form = (f"Content-Type: {name}" for name in ("application/json", "text/plain", FORM))
    internal = f"X-Internal-API-Key: {core.headers['X-Internal-API-Key']}"
    cases = [
        ("/internal/v1/challenges", internal, json_type, "bad_request"),
        ("/api/device/ping", f"X-Device-Key: {phone.device_key}", json_type, "bad_request"),
        (TOKEN_PATH, f"Authorization: Basic {basic}", form, "invalid_request"),
    ]
    for path, key, right, code in cases:
        for first, second in ((right, right), (right, text), (text, right.lower())):
            with RawConnection(core.address) as connection:
                lines = [f"POST {path} HTTP/1.1", "Host: herald", key, first, second,
                         "Content-Length: 2", "", "{}"]
                connection.send("\r\n".join(lines).encode())
                reply = connection.read_reply(f"POST {path}")
            check_conventions(reply)
            reply.expect(400, code)


@pytest.mark.parametrize("sent, told", [
    ("text/plain", '"text/plain"'), (None, "is missing"), ("", "is missing"),
    ("x" * 300, f'"{"x" * 100}" and more'), ("text/é\"", '"text/" and more'),
])
def test_415_tells_what_came(core, phone, sent, told):
    reply = post_challenge(core, b"{}", **{"Content-Type": sent})
    reply.expect(415, "unsupported_media_type")
    assert reply.error["message"].startswith("Content-Type ") and told in reply.error["message"]
    reply = post_challenge(core, b"{}", **{"Content-Encoding": "gzip"})
    assert 'Content-Encoding is "gzip"' in reply.error["message"]


def test_core_must_name_the_media_type_and_a_phone_may_leave_it_out(core, phone):
    left_out = {"Content-Type": None}
    raw = json.dumps(challenge_body()).encode()
    post_challenge(core, raw, **left_out).expect(415, "unsupported_media_type")
    phone.request("POST", "/api/device/ping", raw=b"{}", headers=left_out).expect(200)
    claim = json.dumps({"gateway_number": phone.number}).encode()
    phone.request("POST", "/device/v1/sms/claim", raw=claim, headers=left_out).expect(200)


def test_phone_that_names_another_media_type_is_415(phone):
    headers = {"Content-Type": "text/plain"}
    reply = phone.request("POST", "/api/device/ping", raw=b"{}", headers=headers)
    reply.expect(415, "unsupported_media_type")


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "identity", "zstd"])
def test_any_content_encoding_is_415(core, phone, coding):
    raw = json.dumps(challenge_body()).encode()
    reply = post_challenge(core, raw, **{"Content-Encoding": coding})
    reply.expect(415, "unsupported_media_type")
    headers = {"Content-Encoding": coding}
    reply = phone.request("POST", "/api/device/ping", raw=b"{}", headers=headers)
    reply.expect(415, "unsupported_media_type")


# --- size


def test_body_of_64_kib_is_taken_and_one_byte_more_is_413(core, phone):
    post_challenge(core, padded(challenge_body(), BODY_MAX)).expect(201)
    post_challenge(core, padded(challenge_body(), BODY_MAX + 1)).expect(413, "payload_too_large")
    ping = "/api/device/ping"
    phone.request("POST", ping, raw=padded({"app": "1.2"}, PING_MAX)).expect(200)
    too_large = padded({"app": "1.2"}, PING_MAX + 1)
    phone.request("POST", ping, raw=too_large).expect(413, "payload_too_large")


@pytest.mark.parametrize("media_type", ["application/json", None])
def test_body_that_is_required_has_a_byte(core, phone, media_type):
    reply = post_challenge(core, b"", **{"Content-Type": media_type})
    reply.expect(415 if media_type is None else 422)


def send_head(connection, core, extra):
    lines = [
        "POST /internal/v1/challenges HTTP/1.1", "Host: herald", "Content-Type: application/json",
        f"X-Internal-API-Key: {core.headers['X-Internal-API-Key']}",
        f"Idempotency-Key: {fresh_key()}", *extra, "", "",
    ]
    connection.send("\r\n".join(lines).encode())


def test_too_large_a_body_is_refused_before_it_is_read(core):
    with RawConnection(core.address, timeout=5) as connection:
        send_head(connection, core, ["Content-Length: 1073741824"])
        reply = connection.read_reply("POST /internal/v1/challenges")
        check_conventions(reply)
        reply.expect(413, "payload_too_large")


def test_chunked_body_is_held_to_the_same_size(core, phone):
    for size, status in ((BODY_MAX, 201), (BODY_MAX + 1, 413)):
        body = padded(challenge_body(), size)
        with RawConnection(core.address) as connection:
            send_head(connection, core, ["Transfer-Encoding: chunked"])
            for start in range(0, size, 10_000):
                part = body[start:start + 10_000]
                connection.send(b"%x\r\n%s\r\n" % (len(part), part))
            connection.send(b"0\r\n\r\n")
            reply = connection.read_reply("POST /internal/v1/challenges")
            check_conventions(reply)
            reply.expect(status)


# --- JSON


@pytest.mark.parametrize("raw", [
    b"", b" ", b"{", b"}", b'{"caller"', b'{"caller":}', b'{"caller":"+79160000001",}',
    b"{'caller':'+79160000001'}", b'{caller:"+79160000001"}', b"nul", b"tru", b"// x\n{}",
    b'{"a":01}', b'{"a":+1}', b'{"a":.5}', b'{"a":1.}', b'{"a":1e}', b'{"a":0x10}', b'{"a":-}',
    b'{"a":"\n"}', b'{"a":"\t"}', b'{"a":"\\x"}', b'{"a":"\\u12g4"}', b'{"a":"open}', b"\x00{}",
    b"\xef\xbb\xbf{}", b'{"a":1 "b":2}', b'{"a":[1,]}', b'{"a":[1 2]}',
], ids=repr)
def test_malformed_json_is_422(core, phone, raw):
    post_challenge(core, raw).expect(422, "validation_error")
    phone.request("POST", "/api/device/ping", raw=raw).expect(422, "validation_error")


@pytest.mark.parametrize("raw", [
    b'{"a":1}{"b":2}', b"{} x", b"{}}", b"{},", b"{}\x00", b"{} null",
], ids=repr)
def test_trailing_bytes_are_422(phone, raw):
    phone.request("POST", "/api/device/ping", raw=raw).expect(422, "validation_error")


@pytest.mark.parametrize("raw", [
    b'{"a":1,"a":1}', b'{"a":1,"b":2,"a":3}', b'{"deep":{"a":1,"a":2}}',
    b'{"list":[{"a":1,"a":2}]}',
    b'{"a":1,"\\u0061":2}',
], ids=repr)
def test_duplicate_keys_are_422(phone, raw):
    phone.request("POST", "/api/device/ping", raw=raw).expect(422, "validation_error")


def test_duplicate_key_of_the_core_is_422(core, phone):
    number = fresh_number()
    raw = f'{{"caller":"{number}","caller":"{number}"}}'.encode()
    post_challenge(core, raw).expect(422, "validation_error")


@pytest.mark.parametrize("raw", [
    b'{"a":"\\u0000"}', b'{"a":"x\\u0000y"}', b'{"\\u0000":1}', b'{"deep":[{"a":"\\u0000"}]}',
], ids=repr)
def test_nul_in_a_string_is_422(phone, raw):
    phone.request("POST", "/api/device/ping", raw=raw).expect(422, "validation_error")


@pytest.mark.parametrize("raw", [
    b'{"a":"\xff"}', b'{"a":"\xc0\xaf"}', b'{"a":"\xed\xa0\x80"}', b'{"a":"\xf4\x90\x80\x80"}',
    b'{"a":"\xe2\x82"}', b'{"\xff":1}',
], ids=repr)
def test_invalid_utf8_is_422(phone, raw):
    phone.request("POST", "/api/device/ping", raw=raw).expect(422, "validation_error")


@pytest.mark.parametrize("raw", [
    b'{"a":NaN}', b'{"a":Infinity}', b'{"a":-Infinity}', b'{"a":nan}', b'{"a":inf}',
], ids=repr)
def test_nan_and_infinity_are_422(phone, raw):
    phone.request("POST", "/api/device/ping", raw=raw).expect(422, "validation_error")


def test_nesting_of_64_is_taken_and_65_is_422(phone):
    phone.request("POST", "/api/device/ping", raw=nested(64)).expect(200)
    phone.request("POST", "/api/device/ping", raw=nested(65)).expect(422, "validation_error")
    deep = b'{"a":' * 30_000
    phone.request("POST", "/api/device/ping", raw=deep[:PING_MAX]).expect(422, "validation_error")


@pytest.mark.parametrize("raw", [b"[]", b'"text"', b"17", b"null", b"true"], ids=repr)
def test_body_that_is_no_object_is_422(core, phone, raw):
    post_challenge(core, raw).expect(422, "validation_error")
    phone.request("POST", "/api/device/ping", raw=raw).expect(422, "validation_error")


@pytest.mark.parametrize("raw", [
    b'{"a":"\\ud800"}', b'{"a":"\\udc00\\ud800"}', b'{"a":1e9999}', b'{"a":-0}', b'{"":1}',
    b'{"a":' + b"9" * 5000 + b"}", b'{"a":"' + b"\xf0\x9f\x98\x80" * 3000 + b'"}',
], ids=lambda raw: repr(raw[:24]))
def test_odd_json_is_never_a_mistake_of_herald(core, phone, raw):
    assert phone.request("POST", "/api/device/ping", raw=raw).status in (200, 422)
    post_challenge(core, raw).expect(422, "validation_error")


# --- strict and lenient


def test_core_is_held_to_the_known_properties(core, phone):
    cases = [
        ("/internal/v1/challenges", {**challenge_body(), "colour": "red"}),
        ("/internal/v1/otp", {"channel": "sms", "recipient": fresh_number(), "colour": "red"}),
        ("/internal/v1/devices", {"name": "x", "numbers": [fresh_number()], "colour": "red"}),
    ]
    for path, body in cases:
        reply = core.post(path, body, headers={"Idempotency-Key": fresh_key()})
        reply.expect(422, "validation_error")
        assert reply.fault_paths == ["colour"]
    path = f"/internal/v1/devices/{phone.device_id}"
    core.patch(path, {"enabled": True, "colour": 1}).expect(422, "validation_error")


def test_unknown_properties_of_a_phone_are_ignored(core, phone):
    ping = {"battery": 17, "sims": [{"slot": 1}]}
    assert phone.post("/api/device/ping", ping).expect(200)["ok"] is True
    assert phone.claim(battery=17).expect(200) == {"task": None}
    caller = fresh_number()
    core.create_challenge(caller, gateway_number=phone.number).expect(201)
    event = {"event_id": fresh_key(), "gateway_number": phone.number, "caller": caller,
             "occurred_at": "2026-01-01T00:00:00.000Z", "signal": {"dbm": -70}}
    phone.post("/api/events", event).expect(200)


# --- null


def test_null_for_what_may_be_left_out_is_left_out(core, ready_phone):
    """Contract section 1 "Bodies": in creations and actions; each member that is optional, by name."""
    challenge = core.create_challenge(fresh_number(), gateway_number=None, metadata=None).expect(201)
    assert challenge["gateway_number"]
    otp = core.create_otp(fresh_number(), gateway_number=None, account_id=None, ttl_seconds=None,
                          metadata=None).expect(201)
    core.fall_back(otp["id"], gateway_number=None).expect(409, "fallback_not_applicable")
    made = core.post("/internal/v1/devices", {
        "name": "p", "numbers": [fresh_number()], "accounts": None}).expect(201)
    core.pair(made["device_id"]).expect(201)
    key = core.post("/internal/v1/api-keys", {
        "name": "k", "role": "core", "expires_at": None, "test": None}).expect(201)
    assert (key["expires_at"], key["test"]) == (None, False)


@pytest.mark.parametrize("field", ["caller", "event_id"])
def test_null_for_what_is_required_is_422(core, phone, field):
    if field == "caller":
        core.create_challenge(None).expect(422, "validation_error")
    else:
        body = {"event_id": None, "gateway_number": phone.number, "caller": None,
                "occurred_at": "2026-01-01T00:00:00Z"}
        phone.post("/api/events", body).expect(422, "validation_error")


def test_null_in_a_change_is_no_member_left_out(site, core, phone):
    core.patch(f"/internal/v1/devices/{phone.device_id}", {"enabled": None}).expect(422)
    operator = Operator.of(site)
    integration = operator.create_integration(environment=None, absent=None).expect(201)
    assert (integration["environment"], integration["absent"]) == ("production", "remove")
    for member in ("name", "enabled", "absent", "erp"):
        operator.change_integration(integration["id"], **{member: None}).expect(422)
    operator.change_integration(integration["id"], max_archive_share=None).expect(200)
