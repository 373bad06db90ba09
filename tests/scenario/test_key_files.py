"""The key files of an embedded database, and the key that a database was made with.

Contract section 7. A key that cannot be read is never replaced: what it sealed would be lost.
"""

import os
import pathlib
import shutil
import socket
import stat
import subprocess
import tempfile

import pytest

from harness.site import BINARY, clean_environment, free_port, fresh_secret_key
from harness.tools import eventually, fresh_number

KEY_FILES = ["secret-key", "internal-api-key"]
NO_KEYS = {"INTERNAL_API_KEY": None, "HERALD_SECRET_KEY": None}
NOBODY = 65534


def refuse(site, *words, verb="serve", changes=NO_KEYS):
    """The start is refused with a sentence that holds all these words."""
    listen = {"HERALD_LISTEN": f"127.0.0.1:{free_port()}"}
    done = site.run(verb, changes={**listen, **changes}, timeout=10)
    return check_refusal(done, words)


def check_refusal(done, words):
    assert done.returncode > 0, f"herald did not refuse: {done}"
    for word in words:
        assert str(word) in done.stdout, f"{word!r} is not named in: {done.stdout}"
    return done.stdout


@pytest.fixture
def keyed_site(fresh_site):
    """An installation with the keys of its first start, that is not running."""
    fresh_site.serve(NO_KEYS)
    fresh_site.stop()
    return fresh_site


# --- files that cannot be read or hold no key


@pytest.fixture
def humble_site():
    """An installation of somebody who is not root, since root may read every file."""
    with tempfile.TemporaryDirectory(prefix="herald-humble-") as folder:
        home = pathlib.Path(folder)
        shutil.copy(BINARY, home / "herald")
        if os.geteuid() == 0:
            os.chown(home, NOBODY, NOBODY)
        yield home


def run_humbly(home, port):
    identity = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    environment = {
        **clean_environment(), "HERALD_STATE_DIR": str(home / "var"),
        "HERALD_LISTEN": f"127.0.0.1:{port}", "HERALD_DRAIN_SECONDS": "0",
    }
    return subprocess.Popen(
        [home / "herald", "serve"], cwd=home, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **identity,
    )


def key_files_in(folder):
    return sorted(row.name for row in folder.glob("*key*"))


def start_and_end(home):
    """A first start, which makes the keys, and takes their drafts away."""
    child = run_humbly(home, free_port())
    assert eventually(lambda: key_files_in(home / "var") == sorted(KEY_FILES), seconds=20)
    child.terminate()
    output, _ = child.communicate(timeout=30)
    assert child.returncode in (0, -15), output


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("name", KEY_FILES)
def test_unreadable_key_file_stops_the_start_and_stays(engine, humble_site, name):
    start_and_end(humble_site)
    path = humble_site / "var" / name
    before = (path.read_bytes(), path.stat().st_ino)
    path.chmod(0)
    child = run_humbly(humble_site, free_port())
    try:
        output, _ = child.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        child.kill()
        pytest.fail("herald runs with a key that it could not read")
    assert child.returncode > 0, output
    assert str(path) in output and "cannot be read" in output
    assert stat.S_IMODE(path.stat().st_mode) == 0
    path.chmod(0o600)
    assert (path.read_bytes(), path.stat().st_ino) == before
    assert key_files_in(path.parent) == sorted(KEY_FILES)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("name", KEY_FILES)
@pytest.mark.parametrize("make, words", [
    (pathlib.Path.mkdir, "is a folder"),
    (os.mkfifo, "is a pipe"),
    (make_socket, "is a socket"),
    (lambda path: path.symlink_to("/dev/zero"), "is a device"),
    (lambda path: path.symlink_to("nowhere"), "is a link that leads to nothing"),
    (lambda path: path.symlink_to(path), "Too many levels"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_no_file_in_place_of_a_key_file_stops_the_start(keyed_site, name, make, words):
    path = keyed_site.state / name
    path.unlink()
    make(path)
    before = path.lstat().st_ino
    refuse(keyed_site, path, words)
    assert path.lstat().st_ino == before


@pytest.mark.parametrize("setting", ["HERALD_SECRET_KEY", "INTERNAL_API_KEY"])
def test_pipe_that_nobody_writes_to_is_not_waited_for(fresh_site, setting):
    path = fresh_site.state.parent / "pipe"
    os.mkfifo(path)
    changes = {setting: None, f"{setting}_FILE": str(path)}
    refuse(fresh_site, path, "is a pipe", f"{setting}_FILE", changes=changes)


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("garbage", [
    b"", b"\n", b"nonsense\n", b"A" * 42 + b"\n", b"A" * 44 + b"\n", b"!" * 43, b"\x00" * 43,
    bytes(range(1, 255)), b"A" * 5000,
], ids=lambda value: repr(value)[:20])
def test_garbage_in_the_secret_key_stops_the_start(keyed_site, garbage):
    path = keyed_site.state / "secret-key"
    path.write_bytes(garbage)
    text = refuse(keyed_site, path, "HERALD_SECRET_KEY")
    assert path.read_bytes() == garbage
    assert "nonsense" not in text and "AAAA" not in text


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("garbage", [b"", b"two words\n", b"one,two,three\n", b"\xd1\x8f\n"])
def test_garbage_in_the_internal_key_stops_the_start(keyed_site, garbage):
    path = keyed_site.state / "internal-api-key"
    path.write_bytes(garbage)
    refuse(keyed_site, path, "INTERNAL_API_KEY")
    assert path.read_bytes() == garbage


# --- the key that a database was made with


def send_a_code(site):
    core = site.core()
    phone = site.phone(core)
    phone.be_ready()
    return core.create_otp(fresh_number()).expect(201)


def test_start_with_another_secret_key_is_refused(fresh_site):
    fresh_site.serve()
    otp = send_a_code(fresh_site)
    fresh_site.stop()
    other = fresh_secret_key()
    text = refuse(fresh_site, "HERALD_SECRET_KEY", changes={"HERALD_SECRET_KEY": other})
    assert other not in text and fresh_site.settings["HERALD_SECRET_KEY"] not in text
    fresh_site.serve()
    assert fresh_site.core().otp(otp["id"]).expect(200)["id"] == otp["id"]


@pytest.mark.only("postgres")
@pytest.mark.parametrize("verb", ["serve", "api", "worker"])
def test_process_with_another_secret_key_does_not_join(fresh_site, verb):
    fresh_site.serve()
    refuse(fresh_site, "HERALD_SECRET_KEY", verb=verb,
           changes={"HERALD_SECRET_KEY": fresh_secret_key()})
    fresh_site.core().devices().expect(200)


@pytest.mark.only("sqlite")
def test_lost_key_file_is_not_made_anew_over_a_database(keyed_site):
    """A new key would open nothing of what the old one sealed."""
    path = keyed_site.state / "secret-key"
    before = path.read_bytes()
    path.unlink()
    refuse(keyed_site, "HERALD_SECRET_KEY")
    path.write_bytes(before)
    path.chmod(0o600)
    keyed_site.serve(NO_KEYS)
