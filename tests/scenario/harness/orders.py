"""Orders on their way: the sales point that has them delivered, and its ERP, simulated (sim/erp)
or made of bytes."""

import contextlib
import itertools
import json
import os
import secrets
import socket
import sys
import threading
import time
from datetime import timedelta
from urllib.parse import urlencode

from .exchange import Operator
from .http import NOTHING
from .shapes import ORDER_ATTEMPT, ORDER_DELIVERY, check_shape, parse_time
from .site import BINARY, PROJECT
from .tools import PATIENCE_S, Moment, eventually, fresh_key

# The programs of one build belong together.
os.environ.setdefault("HERALD_SIM_ERP", str(BINARY.parent / "sim" / "erp"))
sys.path.append(str(PROJECT / "tests" / "sim"))

from erp_client import ErpService  # noqa: E402 (its folder is known from here on)

ORDER_SETTINGS = {"HERALD_ERP_ALLOW_HTTP": "true", "HERALD_ERP_NETWORKS": "loopback"}
ORDERS = "/internal/v1/orders"
SCHEDULE_S = [1, 5, 15, 30, 60, 120, 300, 300]
PROBE_S = 30
FAILURES_IN_A_ROW = 5
AT_ONCE = 4
NEVER = Moment(0.3)  # longer than it takes a worker that was woken


# --- orders

_numbers = itertools.count(1042)


def modifier(**changes):
    return {"id": "o-oat", "group_id": "g-milk", "name": "Oat milk", "quantity": "1",
            "unit_price": "40.00", "line_total": "40.00"} | changes


def item(*modifiers, **changes):
    return {"product_id": "p-1", "variant_id": "v-1", "name": "Cappuccino", "quantity": "2",
            "unit_price": "250.00", "line_total": "500.00",
            "modifiers": list(modifiers)} | changes


def order_input(point_id, /, **changes):
    """An order with all that an order can have; a change to NOTHING leaves a field out.

    Its times are written as herald writes them, so that it is sent as it stands here.
    """
    made = {
        "id": fresh_key(), "number": f"A-{next(_numbers)}", "created_at": "2026-11-21T04:32:58.000Z",
        "point_id": point_id, "type": "delivery", "status": "confirmed", "payment_method": "sbp",
        "payment_status": "paid", "currency": "RUB", "subtotal": "790.00",
        "delivery_fee": "99.50", "total": "889.50",
        "customer": {"name": "Анна", "phone": "+79161234567"},
        "delivery": {"address": "ул. Лесная, 5", "scheduled_for": "2026-11-21T06:00:00.000Z"},
        "comment": "Не звонить", "items": [item(modifier(), modifier(id="o-2")), item()],
    } | changes
    return {name: value for name, value in made.items() if value is not NOTHING}


def read_strictly(text):
    """A JSON text in which no key comes twice."""
    def take(pairs):
        assert len(dict(pairs)) == len(pairs), f"a key comes twice: {pairs}"
        return dict(pairs)

    return json.loads(text, object_pairs_hook=take)


# --- the sales point


class Shop:
    """A sales point with an integration of its own: places orders, and follows them."""

    def __init__(self, site, erp, **erp_changes):
        self.site = site
        self.operator = Operator.of(site)
        self.clock = site.clock
        self.erp = erp
        reached = {"base_url": erp.url, "token": erp.token} | erp_changes
        self.integration = self.operator.create_integration(erp=reached).expect(201)
        self.integration_id = self.integration["id"]

    def move_to(self, site, process=None):
        """It talks to another process of the same site."""
        self.operator = Operator.of(site, process)

    def close(self):
        """What is left of its orders is not delivered any more."""
        self.operator.change_integration(self.integration_id, enabled=False).expect(200)

    # --- operations

    def order(self, **changes):
        return order_input(self.integration["point_id"], **changes)

    def place(self, order=None, key=NOTHING, **changes):
        """Has an order delivered; by default one with all that an order can have."""
        made = self.order(**changes) if order is None else order
        return self.operator.post(
            ORDERS, {"integration_id": self.integration_id, "order": made},
            headers={"Idempotency-Key": fresh_key() if key is NOTHING else key})

    def placed(self, order=None, **changes):
        """The id of an order that was taken."""
        return check_shape(self.place(order, **changes).expect(202), ORDER_DELIVERY)["id"]

    def read(self, order_id):
        return check_shape(self.operator.get(f"{ORDERS}/{order_id}").expect(200), ORDER_DELIVERY)

    def retry(self, order_id):
        return self.operator.post(f"{ORDERS}/{order_id}/retry")

    def attempts(self, order_id):
        record = self.operator.get(f"{ORDERS}/{order_id}/attempts?limit=200").expect(200)
        assert set(record) == {"attempts", "next_cursor"}
        return [check_shape(row, ORDER_ATTEMPT) for row in record["attempts"]]

    def listed(self, **query):
        """The rows of a page of this integration's orders, and the cursor to the next one."""
        return list_orders(self.operator, integration_id=self.integration_id, **query)

    # --- patience

    def wait_for(self, order_id, *states, within=10.0):
        """Reads the order until it is in one of these states; returns it."""
        def read():
            record = self.read(order_id)
            return record if record["state"] in states else None

        found = eventually(read, within, 0.02)
        assert found, f"not {states}: {self.read(order_id)} {self.attempts(order_id)}"
        return found

    def wait_for_attempt(self, order_id, number, within=10.0):
        """Until that attempt has failed and the order waits again: (order, attempt)."""
        def read():
            rows = [row for row in self.attempts(order_id) if row["attempt"] >= number]
            record = self.read(order_id)
            return (record, rows[0]) if rows and record["state"] != "delivering" else None

        found = eventually(read, within, 0.02)
        assert found, f"no attempt {number}: {self.read(order_id)} {self.attempts(order_id)}"
        return found

    def delivered(self, order=None, **changes):
        """An order that its ERP has accepted."""
        return self.wait_for(self.placed(order, **changes), "accepted")

    def pass_time(self, seconds, **options):
        """The clock runs on, and herald looks at it at once."""
        self.clock.advance(seconds, **options)
        ring(self.site)

    def pass_until_due(self, order_id):
        """The clock runs on to the moment at which this order is tried again."""
        due = self.read(order_id)["next_attempt_at"]
        if due is None:
            return  # it is being tried
        missing = (parse_time(due) - self.clock.now()) / timedelta(seconds=1)
        self.pass_time(max(0, int(missing) + 1))


_bells = {}  # of each site that runs


def ring(site):
    """Another integration gets an order: that wakes the worker, which else looks for what is due
    twice a second."""
    if site not in _bells:
        erp = site.beside.enter_context(RawErp(accept_all))
        _bells[site] = Shop(site, erp)
        site.beside.callback(_bells.pop, site)
    _bells[site].move_to(site)
    _bells[site].placed()


def list_orders(core, **query):
    record = core.get(f"{ORDERS}?{urlencode(query)}").expect(200)
    assert set(record) == {"orders", "next_cursor"}
    return [check_shape(row, ORDER_DELIVERY) for row in record["orders"]], record["next_cursor"]


def list_all(core, **query):
    """All orders that fit, page by page."""
    rows, cursor = list_orders(core, limit=200, **query)
    while cursor:
        more, cursor = list_orders(core, limit=200, cursor=cursor, **query)
        rows += more
    return rows


def waited_s(attempt, record):
    """How long after this attempt was recorded the next one is due. Its end lies before that, by as much
    as a busy machine takes."""
    end = parse_time(attempt["started_at"]) + timedelta(milliseconds=attempt["duration_ms"])
    recorded = parse_time(record["updated_at"])
    assert end - timedelta(milliseconds=10) <= recorded, f"{attempt} {record}"
    return (parse_time(record["next_attempt_at"]) - recorded) / timedelta(seconds=1)


# --- its ERP


class OrderErp(ErpService):
    """The simulated ERP, with a token that must show up nowhere."""

    def __init__(self, *options):
        self.token = f"canary-erp-{secrets.token_hex(8)}"
        super().__init__("--token", self.token, *options)

    def calls_of(self, order_id):
        return self.calls(order=order_id, method="order")

    def wait_for_calls(self, order_id, count, within=10.0):
        """So many calls of an order, each with the same bytes under the same key."""
        calls = eventually(
            lambda: found if len(found := self.calls_of(order_id)) >= count else None, within, 0.02)
        assert calls, f"{len(self.calls_of(order_id))} calls instead of {count}"
        assert len(calls) == count, f"{len(calls)} calls instead of {count}"
        self.expect_same(calls)
        return calls

    @staticmethod
    def expect_same(calls):
        """Whatever became of them: nothing differs between the attempts of an order."""
        for call in calls:
            assert call["request"]["body"] == calls[0]["request"]["body"]
            assert call["request"]["path"] == calls[0]["request"]["path"]
            assert call["order"] == calls[0]["order"]

    def document_of(self, order_id):
        """The one document of an order."""
        rows = self.asked("documents", order=order_id)["documents"]
        assert len(rows) == 1, f"{len(rows)} documents"
        return rows[0]

    def expect_sound(self):
        """What must hold whatever happened."""
        stats = self.stats()
        wrong = {name: stats[name] for name in ("twice", "changed_bodies", "malformed")
                 if stats[name]}
        assert not wrong, f"{wrong}: {stats}"


class RawErp:
    """An ERP that answers with bytes of the test's choice, whatever HTTP says of them.

    `answer` gets the request of an order and returns the bytes, in pieces if it likes, or None to
    hang up; `health` is what a probe is answered. `requests` has the orders that came, a pair of
    head and body each.
    """

    def __init__(self, answer=lambda head, body: b"", wrap=None, host="127.0.0.1"):
        self.token = f"canary-erp-{secrets.token_hex(8)}"
        self.answer = answer
        self.health = HEALTHY
        self.requests = []
        self.times = []  # when each of them came
        self.probes = []
        self.in_flight = self.in_flight_max = 0
        self._lock = threading.Lock()
        self.connections = 0
        self._wrap = wrap or (lambda connection: connection)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family, dualstack_ipv6=host == "::")
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._server = threading.Thread(target=self._serve, daemon=True)
        self._server.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """From now on it is dead: who connects is refused. Calls under way come to their end."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # this wakes its thread; closing does not
        self._server.join(timeout=PATIENCE_S)
        self._listener.close()
        assert not self._server.is_alive(), "the ERP still listens"

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection):
        with contextlib.suppress(OSError), self._wrap(connection) as talk, \
                talk.makefile("rb") as file:
            head = b"".join(iter(lambda: self._read_line(file), b"\r\n"))
            length = [line.split(b":")[1] for line in head.lower().split(b"\r\n")
                      if line.startswith(b"content-length:")]
            body = file.read(int(length[0])) if length else b""
            self._reply(talk, head, body)

    @staticmethod
    def _read_line(file):
        line = file.readline()
        if not line:
            raise ConnectionResetError
        return line

    def _reply(self, talk, head, body):
        if head.startswith(b"GET "):
            self.probes.append(head)
            talk.sendall(self.health)
            return
        with self._lock:
            self.times.append(time.monotonic())
            self.requests.append((head, body))
            self.in_flight += 1
            self.in_flight_max = max(self.in_flight, self.in_flight_max)
        try:
            pieces = self.answer(head, body)
        finally:
            with self._lock:
                self.in_flight -= 1
        for piece in [pieces] if isinstance(pieces, bytes) else pieces or []:
            talk.sendall(piece)


def http_answer(body, status="200 OK", *headers):
    """A whole answer, after which the connection ends."""
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json",
             f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


HEALTHY = http_answer(b'{"status":"ok"}')


def acceptance(order_id="doc-1", number="SO-1", **changes):
    return json.dumps({"accepted": True, "order_id": order_id, "number": number} | changes).encode()


def accept_all(head, body):
    return http_answer(acceptance())


def refuse_all(head, body):
    return http_answer(b"", "503 Service Unavailable")


def expect_nothing_more(read, seconds=NEVER):
    """What is read stays as it is for that long."""
    before = read()
    time.sleep(seconds)
    assert read() == before
