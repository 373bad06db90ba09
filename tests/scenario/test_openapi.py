"""The OpenAPI document: whole, served without a key, and true of what goes over the wire."""

import json

import pytest

from harness.actors import read_code, wrong_code
from harness.http import Client
from harness.schema import Document
from harness.tools import fresh_key, fresh_number

OPERATIONS = {
    ("POST", "/internal/v1/devices", "201"),
    ("GET", "/internal/v1/devices", "200"),
    ("GET", "/internal/v1/devices/{id}", "200"),
    ("PUT", "/internal/v1/devices/{id}", "200"),
    ("DELETE", "/internal/v1/devices/{id}", "204"),
    ("PATCH", "/internal/v1/devices/{id}", "204"),
    ("PUT", "/internal/v1/devices/{id}/accounts", "200"),
    ("POST", "/internal/v1/devices/{id}/rotate-key", "200"),
    ("POST", "/internal/v1/challenges", "201"),
    ("GET", "/internal/v1/challenges/{id}", "200"),
    ("POST", "/internal/v1/challenges/{id}/cancel", "204"),
    ("POST", "/api/events", "200"),
    ("POST", "/device/v1/events", "200"),
    ("POST", "/internal/v1/otp", "201"),
    ("GET", "/internal/v1/otp/{id}", "200"),
    ("POST", "/internal/v1/otp/{id}/verify", "200"),
    ("POST", "/internal/v1/otp/{id}/cancel", "204"),
    ("POST", "/internal/v1/otp/{id}/sms-fallback", "204"),
    ("POST", "/device/v1/sms/claim", "200"),
    ("POST", "/device/v1/sms/{id}/result", "204"),
    ("POST", "/api/device/ping", "200"),
    ("GET", "/internal/v1/logs", "200"),
    ("GET", "/internal/v1/logs/stream", "200"),
    ("GET", "/health/live", "200"),
    ("GET", "/health/ready", "200"),
}
KEYED_PREFIXES = ("/internal/", "/device/", "/api/")


@pytest.fixture(scope="module")
def document(site):
    """The document as anybody gets it."""
    reply = Client(site.address).get("/openapi.json")
    assert reply.header("Content-Type").split(";")[0] == "application/json"
    return Document(reply.expect(200))


def test_head_of_the_document(document):
    assert document.document["openapi"].startswith("3.1.")
    assert document.document["info"]["version"] == "0.5.0"


def test_verb_prints_the_same_document(site, document):
    done = site.run("openapi")
    assert done.returncode == 0
    printed, served = json.loads(done.stdout), dict(document.document)
    for side in (printed, served):
        side.pop("servers", None)
    assert printed == served


def test_verb_prints_an_older_rendering(site, document):
    """The flag may stand among settings, and help asks for help."""
    for words in (["--3.0"], ["--log-level", "error", "--3.0"]):
        done = site.run("openapi", *words)
        assert done.returncode == 0, done.stderr
        old = json.loads(done.stdout)
        assert old["openapi"] == "3.0.3"
        assert old["paths"].keys() == document.document["paths"].keys()
    assert "--3.0" in site.run("openapi", "--help").stdout
    assert site.run("openapi", "--2.0").returncode == 2


def test_every_operation_is_told_of(document):
    told = {(method, path): operation for method, path, operation in document.operations()}
    for method, path, success in OPERATIONS:
        assert (method, path) in told, f"{method} {path} is missing"
        assert success in told[method, path]["responses"], f"{method} {path} {success}"


def test_every_operation_has_a_name_a_sentence_and_its_keys(document):
    names = []
    for method, path, operation in document.operations():
        assert operation.get("summary") or operation.get("description"), f"{method} {path}"
        names.append(operation["operationId"])
        has_key = bool(operation.get("security", document.document.get("security")))
        if path.startswith(KEYED_PREFIXES):
            assert has_key, f"{method} {path} tells of no key"
        if path.startswith("/health/"):
            assert not has_key, f"{method} {path} needs no key"
    assert len(names) == len(set(names))


def test_every_operation_declares_the_errors_of_doc_a(document):
    wanted = {"401", "403", "404", "409", "422", "429", "503"}
    for method, path, _ in OPERATIONS:
        if not path.startswith(KEYED_PREFIXES):
            continue
        told = set(document.find(method, path.replace("{id}", "x"))["responses"])
        assert wanted <= told, f"{method} {path} lacks {wanted - told}"


def test_references_lead_somewhere(document):
    references = document.references()
    assert references
    for reference in references:
        assert document.resolve(reference) is not None


def test_required_header_is_declared(document):
    for path in ("/internal/v1/challenges", "/internal/v1/otp"):
        parameters = [document.resolve(row) for row in document.find("POST", path)["parameters"]]
        header = next(row for row in parameters if row["name"].lower() == "idempotency-key")
        assert header["required"] is True
        schema = document.resolve(header["schema"])
        assert (schema["minLength"], schema["maxLength"]) == (1, 200)


def live_a_little(core, site, phone):
    """The main job with its usual refusals."""
    phone.ping()
    phone.claim()
    otp = core.create_otp(fresh_number(), app_hash="FA+9qCX9VSu", origin="shop.example").json
    core.create_otp(otp["recipient"])
    core.create_otp(fresh_number(), channel="flash_call")
    core.create_otp("nobody", colour="red")
    task = phone.claim_task()
    core.otp(otp["id"])
    phone.result(task, "sent")
    phone.result(task, "failed", permanent=True)
    code = read_code(task)
    core.verify(otp["id"], wrong_code(code))
    core.fall_back(otp["id"])
    core.verify(otp["id"], code)
    core.verify(otp["id"], code)
    core.cancel_otp(otp["id"])
    challenge = core.create_challenge(fresh_number(), ttl_seconds=60).json
    core.challenge(challenge["id"])
    phone.event(challenge["caller"])
    phone.event(None, path="/device/v1/events")
    phone.event(None, number=fresh_number())
    core.cancel_challenge(challenge["id"])
    core.challenge("no-id")
    core.create_challenge(fresh_number(), gateway_number=fresh_number())
    core.register("twin", phone.numbers)
    core.devices("?limit=3")
    core.devices("?limit=0")
    core.rotate_key(phone.device_id)
    phone.ping()
    core.enable(phone.device_id, False)
    core.create_otp(fresh_number(), fresh_key())
    core.get("/health/live")
    core.get("/health/ready")
    core.post("/internal/v1/challenges", {"caller": fresh_number()})
    core.request("POST", "/internal/v1/otp", raw=b"{}", headers={"Content-Type": "text/plain"})
    core.request("POST", "/internal/v1/devices", raw=b" " * 70_000)


def test_answers_are_what_the_document_says(site, core, document, phone, exchanges):
    live_a_little(core, site, phone)
    assert len(exchanges) > 30
    assert document.exchange_faults(exchanges) == []


def test_requests_that_are_taken_fit_the_document(site, core, document, phone, exchanges):
    live_a_little(core, site, phone)
    for method, path, payload, reply in exchanges:
        if reply.status < 300 and payload:
            body = document.resolve(document.find(method, path).get("requestBody"))
            schema = body["content"]["application/json"]["schema"]
            assert document.faults(json.loads(payload), schema) == [], f"{reply}"


def test_refused_values_do_not_fit_the_document(document):
    """The limits of the contract stand in the document too."""
    refused = {
        "/internal/v1/devices": [{"name": "", "numbers": ["+79160000001"]},
                                 {"name": "x", "numbers": []},
                                 {"name": "x" * 101, "numbers": ["+79160000001"]},
                                 {"name": "x", "numbers": ["8916"]}, {"name": "x"}],
        "/internal/v1/challenges": [{"caller": "1"}, {"caller": "+79160000001", "ttl_seconds": 29},
                                    {"caller": "+79160000001", "ttl_seconds": 901},
                                    {"caller": "+79160000001", "colour": "red"}],
        "/internal/v1/otp": [{"channel": "pigeon", "recipient": "+79160000001"},
                             {"channel": "sms", "recipient": "+79160000001", "ttl_seconds": 59},
                             {"channel": "sms", "recipient": "+79160000001", "app_hash": "x"}],
        "/internal/v1/otp/x/verify": [{"code": "123"}, {"code": "1234567"}, {"code": 1234}, {}],
        "/device/v1/sms/x/result": [{"status": "done"}, {"status": "sent", "error": "x" * 501}],
    }
    for path, bodies in refused.items():
        body = document.resolve(document.find("POST", path)["requestBody"])
        schema = body["content"]["application/json"]["schema"]
        for value in bodies:
            assert document.faults(value, schema), f"{path}: {value} fits"
