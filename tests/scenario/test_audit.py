"""The audit: who changed what, in a chain that shows what was changed in it (contract, section
10.3)."""

import hashlib
import json
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import catalog
from harness.actors import read_code
from harness.exchange import Operator
from harness.keys import make_key
from harness.packages import Desk, Sender
from harness.site import BINARY, free_port
from harness.tools import at_once, eventually, fresh_key, fresh_number, masked
from test_admin import DONE, REFUSED, WRONG, Admin

DAY_MS = 24 * 3600 * 1000
ZERO = "0" * 64
EMPTY = {"sqlite": "zeroblob(32)", "postgres": "decode(repeat('00', 32), 'hex')"}


def chain(core, store="verification"):
    """All records of a store, oldest first."""
    records, cursor = [], ""
    while True:
        page = core.audit(f"?store={store}&limit=200{cursor}").expect(200)
        records += page["records"]
        if not page["next_cursor"]:
            return records[::-1]
        cursor = f"&cursor={page['next_cursor']}"


def actions(core, store="verification"):
    return [record["action"] for record in chain(core, store)]


def prove(records, before=ZERO):
    """Recomputes the hashes by the contract alone."""
    for place, record in enumerate(records):
        assert record["seq"] == records[0]["seq"] + place, "the chain has a gap"
        content = {name: value for name, value in record.items() if name != "hash"}
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
        assert hashlib.blake2b(bytes.fromhex(before) + text, digest_size=32).hexdigest() == record["hash"]
        before = record["hash"]


def changes(record):
    return {change["field"]: (change["from"], change["to"]) for change in record["changes"]}


def fleet_steps(core):
    """Each operation on phones once, with the action that it leaves."""
    number, account = fresh_number(), f"account-{fresh_key()[-8:]}"
    credentials = core.register("Shop", [number]).expect(201)
    device_id = credentials["device_id"]
    yield "device.register"
    core.change_device(device_id, "Shelf", [number]).expect(200)
    yield "device.change"
    core.bind_accounts(device_id, account).expect(200)
    yield "device.set_accounts"
    core.enable(device_id, False).expect(204)
    yield "device.enable"
    key = core.rotate_key(device_id).expect(200)["device_key"]
    yield "device.rotate_key"
    signing_key = core.callgate(device_id).expect(200)["signing_key"]
    yield "device.read_signing_key"
    core.remove_device(device_id).expect(204)
    yield "device.remove"
    text = json.dumps(chain(core))
    assert number not in text and signing_key not in text
    assert credentials["device_key"] not in text and key not in text
    assert masked(number) in text


def exchange_steps(core):
    integration = core.create_integration().expect(201)
    yield "integration.create"
    core.change_integration(integration["id"], name="Другое").expect(200)
    yield "integration.change"
    client = core.create_client(integration["id"]).expect(201)
    yield "client.create"
    rotated = core.rotate_secret(client["client_id"]).expect(200)
    yield "client.rotate_secret"
    core.revoke_secret(client["client_id"], rotated["secret_id"]).expect(204)
    yield "client.revoke_secret"
    core.enable_client(client["client_id"], False).expect(204)
    yield "client.enable"
    text = json.dumps(chain(core, "exchange"))
    assert client["client_secret"] not in text and rotated["client_secret"] not in text


@pytest.mark.parametrize("store, steps", [("verification", fleet_steps), ("exchange", exchange_steps)])
def test_every_change_leaves_its_record(fresh_site, store, steps):
    fresh_site.serve()
    core = Operator.of(fresh_site)
    seen = len(chain(core, store))
    for action in steps(core):
        record, = chain(core, store)[seen:]
        assert record["action"] == action
        assert record["actor"] == {"kind": "root", "id": None, "name": "root"}
        assert record["address"] == "127.0.0.1" and record["request_id"] and record["store"] == store
        seen += 1
    prove(chain(core, store))
    assert "whole" in Admin(fresh_site)("audit", "verify")


def test_packages_orders_and_keys(fresh_site):
    fresh_site.serve()
    operator, sender = Operator.of(fresh_site), Sender.of(fresh_site)
    desk = Desk.at(fresh_site, sender)
    package = catalog.changes([catalog.stock_row(1, "nobody-has-it")])
    sender.changes(package).expect(202)
    sender.wait_for(package["event_id"], "retry")
    event = f"{sender.integration_id}/{package['event_id']}"
    seen = len(chain(operator, "exchange"))

    def left():
        nonlocal seen
        added = chain(operator, "exchange")[seen:]
        seen += len(added)
        return [(record["action"], record["target"]["id"]) for record in added]

    desk.body(package["event_id"]).expect(200)
    assert left() == [("package.read_body", event)]
    desk.body("no-such-event").expect(404)
    assert left() == []
    desk.release(package["event_id"]).expect(204)
    assert left() == [("package.release", event)]
    sender.wait_for(package["event_id"], "retry")
    desk.retry(package["event_id"]).expect(204)
    assert left() == [("package.retry", event)]
    kid = operator.rotate_signing_key().expect(200)["kid"]
    assert left() == [("signing_key.rotate", kid)]
    operator.rotate_signing_key().expect(200)  # the next key waits still, so none is made
    assert left() == []


def test_what_changed_is_told(site, core):
    number, other = fresh_number(), fresh_number()
    device_id = core.register("Before", [number]).expect(201)["device_id"]
    core.change_device(device_id, "After", [number, other]).expect(200)
    record, = core.audit(f"?target={device_id}&action=device.change").expect(200)["records"]
    told = changes(record)
    assert told["name"] == ("Before", "After")
    assert masked(number) in told["numbers"][0] and masked(other) in told["numbers"][1]
    assert set(told) == {"name", "numbers"}

    operator = Operator.of(site)
    token = f"erp-{fresh_key()}"
    made = operator.create_integration().expect(201)
    operator.change_integration(made["id"], erp={"token": token, "timeout_seconds": 12}).expect(200)
    record, = core.audit(f"?store=exchange&target={made['id']}&action=integration.change").expect(200)["records"]
    assert changes(record) == {"erp.timeout_seconds": ("10", "12"), "erp.token": (None, "changed")}
    assert token not in json.dumps(chain(core, "exchange"))


def test_what_a_key_may_do_is_told(core):
    made = make_key(core, "core", name="Shop", test=True, requests_per_minute=5)
    record, = core.audit(f"?target={made['id']}").expect(200)["records"]
    may = {"name": (None, "Shop"), "role": (None, "core"), "test": (None, "true"),
           "requests_per_minute": (None, "5"), "key": (None, "changed")}
    assert (record["action"], changes(record)) == ("api_key.create", may)
    rotated = core.post(f"/internal/v1/api-keys/{made['id']}/rotate", {"overlap_seconds": 60}).expect(200)
    record = core.audit(f"?target={made['id']}").expect(200)["records"][0]
    assert changes(record) == may | {"old_key_until": (None, rotated["old_key_until"])}
    assert made["key"] not in json.dumps(chain(core)) and rotated["key"] not in json.dumps(chain(core))


def test_no_change_leaves_no_record(site, core):
    number = fresh_number()
    device_id = core.register("Shop", [number]).expect(201)["device_id"]
    operator = Operator.of(site)
    made = operator.create_integration().expect(201)
    before = len(chain(core)), len(chain(core, "exchange"))
    core.register("Shop", [number]).expect(409)
    core.change_device(device_id, "Shop", [number]).expect(200)
    core.enable(device_id, True).expect(204)
    core.enable("01900000-0000-7000-8000-000000000000", False).expect(404)
    operator.change_integration(made["id"], name=made["name"]).expect(200)
    operator.change_integration(made["id"], erp={"base_url": "https://elsewhere.example"}).expect(422)
    assert (len(chain(core)), len(chain(core, "exchange"))) == before


def test_daily_traffic_leaves_none(site, core, ready_phone):
    before = len(chain(core)), len(chain(core, "exchange"))
    key = fresh_key()
    recipient = fresh_number()
    otp = core.create_otp(recipient, key).expect(201)
    core.create_otp(recipient, key).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, "sent").expect(204)
    core.verify(otp["id"], read_code(task)).expect(200)
    challenge = core.create_challenge(fresh_number()).expect(201)
    core.cancel_challenge(challenge["id"]).expect(204)
    assert (len(chain(core)), len(chain(core, "exchange"))) == before


def test_pages_and_filters(site, core):
    made = [core.register(f"Shop {i}", [fresh_number()]).expect(201)["device_id"] for i in range(3)]
    page = core.audit("?limit=2").expect(200)
    assert [record["target"]["id"] for record in page["records"]] == made[:0:-1]
    assert page["head"]["seq"] == page["records"][0]["seq"]
    page = core.audit(f"?limit=1&cursor={page['next_cursor']}").expect(200)
    assert page["records"][0]["target"]["id"] == made[0]
    record = page["records"][0]
    at = record["at"]
    assert record in core.audit(f"?since={at}&actor=root&action=device.register").expect(200)["records"]
    assert record not in core.audit(f"?until={at}").expect(200)["records"]
    assert core.audit("?until=1969-12-31T23:59:59Z").expect(200)["records"] == []
    assert core.audit("?actor=somebody").expect(200)["records"] == []
    core.audit("?cursor=x").expect(422)
    core.audit("?store=other").expect(422)


# --- Tampering

def damages(engine):
    """What somebody does to the database, and what `verify` says of it."""
    for column, value in (
            ("at", "at + 1"), ("actor_kind", "'system'"), ("actor_name", "'x'"),
            ("address", "'192.0.2.1'"), ("request_id", "NULL"), ("action", "'device.remove'"),
            ("target_type", "'order'"), ("target_id", "'x'"), ("changes", "'{\"changes\":[]}'"),
            ("changes", "'nothing'"), ("actor_kind", "'nobody'"), ("hash", EMPTY[engine])):
        yield f"UPDATE audit_record SET {column} = {value} WHERE seq = 3", "record 3 was changed"
    yield "DELETE FROM audit_record WHERE seq = 1", "records 1 to 1 are missing"
    yield "DELETE FROM audit_record WHERE seq IN (3, 4)", "records 3 to 4 are missing"
    yield "DELETE FROM audit_record WHERE seq = 6", "records 6 to 6 are missing"
    yield swapped(2, 4), "record 4 was changed or moved"
    yield ("INSERT INTO audit_record SELECT store, 7, at, actor_kind, actor_id, actor_name, address,"
           " request_id, action, target_type, target_id, changes, hash FROM audit_record"
           " WHERE seq = 6"), "is not the newest record"
    for far in (10 ** 15, 2 ** 63 - 1):
        yield (f"INSERT INTO audit_record SELECT store, {far}, at, actor_kind, actor_id, actor_name,"
               " address, request_id, action, target_type, target_id, changes, hash FROM audit_record"
               " WHERE seq = 6", f"records 7 to {far - 1} are missing")
    yield "UPDATE audit_head SET seq = 5 WHERE store = 'verification'", "is not the newest record"
    yield (f"UPDATE audit_head SET hash = {EMPTY[engine]} WHERE store = 'verification'",
           "is not the newest record")
    yield without_the_oldest(3), "records up to 3 are missing"
    yield without_the_oldest(6), "records up to 6 are missing"


def without_the_oldest(count):
    """Takes the oldest records away and lets it look like a pruning."""
    return (f"DELETE FROM audit_record WHERE seq <= {count};"
            f"UPDATE audit_head SET anchor_seq = {count}, anchor_hash ="
            f" (SELECT hash FROM kept WHERE seq = {count} AND store = 'verification')"
            " WHERE store = 'verification'")


def swapped(first, second):
    return (f"UPDATE audit_record SET seq = CASE seq WHEN {first} THEN {1000 + second} ELSE {1000 + first} END"
            f" WHERE seq IN ({first}, {second});"
            "UPDATE audit_record SET seq = seq - 1000 WHERE seq > 1000")


def tamper(site, statements):
    for statement in statements.split(";"):
        site.ask(statement)


def expect_found(site, damages):
    """Does each of them while herald runs, has it found, and puts things back."""
    tamper(site, "CREATE TABLE kept AS SELECT * FROM audit_record;"
                 "CREATE TABLE kept_head AS SELECT * FROM audit_head")
    for statements, told in damages:
        tamper(site, statements)
        done = Admin(site).run("audit", "verify", "--store", "verification")
        assert done.returncode == REFUSED and told in done.stdout, (statements, done)
        tamper(site, "DELETE FROM audit_record; INSERT INTO audit_record SELECT * FROM kept;"
                     "DELETE FROM audit_head; INSERT INTO audit_head SELECT * FROM kept_head")
    tamper(site, "DROP TABLE kept; DROP TABLE kept_head")


def test_every_damage_is_found(fresh_site):
    fresh_site.port = free_port()  # no start finds a changed setting
    fresh_site.serve()
    core = fresh_site.core()
    for i in range(6):
        core.register(f"Shop {i}", [fresh_number()]).expect(201)
    fresh_site.stop()
    tamper(fresh_site, "CREATE TABLE kept AS SELECT * FROM audit_record;"
                       "CREATE TABLE kept_head AS SELECT * FROM audit_head")
    for statements, told in damages(fresh_site.engine):
        tamper(fresh_site, statements)
        fresh_site.serve()
        done = Admin(fresh_site).run("audit", "verify", "--store", "verification")
        assert done.returncode == REFUSED and told in done.stdout, (statements, done)
        fresh_site.stop()
        fresh_site.processes.clear()
        tamper(fresh_site, "DELETE FROM audit_record; INSERT INTO audit_record SELECT * FROM kept;"
                           "DELETE FROM audit_head; INSERT INTO audit_head SELECT * FROM kept_head")
    fresh_site.serve()
    assert "whole up to record 6" in Admin(fresh_site)("audit", "verify")


def test_an_older_backup_is_noticed(fresh_site):
    fresh_site.port = free_port()  # no start finds a changed setting
    fresh_site.serve()
    core = fresh_site.core()
    core.register("Kept", [fresh_number()]).expect(201)
    fresh_site.stop()
    tamper(fresh_site, "CREATE TABLE kept_head AS SELECT * FROM audit_head")
    fresh_site.serve()
    core, admin = fresh_site.core(), Admin(fresh_site)
    core.register("Lost", [fresh_number()]).expect(201)
    seen = chain(core)[-1]
    known = ["--store", "verification", "--since", str(seen["seq"]), "--hash", seen["hash"]]
    assert "whole" in admin("audit", "verify", *known)
    assert "whole" in admin("audit", "verify", *known[:-1], seen["hash"].upper())
    fresh_site.stop()
    tamper(fresh_site, "DELETE FROM audit_record WHERE seq > 1; DELETE FROM audit_head;"
                       "INSERT INTO audit_head SELECT * FROM kept_head")
    fresh_site.serve()
    core, admin = fresh_site.core(), Admin(fresh_site)
    assert "whole" in admin("audit", "verify")
    done = admin.run("audit", "verify", *known)
    assert done.returncode == REFUSED and "it ends at record 1" in done.stdout
    core.register("Another", [fresh_number()]).expect(201)
    done = admin.run("audit", "verify", *known)
    assert done.returncode == REFUSED and "record 2 is not the one" in done.stdout


def test_pruning_leaves_an_anchor(fresh_site):
    fresh_site.port = free_port()  # no start finds a changed setting
    fresh_site.serve()
    core = fresh_site.core()
    for i in range(4):
        core.register(f"Shop {i}", [fresh_number()]).expect(201)
    hashes = [record["hash"] for record in chain(core)]
    fresh_site.stop()
    tamper(fresh_site, f"UPDATE audit_record SET at = at - {402 * DAY_MS} WHERE seq < 4")
    fresh_site.serve()
    core, admin = fresh_site.core(), Admin(fresh_site)
    assert eventually(lambda: actions(core)[-1] == "audit.prune", seconds=20)
    records = chain(core)
    assert [record["seq"] for record in records] == [4, 5]
    assert records[-1]["actor"] == {"kind": "system", "id": None, "name": "herald"}
    assert changes(records[-1]) == {"anchor_seq": ("0", "3")}
    prove(records, hashes[2])
    assert core.audit().expect(200)["anchor"] == {"seq": 3, "hash": hashes[2]}
    assert "whole" in admin("audit", "verify")
    done = admin.run("audit", "verify", "--store", "verification", "--since", "2", "--hash", hashes[1])
    assert done.returncode == REFUSED and "was pruned" in done.stdout
    tamper(fresh_site, "CREATE TABLE kept AS SELECT * FROM audit_record")
    for seq in 4, 5:
        tamper(fresh_site, f"UPDATE audit_record SET target_id = 'another' WHERE seq = {seq}")
        done = admin.run("audit", "verify", "--store", "verification")
        assert done.returncode == REFUSED and f"record {seq} was changed" in done.stdout
        tamper(fresh_site, f"DELETE FROM audit_record WHERE seq = {seq};"
                           f"INSERT INTO audit_record SELECT * FROM kept WHERE seq = {seq}")
    for i in range(3):
        core.register(f"Shelf {i}", [fresh_number()]).expect(201)
    tamper(fresh_site, "DROP TABLE kept")
    expect_found(fresh_site, (
        ("DELETE FROM audit_record WHERE seq = 4", "records 4 to 4 are missing"),
        ("DELETE FROM audit_record WHERE seq IN (6, 7)", "records 6 to 7 are missing"),
        ("DELETE FROM audit_record WHERE seq = 8", "records 8 to 8 are missing"),
        (swapped(4, 7), "record 7 was changed or moved"),
        (swapped(6, 7), "record 6 was changed or moved"),
        (without_the_oldest(4), "pruning took those up to 3 away")))
    assert "whole up to record 8" in admin("audit", "verify")


# --- Crashes and crowds

def test_what_was_acknowledged_is_in_it(fresh_site):
    process = fresh_site.serve()
    core = fresh_site.core()
    made = [core.register("Shop", [fresh_number()]).expect(201)["device_id"] for _ in range(10)]
    process.kill()
    fresh_site.processes.clear()
    fresh_site.serve()
    records = chain(fresh_site.core())
    assert [record["target"]["id"] for record in records] == made
    prove(records)


@pytest.mark.only("postgres")
def test_no_gap_with_several_processes(fresh_site):
    cores = [fresh_site.core(process) for process in fresh_site.start_cluster()]

    def work(index):
        core = cores[index % 2]
        for _ in range(10):
            device = core.register("Shop", [fresh_number()]).expect(201)["device_id"]
            core.enable(device, False).expect(204)

    with ThreadPoolExecutor(8) as crowd:
        list(crowd.map(work, range(8)))
    records = chain(cores[0])
    assert [record["seq"] for record in records] == list(range(1, 161))
    prove(records)
    admin = Admin(fresh_site)
    admin.changes["HERALD_LISTEN"] = "%s:%d" % cores[0].address
    assert "whole up to record 160" in admin("audit", "verify")


@pytest.mark.only("postgres")
def test_what_several_ask_at_once_is_done_by_one(fresh_site):
    fresh_site.serve()
    operator = Operator.of(fresh_site)
    kids = {reply.expect(200)["kid"] for reply in at_once(8, lambda _: operator.rotate_signing_key())}
    told = [record["target"]["id"] for record in chain(operator, "exchange")]
    assert sorted(told) == sorted(kids)


# --- The command line

@pytest.mark.parametrize("many", [1, 60], ids=["less than a buffer", "more"])
def test_export_that_is_cut_off_fails(site, core, many):
    """What was kept would look whole: it is newest first, so the oldest would be missing."""
    for _ in range(many):
        core.register("x" * 100, [fresh_number()]).expect(201)
    admin = Admin(site)
    for store in (["--store", "verification"], []):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [BINARY, "admin", "audit", "export", *store], cwd=site.home, stdout=full,
                stderr=subprocess.PIPE, env=site.environment(admin.changes), text=True, check=False)
        assert done.returncode == REFUSED and "could not be written" in done.stderr


def test_export_is_what_the_service_shows(site, core):
    for name in ("Shop", "Shelf"):
        core.register(name, [fresh_number()]).expect(201)
    admin = Admin(site)
    lines = admin("audit", "export", "--store", "verification").splitlines()
    records = chain(core)
    assert [json.loads(line) for line in lines] == records[::-1]
    newer = admin("audit", "export", "--store", "verification", "--since", str(records[-2]["seq"]))
    assert json.loads(newer) == records[-1]
    assert "device.register" in admin("audit", "list")
    admin.refuse("audit", "verify", "--since", "1", status=WRONG, says="--hash")
    assert admin.run("audit", "verify").returncode == DONE


def test_list_has_the_newest_of_both_chains(site, core):
    """Contract, section 10.3; by time, since no transaction sees both."""
    admin = Admin(site)
    core.register("Полка", [fresh_number()]).expect(201)
    time.sleep(0.01)
    for _ in range(2):
        Operator.of(site).create_integration(name="Точка").expect(201)
    time.sleep(0.01)
    core.register("Витрина", [fresh_number()]).expect(201)
    heads = [line for line in admin("audit", "list").splitlines() if not line.startswith("    ")]
    assert [re.match(r"(\w+) \d+  \S+Z  (\S+)", head).groups() for head in heads[:4]] == [
        ("verification", "device.register"), ("exchange", "integration.create"),
        ("exchange", "integration.create"),
        ("verification", "device.register")]
    one = admin("audit", "list", "--store", "exchange", "--limit", "1")
    assert re.match(r"\d+  \S+Z  integration.create", one) and "--cursor" in one
    said = admin("audit", "list", "--limit", "1", "--action", "device.register")
    assert said.startswith("verification ") and "--store verification --cursor" in said
    both = admin.json("audit", "list", "--limit", "2")
    assert [set(both), {row["store"] for row in both["exchange"]["records"]}] == [
        {"verification", "exchange"}, {"exchange"}]
    assert admin.json("audit", "list", "--store", "exchange")["records"][0]["store"] == "exchange"
    assert admin("audit", "list", "--actor", "nobody") == "There is no such record.\n"


# --- Reading what is secret

def test_the_unmasked_log(fresh_site):
    fresh_site.serve(changes={"LOG_SENSITIVE": "true"})
    core = fresh_site.core()
    core.get("/internal/v1/logs?limit=1").expect(200)
    assert actions(core) == ["log.read"]
    with fresh_site.log_reader():
        assert eventually(lambda: actions(core) == ["log.read", "log.read"])
    core.get("/internal/v1/logs/stream", headers={"Last-Event-ID": "none"}).expect(422)
    assert actions(core) == ["log.read", "log.read"]


def test_the_masked_log_leaves_none(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    core.get("/internal/v1/logs?limit=1").expect(200)
    assert actions(core) == []
