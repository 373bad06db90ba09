"""The walk's telephone with Tasker: the call that it sees confirms a number, and an SMS does not."""

import http.client
import json
import time
import uuid

from walk_stage import WalkFailed

PATH = "/device/v1/calls"


def report(herald, voice, key_file, body):
    """What Tasker sends: the template of docs/phones.md, filled in. Says what became of it."""
    with open(key_file, encoding="ascii") as file:
        headers = {"X-Device-Key": file.readline().strip(), "Content-Type": "application/json"}
    herald.tell("POST", PATH, body)
    connection = herald.connect()
    try:
        connection.request("POST", PATH, json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
    except (OSError, http.client.HTTPException) as fault:
        raise WalkFailed(f"POST {PATH}: herald does not answer ({fault})") from fault
    finally:
        connection.close()
    if answer.status != 200:
        raise WalkFailed(f"POST {PATH}: expected 200, got {answer.status}: {text!r}")
    result = json.loads(text)
    voice.answer(f"200 {result['result']}" + (f": {result['reason']}" if result["reason"] else ""),
                 is_refusal=result["result"] != "confirmed")
    return result["result"]


def show_tasker(herald, voice, key_file, caller, gateway):
    voice.step(
        "tasker",
        "The same with Tasker on any Android telephone",
        "Its rule for calls sends a template. What an SMS brings is not taken for a call.",
    )
    challenge = herald.must(201, "POST", "/internal/v1/challenges",
                            {"caller": caller, "gateway_number": gateway}, f"walk-{uuid.uuid4()}")
    now = str(int(time.time() * 1000))
    body = {"kind": "call", "gateway_number": gateway, "caller": caller, "occurred_at": now,
            "sent_at": now}
    results = [report(herald, voice, key_file, sent) for sent in ({**body, "kind": "sms"}, body)]
    if results != ["no_challenge", "confirmed"]:
        raise WalkFailed(f"The two reports ended as {results}")
    path = f"/internal/v1/challenges/{challenge['id']}"
    herald.tell("GET", path)
    challenge = herald.must(200, "GET", path)
    if challenge["state"] != "confirmed":
        raise WalkFailed(f"Tasker's call did not confirm: {challenge}")
    voice.answer(f"200 {challenge['state']} by Tasker's call at {challenge['confirmed_at']}")
