"""What the pages of the service show: an ERP's client, a key, an endpoint of webhooks that failed
once, and a test number. Names are as somebody hostile gives them."""

from harness.console import add_operator
from harness.exchange import Operator
from harness.hooks import WEBHOOK_SETTINGS, Endpoint
from harness.tools import eventually, fresh_number

SERVICE_SETTINGS = {**WEBHOOK_SETTINGS, "HERALD_TEST_NUMBERS": "+79990000000-+79990000099"}


def make_service(site, receiver, naughty):
    core = site.core()
    exchange = Operator.of(site)
    point = exchange.create_integration(name=f"Точка {naughty}"[:100]).expect(201)
    erp = exchange.new_erp(point, name=f"1C {naughty}"[:100])
    erp.fetch_token()
    key = core.post("/internal/v1/api-keys", {"name": f"Shop {naughty}"[:100], "role": "core",
                                              "requests_per_minute": 600}).expect(201)
    colleague = add_operator(core, f"Colleague {naughty}"[:90], "support")
    receiver.answer = lambda delivery: (500, {}, naughty.encode())
    endpoint = Endpoint(core, receiver, ("otp.*",), description=naughty)
    code = core.create_otp(fresh_number()).expect(201)
    core.cancel_otp(code["id"]).expect(204)
    assert eventually(lambda: [row for row in endpoint.deliveries() if row["status"]])
    return {"client_point": point["id"], "key": key["id"], "endpoint": endpoint.record["id"],
            "colleague": colleague["id"]}
