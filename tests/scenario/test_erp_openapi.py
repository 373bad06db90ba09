"""The OpenAPI document about packages: whole, and true of what goes over the wire."""

import json
import os
import subprocess

import pytest

from harness import catalog
from harness.exchange import Bearer, Operator, fresh_source
from harness.http import Client, RawConnection
from harness.packages import CHANGES, SNAPSHOT, Sender, package_path
from harness.schema import Document
from harness.site import BINARY

SIM_ERP = os.environ.get("HERALD_SIM_ERP", BINARY.parent / "sim" / "erp")
ERP = "/api/v1/integrations/erp/{integration_id}"
OPERATOR = "/internal/v1/integrations/{id}"
OPERATIONS = {
    ("POST", f"{ERP}/catalog-snapshot"): {"202", "401", "403", "413", "415", "422", "429", "503"},
    ("POST", f"{ERP}/changes"): {"202", "401", "403", "413", "415", "422", "429", "503"},
    ("GET", f"{ERP}/events/{{event_id}}"): {"200", "401", "403", "404", "429", "503"},
    ("GET", f"{OPERATOR}/events"): {"200", "401", "404", "422", "503"},
    ("GET", f"{OPERATOR}/events/{{event_id}}"): {"200", "401", "404", "503"},
    ("GET", f"{OPERATOR}/events/{{event_id}}/body"): {"200", "401", "404", "503"},
    ("POST", f"{OPERATOR}/events/{{event_id}}/retry"): {"204", "401", "404", "503"},
    ("POST", f"{OPERATOR}/events/{{event_id}}/release"): {"204", "401", "404", "503"},
    ("GET", f"{OPERATOR}/categories"): {"200", "401", "404", "422", "503"},
    ("GET", f"{OPERATOR}/products"): {"200", "401", "404", "422", "503"},
    ("GET", f"{OPERATOR}/products/{{product_id}}"): {"200", "401", "404", "503"},
    ("GET", f"{OPERATOR}/attribute-definitions"): {"200", "401", "404", "422", "503"},
}


@pytest.fixture(scope="module")
def document(site):
    return Document(Client(site.address).get("/openapi.json").expect(200))


@pytest.mark.parametrize("method, path", OPERATIONS, ids=str)
def test_operation_is_told_of(document, method, path):
    found = {(row[0], row[1]): row[2] for row in document.operations()}[method, path]
    assert found["summary"] and found["description"] and found["tags"]
    missing = OPERATIONS[method, path] - set(found["responses"])
    assert not missing, f"{missing} is not told of"
    assert found["security"], "who may call it is not told"


def test_scopes_are_told(document):
    for kind, scope in ((SNAPSHOT, "erp.catalog.write"), (CHANGES, "erp.changes.write")):
        operation = document.find("POST", package_path("x", kind))
        assert [list(row.values()) for row in operation["security"]] == [[[scope]]]


def test_key_of_a_package_is_required(document):
    for kind in (SNAPSHOT, CHANGES):
        rows = document.find("POST", package_path("x", kind))["parameters"]
        header, = [row for row in map(document.resolve, rows)
                   if row["name"].lower() == "idempotency-key"]
        assert header["required"] is True and header["in"] == "header"


def live_a_little(site, sender, desk):
    """Packages of every fate, with the usual refusals and all that can be read of them."""
    sender.apply(SNAPSHOT, package := catalog.full_snapshot())
    sender.snapshot(package)
    sender.apply(CHANGES, catalog.changes([catalog.stock_row(1, "full", "full-1")],
                                          [catalog.price_row(5.5, "plain", "plain-v")]))
    sender.changes(unknown := catalog.changes([catalog.stock_row(1, "nobody")]))
    sender.wait_for(unknown["event_id"], "retry")
    sender.snapshot({"event_id": "x"}, key="x")
    sender.snapshot(b"{", key="x")
    sender.snapshot(b"[]", key="x")
    sender.changes(catalog.changes(), key="other")
    sender.changes(catalog.changes(), headers={"Content-Type": "text/plain"})
    sender.event("unknown")
    stranger = Sender(sender.address, "nonsense", sender.integration_id, fresh_source())
    stranger.snapshot(package)
    stranger.event("unknown")
    for query in ({}, {"limit": 1}, {"status": "retry"}, {"limit": 0}, {"status": "?"}):
        desk.packages(**query)
    for event_id in (package["event_id"], unknown["event_id"], "unknown"):
        for ask in (desk.package, desk.body, desk.retry, desk.release):
            ask(event_id)
    for ask in (desk.products, desk.categories, desk.definitions):
        ask()
        ask(limit=1)
        ask(limit=0)
    for product_id in ("full", "plain", "unknown"):
        desk.product(product_id)


def test_answers_are_what_the_document_says(site, sender, desk, document, exchanges):
    live_a_little(site, sender, desk)
    assert len(exchanges) > 40
    assert document.exchange_faults(exchanges) == []


def schema_of(document, kind):
    body = document.resolve(document.find("POST", package_path("x", kind))["requestBody"])
    return body["content"]["application/json"]["schema"]


def test_packages_that_are_taken_fit_the_document(sender, document):
    packages = [(SNAPSHOT, catalog.full_snapshot()), (SNAPSHOT, catalog.snapshot([])),
                (CHANGES, catalog.changes(None, [catalog.price_row(0, "full", "full-1")])),
                (CHANGES, catalog.changes([catalog.stock_row(-1, "full", "full-1")])),
                (SNAPSHOT, catalog.full_snapshot(x_unknown={"any": [1]}))]
    for kind, package in packages:
        sender.send(kind, package).expect(202)
        assert document.faults(package, schema_of(document, kind)) == []


def made_by_an_erp(*arguments):
    """A body as a real ERP sends it, its empty fields and all."""
    done = subprocess.run([SIM_ERP, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60, check=True)
    return json.loads(done.stdout)


def test_packages_of_an_erp_fit_the_document(sender, document):
    snapshot = made_by_an_erp("snapshot", "--products", "50")
    assert None in snapshot["attribute_definitions"][0].values(), "the test shows nothing"
    taxes = [product["tax"] for product in snapshot["products"] if product["tax"]]
    for tax in taxes:  # the document has strings alone; numbers are read all the same
        tax["vat_rate"] = str(tax["vat_rate"])
    for kind, package in ((SNAPSHOT, snapshot),
                          (CHANGES, made_by_an_erp("changes", "--products", "50"))):
        assert document.faults(package, schema_of(document, kind)) == []
        sender.apply(kind, package)


def paths_of(value, path=()):
    """Where each field of a package stands."""
    rows = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in rows:
        if isinstance(value, dict):
            yield path + (key,)
        if isinstance(member, (dict, list)):
            yield from paths_of(member, path + (key,))


def is_null_refused(reply, path):
    """Whether null is the fault, and not what follows from it."""
    faults = reply.json["detail"] if reply.status == 422 else []
    kinds = {row["type"] for row in faults if row["loc"] == ["body", *path]}
    return any(kind == "enum" or kind.endswith("_type") for kind in kinds)


def test_null_fits_the_document_where_it_is_taken(sender, document):
    """Each field of a snapshot but the event's id, which is its key as well."""
    schema, fits = schema_of(document, SNAPSHOT), []
    for path in paths_of(catalog.without(catalog.full_snapshot(), "event_id")):
        package = catalog.put(catalog.full_snapshot(), path, None)
        reply = sender.snapshot(package)
        fits.append(not document.faults(package, schema))
        assert fits[-1] != is_null_refused(reply, path), f"{path}, fits: {fits[-1]}, {reply}"
    assert fits.count(True) > 40 and fits.count(False) > 40


@pytest.mark.parametrize("rate, is_taken", [
    ("20", True), ("22", True), ("122/22", True), ("none", True), ("120/20", True), (18, False),
    ("18", False), (True, False), (None, False)], ids=repr)
def test_vat_rate_fits_the_document_where_it_is_taken(sender, document, rate, is_taken):
    package = catalog.put(catalog.full_snapshot(), ("products", 0, "tax", "vat_rate"), rate)
    assert (sender.snapshot(package).status == 202) == is_taken
    assert (not document.faults(package, schema_of(document, SNAPSHOT))) == is_taken


def test_vat_rate_is_a_word_in_the_document_though_numbers_are_read(sender, document):
    package = catalog.put(catalog.full_snapshot(), ("products", 0, "tax", "vat_rate"), 22)
    assert sender.snapshot(package).status == 202
    assert document.faults(package, schema_of(document, SNAPSHOT))


def refused_for_its_scope(site, sender):
    erp = Operator.of(site).new_erp(scopes=["erp.catalog.write"])
    return "GET", Bearer(erp.address, erp.fetch_token(), erp.integration_id).event()


def refused_for_its_token(site, sender):
    return "GET", Bearer(sender.address, "nonsense", sender.integration_id).event()


def refused_for_its_method(site, sender):
    return "POST", sender.request("PATCH", package_path(sender.integration_id, CHANGES), {})


def refused_for_guessing(site, sender):
    guesser = Bearer(sender.address, "nonsense", sender.integration_id)
    for _ in range(20):
        guesser.event().expect(401)
    return "GET", guesser.event()


def refused_for_its_coding(site, sender):
    return "GET", sender.event(headers={"Content-Encoding": "gzip"})


def refused_for_an_unwanted_body(site, sender):
    return "GET", sender.request("GET", f"{package_path(sender.integration_id, 'events')}/none",
                                 raw=b" " * 70_000)


def refused_by_http(site, sender):
    path = package_path(sender.integration_id, CHANGES)
    with RawConnection(sender.address, timeout=5) as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: herald\r\nExpect: much\r\n\r\n".encode())
        return "POST", connection.read_reply(f"POST {path}")


@pytest.mark.parametrize("refuse, status, header", [
    (refused_for_its_token, 401, "WWW-Authenticate"),
    (refused_for_its_scope, 403, "WWW-Authenticate"),
    (refused_for_its_method, 405, "Allow"),
    (refused_for_guessing, 429, "Retry-After"),
    (refused_for_an_unwanted_body, 413, "X-Request-Id"),
    (refused_for_its_coding, 415, "X-Request-Id"),
    (refused_by_http, 417, "X-Request-Id"),
], ids=lambda value: getattr(value, "__name__", str(value)))
def test_headers_of_refusals_are_told(site, sender, document, refuse, status, header):
    method, reply = refuse(site, sender)
    assert reply.status == status and reply.header(header), f"{reply}"
    operation = document.find(method, reply.asked.split()[1])
    is_common = status in (405, 417)
    assert (str(status) not in operation["responses"]) == is_common
    assert document.reply_faults(operation, reply, takes_default=is_common) == []


def test_slow_packages_are_sent_again(document):
    """Doc B has no rule for 408, and an ERP's queue needs one."""
    for kind in (SNAPSHOT, CHANGES):
        operation = document.find("POST", package_path("x", kind))
        assert "408" in operation["responses"]
        assert "408" in operation["description"]


REFUSED = [
    (("event_id",), "x" * 129), (("event_id",), ""), (("generated_at",), 5),
    (("categories", 0, "id"), "x" * 129), (("categories", 0, "name"), ""),
    (("categories", 0, "name"), "x" * 256), (("attribute_definitions", 0, "type"), "text"),
    (("attribute_definitions", 0, "unit"), "x" * 33),
    (("attribute_definitions", 0, "canonical_code"), "x" * 65),
    (("attribute_definitions",), [catalog.definition()] * 5001),
    (("products", 0, "name"), "x" * 256), (("products", 0, "variants"), []),
    (("products", 0, "tax", "vat_rate"), "18"), (("products", 0, "marking"), {}),
    (("products", 0, "marking", "group"), "x" * 65), (("products", 0, "available"), "yes"),
    (("products", 0, "variants", 0, "price"), -1),
    (("products", 0, "variants", 0, "barcodes"), ["x"] * 101),
    (("products", 0, "variants", 0, "measure_unit"), "ton"),
    (("products", 0, "option_axes", 0, "values"), []),
    (("products", 0, "variants", 0, "option_groups", 0, "options"), []),
    (("products", 0, "variants", 0, "option_groups", 0, "min_select"), -1),
]


@pytest.mark.parametrize("path, value", REFUSED, ids=lambda value: str(value)[:60])
def test_packages_that_are_refused_do_not_fit_it(sender, document, path, value):
    package = catalog.put(catalog.full_snapshot(), path, value)
    assert sender.snapshot(package).status == 422
    assert document.faults(package, schema_of(document, SNAPSHOT)), "fits"


def test_changes_that_are_refused_do_not_fit_it(sender, document):
    schema = schema_of(document, CHANGES)
    for lists in ({"stocks": [catalog.stock_row()] * 5001}, {"stocks": [{}]}, {"prices": [5]},
                  {"prices": [catalog.price_row(-1)]}, {"stocks": [catalog.stock_row(1.5)]},
                  {"stocks": 5}):
        package = catalog.without(catalog.changes(), "stocks") | lists
        assert sender.changes(package).status == 422
        assert document.faults(package, schema), f"fits: {json.dumps(lists)[:200]}"
