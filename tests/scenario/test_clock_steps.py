"""A clock that is set back or forward, by an hour and by a day, beside every kind of record.

Nothing ends later than now plus its own length (kit/base/clock.h): nobody waits for the length of
the jump, and no code, token or secret outlives its time by it. Each row of the table prepares a
record, lets the clock step at its `yield`, and says what holds then.
"""

import time
from datetime import timedelta

import pytest

from harness import catalog
from harness.actors import read_code, wrong_code
from harness.catalog_model import Exchange
from harness.exchange import Operator
from harness.keys import make_key, with_key
from harness.orders import ORDER_SETTINGS, RawErp, Shop, http_answer
from harness.packages import Sender
from harness.shapes import format_time, parse_time
from harness.tools import eventually, fresh_chat, fresh_key, fresh_number

SETTINGS = ORDER_SETTINGS
CHANNELS = ("bot",)
CLOCK = True
HOUR_S, DAY_S = 3600, 24 * 3600
STEPS_S = {"back an hour": -HOUR_S, "on an hour": HOUR_S, "back a day": -DAY_S, "on a day": DAY_S}
SOON_S = 20  # far less than any jump; a turn of every worker is shorter
LEAD = timedelta(minutes=6)  # until a new key signs, and a little more
SWEEPS_S = 7  # in which whatever is to be deleted is
LOOK_S = 0.8  # in which the worker has looked at the clock


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

    def taken(self, message):
        return self.sim.take(
            "telegram_bot", "sendMessage", recipient=str(message["chat_id"]), within=SOON_S)


def code(scene):
    """It is over, and its recipient starts again at once."""
    phone, recipient = scene.ready_phone(), fresh_number()
    otp, task = scene.send_code(phone, recipient, ttl_seconds=900)
    yield
    scene.core.verify(otp["id"], read_code(task)).expect(409, "challenge_expired")
    assert scene.core.otp(otp["id"]).expect(200)["state"] == "expired"
    phone.claim().expect(200)
    scene.core.create_otp(recipient, gateway_number=phone.number).expect(201)


def code_that_is_swept(scene):
    """Its place and its number are free, and stay so when the clock is right again."""
    phone = scene.ready_phone()
    otp, task = scene.send_code(phone, fresh_number(), ttl_seconds=900)
    yield
    assert eventually(lambda: scene.core.device(phone.device_id)["numbers"][0][
        "active_challenges"] == 0, SOON_S)
    time.sleep(2)
    scene.clock.advance(-scene.step_s)
    scene.core.verify(otp["id"], read_code(task)).expect(409, "challenge_expired")


def call(scene):
    phone, caller = scene.new_phone(), fresh_number()
    challenge = scene.core.create_challenge(
        caller, gateway_number=phone.number, ttl_seconds=900).expect(201)
    yield
    assert scene.core.challenge(challenge["id"]).expect(200)["state"] == "expired"
    late = phone.event(caller, occurred_at=format_time(scene.clock.now())).expect(200)
    assert late["result"] == ("late" if scene.step_s > 0 else "no_challenge")
    again = scene.core.create_challenge(caller, gateway_number=phone.number).expect(201)
    event = phone.event(caller, occurred_at=format_time(scene.clock.now())).expect(200)
    assert (event["result"], event["challenge_id"]) == ("confirmed", again["id"])


def three_codes_in_ten_minutes(scene):
    phone, recipient = scene.ready_phone(), fresh_number()
    for _ in range(3):
        otp = scene.core.create_otp(recipient, gateway_number=phone.number).expect(201)
        scene.core.cancel_otp(otp["id"]).expect(204)
    refused = scene.core.create_otp(recipient, gateway_number=phone.number)
    refused.expect(429, "rate_limited")
    assert refused.retry_after <= 600
    yield
    phone.claim().expect(200)
    scene.core.create_otp(recipient, gateway_number=phone.number).expect(201)


def fifty_wrong_codes_in_a_day(scene):
    """No wait is longer than the day."""
    phone, recipient = scene.ready_phone(), fresh_number()
    for _ in range(10):
        phone.claim().expect(200)
        otp, task = scene.send_code(phone, recipient)
        for _ in range(5):
            scene.core.verify(otp["id"], wrong_code(read_code(task))).expect(422)
        phone.result(task, "sent").expect(204)
        scene.clock.advance(201)
    phone.claim().expect(200)
    scene.core.create_otp(recipient, gateway_number=phone.number).expect(429)
    yield
    phone.claim().expect(200)
    asked = scene.core.create_otp(recipient, gateway_number=phone.number)
    if scene.step_s == HOUR_S:
        asked.expect(429, "rate_limited")
        assert asked.retry_after <= DAY_S - HOUR_S
    else:
        asked.expect(201)


def readiness(scene):
    """The next poll counts, and nothing of before does."""
    phone = scene.ready_phone()
    yield
    body = {"recipient": fresh_number(), "gateway_number": phone.number}
    scene.core.create_otp(**body).expect(503, "no_ready_sim")
    phone.be_ready()
    scene.core.create_otp(**body).expect(201)


def lease_of_an_sms(scene):
    """A phone that never reported gets what is next."""
    phone, recipient = scene.ready_phone(), fresh_number()
    scene.send_code(phone, fresh_number(), ttl_seconds=900)
    waiting = scene.core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    yield
    phone.claim().expect(200)
    scene.core.create_otp(recipient, gateway_number=phone.number).expect(201)
    task = phone.claim_task(within=SOON_S)
    assert task and task["recipient"] == recipient
    phone.result(task, "sent").expect(204)
    assert scene.core.otp(waiting["id"]).expect(200)["state"] == "expired"


def lease_of_a_message(scene):
    """The message is sent within its day, whoever had it before."""
    phone, account_id = scene.new_phone(), f"account-{fresh_key()[:12]}"
    scene.core.connect_accounts(phone, account_id)
    message = scene.message(phone, account_id)
    assert phone.claim_message_task(account_id)
    yield
    phone.be_connected(account_id)
    if scene.step_s == DAY_S:
        scene.core.wait_for_message(message, "unknown", within=SOON_S)
        return
    task = phone.claim_message_task(account_id, within=SOON_S)
    assert task, "the message is held up"
    phone.message_result(task, "sent").expect(204)
    assert scene.core.message(message["id"]).expect(200)["state"] == "sent"


def word_of_an_account(scene):
    phone, account_id = scene.new_phone(), f"account-{fresh_key()[:12]}"
    scene.core.connect_accounts(phone, account_id)
    yield
    person = {"account_id": account_id, "recipient": fresh_number()}
    refused = scene.core.create_message(channel="personal_messenger", text="x", **person)
    refused.expect(503, "channel_unavailable")
    phone.be_connected(account_id)
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
    """Its job was put off under the clock before."""
    time.sleep(LOOK_S)  # what was set before this is not to be taken for a part of the step
    scene.sim.behave("too_many_requests", provider="telegram_bot", method="sendMessage", count=1,
                     retry_after_s=5)
    message = scene.bot_message(fresh_chat()).expect(202)
    scene.taken(message)
    yield
    if scene.step_s == DAY_S:
        scene.core.wait_for_message(message, "failed", within=SOON_S)
        return
    scene.taken(message)
    scene.core.wait_for_message(message, "sent")


def token(scene):
    """Also one that was found good before: it is dead after ten minutes, by any clock."""
    sender = Sender.of(scene.site)
    assert sender.is_taken()
    yield
    assert not sender.is_taken()
    assert sender.erp.with_token(sender.erp.fetch_token()).is_taken()


def signing_key(scene):
    """One that is to sign soon holds up neither tokens nor the next one."""
    def rotate():
        key = scene.core.post("/internal/v1/signing-keys/rotate", {}).expect(200)
        return parse_time(key["signs_from"]) - scene.clock.now()

    sender = Sender.of(scene.site)
    rotate()
    yield
    assert sender.erp.with_token(sender.erp.fetch_token()).is_taken()
    assert rotate() <= LEAD
    scene.clock.advance(int(LEAD.total_seconds()))
    assert sender.erp.with_token(sender.erp.fetch_token()).is_taken()


def overlap_of_secrets(scene):
    """The old one does not outlive the longest overlap."""
    erp = Sender.of(scene.site).erp
    old = erp.client_secret
    changed = Operator.of(scene.site).rotate_secret(
        erp.client_id, overlap_seconds=DAY_S).expect(200)
    erp.ask_token(client_secret=old).expect(200)
    yield
    asked = erp.ask_token(client_secret=old)
    asked.expect(*((200,) if scene.step_s == HOUR_S else (401, "invalid_client")))
    erp.ask_token(client_secret=changed["client_secret"]).expect(200)


def package_in_retry(scene):
    exchange = Exchange(scene.site, Sender.of(scene.site))
    package = exchange.put(catalog.changes([catalog.stock_row(3, "x")]))

    def attempts():
        return exchange.desk.package(package.event_id).expect(200)["attempts"]

    for _ in range(4):  # the next wait is one of minutes
        before = attempts()
        scene.clock.advance(61)
        assert eventually(lambda before=before: attempts() > before, SOON_S)
    before = attempts()
    yield
    assert eventually(lambda: attempts() > before, SOON_S), "it waits for the clock"


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
        if scene.step_s < 0:
            assert eventually(lambda: wait_s() <= 120, SOON_S), "it waits for the clock"
            assert wait_s() > 60, "its ERP is not asked too early"
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


def health(scene):
    yield
    time.sleep(SWEEPS_S)
    for _ in range(3):
        scene.core.get("/health/ready").expect(200)


ROWS = [
    code, code_that_is_swept, call, three_codes_in_ten_minutes, fifty_wrong_codes_in_a_day,
    readiness, lease_of_an_sms, lease_of_a_message, word_of_an_account, turn_of_a_chat,
    message_that_waits_for_its_provider, token, signing_key, overlap_of_secrets,
    package_in_retry, order_that_waits, log_of_the_day, health,
]


@pytest.mark.parametrize("step", STEPS_S)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.__name__)
def test_clock_is_set(site, core, sim, new_phone, right_clock, row, step):
    acts = row(Scene(site, core, sim, new_phone, STEPS_S[step]))
    next(acts)
    right_clock.advance(STEPS_S[step])
    for _ in acts:
        raise AssertionError("a row steps once")
    for otp_id in core.otp_ids:  # or one lives again where another row steps to the same time
        core.cancel_otp(otp_id)


# --- what is shorter than the longest of its kind


def test_short_code_and_call_are_over_after_a_small_step(core, new_phone, right_clock):
    """By the new clock they would end within the time of the longest; yet they began in the future."""
    phone, recipient, caller = new_phone(), fresh_number(), fresh_number()
    phone.be_ready()
    otp = core.create_otp(recipient, gateway_number=phone.number, ttl_seconds=60).expect(201)
    call = core.create_challenge(caller, gateway_number=phone.number, ttl_seconds=60).expect(201)
    right_clock.advance(-10 * 60)
    assert core.otp(otp["id"]).expect(200)["state"] == "expired"
    assert core.challenge(call["id"]).expect(200)["state"] == "expired"
    phone.be_ready()
    core.create_otp(recipient, gateway_number=phone.number).expect(201)
    core.create_challenge(caller, gateway_number=phone.number).expect(201)
    core.create_challenge(caller).expect(409, "active_challenge_exists")


@pytest.mark.parametrize("back_s", [120, HOUR_S, DAY_S])
def test_short_overlap_of_secrets_outlives_no_step(site, right_clock, back_s):
    erp = Sender.of(site).erp
    old = erp.client_secret
    new = Operator.of(site).rotate_secret(erp.client_id, overlap_seconds=60).expect(200)
    erp.ask_token(client_secret=old).expect(200)
    right_clock.advance(-back_s)
    erp.ask_token(client_secret=old).expect(401, "invalid_client")
    erp.ask_token(client_secret=new["client_secret"]).expect(200)


@pytest.mark.parametrize("back_s", [120, HOUR_S, DAY_S])
def test_short_overlap_of_api_keys_outlives_no_step(site, core, right_clock, back_s):
    """Also in a process that has read the keys before the step."""
    made = make_key(core, "viewer")
    path = f"/internal/v1/api-keys/{made['id']}/rotate"
    new = core.post(path, {"overlap_seconds": 60}).expect(200)
    old, new = with_key(site, made["key"]), with_key(site, new["key"])
    for key in (old, new):
        key.get("/internal/v1/api-keys/self").expect(200)
    right_clock.advance(-back_s)
    old.get("/internal/v1/api-keys/self").expect(401, "unauthorized")
    new.get("/internal/v1/api-keys/self").expect(200)


@pytest.mark.parametrize("back_s", [100, 500])
def test_turn_of_a_chat_waits_for_no_small_step(site, core, sim, new_phone, right_clock, back_s):
    """By the new clock it is no later than the last of a long queue; yet it was taken in the future."""
    scene, chat = Scene(site, core, sim, new_phone, -back_s), -fresh_chat()
    for _ in range(2):
        scene.taken(scene.bot_message(chat).expect(202))
    right_clock.advance(-back_s)
    time.sleep(LOOK_S)
    scene.taken(scene.bot_message(chat).expect(202))


def test_message_that_was_put_off_waits_for_no_small_step(site, core, sim, new_phone, right_clock):
    time.sleep(LOOK_S)
    scene = Scene(site, core, sim, new_phone, -100)
    sim.behave("too_many_requests", provider="telegram_bot", method="sendMessage", count=1,
               retry_after_s=5)
    message = scene.bot_message(fresh_chat()).expect(202)
    scene.taken(message)
    right_clock.advance(-100)
    scene.taken(message)
    core.wait_for_message(message, "sent")


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


@pytest.mark.parametrize("behind_s, do_grow", [(HOUR_S, True), (DAY_S - 60, True),
                                               (3 * DAY_S, False)])
def test_ids_grow_over_a_restart_with_the_clock_behind(fresh_site, behind_s, do_grow):
    """Also behind those of before, up to a day; what is further ahead would stay so for too long."""
    fresh_site.serve()
    before = ids_of(fresh_site)
    fresh_site.stop()
    fresh_site.clock.advance(-behind_s)
    fresh_site.serve()
    after = ids_of(fresh_site)
    assert all((new > max(before)) == do_grow for new in after), (before, after)
    assert after == sorted(after)


@pytest.mark.only("postgres")
def test_several_workers_spare_an_order_one_wait(fresh_site):
    """Each of them sees the step: the ERP is not asked before the time that it named."""
    fresh_site.settings |= ORDER_SETTINGS
    with RawErp(lambda *_: http_answer(b"", "503 Service Unavailable",
                                       "Retry-After: 120")) as erp:
        apis = fresh_site.start_cluster(apis=1, workers=3)
        shop = Shop(fresh_site, erp)
        shop.move_to(fresh_site, apis[0])
        order_id = shop.placed()
        shop.wait_for_attempt(order_id, 1)
        fresh_site.clock.advance(-HOUR_S)
        time.sleep(4 * LOOK_S)
        due = parse_time(shop.read(order_id)["next_attempt_at"])
        wait_s = (due - fresh_site.clock.now()).total_seconds()
        assert 60 < wait_s <= 120 and len(shop.attempts(order_id)) == 1
        fresh_site.clock.advance(121)
        shop.wait_for_attempt(order_id, 2, within=SOON_S)
        shop.close()
