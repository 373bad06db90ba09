"""OAuth clients and verifiers of tokens that nobody here wrote, against a herald that really runs.

HERALD_TOKEN_CLIENTS   where tools/install_judges put them; default build/tokens
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

FOLDER = Path(os.environ.get("HERALD_TOKEN_CLIENTS", ROOT / "build" / "tokens")).resolve()
RUN_TIMEOUT_S = 60


def pytest_sessionstart(session):
    need_files(session, (BINARY, "build it, or set HERALD_BINARY"),
               (FOLDER / "installed", "run tools/install_judges"))


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def engine(request):
    return need_engine(request.param)


@pytest.fixture(scope="session")
def site(engine, tmp_path_factory):
    """One running `herald serve` for each engine."""
    with Site(engine, tmp_path_factory.mktemp(engine), server_url=SERVER_URL) as made:
        made.serve()
        yield made


@pytest.fixture(scope="session")
def refusing_site(engine, tmp_path_factory):
    """One whose clock moves, so that failed authentications are forgotten."""
    with Site(engine, tmp_path_factory.mktemp(engine), server_url=SERVER_URL,
              has_clock=True) as made:
        made.serve()
        yield made


@pytest.fixture
def moving_site(engine, tmp_path):
    """One for a single test, which may move its clock."""
    with Site(engine, tmp_path, server_url=SERVER_URL, has_clock=True) as made:
        made.serve()
        yield made


def program(language, name):
    """The words that run a program; where it is, its libraries are found."""
    if language == "go":
        return [FOLDER / "go" / "judge"]
    if language == "node":
        return ["node", FOLDER / "node" / f"{name}.mjs"]
    return [FOLDER / "python" / "venv" / "bin" / "python", FOLDER / "python" / f"{name}.py"]


@pytest.fixture
def ask():
    """Runs a program with a case and returns what it made of herald's answers."""
    def run(language, name, **case):
        done = subprocess.run(
            program(language, name), input=json.dumps(case), capture_output=True, text=True,
            timeout=RUN_TIMEOUT_S, check=False,
        )
        assert done.returncode == 0, f"{name} did not take it: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    return run
