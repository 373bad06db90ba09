"""An installation of herald 0.5.0 is upgraded in place (contract, sections 7 and 10.4).

Its databases were made by 0.5.0 itself, at work with simulated phones, providers and ERPs until it
was killed (tests/upgrade/make). Today's herald starts over them at that moment: what was known
stays known, what was sealed can be read, what was under way goes on. All of it once in the form that
0.5.0 sealed, and once more when everything was sealed anew.
"""

import json
import re
import sqlite3
import subprocess
from contextlib import closing, contextmanager

import pytest

from harness import catalog
from harness.actors import Phone, wrong_code
from harness.engines import SERVER_URL
from harness.exchange import MISSING_ID, Bearer, Erp, Operator
from harness.orders import ORDER_SETTINGS, ORDERS, RawErp, accept_all, read_strictly
from harness.packages import SNAPSHOT, Desk, Sender
from harness.providers import Providers
from harness.sealed import SealedStore
from harness.shapes import format_time, parse_time
from harness.site import PROJECT, Site
from harness.tools import Moment, eventually, fresh_number

FOLDER = PROJECT / "tests" / "upgrade"
RESEAL_PAUSE_S = 60
HOUR_S = 3600
REWRITTEN_ONCE, REWRITTEN = b"file is rewritten once", b"file was rewritten"
PROVEN = 16  # so many bytes of a value do not come twice by chance
CIRCUIT_S = 60
PROBE_S = 30
RUNS_ON = {  # it went on after it was read
    "updated_at", "processed_at", "attempts", "next_attempt_at", "last_error", "last_seen_at",
    "sim_ready", "sim_ready_until"}


class Upgraded:
    """Today's herald over what 0.5.0 left, and all who talked to that."""

    def __init__(self, site, facts, erps, sim):
        self.site, self.facts, self.erps, self.sim = site, facts, erps, sim
        self.clock = site.clock

    def load(self, sql):
        """The databases are as they were dumped, and it is the moment after."""
        if self.site.database:
            self.site.database.make()
            command = ["psql", "--no-psqlrc", "-qv", "ON_ERROR_STOP=1", self.site.database.url]
            subprocess.run(command, input=sql, text=True, check=True, stdout=subprocess.DEVNULL)
        else:
            self.site.state.mkdir(mode=0o700)
            _, *parts = re.split(r"^-- file: (.*)\n", sql, flags=re.M)
            for name, text in zip(parts[::2], parts[1::2]):
                with closing(sqlite3.connect(self.site.state / name)) as connection:
                    connection.executescript(text)
        self.sealed = [sealed for *_, sealed in SealedStore(self.site).values()]
        assert self.site.database or self.files_with_old_values()
        passed = parse_time(self.facts["taken_at"]) - self.clock.now()
        self.clock.set(int(passed.total_seconds()) + 1)

    def erase_as_0_5_0_did(self):
        """Codes and bodies of orders; nothing was overwritten then."""
        erased = []
        for file, table, column, key, row, sealed in SealedStore(self.site).values():
            if table not in ("otp", "order_body"):
                continue
            change = f"UPDATE otp SET {column} = NULL" if table == "otp" else f"DELETE FROM {table}"
            with closing(sqlite3.connect(self.site.state / file)) as connection:
                connection.execute("PRAGMA secure_delete = OFF")
                connection.execute(f"{change} WHERE {key} = ?", (row,))
                connection.commit()
            erased.append(sealed)
        self.sealed = erased
        assert set(self.files_with_old_values()) == {"herald.db", "herald-exchange.db"}

    def seal_anew(self):
        """Nothing of 0.5.0 runs any more, as an operator of PostgreSQL has to say."""
        if self.site.database:
            assert self.site.run("migrate", "finish").returncode == 0
        self.pass_time(RESEAL_PAUSE_S)
        assert eventually(self.is_sealed_anew)
        self.site.stop()
        new, old = SealedStore(self.site).forms()
        assert new > 0 and old == 0
        self.site.serve()

    def pass_time(self, seconds):
        self.clock.advance(seconds, is_monotonic_too=True)
        self.site.processes[-1].wait_until_ready()

    def files_with_old_values(self):
        """Those of an embedded database that hold the begin or the end of what 0.5.0 sealed."""
        pieces = [piece for sealed in self.sealed for piece in (sealed[:PROVEN], sealed[-PROVEN:])]
        files = [path for path in self.site.state.iterdir() if ".db" in path.name]
        return [path.name for path in files
                if any(piece in blob for blob in [path.read_bytes()] for piece in pieces)]

    def is_sealed_anew(self):
        """Each database says so for itself."""
        databases = 1 if self.site.database else 2
        return self.log().count("all sealed values have the new form") == databases

    def log(self):
        with self.site.log_reader(last_event_id=0, query="?level=info") as reader:
            reader.wait_until_quiet()
            return reader.text

    # --- who talks to it

    @property
    def core(self):
        return self.site.core()

    @property
    def operator(self):
        return Operator.of(self.site)

    def phone(self, index):
        return Phone(self.site.address, **self.facts["phones"][f"Phone {index}"])

    def otp(self, name):
        return self.facts["otp"][name]

    def verify(self, name, code=None):
        return self.core.verify(self.otp(name)["id"], code or self.otp(name)["code"])

    def pass_time_until(self, is_true):
        """A probe that is under way when the time passes is timed out, and the next one is due as
        much later."""
        for _ in range(3):
            self.pass_time(PROBE_S + 1)
            if eventually(is_true, Moment(10)):
                return
        assert is_true()

    def order_state(self, name):
        path = f"{ORDERS}/{self.facts['orders'][name]['id']}"
        return self.operator.get(path).expect(200)["state"]

    def wait_for_order(self, name, state, erp):
        """The ERP has it under its own id, with the bytes and the token of before."""
        order = self.facts["orders"][name]
        assert eventually(lambda: self.order_state(name) == state), name
        sent = [(head, body) for head, body in erp.requests if order["id"].encode() in body]
        assert sent and {body for _, body in sent} == {sent[0][1]}
        assert read_strictly(sent[0][1]) == order["order"]
        assert all(f"Bearer {erp.token}".encode() in head for head, _ in sent)


@contextmanager
def left_by_0_5_0(engine, home):
    """What it left, before today's herald starts."""
    sql, facts = ((FOLDER / f"0.5.0.{engine}.{suffix}").read_text() for suffix in ("sql", "json"))
    with RawErp(accept_all) as shop, RawErp(accept_all) as slow, Providers() as sim:
        erps = (shop, slow)
        for known, erp in zip(json.loads(facts)["erps"], erps):
            sql, facts = (text.replace(known["url"], erp.url) for text in (sql, facts))
            erp.token = known["token"]
        facts = json.loads(facts)
        settings = ORDER_SETTINGS | sim.settings("gateway", "bot") | {
            "HERALD_SECRET_KEY": facts["secret_key"], "INTERNAL_API_KEY": facts["internal_key"],
            "HERALD_ISSUER": "https://herald.example", "HERALD_ERP_MAX_ARCHIVE_SHARE": "0.5"}
        with Site(engine, home, server_url=SERVER_URL, settings=settings, has_clock=True) as site:
            site.internal_key = facts["internal_key"]
            made = Upgraded(site, facts, erps, sim)
            made.load(sql)
            yield made


@pytest.fixture(scope="module", params=["upgraded", "sealed anew"])
def old(engine, request, tmp_path_factory):
    with left_by_0_5_0(engine, tmp_path_factory.mktemp(engine)) as made:
        assert made.site.run("migrate", "status").returncode == 1  # it is older
        made.site.serve()
        assert made.site.run("migrate", "status").returncode == 0
        if request.param == "sealed anew":
            made.seal_anew()
        yield made


# --- what was known


def expect_kept(before, today, path):
    """All that 0.5.0 said is said still; what runs on may have gone on, and fields may be new."""
    if isinstance(before, dict):
        for name in before.keys() - RUNS_ON:
            expect_kept(before[name], today[name], f"{path} {name}")
    elif isinstance(before, list):
        assert len(before) <= len(today), path
        for index, row in enumerate(before):
            expect_kept(row, today[index], f"{path} {index}")
    else:
        assert before == today, path


def test_everything_reads_as_before(old):
    for path, before in old.facts["reads"].items():
        expect_kept(before, old.operator.get(path).expect(200), path)


def test_repeat_of_a_create_is_answered_as_before(old):
    for made in old.facts["creates"]:
        headers = {"Idempotency-Key": made["key"]}
        reply = old.operator.post(made["path"], made["body"], headers=headers)
        assert reply.status == made["status"] and reply.replayed, f"{reply}"
        assert reply.json["id"] == made["id"]


def test_same_key_with_another_body_is_a_conflict(old):
    """By the fingerprints that 0.5.0 wrote."""
    bodies = {made["path"]: made for made in old.facts["creates"]}
    others = [bodies["/internal/v1/otp"], bodies["/internal/v1/challenges"]]
    for made in others:
        body = made["body"] | {"ttl_seconds": 61}
        reply = old.operator.post(made["path"], body, headers={"Idempotency-Key": made["key"]})
        reply.expect(409, "idempotency_conflict")


def test_log_goes_on_behind_its_last_entry(old):
    with old.site.log_reader(last_event_id=0, query="?level=debug") as reader:
        reader.wait_for_count(old.facts["log_entries"])
        old.operator.get(f"/internal/v1/otp/{MISSING_ID}", headers={"X-Request-Id": "after-upgrade"})
        assert reader.wait_for_text("after-upgrade"), "what happens now comes behind"
        ids = [int(entry["id"]) for entry in reader.entries]
    assert ids == sorted(set(ids)) and len(ids) > old.facts["log_entries"]


# --- accounts and codes


def test_account_stays_with_the_phone_that_declared_it_last(old):
    accounts = {name: [row["account_id"] for row in old.core.device(phone["device_id"])["accounts"]]
                for name, phone in old.facts["phones"].items()}
    assert accounts == {
        "Phone 0": ["account-0"], "Phone 1": ["account-1", "account-moved"], "Phone 2": []}
    first, second = old.phone(0), old.phone(1)
    first.be_connected("account-0", "account-moved")
    first.claim_message("account-moved").expect(403, "number_not_owned")
    second.be_connected("account-1", "account-moved")
    task = second.claim_message_task("account-moved")
    assert task["recipient"] == old.otp("account")["recipient"]
    second.message_result(task, "sent").expect(204)
    old.verify("account", re.search(r"\d{6}", task["text"])[0]).expect(200)


def test_codes_that_were_sent_are_verified(old):
    for name in ("sent", "delivered", "undelivered", "gateway"):
        old.verify(name).expect(200)
    refused = old.verify("tried", wrong_code(old.otp("tried")["code"]))
    refused.expect(422, "code_mismatch")
    assert refused.error["attempts_left"] == 2, "two wrong codes were counted before"
    old.verify("tried").expect(200)


def test_codes_that_were_final_stay_so(old):
    for name, code in (("confirmed", "already_confirmed"), ("exhausted", "attempts_exhausted"),
                       ("canceled", "challenge_canceled"), ("expired", "challenge_expired")):
        old.verify(name, "123456").expect(409, code)


def test_codes_that_waited_go_out(old):
    phone = old.phone(0)
    for name in ("claimed", "queued"):
        task = phone.claim_task()
        assert task["recipient"] == old.otp(name)["recipient"]
        phone.result(task, "sent").expect(204)
        code = re.search(r"(?<!\d)\d{6}(?!\d)", task["text"])[0]
        assert code == old.otp(name).get("code", code)
        old.verify(name, code).expect(200)


def test_provider_is_told_of_the_right_code(old):
    """It could not be told before; the code lay sealed beside its send."""
    def told():
        old.clock.advance(1)
        return [call for call in old.sim.calls(limit=1000)
                if (call["request"]["json"] or {}).get("code") == old.otp("told")["code"]]

    assert eventually(told)


def test_calls_are_told_apart(old):
    calls, phone = old.facts["calls"], old.phone(0)
    for name in ("event-confirmed", "event-unknown"):
        said = calls[name]
        answer = phone.post("/api/events", said["event"]).expect(200)
        assert answer == said["answer"] | {"duplicate": True}
    pending = calls["pending"]
    answer = phone.event(
        pending["caller"], pending["gateway_number"],
        occurred_at=format_time(old.clock.now())).expect(200)
    assert (answer["result"], answer["challenge_id"]) == ("confirmed", pending["id"])


def test_messages_that_waited_go_out(old):
    messages = old.facts["messages"]
    old.phone(1).be_connected("account-1", "account-moved")
    task = old.phone(1).claim_message_task("account-1")
    assert task["text"] == messages["waiting"]["text"]
    old.phone(1).message_result(task, "sent").expect(204)
    old.clock.advance(CIRCUIT_S)
    old.core.wait_for_message(messages["closed"], "sent")
    call = old.sim.take("telegram_bot", "sendMessage", recipient="@channel")
    assert call["request"]["json"]["text"] == messages["closed"]["text"]


# --- the exchange


def test_tokens_and_secrets_are_good_still(old):
    client = old.facts["client"]
    for token in (client["old_token"], client["new_token"]):
        assert Bearer(old.site.address, token, client["integration_id"]).is_taken()
    for secret in client["secrets"]:
        credentials = {"client_id": client["client_id"], "client_secret": secret}
        erp = Erp(old.site.address, {"id": client["integration_id"]}, credentials)
        assert erp.with_token(erp.fetch_token()).is_taken()
    off = Erp(old.site.address, {"id": client["integration_id"]}, client["off"])
    off.ask_token().expect(401, "invalid_client")


def test_orders_go_to_their_erp_with_its_token(old):
    shop, slow = old.erps
    old.operator.post(f"{ORDERS}/{old.facts['orders']['failed']['id']}/retry").expect(204)
    waiting = [name for name in old.facts["orders"] if name.startswith("waiting")]
    old.pass_time_until(lambda: old.order_state(waiting[0]) == "accepted")
    for name in (*waiting, "failed"):
        old.wait_for_order(name, "accepted", shop)
    old.wait_for_order("delivering", "accepted", slow)


def test_order_whose_body_0_5_0_has_erased_cannot_be_sent_again(old):
    path = f"{ORDERS}/{old.facts['orders']['rejected']['id']}"
    assert old.operator.get(path).expect(200)["state"] == "rejected"
    old.operator.post(f"{path}/retry").expect(409, "body_gone")


def test_packages_that_waited_are_applied(old):
    slow, packages = old.facts["slow"], old.facts["packages"]
    erp = Sender(old.site.address, slow["token"], slow["integration_id"])
    for name in ("slow-snapshot", "slow-changes"):
        erp.wait_for(packages[name]["event_id"])
    desk = Desk(old.site.address, old.site.internal_key, slow["integration_id"])
    assert desk.variants("p-1")["v"]["stock"] == 5


def test_package_that_was_tried_goes_on(old):
    """A snapshot brings what its rows refer to; the brake is released; what failed is retried."""
    client, packages = old.facts["client"], old.facts["packages"]
    sender = Sender(old.site.address, client["new_token"], client["integration_id"])
    desk = Desk(old.site.address, old.site.internal_key, client["integration_id"])
    known = catalog.numbered_products(25) + [
        catalog.product("later", [catalog.variant("v-1")]),
        catalog.product("never-sent", [catalog.variant("v-1")])]
    sender.apply(SNAPSHOT, catalog.snapshot(known))
    desk.retry(packages["failed"]["body"]["event_id"]).expect(204)
    desk.release(packages["archives"]["body"]["event_id"]).expect(204)
    for name in ("retry", "failed", "archives"):
        sender.wait_for(packages[name]["body"]["event_id"])
    for name in ("snapshot", "changes", "archives"):
        body = packages[name]["body"]
        assert desk.body(body["event_id"]).body == catalog.encode(body)


def test_what_is_new_works_beside(old):
    """As on a database of today."""
    phone = old.phone(1)
    phone.be_ready()
    made = old.core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    old.core.verify(made["id"], re.search(r"(?<!\d)\d{6}(?!\d)", task["text"])[0]).expect(200)


@pytest.mark.only("sqlite")
def test_no_byte_of_the_old_form_is_left(old):
    """What was sealed anew, or has ended since, is overwritten; the log is emptied every hour."""
    assert old.sealed
    old.pass_time(RESEAL_PAUSE_S)
    assert eventually(old.is_sealed_anew)
    old.pass_time(HOUR_S)
    assert eventually(lambda: old.files_with_old_values() == []), old.files_with_old_values()


@pytest.mark.only("sqlite")
def test_what_0_5_0_had_erased_is_gone_at_the_start(engine, tmp_path):
    """Once: before the first request is taken, the start that brings the files up to date rewrites
    them; a start that is killed meanwhile is repeated."""
    with left_by_0_5_0(engine, tmp_path) as made:
        made.erase_as_0_5_0_did()
        fill(made.site.state / "herald.db", 60)
        for _ in range(2):
            killed = made.site.start("serve")
            assert eventually(lambda: REWRITTEN_ONCE in killed.output, 30, 0.001)
            killed.kill()
            made.site.processes.remove(killed)
        assert made.files_with_old_values()
        made.site.serve()
        assert made.files_with_old_values() == []
        lines = made.site.processes[-1].output.splitlines()
        told = [json.loads(line) for line in lines if REWRITTEN in line]
        assert [row["level"] for row in told] == ["info"] * 2
        assert all(row["fields"]["duration_ms"] >= 0 for row in told), told
        made.site.stop()
        made.site.serve()
        assert b"rewritten" not in made.site.processes[-1].output
        made.core.device(made.facts["phones"]["Phone 0"]["device_id"])


def fill(path, mebibytes):
    """So much that it takes a while to rewrite."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE filling (piece BLOB)")
        connection.executemany(
            "INSERT INTO filling VALUES (randomblob(1048576))", [()] * mebibytes)
        connection.commit()
