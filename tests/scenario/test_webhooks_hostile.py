"""Contract section 13.3: receivers that answer with whatever they like, operators who act at the same
moment, and a clock that steps."""

import contextlib
import socket
import threading
import time

import pytest

from harness.hooks import WEBHOOKS, WEBHOOK_SETTINGS, Endpoint, verify
from harness.shapes import parse_time
from harness.tools import at_once, eventually, took_at_most
from test_webhooks import canceled_call

SETTINGS = WEBHOOK_SETTINGS
CLOCK = True
DAY_S = 86400
TIMEOUT_S = 15
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


class Raw:
    """A receiver that reads a request and then writes the pieces of `talk`."""

    def __init__(self, talk):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/hooks"
        self.count = 0
        self._talk = talk
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection):
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as file:
            length = 0
            while (line := file.readline().lower()) not in (b"\r\n", b""):
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not file.read(length):
                return
            self.count += 1
            for piece in self._talk():
                connection.sendall(piece)


def row_of(endpoint, call):
    return next((row for row in endpoint.deliveries("?limit=200")
                 if row["type"] == "challenge.canceled"), None)


# --- Answers


def forever(piece):
    while True:
        yield piece


def long_answer():
    yield HEAD + b"Content-Length: 10000000\r\n\r\n"
    for _ in range(100):
        yield 100_000 * b"x"


def endless_answer():
    yield HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    yield from forever(b"1000\r\n" + 4096 * b"x" + b"\r\n")


@pytest.mark.parametrize("talk", [long_answer, endless_answer])
def test_success_is_one_however_long_its_answer(core, phone, talk):
    """64 KiB of it are read: it is not delivered again for the rest."""
    with Raw(talk) as raw:
        endpoint = Endpoint(core, raw, ("challenge.*",))
        row = core.post(f"{endpoint.path}/test").expect(200)
        assert (row["state"], row["status"]) == ("delivered", 200), row
        assert row["answer"] and len(row["answer"]) <= 700
        call = canceled_call(core, phone)
        assert eventually(lambda: (row_of(endpoint, call) or {}).get("state") == "delivered", 10)
        assert endpoint.read()["failing_since"] is None
        time.sleep(6)  # an attempt after a failure would have come
        assert raw.count == 2
        endpoint.close()


def dripping_body():
    yield HEAD + b"Content-Length: 1000\r\n\r\n"
    for _ in range(1000):
        time.sleep(0.3)
        yield b"x"


def dripping_head():
    yield HEAD
    for _ in range(1000):
        time.sleep(0.3)
        yield b"X: y\r\n"


def endless_head():
    yield HEAD
    yield from forever(b"X: " + 1000 * b"y" + b"\r\n")


def endless_hints():
    yield from forever(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")


def no_http():
    yield b"\0\xff" * 1000


def nothing():
    yield from ()


@pytest.mark.parametrize(
    "talk", [dripping_body, dripping_head, endless_head, endless_hints, no_http, nothing])
def test_answer_that_never_ends_is_a_failure_within_the_timeout(core, phone, receiver, talk):
    """And it holds up no other endpoint."""
    other = Endpoint(core, receiver, ("challenge.*",))
    with Raw(talk) as raw:
        endpoint = Endpoint(core, raw, ("challenge.*",))
        began = time.monotonic()
        call = canceled_call(core, phone)
        receiver.wait_for(call["id"], within=5)

        def has_ended():
            row = row_of(endpoint, call)
            wait = row and parse_time(row["next_attempt_at"]) - parse_time(row["updated_at"])
            return row and row["answer"] and wait.total_seconds() <= 6 and row

        row = eventually(has_ended, TIMEOUT_S + 8)
        assert row and row["state"] == "pending" and row["attempts"] == 1, row
        took_at_most(began, TIMEOUT_S + 5)
        assert endpoint.read()["enabled"] is True
        endpoint.close()
    other.close()


def test_what_a_receiver_says_back_shows_no_secret(core, phone, receiver, endpoint):
    """One that echoes whatever it was sent."""
    receiver.answer = lambda delivery: (400, {}, (
        endpoint.secret + " " + delivery.headers["webhook-signature"]).encode())
    core.post(f"{endpoint.path}/test").expect(200)
    shown = str(endpoint.deliveries()) + str(endpoint.read()) + str(
        core.get("/internal/v1/audit?limit=200").expect(200))
    assert endpoint.secret not in shown


# --- At the same moment


@pytest.mark.parametrize("mode", ["auto", "on"])
def test_there_are_50_however_many_make_them_at_once(fresh_site, mode):
    fresh_site.settings.update(WEBHOOK_SETTINGS | {"HERALD_EVENTS": mode})
    fresh_site.serve()
    core = fresh_site.core()
    body = {"url": "http://127.0.0.1:1/x", "types": ["test.ping"]}
    for _ in range(45):
        core.post(WEBHOOKS, body).expect(201)
    made = at_once(16, lambda _: fresh_site.core().post(WEBHOOKS, body).status)
    assert sorted(made) == 5 * [201] + 11 * [422]


def test_each_rotation_of_many_at_once_gives_a_secret_and_one_signs(core, phone, receiver, endpoint):
    secrets = at_once(8, lambda _: core.post(
        f"{endpoint.path}/rotate-secret", {"overlap_seconds": 0}).expect(200)["secret"])
    assert len(set(secrets)) == 8
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    assert sum(verify(secret, delivery.headers, delivery.body) for secret in secrets) == 1


def test_many_replays_at_once_come_to_rest(core, phone, receiver, endpoint):
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    assert eventually(lambda: endpoint.delivery_of(delivery.id)["state"] == "delivered")
    row = endpoint.delivery_of(delivery.id)
    receiver.answer = lambda _: (time.sleep(0.2), (200, {}, b"ok"))[1]
    at_once(8, lambda _: core.post(f"{endpoint.path}/deliveries/{row['id']}/replay").expect(200))
    assert eventually(lambda: endpoint.delivery_of(delivery.id)["state"] == "delivered")
    assert 2 <= len(receiver.of(call["id"])) <= 9
    assert all(one.id == delivery.id and one.body == delivery.body
               for one in receiver.of(call["id"]))


def test_a_delivery_is_replayed_by_its_own_endpoint_alone(core, phone, receiver, endpoint):
    other = Endpoint(core, receiver, ("otp.*",))
    call = canceled_call(core, phone)
    delivery, = receiver.wait_for(call["id"])
    row = eventually(lambda: endpoint.delivery_of(delivery.id))
    core.post(f"{other.path}/deliveries/{row['id']}/replay").expect(404)
    other.close()


# --- The clock


def test_deliveries_wait_for_no_step_of_the_clock(core, phone, receiver, endpoint, right_clock):
    """What failed before the clock was set back by a day is tried again after its wait."""
    receiver.answer = lambda _: (500, {}, b"")
    call = canceled_call(core, phone)
    receiver.wait_for(call["id"])
    assert eventually(lambda: (row_of(endpoint, call) or {}).get("status") == 500)
    right_clock.set(-DAY_S)
    receiver.answer = lambda _: (200, {}, b"ok")
    receiver.wait_for(call["id"], 2, within=30)


def test_attempt_under_way_while_the_clock_is_set_back(core, phone, receiver, endpoint, right_clock):
    receiver.answer = lambda _: (time.sleep(2), (200, {}, b"ok"))[1]
    call = canceled_call(core, phone)
    receiver.wait_for(call["id"])
    right_clock.set(-DAY_S)
    assert eventually(lambda: (row_of(endpoint, call) or {}).get("state") == "delivered", 10)
    assert len(receiver.of(call["id"])) == 1
