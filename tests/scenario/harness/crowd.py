"""Many who hold connections and mean no good: each says something, then keeps herald waiting, and comes again
as soon as it is sent away.
"""

import multiprocessing
import socket
import ssl
import time
from contextlib import suppress

from .tls import client_context

TURN_S = 0.05
COUNT, ADDRESSES = 130, [f"127.0.9.{index}" for index in range(1, 9)]


class Way:
    """What one of them does.

    `opening` is sent at once, then `drop` every `every_s`; `reads` bytes are read each time, and
    after `stays_s` it comes again.
    """

    def __init__(self, opening, drop=b"", every_s=0.5, reads=0, stays_s=60.0):
        self.opening = opening
        self.drop = drop
        self.every_s = every_s
        self.reads = reads
        self.stays_s = stays_s


WAITS = BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError


class _Caller:
    def __init__(self, address, source, way, context):
        self.address, self.source, self.way, self.context = address, source, way, context
        self.socket = None

    def connect(self, now):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.bind((self.source, 0))
        self.socket.settimeout(1)
        self.came = self.dropped = now
        self.socket.connect(self.address)
        if self.context:
            self.socket = self.context.wrap_socket(self.socket, server_hostname="localhost")
        self.socket.setblocking(False)
        self.socket.send(self.way.opening)

    def is_sent_away(self):
        """An end, a reset, or an answer that says so; an answer that is not wanted is left unread.
        Over TLS it is read by drops, since nobody can look ahead."""
        head = self.socket.recv(12) if self.context else self.socket.recv(12, socket.MSG_PEEK)
        return not head or head.startswith((b"HTTP/1.1 503", b"HTTP/1.1 408"))

    def take_turn(self, now):
        if self.socket is None:
            self.connect(now)
        with suppress(*WAITS):
            if self.is_sent_away() or now - self.came >= self.way.stays_s:
                return self.leave()
        if now - self.dropped >= self.way.every_s:
            self.dropped = now
            with suppress(*WAITS):
                self.socket.send(self.way.drop)
                self.socket.recv(self.way.reads) if self.way.reads else None
        return None

    def leave(self):
        self.socket.close()
        self.socket = None


def _run(address, ways, is_tls):
    context = client_context() if is_tls else None
    callers = [_Caller(address, ADDRESSES[index % len(ADDRESSES)], ways[index % len(ways)], context)
               for index in range(COUNT)]
    while True:
        for caller in callers:
            try:
                caller.take_turn(time.monotonic())
            except OSError:
                caller.leave()
        time.sleep(TURN_S)


class Crowd:
    """They, in a process of their own; with `is_tls` each shakes hands first."""

    def __init__(self, address, ways, is_tls=False):
        self._process = multiprocessing.get_context("fork").Process(
            target=_run, args=(address, ways, is_tls), daemon=True)

    def __enter__(self):
        self._process.start()
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.join()
