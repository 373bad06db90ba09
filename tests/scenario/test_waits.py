"""What shows only after true seconds: keep-alive comments, deadlines for headers and bodies.

All waits begin together when the module starts, so that they cost the time of the longest one.
"""

import socket
import time

import pytest

from harness.tools import eventually, lasted_at_most

pytestmark = pytest.mark.only("sqlite")

KEEP_ALIVE_S = 15
HEADERS_S = 10
SLACK_S = 4


class Dripper:
    """A connection that never finishes its request."""

    def __init__(self, address, data):
        self.opened_at = time.monotonic()
        self.socket = socket.create_connection(address, timeout=40)
        self.socket.sendall(data)

    def wait_for_end(self):
        """What came before the server ended it, and after how many seconds that was."""
        blocks = []
        try:
            while block := self.socket.recv(65536):
                blocks.append(block)
        except ConnectionResetError:
            pass
        self.socket.close()
        return b"".join(blocks), time.monotonic() - self.opened_at


@pytest.fixture(scope="module")
def waits(site):
    core = site.core()
    phone = site.phone(core)
    head = b"POST /api/device/ping HTTP/1.1\r\nHost: herald\r\nContent-Type: application/json\r\n"
    key = f"X-Device-Key: {phone.device_key}\r\nContent-Length: 16000\r\n\r\n".encode()
    opened = {
        "stream": (site.log_reader(), time.monotonic()),
        "headers": Dripper(site.address, b"GET /health/live HTTP/1.1\r\nHost: her"),
        "body": Dripper(site.address, head + key + b'{"a":'),
    }
    yield opened
    opened["stream"][0].close()


def test_headers_must_come_within_10_seconds(waits):
    answer, seconds = waits["headers"].wait_for_end()
    assert answer == b"" or answer.startswith(b"HTTP/1.1 408 ")
    assert HEADERS_S - 2 <= seconds
    lasted_at_most(seconds, HEADERS_S + SLACK_S)


def test_body_that_stops_is_given_up(waits):
    answer, seconds = waits["body"].wait_for_end()
    assert answer == b"" or answer.startswith(b"HTTP/1.1 408 ")
    assert HEADERS_S - 2 <= seconds
    lasted_at_most(seconds, HEADERS_S + 2 * SLACK_S)


def test_quiet_stream_is_kept_alive_by_a_comment(waits):
    reader, opened_at = waits["stream"]
    assert eventually(lambda: reader.comments), "no comment line"
    lasted_at_most(reader.comments[0] - opened_at, KEEP_ALIVE_S + SLACK_S)


def test_all_the_while_others_are_served(site, waits):
    site.core().devices().expect(200)
