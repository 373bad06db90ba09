"""Bodies that nobody means well: the right answer in bounded time and memory, nobody else disturbed.

Contract section 1: 26,214,400 bytes are a body, one more is 413 before the rest is read; what is no
JSON is 422; what is cut or too slow leaves nothing behind.
"""

import re
import statistics
import threading
import time

import pytest

from harness import catalog
from harness.exchange import fresh_source
from harness.faults import fault_at
from harness.http import RawConnection, check_conventions
from harness.packages import (
    BODY_MAX, CHANGES, SNAPSHOT, Desk, event_id_of, expect_acceptance, is_sanitized, package_path,
)
from harness.tools import lasted_at_most, took_at_most

PART = 1 << 20
SLOWNESS = 6 if is_sanitized() else 1
ANSWER_MAX_S = 10 * SLOWNESS
MEMORY_MAX_KB = 250 * 1024


def ask(sender, kind, body, *, key=None, is_chunked=False, part=PART, timeout=ANSWER_MAX_S):
    """Sends a body in parts and reads the answer, which may come before the end of the body."""
    key = key or event_id_of(body[:1000])
    length = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {len(body)}"
    with sender.connection(timeout=60) as connection:
        began = time.monotonic()
        connection.send(sender.head(kind, length, "Connection: close", key=key))
        for start in range(0, len(body), part):
            rows = body[start:start + part]
            if not connection.send(b"%x\r\n%s\r\n" % (len(rows), rows) if is_chunked else rows):
                break
        if is_chunked:
            connection.send(b"0\r\n\r\n")
        reply = connection.read_reply(f"POST {package_path(sender.integration_id, kind)}")
        assert reply, f"the connection ended without an answer to {body[:80]}"
        took_at_most(began, timeout)
    check_conventions(reply)
    return reply


def large_snapshot(size):
    """A snapshot of exactly that many bytes."""
    row = catalog.product("id-0000000", description="Ж" * 400)
    count = size // (len(catalog.encode(row)) + 1) - 2
    rows = [row | {"id": f"id-{index:07d}"} for index in range(count)]
    package = catalog.snapshot(rows)
    short = size - len(catalog.encode(package))
    rows[-1] |= {"description": rows[-1]["description"] + "x" * short}
    body = catalog.encode(package)
    assert len(body) == size
    return body, package["event_id"], count


# --- the size


@pytest.mark.parametrize("is_chunked", [False, True], ids=["length", "chunked"])
def test_largest_body(site, sender, is_chunked):
    body, event_id, count = large_snapshot(BODY_MAX)
    reply = ask(sender, SNAPSHOT, body, is_chunked=is_chunked, timeout=2 * ANSWER_MAX_S)
    expect_acceptance(reply, event_id, "accepted")
    record = sender.wait_for(event_id, within=60)
    assert record["result"]["products"]["archived"] + record["result"]["products"]["unchanged"] \
        + record["result"]["products"]["added"] + record["result"]["products"]["changed"] >= count
    assert Desk.at(site, sender).body(event_id).body == body
    expect_acceptance(ask(sender, SNAPSHOT, body), event_id, "duplicate")


@pytest.mark.parametrize("kind", [SNAPSHOT, CHANGES])
def test_one_byte_more(sender, kind):
    package = catalog.snapshot() if kind == SNAPSHOT else catalog.changes()
    body = catalog.padded(package, BODY_MAX + 1)
    for is_chunked in (False, True):
        reply = ask(sender, kind, body, is_chunked=is_chunked)
        reply.expect(413, "payload_too_large")
    sender.event(package["event_id"]).expect(404)


def test_chunks_without_end_are_cut_off(sender):
    """The answer comes when the limit is passed, not at an end that never comes."""
    body = catalog.padded(catalog.snapshot(), BODY_MAX)
    with sender.connection(timeout=60) as connection:
        connection.send(sender.head(SNAPSHOT, "Transfer-Encoding: chunked"))
        for start in range(0, len(body), PART):
            connection.send(b"%x\r\n%s\r\n" % (PART, body[start:start + PART]))
        connection.send(b"1\r\n \r\n")
        reply = connection.read_reply(f"POST {package_path(sender.integration_id, SNAPSHOT)}")
        check_conventions(reply)
        reply.expect(413, "payload_too_large")


def test_chunks_of_one_byte(sender):
    package = catalog.full_snapshot()
    reply = ask(sender, SNAPSHOT, catalog.encode(package), is_chunked=True, part=1)
    expect_acceptance(reply, package["event_id"], "accepted")


# --- what is inside


def members(count, name=lambda index: f"k{index}"):
    return ",".join(f'"{name(index)}":{index % 10}' for index in range(count))


def with_members(package, text):
    return catalog.encode(package)[:-1] + b"," + text.encode() + b"}"


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b"[[],", b'{"event_id":"x","a":['], ids=repr)
def test_25_mb_of_openings(sender, opening):
    body = (opening * (BODY_MAX // len(opening) + 1))[:BODY_MAX]
    reply = ask(sender, SNAPSHOT, body, key="x")
    row, = reply.expect(422)["detail"]
    assert row["type"] == "json_invalid" and row["loc"][1] <= 64 * len(opening)


def expect_keys_taken(sender, body, place):
    """Read over, or refused because they are so many: by their place, and as nothing else."""
    reply = ask(sender, SNAPSHOT, body)
    if reply.status == 202:
        sender.wait_for(event_id_of(body[:1000]))
        return
    row, = reply.expect(422)["detail"]
    assert (row["type"], row["loc"]) == ("too_many_keys", ["body", *place])


@pytest.mark.parametrize("count", [60_000, 1_000_000])
def test_many_keys_that_are_not_known(sender, count):
    package = catalog.snapshot()
    body = with_members(package, members(count))
    expect_keys_taken(sender, body, [])
    body = with_members(catalog.snapshot(), members(60_000) + ',"k7777":1')
    row, = ask(sender, SNAPSHOT, body).expect(422)["detail"]
    assert (row["type"], row["loc"]) == ("duplicate_key", ["body", "k7777"])
    package = catalog.snapshot([catalog.product(x_fields={"MARK": 1})])
    body = catalog.encode(package).replace(b'"MARK":1', members(count).encode())
    expect_keys_taken(sender, body, ["products", 0, "x_fields"])


def test_same_key_a_million_times(sender):
    body = with_members(catalog.snapshot(), members(1_000_000, lambda index: "k"))
    rows = ask(sender, SNAPSHOT, body).expect(422)["detail"]
    assert {row["type"] for row in rows} <= {"duplicate_key", "truncated"} and len(rows) <= 101


@pytest.mark.parametrize("text, kind", [
    ("1" * 1_000_000, ("decimal_max_digits", "decimal_whole_digits")),
    ("0." + "0" * 1_000_000 + "1", ("decimal_max_places",)),
    ("1e" + "9" * 1_000_000, ("decimal_max_digits", "decimal_whole_digits")),
    ("1" * 500_000 + "e-" + "9" * 500_000, ("decimal_max_places",)),
], ids=lambda value: value[:5] if isinstance(value, str) else "")
def test_number_of_a_megabyte(sender, text, kind):
    package = catalog.snapshot([catalog.product(variants=[catalog.variant(price="<n>")])])
    reply = ask(sender, SNAPSHOT, catalog.with_numbers(package, n=text))
    reply.expect(422)
    assert len(reply.body) < 2000
    assert fault_at(reply, "products", 0, "variants", 0, "price")["type"] in kind


@pytest.mark.parametrize("kind", ["decimal", "integer", "string", "enum"])
def test_number_of_a_megabyte_as_the_value_of_an_attribute(sender, kind):
    values = {"values": [{"id": "e-1", "name": "One"}]} if kind == "enum" else {}
    package = catalog.snapshot(
        [catalog.product(attributes=[{"attribute_id": "a-1", "value": "<n>"}])],
        attribute_definitions=[catalog.definition("a-1", kind, **values)])
    reply = ask(sender, SNAPSHOT, catalog.with_numbers(package, n="7" * 1_000_000))
    reply.expect(422)
    assert len(reply.body) < 2000
    row, = reply.json["detail"]
    assert row["loc"][:5] == ["body", "products", 0, "attributes", 0], row


@pytest.mark.parametrize("depth", [15, 30, 58])
def test_faults_at_places_that_are_long_to_tell(sender, depth):
    """Each place repeats the keys on the way, and each character of these is escaped."""
    keys = "".join(f'"{index:03d}{chr(0x7f) * 60}":0,' * 2 for index in range(100))
    tree = '{"k":0,' + keys + '"l":0}'
    for _ in range(depth):
        tree = f'{{"{chr(0x7f) * 60}":{tree}}}'
    reply = ask(sender, SNAPSHOT, with_members(catalog.snapshot(), f'"x":{tree}'))
    reply.expect(422)
    rows = reply.json["detail"]
    assert {row["type"] for row in rows} <= {"duplicate_key", "truncated"} and rows
    assert len(reply.body) < 4_000_000
    sender.apply(SNAPSHOT, catalog.encode(catalog.snapshot()))


def test_number_of_a_megabyte_that_nobody_reads(sender):
    package = catalog.snapshot()
    body = with_members(package, f'"x":{"7" * 1_000_000},"y":[1e{"0" * 1_000_000}]')
    expect_acceptance(ask(sender, SNAPSHOT, body), package["event_id"], "accepted")


def test_number_of_a_megabyte_that_is_small(sender):
    """Zeros in front of an exponent and behind the point are worth nothing."""
    for text in ("1e" + "0" * 1_000_000 + "2", "100." + "0" * 1_000_000):
        package = catalog.snapshot([catalog.product(variants=[catalog.variant(price="<n>")])])
        reply = ask(sender, SNAPSHOT, catalog.with_numbers(package, n=text))
        assert reply.status in (202, 422), f"{reply}"


LETTERS = ["x", "Ж", "\\u0416", "\\n"]


def described(letter, size):
    """A product with a description of that many bytes; the body and the characters in it."""
    count = size // len(letter.encode())
    package = catalog.snapshot([catalog.product("long", description="HERE")])
    return catalog.encode(package).replace(b"HERE", letter.encode() * count), count


@pytest.mark.parametrize("letter", LETTERS)
def test_text_of_4_mb(site, sender, letter):
    body, count = described(letter, 4_000_000)
    sender.apply(SNAPSHOT, body)
    found = Desk.at(site, sender).product("long").expect(200)["description"]
    assert len(found) == count and len(set(found)) == 1
    sender.apply(SNAPSHOT, catalog.snapshot())


@pytest.mark.parametrize("letter", LETTERS)
def test_text_of_20_mb(sender, letter):
    """It is JSON: taken, or told to be too long where it stands."""
    body, _ = described(letter, 20_000_000)
    reply = ask(sender, SNAPSHOT, body)
    if reply.status == 202:
        sender.wait_for(event_id_of(body[:1000]), within=120)
        sender.apply(SNAPSHOT, catalog.snapshot())
    else:
        assert fault_at(reply, "products", 0, "description")["type"] == "string_too_long"


def test_name_of_20_mb(sender):
    package = catalog.snapshot([catalog.product(name="HERE")])
    body = catalog.encode(package).replace(b"HERE", "Ж".encode() * 10_000_000)
    row = fault_at(ask(sender, SNAPSHOT, body), "products", 0, "name")
    assert (row["type"], row["input"]) == ("string_too_long", "Ж" * 200)


def test_million_faults(sender):
    for rows in (b"{}", b"5"):
        package = catalog.encode(catalog.snapshot([]))
        body = package.replace(b'"products":[]', b'"products":[' + b",".join([rows] * 1_000_000) + b"]")
        told = ask(sender, SNAPSHOT, body).expect(422)["detail"]
        assert len(told) == 101 and told[-1]["type"] == "truncated"


def test_million_rows_of_changes(sender):
    row = catalog.encode(catalog.stock_row(1, "p", "v"))
    body = catalog.encode(catalog.changes([])).replace(
        b'"stocks":[]', b'"stocks":[' + b",".join([row] * 350_000) + b"]")
    row = fault_at(ask(sender, CHANGES, body), "stocks")
    assert (row["type"], row["ctx"]["actual_length"]) == ("too_long", 350_000)


def test_ids_that_fall_together(sender):
    """Many ids that differ in little are told apart in time that does not explode."""
    rows = [{"id": "x" * 100 + str(index), "name": "n"} for index in range(60_000)]
    package = catalog.snapshot([], rows)
    expect_acceptance(ask(sender, SNAPSHOT, catalog.encode(package)), package["event_id"], "accepted")
    sender.wait_for(package["event_id"])
    package = catalog.snapshot([], [*rows, rows[31_000]])
    row = fault_at(ask(sender, SNAPSHOT, catalog.encode(package)), "categories", 60_000, "id")
    assert row["type"] == "duplicate_id"


# --- what does not come to its end


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99, 1.0])
@pytest.mark.parametrize("is_chunked", [False, True], ids=["length", "chunked"])
def test_body_that_is_cut_off_leaves_nothing(sender, share, is_chunked):
    package = catalog.snapshot(catalog.numbered_products(3000, description="Ж" * 200))
    body = catalog.encode(package)
    sent = body[:int(len(body) * share)]
    length = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {len(body) + 1}"
    with sender.connection() as connection:
        connection.send(sender.head(SNAPSHOT, length, key=package["event_id"]))
        connection.send(b"%x\r\n%s\r\n" % (len(sent), sent) if is_chunked and sent else sent)
        time.sleep(0.02)
    time.sleep(0.05)
    sender.event(package["event_id"]).expect(404)
    if share == 0.3:
        expect_acceptance(sender.snapshot(package), package["event_id"], "accepted")


@pytest.mark.only("sqlite")
def test_one_byte_a_second_is_too_slow(sender):
    """Below 10 KiB a second after a grace of 10 s (the least rate of bodies)."""
    package = catalog.snapshot()
    body = catalog.encode(package)
    with sender.connection(timeout=60) as connection:
        began = time.monotonic()
        extra = f"Content-Length: {len(body)}"
        connection.send(sender.head(SNAPSHOT, extra, key=package["event_id"]))
        reply = drip(connection, body)
    waited = time.monotonic() - began
    assert 8 <= waited <= 30, f"{waited} s"
    check_conventions(reply)
    reply.expect(408, "request_timeout")
    sender.event(package["event_id"]).expect(404)


def drip(connection, body):
    """A byte a second until there is an answer; the answer."""
    for index in range(len(body)):
        connection.send(body[index:index + 1])
        if connection.has_answer():
            break
    return connection.read_reply("POST /api/v1/integrations/erp/x/catalog-snapshot")


# --- what follows on the connection


SMUGGLED = b"\r\n\r\nGET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: smuggled\r\n\r\n"


@pytest.mark.parametrize("size", [1000, 300_000, 5_000_000])
@pytest.mark.parametrize("status, changes", [
    (422, {}), (401, {"token": "nonsense"}), (415, {"coding": "gzip"}),
], ids=str)
def test_rest_of_a_refused_body_is_no_request(sender, size, status, changes):
    """Either the connection ends, or the next request on it is the next one that was sent."""
    body = (b"[" * 100 + SMUGGLED * (size // len(SMUGGLED) + 1))[:size]
    extra = [f"Content-Length: {len(body)}"]
    extra += [f"Content-Encoding: {changes['coding']}"] if "coding" in changes else []
    token = {"token": changes["token"]} if "token" in changes else {}
    with RawConnection(sender.address, fresh_source(), timeout=20) as connection:
        connection.send(sender.head(SNAPSHOT, *extra, **token))
        for start in range(0, len(body), 100_000):
            if not connection.send(body[start:start + 100_000]):
                break
        reply = connection.read_reply(f"POST {package_path(sender.integration_id, SNAPSHOT)}")
        check_conventions(reply)
        assert reply.status == status, f"{reply}"
        connection.send(SMUGGLED.strip().replace(b"smuggled", b"mine") + b"\r\n\r\n")
        follower = connection.read_reply("GET /health/live")
        assert follower is None or follower.header("X-Request-Id") == "mine", f"{follower}"


def test_packages_in_one_go(sender):
    """Several requests are sent before the first answer is read; each has its own."""
    packages = [catalog.snapshot() for _ in range(5)]
    with sender.connection() as connection:
        for package in packages:
            body = catalog.encode(package)
            extra = f"Content-Length: {len(body)}"
            connection.send(sender.head(SNAPSHOT, extra, key=package["event_id"]) + body)
        for package in packages:
            expect_acceptance(connection.read_reply(), package["event_id"], "accepted")


# --- the others


def test_others_are_not_disturbed(site, sender):
    """The bound is for a machine that does much else; the bench has the true figure."""
    core, stop, faults = site.core(), threading.Event(), []
    sender.apply(SNAPSHOT, small := catalog.snapshot())
    asker = sender.at(site.address)
    bodies = [b"[" * BODY_MAX, with_members(catalog.snapshot(), members(1_000_000)),
              b'{"a":' + b"1" * 1_000_000 + b"}",
              b'{"a":"' + b"x" * 20_000_000 + b'"}', large_snapshot(20_000_000)[0]]

    def disturb():
        try:
            while not stop.is_set():
                for body in bodies:
                    ask(sender, SNAPSHOT, body, timeout=60)
        except BaseException as fault:
            faults.append(fault)

    thread = threading.Thread(target=disturb, daemon=True)
    thread.start()
    times = {"health": [], "event": [], "create": []}
    for index in range(200):
        for name, act in (("health", lambda: core.get("/health/live")),
                          ("event", lambda: asker.event(small["event_id"])),
                          ("create", lambda: core.create_challenge(f"+7916{index:07d}"))):
            began = time.monotonic()
            act()
            times[name].append(time.monotonic() - began)
    stop.set()
    thread.join(timeout=120)
    assert faults == [] and not thread.is_alive()
    for name, rows in times.items():
        assert rows, name
        lasted_at_most(statistics.median(rows), 0.1 * SLOWNESS)
        lasted_at_most(max(rows), 1.5 * SLOWNESS)


# --- after all this


def test_process_lives_and_works(sender):
    sender.apply(SNAPSHOT, catalog.snapshot())


@pytest.mark.skipif(is_sanitized(), reason="sanitizers keep memory of their own")
def test_memory_of_the_process(site):
    """What it ever held, with all of the above behind it."""
    with open(f"/proc/{site.processes[-1].pid}/status", encoding="ascii") as status:
        peak_kb = int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1])
    assert peak_kb <= MEMORY_MAX_KB, f"{peak_kb} KB"
