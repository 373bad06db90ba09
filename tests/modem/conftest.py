"""herald-modem as it really runs: against Debian's own ModemManager, which finds simulated modems,
and against a real herald.

HERALD_BINARY      herald; herald-modem and sim/modem are taken from its folder
HERALD_CRASH_ROUNDS  rounds of the random test; default 6
HERALD_SEED        what the random test draws follows from this number
"""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))

from harness.engines import need_files  # noqa: E402
from harness.site import BINARY, Site  # noqa: E402
from stage import AGENT, MANAGER, SIM, Stage  # noqa: E402


# What takes minutes is for campaigns.
collect_ignore = [] if "HERALD_CRASH_ROUNDS" in os.environ else ["test_silence.py"]


def pytest_sessionstart(session):
    need_files(session, *((program, "build it, or install modemmanager")
                          for program in (BINARY, AGENT, SIM, pathlib.Path(MANAGER))))


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """One herald for all; how it stores things is no matter of phones."""
    with Site("sqlite", tmp_path_factory.mktemp("herald")) as made:
        made.serve()
        yield made


@pytest.fixture
def new_stage(site, tmp_path):
    stages = []

    def make(*arguments, **options):
        stages.append(Stage(site, tmp_path, *arguments, **options))
        return stages[-1]

    yield make
    for stage in stages:
        stage.close()


@pytest.fixture
def stage(new_stage):
    """One modem, ready."""
    return new_stage().begin()
