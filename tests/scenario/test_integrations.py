"""Contract section 9.5, 9.12 and 9.22: what an integration may be told of its address, its brake and
its point."""

import pytest

from harness.exchange import Operator
from test_clients import refuse

CLOCK = True


@pytest.fixture
def operator(site):
    return Operator.of(site)


@pytest.fixture
def integration(operator):
    return operator.create_integration().expect(201)


# --- how much its snapshots may archive


def test_archive_share_is_of_the_integration_or_the_setting(operator, integration):
    assert integration["max_archive_share"] is None
    made = operator.create_integration(max_archive_share=0.25).expect(201)
    assert made["max_archive_share"] == 0.25
    for share in (0.5, 0, 1, 0.123456, None):
        changed = operator.change_integration(
            integration["id"], max_archive_share=share).expect(200)
        assert changed["max_archive_share"] == share
        assert operator.integration(integration["id"]).expect(200) == changed
    operator.change_integration(integration["id"], max_archive_share=0.5).expect(200)
    assert operator.change_integration(integration["id"], name="x").expect(200)[
        "max_archive_share"] == 0.5, "what is not named stays"


@pytest.mark.parametrize("share", [1.000001, 2, -0.1, 0.1234567, "0.5", True])
def test_archive_share_is_a_number_from_0_to_1(operator, integration, share):
    refuse(operator.change_integration(integration["id"], max_archive_share=share),
           "max_archive_share")
    refuse(operator.create_integration(max_archive_share=share), "max_archive_share")


# --- its address and its token


@pytest.mark.parametrize("url", [
    "https://other.example", "https://erp.example:8443", "https://erp.example.evil",
    "https://erp.exampl", "https://[::1]"])
def test_new_address_needs_a_new_token(operator, integration, url):
    """Contract section 9.5: the token that is stored belongs to the address before."""
    refuse(operator.change_integration(integration["id"], name="x", erp={"base_url": url}),
           "erp.token")
    assert operator.integration(integration["id"]).expect(200) == integration
    moved = operator.change_integration(
        integration["id"], erp={"base_url": url, "token": "its-own"}).expect(200)
    assert moved["erp"]["base_url"] == url


def test_same_address_in_other_words_keeps_the_token(operator, integration):
    for url in ("https://erp.example/hs", "https://ERP.Example", "https://erp.example:443/a/b"):
        operator.change_integration(integration["id"], erp={"base_url": url}).expect(200)
        erp = operator.integration(integration["id"]).expect(200)["erp"]
        assert erp["base_url"] == url


# --- its point


def test_two_integrations_may_have_the_same_tenant_and_point(operator, integration):
    same = {name: integration[name] for name in ("tenant_id", "point_id", "name")}
    assert operator.create_integration(**same).expect(201)["id"] != integration["id"]
