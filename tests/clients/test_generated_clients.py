"""Each generator's client compiles, lists phones, creates a code, and reads typed fields of both and
of a refusal."""

import json
import subprocess

import pytest

from conftest import FOLDER
from harness.tools import fresh_number

CLIENTS = {
    "openapi-typescript": ["node", "node/out/use_typescript.js"],
    "openapi-python-client": ["python/venv/bin/python", "python/use_python_client.py"],
    "oapi-codegen": ["go/use_oapi_codegen"],
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_lists_phones_and_creates_a_code(site, use, name):
    core = site.core()
    phone, recipient = site.phone(core), fresh_number()
    phone.be_ready()
    read = use(CLIENTS[name], recipient)
    assert phone.number in read["numbers"]
    otp = core.otp(read["id"]).expect(200)
    assert otp["recipient"] == recipient
    assert (read["state"], read["attempts_left"]) == (otp["state"], otp["attempts_left"])
    assert read["confirmed"] is None
    assert read["refusal"] == [404, "not_found"]


@pytest.mark.parametrize("document", ["openapi.json", "openapi-3.0.json"])
def test_the_document_is_valid(document):
    validator = FOLDER / "python" / "venv" / "bin" / "openapi-spec-validator"
    done = subprocess.run([validator, FOLDER / document], capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stdout


def test_both_renderings_tell_of_the_same():
    new, old = (json.loads((FOLDER / name).read_text(encoding="utf-8"))
                for name in ("openapi.json", "openapi-3.0.json"))
    assert (new["openapi"], old["openapi"]) == ("3.1.0", "3.0.3")
    for part in ("schemas", "responses", "parameters", "headers", "securitySchemes"):
        assert list(new["components"][part]) == list(old["components"][part])
    assert {path: list(item) for path, item in new["paths"].items()} == {
        path: list(item) for path, item in old["paths"].items()}
