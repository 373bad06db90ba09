"""The two engines that tests run on."""

import os

import pytest

SERVER_URL = os.environ.get("HERALD_TEST_POSTGRES_URL")


def need_engine(name):
    """Skips a test on PostgreSQL where no server is named; under ./dev test it fails instead."""
    if name != "postgres" or SERVER_URL:
        return name
    reason = "HERALD_TEST_POSTGRES_URL is not set"
    if os.environ.get("HERALD_TEST_REQUIRE_POSTGRES") == "1":
        pytest.fail(reason)
    return pytest.skip(reason)
