"""Personal data (contract, section 10.5): what is held of a person is erased or told, and goes by age."""

import sqlite3
import time
from contextlib import closing

import pytest

from harness.keys import key_of, with_key
from harness.orders import ORDER_SETTINGS, Shop, accept_all, http_answer, list_orders, refuse_all
from harness.timelines import words_of
from harness.tools import Moment, eventually, fresh_key, fresh_number, masked
from test_admin import Admin

CLOCK = True
DAY_S, WINDOW_S, CALL_WINDOW_S = 86400, 600, 3 * 3600
GIVE_UP_S = 72 * 3600
CODES, ATTEMPTS, WRONG_CODES = 3, 5, 50  # in 10 minutes, of a code, in a day
METADATA = {"session": "of somebody"}
JOB = {"id", "kind", "state", "phase", "codes", "calls", "messages", "orders", "orders_waiting",
       "log_entries", "created_at", "updated_at", "finished_at", "found"}
MANY = 3000


def traces_of(site, number):
    """Where the digits of a number still are: in files of an embedded database, or in a dump."""
    digits = number[2:].encode()
    if site.database:
        dump = site.database.dump()
        dump = dump if isinstance(dump, bytes) else dump.encode()
        return [line[:200] for line in dump.splitlines()
                if digits in line or digits.hex().encode() in line]
    return [path.name for path in site.state.rglob("*")
            if path.is_file() and digits in path.read_bytes()]


def started(core, what, number):
    reply = core.post(f"/internal/v1/subjects/{what}", {"phone": number})
    assert reply.status in (200, 202), str(reply)
    job = reply.json
    assert set(job) == JOB and (reply.status == 200) == (job["state"] == "done")
    return job


def done(core, what, number):
    job = started(core, what, number)

    def read():
        shown = core.get(f"/internal/v1/subjects/jobs/{job['id']}").expect(200)
        return shown if shown["state"] == "done" else None

    found = eventually(read, 60)
    assert found and found["phase"] is None and found["finished_at"]
    return found


class Person:
    """Somebody with a code, a call, a message and an order."""

    def __init__(self, site, core, phone, shop):
        self.number = fresh_number()
        self.key = fresh_key()
        phone.be_ready()
        self.otp = core.create_otp(self.number, self.key, metadata=METADATA).expect(201)
        core.verify(self.otp["id"], "000000").expect(422)
        task = phone.claim_task()
        phone.result(task, "failed", permanent=True, error=f"cannot reach {self.number}")
        core.cancel_otp(self.otp["id"]).expect(204)
        self.call = core.create_challenge(self.number, metadata=METADATA).expect(201)
        phone.event(self.number).expect(200)
        self.message = core.create_message(
            channel="personal_messenger", account_id=shop.account, recipient=self.number,
            text=f"Dear {self.number}", metadata=METADATA).expect(202)
        customer = {"name": "Анна", "phone": f"8 ({self.number[2:5]}) {self.number[5:]}"}
        self.order = shop.place(customer=customer).expect(202)["id"]

    def read(self, core):
        return (core.otp(self.otp["id"]).expect(200), core.challenge(self.call["id"]).expect(200),
                core.message(self.message["id"]).expect(200))


@pytest.fixture
def scene(fresh_site, erp):
    fresh_site.settings.update(ORDER_SETTINGS | {"HERALD_EVENTS": "on"})
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    shop = Shop(fresh_site, erp)
    shop.account = f"account-{phone.number}"
    core.connect_accounts(phone, shop.account)
    phone.be_ready()
    return fresh_site, core, phone, shop


def order_of(shop, person):
    return shop.operator.get(f"/internal/v1/orders/{person.order}").expect(200)


def assert_erased(records):
    otp, call, message = records
    assert (otp["recipient"], call["caller"], message["recipient"]) == (None, None, None)
    for record in records:
        assert record["erased"] is True and "metadata" not in record


def test_erasing_a_person_leaves_no_trace(scene):
    site, core, phone, shop = scene
    people = [Person(site, core, phone, shop) for _ in range(2)]
    person, other = people
    others = other.read(core)
    for one in people:
        shop.wait_for(one.order, "accepted")
    assert traces_of(site, person.number)

    job = done(core, "erase", "8" + person.number[2:])
    assert {name: job[name] for name in ("codes", "calls", "messages", "orders")} == {
        "codes": 1, "calls": 1, "messages": 1, "orders": 1}
    assert job["orders_waiting"] == 0 and job["log_entries"] > 0 and job["found"] is None
    assert eventually(lambda: not traces_of(site, person.number), 5), traces_of(site, person.number)
    assert_erased(person.read(core))
    assert order_of(shop, person)["erased"] is True
    assert list_orders(core, recipient=person.number) == ([], None)
    assert phone.claim_message(shop.account).expect(200)["task"]["recipient"] == other.number
    assert core.message(person.message["id"]).expect(200)["state"] == "failed"
    assert [row["state"] for row in core.otp(person.otp["id"]).expect(200)["sends"]] == ["failed"]
    for kind in (core.otps, core.messages):
        rows = kind(recipient=person.number).expect(200)
        assert not next(value for value in rows.values() if isinstance(value, list))
    for path in ("otp", person.otp), ("challenges", person.call), ("messages", person.message):
        core.get(f"/internal/v1/{path[0]}/{path[1]['id']}/timeline").expect(200)
    entries = core.get(f"/internal/v1/logs?limit=200&q=%2B{person.number[1:]}").expect(200)
    assert entries["entries"] == []

    assert [row["state"] for row in other.read(core)] == [row["state"] for row in others]
    assert other.read(core)[0]["recipient"] == other.number
    assert traces_of(site, other.number)


def test_replay_answers_with_the_erased_record(scene):
    site, core, phone, shop = scene
    person = Person(site, core, phone, shop)
    done(core, "erase", person.number)
    reply = core.create_otp(person.number, person.key, metadata=METADATA)
    record = reply.expect(201)
    assert (record["id"], record["recipient"], record["erased"]) == (person.otp["id"], None, True)
    assert reply.header("Idempotent-Replayed") == "true"
    core.create_otp(fresh_number(), person.key, metadata=METADATA).expect(
        409, "idempotency_conflict")


def test_limits_hold_over_an_erasure(scene):
    """A keyed hash stands in for the number until the window is over."""
    site, core, phone, _ = scene
    number = fresh_number()
    for _ in range(2):
        core.cancel_otp(core.create_otp(number).expect(201)["id"])
    active = core.create_otp(number).expect(201)
    for code in "000000", "000001":
        core.verify(active["id"], code).expect(422)
    done(core, "erase", number)
    assert core.otp(active["id"]).expect(200)["state"] == "canceled"
    core.create_otp(number).expect(429, "rate_limited")
    site.clock.advance(WINDOW_S + 1)
    phone.be_ready()
    core.create_otp(number).expect(201)
    site.restart()  # a clock that was set forward only now makes no running herald forget
    assert eventually(lambda: standing_in(site) == 0, 10)


def test_wrong_codes_count_over_an_erasure(scene):
    """Nobody goes on guessing by having the number erased (contract, section 2, rule 4)."""
    site, core, phone, _ = scene
    number = fresh_number()
    for _ in range(WRONG_CODES // ATTEMPTS):
        phone.be_ready()
        otp = core.create_otp(number).expect(201)
        for code in range(ATTEMPTS):
            core.verify(otp["id"], f"{code:06}").expect(422, "code_mismatch")
        site.clock.advance(WINDOW_S // CODES + 1)
    site.clock.advance(WINDOW_S)
    done(core, "erase", number)
    phone.be_ready()
    refused = core.create_otp(number)
    refused.expect(429, "rate_limited")
    assert '"wrong-codes"' in refused.header("RateLimit-Policy")
    core.create_otp(fresh_number()).expect(201)
    site.clock.advance(DAY_S)
    phone.be_ready()
    core.create_otp(number).expect(201)


def standing_in(site):
    sql = "SELECT count(*) FROM otp WHERE recipient LIKE '#%'"
    if site.database:
        return int(site.database.ask(sql))
    with closing(sqlite3.connect(f"file:{site.state}/herald.db?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchone()[0]


def test_one_call_confirms_once_over_an_erasure(scene):
    _, core, phone, _ = scene
    number = fresh_number()
    first = core.create_challenge(number, gateway_number=phone.number).expect(201)
    assert phone.event(number).expect(200)["result"] == "confirmed"
    done(core, "erase", number)
    assert core.challenge(first["id"]).expect(200)["state"] == "confirmed"
    second = core.create_challenge(number, gateway_number=phone.number).expect(201)
    assert phone.event(number).expect(200)["result"] != "confirmed"
    assert core.challenge(second["id"]).expect(200)["state"] == "pending"


def test_order_is_delivered_first(scene, erp):
    site, core, phone, shop = scene
    erp.answer = refuse_all
    person = Person(site, core, phone, shop)
    assert eventually(lambda: shop.attempts(person.order))
    job = done(core, "erase", person.number)
    assert (job["orders"], job["orders_waiting"]) == (1, 1)
    assert "erased" not in order_of(shop, person)
    erp.answer = accept_all
    shop.retry(person.order).expect(204)
    shop.wait_for(person.order, "accepted")
    assert eventually(lambda: order_of(shop, person).get("erased"))
    assert all(row["error"] in (None, "erased") for row in shop.attempts(person.order))


def test_failed_order_cannot_be_tried_again(scene, erp):
    site, core, phone, shop = scene
    erp.answer = lambda head, body: http_answer(b'{"accepted": false, "message": "no"}')
    person = Person(site, core, phone, shop)
    shop.wait_for(person.order, "rejected")
    done(core, "erase", person.number)
    assert order_of(shop, person)["erased"] is True
    shop.retry(person.order).expect(409, "body_gone")


@pytest.mark.parametrize("is_over", [True, False])
def test_order_that_was_given_up_is_erased(scene, erp, is_over):
    """At once, or as soon as nobody tries it any more."""
    site, core, phone, shop = scene
    erp.answer = refuse_all
    person = Person(site, core, phone, shop)
    shop.wait_for_attempt(person.order, 1)
    if not is_over:
        assert done(core, "erase", person.number)["orders_waiting"] == 1
    shop.pass_time(GIVE_UP_S + 60)
    shop.wait_for(person.order, "failed")
    if is_over:
        assert done(core, "erase", person.number)["orders_waiting"] == 0, "nobody tries it any more"
    assert eventually(lambda: order_of(shop, person).get("erased")), "nobody tries it any more"
    shop.retry(person.order).expect(409, "body_gone")


def test_of_sends_their_ends_alone_are_told(scene):
    """Of what phones were given to send; the timeline has no more of it (contract, section 11.7)."""
    site, core, phone, shop = scene
    person = Person(site, core, phone, shop)
    task = phone.claim_message_task(shop.account)
    phone.message_result(task, "sent").expect(204)
    records = ("otp", person.otp["id"], "failed"), ("messages", person.message["id"], "sent")
    for what, row_id, end in records:
        words = words_of(core, what, row_id)
        assert "claimed" in words and end in words
    done(core, "erase", person.number)
    for what, row_id, end in records:
        words = words_of(core, what, row_id)
        assert "claimed" not in words, f"who had it is told: {words}"
        assert end in words


def test_export_holds_everything(scene):
    site, core, phone, shop = scene
    person = Person(site, core, phone, shop)
    shop.wait_for(person.order, "accepted")
    time.sleep(0.5)  # the log is written behind the requests
    job = done(core, "export", person.number)
    found = job["found"]
    otp, call, message = person.read(core)
    assert (found["codes"], found["calls"], found["messages"]) == ([otp], [call], [message])
    assert [row["id"] for row in found["orders"]] == [person.order]
    assert masked(person.number) in str(found["log_entries"]) and found["is_cut"] is False
    assert f"Dear {person.number}" not in str(found)
    assert (job["codes"], job["calls"], job["messages"], job["orders"]) == (1, 1, 1, 1)
    assert done(core, "export", fresh_number())["found"]["codes"] == []

    done(core, "erase", person.number)
    assert core.get(f"/internal/v1/subjects/jobs/{job['id']}").expect(200)["found"] is None
    site.clock.advance(DAY_S + 120)
    site.restart()
    core = site.core()
    assert eventually(
        lambda: core.get(f"/internal/v1/subjects/jobs/{job['id']}").status == 404, 10)


def fill(site, number, count):
    """Codes of a number, as if it had got them long ago."""
    if site.database:
        site.database.ask(
            "INSERT INTO otp (id, channel, recipient, state, code_length, attempts_left, created_at,"
            f" expires_at) SELECT decode(lpad(i::text, 32, '0'), 'hex'), 'sms', '{number}',"
            f" 'expired', 6, 5, i, i FROM generate_series(1, {count}) AS i")
        return
    with closing(sqlite3.connect(site.state / "herald.db")) as connection:
        connection.executemany(
            "INSERT INTO otp (id, channel, recipient, state, code_length, attempts_left, created_at,"
            " expires_at) VALUES (?, 'sms', ?, 'expired', 6, 5, ?, ?)",
            ((i.to_bytes(16, "big"), number, i, i) for i in range(1, count + 1)))
        connection.commit()


def test_kill_in_the_middle(fresh_site):
    number = fresh_number()
    fresh_site.serve()
    fresh_site.stop()
    fill(fresh_site, number, MANY)
    process = fresh_site.serve()
    core = fresh_site.core()
    job = started(core, "erase", number)
    for _ in range(3):
        path = f"/internal/v1/subjects/jobs/{job['id']}"
        before = core.get(path).expect(200)["codes"]
        eventually(lambda: core.get(path).expect(200)["codes"] > before, Moment(3), 0.01)
        process.kill()
        process = fresh_site.serve()
        core = fresh_site.core()
    shown = eventually(lambda: is_done(core, job), 90)
    assert shown["codes"] == MANY
    assert eventually(lambda: not traces_of(fresh_site, number), 5)


def is_done(core, job):
    shown = core.get(f"/internal/v1/subjects/jobs/{job['id']}").expect(200)
    return shown if shown["state"] == "done" else None


def test_number_of_jobs_is_bounded(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    fresh_site.stop()
    fresh_site.processes.clear()
    rows = ",".join(f"({literal(fresh_site, i)}, 'erase', 'running', {literal(fresh_site, i)},"
                    f" {literal(fresh_site, i)}, 5, {2**40}, {2**60}, {2**60})"
                    for i in range(1, 101))
    sql = ("INSERT INTO subject_job (id, kind, state, number, mark, phase, place, created_at,"
           f" updated_at) VALUES {rows}")
    if fresh_site.database:
        fresh_site.database.ask(sql)
    else:
        with closing(sqlite3.connect(fresh_site.state / "herald.db")) as connection:
            connection.execute(sql)
            connection.commit()
    fresh_site.serve()
    core = fresh_site.core()
    core.post("/internal/v1/subjects/erase", {"phone": fresh_number()}).expect(503, "overloaded")


def literal(site, number):
    digits = f"{number:032x}"
    return f"decode('{digits}', 'hex')" if site.database else f"X'{digits}'"


def test_what_is_old_is_erased(fresh_site, erp):
    fresh_site.settings.update(ORDER_SETTINGS)
    fresh_site.settings["HERALD_PERSONAL_DAYS"] = "2"
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    shop = Shop(fresh_site, erp)
    shop.account = f"account-{phone.number}"
    core.connect_accounts(phone, shop.account)
    person = Person(fresh_site, core, phone, shop)
    shop.wait_for(person.order, "accepted")
    fresh_site.stop()
    fresh_site.clock.advance(DAY_S + 7200, is_monotonic_too=True)
    fresh_site.serve()
    core = fresh_site.core()
    time.sleep(2)
    assert core.otp(person.otp["id"]).expect(200)["recipient"] == person.number
    fresh_site.stop()
    fresh_site.clock.advance(DAY_S, is_monotonic_too=True)
    fresh_site.serve()
    core = fresh_site.core()
    shop.move_to(fresh_site)
    assert eventually(lambda: all(row.get("erased") for row in person.read(core)), 20)
    assert_erased(person.read(core))
    assert eventually(lambda: order_of(shop, person).get("erased"), 20)
    assert core.otps().expect(200)["codes"][0]["id"] == person.otp["id"]


def test_only_an_admin_may(scene):
    site, core, *_ = scene
    number = fresh_number()
    for role in ("core", "viewer", "support", "operator"):
        for what in ("erase", "export"):
            with_key(site, key_of(core, role)).post(
                f"/internal/v1/subjects/{what}", {"phone": number}
            ).expect(403, "insufficient_role")
    job = done(with_key(site, key_of(core, "admin")), "erase", number)
    record, = [row for row in core.audit("?action=subject.erase").expect(200)["records"]]
    assert record["target"] == {"type": "subject_job", "id": job["id"]}
    assert record["changes"][0]["to"].startswith(masked(number))
    assert number not in str(record)
    core.post("/internal/v1/subjects/erase", {"phone": "nobody"}).expect(422)


def test_command_line(scene):
    site, core, phone, shop = scene
    person = Person(site, core, phone, shop)
    admin = Admin(site)
    shown = admin.json("subjects", "export", person.number)
    assert shown["state"] == "done" and shown["found"]["codes"][0]["id"] == person.otp["id"]
    said = admin("subjects", "erase", person.number)
    assert "codes" in said and person.number not in said
    assert core.otp(person.otp["id"]).expect(200)["recipient"] is None
    assert "done" in admin("subjects", "show", shown["id"])
