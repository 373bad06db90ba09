"""Each library gets its token in each way that it knows, verifies it, and asks the API with it."""

from datetime import datetime, timezone

import pytest

from harness.exchange import AUDIENCE, EVENTS_READ, SCOPES, Operator, read_token
from harness.tools import eventually

# Language, program, and whether it verifies the token too.
FETCHERS = [
    ("node", "oauth4webapi", True),
    ("node", "openid-client", False),
    ("node", "simple-oauth2", False),
    ("python", "authlib_client", True),
    ("go", "tokenclient", False),
]
VERIFIERS = [("node", "jose"), ("python", "pyjwt_client")]
METHODS = ["basic", "post"]
KEY_LEAD_S = 320


def case_of(site, erp, **changes):
    base = f"http://{site.address[0]}:{site.address[1]}"
    return {
        "issuer": base,
        "token_url": f"{base}/v1/oauth/token",
        "jwks_url": f"{base}/.well-known/jwks.json",
        "event_url": f"{base}{erp.event_path('none')}",
        "audience": AUDIENCE,
        "client_id": erp.client_id,
        "client_secret": erp.client_secret,
        "scope": "",
        "method": "basic",
    } | changes


@pytest.fixture
def erp(site):
    return Operator.of(site).new_erp()


def check_token(token, erp, scope):
    assert token["token_type"].lower() == "bearer"
    assert 590 <= token["expires_in"] <= 600
    assert token["scope"].split() == scope.split()
    assert erp.with_token(token["access_token"]).event("none").status == 404


def check_claims(claims, site, erp):
    assert claims["iss"] == f"http://{site.address[0]}:{site.address[1]}"
    assert claims["aud"] == AUDIENCE
    assert claims["sub"] == claims["client_id"] == erp.client_id
    assert claims["integration_id"] == erp.integration_id


@pytest.mark.parametrize("scope", ["", EVENTS_READ])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("language, name, verifies", FETCHERS)
def test_token_by_each_way_of_authentication(site, erp, ask, language, name, verifies, method,
                                             scope):
    answer = ask(language, name, **case_of(site, erp, method=method, scope=scope))
    check_token(answer["token"], erp, scope or " ".join(SCOPES))
    assert answer["event_status"] == 404, "the API did not take the token"
    if verifies:
        check_claims(answer["claims"], site, erp)


def test_go_finds_out_by_itself_how_to_authenticate(site, erp, ask):
    answer = ask("go", "tokenclient", **case_of(site, erp, method="auto-detect"))
    check_token(answer["token"], erp, " ".join(SCOPES))


def test_oauth2_libraries_keep_the_token_for_as_long_as_they_should(site, erp, ask):
    assert ask("node", "simple-oauth2", **case_of(site, erp))["is_expired"] is False
    assert ask("go", "tokenclient", **case_of(site, erp))["token"]["is_valid"] is True


@pytest.mark.parametrize("name", ["oauth4webapi", "openid-client"])
def test_discovery_tells_what_holds(site, erp, ask, name):
    case = case_of(site, erp)
    told = ask("node", name, **case)["metadata"]
    assert told["issuer"] == case["issuer"]
    assert told["token_endpoint"] == case["token_url"]
    assert told["jwks_uri"] == case["jwks_url"]
    assert told["grant_types_supported"] == ["client_credentials"]
    assert set(told["token_endpoint_auth_methods_supported"]) == {
        "client_secret_basic", "client_secret_post"}
    assert set(told["scopes_supported"]) == set(SCOPES)


REFUSALS = {
    "wrong secret": ({"client_secret": "hs_" + "A" * 43}, "invalid_client"),
    "unknown client": ({"client_id": "01900000-0000-7000-8000-000000000000"}, "invalid_client"),
    "unknown scope": ({"scope": "erp.everything"}, "invalid_scope"),
}


@pytest.mark.parametrize("what", REFUSALS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("language, name, _", FETCHERS)
def test_refusal_is_understood(refusing_site, ask, language, name, _, method, what):
    refusing_site.clock.advance(61)
    erp = Operator.of(refusing_site).new_erp()
    changes, error = REFUSALS[what]
    case = case_of(refusing_site, erp, method=method, **changes)
    refused = ask(language, name, **case)["refused"]
    if refused["error"] == "challenge":  # these libraries hand on the challenge of a 401 instead
        assert error == "invalid_client" and refused["status"] == 401
        assert refused["challenges"][0]["scheme"] == "basic"
        return
    assert refused["error"] == error
    assert refused.get("status", 401) in ([401] if error == "invalid_client" else [400, 401])


@pytest.mark.parametrize("language, name", VERIFIERS)
def test_tokens_of_both_keys_are_verified_while_a_key_is_rotated(moving_site, ask, language, name):
    operator = Operator.of(moving_site)
    erp, clock = operator.new_erp(), moving_site.clock
    tokens = [dated(erp, clock.now())]
    operator.rotate_signing_key().expect(200)
    tokens.append(dated(erp, clock.now()))
    clock.advance(KEY_LEAD_S)
    assert eventually(lambda: kid_of(erp.fetch_token()) != kid_of(tokens[0]["token"]))
    tokens.append(dated(erp, clock.now()))
    verified = ask(language, name, **case_of(moving_site, erp, tokens=tokens))["verified"]
    for row in verified:
        assert row["header"]["alg"] == "EdDSA" and row["header"]["typ"] == "at+jwt"
        check_claims(row["claims"], moving_site, erp)
    kids = [row["header"]["kid"] for row in verified]
    assert kids[0] == kids[1] != kids[2]


def dated(erp, now):
    """A new token, and herald's time, at which it is to be judged."""
    return {"token": erp.fetch_token(), "at": int(now.timestamp()) + 1}


def kid_of(token):
    return read_token(token)[0]["kid"]


@pytest.mark.parametrize("language, name", VERIFIERS)
def test_verifiers_refuse_what_was_changed(site, erp, ask, language, name):
    token = dated(erp, datetime.now(timezone.utc))
    head, body, signature = token["token"].split(".")
    flipped = ("B" if signature[0] != "B" else "C") + signature[1:]
    token["token"] = f"{head}.{body}.{flipped}"
    refused = ask(language, name, **case_of(site, erp, tokens=[token]))["refused"]
    assert refused["error"] in ("ERR_JWS_SIGNATURE_VERIFICATION_FAILED", "InvalidSignatureError")
