"""Contract sections 15.1 and 15.2 against those who guess, race, repeat and speak for others: pairing
and the SMSGate app."""

import base64

import pytest

from harness.actors import Phone
from harness.http import Client
from harness.smsgate import App
from harness.tools import at_once, fresh_number, fresh_numbers

CLOCK = True
MINUTE_S = 60
WRONG_MAX = 20


@pytest.fixture
def device(core):
    credentials = core.register("Ящик", fresh_numbers(1)).expect(201)
    yield credentials
    core.remove_device(credentials["device_id"])


@pytest.fixture(autouse=True)
def later(clock):
    """What was tried in one test is forgotten in the next, and so are wrong keys by address."""
    yield
    clock.advance(11 * MINUTE_S)


def pair(core, device):
    return core.pair(device["device_id"]).expect(201)["code"]


def other_code(code, count=1):
    return f"{(int(code) + count) % 10 ** 8:08}"


def use(core, code, source=None):
    reply = Client(core.address, source=source).post("/pair", {"code": code})
    return reply.status, reply.json.get("device_key") if reply.status == 200 else None


def use_in_app(core, code, source=None):
    app = App(core.address, source=source)
    return app.register_by_code(code), app.token


def is_good(core, device, key):
    return Phone(core.address, device["device_id"], key, []).ping().status == 200


# --- Pairing


def test_wrong_codes_count_at_both_doors(core, device):
    code = pair(core, device)
    for count in range(WRONG_MAX // 2):
        assert use(core, other_code(code, 2 * count + 1), f"127.0.5.{1 + count}")[0] == 401
        assert use_in_app(core, other_code(code, 2 * count + 2), f"127.0.6.{1 + count}")[0] == 401
    assert use(core, code, "127.0.7.1")[0] == 401
    assert use_in_app(core, code, "127.0.7.2")[0] == 401


def test_code_that_is_used_at_both_doors_at_once_is_good_once(core, device):
    for _ in range(5):
        code = pair(core, device)
        results = at_once(8, lambda i: (use, use_in_app)[i % 2](core, code))
        keys = [key for _, key in results if key]
        assert len(keys) == 1 and is_good(core, device, keys[0])
        core.rotate_key(device["device_id"]).expect(200)


def test_code_and_rotation_at_once_leave_one_key(core, device):
    for _ in range(5):
        code = pair(core, device)
        (_, paired), rotated = at_once(2, lambda i: use(core, code) if i == 0 else core.rotate_key(
            device["device_id"]).expect(200)["device_key"])
        assert sorted([is_good(core, device, paired), is_good(core, device, rotated)]) == [False, True]


def test_codes_that_are_made_at_once_leave_one(core, device):
    codes = at_once(8, lambda _: pair(core, device))
    good = [code for code in codes if use(core, code, "127.0.8.1")[0] == 200]
    assert len(good) == 1


@pytest.mark.parametrize("spell", [
    lambda code: code + "0", lambda code: code[:7], lambda code: "+" + code, lambda code: "0x" + code,
    lambda code: code[:4] + " " + code[4:], lambda code: code + "," + code, lambda code: "%00" + code,
    lambda code: 7000 * "9",
])
def test_code_is_spelled_in_one_way(core, device, spell):
    code = pair(core, device)
    assert use_in_app(core, spell(code), "127.0.9.1")[0] in (401, 431)
    assert use_in_app(core, code, "127.0.9.2")[0] == 201


def test_key_of_another_kind_is_none(core, site, device):
    made = core.post("/internal/v1/api-keys", {"name": "pairs", "role": "admin"}).expect(201)
    for key in (made["key"], site.internal_key):
        for header in (f"Bearer {key}", f"Code {key}",
                       "Basic " + base64.b64encode(f"x:{key}".encode()).decode()):
            assert App(core.address, source="127.0.10.1").register(header) == 401
        assert App(core.address, key, source="127.0.10.2").ask("GET", "/message")[0] == 401
    for path in ("/internal/v1/devices", "/internal/v1/otp"):
        for name in ("X-Internal-API-Key", "X-Device-Key"):
            Client(core.address, {name: device["device_key"]}, source="127.0.10.3").get(path).expect(401)


# --- The SMSGate app


def installed(core, device):
    app = App(core.address)
    number = core.read_device(device["device_id"]).expect(200)["numbers"][0]["number"]
    assert app.register_by_code(pair(core, device), number) == 201
    app.pull()
    return app, number


def test_pulls_at_once_give_the_same_message(core, device):
    app, number = installed(core, device)
    otp = core.create_otp(fresh_number(), gateway_number=number).expect(201)
    pulled = at_once(16, lambda _: app.pull())
    assert len({message["id"] for messages in pulled for message in messages}) == 1
    assert len({message["validUntil"] for messages in pulled for message in messages}) == 1
    assert len(core.otp(otp["id"]).expect(200)["sends"]) == 1


@pytest.mark.parametrize("state", ["Processed", "Sent", "Delivered", "Failed", "Cancelled"])
def test_app_speaks_for_its_own_messages_alone(core, device, state):
    app, number = installed(core, device)
    other = core.register("B", fresh_numbers(1)).expect(201)
    stranger, _ = installed(core, other)
    otp = core.create_otp(fresh_number(), gateway_number=number).expect(201)
    message = app.pull_one()
    before = core.otp(otp["id"]).expect(200)
    stranger.report(message["id"], state)
    assert core.otp(otp["id"]).expect(200) == before
    assert app.pull_one()["id"] == message["id"]
    app.report(message["id"], "Delivered")
    core.wait_for_send(otp, "delivered")
    core.remove_device(other["device_id"])


def test_reports_at_once_make_one_end(core, device):
    app, number = installed(core, device)
    for _ in range(3):
        otp = core.create_otp(fresh_number(), gateway_number=number).expect(201)
        message = app.pull_one()
        states = ["Processed", "Sent", "Failed", "Delivered"] * 3
        at_once(12, lambda i: app.report(message["id"], states[i]))
        sends = core.otp(otp["id"]).expect(200)["sends"]
        assert sends[0]["state"] in ("delivered", "failed") and len(sends) <= 2
        assert (len(sends) == 1) == (sends[0]["state"] == "delivered")
        core.cancel_otp(otp["id"]).expect(204)
        for message in app.pull():
            app.report(message["id"], "Cancelled")


@pytest.mark.parametrize("raw", [
    b"[]\0", b"[" * 100_000, b"[null]", b"[[]]", b"[{}]", b'[{"id":1,"state":2}]', b'{"items":[]}',
    b"\xff\xfe[]", b'[{"id":"' + 60_000 * b"x" + b'","state":"Sent"}]', b"[" + 101 * b"{}," + b"{}]",
    b'[],"items":[{"id":"x","state":"Sent"}]',
], ids=lambda raw: f"{raw[:12]}")
def test_reports_that_make_no_sense_harm_nothing(core, device, raw):
    app, _ = installed(core, device)
    assert app.ask("PATCH", "/message", raw=raw)[0] in (204, 413, 422)
    assert app.pull() == []


def test_streams_of_one_phone_keep_nobody_out(fresh_site):
    """An app whose network comes and goes leaves its streams open; its last one is told."""
    fresh_site.serve({"HERALD_CONNECTIONS_MAX": "40"})
    core = fresh_site.core()
    device = core.register("Ящик", fresh_numbers(1)).expect(201)
    app, number = installed(core, device)
    streams = [app.listen() for _ in range(60)]
    other, _ = installed(core, core.register("B", fresh_numbers(1)).expect(201))
    assert core.get("/health/ready").status == 200 and other.listen().status == 200
    core.create_otp(fresh_number(), gateway_number=number).expect(201)
    assert streams[-1].next() == ("MessageEnqueued", None)
