"""Applications of others that report calls, as they really send: httpSMS, CallGate, and templates
(contract, section 15.3)."""

import hashlib
import hmac
import json
import time
from datetime import datetime, timezone

from .http import Client
from .tools import fresh_address, fresh_key


def nanoseconds(moment):
    """As httpSMS writes a time: always UTC, with nine digits."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}000000Z"


class HttpSms(Client):
    """httpSMS on a phone that is logged in."""

    def __init__(self, phone):
        super().__init__(phone.address, {"x-api-key": phone.device_key, "X-Client-Version": "1.1.0"},
                         source=fresh_address())
        self.number = phone.number

    def log_in(self, number=None, sim="SIM1"):
        return self.put("/httpsms/v1/phones/fcm-token", {
            "fcm_token": "dXJ5dmVyc2lvbjph:APA91b", "phone_number": number or self.number, "sim": sim})

    def beat(self):
        return self.post("/httpsms/v1/heartbeats",
                         {"charging": True, "phone_numbers": [self.number]})

    def miss(self, caller, number=None, moment=None, sim="SIM1"):
        moment = moment or datetime.now(timezone.utc)
        return self.post("/httpsms/v1/messages/calls/missed", {
            "sim": sim, "from": caller, "timestamp": nanoseconds(moment), "to": number or self.number})

    def receive(self, sender, text):
        return self.post("/httpsms/v1/messages/receive", {
            "sim": "SIM1", "from": sender, "to": self.number, "content": text, "encrypted": False,
            "timestamp": nanoseconds(datetime.now(timezone.utc)), "attachments": None})


class CallGate(Client):
    """CallGate on a phone, with what its owner entered."""

    def __init__(self, phone, setup):
        super().__init__(phone.address, source=fresh_address())
        self.path = "/callgate/" + setup["url"].split("/callgate/")[1]
        self.signing_key = setup["signing_key"]

    def call(self, caller, event="call:ringing", webhook_id=None, offset_s=0, **changes):
        """A webhook as the application makes it; `changes` of it come behind the signature."""
        body = json.dumps({
            "id": webhook_id or fresh_key()[-21:], "webhookId": "k2Jd81nVx0", "event": event,
            "deviceId": "00000000f6a1", "payload": {"phoneNumber": caller}}).encode()
        timestamp = str(int(time.time()) + offset_s)
        signature = hmac.new(self.signing_key.encode(), body + timestamp.encode(), hashlib.sha256)
        headers = {"Content-Type": "application/json", "X-Timestamp": timestamp,
                   "X-Signature": signature.hexdigest(), **changes.get("headers", {})}
        return self.request("POST", changes.get("path", self.path), raw=changes.get("raw", body),
                            headers=headers)
