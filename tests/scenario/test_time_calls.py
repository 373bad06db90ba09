"""Reports of calls that waited, by phones whose clocks differ from herald's.

Contract, section 2, rule 6: what a phone's clock showed lately tells a report that waited from a clock
that is behind.
"""

from datetime import timedelta

import pytest

from harness.actors import Phone
from harness.shapes import EVENT_RESULT, check_shape, format_time
from harness.tools import eventually, fresh_key, fresh_number

CLOCK = True
OFFSETS_S = [0, -1800, 1800, 3400, -3400]  # of the phone's clock; below 0 it is behind
DAY_S = 24 * 3600


class Application:
    """A phone with a clock of its own, which can keep a report for later."""

    def __init__(self, phone, clock, offset_s):
        self.phone, self.clock, self.offset_s = phone, clock, offset_s

    def now(self):
        return format_time(self.clock.now() + timedelta(seconds=self.offset_s))

    def ring(self, caller):
        """The report of a call that rings now, as it is written now."""
        return {"caller": caller, "occurred_at": self.now(), "sent_at": self.now()}

    def send(self, report):
        return check_shape(self.phone.event(**report).expect(200), EVENT_RESULT)["result"]

    def is_heard(self):
        """A call that nobody waits for is reported at once."""
        assert self.send(self.ring(fresh_number())) == "no_challenge"


@pytest.fixture(params=OFFSETS_S)
def application(phone, clock, request):
    return Application(phone, clock, request.param)


def state_of(core, challenge):
    return core.challenge(challenge["id"]).expect(200)["state"]


@pytest.mark.parametrize("waited_s", [30, 600, 3000])
def test_report_that_waited_confirms_nothing_that_began_after_the_call(
        core, clock, application, waited_s):
    application.is_heard()
    clock.advance(60)
    caller = fresh_number()
    report = application.ring(caller)
    clock.advance(waited_s)
    challenge = core.create_challenge(caller).expect(201)
    assert application.send(report) == "late"
    assert state_of(core, challenge) == "pending"
    assert application.send(application.ring(caller)) == "confirmed"


@pytest.mark.parametrize("waited_s", [61, 600, 3500, 4000])
def test_template_that_is_played_again_confirms_nothing_that_began_after_the_call(
        core, clock, application, waited_s):
    """With the old times under another id; `sent_at` would make the call as young as its replay."""
    phone, caller, now = application.phone, fresh_number(), application.now()
    report = {"kind": "call", "gateway_number": phone.number, "caller": caller,
              "occurred_at": now, "sent_at": now}
    core.create_challenge(caller, gateway_number=phone.number).expect(201)
    first = phone.post("/device/v1/calls", {**report, "event_id": fresh_key()}).expect(200)
    assert first["result"] == "confirmed"
    clock.advance(waited_s)
    challenge = core.create_challenge(caller, gateway_number=phone.number).expect(201)
    for _ in range(3):
        again = phone.post("/device/v1/calls", {**report, "event_id": fresh_key()}).expect(200)
        assert again["result"] in ("late", "no_challenge") and again["reason"]
    assert state_of(core, challenge) == "pending"
    now = application.now()
    fresh = {**report, "occurred_at": now, "sent_at": now, "event_id": fresh_key()}
    assert phone.post("/device/v1/calls", fresh).expect(200)["result"] == "confirmed"


def test_report_that_waited_confirms_a_challenge_that_waited_too(core, clock, application):
    application.is_heard()
    caller = fresh_number()
    challenge = core.create_challenge(caller, ttl_seconds=900).expect(201)
    clock.advance(30)
    report = application.ring(caller)
    clock.advance(600)
    assert application.send(report) == "confirmed"
    assert state_of(core, challenge) == "confirmed"


def test_clock_that_goes_slower_or_faster_is_followed(core, clock, application):
    for drift_s in (0, -0.4, -0.4, 0.4, -0.4, -0.4):
        clock.advance(5 * 3600)
        application.offset_s += drift_s
        caller = fresh_number()
        core.create_challenge(caller).expect(201)
        assert application.send(application.ring(caller)) == "confirmed"


def test_clock_that_is_set_right_is_believed_at_once(core, clock, application):
    """Also where the same caller was confirmed by the clock as it was."""
    caller = fresh_number()
    core.create_challenge(caller).expect(201)
    assert application.send(application.ring(caller)) == "confirmed"
    application.offset_s = 0
    clock.advance(120)
    for number in (caller, fresh_number()):
        core.create_challenge(number).expect(201)
        assert application.send(application.ring(number)) == "confirmed"


def test_clock_that_is_set_forward_is_believed_at_once(core, clock, phone):
    application = Application(phone, clock, -1200)
    application.is_heard()
    application.offset_s = -300
    core.create_challenge(caller := fresh_number()).expect(201)
    assert application.send(application.ring(caller)) == "confirmed"
    caller = fresh_number()
    report = application.ring(caller)
    clock.advance(600)
    core.create_challenge(caller).expect(201)
    assert application.send(report) == "late"


def test_clock_that_is_set_back_is_believed_a_day_later(core, clock, phone):
    """It cannot be told from reports that wait; only whoever calls long after his challenge began
    is confirmed meanwhile."""
    application = Application(phone, clock, 0)
    application.is_heard()
    application.offset_s = -300
    caller = fresh_number()
    core.create_challenge(caller, ttl_seconds=900).expect(201)
    assert application.send(application.ring(caller)) == "late"
    clock.advance(300)
    assert application.send(application.ring(caller)) == "confirmed"
    clock.advance(DAY_S)
    core.create_challenge(caller := fresh_number()).expect(201)
    assert application.send(application.ring(caller)) == "confirmed"


def test_new_key_is_of_a_phone_whose_clock_is_not_known(core, clock, phone):
    Application(phone, clock, 0).is_heard()
    key = core.rotate_key(phone.device_id).expect(200)["device_key"]
    phone = Phone(phone.address, phone.device_id, key, phone.numbers)
    application = Application(phone, clock, -300)
    core.create_challenge(caller := fresh_number()).expect(201)
    assert application.send(application.ring(caller)) == "confirmed"


# --- A number that is not ready (contract, section 2, rule 1)


def test_a_number_that_is_not_ready_is_told_once_an_hour(core, new_phone, clock):
    """At `info` where nobody ever claimed for it: its phone may only report calls."""
    phone = new_phone()

    made = []

    def told():
        page = core.get("/internal/v1/logs?q=a+SIM+that+is+not+ready").expect(200)
        return [row["level"] for row in page["entries"] if row["fields"]["challenge_id"] in made]

    def ask():
        row = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
        made.append(row["id"])

    ask()
    ask()
    assert eventually(lambda: told() == ["info"])
    phone.be_ready()
    clock.advance(3601)
    ask()
    assert eventually(lambda: told() == ["warning", "info"])
    phone.be_ready()
    ask()
    clock.advance(3599)
    ask()
    assert told() == ["warning", "info"]
