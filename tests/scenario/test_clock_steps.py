"""A clock that is set back or forward, by minutes, an hour and a day, beside every kind of record.

What lives keeps the time that it had left (contract, section 7 "Clocks"): codes and calls can be
confirmed and end in their time, nobody waits longer or shorter, no block is lifted. Each row of the
table prepares a record, lets the clock step at its `yield`, and says what holds then.
"""

import json
import time
from datetime import timedelta

import pytest

from harness import catalog
from harness.actors import read_code, wrong_code
from harness.catalog_model import Exchange
from harness.clock import Machines
from harness.exchange import Operator
from harness.http import Client
from harness.keys import make_key, with_key
from harness.orders import ORDER_SETTINGS, RawErp, Shop, http_answer
from harness.packages import CHANGES, SNAPSHOT, Sender
from harness.providers import sign_report
from harness.shapes import format_time, parse_time
from harness.tools import eventually, fresh_chat, fresh_key, fresh_number

SETTINGS = ORDER_SETTINGS
CHANNELS = ("bot", "gateway")
CLOCK = True
HOUR_S, DAY_S = 3600, 24 * 3600
STEPS_S = {"back 100 s": -100, "back an hour": -HOUR_S, "on an hour": HOUR_S,
           "back a day": -DAY_S, "on a day": DAY_S}
SOON_S = 20  # far less than any jump; a turn of every worker is shorter
LEAD = timedelta(minutes=6)  # until a new key signs, and a little more
SWEEPS_S = 7  # in which whatever is to be deleted is


class Scene:
    """Who takes part; `step_s` is how the clock will step."""

    def __init__(self, site, core, sim, new_phone, step_s):
        self.site, self.core, self.sim, self.new_phone = site, core, sim, new_phone
        self.clock, self.step_s = site.clock, step_s

    def ready_phone(self):
        phone = self.new_phone()
        phone.be_ready()
        return phone

    def send_code(self, phone, recipient, **fields):
        otp = self.core.create_otp(
            recipient, gateway_number=phone.number, **fields).expect(201)
        return otp, phone.claim_task()

    def message(self, phone, account_id):
        return self.core.create_message(
            channel="personal_messenger", account_id=account_id, recipient=fresh_number(),
            text="x").expect(202)

    def bot_message(self, chat_id):
        return self.core.create_message(channel="messenger_bot", chat_id=chat_id, text="x")

    def wait_until_noticed(self):
        """What is shown and told agrees with the clock as it is now set."""
        asked = self.core.create_challenge(fresh_number(), gateway_number=self.new_phone().number)
        path = f"/internal/v1/challenges/{asked.expect(201)['id']}"

        def is_noticed():
            made_at = parse_time(self.core.get(path).expect(200)["created_at"])
            return abs((self.clock.now() - made_at).total_seconds()) < SOON_S

        assert eventually(is_noticed, SOON_S)

    def taken(self, message):
        return self.sim.take(
            "telegram_bot", "sendMessage", recipient=str(message["chat_id"]), within=SOON_S)


def code(scene):
    """It is good, and over in its time; its recipient starts again then."""
    phone, recipient = scene.ready_phone(), fresh_number()
    otp, task = scene.send_code(phone, recipient, ttl_seconds=900)
    other, lost = scene.send_code(scene.ready_phone(), fresh_number(), ttl_seconds=900)
    yield
    assert scene.core.otp(otp["id"]).expect(200)["state"] != "expired"
    scene.core.create_otp(recipient, gateway_number=phone.number).expect(
        409, "active_challenge_exists")
    scene.core.verify(otp["id"], read_code(task)).expect(200)
    scene.clock.advance(901)
    scene.core.verify(other["id"], read_code(lost)).expect(409, "challenge_expired")
    phone.be_ready()
    scene.core.create_otp(other["recipient"], gateway_number=phone.number).expect(201)


def call(scene):
    phone, caller, other = scene.new_phone(), fresh_number(), fresh_number()
    for number in (caller, other):
        scene.core.create_challenge(
            number, gateway_number=phone.number, ttl_seconds=900).expect(201)
    yield
    scene.core.create_challenge(caller).expect(409, "active_challenge_exists")
    scene.core.create_otp(caller).expect(409, "active_challenge_exists")
    scene.wait_until_noticed()
    event = phone.event(caller, occurred_at=format_time(scene.clock.now())).expect(200)
    assert event["result"] == "confirmed"
    scene.clock.advance(901)
    late = phone.event(other, occurred_at=format_time(scene.clock.now())).expect(200)
    assert late["result"] == "late"


def call_that_is_reported_twice(scene):
    """By a template: each report dates it alike, so it confirms one challenge whatever was set."""
    phone, caller = scene.new_phone(), fresh_number()
    scene.core.create_challenge(caller, gateway_number=phone.number).expect(201)

    def report(moment):
        sent_at = str(int(moment.timestamp() * 1000))
        return phone.post("/device/v1/calls", {
            "kind": "call", "gateway_number": phone.number, "caller": caller,
            "occurred_at": sent_at, "sent_at": sent_at}).expect(200)["result"]

    scene.wait_until_noticed()  # that it was set right again before
    rang_at = scene.clock.now()
    assert report(rang_at) == "confirmed"
    yield
    scene.wait_until_noticed()
    again = scene.core.create_challenge(caller, gateway_number=phone.number).expect(201)
    report(rang_at)
    assert scene.core.challenge(again["id"]).expect(200)["state"] == "pending"
    scene.clock.advance(200)
    assert report(scene.clock.now()) == "confirmed"


def three_codes_in_ten_minutes(scene):
    phone, recipient = scene.ready_phone(), fresh_number()
    for _ in range(3):
        otp = scene.core.create_otp(recipient, gateway_number=phone.number).expect(201)
        scene.core.cancel_otp(otp["id"]).expect(204)
    yield
    refused = scene.core.create_otp(recipient, gateway_number=phone.number)
    refused.expect(429, "rate_limited")
    assert 0 < refused.retry_after <= 600
    scene.clock.advance(601)
    phone.be_ready()
    scene.core.create_otp(recipient, gateway_number=phone.number).expect(201)


def fifty_wrong_codes_in_a_day(scene):
    phone, recipient = scene.ready_phone(), fresh_number()
    for _ in range(10):
        phone.claim().expect(200)
        otp, task = scene.send_code(phone, recipient)
        for _ in range(5):
            scene.core.verify(otp["id"], wrong_code(read_code(task))).expect(422)
        phone.result(task, "sent").expect(204)
        scene.clock.advance(201)
    yield
    phone.be_ready()
    refused = scene.core.create_otp(recipient, gateway_number=phone.number)
    refused.expect(429, "rate_limited")
    assert DAY_S - HOUR_S < refused.retry_after <= DAY_S
    scene.clock.advance(DAY_S)
    phone.be_ready()
    scene.core.create_otp(recipient, gateway_number=phone.number).expect(201)


def readiness(scene):
    phone = scene.ready_phone()
    yield
    body = {"recipient": fresh_number(), "gateway_number": phone.number}
    scene.core.create_otp(**body).expect(201)
    scene.clock.advance(3600)
    scene.core.create_otp(recipient=fresh_number(), gateway_number=phone.number).expect(
        503, "no_ready_sim")


def lease_of_an_sms(scene):
    """A phone that never reported has it in hand until the lease ends."""
    phone = scene.ready_phone()
    _, task = scene.send_code(phone, fresh_number(), ttl_seconds=900)
    yield
    again = phone.claim_task()
    assert (again["id"], again["lease_id"]) == (task["id"], task["lease_id"])
    phone.result(task, "sent").expect(204)


def word_of_an_account(scene):
    phone, account_id = scene.new_phone(), f"account-{fresh_key()[:12]}"
    scene.core.connect_accounts(phone, account_id)
    yield
    message = scene.message(phone, account_id)
    task = phone.claim_message_task(account_id, within=SOON_S)
    phone.message_result(task, "sent").expect(204)
    assert scene.core.message(message["id"]).expect(200)["state"] == "sent"


def turn_of_a_chat(scene):
    chat = -fresh_chat()
    for _ in range(3):
        scene.taken(scene.bot_message(chat).expect(202))
    yield
    scene.taken(scene.bot_message(chat).expect(202))


def message_that_waits_for_its_provider(scene):
    scene.sim.behave("too_many_requests", provider="telegram_bot", method="sendMessage", count=1,
                     retry_after_s=5)
    message = scene.bot_message(fresh_chat()).expect(202)
    scene.taken(message)
    yield
    scene.taken(message)
    scene.core.wait_for_message(message, "sent")


def token(scene):
    """Others judge it by their own clocks, so it goes by the wall clock."""
    sender = Sender.of(scene.site)
    assert sender.is_taken()
    yield
    if abs(scene.step_s) >= HOUR_S:
        assert not sender.is_taken()
    assert sender.erp.with_token(sender.erp.fetch_token()).is_taken()


def signing_key(scene):
    """One that is to sign soon does so in its time, and holds up no token."""
    def rotate():
        key = scene.core.post("/internal/v1/signing-keys/rotate", {}).expect(200)
        return parse_time(key["signs_from"]) - scene.clock.now()

    sender = Sender.of(scene.site)
    rotate()
    yield
    assert sender.erp.with_token(sender.erp.fetch_token()).is_taken()
    scene.wait_until_noticed()
    assert rotate() <= LEAD
    scene.clock.advance(int(LEAD.total_seconds()))
    assert sender.erp.with_token(sender.erp.fetch_token()).is_taken()


def overlap_of_secrets(scene):
    erp = Sender.of(scene.site).erp
    old = erp.client_secret
    changed = Operator.of(scene.site).rotate_secret(erp.client_id, overlap_seconds=60).expect(200)
    yield
    erp.ask_token(client_secret=old).expect(200)
    scene.clock.advance(61)
    erp.ask_token(client_secret=old).expect(401, "invalid_client")
    erp.ask_token(client_secret=changed["client_secret"]).expect(200)


def overlap_of_api_keys(scene):
    """Also in a process that has read the keys before the step."""
    made = make_key(scene.core, "viewer")
    path = f"/internal/v1/api-keys/{made['id']}/rotate"
    new = scene.core.post(path, {"overlap_seconds": 60}).expect(200)
    old, new = with_key(scene.site, made["key"]), with_key(scene.site, new["key"])
    assert eventually(lambda: new.get("/internal/v1/api-keys/self").status == 200)
    yield
    old.get("/internal/v1/api-keys/self").expect(200)
    scene.clock.advance(61)
    old.get("/internal/v1/api-keys/self").expect(401, "unauthorized")
    new.get("/internal/v1/api-keys/self").expect(200)


def package_in_retry(scene):
    exchange = Exchange(scene.site, Sender.of(scene.site))
    package = exchange.put(catalog.changes([catalog.stock_row(3, "x")]))

    def read():
        return exchange.desk.package(package.event_id).expect(200)

    for _ in range(4):  # the next wait is one of minutes
        before = read()["attempts"]
        scene.clock.advance(61)
        assert eventually(lambda before=before: read()["attempts"] > before, SOON_S)
    assert eventually(lambda: read()["status"] == "retry", SOON_S)
    before = read()["attempts"]
    yield
    assert eventually(lambda: read()["next_attempt_at"] and parse_time(
        read()["next_attempt_at"]) - scene.clock.now() <= timedelta(minutes=5), SOON_S)
    assert read()["attempts"] == before
    scene.clock.advance(301)
    assert eventually(lambda: read()["attempts"] > before, SOON_S), "it waits for the clock"


def order_that_waits(scene):
    """As long as its ERP asked for, and no longer."""
    def wait_s():
        due = shop.read(order_id)["next_attempt_at"]
        return (parse_time(due) - scene.clock.now()).total_seconds() if due else 0

    with RawErp(lambda *_: http_answer(b"", "503 Service Unavailable",
                                       "Retry-After: 120")) as erp:
        shop = Shop(scene.site, erp)
        order_id = shop.placed()
        shop.wait_for_attempt(order_id, 1)
        yield
        assert eventually(lambda: 60 < wait_s() <= 120, SOON_S), "its ERP is asked in its time"
        scene.clock.advance(121)
        shop.wait_for_attempt(order_id, 2, within=SOON_S)
        shop.close()


def log_of_the_day(scene):
    request_id = fresh_key()
    headers = {"Idempotency-Key": fresh_key(), "X-Request-Id": request_id}
    body = {"caller": fresh_number()}
    scene.new_phone()
    scene.core.post("/internal/v1/challenges", body, headers=headers).expect(201)
    yield
    time.sleep(SWEEPS_S)
    with scene.site.log_reader(last_event_id=0) as reader:
        assert reader.wait_for_text(request_id, seconds=SOON_S), "the log of the day is gone"


def times_that_are_shown(scene):
    """They agree with the clock as it is now set."""
    phone, caller = scene.new_phone(), fresh_number()
    made = scene.core.create_challenge(caller, gateway_number=phone.number).expect(201)
    yield
    scene.wait_until_noticed()
    shown = parse_time(scene.core.challenge(made["id"]).expect(200)["created_at"])
    assert abs((scene.clock.now() - shown).total_seconds()) < 2 * SOON_S
    since = format_time(scene.clock.now() - timedelta(seconds=2 * SOON_S))
    rows = scene.core.challenges(recipient=caller, since=since).expect(200)["challenges"]
    assert [row["id"] for row in rows] == [made["id"]]
    scene.core.cancel_challenge(made["id"]).expect(204)
    path = f"/internal/v1/logs?q={made['id']}&since={since}"
    [entry] = eventually(lambda: [
        row for row in scene.core.get(path).expect(200)["entries"] if "cancel" in row["message"]])
    told = parse_time(entry["fields"]["at"])
    assert abs((scene.clock.now() - told).total_seconds()) < 2 * SOON_S


def report_of_a_provider(scene):
    """It is judged by the clock that its provider has, too; nobody has sent this one."""
    yield
    scene.wait_until_noticed()
    at = int(scene.clock.now().timestamp())
    raw = json.dumps({"request_id": "none", "phone_number": fresh_number(), "request_cost": 0.01,
                      "delivery_status": {"status": "delivered", "updated_at": at}}).encode()
    headers = {"X-Request-Timestamp": str(at),
               "X-Request-Signature": sign_report(scene.sim.keys["gateway-token"], raw, at)}
    Client(scene.site.address).request(
        "POST", "/callbacks/telegram-gateway", raw=raw, headers=headers).expect(404, "not_found")


def health(scene):
    yield
    time.sleep(SWEEPS_S)
    for _ in range(3):
        scene.core.get("/health/ready").expect(200)


ROWS = [
    code, call, call_that_is_reported_twice, three_codes_in_ten_minutes, fifty_wrong_codes_in_a_day, readiness, lease_of_an_sms,
    word_of_an_account, turn_of_a_chat, message_that_waits_for_its_provider, token, signing_key,
    overlap_of_secrets, overlap_of_api_keys, package_in_retry, order_that_waits, log_of_the_day,
    times_that_are_shown, report_of_a_provider, health,
]


@pytest.mark.parametrize("step", STEPS_S)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.__name__)
def test_clock_is_set(site, core, sim, new_phone, right_clock, row, step):
    acts = row(Scene(site, core, sim, new_phone, STEPS_S[step]))
    next(acts)
    right_clock.set(STEPS_S[step])
    for _ in acts:
        raise AssertionError("a row steps once")
    for otp_id in core.otp_ids:
        core.cancel_otp(otp_id)


# --- a restart with the clock behind


def ids_of(site):
    """One new id of every kind that a core system sees in a list or a queue."""
    core, operator = site.core(), Operator.of(site)
    phone = site.phone(core)
    phone.be_ready()
    otp = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    core.enable(phone.device_id, False).expect(204)
    core.enable(phone.device_id, True).expect(204)
    challenge = core.create_challenge(fresh_number()).expect(201)
    integration = operator.create_integration().expect(201)
    core.enable(phone.device_id, False).expect(204)
    return [phone.device_id, otp["id"], task["id"], challenge["id"], integration["id"]]


@pytest.mark.parametrize("behind_s", [HOUR_S, 3 * DAY_S])
def test_ids_grow_over_a_restart_with_the_clock_behind(fresh_site, behind_s):
    fresh_site.serve()
    before = ids_of(fresh_site)
    fresh_site.stop()
    fresh_site.clock.set(-behind_s)
    fresh_site.serve()
    after = ids_of(fresh_site)
    assert min(after) > max(before), (before, after)
    assert after == sorted(after)


@pytest.mark.only("postgres")
def test_several_workers_see_one_step(fresh_site):
    """One of them takes it out: the ERP is asked at the time that it named."""
    fresh_site.settings |= ORDER_SETTINGS
    with RawErp(lambda *_: http_answer(b"", "503 Service Unavailable",
                                       "Retry-After: 120")) as erp:
        apis = fresh_site.start_cluster(apis=1, workers=3)
        shop = Shop(fresh_site, erp)
        shop.move_to(fresh_site, apis[0])
        order_id = shop.placed()
        shop.wait_for_attempt(order_id, 1)
        fresh_site.clock.set(-HOUR_S)
        time.sleep(SWEEPS_S)
        due = parse_time(shop.read(order_id)["next_attempt_at"])
        wait_s = (due - fresh_site.clock.now()).total_seconds()
        assert 60 < wait_s <= 120 and len(shop.attempts(order_id)) == 1
        fresh_site.clock.advance(121)
        shop.wait_for_attempt(order_id, 2, within=SOON_S)
        shop.close()


# --- machines whose clocks differ, and a kill


@pytest.mark.only("postgres")
def test_one_challenge_is_active_whatever_the_machines_say(fresh_site, tmp_path):
    """Two processes whose machines are 45 s apart, which is most of the length of a code."""
    fresh_site.settings["HERALD_PUBLIC_URL"] = "https://id.example"
    machines = Machines(tmp_path / "machines", fresh_site.database, 2)
    machines.clocks[1].set(45)
    cores = []
    for clock in machines.clocks:
        fresh_site.clock = clock
        fresh_site.migrate()
        process = fresh_site.start("serve")
        process.wait_until_ready()
        cores.append(fresh_site.core(process))
    phone, recipient = fresh_site.phone(cores[0]), fresh_number()
    phone.be_ready()
    otp = cores[1].create_otp(
        recipient, gateway_number=phone.number, ttl_seconds=60).expect(201)
    for core in cores:
        core.create_otp(recipient, gateway_number=phone.number).expect(
            409, "active_challenge_exists")
        core.create_challenge(recipient).expect(409, "active_challenge_exists")
    task = phone.claim_task()
    machines.advance(50)
    cores[0].verify(otp["id"], read_code(task)).expect(200)


@pytest.mark.parametrize("back_s", [HOUR_S, DAY_S])
def test_prices_are_not_held_by_the_bucket_of_snapshots(fresh_site, back_s):
    fresh_site.settings |= {"HERALD_ERP_SNAPSHOTS_PER_DAY": "2"}
    fresh_site.serve()
    sender = Sender.of(fresh_site)
    for _ in range(2):
        sender.send(SNAPSHOT, catalog.snapshot()).expect(202)
    fresh_site.clock.set(-back_s)
    again = Sender(sender.address, sender.erp.fetch_token(), sender.integration_id)
    again.send(CHANGES, catalog.changes()).expect(202)
    refused = again.send(SNAPSHOT, catalog.snapshot()).expect(429)
    assert refused["error"]["code"] == "rate_limited"
    fresh_site.clock.advance(DAY_S // 2 + 1)
    Sender(sender.address, sender.erp.fetch_token(), sender.integration_id).send(
        SNAPSHOT, catalog.snapshot()).expect(202)


def test_order_waits_for_its_own_time_over_a_kill(fresh_site):
    fresh_site.settings |= ORDER_SETTINGS
    process = fresh_site.serve()
    with RawErp(lambda *_: http_answer(b"", "503 Busy")) as erp:
        shop = Shop(fresh_site, erp)
        order_id = shop.placed()
        shop.wait_for_attempt(order_id, 1)
        process.kill()
        fresh_site.processes.clear()
        fresh_site.clock.set(-HOUR_S)
        fresh_site.serve()
        shop.move_to(fresh_site)
        shop.wait_for_attempt(order_id, 2, within=SOON_S)
        shop.close()
