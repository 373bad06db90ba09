"""A token is judged when it counts: once the body is whole (contract, section 4).

Whoever may not send any more by then is 401 and nothing is stored; the same holds for what is only
read. Each process judges by what is stored, so a change holds at all of them at once.
"""

import contextlib
from types import SimpleNamespace

import pytest

from harness import catalog
from harness.exchange import TOKEN_LIFE_S, Operator
from harness.identity import SigningKey
from harness.packages import CHANGES, SNAPSHOT, Sender, expect_acceptance
from harness.tools import eventually

CLOCK = True
KINDS = {SNAPSHOT: catalog.snapshot, CHANGES: catalog.changes}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def operator(site):
    return Operator.of(site)


@pytest.fixture
def sender(site):
    return Sender.of(site)


@contextlib.contextmanager
def sent_in_halves(sender, kind, package):
    """One half of the package is sent before what the scenario does, the other one after it."""
    text, asked = catalog.encode(package), SimpleNamespace(reply=None)
    half = len(text) // 2
    with sender.connection() as connection:
        extra = (f"Content-Length: {len(text)}", "Expect: 100-continue")
        connection.send(sender.head(kind, *extra, key=package["event_id"]))
        assert connection.read_reply().status == 100  # the token was found good
        connection.send(text[:half])
        yield asked
        connection.send(text[half:])
        asked.reply = connection.read_reply()


def expect_refused(reply):
    reply.expect(401, "unauthorized")
    assert 'error="invalid_token"' in reply.header("WWW-Authenticate")


def test_token_that_expires_while_its_body_comes(site, clock, sender, kind):
    package = KINDS[kind]()
    with sent_in_halves(sender, kind, package) as asked:
        clock.advance(TOKEN_LIFE_S - 30)
    expect_acceptance(asked.reply, package["event_id"], "accepted")

    package = KINDS[kind]()
    with sent_in_halves(sender, kind, package) as asked:
        clock.advance(31)
    expect_refused(asked.reply)
    fresh = Sender(sender.address, sender.erp.fetch_token(), sender.integration_id)
    fresh.event(package["event_id"]).expect(404, "not_found")
    expect_acceptance(fresh.send(kind, package), package["event_id"], "accepted")


def test_client_that_is_disabled_while_its_body_comes(operator, sender, kind):
    package = KINDS[kind]()
    with sent_in_halves(sender, kind, package) as asked:
        operator.enable_client(sender.erp.client_id, False).expect(204)
    expect_refused(asked.reply)
    operator.enable_client(sender.erp.client_id, True).expect(204)
    sender.event(package["event_id"]).expect(404, "not_found")


def test_integration_that_is_disabled_while_its_body_comes(operator, sender, kind):
    package = KINDS[kind]()
    with sent_in_halves(sender, kind, package) as asked:
        operator.change_integration(sender.integration_id, enabled=False).expect(200)
    expect_refused(asked.reply)
    operator.change_integration(sender.integration_id, enabled=True).expect(200)
    sender.event(package["event_id"]).expect(404, "not_found")


def test_key_that_is_withdrawn_while_the_body_comes(outside, service, kind):
    """The identity service has replaced its key, and a token of the new one has herald look."""
    erp, package = Operator.of(outside).new_outside_erp(), KINDS[kind]()
    sender = Sender(outside.address, service.token(outside, erp), erp.integration_id)
    assert eventually(sender.is_taken, 10)
    outside.clock.advance(31, is_monotonic_too=True)  # keys are fetched once in 30 s
    outside.processes[-1].wait_until_ready()
    with sent_in_halves(sender, kind, package) as asked:
        service.key = SigningKey()
        service.keys = [service.key]
        fresh = Sender(outside.address, service.token(outside, erp), erp.integration_id)
        assert fresh.is_taken()
    expect_refused(asked.reply)
    fresh.event(package["event_id"]).expect(404, "not_found")
    expect_acceptance(fresh.send(kind, package), package["event_id"], "accepted")


def test_disabled_client_loses_its_tokens(operator, sender, kind):
    """Those that were used before, those that were not, and for what is only read, too."""
    package, unseen = KINDS[kind](), sender.erp.fetch_token()
    expect_acceptance(sender.send(kind, package), package["event_id"], "accepted")
    operator.enable_client(sender.erp.client_id, False).expect(204)
    for token in (sender.token, unseen):
        holder = Sender(sender.address, token, sender.integration_id)
        expect_refused(holder.send(kind, package))
        expect_refused(holder.send(kind, KINDS[kind]()))
        expect_refused(holder.event(package["event_id"]))
    erp = operator.new_erp(sender.erp.integration)
    other = Sender(erp.address, erp.fetch_token(), erp.integration_id)
    expect_acceptance(other.send(kind, package), package["event_id"], "duplicate")


def test_log_says_whose_token_it_was(site, operator, sender):
    operator.enable_client(sender.erp.client_id, False).expect(204)
    with site.log_reader() as reader:
        reply = sender.event()
        expect_refused(reply)
        entry = reader.wait_for_text(reply.header("X-Request-Id"))
    fields = entry["fields"]
    assert (fields["cause"], fields["client_id"]) == ("disabled", sender.erp.client_id)


def test_clock_that_is_set_back_before_the_token(site, clock, sender):
    """30 s are taken for the difference of two clocks, also of a token that was good before."""
    assert sender.is_taken()
    clock.set(-clock.shift_s + 100)
    token = sender.erp.fetch_token()
    late = Sender(sender.address, token, sender.integration_id)
    assert late.is_taken()
    clock.set(-60)
    assert not late.is_taken()
    clock.set(60)
    assert late.is_taken()


@pytest.mark.only("postgres")
def test_disabled_at_one_process_is_disabled_at_all(fresh_site, kind):
    fresh_site.migrate()
    public = {"HERALD_PUBLIC_URL": "https://herald.example"}
    verbs = ("worker", "idp", "api", "api")
    _, idp, *apis = (fresh_site.start(verb, changes=public) for verb in verbs)
    for process in (idp, *apis):
        process.wait_until_ready()
    operator = Operator.of(fresh_site, apis[0])
    erp = operator.new_erp()
    token = erp.at(idp.address).fetch_token()
    holders = [Sender(api.address, token, erp.integration_id) for api in apis]
    assert all(holder.is_taken() for holder in holders)
    package = KINDS[kind]()
    with sent_in_halves(holders[1], kind, package) as asked:
        operator.enable_client(erp.client_id, False).expect(204)
    expect_refused(asked.reply)
    assert not any(holder.is_taken() for holder in holders)
    operator.enable_client(erp.client_id, True).expect(204)
    assert all(holder.is_taken() for holder in holders)
    operator.change_integration(erp.integration_id, enabled=False).expect(200)
    assert not any(holder.is_taken() for holder in holders)
