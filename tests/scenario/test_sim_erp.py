"""The simulated ERP (build/sim/erp) against herald: a day of a sales point, whole and disturbed.

Its bodies and its queue are held against doc B in tests/sim; here both sides meet.
"""

import os
import sys
from decimal import Decimal

import pytest

from harness.exchange import Operator
from harness.packages import Desk, exact
from harness.site import BINARY, PROJECT, free_port
from harness.tools import eventually

# The programs of one build belong together.
os.environ.setdefault("HERALD_SIM_ERP", str(BINARY.parent / "sim" / "erp"))
sys.path.append(str(PROJECT / "tests" / "sim"))

import erp_client  # noqa: E402 (its folder is known from here on)
import erp_rules  # noqa: E402

PAGE_MAX = 200


class SimulatedErp(erp_client.Push):
    """A sending ERP, with a client of an integration of its own."""

    def __init__(self, site, folder):
        self.client = Operator.of(site).new_erp()
        self.desk = Desk(site.address, site.internal_key, self.client.integration_id)
        self.address = site.address
        super().__init__(None, folder)

    def link(self):
        host, port = self.address
        return {"base-url": f"http://{host}:{port}", "integration-id": self.client.integration_id,
                "client-id": self.client.client_id, "client-secret": self.client.client_secret}

    def push(self, what, *arguments, **changes):
        """What was reported of it; nothing may have gone wrong."""
        before = len(self.report())
        done = self.run(f"push {what}", *arguments, **changes)
        assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
        return self.report()[before:]

    def result_of(self, rows):
        """What the package did, as its status record says."""
        [applied] = [row for row in rows if row.get("outcome") == "applied"]
        return self.desk.package(applied["event_id"]).expect(200)["result"]

    def products(self):
        """All that herald has, archived ones too, by id."""
        found, cursor = {}, {}
        while True:
            page = self.desk.products(limit=PAGE_MAX, **cursor).expect(200)
            found |= {product["id"]: product for product in page["products"]}
            if not page["next_cursor"]:
                return found
            cursor = {"cursor": page["next_cursor"]}


@pytest.fixture
def erp(site, tmp_path):
    return SimulatedErp(site, tmp_path)


def counts(**changes):
    return {"added": 0, "changed": 0, "unchanged": 0, "archived": 0} | changes


def made(*arguments):
    """The products of a printed snapshot, by id."""
    body = erp_rules.read(erp_client.snapshot(*arguments))
    return {product["id"]: product for product in body["products"]}


def expect_catalog(erp, wanted):
    """herald has these products and no other live ones; each variant at its price."""
    live = {id_ for id_, product in erp.products().items() if not product["archived"]}
    assert live == wanted.keys()
    for id_, product in list(wanted.items())[::7]:
        record = exact(erp.desk.product(id_))
        assert record["name"] == product["name"]
        prices = {variant["id"]: Decimal(variant["price"]) for variant in record["variants"]}
        assert prices == {variant["id"]: Decimal(variant["price"])
                          for variant in product["variants"]}


def test_a_day_of_a_sales_point(erp):
    catalog = ("--seed", 3, "--products", 400)
    morning = made(*catalog)
    result = erp.result_of(erp.push("snapshot", *catalog))
    assert result["products"] == counts(added=400)
    expect_catalog(erp, morning)

    result = erp.result_of(erp.push("snapshot", *catalog))
    assert result["products"] == counts(unchanged=400)

    rows = erp.push("changes", *catalog, "--rows", 300, "--packages", 4)
    assert [row["outcome"] for row in rows if row["what"] == "post"] == ["accepted"] * 4
    assert len([row for row in rows if row.get("outcome") == "applied"]) == 4

    another_day = (*catalog, "--change-seed", 5, "--change-share", 0.2)
    evening = made(*another_day)
    result = erp.result_of(erp.push("snapshot", *another_day))
    assert result["products"]["added"] == len(evening.keys() - morning.keys()) > 0
    assert result["products"]["archived"] == len(morning.keys() - evening.keys()) > 0
    expect_catalog(erp, evening)

    erp.push("snapshot", *catalog)
    expect_catalog(erp, morning)


def test_a_price_of_every_form_is_kept(erp):
    catalog = ("--seed", 4, "--products", 600)
    forms = {"1.5e2", "1E+2", "0", "123456789012345.123456", "0.000001", "99.000000", "-0"}
    text = erp_client.snapshot(*catalog).decode()
    assert all(f'"price":{form},' in text for form in forms)
    erp.push("snapshot", *catalog)
    odd = [product for product in made(*catalog).values()
           if Decimal(product["variants"][0]["price"]) in {Decimal(form) for form in forms}]
    assert len(odd) > 5
    for product in odd:
        record = exact(erp.desk.product(product["id"]))
        prices = [Decimal(variant["price"]) for variant in record["variants"]]
        assert prices == [Decimal(variant["price"]) for variant in product["variants"]]


def faults_of(*types):
    told = erp_client.erp("--help").stdout.decode().split("Faults, and")[1]
    rows = [line.split()[:2] for line in told.split("Exit status")[0].splitlines()[1:]]
    return [row[0] for row in rows if len(row) == 2 and row[1] in types]


@pytest.mark.parametrize("what", ["snapshot", "changes"])
def test_no_fault_gets_through(erp, what):
    erp.push("snapshot")
    before = erp.products()
    for fault in faults_of(what, "both"):
        if fault == "unknown-pair":
            continue
        done = erp.run(f"push {what}", "--fault", fault)
        assert done.returncode == 1, fault
        status = erp.report("post")[-1]["http_status"]
        assert status == (413 if fault == "too-large" else 422), fault
        assert fault == "too-large" or erp.report("stop")[-1]["detail"].startswith('{"detail":[')
    assert erp.products() == before
    assert len(erp.desk.packages(limit=PAGE_MAX).expect(200)["events"]) == 1


def test_an_unknown_pair_is_retried(erp):
    erp.push("snapshot")
    assert erp.run("push changes", "--fault", "unknown-pair", give_up_s=1).returncode == 3
    assert [row["outcome"] for row in erp.report("state")][-1] == "retry"


def test_fifty_connections_send_one_package(erp):
    erp.push("snapshot")
    rows = erp.push("changes", "--repeat", 50, "--connections", 50)
    outcomes = [row["outcome"] for row in rows if row["what"] == "post"]
    assert (outcomes.count("accepted"), outcomes.count("duplicate")) == (1, 49)


def test_many_packages_over_many_connections_in_any_order(erp):
    erp.push("snapshot")
    rows = erp.push("changes", "--packages", 60, "--connections", 8, "--reorder", 9, "--repeat", 2)
    assert len([row for row in rows if row.get("outcome") == "applied"]) == 60


def test_bodies_that_break_off_come_again(erp):
    rows = erp.push("snapshot", "--products", 2000, "--break", 2, "--break-percent", 90)
    assert [row["http_status"] for row in rows if row["what"] == "post"] == [0, 0, 202]
    assert erp.result_of(rows)["products"] == counts(added=2000)


def test_a_wrong_key_is_refused(erp):
    assert erp.run("push changes", "--wrong-key").returncode == 1
    assert "Idempotency-Key" in erp.report("stop")[0]["detail"]


def test_a_killed_herald_loses_no_package(fresh_site, tmp_path):
    fresh_site.port = free_port()
    fresh_site.serve()
    erp = SimulatedErp(fresh_site, tmp_path)
    process = erp.start("run", "--products", 300, "--every-s", 1, hurry=20)

    def delivered():
        return [row for row in erp.report("post") if row["http_status"] == 202]

    for round_ in range(1, 4):
        assert eventually(lambda: len(delivered()) > round_, 20)
        fresh_site.processes[-1].kill()
        fresh_site.serve()
    assert eventually(lambda: len(delivered()) > 4, 20)
    process.terminate()
    assert process.wait(20) == 0
    assert erp.run("push queue").returncode == 0
    sent = {row["event_id"] for row in delivered()}
    known = erp.desk.packages(limit=PAGE_MAX).expect(200)["events"]
    assert {row["event_id"] for row in known} == sent
    assert {row["status"] for row in known} == {"applied"}
