"""An operator moves the SIM of a broken phone to another one, by the commands that there are.

Contract, section 11.1: no code is lost, and none is sent by two phones.
"""

import pytest

from harness.actors import read_code
from harness.tools import fresh_number
from test_admin import Admin, rows_of

CLOCK = True
LEASE_S = 90
TTL_S = 300


@pytest.fixture
def broken(new_phone):
    """Two SIMs are in it, and it will not be heard of again."""
    return new_phone(2)


def order(core, number):
    return core.create_otp(fresh_number(), gateway_number=number, ttl_seconds=TTL_S).expect(201)


def send(core, phone, number, *otps):
    """The phone sends these codes, in any order, and the customers type them."""
    ids = {otp["recipient"]: otp["id"] for otp in otps}
    while ids:
        task = phone.claim_task(number)
        assert task, f"nobody sends {ids}"
        phone.result(task, "sent").expect(204)
        core.verify(ids.pop(task["recipient"]), read_code(task)).expect(200)


def test_sim_is_moved_and_no_code_is_lost(site, core, clock, broken, new_phone):
    """It broke while it had a code in hand, and others waited."""
    other, admin = new_phone(), Admin(site)
    kept, moved = broken.numbers
    broken.be_ready(moved)
    in_hand = order(core, moved)
    held = broken.claim_task(moved)
    waiting = [order(core, moved) for _ in range(3)]

    said = admin("devices", "show", broken.device_id)
    assert [row["NUMBER"] for row in rows_of(said.split("\n\n")[1])] == [kept, moved]
    admin("devices", "change", broken.device_id, "--name", "Broken", "--numbers", kept)
    admin("devices", "change", other.device_id, "--name", "Hall", "--numbers",
          f"{other.number} {moved}")
    row, = rows_of(admin("devices", "list", "--q", moved))
    assert row["ID"] == other.device_id

    send(core, other, moved, *waiting)
    assert other.claim(moved).expect(200)["task"] is None  # it may be out
    clock.advance(LEASE_S + 1)
    send(core, other, moved, in_hand)
    broken.result(held, "sent").expect(409, "lease_lost")
    assert [row["state"] for row in core.otp(in_hand["id"]).expect(200)["sends"]] == ["sent"]


def test_sim_is_moved_while_its_phone_sends(site, core, clock, broken, new_phone):
    """It was not broken after all: what it sent counts, and nobody sends it again."""
    other, admin = new_phone(), Admin(site)
    kept, moved = broken.numbers
    broken.be_ready(moved)
    otp = order(core, moved)
    task = broken.claim_task(moved)
    admin("devices", "change", broken.device_id, "--name", "Slow", "--numbers", kept)
    admin("devices", "change", other.device_id, "--name", "Hall", "--numbers",
          f"{other.number} {moved}")
    other.be_ready()
    broken.result(task, "sent").expect(204)
    clock.advance(LEASE_S + 1)
    for number in (other.number, moved):
        assert other.claim(number).expect(200)["task"] is None
    core.verify(otp["id"], read_code(task)).expect(200)


def test_only_sim_of_a_phone_is_moved(site, core, new_phone):
    """A phone has a number at least: it is removed."""
    broken, other, admin = site.phone(core), new_phone(), Admin(site)
    broken.be_ready()
    otps = [order(core, broken.number) for _ in range(2)]
    broken.claim_task()
    admin("devices", "remove", broken.device_id)
    admin("devices", "change", other.device_id, "--name", "Hall", "--numbers",
          f"{other.number} {broken.number}")
    send(core, other, broken.number, *otps)
