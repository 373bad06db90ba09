"""Contract section 18.1 and 18.3: where the console is, its files, and whom it answers."""

import gzip
import re
import socket

import pytest

from harness.console import Browser, browser_of, console_settings, fetch_file
from harness.http import Client
from harness.network import run_beyond_loopback
from harness.site import free_port

SETTINGS, ADDRESS = console_settings()
# All of it: what is not named here is allowed to nobody.
POLICY = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    "trusted-types 'none'",
]


@pytest.fixture(scope="module")
def admin(site):
    return browser_of(site.core(), ADDRESS, "Борис")


# --- Files


def test_page_and_its_files(site):
    status, headers, page = fetch_file(ADDRESS, "/console/")
    assert status == 200 and headers["cache-control"] == "no-cache"
    files = re.findall(r'(?:href|src)="([0-9a-f]{12}/[^"]+)"', page.decode())
    assert any(name.endswith("main.js") for name in files)
    for name in files:
        status, headers, plain = fetch_file(ADDRESS, f"/console/{name}")
        assert (status, headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
        _, zipped, body = fetch_file(ADDRESS, f"/console/{name}", Accept_Encoding="br, gzip")
        if "content-encoding" in zipped:
            assert gzip.decompress(body) == plain and len(body) < len(plain)
        status, _, body = fetch_file(ADDRESS, f"/console/{name}", If_None_Match=headers["etag"])
        assert (status, body) == (304, b"")


def test_policy_is_strict(site):
    _, headers, page = fetch_file(ADDRESS, "/console/")
    assert headers["content-security-policy"].split("; ") == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert not re.search(rb"<script(?![^>]*src=)|<style|style=| on[a-z]+=", page)


@pytest.mark.parametrize("path", [
    "/", "/console", "/console/index.html", "/console/nothing.js", "/console/../openapi.json",
    "/openapi.json", "/docs", "/health/live", "/metrics", "/internal/v1/overview", "/v1/oauth/token",
    "/login", "/console/api", "/console/apifoo/login",
])
def test_nothing_else_answers(site, path):
    assert fetch_file(ADDRESS, path)[0] == 404


@pytest.mark.parametrize("path", [
    "/openapi.json", "/health/live", "/.well-known/jwks.json", "/v1/oauth/token",
    "/api/device/ping", "/internal/v1/nothing",
])
def test_only_operations_for_operators_are_behind_its_door(site, admin, path):
    admin.ask("GET", path).expect(404, "not_found")


def test_its_own_operations_are_behind_no_other_door(site):
    for path in ("/login", "/self", "/console/api/self", "/console/"):
        Client(site.address).get(path).expect(404, "not_found")


def test_file_takes_get_alone(site):
    status, headers, _ = fetch_file(ADDRESS, "/console/", method="POST")
    assert (status, headers["allow"]) == (405, "GET, HEAD")
    assert fetch_file(ADDRESS, "/console/", method="HEAD")[0] == 200


# --- Requests


def test_operations_are_those_of_everybody(site, admin, core):
    for path in ("/devices", "/channels", "/integrations", "/settings", "/api-keys/self"):
        mine, root = admin.read(path).expect(200), core.get(f"/internal/v1{path}").expect(200)
        assert set(mine) == set(root)
    own = admin.read("/api-keys/self").expect(200)
    assert (own["kind"], own["name"], own["role"]) == ("operator", "Борис", "admin")


def test_without_a_session(site):
    stranger = Browser(ADDRESS)
    for path in ("/internal/v1/overview", "/self"):
        stranger.ask("GET", path).expect(401, "unauthorized")
    stranger.ask("POST", "/logout").expect(401, "unauthorized")


@pytest.mark.parametrize("headers", [
    {"Origin": None}, {"Origin": "http://evil.example"}, {"Origin": "null"},
    {"X-Herald-Console": None}, {"X-Herald-Console": "0"}, {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"}, {"Origin": f"https://127.0.0.1:{ADDRESS[1]}"},
])
def test_change_from_another_site(site, admin, headers):
    for path, body in (("/internal/v1/operators", {"name": "x", "role": "viewer"}),
                       ("/login", {"name": "x", "password": "y"}), ("/logout", {})):
        admin.request("POST", f"/console/api{path}", body, headers=headers).expect(403, "cross_site")
    admin.ask("GET", "/self").expect(200)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil:1"])
def test_name_that_another_site_points_here(site, admin, host):
    headers = {"Host": host, "Origin": f"http://{host}"}
    admin.request("GET", "/console/api/self", headers=headers).expect(403, "no_https")
    admin.request("POST", "/console/api/login", {"name": "x", "password": "y"},
                  headers=headers).expect(403, "no_https")


def test_log_streams_to_a_session(site, admin):
    with socket.create_connection(ADDRESS, timeout=30) as peer:
        peer.sendall(
            f"GET /console/api/internal/v1/logs/stream?after=0 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Cookie: {admin.headers['Cookie']}\r\n\r\n".encode())
        received = b""
        while b"data: " not in received:
            part = peer.recv(65536)
            assert part, received
            received += part
        assert received.startswith(b"HTTP/1.1 200")


# --- Where it is


DEFAULT = ("127.0.0.1", 8081)


def expect_the_default(site, own):
    """In a network of its own, where no other herald has that port."""
    site.migrate()
    process = site.start("serve", changes={"HERALD_CONSOLE_LISTEN": None})
    process.wait_until_ready()
    assert fetch_file(DEFAULT, "/console/")[0] == 200
    process.stop()
    with socket.create_server(DEFAULT):
        process = site.start("serve", changes={"HERALD_CONSOLE_LISTEN": None})
        process.wait_until_ready()
        assert b"there is no console: name another address, or off, in HERALD_CONSOLE_LISTEN" in process.output
        site.core(process).get("/internal/v1/overview").expect(200)


@pytest.mark.only("sqlite")  # a network of its own has no server of PostgreSQL
def test_default_address(fresh_site):
    run_beyond_loopback(expect_the_default, fresh_site)


def test_the_address_that_is_told_answers(fresh_site):
    """Over plain HTTP the console answers this machine alone, whatever it listens on."""
    process = fresh_site.serve({"HERALD_CONSOLE_LISTEN": f"*:{free_port()}"})
    told, = re.findall(rb"http://localhost:[0-9]+", process.output)[:1]
    host, _, port = told.decode().removeprefix("http://").partition(":")
    assert fetch_file((host, int(port)), "/console/")[0] == 200


def test_off_and_taken_addresses(fresh_site):
    fresh_site.serve({"HERALD_CONSOLE_LISTEN": "off"})
    fresh_site.stop()
    fresh_site.processes.clear()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        process = fresh_site.start("serve", changes={"HERALD_CONSOLE_LISTEN": address})
        assert process.wait() != 0
        assert address.encode() in process.output
