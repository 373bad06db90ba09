"""Starts build/sim/provider and talks to it: to its providers as herald would, to its control API
as a test does."""

import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import re
import subprocess
import threading
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("HERALD_PROVIDER", ROOT / "build" / "sim" / "provider"))
TIMEOUT_S = 20

GATEWAY = {"Authorization": "Bearer gateway-token"}
UCALLER = {"Authorization": "Bearer ucaller-key.1000"}
UNIBELL = {"X-Authorization": "AccessKey unibell-key"}
PLUSOFON = {"Authorization": "Bearer plusofon-token", "Client": "10553"}
BOT = "/bot1000:bot-token"


class Answer:
    """Status, headers and body of an answer."""

    def __init__(self, response, body):
        self.status = response.status
        self.headers = response.headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


def exchange(connection, verb, path, body=None, headers=None):
    """One request over a connection that stays open. JSON unless the body is bytes."""
    headers = dict(headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        headers.setdefault("Content-Type", "application/json")
    connection.request(verb, path, body, headers)
    response = connection.getresponse()
    return Answer(response, response.read())


class Provider:
    """The running simulator."""

    def __init__(self, *options):
        command = [str(BINARY), "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"listening on http://(\S+), control API on http://(\S+)", line)
        assert found, f"the first line is {line!r}"
        self.address, self.control_address = found.groups()

    def stop(self):
        """Its exit status."""
        self.process.terminate()
        status = self.process.wait(TIMEOUT_S)
        self.process.stdout.close()
        return status

    def connect(self):
        return http.client.HTTPConnection(self.address, timeout=TIMEOUT_S)

    def call(self, verb, path, body=None, headers=None):
        connection = self.connect()
        try:
            return exchange(connection, verb, path, body, headers)
        finally:
            connection.close()

    def post(self, path, body=None, headers=None):
        return self.call("POST", path, body, headers)

    # Each provider by its first method.

    def gateway(self, method, **fields):
        return self.post(f"/{method}", fields, GATEWAY)

    def bot(self, method, **fields):
        return self.post(f"{BOT}/{method}", fields)

    def ucaller(self, method, **fields):
        return self.post(f"/v1.0/{method}", fields, UCALLER)

    def unibell(self, **fields):
        return self.post("/apps/flash/calls/flash", fields, UNIBELL)

    def plusofon(self, **fields):
        return self.post("/api/v1/flash-call/send", fields, PLUSOFON)

    def sms_ru(self, **fields):
        fields = {"api_id": "sms-ru-id", "phone": "79161234567", "ip": "-1"} | fields
        return self.call("GET", "/code/call?" + urllib.parse.urlencode(fields))

    def zvonok(self, **fields):
        fields = {"public_key": "zvonok-key", "campaign_id": "1000"} | fields
        return self.post(
            "/manager/cabapi_external/api/v1/phones/flashcall/",
            urllib.parse.urlencode(fields).encode(),
            {"Content-Type": "application/x-www-form-urlencoded"},
        )

    def smsc(self, **fields):
        usual = {"login": "smsc-login", "psw": "smsc-password", "phones": "79161234567"}
        fields = usual | {"mes": "code", "call": 1, "fmt": 3} | fields
        return self.call("GET", "/sys/send.php?" + urllib.parse.urlencode(fields))

    # The control API.

    def control(self, verb, path, body=None):
        connection = http.client.HTTPConnection(self.control_address, timeout=TIMEOUT_S)
        try:
            return exchange(connection, verb, "/_control/" + path, body)
        finally:
            connection.close()

    def told(self, path, **fields):
        """A POST that must be understood; its JSON, if it has one."""
        answer = self.control("POST", path, fields)
        assert answer.status in (200, 204), answer.body
        return answer.json if answer.body else None

    def behave(self, what, **fields):
        self.told("behave", what=what, **fields)

    def claim(self, **fields):
        """The oldest unclaimed call that fits."""
        return self.told("claim", **fields)

    def calls(self, **fields):
        return self.control("GET", "calls?" + urllib.parse.urlencode(fields)).json["calls"]

    def code(self, phone, **fields):
        query = urllib.parse.urlencode({"phone": phone} | fields)
        return self.control("GET", "code?" + query).json["code"]

    def stats(self, provider):
        return self.control("GET", "stats").json[provider]

    def leftover(self):
        return self.control("GET", "leftover").json


class Receiver:
    """Takes delivery reports; answers with the statuses given, then 200."""

    def __init__(self, *statuses):
        self.reports = []
        self.statuses = list(statuses)
        self.arrived = threading.Condition()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = receiver.take(self.path, self.headers, body)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, headers, body):
        with self.arrived:
            self.reports.append({"path": path, "headers": headers, "body": body})
            self.arrived.notify_all()
            return self.statuses.pop(0) if self.statuses else 200

    def wait(self, count):
        """The reports, once so many are there."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.reports) >= count, TIMEOUT_S)
            return list(self.reports)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def is_signed(report, token="gateway-token"):
    """The check of a receiver, as Telegram describes it."""
    key = hashlib.sha256(token.encode()).digest()
    text = report["headers"]["X-Request-Timestamp"].encode() + b"\n" + report["body"]
    wanted = hmac.new(key, text, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted, report["headers"].get("X-Request-Signature", ""))
