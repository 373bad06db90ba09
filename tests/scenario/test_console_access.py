"""Contract section 18.2 and 18.3: cookies by scheme, sessions of several processes, and how long they last."""

import http.client
import json
import re

import pytest

from harness.console import (
    PASSWORD, Browser, add_operator, browser_of, console_settings, fetch_file, token_of,
)
from harness.network import run_beyond_loopback
from harness.site import free_port
from harness.tls import Pair, client_context
from harness.tools import eventually

CLOCK = True
DEAD_WITHIN_S = 10
DAY_S = 24 * 3600
SECURE = re.compile(r"__Host-herald=([^;]*); Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=(\d+)")
PUBLIC = "console.shop.example"


def ask(address, method, path, body=None, context=None, **headers):
    """Returns status, headers and body of a request to /console/api; only these headers are sent."""
    kind = http.client.HTTPSConnection if context else http.client.HTTPConnection
    options = {"context": context} if context else {}
    connection = kind(*address, timeout=60, **options)
    try:
        sent = {"X-Herald-Console": "1", "Content-Type": "application/json",
                **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection.request(method, f"/console/api{path}", body and json.dumps(body), sent)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def welcome(core, name):
    return {"link": token_of(add_operator(core, name)), "password": PASSWORD}


# --- Cookies


def test_cookie_over_https_of_its_own(fresh_site, tmp_path):
    settings, address = console_settings()
    pair = Pair(tmp_path)
    fresh_site.migrate()
    port = free_port()
    fresh_site.start("serve", port=port, changes={
        **pair.settings, "HERALD_LISTEN": f"http://127.0.0.1:{port}",
        "HERALD_CONSOLE_LISTEN": f"https://127.0.0.1:{address[1]}"}).wait_until_ready()
    context, origin = client_context(pair), f"https://127.0.0.1:{address[1]}"
    made = welcome(fresh_site.core(), "Вера")
    status, headers, _ = ask(address, "POST", "/welcome", made, context, Origin=origin)
    assert status == 200
    token, age = SECURE.fullmatch(headers["Set-Cookie"]).groups()
    assert token and int(age) == 7 * 24 * 3600
    assert ask(address, "GET", "/self", None, context, Cookie=f"__Host-herald={token}")[0] == 200
    # The cookie of plain HTTP is none here, and two of a name are none at all.
    assert ask(address, "GET", "/self", None, context, Cookie=f"herald_session={token}")[0] == 401
    twice = f"__Host-herald=x; __Host-herald={token}"
    assert ask(address, "GET", "/self", None, context, Cookie=twice)[0] == 401
    status, headers, _ = ask(address, "POST", "/logout", None, context, Origin=origin,
                             Cookie=f"__Host-herald={token}")
    assert status == 204 and SECURE.fullmatch(headers["Set-Cookie"]).groups() == ("", "0")


def test_browser_keeps_to_https_where_it_is_heralds_own(fresh_site, tmp_path):
    """A name is told so for a year; the machine's own name and plain HTTP are not, nor is a proxy's."""
    settings, address = console_settings()
    pair, port = Pair(tmp_path), free_port()
    fresh_site.migrate()
    fresh_site.start("serve", port=port, changes={
        **pair.settings, "HERALD_LISTEN": f"http://127.0.0.1:{port}", "HERALD_TRUSTED_PROXIES": "127.0.0.1",
        "HERALD_CONSOLE_LISTEN": f"https://127.0.0.1:{address[1]}"}).wait_until_ready()
    context, told = client_context(pair), {}
    for host in (f"{PUBLIC}:{address[1]}", PUBLIC, "localhost:1", "127.0.0.1"):
        _, headers, _ = fetch_file(address, "/console/", context=context, Host=host)
        told[host] = headers.get("strict-transport-security")
    assert told == {f"{PUBLIC}:{address[1]}": "max-age=31536000", PUBLIC: "max-age=31536000",
                    "localhost:1": None, "127.0.0.1": None}
    fresh_site.stop()
    fresh_site.processes.clear()
    fresh_site.serve({**settings, "HERALD_TRUSTED_PROXIES": "127.0.0.1"})
    _, headers, _ = fetch_file(address, "/console/", Host=PUBLIC, X_Forwarded_Proto="https")
    assert "strict-transport-security" not in headers


def test_cookie_behind_a_proxy_that_ends_tls(fresh_site):
    settings, address = console_settings()
    fresh_site.serve({**settings, "HERALD_TRUSTED_PROXIES": "127.0.0.1"})
    made = welcome(fresh_site.core(), "Глеб")
    forwarded = {"Host": PUBLIC, "X_Forwarded_Proto": "https", "X_Forwarded_For": "198.51.100.7"}
    status, headers, _ = ask(address, "POST", "/welcome", made, Origin=f"https://{PUBLIC}", **forwarded)
    assert status == 200
    cookie = f"__Host-herald={SECURE.fullmatch(headers['Set-Cookie'])[1]}"
    assert ask(address, "GET", "/self", Cookie=cookie, **forwarded)[0] == 200
    # The session is not one of plain HTTP, and a page of another site is none of its own.
    assert ask(address, "GET", "/self", Cookie=cookie)[0] == 401
    for origin in (f"http://{PUBLIC}", "https://evil.example"):
        assert ask(address, "POST", "/logout", Origin=origin, Cookie=cookie, **forwarded)[0] == 403
    # Who came over plain HTTP to the proxy is told so.
    plain = {**forwarded, "X_Forwarded_Proto": "http"}
    status, _, body = ask(address, "POST", "/login", {"name": "Глеб", "password": PASSWORD},
                          Origin=f"http://{PUBLIC}", **plain)
    assert (status, json.loads(body)["error"]["code"]) == (403, "no_https")
    sessions = fresh_site.core().get("/internal/v1/operators?limit=1").expect(200)["operators"]
    rows = fresh_site.core().get(f"/internal/v1/operators/{sessions[0]['id']}/sessions").expect(200)
    assert [row["address"] for row in rows["sessions"]] == ["198.51.100.7"]


def test_stranger_makes_no_https_of_plain_http(fresh_site):
    settings, address = console_settings()
    fresh_site.serve(settings)
    status, headers, _ = ask(address, "POST", "/welcome", welcome(fresh_site.core(), "Даша"),
                             Origin=f"http://127.0.0.1:{address[1]}", X_Forwarded_Proto="https")
    assert status == 200 and headers["Set-Cookie"].startswith("herald_session=")


def expect_no_login(site, here):
    _, address = console_settings()
    site.serve({"HERALD_CONSOLE_LISTEN": f"0.0.0.0:{address[1]}"})
    body = {"name": "x", "password": "y"}
    for host in (f"{here}:{address[1]}", f"localhost:{address[1]}"):
        status, headers, answer = ask((here, address[1]), "POST", "/login", body, Host=host,
                                      Origin=f"http://{host}")
        assert (status, json.loads(answer)["error"]["code"]) == (403, "no_https")
        assert "Set-Cookie" not in headers


@pytest.mark.only("sqlite")  # a network of its own has no server of PostgreSQL
def test_no_login_over_plain_http_from_elsewhere(fresh_site):
    run_beyond_loopback(expect_no_login, fresh_site)


# --- How long a session lasts


HOUR_MS = 3600 * 1000


def set_back(site, hours, idle_hours):
    """The sessions began so long ago, and were last used so long ago."""
    site.stop()
    site.ask(f"UPDATE operator_session SET created_at = created_at - {hours} * {HOUR_MS},"
             f" seen_at = seen_at - {idle_hours} * {HOUR_MS}")
    site.processes.clear()


@pytest.mark.parametrize("hours, idle_hours, status", [
    (13, 11, 200), (13, 13, 401), (167, 1, 200), (169, 0, 401),
])
def test_session_ends_when_it_was_idle_or_is_old(fresh_site, hours, idle_hours, status):
    settings, address = console_settings()
    fresh_site.serve(settings)
    browser = browser_of(fresh_site.core(), address, "Женя")
    set_back(fresh_site, hours, idle_hours)
    fresh_site.serve(settings)
    browser.close()
    assert browser.ask("GET", "/self").status == status


@pytest.mark.parametrize("seconds, status", [(DAY_S - 60, 200), (DAY_S + 60, 401)])
def test_link_sets_the_password_for_a_day(fresh_site, seconds, status):
    settings, address = console_settings()
    fresh_site.serve(settings)
    body = welcome(fresh_site.core(), "Ася")
    fresh_site.clock.advance(seconds)
    assert Browser(address).ask("POST", "/welcome", body).status == status, "it is good for 24 hours"


def test_session_lasts_its_time_whatever_the_clock_says(fresh_site):
    settings, address = console_settings()
    fresh_site.serve(settings)
    browser = browser_of(fresh_site.core(), address, "Вера")
    browser.ask("GET", "/self").expect(200)
    fresh_site.clock.set(-3600)
    browser.ask("GET", "/self").expect(200)
    fresh_site.clock.advance(13 * 3600)
    assert eventually(lambda: browser.ask("GET", "/self").status == 401, DEAD_WITHIN_S)
    Browser(address).log_in("Вера").expect(200)


def test_session_is_stored_as_its_hash(fresh_site):
    settings, address = console_settings()
    fresh_site.serve(settings)
    token = browser_of(fresh_site.core(), address, "Кира").headers["Cookie"].split("=")[1]
    fresh_site.stop()
    stored = fresh_site.ask("SELECT * FROM operator_session") + fresh_site.ask("SELECT * FROM log_entry")
    assert len(token) >= 43 and stored and token not in stored


# --- Several processes


@pytest.mark.only("postgres")
def test_processes_share_operators_and_sessions(fresh_site):
    one, other = console_settings(), console_settings()
    fresh_site.migrate()
    fresh_site.start("worker")
    for settings, _ in (one, other):
        fresh_site.start("api", changes=settings).wait_until_ready()
    core = fresh_site.core(fresh_site.processes[1])
    browser = browser_of(core, one[1], "Игорь")
    there = Browser(other[1])
    there.headers["Cookie"] = browser.headers["Cookie"]
    own = there.ask("GET", "/self").expect(200)["id"]  # at once
    there.ask("POST", "/logout").expect(204)
    assert eventually(lambda: browser.ask("GET", "/self").status == 401, DEAD_WITHIN_S)
    there.log_in("Игорь").expect(200)
    core.request("DELETE", f"/internal/v1/operators/{own}").expect(204)
    assert eventually(lambda: there.ask("GET", "/self").status == 401, DEAD_WITHIN_S)
    Browser(one[1]).log_in("Игорь").expect(401)
