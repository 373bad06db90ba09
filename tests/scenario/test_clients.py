"""Contract section 4, operator operations: integrations, their workload clients and secrets."""

import pytest

from harness.exchange import (
    MISSING_ID, SCOPES, Erp, Operator, fresh_source, integration_input,
)
from harness.http import Client
from harness.shapes import (
    CLIENT_CREDENTIALS, INTEGRATION, WORKLOAD_CLIENT, check_shape, parse_time, seconds_between,
)
from harness.tools import assert_ends_at, at_once, fresh_key

CLOCK = True
CLIENTS_MAX = 50


@pytest.fixture
def operator(site):
    return Operator.of(site)


@pytest.fixture
def integration(operator):
    return operator.create_integration().expect(201)


def refuse(reply, *paths):
    """422, with a fault at each of these paths and at no other."""
    reply.expect(422, "validation_error")
    assert sorted(set(reply.fault_paths)) == sorted(paths), f"{reply}"


# --- integrations


def test_integration_is_as_it_was_asked_for(operator):
    asked = integration_input(name="\u041b\u0430\u0432\u043a\u0430 \u2116 1", erp={
        "base_url": "https://erp.example:8443/base", "order_path": "/svc/v2/orders",
        "timeout_seconds": 7})
    made = check_shape(operator.post("/internal/v1/integrations", asked).expect(201), INTEGRATION)
    assert (made["tenant_id"], made["point_id"]) == (asked["tenant_id"], asked["point_id"])
    assert made["name"] == asked["name"] and made["enabled"] is True
    assert made["erp"] == {"base_url": "https://erp.example:8443/base",
                           "order_path": "/svc/v2/orders", "timeout_seconds": 7}
    assert operator.integration(made["id"]).expect(200) == made


def test_erp_has_the_defaults_of_doc_b(integration):
    assert integration["erp"]["order_path"] == "/svc/v1/orders"
    assert integration["erp"]["timeout_seconds"] == 10


def test_erp_token_is_never_shown(operator):
    token = f"canary-{fresh_key()}"
    replies = [operator.create_integration(erp={"token": token})]
    integration_id = replies[0].expect(201)["id"]
    replies += [
        operator.integration(integration_id), operator.integrations("?limit=200"),
        operator.change_integration(integration_id, erp={"token": token + "-2"}),
        operator.change_integration(integration_id, erp={"token": token + "\r\n"}),
        operator.create_client(integration_id), operator.clients(integration_id),
    ]
    assert all(token.encode() not in reply.body for reply in replies)


def test_every_missing_field_of_an_integration_is_named(operator):
    refuse(operator.post("/internal/v1/integrations", {}), "tenant_id", "point_id", "name", "erp")
    refuse(operator.create_integration(erp={"base_url": None, "token": None}),
           "erp.base_url", "erp.token")


@pytest.mark.parametrize("field, good, bad", [
    ("name", ["x", "\u0436" * 200], ["", "\u0436" * 201, 7, None, ["x"]]),
    ("tenant_id", [MISSING_ID], ["", "1", MISSING_ID + "0", MISSING_ID[:-1] + "g", 7]),
    ("point_id", [MISSING_ID], ["", "1", MISSING_ID[:-1], MISSING_ID.replace("-", ""), 7]),
])
def test_limits_of_an_integration(operator, field, good, bad):
    for value in good:
        body = integration_input() | {field: value}
        assert operator.post("/internal/v1/integrations", body).expect(201)[field] == value
    for value in bad:
        body = integration_input() | {field: value}
        refuse(operator.post("/internal/v1/integrations", body), field)


def url_of(length):
    return "https://erp.example/" + "p" * (length - len("https://erp.example/"))


ERP_LIMITS = [
    ("base_url",
     ["https://erp.example", "https://10.0.0.7:8443", "https://[2001:db8::1]/base", url_of(500)],
     ["", "erp.example", "http://erp.example", "ftp://erp.example", "https://", "https:///path",
      "https://erp .example", "https://erp.example/\r\nX-Evil:1", "https://erp.example/\x01",
      "https://erp.example/\x7f", "https://erp.example:99999", "//erp.example", url_of(501), 7]),
    ("token",
     ["t", "t" * 1000],
     ["", "t" * 1001, "to\nken", "to\rken", "to\tken", "to\x01ken", "to\x1bken", "to\x7fken", 7]),
    ("order_path",
     ["/", "/svc/v1/orders", "/" + "p" * 199],
     ["", "svc/v1/orders", "https://elsewhere.example/orders", "/" + "p" * 200, "/a b",
      "/a\r\nX-Evil: 1", "/a\x01", "/a\x7f", 7]),
    ("timeout_seconds", [1, 10, 60], [0, 61, -1, 1.5, "10", True]),
]


@pytest.mark.parametrize("field, good, bad", ERP_LIMITS)
def test_limits_of_an_erp(operator, field, good, bad):
    for value in good:
        made = operator.create_integration(erp={field: value}).expect(201)
        assert field == "token" or made["erp"][field] == value
    for value in bad:
        refuse(operator.create_integration(erp={field: value}), f"erp.{field}")


@pytest.mark.parametrize("field, good, bad", ERP_LIMITS)
def test_limits_hold_for_a_change_too(operator, integration, field, good, bad):
    token = {"token": "for-a-new-address"}
    for value in good:
        changed = operator.change_integration(
            integration["id"], erp=token | {field: value}).expect(200)
        assert field == "token" or changed["erp"][field] == value
    before = operator.integration(integration["id"]).expect(200)
    for value in bad:
        refuse(operator.change_integration(integration["id"], erp={field: value}), f"erp.{field}")
    assert operator.integration(integration["id"]).expect(200) == before


@pytest.mark.parametrize("field", ["base_url", "token", "order_path"])
def test_nul_is_in_no_value(operator, field):
    """Contract section 1: the whole body is refused."""
    operator.create_integration(erp={field: "/x\x00"}).expect(422, "validation_error")


def test_unknown_properties_are_faults(operator, integration):
    refuse(operator.create_integration(colour="red"), "colour")
    refuse(operator.create_integration(erp={"colour": "red"}), "erp.colour")
    refuse(operator.change_integration(integration["id"], colour="red"), "colour")
    refuse(operator.change_integration(integration["id"], tenant_id=fresh_key()), "tenant_id")
    refuse(operator.create_client(integration["id"], colour="red"), "colour")
    client = operator.create_client(integration["id"]).expect(201)
    refuse(operator.rotate_secret(client["client_id"], colour="red"), "colour")
    refuse(operator.patch(f"/internal/v1/clients/{client['client_id']}",
                          {"enabled": True, "colour": "red"}), "colour")


def test_http_only_where_the_setting_allows_it(fresh_site):
    fresh_site.serve({"HERALD_ERP_ALLOW_HTTP": "true"})
    operator = Operator.of(fresh_site)
    made = operator.create_integration(erp={"base_url": "http://127.0.0.1:9"}).expect(201)
    refuse(operator.create_integration(erp={"base_url": "ftp://erp.example"}), "erp.base_url")
    fresh_site.restart()
    operator = Operator.of(fresh_site)
    assert operator.integration(made["id"]).expect(200)["erp"]["base_url"] == "http://127.0.0.1:9"
    refuse(operator.create_integration(erp={"base_url": "http://127.0.0.1:9"}), "erp.base_url")


def test_change_of_an_integration(operator, clock, integration):
    clock.advance(1)
    changed = operator.change_integration(
        integration["id"], name="Renamed", enabled=False,
        erp={"base_url": "https://other.example", "token": "another",
             "timeout_seconds": 3}).expect(200)
    assert check_shape(changed, INTEGRATION) == integration | {
        "name": "Renamed", "enabled": False, "updated_at": changed["updated_at"],
        "erp": {"base_url": "https://other.example", "order_path": "/svc/v1/orders",
                "timeout_seconds": 3}}
    assert parse_time(changed["updated_at"]) > parse_time(integration["updated_at"])
    assert operator.integration(integration["id"]).expect(200) == changed


def test_what_a_change_does_not_name_stays(operator, integration):
    same = {"name": integration["name"], "enabled": True, "erp": integration["erp"]}
    for changes in ({}, {"erp": {}}, same):
        kept = operator.change_integration(integration["id"], **changes).expect(200)
        assert kept == integration
    path = f"/internal/v1/integrations/{integration['id']}"
    assert operator.request("PATCH", path, headers={"Content-Type": None}).expect(200) == kept


def test_log_says_what_of_an_integration_changed(site, operator, integration):
    """But never the ERP's token, of which only that it is another one."""
    token = f"canary-{fresh_key()}"
    with site.log_reader() as log:
        operator.change_integration(integration["id"], erp={}).expect(200)
        operator.change_integration(integration["id"], erp={
            "base_url": "https://moved.example/", "order_path": "/in", "token": token}).expect(200)
        entry = log.wait_for(lambda row: row["message"] == "integration changed")
        assert entry["fields"]["integration_id"] == integration["id"]
        assert entry["fields"]["base_url"] == "https://moved.example"
        assert entry["fields"]["order_path"] == "/in"
        assert entry["fields"]["token_changed"] is True
        assert "timeout_seconds" not in entry["fields"]
        operator.change_integration(integration["id"], name="Last").expect(200)
        last = log.wait_for(lambda row: row["fields"].get("name") == "Last")
        assert "token_changed" not in last["fields"]
        changes = [row for row in log.entries if row["message"] == "integration changed"]
        assert changes == [entry, last]
        assert token not in log.text


def pages_of(answer, name):
    """The rows of a list whose pages `answer(query)` gives, two at a time."""
    rows, query = [], "?limit=2"
    while query:
        page = answer(query).expect(200)
        assert set(page) == {name, "next_cursor"}
        assert 1 <= len(page[name]) <= 2
        rows += page[name]
        query = f"?limit=2&cursor={page['next_cursor']}" if page["next_cursor"] else None
    return rows


def test_list_of_integrations_in_pages(operator):
    made = [operator.create_integration().expect(201) for _ in range(5)]
    seen = pages_of(operator.integrations, "integrations")
    ids = [row["id"] for row in seen]
    assert len(ids) == len(set(ids))
    assert [row for row in seen if row["id"] in {one["id"] for one in made}] == made


def test_list_of_clients_in_pages(operator, integration):
    made = [operator.create_client(integration["id"]).expect(201) for _ in range(5)]
    seen = pages_of(lambda query: operator.clients(integration["id"], query), "clients")
    assert [row["client_id"] for row in seen] == [one["client_id"] for one in made]
    assert seen == operator.clients(integration["id"]).expect(200)["clients"]


def test_list_of_signing_keys_in_pages(operator):
    operator.rotate_signing_key().expect(200)
    seen = pages_of(operator.signing_keys, "keys")
    assert len(seen) >= 2
    assert seen == operator.signing_keys().expect(200)["keys"]
    assert operator.signing_keys("?limit=1").expect(200)["keys"] == seen[:1]


FAULTY_PAGES = [
    ("?limit=0", "limit"), ("?limit=201", "limit"), ("?limit=x", "limit"),
    ("?limit=-1", "limit"), ("?cursor=%21%21", "cursor"),
]


@pytest.mark.parametrize("query, path", FAULTY_PAGES)
def test_faulty_page_is_refused(operator, integration, query, path):
    refuse(operator.integrations(query), path)
    refuse(operator.clients(integration["id"], query), path)
    refuse(operator.signing_keys(query), path)


def test_largest_page(operator):
    for limit in (1, 200):
        operator.integrations(f"?limit={limit}").expect(200)


def test_unknown_integration_is_404(operator):
    for missing in (MISSING_ID, "no-uuid"):
        operator.integration(missing).expect(404, "not_found")
        operator.change_integration(missing, name="x").expect(404, "not_found")
        operator.create_client(missing).expect(404, "not_found")
        operator.clients(missing).expect(404, "not_found")


# --- clients


def test_client_is_as_it_was_asked_for(site, operator, integration):
    made = operator.create_client(
        integration["id"], name="1C", scopes=["erp.events.read", "erp.catalog.write"]).expect(201)
    check_shape(made, CLIENT_CREDENTIALS)
    assert made["integration_id"] == integration["id"]
    assert sorted(made["scopes"]) == ["erp.catalog.write", "erp.events.read"]
    assert made["token_url"] == f"http://{site.address[0]}:{site.address[1]}/v1/oauth/token"
    row = check_shape(operator.client(integration["id"], made["client_id"]), WORKLOAD_CLIENT)
    assert (row["name"], row["enabled"]) == ("1C", True)
    assert row["scopes"] == made["scopes"]
    assert [secret["id"] for secret in row["secrets"]] == [made["secret_id"]]
    assert row["secrets"][0]["expires_at"] is None


def test_client_without_a_word_has_all_scopes(operator, integration):
    made = operator.create_client(integration["id"]).expect(201)
    assert made["scopes"] == list(SCOPES)
    assert operator.client(integration["id"], made["client_id"])["scopes"] == list(SCOPES)


def test_secret_is_shown_once(operator, integration):
    made = operator.create_client(integration["id"]).expect(201)
    rotated = operator.rotate_secret(made["client_id"], overlap_seconds=60).expect(200)
    check_shape(rotated, CLIENT_CREDENTIALS)
    assert rotated["client_secret"] != made["client_secret"]
    later = [operator.clients(integration["id"]), operator.integration(integration["id"]),
             operator.rotate_secret(made["client_id"]),
             operator.revoke_secret(made["client_id"], made["secret_id"])]
    for secret in (made["client_secret"], rotated["client_secret"]):
        assert all(secret.encode() not in reply.body for reply in later)


def test_secrets_are_all_different(operator, integration):
    made = [operator.create_client(integration["id"]).expect(201) for _ in range(10)]
    made += [operator.rotate_secret(made[0]["client_id"]).expect(200) for _ in range(10)]
    assert len({row["client_secret"] for row in made}) == 20
    assert len({row["secret_id"] for row in made}) == 20


@pytest.mark.parametrize("field, good, bad", [
    ("name", ["x", "\u0436" * 200], ["", "\u0436" * 201, 7]),
    ("scopes", [["erp.events.read"], list(SCOPES)],
     [["erp.everything"], ["erp.events.read "], ["ERP.EVENTS.READ"], [""], [7],
      "erp.events.read", ["erp.events.read", "erp.events.read"]]),
])
def test_limits_of_a_client(operator, integration, field, good, bad):
    for value in good:
        operator.create_client(integration["id"], **{field: value}).expect(201)
    for value in bad:
        reply = operator.create_client(integration["id"], **{field: value})
        reply.expect(422, "validation_error")
        assert all(path.startswith(field) for path in reply.fault_paths), f"{reply}"


def test_50_clients_and_no_more(operator, integration):
    for _ in range(CLIENTS_MAX - 1):
        operator.create_client(integration["id"]).expect(201)
    replies = at_once(4, lambda _: operator.create_client(integration["id"]))
    assert sorted(reply.status for reply in replies) == [201, 422, 422, 422]
    assert len(operator.clients(integration["id"]).expect(200)["clients"]) == CLIENTS_MAX


def test_clients_are_those_of_their_integration(operator, integration):
    other = operator.create_integration().expect(201)
    mine = operator.create_client(integration["id"]).expect(201)
    theirs = operator.create_client(other["id"]).expect(201)
    for one, client in ((integration, mine), (other, theirs)):
        rows = operator.clients(one["id"]).expect(200)["clients"]
        assert [row["client_id"] for row in rows] == [client["client_id"]]


def test_unknown_client_is_404(operator):
    for missing in (MISSING_ID, "no-uuid"):
        operator.rotate_secret(missing).expect(404, "not_found")
        operator.revoke_secret(missing, MISSING_ID).expect(404, "not_found")
        operator.enable_client(missing, False).expect(404, "not_found")


# --- secrets


@pytest.fixture
def erp(operator, integration):
    return operator.new_erp(integration)


def newest(erp, rotated):
    return Erp(erp.address, erp.integration, rotated)


def test_rotation_without_overlap_ends_the_old_secret_at_once(operator, erp):
    for fields in ({}, {"overlap_seconds": 0}):
        rotated = operator.rotate_secret(erp.client_id, **fields).expect(200)
        erp.ask_token().expect(401, "invalid_client")
        erp = newest(erp, rotated)
        erp.fetch_token()
        row = operator.client(erp.integration_id, erp.client_id)
        assert [one["id"] for one in row["secrets"]] == [rotated["secret_id"]]


def post_bare(operator, path, **options):
    """Without a Content-Type."""
    return operator.request("POST", path, headers={"Content-Type": None}, **options)


def test_body_of_which_nothing_is_required_may_be_left_out(operator, integration, erp):
    """Contract section 4: rotate-secret {overlap_seconds?}, clients {name?, scopes?}."""
    path = f"/internal/v1/clients/{erp.client_id}/rotate-secret"
    rotated = post_bare(operator, path).expect(200)
    erp.ask_token().expect(401, "invalid_client")
    newest(erp, rotated).fetch_token()
    for media_type in ("application/json", "text/plain"):  # whatever it says of no byte
        operator.request("POST", path, headers={"Content-Type": media_type}).expect(200)
    post_bare(operator, path, raw=b"{}").expect(415, "unsupported_media_type")
    made = post_bare(operator, f"/internal/v1/integrations/{integration['id']}/clients").expect(201)
    assert sorted(made["scopes"]) == sorted(SCOPES)
    ended = f"/internal/v1/clients/{erp.client_id}/revoke-secret"
    post_bare(operator, ended).expect(415, "unsupported_media_type")


def test_document_says_which_bodies_may_be_left_out(operator):
    paths = operator.get("/openapi.json").expect(200)["paths"]

    def is_required(path):
        return paths[path]["post"]["requestBody"]["required"]

    assert not is_required("/internal/v1/clients/{client_id}/rotate-secret")
    assert not is_required("/internal/v1/signing-keys/rotate")
    assert is_required("/internal/v1/clients/{client_id}/revoke-secret")


def test_overlap_ends_to_the_second(operator, clock, erp):
    """What is asked before the announced moment is answered, what is asked after it is not."""
    rotated = operator.rotate_secret(erp.client_id, overlap_seconds=60).expect(200)
    both = {row["id"]: row for row in operator.client(erp.integration_id, erp.client_id)["secrets"]}
    ends = [row["expires_at"] for row in both.values() if row["expires_at"]]
    assert len(both) == 2 and len(ends) == 1
    assert both[rotated["secret_id"]]["expires_at"] is None
    made_at = both[rotated["secret_id"]]["created_at"]
    assert seconds_between(made_at, ends[0]) == 60

    end = parse_time(ends[0])
    clock.advance(58)
    assert_ends_at(clock, end, lambda: erp.ask_token().status, good=200)
    erp.ask_token().expect(401, "invalid_client")
    newest(erp, rotated).fetch_token()


@pytest.mark.parametrize("value", [0, 86400])
def test_shortest_and_longest_overlap(operator, erp, value):
    operator.rotate_secret(erp.client_id, overlap_seconds=value).expect(200)


@pytest.mark.parametrize("value", [-1, 86401, 1.5, "60", True])
def test_faulty_overlap_changes_nothing(operator, erp, value):
    refuse(operator.rotate_secret(erp.client_id, overlap_seconds=value), "overlap_seconds")
    erp.fetch_token()


def test_longest_overlap_holds_for_a_day(operator, clock, erp):
    rotated = operator.rotate_secret(erp.client_id, overlap_seconds=86400).expect(200)
    clock.advance(86398)
    erp.fetch_token()
    clock.advance(3)
    erp.ask_token().expect(401, "invalid_client")
    newest(erp, rotated).fetch_token()


def test_third_secret_ends_the_first(operator, erp):
    second = operator.rotate_secret(erp.client_id, overlap_seconds=600).expect(200)
    erp.fetch_token()
    third = operator.rotate_secret(erp.client_id, overlap_seconds=600).expect(200)
    erp.ask_token().expect(401, "invalid_client")
    newest(erp, second).fetch_token()
    newest(erp, third).fetch_token()
    assert len(operator.client(erp.integration_id, erp.client_id)["secrets"]) == 2


def test_later_rotation_does_not_prolong_an_overlap(operator, clock, erp):
    """The second of two secrets is the newest old one; the first has its own end."""
    second = operator.rotate_secret(erp.client_id, overlap_seconds=30).expect(200)
    operator.rotate_secret(erp.client_id, overlap_seconds=60).expect(200)
    clock.advance(31)
    erp.ask_token().expect(401, "invalid_client")
    newest(erp, second).fetch_token()
    clock.advance(30)
    newest(erp, second).ask_token().expect(401, "invalid_client")


@pytest.mark.parametrize("count", [2, 8])
def test_rotations_at_one_moment_leave_at_most_two_live_secrets(operator, erp, count):
    for _ in range(5):
        replies = at_once(
            count, lambda _: operator.rotate_secret(erp.client_id, overlap_seconds=600))
        secrets = [erp.client_secret] + [reply.expect(200)["client_secret"] for reply in replies]
        live = [one for one in secrets if erp.with_secret(one).ask_token().status == 200]
        assert 1 <= len(live) <= 2
        assert len(operator.client(erp.integration_id, erp.client_id)["secrets"]) == len(live)
        erp = erp.with_secret(live[-1])


def test_revoked_secret_ends_at_once(operator, erp):
    rotated = operator.rotate_secret(erp.client_id, overlap_seconds=600).expect(200)
    old, = [row["id"] for row in operator.client(erp.integration_id, erp.client_id)["secrets"]
            if row["id"] != rotated["secret_id"]]
    erp.fetch_token()
    operator.revoke_secret(erp.client_id, old).expect(204)
    erp.ask_token().expect(401, "invalid_client")
    newest(erp, rotated).fetch_token()
    operator.revoke_secret(erp.client_id, old).expect(204)
    operator.revoke_secret(erp.client_id, rotated["secret_id"]).expect(204)
    newest(erp, rotated).ask_token().expect(401, "invalid_client")
    assert operator.client(erp.integration_id, erp.client_id)["secrets"] == []


def test_client_without_a_secret_gets_one_by_rotation(operator, erp):
    row = operator.client(erp.integration_id, erp.client_id)
    operator.revoke_secret(erp.client_id, row["secrets"][0]["id"]).expect(204)
    rotated = operator.rotate_secret(erp.client_id, overlap_seconds=600).expect(200)
    newest(erp, rotated).fetch_token()
    erp.ask_token().expect(401, "invalid_client")


def test_secret_of_another_client_is_not_revoked(operator, integration, erp):
    other = operator.new_erp(integration)
    theirs = operator.client(integration["id"], other.client_id)["secrets"][0]["id"]
    operator.revoke_secret(erp.client_id, theirs).expect(404, "not_found")
    operator.revoke_secret(erp.client_id, MISSING_ID).expect(404, "not_found")
    refuse(operator.revoke_secret(erp.client_id, "no-uuid"), "secret_id")
    refuse(operator.post(f"/internal/v1/clients/{erp.client_id}/revoke-secret", {}), "secret_id")
    other.fetch_token()
    erp.fetch_token()


def test_secret_of_another_client_is_no_secret(operator, integration, erp):
    other = operator.new_erp(integration)
    erp.ask_token(client_id=other.client_id).expect(401, "invalid_client")


# --- disabling


def test_disabled_client_gets_no_token_until_it_is_enabled(operator, integration, erp):
    other = operator.new_erp(integration)
    operator.enable_client(erp.client_id, False).expect(204)
    erp.ask_token().expect(401, "invalid_client")
    erp.ask_token_by_basic().expect(401, "invalid_client")
    assert operator.client(integration["id"], erp.client_id)["enabled"] is False
    other.fetch_token()
    operator.enable_client(erp.client_id, False).expect(204)
    operator.enable_client(erp.client_id, True).expect(204)
    erp.fetch_token()


def test_new_secret_does_not_enable_a_client(operator, erp):
    operator.enable_client(erp.client_id, False).expect(204)
    rotated = operator.rotate_secret(erp.client_id).expect(200)
    newest(erp, rotated).ask_token().expect(401, "invalid_client")


def test_faulty_change_of_a_client(operator, erp):
    path = f"/internal/v1/clients/{erp.client_id}"
    refuse(operator.patch(path, {}), "enabled")
    refuse(operator.patch(path, {"enabled": "no"}), "enabled")
    erp.fetch_token()


def test_clients_of_a_disabled_integration_get_no_token(operator, integration, erp):
    second = operator.new_erp(integration)
    operator.change_integration(integration["id"], enabled=False).expect(200)
    erp.ask_token().expect(401, "invalid_client")
    second.ask_token().expect(401, "invalid_client")
    operator.change_integration(integration["id"], enabled=True).expect(200)
    erp.fetch_token()
    second.fetch_token()


# --- keys


OPERATIONS = [
    ("POST", "/internal/v1/integrations"),
    ("GET", "/internal/v1/integrations"),
    ("GET", f"/internal/v1/integrations/{MISSING_ID}"),
    ("PATCH", f"/internal/v1/integrations/{MISSING_ID}"),
    ("POST", f"/internal/v1/integrations/{MISSING_ID}/clients"),
    ("GET", f"/internal/v1/integrations/{MISSING_ID}/clients"),
    ("POST", f"/internal/v1/clients/{MISSING_ID}/rotate-secret"),
    ("POST", f"/internal/v1/clients/{MISSING_ID}/revoke-secret"),
    ("PATCH", f"/internal/v1/clients/{MISSING_ID}"),
    ("GET", "/internal/v1/signing-keys"),
    ("POST", "/internal/v1/signing-keys/rotate"),
    ("POST", f"/internal/v1/signing-keys/{'A' * 43}/withdraw"),
]


def test_operations_want_the_internal_key(site, erp):
    token = erp.fetch_token()
    for headers in ({}, {"X-Internal-API-Key": "wrong"}, {"Authorization": f"Bearer {token}"},
                    {"X-Internal-API-Key": token}, {"X-Internal-API-Key": erp.client_secret}):
        nobody = Client(site.address, headers, fresh_source())
        for method, path in OPERATIONS:
            raw = None if method == "GET" else b"{}"
            nobody.request(method, path, raw=raw).expect(401, "unauthorized")


