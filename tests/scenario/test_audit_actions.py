"""Contract section 10.3: each operation outside the daily traffic, done once, leaves its record, and
that one alone.

The table of actions below says again what the rows of routes say, on purpose.
"""

import json
import re

from harness import catalog
from harness.actors import Core
from harness.console import PASSWORD, Browser, add_operator, console_settings, token_of
from harness.exchange import Operator
from harness.hooks import WEBHOOK_SETTINGS, Endpoint, Receiver
from harness.http import Client
from harness.keys import key_of, make_key
from harness.orders import ORDERS, refuse_all
from harness.packages import Desk, Sender
from harness.site import PROJECT, free_port, fresh_secret_key
from harness.smsgate import App
from harness.tools import eventually, fresh_key, fresh_number
from test_admin import Admin
from test_audit import chain, changes, prove
from test_reveal import CUSTOMER, SETTINGS, number_with, send_to_chat

CHANNELS = ("bot",)
CONSOLE, ADDRESS = console_settings()
SETTINGS = SETTINGS | CONSOLE | WEBHOOK_SETTINGS
KEYS, OPERATORS = "/internal/v1/api-keys", "/internal/v1/operators"
EXCHANGE = ("integration", "client", "signing_key", "package", "order")
PERSON, STRANGER = "operator", "system"

# Operation: the action that it leaves.
TABLE = {
    # phones
    "registerDevice": "device.register", "changeDevice": "device.change",
    "setDeviceAccounts": "device.set_accounts", "setDeviceSlots": "device.set_slots",
    "setDeviceEnabled": "device.enable", "rotateDeviceKey": "device.rotate_key",
    "pairDevice": "device.pair", "useDevicePairing": "pairing.use", "smsgateRegister": "pairing.use",
    "getCallGateSetup": "device.read_signing_key", "removeDevice": "device.remove",
    # what the help desk does
    "fallBackToSms": "otp.fall_back", "cancelOtp": "otp.cancel", "revealOtp": "otp.reveal",
    "cancelChallenge": "challenge.cancel", "revealChallenge": "challenge.reveal",
    "revealMessage": "message.reveal", "retryOrder": "order.retry", "revealOrder": "order.reveal",
    # keys and people
    "createApiKey": "api_key.create", "rotateApiKey": "api_key.rotate", "revokeApiKey": "api_key.revoke",
    "createOperator": "operator.create", "changeOperator": "operator.change",
    "makeOperatorLink": "operator.link", "setPassword": "operator.password",
    "changeOwnPassword": "operator.password", "logIn": "operator.login",
    "logOut": "operator.end_session", "endOwnSession": "operator.end_session",
    "endOperatorSession": "operator.end_session", "endOperatorSessions": "operator.end_sessions",
    "removeOperator": "operator.remove",
    "eraseSubject": "subject.erase", "exportSubject": "subject.export",
    # webhooks
    "createWebhookEndpoint": "webhook_endpoint.create", "changeWebhookEndpoint": "webhook_endpoint.change",
    "rotateWebhookSecret": "webhook_endpoint.rotate_secret", "testWebhookEndpoint": "webhook_endpoint.test",
    "replayWebhookDelivery": "webhook_endpoint.replay",
    "recoverWebhookDeliveries": "webhook_endpoint.recover",
    "deleteWebhookEndpoint": "webhook_endpoint.delete",
    # the exchange
    "createIntegration": "integration.create", "changeIntegration": "integration.change",
    "createClient": "client.create", "rotateClientSecret": "client.rotate_secret",
    "revokeClientSecret": "client.revoke_secret", "setClientEnabled": "client.enable",
    "rotateSigningKey": "signing_key.rotate", "withdrawSigningKey": "signing_key.withdraw",
    "getErpEventBody": "package.read_body", "retryErpEvent": "package.retry",
    "releaseErpEvent": "package.release",
    # the service
    "rotateSecretKey": "secret_key.rotate", "listLogEntries": "log.read", "streamLog": "log.read",
}
TARGETS = {"pairing.use": "device", "subject.erase": "subject_job", "subject.export": "subject_job"}
AT_A_START = {"rotateSecretKey", "listLogEntries", "streamLog"}  # these want settings of their own


def test_the_routes_say_the_same():
    told = {}
    for path in sorted((PROJECT / "src").rglob("*.c")):
        for row in re.split(r"\n    \{\n|\n    \}", path.read_text(encoding="utf-8")):
            action = re.search(r'^ {8}\.action = "([\w.]+)",', row, re.M)
            if action:
                told[re.search(r'\.operation_id = "(\w+)",', row)[1]] = action[1]
    assert told == TABLE


class Left:
    """What the chains have got since it was asked last."""

    def __init__(self, core):
        self.core = core
        self.seen = {store: len(chain(core, store)) for store in ("verification", "exchange")}

    def since(self):
        left = []
        for store, seen in self.seen.items():
            added = chain(self.core, store)[seen:]
            self.seen[store] += len(added)
            left += added
        return left


class Scene:
    """Who is there for the operations of a step."""

    def __init__(self, site, shop, erp):
        self.site, self.shop, self.erp = site, shop, erp
        self.core = site.core()
        self.operator = Operator.of(site)
        self.support = Core(site.address, key_of(self.core, "support"))
        self.sender = Sender.of(site)
        self.desk = Desk.at(site, self.sender)


# Each step yields (operation, kind of its actor, id of its target) behind an operation. What has
# to be there before it does not stand in it, but in Scene, or leaves no record.

def phones(scene):
    core, number, other = scene.core, fresh_number(), fresh_number()
    device_id = core.register("Shop", [number, other]).expect(201)["device_id"]
    yield "registerDevice", "root", device_id
    core.change_device(device_id, "Shelf", [number, other]).expect(200)
    yield "changeDevice", "root", device_id
    core.bind_accounts(device_id, f"account-{fresh_key()[-8:]}").expect(200)
    yield "setDeviceAccounts", "root", device_id
    core.set_slots(device_id, other, number).expect(200)
    yield "setDeviceSlots", "root", device_id
    core.enable(device_id, False).expect(204)
    yield "setDeviceEnabled", "root", device_id
    core.rotate_key(device_id).expect(200)
    yield "rotateDeviceKey", "root", device_id
    core.callgate(device_id).expect(200)
    yield "getCallGateSetup", "root", device_id
    code = core.pair(device_id).expect(201)["code"]
    yield "pairDevice", "root", device_id
    Client(core.address).post("/pair", {"code": code}).expect(200)
    yield "useDevicePairing", STRANGER, device_id
    code = core.pair(device_id).expect(201)["code"]
    yield "pairDevice", "root", device_id
    assert App(core.address).register_by_code(code, number, other) == 201
    yield "smsgateRegister", STRANGER, device_id
    core.remove_device(device_id).expect(204)
    yield "removeDevice", "root", device_id


def codes(scene):
    core, support = scene.core, scene.support
    otp_id = core.create_otp(number_with(1), channel="flash_call").expect(201)["id"]
    assert eventually(lambda: core.otp(otp_id).expect(200)["state"] == "undelivered")
    support.fall_back(otp_id).expect(204)
    yield "fallBackToSms", "api_key", otp_id
    support.post(f"/internal/v1/otp/{otp_id}/reveal").expect(200)
    yield "revealOtp", "api_key", otp_id
    support.cancel_otp(otp_id).expect(204)
    yield "cancelOtp", "api_key", otp_id
    challenge_id = core.create_challenge(number_with(1)).expect(201)["id"]
    support.post(f"/internal/v1/challenges/{challenge_id}/reveal").expect(200)
    yield "revealChallenge", "api_key", challenge_id
    support.cancel_challenge(challenge_id).expect(204)
    yield "cancelChallenge", "api_key", challenge_id
    message_id = send_to_chat(core, 4242)["id"]
    support.post(f"/internal/v1/messages/{message_id}/reveal").expect(200)
    yield "revealMessage", "api_key", message_id


def orders(scene):
    scene.erp.answer = refuse_all
    order_id = scene.shop.placed(customer=CUSTOMER)
    scene.shop.wait_for_attempt(order_id, 1)
    scene.support.post(f"{ORDERS}/{order_id}/reveal").expect(200)
    yield "revealOrder", "api_key", order_id
    scene.support.post(f"{ORDERS}/{order_id}/retry").expect(204)
    yield "retryOrder", "api_key", order_id


def keys(scene):
    key_id = make_key(scene.core, "core")["id"]
    yield "createApiKey", "root", key_id
    scene.core.post(f"{KEYS}/{key_id}/rotate", {}).expect(200)
    yield "rotateApiKey", "root", key_id
    scene.core.post(f"{KEYS}/{key_id}/revoke").expect(204)
    yield "revokeApiKey", "root", key_id


def people(scene):
    core, name = scene.core, f"Анна {fresh_key()[-8:]}"
    own = add_operator(core, name, "viewer")["id"]
    yield "createOperator", "root", own
    core.patch(f"{OPERATORS}/{own}", {"role": "support"}).expect(200)
    yield "changeOperator", "root", own
    link = token_of(core.post(f"{OPERATORS}/{own}/link").expect(200))
    yield "makeOperatorLink", "root", own
    browser = Browser(ADDRESS)
    browser.ask("POST", "/welcome", {"link": link, "password": PASSWORD}).expect(200)
    yield "setPassword", PERSON, own
    other = Browser(ADDRESS)
    other.log_in(name).expect(200)
    yield "logIn", PERSON, own
    rows = other.ask("GET", "/sessions").expect(200)["sessions"]
    first = next(row["id"] for row in rows if not row["own"])
    other.ask("DELETE", f"/sessions/{first}").expect(204)
    yield "endOwnSession", PERSON, own
    changed = {"password": PASSWORD, "new_password": "another long one"}
    other.ask("POST", "/password", changed).expect(200)
    yield "changeOwnPassword", PERSON, own
    other.ask("POST", "/logout").expect(204)
    yield "logOut", PERSON, own
    other.log_in(name, "another long one").expect(200)
    yield "logIn", PERSON, own
    last, = core.get(f"{OPERATORS}/{own}/sessions").expect(200)["sessions"]
    core.request("DELETE", f"{OPERATORS}/{own}/sessions/{last['id']}").expect(204)
    yield "endOperatorSession", "root", own
    core.request("DELETE", f"{OPERATORS}/{own}/sessions").expect(204)
    yield "endOperatorSessions", "root", own
    core.request("DELETE", f"{OPERATORS}/{own}").expect(204)
    yield "removeOperator", "root", own


def subjects(scene):
    number = fresh_number()
    for operation, what in ("exportSubject", "export"), ("eraseSubject", "erase"):
        job = scene.core.post(f"/internal/v1/subjects/{what}", {"phone": number}).json
        yield operation, "root", job["id"]


def webhooks(scene):
    core = scene.core
    with Receiver() as receiver:
        endpoint = Endpoint(core, receiver, types=["otp.*"])
        own = endpoint.record["id"]
        yield "createWebhookEndpoint", "root", own
        endpoint.change(description="The web shop").expect(200)
        yield "changeWebhookEndpoint", "root", own
        core.post(f"{endpoint.path}/rotate-secret", {}).expect(200)
        yield "rotateWebhookSecret", "root", own
        core.post(f"{endpoint.path}/test").expect(200)
        yield "testWebhookEndpoint", "root", own
        otp_id = core.create_otp(number_with(0)).expect(201)["id"]
        core.cancel_otp(otp_id).expect(204)  # daily traffic, with the root key
        receiver.wait_for(otp_id)
        delivered = eventually(lambda: endpoint.deliveries("?state=delivered"))[0]["id"]
        core.post(f"{endpoint.path}/deliveries/{delivered}/replay").expect(200)
        yield "replayWebhookDelivery", "root", own
        core.post(f"{endpoint.path}/recover", {"since": endpoint.record["created_at"]}).expect(200)
        yield "recoverWebhookDeliveries", "root", own
        endpoint.close()
        yield "deleteWebhookEndpoint", "root", own


def integrations(scene):
    operator = scene.operator
    made = operator.create_integration().expect(201)
    yield "createIntegration", "root", made["id"]
    operator.change_integration(made["id"], name="Другое").expect(200)
    yield "changeIntegration", "root", made["id"]
    client_id = operator.create_client(made["id"]).expect(201)["client_id"]
    yield "createClient", "root", client_id
    secret_id = operator.rotate_secret(client_id).expect(200)["secret_id"]
    yield "rotateClientSecret", "root", client_id
    operator.revoke_secret(client_id, secret_id).expect(204)
    yield "revokeClientSecret", "root", client_id
    operator.enable_client(client_id, False).expect(204)
    yield "setClientEnabled", "root", client_id


def packages(scene):
    sender, desk = scene.sender, scene.desk
    package = catalog.changes([catalog.stock_row(1, "nobody-has-it")])
    event_id = package["event_id"]
    event = f"{sender.integration_id}/{event_id}"
    sender.changes(package).expect(202)
    sender.wait_for(event_id, "retry")
    desk.body(event_id).expect(200)
    yield "getErpEventBody", "root", event
    desk.release(event_id).expect(204)
    yield "releaseErpEvent", "root", event
    sender.wait_for(event_id, "retry")
    desk.retry(event_id).expect(204)
    yield "retryErpEvent", "root", event


def signing_keys(scene):
    kid = scene.operator.rotate_signing_key().expect(200)["kid"]
    yield "rotateSigningKey", "root", kid
    scene.operator.withdraw_signing_key(kid).expect(204)
    yield "withdrawSigningKey", "root", kid


STEPS = (phones, codes, orders, keys, people, subjects, webhooks, integrations, packages, signing_keys)


def expect_record(left, operation, kind, target):
    record, = left
    action = TABLE[operation]
    word = action.split(".")[0]
    assert record["action"] == action, (operation, record)
    assert record["store"] == ("exchange" if word in EXCHANGE else "verification")
    assert record["target"] == {"type": TARGETS.get(action, word), "id": target}, (operation, record)
    assert record["actor"]["kind"] == kind, (operation, record)
    assert record["address"] == "127.0.0.1" and record["request_id"], (operation, record)


def test_each_operation_leaves_its_record(site, shop, erp):
    scene = Scene(site, shop, erp)
    left, done = Left(scene.core), set()
    for step in STEPS:
        for operation, kind, target in step(scene):
            expect_record(left.since(), operation, kind, target)
            done.add(operation)
    assert done == set(TABLE) - AT_A_START
    for store in left.seen:
        prove(chain(scene.core, store))
    assert "whole" in Admin(site)("audit", "verify")


def test_what_wants_settings_of_its_own_leaves_its_record(fresh_site):
    """`herald migrate finish` is for PostgreSQL alone: a file is finished by its start."""
    fresh_site.port = free_port()  # a start is compared with the one before it
    fresh_site.serve()
    left = Left(fresh_site.core())
    assert fresh_site.run("migrate", "finish").returncode == 0
    if fresh_site.database:
        record, = left.since()
        assert (record["action"], record["target"]["type"]) == ("database.finish", "database")
        assert record["actor"]["kind"] == STRANGER
    old = fresh_site.settings["HERALD_SECRET_KEY"]
    fresh_site.settings |= {
        "HERALD_SECRET_KEY": fresh_secret_key(), "HERALD_SECRET_KEY_OLD": old, "LOG_SENSITIVE": "true"}
    fresh_site.restart()
    core = left.core = fresh_site.core()
    record, = left.since()
    assert (record["action"], record["target"]["type"]) == ("settings.changed", "process")
    told = changes(record)
    assert {"HERALD_SECRET_KEY", "LOG_SENSITIVE"} <= set(told)
    assert old not in json.dumps(record) and fresh_site.settings["HERALD_SECRET_KEY"] not in json.dumps(record)
    core.post("/internal/v1/secret-key/rotate", {}).expect(202)
    record, = left.since()
    expect_record([record], "rotateSecretKey", "root", record["target"]["id"])
    core.get("/internal/v1/logs?limit=1").expect(200)
    expect_record(left.since(), "listLogEntries", "root", None)
    with fresh_site.log_reader():
        assert eventually(lambda: len(chain(core)) > left.seen["verification"])
        expect_record(left.since(), "streamLog", "root", None)


# --- Lists of words

def test_types_of_an_endpoint_are_told(core):
    with Receiver() as receiver:
        endpoint = Endpoint(core, receiver, types=["otp.*", "challenge.confirmed"])
        own = f"?target={endpoint.record['id']}"
        made, = core.audit(own).expect(200)["records"]
        assert changes(made)["types"] == (None, "otp.*, challenge.confirmed")
        endpoint.change(types=["*"]).expect(200)
        record = core.audit(own).expect(200)["records"][0]
        assert record["action"] == "webhook_endpoint.change"
        assert changes(record) == {"types": ("otp.*, challenge.confirmed", "*")}
        endpoint.change(types=["*"]).expect(200)
        assert len(core.audit(own).expect(200)["records"]) == 2  # nothing changed
        endpoint.change(types=["test.ping", "otp.sent"]).expect(200)
        endpoint.change(types=["otp.sent", "test.ping"]).expect(200)
        told = [changes(row) for row in core.audit(own).expect(200)["records"][:2]]
        assert told == [{"types": ("test.ping, otp.sent", "otp.sent, test.ping")},
                        {"types": ("*", "test.ping, otp.sent")}]
        endpoint.close()
