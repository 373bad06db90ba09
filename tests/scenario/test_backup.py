"""docs/deploy.md: its own commands make a backup of a herald at work, and restore it."""

import os
import re
import subprocess
import threading
import time

import pytest

from harness.exchange import Operator
from harness.site import PROJECT, free_port
from harness.tools import fresh_key, fresh_number
from test_admin import REFUSED, Admin
from test_audit import chain, expect_found, prove, swapped

BLOCKS = re.findall(r"```sh\n(.*?)```", (PROJECT / "docs" / "deploy.md").read_text(), re.DOTALL)
BACKUP, = (block for block in BLOCKS if "VACUUM INTO" in block)
RESTORE, = (block for block in BLOCKS if "before-restore" in block)
FROM = re.search(r"from=(\S+)", RESTORE)[1]
KEYS = {"INTERNAL_API_KEY": "internal-api-key", "HERALD_SECRET_KEY": "secret-key"}

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

    def wait_for(self, count):
        while len(self.created) < count:
            assert self.is_alive()
            time.sleep(0.01)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.join(timeout=30)
        assert not self.is_alive()


class Machine:
    """What the commands are typed on: a site's folders under other names, no sudo, no systemd."""

    def __init__(self, site):
        self.site = site
        self.backups = site.home / "backups"
        self.backups.mkdir()
        self.services = site.home / "services"
        systemctl = site.home / "bin" / "systemctl"
        systemctl.parent.mkdir()
        systemctl.write_text(f'#!/bin/sh\necho "$@" >>{self.services}\n')
        systemctl.chmod(0o755)

    def type(self, block, backup=None):
        text = block.replace("sudo ", "").replace("/etc/herald", str(self.site.home))
        text = text.replace(FROM, str(backup)).replace("/var/backups", str(self.backups))
        text = text.replace("/var/lib/herald", str(self.site.state))
        path = f"{self.site.home}/bin:{os.environ['PATH']}"
        return subprocess.run(["sh", "-c", text], env={"PATH": path}, timeout=60, check=False)

    def back_up(self):
        done = self.type(BACKUP)
        assert done.returncode == 0
        newest = max(self.backups.iterdir())
        assert {path.stat().st_mode & 0o077 for path in newest.iterdir()} == {0}
        return newest

    def restore(self, backup):
        self.site.stop()
        self.services.unlink(missing_ok=True)
        return self.type(RESTORE, backup).returncode == 0

    def started(self):
        return self.services.exists() and "start herald" in self.services.read_text()


class Server:
    """PostgreSQL's own tools, as an operator has them: a dump beside herald at work, and a new database."""

    def __init__(self, site):
        self.site = site

    def back_up(self):
        return self.site.database.dump()

    def restore(self, backup):
        database = self.site.database
        self.site.stop()
        database.drop()
        database.is_made = False
        database.make()
        command = ["psql", "--no-psqlrc", "-qv", "ON_ERROR_STOP=1", database.url]
        return subprocess.run(command, input=backup, stdout=subprocess.DEVNULL, check=False).returncode == 0


@pytest.fixture
def machine(fresh_site):
    return Machine(fresh_site)


def use_made_keys(site):
    """Keys from no setting, but made at the first start."""
    for name in KEYS:
        del site.settings[name]
    site.serve()
    site.internal_key = (site.state / KEYS["INTERNAL_API_KEY"]).read_text().strip()


def test_backup_under_load_has_all_that_was_answered_before_it(machine):
    site = machine.site
    use_made_keys(site)
    phone = site.phone(site.core())
    phone.be_ready()
    erp = Operator.of(site).new_erp()
    with Caller(site.core()) as caller:
        caller.wait_for(50)
        answered = list(caller.created)
        backup = machine.back_up()
        caller.wait_for(len(answered) + 1)  # it went on beside the backup

    for _ in range(2):
        assert machine.restore(backup) and machine.started()
        site.serve()
        core = site.core()
        for challenge_id in answered:
            core.challenge(challenge_id).expect(200)
        phone.at(site.address).ping().expect(200)
        erp.at(site.address).fetch_token()  # its secret, and the key that signs, sealed as it was
        time.sleep(1)  # what is moved away is named by the second


def test_keys_of_the_settings_are_no_part_of_a_backup(machine):
    site = machine.site
    site.serve()
    site.phone(site.core())
    backup = machine.back_up()
    assert {path.name for path in backup.iterdir()} == {"herald.db", "herald-exchange.db"}
    assert machine.restore(backup) and machine.started()
    site.serve()
    assert len(site.core().devices().expect(200)["devices"]) == 1


def test_backup_that_is_not_whole_changes_nothing(machine):
    site = machine.site
    use_made_keys(site)
    backup = machine.back_up()
    (backup / "herald-exchange.db").unlink()
    assert not machine.restore(backup)
    assert not machine.started()
    assert set(KEYS.values()) <= {path.name for path in site.state.iterdir()}
    site.serve()


@pytest.mark.only("sqlite", "postgres")
def test_audit_of_a_restored_backup_proves_itself(fresh_site):
    """Contract, section 10.3: all that it says of a chain holds of one that was restored."""
    site = fresh_site
    site.port = free_port()  # no start finds a changed setting
    keeper = Server(site) if site.database else Machine(site)
    site.serve()
    for i in range(4):
        site.core().register(f"Kept {i}", [fresh_number()]).expect(201)
    Operator.of(site).create_integration().expect(201)
    kept = chain(site.core())
    backup = keeper.back_up()
    site.core().register("Lost", [fresh_number()]).expect(201)
    seen = chain(site.core())[-1]
    known = ["--store", "verification", "--since", str(seen["seq"]), "--hash", seen["hash"]]
    assert "whole" in Admin(site)("audit", "verify", *known)

    assert keeper.restore(backup)
    site.serve()
    core, admin = site.core(), Admin(site)
    assert chain(core) == kept and len(kept) == 4
    told = admin("audit", "verify")
    assert "verification: whole up to record 4" in told and "exchange: whole up to record 1" in told
    since = ["--since", str(kept[-1]["seq"]), "--hash", kept[-1]["hash"]]
    assert "whole" in admin("audit", "verify", "--store", "verification", *since)
    done = admin.run("audit", "verify", *known)
    assert done.returncode == REFUSED and "it ends at record 4" in done.stdout
    core.register("Another", [fresh_number()]).expect(201)
    done = admin.run("audit", "verify", *known)
    assert done.returncode == REFUSED and "record 5 is not the one" in done.stdout
    prove(chain(core))
    expect_found(site, (
        ("DELETE FROM audit_record WHERE seq = 2", "records 2 to 2 are missing"),
        ("DELETE FROM audit_record WHERE seq = 5", "records 5 to 5 are missing"),
        (swapped(2, 3), "record 3 was changed or moved"), (swapped(4, 5), "record 5 was changed or moved"),
        ("UPDATE audit_record SET action = 'device.remove' WHERE seq = 3", "record 3 was changed or moved")))
    assert "whole up to record 5" in admin("audit", "verify")
