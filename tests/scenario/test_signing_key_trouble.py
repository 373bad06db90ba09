"""Signing keys that cannot be read: who hears of it, what goes on, and what must not.

Contract, section 4.
"""

import json
import sqlite3
import threading
import time

import pytest

from harness.exchange import Bearer, Operator, read_token
from harness.http import Client
from harness.identity import SigningKey
from harness.proxy import HangingProxy
from harness.tools import eventually, fresh_key, lasted_at_most

CLOCK = True
READ_EVERY_S = 5
OLD_AFTER_S = 315  # what is made meanwhile signs no sooner
DAMAGE = "UPDATE signing_key SET sealed_seed = public_key"
UNUSABLE = "a signing key cannot be used"
UNREADABLE = "the signing keys cannot be read"
READABLE = "the signing keys can be read again"


def printed(site, text):
    """The entries of the process's own log that hold this text."""
    lines = site.processes[-1].output.decode().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{") and text in line]


def why_not_ready(site):
    """What readiness complains of; None when it does not."""
    return Client(site.address).get("/health/ready").json.get("error")


def await_red(site, text):
    assert eventually(lambda: text in (why_not_ready(site) or ""), 2 * READ_EVERY_S), (
        why_not_ready(site))


def await_green(site):
    assert eventually(lambda: why_not_ready(site) is None, 2 * READ_EVERY_S), why_not_ready(site)


def refuse_to_issue(erp):
    """503 in the words of RFC 6749; returns the sentence."""
    reply = erp.ask_token()
    reply.expect(503, "temporarily_unavailable")
    assert "same key" not in reply.json["error_description"], "there is no key to be repeated"
    return reply.json["error_description"]


@pytest.mark.only("postgres")
def test_damaged_key_is_told_of_once_and_a_rotation_gets_over_it(fresh_site):
    fresh_site.serve()
    operator = Operator.of(fresh_site)
    erp = operator.new_erp()
    token = erp.fetch_token()
    kid = read_token(token)[0]["kid"]

    fresh_site.database.ask(DAMAGE)
    await_red(fresh_site, "signing key cannot be used")
    assert "signing key" in refuse_to_issue(erp)
    assert erp.with_token(token).is_taken(), "its public part is whole"
    time.sleep(2 * READ_EVERY_S)
    told = printed(fresh_site, UNUSABLE)
    assert [(row["level"], row["fields"]["kid"]) for row in told] == [("error", kid)]
    assert told[0]["fields"]["error"]

    fresh = operator.rotate_signing_key().expect(200)
    assert fresh["state"] == "signing", "nothing else could sign"
    await_green(fresh_site)
    assert read_token(erp.fetch_token())[0]["kid"] == fresh["kid"]
    assert erp.with_token(token).is_taken()
    assert len(printed(fresh_site, UNUSABLE)) == 1


def test_start_with_a_damaged_key(fresh_site):
    """Herald starts and says what is wrong, so that it can be told to rotate."""
    fresh_site.serve()
    erp = Operator.of(fresh_site).new_erp()
    fresh_site.stop()
    damage(fresh_site)
    process = fresh_site.start("serve")
    process.wait_until_ready("/health/live")
    await_red(fresh_site, "signing key cannot be used")
    assert len(printed(fresh_site, UNUSABLE)) == 1
    erp = erp.at(process.address)
    refuse_to_issue(erp)
    Operator.of(fresh_site).rotate_signing_key().expect(200)
    await_green(fresh_site)
    erp.fetch_token()


def damage(site):
    if site.database:
        site.database.ask(DAMAGE)
        return
    connection = sqlite3.connect(site.state / "herald-exchange.db")
    with connection:
        assert connection.execute(DAMAGE).rowcount == 1
    connection.close()


@pytest.mark.only("postgres")
def test_keys_that_are_too_old_sign_nothing(fresh_site):
    """Whoever cannot see a rotation any more must not sign beyond it."""
    fresh_site.serve()
    erp = Operator.of(fresh_site).new_erp()
    fresh_site.database.ask("ALTER TABLE signing_key RENAME TO hidden_key")
    assert eventually(lambda: printed(fresh_site, UNREADABLE), 2 * READ_EVERY_S)
    time.sleep(2 * READ_EVERY_S)
    assert [row["level"] for row in printed(fresh_site, UNREADABLE)] == ["error"]
    erp.fetch_token()
    await_green(fresh_site)

    fresh_site.clock.advance(OLD_AFTER_S, is_monotonic_too=True)
    await_red(fresh_site, "signing keys could not be read")
    refuse_to_issue(erp)
    assert not printed(fresh_site, READABLE)

    fresh_site.database.ask("ALTER TABLE hidden_key RENAME TO signing_key")
    await_green(fresh_site)
    erp.fetch_token()
    assert len(printed(fresh_site, UNREADABLE)) == len(printed(fresh_site, READABLE)) == 1


@pytest.mark.only("postgres")
def test_no_token_without_a_database(fresh_site):
    fresh_site.serve()
    erp = Operator.of(fresh_site).new_erp()
    fresh_site.database.take_away()
    assert "database" in refuse_to_issue(erp)
    fresh_site.database.give_back()
    assert eventually(lambda: erp.ask_token().status == 200, 20)


WAIT_MAX_S = 5
KEEP_ALIVE_S = 15


def ask_with_unknown_key(site, seconds):
    """How a request with an unknown key ends, and after how long; it is sent later."""
    time.sleep(seconds)
    token = SigningKey().sign({"iss": "x"})
    began = time.monotonic()
    reply = Bearer(site.address, token, fresh_key()).event()
    return reply, time.monotonic() - began


@pytest.mark.only("postgres")
@pytest.mark.long
def test_database_that_hangs_holds_up_no_clock(fresh_site):
    """Who waits for keys waits 5 s at most; log streams are kept alive."""
    with HangingProxy(fresh_site.database) as proxy:
        fresh_site.serve(proxy.settings())
        with fresh_site.log_reader() as reader:
            proxy.hang()
            hung_at = time.monotonic()
            ends = []
            threads = [
                threading.Thread(
                    target=lambda seconds=seconds: ends.append(
                        ask_with_unknown_key(fresh_site, seconds)))
                for seconds in (0.1, 1, 4, 7, 10)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
            assert len(ends) == len(threads)
            for reply, seconds in ends:
                reply.expect(503, "storage_unavailable")
                assert reply.retry_after >= 1
                lasted_at_most(seconds, WAIT_MAX_S)
            assert eventually(lambda: [at for at in reader.comments if at > hung_at],
                              KEEP_ALIVE_S + 1.5), "nobody kept the stream alive"
        proxy.go_on()
        assert eventually(lambda: why_not_ready(fresh_site) is None, 30)
        fresh_site.stop()
