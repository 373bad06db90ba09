"""Contract section 10.2: every operation for every role is allowed or 403, with nothing in between.

The table of operations below says again what the rows of routes say, on purpose.
"""

import random
import re
import string
from pathlib import Path
from urllib.parse import quote

import pytest

from harness.http import Client
from harness.keys import ROLES, key_of, with_key
from harness.logs import LogReader
from harness.shapes import CHALLENGE, MESSAGE, OTP, check_shape
from harness.tools import eventually, fresh_key, fresh_number, masked

CONTRACT = Path(__file__).parents[2] / "docs" / "contract.md"
CHANNELS = ("bot",)
MISSING_ID = "01900000-0000-7000-8000-000000000000"

LADDER = ("viewer", "support", "operator", "admin")
READS, HELPS, RUNS, OWNS = (frozenset(LADDER[least:]) for least in range(4))
CORE = frozenset({"core"})

# Operation: who may call it.
TABLE = {
    # phones
    "registerDevice": RUNS, "listDevices": READS, "getDevice": READS, "changeDevice": RUNS,
    "removeDevice": RUNS, "setDeviceEnabled": RUNS, "rotateDeviceKey": RUNS,
    "pairDevice": RUNS, "setDeviceSlots": RUNS, "setDeviceAccounts": RUNS, "getCallGateSetup": RUNS,
    # what the core system is there for
    "createChallenge": CORE | OWNS, "getChallenge": CORE | READS, "cancelChallenge": CORE | HELPS,
    "listChallenges": CORE | READS, "getChallengeTimeline": CORE | READS,
    "createOtp": CORE | OWNS, "getOtp": CORE | READS, "verifyOtp": CORE | OWNS,
    "listOtps": CORE | READS, "getOtpTimeline": CORE | READS,
    "fallBackToSms": CORE | HELPS, "cancelOtp": CORE | HELPS,
    "revealOtp": HELPS, "revealChallenge": HELPS, "revealMessage": HELPS, "revealOrder": HELPS,
    "createMessage": CORE | OWNS, "getMessage": CORE | READS, "listMessages": CORE | READS,
    "getMessageTimeline": CORE | READS, "getOrderTimeline": CORE | READS,
    "createOrder": CORE | OWNS, "listOrders": CORE | READS, "getOrder": CORE | READS,
    "listOrderAttempts": CORE | READS, "retryOrder": HELPS,
    # the exchange
    "createIntegration": RUNS, "listIntegrations": READS, "getIntegration": READS,
    "changeIntegration": RUNS, "createClient": RUNS, "listClients": READS,
    "rotateClientSecret": RUNS, "revokeClientSecret": RUNS, "setClientEnabled": RUNS,
    "listSigningKeys": READS, "rotateSigningKey": OWNS,
    "listPackages": READS, "listErpEvents": READS, "getErpEventDetails": READS,
    "getErpEventBody": RUNS, "listRefusals": READS, "retryErpEvent": HELPS,
    "releaseErpEvent": HELPS,
    "listCatalogCategories": READS, "listCatalogProducts": READS, "getCatalogProduct": READS,
    "listCatalogAttributeDefinitions": READS,
    # the service
    "listLogEntries": READS, "streamLog": READS, "listSettings": READS,
    "listEvents": CORE | READS,
    "listLogEntries": READS, "streamLog": READS, "listSettings": READS, "getMetrics": READS,
    "createWebhookEndpoint": RUNS, "listWebhookEndpoints": READS, "getWebhookEndpoint": READS,
    "changeWebhookEndpoint": RUNS, "deleteWebhookEndpoint": RUNS, "rotateWebhookSecret": RUNS,
    "testWebhookEndpoint": RUNS, "listWebhookDeliveries": READS,
    "replayWebhookDelivery": RUNS, "recoverWebhookDeliveries": RUNS,
    "listProcesses": READS, "listAuditRecords": READS,
    "listChannels": READS, "getOverview": READS, "getExchangeOverview": READS,
    "getSecretKey": READS, "rotateSecretKey": OWNS, "withdrawSigningKey": OWNS,
    "createApiKey": OWNS, "listApiKeys": READS, "getOwnApiKey": CORE | READS,
    "createOperator": OWNS, "listOperators": READS, "getOperator": READS, "changeOperator": OWNS,
    "removeOperator": OWNS, "makeOperatorLink": OWNS, "listOperatorSessions": OWNS,
    "endOperatorSessions": OWNS, "endOperatorSession": OWNS,
    "search": READS,
    "getFigures": READS, "getFunnel": READS, "getSimFigures": READS,
    "rotateApiKey": OWNS, "revokeApiKey": OWNS,
    "eraseSubject": OWNS, "exportSubject": OWNS, "getSubjectJob": OWNS,
}


def wanted(allowed):
    """The role that a refusal names: the least of the ladder, or core where that is its top."""
    least = next(role for role in LADDER if role in allowed)
    return "core" if least == "admin" and "core" in allowed else least


def internal_operations(core):
    """(method, path, operation) of each, as the document has them."""
    document = core.get("/openapi.json").expect(200)
    for path, methods in document["paths"].items():
        if path.startswith("/internal/"):
            yield from ((method.upper(), path, row) for method, row in methods.items())


def call(client, method, path):
    """Asks for something that is not there, by a body that has nothing in it."""
    if path.endswith("/stream"):
        method = "HEAD"
    path = re.sub(r"{[^}]+}", MISSING_ID, path)
    raw = b"{}" if method in ("POST", "PUT", "PATCH") else None
    return client.request(method, path, raw=raw)


@pytest.fixture(scope="module")
def clients(site):
    """Somebody of each role."""
    return {role: with_key(site, key_of(site.core(), role)) for role in ROLES}


def test_each_operation_is_in_the_table(core):
    operations = {row["operationId"]: row for _, _, row in internal_operations(core)}
    assert set(operations) == set(TABLE)
    for name, row in operations.items():
        allowed = TABLE[name]
        least = next(role for role in LADDER if role in allowed)
        assert row["x-role"] == (["core"] if "core" in allowed else []) + [least], name
        assert f"`{least}`" in row["description"] and "403" in row["responses"]


def test_the_contract_says_the_same():
    """docs/contract.md has the table for people."""
    text = CONTRACT.read_text().split("#### 10.2 Roles")[1].split("Which field is masked")[0]
    told = {}
    for line in re.findall(r"^\| `.*\|$", text, re.M):
        names, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == len(ROLES)
        allowed = {role for role, cell in zip(ROLES, cells) if cell == "yes"}
        told |= {name: allowed for name in re.findall(r"`(\w+)`", names)}
    assert told == TABLE


def test_each_operation_for_each_role(core, clients):
    for method, path, row in internal_operations(core):
        allowed = TABLE[row["operationId"]]
        for role, client in clients.items():
            reply = call(client, method, path)
            if role in allowed:
                assert reply.status not in (401, 403, 429) and reply.status < 500, (role, str(reply))
                continue
            assert reply.status == 403, (role, str(reply))
            if reply.body:
                assert reply.code == "insufficient_role", (role, str(reply))
                assert reply.error["role"] == wanted(allowed), (role, str(reply))


def test_refused_role_changes_nothing(core, clients):
    for role in ("viewer", "support"):
        number = fresh_number()
        clients[role].post(
            "/internal/v1/devices", {"name": "Nobody's", "numbers": [number]}
        ).expect(403, "insufficient_role")
        assert not core.devices(f"?q={number[1:]}").expect(200)["devices"]
    with_bodies = clients["viewer"].request(
        "POST", "/internal/v1/otp", raw=b"{broken", headers={"Content-Type": "text/plain"})
    with_bodies.expect(403, "insufficient_role")


def test_core_lives_its_day(site, phone, clients):
    """All that doc A has for the core system goes by a key of the role core."""
    phone.be_ready()
    core = clients["core"]
    otp = core.post("/internal/v1/otp", {"channel": "sms", "recipient": fresh_number()},
                    headers={"Idempotency-Key": fresh_key()}).expect(201)
    core.get(f"/internal/v1/otp/{otp['id']}").expect(200)
    core.post(f"/internal/v1/otp/{otp['id']}/verify", {"code": "000000"}).expect(422)
    core.post(f"/internal/v1/otp/{otp['id']}/sms-fallback", {}).expect(409)
    core.post(f"/internal/v1/otp/{otp['id']}/cancel").expect(204)


def records(core, phone):
    """A code, a challenge and two messages: path, shape, field, and the value in full."""
    recipients = [fresh_number() for _ in range(2)]
    otp = core.create_otp(recipients[0]).expect(201)
    challenge = core.create_challenge(recipients[1]).expect(201)
    yield f"/internal/v1/otp/{otp['id']}", OTP, "recipient", recipients[0]
    yield f"/internal/v1/challenges/{challenge['id']}", CHALLENGE, "caller", recipients[1]
    for chat in (4242, -1001234567890):
        message = core.post(
            "/internal/v1/messages",
            {"channel": "messenger_bot", "chat_id": chat, "text": "Your order is ready."},
            headers={"Idempotency-Key": fresh_key()}).expect(202)
        yield f"/internal/v1/messages/{message['id']}", MESSAGE, "chat_id", chat


def settled(record):
    """The record without what its sending changes meanwhile."""
    moving = ("state", "updated_at", "error", "sends")
    return {name: value for name, value in record.items() if name not in moving}


def test_numbers_of_customers_are_masked(core, phone, clients):
    phone.be_ready()
    for path, shape, field, full in records(core, phone):
        for role in ("core", "admin"):
            assert clients[role].get(path).expect(200)[field] == full
        assert core.get(path).expect(200)[field] == full
        for role in ("viewer", "support", "operator"):
            reply = clients[role].get(path)
            shown = reply.expect(200)[field]
            if isinstance(full, int) and full < 0:
                assert shown == full  # a group is nobody
                continue
            assert str(full) not in reply.body.decode()
            if field != "chat_id":
                assert shown.startswith(masked(full).split()[0]), shown
            assert settled({**reply.json, field: full}) == settled(core.get(path).expect(200))
            assert clients["viewer"].get(path).expect(200)[field] == shown  # the same mark


def test_viewer_sees_no_number_in_words(core, phone, clients):
    """In metadata, names, and what a phone says; who works with them sees them whole."""
    phone.be_ready()
    number, mine = fresh_number(), "".join(random.choices(string.ascii_lowercase, k=12))
    otp = core.create_otp(fresh_number(), gateway_number=phone.number,
                          metadata={"who": f"call {number} first", "cart": mine,
                                    number[1:]: "first"}).expect(201)
    phone.result(phone.claim_task(), "failed", error="no route", permanent=True).expect(204)
    device = core.register(f"of {number} {mine}", [fresh_number()]).expect(201)["device_id"]
    core.put(f"/internal/v1/devices/{device}",
             {"name": f"now of {number} {mine}", "numbers": [fresh_number()]}).expect(200)
    for path in (f"/internal/v1/otp/{otp['id']}", "/internal/v1/otp?limit=200",
                 f"/internal/v1/devices/{device}", f"/internal/v1/search?q={mine}"):
        shown = {role: clients[role].get(path).body.decode()
                 for role in ("viewer", "support", "admin")}
        assert number[1:] not in shown["viewer"] and f"***{number[-2:]}" in shown["viewer"], path
        assert number[1:] in shown["support"] and number[1:] in shown["admin"], path
    for role in ("viewer", "admin"):  # the audit has it masked for all
        audit = clients[role].get(f"/internal/v1/audit?target={device}").body.decode()
        assert number[1:] not in audit and f"now of +***{number[-2:]} {mine}" in audit


def test_numbers_of_sims_are_no_secret(clients, phone):
    shown = clients["viewer"].get(f"/internal/v1/devices/{phone.device_id}").expect(200)
    assert [row["number"] for row in shown["numbers"]] == phone.numbers


def test_masked_log_is_for_viewers_and_the_unmasked_one_for_admins(fresh_site):
    """LOG_SENSITIVE shows codes and numbers, so what reads it wants more."""
    fresh_site.serve({"LOG_SENSITIVE": "true"})
    core = fresh_site.core()
    keys = {role: key_of(core, role) for role in ROLES}
    for role, key in keys.items():
        client = with_key(fresh_site, key)
        page = client.get("/internal/v1/logs")
        stream = client.request("HEAD", "/internal/v1/logs/stream")
        if role == "admin":
            page.expect(200)
            assert stream.status == 200
            continue
        page.expect(403, "insufficient_role")
        assert page.error["role"] == "admin" and stream.status == 403
    with LogReader(fresh_site.address, keys["admin"], query="?after=0") as reader:
        reader.wait_for_text("API key created")


def expect_nothing_unmasked(site, process, key, secrets, masked_entry):
    """By pages and by the stream there is the masked entry, and none of what was written unmasked."""
    client = with_key(site, key, process)
    assert eventually(lambda: masked_entry in client.get("/internal/v1/logs?limit=200").body.decode())
    with LogReader(process.address, key, query="?after=0") as reader:
        reader.wait_for_text(masked_entry)
    for text in (reader.text, client.get("/internal/v1/logs?limit=200").body.decode()):
        assert not [secret for secret in secrets if secret in text]
    assert client.get(f"/internal/v1/logs?q={quote(secrets[0])}").expect(200)["entries"] == []


def expect_nothing_unmasked_in_stream(site, key, masked_entry):
    with LogReader(site.address, key, query="?after=0") as reader:
        reader.wait_for_text(masked_entry)
        assert '"unmasked":true' not in reader.text and site.internal_key not in reader.text


def test_what_was_written_unmasked_is_for_admins_ever_after(fresh_site):
    """Or a viewer would find the root key in it."""
    fresh_site.serve({"LOG_SENSITIVE": "true"})
    core = fresh_site.core()
    keys = {role: key_of(core, role) for role in ("viewer", "operator", "admin")}
    recipient = fresh_number()
    fresh_site.phone(core).be_ready()
    core.create_otp(recipient).expect(201)
    fresh_site.stop()
    fresh_site.serve()
    name = f"shop-{fresh_key()[-4:]}"
    fresh_site.core().register(name, [fresh_number()]).expect(201)
    secrets = [fresh_site.internal_key, recipient]
    for role in ("viewer", "operator"):
        expect_nothing_unmasked(fresh_site, fresh_site.processes[-1], keys[role], secrets, name)
    admin = with_key(fresh_site, keys["admin"])
    entries = admin.get(f"/internal/v1/logs?q={quote(recipient)}").expect(200)["entries"]
    assert entries and all(entry["fields"]["unmasked"] is True for entry in entries)


def test_who_reads_what_was_written_unmasked_leaves_a_record(fresh_site):
    """Also later: by a page that shows it, and the stream does not."""
    fresh_site.serve({"LOG_SENSITIVE": "true"})
    key = key_of(fresh_site.core(), "admin")
    fresh_site.stop()
    fresh_site.serve()
    name = f"shop-{fresh_key()[-4:]}"
    fresh_site.core().register(name, [fresh_number()]).expect(201)
    admin = with_key(fresh_site, key)

    def read():
        return len(admin.get("/internal/v1/audit?action=log.read").expect(200)["records"])

    expect_nothing_unmasked_in_stream(fresh_site, key, name)
    admin.get(f"/internal/v1/logs?q={name}").expect(200)
    assert read() == 0
    page = admin.get(f"/internal/v1/logs?q={quote(fresh_site.internal_key)}").expect(200)
    assert page["entries"] and read() == 1


@pytest.mark.only("postgres")
def test_what_another_process_wrote_unmasked_is_for_admins(fresh_site):
    fresh_site.serve({"LOG_SENSITIVE": "true"})
    recipient = fresh_number()
    core = fresh_site.core()
    fresh_site.phone(core).be_ready()
    viewer = key_of(core, "viewer")
    other = fresh_site.start("api")
    other.wait_until_ready()
    core.create_otp(recipient).expect(201)
    name = f"shop-{fresh_key()[-4:]}"
    fresh_site.core(other).register(name, [fresh_number()]).expect(201)
    expect_nothing_unmasked(fresh_site, other, viewer, [fresh_site.internal_key, recipient], name)


def test_log_is_read_by_a_viewer(site, core, phone, clients):
    phone.be_ready()
    recipient = fresh_number()
    with LogReader(site.address, key_of(core, "viewer")) as reader:
        otp = core.create_otp(recipient).expect(201)
        assert reader.wait_for_text(otp["id"])
        assert recipient not in reader.text


def test_somebody_without_a_key_is_nobody(site):
    for path in ("/internal/v1/api-keys", "/internal/v1/api-keys/self"):
        Client(site.address, source="127.8.8.8").get(path).expect(401, "unauthorized")
