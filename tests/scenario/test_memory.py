"""Where the keys are while herald runs: at most once in its memory, and in nothing that other
processes of the machine are shown (contract, section 7; doc A, section 5)."""

import base64
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from harness.clock import sanitizer_libraries
from harness.site import BINARY, clean_environment, fresh_secret_key
from harness.tools import eventually, fresh_number

NOBODY = 65534
PASSWORD = "canary-of-the-proxy-password"


def memory_of(pid):
    """Every readable page of a process, as one piece each."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            begin, end, rights = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+)", line).groups()
            if "r" not in rights or "[v" in line or int(end, 16) - int(begin, 16) > 1 << 32:
                continue
            try:
                memory.seek(int(begin, 16))
                yield memory.read(int(end, 16) - int(begin, 16))
            except OSError:
                continue  # a guard


def count_in_memory(process, *needles):
    counts = [0] * len(needles)
    for piece in memory_of(process.pid):
        for index, needle in enumerate(needles):
            counts[index] += piece.count(needle)
    return counts


def forms_of(secret_key):
    return secret_key.encode(), base64.urlsafe_b64decode(secret_key + "=")


# A sanitizer copies the environment before the program begins.
OF_SANITIZER = 1 if sanitizer_libraries(BINARY) else 0


def expect_hidden(process, secret_key, internal_key, elsewhere=0):
    """The locked copy of the internal key is what requests are compared with. Of the secret key only
    what was made of it is needed."""
    counts = count_in_memory(process, *forms_of(secret_key), internal_key.encode())
    expected = [elsewhere, 0, 1 + elsewhere]
    assert counts == expected, f"secret key as text, as bytes, internal key: {counts}"


@pytest.fixture
def only_root():
    if os.geteuid() != 0:
        pytest.skip("nobody but root may read the memory of herald")


@pytest.fixture
def open_folder():
    """Where other users find what is in it."""
    with tempfile.TemporaryDirectory(prefix="herald-memory-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def settle(process):
    """What its threads still had on their way at the start is done."""
    assert eventually(lambda: process.get_health("/health/ready") == 200)


@pytest.mark.usefixtures("only_root")
def test_keys_of_the_environment_are_in_memory_once(fresh_site):
    process = fresh_site.serve()
    settle(process)
    expect_hidden(process, fresh_site.settings["HERALD_SECRET_KEY"], fresh_site.internal_key,
                  elsewhere=OF_SANITIZER)
    environment = Path(f"/proc/{process.pid}/environ").read_bytes()
    assert b"HERALD_SECRET_KEY=" in environment
    assert fresh_site.internal_key.encode() not in environment
    assert fresh_site.settings["HERALD_SECRET_KEY"].encode() not in environment
    if fresh_site.database:
        url = fresh_site.settings["HERALD_DATABASE_URL"].encode()
        assert url not in environment


@pytest.mark.usefixtures("only_root")
@pytest.mark.parametrize("way", ["_FILE", "--config"])
def test_keys_of_files_are_in_memory_once(fresh_site, way):
    secret_key, internal_key = fresh_secret_key(), "internal-key-out-of-a-file"
    given = {"HERALD_SECRET_KEY": secret_key, "INTERNAL_API_KEY": internal_key}
    changes = dict.fromkeys(given)
    arguments = ["serve"]
    fresh_site.migrate()
    if way == "_FILE":
        for name, value in given.items():
            (fresh_site.home / name).write_text(f"{value}\n")
            changes[f"{name}_FILE"] = str(fresh_site.home / name)
    else:
        file = fresh_site.home / "herald.conf"
        file.write_text("".join(f"{name}={value}\n" for name, value in given.items()))
        arguments += ["--config", str(file)]
    process = fresh_site.start(*arguments, changes=changes)
    process.wait_until_ready()
    settle(process)
    expect_hidden(process, secret_key, internal_key)


@pytest.mark.only("sqlite")
@pytest.mark.usefixtures("only_root")
@pytest.mark.parametrize("start", ["first", "second"])
def test_keys_of_the_first_start_are_in_memory_once(fresh_site, start):
    none = {"HERALD_SECRET_KEY": None, "INTERNAL_API_KEY": None}
    process = fresh_site.serve(none)
    if start == "second":
        fresh_site.stop()
        process = fresh_site.serve(none)
    settle(process)
    keys = [(fresh_site.state / name).read_text().strip()
            for name in ("secret-key", "internal-api-key")]
    expect_hidden(process, *keys)


@pytest.mark.usefixtures("only_root")
def test_used_secret_key_leaves_no_trace(fresh_site):
    """Sealing and opening work with what was derived at the start."""
    process = fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    phone.be_ready()
    core.create_otp(fresh_number()).expect(201)
    assert phone.claim_task()
    counts = count_in_memory(process, *forms_of(fresh_site.settings["HERALD_SECRET_KEY"]))
    assert counts == [OF_SANITIZER, 0]


def test_password_of_a_proxy_is_not_shown_by_ps(fresh_site):
    fresh_site.migrate()
    proxy = f"http://herald:{PASSWORD}@127.0.0.1:3128"
    process = fresh_site.start(
        "serve", "--telegram-bot-proxy", proxy, f"--telegram-gateway-proxy={proxy}",
        "--sms-language", "en")
    process.wait_until_ready()
    words = Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")
    assert not any(PASSWORD.encode() in word for word in words)
    assert b"127.0.0.1:3128" in words[3] and b"--sms-language" in words, words


@pytest.mark.only("sqlite")
@pytest.mark.usefixtures("only_root")
def test_process_cannot_be_dumped_before_it_has_a_secret(engine, open_folder):
    """What may not be dumped belongs to root in /proc, whoever runs it. This one waits for the file
    of its settings, so that it is met before it has read one."""
    binary, fifo = open_folder / "herald", open_folder / "settings"
    shutil.copy(BINARY, binary)
    os.mkfifo(fifo, 0o600)
    os.chown(fifo, NOBODY, NOBODY)
    child = subprocess.Popen(
        [binary, "config", "--config", fifo], env=clean_environment(),
        user=NOBODY, group=NOBODY, extra_groups=[], stdout=subprocess.DEVNULL)
    try:
        assert eventually(lambda: Path(f"/proc/{child.pid}/environ").stat().st_uid == 0, 5)
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()
