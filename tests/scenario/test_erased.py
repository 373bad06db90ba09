"""What is erased is gone (contract, section 10.4): no byte of a sealed value is left in the files of an
embedded database once it was erased and the log was emptied, as happens every hour."""

import pytest

from harness.actors import read_code
from harness.orders import ORDER_SETTINGS, Shop, acceptance, http_answer, refuse_all
from harness.sealed import SealedStore
from harness.tools import eventually, fresh_number

CLOCK = True
HOUR_S = 3600
CODES = ORDERS = 5
PROVEN = 16  # so many bytes of a value do not come twice by chance


def pieces_of(sealed):
    """From its nonce on: all values begin with the same prefix."""
    return [sealed[at:at + PROVEN] for at in range(5, len(sealed) - PROVEN, PROVEN)]


def found_in(site, values):
    """The files that still hold a piece of any of these values."""
    pieces = [piece for sealed in values for piece in pieces_of(sealed)]
    files = [path for path in site.state.iterdir() if ".db" in path.name]
    assert len(files) >= 4
    return [path.name for path in files
            if any(piece in blob for blob in [path.read_bytes()] for piece in pieces)]


@pytest.mark.only("sqlite")
def test_erased_values_are_in_no_file(fresh_site, erp):
    fresh_site.settings.update(ORDER_SETTINGS)
    erp.answer = refuse_all
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    phone.be_ready()
    shop = Shop(fresh_site, erp)
    otps = [core.create_otp(fresh_number()).expect(201) for _ in range(CODES)]
    long_name = "Filter coffee " * 17
    orders = [shop.placed(comment=long_name * 4 if index % 2 else "Не звонить")
              for index in range(ORDERS)]
    assert eventually(lambda: all(shop.attempts(order) for order in orders[:1]))
    fresh_site.stop()

    values = [sealed for _, table, _, _, _, sealed in SealedStore(fresh_site).values()
              if table in ("otp", "order_body")]
    assert len(values) == CODES + ORDERS
    assert found_in_any(fresh_site, values)

    fresh_site.serve()
    core, phone = fresh_site.core(), phone.at(fresh_site.address)
    shop.move_to(fresh_site)
    for _ in otps:
        task = phone.claim_task()
        otp = next(row for row in otps if row["recipient"] == task["recipient"])
        phone.result(task, "sent").expect(204)
        core.verify(otp["id"], read_code(task)).expect(200)
    erp.answer = lambda head, body: http_answer(acceptance())
    for order in orders:
        shop.retry(order)
    for order in orders:
        shop.wait_for(order, "accepted", within=60)
    fresh_site.clock.advance(HOUR_S, is_monotonic_too=True)
    assert eventually(lambda: found_in(fresh_site, values) == []), found_in(fresh_site, values)


def found_in_any(site, values):
    blobs = [path.read_bytes() for path in site.state.glob("*.db")]
    return all(any(pieces_of(sealed)[0] in blob for blob in blobs) for sealed in values)


@pytest.mark.only("sqlite")
def test_log_is_emptied_at_each_start(fresh_site):
    """Also of one that is killed more often than every hour."""
    fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core).be_ready()
    otps = [core.create_otp(fresh_number()).expect(201) for _ in range(CODES)]
    fresh_site.stop()
    values = [sealed for _, table, _, _, _, sealed in SealedStore(fresh_site).values()
              if table == "otp"]
    fresh_site.serve()
    fresh_site.processes.pop().kill()
    fresh_site.serve()
    for otp in otps:
        fresh_site.core().cancel_otp(otp["id"]).expect(204)
    fresh_site.processes.pop().kill()
    assert found_in(fresh_site, values)
    fresh_site.serve()
    assert found_in(fresh_site, values) == []
