"""Contract sections 10.2 and 10.3: what somebody who helps customers can do, what somebody who only
reads sees, and that the audit says who did it."""

import itertools
import re
from urllib.parse import quote

import pytest

from harness import catalog
from harness.actors import Core
from harness.console import token_of
from harness.exchange import MISSING_ID, Operator
from harness.hooks import WEBHOOKS
from harness.keys import key_of, make_key, with_key
from harness.orders import ORDER_SETTINGS, ORDERS, accept_all, expect_nothing_more, refuse_all
from harness.packages import Desk, Sender
from harness.tools import eventually, fresh_key, fresh_number, masked
from test_admin import REFUSED, Admin, facts
from test_audit import chain, changes
from test_roles import TABLE, call, internal_operations

CHANNELS = ("bot",)
SETTINGS = ORDER_SETTINGS | {
    "HERALD_ENVIRONMENT": "test", "HERALD_TEST_NUMBERS": "+79000000000-+79000999999",
    "HERALD_EVENTS": "on"}
CHAT = 4242
CUSTOMER = {"name": "Анна", "phone": "8 (916) 123-45-67"}

# All that a key of the role support may change.
HELPS = {
    "cancelOtp", "cancelChallenge", "fallBackToSms", "retryOrder", "retryErpEvent",
    "releaseErpEvent", "revealOtp", "revealChallenge", "revealMessage", "revealOrder",
}
_hundreds = itertools.count(1)  # the first number is the one that test challenges call


def number_with(ending):
    """A test number that nothing else uses."""
    return f"+79000{next(_hundreds):04d}{ending:02d}"


@pytest.fixture
def support(site, core):
    """The help desk: a client that is like the core system's, and its key."""
    made = make_key(core, "support")
    client = Core(site.address, made["key"])
    client.key_id, client.key = made["id"], made["key"]
    return client


def reveal(client, what, record_id):
    return client.post(f"/internal/v1/{what}/{record_id}/reveal")


def records_of(core, target, store="verification"):
    return [row for row in chain(core, store) if row["target"]["id"] == target]


def expect_done_by(client, record, action, kind):
    assert record["action"] == action and record["target"]["type"] == kind, record
    assert record["actor"] == {
        "kind": "api_key", "id": client.key_id, "name": "somebody who is support"}
    assert record["address"] == "127.0.0.1" and record["request_id"]


def send_to_chat(core, chat):
    return core.create_message(channel="messenger_bot", chat_id=chat, text="Ready.").expect(202)


# --- What the help desk does

def test_a_customer_is_found_and_helped(core, support):
    number = number_with(1)
    otp_id = core.create_otp(number, channel="flash_call").expect(201)["id"]
    assert eventually(lambda: core.otp(otp_id).expect(200)["state"] == "undelivered")
    found, = support.otps(recipient=f"8 {number[2:]}").expect(200)["codes"]
    assert found["id"] == otp_id and number not in str(found)
    steps = support.get(f"/internal/v1/otp/{otp_id}/timeline").expect(200)["steps"]
    assert "undelivered" in [step["step"] for step in steps]
    support.fall_back(otp_id).expect(204)
    support.fall_back(otp_id).expect(204)  # a repeat changes nothing
    support.cancel_otp(otp_id).expect(204)
    support.cancel_otp(otp_id).expect(204)
    challenge_id = core.create_challenge(number_with(1)).expect(201)["id"]
    support.cancel_challenge(challenge_id).expect(204)
    first, second = records_of(core, otp_id)
    expect_done_by(support, first, "otp.fall_back", "otp")
    expect_done_by(support, second, "otp.cancel", "otp")
    record, = records_of(core, challenge_id)
    expect_done_by(support, record, "challenge.cancel", "challenge")


@pytest.mark.parametrize("role", ["core", "root"])
def test_what_core_systems_do_is_daily_traffic(site, core, role):
    client = core if role == "root" else Core(
        site.address, key_of(core, "core", test=True))
    otp_id = client.create_otp(number_with(1), channel="flash_call").expect(201)["id"]
    assert eventually(lambda: core.otp(otp_id).expect(200)["state"] == "undelivered")
    client.fall_back(otp_id).expect(204)
    client.cancel_otp(otp_id).expect(204)
    assert records_of(core, otp_id) == []


def test_orders_and_packages_are_tried_again(site, core, support, shop, erp):
    erp.answer = refuse_all
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    support.post(f"{ORDERS}/{order_id}/retry").expect(204)
    record, = records_of(core, order_id, "exchange")
    expect_done_by(support, record, "order.retry", "order")
    erp.answer = accept_all

    sender = Sender.of(site)
    package = catalog.changes([catalog.stock_row(1, "nobody-has-it")])
    sender.changes(package).expect(202)
    sender.wait_for(package["event_id"], "retry")
    desk = Desk(site.address, support.key, sender.integration_id)
    desk.release(package["event_id"]).expect(204)
    sender.wait_for(package["event_id"], "retry")
    desk.retry(package["event_id"]).expect(204)
    event = f"{sender.integration_id}/{package['event_id']}"
    release, retry = records_of(core, event, "exchange")
    expect_done_by(support, release, "package.release", "package")
    expect_done_by(support, retry, "package.retry", "package")


def test_and_nothing_else(core, support):
    refused = set()
    for method, path, row in internal_operations(core):
        name = row["operationId"]
        if method == "GET" and name != "getErpEventBody":
            continue
        reply = call(support, method, path)
        if name in HELPS:
            assert reply.status in (404, 422), (name, str(reply))
            continue
        reply.expect(403, "insufficient_role")
        refused.add(name)
    assert {"createOtp", "verifyOtp", "registerDevice", "createApiKey", "getErpEventBody"} <= refused


# --- Revealed

def revealable(core):
    """What has a customer's number or chat: path, field, its value, and its kind in the audit."""
    number, caller = number_with(0), number_with(1)
    yield "otp", core.create_otp(number).expect(201)["id"], "recipient", number, "otp"
    yield ("challenges", core.create_challenge(caller).expect(201)["id"], "caller", caller,
           "challenge")
    yield "messages", send_to_chat(core, CHAT)["id"], "chat_id", CHAT, "message"


def settled(record):
    """The record without what its sending changes meanwhile."""
    moving = ("state", "updated_at", "error", "sends", "confirmed_at")
    return {name: value for name, value in record.items() if name not in moving}


def test_a_number_is_revealed_and_the_audit_says_to_whom(site, core, support):
    for what, record_id, field, full, kind in revealable(core):
        assert support.get(f"/internal/v1/{what}/{record_id}").expect(200)[field] != full
        shown = reveal(support, what, record_id).expect(200)
        assert shown[field] == full
        assert settled(shown) == settled(core.get(f"/internal/v1/{what}/{record_id}").expect(200))
        record, = records_of(core, record_id)
        expect_done_by(support, record, f"{kind}.reveal", kind)
        from_, to = changes(record)[field]
        assert from_ is None and str(full) not in to and " #" in to
        # The mark is that of every masked answer.
        assert to == support.get(f"/internal/v1/{what}/{record_id}").expect(200)[field]
        reveal(core, what, record_id).expect(200)  # the root key leaves its record as well
        assert [row["actor"]["kind"] for row in records_of(core, record_id)] == ["api_key", "root"]
        assert support.get(f"/internal/v1/{what}/{record_id}").expect(200)[field] != full


def test_a_group_is_nobody(core, support):
    message = send_to_chat(core, -1001234567890)
    assert reveal(support, "messages", message["id"]).expect(200)["chat_id"] == -1001234567890


def test_the_customer_of_an_order(core, support, shop, erp):
    erp.answer = refuse_all
    order_id = shop.placed(customer=CUSTOMER)
    shop.wait_for_attempt(order_id, 1)
    read = support.get(f"{ORDERS}/{order_id}").expect(200)
    assert "customer" not in read and CUSTOMER["phone"] not in str(read)
    shown = reveal(support, "orders", order_id).expect(200)
    assert shown["customer"] == CUSTOMER and set(shown) == set(read) | {"customer"}
    record, = records_of(core, order_id, "exchange")
    expect_done_by(support, record, "order.reveal", "order")
    assert set(changes(record)) == {"customer.phone"}
    assert CUSTOMER["phone"] not in str(record) and CUSTOMER["name"] not in str(record)
    assert "customer" not in support.get(f"{ORDERS}/{order_id}").expect(200)


def test_once_its_erp_has_it_the_customer_is_gone(core, support, shop):
    order_id = shop.delivered()["id"]
    reveal(support, "orders", order_id).expect(409, "body_gone")
    assert records_of(core, order_id, "exchange") == []


@pytest.mark.parametrize("what", ["otp", "challenges", "messages", "orders"])
def test_what_is_refused_reveals_nothing(site, core, support, what):
    before = len(chain(core)), len(chain(core, "exchange"))
    reveal(support, what, MISSING_ID).expect(404, "not_found")
    support.post(f"/internal/v1/{what}/not-an-id/reveal").expect(404, "not_found")
    support.post(f"/internal/v1/{what}/{MISSING_ID}/reveal?all=1").expect(422, "validation_error")
    support.get(f"/internal/v1/{what}/{MISSING_ID}/reveal").expect(405)
    for role in ("core", "viewer"):
        reply = reveal(with_key(site, key_of(core, role)), what, MISSING_ID)
        reply.expect(403, "insufficient_role")
        assert reply.error["role"] == "support"
    keys = 2  # the two that were just made
    assert (len(chain(core)), len(chain(core, "exchange"))) == (before[0] + keys, before[1])


def test_commands(site, core, support, shop, erp):
    admin = Admin(site, HERALD_API_KEY=support.key)
    for what, record_id, field, full, _ in revealable(core):
        assert facts(admin(what, "show", record_id))[field] != str(full)
        assert facts(admin(what, "reveal", record_id))[field] == str(full)
        assert admin.json(what, "reveal", record_id)[field] == full
        admin.refuse(what, "reveal", MISSING_ID, status=REFUSED, says="no such")
    erp.answer = refuse_all
    order_id = shop.placed(customer=CUSTOMER)
    assert CUSTOMER["phone"] not in admin("orders", "show", order_id)
    shown = facts(admin("orders", "reveal", order_id))
    assert (shown["customer"], shown["phone"]) == (CUSTOMER["name"], CUSTOMER["phone"])
    admin.refuse("orders", "reveal", MISSING_ID, status=REFUSED, says="no such order")


def test_the_document_shows_it(core):
    operations = {row["operationId"]: row for _, _, row in internal_operations(core)}
    for name in ("revealOtp", "revealChallenge", "revealMessage", "revealOrder"):
        row = operations[name]
        assert row["x-role"] == ["support"]
        example = row["responses"]["200"]["content"]["application/json"]["example"]
        if name == "revealOrder":
            assert set(example["customer"]) == {"name", "phone"}
            assert "409" in row["responses"]


# --- What those see who see masks

def everything(site, core, shop, erp):
    """Something of each kind. Returns the values of its paths, and what they may not see."""
    operator, sender = Operator.of(site), Sender.of(site)
    package = catalog.changes([catalog.stock_row(1, "nobody-has-it")])
    sender.changes(package).expect(202)
    phone = site.phone(core)
    otp, challenge, message = ((record_id, full) for _, record_id, _, full, _ in revealable(core))
    personal = core.create_message(
        channel="personal_messenger", account_id=f"account-{fresh_key()[:8]}", text="A secret text.",
        recipient=number_with(2)).expect(202)
    erp.answer = refuse_all
    order_id = shop.placed(customer=CUSTOMER)
    shop.wait_for_attempt(order_id, 1)
    endpoint = core.post(WEBHOOKS, {"url": "https://127.0.0.1:1/x", "types": ["*"]}).expect(201)
    person = core.post(
        "/internal/v1/operators", {"name": fresh_key()[:6], "role": "viewer"}).expect(201)
    client = operator.create_client(sender.integration_id).expect(201)
    key = key_of(core, "support")
    for what, record_id in (("otp", otp[0]), ("challenges", challenge[0]), ("orders", order_id)):
        reveal(with_key(site, key), what, record_id).expect(200)
    ids = {
        "/internal/v1/devices/{id}": phone.device_id, "/internal/v1/otp/{id}": otp[0],
        "/internal/v1/challenges/{id}": challenge[0], "/internal/v1/messages/{id}": message[0],
        "/internal/v1/subjects/jobs/{id}": otp[0],  # asked for in vain
        "/internal/v1/orders/{id}": order_id, "/internal/v1/integrations/{id}": sender.integration_id,
        "/internal/v1/webhook-endpoints/{id}": endpoint["id"],
        "/internal/v1/operators/{id}": person["id"],
    }
    hidden = [
        otp[1], challenge[1], personal["recipient"], CUSTOMER["phone"], CUSTOMER["name"],
        "A secret text.", "Ready.", key, client["client_secret"], endpoint["secret"], erp.token, sender.token,
        token_of(person),
        site.internal_key, site.settings["HERALD_SECRET_KEY"],
        site.settings["HERALD_TELEGRAM_BOT_TOKEN"], *phone.headers.values(),
    ]
    return ids, package["event_id"], hidden


def fill(path, ids, event_id):
    """The path of something that is there; a product of an empty catalog is not."""
    for begin, value in ids.items():
        if path.startswith(begin):
            path = path.replace(begin, begin.replace("{id}", value))
    path = path.replace("{event_id}", event_id).replace("{product_id}", "p-1")
    assert "{" not in path, f"what is there to read at {path}?"
    return path


@pytest.mark.parametrize("role", ["viewer", "support", "operator"])
def test_no_answer_has_a_secret_or_a_number(site, core, shop, erp, role):
    """All that is read, for each role that sees masks (contract, section 10.2)."""
    ids, event_id, hidden = everything(site, core, shop, erp)
    somebody = with_key(site, key_of(core, role))
    seen = set()
    for method, path, row in internal_operations(core):
        if method != "GET" or path.endswith("/stream"):
            continue
        name = row["operationId"]
        query = f"?q={quote(hidden[0])}" if path.startswith("/internal/v1/search") else ""
        reply = somebody.get(fill(path, ids, event_id) + query)
        read = 404 if name == "getCatalogProduct" else 200
        assert reply.status == (read if role in TABLE[name] else 403), (name, str(reply))
        text = reply.body.decode()
        for value in hidden:
            assert value not in text and value.replace("+", "") not in text, (path, value)
        assert not re.search(r"\bh[ksd]_[A-Za-z0-9_-]{43}", text), path
        seen.add(name)
    assert {"listOtps", "listChallenges", "listMessages", "listOrders", "listLogEntries", "listEvents",
            "listAuditRecords", "listSettings", "getOtpTimeline", "listClients"} <= seen
    exchange = somebody.get("/internal/v1/audit?store=exchange").body.decode()
    assert not any(value in exchange for value in hidden)
