"""Chromium walks every page, as each role, in both languages and schemes."""

import os
from pathlib import Path

import pytest

from conftest import FOLDER, look
from harness.console import add_operator
from harness.hooks import Receiver
from harness.tools import fresh_number
from stage import NAUGHTY, make_orders, make_packages, make_verification
from stage_service import make_service

ROLES = ("viewer", "support", "operator", "admin")
LOOKS = (("ru", "light"), ("en", "dark"), ("ru", "dark"), ("en", "light"))
# Each role and each look once; in the gate the least and the most that one may; all that there are with
# HERALD_CONSOLE_ALL=1.
WALKS = [(role, *look) for role, look in zip(ROLES, LOOKS)]
if os.environ.get("HERALD_TEST_TIER") == "gate":
    WALKS = WALKS[::len(WALKS) - 1]
if os.environ.get("HERALD_CONSOLE_ALL"):
    WALKS = [(role, *look) for role in ROLES for look in LOOKS]
SHOTS = Path(os.environ.get("HERALD_CONSOLE_SHOTS", FOLDER / "shots")).resolve()


@pytest.fixture(scope="module")
def stage(site):
    return make_verification(site) | make_packages(site) | make_orders(site)


@pytest.fixture(scope="module")
def service(site):
    with Receiver() as receiver:
        yield make_service(site, receiver, NAUGHTY)


@pytest.mark.parametrize("role, language, scheme", WALKS)
def test_walk(site, console, stage, service, role, language, scheme):
    person = add_operator(site.core(), f"{role} {language} {scheme} {NAUGHTY}"[:90], role)
    faults = look("walk.mjs", console, person, timeout=580, **stage, **service, person=person["id"],
                  fresh=[fresh_number(), fresh_number()], language=language, scheme=scheme, role=role,
                  shots=str(SHOTS / f"{role}-{language}-{scheme}"))
    assert faults == [], faults
