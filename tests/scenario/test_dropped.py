"""Connections that are dropped in mid-request leave nothing behind: no descriptor, no memory."""

import itertools
import os
import re
import socket
import struct
import time

import pytest

from harness.http import RawConnection
from harness.http_cases import CHUNKED, DEVICE_KEY, GET, HOST, INTERNAL_KEY, JSON, POST
from harness.packages import is_sanitized
from harness.tools import eventually, fresh_key, fresh_number

pytestmark = pytest.mark.only("sqlite")  # HTTP is the same on both engines
SCHEMES = ("http", "https")

DROPPED, AT_ONCE = 1000, 100
GROWTH_MAX_KB = 2048  # half a kilobyte a connection of four thousand
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends RST
INTERNAL = HOST + b"X-Internal-API-Key: " + INTERNAL_KEY + b"\r\n"


def whole_challenge():
    """A request whose transaction runs when its caller is gone."""
    body = b'{"caller":"%s"}' % fresh_number().encode()
    key = b"Idempotency-Key: " + fresh_key().encode() + b"\r\n"
    return (b"POST /internal/v1/challenges HTTP/1.1\r\n" + INTERNAL + JSON + key
            + b"Content-Length: %d\r\n\r\n" % len(body) + body)


WAYS = {
    "half a request line": lambda: b"GET /health/li",
    "half a head": lambda: GET + b"X-One: 1\r\nX-Tw",
    "half a body": lambda: POST + b"Content-Length: 1000\r\n\r\n{" + b" " * 500,
    "half a chunk": lambda: CHUNKED + b"1000\r\n{" + b" " * 500,
    "an answer that is not read": lambda: (b"GET /openapi.json HTTP/1.1\r\n" + HOST + b"\r\n") * 8,
    "a transaction": whole_challenge,
    "a stream": lambda: b"GET /internal/v1/logs/stream HTTP/1.1\r\n" + INTERNAL + b"\r\n",
    "a pipeline": lambda: (GET + b"\r\n") * 50 + b"GET",
}


class Caller:
    def __init__(self, site):
        self.site = site
        self.keys = {
            DEVICE_KEY: site.phone(site.core()).device_key.encode(),
            INTERNAL_KEY: site.internal_key.encode(),
        }

    def connect(self, sent):
        for place, key in self.keys.items():
            sent = sent.replace(place, key)
        connection = socket.create_connection(self.site.address)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        connection.sendall(sent)
        return connection

    def is_served(self):
        """By then herald has read what came before."""
        with RawConnection(self.site.address) as connection:
            connection.send(GET + b"\r\n")
            return connection.read_reply().status == 200

    def drop(self, ways, count):
        """Some at a time; every other time herald is given the time to read."""
        make_next = itertools.cycle(ways)
        for turn in range(count // AT_ONCE):
            opened = [self.connect(next(make_next)()) for _ in range(AT_ONCE)]
            assert turn % 2 or self.is_served()
            for connection in opened:
                connection.close()
        assert self.is_served()

    def descriptors(self):
        try:
            return len(os.listdir(f"/proc/{self.site.processes[-1].pid}/fd"))
        except PermissionError:
            pytest.skip("only root may look at the descriptors of a process that leaves no core")

    def rss_kb(self):
        with open(f"/proc/{self.site.processes[-1].pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1])


def least(ask, times=20, pause=0.02):
    """The least of some answers that come one after the other."""
    answers = [ask()]
    for _ in range(times):
        time.sleep(pause)
        answers.append(ask())
    return min(answers)


@pytest.fixture(scope="module")
def caller(site):
    """Drops connections at a herald that has seen some: event loops open descriptors then."""
    made = Caller(site)
    made.drop(WAYS.values(), AT_ONCE)
    return made


@pytest.fixture(scope="module")
def idle(caller):
    """How many descriptors there are while nobody asks for anything."""
    return least(caller.descriptors)


@pytest.mark.parametrize("way", WAYS)
def test_each_way_leaves_no_descriptor(caller, idle, way):
    caller.drop([WAYS[way]], 2 * AT_ONCE)
    assert eventually(lambda: caller.descriptors() <= idle), (idle, caller.descriptors())


def test_a_thousand_leave_no_descriptor(caller, idle):
    caller.drop(WAYS.values(), DROPPED)
    assert eventually(lambda: caller.descriptors() <= idle), (idle, caller.descriptors())


@pytest.mark.skipif(is_sanitized(), reason="sanitizers keep memory of their own")
def test_thousands_more_leave_no_memory(caller):
    thousand = DROPPED if caller.site.scheme == "http" else DROPPED // 4  # the bridge takes its time
    caller.drop(WAYS.values(), 2 * thousand)
    before_kb = least(caller.rss_kb)
    caller.drop(WAYS.values(), 4 * thousand)
    after_kb = least(caller.rss_kb)
    assert after_kb - before_kb <= GROWTH_MAX_KB, (before_kb, after_kb)
