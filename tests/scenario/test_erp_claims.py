"""Doc B section 5, contract section 4: a package is taken from its own tenant, integration and point.

The tokens are of an identity service from outside, which signs whatever the test wants.
"""

import pytest

from harness import catalog
from harness.exchange import Operator, fresh_source
from harness.http import RawConnection
from harness.packages import (
    BODY_MAX, CHANGES, SNAPSHOT, Sender, expect_acceptance, package_path,
)
from harness.tools import eventually, fresh_key

KINDS = {SNAPSHOT: catalog.snapshot, CHANGES: catalog.changes}
CLAIMS = ("tenant_id", "integration_id", "point_id")


@pytest.fixture
def erp(outside, service):
    made = Operator.of(outside).new_outside_erp()
    sender = sender_with(outside, service, made)
    assert eventually(sender.is_taken, 10)
    return made


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def sender_with(outside, service, erp, **claims):
    return Sender(outside.address, service.token(outside, erp, **claims), erp.integration_id)


def test_token_of_its_own_integration(outside, service, erp, kind):
    package = KINDS[kind]()
    sender = sender_with(outside, service, erp)
    expect_acceptance(sender.send(kind, package), package["event_id"], "accepted")


@pytest.mark.parametrize("name", CLAIMS)
def test_claim_of_another(outside, service, erp, kind, name):
    other = Operator.of(outside).create_integration().expect(201)
    values = {"tenant_id": other["tenant_id"], "integration_id": other["id"],
              "point_id": other["point_id"]}
    package = KINDS[kind]()
    for value in (values[name], fresh_key()):
        sender = sender_with(outside, service, erp, **{name: value})
        sender.send(kind, package).expect(403, "integration_mismatch")
        sender.event(package["event_id"]).expect(403, "integration_mismatch")
    own = sender_with(outside, service, erp)
    own.event(package["event_id"]).expect(404, "not_found")


@pytest.mark.parametrize("name", CLAIMS)
def test_claim_is_checked_before_the_size_and_the_body(outside, service, erp, kind, name):
    sender = sender_with(outside, service, erp, **{name: fresh_key()})
    sender.send(kind, b"{", key="x").expect(403, "integration_mismatch")
    sender.send(kind, KINDS[kind](), key="other").expect(403, "integration_mismatch")
    with RawConnection(outside.address, fresh_source(), timeout=10) as connection:
        connection.send(sender.head(kind, f"Content-Length: {BODY_MAX + 1}"))
        reply = connection.read_reply(f"POST {package_path(sender.integration_id, kind)}")
        reply.expect(403, "integration_mismatch")


def test_disabled_integration_takes_nothing(outside, service, erp, kind):
    operator, package = Operator.of(outside), KINDS[kind]()
    sender = sender_with(outside, service, erp)
    expect_acceptance(sender.send(kind, package), package["event_id"], "accepted")
    operator.change_integration(erp.integration_id, enabled=False).expect(200)
    for sent in (package, KINDS[kind]()):
        sender.send(kind, sent).expect(401, "unauthorized")
    operator.change_integration(erp.integration_id, enabled=True).expect(200)
    assert eventually(lambda: sender.send(kind, package).status == 202, 10)


def test_token_that_has_expired(outside, service, erp, kind):
    package = KINDS[kind]()
    sender = sender_with(outside, service, erp)
    expect_acceptance(sender.send(kind, package), package["event_id"], "accepted")
    outside.clock.advance(601)
    reply = sender.send(kind, package)
    reply.expect(401, "unauthorized")
    assert 'error="invalid_token"' in reply.header("WWW-Authenticate")
    fresh = sender_with(outside, service, erp)
    expect_acceptance(fresh.send(kind, package), package["event_id"], "duplicate")
