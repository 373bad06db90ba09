"""What a timeline costs, where it ends, and that kill -9 takes nothing off it (contract, section
11.7): steps go into rows that are written anyway."""

import pytest

from harness.actors import read_code, wrong_code
from harness.outcomes import GATEWAY
from harness.timelines import steps_of, wait_for_step, words_of
from harness.tools import at_once, fresh_key, fresh_number

CLOCK = True
CHANNELS = ("gateway",)
LEASE_S = 91
FULL, LINE_MAX = 2000, 60  # characters of the column, and of the line that filled it
ROUNDS = 5

# The rows that one code by SMS inserts and updates: it is claimed, sent, delivered, wrong once and
# then right. An update of otp is a try, or what it learns of its send, or its end.
WRITTEN = {
    "active_challenge": (1, 1), "channel_send": (0, 0), "idempotency_key": (1, None),
    "job": (0, None), "otp": (1, 5), "phone_task": (1, 3), "wrong_code": (1, 0),
}
# What the processes, the phone and the periodic jobs write, whether there is a code or not. The log
# has entries of its own.
BESIDE = {
    "audit_head", "audit_record", "settings_seen",  # each start has another port
    "device", "device_number", "lease", "log_entry", "log_head", "metric_hour", "metric_minute",
    "process", "store_clock", "worker",
    "trouble", "trouble_watch",  # no SIM is ready at first
}


def restart(site):
    site.processes[-1].kill()
    site.processes.clear()
    site.serve()
    return site.core()


def count_rows(site):
    """How many rows each table has."""
    names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    if site.engine == "postgres":
        names = "SELECT relname FROM pg_stat_user_tables"
    tables = set(site.ask(names).splitlines()) - BESIDE
    return {table: int(site.ask(f"SELECT count(*) FROM {table}")) for table in tables}


def count_writes(site):
    """How many rows each table had inserted and updated, as PostgreSQL counts them."""
    rows = site.ask("SELECT relname, n_tup_ins, n_tup_upd FROM pg_stat_user_tables").splitlines()
    return {name: (int(inserted), int(updated))
            for name, inserted, updated in (row.split("|") for row in rows) if name not in BESIDE}


def live_through(site, phone):
    """The life of one code."""
    core, phone = site.core(), phone.at(site.address)
    phone.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    phone.result(task, "delivered").expect(204)
    core.verify(otp["id"], wrong_code(read_code(task))).expect(422)
    core.verify(otp["id"], read_code(task)).expect(200)
    assert len(steps_of(core, "otp", otp["id"])) == 7


def test_a_code_costs_no_row_and_no_update_more(fresh_site):
    site = fresh_site
    site.serve()
    phone = site.phone(site.core())
    site.stop()
    site.processes.clear()
    rows = count_rows(site)
    writes = count_writes(site) if site.engine == "postgres" else None
    site.serve()
    live_through(site, phone)
    site.stop()
    site.processes.clear()
    kept = {name: inserted for name, (inserted, _) in WRITTEN.items()} | {"active_challenge": 0}
    more = {name: count - rows[name] for name, count in count_rows(site).items()}
    assert {name: count for name, count in more.items() if count or name in WRITTEN} == kept
    if writes is None:
        return
    for name, (inserted, updated) in count_writes(site).items():
        made = (inserted - writes[name][0], updated - writes[name][1])
        expected = tuple(count if want is None else want
                         for want, count in zip(WRITTEN.get(name, (0, 0)), made))
        assert made == expected, name


def test_a_code_that_nothing_happened_to_has_an_empty_column(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    phone.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    assert words_of(core, "otp", otp["id"]) == ["created", "queued"]
    fresh_site.stop()
    for table in ("otp", "phone_task", "call_challenge"):
        assert fresh_site.ask(f"SELECT count(*), count(steps) FROM {table}") == "1|0"


def test_a_column_has_an_end_and_the_end_is_told(fresh_site):
    site = fresh_site
    site.serve()
    core, account_id = site.core(), f"account-{fresh_key()[:12]}"
    phone = site.phone(core)
    core.connect_accounts(phone, account_id)
    message = core.create_message(channel="personal_messenger", account_id=account_id,
                                  recipient=fresh_number(), text="Hello").expect(202)
    for _ in range(60):
        phone.be_connected(account_id)
        task = phone.claim_message_task(account_id)
        site.clock.advance(LEASE_S)
    phone.message_result(task, "sent").expect(204)
    assert words_of(core, "messages", message["id"])[-2:] == ["cut", "sent"]
    phone.message_result(task, "delivered").expect(204)
    words = words_of(core, "messages", message["id"])
    claims = words.count("claimed")
    assert 30 < claims < 60
    assert words == ["created", "queued", *claims * ["claimed"], "cut", "delivered"]
    site.stop()
    length = int(site.ask("SELECT length(steps) FROM phone_task"))
    assert FULL <= length <= FULL + LINE_MAX


def test_kill_9_takes_no_step_that_was_acknowledged(fresh_site):
    site = fresh_site
    site.serve()
    core = site.core()
    phone = site.phone(core)
    for _ in range(ROUNDS):
        phone.be_ready()
        otp = core.create_otp(fresh_number()).expect(201)
        challenge = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
        task = phone.claim_task()
        core = restart(site)
        phone = phone.at(site.address)
        assert words_of(core, "otp", otp["id"]) == ["created", "queued", "claimed"]
        phone.result(task, "sent").expect(204)
        core.verify(otp["id"], wrong_code(read_code(task))).expect(422)
        core.cancel_challenge(challenge["id"]).expect(204)
        core = restart(site)
        phone = phone.at(site.address)
        words = ["created", "queued", "claimed", "sent", "wrong_code"]
        assert words_of(core, "otp", otp["id"]) == words
        assert words_of(core, "challenges", challenge["id"]) == ["created", "canceled"]
        core.cancel_otp(otp["id"]).expect(204)
        core = restart(site)
        phone = phone.at(site.address)
        assert words_of(core, "otp", otp["id"]) == [*words, "canceled"]


def test_kill_9_during_a_fetch(site, sim):
    core = site.core()
    GATEWAY.warm_up(core, sim)
    GATEWAY.order(sim, "slow", wait_ms=1000)
    otp, _ = GATEWAY.send(core, sim, ttl_seconds=900)
    core = restart(site)
    assert words_of(core, "otp", otp["id"]) == ["created", "queued", "fetch"]
    site.clock.advance(120)
    steps = wait_for_step(core, "otp", otp["id"], "unknown")
    assert [step["step"] for step in steps] == ["created", "queued", "fetch", "unknown"]
    assert "outcome" not in steps[2] and "worker ended" in steps[3]["error"]
    core.cancel_otp(otp["id"]).expect(204)


def test_what_an_earlier_version_left_is_told_as_far_as_it_is_known(fresh_site):
    site = fresh_site
    site.serve()
    core = site.core()
    phone = site.phone(core)
    phone.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    challenge = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    assert phone.event(challenge["caller"]).expect(200)["result"] == "confirmed"
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    core.verify(otp["id"], wrong_code(read_code(task))).expect(422)
    core.verify(otp["id"], read_code(task)).expect(200)
    site.stop()
    site.processes.clear()
    for table in ("otp", "phone_task", "call_challenge"):
        site.ask(f"UPDATE {table} SET steps = NULL")
    site.serve()
    assert words_of(site.core(), "otp", otp["id"]) == ["created", "queued", "sent", "confirmed"]
    assert words_of(site.core(), "challenges", challenge["id"]) == ["created", "confirmed"]


def test_20_guesses_at_once_are_as_many_steps_as_there_are_attempts(site, core, ready_phone):
    otp = core.create_otp(fresh_number(), gateway_number=ready_phone.number).expect(201)
    task = ready_phone.claim_task()
    at_once(20, lambda _: core.verify(otp["id"], wrong_code(read_code(task))))
    words = words_of(core, "otp", otp["id"])
    assert words[-6:] == 5 * ["wrong_code"] + ["exhausted"] and words.count("wrong_code") == 5


@pytest.mark.only("sqlite")
def test_damaged_lines_are_left_out(fresh_site):
    site = fresh_site
    site.serve()
    core = site.core()
    phone = site.phone(core)
    phone.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    phone.claim_task()
    site.stop()
    site.processes.clear()
    site.ask("UPDATE phone_task SET steps = steps || 'Qfuture 1' || char(10) || 'c12' || char(10)"
             " || 'cx' || char(10) || steps || 'r17'")
    site.serve()
    words = words_of(site.core(), "otp", otp["id"])
    assert words.count("claimed") == 3 and set(words) == {"created", "queued", "claimed"}
