"""The log stream: order, resuming, filters, masking.

Doc A, section 4; contract section 2, rule 12.
"""

import json
import re
from urllib.parse import quote

import pytest

from harness.actors import read_code, wrong_code
from harness.exchange import MISSING_ID
from harness.http import Client, RawConnection
from harness.shapes import LOG_PAGE, check_shape
from harness.tools import eventually, fresh_key, fresh_number, masked


def text_of(entry):
    return json.dumps(entry, ensure_ascii=False)


def create_with_id(core, request_id):
    """A challenge whose log entries carry that request id."""
    body = {"caller": fresh_number()}
    headers = {"Idempotency-Key": fresh_key(), "X-Request-Id": request_id}
    return core.post("/internal/v1/challenges", body, headers=headers).expect(201)


def test_entries_arrive_as_things_happen(site, core, ready_phone):
    with site.log_reader() as reader:
        recipient = fresh_number()
        otp = core.create_otp(recipient).expect(201)
        assert reader.wait_for_text(masked(recipient))
        task = ready_phone.claim_task()
        ready_phone.result(task, "sent").expect(204)
        assert reader.wait_for(lambda entry: "sent" in text_of(entry))
        core.verify(otp["id"], read_code(task)).expect(200)
        assert reader.wait_for_text("confirmed")
        assert reader.ids == sorted(set(reader.ids))
        assert reader.headers["x-request-id"]


def test_every_entry_of_a_request_carries_its_id(site, core, phone):
    with site.log_reader() as reader:
        request_id = f"trace-{fresh_key()}"
        challenge = create_with_id(core, request_id)
        entry = reader.wait_for_text(request_id)
        assert entry is not None
        reader.wait_until_quiet()
        caller = masked(challenge["caller"])
        assert all(request_id in text_of(row) for row in reader.entries if caller in text_of(row))


def test_numbers_are_masked_and_codes_are_not_there(site, core, ready_phone):
    with site.log_reader() as reader:
        recipient, caller = fresh_number(), fresh_number()
        otp = core.create_otp(recipient).expect(201)
        core.create_challenge(caller, gateway_number=ready_phone.number).expect(201)
        task = ready_phone.claim_task()
        ready_phone.result(task, "sent").expect(204)
        core.verify(otp["id"], read_code(task)).expect(200)
        ready_phone.event(caller).expect(200)
        assert reader.wait_for_text(masked(recipient))
        assert reader.wait_for_text(masked(caller))
        reader.wait_until_quiet()
        assert recipient[1:] not in reader.text
        assert caller[1:] not in reader.text
        assert ready_phone.number[1:] not in reader.text
        assert ready_phone.device_key not in reader.text
        assert site.internal_key not in reader.text


def test_reader_resumes_after_the_entry_it_names(site, core, phone):
    with site.log_reader(last_event_id=0) as reader:
        for index in range(5):
            create_with_id(core, f"resume-{index}-{fresh_key()}")
        reader.wait_until_quiet()
        whole = reader.entries
    assert len(whole) >= 5
    for position in (0, len(whole) // 2, len(whole) - 2):
        with site.log_reader(last_event_id=whole[position]["id"]) as later:
            later.wait_for_count(len(whole) - position - 1)
            assert later.entries[:len(whole) - position - 1] == whole[position + 1:]


def test_reader_that_names_the_last_entry_gets_only_new_ones(site, core, phone):
    with site.log_reader(last_event_id=0) as reader:
        create_with_id(core, fresh_key())
        reader.wait_until_quiet()
        last = reader.ids[-1]
    with site.log_reader(last_event_id=last) as later:
        request_id = fresh_key()
        create_with_id(core, request_id)
        assert later.wait_for_text(request_id)
        assert later.ids[0] > last


def test_all_readers_see_the_same(site, core, phone):
    readers = [site.log_reader(last_event_id=0) for _ in range(8)]
    request_id = fresh_key()
    create_with_id(core, request_id)
    for reader in readers:
        assert reader.wait_for_text(request_id)
    readers[0].wait_until_quiet()
    for reader in readers:
        reader.wait_for_count(len(readers[0].entries))
        reader.close()
    assert all(reader.entries == readers[0].entries for reader in readers)


@pytest.mark.parametrize("value", ["abc", "1.5", "-1", "1 2", "9223372036854775808", "0x1"])
def test_last_event_id_that_is_none_is_422(site, core, value):
    reply = core.get("/internal/v1/logs/stream", headers={"Last-Event-ID": value})
    reply.expect(422, "validation_error")


def test_last_event_id_without_a_value_is_absent(site, core, phone):
    """Contract section 1: a browser's EventSource sends one after an event with an empty id."""
    create_with_id(core, fresh_key())
    with site.log_reader(last_event_id="") as reader:
        request_id = fresh_key()
        create_with_id(core, request_id)
        assert reader.wait_for_text(request_id)


@pytest.mark.parametrize("query", ["?q=%C3", "?q=a%FFb", "?level=%C3%28"])
def test_byte_that_is_no_utf8_is_named(core, query):
    byte = query.replace("a", "").split("=")[1][:3]
    for path in ("/internal/v1/logs/stream", "/internal/v1/logs"):
        reply = core.get(path + query)
        reply.expect(422, "validation_error")
        assert byte in reply.error["fields"][0]["message"], reply


@pytest.mark.parametrize("query", ["?level=loud", "?level=", "?level=INFO"])
def test_unknown_level_is_422(core, query):
    core.get(f"/internal/v1/logs/stream{query}").expect(422, "validation_error")


def test_stream_wants_the_internal_key(site, phone):
    stranger = Client(site.address, {"X-Device-Key": phone.device_key}, "127.0.7.1")
    stranger.get("/internal/v1/logs/stream").expect(401, "unauthorized")


def test_least_level(site, core, phone):
    """Whatever levels there are, a filter leaves out the lower ones and no others."""
    ranks = ["debug", "info", "warning", "error"]
    create_with_id(core, fresh_key())
    with site.log_reader(last_event_id=0, query="?level=debug") as reader:
        reader.wait_until_quiet()
        whole = reader.entries
    assert whole
    for rank, level in enumerate(ranks):
        wanted = [row for row in whole if ranks.index(row["level"]) >= rank]
        with site.log_reader(last_event_id=0, query=f"?level={level}") as reader:
            reader.wait_for_count(len(wanted))
            assert reader.entries[:len(wanted)] == wanted
            assert all(ranks.index(row["level"]) >= rank for row in reader.entries)


def test_search(site, core, phone):
    request_id = fresh_key()
    create_with_id(core, fresh_key())
    create_with_id(core, request_id)
    create_with_id(core, fresh_key())
    with site.log_reader(last_event_id=0, query=f"?q={request_id}") as reader:
        assert reader.wait_for_text(request_id)
        reader.wait_until_quiet()
        assert all(request_id in text_of(entry) for entry in reader.entries)
    with site.log_reader(last_event_id=0, query=f"?level=debug&q={request_id}") as reader:
        assert reader.wait_for_text(request_id)
    with site.log_reader(last_event_id=0, query=f"?q={fresh_key()}") as reader:
        reader.wait_until_quiet()
        assert reader.entries == []


def test_search_with_special_characters(site, core, phone):
    """The text is searched as it is: no pattern, no SQL."""
    create_with_id(core, fresh_key())
    for query in ("%25", "_____________", "%27%20OR%201%3D1--", "%5C", "%00"):
        with_text = f"/internal/v1/logs/stream?q={query}"
        if query == "%00":
            core.get(with_text).expect(422, "validation_error")
            continue
        with site.log_reader(last_event_id=0, query=f"?q={query}") as reader:
            reader.wait_until_quiet(pause=0.3)
            assert reader.entries == []


@pytest.mark.parametrize("query", [
    "data", "data:", "data:%20%7B", "id:", "id:%20",
    "%0A",
])
def test_search_does_not_find_the_words_of_the_frame(site, core, phone, query):
    """Each event is an `id: ` and a `data: ` line; what is searched is the entry."""
    create_with_id(core, fresh_key())
    with site.log_reader(last_event_id=0) as whole:
        whole.wait_until_quiet(pause=0.3)
        assert whole.entries
        assert not any("data" in text_of(entry) for entry in whole.entries)
    with site.log_reader(last_event_id=0, query=f"?q={query}") as reader:
        reader.wait_until_quiet(pause=0.3)
        assert reader.entries == []


def found_by(site, core, q):
    """The messages of the stream and of the pages, which find the same."""
    rows = pages_of(core, f"&q={quote(q)}")
    with site.log_reader(last_event_id=0, query=f"?q={quote(q)}") as reader:
        reader.wait_for_count(len(rows))
        reader.wait_until_quiet(pause=0.3)
        assert reader.entries[:len(rows)] == rows[::-1]
    return rows


def test_search_folds_as_that_of_products_does(site, core):
    name = f"Касса {fresh_key()[:6]} \"ЁЛКА\""
    core.register(name, [fresh_number()]).expect(201)
    assert eventually(lambda: pages_of(core, f"&q={quote(name)}"))
    for q in (name.lower(), name.upper(), name[:14].lower(), '"ёлка"'):
        assert name in {row["fields"].get("name") for row in found_by(site, core, q)}, q


@pytest.mark.parametrize("q", ["request_id", '":', "{", '\\"', "\x1f"])
def test_search_looks_at_sentence_and_values(site, core, q):
    """And not at the JSON that holds them."""
    core.register(f'A "name" {fresh_key()[:6]}', [fresh_number()]).expect(201)
    assert eventually(lambda: pages_of(core, f"&q={quote(fresh_key()[:1])}"))
    assert found_by(site, core, q) == []


@pytest.mark.parametrize("query", ["", "?level=info&q=otp"])
def test_head_of_the_stream_ends_and_the_connection_goes_on(site, query):
    head = "\r\n".join([
        f"HEAD /internal/v1/logs/stream{query} HTTP/1.1", "Host: herald", "Last-Event-ID: 0",
        f"X-Internal-API-Key: {site.internal_key}", "", "",
    ]).encode()
    live = b"GET /health/live HTTP/1.1\r\nHost: herald\r\n\r\n"
    with RawConnection(site.address, timeout=5) as connection:
        for _ in range(3):
            connection.send(head)
            reply = connection.read_reply("HEAD /internal/v1/logs/stream", is_head=True)
            reply.expect(200)
            assert reply.header("Content-Type").startswith("text/event-stream")
            connection.send(live)
            connection.read_reply("GET /health/live").expect(200)
        connection.send(head + live + head + live)
        for _ in range(2):
            connection.read_reply("HEAD /internal/v1/logs/stream", is_head=True).expect(200)
            connection.read_reply("GET /health/live").expect(200)


def test_text_from_outside_breaks_no_frame(site, core, ready_phone):
    """The error text of a phone holds what could end a line, an event or a JSON string."""
    hostile = 'a\r\nid: 7\ndata: {}\n\n\u2028\u2029\x1b[31m"\\ \u0085 b'
    kept = re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", hostile)
    with site.log_reader() as reader:
        otp = core.create_otp(fresh_number()).expect(201)
        task = ready_phone.claim_task()
        ready_phone.result(task, "failed", error=hostile, permanent=True).expect(204)
        assert core.otp(otp["id"]).expect(200)["sends"][0]["error"] == kept
        request_id = fresh_key()
        create_with_id(core, request_id)
        assert reader.wait_for_text(request_id)
        assert reader.ids == sorted(set(reader.ids))


def test_hostile_name_breaks_no_frame_and_no_line(site, core):
    name = "x\r\n\r\ndata: {}\nevent: close \u2028"
    with site.log_reader() as reader:
        core.register(name, [fresh_number()]).expect(201)
        request_id = fresh_key()
        core.enable(core.register("y", [fresh_number()]).expect(201)["device_id"], False)
        core.get("/health/live", headers={"X-Request-Id": request_id})
        reader.wait_until_quiet()
    assert b"\ndata: {}" not in site.processes[-1].output


def test_log_lives_through_a_restart(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    request_id = fresh_key()
    create_with_id(core, request_id)
    with fresh_site.log_reader(last_event_id=0) as reader:
        assert reader.wait_for_text(request_id)
        before = reader.ids
    fresh_site.stop()
    fresh_site.serve()
    second_id = fresh_key()
    create_with_id(fresh_site.core(), second_id)
    with fresh_site.log_reader(last_event_id=0) as reader:
        assert reader.wait_for_text(second_id)
        assert reader.wait_for_text(request_id)
        assert reader.ids[:len(before)] == before
        assert reader.ids == sorted(set(reader.ids))


def test_id_beyond_the_last_entry_is_taken(site):
    with site.log_reader(last_event_id=2**63 - 1) as reader:
        assert reader.status == 200


# --- The log in pages


def pages_of(core, query="", limit=50):
    """All entries that a search finds, page by page."""
    found, cursor, pages = [], None, 0
    while pages == 0 or cursor:
        more = f"&cursor={cursor}" if cursor else ""
        reply = core.get(f"/internal/v1/logs?limit={limit}{query}{more}").expect(200)
        page = check_shape(reply, LOG_PAGE)
        assert len(page["entries"]) <= limit
        found += page["entries"]
        cursor, pages = page["next_cursor"], pages + 1
    return found


def whole_log(site):
    with site.log_reader(last_event_id=0) as reader:
        reader.wait_until_quiet(pause=0.3)
        return reader.entries


def test_pages_show_what_the_stream_showed_newest_first(site, core, phone):
    for _ in range(7):
        create_with_id(core, fresh_key())
    whole = whole_log(site)
    last = whole[-1]["id"]
    for limit in (3, 200):
        found = [row for row in pages_of(core, limit=limit) if row["id"] <= last]
        assert found == whole[::-1]


def test_request_is_looked_up_by_its_id(site, core, phone):
    request_id, other_id = f"look-{fresh_key()}", fresh_number()
    create_with_id(core, request_id)
    create_with_id(core, other_id)
    create_with_id(core, request_id + "x")
    found = eventually(lambda: pages_of(core, f"&request_id={request_id}"))
    assert {row["fields"]["request_id"] for row in found} == {request_id}
    masked_id = eventually(lambda: pages_of(core, f"&request_id={quote(other_id)}"))
    assert masked_id and other_id not in text_of(masked_id), "an id that is a number is found, masked"
    assert pages_of(core, f"&request_id={fresh_key()}") == []


def test_ids_of_requests_differ_by_the_case_of_their_letters(core):
    one = f"aBc-{fresh_key()[:6]}-100%_d!"
    other = one.replace("aBc", "abC")
    for request_id in (one, other):
        core.request("GET", f"/internal/v1/otp/{MISSING_ID}",
                     headers={"X-Request-Id": request_id}).expect(404)

    def found(request_id):
        entries = core.get(f"/internal/v1/logs?request_id={quote(request_id)}").expect(200)["entries"]
        return [entry["fields"]["request_id"] for entry in entries]

    assert eventually(lambda: found(other))
    assert (found(one), found(other)) == ([one], [other])
    assert found(one.lower()) == found(one.replace("%", "x")) == found(one.replace("_", "x")) == []


def test_code_is_followed_by_its_id(site, core, ready_phone):
    """Everything about one code: created, sent, confirmed, and what was refused."""
    recipient = fresh_number()
    otp = core.create_otp(recipient).expect(201)
    core.create_otp(recipient).expect(409, "active_challenge_exists")
    task = ready_phone.claim_task()
    ready_phone.result(task, "sent").expect(204)
    code = read_code(task)
    core.verify(otp["id"], wrong_code(code)).expect(422, "code_mismatch")
    core.verify(otp["id"], code).expect(200)

    def found():
        rows = pages_of(core, f"&otp_id={otp['id']}")
        words = [row["message"] for row in rows]
        return rows if "otp confirmed" in words and "request refused" in words else None

    rows = eventually(found)
    assert rows, text_of(pages_of(core))
    assert all(otp["id"] in text_of(row["fields"]) for row in rows)
    assert any("created" in row["message"] for row in rows)


def test_customer_is_found_by_the_whole_number(site, core, ready_phone):
    recipient = fresh_number()
    core.create_otp(recipient).expect(201)
    rows = eventually(lambda: pages_of(core, f"&q={quote(recipient)}"))
    assert rows and all(recipient not in text_of(row) for row in rows)
    assert all(masked(recipient) in text_of(row) for row in rows)
    assert pages_of(core, f"&q={quote(fresh_number())}") == []


def test_level_and_time_bound_the_pages(site, core, phone):
    create_with_id(core, fresh_key())
    core.get(f"/internal/v1/otp/{fresh_key()}").expect(404)
    whole = whole_log(site)
    ranks = ["debug", "info", "warning", "error"]
    for level in ranks:
        rows = pages_of(core, f"&level={level}")
        assert all(ranks.index(row["level"]) >= ranks.index(level) for row in rows)
    middle = whole[len(whole) // 2]["fields"]["at"]
    late = [row for row in pages_of(core, f"&since={middle}") if row["id"] <= whole[-1]["id"]]
    early = pages_of(core, f"&until={middle}")
    assert late and late + early == whole[::-1]
    assert pages_of(core, "&until=1969-12-31T23:59:59Z") == []


@pytest.mark.parametrize("query", [
    "?level=loud", "?limit=0", "?limit=201", "?cursor=x", "?cursor=-1", "?since=now", "?otp_id=1",
    "?q=", "?request_id=", "?phone=1",
])
def test_search_that_is_none_is_422(core, query):
    core.get(f"/internal/v1/logs{query}").expect(422, "validation_error")


def test_stream_begins_after_an_entry_by_its_address(site, core, phone):
    """A browser's EventSource cannot send Last-Event-ID at first."""
    for _ in range(3):
        create_with_id(core, fresh_key())
    whole = whole_log(site)
    with site.log_reader(query="?after=0") as reader:
        reader.wait_for_count(len(whole))
        assert reader.entries[:len(whole)] == whole
    middle = whole[len(whole) // 2]["id"]
    rest = [row for row in whole if row["id"] > middle]
    with site.log_reader(query=f"?after={middle}&level=debug") as reader:
        reader.wait_for_count(len(rest))
        assert reader.entries[:len(rest)] == rest
    with site.log_reader(query="?after=0", last_event_id=middle) as reader:
        reader.wait_for_count(len(rest))
        assert reader.entries[:len(rest)] == rest, "one that comes again goes on where it was"


@pytest.mark.parametrize("value", ["-1", "x", "", "1.5", "9223372036854775808"])
def test_after_that_is_no_entry_is_422(core, value):
    core.get(f"/internal/v1/logs/stream?after={value}").expect(422, "validation_error")
