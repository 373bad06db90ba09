"""The part of the walk that shows how a core system hears what happened."""

import json

from walk_stage import Simulation, WalkFailed, wait_for

# A receiver on this machine, without TLS.
WEBHOOK_SETTINGS = {"HERALD_WEBHOOK_ALLOW_HTTP": "true", "HERALD_WEBHOOK_NETWORKS": "loopback"}
ENDPOINTS = "/internal/v1/webhook-endpoints"
DESCRIPTION = "The core system of the walk"


class Hook(Simulation):
    """The core system's end of webhooks, which checks every signature."""

    def __init__(self, program, programs):
        super().__init__("hook", [program], programs)

    def delivery_of(self, subject_id, kind):
        """The first genuine one that tells this of a subject."""
        for call in self.ask("GET", f"calls?verdict=genuine&contains={subject_id}")["calls"]:
            body = json.loads(call["body"])
            if (body["type"], body["subject"]["id"]) == (kind, subject_id):
                return call
        return None


def show_endpoint(herald, voice, hook):
    voice.step(
        "webhook",
        "The core system wants to be told",
        "Its endpoint hears of codes and calls; the secret, by which deliveries are signed, is "
        "shown once.",
    )
    for old in herald.must(200, "GET", ENDPOINTS)["endpoints"]:
        if old["description"] == DESCRIPTION:  # of an earlier walk
            herald.must(204, "DELETE", f"{ENDPOINTS}/{old['id']}")
    body = {"url": f"{hook.url}/herald", "types": ["otp.*", "challenge.*"],
            "description": DESCRIPTION}
    herald.tell("POST", ENDPOINTS, body)
    made = herald.must(201, "POST", ENDPOINTS, body)
    hook.ask("POST", "secrets", {"secrets": [made["secret"]]})
    voice.answer(f"201 endpoint {made['id']}")
    voice.line(f"      secret whsec_{'*' * 8}")


def show_arrival(voice, programs, hook, subject_id, kind):
    voice.step(
        "heard",
        "The core system has heard of it, without asking",
        "The delivery is signed as Standard Webhooks says; the receiver has verified that.",
    )
    call = wait_for("waiting for the webhook", lambda: hook.delivery_of(subject_id, kind), programs)
    body = json.loads(call["body"])
    if body["data"]["state"] != "confirmed":
        raise WalkFailed(f"The webhook tells something else: {body}")
    subject, data = body["subject"], body["data"]
    voice.request("POST", call["path"], json.dumps({
        "type": body["type"], "subject": subject,
        "data": {"state": data["state"], "confirmed_at": data["confirmed_at"]}}))
    voice.answer(f"genuine: webhook-id {call['webhook_id']}")
