"""The log: what is older than its first entries, spans of time by the pointer and by keys, and a crowd of entries."""

import threading

from conftest import look, look_and_do
from harness.console import add_operator
from harness.tools import fresh_key

FIRST = 200
SHOWN_MAX = 500


def write_entries(core, count):
    """An entry each when a key is made and when it is revoked."""
    for number in range(count // 2):
        key = core.post("/internal/v1/api-keys", {"name": f"Key {number}", "role": "core"}).expect(201)
        core.post(f"/internal/v1/api-keys/{key['id']}/revoke").expect(204)


def test_span_is_chosen_and_older_entries_are_read(site, console):
    core = site.core()
    write_entries(core, FIRST + 20)
    person = add_operator(core, "Тот, кто читает журнал", "viewer")
    faults = look("log.mjs", console, person, timeout=120, past="of the time chosen", **{"from": "From "})
    assert faults == [], faults


def test_line_is_drawn_once_however_many_come(site, console):
    """Else a log of 200 entries a second leaves the page no time for anything else."""
    core, person = site.core(), add_operator(site.core(), "Тот, кто смотрит в журнал", "viewer")
    write_entries(core, 2 * FIRST)
    is_over = threading.Event()

    def flood():
        while not is_over.is_set():
            write_entries(core, 20)

    writer = threading.Thread(target=flood)
    writer.start()
    try:
        faults = look("smooth.mjs", console, person, timeout=120)
    finally:
        is_over.set()
        writer.join()
    assert faults == [], faults


def test_nothing_is_lost_while_it_is_paused(site, console):
    """The service chooses by the filters, so what fits none of them takes no line of those that do."""
    core, word = site.core(), f"tap-{fresh_key()[:8]}"
    person = add_operator(core, "Who stops the log", "viewer")
    wanted, other = (core.post("/internal/v1/api-keys", {"name": name, "role": "core"}).expect(201)["id"]
                     for name in (word, "rain"))

    def rotate(key_id, count):
        for _ in range(count):
            core.post(f"/internal/v1/api-keys/{key_id}/rotate", {}).expect(200)

    def write_few():
        rotate(wanted, 2)
        rotate(other, SHOWN_MAX + 20)

    faults = look_and_do("pause.mjs", console, person, word=word,
                         deeds={"few": write_few, "many": lambda: rotate(wanted, SHOWN_MAX + 20)})
    assert faults == [], faults
