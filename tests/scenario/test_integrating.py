"""The application of docs/integrating.md, as it stands there: it confirms a call and a code by webhooks
alone. Of herald it asks nothing but to begin."""

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
import time

import pytest

from harness.actors import read_code
from harness.hooks import WEBHOOKS, WEBHOOK_SETTINGS
from harness.site import PROJECT, free_port
from harness.tools import eventually, fresh_number

SETTINGS = WEBHOOK_SETTINGS
LINES_MAX = 100


def application():
    text = (PROJECT / "docs" / "integrating.md").read_text(encoding="utf-8")
    return next(block for block in re.findall(r"```python\n(.*?)```", text, re.S)
                if "A shop that confirms" in block)


class Shop:
    """The application; it may be killed and started again."""

    def __init__(self, core, site, folder):
        self.port = free_port()
        self.program = folder / "shop.py"
        self.program.write_text(application(), encoding="utf-8")
        made = core.post(WEBHOOKS, {"url": f"http://127.0.0.1:{self.port}/hooks",
                                    "types": ["otp.*", "challenge.*"]}).expect(201)
        self.endpoint = f"{WEBHOOKS}/{made['id']}"
        key = core.post("/internal/v1/api-keys", {"name": "shop", "role": "core"}).expect(201)
        self.environment = os.environ | {
            "HERALD_URL": f"http://{site.address[0]}:{site.address[1]}", "PORT": str(self.port),
            "HERALD_API_KEY": key["key"], "WEBHOOK_SECRET": made["secret"],
            "SHOP_DATABASE": str(folder / "shop.db")}
        self.process = None

    def start(self):
        self.process = subprocess.Popen([sys.executable, self.program], env=self.environment,
                                        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert eventually(lambda: self.ask("GET", "/state/none")[0] == 404, 10)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ask(self, method, path, body=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with contextlib.closing(connection):
            try:
                connection.request(method, path, body if body is None or isinstance(body, bytes)
                                   else json.dumps(body), dict(headers))
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read())
            except OSError:
                return None, None

    def must(self, method, path, body=None):
        status, answer = self.ask(method, path, body)
        assert status == 200, answer
        return answer

    def wait_for(self, attempt_id, state, within=15):
        assert eventually(lambda: self.must("GET", f"/state/{attempt_id}")["state"] == state, within)


@pytest.fixture
def core(site):
    return site.core()


@pytest.fixture
def phone(site, core):
    made = site.phone(core)
    made.be_ready()
    yield made
    core.enable(made.device_id, False)


@pytest.fixture
def shop(core, site, tmp_path):
    made = Shop(core, site, tmp_path)
    made.start()
    yield made
    made.kill()
    core.request("DELETE", made.endpoint)


def test_it_is_short():
    assert len(application().splitlines()) <= LINES_MAX


def test_a_call_and_a_code_are_confirmed_by_webhooks_alone(shop, phone):
    caller, recipient = fresh_number(), fresh_number()
    call = shop.must("POST", "/start", {"number": caller, "by": "call"})
    assert shop.must("GET", f"/state/{call['id']}") == {"number": caller, "state": "waiting"}
    phone.event(caller, call["call"]).expect(200)
    shop.wait_for(call["id"], "confirmed")

    code = shop.must("POST", "/start", {"number": recipient, "by": "code"})
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    shop.wait_for(code["id"], "sent")
    typed = read_code(task)
    wrong = typed[:-1] + str((int(typed[-1]) + 1) % 10)
    assert shop.ask("POST", "/code", {"id": code["id"], "code": wrong})[0] == 422
    assert shop.must("GET", f"/state/{code['id']}")["state"] == "sent"
    shop.must("POST", "/code", {"id": code["id"], "code": typed})
    shop.wait_for(code["id"], "confirmed")


def test_it_was_away_and_hears_of_it_later(shop, core, phone):
    caller = fresh_number()
    call = shop.must("POST", "/start", {"number": caller, "by": "call"})
    shop.kill()
    phone.event(caller, call["call"]).expect(200)
    deliveries = f"{shop.endpoint}/deliveries"
    assert eventually(lambda: any(row["attempts"] and row["answer"] for row in core.get(
        deliveries).expect(200)["deliveries"]), 10), "nothing was attempted while it was away"
    shop.start()
    shop.wait_for(call["id"], "confirmed", within=20)


def test_it_takes_nothing_that_is_forged(shop):
    body = json.dumps({"type": "otp.confirmed", "timestamp": "", "data": {"state": "confirmed"},
                       "subject": {"type": "otp", "id": "x", "sequence": 9}}).encode()
    now = str(int(time.time()))
    for headers in ({}, {"webhook-id": "1", "webhook-timestamp": now, "webhook-signature": "v1,AAAA"}):
        assert shop.ask("POST", "/hooks", body, headers)[0] == 400
    assert shop.ask("GET", "/state/x")[0] == 404
