"""What tests need before they begin: their files, and the two engines that they run on."""

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


def need_files(session, *rows):
    """Ends the run before its first test where a file is missing. A row: it, and its remedy."""
    for path, remedy in rows:
        if not session.config.option.collectonly and not path.exists():
            pytest.exit(f"nothing at {path}: {remedy}", returncode=3)
