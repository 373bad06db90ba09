"""What the pages make of answers that are rare, and how those of codes, channels and the log are on a phone's screen."""

from datetime import datetime, timedelta, timezone

from conftest import look
from harness.console import add_operator
from harness.shapes import format_time
from harness.tools import fresh_number

BEGIN = datetime(2026, 11, 21, 4, 33, tzinfo=timezone.utc)
# After how many seconds since the one before, how long its call took, and whether it is marked.
STEPS = (("created", 0, None, False), ("queued", 0.5, None, False), ("claimed", 10, None, False), ("returned", 1, None, False),
         ("claimed", 10.1, None, True), ("sent", 30, None, False), ("delivered", 60.1, None, True), ("fetch", 1, 5000, False),
         ("fetch", 1, 5001, True), ("wrong_code", 3000, None, False), ("confirmed", 3000, None, False))


def make_steps():
    at, rows = BEGIN, []
    for step, seconds, took, _ in STEPS:
        at += timedelta(seconds=seconds)
        rows.append({"at": format_time(at), "step": step} | ({"duration_ms": took} if took else {}))
    return rows


def channel(name, **fields):
    return {"channel": name, "driver": None, "configured": True, "circuit": None, "under_way": 0, "waiting": 0,
            "oldest_waiting_at": None, "last_success_at": None, "rate_limit": None, "ready_sims": None,
            "connected_accounts": None} | fields


def circuit(state, **fields):
    return {"state": state, "since": None, "next_probe_at": None, "last_error": None} | fields


CHANNELS = [
    channel("sms", ready_sims=0, waiting=3, oldest_waiting_at="2026-11-21T04:33:00.000Z"),
    channel("flash_call", configured=False, circuit=circuit("closed")),
    channel("personal_messenger", connected_accounts=2, under_way=7),
    channel("messenger_gateway", driver="telegram_gateway", rate_limit=30, last_success_at="2026-11-21T04:33:00.000Z",
            circuit=circuit("open", since="2026-11-21T04:33:00.000Z", next_probe_at="2099-11-21T04:33:00.000Z",
                            last_error="HTTP 401")),
    channel("messenger_bot", driver="telegram_bot", circuit=circuit("half_open", since="2026-11-21T04:33:00.000Z",
                                                                    last_error="HTTP 502")),
]


def test_rare_answers(site, console):
    core = site.core()
    site.phone(core).be_ready()
    code = core.create_otp(fresh_number()).expect(201)
    person = add_operator(core, "Who sees rare things", "viewer")
    faults = look("shown.mjs", console, person, timeout=120, code=code["id"], steps=make_steps(),
                  slow=[index for index, row in enumerate(STEPS) if row[3]], channels=CHANNELS)
    assert faults == [], faults


def test_pages_are_accessible_on_a_phone(site, console):
    core = site.core()
    phone = site.phone(core)
    account = f"shop-{fresh_number()[-6:]}"
    core.connect_accounts(phone, account)
    phone.be_ready()
    number = fresh_number()
    code = core.create_otp(number).expect(201)
    core.create_otp(number).expect(409)
    call = core.create_challenge(fresh_number()).expect(201)
    message = core.create_message(channel="personal_messenger", account_id=account, recipient=fresh_number(),
                                  text="Your order is ready").expect(202)
    person = add_operator(core, "Who has a phone only", "support")
    faults = look("narrow.mjs", console, person, timeout=180,
                  pages=["codes", f"codes?recipient=%2B{number[1:]}", f"codes/{code['id']}", "calls", f"calls/{call['id']}",
                         "messages", f"messages/{message['id']}", "channels", "channels/messenger_gateway", "log",
                         f"search?q=%2B{number[1:]}"])
    assert faults == [], faults
