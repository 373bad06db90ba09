"""A PostgreSQL that hangs, or whose connections are lost without a word, holds up nobody for long.

What a request was for is not lost by it either: its Idempotency-Key makes a repeat safe.
"""

import threading
import time

import pytest

from harness.http import NOTHING, Client
from harness.proxy import HangingProxy
from harness.tools import eventually, fresh_key, fresh_number, lasted_at_most, took_at_most

pytestmark = [pytest.mark.only("postgres"), pytest.mark.long]

ANSWERED_WITHIN_S = 5.5  # HERALD_DATABASE_TIMEOUT_MS, and a little
NOTICED_WITHIN_S = 3
GREEN_WITHIN_S = 3
CALLERS = 12


@pytest.fixture
def proxy(fresh_site):
    fresh_site.migrate()
    with HangingProxy(fresh_site.database) as made:
        yield made


def start(site, settings, changes=None):
    process = site.start("serve", changes={**settings, **(changes or {})})
    process.wait_until_ready()
    core = site.core(process)
    site.phone(core)
    return process, core


class Crowd:
    """Callers that ask one behind the other; each answer with the seconds that it took."""

    def __init__(self, process, key, count=CALLERS):
        self.client = Client(process.address, {"X-Internal-API-Key": key})
        self.answers = []
        self._is_over = threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        for thread in self._threads:
            thread.join(timeout=60)

    def _work(self):
        while not self._is_over.is_set():
            key, body = fresh_key(), {"caller": fresh_number()}
            began = time.monotonic()
            reply = self.client.post(
                "/internal/v1/challenges", body, headers={"Idempotency-Key": key})
            self.answers.append((began, time.monotonic() - began, reply, key, body))
            time.sleep(0.02)

    def refused(self):
        return [row for row in list(self.answers) if row[2].status != 201]

    def expect_bounded(self):
        """Whoever was not served was told so in time."""
        for _, seconds, reply, _, _ in self.answers:
            lasted_at_most(seconds, ANSWERED_WITHIN_S)
            if reply.status != 201:
                reply.expect(503, "storage_unavailable")

    def repeat_refused(self, core):
        """The same keys again: each is one challenge, whatever became of the first request."""
        refused = self.refused()
        for _, _, _, key, body in refused:
            made = core.create_challenge(body["caller"], key).expect(201)
            assert core.create_challenge(body["caller"], key).expect(201)["id"] == made["id"]
        return len(refused)


def expect_green(process, since, within=GREEN_WITHIN_S):
    assert eventually(lambda: process.get_health("/health/ready") == 200, pause=0.02)
    took_at_most(since, within)


def expect_red(process, since):
    assert eventually(lambda: process.get_health("/health/ready") == 503, pause=0.02)
    took_at_most(since, NOTICED_WITHIN_S)


def test_a_server_that_hangs(fresh_site, proxy):
    """Connections hang that are idle, in mid-transaction, and being opened."""
    process, core = start(fresh_site, proxy.settings())
    with Crowd(process, fresh_site.internal_key) as crowd:
        assert eventually(lambda: len(crowd.answers) > 2 * CALLERS)
        proxy.hang()
        began = time.monotonic()
        expect_red(process, began)
        assert eventually(lambda: len(crowd.refused()) >= CALLERS)
        proxy.go_on()
        healed = time.monotonic()
        expect_green(process, healed)
        assert eventually(lambda: any(row[0] > healed and row[2].status == 201
                                      for row in list(crowd.answers)), GREEN_WITHIN_S)
    crowd.expect_bounded()
    assert crowd.repeat_refused(core) >= CALLERS


def test_connections_that_are_lost_without_a_word(fresh_site, proxy):
    """As where something between forgot them: the server is well, and connected to anew."""
    process, core = start(fresh_site, proxy.settings())
    with Crowd(process, fresh_site.internal_key) as crowd:
        assert eventually(lambda: len(crowd.answers) > 2 * CALLERS)
        proxy.lose()
        lost = time.monotonic()
        # What the server holds for those who vanished, it holds for 5 s.
        assert eventually(lambda: any(row[0] > lost + ANSWERED_WITHIN_S and row[2].status == 201
                                      for row in list(crowd.answers)), ANSWERED_WITHIN_S + 2)
        expect_green(process, lost, 2 * ANSWERED_WITHIN_S)
    crowd.expect_bounded()
    crowd.repeat_refused(core)


def test_idle_connections_that_are_lost(fresh_site, proxy):
    """The first request after a quiet hour, so to speak, is served."""
    process, core = start(fresh_site, proxy.settings())
    proxy.lose()
    time.sleep(2 * NOTICED_WITHIN_S)
    began = time.monotonic()
    core.create_challenge(fresh_number()).expect(201)
    took_at_most(began, 1)
    assert process.get_health("/health/ready") == 200


def test_the_next_host_is_tried_at_once(fresh_site, proxy):
    """The first host of the URL hangs: requests go to the second, those under way too."""
    with HangingProxy(fresh_site.database) as second:
        process, core = start(fresh_site, proxy.settings(second))
        with Crowd(process, fresh_site.internal_key) as crowd:
            assert eventually(lambda: len(crowd.answers) > 2 * CALLERS)
            proxy.hang()
            hung = time.monotonic()
            assert eventually(lambda: any(row[0] > hung and row[2].status == 201
                                          for row in list(crowd.answers)), ANSWERED_WITHIN_S)
            expect_green(process, hung, 2 * ANSWERED_WITHIN_S)
            late_at = max(time.monotonic(), hung + ANSWERED_WITHIN_S)

            def late():
                return [row for row in list(crowd.answers) if row[0] > late_at]

            assert eventually(lambda: len(late()) > 2 * CALLERS)
            assert all(row[2].status == 201 for row in late())
        crowd.expect_bounded()
        crowd.repeat_refused(core)
        assert process.get_health("/health/ready") == 200


def test_a_lock_is_told_in_time_and_is_no_silence(fresh_site, proxy):
    """One table is locked: who needs it is told so, and the database counts as there."""
    process, core = start(fresh_site, proxy.settings())
    with fresh_site.database.locked("call_challenge"):
        began = time.monotonic()
        core.create_challenge(fresh_number()).expect(503, "storage_unavailable")
        took_at_most(began, ANSWERED_WITHIN_S)
        assert process.get_health("/health/ready") == 200
    core.create_challenge(fresh_number()).expect(201)


def test_the_setting_bounds_the_wait(fresh_site, proxy):
    process, core = start(fresh_site, proxy.settings(), {"HERALD_DATABASE_TIMEOUT_MS": "1000"})
    with fresh_site.database.locked("call_challenge"):
        began = time.monotonic()
        core.create_challenge(fresh_number(), NOTHING).expect(503, "storage_unavailable")
        took_at_most(began, 1.5)
    assert process.get_health("/health/ready") == 200


# --- Servers and poolers of another kind


@pytest.mark.parametrize("words", [
    "Feature not supported: RDS Proxy currently doesn't support command-line options.",
    "unsupported startup parameter: options",
    "параметр запуска не поддерживается",
])
def test_options_are_refused_in_whatever_words(fresh_site, words):
    fresh_site.migrate()
    with HangingProxy(fresh_site.database, refuses_options=words) as pooler:
        process, core = start(fresh_site, pooler.settings())
        core.create_challenge(fresh_number()).expect(201)
        assert "refuses connection options" in process.output.decode()


def test_a_server_without_listen_is_not_asked_each_second(fresh_site):
    """Processes hear of each other's work by asking, and say so once."""
    fresh_site.migrate()
    with HangingProxy(fresh_site.database, garbles=b"LISTEN") as server:
        process, core = start(fresh_site, server.settings())
        assert eventually(lambda: b"refuses LISTEN or NOTIFY" in process.output)
        accepted = server.accepted
        time.sleep(10)
        assert server.accepted - accepted <= 6, "after 2, 4 and 8 seconds; others may connect, too"
        assert eventually(lambda: server.accepted > accepted)
        assert process.output.decode().count("refuses LISTEN or NOTIFY") == 1
        core.create_challenge(fresh_number()).expect(201)


def test_what_the_server_says_is_told(fresh_site):
    """Why it takes no connection is in the log, in its own words."""
    process = fresh_site.serve()
    fresh_site.database.take_away()
    assert eventually(lambda: b"is not currently accepting connections" in process.output)
    fresh_site.database.give_back()
    assert eventually(lambda: process.get_health("/health/ready") == 200)
