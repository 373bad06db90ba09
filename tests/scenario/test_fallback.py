"""Contract section 2, rule 8: sending a code by SMS as well, where another channel carries it.

No provider stands behind these scenarios: a code becomes one of another channel in the database.
"""

import pytest

from harness.actors import read_code
from harness.tools import fresh_number

NEVER = 0.3
MISSING_ID = "01900000-0000-7000-8000-000000000000"
ENDS = {
    "confirmed": "already_confirmed",
    "canceled": "challenge_canceled",
    "exhausted": "attempts_exhausted",
    "expired": "challenge_expired",
}


def send_code(core, phone):
    """A code that went out; returns it and its six digits."""
    otp = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    return otp, read_code(task)


def end_code(core, otp, code, end):
    if end == "confirmed":
        core.verify(otp["id"], code).expect(200)
    if end == "canceled":
        core.cancel_otp(otp["id"]).expect(204)
    if end == "exhausted":
        for _ in range(5):
            core.verify(otp["id"], str((int(code) + 1) % 10**6).zfill(6)).expect(422)


def carry_elsewhere(site, otps, expired):
    """These codes have gone by the messenger; one of them is over since long."""
    site.stop()
    people = ", ".join(f"'{otp['recipient']}'" for otp in otps)
    site.ask(f"UPDATE otp SET channel = 'messenger_gateway' WHERE recipient IN ({people})")
    site.ask(f"UPDATE otp SET expires_at = created_at + 1 WHERE recipient = '{expired}'")
    site.serve()


@pytest.fixture
def talk(fresh_site):
    """A core system and a phone of an installation that may be restarted."""
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    phone.be_ready()
    return core, phone


def test_final_codes_tell_their_end(fresh_site, talk):
    core, phone = talk
    otps = {}
    for end in ENDS:
        otps[end], code = send_code(core, phone)
        end_code(core, otps[end], code, end)
    carry_elsewhere(fresh_site, otps.values(), otps["expired"]["recipient"])
    core, phone = fresh_site.core(), phone.at(fresh_site.address)
    phone.be_ready()
    for end, code in ENDS.items():
        assert core.otp(otps[end]["id"]).expect(200)["state"] == end
        core.fall_back(otps[end]["id"]).expect(409, code)
        core.fall_back(otps[end]["id"], gateway_number=phone.number).expect(409, code)
    assert phone.claim_task(within=NEVER) is None


def test_first_success_queues_one_sms_with_the_same_code(fresh_site, talk):
    core, phone = talk
    otp, code = send_code(core, phone)
    expired, _ = send_code(core, phone)
    carry_elsewhere(fresh_site, [otp, expired], expired["recipient"])
    core, phone = fresh_site.core(), phone.at(fresh_site.address)
    core.enable(phone.device_id, False).expect(204)
    core.fall_back(otp["id"]).expect(503, "no_ready_sim")
    core.enable(phone.device_id, True).expect(204)
    phone.be_ready()
    before = core.otp(otp["id"]).expect(200)

    for _ in range(3):
        assert core.fall_back(otp["id"]).expect(204) is None
    task = phone.claim_task()
    assert (task["recipient"], read_code(task)) == (otp["recipient"], code)
    core.fall_back(otp["id"]).expect(204)
    phone.result(task, "sent").expect(204)
    core.fall_back(otp["id"]).expect(204)
    assert phone.claim_task(within=NEVER) is None

    after = core.otp(otp["id"]).expect(200)
    assert len(after["sends"]) == len(before["sends"]) + 1
    assert after["sends"][-1]["channel"] == "sms"
    assert [after[name] for name in ("expires_at", "attempts_left", "channel")] == [
        before[name] for name in ("expires_at", "attempts_left", "channel")]
    core.verify(otp["id"], code).expect(200)
    core.fall_back(otp["id"]).expect(409, "already_confirmed")


def test_fallback_to_a_number(fresh_site, talk):
    core, phone = talk
    otp, code = send_code(core, phone)
    expired, _ = send_code(core, phone)
    other = fresh_site.phone(core, 2)
    carry_elsewhere(fresh_site, [otp, expired], expired["recipient"])
    core, phone, other = fresh_site.core(), phone.at(fresh_site.address), other.at(
        fresh_site.address)
    phone.be_ready()
    other.be_ready(other.numbers[1])
    core.fall_back(otp["id"], gateway_number=fresh_number()).expect(404, "not_found")
    core.fall_back(otp["id"], gateway_number=other.numbers[0]).expect(503, "no_ready_sim")
    core.fall_back(otp["id"], gateway_number=other.numbers[1]).expect(204)
    core.fall_back(otp["id"], gateway_number=phone.number).expect(204)
    assert phone.claim_task(within=NEVER) is None
    assert read_code(other.claim_task(other.numbers[1])) == code


@pytest.mark.parametrize("end", [None, "confirmed", "canceled", "exhausted"])
def test_code_that_goes_by_sms_has_nothing_to_fall_back_to(core, ready_phone, end):
    otp, code = send_code(core, ready_phone)
    end_code(core, otp, code, end)
    before = core.otp(otp["id"]).expect(200)
    core.fall_back(otp["id"]).expect(409, "fallback_not_applicable")
    core.fall_back(otp["id"], gateway_number=ready_phone.number).expect(
        409, "fallback_not_applicable")
    assert core.otp(otp["id"]).expect(200) == before
    assert ready_phone.claim_task(within=NEVER) is None


@pytest.mark.parametrize("otp_id", [MISSING_ID, "no-uuid"])
def test_unknown_code_is_404(core, ready_phone, otp_id):
    core.fall_back(otp_id).expect(404, "not_found")
    core.fall_back(otp_id, gateway_number=ready_phone.number).expect(404, "not_found")


@pytest.mark.parametrize("body, paths", [
    ({"colour": "red"}, ["colour"]), ({"gateway_number": "8916"}, ["gateway_number"]),
    ({"gateway_number": 7, "channel": "sms"}, ["gateway_number", "channel"]),
])
def test_body_is_strict(core, ready_phone, body, paths):
    """Also where the code could not fall back anyhow, or is unknown."""
    otp = core.create_otp(fresh_number()).expect(201)
    for otp_id in (otp["id"], MISSING_ID):
        reply = core.post(f"/internal/v1/otp/{otp_id}/sms-fallback", body)
        reply.expect(422, "validation_error")
        assert sorted(reply.fault_paths) == sorted(paths)


@pytest.mark.parametrize("raw", [b"", b"[]", b"{broken", b'{"gateway_number":null,}'])
def test_body_is_an_object(core, ready_phone, raw):
    otp = core.create_otp(fresh_number()).expect(201)
    path = f"/internal/v1/otp/{otp['id']}/sms-fallback"
    core.request("POST", path, raw=raw).expect(422, "validation_error")
