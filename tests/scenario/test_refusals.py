"""Every refusal can be looked up in the log by its request id (contract section 2, rule 12)."""

import json

import pytest

from harness.actors import read_code, wrong_code
from harness.exchange import Operator, fresh_source
from harness.http import Client
from harness.keys import key_of, with_key
from harness.packages import SNAPSHOT, package_path
from harness.tools import Moment, eventually, fresh_key, fresh_number, masked

MISSING_ID = "01900000-0000-7000-8000-000000000000"
REFUSED = "request refused"
MORE = "more requests were refused"
FAILURES_MAX = 20  # wrong keys of an address in a minute that are answered as such


def named():
    """A request id of its own, and the headers that carry it."""
    request_id = f"refused-{fresh_key()}"
    return request_id, {"X-Request-Id": request_id}


def entry_of(reader, request_id):
    """What the log tells of a refused request, without its time."""
    entry = reader.wait_for(
        lambda row: row["message"] == REFUSED and row["fields"]["request_id"] == request_id)
    assert entry, f"the log does not know {request_id}: {reader.text}"
    fields = dict(entry["fields"])
    assert fields.pop("request_id") == request_id and fields.pop("at")
    for name in ("device_name", "integration_name"):  # test_log_names.py
        fields.pop(name, None)
    return entry["level"], fields


def test_refusals_of_the_core_system_are_told(site, core, phone):
    refused = [
        ("GET", f"/internal/v1/otp/{MISSING_ID}", None, 404, "not_found", "getOtp"),
        ("POST", "/internal/v1/otp", {"recipient": "x"}, 422, "validation_error", "createOtp"),
        ("PATCH", f"/internal/v1/devices/{MISSING_ID}", {"enabled": 1}, 422, "validation_error",
         "setDeviceEnabled"),
        ("GET", "/internal/v1/devices?ready=1", None, 422, "validation_error", "listDevices"),
    ]
    with site.log_reader() as reader:
        for method, path, body, status, code, operation in refused:
            request_id, headers = named()
            headers["Idempotency-Key"] = fresh_key()
            raw = json.dumps(body).encode() if body else None
            core.request(method, path, raw=raw, headers=headers).expect(status, code)
            level, fields = entry_of(reader, request_id)
            assert level == "info"
            wanted = {"status": status, "error": code, "operation": operation, "client": "core"}
            if operation == "getOtp":
                wanted["otp_id"] = MISSING_ID
            assert fields == wanted


@pytest.mark.parametrize("method, path, status, code", [
    ("GET", "/internal/v1/otp/123", 404, "not_found"),
    ("GET", "/internal/v1/otps", 404, "not_found"),
    ("POST", "/internal/v1/channels", 405, "method_not_allowed"),
])
def test_what_is_no_operation_is_told_of_who_has_a_key(site, core, method, path, status, code):
    erp = Operator.of(site).new_erp()
    bearer = erp.with_token(erp.fetch_token())
    key = with_key(site, key_of(core, "viewer"))
    refused = {"status": status, "error": code}
    if status == 405:
        refused["operation"] = "listChannels"  # which is at the path
    erps = {"client": "erp", "integration_id": erp.integration_id, "client_id": erp.client_id}
    with site.log_reader() as reader:
        for client, who in ((core, {"client": "core"}), (bearer, erps), (key, None)):
            request_id, headers = named()
            client.request(method, path, headers=headers).expect(status, code)
            level, fields = entry_of(reader, request_id)
            if who is None:
                who = {"client": "core", "api_key_id": fields["api_key_id"]}
            assert level == "info" and fields == refused | who


def entries_of(core, request_id):
    return core.get(f"/internal/v1/logs?request_id={request_id}").expect(200)["entries"]


def found_by(core, request_id):
    """Level and fields of the one entry that GET /logs finds by the id of the request."""
    entry, = eventually(lambda: entries_of(core, request_id)) or [None]
    assert entry and entry["message"] == REFUSED, entry
    return entry["level"], entry["fields"]


def told_of(core, ask):
    """The same of what is asked here; again where others of its kind have had their ten a second."""
    def look():
        request_id = ask().header("X-Request-Id")
        return eventually(lambda: entries_of(core, request_id), Moment(2))

    entry, = eventually(look) or [None]
    assert entry and entry["message"] == REFUSED, entry
    return entry["level"], entry["fields"]


@pytest.mark.parametrize("header", ["Authorization", "X-Device-Key", "X-API-Key"])
@pytest.mark.parametrize("method, path, status, code", [
    ("GET", "/device/v1/nowhere", 404, "not_found"),
    ("POST", "/smsgate/v1/nowhere", 404, "not_found"),
    ("GET", "/device/v1/sms/claim", 405, "method_not_allowed"),
    ("POST", "/internal/v1/channels", 405, "method_not_allowed"),
    ("GET", "/api/v1/integrations/erp/x/catalog/snapshot", 404, "not_found"),
])
def test_what_is_no_operation_is_told_of_a_phone(site, core, phone, header, method, path, status,
                                                 code):
    """Only the database knows its key."""
    key = phone.device_key
    asker = Client(site.address, {header: f"Bearer {key}" if header == "Authorization" else key},
                   fresh_source())
    raw = b"{}" if method == "POST" else None
    asker.request(method, path, raw=raw).expect(status, code)
    level, fields = told_of(core, lambda: asker.request(method, path, raw=raw))
    assert (level, fields["status"], fields["error"]) == ("info", status, code)
    assert (fields["client"], fields["device_id"]) == ("phone", phone.device_id)
    assert "api_key_id" not in fields and key not in str(fields)


@pytest.mark.parametrize("body, media_type, status, code", [
    (b"{}", "text/plain", 415, "unsupported_media_type"),
    (b" " * 2_000_000, "application/json", 413, "payload_too_large"),
])
def test_a_body_that_is_not_taken_is_told_of_its_phone(core, phone, body, media_type, status, code):
    """Nothing of it is read, and yet the database is asked whose key it is."""
    def ask():
        return phone.request("POST", "/api/device/ping", raw=body,
                             headers={"Content-Type": media_type})
    ask().expect(status, code)
    level, fields = told_of(core, ask)
    assert (level, fields["status"], fields["error"]) == ("info", status, code)
    assert (fields["client"], fields["device_id"]) == ("phone", phone.device_id)
    phone.ping().expect(200)


def test_a_body_behind_what_is_no_operation_is_passed_over(site, core, phone):
    """The connection goes on with the next request, whatever the body was."""
    asker = Client(site.address, {"X-Device-Key": phone.device_key}, fresh_source())
    for size in (0, 1, 1000, 60_000):
        body = b"x" * size
        _, fields = told_of(core, lambda: asker.request("POST", "/nowhere", raw=body))
        assert fields["device_id"] == phone.device_id and fields["status"] == 404
    asker.post("/api/device/ping", {}).expect(200)


def test_guessing_keys_where_there_is_no_operation_counts(site, core, new_phone):
    """It counts as any wrong key of its address, and the answer tells nothing (contract, section 1, Keys)."""
    source = fresh_source()
    for index in range(FAILURES_MAX + 2):
        guesser = Client(site.address, {"X-Device-Key": f"hd_{index:043}"}, source)
        guesser.get("/nowhere").expect(404, "not_found")
    guesser.post("/api/device/ping", {}).expect(429, "rate_limited")
    phone = new_phone()
    asker = Client(site.address, {"X-Device-Key": phone.device_key}, source)
    asker.get("/nowhere").expect(404, "not_found")  # a right one has its turn among the wrong ones
    assert told_of(core, lambda: asker.get("/nowhere"))[1]["device_id"] == phone.device_id


@pytest.mark.only("postgres")  # SQLite's file is always there
def test_what_is_no_operation_is_refused_while_the_database_is_away(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    fresh_site.database.take_away()
    for _ in range(3):
        phone.post("/nowhere", {}).expect(404, "not_found")
        phone.get("/device/v1/sms/claim").expect(405, "method_not_allowed")
    fresh_site.database.give_back()
    assert eventually(lambda: {phone.ping().status, core.devices().status} == {200})
    reply = phone.get("/nowhere")
    reply.expect(404, "not_found")
    path = f"/internal/v1/logs?request_id={reply.header('X-Request-Id')}"
    entry, = eventually(lambda: core.get(path).status == 200 and core.get(path).json["entries"])
    assert entry["fields"]["device_id"] == phone.device_id


def test_what_is_no_key_of_a_phone_counts_nothing(site):
    """Where there is no operation, the database is asked about what can be a key alone."""
    source = fresh_source()
    for index in range(FAILURES_MAX + 2):
        for headers in ({"X-Device-Key": f"hd_{index:042}"}, {"X-API-Key": f"hk_{index:043}"},
                        {"Authorization": f"Bearer hd_{index:044}"}, {}):
            Client(site.address, headers, source).get("/nowhere").expect(404, "not_found")
    nobody = Client(site.address, {"X-Device-Key": "hd_wrong"}, source)
    nobody.post("/api/device/ping", {}).expect(401)


@pytest.mark.parametrize("channel, reason", [
    ("flash_call", "not_configured"), ("messenger_gateway", "not_configured")])
def test_codes_that_no_channel_sends_are_looked_up(site, core, channel, reason):
    """O2: each refusal of a code is found by the id that its answer has."""
    reply = core.create_otp(fresh_number(), channel=channel)
    error = reply.expect(503, "channel_unavailable")["error"]
    level, fields = found_by(core, error["request_id"])
    assert level == "warning"
    assert (fields["error"], fields["reason"], fields["status"], fields["client"]) == (
        "channel_unavailable", reason, 503, "core")


def test_codes_without_a_sim_and_beyond_the_limit_are_looked_up(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    number = fresh_number()
    error = core.create_otp(number).expect(503, "no_ready_sim")["error"]
    level, fields = found_by(core, error["request_id"])
    assert (level, fields["error"], fields["operation"]) == ("warning", "no_ready_sim", "createOtp")
    fresh_site.phone(core).be_ready()
    for _ in range(3):
        core.cancel_otp(core.create_otp(number).expect(201)["id"]).expect(204)
    error = core.create_otp(number).expect(429, "rate_limited")["error"]
    level, fields = found_by(core, error["request_id"])
    assert (level, fields["error"], fields["status"]) == ("info", "rate_limited", 429)
    assert number[1:] not in str(fields)


def test_refusals_of_phones_and_erps_are_looked_up(site, core, phone):
    """By the id that they sent, or that the answer's header has."""
    reply = phone.post("/device/v1/sms/claim", {"gateway_number": fresh_number()})
    reply.expect(403, "number_not_owned")
    level, fields = found_by(core, reply.header("X-Request-Id"))
    assert (level, fields["client"], fields["device_id"]) == ("info", "phone", phone.device_id)
    erp = Operator.of(site).new_erp()
    bearer = erp.with_token(erp.fetch_token())
    reply = bearer.post(package_path(erp.integration_id, SNAPSHOT), {}, headers={
        "Idempotency-Key": fresh_key()})
    reply.expect(422)
    level, fields = found_by(core, reply.header("X-Request-Id"))
    assert (level, fields["client"], fields["integration_id"]) == ("info", "erp", erp.integration_id)


def test_what_is_not_available_is_told_as_a_warning(site, core, phone):
    """Nobody gets a code, and the log says so, with the reason."""
    with site.log_reader(query="?level=warning") as reader:
        request_id, headers = named()
        headers["Idempotency-Key"] = fresh_key()
        body = {"recipient": fresh_number(), "channel": "messenger_gateway"}
        reply = core.post("/internal/v1/otp", body, headers=headers)
        reply.expect(503, "channel_unavailable")
        level, fields = entry_of(reader, request_id)
        assert level == "warning"
        assert fields.pop("recipient").startswith(masked(body["recipient"]))
        assert fields == {"status": 503, "error": "channel_unavailable", "reason": "not_configured",
                          "operation": "createOtp", "client": "core"}


def test_refusals_of_a_code_are_found_by_its_id(site, core, ready_phone):
    with site.log_reader() as reader:
        otp = core.create_otp(fresh_number()).expect(201)
        task = ready_phone.claim_task()
        request_id, headers = named()
        code = wrong_code(read_code(task))
        core.post(f"/internal/v1/otp/{otp['id']}/verify", {"code": code}, headers=headers).expect(
            422, "code_mismatch")
        assert entry_of(reader, request_id) == ("info", {
            "status": 422, "error": "code_mismatch", "operation": "verifyOtp", "client": "core",
            "otp_id": otp["id"]})


def test_refusals_of_a_phone_name_the_phone(site, core, phone):
    with site.log_reader() as reader:
        foreign = fresh_number()
        request_id, headers = named()
        phone.post("/device/v1/sms/claim", {"gateway_number": foreign}, headers=headers).expect(
            403, "number_not_owned")
        assert entry_of(reader, request_id) == ("info", {
            "status": 403, "error": "number_not_owned", "operation": "claimSms", "client": "phone",
            "device_id": phone.device_id})
        reader.wait_until_quiet(pause=0.3)
        assert foreign[1:] not in reader.text and phone.device_key not in reader.text


def test_refusals_of_an_erp_name_its_integration(site):
    erp = Operator.of(site).new_erp()
    with site.log_reader() as reader:
        bearer = erp.with_token(erp.fetch_token())
        path = package_path(erp.integration_id, SNAPSHOT)
        request_id, headers = named()
        headers["Idempotency-Key"] = fresh_key()
        bearer.post(path, {"secret_word": "Herbst"}, headers=headers).expect(422)
        who = {"client": "erp", "integration_id": erp.integration_id, "client_id": erp.client_id}
        level, fields = entry_of(reader, request_id)
        assert level == "info" and who.items() <= fields.items()
        assert fields["status"] == 422 and fields["error"] == "validation_error"
        request_id, headers = named()
        other = Operator.of(site).create_integration().expect(201)
        bearer.get(f"/api/v1/integrations/erp/{other['id']}/events/x", headers=headers).expect(
            403, "integration_mismatch")
        level, fields = entry_of(reader, request_id)
        assert fields["error"] == "integration_mismatch" and who.items() <= fields.items()
        assert "Herbst" not in reader.text and "secret_word" not in reader.text


def test_scope_that_a_client_lacks_is_told(site):
    erp = Operator.of(site).new_erp()
    with site.log_reader() as reader:
        request_id, headers = named()
        reply = erp.request("POST", "/v1/oauth/token", headers=headers | {
            "Content-Type": "application/x-www-form-urlencoded"},
            raw=f"grant_type=client_credentials&client_id={erp.client_id}"
                f"&client_secret={erp.client_secret}&scope=none".encode())
        reply.expect(400, "invalid_scope")
        assert entry_of(reader, request_id) == ("info", {
            "status": 400, "error": "invalid_scope", "operation": "issueToken", "client": "erp"})
        assert erp.client_secret not in reader.text


def test_strangers_make_no_entry_of_a_refusal(site, core, phone):
    """Wrong keys have entries of their own, the first of an address one by one (contract, section 1, Keys)."""
    with site.log_reader() as reader:
        for headers in ({}, {"X-Internal-API-Key": "wrong"}, {"X-Device-Key": "hd_wrong"},
                        {"X-Device-Key": "hd_" + "A" * 43}):
            stranger = Client(site.address, headers, fresh_source())
            stranger.get(f"/internal/v1/otp/{MISSING_ID}").expect(401)
            stranger.get("/nowhere").expect(404)
            stranger.post("/api/device/ping", {"x": 1})
        last_id, headers = named()
        core.get(f"/internal/v1/otp/{MISSING_ID}", headers=headers).expect(404)
        entry_of(reader, last_id)
        refused = [row for row in reader.entries if row["message"] == REFUSED]
        assert len(refused) == 1, reader.text


def test_success_makes_no_entry_of_a_refusal(site, core, ready_phone):
    with site.log_reader() as reader:
        core.create_otp(fresh_number()).expect(201)
        ready_phone.claim_task()
        core.devices().expect(200)
        last_id, headers = named()
        core.get(f"/internal/v1/otp/{MISSING_ID}", headers=headers).expect(404)
        entry_of(reader, last_id)
        assert [row["message"] for row in reader.entries].count(REFUSED) == 1


@pytest.mark.parametrize("count", [300])
def test_flood_of_refusals_is_counted(site, core, count):
    """At most ten a second of a kind have an entry; all are counted, also where none follows."""
    with site.log_reader() as reader:
        for _ in range(count):
            core.get(f"/internal/v1/challenges/{MISSING_ID}").expect(404)

        def told():
            rows = [row for row in list(reader.entries) if row["message"] in (REFUSED, MORE)]
            ours = [row for row in rows if row["fields"]["error"] == "not_found"]
            left_out = sum(row["fields"].get("left_out", 0) for row in ours)
            own = sum(row["message"] == REFUSED for row in ours)
            return (own, left_out) if own + left_out == count else None

        own, left_out = eventually(told, 10) or (0, 0)
        assert own + left_out == count, reader.text
        assert own < count / 2, "a kind has at most ten entries a second"
        last = [row for row in reader.entries if row["message"] == MORE][-1]
        assert last["level"] == "info" and last["fields"]["client"] == "core"
