"""The two files of an embedded database: lost, damaged or strange ones, and `herald migrate`.

Contract section 7. What a file held is never replaced by an empty one without a word.
"""

import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import time

import pytest

from harness.exchange import Operator
from harness.site import BINARY, Site, clean_environment, free_port

FILES = ["herald.db", "herald-exchange.db"]
NO_KEYS = {"INTERNAL_API_KEY": None, "HERALD_SECRET_KEY": None}
NOBODY = 65534
KILLS = int(os.environ.get("HERALD_CRASH_ROUNDS", "12"))

pytestmark = pytest.mark.only("sqlite")


def listing(folder):
    """Each file with its bytes; a key or a database that changed is told apart."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def refuse(site, *words, verb=("serve",)):
    """The verb ends with a sentence that holds all these words."""
    done = site.run(*verb, changes={"HERALD_LISTEN": f"127.0.0.1:{free_port()}"}, timeout=20)
    assert done.returncode > 0, f"herald did not refuse: {done}"
    for word in words:
        assert str(word) in done.stdout, f"{word!r} is not named in: {done.stdout}"


@pytest.fixture
def used_site(fresh_site):
    """An installation with a phone and an integration, that is not running."""
    fresh_site.serve()
    fresh_site.phone(fresh_site.core())
    Operator.of(fresh_site).create_integration().expect(201)
    fresh_site.stop()
    return fresh_site


# --- a file that is gone, or is another one


@pytest.mark.parametrize("name", FILES)
def test_lost_file_is_not_replaced_and_its_backup_works(used_site, name):
    path, backup = used_site.state / name, used_site.home / "backup"
    path.rename(backup)
    before = listing(used_site.state)
    for verb in (("serve",), ("migrate", "up")):
        refuse(used_site, path, "is missing", "backup", verb=verb)
    assert listing(used_site.state) == before
    backup.rename(path)
    used_site.serve()
    assert len(used_site.core().devices().expect(200)["devices"]) == 1
    assert len(Operator.of(used_site).integrations().expect(200)["integrations"]) == 1


@pytest.mark.parametrize("name", FILES)
def test_emptied_file_is_not_filled_anew(used_site, name):
    path = used_site.state / name
    path.write_bytes(b"")
    refuse(used_site, path, "is empty", "backup")
    refuse(used_site, path, "is empty", "backup", verb=("migrate", "up"))
    assert path.read_bytes() == b""


def test_file_of_another_installation_is_told(used_site, tmp_path_factory):
    with Site("sqlite", tmp_path_factory.mktemp("other"), settings=used_site.settings) as other:
        other.settings["HERALD_STATE_DIR"] = str(other.state)
        other.start("serve").wait_until_ready()  # not a copy, as serve() has it
        other.stop()
        shutil.copy(other.state / FILES[1], used_site.state / FILES[1])
    refuse(used_site, *FILES, "do not belong together")


def test_first_start_that_is_killed_is_completed_by_the_next(fresh_site):
    """kill -9 after ever more time: before the files, between them, after both."""
    for tries in range(KILLS):
        shutil.rmtree(fresh_site.state, ignore_errors=True)
        process = fresh_site.start("serve", changes=NO_KEYS)
        time.sleep(tries * 0.005)
        process.kill()
        fresh_site.processes.clear()
        fresh_site.start("serve", changes=NO_KEYS).wait_until_ready()
        fresh_site.stop()
        fresh_site.processes.clear()


# --- what is no database


@pytest.mark.parametrize("name", FILES)
def test_other_things_in_place_of_a_file_are_told_and_stay(used_site, name):
    path = used_site.state / name
    text = b"Minutes of the meeting.\n"
    path.write_bytes(text)
    for verb in (("serve",), ("migrate", "up"), ("migrate", "status")):
        refuse(used_site, path, "is not a SQLite database", verb=verb)
    assert path.read_bytes() == text
    path.unlink()
    path.mkdir()
    for verb in (("serve",), ("migrate", "up"), ("migrate", "status")):
        refuse(used_site, path, "is a folder", verb=verb)
    assert list(path.iterdir()) == []


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("locked", ["file", "folder"])
def test_file_that_may_not_be_opened_is_told_and_stays(engine, name, locked):
    """As somebody who is not root, since root may open everything."""
    with tempfile.TemporaryDirectory(prefix="herald-humble-") as folder:
        home = pathlib.Path(folder)
        shutil.copy(BINARY, home / "herald")
        if os.geteuid() == 0:
            os.chown(home, NOBODY, NOBODY)
        assert run_humbly(home, "migrate", "up").returncode == 0
        path = home / "var" / name
        closed = path if locked == "file" else path.parent
        mode = stat.S_IMODE(closed.stat().st_mode)
        for verb in (("serve",), ("migrate", "up"), ("migrate", "status")):
            closed.chmod(0)
            done = run_humbly(home, *verb)
            closed.chmod(mode)
            assert done.returncode == 2, done
            assert str(path if locked == "file" else path.parent) in done.stdout
            assert "cannot be" in done.stdout and "this user" in done.stdout, done.stdout
        assert sorted(row.name for row in path.parent.glob("*.db")) == sorted(FILES)


def run_humbly(home, *verb):
    identity = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    environment = {
        **clean_environment(), "HERALD_STATE_DIR": str(home / "var"),
        "HERALD_LISTEN": f"127.0.0.1:{free_port()}",
    }
    return subprocess.run(
        [home / "herald", *verb], cwd=home, env=environment, text=True, timeout=20, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **identity,
    )


# --- herald migrate


def test_status_makes_nothing(fresh_site):
    for _ in range(2):
        done = fresh_site.run("migrate", "status")
        assert done.returncode == 1, done.stdout
        assert "no database yet" in done.stdout
        assert not fresh_site.state.exists()
    fresh_site.serve()
    assert fresh_site.run("migrate", "status").returncode == 0  # while it runs
    fresh_site.stop()
    before = listing(fresh_site.state)
    assert fresh_site.run("migrate", "status").returncode == 0
    assert listing(fresh_site.state) == before


def test_serve_starts_after_migrate_up(fresh_site):
    done = fresh_site.run("migrate", "up", changes=NO_KEYS)
    assert done.returncode == 0 and done.stdout.count("up to date") == 2, done.stdout
    assert sorted(listing(fresh_site.state)) == sorted(FILES)
    fresh_site.serve(NO_KEYS)
    fresh_site.stop()
    (fresh_site.state / "secret-key").unlink()
    done = fresh_site.run("serve", changes=NO_KEYS, timeout=20)
    assert done.returncode > 0 and "secret-key is missing" in done.stdout, done.stdout
