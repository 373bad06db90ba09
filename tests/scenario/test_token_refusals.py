"""What the log says of a refused token: why, and whose it was; never the token.

Contract, section 1.
"""

import json

import pytest

from harness.exchange import Bearer, Operator, fresh_source
from harness.identity import SigningKey, encode_part
from harness.tools import eventually


@pytest.fixture(scope="module")
def erp(outside, service):
    made = Operator.of(outside).new_outside_erp()
    token = service.token(outside, made)
    bearer = Bearer(outside.address, token, made.integration_id)
    assert eventually(bearer.is_taken, 10)
    return made


def swap_signature(token, service):
    head, claims, _ = token.split(".")
    return f"{head}.{claims}.{encode_part(service.key.sign_bytes(b'something else'))}"


def refusal_of(outside, token, headers=None):
    """The fields of the entry that a refused request leaves in the log."""
    with outside.log_reader() as reader:
        bearer = Bearer(outside.address, token, "01900000-0000-7000-8000-000000000000",
                        source=fresh_source())
        reply = bearer.event(headers=headers or {})
        reply.expect(401, "unauthorized")
        entry = reader.wait_for_text(reply.header("X-Request-Id"))
        assert entry and entry["message"] == "authentication failed", entry
        if token:
            assert token not in reader.text and token.split(".")[-1] not in reader.text
    return entry["fields"]


def test_cause_and_client_of_a_good_signature(outside, service, erp):
    now = int(outside.clock.now().timestamp())
    rows = [
        ({"exp": now - 1}, "expired"),
        ({"nbf": now + 60}, "not_yet_valid"),
        ({"iss": "https://other.example"}, "wrong_issuer"),
        ({"aud": "other"}, "wrong_audience"),
        ({"sub": "somebody"}, "bad_claims"),
    ]
    for changes, cause in rows:
        fields = refusal_of(outside, service.token(outside, erp, **changes))
        assert (fields["cause"], fields["client_id"]) == (cause, erp.client_id), json.dumps(fields)


def test_what_is_not_signed_names_nobody(outside, service, erp):
    good = service.token(outside, erp)
    rows = [
        (None, "no_token"),
        ("nonsense", "malformed"),
        (service.key.sign(service.claims(outside, erp), alg="none"), "malformed"),
        (service.key.sign(service.claims(outside, erp), typ="dpop+jwt"), "wrong_type"),
        (swap_signature(good, service), "bad_signature"),
        (service.token(outside, erp, key=SigningKey()), "unknown_key"),
    ]
    for token, cause in rows:
        fields = refusal_of(outside, token)
        assert fields["cause"] == cause and "client_id" not in fields, json.dumps(fields)
