"""The section "Confirm a number at sign-up" of docs/integrating.md: its two programs do what it says, as
they stand there, and its tables name every state and every error that there is."""

import http.client
import os
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from harness.actors import read_code, wrong_code
from harness.site import PROJECT, free_port
from harness.tools import eventually, fresh_key, fresh_number

PAGE = (PROJECT / "docs" / "integrating.md").read_text(encoding="utf-8").split("\n## How a core")[0]
PROGRAMS = {"python": [sys.executable], "js": ["node"]}
LINES_MAX = 52
OPERATIONS = {  # as the page calls them
    "create": ("/internal/v1/otp", "post"),
    "verify": ("/internal/v1/otp/{id}/verify", "post"),
    "fallback": ("/internal/v1/otp/{id}/sms-fallback", "post"),
    "cancel": ("/internal/v1/otp/{id}/cancel", "post"),
    "call": ("/internal/v1/challenges", "post"),
}


# --- The programs -----------------------------------------------------------------------------


def program_in_docs(language):
    block, = re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)
    return block


class Confirmation:
    """One of the programs, and a customer who types into it."""

    def __init__(self, language, folder, site, key, number, patience_s=60,
                 url=None):
        self.program = folder / ("confirm.mjs" if language == "js" else "confirm.py")
        self.program.write_text(program_in_docs(language), encoding="utf-8")
        self.said = folder / f"said-{fresh_key()}"
        self.number = number
        self.words = [*PROGRAMS[language], self.program, number]
        self.environment = os.environ | {
            "HERALD_URL": url or f"http://127.0.0.1:{site.port or site.address[1]}",
            "HERALD_API_KEY": key, "PATIENCE_S": str(patience_s)}
        self.process = None

    def start(self, sign_up_id):
        with open(self.said, "wb") as out:
            self.process = subprocess.Popen(
                [*self.words, sign_up_id], env=self.environment, stdin=subprocess.PIPE, stdout=out,
                stderr=subprocess.STDOUT)
        return self

    def type(self, text):
        self.process.stdin.write(f"{text}\n".encode())
        self.process.stdin.flush()

    @property
    def output(self):
        return self.said.read_text(encoding="utf-8")

    def wait_for(self, text):
        assert eventually(lambda: text in self.output), self.output

    def expect_end(self, status, text):
        assert self.process.wait(timeout=120) == status, self.output
        assert self.output.splitlines()[-1].startswith(text), self.output

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()


@pytest.fixture(params=PROGRAMS)
def confirm(request, site, core, tmp_path):
    """Begins with a program, with a key of the role core; no later phone gets a code of it."""
    key = core.post("/internal/v1/api-keys", {"name": "shop", "role": "core"}).expect(201)
    begun = []

    def begin(number, sign_up_id=None, **options):
        made = Confirmation(request.param, tmp_path, site, key["key"], number, **options)
        begun.append(made)
        return made.start(sign_up_id or fresh_key())

    yield begin
    for one in begun:
        one.close()
        for code in codes_of(core, one.number):
            core.cancel_otp(code["id"])


def codes_of(core, number):
    return core.otps(recipient=number).expect(200)["codes"]


def task_for(phone, number):
    task = phone.claim_task()
    assert task["recipient"] == number, task
    return task


@pytest.mark.parametrize("language", PROGRAMS)
def test_they_are_short(language):
    assert len(program_in_docs(language).splitlines()) <= LINES_MAX


def test_the_right_code_confirms(confirm, core, ready_phone):
    number = fresh_number()
    program = confirm(number)
    task = task_for(ready_phone, number)
    program.wait_for(f"{number} got 6 digits")
    program.type(read_code(task))
    program.expect_end(0, "confirmed")
    assert [row["state"] for row in codes_of(core, number)] == ["confirmed"]


def test_a_wrong_code_and_what_is_none_leave_the_right_one(confirm, core, ready_phone):
    number = fresh_number()
    program = confirm(number)
    code = read_code(task_for(ready_phone, number))
    program.type(wrong_code(code))
    program.wait_for("try again: code_mismatch 4")
    program.type("none")
    program.wait_for("try again: validation_error")
    program.type(code)
    program.expect_end(0, "confirmed")
    assert codes_of(core, number)[0]["attempts_left"] == 4


def test_five_wrong_codes_end_it(confirm, core, ready_phone):
    number, sign_up_id = fresh_number(), fresh_key()
    program = confirm(number, sign_up_id)
    code = read_code(task_for(ready_phone, number))
    for _ in range(5):
        program.type(wrong_code(code))
    program.expect_end(1, "not confirmed: that was the last attempt")
    again = confirm(number, sign_up_id)
    again.type(code)
    again.expect_end(1, "not confirmed: attempts_exhausted")
    assert [row["state"] for row in codes_of(core, number)] == ["exhausted"]


def test_without_a_ready_sim_it_gives_up_and_says_so(confirm, core, phone):
    number = fresh_number()
    confirm(number, patience_s=2).expect_end(1, "not confirmed: no_ready_sim")
    assert not codes_of(core, number)
    program = confirm(number)  # it waits for a SIM that becomes ready
    phone.be_ready()
    program.type(read_code(task_for(phone, number)))
    program.expect_end(0, "confirmed")


def test_nothing_typed_is_no_confirmation(confirm, core, ready_phone):
    number = fresh_number()
    program = confirm(number)
    task_for(ready_phone, number)
    program.process.stdin.close()
    program.expect_end(1, "not confirmed: no code was typed")
    assert codes_of(core, number)[0]["state"] == "queued"


def test_the_same_sign_up_again_sends_nothing(confirm, core, ready_phone):
    number, sign_up_id = fresh_number(), fresh_key()
    program = confirm(number, sign_up_id)
    task = task_for(ready_phone, number)
    ready_phone.result(task, "sent").expect(204)
    program.wait_for("got 6 digits")
    program.process.kill()
    again = confirm(number, sign_up_id)
    again.wait_for("got 6 digits")
    again.type(read_code(task))
    again.expect_end(0, "confirmed")
    confirm(number, sign_up_id).expect_end(0, "confirmed")  # without a word typed
    made, = codes_of(core, number)
    assert len(made["sends"]) == 1
    assert ready_phone.claim().expect(200) == {"task": None}


def test_another_sign_up_of_the_number_waits(confirm, ready_phone):
    number = fresh_number()
    confirm(number)
    task_for(ready_phone, number)
    confirm(number).expect_end(1, "not confirmed: active_challenge_exists")


def test_a_fourth_code_is_told_when(confirm, core, ready_phone):
    number = fresh_number()
    for _ in range(3):
        core.cancel_otp(core.create_otp(number).expect(201)["id"]).expect(204)
    program = confirm(number, patience_s=2)
    program.expect_end(1, "not confirmed: rate_limited")
    assert re.search(r"rate_limited\. .* 20\d\d-\d\d-\d\dT", program.output)


def test_a_wrong_key_is_not_tried_again(confirm, ready_phone):
    program = confirm(fresh_number())
    task_for(ready_phone, program.number)
    program.close()
    program.environment["HERALD_API_KEY"] = "hk_none"
    program.start(fresh_key()).expect_end(1, "not confirmed: unauthorized")


@pytest.mark.parametrize("language", PROGRAMS)
def test_herald_is_away_at_first(language, fresh_site, tmp_path):
    fresh_site.port = free_port()
    number = fresh_number()
    program = Confirmation(language, tmp_path, fresh_site, fresh_site.internal_key, number, 1)
    program.start(fresh_key()).expect_end(1, "not confirmed: no_answer")

    program.environment["PATIENCE_S"] = "300"
    program.start(fresh_key())
    fresh_site.serve()
    phone = fresh_site.phone(fresh_site.core())
    phone.be_ready()
    program.type(read_code(task_for(phone, number)))
    program.expect_end(0, "confirmed")
    assert len(codes_of(fresh_site.core(), number)) == 1


class LosingProxy:
    """It hands each request on, and half of the answers get lost: each first one of two."""

    def __init__(self, address):
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                connection = http.client.HTTPConnection(*address, timeout=60)
                connection.request("POST", self.path, body, dict(self.headers))
                reply = connection.getresponse()
                answer = reply.read()
                connection.close()
                proxy.asked.append((self.path.rpartition("/")[2], reply.status))
                if len(proxy.asked) % 4 == 1:  # herald has done it, and nobody hears of that
                    return
                is_lost = len(proxy.asked) % 2 == 1
                self.send_response(502 if is_lost else reply.status)
                self.end_headers()
                self.wfile.write(b"<html>Bad Gateway</html>" if is_lost else answer)

            def log_message(self, *_):
                pass

        self.asked = []  # (operation, what herald answered)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def proxy(site):
    made = LosingProxy(site.address)
    yield made
    made.close()


def test_lost_answers_are_asked_for_again(confirm, core, ready_phone, proxy):
    number = fresh_number()
    program = confirm(number, url=proxy.url)
    program.type(read_code(task_for(ready_phone, number)))
    program.expect_end(0, "confirmed")
    assert proxy.asked == [("otp", 201), ("otp", 201), ("verify", 200), ("verify", 409)]
    assert [row["state"] for row in codes_of(core, number)] == ["confirmed"]


# --- The tables -------------------------------------------------------------------------------


def table(heading):
    """The rows of the table that has this head, as lists of cells."""
    head = "| " + heading
    lines = PAGE[PAGE.index(head):].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def words(cell):
    return re.findall(r"`([a-z0-9_]+)`", cell)


def errors_on_the_page():
    """{(operation, status, code, reason of channel_unavailable)}"""
    told = set()
    for status, code, where, *_ in table("Status | Code"):
        names, statuses = words(code), status.split(", ")
        if names[0] == "channel_unavailable":
            pairs = [(status, *names)]
        else:
            assert len(names) == len(statuses), code
            pairs = [(*pair, None) for pair in zip(statuses, names)]
        places = OPERATIONS if where == "all" else where.split(", ")
        told |= {(place, *pair) for place in places for pair in pairs}
    return told


def errors_of(document, path, method):
    """{(status, code, reason)} that the OpenAPI document shows of an operation."""
    found = set()
    for status, answer in document["paths"][path][method]["responses"].items():
        if "$ref" in answer:
            answer = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
        media = answer.get("content", {}).get("application/json", {})
        shown = [row["value"]["error"] for row in media.get("examples", {}).values()
                 if "error" in row["value"]]
        beside = dict(re.findall(r"(\d{3}) `([a-z_]+)`:", answer["description"]))
        of_code = {code: number for number, code in beside.items()}
        found |= {(status if status != "default" else of_code[error["code"]], error["code"],
                   error.get("reason")) for error in shown}
    return found


def values_of(document, record, field):
    """The words that this field of a record may have."""
    known = document["components"]["schemas"]
    shown = known[record]["properties"][field]
    return known[shown["$ref"].rpartition("/")[2]]["enum"] if "$ref" in shown else shown["enum"]


@pytest.fixture
def document(core):
    return core.get("/openapi.json").expect(200)


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_error_stands_in_the_table_and_exists(name, document):
    told = {row[1:] for row in errors_on_the_page() if row[0] == name}
    assert told == errors_of(document, *OPERATIONS[name])


def test_each_error_says_what_to_do():
    for row in table("Status | Code"):
        assert len(row) == 5 and row[3], row
        assert row[4] or "number_not_owned" in row[1], row


@pytest.mark.parametrize("thing, record", [("code", "OTPChallenge"), ("challenge", "Challenge")])
def test_each_state_stands_in_its_table(thing, record, document):
    states = values_of(document, record, "state")
    rows = table(f"State of a {thing}")
    assert [words(row[0])[0] for row in rows] == states
    assert all(len(row) == 3 and all(row) for row in rows)


def test_each_channel_is_a_way(document):
    channels = values_of(document, "OTPInput", "channel")
    ways = [words(row[0])[0] for row in table("Way |") if words(row[0])]
    assert sorted(ways) == sorted(channels)


# --- What may be repeated ---------------------------------------------------------------------


def test_repeats_do_what_the_page_says(core, ready_phone):
    number, key = fresh_number(), fresh_key()
    made = core.create_otp(number, key=key).expect(201)
    again = core.create_otp(number, key=key)
    assert again.expect(201)["id"] == made["id"] and again.header("Idempotent-Replayed") == "true"
    code = read_code(task_for(ready_phone, number))
    for left in (4, 3):
        assert core.verify(made["id"], wrong_code(code)).expect(422, "code_mismatch")[
            "error"]["attempts_left"] == left
    core.verify(made["id"], code).expect(200)
    core.verify(made["id"], code).expect(409, "already_confirmed")

    other = core.create_otp(fresh_number()).expect(201)
    for _ in range(2):
        core.cancel_otp(other["id"]).expect(204)
    core.verify(other["id"], code).expect(409, "challenge_canceled")

    without = core.create_otp(fresh_number(), channel="flash_call").expect(
        503, "channel_unavailable")
    assert without["error"]["reason"] == "not_configured" and "retry_at" not in without["error"]
