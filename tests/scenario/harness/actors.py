"""Who takes part in the dialogues: the core system with the internal key, and the phones."""

import contextlib
import re
import threading
from datetime import datetime, timezone
from urllib.parse import urlencode

from .http import NOTHING, Client
from .shapes import (
    CHANNEL, EXCHANGE_OVERVIEW, MESSAGE, MESSAGE_JOB, OTP, OVERVIEW, SMS_JOB, check_shape,
    format_time,
)
from .tools import PATIENCE_S, eventually, fresh_key

class Core(Client):
    """The calling core system, which is its operator too. Each method is one operation."""

    def __init__(self, address, internal_key, source=None):
        super().__init__(address, {"X-Internal-API-Key": internal_key}, source)
        self.otp_ids = []

    def register(self, name, numbers, **fields):
        return self.post("/internal/v1/devices", {"name": name, "numbers": numbers, **fields})

    def devices(self, query=""):
        return self.get(f"/internal/v1/devices{query}")

    def device(self, device_id):
        """The row of one device in the list."""
        rows = self.devices().expect(200)["devices"]
        return next(row for row in rows if row["id"] == device_id)

    def read_device(self, device_id):
        return self.get(f"/internal/v1/devices/{device_id}")

    def change_device(self, device_id, name, numbers):
        return self.put(f"/internal/v1/devices/{device_id}", {"name": name, "numbers": numbers})

    def remove_device(self, device_id):
        return self.request("DELETE", f"/internal/v1/devices/{device_id}")

    def enable(self, device_id, is_enabled):
        return self.patch(f"/internal/v1/devices/{device_id}", {"enabled": is_enabled})

    def bind_accounts(self, device_id, *account_ids):
        """The phone is bound to these messenger accounts, and to no others."""
        path = f"/internal/v1/devices/{device_id}/accounts"
        return self.put(path, {"accounts": list(account_ids)})

    def connect_accounts(self, phone, *account_ids):
        """These accounts of the phone are bound to it and connected; it has no others."""
        self.bind_accounts(phone.device_id, *account_ids).expect(200)
        phone.be_connected(*account_ids)

    def rotate_key(self, device_id):
        return self.post(f"/internal/v1/devices/{device_id}/rotate-key")

    def callgate(self, device_id):
        """What an owner enters in CallGate."""
        return self.get(f"/internal/v1/devices/{device_id}/callgate")

    def set_slots(self, device_id, *slots):
        return self.put(f"/internal/v1/devices/{device_id}/slots", {"slots": list(slots)})

    def pair(self, device_id):
        return self.post(f"/internal/v1/devices/{device_id}/pair")

    def channels(self):
        """Each channel by its word."""
        rows = self.get("/internal/v1/channels").expect(200)["channels"]
        return {row["channel"]: check_shape(row, CHANNEL) for row in rows}

    def changes_of_sim(self, otp_id):
        """From which SIM to which the SMS of a code went over, and why, as the log tells: oldest first."""
        page = self.get(f"/internal/v1/logs?otp_id={otp_id}&q=another+sim").expect(200)
        fields = [row["fields"] for row in reversed(page["entries"])]
        return [(row["gateway_number"].split()[0], row["next_gateway_number"].split()[0], row["reason"])
                for row in fields]

    def overview(self):
        return check_shape(self.get("/internal/v1/overview").expect(200), OVERVIEW)

    def exchange_overview(self):
        return check_shape(
            self.get("/internal/v1/overview/exchange").expect(200), EXCHANGE_OVERVIEW)

    def processes(self):
        return self.get("/internal/v1/processes")

    def audit(self, query=""):
        return self.get(f"/internal/v1/audit{query}")

    def create_challenge(self, caller, key=NOTHING, **fields):
        body = {"caller": caller, **fields}
        return self.post("/internal/v1/challenges", body, headers=_idempotency(key))

    def challenge(self, challenge_id):
        return self.get(f"/internal/v1/challenges/{challenge_id}")

    def challenges(self, **filters):
        return self.get(f"/internal/v1/challenges?{urlencode(filters)}")

    def cancel_challenge(self, challenge_id):
        return self.post(f"/internal/v1/challenges/{challenge_id}/cancel")

    def create_otp(self, recipient, key=NOTHING, **fields):
        body = {"channel": "sms", "recipient": recipient, **fields}
        reply = self.post("/internal/v1/otp", body, headers=_idempotency(key))
        if reply.status == 201:
            self.otp_ids.append(reply.json["id"])
        return reply

    def otp(self, otp_id):
        return self.get(f"/internal/v1/otp/{otp_id}")

    def otps(self, **filters):
        return self.get(f"/internal/v1/otp?{urlencode(filters)}")

    def wait_for_send(self, otp, *states, within=PATIENCE_S):
        """Reads the code until its last send is in one of these states; returns the code."""
        def read():
            record = check_shape(self.otp(otp["id"]).expect(200), OTP)
            return record if record["sends"][-1]["state"] in states else None

        found = eventually(read, within, 0.02)
        assert found, f"the send is not {states}: {self.otp(otp['id'])}"
        return found

    def verify(self, otp_id, code):
        return self.post(f"/internal/v1/otp/{otp_id}/verify", {"code": code})

    def cancel_otp(self, otp_id):
        return self.post(f"/internal/v1/otp/{otp_id}/cancel")

    def fall_back(self, otp_id, **fields):
        return self.post(f"/internal/v1/otp/{otp_id}/sms-fallback", fields)

    def create_message(self, key=NOTHING, **fields):
        return self.post("/internal/v1/messages", fields, headers=_idempotency(key))

    def message(self, message_id):
        return self.get(f"/internal/v1/messages/{message_id}")

    def messages(self, **filters):
        return self.get(f"/internal/v1/messages?{urlencode(filters)}")

    def wait_for_message(self, message, *states, within=PATIENCE_S):
        """Reads the message until it is in one of these states; returns it."""
        def read():
            record = check_shape(self.message(message["id"]).expect(200), MESSAGE)
            return record if record["state"] in states else None

        found = eventually(read, within, 0.02)
        assert found, f"the message is not {states}: {self.message(message['id'])}"
        return found


class Phone(Client):
    """A phone: its key and its numbers. The first number is meant where none is named."""

    def __init__(self, address, device_id, device_key, numbers):
        super().__init__(address, {"X-Device-Key": device_key})
        self.device_id = device_id
        self.device_key = device_key
        self.numbers = numbers

    @property
    def number(self):
        return self.numbers[0]

    def at(self, address):
        """The same phone, talking to another process of the same site."""
        return Phone(address, self.device_id, self.device_key, self.numbers)

    def ping(self, **fields):
        return self.post("/api/device/ping", fields)

    def claim(self, number=None, **fields):
        body = {"gateway_number": number or self.number, **fields}
        return self.post("/device/v1/sms/claim", body)

    def be_ready(self, *numbers):
        """Declares the SIMs ready, as a phone without work does every few seconds."""
        for number in numbers or self.numbers:
            assert self.claim(number).expect(200) == {"task": None}

    def claim_task(self, number=None, within=PATIENCE_S):
        """Asks until there is a task, as a phone does; None when none came in that time."""
        task = eventually(lambda: self.claim(number).expect(200)["task"], within)
        return check_shape(task, SMS_JOB) if task else None

    def result(self, task, status, has_lease=True, **fields):
        lease = {"lease_id": task["lease_id"]} if has_lease else {}
        body = {**lease, "status": status, **fields}
        return self.post(f"/device/v1/sms/{task['id']}/result", body)

    def declare(self, *accounts):
        """Tells of its messenger accounts: (account_id, state) each."""
        rows = [{"account_id": account_id, "messenger": "telegram", "state": state}
                for account_id, state in accounts]
        return self.post("/device/v1/accounts", {"accounts": rows})

    def be_connected(self, *account_ids):
        self.declare(*((account_id, "connected") for account_id in account_ids)).expect(204)

    def claim_message(self, account_id, **fields):
        return self.post("/device/v1/messages/claim", {"account_id": account_id, **fields})

    def claim_message_task(self, account_id, within=PATIENCE_S):
        """Asks until there is a message to send; None when none came in that time."""
        task = eventually(
            lambda: self.claim_message(account_id).expect(200)["task"], within)
        return check_shape(task, MESSAGE_JOB) if task else None

    def message_result(self, task, status, has_lease=True, **fields):
        lease = {"lease_id": task["lease_id"]} if has_lease else {}
        body = {**lease, "status": status, **fields}
        return self.post(f"/device/v1/messages/{task['id']}/result", body)

    def event(self, caller, number=None, *, path="/api/events", event_id=None, occurred_at=None,
              **fields):
        """Reports an incoming call, by default one that rings just now."""
        body = {
            "event_id": event_id or fresh_key(),
            "gateway_number": number or self.number,
            "caller": caller,
            "occurred_at": occurred_at or format_time(datetime.now(timezone.utc)),
            **fields,
        }
        return self.post(path, body)


@contextlib.contextmanager
def alive(*phones):
    """They claim all the while, and are given nothing."""
    is_over = threading.Event()

    def claim():
        while not is_over.wait(0.5):
            for phone in phones:
                phone.claim().expect(200)

    thread = threading.Thread(target=claim, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(10)


def read_code(task, length=6):
    """The digits that the recipient reads in the text: they stand in it once."""
    codes = re.findall(rf"(?<!\d)\d{{{length}}}(?!\d)", task["text"])
    assert len(set(codes)) == 1, f"not exactly one code in {task['text']!r}"
    return codes[0]


def wrong_code(code):
    """Another code of the same length."""
    return code[:-1] + str((int(code[-1]) + 1) % 10)


def _idempotency(key):
    return {"Idempotency-Key": fresh_key() if key is NOTHING else key}
