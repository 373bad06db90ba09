"""The loops of docs/integrating.md, as they stand there, in Python and in Node: whoever was away reads on
where he was, and misses nothing (contract, section 13.2)."""

import http.client
import os
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from harness.actors import read_code
from harness.feed import Feed
from harness.site import PROJECT
from harness.tools import eventually, fresh_number

CLOCK = True
HOUR_S = 3600
SETTINGS = {"HERALD_EVENTS": "on", "HERALD_EVENT_DAYS": "1"}
PAGE = 100  # events of an answer
LOOPS = {"python": [sys.executable], "js": ["node"]}
LINES_MAX = 70
LINE = re.compile(r"(\d+) ([a-z_]+\.[a-z_]+) (\S+)")


def loop_in_docs(language):
    text = (PROJECT / "docs" / "integrating.md").read_text(encoding="utf-8")
    return next(block for block in re.findall(rf"```{language}\n(.*?)```", text, re.S)
                if "Follows the feed" in block)


class Door:
    """What stands before herald. It lets questions through, or fails as it is told to."""

    def __init__(self):
        door = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                door.asked += 1
                door.answer(self)

            def log_message(self, *_):
                pass

        self.asked = 0       # questions
        self.faults = []     # how the next questions end: a status, "cut" or "half"
        self.address = None  # of herald; None: it is not there
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler):
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, int):
            self.put(handler, fault, b"{}")
            return
        try:
            status, body = self.pass_on(handler)
        except (OSError, http.client.HTTPException):
            status, body = None, b""
        if fault == "cut" or status is None:
            handler.close_connection = True
        else:
            self.put(handler, status, body, len(body) // 2 if fault == "half" else len(body))

    def pass_on(self, handler):
        if not self.address:
            raise ConnectionRefusedError
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        try:
            connection.request("GET", handler.path, headers={
                "X-Internal-API-Key": handler.headers["X-Internal-API-Key"]})
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def put(self, handler, status, body, length=None):
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        try:
            handler.wfile.write(body[:length])
        except OSError:
            pass  # who asked was killed
        handler.close_connection = length not in (None, len(body)) or handler.close_connection

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Loop:
    """A core system that is nothing but the loop; it may be killed and started again."""

    def __init__(self, language, door, key, folder):
        self.program = folder / ("follow.mjs" if language == "js" else "follow.py")
        self.program.write_text(loop_in_docs(language), encoding="utf-8")
        self.words = [*LOOPS[language], self.program]
        self.said = folder / "said.log"
        self.said.touch()
        self.environment = os.environ | {
            "HERALD_URL": door.url, "HERALD_API_KEY": key, "STORE": str(folder / "kept")}
        self.process = None

    def start(self):
        with open(self.said, "ab") as out:
            self.process = subprocess.Popen(self.words, env=self.environment, stdout=out,
                                            stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def events(self):
        """What it has applied: (seq, type, subject id)."""
        found = LINE.findall(self.said.read_text(encoding="utf-8"))
        return [(int(seq), kind, subject) for seq, kind, subject in found]

    def wait_for(self, events):
        assert eventually(lambda: self.events()[-1:] == events[-1:]), self.said.read_text()
        assert self.events() == events


@pytest.fixture
def door():
    made = Door()
    yield made
    made.close()


@pytest.fixture(params=LOOPS)
def loop(request, fresh_site, door, tmp_path):
    fresh_site.settings.update(SETTINGS)
    serve(fresh_site, door)
    key = fresh_site.core().post("/internal/v1/api-keys", {"name": "core", "role": "core"}).expect(201)
    made = Loop(request.param, door, key["key"], tmp_path)
    yield made
    made.kill()


def serve(site, door):
    site.processes.clear()
    site.serve()
    door.address = site.address


def stop(site, door):
    door.address = None
    site.stop()


def told(core, after=0):
    """The feed itself, from there on."""
    feed = Feed(core, after)
    while feed.read(limit=500):
        pass
    return [(event["seq"], event["type"], event["subject"]["id"]) for event in feed.events]


def cancel_calls(core, phone, count):
    calls = [core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
             for _ in range(count)]
    for call in calls:
        core.cancel_challenge(call["id"]).expect(204)
    return [("challenge.canceled", call["id"]) for call in calls]


def confirm_code(core, phone):
    phone.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    core.verify(otp["id"], read_code(task)).expect(200)
    return [("otp.sent", otp["id"]), ("otp.confirmed", otp["id"])]


def expect_all(loop, core, changes):
    """The loop tells what the feed has, each change once; SIMs may fall silent meanwhile."""
    def are_told():
        rows = told(core)
        return rows if {row[1:] for row in rows} >= set(changes) else None

    rows = eventually(are_told, pause=0.2)
    assert rows, set(changes) - {row[1:] for row in told(core)}
    own = [row[1:] for row in rows if not row[1].startswith("sim.")]
    assert sorted(own) == sorted(changes)
    assert eventually(lambda: loop.events() == told(core), pause=0.2), loop.said.read_text()


@pytest.mark.parametrize("language", LOOPS)
def test_it_is_short(language):
    assert len(loop_in_docs(language).splitlines()) <= LINES_MAX


def test_away_for_an_hour_it_catches_up_and_misses_nothing(loop, fresh_site, door):
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    loop.start()
    changes = cancel_calls(core, phone, 3) + confirm_code(core, phone)
    expect_all(loop, core, changes)
    loop.kill()

    waiting = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    changes += cancel_calls(core, phone, PAGE + 20) + confirm_code(core, phone)
    fresh_site.clock.advance(HOUR_S)
    changes += [("challenge.expired", waiting["id"])]
    changes += cancel_calls(core, phone, PAGE)
    core.enable(phone.device_id, False).expect(204)
    changes += [("device.disabled", phone.device_id)]
    assert len(loop.events()) == 5
    loop.start()
    expect_all(loop, core, changes)

    # What comes now comes behind that, also to whoever never was away.
    core.enable(phone.device_id, True).expect(204)
    changes += [("device.enabled", phone.device_id)]
    expect_all(loop, core, changes)


def test_neither_503_nor_a_lost_connection_costs_an_event(loop, fresh_site, door):
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    door.faults += [503, "cut"]
    changes = cancel_calls(core, phone, 3)
    loop.start()
    expect_all(loop, core, changes)
    door.faults += ["half", 502]
    changes += cancel_calls(core, phone, 2)
    expect_all(loop, core, changes)
    assert eventually(lambda: not door.faults)

    stop(fresh_site, door)  # herald is away, too
    asked = door.asked
    assert eventually(lambda: door.asked > asked + 1)
    serve(fresh_site, door)
    core = fresh_site.core()
    changes += cancel_calls(core, phone, 2)
    expect_all(loop, core, changes)
    assert loop.process.poll() is None


def test_it_goes_on_where_events_are_gone(loop, fresh_site, door):
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    loop.start()
    changes = cancel_calls(core, phone, 2)
    expect_all(loop, core, changes)
    loop.kill()
    known = loop.events()
    cancel_calls(core, phone, 3)
    assert eventually(lambda: len(told(core)) == 5)
    stop(fresh_site, door)
    fresh_site.clock.advance(48 * HOUR_S)
    serve(fresh_site, door)
    core = fresh_site.core()
    assert eventually(lambda: core.get("/internal/v1/events?after=2").status == 410)
    loop.start()
    core.enable(phone.device_id, False).expect(204)
    loop.wait_for(known + [(6, "device.disabled", phone.device_id)])
    assert "events are gone, up to 5" in loop.said.read_text(encoding="utf-8")


def test_a_refusal_that_will_not_pass_ends_it(loop, door):
    loop.environment["HERALD_API_KEY"] = "hk_none"
    loop.start()
    assert loop.process.wait(timeout=60) != 0
    assert "401" in loop.said.read_text(encoding="utf-8") and door.asked == 1
