"""Behind a pooler in transaction mode, where no two transactions need share a session.

Herald prepares its statements where its sessions are its own; here it may not.
"""

import pytest

from harness import catalog
from harness.actors import read_code
from harness.catalog_model import Exchange
from harness.engines import SERVER_URL
from harness.orders import ORDER_SETTINGS, Shop
from harness.packages import Sender
from harness.pooler import OPTIONS, SESSIONS, Pooler
from harness.site import Site
from harness.tools import at_once, fresh_number

pytestmark = pytest.mark.only("postgres")

AT_ONCE = 3 * SESSIONS
CODES = 5


@pytest.fixture(scope="module", params=["", OPTIONS], ids=["refuses", "forgets"])
def site(engine, request, tmp_path_factory):
    """A herald whose pooler refuses the options of a connection, or forgets them."""
    home = tmp_path_factory.mktemp(engine)
    with Site(engine, home, server_url=SERVER_URL, settings=ORDER_SETTINGS) as made:
        made.database.make()
        pooler = made.beside.enter_context(Pooler(made.database.url, home, request.param))
        made.settings["HERALD_DATABASE_URL"] = pooler.url
        made.serve()
        yield made
        made.stop()
        # It found out at its start, and not by a statement that failed.
        assert b"PostgreSQL could not run" not in made.processes[-1].output


def test_codes(core, new_phone):
    phones = [new_phone() for _ in range(AT_ONCE)]
    for phone in phones:
        phone.be_ready()
    recipients = [fresh_number() for _ in range(AT_ONCE * CODES)]
    codes = {}

    def create(index):
        mine = recipients[index::AT_ONCE]
        return [(number, core.create_otp(number).expect(201)["id"]) for number in mine]

    def send(index):
        while task := phones[index].claim().expect(200)["task"]:
            codes[task["recipient"]] = read_code(task)
            phones[index].result(task, "sent").expect(204)

    created = at_once(AT_ONCE, create)
    at_once(AT_ONCE, send)
    assert codes.keys() == set(recipients)
    at_once(AT_ONCE, lambda index: [
        core.verify(otp_id, codes[number]).expect(200) for number, otp_id in created[index]
    ])


def test_a_catalog(site):
    exchange = Exchange(site, Sender.of(site))
    exchange.put(catalog.snapshot(catalog.numbered_products(2000)))
    exchange.put(catalog.changes(prices=[catalog.price_row(7, "p-1", "v")]))
    exchange.expect()


def test_orders(site, erp):
    shop = Shop(site, erp)
    for order_id in at_once(AT_ONCE, lambda _: shop.placed()):
        shop.wait_for(order_id, "accepted")
    shop.close()
