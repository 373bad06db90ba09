"""Contract section 1: request ids, ids, times, unknown paths and methods, the error record."""

import re

import pytest

from harness.http import Client
from harness.orders import order_input
from harness.shapes import HEALTH, UUID, UUID_V7, check_shape, parse_time, seconds_between
from harness.tools import fresh_key, fresh_number

MISSING_ID = "01900000-0000-7000-8000-000000000000"


@pytest.mark.parametrize("request_id", ["a", "core-42/retry:1", "!" * 128, "~{}\"'\\"])
def test_callers_request_id_comes_back(core, request_id):
    reply = core.get("/health/live", headers={"X-Request-Id": request_id})
    assert reply.header("X-Request-Id") == request_id


@pytest.mark.parametrize("request_id", ["", "x" * 129, "two words", "tab\there", "\u00e9t\u00e9"])
def test_unusable_request_id_is_replaced(core, request_id):
    reply = core.get("/health/live", headers={"X-Request-Id": request_id})
    assert UUID.fullmatch(reply.header("X-Request-Id"))


def test_every_answer_gets_a_request_id_of_its_own(core):
    replies = [core.get("/health/live"), core.get("/nowhere"), core.devices(), core.devices()]
    ids = [reply.header("X-Request-Id") for reply in replies]
    assert len(set(ids)) == 4
    assert all(UUID.fullmatch(request_id) for request_id in ids)


def test_error_record_carries_the_callers_request_id(core):
    reply = core.get("/internal/v1/nowhere", headers={"X-Request-Id": "mine"})
    reply.expect(404, "not_found")
    assert reply.error["request_id"] == "mine"


@pytest.mark.parametrize("path", [
    "/nowhere", "/health", "/health/live/", "/health/live/more", "/internal/v1",
    "/internal/v2/devices", "/Internal/v1/devices", "/device/v1/sms", "/api/device",
    "/internal/v1/devices/", "//health/live", "/health/live%00",
])
def test_unknown_path_is_404(core, path):
    core.get(path).expect(404, "not_found")


@pytest.mark.parametrize("method, path, allowed", [
    ("POST", "/health/live", {"GET"}),
    ("DELETE", "/health/ready", {"GET"}),
    ("PUT", "/internal/v1/devices", {"GET", "POST"}),
    ("POST", f"/internal/v1/devices/{MISSING_ID}", {"GET", "PUT", "PATCH", "DELETE"}),
    ("GET", f"/internal/v1/devices/{MISSING_ID}/rotate-key", {"POST"}),
    ("PUT", "/internal/v1/challenges", {"GET", "POST"}),
    ("PATCH", f"/internal/v1/challenges/{MISSING_ID}", {"GET"}),
    ("GET", f"/internal/v1/challenges/{MISSING_ID}/cancel", {"POST"}),
    ("PUT", "/internal/v1/otp", {"GET", "POST"}),
    ("DELETE", f"/internal/v1/otp/{MISSING_ID}", {"GET"}),
    ("GET", f"/internal/v1/otp/{MISSING_ID}/verify", {"POST"}),
    ("GET", f"/internal/v1/otp/{MISSING_ID}/cancel", {"POST"}),
    ("GET", f"/internal/v1/otp/{MISSING_ID}/sms-fallback", {"POST"}),
    ("POST", "/internal/v1/logs", {"GET"}),
    ("POST", "/internal/v1/logs/stream", {"GET"}),
    ("GET", "/device/v1/sms/claim", {"POST"}),
    ("GET", f"/device/v1/sms/{MISSING_ID}/result", {"POST"}),
    ("GET", "/device/v1/events", {"POST"}),
    ("GET", "/api/events", {"POST"}),
    ("GET", "/api/device/ping", {"POST"}),
    ("POST", "/openapi.json", {"GET"}),
])
def test_other_method_is_405_with_allow(core, method, path, allowed):
    reply = core.request(method, path)
    reply.expect(405, "method_not_allowed")
    listed = set(re.split(r"\s*,\s*", reply.header("Allow")))
    assert allowed <= listed
    assert method not in listed


def test_head_works_wherever_get_does(core, phone):
    caller = fresh_number()
    challenge = core.create_challenge(caller).expect(201)
    for path in ("/health/live", "/health/ready", "/openapi.json", "/internal/v1/devices",
                 f"/internal/v1/challenges/{challenge['id']}"):
        asked, head = core.get(path), core.request("HEAD", path)
        assert head.status == asked.status == 200
        assert head.header("Content-Type") == asked.header("Content-Type")
    assert core.request("HEAD", "/nowhere").status == 404
    assert Client(core.address, source="127.0.9.1").request(
        "HEAD", "/internal/v1/devices").status == 401


@pytest.mark.parametrize("no_id", ["1", "no-uuid", "01900000-0000-7000-8000-00000000000",
                                   "01900000-0000-7000-8000-00000000000g", "%00", "..%2f"])
def test_path_id_that_is_no_uuid_is_404(core, phone, no_id):
    core.challenge(no_id).expect(404, "not_found")
    core.otp(no_id).expect(404, "not_found")
    core.enable(no_id, True).expect(404, "not_found")
    phone.post(f"/device/v1/sms/{no_id}/result", {"status": "sent"}).expect(404, "not_found")


def test_unknown_id_is_404(core, phone):
    core.challenge(MISSING_ID).expect(404, "not_found")
    core.cancel_challenge(MISSING_ID).expect(404, "not_found")
    core.otp(MISSING_ID).expect(404, "not_found")
    core.verify(MISSING_ID, "123456").expect(404, "not_found")
    core.cancel_otp(MISSING_ID).expect(404, "not_found")
    core.fall_back(MISSING_ID).expect(404, "not_found")
    core.enable(MISSING_ID, True).expect(404, "not_found")
    core.rotate_key(MISSING_ID).expect(404, "not_found")
    phone.post(f"/device/v1/sms/{MISSING_ID}/result", {"status": "sent"}).expect(404, "not_found")


def test_ids_are_uuids_that_sort_by_time(core, phone):
    ids = [core.create_challenge(fresh_number()).expect(201)["id"] for _ in range(5)]
    assert all(UUID_V7.fullmatch(row) for row in ids)
    assert ids == sorted(ids)


def test_times_are_utc_with_milliseconds(core, phone):
    challenge = core.create_challenge(fresh_number(), ttl_seconds=30).expect(201)
    parse_time(challenge["created_at"])
    assert seconds_between(challenge["created_at"], challenge["expires_at"]) == 30


def test_all_faults_are_named_at_once(core):
    body = {"channel": "pigeon", "recipient": "12", "ttl_seconds": 5, "extra": True}
    reply = core.post("/internal/v1/otp", body, headers={"Idempotency-Key": fresh_key()})
    reply.expect(422, "validation_error")
    assert {"channel", "recipient", "ttl_seconds", "extra"} <= set(reply.fault_paths)


def test_every_missing_field_is_named(core):
    reply = core.post("/internal/v1/devices", {})
    reply.expect(422, "validation_error")
    assert {"name", "numbers"} <= set(reply.fault_paths)


def test_at_most_100_faults_are_named(core):
    body = {f"extra_{index}": index for index in range(300)}
    reply = core.post("/internal/v1/devices", body)
    reply.expect(422, "validation_error")
    assert len(reply.error["fields"]) == 100


# --- query parameters that an operation does not have


@pytest.mark.parametrize("method, path", [
    ("GET", "/internal/v1/devices"), ("POST", "/internal/v1/devices"),
    ("GET", "/internal/v1/integrations"), ("GET", f"/internal/v1/otp/{MISSING_ID}"),
    ("POST", f"/internal/v1/otp/{MISSING_ID}/cancel"), ("GET", "/internal/v1/logs/stream"),
])
@pytest.mark.parametrize("query, named", [
    ("colour=red", "colour"), ("colour", "colour"), ("Limit=5", "Limit"), ("=5", ""),
    ("%63olour=1", "%63olour"), ("colour=%", "colour"), ("%zz=1", "%zz"), ("a=1&&b=2", "a"),
])
def test_unknown_query_parameter_is_422(core, method, path, query, named):
    """Contract, section 1, Strictness: under /internal/v1, and told after the key."""
    reply = core.request(method, f"{path}?{query}")
    if method == "POST" and path.endswith("devices"):
        reply = core.post(f"{path}?{query}", {"name": "x", "numbers": [fresh_number()]})
    reply.expect(422, "validation_error")
    assert named in reply.fault_paths
    stranger = Client(core.address, source="127.0.9.7")
    assert stranger.request(method, f"{path}?{query}").status in (401, 429)


def test_all_unknown_query_parameters_are_named(core):
    reply = core.devices("?limit=0&colour=red&b=1&limit=5&%6Cimit=6")
    reply.expect(422, "validation_error")
    assert sorted(reply.fault_paths) == ["b", "colour", "limit"]
    core.devices("?%6Cimit=5").expect(200)
    core.devices("?").expect(200)
    reply = core.devices("?" + "&".join(f"p{index}" for index in range(300)))
    assert len(reply.expect(422)["error"]["fields"]) == 100


def test_phones_and_others_may_send_query_parameters(site, phone):
    phone.post("/api/device/ping?version=2", {}).expect(200)
    phone.post("/device/v1/sms/claim?a=1&a=2", {"gateway_number": phone.number}).expect(200)
    for path in ("/health/live", "/openapi.json", "/.well-known/jwks.json"):
        Client(site.address).get(f"{path}?colour=red").expect(200)


def test_health_needs_no_key(site):
    anybody = Client(site.address)
    for path in ("/health/live", "/health/ready"):
        record = check_shape(anybody.get(path).expect(200), HEALTH)
        assert record["ok"] is True


MISSING = {
    "/nothing/here": "path",
    "/internal/v1/otp/none": "path",
    f"/internal/v1/devices/{MISSING_ID}": "device",
    f"/internal/v1/challenges/{MISSING_ID}": "challenge",
    f"/internal/v1/otp/{MISSING_ID}/timeline": "otp",
    f"/internal/v1/messages/{MISSING_ID}": "message",
    f"/internal/v1/orders/{MISSING_ID}/attempts": "order",
    f"/internal/v1/integrations/{MISSING_ID}": "integration",
    f"/internal/v1/integrations/{MISSING_ID}/events": "integration",
    f"/internal/v1/integrations/{MISSING_ID}/events/night-1": "event_id",
    f"/internal/v1/integrations/{MISSING_ID}/products/p-1": "product_id",
    f"/internal/v1/webhook-endpoints/{MISSING_ID}": "webhook_endpoint",
}


@pytest.mark.parametrize("path, what", MISSING.items(), ids=MISSING.values())
def test_404_says_what_is_not_there(core, path, what):
    """Contract section 1, \"What is not there\"."""
    reply = core.get(path)
    reply.expect(404, "not_found")
    assert reply.error["what"] == what, reply
    assert "nothing here" not in reply.error["message"], "it has a sentence of its own"


def test_404_says_which_member_names_nothing(core, ready_phone):
    number = fresh_number()
    order = {"integration_id": MISSING_ID, "order": order_input(fresh_key())}
    for reply, what in (
        (core.create_otp(fresh_number(), gateway_number=number), "gateway_number"),
        (core.create_challenge(fresh_number(), gateway_number=number), "gateway_number"),
        (core.create_otp(fresh_number(), channel="personal_messenger", account_id="no"), "account_id"),
        (core.create_message(channel="personal_messenger", account_id="no", text="t",
                             recipient=fresh_number()), "account_id"),
        (core.post("/internal/v1/orders", order, headers={"Idempotency-Key": fresh_key()}),
         "integration"),
    ):
        reply.expect(404, "not_found")
        assert reply.error["what"] == what, reply
        assert what in reply.error["message"], reply


def test_sim_that_was_asked_for_is_not_ready(core, ready_phone, new_phone):
    """Others are: the sentence says which SIM is meant."""
    silent = new_phone()
    reply = core.create_otp(fresh_number(), gateway_number=silent.number)
    reply.expect(503, "no_ready_sim")
    assert "this gateway_number is not ready" in reply.error["message"]
