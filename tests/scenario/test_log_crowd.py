"""A crowd that follows the log: more readers than an event loop writes to at a time."""

import re
import socket
import time
from contextlib import ExitStack, suppress

from harness.tools import PATIENCE_S, fresh_number

CROWD, LATER, CODES = 600, 60, 12
KEEP_ALIVE = b": keep-alive\n\n"  # after 15 s without an entry
ENTRY_ID = re.compile(rb"^id: (\d+)$", re.MULTILINE)


class Reader:
    """A follower whose bytes wait in its socket until they are wanted."""

    def __init__(self, site, last_event_id=None):
        since = f"Last-Event-ID: {last_event_id}\r\n" if last_event_id is not None else ""
        self.socket = socket.create_connection(site.address, PATIENCE_S)
        self.socket.sendall(
            f"GET /internal/v1/logs/stream HTTP/1.1\r\nHost: herald\r\n{since}"
            f"X-Internal-API-Key: {site.internal_key}\r\n\r\n".encode())
        self.text = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    @property
    def ids(self):
        return [int(found) for found in ENTRY_ID.findall(self.text)]

    def read_until(self, is_enough):
        """All that came until then; fails where nothing more comes."""
        deadline = time.monotonic() + PATIENCE_S
        while not is_enough(self):
            assert time.monotonic() < deadline, self.ids
            self.text += self.socket.recv(65536)
        return self


def open_readers(stack, site, count, **options):
    """Readers whose streams have begun."""
    readers = [stack.enter_context(Reader(site, **options)) for _ in range(count)]
    return [row.read_until(lambda reader: b": herald log" in reader.text) for row in readers]


def create_codes(core, count):
    """The id of the last one."""
    for _ in range(count):
        otp = core.create_otp(fresh_number()).expect(201)
    return otp["id"]


def read_up_to(reader, end):
    """The ids of the entries that came, up to that one."""
    reader.read_until(lambda row: row.ids and row.ids[-1] >= end)
    return [entry_id for entry_id in reader.ids if entry_id <= end]


def test_crowd_gets_each_entry_once_and_in_order(site, core, ready_phone):
    """Some leave in between, and some come, who say what they have seen or begin at the end."""
    with ExitStack() as stack, site.log_reader() as reference:
        crowd = open_readers(stack, site, CROWD)
        create_codes(core, CODES)
        for leaving in crowd[::5]:
            leaving.socket.close()
        create_codes(core, CODES)
        reference.wait_for_count(CODES)
        returned = open_readers(stack, site, LATER, last_event_id=reference.ids[0])
        newcomers = open_readers(stack, site, LATER)
        end = reference.wait_for_text(create_codes(core, CODES))["id"]
        wanted = [entry_id for entry_id in reference.ids if entry_id <= end]
        for index, reader in enumerate(crowd):
            assert index % 5 == 0 or read_up_to(reader, end) == wanted
        for reader in returned:
            assert read_up_to(reader, end) == wanted[1:]
        for reader in newcomers:
            ids = read_up_to(reader, end)
            assert len(ids) >= CODES and ids == wanted[-len(ids):]


def test_crowd_gets_signs_of_life(site):
    """Each reader, and none twice."""
    with ExitStack() as stack:
        crowd = open_readers(stack, site, CROWD)
        for reader in crowd:
            reader.read_until(lambda row: KEEP_ALIVE in row.text)
        time.sleep(2)
        for reader in crowd:
            reader.socket.setblocking(False)
            with suppress(BlockingIOError):
                reader.text += reader.socket.recv(65536)
            assert reader.text.count(KEEP_ALIVE) == 1
