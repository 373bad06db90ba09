"""Contract, sections 4 and 5: what an integration may be told of its address, its brake and its point."""

import pytest

from harness.exchange import Operator, integration_input
from harness.shapes import INTEGRATION, check_shape
from harness.tools import at_once, fresh_key
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
    """Contract section 4 "The ERP's address": the token that is stored belongs to the address before."""
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


@pytest.mark.parametrize("url", ["HTTPS://erp.example/hs", "Https://ERP.example:443"])
def test_scheme_may_be_written_in_any_case(operator, integration, url):
    operator.change_integration(integration["id"], erp={"base_url": url}).expect(200)
    assert operator.integration(integration["id"]).expect(200)["erp"]["base_url"] == url
    refuse(operator.change_integration(integration["id"], erp={"base_url": "HTTP://erp.example"}),
           "erp.base_url")


@pytest.mark.parametrize("host, ascii_host", [
    ("магазин.рф", "xn--80aairftm.xn--p1ai"), ("Магазин.рф:8443/hs", "xn--80aairftm.xn--p1ai"),
    ("bücher.example", "xn--bcher-kva.example"), ("例え.テスト", "xn--r8jz45g.xn--zckzah")])
def test_name_beyond_ascii_is_told_in_its_other_form(operator, integration, host, ascii_host):
    for reply in (operator.create_integration(erp={"base_url": f"https://{host}"}),
                  operator.change_integration(
                      integration["id"], erp={"base_url": f"https://{host}", "token": "t"})):
        refuse(reply, "erp.base_url")
        assert f"{ascii_host}." in reply.error["fields"][0]["message"], reply


# --- its point


def twin_of(integration, **changes):
    return {name: integration[name] for name in ("tenant_id", "point_id")} | changes


def test_point_has_one_enabled_integration(operator, integration):
    """Contract section 4: checked when creating and when enabling; 409 names the other one."""
    reply = operator.create_integration(**twin_of(integration))
    reply.expect(409, "point_taken")
    assert reply.json["error"]["integration_id"] == integration["id"]
    operator.change_integration(integration["id"], enabled=False).expect(200)
    second = operator.create_integration(**twin_of(integration)).expect(201)
    reply = operator.change_integration(integration["id"], enabled=True, name="x")
    reply.expect(409, "point_taken")
    assert reply.json["error"]["integration_id"] == second["id"]
    kept = operator.integration(integration["id"]).expect(200)
    assert (kept["enabled"], kept["name"]) == (False, integration["name"])
    operator.change_integration(integration["id"], name="closed").expect(200)
    operator.change_integration(second["id"], enabled=False).expect(200)
    operator.change_integration(integration["id"], enabled=True).expect(200)
    operator.change_integration(integration["id"], enabled=True, name="again").expect(200)


def test_other_points_tenants_and_environments_are_free(operator, integration):
    assert integration["environment"] == "production"
    made = [operator.create_integration(**trial_of(integration)).expect(201),
            operator.create_integration(**twin_of(integration, point_id=fresh_key())).expect(201),
            operator.create_integration(**twin_of(integration, tenant_id=fresh_key())).expect(201)]
    assert [check_shape(row, INTEGRATION)["environment"] for row in made] == [
        "test", "production", "production"]
    operator.create_integration(**trial_of(integration)).expect(409, "point_taken")
    assert operator.integration(made[0]["id"]).expect(200) == made[0]


# --- where the orders of test points go


TRIAL_ERP = {"base_url": "https://trial.example/hs"}


def trial_of(integration, **erp):
    return twin_of(integration, environment="test", erp=TRIAL_ERP | erp)


@pytest.mark.parametrize("erp", [
    {"base_url": "https://erp.example"}, {"base_url": "https://ERP.example:443/"},
    {"base_url": "https://erp.example/svc", "order_path": "/v1/orders"},
    {"base_url": "HTTPS://erp.example"}, {"order_path": "//svc/v1/orders"},
    {"order_path": "/svc/v1/%6frders"}, {"order_path": "/svc/v1/orders/"},
    {"base_url": "https://erp.example/svc%2Fv1".replace("%2F", "//"), "order_path": "//o%72ders/"}])
def test_orders_of_a_test_point_never_go_to_production(operator, integration, erp):
    """Whoever comes second is refused; a place is an address with its path and the order's."""
    erp = {"base_url": "https://erp.example"} | erp
    refuse(operator.create_integration(**trial_of(integration, **erp)), "erp.base_url")
    trial = operator.create_integration(**trial_of(integration)).expect(201)
    refuse(operator.change_integration(trial["id"], erp=erp | {"token": "t"}), "erp.base_url")
    refuse(operator.change_integration(integration["id"], erp=TRIAL_ERP | {"token": "t"}),
           "erp.base_url")
    refuse(operator.create_integration(erp=TRIAL_ERP), "erp.base_url")
    for own in ({"base_url": "https://erp.example/trial"}, {"order_path": "/svc/v1/trial"}):
        operator.change_integration(trial["id"], erp=own | {"token": "t"}).expect(200)
    operator.change_integration(trial["id"], erp={"order_path": "/svc/v1/orders"}).expect(200)
    refuse(operator.change_integration(trial["id"], erp={"base_url": "https://erp.example"}),
           "erp.base_url")


@pytest.mark.parametrize("path", ["/svc/v1%2Forders", "/svc/v1/Orders", "/svc/v1/orders/x"])
def test_other_paths_are_other_places(operator, integration, path):
    erp = {"base_url": "https://erp.example", "order_path": path}
    operator.create_integration(**trial_of(integration, **erp)).expect(201)


def test_disabled_integrations_have_no_orders_delivered(operator, integration):
    """So they stand in nobody's way, until they are to be enabled again."""
    place = {"base_url": f"https://trial.example/{fresh_key()}", "token": "t"}
    trial = operator.create_integration(**trial_of(integration, **place)).expect(201)
    refuse(operator.change_integration(integration["id"], erp=place), "erp.base_url")
    operator.change_integration(trial["id"], enabled=False).expect(200)
    operator.change_integration(integration["id"], erp=place).expect(200)
    refuse(operator.change_integration(trial["id"], enabled=True), "erp.base_url")
    operator.change_integration(
        trial["id"], erp=place | {"order_path": "/other"}, enabled=True).expect(200)
    operator.change_integration(trial["id"], enabled=False).expect(200)
    operator.change_integration(
        trial["id"], erp=place | {"order_path": "/svc/v1/orders"}).expect(200)


def test_of_a_test_point_and_one_of_production_one_is_first(operator):
    """Also where both are made at one moment."""
    for index in range(6):
        place = {"base_url": f"https://race-{index}.example"}
        replies = at_once(2, lambda at: operator.create_integration(
            environment=("production", "test")[at], erp=place))
        assert sorted(reply.status for reply in replies) == [201, 422]


def test_environment_is_for_ever(operator, integration):
    refuse(operator.change_integration(integration["id"], environment="test"), "environment")
    for wrong in ("staging", "", "Test", 1):
        refuse(operator.create_integration(environment=wrong), "environment")


@pytest.mark.parametrize("count", [2, 16])
def test_point_is_given_once_however_many_want_it(operator, integration, count):
    twin = integration_input(**twin_of(integration, point_id=fresh_key()))
    made = at_once(count, lambda _: operator.post("/internal/v1/integrations", twin))
    assert sorted(reply.status for reply in made) == [201] + [409] * (count - 1)
    winner = next(reply.json for reply in made if reply.status == 201)
    operator.change_integration(winner["id"], enabled=False).expect(200)
    twins = []
    for _ in range(count):
        twins.append(operator.post("/internal/v1/integrations", twin).expect(201)["id"])
        operator.change_integration(twins[-1], enabled=False).expect(200)
    enabled = at_once(
        count, lambda index: operator.change_integration(twins[index], enabled=True))
    assert sorted(reply.status for reply in enabled) == [200] + [409] * (count - 1)
