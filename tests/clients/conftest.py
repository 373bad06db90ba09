"""Clients that generators made of the OpenAPI document, against a herald that really runs.

HERALD_GENERATED_CLIENTS   where tools/make_clients put them; default build/clients
The rest is as for the scenarios (tests/scenario/conftest.py), whose harness this uses.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "scenario"))

from harness.engines import SERVER_URL, need_engine, need_files  # noqa: E402 (known from here on)
from harness.site import BINARY, Site  # noqa: E402

FOLDER = Path(os.environ.get("HERALD_GENERATED_CLIENTS", ROOT / "build" / "clients")).resolve()
RUN_TIMEOUT_S = 60


def pytest_sessionstart(session):
    need_files(session, (BINARY, "build it, or set HERALD_BINARY"),
               (FOLDER / "made", "run tools/make_clients"))


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def engine(request):
    return need_engine(request.param)


@pytest.fixture(scope="session")
def site(engine, tmp_path_factory):
    """One running `herald serve` for each engine."""
    with Site(engine, tmp_path_factory.mktemp(engine), server_url=SERVER_URL) as made:
        made.serve()
        yield made


@pytest.fixture
def use(site):
    """Runs a client with the key of the service and returns what it read of the answers."""
    def run(command, recipient):
        environment = {
            **os.environ,
            "HERALD_URL": "http://{}:{}".format(*site.address),
            "HERALD_KEY": site.internal_key,
            "HERALD_RECIPIENT": recipient,
        }
        done = subprocess.run(
            command, cwd=FOLDER, env=environment, capture_output=True, text=True,
            timeout=RUN_TIMEOUT_S, check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)
    return run
