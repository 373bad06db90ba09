"""A herald that listens at all addresses of its machine sends nobody to what is none (contract,
section 7 "herald's own URL")."""

import json
import re

import pytest

from harness.exchange import Operator
from harness.http import Client
from harness.site import free_port
from harness.tools import eventually

ALL = ("*", "0.0.0.0", "[::]", "0")
NOWHERE = re.compile(r"//(\*|0[.:/]|0\.0\.0\.0|\[[:0]+\])")


@pytest.fixture(params=ALL)
def everywhere(fresh_site, request):
    """A site that listens so, with its port."""
    fresh_site.migrate()
    port = free_port()
    listen = f"{request.param}:{port}"
    process = fresh_site.start("serve", port=port, changes={"HERALD_LISTEN": listen})
    process.wait_until_ready()
    fresh_site.listen = listen
    return fresh_site


def warnings_of(process):
    rows = [json.loads(line) for line in process.output.decode().splitlines()
            if line.startswith("{")]
    return [row for row in rows if row["level"] == "warning" and "HERALD_PUBLIC_URL" in row["message"]]


def test_what_is_published_answers(everywhere):
    site, process = everywhere, everywhere.processes[-1]
    url = f"http://127.0.0.1:{process.port}"
    anybody = Client(process.address, {}, "127.0.4.3")
    known = anybody.get("/.well-known/oauth-authorization-server").expect(200)
    assert (known["issuer"], known["token_endpoint"]) == (url, f"{url}/v1/oauth/token")
    assert Operator.of(site).new_erp().ask_token().expect(200)
    for path in ("/openapi.json", "/docs", "/.well-known/oauth-authorization-server"):
        assert not NOWHERE.search(str(anybody.get(path).body))
    assert [row["fields"] for row in warnings_of(process)] == [{"url": url}]


def test_tools_of_the_machine_find_it(everywhere):
    for words in (["admin", "devices", "list"], ["admin", "settings", "list"]):
        done = everywhere.run(*words, changes={"HERALD_LISTEN": everywhere.listen})
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("everywhere", ["*"], indirect=True)
def test_a_star_is_both_families(everywhere):
    port = everywhere.processes[-1].port
    for host in ("127.0.0.1", "::1"):
        assert Client((host, port), {}, host).get("/health/live").status == 200


def test_a_public_url_is_published_as_it_is(fresh_site):
    fresh_site.migrate()
    port = free_port()
    process = fresh_site.start("serve", port=port, changes={
        "HERALD_LISTEN": f"*:{port}", "HERALD_PUBLIC_URL": "https://herald.example/"})
    process.wait_until_ready()
    known = Client(process.address, {}, "127.0.4.3").get(
        "/.well-known/oauth-authorization-server").expect(200)
    assert known["token_endpoint"] == "https://herald.example/v1/oauth/token"
    assert warnings_of(process) == []


def test_a_port_0_at_all_addresses(fresh_site):
    fresh_site.migrate()
    process = fresh_site.start("serve", changes={"HERALD_LISTEN": "*:0"})
    assert eventually(lambda: b"listens on" in process.output)
    port = int(re.search(rb"listens on [^ \"]*:(\d+)", process.output)[1])
    assert warnings_of(process)[0]["fields"] == {"url": f"http://127.0.0.1:{port}"}
