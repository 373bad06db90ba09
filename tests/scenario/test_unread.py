"""Answers that nobody reads: what they wait in is bounded, for herald and for the kernel."""

import re
import socket
from contextlib import ExitStack

import pytest

from harness.packages import is_sanitized
from harness.tls import client_context
from harness.tools import eventually

pytestmark = pytest.mark.only("sqlite")  # HTTP is the same on both engines
SCHEMES = ("http", "https")

DOCUMENT = b"GET /openapi.json HTTP/1.1\r\nHost: herald\r\n\r\n"  # hundreds of kilobytes
KERNEL_MAX = 160 * 1024  # bytes of an answer that wait for one reader
READERS = 300
GROWTH_MAX_KB = {"http": 6 * 1024, "https": 24 * 1024}  # over HTTPS some records of each wait
LISTENING = "0A"
ROOM = {"http": 4096, "https": 32768}  # a record that does not fit takes a fifth of a second


class Reader:
    """Somebody who asks for the document over and over, and has no room for it. Over HTTPS there is
    no bridge between, which would have room."""

    def __init__(self, site):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM[site.scheme])
        self.socket.connect(("127.0.0.1", site.processes[-1].port))
        if site.scheme == "https":
            self.socket = client_context().wrap_socket(self.socket, server_hostname="localhost")
        self.socket.sendall(DOCUMENT * 8)
        self.text = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def read_document(self):
        """The body of the first answer."""
        while b"\r\n\r\n" not in self.text:
            self.text += self.socket.recv(1)
        length = int(re.search(rb"Content-Length: (\d+)", self.text)[1])
        self.text = b""
        body = b""
        while len(body) < length:
            body += self.socket.recv(min(1500, length - len(body)))
        return body

    def has_answer(self):
        self.text = self.text or self.socket.recv(1)
        return self.text == b"H"


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
    with Reader(site) as reader:
        assert reader.has_answer()
        waiting = eventually(lambda: max(waiting_bytes(site.processes[-1].port)))
        assert 0 < waiting <= KERNEL_MAX, waiting


def test_slow_reader_gets_all_of_it(site, core):
    with Reader(site) as reader:
        assert reader.read_document() == core.get("/openapi.json").body
        assert reader.read_document() == core.get("/openapi.json").body


@pytest.mark.skipif(is_sanitized(), reason="sanitizers keep memory of their own")
def test_document_is_kept_once_however_many_wait_for_it(site):
    before_kb = rss_kb(site)
    with ExitStack() as stack:
        readers = [stack.enter_context(Reader(site)) for _ in range(READERS)]
        assert all(reader.has_answer() for reader in readers)
        growth_kb = rss_kb(site) - before_kb
    assert growth_kb <= GROWTH_MAX_KB[site.scheme], growth_kb
