"""A signing key is withdrawn: it leaves the key set at once, and its tokens are refused.

Contract, section 10.4.
"""

import os
import signal
import threading
import time

import pytest

from harness.exchange import Bearer, Operator, read_token
from harness.http import Client
from harness.tools import at_once, eventually

HEARD_WITHIN_S = 10


def published(address):
    keys = Client(address).get("/.well-known/jwks.json").expect(200)["keys"]
    return [key["kid"] for key in keys]


def signer(erp):
    return read_token(erp.fetch_token())[0]["kid"]


def test_tokens_of_a_withdrawn_key_are_refused(site):
    operator = Operator.of(site)
    erp = operator.new_erp()
    token = erp.fetch_token()
    kid = read_token(token)[0]["kid"]
    bearer = Bearer(site.address, token, erp.integration_id)
    assert bearer.is_taken()
    operator.withdraw_signing_key(kid).expect(204)
    assert eventually(lambda: kid not in published(site.address), HEARD_WITHIN_S)
    bearer.event().expect(401)
    fresh = erp.fetch_token()
    assert read_token(fresh)[0]["kid"] != kid
    assert Bearer(site.address, fresh, erp.integration_id).is_taken()
    operator.withdraw_signing_key(kid).expect(404, "not_found")


def test_key_that_waits_signs_at_once(site):
    operator = Operator.of(site)
    erp = operator.new_erp()
    old, following = signer(erp), operator.rotate_signing_key().expect(200)["kid"]
    operator.withdraw_signing_key(old).expect(204)
    assert eventually(lambda: signer(erp) == following, HEARD_WITHIN_S)
    states = {key["kid"]: key["state"] for key in operator.signing_keys().expect(200)["keys"]}
    assert states[following] == "signing" and old not in states


def test_withdrawals_at_one_moment_leave_one_that_signs(site):
    operator = Operator.of(site)
    erp = operator.new_erp()
    operator.rotate_signing_key().expect(200)
    kids = [key["kid"] for key in operator.signing_keys().expect(200)["keys"]]
    replies = at_once(8, lambda index: operator.withdraw_signing_key(kids[index % len(kids)]))
    assert sorted(reply.status for reply in replies) == sorted(
        [204] * len(kids) + [404] * (8 - len(kids)))
    assert eventually(lambda: signer(erp) not in kids, HEARD_WITHIN_S)
    states = [key["state"] for key in operator.signing_keys().expect(200)["keys"]]
    assert states.count("signing") == 1


@pytest.mark.parametrize("kid", ["A" * 43, "%00", "%F0%9F%94%91", "x" * 600])
def test_key_that_there_is_not_is_404(site, kid):
    Operator.of(site).withdraw_signing_key(kid).expect(404, "not_found")


@pytest.mark.only("postgres")
def test_every_process_refuses_within_ten_seconds(fresh_site):
    fresh_site.migrate()
    public = {"HERALD_PUBLIC_URL": "https://id.example"}
    fresh_site.start("worker", changes=public)
    idp, first, second = (
        fresh_site.start(verb, changes=public) for verb in ("idp", "api", "api"))
    for process in (idp, first, second):
        process.wait_until_ready()
    operator = Operator.of(fresh_site, second)
    erp = operator.new_erp().at(idp.address)
    token = erp.fetch_token()
    kid = read_token(token)[0]["kid"]
    bearers = [Bearer(process.address, token, erp.integration_id) for process in (first, second)]
    assert all(bearer.is_taken() for bearer in bearers)
    operator.withdraw_signing_key(kid).expect(204)
    assert eventually(lambda: not any(bearer.is_taken() for bearer in bearers), HEARD_WITHIN_S)
    assert eventually(lambda: signer(erp) != kid, HEARD_WITHIN_S)
    assert eventually(lambda: kid not in published(idp.address), HEARD_WITHIN_S)


@pytest.mark.only("postgres")
def test_process_that_slept_takes_no_token_of_a_withdrawn_key(fresh_site):
    """What lies in its socket is asked before it has heard of anything."""
    fresh_site.settings["HERALD_PUBLIC_URL"] = "https://id.example"
    left, right = fresh_site.serve(), fresh_site.serve()
    erp = Operator.of(fresh_site, left).new_erp()
    token = erp.fetch_token()
    asleep = Bearer(left.address, token, erp.integration_id)
    assert asleep.is_taken()
    os.kill(left.pid, signal.SIGSTOP)
    answers = []
    asking = threading.Thread(target=lambda: answers.extend(
        at_once(8, lambda _: asleep.event().status)), daemon=True)
    try:
        operator = Operator.of(fresh_site, right)
        operator.withdraw_signing_key(read_token(token)[0]["kid"]).expect(204)
        time.sleep(HEARD_WITHIN_S)
        asking.start()
        time.sleep(0.5)
    finally:
        os.kill(left.pid, signal.SIGCONT)
    asking.join(timeout=30)
    assert len(answers) == 8 and set(answers) <= {401, 503}, answers
