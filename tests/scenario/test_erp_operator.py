"""Contract section 5 "Operator operations": packages listed, shown, read, retried and released."""

import pytest

from harness import catalog
from harness.exchange import MISSING_ID, Operator
from harness.packages import CHANGES, SNAPSHOT, Desk, Sender, check_status, expect_acceptance
from harness.shapes import check_shape, parse_time
from harness.tools import eventually, fresh_key

CLOCK = True
SETTINGS = {"HERALD_ERP_MAX_ARCHIVE_SHARE": "0.5"}
DAY_S = 24 * 3600
def _is_text(value):
    return type(value) is str


DETAILS = {
    "integration_id": _is_text,
    "integration_name": _is_text,
    "environment": lambda value: value == "production",
    "receipt": lambda value: type(value) is int and value > 0,
    "generated_at": parse_time,
    "body_length": lambda value: type(value) is int,
    "next_attempt_at": lambda value: value is None or parse_time(value),
}


@pytest.fixture
def sender(site):
    return Sender.of(site)


@pytest.fixture
def desk(site, sender):
    return Desk.at(site, sender)


def check_details(record):
    """What an ERP may read, and what only the operator does."""
    check_status({name: record[name] for name in record if name not in DETAILS})
    check_shape({name: record[name] for name in record if name in DETAILS}, DETAILS)
    return record


def send_unknown(sender):
    """A package of changes that the catalog has no pair for; returns its event_id."""
    package = catalog.changes([catalog.stock_row(1, "nobody-has-it")])
    expect_acceptance(sender.changes(package), package["event_id"], "accepted")
    sender.wait_for(package["event_id"], "retry")
    return package["event_id"]


def fill(sender):
    """Packages of both types, applied and in retry; their event_ids, oldest first."""
    sent = []
    for index in range(6):
        package = catalog.snapshot() if index % 2 == 0 else catalog.changes([catalog.stock_row(index)])
        sender.apply(CHANGES if index % 2 else SNAPSHOT, package)
        sent.append(package["event_id"])
    return sent + [send_unknown(sender), send_unknown(sender)]


def listed(desk, **query):
    record = desk.packages(**query).expect(200)
    assert set(record) == {"events", "next_cursor"}
    return [check_details(row)["event_id"] for row in record["events"]]


# --- lists


def test_packages_are_listed_newest_first_and_by_pages(sender, desk):
    sent = fill(sender)
    assert listed(desk) == sent[::-1]
    for limit in (1, 3, 8, 200):
        pages, cursor = [], {}
        while True:
            record = desk.packages(limit=limit, **cursor).expect(200)
            assert len(record["events"]) <= limit
            pages += [row["event_id"] for row in record["events"]]
            if record["next_cursor"] is None:
                break
            cursor = {"cursor": record["next_cursor"]}
        assert pages == sent[::-1]


def test_pages_hold_still_while_packages_come_in(sender, desk):
    sent = fill(sender)
    first = desk.packages(limit=4).expect(200)
    sender.apply(SNAPSHOT, catalog.snapshot())
    second = desk.packages(limit=200, cursor=first["next_cursor"]).expect(200)
    rows = first["events"] + second["events"]
    assert [row["event_id"] for row in rows] == sent[::-1]


def test_filters(sender, desk):
    sent = fill(sender)
    snapshots = [sent[4], sent[2], sent[0]]
    deltas = [sent[7], sent[6], sent[5], sent[3], sent[1]]
    assert listed(desk, event_type="snapshot") == snapshots
    assert listed(desk, event_type="delta") == deltas
    assert listed(desk, status="retry") == [sent[7], sent[6]]
    assert listed(desk, status="applied") == sent[5::-1]
    assert listed(desk, status="applied", event_type="delta") == deltas[2:]
    assert listed(desk, status="retry", event_type="snapshot") == []
    for status in ("accepted", "processing", "failed"):
        assert listed(desk, status=status) == []
    page = desk.packages(event_type="delta", limit=2).expect(200)
    assert listed(desk, event_type="delta", limit=200, cursor=page["next_cursor"]) == deltas[2:]


@pytest.mark.parametrize("query", [
    {"limit": 0}, {"limit": 201}, {"limit": "x"}, {"limit": -1}, {"status": "done"}, {"status": ""},
    {"event_type": "changes"}, {"event_type": ""}, {"cursor": "?"}, {"cursor": "x" * 5000},
], ids=str)
def test_query_that_is_wrong(desk, query):
    desk.packages(**query).expect(422, "validation_error")


def test_cursor_past_the_end(sender, desk):
    sent = fill(sender)
    record = desk.packages(limit=len(sent)).expect(200)
    assert record["next_cursor"] is None


# --- one


def test_operator_reads_what_the_erp_reads_and_more(sender, desk):
    package = catalog.full_snapshot()
    sender.apply(SNAPSHOT, package)
    record = check_details(desk.package(package["event_id"]).expect(200))
    assert record["generated_at"] == package["generated_at"]
    assert record["body_length"] == len(catalog.encode(package))
    assert record["next_attempt_at"] is None
    told = sender.status(package["event_id"])
    assert {name: record[name] for name in told} == told


def test_package_in_retry_tells_its_rows_and_its_next_attempt(site, sender, desk):
    rows = [catalog.stock_row(1), catalog.stock_row(1, "no-product"),
            catalog.stock_row(1, "p-1", "no-variant")]
    sender.apply(SNAPSHOT, catalog.snapshot())
    package = catalog.changes(rows, [catalog.price_row(1, "no-product")])
    expect_acceptance(sender.changes(package), package["event_id"], "accepted")
    record = sender.wait_for(package["event_id"], "retry")
    found = {(row["list"], row["index"], row["product_id"], row["variant_id"])
             for row in record["errors"]}
    assert found == {("stocks", 1, "no-product", "v-1"), ("stocks", 2, "p-1", "no-variant"),
                     ("prices", 0, "no-product", "v-1")}
    told = check_details(desk.package(package["event_id"]).expect(200))
    wait_s = (parse_time(told["next_attempt_at"]) - parse_time(told["received_at"])).total_seconds()
    assert 4.5 <= wait_s <= 30 and told["attempts"] == 1


def test_up_to_a_hundred_rows_at_fault_are_kept(sender):
    package = catalog.changes([catalog.stock_row(1, f"no-{row}") for row in range(250)])
    expect_acceptance(sender.changes(package), package["event_id"], "accepted")
    assert len(sender.wait_for(package["event_id"], "retry")["errors"]) == 100


def test_body_is_byte_for_byte(sender, desk):
    package = catalog.full_snapshot()
    raws = [
        catalog.encode(package), b" \t\n" + catalog.encode(catalog.full_snapshot()) + b"\r\n ",
        catalog.padded(catalog.snapshot(), 3_000_000),
        catalog.encode(catalog.snapshot()).replace(b'"id":', b'"\\u0069d" : ').replace(
            b"10}", b"1.000e+1, \"x\":[1E400,-0.0,\"\\u00e9\\/\"]}"),
    ]
    for raw in raws:
        event_id = raw.split(b'"event_id":"')[1].split(b'"')[0].decode()
        sender.apply(SNAPSHOT, raw)
        reply = desk.body(event_id)
        assert reply.status == 200 and reply.body == raw
        assert reply.header("Content-Type").split(";")[0] == "application/json"
        assert desk.package(event_id).expect(200)["body_length"] == len(raw)


def test_what_is_not_there_is_404(site, sender, desk):
    sender.apply(SNAPSHOT, package := catalog.snapshot())
    operations = (desk.package, desk.body, desk.retry, desk.release)
    for operation in operations:
        operation("unknown").expect(404, "not_found")
        operation("x" * 300).expect(404, "not_found")
    other = Desk.at(site, Sender.of(site))
    for integration_id in (other.integration_id, MISSING_ID, "no-id"):
        stranger = Desk(desk.address, site.internal_key, integration_id)
        for ask in (stranger.package, stranger.body, stranger.retry, stranger.release):
            ask(package["event_id"]).expect(404, "not_found")
    for integration_id in (MISSING_ID, "no-id"):
        Desk(desk.address, site.internal_key, integration_id).packages().expect(404, "not_found")


def test_operations_are_for_the_internal_key(sender, desk, site):
    sender.apply(SNAPSHOT, package := catalog.snapshot())
    for key in (None, f"wrong-{fresh_key()}"):
        stranger = Desk(desk.address, key, desk.integration_id)
        stranger.source = sender.source
        stranger.headers = {"X-Internal-API-Key": key} if key else {}
        for ask in (stranger.packages, lambda: stranger.package(package["event_id"]),
                    lambda: stranger.body(package["event_id"])):
            ask().expect(401, "unauthorized")
    headers = {"Authorization": f"Bearer {sender.token}"}
    path = f"/internal/v1/integrations/{desk.integration_id}/events"
    sender.get(path, headers=headers).expect(401, "unauthorized")


# --- retry


def test_retry_of_what_is_not_failed_changes_nothing(sender, desk):
    sender.apply(SNAPSHOT, package := catalog.snapshot())
    record = sender.status(package["event_id"])
    desk.retry(package["event_id"]).expect(204)
    desk.retry(package["event_id"]).expect(204)
    assert sender.status(package["event_id"]) == record


def test_retries_end_after_a_day_and_an_operator_begins_them_anew(site, clock, sender, desk):
    sender.apply(SNAPSHOT, catalog.snapshot())
    event_id = send_unknown(sender)
    clock.advance(DAY_S + 60)
    sender.erp = Operator.of(site).new_erp(sender.erp.integration)
    sender = sender.at(site.address)
    sender.headers["Authorization"] = f"Bearer {sender.erp.fetch_token()}"
    record = sender.wait_for(event_id, "failed")
    assert record["processed_at"] and record["errors"] and record["last_error"]
    assert listed(desk, status="failed") == [event_id]
    assert desk.package(event_id).expect(200)["next_attempt_at"] is None
    desk.retry(event_id).expect(204)
    assert sender.wait_for(event_id, "retry")["attempts"] > record["attempts"]
    assert listed(desk, status="failed") == []
    sender.apply(SNAPSHOT, catalog.snapshot([catalog.product(), catalog.product("nobody-has-it")]))
    assert sender.wait_for(event_id)["status"] == "applied"


# --- the safety brake


def archive(sender, live, kept):
    """`live` products, then a snapshot of the first `kept` of them; its event_id."""
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(live)))
    package = catalog.snapshot(catalog.numbered_products(kept))
    expect_acceptance(sender.snapshot(package), package["event_id"], "accepted")
    return package["event_id"]


def count_live(desk):
    count, cursor = 0, {}
    while True:
        record = desk.products(archived="false", limit=200, **cursor).expect(200)
        count += len(record["products"])
        if record["next_cursor"] is None:
            return count
        cursor = {"cursor": record["next_cursor"]}


@pytest.mark.parametrize("live, kept", [
    (19, 0),     # all of them, but never below 20 products
    (30, 11),    # 19 of 30, the same
    (40, 20),    # half
    (41, 21),    # less than half
    (100, 50),   # half
    (101, 51),   # 50 of 101: less than half
])
def test_snapshot_within_the_limit_is_applied(sender, desk, live, kept):
    event_id = archive(sender, live, kept)
    record = sender.wait_for(event_id)
    assert record["result"]["products"]["archived"] == live - kept
    assert count_live(desk) == kept


@pytest.mark.parametrize("live, kept", [
    (20, 0), (21, 0), (30, 10), (40, 19), (41, 20), (100, 49), (101, 50), (60, 0),
])
def test_snapshot_beyond_the_limit_waits_for_its_release(sender, desk, live, kept):
    event_id = archive(sender, live, kept)
    record = sender.wait_for(event_id, "failed", "applied")
    assert (record["status"], record["last_error"]) == ("failed", "archive_limit")
    row, = record["errors"]
    assert (row["list"], row["index"]) == ("products", 0)
    most = max(live // 2, 19)
    assert f"{live - kept} of {live} live products" in row["message"]
    assert f"the limit is {most}, a share of 0.5." in row["message"]
    assert count_live(desk) == live
    desk.release(event_id).expect(204)
    record = sender.wait_for(event_id)
    assert record["result"]["products"]["archived"] == live - kept
    assert record["last_error"] is None
    assert count_live(desk) == kept
    desk.release(event_id).expect(204)
    assert sender.status(event_id) == record


def test_first_snapshot_is_never_held(sender, desk):
    sender.apply(SNAPSHOT, catalog.snapshot([]))
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(50)))
    assert count_live(desk) == 50


def test_retry_without_a_release_fails_again(sender, desk):
    event_id = archive(sender, 40, 0)
    record = sender.wait_for(event_id, "failed")
    desk.retry(event_id).expect(204)
    again = eventually(
        lambda: (row := sender.status(event_id))["attempts"] > record["attempts"]
        and row["status"] == "failed" and row, 10)
    assert again and again["last_error"] == "archive_limit"
    assert count_live(desk) == 40


def test_held_snapshot_holds_nothing_else_back(sender, desk):
    event_id = archive(sender, 40, 1)
    sender.wait_for(event_id, "failed")
    sender.apply(CHANGES, catalog.changes([catalog.stock_row(3, "p-39", "v")]))
    assert desk.variants("p-39")["v"]["stock"] == 3
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(39, 11)))
    assert count_live(desk) == 39


def test_snapshot_that_is_released_late_undoes_nothing_newer(sender, desk):
    event_id = archive(sender, 40, 1)
    sender.wait_for(event_id, "failed")
    newer = catalog.snapshot(catalog.numbered_products(40, 12))
    sender.apply(SNAPSHOT, newer)
    desk.release(event_id).expect(204)
    sender.wait_for(event_id)
    assert count_live(desk) == 40
    assert desk.variants("p-0")["v"]["price"] == 12


def test_archived_products_do_not_count_as_live(sender, desk):
    archive(sender, 38, 19)
    package = catalog.snapshot([])  # 19 of 19 live ones
    record = sender.apply(SNAPSHOT, package)
    assert record["result"]["products"]["archived"] == 19 and count_live(desk) == 0


def test_products_that_come_in_do_not_outweigh_those_that_go(sender):
    """The share is of the products that were live before."""
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(40)))
    package = catalog.snapshot([catalog.product(f"new-{row}") for row in range(400)])
    expect_acceptance(sender.snapshot(package), package["event_id"], "accepted")
    record = sender.wait_for(package["event_id"], "failed", "applied")
    assert record["last_error"] == "archive_limit"
