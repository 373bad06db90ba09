"""HERALD_JWKS_URL: keys of an identity service from outside (contract section 4).

They are cached for 300 s; an unknown key id fetches them again, at most once in 30 s; while the
service cannot be reached, the last good set stays.
"""

import contextlib
import time

import pytest

from harness import catalog
from harness.exchange import Bearer, Operator
from harness.http import Client
from harness.identity import ISSUER, IdentityService, SigningKey, outside_site
from harness.metrics import Scrape
from harness.packages import CHANGES, Sender
from harness.tools import at_once, eventually, took_at_most

CACHE_S = 300
REFETCH_S = 30


@pytest.fixture
def service():
    with IdentityService(ISSUER) as made:
        yield made


@pytest.fixture
def start(engine, service, tmp_path):
    """Starts a herald that asks the service for its keys."""
    home = tmp_path / "outside"
    home.mkdir()
    with contextlib.ExitStack() as stack:
        yield lambda **settings: stack.enter_context(
            outside_site(engine, home, service, **settings))


@pytest.fixture
def site(start):
    return start()


@pytest.fixture
def erp(site):
    return Operator.of(site).new_outside_erp()


def takes(site, erp, token):
    return Bearer(site.address, token, erp.integration_id).is_taken()


def test_a_byte_order_mark_before_the_set_is_no_part_of_it(service, start):
    service.mode = "marked"
    site = start()
    erp = Operator.of(site).new_outside_erp()
    assert takes(site, erp, service.token(site, erp))


def cannot_be_judged(site, erp, token):
    """Its key may be a new one that cannot be fetched: an ERP stops at 401, and repeats at 503."""
    reply = Bearer(site.address, token, erp.integration_id).event()
    assert "identity service" in reply.expect(503, "channel_unavailable")["error"]["message"]
    assert reply.retry_after >= 1


def degraded(site):
    """What the overview says of it, which is a trouble then, and the metric."""
    core = site.core()
    text = core.request("GET", "/internal/v1/metrics").body.decode()
    overview = core.overview()
    troubles = [row for row in overview["troubles"] if row["kind"] == "degraded"]
    assert len(troubles) == (overview["degraded"] is not None)
    for row in troubles:
        assert row["what"] == "tokens of the identity service are refused."
        assert row["record"]["type"] == "service" and not overview["well_since"]
        core.get(row["record"]["path"]).expect(200)
    return overview["degraded"], Scrape(text).get("herald_degraded")


def pass_time(site, seconds):
    """Time passes by every clock; then herald, which missed its beat, is ready again."""
    site.clock.advance(seconds, is_monotonic_too=True)
    time.sleep(0.3)
    site.processes[-1].wait_until_ready()


def warm_up(site, service, erp):
    """The keys are there; returns how often they were fetched until now."""
    assert takes(site, erp, service.token(site, erp))
    pass_time(site, REFETCH_S + 1)
    return service.fetches


def test_keys_are_fetched_once_for_many_tokens(site, service, erp):
    fetches = warm_up(site, service, erp)
    assert fetches <= 2
    for _ in range(30):
        assert takes(site, erp, service.token(site, erp))
    assert service.fetches == fetches


def test_request_for_the_keys_is_a_plain_get(site, service, erp):
    """The service gets no token, no key and nothing of the request that caused it."""
    warm_up(site, service, erp)
    for headers in service.fetched_by:
        names = {name.lower() for name in headers}
        assert not names & {"authorization", "cookie", "x-internal-api-key", "x-request-id"}
        assert site.internal_key not in repr(headers)


def test_new_key_is_found_by_its_unknown_id(site, service, erp):
    fetches = warm_up(site, service, erp)
    fresh = SigningKey()
    service.keys.append(fresh)
    assert eventually(lambda: takes(site, erp, service.token(site, erp, key=fresh)), 10)
    assert service.fetches == fetches + 1
    assert takes(site, erp, service.token(site, erp))


def test_first_token_of_a_new_key_is_taken_at_once(site, service, erp):
    """The request waits for the key set rather than being refused: no false 401."""
    warm_up(site, service, erp)
    fresh = SigningKey()
    service.keys.append(fresh)
    tokens = [service.token(site, erp, key=fresh) for _ in range(6)]
    assert at_once(6, lambda index: takes(site, erp, tokens[index])) == [True] * 6


def test_unknown_key_ids_fetch_once_in_30_seconds(site, service, erp):
    fetches = warm_up(site, service, erp)
    strangers = [SigningKey() for _ in range(18)]

    def show(index):
        return takes(site, erp, service.token(site, erp, key=strangers[index]))

    assert not any(at_once(6, show))
    for index in range(6, 18):
        assert not show(index)
    time.sleep(0.3)
    assert service.fetches == fetches + 1

    fresh = SigningKey()
    service.keys.append(fresh)
    pass_time(site, REFETCH_S - 5)
    assert not takes(site, erp, service.token(site, erp, key=fresh))
    assert service.fetches == fetches + 1
    pass_time(site, 6)
    assert eventually(lambda: takes(site, erp, service.token(site, erp, key=fresh)), 10)
    assert service.fetches == fetches + 2


def test_known_keys_hold_while_strangers_knock(site, service, erp):
    warm_up(site, service, erp)
    for _ in range(15):
        assert not takes(site, erp, service.token(site, erp, key=SigningKey()))
        assert takes(site, erp, service.token(site, erp))


def test_removed_key_is_dead_within_the_cache_life(site, service, erp):
    """Also for tokens that were found good before."""
    seen = service.token(site, erp)
    assert takes(site, erp, seen)
    service.keys = [SigningKey()]
    pass_time(site, CACHE_S + 1)
    assert eventually(lambda: not takes(site, erp, seen), 10)
    assert not takes(site, erp, service.token(site, erp))
    assert takes(site, erp, service.token(site, erp, key=service.keys[0]))


def test_keys_are_cached_for_300_seconds(site, service, erp):
    fetches = warm_up(site, service, erp)
    pass_time(site, CACHE_S - REFETCH_S - 40)
    assert takes(site, erp, service.token(site, erp))
    time.sleep(0.5)
    assert service.fetches == fetches
    pass_time(site, 80)
    assert eventually(
        lambda: takes(site, erp, service.token(site, erp)) and service.fetches == fetches + 1, 10)


OUTAGES = {
    "no keys": ["error", "unavailable", "garbage", "no set", "empty", "redirect", "twice"],
    "no end": ["huge", "half", "packed", "drip", "endless", "stopped"],
}


@pytest.mark.parametrize("modes", OUTAGES.values(), ids=OUTAGES)
def test_last_good_set_stays_while_the_service_is_down(site, service, erp, modes):
    """However it is down, one after the other, each for longer than a set is cached."""
    warm_up(site, service, erp)
    for mode in modes:
        service.stop() if mode == "stopped" else setattr(service, "mode", mode)
        pass_time(site, CACHE_S + 1)
        for _ in range(4):
            assert takes(site, erp, service.token(site, erp)), mode
            time.sleep(0.05)
        cannot_be_judged(site, erp, service.token(site, erp, key=SigningKey()))


def test_set_that_is_too_old_is_not_gone_by(start, service):
    """Contract, section 4. Codes do not need it, so herald is ready all the while."""
    site = start(HERALD_JWKS_MAX_STALE_S="1000")
    erp = Operator.of(site).new_outside_erp()
    warm_up(site, service, erp)
    service.mode = "error"
    pass_time(site, 900)
    assert degraded(site) == (None, 0)
    assert takes(site, erp, service.token(site, erp))
    seen = service.token(site, erp)
    assert takes(site, erp, seen)
    with site.log_reader() as reader:
        pass_time(site, 100)
        assert reader.wait_for_text("degraded: ")
    sentence, metric = degraded(site)
    assert "HERALD_JWKS_URL" in sentence and metric == 1
    for token in (seen, service.token(site, erp)):
        cannot_be_judged(site, erp, token)
    Bearer(site.address, "nonsense", erp.integration_id).event().expect(503)
    Bearer(site.address, None, erp.integration_id).event().expect(401)
    assert Client(site.address).get("/health/ready").status == 200
    pass_time(site, 1000)
    cannot_be_judged(site, erp, seen)
    service.mode = "keys"
    pass_time(site, REFETCH_S + 1)
    assert eventually(lambda: Bearer(
        site.address, service.token(site, erp), erp.integration_id).event().status == 404, 10)
    assert eventually(lambda: b"no longer degraded: " in site.processes[-1].output, 3)
    assert degraded(site) == (None, 0)
    output = site.processes[-1].output
    assert output.count(b"degraded: ") == 2  # that it is, and that it is no longer


def test_set_that_grows_old_while_a_body_comes(start, service):
    site = start(HERALD_JWKS_MAX_STALE_S="1000")
    erp = Operator.of(site).new_outside_erp()
    warm_up(site, service, erp)
    service.mode = "error"
    pass_time(site, 1000 - REFETCH_S - 1 - 8)
    sender = Sender(site.address, service.token(site, erp), erp.integration_id)
    package = catalog.changes()
    text = catalog.encode(package)
    with sender.connection() as connection:
        connection.send(sender.head(
            CHANGES, f"Content-Length: {len(text)}", key=package["event_id"]) + text[:-1])
        pass_time(site, 9)
        connection.send(text[-1:])
        connection.read_reply().expect(503, "channel_unavailable")


@pytest.mark.parametrize("mode", ["error", "stopped"])
def test_keys_are_found_when_the_service_is_back(site, service, erp, mode):
    warm_up(site, service, erp)
    service.stop() if mode == "stopped" else setattr(service, "mode", mode)
    pass_time(site, CACHE_S + 1)
    assert takes(site, erp, service.token(site, erp))
    fresh = SigningKey()
    service.keys = [fresh]
    service.start() if mode == "stopped" else setattr(service, "mode", "keys")
    pass_time(site, REFETCH_S + 1)
    assert eventually(lambda: takes(site, erp, service.token(site, erp, key=fresh)), 10)


def test_service_that_hangs_holds_nobody_up(site, service, erp):
    warm_up(site, service, erp)
    service.mode = "hang"
    pass_time(site, CACHE_S + 1)
    began = time.monotonic()
    for _ in range(10):
        assert takes(site, erp, service.token(site, erp))
    took_at_most(began, 5)
    assert Client(site.address).get("/health/live").status == 200


def test_service_that_is_asked_too_often_is_not_asked_again(site, service, erp):
    """A failed fetch is not repeated with each request."""
    warm_up(site, service, erp)
    service.mode = "error"
    pass_time(site, CACHE_S + 1)
    fetches = service.fetches
    for _ in range(30):
        assert takes(site, erp, service.token(site, erp))
    assert service.fetches - fetches <= 2


def test_failing_fetch_is_repeated_less_and_less_often(site, service, erp):
    """After 5, 10, 20, and then every 30 s; the log tells of the beginning and of the end."""
    warm_up(site, service, erp)
    service.mode = "error"
    fetches = service.fetches
    pass_time(site, CACHE_S + 1)
    assert eventually(lambda: service.fetches == fetches + 1, 10)
    for count, pause_s in enumerate((5, 10, 20, 30, 30), fetches + 1):
        pass_time(site, pause_s - 3)
        assert service.fetches == count, f"sooner than after {pause_s} s"
        pass_time(site, 3)
        assert eventually(lambda: service.fetches == count + 1, 3), f"not after {pause_s} s"
    service.mode = "keys"
    pass_time(site, 31)
    assert eventually(lambda: b"is there again" in site.processes[-1].output, 3)
    output = site.processes[-1].output
    assert output.count(b"the key set of the identity service cannot be fetched") == 1
    assert output.count(b"the key set of the identity service is there again") == 1


def test_herald_starts_without_the_service(start, service):
    service.stop()
    site = start()
    erp = Operator.of(site).new_outside_erp()
    cannot_be_judged(site, erp, service.token(site, erp))
    assert Client(site.address).get("/health/live").status == 200
    service.start()
    pass_time(site, REFETCH_S + 1)
    assert eventually(lambda: takes(site, erp, service.token(site, erp)), 10)


def test_keys_of_other_kinds_are_passed_over(site, service, erp):
    """RFC 7517, section 5."""
    good = SigningKey()
    service.keys = [
        {"kty": "RSA", "kid": "rsa", "n": "AQAB", "e": "AQAB"}, {"kty": "EC", "crv": "P-256"},
        SigningKey().jwk(use="enc"), SigningKey().jwk(x="AAAA"), SigningKey().jwk(crv="X25519"),
        {"kty": "oct", "k": "c2VjcmV0"}, {}, good,
    ]
    pass_time(site, CACHE_S + 1)
    assert eventually(lambda: takes(site, erp, service.token(site, erp, key=good)), 10)


ODD_MEMBERS = [
    {"use": "enc"}, {"crv": "X25519"}, {"kty": "OKP2"}, {"x": "A" * 43}, {"alg": "ES256"},
    {"crv": None}, {"key_ops": ["encrypt"]}, {"x": None}, {"kty": None},
]
ABSENT_MEMBERS = [{"use": None}, {"alg": None}, {"alg": "Ed25519"}, {"key_ops": ["verify"]}]


def test_key_that_is_not_for_signatures_verifies_none(site, service, erp):
    odd, good = [SigningKey() for _ in ODD_MEMBERS], SigningKey()
    service.keys = [key.jwk(**changes) for key, changes in zip(odd, ODD_MEMBERS)] + [good]
    pass_time(site, CACHE_S + 1)
    assert eventually(lambda: takes(site, erp, service.token(site, erp, key=good)), 10)
    for key, changes in zip(odd, ODD_MEMBERS):
        assert not takes(site, erp, service.token(site, erp, key=key)), changes


def test_members_that_may_be_absent(site, service, erp):
    """RFC 7517, section 4: use, key_ops and alg are optional."""
    plain = [SigningKey() for _ in ABSENT_MEMBERS]
    service.keys = [key.jwk(**changes) for key, changes in zip(plain, ABSENT_MEMBERS)]
    pass_time(site, CACHE_S + 1)
    assert eventually(lambda: takes(site, erp, service.token(site, erp, key=plain[0])), 10)
    for key, changes in zip(plain, ABSENT_MEMBERS):
        assert takes(site, erp, service.token(site, erp, key=key)), changes


def test_private_key_in_the_set_is_not_passed_on(site, service, erp):
    """A careless service may publish one; nothing of it shows up here."""
    careless = SigningKey()
    service.keys = [careless.jwk(d="canary-of-a-private-key"), service.key]
    pass_time(site, CACHE_S + 1)
    assert eventually(lambda: takes(site, erp, service.token(site, erp)), 10)
    time.sleep(0.2)
    assert b"canary-of-a-private-key" not in site.processes[-1].output


def test_own_keys_are_not_good_here(engine, fresh_site, start, service):
    """With an outside service there are no other keys than its own."""
    fresh_site.serve({"HERALD_PUBLIC_URL": ISSUER})
    token = Operator.of(fresh_site).new_erp().fetch_token()
    site = start()
    assert not takes(site, Operator.of(site).new_outside_erp(), token)


@pytest.mark.parametrize("url", [
    "nonsense", "ftp://id.example/keys", "file:///etc/passwd", "id.example/keys", "http://",
])
def test_bad_url_stops_the_start(fresh_site, url):
    fresh_site.migrate()
    done = fresh_site.run("serve", changes={"HERALD_JWKS_URL": url}, timeout=20)
    assert done.returncode != 0
    assert "HERALD_JWKS_URL" in done.stdout
