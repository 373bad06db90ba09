"""Calls `erp serve` as a service with an order does."""

import http.client
import itertools
import json
import socket
import uuid

from erp_client import TIMEOUT_S

LOST = (http.client.RemoteDisconnected, http.client.IncompleteRead, ConnectionError)
MIB = 1024 * 1024
_numbers = itertools.count(1042)


def order_record(**changes):
    """A new order with all that doc B names."""
    return {
        "id": str(uuid.uuid4()), "number": f"A-{next(_numbers)}",
        "created_at": "2026-11-21T04:33:00.123Z",
        "point_id": "5a2f9c1e-2222-4c3b-9d2e-7f60a1b2c3d4", "type": "delivery",
        "status": "confirmed", "payment_method": "card_online", "payment_status": "paid",
        "currency": "RUB", "subtotal": "580.00", "delivery_fee": "99.00", "total": "679.00",
        "customer": {"name": "Anna", "phone": "+79161234567"},
        "delivery": {"address": "Moscow, Tverskaya 1, 12", "scheduled_for": None},
        "comment": "",
        "items": [{
            "product_id": "p-1", "variant_id": "v-1", "name": "Cappuccino", "quantity": "2",
            "unit_price": "250.00", "line_total": "580.00",
            "modifiers": [{"id": "o-1", "group_id": "g-1", "name": "Oat milk", "quantity": "1",
                           "unit_price": "40.00", "line_total": "40.00"}],
        }],
    } | changes


class Answer:
    """Status, headers and body of an answer."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)


class Caller:
    """Sends to an ERP as a service does. A header that is None is left out."""

    def __init__(self, erp):
        self.erp = erp

    def request(self, verb, path, body=None, headers=None, timeout=TIMEOUT_S):
        connection = http.client.HTTPConnection(self.erp.address, timeout=timeout)
        named = {"Authorization": f"Bearer {self.erp.token}"} | (headers or {})
        try:
            connection.request(verb, path, body, {k: v for k, v in named.items() if v is not None})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def post(self, body, key, path="/svc/v1/orders", timeout=TIMEOUT_S, **headers):
        named = {"Content-Type": "application/json", "Idempotency-Key": key}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request("POST", path, body, named, timeout)

    def send(self, record=None, timeout=TIMEOUT_S, **headers):
        record = order_record() if record is None else record
        return self.post(json.dumps(record).encode(), record["id"], timeout=timeout, **headers)

    def health(self, **headers):
        return self.request("GET", "/svc/v1/health", headers=headers)

    def raw(self, data):
        """The bytes that come back until the connection ends."""
        host, port = self.erp.address.split(":")
        with socket.create_connection((host, int(port)), TIMEOUT_S) as connection:
            connection.sendall(data)
            return read_to_the_end(connection)


def read_to_the_end(connection):
    got = b""
    try:
        while piece := connection.recv(65536):
            got += piece
    except ConnectionResetError:
        pass
    return got


def read_some(connection):
    """What has come, and comes within a tenth of a second."""
    connection.settimeout(0.1)
    try:
        while connection.recv(1024 * 1024):
            pass
    except TimeoutError:
        pass
    return True


def raw_order(record, close=True):
    body = json.dumps(record).encode()
    head = ("POST /svc/v1/orders HTTP/1.1\r\nHost: erp\r\nAuthorization: Bearer erp-token\r\n"
            f"Content-Type: application/json\r\nIdempotency-Key: {record['id']}\r\n"
            f"Content-Length: {len(body)}\r\n{'Connection: close' if close else 'X-A: b'}\r\n\r\n")
    return head.encode() + body
