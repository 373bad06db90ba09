"""What phones, ERPs, customers and operators write stays text, on every page that shows it (contract, section 18.1)."""

import json
import time

import pytest

from conftest import look
from harness import catalog
from harness.console import PASSWORD, Browser, add_operator, token_of
from harness.exchange import Operator
from harness.hooks import Endpoint, Receiver
from harness.orders import RawErp, Shop, acceptance, http_answer
from harness.packages import Desk, Sender
from harness.smsgate import App
from harness.tools import eventually, fresh_number

# Each would set the global `naughty`, show a dialog or ask another host, where it became markup, a
# script, a link or a template.
STRINGS = (
    "<script>naughty=1</script>",
    '"><img src=x onerror=naughty=1>',
    "'-naughty=1-'\"><svg/onload=naughty=1>",
    "javascript:naughty=1",
    "${naughty=1}{{naughty=1}}#{naughty=1}",
    '<a href="javascript:naughty=1">x</a><base href=//evil.example>',
    "</title></textarea><iframe srcdoc='<script>top.naughty=1</script>'>",
    "__proto__\u202e<math><mtext><img src=//evil.example/x>",
)


def write_as_phones_and_people(site, string, console_address):
    """Writes it wherever phones, the core system and operators may, and returns the pages that show it."""
    core = site.core()
    phone = site.phone(core, 1)
    core.change_device(phone.device_id, string, phone.numbers).expect(200)
    phone.ping(network=string, app_version=string)
    core.connect_accounts(phone, string)
    phone.be_ready()
    code = core.create_otp(fresh_number(), metadata={"note": string}).expect(201)
    task = phone.claim_task()
    phone.result(task, "failed", error=string)
    core.cancel_otp(code["id"]).expect(204)
    call = core.create_challenge(fresh_number(), metadata={"note": string}).expect(201)
    message = core.create_message(channel="personal_messenger", account_id=string,
                                  recipient=fresh_number(), text=string).expect(202)
    report = {"kind": "call", "gateway_number": phone.number, "caller": fresh_number(), "text": string,
              "occurred_at": str(int(time.time() * 1000)), "sent_at": str(int(time.time() * 1000))}
    phone.post("/device/v1/calls", report).expect(200)
    phone.message_result(phone.claim_message_task(string), "failed", error=string, permanent=True).expect(204)
    key = core.post("/internal/v1/api-keys", {"name": string, "role": "core"}).expect(201)
    person = add_operator(core, string, "viewer")
    browser = Browser(console_address)
    browser.headers["User-Agent"] = string.encode("ascii", "replace").decode()
    browser.ask("POST", "/welcome", {"link": token_of(person), "password": PASSWORD}).expect(200)
    return [f"fleet/{phone.device_id}", f"codes/{code['id']}", f"calls/{call['id']}",
            f"messages/{message['id']}", f"keys/{key['id']}", f"operators/{person['id']}"]


def write_as_an_app(site, string):
    """As its name, and as why an SMS did not leave."""
    core, number = site.core(), fresh_number()
    phone = core.register("A phone with SMSGate", [number]).expect(201)
    app = App(core.address)
    app.name = string
    assert app.register_by_code(core.pair(phone["device_id"]).expect(201)["code"], number) == 201
    app.pull()
    code = core.create_otp(fresh_number(), gateway_number=number).expect(201)
    app.report(app.pull_one()["id"], "Failed", string)
    core.cancel_otp(code["id"]).expect(204)
    return [f"codes/{code['id']}"], [f"fleet/{phone['device_id']}"]


def write_as_an_erp(site, string):
    """In packages that were applied, that failed and that were refused; and by those who connect it."""
    operator = Operator.of(site)
    integration = operator.create_integration(name=string).expect(201)
    erp = operator.new_erp(integration, name=string)
    sender = Sender(erp.address, erp.fetch_token(), erp.integration_id)
    sender.erp = erp
    applied = catalog.snapshot(
        [catalog.product("p-1", [catalog.variant("v-1", 10, name=string, sku=string, barcodes=[string])],
                         name=string, category_id="c-1", description=string, composition=string,
                         attributes=[{"attribute_id": "a-1", "value": string},
                                     {"attribute_id": "a-2", "value_id": "red"}])],
        [catalog.category("c-1", string)], attribute_definitions=[
            catalog.definition("a-1", name=string),
            catalog.definition("a-2", "enum", name=string, values=[{"id": "red", "name": string}])])
    sender.apply("catalog-snapshot", applied)
    faulty = catalog.changes(prices=[catalog.price_row(5, string, string)])
    sender.changes(faulty).expect(202)
    sender.wait_for(faulty["event_id"], "retry", "failed")
    sender.snapshot(catalog.snapshot([{"id": string, "name": string, string: string}])).expect(422)
    desk = Desk.at(site, sender)
    assert eventually(lambda: desk.get(f"/internal/v1/integrations/{desk.integration_id}/refusals").expect(200)["refusals"])
    point = integration["id"]
    return [f"points/{point}", f"packages/{point}/{applied['event_id']}", f"packages/{point}/{faulty['event_id']}",
            f"refusals/{point}", f"catalog/{point}", f"catalog/{point}/p-1", f"clients/{point}"]


def write_as_a_customer(site, string):
    """In an order that its ERP rejects with it, and in one that the ERP names with it."""
    rejection = json.dumps({"accepted": False, "message": string}).encode()
    answers = iter([acceptance(order_id=string, number=string)])
    with RawErp(lambda head, body: http_answer(next(answers, rejection))) as erp:
        shop = Shop(site, erp)
        written = {"number": string, "comment": string, "customer": {"name": string, "phone": fresh_number()},
                   "delivery": {"address": string, "scheduled_for": "2026-11-21T06:00:00.000Z"}}
        accepted = shop.placed(**written)
        shop.wait_for(accepted, "accepted")
        rejected = shop.placed(**written)
        shop.wait_for(rejected, "rejected")
        shop.close()
    return [f"orders/{accepted}", f"orders/{rejected}"]


@pytest.fixture(scope="module")
def written(site, console):
    """Each string with the pages that show it."""
    pages = []
    with Receiver() as receiver:
        for string in STRINGS:
            receiver.answer = lambda delivery, body=string.encode(): (500, {}, body)
            endpoint = Endpoint(site.core(), receiver, ("otp.*",), description=string)
            shown = write_as_phones_and_people(site, string, console[1]) + write_as_an_erp(site, string)
            shown += write_as_a_customer(site, string)
            told, others = write_as_an_app(site, string)
            shown += told
            pages += [[page, ""] for page in others]
            assert eventually(lambda: [row for row in endpoint.deliveries() if row["status"]])
            pages += [[page, string] for page in [*shown, f"webhooks/{endpoint.record['id']}"]]
    return pages


def test_nothing_that_was_written_comes_alive(site, console, written):
    lists = ("overview", "fleet", "codes", "calls", "messages", "funnel", "funnel?by=number", "points", "packages",
             "orders", "catalog", "clients", "webhooks", "keys", "operators", "audit", "audit?store=exchange", "log",
             "channels", "search?q=naughty")
    person = add_operator(site.core(), "Тот, кто смотрит")
    faults = look("naughty.mjs", console, person, timeout=400, pages=[*written, *([page, ""] for page in lists)])
    assert faults == [], faults
