"""A shop owner who never used a terminal: pairs a phone, sends a code, finds out why another did not arrive,
sees whose catalog is old, retries an order, and finds which phone is silent and what to do; all of it on the pages.

HERALD_CONSOLE_PICTURES  a folder for the pictures of docs/console.md, which are made on the way
"""

import os
import re
import sqlite3
import subprocess

import pytest

from conftest import look
from harness import catalog
from harness.console import console_settings
from harness.exchange import Operator
from harness.orders import ORDER_SETTINGS, RawErp, Shop, acceptance, http_answer
from harness.packages import Sender
from harness.site import BINARY, Site
from harness.tools import fresh_number

PICTURES = os.environ.get("HERALD_CONSOLE_PICTURES", "")
REJECTION = '{"accepted": false, "message": "Variant v-1 is not sold any more"}'.encode()
SILENT_S = "10"
FIVE_DAYS_MS = 5 * 24 * 3600 * 1000


def send_catalog(site, name):
    operator = Operator.of(site)
    integration = operator.create_integration(name=name).expect(201)
    erp = operator.new_erp(integration)
    sender = Sender(erp.address, erp.fetch_token(), erp.integration_id)
    sender.apply("catalog-snapshot", catalog.snapshot(
        [catalog.product("p-1", [catalog.variant("v-1", 90)], name="Milk")]))


def order_that_is_rejected_once(site, answers):
    erp = site.beside.enter_context(RawErp(lambda head, body: http_answer(next(answers))))
    shop = Shop(site, erp)
    shop.operator.change_integration(shop.integration_id, name="Shop in Lesnaya").expect(200)
    order = shop.placed()
    shop.wait_for(order, "rejected")
    return order


@pytest.fixture
def shops(tmp_path):
    """A herald with three points, of which one had its last catalog five days ago."""
    settings, address = console_settings()
    settings = {**settings, **ORDER_SETTINGS, "HERALD_SIM_SILENT_SECONDS": SILENT_S}
    with Site("sqlite", tmp_path, settings=settings) as site:
        site.serve()
        send_catalog(site, "Shop at the station")
        site.stop()
        with sqlite3.connect(site.state / "herald-exchange.db") as store:
            store.execute(f"UPDATE catalog SET snapshot_at = snapshot_at - {FIVE_DAYS_MS}")
        site.processes.clear()
        site.serve()
        send_catalog(site, "Shop at the market")
        order = order_that_is_rejected_once(site, iter([REJECTION, acceptance(number="SO-1042")]))
        yield site, (settings, address), order


def invite(site, name):
    """As docs/console.md begins: somebody runs the command, and the link that it prints is opened as it is."""
    settings = site.environment({"HERALD_LISTEN": f"{site.address[0]}:{site.address[1]}"})
    said = subprocess.run([BINARY, "admin", "operators", "create", name, "--role", "admin"], cwd=site.home, env=settings,
                          capture_output=True, text=True, timeout=60, check=True).stdout
    link, = re.findall(r"http\S+/console/#/welcome/\S+", said)
    return {"link": link}


def test_an_owner_needs_no_terminal(shops):
    site, console, order = shops
    core, other = site.core(), fresh_number()
    key = core.register("Office", [other]).expect(201)["device_key"]  # which is switched on only later
    person = invite(site, "Vera")
    faults = look("owner.mjs", console, person, timeout=500, other={"number": other, "key": key}, order=order, old="Shop at the station",
                  api=f"http://{site.address[0]}:{site.address[1]}", number=fresh_number(),
                  customers=[fresh_number(), fresh_number()], printed=person["link"], pictures=PICTURES)
    assert faults == [], faults
