"""The walk of `./dev run`: on an empty state folder, and once more on what that left behind."""

import os
import pathlib
import socket
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HERALD_BUILD", ROOT / "build"))


@pytest.fixture(scope="module")
def state_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("walk") / "state"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.mark.parametrize("round_", ["on an empty folder", "on what the first left"])
def test_walk_ends_well(state_dir, round_):
    # herald refuses settings that it does not know, so those of the tests stay here.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HERALD_")
    }
    done = subprocess.run(
        [ROOT / "tools/walk", "--herald", BUILD / "herald", "--phone", BUILD / "sim/phone",
         "--provider", BUILD / "sim/provider", "--erp", BUILD / "sim/erp", "--state-dir", state_dir,
         "--listen", f"127.0.0.1:{free_port()}", "--exit-after-walk"],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout
    for sign in ("code_mismatch", "200 confirmed", "call challenge confirmed", "The phone of",
                 "200 undelivered", "The bot wrote", "202 accepted", "200 applied",
                 "202 queued", "200 queued after 1 attempt", "accepted at attempt",
                 "exactly one document"):
        assert sign in done.stdout, done.stdout
