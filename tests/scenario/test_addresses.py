"""Where herald says that it is: issuer, token_url, key set and metadata (contract sections 4 and 7;
RFC 8414), and what it still says where another identity service issues the tokens.
"""

import re

import pytest

from harness.exchange import TOKEN_PATH, Operator, fresh_source, read_token
from harness.http import Client
from harness.tools import eventually

METADATA = "/.well-known/oauth-authorization-server"
KEY_SET = "/.well-known/jwks.json"


def anybody(site):
    return Client(site.address, source=fresh_source())


def serve_anywhere(site, **changes):
    """`herald serve` on a port of its own choice, which it tells."""
    site.migrate()
    process = site.start("serve", changes={"HERALD_LISTEN": "127.0.0.1:0"} | changes)
    told = eventually(lambda: re.search(rb"listens on http://127\.0\.0\.1:(\d+)", process.output))
    assert told, process.describe_end()
    process.address = ("127.0.0.1", int(told[1]))
    process.wait_until_ready()


def places(told):
    return told["issuer"], told["token_endpoint"], told["jwks_uri"]


def test_free_port_stands_in_every_address(fresh_site):
    serve_anywhere(fresh_site)
    own = f"http://127.0.0.1:{fresh_site.address[1]}"
    told = anybody(fresh_site).get(METADATA).expect(200)
    assert places(told) == (own, own + TOKEN_PATH, own + KEY_SET)
    operator = Operator.of(fresh_site)
    integration = operator.create_integration().expect(201)
    assert operator.create_client(integration["id"]).expect(201)["token_url"] == own + TOKEN_PATH
    erp = operator.new_erp(integration)
    token = erp.fetch_token()
    assert read_token(token)[1]["iss"] == own
    assert erp.with_token(token).is_taken()


def test_public_url_counts_on_a_free_port(fresh_site):
    serve_anywhere(fresh_site, HERALD_PUBLIC_URL="https://api.example")
    told = anybody(fresh_site).get(METADATA).expect(200)
    assert places(told) == ("https://api.example", "https://api.example" + TOKEN_PATH,
                            "https://api.example" + KEY_SET)


def test_issuer_is_a_name_and_no_place(fresh_site):
    fresh_site.serve({"HERALD_PUBLIC_URL": "https://api.example/herald/",
                      "HERALD_ISSUER": "https://id.example/tenant/"})
    own = "https://api.example/herald"
    told = anybody(fresh_site).get(f"{METADATA}/tenant").expect(200)
    assert places(told) == ("https://id.example/tenant/", own + TOKEN_PATH, own + KEY_SET)
    erp = Operator.of(fresh_site).new_erp()
    assert erp.with_token(erp.fetch_token()).is_taken()


@pytest.mark.parametrize("issuer, path", [
    ("https://api.example", None), ("https://api.example/", None),
    ("https://api.example/a", "/a"), ("https://api.example/a/b%20c/", "/a/b%20c"),
])
def test_metadata_stand_at_the_path_of_their_issuer(fresh_site, issuer, path):
    """RFC 8414, section 3.1: behind the well-known path, not in front of it."""
    fresh_site.serve({"HERALD_ISSUER": issuer})
    client = anybody(fresh_site)
    told = client.get(METADATA).expect(200)
    assert told["issuer"] == issuer
    if path:
        reply = client.get(METADATA + path)
        assert reply.expect(200) == told
        assert reply.header("Cache-Control") == "public, max-age=300"
        assert client.request("HEAD", METADATA + path).status == 200
        client.post(METADATA + path, {}).expect(405, "method_not_allowed")
    for other in ("/other", "/", (path or "/x") + "/", (path or "") + "/more", "/A"):
        client.get(METADATA + other).expect(404, "not_found")


# --- tokens of another service


def test_tokens_are_not_offered_where_another_service_issues_them(outside):
    client = anybody(outside)
    for path in (KEY_SET, METADATA):
        client.get(path).expect(404, "not_found")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    reply = client.request("POST", TOKEN_PATH, raw=b"grant_type=client_credentials", headers=form)
    reply.expect(404, "not_found")


def test_no_secret_is_handed_out_that_nobody_takes(outside, service):
    """Neither a client's nor a key; what is there can be listed and ended."""
    operator = Operator.of(outside)
    integration = operator.create_integration().expect(201)
    for reply in (operator.create_client(integration["id"]),
                  operator.rotate_secret(integration["id"]), operator.rotate_signing_key()):
        reply.expect(409, "tokens_elsewhere")
        assert "HERALD_JWKS_URL" in reply.error["message"]
    assert operator.clients(integration["id"]).expect(200) == {"clients": [], "next_cursor": None}
    assert operator.signing_keys().expect(200) == {"keys": [], "next_cursor": None}
    erp = operator.new_outside_erp(integration)
    assert erp.with_token(service.token(outside, erp)).is_taken()


def test_document_tells_of_no_own_tokens(outside):
    document = anybody(outside).get("/openapi.json").expect(200)
    assert not {TOKEN_PATH, KEY_SET, METADATA} & set(document["paths"])
    scheme = document["components"]["securitySchemes"]["AccessToken"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")


def test_clients_of_before_are_listed_and_ended(engine, fresh_site, service):
    """An installation that moves to another identity service."""
    fresh_site.serve()
    operator = Operator.of(fresh_site)
    erp = operator.new_erp()
    secret_id = operator.client(erp.integration_id, erp.client_id)["secrets"][0]["id"]
    fresh_site.stop()
    fresh_site.serve({"HERALD_JWKS_URL": service.url, "HERALD_ISSUER": service.issuer})
    operator = Operator.of(fresh_site)
    operator.rotate_secret(erp.client_id).expect(409, "tokens_elsewhere")
    operator.revoke_secret(erp.client_id, secret_id).expect(204)
    operator.enable_client(erp.client_id, False).expect(204)
    assert operator.client(erp.integration_id, erp.client_id)["secrets"] == []


UNSET = b"HERALD_PUBLIC_URL is not set"


@pytest.mark.only("postgres")
def test_token_url_names_only_who_answers(fresh_site):
    """Contract, section 7 "herald's own URL": `herald api` answers no token endpoint, and is told of none."""
    fresh_site.migrate()
    worker, idp, api = (fresh_site.start(verb) for verb in ("worker", "idp", "api"))
    for process in (idp, api):
        process.wait_until_ready()
    operator = Operator.of(fresh_site, api)
    integration = operator.create_integration().expect(201)
    credentials = operator.create_client(integration["id"]).expect(201)
    assert credentials["token_url"] is None
    document = Client(api.address).get("/openapi.json").expect(200)
    assert document["components"]["securitySchemes"]["AccessToken"]["type"] == "http"
    told = Client(idp.address).get(METADATA).expect(200)
    assert told["token_endpoint"] == "http://{}:{}{}".format(*idp.address, TOKEN_PATH)
    shown = fresh_site.run("admin", "clients", "create", integration["id"], changes={
        "HERALD_LISTEN": "{}:{}".format(*api.address)})
    assert shown.returncode == 0 and "HERALD_PUBLIC_URL" in shown.stdout, shown.stdout
    for process in (worker, idp, api):
        assert eventually(lambda each=process: each.output.count(UNSET) == 1, 10)


@pytest.mark.only("postgres")
def test_public_url_is_the_token_url_of_all(fresh_site):
    fresh_site.migrate()
    public = {"HERALD_PUBLIC_URL": "https://herald.example"}
    started = [fresh_site.start(verb, changes=public) for verb in ("worker", "idp", "api")]
    for process in started[1:]:
        process.wait_until_ready()
    operator = Operator.of(fresh_site, started[2])
    integration = operator.create_integration().expect(201)
    credentials = operator.create_client(integration["id"]).expect(201)
    assert credentials["token_url"] == "https://herald.example" + TOKEN_PATH
    assert not any(UNSET in process.output for process in started)


def test_one_process_alone_needs_no_public_url(fresh_site):
    assert UNSET not in fresh_site.serve().output


@pytest.mark.only("postgres")
def test_own_identity_service_does_not_start_beside_another(fresh_site, service):
    fresh_site.migrate()
    done = fresh_site.run("idp", changes={"HERALD_JWKS_URL": service.url}, timeout=20)
    assert done.returncode != 0
    assert "HERALD_JWKS_URL" in done.stdout and "herald idp" in done.stdout


# --- what such a service may write


@pytest.mark.parametrize("client_id", ["erp", "ERP_of-shop-12", "x" * 128])
def test_client_of_another_service_by_its_own_id(outside, service, client_id):
    erp = Operator.of(outside).new_outside_erp()
    token = service.token(outside, erp, sub=client_id, client_id=client_id)
    for _ in range(2):  # the second time it is remembered
        assert erp.with_token(token).is_taken()


@pytest.mark.parametrize("client_id", ["", "x" * 129, "erp 12", "erp.12", "\u202eerp", "a\nb"])
def test_client_id_that_is_none(outside, service, client_id):
    erp = Operator.of(outside).new_outside_erp()
    token = service.token(outside, erp, sub=client_id, client_id=client_id)
    assert not erp.with_token(token).is_taken()


def test_dates_with_a_fraction(outside, service):
    """RFC 7519, section 2: NumericDate."""
    erp = Operator.of(outside).new_outside_erp()
    now = outside.clock.now().timestamp()
    good = service.token(outside, erp, iat=now - 0.25, nbf=now - 0.25, exp=now + 60.5)
    assert erp.with_token(good).is_taken()
    for changes in ({"exp": now - 0.5}, {"nbf": now + 35.5}, {"iat": now + 35.5}, {"exp": -0.5}):
        assert not erp.with_token(service.token(outside, erp, **changes)).is_taken()
    assert erp.with_token(service.token(outside, erp, exp=float(int(now) + 60))).is_taken()
