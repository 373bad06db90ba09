"""A receiver of webhooks that is no part of herald: it checks signatures by itself, records every
delivery, and answers as the test says (Standard Webhooks 1.0)."""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .site import BINARY, PROJECT
from .tools import eventually

# The programs of one build belong together.
os.environ.setdefault("HERALD_SIM_HOOK", str(BINARY.parent / "sim" / "hook"))
os.environ.setdefault("HERALD_SIM_ERP", str(BINARY.parent / "sim" / "erp"))
sys.path.append(str(PROJECT / "tests" / "sim"))

from hook_client import HookService  # noqa: E402, F401 (its folder is known from here on)

WEBHOOKS = "/internal/v1/webhook-endpoints"
WEBHOOK_SETTINGS = {"HERALD_WEBHOOK_ALLOW_HTTP": "true", "HERALD_WEBHOOK_NETWORKS": "loopback"}


def verify(secret, headers, body, at_s=None):
    """Whether one of the signatures is that of the secret; the time is at most 5 minutes off."""
    at_s = time.time() if at_s is None else at_s
    kind, text = secret.split("_", 1)
    assert kind == "whsec" and abs(at_s - int(headers["webhook-timestamp"])) < 300
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = base64.b64encode(
        hmac.new(base64.b64decode(text), signed, hashlib.sha256).digest()).decode()
    return f"v1,{wanted}" in headers["webhook-signature"].split(" ")


NUMBERED = {  # rows 1 to $count
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})",
    "postgres": "WITH n(i) AS (SELECT generate_series(1, {count}))",
}
BLOB = {"sqlite": "x'{hex}'", "postgres": "decode('{hex}', 'hex')"}
FRESH_ID = {  # of the time that the first half of another one has
    "sqlite": "CAST(x'{half}' || randomblob(8) AS BLOB)",
    "postgres": "decode('{half}' || substr(md5(random()::text), 1, 16), 'hex')",
}


def copy_delivery(site, row, count):
    """So many more of the same, each with its own id, of a delivery that is not under way. An embedded
    database is written to while nothing runs."""
    text = row["id"].replace("-", "")
    site.ask(
        NUMBERED[site.engine].format(count=count)
        + " INSERT INTO webhook_delivery (id, endpoint_id, seq, event_id, type, state, attempts, due_at,"
        f" status, answer, created_at, updated_at) SELECT {FRESH_ID[site.engine].format(half=text[:16])},"
        " d.endpoint_id, d.seq, d.event_id, d.type, d.state, d.attempts, d.due_at, d.status, d.answer,"
        " d.created_at, d.updated_at FROM n, webhook_delivery AS d"
        f" WHERE d.id = {BLOB[site.engine].format(hex=text)}")


class Delivery:
    def __init__(self, headers, body):
        self.headers = headers
        self.body = body
        self.json = json.loads(body)
        self.at = time.monotonic()

    @property
    def id(self):
        return self.headers["webhook-id"]


class Receiver:
    """`answer` gets a delivery and returns status, headers and body. `tls`: it speaks https."""

    def __init__(self, tls=None):
        self.deliveries = []
        self.answer = lambda delivery: (200, {}, b"ok")
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                delivery = Delivery({name.lower(): value for name, value in self.headers.items()},
                                    body)
                receiver.deliveries.append(delivery)
                status, headers, answer = receiver.answer(delivery)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self._server.server_port}/hooks"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def of(self, subject_id):
        return [row for row in list(self.deliveries) if row.json["subject"]["id"] == subject_id]

    def wait_for(self, subject_id, count=1, within=10):
        assert eventually(lambda: len(self.of(subject_id)) >= count, within, 0.02), self.deliveries
        return self.of(subject_id)


class Endpoint:
    """An endpoint of herald that delivers to a receiver."""

    def __init__(self, core, receiver, types=("*",), **fields):
        self.core = core
        made = core.post(WEBHOOKS, {"url": receiver.url, "types": list(types), **fields}).expect(201)
        self.secret = made.pop("secret")
        self.record = made
        self.path = f"{WEBHOOKS}/{made['id']}"

    def read(self):
        return self.core.get(self.path).expect(200)

    def change(self, **fields):
        return self.core.patch(self.path, fields)

    def deliveries(self, query=""):
        return self.core.get(f"{self.path}/deliveries{query}").expect(200)["deliveries"]

    def delivery_of(self, event_id):
        return next((row for row in self.deliveries("?limit=200") if row["event_id"] == event_id),
                    None)

    def close(self):
        self.core.request("DELETE", self.path).expect(204)
