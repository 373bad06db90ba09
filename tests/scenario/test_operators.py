"""Contract section 18.2 and 18.3: operators, their sessions, and logging in."""

import itertools
import socket
import threading
import time

import pytest

from harness.console import (
    PASSWORD, Browser, add_operator, browser_of, console_settings, token_of,
)
from harness.http import Client
from harness.keys import key_of
from harness.tools import at_once, eventually, fresh_address, fresh_number, took_at_most

SETTINGS, ADDRESS = console_settings()
SETTINGS["HERALD_EVENTS"] = "on"
OPERATORS = "/internal/v1/operators"
MISSING_ID = "01900000-0000-7000-8000-000000000000"
DEAD_WITHIN_S = 10
FREE_TRIES = 5

_numbers = itertools.count(1)


def fresh_name():
    return f"Анна {next(_numbers)} {time.monotonic_ns()}"


def somebody():
    """From an address of their own, since what fails is counted by address."""
    return Browser(ADDRESS, fresh_address())


# --- Operators


def test_operator_is_made_shown_and_removed(core):
    name = fresh_name()
    made = add_operator(core, name, "support")
    assert made["link"].startswith(f"http://{ADDRESS[0]}:{ADDRESS[1]}/console/#/welcome/hl_")
    assert (made["name"], made["role"], made["has_password"]) == (name, "support", False)
    shown = core.get(f"{OPERATORS}/{made['id']}").expect(200)
    assert shown == {key: made[key] for key in made if key != "link"}
    assert token_of(made) not in core.get(f"{OPERATORS}?limit=200").body.decode()
    core.request("DELETE", f"{OPERATORS}/{made['id']}").expect(204)
    core.get(f"{OPERATORS}/{made['id']}").expect(404, "not_found")
    core.request("DELETE", f"{OPERATORS}/{made['id']}").expect(404, "not_found")


@pytest.mark.parametrize("fields, path", [
    ({"name": ""}, "name"), ({"name": "x" * 101}, "name"), ({"name": " x"}, "name"),
    ({"name": "a\nb"}, "name"), ({"role": "core"}, "role"), ({"role": "root"}, "role"),
    ({"name": "a\u202eb"}, "name"), ({"name": "a\u2066b"}, "name"), ({"name": "a\u2028b"}, "name"),
    ({"name": "a\x85b"}, "name"), ({"name": "\u200b"}, "name"), ({"name": "\u0301x"}, "name"),
])
def test_what_is_no_operator(core, fields, path):
    body = {"name": fresh_name(), "role": "viewer", **fields}
    assert path in core.post(OPERATORS, body).fault_paths


def test_names_that_differ_in_case_are_one(core):
    name = fresh_name()
    made = add_operator(core, name)
    core.post(OPERATORS, {"name": name.upper(), "role": "viewer"}).expect(409, "name_taken")
    other = add_operator(core, fresh_name())
    core.patch(f"{OPERATORS}/{other['id']}", {"name": name.lower()}).expect(409, "name_taken")
    same = core.patch(f"{OPERATORS}/{made['id']}", {"name": name.upper()}).expect(200)
    assert same["name"] == name.upper()


@pytest.mark.parametrize("mark", ["\u200b", "\u200d", "\u2060", "\ufeff"])
def test_name_has_nothing_that_is_not_seen(core, mark):
    named = {"name": f"ad{mark}min {next(_numbers)}", "role": "admin"}
    assert "name" in core.post(OPERATORS, named).fault_paths


def test_login_by_a_name_in_another_case(core):
    number = f"{next(_numbers)} {time.monotonic_ns()}"
    browser_of(core, ADDRESS, f"Семён {number}", source=fresh_address())
    somebody().log_in(f"СЕМЁН {number}").expect(200)
    somebody().log_in(f"Семен {number}").expect(401)


# --- Links


def test_link_sets_the_password_once(core):
    made = add_operator(core, fresh_name())
    browser = somebody()
    short = browser.ask("POST", "/welcome", {"link": token_of(made), "password": "x" * 9})
    assert short.fault_paths == ["password"]
    body = {"link": token_of(made), "password": PASSWORD}
    shown = browser.ask("POST", "/welcome", body).expect(200)
    assert shown["has_password"] and shown["link_until"] is None
    assert browser.ask("GET", "/self").expect(200)["id"] == made["id"]
    somebody().ask("POST", "/welcome", body).expect(401, "unauthorized")


def test_new_link_ends_the_old_one_and_then_all_sessions(core):
    name = fresh_name()
    browser = browser_of(core, ADDRESS, name, source=fresh_address())
    own = browser.ask("GET", "/self").expect(200)["id"]
    first = core.post(f"{OPERATORS}/{own}/link").expect(200)
    second = core.post(f"{OPERATORS}/{own}/link").expect(200)
    other = somebody()
    other.ask("POST", "/welcome", {"link": token_of(first), "password": PASSWORD}).expect(401)
    somebody().log_in(name).expect(200)
    other.ask("POST", "/welcome", {"link": token_of(second), "password": "another one"}).expect(200)
    assert eventually(lambda: browser.ask("GET", "/self").status == 401, seconds=DEAD_WITHIN_S)
    somebody().log_in(name).expect(401)
    somebody().log_in(name, "another one").expect(200)


def wait_for_blocked(site, count):
    blocked = (f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{site.database.name}'"
               " AND wait_event_type = 'Lock'")
    assert eventually(lambda: int(site.ask(blocked)[0][0]) >= count, 30, 0.05)


def begin_held(site, *acts):
    """Begins one after the other; each waits with its transaction to change an operator until all do.
    Returns what they returned."""
    with site.database.locked("api_key_change IN SHARE MODE"):
        threads = []
        for act in acts:
            threads.append(begin(act))
            wait_for_blocked(site, len(threads))
    for thread, _ in threads:
        thread.join(30)
    return [results[0] for _, results in threads]


def begin(act):
    """Returns a thread that acts, and the list with what it returned."""
    results = []
    thread = threading.Thread(target=lambda: results.append(act()), daemon=True)
    thread.start()
    return thread, results


def enter_by_link(link, password):
    return somebody().ask("POST", "/welcome", {"link": link, "password": password}).status


@pytest.mark.parametrize("turn", range(3))
def test_link_is_good_for_one_of_many_at_once(core, turn):
    name = fresh_name()
    link = token_of(add_operator(core, name))
    words = [f"password number {i} {turn}" for i in range(4)]
    statuses = at_once(len(words), lambda i: enter_by_link(link, words[i]))
    assert statuses.count(200) == 1 and set(statuses) <= {200, 401}
    somebody().log_in(name, words[statuses.index(200)]).expect(200)


@pytest.mark.only("postgres")
def test_link_is_good_for_one_of_two_transactions(site, core):
    name = fresh_name()
    link = token_of(add_operator(core, name))
    words = ["password number 1", "password number 2"]
    statuses = begin_held(site, lambda: enter_by_link(link, words[0]),
                          lambda: enter_by_link(link, words[1]))
    assert sorted(statuses) == [200, 401]
    somebody().log_in(name, words[statuses.index(200)]).expect(200)


@pytest.mark.parametrize("is_before", [True, False])
@pytest.mark.only("postgres")
def test_password_that_is_over_begins_no_session(site, core, is_before):
    """Its transaction was under way while another one set a new password."""
    name = fresh_name()
    browser = browser_of(core, ADDRESS, name, source=fresh_address())
    own = browser.ask("GET", "/self").expect(200)["id"]
    link = token_of(core.post(f"{OPERATORS}/{own}/link").expect(200))
    acts = [lambda: somebody().log_in(name).status,
            lambda: enter_by_link(link, "another one")]
    statuses = begin_held(site, *(acts if is_before else reversed(acts)))
    assert statuses[1 if is_before else 0] == 200
    sessions = core.get(f"{OPERATORS}/{own}/sessions").expect(200)["sessions"]
    assert len(sessions) == 1, "setting a password ends all sessions but the one that it begins"
    somebody().log_in(name, "another one").expect(200)


# --- Sessions


def test_sessions_are_listed_and_ended(core):
    name = fresh_name()
    home, away = fresh_address(), fresh_address()
    first = browser_of(core, ADDRESS, name, source=home)
    second = Browser(ADDRESS, away)
    own = second.log_in(name.upper()).expect(200)["id"]
    rows = second.read(f"/operators/{own}/sessions").expect(200)["sessions"]
    assert [row["own"] for row in rows] == [False, True]
    assert [(row["address"], row["agent"]) for row in rows] == [
        (home, "a browser"), (away, "a browser")]
    core.request("DELETE", f"{OPERATORS}/{own}/sessions/{rows[0]['id']}").expect(204)
    core.request("DELETE", f"{OPERATORS}/{own}/sessions/{rows[0]['id']}").expect(404)
    assert eventually(lambda: first.ask("GET", "/self").status == 401, seconds=DEAD_WITHIN_S)
    second.ask("GET", "/self").expect(200)
    core.request("DELETE", f"{OPERATORS}/{own}/sessions").expect(204)
    assert eventually(lambda: second.ask("GET", "/self").status == 401, seconds=DEAD_WITHIN_S)


def test_logging_out(core):
    browser = browser_of(core, ADDRESS, fresh_name(), source=fresh_address())
    cookie = browser.headers["Cookie"]
    browser.ask("POST", "/logout").expect(204)
    assert browser.headers["Cookie"] == "herald_session="
    browser.headers["Cookie"] = cookie
    assert eventually(lambda: browser.ask("GET", "/self").status == 401, seconds=DEAD_WITHIN_S)


def test_own_sessions_are_listed_and_ended_by_any_role(core):
    name = fresh_name()
    first = browser_of(core, ADDRESS, name, "viewer", source=fresh_address())
    second = somebody()
    second.log_in(name).expect(200)
    rows = second.ask("GET", "/sessions").expect(200)["sessions"]
    assert [row["own"] for row in rows] == [False, True]
    stranger = browser_of(core, ADDRESS, fresh_name(), "admin")
    stranger.ask("DELETE", f"/sessions/{rows[0]['id']}").expect(404, "not_found")
    second.ask("DELETE", f"/sessions/{rows[0]['id']}").expect(204)
    second.ask("DELETE", f"/sessions/{rows[0]['id']}").expect(404, "not_found")
    assert eventually(lambda: first.ask("GET", "/self").status == 401, seconds=DEAD_WITHIN_S)
    second.ask("GET", "/self").expect(200)


# --- The own password


def change_password(browser, password, new_password):
    return browser.ask("POST", "/password", {"password": password, "new_password": new_password})


def test_own_password_is_changed_and_ends_all_other_sessions(core):
    name = fresh_name()
    other = browser_of(core, ADDRESS, name, "viewer", source=fresh_address())
    browser = somebody()
    own = browser.log_in(name).expect(200)["id"]
    before = browser.headers["Cookie"]
    assert change_password(browser, "wrong one", "another one").fault_paths == ["password"]
    assert change_password(browser, PASSWORD, "x" * 9).fault_paths == ["new_password"]
    assert change_password(browser, PASSWORD, "x" * 129).fault_paths == ["new_password"]
    assert browser.headers["Cookie"] == before
    assert change_password(browser, PASSWORD, "another one").expect(200)["id"] == own
    assert browser.headers["Cookie"] != before
    assert browser.ask("GET", "/self").expect(200)["id"] == own
    assert len(browser.ask("GET", "/sessions").expect(200)["sessions"]) == 1
    assert eventually(lambda: other.ask("GET", "/self").status == 401, seconds=DEAD_WITHIN_S)
    somebody().log_in(name).expect(401)
    somebody().log_in(name, "another one").expect(200)
    found = core.audit(f"?action=operator.password&target={own}").expect(200)
    record = found["records"][0]
    assert (record["actor"]["kind"], record["actor"]["id"]) == ("operator", own)
    assert [change["field"] for change in record["changes"]] == ["password"]


def test_link_of_own_ends_with_a_new_password(core):
    name = fresh_name()
    browser = browser_of(core, ADDRESS, name, source=fresh_address())
    own = browser.ask("GET", "/self").expect(200)["id"]
    link = token_of(core.post(f"{OPERATORS}/{own}/link").expect(200))
    change_password(browser, PASSWORD, "another one").expect(200)
    late = somebody().ask("POST", "/welcome", {"link": link, "password": PASSWORD})
    late.expect(401, "unauthorized")


def test_guesses_by_a_session_are_slowed(core):
    """A stolen session does not find the password out."""
    browser = browser_of(core, ADDRESS, fresh_name(), source=fresh_address())
    for _ in range(FREE_TRIES):
        change_password(browser, "wrong one", "another one").expect(422)
    refused = change_password(browser, PASSWORD, "another one")
    refused.expect(429, "rate_limited")
    assert int(refused.header("Retry-After")) >= 1


def test_password_is_changed_once_by_many_at_once(core):
    """Each ends the session of the others; so one wins."""
    name = fresh_name()
    browser = browser_of(core, ADDRESS, name, source=fresh_address())
    words = [f"password number {i}" for i in range(3)]

    def change(index):
        one = somebody()
        one.headers["Cookie"] = browser.headers["Cookie"]
        return change_password(one, PASSWORD, words[index]).status

    statuses = at_once(len(words), change)
    assert statuses.count(200) == 1 and set(statuses) <= {200, 401, 422}
    right = words[statuses.index(200)]
    somebody().log_in(name, right).expect(200)


# --- Sessions, bounded


def test_at_most_20_sessions(core):
    name = fresh_name()
    first = browser_of(core, ADDRESS, name, source=fresh_address())
    own = first.ask("GET", "/self").expect(200)["id"]
    for _ in range(20):
        somebody().log_in(name).expect(200)
    assert len(core.get(f"{OPERATORS}/{own}/sessions").expect(200)["sessions"]) == 20
    assert eventually(lambda: first.ask("GET", "/self").status == 401, seconds=DEAD_WITHIN_S)


def test_role_changes_under_a_session(core):
    browser = browser_of(core, ADDRESS, fresh_name(), "viewer")
    own = browser.ask("GET", "/self").expect(200)["id"]
    body = {"name": fresh_name(), "role": "viewer"}
    refused = browser.ask("POST", "/internal/v1/operators", body)
    refused.expect(403, "insufficient_role")
    assert refused.error["role"] == "admin"
    core.patch(f"{OPERATORS}/{own}", {"role": "admin"}).expect(200)
    assert eventually(
        lambda: browser.ask("POST", "/internal/v1/operators", body).status == 201,
        seconds=DEAD_WITHIN_S)


def has_role_of_viewer(browser):
    body = {"name": fresh_name(), "role": "viewer"}
    return browser.ask("POST", "/internal/v1/operators", body).status == 403


def test_log_stream_ends_with_the_role_that_opened_it(core):
    browser = browser_of(core, ADDRESS, fresh_name(), source=fresh_address())
    own = browser.ask("GET", "/self").expect(200)["id"]
    with socket.create_connection(ADDRESS, timeout=3 * DEAD_WITHIN_S) as peer:
        peer.sendall(
            "GET /console/api/internal/v1/logs/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Cookie: {browser.headers['Cookie']}\r\n\r\n".encode())
        assert peer.recv(65536).startswith(b"HTTP/1.1 200")
        core.patch(f"{OPERATORS}/{own}", {"role": "viewer"}).expect(200)
        received = b""
        while not received.endswith(b"\r\n0\r\n\r\n"):
            part = peer.recv(65536)
            assert part, received
            received += part


def test_reader_who_waits_has_the_role_of_now(core, ready_phone):
    """Numbers are in full for an admin, and masked for a viewer, who became one while it waited."""
    browser = browser_of(core, ADDRESS, fresh_name(), source=fresh_address())
    own = browser.ask("GET", "/self").expect(200)["id"]
    last = browser.read("/events?from=now").expect(200)["last_seq"]
    number = fresh_number()
    reader = somebody()
    reader.headers["Cookie"] = browser.headers["Cookie"]
    thread, replies = begin(lambda: reader.read(f"/events?after={last}&types=otp.*&wait_seconds=30"))
    time.sleep(0.5)
    core.patch(f"{OPERATORS}/{own}", {"role": "viewer"}).expect(200)
    assert eventually(lambda: has_role_of_viewer(browser), seconds=DEAD_WITHIN_S)
    core.create_otp(number).expect(201)
    ready_phone.result(ready_phone.claim_task(), "sent").expect(204)
    thread.join(40)
    events = replies[0].expect(200)["events"]
    assert events and number not in str(events) and "***" in str(events)


def test_session_and_key_do_not_stand_for_each_other(core, site):
    browser = browser_of(core, ADDRESS, fresh_name(), source=fresh_address())
    token = browser.headers["Cookie"].split("=")[1]
    for headers in ({"X-Internal-API-Key": token}, {"Authorization": f"Bearer {token}"},
                    {"Cookie": f"herald_session={token}"}):
        Client(site.address, headers, fresh_address()).get("/internal/v1/overview").expect(401)
    key = key_of(core, "admin")
    stranger = somebody()
    for headers in ({"Cookie": f"herald_session={key}"}, {"X-Internal-API-Key": key}):
        stranger.request("GET", "/console/api/internal/v1/overview", headers=headers).expect(401)


# --- Wrong passwords


def test_unknown_name_and_wrong_password_look_alike(core):
    name = fresh_name()
    browser_of(core, ADDRESS, name, source=fresh_address())
    wrong = Browser(ADDRESS, fresh_address()).log_in(name, "wrong horse battery")
    unknown = Browser(ADDRESS, fresh_address()).log_in(fresh_name(), "wrong horse battery")
    unset = Browser(ADDRESS, fresh_address()).log_in(add_operator(core, fresh_name())["name"])
    for reply in (wrong, unknown, unset):
        reply.expect(401, "unauthorized")
        assert reply.error["message"] == wrong.error["message"]


def test_pair_slows_down_and_keeps_nobody_else_out(core):
    name = fresh_name()
    at_home = browser_of(core, ADDRESS, name, source=fresh_address())
    stranger = Browser(ADDRESS, fresh_address())
    for _ in range(FREE_TRIES):
        stranger.log_in(name, "wrong horse battery").expect(401)
    slowed = stranger.log_in(name)
    slowed.expect(429, "rate_limited")
    assert 1 <= slowed.retry_after <= 60
    at_home.log_in(name).expect(200)
    stranger.log_in(fresh_name(), "wrong horse battery").expect(401)
    time.sleep(slowed.retry_after)
    stranger.log_in(name).expect(200)


def test_flood_of_logins_keeps_no_right_password_waiting(core):
    name = fresh_name()
    at_home = browser_of(core, ADDRESS, name, source=fresh_address())
    strangers = [Browser(ADDRESS, fresh_address()) for _ in range(20)]

    def guess(index):
        return strangers[index].log_in(name if index % 2 else fresh_name(), "wrong horse").status

    def log_in():
        time.sleep(0.3)
        began = time.monotonic()
        at_home.log_in(name).expect(200)
        took_at_most(began, 5)

    *guesses, _ = at_once(21, lambda i: guess(i) if i < 20 else log_in())
    assert set(guesses) <= {401, 429, 503}


def test_audit_tells_who_logged_in(core):
    name = fresh_name()
    browser = browser_of(core, ADDRESS, name, source=fresh_address())
    own = browser.ask("GET", "/self").expect(200)["id"]
    browser.log_in(name).expect(200)
    browser.ask("POST", "/logout").expect(204)
    rows = core.get("/internal/v1/audit?limit=200").expect(200)["records"]
    mine = [row for row in rows if row["target"]["id"] == own]
    assert [row["action"] for row in mine] == [
        "operator.end_session", "operator.login", "operator.password", "operator.create"]
    assert [row["actor"]["kind"] for row in mine] == ["operator", "operator", "operator", "root"]
    assert PASSWORD not in str(mine) and "hl_" not in str(mine)
