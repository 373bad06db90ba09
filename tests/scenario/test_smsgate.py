"""The SMSGate app as a phone of herald (contract, section 15.2)."""

import json
from datetime import timedelta

import pytest

from harness.actors import read_code
from harness.shapes import format_time, parse_time, seconds_between
from harness.smsgate import App
from harness.tools import Moment, eventually, fresh_number, fresh_numbers

CLOCK = True
HANDED_OVER_S = 30
LEASE_S = 90


class Owner:
    """A phone with its app, and the core system that sends by it."""

    def __init__(self, core, count=1, shows=True):
        self.core = core
        self.numbers = fresh_numbers(count)
        credentials = core.register("Ящик", self.numbers).expect(201)
        self.device_id, self.key = credentials["device_id"], credentials["device_key"]
        self.app = App(core.address)
        self.shown = self.numbers if shows else [None] * count
        code = core.pair(self.device_id).expect(201)["code"]
        assert self.app.register_by_code(code, *self.shown) == 201

    def send(self, number=None, **fields):
        return self.core.create_otp(
            fresh_number(), gateway_number=number or self.numbers[0], **fields).expect(201)

    def send_and_pull(self, number=None):
        self.app.pull()
        otp = self.send(number)
        return otp, self.app.pull_one()

    def state(self, otp):
        return self.core.otp(otp["id"]).expect(200)["sends"][-1]["state"]

    def sims(self):
        rows = self.core.read_device(self.device_id).expect(200)["numbers"]
        return [row["sim_ready"] for row in rows]


@pytest.fixture
def owners(core):
    """Makes phones, which are removed at the end of the test."""
    made = []

    def make(*args, **fields):
        made.append(Owner(core, *args, **fields))
        return made[-1]

    yield make
    for owner in made:
        core.remove_device(owner.device_id)


# --- registering


def test_app_registers_by_code_or_key(core, owners):
    owner = owners()
    assert owner.app.device_id == owner.device_id and owner.app.token != owner.key
    key = owner.app.token
    for register in (
        lambda app: app.register_by_password(owner.device_id, key),
        lambda app: app.register_by_password("Name", key),
        lambda app: app.register(f"Bearer {key}"),
    ):
        app = App(core.address)
        assert register(app) == 201
        assert (app.device_id, app.token) == (owner.device_id, key)
        assert app.ask("GET", "/message")[0] == 200


@pytest.mark.parametrize("authorization", [
    "", "Bearer x", "Code 00000000", "Code", "Basic ????", "Basic eA==", "Basic eDp5", "Digest x",
])
def test_stranger_is_refused(core, authorization):
    assert App(core.address).register(authorization) == 401


def test_other_operations_want_the_key(core, owners):
    owner = owners()
    for method, path, body in (
        ("PATCH", "/device", {"id": owner.device_id}), ("GET", "/message", None),
        ("PATCH", "/message", []), ("GET", "/webhooks", None), ("GET", "/settings", None),
        ("GET", "/events", None),
    ):
        assert owner.app.ask(method, path, body, "Bearer wrong")[0] == 401, path
    core.rotate_key(owner.device_id).expect(200)
    assert owner.app.ask("GET", "/message")[0] == 401
    assert owner.app.update() == 401


def test_update_names_its_own_phone(core, owners):
    owner, other = owners(), owners()
    assert owner.app.update(*owner.shown) == 204
    assert owner.app.update(*owner.shown, device_id=other.device_id) == 403


def test_app_is_told_how_to_listen(owners):
    app = owners().app
    assert app.ask("GET", "/settings") == (200, {
        "gateway": {"notification_channel": "SSE_ONLY"}, "ping": {"interval_seconds": 20},
        "messages": {"processing_order": "FIFO"}})
    assert app.ask("GET", "/webhooks") == (200, [])
    assert App(app.address).ask("GET", "/device") == (200, {"externalIp": "127.0.0.1"})


def test_no_document_has_these_operations(core):
    paths = core.get("/openapi.json").expect(200)["paths"]
    assert not [path for path in paths if path.startswith("/smsgate")]


# --- SMS


def test_code_goes_out(core, owners):
    owner = owners()
    otp, message = owner.send_and_pull()
    assert message["phoneNumbers"] == [otp["recipient"]] and message["simNumber"] == 1
    assert message["state"] == "Pending"
    assert 84 <= seconds_between(message["createdAt"], message["validUntil"]) <= 86
    assert owner.state(otp) == "claimed"
    assert owner.app.pull_one() == message  # the same under the same lease
    for state, shown in (("Processed", "claimed"), ("Sent", "sent"), ("Delivered", "delivered")):
        owner.app.report(message["id"], state)
        assert owner.state(otp) == shown
    assert owner.app.pull() == []
    code = read_code({"text": message["textMessage"]["text"]})
    assert core.verify(otp["id"], code).expect(200)["state"] == "confirmed"


def test_delivered_without_sent_counts(owners):
    owner = owners()
    otp, message = owner.send_and_pull()
    owner.app.report(message["id"], "Processed")
    owner.app.report(message["id"], "Delivered")
    assert owner.state(otp) == "delivered"
    owner.app.report(message["id"], "Sent")  # late
    assert owner.state(otp) == "delivered"


def test_one_message_a_slot(owners):
    owner = owners(2)
    owner.app.pull()
    first, second, other = owner.send(), owner.send(), owner.send(owner.numbers[1])
    by_slot = {message["simNumber"]: message for message in owner.app.pull()}
    assert by_slot[1]["phoneNumbers"] == [first["recipient"]]
    assert by_slot[2]["phoneNumbers"] == [other["recipient"]]
    owner.app.report(by_slot[1]["id"], "Sent")
    by_slot = {message["simNumber"]: message for message in owner.app.pull()}
    assert by_slot[1]["phoneNumbers"] == [second["recipient"]]


@pytest.mark.parametrize("error, is_sent_again", [
    ("Send result: RESULT_ERROR_NO_SERVICE", True), ("TTL expired", True), ("SIM 1 not found", True),
    ("Send result: RESULT_ERROR_LIMIT_EXCEEDED", True), (None, True),
    ("Send result: RESULT_INVALID_ARGUMENTS", False), ("Send result: RESULT_ERROR_NULL_PDU", False),
    ("Send result: RESULT_ENCODING_ERROR", False),
    ("Send result: RESULT_ERROR_FDN_CHECK_FAILURE", False),
    ("Send result: RESULT_ERROR_SHORT_CODE_NEVER_ALLOWED", False), ("x" * 2000, True),
])
def test_failure_is_sent_again_where_that_may_help(core, owners, error, is_sent_again):
    owner = owners()
    otp, message = owner.send_and_pull()
    owner.app.report(message["id"], "Failed", error)
    sends = core.otp(otp["id"]).expect(200)["sends"]
    assert sends[0]["state"] == "failed" and sends[0]["error"]
    again = owner.app.pull()
    assert len(again) == is_sent_again
    if is_sent_again:
        assert again[0]["id"] != message["id"]
    else:
        assert core.otp(otp["id"]).expect(200)["state"] == "undelivered"


@pytest.mark.parametrize("error", ["Delivery result from SC +79168999100: 70", "Delivery result: 1"])
@pytest.mark.parametrize("before", [[], ["Processed"], ["Processed", "Sent"]])
def test_sms_that_was_not_delivered_has_left_the_phone(owners, error, before):
    """The app may lose its Sent, so this may be the first that it says; another SMS might be a second one."""
    owner = owners()
    otp, message = owner.send_and_pull()
    for state in before:
        owner.app.report(message["id"], state)
    owner.app.report(message["id"], "Failed", error)
    assert owner.state(otp) == "sent"
    assert owner.app.pull() == [] and len(owner.core.otp(otp["id"]).expect(200)["sends"]) == 1


def test_lease_that_ended_gives_the_same_message_anew(owners, clock):
    owner = owners()
    otp, message = owner.send_and_pull()
    clock.advance(LEASE_S + 1)
    again = owner.app.pull_one()
    assert again["id"] == message["id"] and again["validUntil"] > message["validUntil"]
    owner.app.report(message["id"], "Sent")
    assert owner.state(otp) == "sent"


# --- Processed


def test_processed_is_unknown_after_30_s_and_never_sent_again(core, owners, clock):
    owner = owners()
    otp, message = owner.send_and_pull()
    behind = owner.send()
    owner.app.report(message["id"], "Processed")
    assert owner.app.pull() == [] and owner.state(otp) == "claimed"
    clock.advance(HANDED_OVER_S - 2)
    assert owner.app.pull() == [] and owner.state(otp) == "claimed"
    clock.advance(3)
    assert owner.state(otp) == "unknown"
    assert owner.app.pull_one()["phoneNumbers"] == [behind["recipient"]]  # the slot is free
    assert eventually(lambda: "unknown" in [
        step["step"] for step in
        core.get(f"/internal/v1/otp/{otp['id']}/timeline").expect(200)["steps"]])
    owner.app.report(message["id"], "Processed")
    assert owner.state(otp) == "unknown"
    owner.app.report(message["id"], "Delivered")  # late
    assert owner.state(otp) == "delivered"


def test_failure_behind_unknown_is_the_end(core, owners, clock):
    owner = owners()
    otp, message = owner.send_and_pull()
    owner.app.report(message["id"], "Processed")
    clock.advance(HANDED_OVER_S + 1)
    owner.app.report(message["id"], "Failed", "Send result: RESULT_ERROR_NO_SERVICE")
    record = core.otp(otp["id"]).expect(200)
    assert record["state"] == "undelivered" and len(record["sends"]) == 1
    assert owner.app.pull() == []


def test_failure_while_it_is_with_the_radio_is_sent_again(core, owners):
    owner = owners()
    otp, message = owner.send_and_pull()
    owner.app.report(message["id"], "Processed")
    owner.app.report(message["id"], "Failed", "Send result: RESULT_ERROR_NO_SERVICE")
    assert owner.app.pull_one()["id"] != message["id"]
    assert len(core.otp(otp["id"]).expect(200)["sends"]) == 2


def test_processed_after_its_lease_is_not_given_again(owners, clock):
    owner = owners()
    otp, message = owner.send_and_pull()
    clock.advance(LEASE_S + 1)
    owner.app.report(message["id"], "Processed")
    assert owner.app.pull() == [] and owner.state(otp) == "claimed"
    clock.advance(HANDED_OVER_S + 1)
    assert owner.app.pull() == [] and owner.state(otp) == "unknown"


def test_processed_stays_where_its_phone_is_disabled(core, owners):
    owner, other = owners(), owners()
    other.app.pull()
    otp, message = owner.send_and_pull()
    owner.app.report(message["id"], "Processed")
    core.enable(owner.device_id, False).expect(204)
    assert not eventually(other.app.pull, Moment(3))
    owner.app.report(message["id"], "Sent")
    assert owner.state(otp) == "sent"


# --- SIMs


def test_number_must_end_in_what_is_shown(core, owners, clock):
    owner = owners(2)
    owner.app.pull()
    assert owner.sims() == [True, True]
    assert owner.app.update(*reversed(owner.numbers)) == 204  # the SIMs were changed over
    owner.app.pull()
    assert owner.sims() == [False, False]
    core.set_slots(owner.device_id, *reversed(owner.numbers)).expect(200)
    owner.app.pull()
    assert owner.sims() == [True, True]
    otp = owner.send()
    assert [row["simNumber"] for row in owner.app.pull()] == [2]
    assert owner.state(otp) == "claimed"


def test_number_that_is_not_shown_is_confirmed_once(core, owners):
    owner = owners(2, shows=False)
    owner.app.pull()
    assert owner.sims() == [False, False]
    rows = core.set_slots(owner.device_id, *owner.numbers).expect(200)["numbers"]
    assert [(row["slot"], row["slot_confirmed"]) for row in rows] == [(1, True), (2, True)]
    owner.app.pull()
    assert owner.sims() == [True, True]
    assert owner.app.update() == 204  # no SIM is shown at all, as without the permission
    owner.app.pull()
    assert owner.sims() == [True, True]


def test_sim_that_is_missing_is_not_used(owners):
    owner = owners(2)
    owner.app.pull()
    assert owner.app.update(owner.numbers[0]) == 204
    owner.app.pull()
    assert owner.sims() == [True, False]


def test_slots_are_set_by_the_operator(core, owners):
    owner = owners(3)
    one, two, three = owner.numbers
    rows = core.set_slots(owner.device_id, two, "-", one).expect(200)["numbers"]
    assert [row["slot"] for row in rows] == [3, 1, 0]
    core.set_slots(owner.device_id, one, one).expect(422, "validation_error")
    core.set_slots(owner.device_id).expect(422, "validation_error")
    core.set_slots(owner.device_id, fresh_number()).expect(403, "number_not_owned")
    core.set_slots("01900000-0000-7000-8000-000000000000", one).expect(404, "not_found")
    added = fresh_number()
    rows = core.change_device(owner.device_id, "B", [added, one, two]).expect(200)["numbers"]
    assert [row["slot"] for row in rows] == [2, 3, 1]


# --- what is not wanted any more


@pytest.mark.parametrize("off_s", [-3000, -60, 60, 3000])
def test_clock_that_is_off_is_taken_out(owners, clock, off_s):
    """Or a message would be over before its phone has it, or not when its lease is."""
    def fail(message, waited_s=0):
        """Reports a failure, and returns for how long the next message is good by a right clock."""
        at = clock.now() + timedelta(seconds=off_s - waited_s)
        owner.app.report(message["id"], "Failed", "TTL expired", at=format_time(at))
        owner.send()
        again = owner.app.pull_one()
        return again, (parse_time(again["validUntil"]) - clock.now()).total_seconds()

    owner = owners()
    good_s = LEASE_S - 5
    _, message = owner.send_and_pull()
    assert (parse_time(message["validUntil"]) - clock.now()).total_seconds() == pytest.approx(good_s, abs=3)
    message, left_s = fail(message)
    assert left_s == pytest.approx(good_s + off_s, abs=4)
    message, left_s = fail(message, waited_s=300)
    assert left_s == pytest.approx(good_s + off_s, abs=4), "a report that has waited shows no more"
    off_s = 0
    assert fail(message)[1] == pytest.approx(good_s, abs=4), "the clock was set"


@pytest.mark.parametrize("off_s", [-86400, 86400])
def test_clock_that_is_a_day_off_is_not_believed(owners, site, clock, off_s):
    owner = owners()
    _, message = owner.send_and_pull()
    at = format_time(clock.now() + timedelta(seconds=off_s))
    owner.app.report(message["id"], "Failed", "TTL expired", at=at)
    again = owner.app.pull_one()
    left_s = (parse_time(again["validUntil"]) - clock.now()).total_seconds()
    assert left_s == pytest.approx(LEASE_S - 5, abs=3)
    if off_s > 0:
        with site.log_reader(last_event_id=0) as reader:
            assert reader.wait_for(lambda entry: "far ahead" in entry["message"]
                                   and entry["fields"]["device_id"] == owner.device_id)


@pytest.mark.parametrize("states", [None, [], "x", {}, {"Failed": None}, {"Failed": "soon"},
                                    {"Failed": 17}, {"Failed": "9999-12-31T23:59:59.999Z"},
                                    {"Failed": "1970-01-01T00:00:00.000Z"}])
def test_times_that_are_none_are_passed_over(owners, states):
    owner = owners()
    otp, message = owner.send_and_pull()
    item = {"id": message["id"], "state": "Failed", "recipients": None, "states": states}
    assert owner.app.ask("PATCH", "/message", [item])[0] == 204
    assert [send["state"] for send in owner.core.otp(otp["id"]).expect(200)["sends"]][0] == "failed"


def test_canceled_code_is_canceled_on_the_phone(core, owners):
    owner = owners()
    with_stream = owner.app.listen()
    otp, message = owner.send_and_pull()
    core.cancel_otp(otp["id"]).expect(204)
    told = []
    eventually(lambda: told.append(with_stream.next()) or told[-1] == (
        "MessageCancelled", {"messageId": message["id"]}), 10)
    assert told[-1] == ("MessageCancelled", {"messageId": message["id"]})
    canceled = owner.app.pull_one()
    assert (canceled["id"], canceled["state"]) == (message["id"], "Cancelling")
    assert canceled["validUntil"].startswith("1970-")
    assert message["textMessage"] != canceled["textMessage"]
    owner.app.report(message["id"], "Cancelled")
    assert owner.app.pull() == [] and owner.state(otp) == "failed"
    with_stream.close()


# --- listening


def test_message_is_told_within_a_second(owners):
    owner, other = owners(), owners()
    owner.app.pull(), other.app.pull()
    mine, theirs = owner.app.listen(), other.app.listen()
    assert (mine.status, mine.type) == (200, "text/event-stream")
    owner.send()
    assert mine.next() == ("MessageEnqueued", None)
    assert theirs.next(within=1.5) is None
    mine.close(), theirs.close()


def test_disabled_phone_keeps_its_key(core, owners):
    owner = owners()
    core.enable(owner.device_id, False).expect(204)
    assert owner.app.ask("GET", "/message")[0] == 403
    assert owner.app.ask("GET", "/events")[0] == 403
    assert owner.app.update(*owner.shown) == 204
    core.enable(owner.device_id, True).expect(204)
    assert owner.app.pull() == []


# --- what is of no use


def test_useless_reports_are_passed_over(owners):
    owner, other = owners(), owners()
    otp, message = owner.send_and_pull()
    other.app.report(message["id"], "Sent")  # of another phone
    assert owner.state(otp) == "claimed"
    owner.app.report("QslD_GefqiYV6RQXdkM6V", "Sent")
    owner.app.report("01900000-0000-7000-8000-000000000000", "Failed")
    owner.app.report(message["id"], "Pending")
    owner.app.report(message["id"], "Sent")
    owner.app.report(message["id"], "Failed", "Send result: RESULT_CANCELLED")  # contradicts
    assert owner.state(otp) == "sent"


@pytest.mark.parametrize("behind", [b"\0", b"\0x", b",[]", b"]"])
def test_reports_end_where_their_list_does(owners, behind):
    owner = owners()
    otp, message = owner.send_and_pull()
    body = json.dumps([{"id": message["id"], "state": "Sent"}]).encode()
    assert owner.app.ask("PATCH", "/message", raw=body + behind)[0] == 422
    assert owner.state(otp) == "claimed"
    assert owner.app.ask("PATCH", "/message", raw=body)[0] == 204
    assert owner.state(otp) == "sent"


@pytest.mark.parametrize("body", [{}, [{}], [{"id": 7, "state": "Sent"}], [{"id": "x"}], "x", 7])
def test_reports_are_a_list(owners, body):
    assert owners().app.ask("PATCH", "/message", body)[0] == 422
