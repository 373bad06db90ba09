"""Why a code did not arrive, found by support from the customer's number alone; and what support may do then."""

import uuid

import pytest

from conftest import look
from harness.console import add_operator, console_settings
from harness.site import Site
from harness.tools import eventually, fresh_number

CAUSE = "The SIM has no money left"
GATEWAY = {"HERALD_TELEGRAM_GATEWAY_URL": "http://127.0.0.1:9", "HERALD_TELEGRAM_GATEWAY_TOKEN": "a-token-of-nobody"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A herald of its own: what waits, and for what, depends on all phones that there are."""
    settings, address = console_settings()
    with Site("sqlite", tmp_path_factory.mktemp("why"), settings={**settings, **GATEWAY}) as site:
        site.serve()
        yield site, (settings, address)


def state_of(core, code):
    return core.otp(code["id"]).expect(200)["state"]


def send(core, phone, number, status, **fields):
    phone.be_ready()
    code = core.create_otp(number).expect(201)
    phone.result(phone.claim_task(), status, **fields).expect(204)
    return code


def end_early(site, code):
    """Its time is over: nobody waits for the minute that a code lives at least."""
    site.stop()
    site.processes.clear()
    site.ask(f"UPDATE otp SET expires_at = created_at + 1 WHERE id = X'{uuid.UUID(code['id']).hex}'")
    site.serve()
    assert eventually(lambda: state_of(site.core(), code) == "expired")


def make_customers(site):
    """Codes of several customers; each of them had one before."""
    core = site.core()
    phone = site.phone(core)
    failed, waiting, expired, refused = (fresh_number() for _ in range(4))
    for number in (failed, expired, waiting):
        core.cancel_otp(send(core, phone, number, "sent")["id"]).expect(204)
    lost = send(core, phone, failed, "failed", error=CAUSE, permanent=True)
    assert eventually(lambda: state_of(core, lost) == "undelivered")
    end_early(site, send(core, phone, expired, "sent"))
    core, phone = site.core(), phone.at(site.core().address)
    phone.be_ready()
    core.create_otp(waiting).expect(201)
    core.create_otp(waiting).expect(409, "active_challenge_exists")
    core.create_otp(refused, channel="flash_call").expect(503, "channel_unavailable")
    core.enable(phone.device_id, False)
    assert eventually(lambda: core.channels()["sms"]["ready_sims"] == 0)
    return {"failed": failed, "waiting": waiting, "expired": expired, "refused": refused}


def test_support_finds_out_why_a_code_did_not_arrive(shop):
    site, console = shop
    customers = make_customers(site)
    person = add_operator(site.core(), "Who answers the telephone", "support")
    faults = look("why.mjs", console, person, timeout=180, cause=CAUSE, **customers)
    assert faults == [], faults


def test_what_support_does_is_asked_once_and_done_once(shop):
    site, console = shop
    core = site.core()
    phone = site.phone(core)
    account = f"shop-{fresh_number()[-6:]}"
    core.connect_accounts(phone, account)
    phone.be_ready()
    numbers = [fresh_number() for _ in range(3)]
    code = core.create_otp(numbers[0], channel="messenger_gateway").expect(201)
    call = core.create_challenge(numbers[1]).expect(201)
    message = core.create_message(channel="personal_messenger", account_id=account, recipient=numbers[2],
                                  text="Your order is ready").expect(202)
    person = add_operator(core, "Who may do something", "support")
    faults = look("deeds.mjs", console, person, timeout=180, code=code["id"], call=call["id"], message=message["id"],
                  numbers=numbers)
    assert faults == [], faults
    assert state_of(core, code) == "canceled"
    assert [send["channel"] for send in core.otp(code["id"]).expect(200)["sends"]].count("sms") == 1
    assert core.challenge(call["id"]).expect(200)["state"] == "canceled"
