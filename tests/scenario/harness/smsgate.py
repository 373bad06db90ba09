"""The SMSGate app as it speaks to its server, request by request (contract, section 15.2).

What it is answered is held against the types and limits that the app's own library declares: no other
member, no other kind, nothing too long.
"""

import base64
import http.client
import json
import re
import socket
import ssl

from .shapes import check_shape, parse_time

TIMEOUT_S = 60
STATES = ("Pending", "Cancelling")


def _is_time(value):
    return bool(parse_time(value))


def _is_text_message(value):
    return set(value) == {"text"} and 1 <= len(value["text"]) <= 65535


MESSAGE = {
    "id": lambda value: isinstance(value, str) and 1 <= len(value) <= 36,
    "textMessage": _is_text_message,
    "phoneNumbers": lambda value: len(value) == 1 and re.fullmatch(r"\+[0-9]{7,15}", value[0]),
    "simNumber": lambda value: value in (1, 2, 3),
    "withDeliveryReport": lambda value: value is True,
    "priority": lambda value: type(value) is int and 100 <= value <= 127,
    "validUntil": _is_time,
    "state": lambda value: value in STATES,
    "createdAt": _is_time,
}
REGISTRATION = {
    "id": lambda value: isinstance(value, str),
    "token": lambda value: isinstance(value, str),
    "login": lambda value: isinstance(value, str),
    "password": lambda value: value is None,
}
REFUSAL = {"message": lambda value: isinstance(value, str) and value}


def sims(*numbers):
    """What the app shows of its SIMs; None: one without a number."""
    return [
        {"slotIndex": slot, "simNumber": slot + 1, "carrierName": "****afon", "iccid": None,
         "phoneNumber": number and "*" * (len(number) - 4) + number[-4:]}
        for slot, number in enumerate(numbers)
    ]


class App:
    """An installed app. It has a key once it is registered."""

    name = "Google/Pixel"

    def __init__(self, address, token=None, device_id=None, source=None, tls=None):
        self.address, self.token, self.device_id = address, token, device_id
        self.source, self.tls = source, tls

    def ask(self, method, path, body=None, authorization=None, raw=None):
        """Returns status and answer; without an `authorization` of its own it sends its key."""
        headers = {"User-Agent": "me.capcom.smsgateway/1.68.0"}
        if authorization is None and self.token:
            authorization = f"Bearer {self.token}"
        if authorization:
            headers["Authorization"] = authorization
        if body is not None:
            raw = json.dumps(body).encode()
        if raw is not None:
            headers["Content-Type"] = "application/json; charset=UTF-8"
        kind = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
        more = {"context": self.tls} if self.tls else {}
        source = (self.source, 0) if self.source else None
        connection = kind(*self.address, timeout=TIMEOUT_S, source_address=source, **more)
        try:
            connection.request(method, f"/smsgate/v1{path}", raw, headers)
            reply = connection.getresponse()
            text = reply.read()
        finally:
            connection.close()
        answer = json.loads(text) if text else None
        if reply.status >= 400:
            check_shape(answer, REFUSAL)
        return reply.status, answer

    def register(self, authorization="", *shown):
        body = {"name": self.name, "pushToken": None, "simCards": sims(*shown)}
        status, answer = self.ask("POST", "/device", body, authorization)
        if status == 201:
            check_shape(answer, REGISTRATION)
            self.token, self.device_id = answer["token"], answer["id"]
        return status

    def register_by_code(self, code, *shown):
        return self.register(f"Code {code}", *shown)

    def register_by_password(self, user, key, *shown):
        pair = base64.b64encode(f"{user}:{key}".encode()).decode()
        return self.register(f"Basic {pair}", *shown)

    def update(self, *shown, device_id=None):
        body = {"id": device_id or self.device_id, "pushToken": None, "simCards": sims(*shown)}
        return self.ask("PATCH", "/device", body)[0]

    def pull(self):
        status, answer = self.ask("GET", "/message?order=fifo")
        assert status == 200, (status, answer)
        return [check_shape(message, MESSAGE) for message in answer]

    def pull_one(self):
        message, = self.pull()
        return message

    def report(self, message_id, state, error=None, status=204, at="2026-11-21T11:33:00.123+07:00"):
        recipient = {"phoneNumber": "79160000000", "state": state, "error": error}
        item = {"id": message_id, "state": state, "recipients": [recipient],
                "states": {state: at}}
        got = self.ask("PATCH", "/message", [item])
        assert got[0] == status, got

    def listen(self):
        return Listening(self)


class Listening:
    """An open stream of events."""

    def __init__(self, app):
        raw = socket.create_connection(app.address, timeout=TIMEOUT_S)
        self._socket = app.tls.wrap_socket(raw, server_hostname=app.address[0]) if app.tls else raw
        self._socket.sendall(
            f"GET /smsgate/v1/events HTTP/1.1\r\nHost: herald\r\nAccept: text/event-stream\r\n"
            f"Authorization: Bearer {app.token}\r\n\r\n".encode())
        self._reply = http.client.HTTPResponse(self._socket, method="GET")
        self._reply.begin()
        self.status = self._reply.status
        self.type = self._reply.getheader("Content-Type")

    def next(self, within=10):
        """The next event as (name, data); None if none came, or the stream has ended."""
        self._socket.settimeout(within)
        lines = {}
        try:
            while line := self._reply.readline().decode().rstrip("\n"):
                if line.startswith(":"):
                    assert self._reply.readline() == b"\n"
                    continue
                name, value = line.split(": ", 1)
                lines[name] = value
        except (TimeoutError, ssl.SSLError):
            return None
        return (lines["event"], json.loads(lines["data"])) if lines else None

    def close(self):
        self._reply.close()
        self._socket.close()
