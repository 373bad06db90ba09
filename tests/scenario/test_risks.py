"""A start warns of what is risky, and refuses nothing for it (contract, section 7 "Risks")."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from harness.site import BINARY, clean_environment, free_port
from harness.tls import Pair
from harness.tools import eventually

NOBODY = 65534
MADE = {"INTERNAL_API_KEY": None, "HERALD_SECRET_KEY": None}


def risks_of(output):
    """{risk: where} of the warnings of a start."""
    found = {}
    for line in output.decode().splitlines():
        row = json.loads(line) if line.startswith("{") else {}
        if "risk" in row.get("fields", {}):
            assert row["level"] == "warning" and row["message"]
            found[row["fields"]["risk"]] = row["fields"].get("where")
    return found


def risks_at(site, changes=None):
    """Beside those that it runs as root, as many tests do."""
    process = site.serve(changes)
    found = risks_of(process.output)
    site.stop()
    assert ("root" in found) == (os.geteuid() == 0)
    found.pop("root", None)
    return found


def test_good_start_warns_of_nothing(fresh_site):
    assert risks_at(fresh_site) == {}


@pytest.mark.parametrize("key, is_risky", [
    ("k" * 23, True), ("k" * 24, False), (f"{'k' * 24},{'k' * 23}", True),
    (f"{'k' * 24},{'k' * 24}", False),
])
def test_short_internal_key(fresh_site, key, is_risky):
    found = risks_at(fresh_site, {"INTERNAL_API_KEY": key})
    assert found == ({"short_internal_key": None} if is_risky else {})


@pytest.mark.parametrize("environment, numbers, risk", [
    ("test", "+79000000000-+79000000099", "test_numbers"), ("test", "", None),
    ("production", "+79000000000-+79000000099", "idle_test_numbers"), ("production", "", None),
])
def test_test_numbers(fresh_site, environment, numbers, risk):
    settings = {"HERALD_ENVIRONMENT": environment, "HERALD_TEST_NUMBERS": numbers}
    found = risks_at(fresh_site, settings)
    assert list(found) == ([risk] if risk else [])
    assert all("7900" in where for where in found.values())


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("mode, is_risky", [(0o700, False), (0o710, True), (0o701, True)])
def test_folder_that_others_may_enter(fresh_site, mode, is_risky):
    assert risks_at(fresh_site, MADE) == {}
    fresh_site.state.chmod(mode)
    found = risks_at(fresh_site, MADE)
    assert found == ({"open_state_folder": str(fresh_site.state)} if is_risky else {})


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("name", ["secret-key", "internal-api-key"])
def test_key_file_that_others_may_read(fresh_site, name):
    assert risks_at(fresh_site, MADE) == {}
    path = fresh_site.state / name
    path.chmod(0o604)
    assert risks_at(fresh_site, MADE) == {"open_key_file": str(path)}


def test_named_file_that_others_may_read(fresh_site):
    path = fresh_site.home / "key"
    path.write_text("k" * 40)
    path.chmod(0o600)
    named = {"INTERNAL_API_KEY": None, "INTERNAL_API_KEY_FILE": str(path)}
    assert risks_at(fresh_site, named) == {}
    path.chmod(0o644)
    assert risks_at(fresh_site, named) == {"open_key_file": str(path)}


@pytest.mark.only("sqlite")
def test_key_of_the_certificate_that_others_may_read(fresh_site, tmp_path):
    pair = Pair(tmp_path)
    fresh_site.port = free_port()
    named = {**pair.settings, "HERALD_LISTEN": f"http://127.0.0.1:{fresh_site.port}",
             "HERALD_METRICS_LISTEN": f"https://127.0.0.1:{free_port()}"}
    assert risks_at(fresh_site, named) == {}
    pair.cert.chmod(0o644)  # which everybody sees anyway
    assert risks_at(fresh_site, named) == {}
    pair.key.chmod(0o644)
    assert risks_at(fresh_site, named) == {"open_key_file": str(pair.key)}


@pytest.mark.parametrize("host, is_risky", [("127.0.0.1", False), ("0.0.0.0", True), ("[::]", True)])
def test_plain_http_beyond_loopback(fresh_site, host, is_risky):
    address = f"{host}:{free_port()}"
    fresh_site.migrate()
    process = fresh_site.start("serve", "--listen", address)
    assert eventually(lambda: b"listens on" in process.output)
    found = risks_of(process.output)
    found.pop("root", None)
    assert found == ({"plain_http": address} if is_risky else {})


@pytest.mark.only("sqlite")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_user_of_its_own_is_no_risk(engine):
    with tempfile.TemporaryDirectory(prefix="herald-risks-") as folder:
        home = Path(folder)
        shutil.copy(BINARY, home / "herald")
        os.chown(home, NOBODY, NOBODY)
        environment = {**clean_environment(), "HERALD_STATE_DIR": str(home / "var"),
                       "HERALD_LISTEN": f"127.0.0.1:{free_port()}"}
        output = home / "output"
        with open(output, "wb") as file:
            child = subprocess.Popen([home / "herald", "serve"], cwd=home, env=environment,
                                     stdout=file, stderr=subprocess.STDOUT, user=NOBODY,
                                     group=NOBODY, extra_groups=[])
        try:
            assert eventually(lambda: b"listens on" in output.read_bytes())
            assert risks_of(output.read_bytes()) == {}
        finally:
            child.kill()
            child.wait()
