"""The fleet: of a company that has more phones than a page of the list, and of one whose phones fell silent."""

import pytest

from conftest import look
from harness.console import add_operator, console_settings
from harness.site import Site
from harness.tools import eventually, fresh_number

PAGE = 200


@pytest.fixture
def crowded(tmp_path):
    settings, address = console_settings()
    with Site("sqlite", tmp_path, settings=settings) as made:
        made.serve()
        core = made.core()
        for number in range(PAGE + 5):
            core.post("/internal/v1/devices", {"name": f"Till {number:03}", "numbers": [fresh_number()]}).expect(201)
        yield core, (settings, address)


def test_phones_beyond_the_first_page_are_there_and_found(crowded):
    core, console = crowded
    person = add_operator(core, "Тот, у кого много телефонов", "viewer")
    faults = look("fleet.mjs", console, person, timeout=120, count=PAGE + 5, name="Till 204")
    assert faults == [], faults


@pytest.fixture
def quiet(tmp_path):
    """A SIM of the phone fell silent and its account is banned; the other SIM never claimed."""
    settings, address = console_settings()
    with Site("sqlite", tmp_path, settings=settings | {"HERALD_SIM_SILENT_SECONDS": "5"}) as made:
        made.serve()
        core = made.core()
        phone = made.phone(core, 2)
        core.connect_accounts(phone, "shop-12")
        phone.be_ready(phone.numbers[0])
        phone.declare(("shop-12", "banned")).expect(204)
        assert eventually(lambda: row_of(core, phone)["silent_since"])
        yield core, phone, (settings, address)


def row_of(core, phone):
    """How its first number stands."""
    return core.read_device(phone.device_id).expect(200)["numbers"][0]


def test_since_when_a_sim_and_an_account_are_away_is_shown(quiet):
    core, phone, console = quiet
    person = add_operator(core, "Тот, у кого молчит телефон", "viewer")
    account, = core.read_device(phone.device_id).expect(200)["accounts"]
    faults = look("silence.mjs", console, person, timeout=120, device=phone.device_id, silent=phone.numbers[0],
                  well=phone.numbers[1], silent_since=row_of(core, phone)["silent_since"],
                  account=account["account_id"], gone_since=account["gone_since"])
    assert faults == [], faults


def test_number_that_another_phone_has_is_named(site, console):
    core = site.core()
    phone, other = site.phone(core, 1), site.phone(core, 1)
    person = add_operator(core, "Тот, кто переставляет SIM", "operator")
    faults = look("taken.mjs", console, person, timeout=120, device=phone.device_id, own=phone.number, taken=other.number)
    assert faults == [], faults
