"""Runs build/sim/erp, and stands in for herald towards it."""

import http.client
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("HERALD_SIM_ERP", ROOT / "build" / "sim" / "erp"))
TIMEOUT_S = 60
INTEGRATION = "0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f"
PATH = f"/api/v1/integrations/erp/{INTEGRATION}"
SCOPES = "erp.catalog.write erp.changes.write erp.events.read"


def erp(*arguments, environment=None, check=True):
    """Its ended process, with all that it printed."""
    done = subprocess.run([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT_S, env=environment, check=False)
    assert not check or done.returncode == 0, done.stderr.decode()
    return done


def snapshot(*arguments):
    return erp("snapshot", *arguments).stdout


def changes(*arguments):
    return erp("changes", *arguments).stdout


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            self.server.service.note_broken(self.path, body)
            self.close_connection = True
            return
        self.reply(self.server.service.post(self.path, self.headers, body, self.client_address[1]))

    def do_GET(self):
        self.reply(self.server.service.get(self.path, self.headers))

    def reply(self, answer):
        if answer is None:  # the connection drops
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        status, record, headers = answer
        body = record if isinstance(record, bytes) else json.dumps(record).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Service:
    """A stand-in for herald. What is planned for the next requests is done first: a status, a pair
    of status and headers, or "drop"; then it behaves."""

    def __init__(self):
        self.lock = threading.Lock()
        self.posts = []  # whole ones: path, key, body, connection, at
        self.broken = []
        self.gets = []
        self.tokens = []  # forms
        self.plan = []
        self.token_plan = []
        self.expires_in = 600
        self.live_until = {}
        self.packages = {}  # by event id: how often asked for
        self.states = ["applied"]  # one after the other, each question moves on
        self.on_post = None
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.service = self
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    # --- What it answers ---

    def note_broken(self, path, body):
        with self.lock:
            self.broken.append((path, body))

    @staticmethod
    def planned(plan):
        step = plan.pop(0)
        if step == "drop":
            return None
        status, headers = step if isinstance(step, tuple) else (step, {})
        return status, {"error": {"code": "planned", "message": "as planned"}}, headers

    def give_token(self, body):
        form = dict(urllib.parse.parse_qsl(body.decode(), strict_parsing=True))
        self.tokens.append(form)
        if self.token_plan:
            return self.planned(self.token_plan)
        token = f"token-{len(self.tokens)}"
        self.live_until[token] = time.monotonic() + self.expires_in
        record = {"access_token": token, "token_type": "Bearer", "expires_in": self.expires_in,
                  "scope": form["scope"]}
        return 200, record, {}

    def is_authorized(self, headers):
        token = headers.get("Authorization", "").removeprefix("Bearer ")
        return self.live_until.get(token, 0) > time.monotonic()

    def post(self, path, headers, body, connection):
        with self.lock:
            if path == "/v1/oauth/token":
                return self.give_token(body)
            self.posts.append({"path": path, "key": headers["Idempotency-Key"], "body": body,
                               "connection": connection, "at": time.monotonic(),
                               "token": headers["Authorization"], "headers": headers})
            if self.on_post:
                self.on_post(self.posts[-1])
            if self.plan:
                return self.planned(self.plan)
            if not self.is_authorized(headers):
                return 401, {"error": {"code": "unauthorized", "message": "Who?"}}, {}
            event_id = json.loads(body)["event_id"]
            status = "duplicate" if event_id in self.packages else "accepted"
            self.packages.setdefault(event_id, 0)
            return 202, {"event_id": event_id, "status": status}, {}

    def get(self, path, headers):
        with self.lock:
            self.gets.append({"path": path, "at": time.monotonic()})
            if not self.is_authorized(headers):
                return 401, {"error": {"code": "unauthorized", "message": "Who?"}}, {}
            event_id = urllib.parse.unquote(path.removeprefix(f"{PATH}/events/"))
            if event_id not in self.packages:
                return 404, {"error": {"code": "not_found", "message": "No."}}, {}
            asked = self.packages[event_id]
            self.packages[event_id] += 1
            state = self.states[min(asked, len(self.states) - 1)]
            return 200, self.record(event_id, state), {}

    @staticmethod
    def record(event_id, state):
        record = {"event_id": event_id, "event_type": "delta", "status": state, "attempts": 1,
                  "received_at": "2026-11-21T04:33:00.000Z",
                  "processed_at": "2026-11-21T04:33:00.250Z" if state == "applied" else None,
                  "last_error": "no such pair" if state in ("retry", "failed") else None}
        if state == "applied":
            record["result"] = {"products": {"added": 3, "changed": 0, "unchanged": 0,
                                             "archived": 0}}
        return record


class Push:
    """A sending erp: its options towards a service, its queue and its report."""

    def __init__(self, service, folder):
        self.service = service
        self.folder = folder
        self.queue = folder / "queue"
        self.report_file = folder / "report"

    def link(self):
        """Where it sends, and as whom."""
        return {"base-url": self.service.url, "integration-id": INTEGRATION,
                "client-id": "client-1", "client-secret": "hs_1"}

    def arguments(self, verb, *arguments, **changes):
        options = self.link() | {"queue": self.queue, "report": self.report_file, "hurry": 1000,
                                 "give-up-s": 30}
        options |= {name.replace("_", "-"): value for name, value in changes.items()}
        if verb == "run":
            del options["give-up-s"]
        given = [f"--{name}={value}" for name, value in options.items() if value is not None]
        return [*verb.split(), *given, *map(str, arguments)]

    def run(self, verb, *arguments, **changes):
        return erp(*self.arguments(verb, *arguments, **changes), check=False)

    def start(self, verb, *arguments, **changes):
        command = [BINARY, *self.arguments(verb, *arguments, **changes)]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def report(self, what=None):
        if not self.report_file.exists():
            return []
        lines = self.report_file.read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        return [row for row in rows if what in (None, row["what"])]

    def queued(self):
        """What is still in the queue: the records of packages."""
        return [json.loads(path.read_text()) for path in sorted(self.queue.glob("*.package"))]


class ErpService:
    """`erp serve`, on free ports: the ERP that takes orders, and what a test tells it."""

    token = "erp-token"

    def __init__(self, *options):
        command = [str(BINARY), "serve", "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0",
                   *map(str, options)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"erp serves on (http://(\S+)), control on http://(\S+)\n", line)
        assert found, f"the first line is {line!r}"
        self.url, self.address, self.control_address = found.groups()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        assert self.stop() == 0

    def stop(self):
        """Its exit status."""
        self.process.terminate()
        status = self.process.wait(TIMEOUT_S)
        self.process.stdout.close()
        return status

    def control(self, verb, path, body=None):
        """Status, and the record of the answer (None without one)."""
        connection = http.client.HTTPConnection(self.control_address, timeout=TIMEOUT_S)
        try:
            connection.request(verb, "/_control/" + path,
                               None if body is None else json.dumps(body),
                               {"Content-Type": "application/json"})
            response = connection.getresponse()
            text = response.read()
            return response.status, json.loads(text) if text else None
        finally:
            connection.close()

    def asked(self, path, **fields):
        query = urllib.parse.urlencode(
            {name: str(value).lower() if isinstance(value, bool) else value
             for name, value in fields.items()})
        status, record = self.control("GET", f"{path}?{query}" if query else path)
        assert status == 200, record
        return record

    def told(self, path, **fields):
        status, record = self.control("POST", path, fields)
        assert status in (200, 204), record
        return record

    def behave(self, what, **fields):
        self.told("behave", what=what, **fields)

    def claim(self, **fields):
        """The oldest unclaimed call that fits."""
        return self.told("claim", **fields)

    def calls(self, **fields):
        return self.asked("calls", **fields)["calls"]

    def documents(self, **fields):
        """All, or with order= that of one: {"documents", "count" of all}."""
        return self.asked("documents", **fields)

    def leftover(self):
        return self.asked("leftover")

    def stats(self):
        return self.asked("stats")

    def down(self, **fields):
        self.told("down", **fields)

    def up(self):
        self.told("up")

    def reset(self, **fields):
        self.told("reset", **fields)


def wait_until(look, limit_s=20):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("nothing came of it")
