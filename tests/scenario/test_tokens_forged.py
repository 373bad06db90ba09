"""Tokens that say anything at all, rightly signed or not: what is refused, and by which code.

The keys are those of an identity service that the test plays (HERALD_JWKS_URL), so that each claim
and each header can be forged under a good signature. Contract section 4.
"""

import base64
import hashlib
import hmac
import json
import uuid

import pytest

from harness.exchange import (
    AUDIENCE, EVENTS_READ, SCOPES, TOKEN_LIFE_S, Bearer, Operator, decode_part,
)
from harness.identity import (
    ISSUER, IdentityService, SigningKey, encode_part, outside_site,
)


ALL = " ".join(SCOPES)
TOKEN_MAX = 8192
KID_MAX = 128


@pytest.fixture(scope="module")
def service():
    with IdentityService(ISSUER) as made:
        for kid in ("k" * KID_MAX, "k" * (KID_MAX + 1), "../../etc/passwd", "' OR 1=1 --", "%00",
                    "\u0436" * KID_MAX):
            made.keys.append(SigningKey(kid))
        yield made


@pytest.fixture(scope="module")
def site(engine, service, tmp_path_factory):
    with outside_site(engine, tmp_path_factory.mktemp(engine), service) as made:
        yield made


@pytest.fixture(scope="module")
def operator(site):
    return Operator.of(site)


@pytest.fixture(scope="module")
def erp(operator):
    return operator.new_outside_erp()


@pytest.fixture
def forge(site, service, erp):
    """Makes a token with changed claims."""
    return lambda **changes: service.token(site, erp, **changes)


@pytest.fixture
def show(site, erp):
    """Shows a token to herald, from an address of its own."""
    return lambda token: Bearer(site.address, token, erp.integration_id).event()


def refuse(reply):
    reply.expect(401, "unauthorized")
    assert 'error="invalid_token"' in reply.header("WWW-Authenticate")


def test_token_that_is_varied_below_is_good(forge, show):
    show(forge()).expect(404, "not_found")


# --- claims


@pytest.fixture(scope="module")
def erps(operator):
    """Three integrations: the first two are points of one tenant."""
    first = operator.create_integration().expect(201)
    second = operator.create_integration(tenant_id=first["tenant_id"]).expect(201)
    third = operator.create_integration().expect(201)
    return [operator.new_outside_erp(one) for one in (first, second, third)]


def identity(erp):
    return {"integration_id": erp.integration_id, "tenant_id": erp.integration["tenant_id"],
            "point_id": erp.integration["point_id"]}


SWAPPED = [(name,) for name in ("integration_id", "tenant_id", "point_id")] + [
    ("integration_id", "tenant_id"), ("integration_id", "point_id"), ("tenant_id", "point_id"),
]


@pytest.mark.parametrize("names", SWAPPED)
def test_every_swap_of_who_the_token_is_for(site, service, erps, names):
    """The claims of one integration with some of another's open neither."""
    tried = 0
    for own in erps:
        for other in erps:
            claims = identity(own) | {name: identity(other)[name] for name in names}
            if claims in (identity(one) for one in erps):
                continue  # nothing was swapped, or all of it: an honest token
            tried += 1
            bearer = Bearer(site.address, service.token(site, own, **claims), own.integration_id)
            for path in erps:
                reply = bearer.event(integration_id=path.integration_id)
                reply.expect(403, "integration_mismatch")
    assert tried >= 2


def test_honest_tokens_open_their_own_integration_alone(site, service, erps):
    for own in erps:
        bearer = Bearer(site.address, service.token(site, own), own.integration_id)
        for path in erps:
            reply = bearer.event(integration_id=path.integration_id)
            reply.expect(404 if path is own else 403)


@pytest.mark.parametrize("scope", [
    "erp.catalog.write", "erp.changes.write", "erp.catalog.write erp.changes.write",
])
def test_token_without_the_scope(erps, site, service, scope):
    for own in erps:
        bearer = Bearer(site.address, service.token(site, own, scope=scope), own.integration_id)
        for path in erps:
            reply = bearer.event(integration_id=path.integration_id)
            reply.expect(403, "insufficient_scope")


@pytest.mark.parametrize("scope", [
    None, "", "erp.events", "erp.events.read.all", "ERP.EVENTS.READ", "erp.events.readerp", "*",
    "erp.catalog.write,erp.events.read", "xerp.events.read", 7, True, {}, {EVENTS_READ: True},
    "erp.events.read\u0000",
])
def test_scope_that_is_not_the_one(forge, show, scope):
    reply = show(forge(scope=scope))
    assert (reply.status, reply.code) in ((401, "unauthorized"), (403, "insufficient_scope"))


def test_other_scopes_beside_the_one_do_no_harm(forge, show):
    """An identity service from outside may know more scopes than herald."""
    show(forge(scope=f"openid {EVENTS_READ} other.scope")).expect(404, "not_found")


@pytest.mark.parametrize("audience", [
    "svc-integration-erp", "SVC-INTEGRATION-ERP-SERVICE", AUDIENCE + " ", "", ISSUER, None, 7,
    [], ["elsewhere"], {}, [[AUDIENCE]], [7], f"{AUDIENCE},elsewhere", {AUDIENCE: True},
])
def test_token_for_another_audience(erps, site, service, audience):
    for own in erps:
        token = service.token(site, own, aud=audience)
        refuse(Bearer(site.address, token, own.integration_id).event())


def test_audience_may_be_a_list(forge, show):
    """RFC 7519, section 4.1.3."""
    show(forge(aud=["elsewhere", AUDIENCE])).expect(404, "not_found")
    show(forge(aud=[AUDIENCE])).expect(404, "not_found")


@pytest.mark.parametrize("issuer", [
    "https://id.example/", "http://id.example", "https://ID.example", "https://id.example.evil",
    "id.example", "", None, 7, ["https://id.example"], "https://id.exampl",
])
def test_token_of_another_issuer(erps, site, service, issuer):
    for own in erps:
        token = service.token(site, own, iss=issuer)
        refuse(Bearer(site.address, token, own.integration_id).event())


@pytest.mark.parametrize("name", ["integration_id", "tenant_id", "point_id"])
@pytest.mark.parametrize("value", [None, "", "no-uuid", 7, [], {}, "*", "00" * 600])
def test_claim_that_names_nobody(forge, show, name, value):
    reply = show(forge(**{name: value}))
    assert (reply.status, reply.code) in (
        (401, "unauthorized"), (403, "integration_mismatch")), f"{reply}"


def test_refusals_come_in_the_order_of_the_contract(erps, site, service):
    """The token itself, then its scope, then whom it is for."""
    own, other = erps[0], erps[2]
    bad = service.token(site, own, scope="erp.changes.write", iss="https://elsewhere.example")
    refuse(Bearer(site.address, bad, own.integration_id).event(integration_id=other.integration_id))
    narrow = service.token(site, own, scope="erp.changes.write")
    reply = Bearer(site.address, narrow, own.integration_id).event(
        integration_id=other.integration_id)
    reply.expect(403, "insufficient_scope")


# --- times


@pytest.mark.parametrize("changes, is_good", [
    ({"exp": 2}, True),
    ({"exp": 0}, False),
    ({"exp": -1}, False),
    ({"exp": -TOKEN_LIFE_S}, False),
    ({"nbf": 27}, True),
    ({"nbf": 35}, False),
    ({"nbf": -3600}, True),
    ({"iat": 27}, True),
    ({"iat": 35}, False),
])
def test_times_against_the_clock(site, forge, show, changes, is_good):
    """Two seconds around each limit are left for the test's own slowness."""
    now = int(site.clock.now().timestamp())
    reply = show(forge(**{name: now + offset for name, offset in changes.items()}))
    reply.expect(404) if is_good else refuse(reply)


@pytest.mark.parametrize("value", [
    None, "", "9999999999", True, [], {}, -1, 0, 1.5e-300, [9999999999], 1e309,
])
def test_token_without_a_good_end(forge, show, value):
    refuse(show(forge(exp=value)))


@pytest.mark.parametrize("name", ["nbf", "iat"])
@pytest.mark.parametrize("value", ["", "soon", True, [], {}, 2**62, 1e300, 1e309])
def test_faulty_beginning(forge, show, name, value):
    refuse(show(forge(**{name: value})))


def test_end_may_have_a_fraction(site, forge, show):
    """RFC 7519: a NumericDate may be non-integer."""
    now = site.clock.now().timestamp()
    reply = show(forge(exp=int(now) + 60.5))
    assert reply.status in (401, 404)


# --- headers


@pytest.mark.parametrize("alg, is_good", [
    ("EdDSA", True), ("Ed25519", True), ("eddsa", False), ("ED25519", False), ("Ed448", False),
    ("ES256", False), ("RS256", False), ("HS256", False), ("none", False), ("None", False),
    ("", False), (None, False), (7, False), (["EdDSA"], False), ("EdDSA ", False),
    ("EdDSA\u0000", False),
])
def test_algorithm(site, service, erp, show, alg, is_good):
    reply = show(service.key.sign(service.claims(site, erp), alg=alg))
    reply.expect(404) if is_good else refuse(reply)


@pytest.mark.parametrize("alg", ["none", "None", "NONE", "nOnE"])
def test_unsigned_token(site, service, erp, show, alg):
    head = encode_part({"alg": alg, "typ": "at+jwt", "kid": service.key.kid})
    claims = encode_part(service.claims(site, erp))
    signed = service.key.sign_parts(head, claims).rsplit(".", 1)[1]
    for signature in ("", signed, encode_part(bytes(64)), "AA"):
        refuse(show(f"{head}.{claims}.{signature}"))


@pytest.mark.parametrize("alg, digest", [
    ("HS256", "sha256"), ("HS384", "sha384"), ("HS512", "sha512"),
])
def test_mac_with_the_public_key(site, service, erp, show, alg, digest):
    """The public key is no shared secret, in whatever form it is taken for one."""
    jwk = service.key.jwk()
    head = encode_part({"alg": alg, "typ": "at+jwt", "kid": service.key.kid})
    signing = f"{head}.{encode_part(service.claims(site, erp))}"
    for secret in (service.key.public_bytes, jwk["x"].encode(), service.key.public_pem,
                   json.dumps(jwk).encode(), b"", jwk["x"].encode() + b"="):
        tag = hmac.new(secret, signing.encode(), getattr(hashlib, digest)).digest()
        refuse(show(f"{signing}.{encode_part(tag)}"))


def test_key_that_comes_with_the_token(site, service, erp, show):
    own = SigningKey()
    claims = service.claims(site, erp)
    for kid in (service.key.kid, own.kid, None):
        refuse(show(own.sign(claims, kid=kid, jwk=own.jwk())))
        refuse(show(own.sign(claims, kid=kid, jwk=own.jwk(kid=service.key.kid))))
        refuse(show(own.sign(claims, kid=kid)))


@pytest.mark.parametrize("name", ["jwk", "jku", "x5u", "x5c", "x5t", "x5t#S256", "cty", "own"])
def test_header_that_points_to_a_key_is_passed_over(site, service, erp, show, name):
    """RFC 7515, section 4: what need not be understood is ignored; the key is that of `kid`."""
    with IdentityService(ISSUER) as stranger:
        value = {"jwk": stranger.key.jwk(), "jku": stranger.url, "x5u": stranger.url,
                 "x5c": [base64.b64encode(bytes(300)).decode()]}.get(name, encode_part(bytes(20)))
        claims = service.claims(site, erp)
        show(service.key.sign(claims, **{name: value})).expect(404, "not_found")
        for key, kid in ((stranger.key, stranger.key.kid), (stranger.key, service.key.kid),
                         (service.key, stranger.key.kid)):
            refuse(show(key.sign(claims, kid=kid, **{name: value})))
        assert stranger.fetches == 0, "herald asked where a token told it to"


@pytest.mark.parametrize("changes", [
    {"crit": ["exp"]}, {"crit": ["b64"], "b64": False}, {"b64": False}, {"crit": []},
    {"crit": ["herald"], "herald": 1}, {"crit": "exp"}, {"crit": ["crit"]}, {"crit": {}},
    {"crit": ["x5t"], "x5t": "a"},
])
def test_extension_that_must_be_understood(site, service, erp, show, changes):
    refuse(show(service.key.sign(service.claims(site, erp), **changes)))


@pytest.mark.parametrize("typ", ["JWTs", "jw", "dpop+jwt", "application/dpop+jwt", "logout+jwt", "", None, 7, "at"])
def test_token_of_another_type(site, service, erp, show, typ):
    """RFC 9068, section 4: an access token says that it is one."""
    refuse(show(service.key.sign(service.claims(site, erp), typ=typ)))


@pytest.mark.parametrize("typ", ["application/at+jwt", "JWT", "jwt", "application/jwt"])
def test_type_in_other_words(site, service, erp, show, typ):
    """RFC 9068, section 4: application/at+jwt is the same. Contract, section 4, rule 1: many services
    write JWT."""
    show(service.key.sign(service.claims(site, erp), typ=typ)).expect(404, "not_found")


@pytest.mark.parametrize("kid", [
    None, "", "unknown", 7, True, [], {}, ["k"], "k" * 4000, "\u0000", "a\u0000b",
])
def test_key_id_that_names_no_key(site, service, erp, show, kid):
    refuse(show(service.key.sign(service.claims(site, erp), kid=kid)))


def test_key_id_must_be_that_of_the_signer(site, service, erp, show):
    refuse(show(service.key.sign(service.claims(site, erp), kid=service.keys[1].kid)))
    refuse(show(service.keys[1].sign(service.claims(site, erp), kid=service.key.kid)))


def test_key_id_of_128_characters_and_no_more(site, service, erp, show):
    for key in service.keys[1:]:
        reply = show(key.sign(service.claims(site, erp)))
        reply.expect(404) if len(key.kid) <= KID_MAX else refuse(reply)


# --- the form of a token


def token_of_length(site, service, erp, length):
    """A good token of exactly so many characters."""
    head = {"alg": "EdDSA", "typ": "at+jwt", "kid": service.key.kid}
    claims = service.claims(site, erp)
    for spaces in range(4):
        start = encode_part(json.dumps(head).encode() + b" " * spaces)
        for pad in range(length * 3 // 4):
            size = len(start) + 2 + 86 + _encoded(len(json.dumps(claims | {"pad": "x" * pad})))
            if size == length:
                body = encode_part(claims | {"pad": "x" * pad})
                return service.key.sign_parts(start, body)
            if size > length:
                break
    raise AssertionError(f"no token has {length} characters")


def _encoded(count):
    return (count * 8 + 5) // 6


def test_longest_token_and_one_character_more(site, service, erp, show):
    for length in (TOKEN_MAX - 1, TOKEN_MAX):
        token = token_of_length(site, service, erp, length)
        assert len(token) == length
        show(token).expect(404, "not_found")
    refuse(show(token_of_length(site, service, erp, TOKEN_MAX + 1)))


def test_huge_token(site, service, erp, show):
    refuse(show(service.key.sign(service.claims(site, erp, pad="x" * 9000))))
    show(service.key.sign(service.claims(site, erp, pad="x" * 20_000))).expect(431)


def test_two_signatures(site, service, forge, show):
    token = forge()
    head, claims, signature = token.split(".")
    other = SigningKey().sign_parts(head, claims).rsplit(".", 1)[1]
    for tail in (f".{signature}", f".{other}", ".", f".{head}.{claims}.{signature}"):
        refuse(show(token + tail))
    refuse(show(f"{head}.{claims}.{signature}{other}"))


def test_json_serialisations(forge, show):
    head, claims, signature = forge().split(".")
    flat = {"payload": claims, "protected": head, "signature": signature}
    general = {"payload": claims, "signatures": [{"protected": head, "signature": signature}]}
    for value in (flat, general):
        text = json.dumps(value, separators=(",", ":"))
        refuse(show(text))
        refuse(show(encode_part(text.encode())))


def test_padding(forge, show):
    head, claims, signature = forge().split(".")
    pad = lambda part: part + "=" * (-len(part) % 4)  # noqa: E731
    refuse(show(f"{head}.{claims}.{pad(signature)}"))
    refuse(show(f"{head}.{claims}.{signature}="))
    refuse(show(f"{pad(head) if len(head) % 4 else head + '===='}.{claims}.{signature}"))


def test_padding_under_a_good_signature(site, service, erp, show):
    for spaces in range(3):
        head = {"alg": "EdDSA", "typ": "at+jwt", "kid": service.key.kid}
        raw = json.dumps(head).encode() + b" " * spaces
        padded = base64.urlsafe_b64encode(raw).decode()
        if "=" in padded:
            refuse(show(service.key.sign_parts(padded, encode_part(service.claims(site, erp)))))


def test_second_spelling_of_the_same_bytes(forge, show):
    """Unused bits of the last character: a token has one spelling."""
    token = forge()
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = alphabet.index(token[-1])
    twin = token[:-1] + alphabet[last ^ 1]
    assert decode_part(twin.split(".")[2]) == decode_part(token.split(".")[2])
    refuse(show(twin))


def test_plain_base64_is_not_base64url(site, service, erp, show):
    claims = json.dumps(service.claims(site, erp, pad="\u00ff\u00fe\u00fb?>~" * 20),
                        ensure_ascii=False).encode()
    plain = base64.b64encode(claims).decode().rstrip("=")
    assert "+" in plain or "/" in plain
    head = encode_part({"alg": "EdDSA", "typ": "at+jwt", "kid": service.key.kid})
    refuse(show(service.key.sign_parts(head, plain)))


@pytest.mark.parametrize("part", [0, 1, 2])
@pytest.mark.parametrize("change", ["empty", "flip", "cut", "newline", "space", "half"])
def test_damaged_part(forge, show, part, change):
    parts = forge().split(".")
    text = parts[part]
    flipped = ("B" if text[10] != "B" else "C")
    parts[part] = {
        "empty": "", "flip": text[:10] + flipped + text[11:], "cut": text[:-1],
        "newline": f"{text[:4]}%0A{text[4:]}", "space": f"{text[:4]} {text[4:]}",
        "half": text[: len(text) // 2],
    }[change]
    refuse(show(".".join(parts)))


@pytest.mark.parametrize("head", [
    b"", b"{}", b"[]", b"null", b'"EdDSA"', b"{", b'{"alg":"EdDSA"', b"\xff\xfe",
    b'{"alg":"EdDSA","typ":"at+jwt","kid":"%s"}x', b'{"alg":"EdDSA","typ":"at+jwt","kid":"%s",}',
    b'{"alg":"none","alg":"EdDSA","typ":"at+jwt","kid":"%s"}',
    b'{"alg":"EdDSA","alg":"EdDSA","typ":"at+jwt","kid":"%s"}',
    b'{"alg":"EdDSA","typ":"at+jwt","kid":"%s","kid":"x"}', b"[" * 3000,
    b'\xef\xbb\xbf{"alg":"EdDSA","typ":"at+jwt","kid":"%s"}',
])
def test_header_that_is_no_single_json_object(site, service, erp, show, head):
    text = head.replace(b"%s", service.key.kid.encode())
    claims = encode_part(service.claims(site, erp))
    refuse(show(service.key.sign_parts(encode_part(text), claims)))


@pytest.mark.parametrize("body", [
    b"", b"{}", b"[]", b"null", b"7", b"{", b"\xff\xfe", b"[" * 3000, b'{"a":1}',
    b"CLAIMSx", b"CLAIMS,", b'CLAIMS{"a":1}',
])
def test_claims_that_are_no_single_json_object(site, service, erp, show, body):
    text = body.replace(b"CLAIMS", json.dumps(service.claims(site, erp)).encode())
    head = encode_part({"alg": "EdDSA", "typ": "at+jwt", "kid": service.key.kid})
    refuse(show(service.key.sign_parts(head, encode_part(text))))


@pytest.mark.parametrize("name", ["exp", "scope", "integration_id", "aud", "iss"])
def test_claim_that_comes_twice(site, service, erp, show, name):
    """Two readers could read two tokens out of it."""
    claims = service.claims(site, erp)
    text = json.dumps(claims)[:-1] + f", {json.dumps(name)}: {json.dumps(claims[name])}}}"
    head = encode_part({"alg": "EdDSA", "typ": "at+jwt", "kid": service.key.kid})
    refuse(show(service.key.sign_parts(head, encode_part(text.encode()))))


def test_unknown_claims_and_headers_do_no_harm(site, service, erp, show):
    claims = service.claims(site, erp, groups=["x"], act={"sub": "y"}, pad=None)
    show(service.key.sign(claims, cty="x", note="y")).expect(404, "not_found")


def test_token_that_was_good_once_is_not_known_by_its_beginning(site, service, erp, show):
    """What is remembered of a token is the whole of it."""
    token = service.token(site, erp)
    show(token).expect(404)
    head, claims, signature = token.split(".")
    forged = encode_part(service.claims(site, erp, jti=str(uuid.uuid4())))
    refuse(show(f"{head}.{forged}.{signature}"))
    refuse(show(token[:-4] + ("AAAA" if token[-4:] != "AAAA" else "BBBB")))
    show(token).expect(404)


def test_weak_keys_and_signatures(site, service, erp, show):
    """Points of small order verify anything; a key set that names one does not make it good."""
    head = encode_part({"alg": "EdDSA", "typ": "at+jwt", "kid": service.key.kid})
    claims = encode_part(service.claims(site, erp))
    signature = bytes(64)
    refuse(show(f"{head}.{claims}.{encode_part(signature)}"))
    refuse(show(f"{head}.{claims}.{encode_part(bytes([1]) + bytes(63))}"))
    token = service.key.sign_parts(head, claims)
    low, high = split_signature(token)
    order = 2**252 + 27742317777372353535851937790883648493
    raised = (int.from_bytes(high, "little") + order).to_bytes(32, "little")
    refuse(show(f"{head}.{claims}.{encode_part(low + raised)}"))
    show(token).expect(404)


def split_signature(token):
    raw = decode_part(token.rsplit(".", 1)[1])
    return raw[:32], raw[32:]
