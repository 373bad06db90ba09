"""The part of the walk that shows how an order becomes a document of the ERP."""

import json
import uuid
from datetime import datetime, timezone
from decimal import Decimal

from walk_exchange import ERP_TOKEN, POINT_ID
from walk_stage import Simulation, WalkFailed, wait_for

# An ERP on this machine, without TLS.
ERP_SETTINGS = {"HERALD_ERP_ALLOW_HTTP": "true", "HERALD_ERP_NETWORKS": "loopback"}
QUANTITY = 2


class Erp(Simulation):
    """The order endpoint of the simulated ERP, and the documents that it made."""

    def __init__(self, program, programs):
        super().__init__("erp", [program, "serve", "--token", ERP_TOKEN], programs)

    def documents_of(self, order_id):
        return self.ask("GET", f"documents?order={order_id}")["documents"]


def find_goods(exchange):
    """A product that is for sale, and a variant of it."""
    path = f"/internal/v1/integrations/{exchange.integration_id}/products?limit=50"
    for product in exchange.herald.must(200, "GET", path)["products"]:
        whole = exchange.herald.must(200, "GET", exchange.product_path(product["id"]))
        for variant in whole["variants"]:
            if Decimal(str(variant["price"])) > 0:
                return whole, variant
    raise WalkFailed("there is nothing to order in the catalog")


def make_order(product, variant):
    price = Decimal(str(variant["price"]))
    line_total = format(price * QUANTITY, "f")
    return {
        "id": str(uuid.uuid4()),
        "number": "W-1001",
        "created_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "point_id": POINT_ID,
        "type": "delivery",
        "status": "confirmed",
        "payment_method": "card_online",
        "payment_status": "paid",
        "currency": "RUB",
        "subtotal": line_total,
        "delivery_fee": "0",
        "total": line_total,
        "customer": {"name": "Customer of the walk", "phone": "+79990000003"},
        "delivery": {"address": "Main Street 1", "scheduled_for": None},
        "comment": "",
        "items": [{
            "product_id": product["id"],
            "variant_id": variant["id"],
            "name": product["name"],
            "quantity": str(QUANTITY),
            "unit_price": format(price, "f"),
            "line_total": line_total,
            "modifiers": [],
        }],
    }


def place_order(exchange, order):
    path = "/internal/v1/orders"
    body = {"integration_id": exchange.integration_id, "order": order}
    short = json.dumps({key: order[key] for key in ("number", "type", "total")})
    exchange.voice.request(
        "POST", path, f'{{"integration_id": ..., "order": {short[:-1]}, ...}}}}')
    placed = exchange.herald.must(202, "POST", path, body, f"walk-{uuid.uuid4()}")
    exchange.voice.answer(f"202 {placed['state']}: it is on the disk, and will reach the ERP")


def wait_for_order(exchange, programs, order_id, what, is_wanted):
    def look():
        found = exchange.herald.must(200, "GET", f"/internal/v1/orders/{order_id}")
        return found if is_wanted(found) else None

    return wait_for(what, look, programs)


def show_trouble(exchange, programs, order_id):
    order = wait_for_order(exchange, programs, order_id, "waiting for the first attempt",
                           lambda order: order["attempts"] > 0 and order["last_error"])
    exchange.herald.tell("GET", f"/internal/v1/orders/{order_id}")
    attempts = "1 attempt" if order["attempts"] == 1 else f"{order['attempts']} attempts"
    exchange.voice.answer(f"200 {order['state']} after {attempts}: {order['last_error']}",
                          is_refusal=True)


def show_document(exchange, programs, erp, order_id):
    order = wait_for_order(exchange, programs, order_id, "waiting for the ERP's document",
                           lambda order: order["state"] == "accepted")
    exchange.admin("orders", "show", order_id)
    exchange.voice.answer(
        f"{order['state']} at attempt {order['attempts']}; "
        f"it is document {order['erp_number']} of the ERP")
    documents = erp.documents_of(order_id)
    if [one["order_id"] for one in documents] != [order["erp_order_id"]]:
        raise WalkFailed(f"The ERP has other documents than {order['erp_order_id']}: {documents}")
    exchange.voice.line("   The ERP has exactly one document of this order.")


def show_orders(exchange, programs, erp):
    exchange.voice.step(
        "order",
        "A customer orders, while the ERP is down",
        "The order waits in herald, and is tried again: same bytes, same key.",
    )
    order = make_order(*find_goods(exchange))
    erp.ask("POST", "down", {})
    place_order(exchange, order)
    show_trouble(exchange, programs, order["id"])
    erp.ask("POST", "up", {})
    exchange.voice.line("   The ERP is up again.")
    show_document(exchange, programs, erp, order["id"])
