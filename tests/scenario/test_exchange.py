"""Contract section 4 and 5: how the exchange of each point stands, and what was refused of it."""

import pytest

from harness import catalog
from harness.exchange import Operator
from harness.orders import FAILURES_IN_A_ROW, HEALTHY, ORDER_SETTINGS, PROBE_S, Shop, accept_all
from harness.orders import http_answer, refuse_all
from harness.packages import CHANGES, SNAPSHOT, Sender, expect_acceptance
from harness.shapes import INTEGRATION, check_shape, parse_time
from harness.tools import eventually, fresh_key
from test_command_line import COLUMNS, run_in_terminal, width_of

SETTINGS = ORDER_SETTINGS | {"HERALD_ERP_MAX_ARCHIVE_SHARE": "0.5"}
CLOCK = True
NOTHING = {
    "last_snapshot_at": None, "last_change_at": None, "waiting": 0, "failed": 0,
    "orders_waiting": 0, "oldest_order_at": None,
    "circuit": {"state": "closed", "since": None, "next_probe_at": None, "last_error": None},
}


@pytest.fixture
def operator(site):
    return Operator.of(site)


def exchange_of(operator, integration_id):
    record = check_shape(operator.integration(integration_id).expect(200), INTEGRATION)
    return record["exchange"]


def listed(operator, query=""):
    """The ids of a list, page by page."""
    ids, cursor = [], ""
    while True:
        page = operator.integrations(f"?{query}{cursor}").expect(200)
        ids += [check_shape(row, INTEGRATION)["id"] for row in page["integrations"]]
        if page["next_cursor"] is None:
            return ids
        cursor = f"&cursor={page['next_cursor']}"


# --- the list of integrations


def test_list_is_filtered_by_name_id_and_state(operator):
    word = fresh_key()[:6]
    made = [operator.create_integration(name=f"{word} {name}").expect(201)
            for name in ("ТОЧКА 7", "точка 71", "Kiosk", "straße 7")]
    ids = [row["id"] for row in made]
    assert listed(operator, f"q={word}") == ids
    assert listed(operator, f"q={word}&limit=1") == ids
    assert listed(operator, f"q={word.upper()}%20%D1%82%D0%BE%D1%87%D0%BA%D0%B0") == ids[:2]
    assert listed(operator, f"q={word}%20kiosk") == [ids[2]]
    assert listed(operator, f"q={ids[1]}") == [ids[1]]
    assert listed(operator, f"q={made[3]['point_id'].upper()}") == [ids[3]]
    assert listed(operator, f"q={fresh_key()}") == []
    operator.change_integration(ids[0], enabled=False).expect(200)
    assert listed(operator, f"q={word}&enabled=false") == [ids[0]]
    assert listed(operator, f"q={word}&enabled=true&limit=2") == ids[1:]
    for query in ("enabled=maybe", "q=", "q=" + "x" * 201, "cursor=7", "limit=0"):
        operator.integrations(f"?{query}").expect(422, "validation_error")


# --- how the exchange stands


def test_new_integration_has_had_no_exchange(operator):
    made = operator.create_integration().expect(201)
    assert made["exchange"] == NOTHING == exchange_of(operator, made["id"])


def test_packages_are_told(site, operator):
    sender = Sender.of(site)

    def exchange():
        return exchange_of(operator, sender.integration_id)

    first = catalog.snapshot()
    sender.apply(SNAPSHOT, first)
    seen = exchange()
    assert seen["last_snapshot_at"] and seen["last_change_at"] is None
    sender.apply(CHANGES, catalog.changes([catalog.stock_row(1)]))
    changed = exchange()
    assert changed["last_snapshot_at"] == seen["last_snapshot_at"]
    assert parse_time(changed["last_change_at"]) >= parse_time(seen["last_snapshot_at"])
    assert (changed["waiting"], changed["failed"]) == (0, 0)
    unknown = catalog.changes([catalog.stock_row(1, "nobody-has-it")])
    expect_acceptance(sender.changes(unknown), unknown["event_id"], "accepted")
    sender.wait_for(unknown["event_id"], "retry")
    assert exchange()["waiting"] == 1
    assert exchange()["last_change_at"] == changed["last_change_at"], "it was not applied"
    rows = listed(operator, f"q={sender.integration_id}")
    assert rows == [sender.integration_id]


@pytest.fixture
def shop(site, erp):
    shop = Shop(site, erp)
    yield shop
    shop.close()


def open_circuit(shop, erp):
    erp.answer, erp.health = refuse_all, http_answer(b"", "401 Unauthorized")
    ids = [shop.placed() for _ in range(FAILURES_IN_A_ROW + 1)]
    assert eventually(lambda: len(erp.requests) >= FAILURES_IN_A_ROW, 10, 0.02)
    assert eventually(lambda: not shop.listed(state="delivering")[0], 5, 0.02)
    return ids


def test_circuit_of_orders_is_told_with_its_cause(site, operator, shop, erp):
    """Why orders wait can be read of the integration and of each of them (O4)."""
    ids = open_circuit(shop, erp)

    def circuit():
        return exchange_of(operator, shop.integration_id)["circuit"]

    assert eventually(lambda: circuit()["state"] == "open", 5, 0.05)
    opened = circuit()
    assert opened["last_error"].startswith("HTTP 5") and opened["since"]
    wait = parse_time(opened["next_probe_at"]) - parse_time(opened["since"])
    assert 0 < wait.total_seconds() <= PROBE_S
    stands = exchange_of(operator, shop.integration_id)
    assert stands["orders_waiting"] == len(ids)
    assert stands["oldest_order_at"] == shop.read(ids[0])["created_at"]
    shop.pass_time(PROBE_S + 1)
    assert eventually(lambda: circuit()["last_error"] == "GET /svc/v1/health: HTTP 401", 5, 0.05)
    assert circuit()["since"] == opened["since"], "it is the same trouble"
    assert circuit()["next_probe_at"] > opened["next_probe_at"]
    for order_id in ids:
        assert shop.read(order_id)["circuit"] == circuit()
    assert all(row["circuit"] == circuit() for row in shop.listed(state="queued")[0])

    erp.answer, erp.health = accept_all, HEALTHY
    shop.pass_time(PROBE_S + 1)
    assert eventually(lambda: not shop.listed(state="queued")[0], 20, 0.05)
    assert eventually(lambda: circuit() == NOTHING["circuit"], 5, 0.05)
    assert eventually(lambda: exchange_of(operator, shop.integration_id) == NOTHING, 5, 0.05)
    assert shop.read(ids[0])["circuit"] is None


def test_order_of_a_failing_but_closed_lane_shows_no_circuit(operator, shop, erp):
    erp.answer = refuse_all
    order_id = shop.placed()
    shop.wait_for_attempt(order_id, 1)
    assert shop.read(order_id)["circuit"] is None
    assert eventually(lambda: exchange_of(operator, shop.integration_id)["circuit"]["last_error"],
                      5, 0.05)
    circuit = exchange_of(operator, shop.integration_id)["circuit"]
    assert (circuit["state"], circuit["since"]) == ("closed", None)
    erp.answer = accept_all
    shop.pass_time(10)
    shop.wait_for(order_id, "accepted")
    assert eventually(lambda: exchange_of(operator, shop.integration_id) == NOTHING, 5, 0.05)


# --- packages of all integrations


def packages(operator, query=""):
    rows, cursor = [], ""
    while True:
        page = operator.get(f"/internal/v1/packages?{query}{cursor}").expect(200)
        assert set(page) == {"packages", "next_cursor"}
        rows += page["packages"]
        if page["next_cursor"] is None:
            return rows
        cursor = f"&cursor={page['next_cursor']}"


def test_packages_of_all_integrations_are_listed_newest_first(site, operator):
    senders, sent = [Sender.of(site) for _ in range(3)], []
    for index in range(4):
        for sender in senders:
            package = (catalog.snapshot() if index == 0
                       else catalog.changes([catalog.stock_row(index)]))
            sender.apply(CHANGES if index else SNAPSHOT, package)
            sent.append((sender.integration_id, package["event_id"]))
    unknown = catalog.changes([catalog.stock_row(1, "nobody-has-it")])
    expect_acceptance(senders[1].changes(unknown), unknown["event_id"], "accepted")
    senders[1].wait_for(unknown["event_id"], "retry")
    waits = (senders[1].integration_id, unknown["event_id"])
    ours = {sender.integration_id for sender in senders}

    def found(query):
        return [(row["integration_id"], row["event_id"]) for row in packages(operator, query)
                if row["integration_id"] in ours]

    for limit in (1, 5, 200):
        assert found(f"limit={limit}") == [waits, *sent[::-1]]
    snapshots = [pair for index, pair in enumerate(sent) if index < len(senders)]
    assert found("event_type=snapshot") == snapshots[::-1]
    assert found("status=retry") == [waits] == found("status=retry&event_type=delta&limit=1")
    assert found("status=applied&event_type=delta&limit=2") == sent[len(senders):][::-1]
    one = senders[0].integration_id
    assert found(f"integration_id={one}&limit=1") == [pair for pair in sent[::-1] if pair[0] == one]
    assert packages(operator, f"integration_id={fresh_key()}") == []
    row = packages(operator, "status=retry")[0]
    assert row["integration_name"] == "A sales point" and row["environment"] == "production"
    for query in ("cursor=1", "cursor=1.2.3", "status=lost", f"cursor=1.{one}", "limit=201"):
        operator.get(f"/internal/v1/packages?{query}").expect(422, "validation_error")


# --- packages that were refused


REFUSAL = {
    "id", "refused_at", "event_type", "event_id", "status", "code", "body_length", "request_id",
    "faults", "more",
}


@pytest.fixture
def sender(site):
    return Sender.of(site)


def refusals(operator, integration_id, query=""):
    page = operator.get(f"/internal/v1/integrations/{integration_id}/refusals{query}").expect(200)
    assert set(page) == {"refusals", "next_cursor"}
    for row in page["refusals"]:
        assert set(row) == REFUSAL and parse_time(row["refused_at"])
    return page["refusals"]


def wait_for_refusals(operator, sender, count):
    assert eventually(lambda: len(refusals(operator, sender.integration_id)) >= count, 5, 0.05)
    rows = refusals(operator, sender.integration_id)
    assert len(rows) == count
    return rows


def test_refused_package_is_remembered(operator, sender):
    package = catalog.snapshot() | {"generated_at": "yesterday"}
    reply = sender.snapshot(package)
    reply.expect(422)
    row, = wait_for_refusals(operator, sender, 1)
    assert (row["event_type"], row["event_id"]) == ("snapshot", package["event_id"])
    assert (row["status"], row["code"], row["more"]) == (422, "validation_error", 0)
    assert row["request_id"] == reply.header("X-Request-Id")
    assert row["body_length"] > 0
    told = reply.json["detail"]
    assert [(fault["type"], fault["loc"], fault["message"]) for fault in row["faults"]] == [
        (fault["type"], ".".join(map(str, fault["loc"][1:])), fault["msg"]) for fault in told]
    assert operator.get(
        f"/internal/v1/integrations/{sender.integration_id}/events").expect(200)["events"] == []


def test_each_kind_of_refusal_has_its_code(operator, sender):
    package = catalog.changes([catalog.stock_row(1)])
    sender.changes(package, key="another").expect(422)
    assert sender.send(CHANGES, b"{]", key="no-json").status == 422
    rows = wait_for_refusals(operator, sender, 2)
    assert [(row["status"], row["event_id"], row["event_type"]) for row in rows] == [
        (422, "no-json", "delta"), (422, package["event_id"], "delta")]
    assert [fault["loc"] for fault in rows[1]["faults"]] == ["Idempotency-Key"]
    assert [fault["type"] for fault in rows[0]["faults"]] == ["json_invalid"]


@pytest.mark.parametrize("event_id, shown", [
    ("+79161234567", "+7916***4567"), ("of +79161234567", "of +79161234567")])
def test_faults_are_cut_and_an_id_that_is_a_number_is_masked(operator, sender, event_id, shown):
    package = catalog.changes([{"product_id": 7} for _ in range(40)])
    package["event_id"] = event_id
    sender.changes(package).expect(422)
    row, = wait_for_refusals(operator, sender, 1)
    assert len(row["faults"]) == 20
    assert row["event_id"].split(" #")[0] == shown


def test_flood_of_refusals_is_a_few_rows(site, operator, sender):
    package = catalog.changes([])
    count = 60
    for _ in range(count):
        sender.changes(package).expect(422)
    good = catalog.snapshot()
    sender.apply(SNAPSHOT, good)

    def told():
        rows = refusals(operator, sender.integration_id, "?limit=200")
        return len(rows) + sum(row["more"] for row in rows)

    assert eventually(lambda: told() == count, 5, 0.1), told()
    assert len(refusals(operator, sender.integration_id, "?limit=200")) < count / 2


def test_refusals_come_in_pages_and_of_one_integration(site, operator, sender):
    other = Sender.of(site)
    packages_sent = [catalog.changes([]) for _ in range(3)]
    for package in packages_sent:
        sender.changes(package).expect(422)
    other.changes(catalog.changes([])).expect(422)
    rows = wait_for_refusals(operator, sender, 3)
    assert [row["event_id"] for row in rows] == [
        package["event_id"] for package in packages_sent[::-1]]
    path = f"/internal/v1/integrations/{sender.integration_id}/refusals"
    page = operator.get(f"{path}?limit=2").expect(200)
    assert page["refusals"] == rows[:2]
    rest = operator.get(f"{path}?limit=2&cursor={page['next_cursor']}").expect(200)
    assert (rest["refusals"], rest["next_cursor"]) == (rows[2:], None)
    wait_for_refusals(operator, other, 1)
    operator.get(f"/internal/v1/integrations/{fresh_key()}/refusals").expect(404, "not_found")
    operator.get(f"{path}?cursor=x").expect(422, "validation_error")


def test_wrong_tokens_leave_no_refusal(site, operator, sender):
    """A token of another integration, or none, is no business of this one."""
    other = Sender.of(site)
    package = catalog.changes([])
    path = f"/api/v1/integrations/erp/{sender.integration_id}/changes"
    assert other.send(CHANGES, package, path=path).status == 403
    sender.changes(package).expect(422)
    wait_for_refusals(operator, sender, 1)
    assert refusals(operator, other.integration_id) == []


def test_newest_hundred_are_kept(operator, sender, clock):
    sent = []
    for _ in range(35):
        for _ in range(3):
            sent.append(catalog.changes([]))
            sender.changes(sent[-1]).expect(422)
        clock.advance(2, is_monotonic_too=True)

    def kept():
        return [row["event_id"] for row in refusals(operator, sender.integration_id, "?limit=200")]

    wanted = [package["event_id"] for package in sent[::-1]][:100]
    assert eventually(lambda: kept() == wanted, 10, 0.1), f"{len(kept())} rows"


def test_what_is_wrong_stands_within_80_columns(site, operator, sender):
    sender.apply(SNAPSHOT, catalog.snapshot(catalog.numbered_products(50)))
    small = catalog.snapshot(catalog.numbered_products(5))
    assert sender.snapshot(small).status == 202
    sender.wait_for(small["event_id"], "failed")
    sender.snapshot(catalog.snapshot() | {"generated_at": "yesterday"}).expect(422)
    wait_for_refusals(operator, sender, 1)
    environment = site.environment({"HERALD_LISTEN": "%s:%d" % site.address})
    for words, heads, told in (
            (["integrations", "list"], ["NAME", "LAST SNAPSHOT", "FAILED"], sender.integration_id),
            (["packages", "list", sender.integration_id], ["STATUS", "ERROR"],
             f"{small['event_id']}  snapshot  failed   archive_limit"),
            (["packages", "list"], ["INTEGRATION", "STATUS"], small["event_id"]),
            (["refusals", sender.integration_id], ["CODE", "FIRST FAULT"],
             "422 validation_error  1       generated_at: ")):
        code, _, shown = run_in_terminal(["admin", *words], environment, site.home)
        head, *lines = shown.splitlines()
        assert code == 0 and all(word in head for word in heads), shown
        assert any(told in line for line in lines), shown
        assert max(width_of(line) for line in [head, *lines]) <= COLUMNS
