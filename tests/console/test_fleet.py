"""The fleet of a company that has more phones than a page of the list."""

import pytest

from conftest import look
from harness.console import add_operator, console_settings
from harness.site import Site
from harness.tools import fresh_number

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
