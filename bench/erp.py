"""An ERP at its integration, and an operator beside it, as the lines about packages need them:
they take the time until a package is answered, and until it is applied."""

import json
import socket
import time
import urllib.parse
import uuid

from host import BenchFailed, ask
from identity import SCOPES, TOKEN_PATH

APPLY_MAX_S = 60
CHUNK = 262144


class Wire:
    """A connection that stays open, with little work between the socket and the clock."""

    def __init__(self, address):
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=APPLY_MAX_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self):
        self.socket.close()

    def exchange(self, head, body=b""):
        """The status and the body of the answer."""
        if len(body) < CHUNK:
            head, body = head + body, b""
        self.socket.sendall(head)
        self.socket.sendall(body)
        return self.receive()

    def receive(self):
        text = b""
        while b"\r\n\r\n" not in text:
            text += self.more()
        head, _, body = text.partition(b"\r\n\r\n")
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line[15:])
        while len(body) < length:
            body += self.more()
        return int(head[9:12]), body

    def more(self):
        got = self.socket.recv(CHUNK)
        if not got:
            raise BenchFailed("herald closed a connection")
        return got


def head_of(method, path, *lines):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: herald", *lines, "", ""]).encode()


class Erp:
    """The ERP of a new integration."""

    def __init__(self, herald):
        self.herald = herald
        integration = herald.post(
            "/internal/v1/integrations",
            {
                "tenant_id": str(uuid.uuid4()),
                "point_id": str(uuid.uuid4()),
                "name": "bench",
                "erp": {"base_url": "https://erp.example", "token": "bench-token-of-the-erp"},
            },
        )
        self.integration_id = integration["id"]
        path = f"/internal/v1/integrations/{self.integration_id}/clients"
        made = herald.post(path, {})
        self.client_id, self.secret = made["client_id"], made["client_secret"]
        self.token = self.fetch_token()
        self.wire = Wire(herald.address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.wire.close()

    def fetch_token(self):
        form = {
            "grant_type": "client_credentials",
            "client_id": self.client_id,
            "client_secret": self.secret,
            "scope": SCOPES,
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        form_text = urllib.parse.urlencode(form)
        status, text = ask(self.herald.address, "POST", TOKEN_PATH, headers, form_text)
        if status != 200:
            raise BenchFailed(f"no token: {status} {text}")
        return json.loads(text)["access_token"]

    def head(self, kind, event_id, length):
        return head_of(
            "POST",
            f"/api/v1/integrations/erp/{self.integration_id}/{kind}",
            f"Authorization: Bearer {self.token}",
            f"Idempotency-Key: {event_id}",
            "Content-Type: application/json",
            f"Content-Length: {length}",
        )

    def send(self, package):
        """The event id, and the times at which the request was written and answered."""
        event_id, body = package.renew()
        head = self.head(package.kind, event_id, len(body))
        start = time.monotonic()
        status, text = self.wire.exchange(head, body)
        answered = time.monotonic()
        if status != 202 or b'"accepted"' not in text:
            raise BenchFailed(f"a package is not accepted: {status} {text[:300].decode()}")
        return event_id, start, answered

    def wait(self, event_id, pause_s):
        """The record of the package once it is applied; asks with this pause in between."""
        head = head_of(
            "GET",
            f"/api/v1/integrations/erp/{self.integration_id}/events/{event_id}",
            f"Authorization: Bearer {self.token}",
        )
        give_up = time.monotonic() + APPLY_MAX_S
        while time.monotonic() < give_up:
            time.sleep(pause_s)
            status, text = self.wire.exchange(head)
            if status == 200 and b'"status":"applied"' in text:
                return json.loads(text)
            if status != 200 or b'"status":"failed"' in text or b'"status":"retry"' in text:
                raise BenchFailed(f"a package is not applied: {status} {text[:300].decode()}")
        raise BenchFailed("a package is not applied within a minute")

    def apply(self, package, pause_s):
        """Milliseconds to 202 and to applied, and the record."""
        event_id, start, answered = self.send(package)
        record = self.wait(event_id, pause_s)
        return (answered - start) * 1000, (time.monotonic() - start) * 1000, record

    def read(self, path, **query):
        """Milliseconds, and what an operator reads of this integration."""
        return self.look(f"integrations/{self.integration_id}/{path}", **query)

    def look(self, path, **query):
        """Milliseconds, and what an operator reads."""
        words = f"?{urllib.parse.urlencode(query)}" if query else ""
        key = f"X-Internal-API-Key: {self.herald.key}"
        head = head_of("GET", f"/internal/v1/{path}{words}", key)
        start = time.monotonic()
        status, text = self.wire.exchange(head)
        read_ms = (time.monotonic() - start) * 1000
        if status != 200:
            raise BenchFailed(f"GET {path}: {status} {text[:300].decode()}")
        return read_ms, json.loads(text)
