"""docs/erp/README.md: its examples are what herald takes and answers (doc B, section 4)."""

import json
import re

from harness import catalog
from harness.exchange import Operator
from harness.packages import CHANGES, SNAPSHOT, expect_acceptance
from harness.site import PROJECT

PAGE = (PROJECT / "docs" / "erp" / "README.md").read_text(encoding="utf-8")
TOKEN, PACKAGE, FAULTS = map(json.loads, re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))


def test_token_answer_has_what_the_page_shows(site):
    answer = Operator.of(site).new_erp().ask_token().expect(200)
    assert answer.keys() == TOKEN.keys()
    assert {**answer, "access_token": TOKEN["access_token"]} == TOKEN


def test_package_of_the_page_is_taken_and_applied(sender):
    pair = PACKAGE["prices"][0]
    product = catalog.product(pair["product_id"], [catalog.variant(pair["variant_id"])])
    sender.apply(SNAPSHOT, catalog.snapshot([product]))
    reply = sender.changes(PACKAGE)
    expect_acceptance(reply, PACKAGE["event_id"], "accepted")
    sender.wait_for(PACKAGE["event_id"], "applied")


def test_fault_is_told_as_the_page_shows(sender):
    row = {name: value for name, value in PACKAGE["prices"][0].items() if name != "price"}
    reply = sender.send(CHANGES, PACKAGE | {"event_id": "changes:node-1:184468", "prices": [row]})
    assert reply.expect(422) == FAULTS
