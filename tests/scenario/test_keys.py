"""Contract section 1, keys: who may ask what, rotation, and the limit on failed authentications."""

import itertools

import pytest

from harness.http import Client, RawConnection, check_conventions
from harness.shapes import ROTATED_KEY, check_shape
from harness.site import free_port
from harness.tools import at_once, fresh_key, fresh_number

MISSING_ID = "01900000-0000-7000-8000-000000000000"
PROXY = "127.0.8.250"
CLOCK = True
SETTINGS = {"HERALD_TRUSTED_PROXIES": f"fd00:0:0::5, ::ffff:{PROXY}"}
FAILURES_MAX = 20
TOLD_ONE_BY_ONE = 5  # of the failures of an address in a minute

_sources = itertools.count(1)

INTERNAL = [
    ("POST", "/internal/v1/devices"),
    ("GET", "/internal/v1/devices"),
    ("GET", f"/internal/v1/devices/{MISSING_ID}"),
    ("PUT", f"/internal/v1/devices/{MISSING_ID}"),
    ("DELETE", f"/internal/v1/devices/{MISSING_ID}"),
    ("PATCH", f"/internal/v1/devices/{MISSING_ID}"),
    ("PUT", f"/internal/v1/devices/{MISSING_ID}/accounts"),
    ("POST", f"/internal/v1/devices/{MISSING_ID}/rotate-key"),
    ("POST", "/internal/v1/challenges"),
    ("GET", f"/internal/v1/challenges/{MISSING_ID}"),
    ("POST", f"/internal/v1/challenges/{MISSING_ID}/cancel"),
    ("POST", "/internal/v1/otp"),
    ("GET", f"/internal/v1/otp/{MISSING_ID}"),
    ("POST", f"/internal/v1/otp/{MISSING_ID}/verify"),
    ("POST", f"/internal/v1/otp/{MISSING_ID}/cancel"),
    ("POST", f"/internal/v1/otp/{MISSING_ID}/sms-fallback"),
    ("GET", "/internal/v1/logs"),
    ("GET", "/internal/v1/logs/stream"),
]
DEVICE = [
    ("POST", "/api/events"),
    ("POST", "/device/v1/events"),
    ("POST", "/device/v1/sms/claim"),
    ("POST", f"/device/v1/sms/{MISSING_ID}/result"),
    ("POST", "/api/device/ping"),
]


def fresh_source():
    """A loopback address of its own, so that failures are counted for this test alone."""
    index = next(_sources)
    return f"127.1.{index // 250}.{1 + index % 250}"


def stranger(site, **headers):
    """Somebody at an address of their own, with these headers and nothing else."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Client(site.address, named, fresh_source())


def knock(client, method, path, **options):
    body = {} if method in ("POST", "PATCH") else None
    return client.request(method, path, raw=b"{}" if body is not None else None, **options)


def test_internal_operations_want_the_internal_key(site, phone):
    for method, path in INTERNAL:
        for nobody in (
            stranger(site),
            stranger(site, X_Internal_API_Key="wrong"),
            stranger(site, X_Internal_API_Key=site.internal_key[:-1]),
            stranger(site, X_Internal_API_Key=site.internal_key + "x"),
            stranger(site, X_Internal_API_Key=site.internal_key.swapcase()),
            stranger(site, X_Internal_API_Key=phone.device_key),
            stranger(site, X_Device_Key=phone.device_key),
            stranger(site, Authorization=f"Bearer {site.internal_key}"),
        ):
            knock(nobody, method, path).expect(401, "unauthorized")


def test_phone_operations_want_a_device_key(site, phone):
    for method, path in DEVICE:
        for nobody in (
            stranger(site),
            stranger(site, X_Device_Key="wrong"),
            stranger(site, X_Device_Key="hd_" + "A" * 43),
            stranger(site, X_Device_Key=phone.device_key[:-1]),
            stranger(site, X_Device_Key=phone.device_key + "x"),
            stranger(site, Authorization=phone.device_key),
            stranger(site, Authorization=f"Basic {phone.device_key}"),
            stranger(site, X_Internal_API_Key=site.internal_key),
        ):
            knock(nobody, method, path).expect(401, "unauthorized")


def test_key_without_the_word_bearer_is_told_so(site, core, phone):
    """In front of keys of phones, of API keys and of tokens alike; other schemes are not meant."""
    api_key = core.post("/internal/v1/api-keys", {"name": fresh_key(), "role": "core"}).expect(201)
    for method, path, word in (("POST", "/api/device/ping", phone.device_key),
                               ("GET", "/internal/v1/otp", api_key["key"]),
                               ("GET", f"/api/v1/integrations/erp/{MISSING_ID}/events/1", "eyJhbGciOiJFZERTQSJ9.e30.AA")):
        for value, says in ((word, "write Bearer"), (f"Basic {word}", "this operation wants"),
                            ("Bearer", "this operation wants")):
            reply = knock(stranger(site, Authorization=value), method, path)
            reply.expect(401, "unauthorized")
            assert says in reply.error["message"].replace("This", "this"), reply


def test_root_key_without_its_header_is_told_of_it(site):
    """It is no bearer, so the word would not help."""
    reply = stranger(site, Authorization=site.internal_key).get("/internal/v1/otp")
    reply.expect(401, "unauthorized")
    assert "X-Internal-API-Key" in reply.error["message"], reply


def test_key_is_never_taken_from_the_url(site, phone):
    nobody = stranger(site)
    key = site.internal_key
    nobody.get(f"/internal/v1/devices?X-Internal-API-Key={key}").expect(401, "unauthorized")
    nobody.post(f"/api/device/ping?key={phone.device_key}", {}).expect(401, "unauthorized")


def test_key_is_checked_before_the_body(site):
    nobody = stranger(site, X_Internal_API_Key="wrong")
    path = "/internal/v1/devices"
    plain = {"Content-Type": "text/plain"}
    nobody.request("POST", path, raw=b"{broken", headers=plain).expect(401, "unauthorized")
    nobody.request("POST", path, raw=b" " * 70_000).expect(401, "unauthorized")


def test_device_key_in_both_headers(site, phone):
    for headers in (
        {"X-Device-Key": phone.device_key},
        {"Authorization": f"Bearer {phone.device_key}"},
        {"Authorization": f"bearer {phone.device_key}"},
    ):
        reply = Client(site.address, headers, fresh_source()).post("/api/device/ping", {})
        assert reply.expect(200)["device"]["id"] == phone.device_id


def send_lines(site, method, path, *lines):
    """A request with these header lines, of which some come twice."""
    with RawConnection(site.address, fresh_source()) as connection:
        head = [f"{method} {path} HTTP/1.1", "Host: herald", *lines]
        if method == "POST":
            head += ["Content-Type: application/json", "Content-Length: 2"]
        connection.send("\r\n".join([*head, "", "{}" if method == "POST" else ""]).encode())
        reply = connection.read_reply(f"{method} {path}")
    check_conventions(reply)
    return reply


def test_repeated_key_is_400(site, phone):
    """Contract, section 1: whichever of two counted, somebody could rely on the other."""
    internal = f"X-Internal-API-Key: {site.internal_key}"
    device, bearer = f"X-Device-Key: {phone.device_key}", f"Authorization: Bearer {phone.device_key}"
    for method, path in INTERNAL:
        for second in (internal, "x-internal-api-key: wrong", "X-Internal-API-Key:"):
            send_lines(site, method, path, internal, second).expect(400, "bad_request")
        send_lines(site, method, path, internal, bearer, bearer).expect(400, "bad_request")
    for method, path in DEVICE:
        for lines in ((device, device), (device, "X-Device-Key: hd_wrong"), (bearer, bearer),
                      (device, bearer), (device, "authorization: bearer other"),
                      (device, internal, internal)):
            send_lines(site, method, path, *lines).expect(400, "bad_request")
    ping = "/api/device/ping"
    send_lines(site, "POST", ping, device, internal).expect(200)
    send_lines(site, "POST", ping, device, "Authorization: Basic eDp5").expect(200)
    send_lines(site, "GET", "/health/live", internal, internal).expect(200)


def test_repeated_keys_are_no_failed_authentication(site):
    source = fresh_source()
    for _ in range(FAILURES_MAX + 5):
        with RawConnection(site.address, source) as connection:
            connection.send(b"GET /internal/v1/devices HTTP/1.1\r\nHost: herald\r\n"
                            b"X-Internal-API-Key: a\r\nX-Internal-API-Key: b\r\n\r\n")
            connection.read_reply("GET /internal/v1/devices").expect(400, "bad_request")
    Client(site.address, source=source).get("/internal/v1/devices").expect(401, "unauthorized")


def test_rotated_key_takes_the_place_of_the_old_one(site, core, phone):
    rotated = check_shape(core.rotate_key(phone.device_id).expect(200), ROTATED_KEY)
    assert rotated["device_id"] == phone.device_id
    assert rotated["device_key"] != phone.device_key
    phone.ping().expect(401, "unauthorized")
    phone.claim().expect(401, "unauthorized")
    phone.headers["X-Device-Key"] = rotated["device_key"]
    phone.ping().expect(200)


def test_device_keys_are_all_different(core):
    numbers = [fresh_number() for _ in range(20)]
    keys = {core.register("one of many", [number]).expect(201)["device_key"] for number in numbers}
    assert len(keys) == 20


def test_two_internal_keys_while_one_is_rotated(fresh_site):
    old, new = "the-old-internal-key-0001", "the-new-internal-key-0002"
    fresh_site.serve({"INTERNAL_API_KEY": f"{old},{new}"})
    for key in (old, new):
        Client(fresh_site.address, {"X-Internal-API-Key": key}).get(
            "/internal/v1/devices").expect(200)
    for key in (f"{old},{new}", old[:-1], ""):
        Client(fresh_site.address, {"X-Internal-API-Key": key}, fresh_source()).get(
            "/internal/v1/devices").expect(401)
    fresh_site.stop()
    fresh_site.serve({"INTERNAL_API_KEY": new})
    Client(fresh_site.address, {"X-Internal-API-Key": new}).get("/internal/v1/devices").expect(200)
    Client(fresh_site.address, {"X-Internal-API-Key": old}).get("/internal/v1/devices").expect(401)


def fail_20_times(client, headers=None):
    """Twenty failures are still heard out, whatever kind of key is wrong."""
    for index in range(20):
        method, path = ("GET", "/internal/v1/devices") if index % 2 else ("POST", "/api/events")
        knock(client, method, path, headers=headers).expect(401, "unauthorized")


def test_after_20_failed_authentications_429_for_the_rest_of_the_minute(site, clock, phone):
    guesser = stranger(site, X_Internal_API_Key="wrong", X_Device_Key="hd_wrong")
    fail_20_times(guesser)
    reply = knock(guesser, "GET", "/internal/v1/devices")
    reply.expect(429, "rate_limited")
    assert 1 <= reply.retry_after <= 60
    knock(guesser, "POST", "/api/device/ping").expect(429, "rate_limited")

    elsewhere = stranger(site, X_Internal_API_Key="wrong")
    knock(elsewhere, "GET", "/internal/v1/devices").expect(401, "unauthorized")
    phone.ping().expect(200)

    clock.advance(61)
    knock(guesser, "GET", "/internal/v1/devices").expect(401, "unauthorized")


def test_right_key_is_never_refused_for_wrong_ones(site, phone):
    """Contract, section 1, Keys: the key is looked at first, whatever its address did before."""
    source = fresh_source()
    guesser = Client(site.address, {"X-Internal-API-Key": "x", "X-Device-Key": "hd_x"}, source)
    fail_20_times(guesser)
    knock(guesser, "GET", "/internal/v1/devices").expect(429, "rate_limited")
    site.core(source=source).devices().expect(200)
    phone.source = source
    phone.close()
    phone.ping().expect(200)
    phone.be_ready()  # this one reads first
    phone.event(fresh_number()).expect(200)  # and this one writes
    knock(guesser, "POST", "/api/device/ping").expect(429, "rate_limited")


def test_phone_with_a_rotated_key_locks_out_no_neighbour(site, core, new_phone):
    """It polls two numbers: 24 failures a minute from the one address of a carrier's NAT."""
    source = fresh_source()
    rotated, good = new_phone(2), new_phone()
    core.rotate_key(rotated.device_id).expect(200)
    for phone in (rotated, good):
        phone.source = source
    for index in range(24):
        reply = rotated.claim(rotated.numbers[index % 2])
        reply.expect(401 if index < FAILURES_MAX else 429)
        good.claim().expect(200)


def test_right_keys_in_a_flood_of_wrong_ones(site, new_phone):
    """They wait for their turn among wrong keys of their address, and get it."""
    source = fresh_source()
    phone = new_phone()
    phone.source = source

    def knock_often(index):
        if index == 0:
            return [phone.event(fresh_number()).status for _ in range(30)]
        guesser = Client(site.address, {"X-Device-Key": f"hd_{index:043}"}, source)
        return [knock(guesser, *DEVICE[attempt % len(DEVICE)]).status for attempt in range(30)]

    mine, *others = at_once(16, knock_often)
    assert set(mine) == {200}
    told = [status for statuses in others for status in statuses]
    assert (told.count(401), told.count(429)) == (FAILURES_MAX, 15 * 30 - FAILURES_MAX)


def test_flood_is_told_in_one_entry_a_minute(fresh_site):
    fresh_site.serve()
    guesser = stranger(fresh_site, X_Internal_API_Key="wrong")
    with fresh_site.log_reader() as reader:
        for _ in range(300):
            knock(guesser, "GET", "/internal/v1/devices")
        fresh_site.clock.advance(61)
        is_flood = "many authentications failed within a minute"
        entry = reader.wait_for(lambda entry: entry["message"] == is_flood)
        assert entry and entry["level"] == "warning", reader.text
        assert entry["fields"]["most_from_address"] == guesser.source
        assert entry["fields"]["failures_of_address"] == 300
        assert entry["fields"]["failures"] == 300 - TOLD_ONE_BY_ONE
        reader.wait_until_quiet()
        own = [row for row in reader.entries if row["fields"].get("address") == guesser.source]
        assert len(own) == TOLD_ONE_BY_ONE
        assert sum(row["message"] == is_flood for row in reader.entries) == 1


FAULTY_BODIES = [b"", b"{broken", b"{}", b"[]", b'{"gateway_number":7}', b'{"a":1,"a":2}']


def test_wrong_device_key_is_told_before_a_faulty_body(site):
    for method, path in DEVICE:
        nobody = stranger(site, X_Device_Key="hd_" + "A" * 43)
        for raw in FAULTY_BODIES:
            nobody.request(method, path, raw=raw).expect(401, "unauthorized")


def test_wrong_device_key_with_a_faulty_body_counts_as_a_failure(site, phone):
    claim = "/device/v1/sms/claim"
    guesser = stranger(site, X_Device_Key="hd_wrong")
    for index in range(20):
        raw = FAULTY_BODIES[index % len(FAULTY_BODIES)]
        guesser.request("POST", claim, raw=raw).expect(401, "unauthorized")
    guesser.request("POST", claim, raw=b"{broken").expect(429, "rate_limited")
    guesser.headers["X-Device-Key"] = phone.device_key
    guesser.request("POST", claim, raw=b"{broken").expect(422, "validation_error")


def test_faulty_bodies_of_a_right_key_are_no_failures(site, phone):
    owner = stranger(site, X_Device_Key=phone.device_key)
    for _ in range(25):
        owner.request("POST", "/device/v1/sms/claim", raw=b"{broken").expect(422)


def test_successes_are_no_failures(site):
    core = site.core(source=fresh_source())
    for _ in range(30):
        core.devices().expect(200)


def test_health_is_not_held_back_by_failed_authentications(site):
    guesser = stranger(site, X_Internal_API_Key="wrong", X_Device_Key="hd_wrong")
    fail_20_times(guesser)
    knock(guesser, "GET", "/internal/v1/devices").expect(429)
    guesser.get("/health/live").expect(200)


def test_forwarded_address_counts_only_from_a_trusted_proxy(site):
    wrong = {"X-Internal-API-Key": "wrong", "X-Device-Key": "hd_wrong"}
    proxy = Client(site.address, wrong, PROXY)
    fail_20_times(proxy, {"X-Forwarded-For": "203.0.113.7"})
    path = "/internal/v1/devices"
    proxy.get(path, headers={"X-Forwarded-For": "203.0.113.7"}).expect(429)
    proxy.get(path, headers={"X-Forwarded-For": "203.0.113.8"}).expect(401)
    proxy.get(path, headers={"X-Forwarded-For": "198.51.100.1, 203.0.113.7"}).expect(429)

    liar = stranger(site, X_Internal_API_Key="wrong", X_Device_Key="hd_wrong")
    fail_20_times(liar, {"X-Forwarded-For": "203.0.113.9"})
    liar.get(path, headers={"X-Forwarded-For": "203.0.113.10"}).expect(429)


# A caller as its proxy may name it, and others of whom all are the same caller.
ONE_CALLER = [
    ["192.0.2.7", "192.0.2.7:50123", "::ffff:192.0.2.7", "[::ffff:192.0.2.7]:50124",
     "::FFFF:C000:0207", "0:0:0:0:0:ffff:192.0.2.7"],
    ["2001:db8:7::1", "2001:0DB8:0007:0000:0000:0000:0000:0001", "[2001:db8:7::1]:50123",
     "[2001:db8:7::1]", "2001:db8:7::1%eth0", "2001:db8:7:0:ffff::2", "2001:db8:7:0:1:2:3:4"],
    ["203.0.113.20, 10.1.1.1", "10.1.1.1", "2001:db8::1, 10.1.1.1:80", f"10.1.1.1, {PROXY}",
     f"10.1.1.1, fd00::5, [FD00::0:5]:443 ,::ffff:{PROXY}"],
    ["unknown", "_hidden", "192.0.2.999", "203.0.113.21, unknown", "", "[2001:db8::1"],
]


@pytest.mark.parametrize("names", ONE_CALLER, ids=["IPv4", "IPv6", "chain", "nobody"])
def test_one_caller_however_it_is_written(site, clock, names):
    clock.advance(61)
    proxy = Client(site.address, {"X-Internal-API-Key": "wrong"}, PROXY)
    path = "/internal/v1/devices"
    for index in range(FAILURES_MAX):
        name = names[index % len(names)]
        proxy.get(path, headers={"X-Forwarded-For": name}).expect(401, "unauthorized")
    for name in names:
        proxy.get(path, headers={"X-Forwarded-For": name}).expect(429, "rate_limited")
    for other in ("192.0.2.8", "2001:db8:7:1::1", "10.1.1.2"):
        proxy.get(path, headers={"X-Forwarded-For": other}).expect(401, "unauthorized")


@pytest.mark.only("sqlite")
def test_peers_of_both_families_at_one_socket(fresh_site):
    """Whoever comes by IPv4 to a socket of IPv6 is that IPv4 address, and nobody else."""
    port = free_port()
    fresh_site.start("serve", port=port, changes={"HERALD_LISTEN": f"[::]:{port}"})
    fresh_site.processes[-1].wait_until_ready()
    wrong = {"X-Internal-API-Key": "wrong"}
    path, source = "/internal/v1/devices", fresh_source()
    for address, own in (("::1", "::1"), ("127.0.0.1", source)):
        peer = Client((address, port), wrong, own)
        for _ in range(FAILURES_MAX):
            peer.get(path).expect(401, "unauthorized")
        peer.get(path).expect(429, "rate_limited")
        peer.get(path, headers={"X-Internal-API-Key": fresh_site.internal_key}).expect(200)
    Client(("127.0.0.1", port), wrong, fresh_source()).get(path).expect(401, "unauthorized")


def test_key_of_a_disabled_phone_is_still_its_key(core, phone):
    core.enable(phone.device_id, False).expect(204)
    assert phone.ping().expect(200)["device"]["enabled"] is False
    phone.claim().expect(403, "device_disabled")
