"""Answers that nobody reads: what they wait in is bounded, for herald and for the kernel."""

import re
import socket
from contextlib import ExitStack

import pytest

from harness.packages import is_sanitized
from harness.tools import eventually

pytestmark = pytest.mark.only("sqlite")  # HTTP is the same on both engines

DOCUMENT = b"GET /openapi.json HTTP/1.1\r\nHost: herald\r\n\r\n"  # hundreds of kilobytes
KERNEL_MAX = 160 * 1024  # bytes of an answer that wait for one reader
READERS, GROWTH_MAX_KB = 300, 6 * 1024
LISTENING = "0A"


class Reader:
    """Somebody who asks for the document over and over, and has no room for it."""

    def __init__(self, address):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect(address)
        self.socket.sendall(DOCUMENT * 8)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def read_document(self):
        """The body of the first answer."""
        text = b""
        while b"\r\n\r\n" not in text:
            text += self.socket.recv(1)
        length = int(re.search(rb"Content-Length: (\d+)", text)[1])
        body = b""
        while len(body) < length:
            body += self.socket.recv(min(1500, length - len(body)))
        return body

    def has_answer(self):
        return self.socket.recv(1, socket.MSG_PEEK) == b"H"


def waiting_bytes(port):
    """What the kernel keeps for each peer of a server, as /proc/net/tcp has it."""
    with open("/proc/net/tcp", encoding="ascii") as file:
        rows = [line.split() for line in file][1:]
    own = [row for row in rows if int(row[1].split(":")[1], 16) == port and row[3] != LISTENING]
    return [int(row[4].split(":")[0], 16) for row in own]


def rss_kb(site):
    with open(f"/proc/{site.processes[-1].pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1])


def test_kernel_keeps_little_of_an_answer(site):
    with Reader(site.address) as reader:
        assert reader.has_answer()
        waiting = eventually(lambda: max(waiting_bytes(site.address[1])))
        assert 0 < waiting <= KERNEL_MAX, waiting


def test_slow_reader_gets_all_of_it(site, core):
    with Reader(site.address) as reader:
        assert reader.read_document() == core.get("/openapi.json").body
        assert reader.read_document() == core.get("/openapi.json").body


@pytest.mark.skipif(is_sanitized(), reason="sanitizers keep memory of their own")
def test_document_is_kept_once_however_many_wait_for_it(site):
    before_kb = rss_kb(site)
    with ExitStack() as stack:
        readers = [stack.enter_context(Reader(site.address)) for _ in range(READERS)]
        assert all(reader.has_answer() for reader in readers)
        growth_kb = rss_kb(site) - before_kb
    assert growth_kb <= GROWTH_MAX_KB, growth_kb
