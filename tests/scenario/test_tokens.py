"""Contract section 4; doc B sections 4 "Token" and 5: what is issued, and how long it is good."""

import base64
import hashlib
import hmac
import json
import time
from datetime import datetime, timedelta, timezone

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from harness.exchange import (
    AUDIENCE, EVENTS_READ, SCOPES, TOKEN_LIFE_S, TOKEN_PATH, Bearer, Operator, decode_part,
    fresh_source, read_token,
)
from harness.http import Client, RawConnection
from harness.identity import SigningKey, encode_part
from harness.shapes import TOKEN_ANSWER, check_shape, parse_time
from harness.site import free_port
from harness.tools import assert_ends_at, at_once

CLOCK = True
CLAIMS = {"iss", "sub", "client_id", "aud", "scope", "tenant_id", "integration_id", "point_id",
          "iat", "nbf", "exp", "jti"}


@pytest.fixture
def operator(site):
    return Operator.of(site)


@pytest.fixture
def erp(operator):
    return operator.new_erp()


@pytest.fixture
def anybody(site):
    return Client(site.address, source=fresh_source())


def base_url(site):
    return f"http://{site.address[0]}:{site.address[1]}"


# --- the answer


@pytest.mark.parametrize("way", ["ask_token", "ask_token_by_basic"])
def test_token_by_body_and_by_header(erp, way):
    reply = getattr(erp, way)()
    answer = check_shape(reply.expect(200), TOKEN_ANSWER)
    assert answer["scope"].split() == list(SCOPES)
    assert reply.header("Cache-Control") == "no-store"
    assert reply.header("Pragma") in (None, "no-cache")
    erp.with_token(answer["access_token"]).event().expect(404, "not_found")


def test_token_is_a_signed_jwt_of_rfc_9068(site, erp):
    before = int(site.clock.now().timestamp())
    header, claims = read_token(erp.fetch_token())
    assert set(header) == {"alg", "typ", "kid"}
    assert (header["alg"], header["typ"]) == ("EdDSA", "at+jwt")
    assert set(claims) == CLAIMS
    assert claims["iss"] == base_url(site)
    assert claims["sub"] == claims["client_id"] == erp.client_id
    assert claims["aud"] == AUDIENCE
    assert claims["scope"] == " ".join(SCOPES)
    for name in ("tenant_id", "point_id"):
        assert claims[name] == erp.integration[name]
    assert claims["integration_id"] == erp.integration_id
    assert claims["exp"] == claims["iat"] + TOKEN_LIFE_S
    assert claims["nbf"] <= claims["iat"]
    assert before <= claims["iat"] <= int(site.clock.now().timestamp())
    assert isinstance(claims["jti"], str) and claims["jti"]


def test_every_token_is_another(erp):
    tokens = [row for batch in at_once(8, lambda _: [erp.fetch_token() for _ in range(25)])
              for row in batch]
    assert len(set(tokens)) == 200
    assert len({read_token(token)[1]["jti"] for token in tokens}) == 200


@pytest.mark.parametrize("asked, got", [
    (None, " ".join(SCOPES)),
    ("", " ".join(SCOPES)),
    (EVENTS_READ, EVENTS_READ),
    ("erp.events.read erp.catalog.write", "erp.catalog.write erp.events.read"),
    (" ".join(SCOPES), " ".join(SCOPES)),
])
def test_scope_that_was_asked_for(erp, asked, got):
    answer = erp.ask_token(scope=asked).expect(200)
    assert sorted(answer["scope"].split()) == sorted(got.split())
    assert read_token(answer["access_token"])[1]["scope"] == answer["scope"]


def test_client_of_fewer_scopes_gets_no_more(operator):
    erp = operator.new_erp(scopes=["erp.changes.write"])
    answer = erp.ask_token().expect(200)
    assert answer["scope"] == "erp.changes.write"
    erp.with_token(answer["access_token"]).event().expect(403, "insufficient_scope")
    erp.ask_token(scope=EVENTS_READ).expect(400, "invalid_scope")


def test_scopes_may_be_separated_as_forms_do_it(erp):
    form = f"grant_type=client_credentials&client_id={erp.client_id}&client_secret=" \
        f"{erp.client_secret}&scope="
    for text in ("erp.events.read+erp.catalog.write", "erp.events.read%20erp.catalog.write"):
        answer = erp.post_form(form + text).expect(200)
        assert sorted(answer["scope"].split()) == ["erp.catalog.write", "erp.events.read"]


def percent(text):
    return "".join(f"%{byte:02X}" for byte in text.encode())


def test_every_character_may_be_percent_encoded(erp):
    grant = f"{percent('grant_type')}={percent('client_credentials')}"
    answer = erp.post_form(
        f"{grant}&client_id={percent(erp.client_id)}&client_secret={percent(erp.client_secret)}")
    answer.expect(200)


def test_basic_credentials_are_decoded_as_forms(erp):
    """RFC 6749, section 2.3.1: id and secret are form-encoded before they are joined."""
    pair = f"{percent(erp.client_id)}:{percent(erp.client_secret)}"
    header = f"Basic {base64.b64encode(pair.encode()).decode()}"
    erp.post_form("grant_type=client_credentials", Authorization=header).expect(200)


@pytest.mark.parametrize("word", ["Basic", "basic", "BASIC"])
def test_name_of_the_scheme_is_read_in_any_case(erp, word):
    erp.ask_token_by_basic(scheme=word).expect(200)


@pytest.mark.parametrize("media_type", [
    "application/x-www-form-urlencoded; charset=UTF-8",
    "application/x-www-form-urlencoded;charset=utf-8",
    "Application/X-WWW-Form-URLEncoded",
])
def test_form_by_any_of_its_names(erp, media_type):
    body = "&".join(f"{name}={value}" for name, value in erp.form().items())
    erp.post_form(body, Content_Type=media_type).expect(200)


def test_unknown_parameters_are_ignored(erp):
    """RFC 6749, section 3.2."""
    erp.ask_token(colour="red", audience="elsewhere", client_assertion="").expect(200)


def test_client_id_in_the_body_beside_basic_names_the_same_client(erp):
    erp.ask_token_by_basic(client_id=erp.client_id).expect(200)


def test_there_are_no_refresh_tokens(erp):
    assert "refresh_token" not in erp.ask_token().expect(200)
    erp.ask_token(grant_type="refresh_token", refresh_token="x").expect(
        400, "unsupported_grant_type")


# --- what is published


def test_key_set(anybody):
    reply = anybody.get("/.well-known/jwks.json")
    keys = reply.expect(200)["keys"]
    assert reply.header("Content-Type").split(";")[0] in (
        "application/json", "application/jwk-set+json")
    assert "max-age=300" in reply.header("Cache-Control").replace(" ", "").split(",")
    assert 1 <= len(keys) <= 3
    for key in keys:
        assert set(key) == {"kty", "crv", "alg", "use", "kid", "x"}
        assert (key["kty"], key["crv"], key["alg"], key["use"]) == (
            "OKP", "Ed25519", "EdDSA", "sig")
        assert 1 <= len(key["kid"]) <= 128 and len(decode_part(key["x"])) == 32
    assert len({key["kid"] for key in keys}) == len(keys)


def test_token_is_signed_by_a_published_key(anybody, erp):
    keys = {key["kid"]: key for key in anybody.get("/.well-known/jwks.json").expect(200)["keys"]}
    token = erp.fetch_token()
    signing, signature = token.rsplit(".", 1)
    key = keys[read_token(token)[0]["kid"]]
    public = Ed25519PublicKey.from_public_bytes(decode_part(key["x"]))
    public.verify(decode_part(signature), signing.encode())


def test_metadata_of_the_service(site, anybody):
    """RFC 8414."""
    reply = anybody.get("/.well-known/oauth-authorization-server")
    told = reply.expect(200)
    assert reply.header("Content-Type").split(";")[0] == "application/json"
    assert told["issuer"] == base_url(site)
    assert told["token_endpoint"] == f"{base_url(site)}{TOKEN_PATH}"
    assert told["jwks_uri"] == f"{base_url(site)}/.well-known/jwks.json"
    assert told["grant_types_supported"] == ["client_credentials"]
    assert sorted(told["token_endpoint_auth_methods_supported"]) == [
        "client_secret_basic", "client_secret_post"]
    assert sorted(told["scopes_supported"]) == sorted(SCOPES)
    assert isinstance(told["response_types_supported"], list)


def test_what_is_published_is_only_read(anybody):
    for path in ("/.well-known/jwks.json", "/.well-known/oauth-authorization-server"):
        assert anybody.request("HEAD", path).status == 200
        assert anybody.post(path, {}).expect(405, "method_not_allowed")


def test_public_url_is_the_issuer(fresh_site):
    public = "https://api.example:8443"
    fresh_site.serve({"HERALD_PUBLIC_URL": public})
    operator = Operator.of(fresh_site)
    integration = operator.create_integration().expect(201)
    credentials = operator.create_client(integration["id"]).expect(201)
    assert credentials["token_url"] == f"{public}{TOKEN_PATH}"
    erp = operator.new_erp(integration)
    token = erp.fetch_token()
    assert read_token(token)[1]["iss"] == public
    assert erp.with_token(token).is_taken()
    told = Client(fresh_site.address).get("/.well-known/oauth-authorization-server").expect(200)
    assert (told["issuer"], told["token_endpoint"], told["jwks_uri"]) == (
        public, f"{public}{TOKEN_PATH}", f"{public}/.well-known/jwks.json")


# --- how a token is sent


def test_name_of_the_scheme_bearer_is_read_in_any_case(site, erp):
    token = erp.fetch_token()
    for scheme in ("Bearer", "bearer", "BEARER"):
        assert Bearer(site.address, token, erp.integration_id, scheme=scheme).is_taken()


def test_without_a_token_it_is_401_with_a_challenge(site, erp):
    for nobody in (Bearer(site.address, None, erp.integration_id),
                   Bearer(site.address, erp.client_secret, erp.integration_id, scheme="Basic")):
        reply = nobody.event()
        reply.expect(401, "unauthorized")
        assert reply.header("WWW-Authenticate").startswith("Bearer")


@pytest.mark.parametrize("token", [
    "", "x", "x.y", "x.y.z", "..", "...", "a.b.c.d", "null", "\u00e9", "hs_" + "A" * 43,
    "hd_" + "A" * 43, "eyJhbGciOiJub25lIn0.e30.", "A" * 9000,
])
def test_what_is_no_token_is_401(site, erp, token):
    reply = Bearer(site.address, token.encode().decode("latin-1"), erp.integration_id).event()
    reply.expect(401, "unauthorized")
    assert "Bearer" in reply.header("WWW-Authenticate")


def test_bad_token_has_the_challenge_of_rfc_6750(site, erp):
    token = erp.fetch_token()
    reply = erp.with_token(token[:-4] + "AAAA").event()
    reply.expect(401, "unauthorized")
    challenge = reply.header("WWW-Authenticate")
    assert challenge.startswith("Bearer ") and 'error="invalid_token"' in challenge


def test_token_is_never_taken_from_the_url(site, erp):
    token = erp.fetch_token()
    nobody = Bearer(site.address, None, erp.integration_id)
    path = erp.event_path("none")
    for name in ("access_token", "token", "authorization", "Authorization", "bearer"):
        nobody.get(f"{path}?{name}={token}").expect(401, "unauthorized")
        nobody.get(f"{path}?{name}=Bearer%20{token}").expect(401, "unauthorized")


def test_token_in_any_other_header_is_none(site, erp):
    token = erp.fetch_token()
    nobody = Bearer(site.address, None, erp.integration_id)
    for name in ("X-Access-Token", "X-Device-Key", "X-Internal-API-Key", "Cookie",
                 "Proxy-Authorization", "X-Authorization"):
        nobody.event(headers={name: f"Bearer {token}"}).expect(401, "unauthorized")
        nobody.event(headers={name: token}).expect(401, "unauthorized")


@pytest.mark.parametrize("first, second", [
    ("Bearer {token}", "Bearer {token}"),
    ("Bearer {token}", "Bearer wrong"),
    ("Bearer wrong", "Bearer {token}"),
    ("Basic Zm9v", "Bearer {token}"),
])
def test_two_authorization_headers_are_refused(site, erp, first, second):
    token = erp.fetch_token()
    with RawConnection(site.address, fresh_source()) as connection:
        connection.send((
            f"GET {erp.event_path('none')} HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: {first.format(token=token)}\r\n"
            f"Authorization: {second.format(token=token)}\r\n\r\n").encode())
        assert connection.read_reply().status in (400, 401)


def test_token_opens_nothing_but_the_exchange(site, erp):
    token = erp.fetch_token()
    bearer = erp.with_token(token)
    bearer.get("/internal/v1/integrations").expect(401, "unauthorized")
    bearer.post("/api/device/ping", {}).expect(401, "unauthorized")


def test_internal_key_opens_no_event(site, operator, erp):
    operator.get(erp.event_path("none")).expect(401, "unauthorized")


def test_event_that_is_not_there(erp):
    """Any text of a path is an event id, percent-encoded."""
    bearer = erp.with_token(erp.fetch_token())
    for event_id in ("none", "catalog:2026-11-21T10:00:00", "changes:a/b:7", "\u0436", "%", "a b"):
        bearer.event(event_id).expect(404, "not_found")


# --- forged with what is published (test_tokens_forged.py has many more)


def forgeries(token, jwk):
    """What can be made of a good token without the private key."""
    header, claims = read_token(token)
    body = token.split(".")[1]
    stranger = SigningKey(header["kid"])
    yield "unsigned", f"{encode_part(header | {'alg': 'none'})}.{body}."
    yield "own key", stranger.sign(claims)
    yield "own key within", stranger.sign(claims, jwk=stranger.jwk())
    for secret in (decode_part(jwk["x"]), jwk["x"].encode()):
        signing = f"{encode_part(header | {'alg': 'HS256'})}.{body}"
        tag = hmac.new(secret, signing.encode(), hashlib.sha256).digest()
        yield "mac with the public key", f"{signing}.{encode_part(tag)}"
    more = encode_part(claims | {"exp": claims["exp"] + 3600})
    yield "longer life", token.replace(body, more)


def test_nobody_makes_a_token_of_what_is_published(site, anybody, erp):
    token = erp.fetch_token()
    kid = read_token(token)[0]["kid"]
    keys = anybody.get("/.well-known/jwks.json").expect(200)["keys"]
    jwk = next(key for key in keys if key["kid"] == kid)
    for what, forged in forgeries(token, jwk):
        reply = Bearer(site.address, forged, erp.integration_id).event()
        assert reply.status == 401, f"{what}: {reply}"
    assert erp.with_token(token).is_taken()


# --- how long a token is good


def test_token_is_dead_at_600_seconds_without_leeway(site, clock, erp):
    token, unseen = erp.fetch_token(), erp.fetch_token()
    bearer = erp.with_token(token)
    assert bearer.is_taken()
    exp = read_token(token)[1]["exp"]
    assert exp == read_token(unseen)[1]["exp"] or exp + 1 == read_token(unseen)[1]["exp"]
    end = datetime.fromtimestamp(exp, timezone.utc)
    clock.advance(int((end - clock.now()) / timedelta(seconds=1)) - 1)
    assert_ends_at(clock, end, lambda: bearer.event().status, good=404)
    time.sleep(max(0, (read_token(unseen)[1]["exp"] - clock.now().timestamp())))
    erp.with_token(unseen).event().expect(401, "unauthorized")


def test_token_that_was_never_seen_is_good_until_its_end(clock, erp):
    token = erp.fetch_token()
    clock.advance(TOKEN_LIFE_S - 3)
    assert erp.with_token(token).is_taken()
    clock.advance(3)
    assert not erp.with_token(token).is_taken()


def test_revoked_secret_leaves_the_last_token_its_time(operator, clock, erp):
    token = erp.fetch_token()
    secret_id = operator.client(erp.integration_id, erp.client_id)["secrets"][0]["id"]
    operator.revoke_secret(erp.client_id, secret_id).expect(204)
    erp.ask_token().expect(401, "invalid_client")
    bearer = erp.with_token(token)
    assert bearer.is_taken()
    end = datetime.fromtimestamp(read_token(token)[1]["exp"], timezone.utc)
    clock.advance(int((end - clock.now()) / timedelta(seconds=1)) - 1)
    assert_ends_at(clock, end, lambda: bearer.event().status, good=404)


def test_disabled_integration_refuses_its_tokens_at_once(operator, erp):
    """Also those that were found good before."""
    seen, unseen = erp.fetch_token(), erp.fetch_token()
    assert erp.with_token(seen).is_taken()
    operator.change_integration(erp.integration_id, enabled=False).expect(200)
    for token in (seen, unseen):
        erp.with_token(token).event().expect(401, "unauthorized")
    operator.change_integration(erp.integration_id, enabled=True).expect(200)
    for token in (seen, unseen):
        assert erp.with_token(token).is_taken()


def test_token_outlives_a_restart(fresh_site):
    fresh_site.port = free_port()  # the issuer stays the same
    fresh_site.serve()
    erp = Operator.of(fresh_site).new_erp()
    token = erp.fetch_token()
    kids = published_kids(fresh_site)
    fresh_site.restart()
    assert Bearer(fresh_site.address, token, erp.integration_id).is_taken()
    assert published_kids(fresh_site) == kids
    assert read_token(erp.at(fresh_site.address).fetch_token())[0] == read_token(token)[0]


def published_kids(site):
    keys = Client(site.address).get("/.well-known/jwks.json").expect(200)["keys"]
    return {key["kid"] for key in keys}


def test_two_installations_do_not_take_each_others_tokens(fresh_site, site, operator, erp):
    fresh_site.serve({"HERALD_PUBLIC_URL": base_url(site)})
    stranger = Operator.of(fresh_site).new_erp()
    token = stranger.fetch_token()
    assert read_token(token)[1]["iss"] == read_token(erp.fetch_token())[1]["iss"]
    Bearer(site.address, token, erp.integration_id).event().expect(401, "unauthorized")


# --- tokens of another integration, issued by herald itself


def test_token_of_one_integration_opens_no_other(operator):
    erps = [operator.new_erp() for _ in range(3)]
    tokens = [erp.fetch_token() for erp in erps]
    for holder, token in zip(erps, tokens):
        bearer = holder.with_token(token)
        for _ in range(2):  # the second time from what is remembered of the token
            for erp in erps:
                reply = bearer.event(integration_id=erp.integration_id)
                if erp is holder:
                    reply.expect(404, "not_found")
                else:
                    reply.expect(403, "integration_mismatch")


def test_unknown_integration_is_not_told_from_a_foreign_one(operator, erp):
    bearer = erp.with_token(erp.fetch_token())
    foreign = operator.create_integration().expect(201)["id"]
    replies = [bearer.event(integration_id=one)
               for one in (foreign, "01900000-0000-7000-8000-000000000000")]
    assert [reply.expect(403)["error"]["code"] for reply in replies] == ["integration_mismatch"] * 2
    assert len({reply.error["message"] for reply in replies}) == 1


def test_path_id_that_is_no_uuid(erp):
    bearer = erp.with_token(erp.fetch_token())
    bearer.get("/api/v1/integrations/erp/no-uuid/events/x").expect(404, "not_found")


# --- the limit on failed authentications


def test_after_20_wrong_secrets_429(clock, erp):
    guesser = erp.with_secret("hs_" + "A" * 43)
    for index in range(20):
        reply = guesser.ask_token() if index % 2 else guesser.ask_token_by_basic()
        reply.expect(401, "invalid_client")
    reply = guesser.ask_token()
    assert reply.status == 429, f"{reply}"
    assert 1 <= reply.retry_after <= 60
    wait = parse_time(reply.json["retry_at"]) - clock.now()
    assert abs(wait.total_seconds() - reply.retry_after) <= 1
    erp.fetch_token()
    clock.advance(61)
    guesser.ask_token().expect(401, "invalid_client")


def test_right_secret_among_wrong_ones(erp):
    """Whoever shares an address with a guesser gets a token all the same (contract, section 1, Keys)."""
    guesser = erp.with_secret("hs_" + "A" * 43)
    neighbour = erp.with_secret(erp.client_secret)
    neighbour.source = guesser.source
    for _ in range(25):
        guesser.ask_token()
    assert guesser.ask_token().status == 429
    for _ in range(5):
        neighbour.fetch_token()
        assert neighbour.ask_token_by_basic().status == 200
        assert guesser.ask_token().status == 429


def test_after_20_bad_tokens_429(site, clock, erp):
    token = erp.fetch_token()
    guesser = erp.with_token(token[:-4] + "AAAA")
    for _ in range(20):
        guesser.event().expect(401, "unauthorized")
    reply = guesser.event()
    reply.expect(429, "rate_limited")
    assert 1 <= reply.retry_after <= 60
    assert erp.with_token(token).is_taken()
    wrong = guesser.headers["Authorization"]
    guesser.headers["Authorization"] = f"Bearer {token}"
    assert guesser.is_taken(), "a right token is never refused for wrong ones"
    guesser.headers["Authorization"] = wrong
    guesser.event().expect(429, "rate_limited")
    clock.advance(61)
    guesser.event().expect(401, "unauthorized")


def test_refusals_that_are_no_failed_authentication_do_not_count(operator, erp):
    limited = operator.new_erp(erp.integration, scopes=["erp.changes.write"])
    bearer = limited.with_token(limited.fetch_token())
    for _ in range(25):
        bearer.event().expect(403, "insufficient_scope")
        limited.ask_token(scope=EVENTS_READ).expect(400, "invalid_scope")
        limited.ask_token(grant_type="password").expect(400, "unsupported_grant_type")
    limited.fetch_token()


# --- processes


@pytest.mark.only("postgres")
def test_identity_service_of_its_own(fresh_site):
    """`herald idp` issues, `herald api` takes the tokens; both are on one PostgreSQL."""
    fresh_site.migrate()
    public = {"HERALD_PUBLIC_URL": "https://id.example"}
    fresh_site.start("worker", changes=public)
    idp, api = (fresh_site.start(verb, changes=public) for verb in ("idp", "api"))
    for process in (idp, api):
        process.wait_until_ready()
    operator = Operator.of(fresh_site, api)
    erp = operator.new_erp()
    erp = erp.at(idp.address)
    for _ in range(3):
        token = erp.fetch_token()
        assert Bearer(api.address, token, erp.integration_id).is_taken()
    kid = read_token(token)[0]["kid"]
    published = Client(idp.address).get("/.well-known/jwks.json").expect(200)["keys"]
    assert kid in {key["kid"] for key in published}
    Client(idp.address).get("/.well-known/oauth-authorization-server").expect(200)
    Operator(idp.address, fresh_site.internal_key).devices().expect(404, "not_found")


@pytest.mark.only("sqlite")
def test_identity_service_of_its_own_needs_postgresql(fresh_site):
    done = fresh_site.run("idp")
    assert done.returncode != 0
    assert "PostgreSQL" in done.stdout


def test_openapi_tells_of_every_operation(anybody):
    document = anybody.get("/openapi.json").expect(200)
    told = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    wanted = {
        ("POST", TOKEN_PATH), ("GET", "/.well-known/jwks.json"),
        ("GET", "/.well-known/oauth-authorization-server"),
        ("POST", "/internal/v1/integrations"), ("GET", "/internal/v1/integrations"),
        ("GET", "/internal/v1/integrations/{id}"), ("PATCH", "/internal/v1/integrations/{id}"),
        ("POST", "/internal/v1/integrations/{id}/clients"),
        ("GET", "/internal/v1/integrations/{id}/clients"),
        ("GET", "/internal/v1/signing-keys"), ("POST", "/internal/v1/signing-keys/rotate"),
    }
    assert wanted <= told, f"{wanted - told} are missing in {json.dumps(sorted(told))}"
    paths = " ".join(path for _, path in told)
    for tail in ("/rotate-secret", "/revoke-secret"):
        assert tail in paths
