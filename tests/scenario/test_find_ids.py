"""Contract section 18.5: an id finds whatever has it, for whoever may list that."""

from urllib.parse import quote

from harness import catalog
from harness.console import browser_of, console_settings
from harness.exchange import MISSING_ID, Operator
from harness.hooks import WEBHOOK_SETTINGS
from harness.keys import ROLES, key_of, make_key, with_key
from harness.orders import ORDER_SETTINGS, Shop, acceptance, http_answer
from harness.packages import SNAPSHOT, Sender, package_path
from harness.tools import eventually, fresh_key, fresh_number
from test_find import SEARCH, find, named

CONSOLE, ADDRESS = console_settings()
SETTINGS = {**ORDER_SETTINGS, **WEBHOOK_SETTINGS, **CONSOLE}
CLOCK = True


def only(core, q):
    """What is found by this alone, without its time."""
    row, = find(core, q)
    row.pop("at")
    return row


def test_api_key(core):
    key = make_key(core, "support", name="The night shift")
    assert find(core, key["id"]) == [{
        "type": "api_key", "id": key["id"], "title": "The night shift", "state": None,
        "at": key["created_at"]}]
    assert find(core, key["id"].upper()) == find(core, key["id"])


def test_operator_and_session(core):
    name = f"Анна {fresh_key()[:6]}"
    browser_of(core, ADDRESS, name, "viewer")
    person, = (row for row in core.get("/internal/v1/operators").expect(200)["operators"]
               if row["name"] == name)
    assert only(core, person["id"]) == {
        "type": "operator", "id": person["id"], "title": name, "state": None}
    session, = core.get(f"/internal/v1/operators/{person['id']}/sessions").expect(200)["sessions"]
    assert only(core, session["id"]) == {
        "type": "operator_session", "id": session["id"], "title": name, "state": None,
        "owner_id": person["id"]}


def test_webhook_endpoint_and_delivery(core, receiver, endpoint):
    own = endpoint.record["id"]
    assert only(core, own) == {
        "type": "webhook_endpoint", "id": own, "title": receiver.url, "state": "enabled"}
    core.post(f"{endpoint.path}/test").expect(200)
    delivery, = endpoint.deliveries()
    assert only(core, delivery["id"]) == {
        "type": "webhook_delivery", "id": delivery["id"], "title": delivery["type"],
        "state": "delivered", "owner_id": own}
    endpoint.change(enabled=False).expect(200)
    assert only(core, own)["state"] == "disabled"


def test_account_of_a_messenger(core, phone):
    account = f"account-{fresh_key()[:8]}"
    core.bind_accounts(phone.device_id, account).expect(200)
    name = core.read_device(phone.device_id).expect(200)["name"]
    assert find(core, account) == [{
        "type": "account", "id": account, "title": name, "state": None, "at": None,
        "owner_id": phone.device_id}]
    assert find(core, account[:-1]) == []


def test_process(core):
    process = core.processes().expect(200)["processes"][0]
    assert only(core, process["id"]) == {
        "type": "process", "id": process["id"], "state": None,
        "title": f"{process['verb']}@{process['host']}"}


def test_what_a_phone_a_caller_and_a_provider_know(site, core, ready_phone):
    """The id of a task or a provider's own finds its code, that of a report the challenge it met."""
    code = core.create_otp(fresh_number(), gateway_number=ready_phone.number).expect(201)
    task = ready_phone.claim_task()
    assert named(find(core, task["id"])) == [("otp", code["id"])]
    provider_id, own = f"sms-{fresh_key()[:6]}", code["id"].replace("-", "")
    own = f"decode('{own}', 'hex')" if site.engine == "postgres" else f"x'{own}'"
    site.ask("INSERT INTO channel_send (id, channel, owner_id, state, attempt, provider_id, created_at,"
             f" updated_at, expires_at) VALUES ({own}, 'sms', {own}, 'sent', 1, '{provider_id}', 1, 1, 1)")
    assert named(find(core, provider_id)) == [("otp", code["id"])]
    caller, event_id = fresh_number(), fresh_key()
    call = core.create_challenge(caller, gateway_number=ready_phone.number).expect(201)
    ready_phone.event(caller, event_id=event_id).expect(200)
    assert named(find(core, event_id)) == [("challenge", call["id"])]


def test_client_and_its_secret(site, sender):
    core, operator = site.core(), Operator.of(site)
    made = operator.create_client(sender.integration_id, name="Till 4").expect(201)
    client = {"type": "client", "id": made["client_id"], "title": "Till 4", "state": "enabled",
              "integration_id": sender.integration_id}
    assert only(core, made["client_id"]) == only(core, made["secret_id"]) == client
    operator.enable_client(made["client_id"], False).expect(204)
    assert only(core, made["secret_id"]) == {**client, "state": "disabled"}


def test_signing_key(site, sender):
    assert sender.token  # it is signed, so there is a key
    kid = Operator.of(site).signing_keys().expect(200)["keys"][0]["kid"]
    assert only(site.core(), kid) == {
        "type": "signing_key", "id": kid, "title": None, "state": None}


def test_refusal_of_a_package(site):
    core, sender, event_id = site.core(), Sender.of(site), f"e-{fresh_key()[:6]}"
    sender.request("POST", package_path(sender.integration_id, SNAPSHOT), {"event_id": event_id},
                   headers={"Idempotency-Key": event_id}).expect(422)
    path = f"/internal/v1/integrations/{sender.integration_id}"
    refusal, = eventually(lambda: core.get(f"{path}/refusals").expect(200)["refusals"])
    assert find(core, refusal["event_id"]) == find(core, refusal["id"]) == [{
        "type": "refusal", "id": refusal["id"], "title": core.get(path).expect(200)["name"],
        "state": refusal["code"], "at": refusal["refused_at"],
        "integration_id": sender.integration_id}]


def test_product_of_several_points(site, clock):
    """Each ERP has ids of its own, and two may have the same."""
    core, product_id, senders = site.core(), f"p-{fresh_key()[:6]}", [Sender.of(site), Sender.of(site)]
    for sender in senders:
        sender.apply(SNAPSHOT, catalog.snapshot(products=[catalog.product(product_id)]))
        clock.advance(1)
    assert [(row["type"], row["id"], row["integration_id"]) for row in find(core, product_id)] == [
        ("product", product_id, sender.integration_id) for sender in reversed(senders)]


def test_order_by_its_document(site, erp, shop, clock):
    """By its id and by its number, which may be one; the newest ones of any ERP come first."""
    core, orders = site.core(), []
    document, number = f"doc-{fresh_key()[:6]}", f"SO-{fresh_key()[:8]}"
    for turn in range(6):
        same = (document, document) if turn == 5 else (document, number)
        erp.answer = lambda head, body, same=same: http_answer(acceptance(*same), "201 Created")
        orders.append(("order", shop.delivered()["id"]))
        clock.advance(1)
    assert named(find(core, document)) == orders[:0:-1]
    assert named(find(core, number)) == orders[4::-1]
    assert find(core, number)[0]["title"] == number


def test_order_that_two_points_have(site, erp, shop):
    """The second one has an id of its own."""
    core, other = site.core(), Shop(site, erp)
    order = shop.order()
    first = shop.placed(order)
    second = other.placed({**order, "point_id": other.integration["point_id"]})
    assert first == order["id"] != second
    assert named(find(core, first)) == [("order", second), ("order", first)]
    assert named(find(core, second)) == [("order", second)]
    other.close()


def test_who_may_not_list_it_does_not_find_it(site, core):
    """What any role of a console lists is found by each; sessions and jobs about persons by admins."""
    person = fresh_key()[:6]
    browser_of(core, ADDRESS, person)
    operator, = (row for row in core.get("/internal/v1/operators").expect(200)["operators"]
                 if row["name"] == person)
    session, = core.get(f"/internal/v1/operators/{operator['id']}/sessions").expect(200)["sessions"]
    job = core.post("/internal/v1/subjects/export", {"phone": fresh_number()})
    assert job.status in (200, 202), job  # it may be done at once
    for role in ROLES[1:]:
        client = with_key(site, key_of(core, role))
        assert [row["type"] for row in find(client, operator["id"])] == ["operator"]
        found = [row["type"] for row in find(client, session["id"]) + find(client, job.json["id"])]
        assert found == (["operator_session", "subject_job"] if role == "admin" else [])
    core_key = with_key(site, key_of(core, "core"))
    core_key.get(SEARCH + quote(operator["id"])).expect(403, "insufficient_role")


def test_log_is_found_by_those_who_may_read_it(fresh_site):
    """While LOG_SENSITIVE is true, these are admins, also of what was written before."""
    site, request_id = fresh_site, f"find-{fresh_key()}"
    site.serve()
    core = site.core()
    core.request("GET", f"/internal/v1/otp/{MISSING_ID}",
                 headers={"X-Request-Id": request_id}).expect(404)
    keys = {role: key_of(core, role) for role in ROLES[1:]}
    for key in keys.values():
        assert eventually(lambda: find(with_key(site, key), request_id))
    site.stop()
    site.processes.clear()
    site.serve(changes={"LOG_SENSITIVE": "true"})
    for role, key in keys.items():
        client = with_key(site, key)
        assert client.get("/internal/v1/logs").status == (200 if role == "admin" else 403)
        assert len(find(client, request_id)) == (1 if role == "admin" else 0)
