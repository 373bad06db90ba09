"""No secret of the exchange in any output, log, file or dump.

Contract, section 4; doc B, section 5.
"""

import base64
import re

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from harness.exchange import Bearer, Operator, decode_part, fresh_source
from harness.http import Client
from harness.tools import eventually, fresh_key

from test_secrets import stored_bytes

OWN_ERP_TOKEN = "canary-of-an-erp-token"


def walk(site):
    """A dialogue that uses every kind of secret, rightly and wrongly; returns the secrets."""
    operator = Operator.of(site)
    erp_tokens = [f"{OWN_ERP_TOKEN}-{fresh_key()}" for _ in range(2)]
    integration = operator.create_integration(erp={"token": erp_tokens[0]}).expect(201)
    operator.change_integration(integration["id"], erp={"token": erp_tokens[1]}).expect(200)
    operator.create_integration(erp={"token": erp_tokens[0] + "\n"}).expect(422)
    erp = operator.new_erp(integration)
    secrets = [erp.client_secret]
    secrets += [operator.rotate_secret(erp.client_id, overlap_seconds=60).expect(200)[
        "client_secret"] for _ in range(2)]
    erp = erp.with_secret(secrets[-1])
    tokens = [erp.fetch_token(), erp.ask_token_by_basic().expect(200)["access_token"]]
    use_wrongly(site, erp, tokens[0], secrets)
    for token in tokens:
        assert erp.with_token(token).is_taken()
    operator.rotate_signing_key().expect(200)
    secret_id = operator.client(integration["id"], erp.client_id)["secrets"][-1]["id"]
    operator.revoke_secret(erp.client_id, secret_id).expect(204)
    operator.enable_client(erp.client_id, False).expect(204)
    erp.ask_token().expect(401)
    return {"erp tokens": erp_tokens, "secrets": secrets, "tokens": tokens}


def use_wrongly(site, erp, token, secrets):
    """Where secrets do not belong: in URLs, in wrong fields, damaged."""
    path = erp.event_path("none")
    nobody = Client(site.address, source=fresh_source())
    nobody.get(f"{path}?access_token={token}").expect(401)
    nobody.get(f"/{token}").expect(404)
    nobody.get(f"/v1/oauth/token?client_secret={secrets[-1]}")
    nobody.get("/internal/v1/integrations", headers={"X-Internal-API-Key": token}).expect(401)
    Bearer(site.address, token + "x", erp.integration_id).event().expect(401)
    Bearer(site.address, secrets[-1], erp.integration_id).event().expect(401)
    erp.with_token(token).event(token[:120])
    erp.with_token(token).event(integration_id="01900000-0000-7000-8000-000000000000").expect(403)
    erp.ask_token(client_id=secrets[-1]).expect(401)
    erp.ask_token(scope=secrets[-1]).expect(400)
    erp.ask_token(client_secret=secrets[0]).expect(401)
    erp.post_form(f"{secrets[-1]}={secrets[-1]}")
    operator = Operator.of(site)
    operator.create_client(erp.integration_id, secret=secrets[-1]).expect(422)
    operator.revoke_secret(erp.client_id, secrets[-1]).expect(422)


def needles(found):
    """What must not be seen: the secrets, and the signatures and claims of the tokens."""
    for token in found["tokens"]:
        _, claims, signature = token.split(".")
        yield from (("a token", claims), ("a token", signature))
        yield "a token's claims", decode_part(claims).decode()
    for kind in ("secrets", "erp tokens"):
        for text in found[kind]:
            yield kind, text
            yield kind, base64.b64encode(text.encode()).decode()[:-4]


def demand_none(place, blob, found):
    seen = [kind for kind, text in needles(found) if text.encode() in blob]
    assert seen == [], f"{seen} in {place}"
    hexed = [kind for kind, text in needles(found) if text.encode().hex().encode() in blob]
    assert hexed == [], f"{hexed} in hex in {place}"


def test_secrets_of_the_exchange_are_nowhere(fresh_site):
    process = fresh_site.serve({"HERALD_LOG_LEVEL": "debug"})
    with fresh_site.log_reader(last_event_id=0, query="?level=debug") as reader:
        found = walk(fresh_site)
        reader.wait_until_quiet()
        log = reader.text.encode()
    assert log
    demand_none("the log stream", log, found)
    while_running = stored_bytes(fresh_site)
    fresh_site.stop()
    for place, blob in [*while_running.items(), *stored_bytes(fresh_site).items()]:
        demand_none(place, blob, found)
    demand_none("the output", process.output, found)


def test_private_keys_are_encrypted_at_rest(fresh_site):
    """No 32 bytes near a key id are the seed of that key."""
    fresh_site.serve()
    operator = Operator.of(fresh_site)
    operator.rotate_signing_key().expect(200)
    anybody = Client(fresh_site.address)
    eventually(lambda: len(anybody.get("/.well-known/jwks.json").json["keys"]) == 2)
    keys = anybody.get("/.well-known/jwks.json").expect(200)["keys"]
    assert len(keys) == 2
    public = {decode_part(key["x"]) for key in keys}
    fresh_site.stop()
    windows = 0
    for place, blob in stored_bytes(fresh_site).items():
        blob = with_hex_decoded(blob)
        for key in keys:
            for found in re.finditer(re.escape(key["kid"].encode()), blob):
                near = blob[max(0, found.start() - 400) : found.end() + 400]
                seeds = {near[at : at + 32] for at in range(len(near) - 31)}
                windows += len(seeds)
                assert not public & {public_of(seed) for seed in seeds}, f"a seed in {place}"
    assert windows > 100, "the keys were not found where they are kept"


def with_hex_decoded(blob):
    """pg_dump writes bytes as hex."""
    return re.sub(rb"\\\\x([0-9a-f]{2,})", lambda found: bytes.fromhex(found[1].decode()), blob)


def public_of(seed):
    key = Ed25519PrivateKey.from_private_bytes(seed).public_key()
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def test_wrong_secret_leaves_a_trace_for_the_operator(fresh_site):
    """A failed authentication is told of, without what was tried."""
    fresh_site.serve()
    erp = Operator.of(fresh_site).new_erp()
    wrong = "hs_" + "W" * 43
    with fresh_site.log_reader(last_event_id=0, query="?level=debug") as reader:
        erp.ask_token(client_secret=wrong).expect(401)
        entry = reader.wait_for(lambda row: row["fields"].get("operation") == "issueToken")
        assert entry["level"] == "warning" and entry["fields"]["address"] == erp.source
        assert wrong not in reader.text
