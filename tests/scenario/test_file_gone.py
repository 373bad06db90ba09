"""A database file that is moved away, deleted or cut off under a running herald: nothing is acknowledged that the
next start would not find (contract, section 7)."""

import json
import shutil

import pytest

from harness.exchange import Operator
from harness.tools import eventually, fresh_number

pytestmark = pytest.mark.only("sqlite")

STORES = {"verification": "herald.db", "exchange": "herald-exchange.db"}
RED_WITHIN_S = 2


def expect_red(process):
    assert eventually(lambda: process.get_health("/health/ready") == 503, RED_WITHIN_S, 0.01)
    assert process.get_health("/health/live") == 200


def expect_refused(site, store):
    if store == "verification":
        reply = site.core().create_otp(fresh_number())
    else:
        reply = Operator.of(site).create_integration()
    reply.expect(503, "storage_unavailable")


def missing_files(process):
    """The files that entries of the process call missing, one by one."""
    rows = [json.loads(line) for line in process.output.decode().splitlines() if line.startswith("{")]
    return [row["fields"] for row in rows
            if row["level"] == "error" and "no longer there" in row["message"]]


def begin(site):
    process = site.serve()
    core = site.core()
    site.phone(core).be_ready()
    core.create_otp(fresh_number()).expect(201)
    return process, core


@pytest.mark.parametrize("store", STORES)
def test_a_file_that_is_moved_away_and_put_back(fresh_site, store):
    process, core = begin(fresh_site)
    path = fresh_site.state / STORES[store]
    path.rename(path.with_suffix(".away"))
    expect_red(process)
    expect_refused(fresh_site, store)
    assert [list(fields.values()) for fields in missing_files(process)] == [[str(path)]]
    path.with_suffix(".away").rename(path)
    assert eventually(lambda: process.get_health("/health/ready") == 200)
    otp = core.create_otp(fresh_number()).expect(201)
    integration = Operator.of(fresh_site).create_integration().expect(201)
    fresh_site.restart()
    fresh_site.core().get(f"/internal/v1/otp/{otp['id']}").expect(200)
    Operator.of(fresh_site).integration(integration["id"]).expect(200)
    assert missing_files(fresh_site.processes[-1]) == []


def test_another_file_in_its_place_is_not_written(fresh_site):
    process, _ = begin(fresh_site)
    path = fresh_site.state / "herald.db"
    text = path.read_bytes()
    path.rename(path.with_suffix(".away"))
    path.write_bytes(text)
    expect_red(process)
    expect_refused(fresh_site, "verification")
    assert path.read_bytes() == text
    path.with_suffix(".away").replace(path)
    assert eventually(lambda: process.get_health("/health/ready") == 200)
    fresh_site.core().create_otp(fresh_number()).expect(201)


def test_a_folder_that_is_moved_away_and_put_back(fresh_site):
    process, core = begin(fresh_site)
    away = fresh_site.home / "away"
    fresh_site.state.rename(away)
    expect_red(process)
    for store in STORES:
        expect_refused(fresh_site, store)
    assert len(missing_files(process)) == 2
    away.rename(fresh_site.state)
    assert eventually(lambda: process.get_health("/health/ready") == 200)
    core.create_otp(fresh_number()).expect(201)


def test_a_folder_that_is_deleted(fresh_site):
    process, _ = begin(fresh_site)
    shutil.rmtree(fresh_site.state)
    expect_red(process)
    for store in STORES:
        expect_refused(fresh_site, store)
    process.terminate()
    assert process.wait() == 0
    assert not fresh_site.state.exists()


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_a_log_that_is_moved_away_and_put_back(fresh_site, suffix):
    process, core = begin(fresh_site)
    path = fresh_site.state / f"herald.db{suffix}"
    away = fresh_site.state / "away"
    path.rename(away)
    expect_red(process)
    expect_refused(fresh_site, "verification")
    assert [list(fields.values()) for fields in missing_files(process)] == [[str(path)]]
    away.rename(path)
    assert eventually(lambda: process.get_health("/health/ready") == 200)
    core.create_otp(fresh_number()).expect(201)


def test_what_was_acknowledged_before_the_log_was_deleted_outlasts_a_stop(fresh_site):
    process, core = begin(fresh_site)
    otp = core.create_otp(fresh_number()).expect(201)
    (fresh_site.state / "herald.db-wal").unlink()
    expect_red(process)
    expect_refused(fresh_site, "verification")
    fresh_site.restart()
    fresh_site.core().get(f"/internal/v1/otp/{otp['id']}").expect(200)


def test_a_link_in_the_place_of_the_file(fresh_site):
    process, core = begin(fresh_site)
    path = fresh_site.state / "herald.db"
    elsewhere = fresh_site.home / "herald.db"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    expect_red(process)
    expect_refused(fresh_site, "verification")
    path.unlink()
    elsewhere.rename(path)
    assert eventually(lambda: process.get_health("/health/ready") == 200)
    core.create_otp(fresh_number()).expect(201)


def test_a_file_behind_a_link(fresh_site):
    path = fresh_site.state / "herald.db"
    elsewhere = fresh_site.home / "elsewhere"
    elsewhere.mkdir()
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(elsewhere / "herald.db")
    process, core = begin(fresh_site)
    core.create_otp(fresh_number()).expect(201)
    elsewhere.rename(fresh_site.home / "away")
    expect_red(process)
    (fresh_site.home / "away").rename(elsewhere)
    assert eventually(lambda: process.get_health("/health/ready") == 200)
    core.create_otp(fresh_number()).expect(201)


@pytest.mark.parametrize("size", [0, 50, 4096])
def test_a_file_that_is_cut_off(fresh_site, size):
    process, core = begin(fresh_site)
    with open(fresh_site.state / "herald.db", "r+b") as file:
        file.truncate(size)
    expect_refused(fresh_site, "verification")
    expect_red(process)
    messages = [line for line in process.output.decode().splitlines() if "was cut off" in line]
    assert len(messages) == 1 and "restore a backup" in messages[0]
