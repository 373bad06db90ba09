"""The collection docs/bruno walks through the quickstart, request by request, by Bruno's own runner."""

import json
import shutil
import subprocess

import pytest

from conftest import FOLDER, ROOT, RUN_TIMEOUT_S
from harness.engines import SERVER_URL
from harness.orders import ORDER_SETTINGS, OrderErp
from harness.site import Site

COLLECTION = ROOT / "docs" / "bruno"
REQUESTS = sorted(path.stem for path in COLLECTION.glob("[0-9]*.bru"))
SETTINGS = ORDER_SETTINGS | {
    "HERALD_ENVIRONMENT": "test", "HERALD_TEST_NUMBERS": "+79000000000-+79000000099"}


@pytest.fixture(scope="module")
def scene(engine, tmp_path_factory):
    """A herald as the quickstart starts it, and the ERP of a shop."""
    home = tmp_path_factory.mktemp(f"bruno-{engine}")
    with Site(engine, home, server_url=SERVER_URL, settings=SETTINGS) as site, OrderErp() as erp:
        site.serve()
        yield site, erp


def run(collection, scene, report):
    """(exit status, what each request came to) of the whole collection."""
    site, erp = scene
    values = {"url": "http://{}:{}".format(*site.address), "key": site.internal_key,
              "erp_url": erp.url, "erp_token": erp.token}
    settings = [word for name, value in values.items() for word in ("--env-var", f"{name}={value}")]
    done = subprocess.run(
        [FOLDER / "bruno" / "node_modules" / ".bin" / "bru", "run", "--env", "local", *settings,
         "--reporter-json", report],
        cwd=collection, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=False)
    assert report.exists(), done.stdout + done.stderr
    return done.returncode, json.loads(report.read_text(encoding="utf-8"))[0]["results"]


def failed(results):
    """The requests of which something was not as asserted, each with what."""
    return {row["test"]["filename"].removesuffix(".bru"): [
        assertion for assertion in row["assertionResults"] if assertion["status"] != "pass"]
        for row in results
        if any(assertion["status"] != "pass" for assertion in row["assertionResults"])}


def test_every_request_is_answered_as_asserted(scene, tmp_path):
    status, results = run(COLLECTION, scene, tmp_path / "report.json")
    assert failed(results) == {}
    assert status == 0
    assert [row["test"]["filename"].removesuffix(".bru") for row in results] == REQUESTS
    assert all(row["assertionResults"] for row in results)


def test_other_answers_fail(scene, tmp_path):
    """An assertion about an earlier answer is about its value, not about its name."""
    other = tmp_path / "collection"
    shutil.copytree(COLLECTION, other)
    for name in REQUESTS[5:]:
        (other / f"{name}.bru").unlink()
    second = other / "02 Send a code to a test number.bru"
    text = second.read_text(encoding="utf-8")
    second.write_text(text.replace("otp_id: res.body.id", "otp_id: res.body.recipient"),
                      encoding="utf-8")
    status, results = run(other, scene, tmp_path / "report.json")
    assert status != 0
    assert {"03 Repeat it and get the same code", "05 Verify the code"} <= set(failed(results))


def test_a_file_is_a_request_and_numbered_as_it_runs():
    for index, name in enumerate(REQUESTS, start=1):
        text = (COLLECTION / f"{name}.bru").read_text(encoding="utf-8")
        assert f"  seq: {index}\n" in text and name == f"{index:02d} {name[3:]}"
        assert f"  name: {name[3:]}\n" in text
