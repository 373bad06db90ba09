"""Contract section 10.5 against those who do not play along."""

import socket
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from harness.http import Client
from harness.keys import key_of, with_key
from harness.tools import at_once, eventually, fresh_key, fresh_number
from test_admin import Admin
from test_personal_data import done, traces_of

SUBJECTS = "/internal/v1/subjects"
SHOWN_MAX = 2000
CODES_MAX = 3  # of a number in 10 minutes


@pytest.fixture
def running(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    phone.be_ready()
    return fresh_site, core, phone


def spellings(number):
    """As people write it."""
    area, first, second, third = number[2:5], number[5:8], number[8:10], number[10:]
    yield number
    yield f"8{number[2:]}"
    yield f"7{number[2:]}"
    yield f" 8 ({area}) {first}-{second}-{third} "
    yield f"+7\u00a0{area}\u2009{first}\u2013{second}\u2011{third}"
    yield f"+7.{area}.{first}.{second}.{third}"
    yield f"007{number[2:]}"
    yield f"+7/{area}/{first}{second}{third}"


NO_NUMBERS = [
    "", " ", "+", "9161234567", "+7916123456", "+79161234567890123", "tel:+79161234567",
    "+7916123456\u0967", "\uff0b79161234567", "+7 916 1234567 #1", "+7916\n1234567",
    "+79161234567,+79160000000", "8" * 41, "%", "' OR 1=1 --", None, 79161234567, ["+79161234567"],
    {"phone": "+79161234567"}, True,
]


def test_any_spelling_names_the_person(running):
    site, core, phone = running
    number = fresh_number()
    otp = core.create_otp(number).expect(201)
    for spelled in spellings(number):
        found = done(core, "export", spelled)["found"]
        assert [row["id"] for row in found["codes"]] == [otp["id"]], spelled


@pytest.mark.parametrize("what", ["erase", "export"])
def test_what_is_no_number_is_refused(running, what):
    site, core, _ = running
    for text in NO_NUMBERS:
        reply = core.post(f"{SUBJECTS}/{what}", {"phone": text})
        reply.expect(422, "validation_error")
        assert reply.fault_paths == ["phone"], (text, str(reply))
    core.post(f"{SUBJECTS}/{what}", {}).expect(422, "validation_error")
    core.post(f"{SUBJECTS}/{what}", {"phone": fresh_number(), "more": 1}).expect(422)
    core.post(f"{SUBJECTS}/{what}", {"phone": "8" * 3_000_000}).expect(413)
    core.get(f"{SUBJECTS}/{what}").expect(405)
    assert core.audit(f"?action=subject.{what}").expect(200)["records"] == []


def test_jobs_are_for_admins(running):
    site, core, phone = running
    job = done(core, "export", fresh_number())
    path = f"{SUBJECTS}/jobs/{job['id']}"
    for role in "core", "viewer", "support", "operator":
        with_key(site, key_of(core, role)).get(path).expect(403, "insufficient_role")
    with_key(site, key_of(core, "admin")).get(path).expect(200)
    Client(site.address).get(path).expect(401)
    for key in phone.headers.values():
        with_key(site, key).get(path).expect(401)
    core.get(f"{SUBJECTS}/jobs/{fresh_key()}").expect(404)
    core.get(f"{path}?all=1").expect(422)


@pytest.fixture
def sensitive(fresh_site):
    fresh_site.settings.update({"LOG_SENSITIVE": "true", "HERALD_ENVIRONMENT": "test"})
    fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core).be_ready()
    return fresh_site, core


def test_a_sensitive_log_forgets_as_well(sensitive):
    """It has the number in full, and what was just said is written behind the requests."""
    site, core = sensitive
    for _ in range(5):
        number = fresh_number()
        otp = core.create_otp(number).expect(201)
        for code in "000000", "000001", "000002":
            core.verify(otp["id"], code)
        done(core, "erase", number)
        time.sleep(0.3)
        assert not traces_of(site, number), traces_of(site, number)


def test_a_sensitive_log_is_in_no_export(sensitive):
    """It has codes and keys in full, and an export is handed on."""
    site, core = sensitive
    number = fresh_number()
    core.create_otp(number).expect(201)
    entries = f"/internal/v1/logs?q=%2B{number[1:]}"
    assert eventually(lambda: site.internal_key in str(core.get(entries).expect(200)["entries"]))
    found = done(core, "export", number)["found"]
    assert site.internal_key not in str(found) and found["log_entries"] == []
    assert len(found["codes"]) == 1


def test_codes_and_calls_that_come_meanwhile(running):
    """Nothing fails but for the limits, which hold; and the last erasure leaves nothing."""
    site, core, phone = running
    number, is_over, seen = fresh_number(), threading.Event(), []

    def act(index):
        if index == 0:
            for _ in range(10):
                done(core, "erase", number)
            is_over.set()
        client = site.core()
        while not is_over.is_set():
            reply = client.create_otp(number)
            seen.append(reply.status)
            if reply.status == 201:
                client.verify(reply.json["id"], "000000")
                client.cancel_otp(reply.json["id"])
            if client.create_challenge(number).status == 201:
                phone.event(number)

    at_once(4, act)
    assert set(seen) <= {201, 409, 429} and seen.count(201) == CODES_MAX
    done(core, "erase", number)
    assert eventually(lambda: not traces_of(site, number), 5), traces_of(site, number)


def put_many(site, table, **values):
    """SHOWN_MAX rows with these values, where i is the place of a row; nothing runs."""
    places = (f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {SHOWN_MAX})")
    new_id = "decode(lpad(to_hex(i), 32, '0'), 'hex')" if site.database else "randomblob(16)"
    sql = (f"INSERT INTO {table} (id, {', '.join(values)}) {places}"
           f" SELECT {new_id}, {', '.join(values.values())} FROM n")
    if site.database:
        site.database.ask(sql)
        return
    with closing(sqlite3.connect(site.state / "herald.db")) as connection:
        connection.execute(sql)
        connection.commit()


def test_the_longest_export_comes_through_the_command(fresh_site):
    """2,000 codes, calls and messages with as much metadata as there may be: some 5 MB."""
    fresh_site.serve()
    fresh_site.stop()
    number, note, error = fresh_number(), "n" * 490, "e" * 500
    common = {"created_at": "i", "expires_at": "i", "metadata": f"""'{{"note":"{note}"}}'"""}
    put_many(fresh_site, "otp", **common, channel="'sms'", recipient=f"'{number}'",
             state="'expired'", code_length="6", attempts_left="5")
    put_many(fresh_site, "call_challenge", **common, caller=f"'{number}'", state="'expired'",
             gateway_number="'+79000000000'")
    put_many(fresh_site, "message", **common, channel="'personal_messenger'", state="'failed'",
             account_id="'a'", recipient=f"'{number}'", error=f"'{error}'", updated_at="i",
             chat_is_integer="0")
    fresh_site.serve()
    admin = Admin(fresh_site)
    job = admin.json("subjects", "export", number)
    assert [len(job["found"][kind]) for kind in ("codes", "calls", "messages")] == [SHOWN_MAX] * 3
    assert len(str(job)) > 4 * 2**20
    assert admin.json("subjects", "show", job["id"]) == job
    assert "--json" in admin("subjects", "show", job["id"])


# --- Revealed

def test_who_leaves_before_the_answer_is_in_the_audit(running):
    site, core, _ = running
    otp = core.create_otp(fresh_number()).expect(201)
    head = (f"POST /internal/v1/otp/{otp['id']}/reveal HTTP/1.1\r\nHost: herald\r\n"
            f"X-Internal-API-Key: {key_of(core, 'support')}\r\nContent-Length: 0\r\n\r\n")
    for _ in range(20):
        with socket.create_connection(site.address) as gone:
            gone.sendall(head.encode())

    def records():
        return core.audit("?action=otp.reveal&limit=100").expect(200)["records"]

    assert eventually(lambda: len(records()) == 20, 5)


def test_what_is_erased_reveals_nobody(running):
    site, core, phone = running
    number = fresh_number()
    otp = core.create_otp(number).expect(201)
    done(core, "erase", number)
    support = with_key(site, key_of(core, "support"))
    shown = support.post(f"/internal/v1/otp/{otp['id']}/reveal").expect(200)
    assert shown["recipient"] is None and shown["erased"] is True
    record, = core.audit("?action=otp.reveal").expect(200)["records"]
    assert record["changes"] == []
