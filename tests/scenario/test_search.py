"""Lists and search of codes, challenges and messages (contract, section 11.5)."""

import itertools
import sqlite3
import threading
from contextlib import closing
from datetime import timedelta

import pytest

from harness.shapes import CHALLENGE, MESSAGE, OTP, check_shape, format_time, parse_time
from harness.tools import eventually, fresh_number

CLOCK = True
SETTINGS = {"HERALD_ENVIRONMENT": "test", "HERALD_TEST_NUMBERS": "+79000000000-+79000999999"}
LOOKED_MAX = 20_000
SPELLINGS = ("{e164}", "{digits}", "8{rest}", "8 ({a}) {b}-{c}-{d}", "+7 {a} {b} {c} {d}",
             "+7-{a}-{b}-{c}{d}", "7.{a}.{b}.{c}.{d}", " {digits}", "+7\u00a0{a}\u2011{b}{c}{d}",
             "007{rest}", "\u202a+7\u202f{a}\u2014{b}\u2212{c}\u200b{d}\u202c", "8\t{a}\t{b}{c}{d}\t")
_hundreds = itertools.count()


def number_with(ending):
    """A test number that no other scenario uses."""
    return f"+79000{next(_hundreds):04d}{ending:02d}"


def ids_of(rows):
    return [row["id"] for row in rows]


def newest_first(records):
    return ids_of(sorted(records, key=lambda record: record["id"], reverse=True))


class Kind:
    """One of the three lists, and how a record comes into it."""

    def __init__(self, name, member, ask, create, shape):
        self.name, self.member, self.ask, self.create, self.shape = name, member, ask, create, shape

    def page(self, core, **filters):
        reply = self.ask(core, **filters).expect(200)
        assert reply.keys() == {self.member, "next_cursor"}
        return reply[self.member], reply["next_cursor"]

    def all(self, core, **filters):
        """Reads page by page; no record comes twice."""
        rows, cursor = [], None
        while True:
            more, cursor = self.page(core, **filters, **({"cursor": cursor} if cursor else {}))
            rows += more
            if cursor is None:
                assert len(set(ids_of(rows))) == len(rows)
                return rows

    def read(self, core, record):
        return core.get(f"/internal/v1/{self.name}/{record['id']}").expect(200)


def create_message(core, number):
    return core.create_message(channel="personal_messenger", text="Text.", account_id="shop-1",
                               recipient=number).expect(202)


CODES = Kind("otp", "codes", lambda core, **filters: core.otps(**filters),
             lambda core, number: core.create_otp(number).expect(201), OTP)
CALLS = Kind("challenges", "challenges", lambda core, **filters: core.challenges(**filters),
             lambda core, number: core.create_challenge(number).expect(201), CHALLENGE)
MESSAGES = Kind("messages", "messages", lambda core, **filters: core.messages(**filters),
                create_message, MESSAGE)
each_kind = pytest.mark.parametrize("kind", (CODES, CALLS, MESSAGES), ids=lambda kind: kind.name)


def fault_of(reply):
    """The one parameter that is at fault."""
    reply.expect(422, "validation_error")
    (fault,) = reply.error["fields"]
    return fault


def free(core, kind, record):
    """The number may have the next one."""
    if kind is not MESSAGES:
        core.post(f"/internal/v1/{kind.name}/{record['id']}/cancel").expect(204)


# --- whose


@each_kind
def test_records_of_a_number_are_found_newest_first(core, clock, kind):
    number, other, made = number_with(1), number_with(1), []
    for _ in range(5):
        made.append(kind.create(core, number))
        free(core, kind, made[-1])
        free(core, kind, kind.create(core, other))
        clock.advance(301)

    def is_as_read():  # a message to a test number fails some seconds later
        return kind.all(core, recipient=number) == [
            kind.read(core, record) for record in reversed(made)]

    assert eventually(is_as_read)
    rows = kind.all(core, recipient=number)
    for row in rows:
        check_shape({name: row[name] for name in row if name != "test"}, kind.shape)
    assert ids_of(kind.all(core, recipient=number, limit=2)) == ids_of(rows)
    assert kind.page(core, recipient=fresh_number()) == ([], None)


@each_kind
def test_number_may_be_spelled_as_people_do(core, kind):
    number = number_with(1)
    record = kind.create(core, number)
    rest = number[2:]
    parts = {"e164": number, "digits": number[1:], "rest": rest, "a": rest[:3], "b": rest[3:6],
             "c": rest[6:8], "d": rest[8:]}
    for spelling in SPELLINGS:
        rows, _ = kind.page(core, recipient=spelling.format(**parts))
        assert ids_of(rows) == [record["id"]], spelling


@each_kind
def test_number_that_nobody_can_read_is_422(core, kind):
    for text in ("", "shop", "12", "+7916", "+7 916 1234 56x", "8916123456789012345", "+", "()",
                 "+79161234567,+79161234568", "++79161234567", "9" * 100):
        assert fault_of(kind.ask(core, recipient=text))["path"] == "recipient", text
    assert "8 (916) 123-45-67" in fault_of(kind.ask(core, recipient="shop"))["message"]


@each_kind
def test_wrong_parameters_are_422(core, kind):
    wrong = {"limit": "0", "state": "lost", "since": "yesterday", "until": "2026-11-21", "q": "x",
             "cursor": "there", "gateway": "+79160000001"}
    wrong["gateway_number"] = "shop"
    for name, value in wrong.items():
        assert fault_of(kind.ask(core, **{name: value}))["path"] == name
    kind.ask(core, limit=201).expect(422)
    kind.ask(core, limit=200).expect(200)
    assert fault_of(kind.ask(core, channel="fax"))["path"] == "channel"


def test_challenges_have_no_channel(core):
    core.challenges(channel="sms").expect(422)


# --- which


def test_filters_of_codes_hold_alone_and_together(core, clock, phone):
    since = format_time(clock.now())
    clock.advance(1)
    phone.be_ready()
    recipient = fresh_number()
    sent = core.create_otp(recipient, gateway_number=phone.number).expect(201)
    phone.result(phone.claim_task(), "sent").expect(204)
    queued = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    test = core.create_otp(number_with(1), gateway_number="+79160000099").expect(201)
    by_call = core.create_otp(number_with(2), channel="flash_call").expect(201)
    made = [sent, queued, test, by_call]

    def found(**filters):
        return ids_of(CODES.all(core, since=since, **filters))

    assert found() == newest_first(made)
    assert found(gateway_number=phone.number) == newest_first([sent, queued])
    assert found(gateway_number="8" + phone.number[2:]) == newest_first([sent, queued])
    assert found(gateway_number="+79160000099") == [test["id"]]
    assert found(channel="flash_call") == [by_call["id"]]
    assert found(state="sent") == [sent["id"]]
    assert found(state="sent", gateway_number=phone.number, channel="sms", recipient=recipient) == [
        sent["id"]]
    assert found(state="queued", gateway_number=phone.number, recipient=recipient) == []
    assert found(state="sent", channel="flash_call") == []


def test_filters_of_challenges(core, clock, new_phone):
    since = format_time(clock.now())
    clock.advance(1)
    one, two = new_phone(), new_phone()
    caller = fresh_number()
    confirmed = core.create_challenge(caller, gateway_number=one.number).expect(201)
    one.event(caller, occurred_at=format_time(clock.now())).expect(200)
    canceled = core.create_challenge(caller, gateway_number=two.number).expect(201)
    core.cancel_challenge(canceled["id"]).expect(204)
    pending = core.create_challenge(caller, gateway_number=two.number).expect(201)

    def found(**filters):
        return ids_of(CALLS.all(core, since=since, **filters))

    assert found() == found(recipient=caller) == newest_first([confirmed, canceled, pending])
    assert found(gateway_number=two.number) == newest_first([canceled, pending])
    for record, state in ((confirmed, "confirmed"), (canceled, "canceled"), (pending, "pending")):
        assert found(state=state) == [record["id"]]
        assert found(state=state, recipient=caller) == [record["id"]]
    assert found(state="confirmed", gateway_number=two.number, recipient=caller) == []


def test_filters_of_messages(core, clock):
    since = format_time(clock.now())
    clock.advance(1)
    number = number_with(2)
    unknown = create_message(core, number)
    failed = core.create_message(channel="personal_messenger", text="Text.", account_id="shop-2",
                                 recipient=number_with(1)).expect(202)

    def found(**filters):
        return ids_of(MESSAGES.all(core, since=since, **filters))

    assert found() == newest_first([unknown, failed])
    assert found(account_id="shop-2") == [failed["id"]]
    assert found(channel="messenger_bot") == found(chat_id="4242") == []
    assert found(gateway_number="+79160000001") == []
    assert found(channel="personal_messenger", recipient=number) == [unknown["id"]]
    for message, state in ((unknown, "unknown"), (failed, "failed")):
        assert eventually(lambda: core.message(message["id"]).expect(200)["state"] == state)
    assert found(state="unknown") == found(state="unknown", recipient=number) == [unknown["id"]]
    assert found(state="accepted") == found(state="accepted", recipient=number) == []


def test_state_is_the_one_that_a_reader_sees(core, clock, ready_phone):
    """A code and a challenge are over by the clock, whether or not anybody has swept them."""
    since, recipient, caller = format_time(clock.now()), fresh_number(), fresh_number()
    clock.advance(1)
    otp = core.create_otp(recipient, gateway_number=ready_phone.number, ttl_seconds=60).expect(201)
    challenge = core.create_challenge(caller, ttl_seconds=60).expect(201)
    for kind, record, number in ((CODES, otp, recipient), (CALLS, challenge, caller)):
        assert kind.all(core, since=since, recipient=number, state="expired") == []
    clock.advance(62)
    for kind, record, number in ((CODES, otp, recipient), (CALLS, challenge, caller)):
        for filters in ({"recipient": number}, {"since": since}):
            (found,) = kind.all(core, state="expired", **filters)
            assert (found["id"], found["state"]) == (record["id"], "expired")
            assert found == kind.read(core, record)
            assert kind.all(core, state=record["state"], **filters) == []


def test_code_that_was_revived_is_queued_again(core, clock):
    since, recipient = format_time(clock.now()), number_with(1)
    clock.advance(1)
    otp = core.create_otp(recipient, channel="flash_call").expect(201)
    assert eventually(lambda: core.otp(otp["id"]).expect(200)["state"] == "undelivered")
    assert ids_of(CODES.all(core, since=since, state="undelivered")) == [otp["id"]]
    core.fall_back(otp["id"], gateway_number="+79160000077").expect(204)
    assert CODES.all(core, since=since, state="undelivered") == []
    (found,) = CODES.all(core, since=since, gateway_number="+79160000077")
    assert [send["channel"] for send in found["sends"]] == ["flash_call", "sms"]
    assert CODES.all(core, since=since, channel="sms") == []


# --- pages


@each_kind
def test_since_is_from_which_on_and_until_before_which(core, clock, kind):
    number = number_with(1)
    records = []
    for _ in range(3):
        records.append(kind.create(core, number))
        free(core, kind, records[-1])
        clock.advance(301)
    first, second, third = (record["created_at"] for record in records)
    later = format_time(parse_time(second) + timedelta(milliseconds=1))
    for filters in ({"recipient": number}, {}):
        def found(**times):
            return [row["created_at"] for row in kind.all(core, **filters, **times)
                    if kind is not CALLS or row["caller"] == number]
        assert found(since=first, until=third) == [second, first]
        assert found(since=second) == [third, second]
        assert found(since=later) == [third]
        assert found(since=first, until=second) == [first]
        assert found(since=first, until=later) == [second, first]
        assert found(since=third, until=first) == []
    assert kind.page(core, recipient=number, until="1970-01-01T00:00:00Z")[0]
    assert kind.page(core, until="1969-01-01T00:00:00Z") == ([], None)
    assert kind.page(core, since="9999-12-31T23:59:59Z") == ([], None)


def lay_down(site, count):
    """So many codes of one millisecond, long over, of 10 numbers; the first has an SMS."""
    columns = ("id, channel, recipient, state, code_length, attempts_left, created_at, expires_at")
    values = ("'sms', '+7900999000' || (i % 10), 'confirmed', 6, 5, 1700000000123, 1700000300123")
    if site.database:
        site.ask(f"INSERT INTO otp ({columns}) SELECT decode('018bcfe5687b7' || lpad(to_hex(i), 19,"
                 f" '0'), 'hex'), {values} FROM generate_series(1, {count}) AS i; ANALYZE otp")
        return
    with closing(sqlite3.connect(site.state / "herald.db", isolation_level=None)) as file:
        file.create_function("an_id", 1, lambda i: bytes.fromhex(f"018bcfe5687b7{i:019x}"))
        file.execute(f"INSERT INTO otp ({columns}) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL"
                     f" SELECT i + 1 FROM n WHERE i < {count}) SELECT an_id(i), {values} FROM n")


def test_page_looks_at_so_many_records_only(fresh_site):
    """Filters that no index serves are judged on the way; a page of them may be empty."""
    fresh_site.serve(SETTINGS)
    fresh_site.stop()
    fresh_site.processes.clear()
    lay_down(fresh_site, LOOKED_MAX + 2)
    fresh_site.serve(SETTINGS)
    core = fresh_site.core()

    rows, cursor = CODES.page(core, state="canceled")
    assert rows == [] and cursor
    assert CODES.page(core, state="canceled", cursor=cursor) == ([], None)
    rows, cursor = CODES.page(core, state="confirmed", until="2023-11-14T22:13:20.124Z", limit=200)
    assert len(rows) == 200 and cursor
    rows, cursor = CODES.page(core, state="confirmed", gateway_number="+79160000001")
    assert rows == [] and cursor
    rows, cursor = CODES.page(core, state="confirmed", gateway_number="+79160000001", cursor=cursor)
    assert (rows, cursor) == ([], None)
    # Without a filter that is judged on the way there is nothing to bound.
    rows, cursor = CODES.page(core, limit=1)
    assert len(rows) == 1 and cursor
    assert CODES.page(core, until="2023-11-14T22:13:20.123Z") == ([], None)
    # All of one number, though all are of one millisecond.
    rows = CODES.all(core, recipient="+79009990003", limit=200)
    assert len(rows) == (LOOKED_MAX + 2) // 10
    assert ids_of(rows) == sorted(ids_of(rows), reverse=True)
    assert CODES.page(core, recipient="+79009990003", state="expired") == ([], None)


@each_kind
def test_no_record_is_left_out_while_others_are_created(core, clock, kind):
    """Who turns pages meanwhile sees each record that was there at the first page once."""
    since, number, before = format_time(clock.now()), number_with(1), []
    clock.advance(1)
    for _ in range(12):
        before.append(kind.create(core, number_with(1)))
    is_over, made = threading.Event(), []

    def go_on_creating():
        other = core.__class__(core.address, core.headers["X-Internal-API-Key"])
        while not is_over.is_set():
            made.append(kind.create(other, number_with(1)))

    creator = threading.Thread(target=go_on_creating)
    creator.start()
    try:
        for _ in range(5):
            rows = ids_of(kind.all(core, since=since, limit=1))
            assert rows[-12:] == newest_first(before)
            assert rows == sorted(rows, reverse=True)
    finally:
        is_over.set()
        creator.join()
    assert ids_of(kind.all(core, since=since, limit=200)) == newest_first(before + made)


@each_kind
def test_page_has_more_than_one_statement_finds_sends_for(core, clock, kind):
    since = format_time(clock.now())
    clock.advance(1)
    made = [kind.create(core, number_with(0)) for _ in range(101)]
    rows, cursor = kind.page(core, since=since, limit=101)
    assert (ids_of(rows), cursor) == (newest_first(made), None)
    if kind is CODES:
        assert all(len(row["sends"]) == 1 for row in rows)
