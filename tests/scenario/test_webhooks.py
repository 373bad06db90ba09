"""Contract section 13.3: events are delivered to endpoints, signed, at least once, and again."""

import json
import re
import ssl
import threading
import time

import pytest

from harness.feed import Feed
from harness.hooks import WEBHOOKS, WEBHOOK_SETTINGS, Endpoint, Receiver, verify
from harness.http import Client
from harness.keys import key_of, with_key
from harness.shapes import parse_time
from harness.site import PROJECT
from harness.tls import Pair
from harness.tools import eventually, fresh_number, lasted_at_most, masked, took_at_most
from test_admin import Admin

SETTINGS = WEBHOOK_SETTINGS
CLOCK = True
MINUTES_5_S = 300
DAY_S = 86400
BODY_MAX = 20_000
PING_LEN = 16_000  # of what a phone says of itself, which makes its record long


def canceled_call(core, phone):
    call = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    core.cancel_challenge(call["id"]).expect(204)
    return core.challenge(call["id"]).expect(200)


# --- What is delivered


def test_an_event_is_delivered_and_signed(core, phone, receiver, endpoint):
    feed = Feed.from_now_on(core)
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    event = feed.wait_for(call["id"], "challenge.canceled")
    assert delivery.id == event["id"]
    assert delivery.headers["content-type"] == "application/json"
    assert verify(endpoint.secret, delivery.headers, delivery.body)
    assert not verify(endpoint.secret, delivery.headers, delivery.body + b" ")
    assert not verify(endpoint.secret, {**delivery.headers, "webhook-id": call["id"]}, delivery.body)
    assert set(delivery.json) == {"type", "timestamp", "data", "subject"}
    assert delivery.json["type"] == "challenge.canceled"
    assert delivery.json["subject"] == event["subject"]
    assert delivery.json["timestamp"] == event["timestamp"]
    shown = {**call, "caller": delivery.json["data"]["caller"]}
    assert delivery.json["data"] == shown
    assert shown["caller"].startswith(masked(call["caller"]))
    row = eventually(lambda: (found := endpoint.delivery_of(event["id"]))
                     and found["state"] == "delivered" and found)
    assert (row["attempts"], row["status"], row["answer"], row["next_attempt_at"]) == (
        1, 200, "ok", None)
    assert row["seq"] == event["seq"]


def test_types_and_full_numbers(core, phone, receiver):
    one = Endpoint(core, receiver, ("challenge.*",), full_numbers=True, description="Shop")
    with Receiver() as other_receiver:
        other = Endpoint(core, other_receiver, ("device.disabled", "otp.*"))
        call = canceled_call(core, phone)
        delivery, = receiver.wait_for(call["id"])
        assert delivery.json["data"] == call
        core.enable(phone.device_id, False).expect(204)
        other_receiver.wait_for(phone.device_id)
        assert other_receiver.of(call["id"]) == [] and receiver.of(phone.device_id) == []
        other.close()
    one.close()


def test_a_long_record_is_delivered_whole(core, receiver, phone):
    endpoint = Endpoint(core, receiver, ("device.*",), full_numbers=True)
    phone.ping(filling="x" * PING_LEN).expect(200)
    assert eventually(lambda: (core.read_device(phone.device_id).expect(200)["status"] or {}).get("raw"))
    core.enable(phone.device_id, False).expect(204)
    delivery, = receiver.wait_for(phone.device_id)
    assert PING_LEN < len(delivery.body) <= BODY_MAX
    assert delivery.json["data"]["status"]["raw"]["filling"] == "x" * PING_LEN
    endpoint.close()


def test_endpoints_are_managed(core, site, receiver):
    made = Endpoint(core, receiver, ("otp.*", "message.sent"), description="The web shop")
    assert made.secret.startswith("whsec_") and len(made.secret) == 6 + 44
    assert made.record["types"] == ["otp.*", "message.sent"]
    assert made.record["enabled"] is True and made.record["full_numbers"] is False
    assert made.read() == made.record
    assert made.record in core.get(WEBHOOKS).expect(200)["endpoints"]
    changed = made.change(types=["*"], description="Shop", enabled=False).expect(200)
    assert (changed["types"], changed["description"], changed["enabled"]) == (["*"], "Shop", False)
    assert changed["url"] == made.record["url"]
    core.post(f"{made.path}/test").expect(409, "webhook_disabled")
    assert made.change(enabled=True).expect(200)["enabled"] is True
    made.close()
    core.get(made.path).expect(404)
    core.request("DELETE", made.path).expect(404)
    assert made.secret not in core.get("/internal/v1/audit?limit=200").expect(200).__str__()


def test_operator_manages_endpoints_but_sends_no_numbers_away(core, site, receiver):
    """Contract, section 10.2: who may not see numbers has none sent anywhere."""
    operator = with_key(site, key_of(core, "operator"))
    made = Endpoint(operator, receiver)
    assert made.change(description="Shop", enabled=False).expect(200)["description"] == "Shop"
    made.change(enabled=True).expect(200)
    rotated = operator.post(f"{made.path}/rotate-secret", {"overlap_seconds": 60}).expect(200)
    assert rotated["secret"] != made.secret
    for refused in (made.change(full_numbers=True),
                    operator.post(WEBHOOKS, {"url": receiver.url, "types": ["*"],
                                             "full_numbers": True})):
        assert refused.expect(403, "insufficient_role")["error"]["role"] == "admin"
    assert made.read()["full_numbers"] is False

    core.patch(made.path, {"full_numbers": True}).expect(200)
    made.change(url=receiver.url + "/elsewhere").expect(403, "insufficient_role")
    made.change(url=receiver.url + "/elsewhere", full_numbers=False).expect(200)
    made.change(full_numbers=True).expect(403, "insufficient_role")
    core.patch(made.path, {"full_numbers": True}).expect(200)
    made.change(types=["otp.*"], full_numbers=True, url=receiver.url + "/elsewhere").expect(200)
    operator.request("DELETE", made.path).expect(204)


def test_what_is_refused(core, site):
    good = {"url": "http://127.0.0.1:1/x", "types": ["*"]}
    for wrong in ({"url": "ftp://x/y"}, {"url": "http://u:p@127.0.0.1/"}, {"url": "http://h/?q=1"},
                  {"types": []}, {"types": ["otp.never"]}, {"types": ["otp"]}, {"types": ["*", "*"]},
                  {"secret": "x"}, {"url": "http://127.0.0.1/" + 500 * "x"}):
        core.post(WEBHOOKS, good | wrong).expect(422, "validation_error")
    Client(site.address).get(WEBHOOKS).expect(401)
    core.get(f"{WEBHOOKS}/01900000-0000-7000-8000-000000000000").expect(404)


def test_https_only_by_default(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    body = {"url": "http://127.0.0.1:1/x", "types": ["*"]}
    core.post(WEBHOOKS, body).expect(422, "validation_error")
    core.post(WEBHOOKS, body | {"url": "https://127.0.0.1:1/x"}).expect(201)


def test_addresses_are_checked_at_each_connect(fresh_site, receiver):
    """As of ERPs (contract, section 13.3): loopback is not among the default networks."""
    fresh_site.settings["HERALD_WEBHOOK_ALLOW_HTTP"] = "true"
    fresh_site.serve()
    core = fresh_site.core()
    for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "169.254.169.254", "0.0.0.0"):
        url = receiver.url.replace("127.0.0.1", host)
        made = core.post(WEBHOOKS, {"url": url, "types": ["*"]}).expect(201)
        row = core.post(f"{WEBHOOKS}/{made['id']}/test").expect(200)
        assert row["state"] == "failed" and row["status"] is None and row["answer"], host
    assert receiver.deliveries == []


# --- Tests and rotation


def test_a_test_tells_what_came_back(core, receiver, endpoint):
    row = core.post(f"{endpoint.path}/test").expect(200)
    assert (row["type"], row["state"], row["status"], row["answer"]) == (
        "test.ping", "delivered", 200, "ok")
    delivery, = receiver.of(endpoint.record["id"])
    assert delivery.id == row["id"] and verify(endpoint.secret, delivery.headers, delivery.body)
    number = fresh_number()
    receiver.answer = lambda _: (302, {"Location": receiver.url}, f"to {number}\n".encode() * 99)
    row = core.post(f"{endpoint.path}/test").expect(200)
    assert (row["state"], row["status"]) == ("failed", 302)
    assert number not in row["answer"] and "\n" not in row["answer"] and len(row["answer"]) <= 700
    assert len(receiver.of(endpoint.record["id"])) == 2, "a redirect is not followed"


def test_both_secrets_sign_while_they_overlap(core, site, phone, receiver, endpoint):
    made = core.post(f"{endpoint.path}/rotate-secret", {"overlap_seconds": 60}).expect(200)
    assert made["secret"] != endpoint.secret and parse_time(made["old_secret_until"])
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    for secret in (endpoint.secret, made["secret"]):
        assert verify(secret, delivery.headers, delivery.body)
    last = core.post(f"{endpoint.path}/rotate-secret", {"overlap_seconds": 0}).expect(200)
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    assert verify(last["secret"], delivery.headers, delivery.body)
    for secret in (endpoint.secret, made["secret"]):
        assert not verify(secret, delivery.headers, delivery.body)


def test_the_old_secret_ends_with_the_overlap(core, right_clock, phone, receiver, endpoint):
    made = core.post(f"{endpoint.path}/rotate-secret", {"overlap_seconds": 60}).expect(200)
    right_clock.advance(61)
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    assert verify(made["secret"], delivery.headers, delivery.body)
    assert not verify(endpoint.secret, delivery.headers, delivery.body)


@pytest.mark.parametrize("step_s", [3600, -24 * 3600])
def test_the_overlap_keeps_its_length_over_a_step(
        core, right_clock, phone, receiver, endpoint, step_s):
    made = core.post(f"{endpoint.path}/rotate-secret", {"overlap_seconds": 600}).expect(200)
    right_clock.set(step_s)

    def signs(secret):
        delivery, = receiver.wait_for(canceled_call(core, phone)["id"])
        at_s = right_clock.now().timestamp()
        return verify(secret, delivery.headers, delivery.body, at_s)

    assert signs(endpoint.secret) and signs(made["secret"])
    right_clock.advance(601)
    assert signs(made["secret"]) and not signs(endpoint.secret)


# --- Trouble


def test_failures_are_tried_again_and_replayed(core, site, phone, receiver, endpoint):
    receiver.answer = lambda _: (500, {}, b"oops")
    call = canceled_call(core, phone)
    first, = receiver.wait_for(call["id"])

    def row():
        return endpoint.delivery_of(first.id)

    assert eventually(lambda: row()["status"] == 500)
    assert row()["state"] == "pending" and row()["attempts"] == 1
    assert endpoint.read()["failing_since"]
    second = receiver.wait_for(call["id"], 2, within=20)[1]
    assert second.at - first.at > 4.5, "the second attempt comes after 5 s"
    lasted_at_most(second.at - first.at, 9)
    assert second.id == first.id and second.body == first.body
    receiver.answer = lambda _: (204, {}, b"")
    def is_recorded():  # until then the next attempt is at the end of the lease
        found = row()
        wait = parse_time(found["next_attempt_at"]) - parse_time(found["updated_at"])
        return found["attempts"] == 2 and wait.total_seconds() >= MINUTES_5_S

    assert eventually(is_recorded, 10)
    site.clock.advance(MINUTES_5_S * 2)
    receiver.wait_for(call["id"], 3, within=20)
    assert eventually(lambda: row()["state"] == "delivered")
    assert eventually(lambda: endpoint.read()["failing_since"] is None)
    core.post(f"{endpoint.path}/deliveries/{row()['id']}/replay").expect(200)
    receiver.wait_for(call["id"], 4)
    site.clock.set(-MINUTES_5_S * 2)


def test_410_to_what_began_before_it_was_enabled_again(core, phone, receiver, endpoint):
    is_over = threading.Event()

    def answer(delivery):
        if delivery is receiver.deliveries[0]:
            is_over.wait(10)
        return 410, {}, b"gone"

    receiver.answer = answer
    canceled_call(core, phone)
    late = eventually(lambda: receiver.deliveries)[0]
    canceled_call(core, phone)
    assert eventually(lambda: not endpoint.read()["enabled"])
    endpoint.change(enabled=True).expect(200)
    is_over.set()
    assert eventually(lambda: endpoint.delivery_of(late.id)["state"] == "failed")
    assert endpoint.read()["enabled"]


def test_what_failed_is_recovered(core, site, phone, receiver, endpoint):
    since = endpoint.record["created_at"]
    # What else was told meanwhile, as of the phone of the test before, disables nothing.
    receiver.answer = lambda delivery: (
        (410, {}, b"gone") if delivery.json["type"] == "challenge.canceled" else (200, {}, b"ok"))
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    assert eventually(lambda: not endpoint.read()["enabled"]), "410 disables"
    assert "410" in endpoint.read()["disabled_why"]
    assert endpoint.delivery_of(delivery.id)["state"] == "failed"
    receiver.answer = lambda _: (200, {}, b"ok")
    endpoint.change(enabled=True).expect(200)
    assert core.post(f"{endpoint.path}/recover", {"since": since}).expect(200) == {
        "queued": 1, "more": False}
    receiver.wait_for(call["id"], 2)
    assert [row["event_id"] for row in endpoint.deliveries("?state=failed")] == []


def test_disabling_is_an_event(core, phone, receiver, endpoint):
    with Receiver() as dead:
        dead.answer = lambda _: (410, {}, b"")
        gone = Endpoint(core, dead, ("challenge.*",))
        canceled_call(core, phone)
        delivery, = receiver.wait_for(gone.record["id"])
        assert delivery.json["type"] == "webhook_endpoint.disabled"
        assert delivery.json["data"]["enabled"] is False
        gone.close()


def test_nothing_but_failures_for_5_days_disables(fresh_site, receiver):
    fresh_site.settings.update(WEBHOOK_SETTINGS)
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    receiver.answer = lambda _: (404, {}, b"not here")
    endpoint = Endpoint(core, receiver)
    canceled_call(core, phone)
    assert eventually(lambda: endpoint.read()["failing_since"])
    fresh_site.clock.advance(4 * DAY_S)
    canceled_call(core, phone)
    seen = len(receiver.deliveries)
    assert eventually(lambda: len(receiver.deliveries) > seen, 20)
    assert endpoint.read()["enabled"] is True
    fresh_site.clock.advance(DAY_S + 60)
    canceled_call(core, phone)
    assert eventually(lambda: not endpoint.read()["enabled"], 20)
    assert "5 days" in endpoint.read()["disabled_why"]
    with fresh_site.log_reader(last_event_id=0) as reader:
        assert reader.wait_for(lambda entry: entry["message"].startswith("webhook endpoint disabled"))


def test_the_documented_receiver_verifies(core, phone, receiver, endpoint):
    text = (PROJECT / "docs" / "webhooks.md").read_text()
    names = {}
    block = next(block for block in re.findall(r"```python\n(.*?)```", text, re.S)
                 if "def is_genuine" in block)
    exec(block, names)  # our own page
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    assert names["is_genuine"](endpoint.secret, delivery.headers, delivery.body)
    assert not names["is_genuine"](endpoint.secret, delivery.headers, delivery.body[:-1])
    old = {**delivery.headers, "webhook-timestamp": str(int(time.time()) - 4000)}
    assert not names["is_genuine"](endpoint.secret, old, delivery.body)


def test_there_are_at_most_50(fresh_site):
    fresh_site.settings.update(WEBHOOK_SETTINGS)
    fresh_site.serve()
    core = fresh_site.core()
    body = {"url": "http://127.0.0.1:1/x", "types": ["test.ping"]}
    for _ in range(50):
        core.post(WEBHOOKS, body).expect(201)
    core.post(WEBHOOKS, body).expect(422, "validation_error")
    assert len(core.get(WEBHOOKS).expect(200)["endpoints"]) == 50


def test_the_operator_manages_them(site, core, receiver, tmp_path):
    admin = Admin(site)
    file = tmp_path / "endpoint.json"
    file.write_text(json.dumps({"url": receiver.url, "types": ["challenge.*"]}))
    made = admin.json("webhooks", "create", "--body", str(file))
    assert made["secret"].startswith("whsec_")
    assert made["id"] in admin("webhooks", "list")
    assert admin.json("webhooks", "test", made["id"])["status"] == 200
    assert "test.ping" in admin("webhooks", "deliveries", made["id"])
    assert admin.json("webhooks", "disable", made["id"])["enabled"] is False
    assert admin.json("webhooks", "enable", made["id"])["enabled"] is True
    admin("webhooks", "rotate-secret", made["id"], "--overlap", "0")
    admin("webhooks", "recover", made["id"], "--since", made["created_at"])
    assert "Deleted" in admin("webhooks", "delete", made["id"])
    core.get(f"{WEBHOOKS}/{made['id']}").expect(404)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_retry_after_is_obeyed(core, phone, receiver, endpoint, status):
    receiver.answer = lambda _: (status, {"Retry-After": "60"}, b"")
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    row = eventually(lambda: (found := endpoint.delivery_of(delivery.id)) and found["status"] and found)
    wait = parse_time(row["next_attempt_at"]) - parse_time(row["updated_at"])
    assert 59 <= wait.total_seconds() <= 61


def test_one_that_hangs_slows_no_other(core, phone, receiver, endpoint):
    with Receiver() as slow:
        slow.answer = lambda _: (time.sleep(8), (200, {}, b""))[1]
        hanging = Endpoint(core, slow)
        began = time.monotonic()
        calls = [canceled_call(core, phone) for _ in range(40)]
        for call in calls:
            receiver.wait_for(call["id"], within=5)
        took_at_most(began, 8)
        hanging.close()


# --- Who listens


def test_events_are_written_while_an_endpoint_is_enabled(fresh_site, receiver):
    fresh_site.settings.update(WEBHOOK_SETTINGS)
    fresh_site.serve()
    core = fresh_site.core()
    core.get("/internal/v1/events").expect(409, "events_off")
    phone = fresh_site.phone(core)
    endpoint = Endpoint(core, receiver)
    call = canceled_call(core, phone)
    receiver.wait_for(call["id"])
    assert core.get("/internal/v1/events").expect(200)["last_seq"] >= 1
    endpoint.close()


@pytest.mark.only("postgres")
def test_a_registration_is_true_for_every_process(fresh_site, receiver):
    fresh_site.settings.update(WEBHOOK_SETTINGS)
    apis = fresh_site.start_cluster()
    cores = [fresh_site.core(process) for process in apis]
    phone = fresh_site.phone(cores[0])
    began = time.monotonic()
    Endpoint(cores[0], receiver)
    took_at_most(began, 4)
    calls = [canceled_call(core, phone) for core in cores * 3]
    for call in calls:
        receiver.wait_for(call["id"])


def test_with_off_there_is_none(fresh_site):
    fresh_site.serve()
    body = {"url": "https://a/b", "types": ["*"]}
    made = fresh_site.core().post(WEBHOOKS, body).expect(201)
    fresh_site.core().patch(f"{WEBHOOKS}/{made['id']}", {"enabled": False}).expect(200)
    fresh_site.stop()
    fresh_site.processes.clear()
    fresh_site.serve(changes={"HERALD_EVENTS": "off"})
    core = fresh_site.core()
    core.post(WEBHOOKS, body).expect(409, "events_off")
    core.patch(f"{WEBHOOKS}/{made['id']}", {"enabled": True}).expect(409, "events_off")
    assert core.patch(f"{WEBHOOKS}/{made['id']}", {"description": "x"}).expect(200)["enabled"] is False


def test_a_crash_loses_no_delivery(fresh_site, receiver):
    fresh_site.settings.update(WEBHOOK_SETTINGS)
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    Endpoint(core, receiver)
    calls = []
    for _ in range(3):
        calls += [canceled_call(fresh_site.core(), phone) for _ in range(10)]
        fresh_site.processes[-1].kill()
        fresh_site.processes.clear()
        fresh_site.serve()
    for call in calls:
        rows = receiver.wait_for(call["id"], within=60)
        assert len({row.body for row in rows}) == 1


def test_deliveries_are_listed_page_by_page(core, receiver):
    endpoint = Endpoint(core, receiver, ("order.*",))  # of which there are none here
    ids = [core.post(f"{endpoint.path}/test").expect(200)["id"] for _ in range(5)]
    rows, query = [], "?limit=2"
    while query:
        page = core.get(f"{endpoint.path}/deliveries{query}").expect(200)
        rows += [row["id"] for row in page["deliveries"]]
        query = page["next_cursor"] and f"?limit=2&cursor={page['next_cursor']}"
    assert sorted(rows) == sorted(ids)
    assert len({row.id for row in receiver.deliveries}) == 5  # each at least once
    core.get(f"{endpoint.path}/deliveries?cursor=x").expect(422, "validation_error")
    endpoint.close()


@pytest.fixture
def tls_receiver(tmp_path):
    """A receiver whose certificate only its own authority vouches for."""
    pair = Pair(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.cert, pair.key)
    with Receiver(context) as made:
        made.ca_file = pair.cert
        yield made


def test_tls_is_verified(fresh_site, tls_receiver):
    loopback = {"HERALD_WEBHOOK_NETWORKS": "loopback"}
    fresh_site.serve(changes=loopback)
    core = fresh_site.core()
    made = core.post(WEBHOOKS, {"url": tls_receiver.url, "types": ["*"]}).expect(201)
    row = core.post(f"{WEBHOOKS}/{made['id']}/test").expect(200)
    assert (row["state"], row["status"], tls_receiver.deliveries) == ("failed", None, [])
    assert row["answer"]
    text = tls_receiver.ca_file.read_bytes()
    for count, mark in enumerate([b"", b"\xef\xbb\xbf"], start=1):  # without and with a byte order mark
        tls_receiver.ca_file.write_bytes(mark + text)
        fresh_site.stop()
        fresh_site.processes.clear()
        fresh_site.serve(changes=loopback | {"HERALD_WEBHOOK_CA_FILE": str(tls_receiver.ca_file)})
        row = fresh_site.core().post(f"{WEBHOOKS}/{made['id']}/test").expect(200)
        assert (row["state"], row["status"]) == ("delivered", 200)
        assert len(tls_receiver.deliveries) == count
