"""Signing keys: published before they sign, kept until their last token is dead.

Contract, section 4.
"""

import threading
import time

import pytest

from harness.exchange import KEY_LEAD_S, TOKEN_LIFE_S, Bearer, Operator, read_token
from harness.http import Client
from harness.shapes import SIGNING_KEY, check_shape, parse_time, seconds_between
from harness.site import free_port
from harness.tools import at_once, eventually

CLOCK = True
MARGIN_S = 30  # herald may take that much longer than it must
ROTATIONS = 100
STEP_S = KEY_LEAD_S + MARGIN_S


@pytest.fixture
def operator(site):
    settle(site)
    return Operator.of(site)


@pytest.fixture
def erp(operator):
    return operator.new_erp()


def settle(site):
    """No key waits for its time, and none is left of earlier scenarios."""
    site.clock.advance(2 * (STEP_S + TOKEN_LIFE_S))
    assert eventually(lambda: len(published(site)) == 1, 20), published(site)


def published(site):
    """The ids in the key set."""
    keys = Client(site.address).get("/.well-known/jwks.json").expect(200)["keys"]
    return [key["kid"] for key in keys]


def signer(erp):
    """The key that signs now."""
    return read_token(erp.fetch_token())[0]["kid"]


def states(operator):
    return {key["kid"]: key["state"] for key in operator.signing_keys().expect(200)["keys"]}


def test_new_key_is_published_at_once_and_signs_later(site, operator, clock, erp):
    old = signer(erp)
    key = operator.rotate_signing_key().expect(200)
    assert key["kid"] != old and key["state"] == "next"
    assert seconds_between(key["created_at"], key["signs_from"]) >= KEY_LEAD_S
    assert eventually(lambda: set(published(site)) == {old, key["kid"]}, 5)
    assert signer(erp) == old
    clock.advance(KEY_LEAD_S - 2)
    assert signer(erp) == old
    clock.advance(2 + MARGIN_S)
    assert eventually(lambda: signer(erp) == key["kid"], 10)
    assert states(operator)[key["kid"]] == "signing"
    assert states(operator)[old] == "retired"


def test_key_signs_from_its_announced_moment(operator, clock, erp):
    """Within the moment that herald gives itself for a change."""
    key = operator.rotate_signing_key().expect(200)
    start = parse_time(key["signs_from"])
    clock.advance(int((start - clock.now()).total_seconds()) - 1)
    while clock.now() < start:
        kid = signer(erp)
        assert kid != key["kid"] or clock.now() >= start
    assert eventually(lambda: signer(erp) == key["kid"], 10)


def test_tokens_of_the_old_key_are_good_until_their_end(site, operator, clock, erp):
    old = signer(erp)
    key = operator.rotate_signing_key().expect(200)
    clock.advance(KEY_LEAD_S - 3)
    token = erp.fetch_token()
    assert read_token(token)[0]["kid"] == old
    clock.advance(3 + MARGIN_S)
    assert eventually(lambda: signer(erp) == key["kid"], 10)
    left_s = read_token(token)[1]["exp"] - clock.now().timestamp()
    clock.advance(int(left_s) - 3)
    assert old in published(site)
    assert erp.with_token(token).is_taken()
    clock.advance(4)
    assert not erp.with_token(token).is_taken()


def test_retired_key_leaves_the_set_after_its_last_token(site, operator, clock, erp):
    old = signer(erp)
    key = operator.rotate_signing_key().expect(200)
    clock.advance(STEP_S)
    assert eventually(lambda: signer(erp) == key["kid"], 10)
    until = parse_time(next(
        row["signs_until"] for row in operator.signing_keys().expect(200)["keys"]
        if row["kid"] == old))
    assert until == parse_time(key["signs_from"])
    clock.advance(int((until - clock.now()).total_seconds()) + TOKEN_LIFE_S - 2)
    assert old in published(site)
    clock.advance(STEP_S)
    assert eventually(lambda: published(site) == [key["kid"]], 20)
    assert eventually(lambda: list(states(operator)) == [key["kid"]], 20)


def test_rotation_while_a_key_waits_answers_with_that_key(site, operator):
    keys = [operator.rotate_signing_key().expect(200) for _ in range(3)]
    assert len({key["kid"] for key in keys}) == 1
    assert eventually(lambda: len(published(site)) == 2, 5)


def test_rotations_at_one_moment_make_one_key(site, operator):
    keys = at_once(8, lambda _: operator.rotate_signing_key().expect(200))
    assert len({key["kid"] for key in keys}) == 1
    assert eventually(lambda: len(published(site)) == 2, 5)


def test_list_of_keys_shows_no_secret(operator):
    listed = operator.signing_keys()
    for key in [*listed.expect(200)["keys"], operator.rotate_signing_key().expect(200)]:
        check_shape(key, SIGNING_KEY)


def test_rotated_keys_outlive_a_restart(fresh_site):
    fresh_site.port = free_port()  # the issuer stays the same
    fresh_site.serve()
    operator = Operator.of(fresh_site)
    operator.rotate_signing_key().expect(200)
    before = operator.signing_keys().expect(200)
    erp = operator.new_erp()
    token = erp.fetch_token()
    fresh_site.restart()
    assert Operator.of(fresh_site).signing_keys().expect(200) == before
    assert Bearer(fresh_site.address, token, erp.integration_id).is_taken()
    fresh_site.clock.advance(STEP_S)
    later = erp.at(fresh_site.address)
    assert eventually(lambda: signer(later) != read_token(token)[0]["kid"], 10)


class Load:
    """ERPs that fetch tokens and show them, young and old, until they are told to stop.

    A refusal is false if the token was good by the clock before and after it was asked.
    """

    def __init__(self, site, erp, issuer, checker):
        self.kids = set()
        self.checks = 0
        self.false = []
        self._site = site
        self._erp = erp.at(issuer)
        self._checker = checker
        self._lock = threading.Lock()
        self._held = []
        self._has_ended = threading.Event()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(3)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._has_ended.set()
        for thread in self._threads:
            thread.join(timeout=60)

    def _run(self):
        bearer = Bearer(self._checker, "none", self._erp.integration_id)
        while not self._has_ended.is_set():
            try:
                self._take_turn(bearer)
            except BaseException as fault:  # told to the test
                self.false.append(repr(fault))
                return

    def _take_turn(self, bearer):
        token = self._erp.fetch_token()
        header, claims = read_token(token)
        with self._lock:
            self.kids.add(header["kid"])
            self._held = [row for row in self._held if row[1] > self._now()] + [
                (token, claims["exp"])]
            shown = [self._held[-1], self._held[0], self._held[len(self._held) // 2]]
        for one, exp in shown:
            self._show(bearer, one, exp)

    def _show(self, bearer, token, exp):
        bearer.headers["Authorization"] = f"Bearer {token}"
        reply = bearer.event()
        self.checks += 1
        if reply.status != 404 and self._now() < exp:
            self.false.append(f"{reply}, {exp - self._now():.1f} s before its end, "
                              f"key {read_token(token)[0]['kid']}")

    def _now(self):
        return self._site.clock.now().timestamp()


def rotate_under_load(site, load, operator, rotations, pause_s):
    for _ in range(rotations):
        operator.rotate_signing_key().expect(200)
        time.sleep(pause_s)  # the processes hear of it; a clock that runs has 300 s for that
        for _ in range(2):
            site.clock.advance(STEP_S // 2)
            time.sleep(pause_s)
        assert not load.false, load.false[:5]


@pytest.mark.long
def test_100_rotations_under_load_refuse_nobody(site, operator, erp):
    with Load(site, erp, site.address, site.address) as load:
        rotate_under_load(site, load, operator, ROTATIONS, 0.05)
    assert load.false == []
    assert load.checks > ROTATIONS
    assert len(load.kids) >= ROTATIONS * 3 // 4, f"{len(load.kids)} keys signed"
    assert eventually(lambda: len(published(site)) <= 4, 10), "old keys stay"


@pytest.mark.long
@pytest.mark.only("postgres")
def test_rotations_in_a_cluster_refuse_nobody(fresh_site):
    """One process issues, another one takes; a third is told to rotate."""
    fresh_site.migrate()
    public = {"HERALD_PUBLIC_URL": "https://id.example"}
    fresh_site.start("worker", changes=public)
    idp, first, second = (
        fresh_site.start(verb, changes=public) for verb in ("idp", "api", "api"))
    for process in (idp, first, second):
        process.wait_until_ready()
    operator = Operator.of(fresh_site, second)
    erp = operator.new_erp()
    with Load(fresh_site, erp, idp.address, first.address) as load:
        rotate_under_load(fresh_site, load, operator, 5, 1.5)
    assert load.false == []
    assert len(load.kids) >= 5, f"{len(load.kids)} keys signed"


def test_rotation_takes_no_properties(operator):
    """As everywhere under /internal/v1, what is not known is a fault; and so is no JSON."""
    path = "/internal/v1/signing-keys/rotate"
    before = operator.signing_keys().expect(200)
    refused = operator.post(path, {"now": True})
    refused.expect(422, "validation_error")
    assert refused.fault_paths == ["now"]
    operator.request("POST", path, raw=b"no json").expect(422, "validation_error")
    operator.request("POST", path, raw=b"{}", headers={"Content-Type": "text/plain"}).expect(
        415, "unsupported_media_type")
    assert operator.signing_keys().expect(200) == before
    key = operator.post(path, {}).expect(200)
    assert operator.request("POST", path).expect(200) == key
