"""Packages on their way in and in the hands of an operator: what the contract leaves to herald.

How many large bodies are taken at once, callers that leave, `herald admin packages`.
"""

import contextlib
import json
import socket
import subprocess
import time

import pytest

from harness import catalog
from harness.http import RawConnection
from harness.packages import (
    BODY_MAX, CHANGES, SNAPSHOT, Desk, Sender, event_id_of, expect_acceptance,
)
from harness.site import BINARY
from harness.tools import eventually
from test_admin import Admin, facts, rows_of

SETTINGS = {"HERALD_ERP_MAX_ARCHIVE_SHARE": "0.5"}
LARGE = 256 * 1024 + 1
LARGE_BODIES_OF_ONE = 4


@pytest.fixture
def sender(site):
    return Sender.of(site)


@pytest.fixture
def desk(site, sender):
    return Desk.at(site, sender)


@pytest.fixture
def admin(site):
    return Admin(site)


def padded(package, length):
    """The package as JSON of exactly so many bytes."""
    text = catalog.encode(package)
    assert len(text) <= length
    return text + b" " * (length - len(text))


# --- on their way in


def test_body_of_25_mib_comes_back_byte_for_byte(sender, desk, admin):
    text = padded(catalog.changes(), BODY_MAX)
    event_id = event_id_of(text)
    expect_acceptance(sender.changes(text), event_id, "accepted")
    reply = desk.body(event_id)
    assert (reply.status, reply.header("Content-Type")) == (200, "application/json")
    assert reply.body == text
    assert desk.package(event_id).expect(200)["body_length"] == BODY_MAX
    shown = subprocess.run(
        [BINARY, "admin", "packages", "body", sender.integration_id, event_id],
        cwd=admin.site.home, env=admin.site.environment(admin.changes), capture_output=True,
        timeout=30, check=True)
    assert shown.stdout == text


@pytest.mark.parametrize("kind", [SNAPSHOT, CHANGES])
def test_byte_order_mark_is_passed_and_kept(sender, desk, kind):
    """Contract, section 1 "Bodies": only before a package, in both readings, and when it is applied."""
    mark = "\ufeff".encode()
    if kind == CHANGES:
        sender.apply(SNAPSHOT, catalog.snapshot([catalog.product("p", [catalog.variant("v")])]))
        package = catalog.changes(prices=[catalog.price_row(7, "p", "v")])
    else:
        package = catalog.snapshot([catalog.product("p", [catalog.variant("v", 7)],
                                                    category_id="c-1")], [catalog.category()])
        package["categories"] = package.pop("categories")  # behind the products: read a second time
    text, event_id = mark + catalog.encode(package), package["event_id"]
    expect_acceptance(sender.send(kind, text, key=event_id), event_id, "accepted")
    sender.wait_for(event_id)
    assert desk.variants("p")["v"]["price"] == 7
    assert desk.body(event_id).body == text
    reply = sender.send(kind, mark + text, key=event_id)
    assert reply.expect(422)["detail"][0]["loc"] == ["body", 3]
    raw = mark + json.dumps({"name": "A client"}).encode()
    desk.request("POST", f"/internal/v1/integrations/{sender.integration_id}/clients", raw=raw,
                 headers={"Content-Type": "application/json"}).expect(422, "validation_error")


def open_large(stack, sender, key="none"):
    """A connection on which a large body has begun."""
    connection = stack.enter_context(sender.connection())
    connection.send(
        sender.head(SNAPSHOT, f"Content-Length: {LARGE}", "Expect: 100-continue", key=key))
    assert connection.read_reply().status == 100
    return connection


def test_large_bodies_are_taken_a_few_at_once(site, sender):
    package = catalog.snapshot()
    text = padded(package, LARGE)
    stranger = Sender.of(site)
    with contextlib.ExitStack() as stack:
        others = [open_large(stack, sender, package["event_id"])
                  for _ in range(LARGE_BODIES_OF_ONE)]
        sender.snapshot(text).expect(503, "overloaded")
        stranger.snapshot(padded(catalog.snapshot(), LARGE)).expect(202)
        sender.apply(SNAPSHOT, catalog.snapshot())
        others[0].send(text)
        expect_acceptance(others[0].read_reply(), package["event_id"], "accepted")
    assert eventually(lambda: sender.snapshot(text).status == 202, 10, 0.05)


def test_two_integrations_do_not_keep_a_third_one_out(site):
    """Contract, section 5. Four slow uploads of each hold all places; one of them is ended."""
    packages = {Sender.of(site): [catalog.snapshot() for _ in range(LARGE_BODIES_OF_ONE)]
                for _ in range(2)}
    stranger = Sender.of(site)
    with contextlib.ExitStack() as stack:
        uploads = [(package, open_large(stack, sender, package["event_id"]))
                   for sender, rows in packages.items() for package in rows]
        stranger.snapshot(padded(catalog.snapshot(), BODY_MAX)).expect(202)
        ended = [upload for _, upload in uploads if upload.has_answer(0.2)]
        assert len(ended) == 1
        reply = ended[0].read_reply()
        assert reply.expect(503, "overloaded") and reply.retry_after >= 1
        for package, upload in uploads:
            if upload in ended:
                continue
            upload.send(padded(package, LARGE))
            expect_acceptance(upload.read_reply(), package["event_id"], "accepted")


def test_slow_uploads_keep_nobody_out(site):
    """One of each integration: slow is who sent less than 32 KiB/s for 10 s, and was no such yet."""
    with contextlib.ExitStack() as stack:
        uploads = [open_large(stack, Sender.of(site)) for _ in range(8)]
        fresh = Sender.of(site)
        fresh.snapshot(padded(catalog.snapshot(), LARGE)).expect(503, "overloaded")
        for _ in range(22):
            time.sleep(0.5)
            for upload in uploads:
                upload.send(b" " * 10_000)
        fresh.snapshot(padded(catalog.snapshot(), LARGE)).expect(202)
        assert sum(upload.has_answer(0.2) for upload in uploads) == 1


def test_chunked_body_that_grows_large_is_counted_too(sender):
    package = catalog.snapshot()
    chunk = padded(package, LARGE)
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(chunk), chunk)
    head = sender.head(SNAPSHOT, "Transfer-Encoding: chunked", key=package["event_id"])

    def send_chunked():
        with sender.connection() as connection:
            connection.send(head + chunked)
            return connection.read_reply().status

    with contextlib.ExitStack() as stack:
        for _ in range(LARGE_BODIES_OF_ONE):
            open_large(stack, sender)
        assert send_chunked() == 503
    assert eventually(lambda: send_chunked() == 202, 10, 0.05)


def test_package_of_a_caller_that_left_is_whole_or_not_there(sender, desk):
    whole, cut = catalog.snapshot(), catalog.snapshot()
    for package, missing in ((whole, 0), (cut, 1)):
        text = catalog.encode(package)
        with sender.connection() as connection:
            connection.send(
                sender.head(SNAPSHOT, f"Content-Length: {len(text)}", key=package["event_id"])
                + text[:len(text) - missing])
            connection.socket.shutdown(socket.SHUT_RDWR)
    assert eventually(lambda: sender.event(whole["event_id"]).status == 200, 10, 0.02)
    sender.wait_for(whole["event_id"])
    sender.event(cut["event_id"]).expect(404, "not_found")
    assert desk.body(whole["event_id"]).body == catalog.encode(whole)


def test_rest_of_a_body_that_is_no_json_is_not_read(sender):
    with sender.connection() as connection:
        connection.send(sender.head(CHANGES, f"Content-Length: {BODY_MAX}") + b"[}")
        reply = connection.read_reply()
    assert reply.status == 422
    row, = json.loads(reply.body)["detail"]
    assert (row["type"], row["loc"]) == ("json_invalid", ["body", 1])


def test_token_of_another_integration_is_told_before_any_size(site, sender):
    with RawConnection(sender.address) as connection:
        other = Sender.of(site)
        connection.send(sender.head(CHANGES, f"Content-Length: {BODY_MAX + 1}", token=other.token))
        reply = connection.read_reply()
    assert (reply.status, reply.code) == (403, "integration_mismatch")


# --- from the command line


def test_snapshot_that_archives_too_much_is_released(sender, desk, admin):
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(50)))
    small = catalog.snapshot(catalog.numbered_products(5), event_id="night / 1%2F")
    expect_acceptance(sender.snapshot(small), small["event_id"], "accepted")
    assert sender.wait_for(small["event_id"], "failed")["last_error"] == "archive_limit"
    place = (sender.integration_id, small["event_id"])

    row, = rows_of(admin("packages", "list", sender.integration_id, "--status", "failed"))
    assert (row["EVENT_ID"], row["STATUS"], row["ERROR"]) == (
        small["event_id"], "failed", "archive_limit")
    shown = admin("packages", "show", *place)
    assert facts(shown)["last_error"] == "archive_limit"
    assert "45 of 50 live products" in shown
    command = f"herald admin packages release {sender.integration_id} 'night / 1%2F'"
    assert command in shown.splitlines()[-1]
    found = eventually(lambda: desk.get("/internal/v1/logs?q=45+of+50+LIVE").expect(200)["entries"])
    fields = found[0]["fields"]
    assert (fields["error"], fields["command"]) == ("archive_limit", command)
    assert admin("packages", "body", *place) == catalog.encode(small).decode()

    admin("packages", "retry", *place)
    assert eventually(lambda: sender.status(small["event_id"])["attempts"] == 2, 10, 0.02)
    sender.wait_for(small["event_id"], "failed")
    admin("packages", "release", *place)
    assert sender.wait_for(small["event_id"])["result"]["products"]["archived"] == 45
    assert "archived" in admin("packages", "show", *place).lower()
    admin("packages", "release", *place)
    assert desk.package(small["event_id"]).expect(200)["status"] == "applied"


@pytest.mark.parametrize("event_id", ["-1", "--json", "--", ".", "..", "../-/%2e%2E"])
def test_whatever_the_id_a_package_can_be_named(sender, admin, event_id):
    package = catalog.changes(event_id=event_id)
    expect_acceptance(sender.changes(package), event_id, "accepted")
    sender.wait_for(event_id, "retry")
    place = ("--", sender.integration_id, event_id)
    assert facts(admin("packages", "show", *place))["event_id"] == event_id
    assert admin("packages", "body", *place) == catalog.encode(package).decode()
    admin("packages", "retry", *place)
    admin("packages", "release", *place)


def test_packages_are_listed_from_the_newest_on(sender, admin):
    sent = [catalog.snapshot(), *(catalog.changes() for _ in range(4))]
    for package in sent:
        sender.apply(SNAPSHOT if "products" in package else CHANGES, package)
    newest = [package["event_id"] for package in reversed(sent)]

    text = admin("packages", "list", sender.integration_id, "--limit", "2")
    table, rest = text.split("\n\n")
    assert [row["EVENT_ID"] for row in rows_of(table)] == newest[:2]
    cursor = rest.split("--cursor ")[1].strip()
    page = admin.json("packages", "list", sender.integration_id, "--cursor", cursor)
    assert [row["event_id"] for row in page["packages"]] == newest[2:]
    assert page["next_cursor"] is None
    rows = rows_of(admin("packages", "list", sender.integration_id, "--type", "snapshot"))
    assert [row["EVENT_ID"] for row in rows] == newest[-1:]
    assert admin("packages", "list", sender.integration_id, "--status", "retry") == (
        "There is no such package.\n")


@pytest.mark.parametrize("event_id", ["-x", "--help", "--", "..", ".", "a/b", "%2e"])
def test_package_of_any_event_id_is_shown(sender, admin, event_id):
    sender.apply(SNAPSHOT, catalog.snapshot(event_id=event_id))
    shown = admin("packages", "show", "--json", "--", sender.integration_id, event_id)
    assert json.loads(shown)["event_id"] == event_id


def test_commands_about_packages_that_are_not_there(sender, admin):
    for word in ("show", "body", "retry", "release"):
        admin.refuse("packages", word, sender.integration_id, "none", says="no such package")
    admin.refuse("packages", "list", sender.integration_id, "--status", "lost", says="--status")
    admin.refuse("packages", "list", sender.integration_id, "--cursor", "x", says="--cursor")
