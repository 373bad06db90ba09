"""Sealed values (contract, section 10.4): bound to their table, column and row; those of herald 0.5.0
stay readable, and are sealed anew once no process of it can run beside."""

import json
import os
import signal
import time

import pytest

from harness.actors import read_code
from harness.exchange import Operator
from harness.orders import ORDER_SETTINGS, RawErp, Shop, accept_all, refuse_all
from harness.sealed import SealedStore
from harness.tools import at_once, eventually, fresh_number

CLOCK = True
PAUSE_S = 60
TRUSTED_S = 15  # so long a process goes by what it last read of the form in force


class Aged:
    """An installation whose values were sealed by 0.5.0: a code, an ERP's token, a signing key, and
    an order that its ERP did not take yet."""

    def __init__(self, site, erp):
        self.site, self.erp = site, erp
        site.settings.update(ORDER_SETTINGS | {"HERALD_ISSUER": "https://herald.example"})
        erp.answer = refuse_all
        site.serve()
        core = site.core()
        self.phone = site.phone(core)
        self.phone.be_ready()
        self.otp_id = core.create_otp(fresh_number()).expect(201)["id"]
        self.shop = Shop(site, erp)
        self.customer = Operator.of(site).new_erp(self.shop.integration)
        self.token = self.customer.fetch_token()
        self.order_id = self.shop.placed()
        assert eventually(lambda: erp.requests)
        self.sealed = SealedStore(site)
        site.stop()
        assert self.sealed.make_old() == 4

    def serve(self):
        self.site.serve()
        self.shop.move_to(self.site)
        self.phone = self.phone.at(self.site.address)
        self.erp.answer = accept_all

    def expect_readable(self):
        """Everything that was sealed is used."""
        core = self.site.core()
        customer = self.customer.at(self.site.address)
        assert customer.with_token(self.token).is_taken()
        assert customer.with_token(customer.fetch_token()).is_taken()
        self.shop.pass_until_due(self.order_id)
        self.shop.wait_for(self.order_id, "accepted")
        bodies = {body for _, body in self.erp.requests if self.order_id.encode() in body}
        assert len(bodies) == 1
        code = read_code(self.phone.claim_task())
        core.verify(self.otp_id, code).expect(200)

    def seal_something(self):
        """Where the clock was moved, it is refused until the process has looked at the form."""
        assert eventually(lambda: Operator.of(self.site).create_integration().status == 201)

    def expect_sealed_anew(self):
        self.site.clock.advance(PAUSE_S, is_monotonic_too=True)
        assert eventually(self.is_sealed_anew)
        self.site.stop()
        new, old = self.sealed.forms()
        assert new > 0 and old == 0
        self.site.serve()
        customer = self.customer.at(self.site.address)
        assert customer.with_token(customer.fetch_token()).is_taken()

    def is_sealed_anew(self):
        """Each database says so for itself: by its store, where there are two."""
        told = [json.loads(line)["fields"].get("store") for line in self.log().splitlines()
                if "all sealed values have the new form" in line]
        return sorted(told, key=str) == (
            [None] if self.site.database else ["exchange", "verification"])

    def log(self):
        with self.site.log_reader(last_event_id=0, query="?level=info") as reader:
            reader.wait_until_quiet()
            return reader.text


@pytest.fixture
def aged(fresh_site, erp):
    return Aged(fresh_site, erp)


@pytest.mark.only("sqlite")
def test_file_of_0_5_0_is_upgraded_in_place(aged):
    """One process holds a file: nobody else reads it, so the new form is written at once."""
    aged.serve()
    aged.expect_readable()
    aged.seal_something()
    aged.expect_sealed_anew()


@pytest.mark.only("postgres")
def test_database_of_0_5_0_is_upgraded_when_told(aged):
    """Processes of 0.5.0 may run beside until the operator says that none does."""
    aged.serve()
    assert b"herald migrate finish" in aged.site.processes[-1].output
    aged.expect_readable()
    aged.seal_something()
    aged.site.clock.advance(PAUSE_S, is_monotonic_too=True)
    new, old = aged.sealed.forms()
    assert new == 0 and old > 0, "0.5.0 could not read this"
    done = aged.site.run("migrate", "finish")
    assert done.returncode == 0 and "0.5.0" in done.stdout, done.stdout
    assert eventually(lambda: writes_new_form(aged))
    aged.expect_sealed_anew()


@pytest.mark.only("postgres")
def test_process_that_stood_still_seals_nothing_in_the_old_form(aged):
    """It is refused until it has looked: by then the others may take the new form alone."""
    aged.serve()
    _, before = aged.sealed.forms()
    pid = aged.site.processes[-1].pid
    os.kill(pid, signal.SIGSTOP)
    done = aged.site.run("migrate", "finish")
    time.sleep(TRUSTED_S + 1)
    os.kill(pid, signal.SIGCONT)
    assert done.returncode == 0, done.stdout
    statuses = at_once(8, lambda _: Operator.of(aged.site).create_integration().status)
    assert set(statuses) <= {201, 503}
    assert eventually(lambda: Operator.of(aged.site).create_integration().status == 201)
    _, after = aged.sealed.forms()
    assert after <= before


def writes_new_form(aged):
    """The running process has heard of it: what is sealed now has the new form."""
    aged.seal_something()
    new, _ = aged.sealed.forms()
    return new > 0


@pytest.mark.only("postgres")
def test_finishing_needs_the_key_that_sealed_the_database(aged):
    done = aged.site.run("migrate", "finish", changes={"HERALD_SECRET_KEY": None})
    assert done.returncode != 0 and "HERALD_SECRET_KEY" in done.stdout
    done = aged.site.run("migrate", "finish", changes={"HERALD_SECRET_KEY": "A" * 43})
    assert done.returncode != 0 and "HERALD_SECRET_KEY" in done.stdout
    assert aged.sealed.forms() == (0, 4)


def test_new_database_has_the_new_form_from_its_first_value(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core).be_ready()
    core.create_otp(fresh_number()).expect(201)
    fresh_site.stop()
    new, old = SealedStore(fresh_site).forms()
    assert new >= 1 and old == 0
    done = fresh_site.run("migrate", "finish")
    assert done.returncode == 0, done.stdout


@pytest.mark.only("postgres")
def test_id_of_another_integration_is_refused_while_0_5_0_may_run(aged):
    """A worker of 0.5.0 would send such an order under another Idempotency-Key (contract, section 6)."""
    aged.serve()
    used = aged.shop.order()
    aged.shop.placed(used)
    other = Shop(aged.site, aged.erp)
    order = used | {"point_id": other.integration["point_id"]}
    other.place(order).expect(409, "idempotency_conflict")
    assert other.listed()[0] == []
    aged.shop.place(used).expect(202)
    done = aged.site.run("migrate", "finish")
    assert done.returncode == 0, done.stdout
    assert eventually(lambda: other.place(order).status == 202)
    assert [row["order_id"] for row in other.listed()[0]] == [used["id"]]
