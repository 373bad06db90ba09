"""The simulated receiver of webhooks, asked by the signature of the specification's own example."""

import base64
import hashlib
import hmac
import http.client
import time

import pytest

from hook_client import HookService

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


@pytest.fixture
def hook():
    with HookService() as made:
        made.know(SECRET)
        yield made


def sign(msg_id, at_s, body, secret=SECRET):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.digest(key, f"{msg_id}.{at_s}.".encode() + body, "sha256")
    return "v1," + base64.b64encode(mac).decode()


def deliver(hook, body=b'{"type":"test"}', at_s=None, timeout=10, **changes):
    """Status of the answer, and its headers; None where the connection was cut."""
    at_s = int(time.time()) if at_s is None else at_s
    headers = {"webhook-id": "msg_1", "webhook-timestamp": str(at_s),
               "webhook-signature": sign("msg_1", at_s, body)} | changes
    connection = http.client.HTTPConnection(hook.address, timeout=timeout)
    try:
        connection.request("POST", "/x", body, {name: value for name, value in headers.items() if value})
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.headers
    except (http.client.HTTPException, ConnectionError, TimeoutError):
        return None
    finally:
        connection.close()


def verdicts(hook):
    return [call["verdict"] for call in hook.all_calls()]


def test_signatures_are_judged(hook):
    other = sign("msg_1", int(time.time()), b'{"type":"test"}', "whsec_" + "A" * 43 + "=")
    right = sign("msg_1", int(time.time()), b'{"type":"test"}')
    assert deliver(hook)[0] == 200
    deliver(hook, **{"webhook-signature": other})
    deliver(hook, **{"webhook-signature": f"{other} {right}"})
    deliver(hook, **{"webhook-signature": right[3:]})
    deliver(hook, **{"webhook-id": "msg_2"})
    deliver(hook, **{"webhook-timestamp": None})
    deliver(hook, at_s=int(time.time()) - 400)
    assert verdicts(hook) == ["genuine", "forged", "genuine", "forged", "forged", "unsigned", "late"]
    assert hook.calls(verdict="genuine")[0]["body"] == '{"type":"test"}'
    assert len(hook.calls(webhook_id="msg_2")) == 1


@pytest.mark.parametrize("what, status", [
    ("ok", 200), ("wrong", 500), ("busy", 503), ("redirect", 302), ("huge", 200), ("gone", 410)])
def test_it_answers_as_it_is_told(hook, what, status):
    hook.behave(what, count=1)
    assert deliver(hook)[0] == status
    assert deliver(hook)[0] == 200


def test_it_cuts_is_slow_flaps_and_goes_away(hook):
    for what in ("cut", "cut_within"):
        hook.behave(what, count=1)
        assert deliver(hook) is None
    hook.behave("slow", count=1, wait_ms=300)
    began = time.monotonic()
    assert deliver(hook)[0] == 200 and time.monotonic() - began >= 0.3
    hook.behave("flapping", wait_ms=100)
    end, seen = time.monotonic() + 5, set()
    while len(seen) < 2 and time.monotonic() < end:
        seen.add(deliver(hook)[0])
    assert seen == {200, 503}
    hook.told("down")
    assert deliver(hook) is None
    hook.told("up")
    assert len(verdicts(hook)) > 3 and set(verdicts(hook)) == {"genuine"}


def test_chance_draws_as_often_as_it_should():
    with HookService("--misbehave", 30, "--seed", 7, "--tolerance-s", 0) as hook:
        hook.know(SECRET)
        hook.behave("ok", count=1)
        for _ in range(100):
            deliver(hook, at_s=1, timeout=0.05)
        bad = [call for call in hook.all_calls() if call["behaviour"] != "ok"]
        assert 15 <= len(bad) <= 45 and set(verdicts(hook)) == {"genuine"}
