"""Entries older than 24 hours go; resuming before them begins at the oldest one.

Contract, section 2, rule 12.
"""

import socket
import time

from harness.tools import eventually, fresh_key, fresh_number

CLOCK = True
DAY_S = 24 * 3600


def create_with_id(core, request_id):
    headers = {"Idempotency-Key": fresh_key(), "X-Request-Id": request_id}
    core.post("/internal/v1/challenges", {"caller": fresh_number()}, headers=headers).expect(201)


def read_log(site, last_event_id):
    with site.log_reader(last_event_id=last_event_id) as reader:
        reader.wait_until_quiet(pause=0.3)
        return reader.entries, reader.text


def pass_time(site, seconds):
    """It passes in truth: by a clock that was only set forward nothing is deleted."""
    site.clock.advance(seconds, is_monotonic_too=True)
    site.processes[-1].wait_until_ready()


def test_entries_are_kept_for_24_hours(site, core, phone):
    old, middle, new = (fresh_key() for _ in range(3))
    create_with_id(core, old)
    first_entries, _ = read_log(site, 0)
    pass_time(site, DAY_S // 2)
    create_with_id(core, middle)
    pass_time(site, DAY_S // 2 - 60)
    _, text = read_log(site, 0)
    assert old in text and middle in text

    pass_time(site, 120)
    create_with_id(core, new)
    assert eventually(lambda: old not in read_log(site, 0)[1], seconds=15)
    entries, text = read_log(site, 0)
    assert middle in text and new in text

    resumed, _ = read_log(site, first_entries[0]["id"])
    assert resumed[:len(entries)] == entries


OLD_COUNT = 30_000
INSERT_OLD = """
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {count})
    INSERT INTO log_entry (id, at, level, message, fields)
    SELECT last_id + n, {at}, 1, 'long ago', '{{}}' FROM number, log_head
"""


def insert_old_entries(site):
    """As after a day with a hundred times the load of today."""
    at = int((time.time() - DAY_S - 3600) * 1000)
    site.ask(INSERT_OLD.format(count=OLD_COUNT, at=at))
    site.ask(f"UPDATE log_head SET last_id = last_id + {OLD_COUNT}")


def oldest_entry(site):
    with site.log_reader(last_event_id=0) as reader:
        reader.wait_for_count(1)
        return reader.entries[0]


def test_many_old_entries_go_soon_while_new_ones_come(fresh_site):
    fresh_site.serve()
    fresh_site.stop()
    insert_old_entries(fresh_site)
    fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    request_ids = []

    with fresh_site.log_reader() as reader:
        def are_old_gone():
            request_ids.append(fresh_key())
            create_with_id(core, request_ids[-1])
            assert reader.wait_for_text(request_ids[-1], seconds=3), "the stream stands still"
            return oldest_entry(fresh_site)["message"] != "long ago"

        assert eventually(are_old_gone, seconds=15), "old entries are still there"
    _, text = read_log(fresh_site, 0)
    assert all(request_id in text for request_id in request_ids)
    fresh_site.stop()
    assert fresh_site.ask("SELECT count(*) FROM log_entry WHERE message = 'long ago'") == "0"


SIGN_OF_LIFE_S = 15
ROUNDS_S = 2  # in which signs of life are due several times


def send_all_that_is_taken(connection, request):
    """Over and over, until what nobody reads is in the way."""
    connection.setblocking(False)
    rest, quiet = request, 0
    while quiet < 20:
        try:
            sent = connection.send(rest)
            rest, quiet = rest[sent:] or request, 0
        except BlockingIOError:
            quiet += 1
            time.sleep(0.05)


def test_head_whose_answer_nobody_reads_gets_no_sign_of_life(site, core, clock):
    """It has ended, though its end waits for a connection that takes nothing."""
    request = (f"HEAD /internal/v1/logs/stream HTTP/1.1\r\nHost: herald\r\n"
               f"X-Internal-API-Key: {site.internal_key}\r\n\r\n").encode()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(site.address)
        send_all_that_is_taken(connection, request)
        clock.advance(SIGN_OF_LIFE_S + 1, is_monotonic_too=True)
        time.sleep(ROUNDS_S)
        assert site.processes[-1].is_running, site.processes[-1].describe_end()
        core.get("/health/live").expect(200)
