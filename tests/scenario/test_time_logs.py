"""Entries older than 24 hours go; resuming before them begins at the oldest one (rule 12)."""

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


def test_entries_are_kept_for_24_hours(site, core, clock, phone):
    old, middle, new = (fresh_key() for _ in range(3))
    create_with_id(core, old)
    first_entries, _ = read_log(site, 0)
    clock.advance(DAY_S // 2)
    create_with_id(core, middle)
    clock.advance(DAY_S // 2 - 60)
    _, text = read_log(site, 0)
    assert old in text and middle in text

    clock.advance(120)
    create_with_id(core, new)
    assert eventually(lambda: old not in read_log(site, 0)[1], seconds=15)
    entries, text = read_log(site, 0)
    assert middle in text and new in text

    resumed, _ = read_log(site, first_entries[0]["id"])
    assert resumed[:len(entries)] == entries
