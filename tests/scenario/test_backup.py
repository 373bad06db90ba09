"""A backup of an embedded database that is in use, as docs/deploying.md makes it."""

import shutil
import sqlite3
import threading
import time

import pytest

from harness.exchange import Operator
from harness.tools import fresh_key, fresh_number

KEPT = ["internal-api-key", "secret-key"]
DATABASES = ["herald.db", "herald-exchange.db"]

pytestmark = pytest.mark.only("sqlite")


class Caller(threading.Thread):
    """Creates challenges until it is told to stop."""

    def __init__(self, core):
        super().__init__(daemon=True)
        self.core, self.created, self.is_over = core, [], threading.Event()

    def run(self):
        while not self.is_over.is_set():
            reply = self.core.create_challenge(fresh_number(), fresh_key())
            self.created.append(reply.expect(201)["id"])

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.join(timeout=30)
        assert not self.is_alive()


def back_up(state, folder):
    folder.mkdir()
    for name in DATABASES:
        with sqlite3.connect(state / name) as connection:
            connection.execute("VACUUM INTO ?", [str(folder / name)])
        connection.close()
    for name in KEPT:
        shutil.copy(state / name, folder / name)


def restore(folder, state):
    shutil.rmtree(state)
    shutil.copytree(folder, state)


def test_backup_under_load_has_all_that_was_answered_before_it(fresh_site):
    del fresh_site.settings["INTERNAL_API_KEY"], fresh_site.settings["HERALD_SECRET_KEY"]
    fresh_site.serve()
    fresh_site.internal_key = (fresh_site.state / "internal-api-key").read_text().strip()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    phone.be_ready()
    erp = Operator.of(fresh_site).new_erp()
    backup = fresh_site.home / "backup"
    with Caller(core) as caller:
        while len(caller.created) < 50:
            assert caller.is_alive()
            time.sleep(0.01)
        answered = list(caller.created)
        back_up(fresh_site.state, backup)
        assert len(caller.created) > len(answered), "nothing was created beside the backup"
    fresh_site.stop()

    restore(backup, fresh_site.state)
    fresh_site.serve()
    core = fresh_site.core()
    for challenge_id in answered:
        core.challenge(challenge_id).expect(200)
    phone.at(fresh_site.address).ping().expect(200)
    erp.at(fresh_site.address).fetch_token()  # its secret, and the key that signs, sealed as it was
