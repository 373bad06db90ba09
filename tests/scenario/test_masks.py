"""Ids that others choose stand whole in the log, and secrets in them are never written (contract,
section 2, rule 15)."""

import pytest

from harness.catalog import snapshot
from harness.exchange import Operator
from harness.packages import SNAPSHOT, Sender
from harness.tools import fresh_number

from test_secrets import find_keys


def test_addresses_of_erps_and_event_ids_stand_whole(fresh_site):
    fresh_site.serve()
    operator, number = Operator.of(fresh_site), fresh_number()
    sender = Sender.of(fresh_site)
    path, url = f"/orders/of/{number[1:]}", "https://203.0.113.250:8443"
    ids = [f"catalog:{number[1:]}", "catalog:2026-11-22T01:00:00.123+03:00", number[1:]]
    with fresh_site.log_reader(last_event_id=0) as reader:
        operator.change_integration(sender.integration_id, erp={"order_path": path}).expect(200)
        operator.change_integration(sender.integration_id, erp={
            "base_url": url, "token": "one-more-token-of-it"}).expect(200)
        for event_id in ids:
            sender.apply(SNAPSHOT, snapshot(event_id=event_id))
        reader.wait_until_quiet()
        shown = {entry["fields"].get(name) for entry in reader.entries
                 for name in ("base_url", "order_path", "event_id")}
    assert {path, url, *ids[:2]} <= shown
    assert ids[2] not in shown  # all of it reads as a number
    assert any(text and text.startswith(f"+{number[1:5]}***{number[8:]} #") for text in shown)


@pytest.mark.parametrize("is_sensitive", ["true", "false"])
def test_secrets_sent_by_mistake_are_in_no_log(fresh_site, is_sensitive):
    """As a request id, as names, in a query and in what a phone says."""
    fresh_site.serve({"LOG_SENSITIVE": is_sensitive, "HERALD_LOG_LEVEL": "debug"})
    core, operator = fresh_site.core(), Operator.of(fresh_site)
    phone = fresh_site.phone(core)
    phone.be_ready()
    integration = operator.create_integration().expect(201)
    erp = operator.new_erp(integration)
    token = erp.fetch_token()
    unused = core.register("never used", [fresh_number()]).expect(201)["device_key"]
    with fresh_site.log_reader() as reader:
        for secret in (erp.client_secret, unused, token, fresh_site.internal_key):
            core.post("/internal/v1/devices", {
                "name": f"of {secret}"[:100], "numbers": [fresh_number()],
            }, headers={"X-Request-Id": secret[:128]}).expect(201)
            operator.create_integration(name=secret[:100]).expect(201)
            operator.get(f"/internal/v1/devices?key={secret}")
            core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
            phone.result(phone.claim_task(), "failed", error=f"bad {secret}", permanent=True)
        reader.wait_until_quiet()
        free = [text for entry in reader.entries for name, text in entry["fields"].items()
                if name != "key" and isinstance(text, str)]
    parts = [erp.client_secret, unused, fresh_site.internal_key, token.split(".")[0]]
    assert sum("***" in text for text in free) >= 8
    assert find_keys("\n".join(free).encode(), parts) == []
    fresh_site.stop()
    assert find_keys(fresh_site.processes[-1].output, parts) == []
    if is_sensitive == "false":
        fields = fresh_site.ask("SELECT fields FROM log_entry").encode()
        assert find_keys(fields, parts) == []
