"""A reader of the log stream: server-sent events on a raw socket, read by a thread of its own."""

import json
import socket
import threading
import time

from .shapes import LOG_ENTRY, check_shape
from .tools import PATIENCE_S, eventually


class LogReader:
    """Opens the stream at once. `last_event_id=0` reads everything that is still kept."""

    def __init__(self, address, key, *, last_event_id=None, query="", headers=None):
        self.entries = []
        self.comments = []
        self.has_ended = threading.Event()
        self._fault = None
        self._is_closing = False
        self._event = {}
        self._socket = socket.create_connection(address, timeout=30)
        sent = {"Host": f"{address[0]}:{address[1]}", "X-Internal-API-Key": key, **(headers or {})}
        if last_event_id is not None:
            sent["Last-Event-ID"] = str(last_event_id)
        lines = [f"GET /internal/v1/logs/stream{query} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in sent.items()]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._file = self._socket.makefile("rb")
        self._read_head()
        self._socket.settimeout(None)
        self._thread = threading.Thread(target=self._read_events, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def ids(self):
        return [entry["id"] for entry in self.entries]

    @property
    def text(self):
        """All that came, as one text to search in."""
        return "\n".join(json.dumps(entry, ensure_ascii=False) for entry in list(self.entries))

    def wait_for(self, is_wanted, seconds=PATIENCE_S):
        """The first entry that is wanted, or None when none came in that time."""
        found = eventually(lambda: next(filter(is_wanted, list(self.entries)), None), seconds)
        self._raise_fault()
        return found

    def wait_for_text(self, text, seconds=PATIENCE_S):
        """The first entry that holds the text anywhere."""
        return self.wait_for(lambda entry: text in json.dumps(entry, ensure_ascii=False), seconds)

    def wait_for_count(self, count, seconds=PATIENCE_S):
        eventually(lambda: len(self.entries) >= count or self.has_ended.is_set(), seconds, 0.005)
        self._raise_fault()

    def wait_until_quiet(self, pause=1.0, seconds=20.0):
        """Until no entry came for `pause` seconds."""
        deadline = time.monotonic() + seconds
        seen = -1
        while seen != len(self.entries) and time.monotonic() < deadline:
            seen = len(self.entries)
            time.sleep(pause)
        self._raise_fault()

    def close(self):
        self._is_closing = True
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the server was first
        self._thread.join(timeout=10)
        self._file.close()
        self._socket.close()
        self._raise_fault()

    def _raise_fault(self):
        if self._fault:
            raise self._fault

    def _read_head(self):
        self.status = int(self._file.readline().split()[1])
        self.headers = {}
        while line := self._file.readline().strip():
            name, value = line.decode().split(":", 1)
            self.headers[name.strip().lower()] = value.strip()
        assert self.status == 200, f"the log stream answered {self.status}"
        assert self.headers["content-type"].split(";")[0] == "text/event-stream"

    def _read_events(self):
        try:
            for line in self._read_lines():
                self._take_line(line)
        except ConnectionResetError:
            pass  # the server went away; has_ended says so
        except BaseException as fault:  # the stream's form is wrong: told to the test
            if not self._is_closing:
                self._fault = fault
        finally:
            self.has_ended.set()

    def _read_lines(self):
        pending = b""
        for block in self._read_blocks():
            *lines, pending = (pending + block).split(b"\n")
            yield from (line.removesuffix(b"\r") for line in lines)

    def _read_blocks(self):
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            while block := self._file.read1(65536):
                yield block
            return
        while head := self._file.readline():
            size = int(head.split(b";")[0], 16)
            if size == 0:
                return
            yield self._file.read(size)
            self._file.readline()

    def _take_line(self, line):
        if line.startswith(b":"):
            self.comments.append(time.monotonic())
        elif line:
            name, _, value = line.decode().partition(":")
            assert name not in self._event, f"{name} twice in one event"
            self._event[name] = value.removeprefix(" ")
        elif self._event:
            self._take_event(self._event)
            self._event = {}

    def _take_event(self, event):
        if set(event) == {"retry"}:
            return
        assert {"id", "data"} <= set(event), f"an event needs an id and a data line: {event}"
        entry = check_shape(json.loads(event["data"]), LOG_ENTRY)
        assert str(entry["id"]) == event["id"], f"two ids in one event: {event}"
        self.entries.append(entry)
