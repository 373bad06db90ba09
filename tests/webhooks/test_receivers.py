"""Each library verifies what herald delivers, and refuses what somebody has changed on the way."""

import base64
import http.client
import time

import pytest

from conftest import receiver_in_docs
from harness.hooks import Endpoint, Receiver
from harness.tools import eventually, fresh_number

LANGUAGES = ["python", "js", "go"]
LINES_MAX = 100


@pytest.fixture
def core(site):
    return site.core()


@pytest.fixture
def phone(site, core):
    made = site.phone(core)
    yield made
    core.enable(made.device_id, False)


@pytest.fixture
def receiver():
    with Receiver() as made:
        yield made


@pytest.fixture
def endpoint(core, receiver):
    made = Endpoint(core, receiver)
    yield made
    made.close()


def canceled_call(core, phone):
    call = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
    core.cancel_challenge(call["id"]).expect(204)
    return call["id"]


def post(program, headers, body):
    """The status of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=10)
    try:
        connection.request("POST", "/", body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def is_up(program):
    try:
        return post(program, {}, b"{}") == 400
    except OSError:
        return False


def signed_by(delivery):
    return {name: delivery.headers[name]
            for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}


def tampered(headers, body):
    """What an attacker may try, by name."""
    signature = headers["webhook-signature"]
    other = base64.b64encode(bytes(32)).decode()
    later = str(int(headers["webhook-timestamp"]) + 1)
    return {
        "body": (headers, body.replace(b"canceled", b"confirmed")),
        "a blank": (headers, body + b" "),
        "id": (headers | {"webhook-id": "another"}, body),
        "time": (headers | {"webhook-timestamp": later}, body),
        "signature": (headers | {"webhook-signature": f"v1,{other}"}, body),
        "version": (headers | {"webhook-signature": signature.replace("v1,", "v0,")}, body),
        "no signature": ({name: value for name, value in headers.items()
                          if name != "webhook-signature"}, body),
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_receivers_are_short(language):
    assert len(receiver_in_docs(language).splitlines()) <= LINES_MAX


@pytest.mark.parametrize("language", LANGUAGES)
def test_deliveries_verify_and_tampered_ones_do_not(core, phone, receiver, endpoint, start, language):
    program = start(language, endpoint.secret)
    call_id = canceled_call(core, phone)
    delivery, = receiver.wait_for(call_id)
    headers, body = signed_by(delivery), delivery.body
    assert eventually(lambda: is_up(program), 20)
    for name, (changed_headers, changed_body) in tampered(headers, body).items():
        assert post(program, changed_headers, changed_body) == 400, name
    assert post(program, headers, body) == 204
    assert post(program, headers, body) == 204, "the same once more"
    assert program.stop() == [f"challenge.canceled {call_id}"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_secrets_verify_while_they_overlap(core, phone, receiver, endpoint, start, language):
    made = core.post(f"{endpoint.path}/rotate-secret", {"overlap_seconds": 60}).expect(200)
    delivery, = receiver.wait_for(canceled_call(core, phone))
    for secret in (endpoint.secret, made["secret"]):
        program = start(language, secret)
        assert eventually(lambda program=program: is_up(program), 20)
        assert post(program, signed_by(delivery), delivery.body) == 204
    assert abs(int(delivery.headers["webhook-timestamp"]) - time.time()) < 60
