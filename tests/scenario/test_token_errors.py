"""The token endpoint refuses as RFC 6749 section 5.2 has it, whatever is wrong (contract section 4).

That every answer is {"error", "error_description"} in the characters of the RFC, with
Cache-Control: no-store, is demanded of each reply by harness/http.py.
"""

import base64
import json
from urllib.parse import urlencode

import pytest

from harness.exchange import (
    EVENTS_READ, FORM, MISSING_ID, SCOPES, TOKEN_PATH, Operator, fresh_source,
)
from harness.http import Client, RawConnection


WRONG_SECRET = "hs_" + "A" * 43


@pytest.fixture(scope="module")
def known(site):
    """One client for the whole module."""
    return Operator.of(site).new_erp(scopes=["erp.events.read", "erp.changes.write"])


@pytest.fixture
def erp(known):
    """The same, at an address of its own."""
    return known.at(known.address)


def encode(erp, *pairs):
    """A form of exactly these pairs; `ID` and `SECRET` stand for the client's own."""
    own = {"ID": erp.client_id, "SECRET": erp.client_secret}
    return urlencode([(name, own.get(value, value)) for name, value in pairs])


GRANT = ("grant_type", "client_credentials")
ID, SECRET = ("client_id", "ID"), ("client_secret", "SECRET")
GOOD = (GRANT, ID, SECRET)


def expect(reply, status, error):
    reply.expect(status, error)
    assert reply.header("Cache-Control") == "no-store"
    if status == 401:
        is_basic = (reply.header("WWW-Authenticate") or "Basic").startswith("Basic")
        assert is_basic, f"a challenge that nobody can answer: {reply}"


def test_the_form_that_is_varied_below_is_good(erp):
    erp.post_form(encode(erp, *GOOD)).expect(200)


# --- missing, empty, repeated


@pytest.mark.parametrize("pairs, status, error", [
    ((), 400, "invalid_request"),
    ((ID, SECRET), 400, "invalid_request"),
    ((("grant_type", ""), ID, SECRET), 400, "invalid_request"),
    ((GRANT,), 401, "invalid_client"),
    ((GRANT, ID), 401, "invalid_client"),
    ((GRANT, SECRET), 401, "invalid_client"),
    ((GRANT, ("client_id", ""), SECRET), 401, "invalid_client"),
    ((GRANT, ID, ("client_secret", "")), 401, "invalid_client"),
    ((GRANT, ("client_id", ""), ("client_secret", "")), 401, "invalid_client"),
    ((("GRANT_TYPE", "client_credentials"), ID, SECRET), 400, "invalid_request"),
])
def test_missing_or_empty_parameter(erp, pairs, status, error):
    expect(erp.post_form(encode(erp, *pairs)), status, error)


@pytest.mark.parametrize("repeated", [
    GRANT, ("grant_type", "password"), ID, ("client_id", MISSING_ID), SECRET,
    ("client_secret", WRONG_SECRET), ("scope", EVENTS_READ), ("audience", "x"), ("audience", "y"),
])
def test_repeated_parameter(erp, repeated):
    """Known or not (contract, section 4)."""
    pairs = (*GOOD, ("scope", EVENTS_READ), ("audience", "x"))
    for form in ((*pairs, repeated), (repeated, *pairs)):
        expect(erp.post_form(encode(erp, *form)), 400, "invalid_request")


def test_repetition_is_seen_behind_its_encoding(erp):
    form = encode(erp, *GOOD)
    expect(erp.post_form(f"{form}&%67rant_type=client_credentials"), 400, "invalid_request")
    expect(erp.post_form(f"{form}&client%5Fid={erp.client_id}"), 400, "invalid_request")


def test_parameter_without_a_value_is_as_if_it_were_not_there(erp):
    """RFC 6749, section 3.2."""
    form = encode(erp, *GOOD)
    for tail in ("&scope=", "&scope", "&colour=", "&", "&&"):
        answer = erp.post_form(form + tail).expect(200)
        assert sorted(answer["scope"].split()) == ["erp.changes.write", "erp.events.read"]


# --- grants and scopes


@pytest.mark.parametrize("grant", [
    "authorization_code", "password", "refresh_token", "implicit", "CLIENT_CREDENTIALS",
    "client_credentials ", " client_credentials", "client_credentials,password",
    "urn:ietf:params:oauth:grant-type:jwt-bearer", "x" * 5000, "\u0436", "client_credentials\n",
])
def test_unknown_grant(erp, grant):
    expect(erp.ask_token(grant_type=grant), 400, "unsupported_grant_type")


@pytest.mark.parametrize("scope", [
    "erp.everything", "erp.catalog.write", f"{EVENTS_READ} erp.catalog.write", " ".join(SCOPES),
    f"{EVENTS_READ} erp.everything", "ERP.EVENTS.READ", "erp.events", "erp.events.read.more",
    f"{EVENTS_READ},erp.changes.write", f'"{EVENTS_READ}"', "\u0436", "a\\b", "*", "x" * 5000,
    f"{EVENTS_READ}\terp.changes.write", f"{EVENTS_READ}\n", "openid",
])
def test_unknown_or_ungranted_scope(erp, scope):
    expect(erp.ask_token(scope=scope), 400, "invalid_scope")
    expect(erp.ask_token_by_basic(scope=scope), 400, "invalid_scope")


# --- who asks


@pytest.mark.parametrize("changes", [
    {"client_secret": WRONG_SECRET},
    {"client_secret": "hs_"},
    {"client_secret": "x" * 5000},
    {"client_secret": "\u0436"},
    {"client_id": MISSING_ID},
    {"client_id": "nobody"},
    {"client_id": "x" * 5000},
    {"client_id": "' OR 1=1 --"},
])
def test_unknown_client_or_wrong_secret(erp, changes):
    expect(erp.ask_token(**changes), 401, "invalid_client")
    reply = erp.ask_token_by_basic(**changes)
    expect(reply, 401, "invalid_client")
    assert reply.header("WWW-Authenticate").startswith("Basic ")


def test_secret_must_be_whole(erp):
    for secret in (erp.client_secret[:-1], erp.client_secret + "A", erp.client_secret.swapcase(),
                   " " + erp.client_secret, erp.client_secret + " ", erp.client_secret[3:]):
        expect(erp.ask_token(client_secret=secret), 401, "invalid_client")


def test_who_is_wrong_is_not_told(erp):
    """Nobody learns which clients there are."""
    replies = [erp.ask_token(client_secret=WRONG_SECRET), erp.ask_token(client_id=MISSING_ID),
               erp.ask_token(client_id="nobody")]
    assert len({reply.body for reply in replies}) == 1


def test_challenge_names_the_scheme_and_a_realm(erp):
    reply = erp.ask_token_by_basic(client_secret=WRONG_SECRET)
    assert 'realm="' in reply.header("WWW-Authenticate")


def basic(text):
    raw = text if isinstance(text, bytes) else text.encode()
    return f"Basic {base64.b64encode(raw).decode()}"


def own_basic(erp):
    return basic(f"{erp.client_id}:{erp.client_secret}")


@pytest.mark.parametrize("header", [
    "Basic", "Basic ", "Basic !!!", "Basic Zm9v", "Basic Zm9vOmJhcg", "Basic Zm9v OmJhcg==",
    basic(":"), basic("nobody:"), basic(":secret"), basic(b"\xff\xfe:\xff"), basic("a%zz:b"),
    basic("a\0b:c"), "Bearer abc", "Digest username=x", "basic", "Negotiate abc", "\u00e9",
    "Basic " + "A" * 9000,
])
def test_faulty_authorization_header(erp, header):
    sent = header.encode().decode("latin-1")
    reply = erp.post_form("grant_type=client_credentials", Authorization=sent)
    assert (reply.status, reply.code) in ((401, "invalid_client"), (400, "invalid_request"))
    if reply.status == 401:
        assert reply.header("WWW-Authenticate").startswith("Basic ")


@pytest.mark.parametrize("pairs", [
    (ID, SECRET), (SECRET,), (("client_secret", WRONG_SECRET),),
    (("client_id", MISSING_ID), SECRET),
])
def test_both_ways_of_authentication_at_once(erp, pairs):
    reply = erp.post_form(encode(erp, GRANT, *pairs), Authorization=own_basic(erp))
    expect(reply, 400, "invalid_request")


def test_two_different_clients_at_once(erp):
    reply = erp.post_form(encode(erp, GRANT, ("client_id", MISSING_ID)),
                          Authorization=own_basic(erp))
    assert (reply.status, reply.code) in ((400, "invalid_request"), (401, "invalid_client"))


def test_two_authorization_headers(site, erp):
    body = b"grant_type=client_credentials"
    with RawConnection(site.address, fresh_source()) as connection:
        connection.send((
            f"POST {TOKEN_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: {FORM}\r\n"
            f"Content-Length: {len(body)}\r\nAuthorization: {own_basic(erp)}\r\n"
            f"Authorization: {own_basic(erp)}\r\n\r\n").encode() + body)
        reply = connection.read_reply()
    assert reply.status in (400, 401) and b"access_token" not in reply.body


# --- the form of the request


@pytest.mark.parametrize("media_type", [
    "application/json", "text/plain", "multipart/form-data; boundary=x", "", "form",
    "application/x-www-form-urlencoded2", "application/x-www-form-urlencode", None,
])
def test_wrong_content_type(erp, media_type):
    raw = encode(erp, *GOOD).encode()
    headers = {"Content-Type": media_type} if media_type is not None else {"Content-Type": None}
    expect(erp.request("POST", TOKEN_PATH, raw=raw, headers=headers), 400, "invalid_request")


def test_json_is_no_form(erp):
    raw = json.dumps(erp.form()).encode()
    reply = erp.request("POST", TOKEN_PATH, raw=raw, headers={"Content-Type": "application/json"})
    expect(reply, 400, "invalid_request")
    expect(erp.post_form(raw), 400, "invalid_request")


def test_compressed_body(erp):
    reply = erp.post_form(encode(erp, *GOOD), Content_Encoding="gzip")
    assert reply.status in (400, 415) and reply.code == "invalid_request", f"{reply}"


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_any_other_method(erp, method):
    """RFC 6749, section 3.2: the client must use POST."""
    reply = erp.request(method, f"{TOKEN_PATH}?{encode(erp, *GOOD)}")
    assert reply.status == 405
    assert reply.header("Allow") == "POST"
    assert reply.code == "invalid_request"


def test_head_is_no_way_either(erp):
    assert erp.request("HEAD", TOKEN_PATH).status == 405


def test_parameters_of_the_url_do_not_count(erp):
    """RFC 6749, section 2.3.1: never in the URI."""
    good = encode(erp, *GOOD)
    for query, body in ((good, ""), (encode(erp, ID, SECRET), encode(erp, GRANT))):
        reply = erp.request("POST", f"{TOKEN_PATH}?{query}", raw=body.encode(),
                            headers={"Content-Type": FORM})
        assert reply.status in (400, 401) and b"access_token" not in reply.body
    answer = erp.request("POST", f"{TOKEN_PATH}?scope=erp.events.read", raw=good.encode(),
                         headers={"Content-Type": FORM})
    assert answer.status == 400 or len(answer.json["scope"].split()) == 2


@pytest.mark.parametrize("tail", ["%", "%4", "%zz", "%%", "%u0041", "%00", "a%00b"])
@pytest.mark.parametrize("name", ["scope", "grant_type"])
def test_faulty_percent_encoding(erp, name, tail):
    pairs = [pair for pair in GOOD if pair[0] != name]
    expect(erp.post_form(f"{encode(erp, *pairs)}&{name}={tail}"), 400, "invalid_request")


@pytest.mark.parametrize("value", ["%C3", "%ff", "%C0%80", "%ED%A0%80"])
@pytest.mark.parametrize("name, error", [
    ("scope", "invalid_scope"), ("grant_type", "unsupported_grant_type"),
])
def test_value_that_is_no_utf8(erp, name, error, value):
    pairs = [pair for pair in GOOD if pair[0] != name]
    reply = erp.post_form(f"{encode(erp, *pairs)}&{name}={value}")
    assert (reply.status, reply.code) in ((400, "invalid_request"), (400, error))


@pytest.mark.parametrize("name", ["client_id", "client_secret"])
def test_faulty_percent_encoding_of_the_credentials(erp, name):
    pairs = [pair for pair in GOOD if pair[0] != name]
    own = getattr(erp, name)
    for value in (f"{own}%", f"{own}%zz", f"{own}%00", f"{own}%ff"):
        reply = erp.post_form(f"{encode(erp, *pairs)}&{name}={value}")
        assert (reply.status, reply.code) in ((400, "invalid_request"), (401, "invalid_client"))


@pytest.mark.parametrize("raw", [
    b"\xff\xfe", b"\0", b"=", b"===", b"&=&", b"%", b"grant_type", b"\r\n\r\n",
    b"grant_type=client_credentials\0", b"{" * 1000, b"=client_credentials",
])
def test_body_that_is_no_form(erp, raw):
    reply = erp.post_form(raw)
    assert (reply.status, reply.code) in ((400, "invalid_request"), (401, "invalid_client"))
    assert b"access_token" not in reply.body


def test_body_that_is_too_large(erp):
    reply = erp.post_form(f"{encode(erp, *GOOD)}&pad={'x' * 70_000}")
    assert reply.status == 413, f"{reply}"
    erp.fetch_token()


def test_many_parameters(erp):
    """Neither a crash nor a second of work."""
    pairs = "&".join(f"p{index}=1" for index in range(6000))
    reply = erp.post_form(f"{encode(erp, *GOOD)}&{pairs}")
    assert reply.status in (200, 400)


def test_description_repeats_nothing_of_the_request(erp):
    """Whatever was sent does not come back in an answer."""
    canary = "canary<script>42"
    for changes in ({"grant_type": canary}, {"scope": canary}, {"client_id": canary},
                    {"client_secret": canary}):
        assert b"canary" not in erp.ask_token(**changes).body


def test_request_ids_come_with_errors_too(site):
    nobody = Client(site.address, source=fresh_source())
    reply = nobody.request("POST", TOKEN_PATH, raw=b"", headers={
        "Content-Type": FORM, "X-Request-Id": "mine"})
    assert reply.header("X-Request-Id") == "mine"
