"""Numbers beyond Russia: HERALD_NUMBER_PREFIXES (contract, section 1 "Phone numbers")."""

import json

import pytest

from harness.actors import Phone, read_code
from harness.http import Client
from harness.outcomes import GATEWAY
from harness.tools import fresh_key, fresh_number

CHANNELS = ("gateway",)
SETTINGS = {"HERALD_NUMBER_PREFIXES": "+7, +375"}
PATTERN = r"^(\+7[0-9]{10}|\+375[0-9]{4,12})$"
ANY = r"^\+(7[0-9]{10}|[1-689][0-9]{6,14})$"


def of(prefix, digits=12):
    """A number that was not used before, with so many digits in all."""
    number = prefix + fresh_number()[3:]
    return number + "5" * (digits + 1 - len(number))


@pytest.fixture
def foreign(core):
    """A phone with a SIM of another country."""
    number = of("+375")
    made = core.register("Минск", [number]).expect(201)
    yield Phone(core.address, made["device_id"], made["device_key"], [number])
    core.enable(made["device_id"], False).expect(204)


def test_numbers_of_another_country_are_served(core, foreign):
    """A SIM, a code by SMS, and a call, all of +375."""
    person = of("+375")
    foreign.be_ready()
    otp = core.create_otp(person, gateway_number=foreign.number).expect(201)
    task = foreign.claim_task()
    assert (task["gateway_number"], task["recipient"]) == (foreign.number, person)
    foreign.result(task, "sent").expect(204)
    assert core.verify(otp["id"], read_code(task)).expect(200)["state"] == "confirmed"

    challenge = core.create_challenge(person, gateway_number=foreign.number).expect(201)
    answer = foreign.event(person).expect(200)
    assert (answer["result"], answer["challenge_id"]) == ("confirmed", challenge["id"])


def test_eight_and_ten_digits_are_russian_still(core, foreign):
    person = fresh_number()
    core.create_challenge(person, gateway_number=foreign.number).expect(201)
    assert foreign.event(f"8{person[2:]}").expect(200)["result"] == "confirmed"


@pytest.mark.parametrize("number", [
    "+442079460000", "+37512", "+3751234567890123", "+7916123456", "375291234567", "+0375291234567",
])
def test_other_numbers_are_422(core, foreign, number):
    faults = [
        (core.register("x", [number]), "numbers[0]"),
        (core.create_challenge(number), "caller"),
        (core.create_challenge(of("+375"), gateway_number=number), "gateway_number"),
        (core.create_otp(number), "recipient"),
        (core.create_otp(number, channel="flash_call"), "recipient"),
        (core.create_otp(of("+375"), gateway_number=number), "gateway_number"),
    ]
    for reply, path in faults:
        reply.expect(422, "validation_error")
        assert reply.fault_paths == [path]
        assert "+7" in reply.error["fields"][0]["message"]


def test_messengers_reach_any_number(core, sim, foreign):
    """No SMS goes there, so there is nothing to fall back to."""
    person = of("+44")
    otp, call = GATEWAY.send(core, sim, person)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    foreign.be_ready()
    core.fall_back(otp["id"]).expect(409, "fallback_not_applicable")
    assert core.otp(otp["id"]).expect(200)["recipient"] == person
    GATEWAY.confirm(core, sim, otp, call["code"])


def test_fallback_of_an_allowed_number_goes_out(core, sim, foreign):
    person = of("+375")
    otp, call = GATEWAY.send(core, sim, person)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    foreign.be_ready()
    core.fall_back(otp["id"], gateway_number=foreign.number).expect(204)
    assert foreign.claim_task()["recipient"] == person
    GATEWAY.confirm(core, sim, otp, call["code"])


def test_accounts_reach_any_number(core, foreign):
    account_id = fresh_key()
    core.connect_accounts(foreign, account_id)
    for person in ("+6834000", of("+49", 14), of("+1", 15)):
        core.create_message(channel="personal_messenger", account_id=account_id, text="Hi",
                            recipient=person).expect(202)
        task = foreign.claim_message_task(account_id)
        assert task["recipient"] == person
        foreign.message_result(task, "sent").expect(204)
    for person in ("+683400", of("+1", 16), "683400012", "+7916123456"):
        core.create_message(channel="personal_messenger", account_id=account_id, text="Hi",
                            recipient=person).expect(422, "validation_error")


def test_masks_of_other_lengths(site, core, foreign):
    with site.log_reader() as reader:
        person = of("+375")
        core.create_challenge(person, gateway_number=foreign.number).expect(201)
        caller = reader.wait_for_text("call challenge created")["fields"]["caller"]
        assert caller.startswith(f"{person[:5]}***{person[-4:]} #")
        foreign.event("+6834000").expect(200)
        assert reader.wait_for_text("+68***00 #")


def test_document_shows_what_is_configured(site):
    document = Client(site.address).get("/openapi.json").expect(200)
    assert json.loads(site.run("openapi").stdout)["components"] == document["components"]
    schemas = document["components"]["schemas"]

    def pattern(record, field):
        found = schemas[record]["properties"][field]
        return found.get("items", found)["pattern"]

    assert pattern("DeviceInput", "numbers") == PATTERN
    assert pattern("CreateChallenge", "caller") == PATTERN
    assert pattern("OTPInput", "gateway_number") == PATTERN
    assert pattern("OTPInput", "recipient") == ANY
    assert pattern("MessageInput", "recipient") == ANY


def test_by_default_the_pattern_is_doc_as(fresh_site):
    fresh_site.serve()
    schemas = Client(fresh_site.address).get("/openapi.json").expect(200)["components"]["schemas"]
    assert schemas["DeviceInput"]["properties"]["numbers"]["items"]["pattern"] == r"^\+7[0-9]{10}$"
    core = fresh_site.core()
    core.register("x", ["+375291234567"]).expect(422, "validation_error")
    core.create_otp("+375291234567").expect(422, "validation_error")


@pytest.mark.parametrize("value", ["7", "+", "+7,", "+0", "all"])
def test_faulty_prefixes_stop_the_start(fresh_site, value):
    done = fresh_site.run("config", changes={"HERALD_NUMBER_PREFIXES": value})
    assert done.returncode == 2
    assert "HERALD_NUMBER_PREFIXES" in done.stdout and "+7,+375" in done.stdout
