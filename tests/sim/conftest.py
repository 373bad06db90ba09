"""The simulated providers, held against the wire formats of the real ones.

HERALD_PROVIDER   the program; default build/sim/provider
"""

import pytest

from provider_client import BINARY, Provider, Receiver


def pytest_sessionstart(session):
    if not session.config.option.collectonly and not BINARY.exists():
        pytest.exit(f"no program at {BINARY}: build it, or set HERALD_PROVIDER", returncode=3)


@pytest.fixture(scope="module")
def running():
    """One program for the tests of a module."""
    provider = Provider("--http-callbacks", "--report-retry-ms", "10")
    yield provider
    assert provider.stop() == 0


@pytest.fixture
def sim(running):
    """It, as if just started. A test claims each call that it made; none may be left over."""
    running.told("reset")
    yield running
    left = running.leftover()
    assert left["count"] == 0, left["calls"]
    assert left["orders_left"] == 0


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()
