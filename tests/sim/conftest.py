"""The simulated providers, held against the wire formats of the real ones; the simulated ERP,
against doc B; the simulated receiver of webhooks, against Standard Webhooks.

HERALD_PROVIDER   the program of the providers; default build/sim/provider
HERALD_SIM_ERP    the program of the ERP; default build/sim/erp
HERALD_SIM_HOOK   the program of the receiver; default build/sim/hook
"""

import pytest

import erp_client
import hook_client
from erp_caller import Caller
from provider_client import BINARY, Provider, Receiver


def pytest_sessionstart(session):
    if session.config.option.collectonly:
        return
    for binary, name in ((BINARY, "HERALD_PROVIDER"), (erp_client.BINARY, "HERALD_SIM_ERP"),
                         (hook_client.BINARY, "HERALD_SIM_HOOK")):
        if not binary.exists():
            pytest.exit(f"no program at {binary}: build it, or set {name}", returncode=3)


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


@pytest.fixture(scope="module")
def running_erp():
    with erp_client.ErpService() as erp:
        yield erp


@pytest.fixture
def erp(running_erp):
    """One program for the tests of a module, as if just started."""
    running_erp.reset(documents=True)
    yield running_erp
    stats = running_erp.stats()
    assert stats["twice"] == 0 and stats["in_flight"] == 0, stats
    assert running_erp.leftover()["orders_left"] == 0


@pytest.fixture
def caller(erp):
    return Caller(erp)
