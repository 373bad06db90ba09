"""Doc B section 4 rules 1 to 3, contract section 5: the order of checks, keys, repeats, the status.

Each check comes before the next one: token, scope, claims, size, JSON, Idempotency-Key = event_id,
repeat, content. What can be told from the head of a request is told before its body is read.
"""

import gzip
import itertools
import re

import pytest

from harness import catalog
from harness.exchange import fresh_source
from harness.faults import expect_faults, fault_at
from harness.http import RawConnection, check_conventions
from harness.packages import (
    BODY_MAX, CHANGES, SNAPSHOT, Desk, Sender, expect_acceptance, package_path,
)

KINDS = {SNAPSHOT: catalog.snapshot, CHANGES: catalog.changes}
EVENT_TYPES = {SNAPSHOT: "snapshot", CHANGES: "delta"}
SCOPES = {SNAPSHOT: "erp.catalog.write", CHANGES: "erp.changes.write"}
HEAD_TIMEOUT_S = 10


@pytest.fixture(scope="module")
def other(site):
    """The ERP of another sales point."""
    return Sender.of(site)


@pytest.fixture(scope="module")
def reader(site, sender):
    """A client of the same integration that may only ask for events."""
    token = sender.erp.fetch_token(scope="erp.events.read")
    return Sender(sender.address, token, sender.integration_id)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def other_kind(kind):
    return next(name for name in KINDS if name != kind)


def expect_key_fault(reply):
    """Doc B, section 4, rule 1."""
    error = reply.expect(422, "validation_error")["error"]
    said = [error["message"], *(row["message"] for row in error["fields"])]
    assert any(re.search(r"equal.*event_id", text) for text in said), f"{reply}"


# --- accepted


def test_package_is_accepted_and_its_status_can_be_asked(sender, kind):
    sender.apply(SNAPSHOT, catalog.snapshot())
    package = KINDS[kind]()
    expect_acceptance(sender.send(kind, package), package["event_id"], "accepted")
    record = sender.wait_for(package["event_id"])
    assert record["event_id"] == package["event_id"]
    assert record["event_type"] == EVENT_TYPES[kind]
    assert record["attempts"] == 1 and record["last_error"] is None
    assert record["received_at"] <= record["processed_at"]


def test_repeat_is_a_duplicate_whatever_became_of_the_first(sender, kind):
    sender.apply(SNAPSHOT, catalog.snapshot())
    package = KINDS[kind]()
    for status in ("accepted", "duplicate", "duplicate"):
        expect_acceptance(sender.send(kind, package), package["event_id"], status)
    record = sender.wait_for(package["event_id"])
    expect_acceptance(sender.send(kind, package), package["event_id"], "duplicate")
    assert sender.status(package["event_id"]) == record


def test_repeat_of_a_package_in_retry_is_a_duplicate(sender):
    sender.apply(SNAPSHOT, catalog.snapshot())
    package = catalog.changes([catalog.stock_row(1, "unknown")])
    expect_acceptance(sender.changes(package), package["event_id"], "accepted")
    sender.wait_for(package["event_id"], "retry")
    expect_acceptance(sender.changes(package), package["event_id"], "duplicate")
    assert sender.status(package["event_id"])["status"] == "retry"


def test_same_event_id_of_another_integration_is_another_package(sender, other, kind):
    package = KINDS[kind]()
    for erp in (sender, other):
        expect_acceptance(erp.send(kind, package), package["event_id"], "accepted")


def test_unknown_properties_are_read_over_everywhere(sender):
    def dress(node):
        if isinstance(node, dict):
            extra = {"x_unknown": [1, {"deep": None}], "id2": "?", "": 1.5e300}
            return {name: dress(value) for name, value in node.items()} | extra
        return [dress(row) for row in node] if isinstance(node, list) else node

    sender.apply(SNAPSHOT, dress(catalog.full_snapshot()))
    sender.apply(CHANGES, dress(catalog.changes([catalog.stock_row(1, "plain", "plain-v")])))


# --- repeats


def test_content_of_a_repeat_is_not_looked_at(site, sender, kind):
    package = KINDS[kind]()
    event_id = package["event_id"]
    expect_acceptance(sender.send(kind, package), event_id, "accepted")
    bodies = [{"event_id": event_id}, {"event_id": event_id, "products": 5, "stocks": "x"},
              KINDS[kind](event_id=event_id, generated_at=None),
              catalog.full_snapshot(event_id=event_id), catalog.changes([], event_id=event_id)]
    for body in bodies:
        for sent_as in KINDS:
            expect_acceptance(sender.send(sent_as, body), event_id, "duplicate")
    assert sender.status(event_id)["event_type"] == EVENT_TYPES[kind]
    assert Desk.at(site, sender).body(event_id).body == catalog.encode(package)


def test_repeat_is_checked_as_far_as_its_key(sender, reader, kind):
    package = KINDS[kind]()
    event_id = package["event_id"]
    expect_acceptance(sender.send(kind, package), event_id, "accepted")
    broken = catalog.encode(package)[:-1]
    expect_faults(sender.send(kind, broken), ("json_invalid", len(broken)))
    expect_key_fault(sender.send(kind, package, key="another"))
    reader.send(kind, package).expect(403, "insufficient_scope")
    coded = sender.send(kind, package, headers={"Content-Encoding": "gzip"})
    coded.expect(415, "unsupported_media_type")


def test_refused_package_is_not_remembered(sender, kind):
    package = KINDS[kind]()
    event_id = package["event_id"]
    sender.send(kind, catalog.without(package, "generated_at")).expect(422)
    sender.event(event_id).expect(404, "not_found")
    expect_acceptance(sender.send(kind, package), event_id, "accepted")


# --- Idempotency-Key


def test_key_must_equal_the_event_id(sender, kind):
    package = KINDS[kind]()
    event_id = package["event_id"]
    for key in (None, "", " ", "other", event_id[:-1], event_id + "x", event_id.upper(),
                f'"{event_id}"', "k" * 200, "k" * 201):
        expect_key_fault(sender.send(kind, package, key=key))
    sender.event(event_id).expect(404)


def test_key_may_stand_there_once(sender, kind):
    package = KINDS[kind]()
    body, event_id = catalog.encode(package), package["event_id"]
    for second in (event_id, "other"):
        with sender.connection(timeout=HEAD_TIMEOUT_S) as connection:
            extra = [f"Idempotency-Key: {second}", f"Content-Length: {len(body)}"]
            connection.send(sender.head(kind, *extra, key=event_id) + body)
            reply = connection.read_reply(f"POST {package_path(sender.integration_id, kind)}")
            check_conventions(reply)
            expect_key_fault(reply)
    sender.event(event_id).expect(404)


def test_white_space_around_the_key_is_not_of_it(sender, kind):
    package = KINDS[kind]()
    padded = f"  {package['event_id']} "
    expect_acceptance(sender.send(kind, package, key=padded), package["event_id"], "accepted")


def test_event_id_is_compared_as_it_is_meant(sender, kind):
    """An escape is the character that it stands for."""
    package = KINDS[kind](event_id="escaped-" + catalog.fresh_event_id())
    raw = catalog.encode(package).replace(b'"escaped-', b'"\\u0065sc\\u0061ped-')
    assert raw != catalog.encode(package)
    event_id = package["event_id"]
    expect_acceptance(sender.send(kind, raw, key=event_id), event_id, "accepted")
    expect_acceptance(sender.send(kind, package), event_id, "duplicate")


def test_event_id_may_come_last(sender, kind):
    package = KINDS[kind]()
    event_id = package["event_id"]
    turned = catalog.without(package, "event_id") | {"event_id": event_id}
    assert list(turned)[-1] == "event_id"
    expect_key_fault(sender.send(kind, turned, key="another"))
    expect_acceptance(sender.send(kind, turned), event_id, "accepted")
    expect_acceptance(sender.send(kind, turned), event_id, "duplicate")


@pytest.mark.parametrize("value", [None, 5, True, [], {}], ids=repr)
def test_event_id_that_is_no_text_is_a_fault_of_the_content(sender, kind, value):
    reply = sender.send(kind, KINDS[kind](event_id=value), key="5")
    assert fault_at(reply, "event_id")["type"] == "string_type"


def test_event_id_that_is_missing_is_a_fault_of_the_content(sender, kind):
    reply = sender.send(kind, catalog.without(KINDS[kind](), "event_id"), key="5")
    assert fault_at(reply, "event_id")["type"] == "missing"


# --- the order


CHECKS = {
    "token": (401, "unauthorized"),
    "scope": (403, "insufficient_scope"),
    "claims": (403, "integration_mismatch"),
    "size": (413, "payload_too_large"),
    "json": (422, None),
    "key": (422, "validation_error"),
    "content": (422, None),
}


def request_with(sender, reader, other, kind, wrong):
    """The bytes of a request in which these things are wrong."""
    package = KINDS[kind]()
    if "content" in wrong:
        package = catalog.without(package, "generated_at")
    body = catalog.encode(package)
    if "json" in wrong:
        body = body[:-1]
    length = BODY_MAX + 1 if "size" in wrong else len(body)
    talker = reader if "scope" in wrong else sender
    key = "another" if "key" in wrong else package["event_id"]
    token = talker.token[:-8] + "AAAAAAAA" if "token" in wrong else talker.token
    head = talker.head(kind, f"Content-Length: {length}", key=key, token=token)
    if "claims" in wrong:
        head = head.replace(sender.integration_id.encode(), other.integration_id.encode())
    return head if "size" in wrong else head + body


@pytest.mark.parametrize("wrong", [*itertools.combinations(CHECKS, 2), tuple(CHECKS)],
                         ids="-".join)
def test_earlier_check_answers(sender, reader, other, kind, wrong):
    with RawConnection(sender.address, fresh_source(), HEAD_TIMEOUT_S) as connection:
        connection.send(request_with(sender, reader, other, kind, wrong))
        reply = connection.read_reply(f"POST {package_path(sender.integration_id, kind)}")
    check_conventions(reply)
    status, code = CHECKS[wrong[0]]
    assert reply.status == status, f"{wrong}: {reply}"
    if code:
        reply.expect(status, code)
    else:
        assert reply.json["detail"][0]["type"] == "json_invalid", f"{wrong}: {reply}"
    if status == 401:
        assert 'error="invalid_token"' in reply.header("WWW-Authenticate")


# --- before the body


HEADS = [
    ({}, ["Content-Length: 26214401"], 413),
    ({}, ["Content-Length: 999999999999"], 413),
    ({"token": "nonsense"}, ["Content-Length: 1000"], 401),
    ({"token": "nonsense"}, ["Transfer-Encoding: chunked"], 401),
    ({}, ["Content-Length: 1000", "Content-Encoding: gzip"], 415),
]


@pytest.mark.parametrize("options, extra, status", HEADS, ids=str)
def test_head_is_answered_before_its_body_is_sent(sender, kind, options, extra, status):
    with RawConnection(sender.address, fresh_source(), HEAD_TIMEOUT_S) as connection:
        connection.send(sender.head(kind, *extra, **options))
        reply = connection.read_reply(f"POST {package_path(sender.integration_id, kind)}")
        check_conventions(reply)
        assert reply.status == status, f"{reply}"


def test_expected_body_is_asked_for_only_when_it_is_wanted(sender, kind):
    package = KINDS[kind]()
    body = catalog.encode(package)
    for length, status in ((BODY_MAX + 1, 413), (len(body), 100)):
        with sender.connection(timeout=HEAD_TIMEOUT_S) as connection:
            extra = [f"Content-Length: {length}", "Expect: 100-continue"]
            connection.send(sender.head(kind, *extra, key=package["event_id"]))
            assert connection.read_reply().status == status
            if status == 100:
                connection.send(body)
                expect_acceptance(connection.read_reply(), package["event_id"], "accepted")


# --- media type, coding, token


@pytest.mark.parametrize("media_type", [
    "text/plain", "application/x-www-form-urlencoded", "application/json-patch+json", "json", "",
    None, "application/json; charset=windows-1251", 'Application/JSON; CHARSET="Windows-1251"',
])
def test_other_media_types_are_415(sender, kind, media_type):
    reply = sender.send(kind, KINDS[kind](), headers={"Content-Type": media_type})
    reply.expect(415, "unsupported_media_type")


def test_unknown_query_parameter_is_422(sender, kind):
    """Contract, section 1, Strictness: told after the token, and nothing is stored."""
    package = KINDS[kind]()
    path = package_path(sender.integration_id, kind)
    reply = sender.send(kind, package, path=f"{path}?dry_run=true")
    reply.expect(422, "validation_error")
    assert reply.fault_paths == ["dry_run"]
    wrong = sender.send(kind, package, path=f"{path}?dry_run=true",
                        headers={"Authorization": "Bearer wrong"})
    wrong.expect(401, "unauthorized")
    event = sender.get(f"{path.rsplit('/', 1)[0]}/events/none?colour=red")
    event.expect(422, "validation_error")
    expect_acceptance(sender.send(kind, package), package["event_id"], "accepted")


@pytest.mark.parametrize("media_type", [
    "application/json; charset=utf-8", "Application/JSON", 'application/json;charset="UTF-8"',
])
def test_json_is_taken(sender, kind, media_type):
    reply = sender.send(kind, KINDS[kind](), headers={"Content-Type": media_type})
    reply.expect(202)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "identity"])
def test_any_content_encoding_is_415(sender, kind, coding):
    package = KINDS[kind]()
    for raw in (catalog.encode(package), gzip.compress(catalog.encode(package))):
        headers = {"Content-Encoding": coding}
        reply = sender.send(kind, raw, key=package["event_id"], headers=headers)
        reply.expect(415, "unsupported_media_type")
    sender.event(package["event_id"]).expect(404)


def test_token_in_the_address_is_never_taken(sender, kind):
    package = KINDS[kind]()
    for name in ("access_token", "token", "bearer"):
        path = f"{package_path(sender.integration_id, kind)}?{name}={sender.token}"
        stranger = Sender(sender.address, None, sender.integration_id)
        reply = stranger.send(kind, package, path=path)
        reply.expect(401, "unauthorized")
    sender.event(package["event_id"]).expect(404)


def test_each_operation_has_its_scope(sender, kind):
    package = KINDS[kind]()
    for scope in SCOPES.values():
        token = sender.erp.fetch_token(scope=scope)
        holder = Sender(sender.address, token, sender.integration_id)
        reply = holder.send(kind, package)
        if scope == SCOPES[kind]:
            expect_acceptance(reply, package["event_id"], "accepted")
        else:
            reply.expect(403, "insufficient_scope")
        holder.event(package["event_id"]).expect(403, "insufficient_scope")


def test_other_methods_are_405(sender, kind):
    path = package_path(sender.integration_id, kind)
    for method in ("GET", "PUT", "DELETE", "PATCH"):
        reply = sender.request(method, path)
        reply.expect(405, "method_not_allowed")
        assert reply.header("Allow") == "POST"


# --- the status


@pytest.mark.parametrize("event_id", [
    "catalog:2026-11-21T04:33:00+03:00", "a/b/c", "..", ".", "x?y=1#z", "%2F%00", "a+b&c=d",
    "events/x/body", "x/retry", "~!@$^*()_-={}[]|;',<>`", "\\", "0", "k" * 128,
])
def test_any_visible_event_id_can_be_asked_for(site, other, event_id):
    package = catalog.snapshot(event_id=event_id)
    other.apply(SNAPSHOT, package)
    assert other.status(event_id)["event_id"] == event_id
    desk = Desk.at(site, other)
    assert desk.package(event_id).expect(200)["event_id"] == event_id
    assert desk.body(event_id).body == catalog.encode(package)


def test_unknown_event_is_404(sender, other):
    package = catalog.snapshot()
    expect_acceptance(other.snapshot(package), package["event_id"], "accepted")
    for event_id in ("none", package["event_id"], "x" * 128, "x" * 129, "x" * 2000, "\x00", "ъ"):
        sender.event(event_id).expect(404, "not_found")


def test_head_of_a_status(sender):
    package = catalog.snapshot()
    sender.apply(SNAPSHOT, package)
    path = sender.erp.event_path(package["event_id"])
    assert sender.request("HEAD", path).expect(200) is None
