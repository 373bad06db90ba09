"""Contract section 2, rule 12: what the log tells of phones, of points, and of codes that end."""

from harness import catalog
from harness.actors import read_code, wrong_code
from harness.exchange import Operator
from harness.packages import SNAPSHOT, Sender
from harness.tools import PATIENCE_S, Moment, eventually, fresh_key, fresh_number

CLOCK = True
SILENT_S = 6
TTL_S = 60


def entries_of(core, message, **fields):
    """The entries of the log with these words and fields, newest first."""
    page = core.get("/internal/v1/logs?limit=200").expect(200)
    return [entry["fields"] for entry in page["entries"] if entry["message"] == message
            and all(entry["fields"].get(name) == value for name, value in fields.items())]


def wait_for_entry(core, message, within=PATIENCE_S, **fields):
    found = eventually(lambda: entries_of(core, message, **fields), within)
    assert found, f"no entry {message!r} with {fields}"
    return found[0]


def end_of(core, message, otp):
    """What the entry of the end of a code tells of its last send."""
    fields = wait_for_entry(core, message, otp_id=otp["id"])
    return [fields.get(name) for name in ("channel", "last_send", "error")]


# --- names


def test_phone_is_named_as_it_is_called_now(core, ready_phone):
    phone = ready_phone
    core.change_device(phone.device_id, "Hall", phone.numbers).expect(200)
    for name in ("Hall", "Cellar"):
        core.change_device(phone.device_id, name, phone.numbers).expect(200)
        otp = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
        task = phone.claim_task()
        entry = wait_for_entry(core, "sms claimed", task_id=task["id"])
        assert (entry["device_id"], entry["device_name"]) == (phone.device_id, name)
        core.cancel_otp(otp["id"]).expect(204)


def test_name_shows_no_number(core, phone):
    core.change_device(phone.device_id, "Anna 8 916 123-45-67", phone.numbers).expect(200)
    core.rotate_key(phone.device_id).expect(200)
    entry = wait_for_entry(core, "device key rotated", device_id=phone.device_id)
    assert entry["device_name"] == "Anna ***67"


def test_silent_phone_is_named_by_a_process_that_never_met_it(fresh_site):
    fresh_site.settings.update({"HERALD_SIM_SILENT_SECONDS": str(SILENT_S)})
    fresh_site.serve()
    phone = fresh_site.phone(fresh_site.core())
    fresh_site.core().change_device(phone.device_id, "Hall", phone.numbers).expect(200)
    phone.be_ready()
    fresh_site.restart()
    entry = wait_for_entry(fresh_site.core(), "SIM silent: its phone has not claimed",
                           within=4 * SILENT_S)
    assert (entry["device_id"], entry["device_name"]) == (phone.device_id, "Hall")


def test_point_is_named(site, core):
    name = f"Point {fresh_key()[:6]}"
    sender = Sender.of(site)
    Operator.of(site).change_integration(sender.integration_id, name=name).expect(200)
    sender.apply(SNAPSHOT, catalog.snapshot())
    for message in ("snapshot received", "package applied"):
        entry = wait_for_entry(core, message, integration_id=sender.integration_id)
        assert entry["integration_name"] == name


# --- codes that end


def test_code_that_nobody_took(core, clock, ready_phone):
    otp = core.create_otp(fresh_number(), gateway_number=ready_phone.number,
                          ttl_seconds=TTL_S).expect(201)
    clock.advance(TTL_S + 1)
    assert end_of(core, "otp expired", otp) == ["sms", "queued", None]


def test_code_that_nobody_typed(core, clock, ready_phone):
    otp = core.create_otp(fresh_number(), gateway_number=ready_phone.number,
                          ttl_seconds=TTL_S).expect(201)
    ready_phone.result(ready_phone.claim_task(), "sent").expect(204)
    clock.advance(TTL_S + 1)
    assert end_of(core, "otp expired", otp) == ["sms", "sent", None]


def test_code_that_was_guessed(core, ready_phone):
    otp = core.create_otp(fresh_number(), gateway_number=ready_phone.number).expect(201)
    task = ready_phone.claim_task()
    ready_phone.result(task, "delivered").expect(204)
    for _ in range(5):
        core.verify(otp["id"], wrong_code(read_code(task)))
    assert end_of(core, "otp exhausted", otp) == ["sms", "delivered", None]


def test_code_that_no_phone_could_send(core, ready_phone):
    """The phone's own words are in the record, and not in the log."""
    otp = core.create_otp(fresh_number(), gateway_number=ready_phone.number).expect(201)
    words = f"no credit {fresh_key()[:6]}"
    for _ in range(9):
        task = ready_phone.claim_task(within=Moment(3))
        if not task:
            break
        ready_phone.result(task, "failed", error=words, retryable=False).expect(204)
    assert eventually(lambda: core.otp(otp["id"]).expect(200)["state"] == "undelivered")
    assert end_of(core, "otp undelivered", otp) == ["sms", "failed", "the phone could not send it"]
    assert core.otp(otp["id"]).expect(200)["sends"][-1]["error"] == words
    assert not [row for row in core.get("/internal/v1/logs?limit=200").expect(200)["entries"]
                if words in str(row)]
