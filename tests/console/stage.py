"""What the pages show when they are walked: of each kind something that went well and something that did not."""

from harness import catalog
from harness.exchange import Operator
from harness.orders import RawErp, Shop, acceptance, http_answer
from harness.packages import Desk, Sender
from harness.site import free_port
from harness.tools import eventually, fresh_number

NAUGHTY = '"><img src=x onerror=alert(1)>{{7*7}}${7*7}\u202e<script>alert(1)</script>'
REJECTION = b'{"accepted": false, "message": "' + "Вариант v-1 снят с продажи".encode() + b'"}'
FAILURES = 5  # in a row open a circuit


def make_verification(site):
    """A phone, and a code that was tried once; names as somebody hostile gives them."""
    core = site.core()
    phone = site.phone(core, 1)
    core.change_device(phone.device_id, NAUGHTY, phone.numbers).expect(200)
    core.connect_accounts(phone, f"shop {NAUGHTY}"[:120])
    phone.be_ready()
    number = fresh_number()
    code = core.create_otp(number, metadata={"note": NAUGHTY}).expect(201)
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    core.verify(code["id"], "000001").expect(422)
    call = core.create_challenge(fresh_number(), metadata={"note": NAUGHTY}).expect(201)
    core.create_challenge(fresh_number()).expect(201)
    message = core.create_message(channel="personal_messenger", account_id=f"shop {NAUGHTY}"[:120],
                                  recipient=fresh_number(), text=NAUGHTY).expect(202)
    return {"device": phone.device_id, "otp": code["id"], "number": number, "call": call["id"],
            "message": message["id"]}


def products(count, price):
    return [catalog.product(f"p-{index}", [
        catalog.variant("v-1", price + index, name="0,5 л", sku=f"ART-{index}", barcodes=[f"46000000000{index:02}"],
                        measure_unit="milliliter", measure_value=500),
        catalog.variant("v-2", 2 * price + index)],
        name=f"Молоко «Луговое» {index}", category_id="c-1",
        description=NAUGHTY if index == 1 else None, composition="Молоко нормализованное") for index in range(count)]


def make_packages(site):
    """A point whose catalog was changed by packages that were applied, failed, braked and refused."""
    operator = Operator.of(site)
    integration = operator.create_integration(name=f"Точка 7 {NAUGHTY}"[:100], max_archive_share=0.3).expect(201)
    erp = operator.new_erp(integration)
    sender = Sender(erp.address, erp.fetch_token(), erp.integration_id)
    sender.erp = erp
    categories = [catalog.category("c-1", "Молоко")]
    sender.apply("catalog-snapshot", catalog.snapshot(products(60, 90), categories))
    renamed = [row | {"name": f"{row['name']} 3,2 %"} for row in products(70, 95)[50:]]
    second = catalog.snapshot([*products(50, 90)[:2], *products(50, 90)[7:], *renamed], categories)
    sender.apply("catalog-snapshot", second)
    sender.apply("changes", catalog.changes(
        stocks=[catalog.stock_row(3, f"p-{index}") for index in (1, *range(10, 18))],
        prices=[catalog.price_row(77.5, "p-1")]))
    faulty = catalog.changes(stocks=[catalog.stock_row(1, f"gone-{index}") for index in range(9)],
                             prices=[catalog.price_row(5, "p-1", NAUGHTY[:60]), catalog.price_row(5, "p-2", "v-9")])
    sender.changes(faulty).expect(202)
    braked = catalog.snapshot(products(3, 90), categories)
    sender.snapshot(braked).expect(202)
    sender.wait_for(braked["event_id"], "failed")
    sender.wait_for(faulty["event_id"], "retry", "failed")
    sender.snapshot(catalog.snapshot([{"id": "p-1", "name": NAUGHTY, "variants": []}])).expect(422)
    desk = Desk.at(site, sender)
    assert eventually(lambda: desk.get(f"/internal/v1/integrations/{desk.integration_id}/refusals").expect(200)["refusals"])
    return {"point": integration["id"], "applied": second["event_id"], "faulty": faulty["event_id"],
            "braked": braked["event_id"], "product": "p-1"}


def make_orders(site):
    """An order that was accepted, two that were rejected, and a lane whose ERP does not answer."""
    answers = iter([http_answer(acceptance(number="УТ-000142"))])
    erp = RawErp(lambda head, body: next(answers, http_answer(REJECTION)))
    shop = Shop(site, erp)
    shop.wait_for(shop.placed(), "accepted")
    rejected = [shop.placed() for _ in range(2)]
    for order in rejected:
        shop.wait_for(order, "rejected")
    silent = Shop(site, erp, base_url=f"http://127.0.0.1:{free_port()}")
    waiting = [silent.placed() for _ in range(FAILURES)]
    for order in waiting:
        silent.wait_for_attempt(order, 1)
    return {"rejected": rejected[0], "waiting": waiting[0], "shop": shop.integration_id}
