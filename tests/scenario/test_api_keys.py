"""Contract section 10.1: API keys, from their making to their end."""

import base64
import contextlib
import http.client
import itertools
import re
import time
from datetime import datetime, timedelta, timezone

import pytest

from harness.exchange import Operator
from harness.http import REPLY_TIMEOUT_S, RawConnection, check_conventions
from harness.keys import key_of, make_key, with_bearer, with_key
from harness.logs import LogReader
from harness.proxy import HangingProxy
from harness.shapes import API_KEY, NEW_API_KEY, OWN_API_KEY, check_shape
from harness.tools import (
    at_once, eventually, fresh_address, fresh_number, lasted_at_most, took_at_most,
)

DEAD_WITHIN_S = 10
FAILURES_MAX = 20
KEYS, SELF = "/internal/v1/api-keys", "/internal/v1/api-keys/self"
MISSING_ID = "01900000-0000-7000-8000-000000000000"
WRONG = "hk_" + "A" * 43
TEST_NUMBER = "+79990000000"

_sources = itertools.count(1)


def fresh_source():
    index = next(_sources)
    return f"127.9.{index // 250}.{1 + index % 250}"


def rotate(core, key_id, **fields):
    return core.post(f"{KEYS}/{key_id}/rotate", fields)


def revoke(core, key_id):
    return core.post(f"{KEYS}/{key_id}/revoke")


def after(seconds):
    end = datetime.now(timezone.utc) + timedelta(seconds=seconds)
    return end.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def all_keys(core):
    """Every key, page by page."""
    rows, cursor = [], ""
    while cursor is not None:
        page = core.get(f"{KEYS}?limit=200{cursor and '&cursor=' + cursor}").expect(200)
        rows += page["api_keys"]
        cursor = page["next_cursor"]
    return rows


def listed(core, key_id):
    return next(row for row in all_keys(core) if row["id"] == key_id)


def is_dead(client):
    return eventually(lambda: client.get(SELF).status == 401, seconds=DEAD_WITHIN_S)


# --- Making and showing


def test_key_is_made_shown_once_and_listed(site, core):
    made = check_shape(make_key(core, "viewer", requests_per_minute=600, test=True,
                                expires_at=after(3600)), NEW_API_KEY)
    assert len(made["key"]) == 46 and made["key"].startswith("hk_")
    shown = check_shape(listed(core, made["id"]), API_KEY)
    assert shown == {name: made[name] for name in made if name != "key"}
    assert made["key"] not in core.get(f"{KEYS}?limit=200").body.decode()
    own = check_shape(with_key(site, made["key"]).get(SELF).expect(200), OWN_API_KEY)
    assert own["kind"] == "api_key"
    assert {name: own[name] for name in own if name != "kind"} == {
        name: made[name] for name in own if name != "kind"}


def test_root_key_reads_itself(core):
    own = check_shape(core.get(SELF).expect(200), OWN_API_KEY)
    assert (own["kind"], own["id"], own["role"], own["created_at"]) == ("root", None, "admin", None)


def test_what_is_left_out(core):
    made = make_key(core, "core")
    assert (made["test"], made["requests_per_minute"], made["expires_at"]) == (False, None, None)


@pytest.mark.parametrize("fields, path", [
    ({"name": ""}, "name"), ({"name": "x" * 201}, "name"), ({"role": "root"}, "role"),
    ({"role": None}, "role"), ({"requests_per_minute": 0}, "requests_per_minute"),
    ({"requests_per_minute": 1000001}, "requests_per_minute"),
    ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"), ({"test": "yes"}, "test"),
    ({"key": WRONG}, "key"),
])
def test_bad_input(core, fields, path):
    reply = core.post(KEYS, {"name": "x", "role": "core", **fields})
    reply.expect(422, "validation_error")
    assert reply.fault_paths == [path]


def test_limits_that_are_allowed(core):
    make_key(core, "core", name="x" * 200, requests_per_minute=1)
    make_key(core, "core", name="x", requests_per_minute=1000000)


def test_no_more_than_1000_keys(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    first = make_key(core, "core")
    at_once(4, lambda index: [make_key(core, "viewer") for _ in range(249)])
    last = [make_key(core, "viewer") for _ in range(3)]
    core.post(KEYS, {"name": "one too many", "role": "core"}).expect(422, "validation_error")
    assert len(all_keys(core)) == 1000
    for made in (first, last[-1]):
        with_key(fresh_site, made["key"]).get(SELF).expect(200)
    revoke(core, first["id"]).expect(204)
    make_key(core, "core")


# --- Carriers


def test_both_carriers(site, core):
    key = key_of(core, "viewer")
    with_key(site, key).get(SELF).expect(200)
    with_bearer(site, key).get(SELF).expect(200)
    with_bearer(site, site.internal_key, source=fresh_source()).get(SELF).expect(401)


def test_a_key_that_comes_twice_is_400(site, core):
    """Contract, section 10.1."""
    key = key_of(core, "viewer")
    own, bearer = f"X-Internal-API-Key: {key}", f"Authorization: Bearer {key}"
    root = f"X-Internal-API-Key: {site.internal_key}"
    for lines in ((own, own), (bearer, bearer), (own, bearer), (root, bearer), (own, root)):
        with RawConnection(site.address, fresh_source()) as connection:
            head = [f"GET {SELF} HTTP/1.1", "Host: herald", *lines, "", ""]
            connection.send("\r\n".join(head).encode())
            reply = connection.read_reply(f"GET {SELF}")
        check_conventions(reply)
        reply.expect(400, "bad_request")
    for other in ("Basic eDp5", f"Bearer {'x' * 40}"):
        with_key(site, key).get(SELF, headers={"Authorization": other}).expect(200)


def test_wrong_keys(site, core, phone):
    key = key_of(core, "admin")
    for wrong in (WRONG, key[:-1], key + "x", key.swapcase(), "hk_", key[3:], phone.device_key):
        with_key(site, wrong, source=fresh_source()).get(SELF).expect(401, "unauthorized")
        with_bearer(site, wrong, source=fresh_source()).get(SELF).expect(401, "unauthorized")
    with_key(site, "", source=fresh_source()).get(f"{SELF}?key={key}").expect(401)


def test_wrong_keys_are_counted_and_a_right_one_is_not_refused_for_them(site, core):
    """Contract, section 1, Keys."""
    source, key = fresh_source(), key_of(core, "viewer")
    stranger, friend = with_key(site, WRONG, source=source), with_key(site, key, source=source)
    at_once(FAILURES_MAX, lambda index: with_key(site, WRONG, source=source).get(SELF).expect(401))
    stranger.get(SELF).expect(429, "rate_limited")
    friend.get(SELF).expect(200)


def test_flood_of_wrong_keys_costs_the_others_nothing(site, core, phone):
    """They wait for one reading a second, all together, and codes go on meanwhile."""
    phone.be_ready()
    friend, took = with_key(site, key_of(core, "core")), []

    def knock(index):
        if index == 0:
            for _ in range(40):
                began = time.monotonic()
                core.create_challenge(fresh_number()).expect(201)
                friend.get(SELF).expect(200)
                took.append(time.monotonic() - began)
                time.sleep(0.05)
            return
        stranger = with_key(site, f"hk_{index:043d}", source=fresh_source())
        for _ in range(3):
            assert stranger.get(SELF).status in (401, 429, 503)

    at_once(41, knock)
    lasted_at_most(sorted(took)[len(took) // 2], 0.5)


# --- The end


def test_revoked_key_is_dead(site, core):
    made = make_key(core, "viewer")
    client = with_key(site, made["key"], source=fresh_source())
    client.get(SELF).expect(200)
    revoke(core, made["id"]).expect(204)
    assert is_dead(client)
    revoked_at = listed(core, made["id"])["revoked_at"]
    assert revoked_at
    revoke(core, made["id"]).expect(204)
    assert listed(core, made["id"])["revoked_at"] == revoked_at
    rotate(core, made["id"]).expect(404, "not_found")
    revoke(core, MISSING_ID).expect(404, "not_found")
    rotate(core, MISSING_ID).expect(404, "not_found")


def test_key_expires(site, core):
    made = make_key(core, "viewer", expires_at=after(2))
    client = with_key(site, made["key"], source=fresh_source())
    client.get(SELF).expect(200)
    time.sleep(2)
    client.get(SELF).expect(401)
    rotate(core, made["id"]).expect(404, "not_found")


def test_rotation_with_an_overlap(site, core):
    made = make_key(core, "viewer")
    first = with_key(site, made["key"], source=fresh_source())
    rotated = check_shape(rotate(core, made["id"], overlap_seconds=3600).expect(200), NEW_API_KEY)
    assert rotated["id"] == made["id"] and rotated["key"] != made["key"]
    assert rotated["old_key_until"]
    second = with_key(site, rotated["key"], source=fresh_source())
    second.get(SELF).expect(200)
    first.get(SELF).expect(200)
    third = rotate(core, made["id"], overlap_seconds=1).expect(200)
    assert is_dead(first)
    time.sleep(1)
    assert is_dead(second)
    with_key(site, third["key"]).get(SELF).expect(200)


def test_rotation_without_an_overlap(site, core):
    made = make_key(core, "viewer")
    rotated = rotate(core, made["id"]).expect(200)
    assert rotated["old_key_until"] is None
    with_key(site, rotated["key"]).get(SELF).expect(200)
    assert is_dead(with_key(site, made["key"], source=fresh_source()))
    rotate(core, made["id"], overlap_seconds=86401).expect(422, "validation_error")
    rotate(core, made["id"], overlap_seconds=-1).expect(422, "validation_error")


def test_log_stream_ends_with_its_key(site, core):
    made = make_key(core, "viewer")
    with LogReader(site.address, made["key"]) as reader:
        revoke(core, made["id"]).expect(204)
        began = time.monotonic()
        assert eventually(lambda: reader.has_ended.is_set(), seconds=DEAD_WITHIN_S)
        took_at_most(began, DEAD_WITHIN_S)


@pytest.mark.only("postgres")
def test_log_stream_that_cannot_begin_is_refused(site, core):
    client = with_key(site, key_of(core, "viewer"))
    with site.database.locked("log_entry"):
        client.get("/internal/v1/logs/stream?after=0").expect(503, "storage_unavailable")
    client.get(SELF).expect(200)


def test_keys_live_through_a_restart(fresh_site):
    fresh_site.serve()
    key = key_of(fresh_site.core(), "viewer")
    fresh_site.restart()
    with_key(fresh_site, key).get(SELF).expect(200)


# --- Limits


def test_requests_per_minute(site, core):
    made = make_key(core, "viewer", requests_per_minute=5)
    client = with_key(site, made["key"])
    for _ in range(4):
        client.get(SELF).expect(200)
    client.post("/internal/v1/devices", {}).expect(403)  # counts, too
    reply = client.get(SELF)
    reply.expect(429, "rate_limited")
    assert 1 <= reply.retry_after <= 12
    assert reply.header("RateLimit-Policy") == '"requests";q=5;w=60'
    assert reply.header("RateLimit").startswith('"requests";r=0;t=')
    key_of(core, "viewer")  # the keys are read anew, and what was used stays used
    client.get(SELF).expect(429)
    time.sleep(reply.retry_after)
    client.get(SELF).expect(200)
    core.get(SELF).expect(200)


def test_log_tells_who_made_a_key(site, core):
    admin = make_key(core, "admin", name="Daria")
    made = make_key(with_key(site, admin["key"]), "viewer")
    revoke(core, made["id"]).expect(204)
    for message, by in (("API key created", "Daria"), ("API key revoked", "root")):
        entry = eventually(lambda text=message: next(
            (row for row in core.get("/internal/v1/logs?limit=200").expect(200)["entries"]
             if row["message"] == text and row["fields"]["api_key_id"] == made["id"]), None))
        assert entry["fields"]["by"] == by


def test_refusals_name_the_key(site, core):
    made = make_key(core, "viewer")
    reply = with_key(site, made["key"]).post("/internal/v1/devices", {})
    asked = f"/internal/v1/logs?request_id={reply.header('X-Request-Id')}"
    entry, = eventually(lambda: core.get(asked).expect(200)["entries"])
    assert entry["fields"]["error"] == "insufficient_role"
    assert entry["fields"]["api_key_id"] == made["id"]


# --- Several processes, and a database that is away


@pytest.mark.only("postgres")
def test_keys_hold_and_end_at_every_process(fresh_site):
    first, second = fresh_site.start_cluster()
    core = fresh_site.core(first)
    made = make_key(core, "viewer")
    there = with_key(fresh_site, made["key"], second, fresh_source())
    there.get(SELF).expect(200)  # at once, however long ago the keys were read
    made_now = make_key(core, "core")
    with_key(fresh_site, made_now["key"], second).post(  # the body waits, too
        "/internal/v1/messages", {}, headers={"Idempotency-Key": "x"}).expect(422)
    rotated = rotate(core, made["id"]).expect(200)
    with_key(fresh_site, rotated["key"], second).get(SELF).expect(200)
    assert is_dead(there)
    there = with_key(fresh_site, rotated["key"], second, fresh_source())
    revoke(core, made["id"]).expect(204)
    assert is_dead(there)


@pytest.mark.only("postgres")
def test_without_its_database_no_key_passes_but_the_root_key(fresh_site):
    """A key may have been revoked meanwhile, so that after some seconds it is 503."""
    fresh_site.serve()
    core = fresh_site.core()
    made = make_key(core, "viewer")
    client = with_key(fresh_site, made["key"], source=fresh_source())
    client.get("/internal/v1/settings").expect(200)
    fresh_site.database.take_away()
    try:
        assert eventually(lambda: client.get("/internal/v1/settings").status == 503,
                          seconds=DEAD_WITHIN_S)
        client.get("/internal/v1/settings").expect(503, "storage_unavailable")
        core.get("/internal/v1/settings").expect(200)
        revoked = revoke(core, made["id"])
        revoked.expect(503, "storage_unavailable")
    finally:
        fresh_site.database.give_back()
    assert eventually(lambda: client.get("/internal/v1/settings").status == 200, seconds=30)
    assert eventually(lambda: revoke(core, made["id"]).status == 204, seconds=30)
    assert is_dead(client)


@pytest.mark.only("postgres")
def test_a_revoked_key_never_passes_while_the_database_is_away(fresh_site):
    """Neither one that a process knows as revoked, nor one that was revoked behind its back."""
    fresh_site.migrate()
    with HangingProxy(fresh_site.database) as proxy:
        cut_off = fresh_site.start("serve", changes=proxy.settings())
        cut_off.wait_until_ready()
        core = fresh_site.core(fresh_site.serve())
        known, behind = make_key(core, "admin"), make_key(core, "admin")
        revoke(core, known["id"]).expect(204)
        clients = [with_key(fresh_site, key["key"], cut_off, fresh_source())
                   for key in (known, behind)]
        assert is_dead(clients[0])
        clients[1].get(SELF).expect(200)
        proxy.hang()
        revoke(core, behind["id"]).expect(204)
        revoked_at = time.monotonic()
        while time.monotonic() < revoked_at + DEAD_WITHIN_S:
            assert clients[0].get("/internal/v1/settings").status in (401, 503)
        for _ in range(10):  # from then on for as long as it is away
            for client in clients:
                client.get("/internal/v1/settings").expect(503, "storage_unavailable")
                client.post("/internal/v1/devices", {}).expect(503, "storage_unavailable")
            time.sleep(0.5)
        fresh_site.core(cut_off).get("/internal/v1/settings").expect(200)  # the root key is good
        proxy.go_on()
        assert eventually(lambda: clients[1].get("/internal/v1/settings").status != 503, seconds=30)
        for client in clients:
            client.get("/internal/v1/settings").expect(401, "unauthorized")


# --- Test numbers


@pytest.mark.parametrize("environment, for_root", [("production", False), ("test", True)])
def test_test_numbers_are_for_test_keys(fresh_site, environment, for_root):
    """Contract, section 12.1: in production, too; for other keys such a number is a number."""
    fresh_site.serve({
        "HERALD_ENVIRONMENT": environment,
        "HERALD_TEST_NUMBERS": f"{TEST_NUMBER}-+79990000099",
    })
    core = fresh_site.core()
    assert core.get(SELF).expect(200)["test"] == for_root

    def create(client, number):
        return client.post("/internal/v1/otp", {"channel": "sms", "recipient": number},
                           headers={"Idempotency-Key": number})

    tester = with_key(fresh_site, key_of(core, "core", test=True))
    assert tester.get(SELF).expect(200)["test"] is True
    assert create(tester, "+79990000010").expect(201)["test"] is True
    create(with_key(fresh_site, key_of(core, "core")), "+79990000011").expect(503, "no_ready_sim")
    reply = create(core, "+79990000012")
    reply.expect(201 if for_root else 503)


# --- What is for others


def others(core):
    """(method, path) of each operation that wants a key of a phone, an ERP, a person or a link."""
    for path, methods in core.get("/openapi.json").expect(200)["paths"].items():
        for method, row in methods.items():
            if row.get("security") and not path.startswith("/internal/"):
                yield method.upper(), re.sub(r"{\w+}", MISSING_ID, path)
    for method, path in (("GET", "/message"), ("PATCH", "/message"), ("PATCH", "/device"),
                         ("GET", "/webhooks"), ("GET", "/settings"), ("GET", "/events")):
        yield method, f"/smsgate/v1{path}"  # an app of others has it, so the document has not


def ways_to_carry(key):
    pair = base64.b64encode(f"{MISSING_ID}:{key}".encode()).decode()
    return [{"X-Internal-API-Key": key}, {"X-Device-Key": key}, {"x-api-key": key},
            {"Authorization": f"Bearer {key}"}, {"Authorization": f"Basic {pair}"},
            {"Authorization": f"Code {key}"}]


def status_of(site, method, path, headers):
    """Each asks from an address of its own, where no wrong key was counted yet."""
    is_token = path == "/v1/oauth/token"
    content = "application/x-www-form-urlencoded" if is_token else "application/json"
    raw = b"grant_type=client_credentials" if is_token else None if method == "GET" else b"{}"
    connection = http.client.HTTPConnection(
        *site.address, timeout=REPLY_TIMEOUT_S, source_address=(fresh_address(), 0))
    with contextlib.closing(connection):
        connection.request(method, path, raw, {"Content-Type": content, **headers})
        return connection.getresponse().status


@pytest.mark.parametrize("role", ["core", "admin"])
def test_it_opens_nothing_of_phones_and_erps(site, core, role):
    key = key_of(core, role)
    asked = set(others(core))
    assert {("POST", "/device/v1/sms/claim"), ("POST", "/api/events"), ("POST", "/v1/oauth/token"),
            ("POST", f"/api/v1/integrations/erp/{MISSING_ID}/changes"),
            ("GET", "/smsgate/v1/message")} <= asked
    for method, path in sorted(asked):
        for headers in ways_to_carry(key):
            assert status_of(site, method, path, headers) == 401, (method, path, headers)
    with_key(site, key).get(SELF).expect(200)  # and is none the worse for it


def test_it_stands_in_nobodys_way(site, core, new_phone):
    """Beside the own key of a phone or an ERP it is not looked at."""
    phone, erp = new_phone(), Operator.of(site).new_erp()
    bearer = erp.with_token(erp.fetch_token())
    for key in (key_of(core, "admin"), WRONG):
        for _ in range(FAILURES_MAX + 1):  # nor counted
            phone.request("POST", "/api/device/ping", {}, headers={"X-Internal-API-Key": key}).expect(200)
            reply = bearer.event(headers={"X-Internal-API-Key": key})
            reply.expect(404)


# --- Secrets


def test_no_key_in_any_output(fresh_site):
    process = fresh_site.serve()
    core = fresh_site.core()
    made = make_key(core, "admin", name="canary")
    rotated = rotate(core, made["id"], overlap_seconds=60).expect(200)
    client = with_key(fresh_site, rotated["key"])
    client.get(f"/internal/v1/devices?q={rotated['key']}").expect(200)
    client.post("/internal/v1/devices", {"name": rotated["key"], "numbers": ["x"]}).expect(422)
    client.get(SELF, headers={"X-Request-Id": rotated["key"]}).expect(200)
    log = eventually(lambda: "API key rotated" in core.get("/internal/v1/logs").body.decode())
    assert log
    shown = core.get("/internal/v1/logs?limit=200").body.decode() + process.output.decode()
    for key in (made["key"], rotated["key"]):
        assert key not in shown
    fresh_site.stop()
    if fresh_site.database:
        kept = fresh_site.database.dump()
    else:
        kept = b"".join(path.read_bytes() for path in fresh_site.state.rglob("*") if path.is_file())
    for key in (made["key"], rotated["key"]):
        assert key.encode() not in kept
