"""What others say is free text: numbers in it are masked however they are written, and secrets are
never written (contract, sections 9.9 and 9.16)."""

import json

import pytest

from harness.catalog import snapshot
from harness.exchange import Operator
from harness.packages import SNAPSHOT, Sender
from harness.tools import fresh_number

from test_redaction import digits_of
from test_secrets import find_keys

# What stands between the digits of a number.
DRESSES = ["\t", "     ", "\u00b7", "\ufe0f\u20e3", ",", " : ", "*", "|", "\\", ";", "~", "'", "&", "][",
           "}{", "><", "\u0301", "\u2800", "\u3164", "\u200b", "\u00ad", "+", "\U0001f4de"]


def dressed(number):
    """Its digits with each of them between; and in groups as an address has."""
    yield from (between.join(number[1:]) for between in DRESSES)
    yield f"{number[1:3]}.{number[3:6]}.{number[6:9]}.{number[9:]}"
    yield f"8.{number[2:5]}.{number[5:8]}.{number[8:]}"


def number_is_in(number, text):
    return number[2:] in digits_of(text)


def test_numbers_are_masked_however_they_are_dressed(fresh_site):
    process = fresh_site.serve({"HERALD_LOG_LEVEL": "debug"})
    core, operator, number = fresh_site.core(), Operator.of(fresh_site), fresh_number()
    with fresh_site.log_reader(last_event_id=0) as reader:
        for text in dressed(number):
            core.register(f"of {text}!", [fresh_number()]).expect(201)
            operator.create_integration(name=f"of {text}!").expect(201)
        for sign in ("*", "|", "~", "'", "&", "{}", "<>", ":", ";", "\\", ","):
            core.post("/internal/v1/devices", {"name": "x", "numbers": [fresh_number()]}, headers={
                "X-Request-Id": f"call-{sign.join(number[1:])}"}).expect(201)
        reader.wait_until_quiet()
        names = [entry["fields"].get("name", "") for entry in reader.entries]
        ids = [entry["fields"].get("request_id", "") for entry in reader.entries]
    mask = f"+{number[1:5]}***{number[8:]} #"
    assert sum(mask in name for name in names) == 2 * len(list(dressed(number)))
    assert sum(mask in text for text in ids) == 11
    assert [text for text in [*names, *ids] if number_is_in(number, text)] == []
    fresh_site.stop()
    stored = fresh_site.ask("SELECT fields FROM log_entry")
    assert sum(mask in text for line in stored.split("\n") for text in texts_of(line)) > 11
    for line in [*stored.split("\n"), *process.output.decode().split("\n")]:
        assert not any(number_is_in(number, text) for text in texts_of(line))


def texts_of(line):
    """The texts of an entry's fields; of what is no JSON, none."""
    try:
        fields = json.loads(line)
    except ValueError:
        return []
    return [text for text in fields.values() if isinstance(text, str)]


def test_addresses_of_erps_and_their_event_ids_are_free_text(fresh_site):
    fresh_site.serve()
    operator, number = Operator.of(fresh_site), fresh_number()
    sender = Sender.of(fresh_site)
    with fresh_site.log_reader(last_event_id=0) as reader:
        operator.change_integration(sender.integration_id, erp={
            "order_path": f"/orders/of/{number[1:]}"}).expect(200)
        operator.change_integration(sender.integration_id, erp={
            "base_url": f"https://{number[1:]}.example", "token": "another-token-of-it"}).expect(200)
        operator.change_integration(sender.integration_id, erp={
            "base_url": "https://203.0.113.250:8443", "token": "one-more-token-of-it"}).expect(200)
        for event_id in (f"catalog:{number[1:]}", "catalog:2026-11-22T01:00:00.123+03:00"):
            sender.apply(SNAPSHOT, snapshot(event_id=event_id))
        reader.wait_until_quiet()
        shown = reader.text
    assert not number_is_in(number, "".join(
        str(entry["fields"].get(name, "")) for entry in reader.entries
        for name in ("base_url", "order_path", "event_id")))
    assert "https://203.0.113.250:8443" in shown  # an address is one, where an address stands
    assert "catalog:2026-11-22T01:00:00.123+03:00" in shown
    assert f"/orders/of/+{number[1:5]}***{number[8:]} #" in shown


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
