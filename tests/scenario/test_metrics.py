"""Metrics: what is counted, who is told, in which formats, and what is kept (contract, section 17.1)."""

import time
import urllib.error
import urllib.request

import pytest

from harness import catalog
from harness.actors import Core, read_code, wrong_code
from harness.hooks import WEBHOOK_SETTINGS, Endpoint, Receiver
from harness.http import Client
from harness.metrics import OPENMETRICS, Scrape, fetch, promtool, scrape
from harness.orders import ORDER_SETTINGS, refuse_all
from harness.outcomes import GATEWAY
from harness.packages import CHANGES, package_path
from harness.site import free_port
from harness.tls import Pair, client_context
from harness.tools import at_once, eventually, fresh_key, fresh_number

PORT = free_port()
URL = f"http://127.0.0.1:{PORT}/metrics"
SETTINGS = {**ORDER_SETTINGS, **WEBHOOK_SETTINGS, "HERALD_METRICS_LISTEN": f"127.0.0.1:{PORT}"}
CHANNELS = ("gateway",)
CLOCK = True
MISSING_ID = "01900000-0000-7000-8000-000000000000"
PATH = "/internal/v1/metrics"

# Of the contract, as families of the text format.
NAMES = {
    "herald_http_requests": "counter", "herald_http_request_duration_seconds": "histogram",
    "herald_refusals": "counter", "herald_otp": "counter",
    "herald_otp_delivery_seconds": "histogram", "herald_sims": "gauge",
    "herald_sims_ready": "gauge", "herald_sims_silent": "gauge",
    "herald_accounts": "gauge", "herald_accounts_connected": "gauge", "herald_tasks_waiting": "gauge",
    "herald_task_oldest_age_seconds": "gauge", "herald_channel_up": "gauge",
    "herald_provider_request_duration_seconds": "histogram", "herald_packages": "counter",
    "herald_package_apply_seconds": "histogram",
    "herald_integration_last_snapshot_timestamp_seconds": "gauge",
    "herald_orders_waiting": "gauge", "herald_order_oldest_age_seconds": "gauge",
    "herald_erp_circuits_open": "gauge", "herald_tokens_issued": "counter",
    "herald_webhook_deliveries": "counter", "herald_auth_failures": "counter", "herald_db_commit_seconds": "histogram",
    "herald_db_queue_length": "gauge", "herald_log_lost": "counter", "herald_degraded": "gauge",
    "herald_worker_last_beat_timestamp_seconds": "gauge", "process_cpu_seconds": "counter",
    "process_resident_memory_bytes": "gauge", "process_open_fds": "gauge",
    "process_max_fds": "gauge", "process_start_time_seconds": "gauge",
}


def gauges(within=20.0):
    """A scrape with gauges, which the first scrape in a while only asks for."""
    def read():
        made = scrape(URL)
        return made if "herald_sims" in made.names() else None

    found = eventually(read, within, 0.1)
    assert found, "no gauges came"
    return found


def wait_for(name, value, within=20.0, **labels):
    found = eventually(lambda: scrape(URL).get(name, **labels) == value, within, 0.2)
    assert found, f"{name}{labels} is {scrape(URL).get(name, **labels)}, not {value}"


class Growth:
    """By how much series have grown since it was made."""

    def __init__(self):
        self.before = scrape(URL)

    def of(self, name, **labels):
        return scrape(URL).sum(name, **labels) - self.before.sum(name, **labels)

    def wait_for(self, count, name, **labels):
        found = eventually(lambda: self.of(name, **labels) == count, 10, 0.05)
        assert found, f"{name}{labels} has grown by {self.of(name, **labels)}, not {count}"


# --- formats


def test_all_names_of_the_contract_are_told(site):
    families = {family.name: family.type for family in gauges().families}
    assert {name: families.get(name) for name in NAMES} == NAMES
    assert families["herald_build_info"] == "gauge"
    made = scrape(URL)
    engine = "sqlite" if site.engine == "sqlite" else "postgres"
    assert made.get("herald_build_info", version="0.5.0", engine=engine) == 1


def test_prometheus_finds_no_fault(site, core, sim):
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    GATEWAY.confirm(core, sim, otp, call["code"])
    gauges()
    kind, text = fetch(URL)
    assert kind == "text/plain; version=0.0.4; charset=utf-8"
    assert promtool("check", "metrics", text=text) == ""


def test_openmetrics_is_told_to_whom_prefers_it(site):
    gauges()
    kind, text = fetch(URL, OPENMETRICS)
    assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert text.endswith("\n# EOF\n")
    made = Scrape(text, is_open=True)
    assert {family.name: family.type for family in made.families}["herald_build"] == "info"
    assert made.names() == scrape(URL).names()


def test_only_metrics_are_there(site):
    for path, method, status in (("/", "GET", 404), ("/metrics/", "GET", 404),
                                 ("/internal/v1/overview", "GET", 404), ("/metrics", "POST", 405)):
        request = urllib.request.Request(URL.removesuffix("/metrics") + path, method=method)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=5)
        assert refused.value.code == status
        assert refused.value.headers["Allow"] == ("GET, HEAD" if status == 405 else None)


def test_the_service_itself_wants_a_key(site, core):
    core.get("/metrics").expect(404)
    Client(core.address).get(PATH).expect(401)
    created = core.post("/internal/v1/api-keys", {"name": "Prometheus", "role": "viewer"}).expect(201)
    viewer = Core(core.address, created["key"])
    for client in (core, viewer):
        reply = client.request("GET", PATH, headers={"Accept": "text/plain"})
        assert reply.status == 200
        assert reply.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8"
        assert Scrape(reply.body.decode()).get("herald_tokens_issued_total") is not None
    reply = viewer.request("GET", PATH, headers={"Accept": OPENMETRICS})
    assert reply.header("Content-Type").startswith("application/openmetrics-text; version=1.0.0")


# --- what is counted


def test_requests_are_counted_exactly_from_many_threads(core):
    growth = Growth()
    at_once(400, lambda _: core.get(f"/internal/v1/otp/{MISSING_ID}").expect(404))
    at_once(100, lambda _: core.get("/internal/v1/processes").expect(200))
    growth.wait_for(400, "herald_http_requests_total", operation="getOtp", status="404")
    growth.wait_for(400, "herald_refusals_total", code="not_found")
    growth.wait_for(100, "herald_http_requests_total", operation="listProcesses", status="200")
    growth.wait_for(400, "herald_http_request_duration_seconds_count", operation="getOtp")
    growth.wait_for(400, "herald_http_request_duration_seconds_bucket", operation="getOtp", le="+Inf")


def test_strangers_add_no_series(core):
    core.get("/nothing").expect(404)
    assert eventually(lambda: "herald_channel_up" in {name for name, _ in scrape(URL).samples})
    growth, before = Growth(), set(scrape(URL).samples)
    for number in range(100):
        core.request("GET", f"/nothing/{number}").expect(404)
        core.request("DELETE", f"/internal/v1/otp/{MISSING_ID}?x={number}").expect(405)
        core.get(f"/internal/v1/devices/{number}").expect(404)
    growth.wait_for(200, "herald_http_requests_total", operation="none", status="404")
    added = {key for key in set(scrape(URL).samples) - before}
    assert {dict(labels).get("operation") for _, labels in added} <= {"getOtp"}, added


def test_codes_by_phone_are_counted_by_what_became_of_them(core, ready_phone):
    growth = Growth()
    otp = core.create_otp(fresh_number()).expect(201)
    growth.wait_for(1, "herald_otp_total", channel="sms", outcome="created")
    task = ready_phone.claim_task()
    for _ in range(2):  # a report that comes twice counts once
        ready_phone.result(task, "sent").expect(204)
    ready_phone.result(task, "delivered").expect(204)
    core.verify(otp["id"], read_code(task)).expect(200)
    core.verify(otp["id"], read_code(task)).expect(409)
    for outcome in ("sent", "delivered", "confirmed"):
        growth.wait_for(1, "herald_otp_total", channel="sms", outcome=outcome)
    growth.wait_for(1, "herald_otp_delivery_seconds_count", channel="sms")
    assert growth.of("herald_otp_total") == 4


def test_codes_end_in_other_ways(core, ready_phone, clock):
    growth = Growth()
    wrong, canceled, late = (core.create_otp(fresh_number()).expect(201) for _ in range(3))
    codes = {}
    for _ in range(3):
        task = ready_phone.claim_task()
        codes[task["recipient"]] = read_code(task)
        ready_phone.result(task, "sent").expect(204)
    for _ in range(5):
        core.verify(wrong["id"], wrong_code(codes[wrong["recipient"]])).expect(422)
    core.cancel_otp(canceled["id"]).expect(204)
    clock.advance(301)
    for outcome in ("exhausted", "canceled", "expired"):
        growth.wait_for(1, "herald_otp_total", channel="sms", outcome=outcome)
    growth.wait_for(5, "herald_refusals_total", code="code_mismatch")
    assert core.otp(late["id"]).expect(200)["state"] == "expired"


def test_providers_are_measured(core, sim):
    growth = Growth()
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    GATEWAY.confirm(core, sim, otp, call["code"])
    found = eventually(lambda: growth.of("herald_provider_request_duration_seconds_count",
                                         driver="telegram_gateway", outcome="done") >= 1, 10, 0.05)
    assert found
    growth.wait_for(1, "herald_otp_total", channel="messenger_gateway", outcome="created")
    growth.wait_for(1, "herald_otp_total", channel="messenger_gateway", outcome="confirmed")


def test_wrong_keys_are_counted_by_kind(site, core):
    growth = Growth()
    Client(core.address, {"X-Internal-API-Key": "wrong"}).get("/internal/v1/overview").expect(401)
    Client(core.address, {"Authorization": "Bearer wrong"}).post(
        package_path(MISSING_ID, CHANGES), {}).expect(401)
    growth.wait_for(1, "herald_auth_failures_total", kind="internal_key")
    growth.wait_for(1, "herald_auth_failures_total", kind="token")


def test_packages_and_tokens_are_counted(site, sender):
    growth = Growth()
    accepted = sender.snapshot(catalog.snapshot()).expect(202)
    sender.wait_for(accepted["event_id"], "applied")
    for status in ("accepted", "applied"):
        growth.wait_for(1, "herald_packages_total", type="snapshot", status=status)
    growth.wait_for(1, "herald_package_apply_seconds_count", type="snapshot")
    assert scrape(URL).get("herald_tokens_issued_total") >= 1
    found = eventually(lambda: gauges().get("herald_integration_last_snapshot_timestamp_seconds",
                                            integration=sender.integration_id), 15, 0.2)
    assert abs(found - site.clock.now().timestamp()) < 60


def test_deliveries_of_events_are_counted_by_what_came_of_them(core, phone):
    with Receiver() as receiver:
        endpoint = Endpoint(core, receiver, ("challenge.canceled",))
        growth = Growth()
        for status, outcome in ((200, "delivered"), (500, "retried"), (410, "failed")):
            core.post(f"{endpoint.path}/test").expect(200)  # a test does not count
            receiver.answer = lambda _, status=status: (status, {}, b"")
            call = core.create_challenge(fresh_number(), gateway_number=phone.number).expect(201)
            core.cancel_challenge(call["id"]).expect(204)
            growth.wait_for(1, "herald_webhook_deliveries_total", outcome=outcome)
        endpoint.close()


# --- how all stands


def test_fleet_and_what_waits(core, new_phone):
    phone = new_phone(2)
    phone.be_ready()
    wait_for("herald_sims_ready", 2)
    assert gauges().get("herald_sims") >= 2
    connected = gauges().get("herald_accounts_connected")
    core.connect_accounts(phone, f"account-{fresh_key()[:12]}")
    wait_for("herald_accounts_connected", connected + 1)
    assert gauges().get("herald_accounts") >= connected + 1
    wait_for("herald_channel_up", 1, channel="sms")
    wait_for("herald_channel_up", 1, channel="messenger_gateway")
    assert gauges().get("herald_channel_up", channel="flash_call") is None, "it is not configured"
    for _ in range(3):
        core.create_otp(fresh_number()).expect(201)
    wait_for("herald_tasks_waiting", 3, kind="sms")
    assert gauges().get("herald_task_oldest_age_seconds", kind="sms") > 0
    assert gauges().get("herald_worker_last_beat_timestamp_seconds") > 0


def test_orders_wait_for_an_erp_that_does_not_serve(shop, erp):
    erp.answer = refuse_all
    erp.health = refuse_all(b"", b"")
    for _ in range(6):
        shop.placed()
    wait_for("herald_erp_circuits_open", 1, within=40)
    found = gauges()
    assert found.get("herald_orders_waiting") >= 6
    assert found.get("herald_order_oldest_age_seconds") > 0


@pytest.mark.only("postgres")
def test_a_worker_tells_its_own_over_https(fresh_site, tmp_path):
    port, pair = free_port(), Pair(tmp_path)
    fresh_site.migrate()
    fresh_site.start("worker", changes={
        **pair.settings, "HERALD_METRICS_LISTEN": f"https://127.0.0.1:{port}"})
    url = f"https://localhost:{port}/metrics"
    found = eventually(lambda: is_told(url, client_context(pair)), 30, 0.2)
    assert found and "herald_http_requests_total" not in found.names()


def is_told(url, context):
    try:
        with urllib.request.urlopen(url, timeout=5, context=context) as answer:
            return Scrape(answer.read().decode())
    except urllib.error.URLError:
        return None


# --- what is kept


def kept(site, table):
    """{(name, labels): sum} of the rows of all processes; nothing runs."""
    rows = site.ask(f"SELECT name, labels, SUM(value) FROM {table} GROUP BY name, labels")
    return {tuple(row.split("|")[:2]): int(row.split("|")[2]) for row in rows.splitlines() if row}


def processes_of(site, table):
    return int(site.ask(f"SELECT COUNT(DISTINCT process) FROM {table}"))


@pytest.fixture
def own_site(fresh_site):
    """A site of its own, whose herald is told what to do, minute by minute."""
    fresh_site.serve()
    return fresh_site


def wait_a_tick():
    """Once a second it is looked whether the minute is over."""
    time.sleep(2.5)


def ask_often(site, count):
    core = site.core()
    for _ in range(count):
        core.get(f"/internal/v1/otp/{MISSING_ID}").expect(404)


GET_OTP = ("herald_http_requests_total", "operation=getOtp,status=404")


def test_what_was_counted_is_kept_at_the_stop(own_site):
    ask_often(own_site, 30)
    own_site.clock.advance(60)
    ask_often(own_site, 12)
    own_site.stop()
    for table in ("metric_minute", "metric_hour"):
        assert kept(own_site, table)[GET_OTP] == 42
        assert kept(own_site, table)[
            "herald_http_request_duration_seconds_count", "operation=getOtp"] == 42


def test_kill_loses_at_most_what_was_not_kept_and_counts_nothing_twice(own_site):
    total = 0
    for _ in range(3):
        ask_often(own_site, 10)
        own_site.clock.advance(60)
        wait_a_tick()
        ask_often(own_site, 5)  # of a minute that is not over
        own_site.processes[-1].kill()
        total += 10
        for table in ("metric_minute", "metric_hour"):
            assert kept(own_site, table)[GET_OTP] == total
        own_site.processes.clear()
        own_site.serve()
    own_site.stop()
    assert kept(own_site, "metric_minute")[GET_OTP] == total
    assert processes_of(own_site, "metric_minute") >= 3


def test_minute_is_written_once_whatever_the_clock_does(own_site):
    for set_s in (0, -60, 0, -3600, 3600):
        ask_often(own_site, 7)
        own_site.clock.set(set_s)
        own_site.clock.advance(60)
        wait_a_tick()
    own_site.stop()
    for table in ("metric_minute", "metric_hour"):
        assert kept(own_site, table)[GET_OTP] == 35


def test_old_rows_go(own_site):
    ask_often(own_site, 3)
    own_site.clock.advance(60)
    wait_a_tick()
    own_site.restart()
    own_site.clock.advance(49 * 3600)
    wait_a_tick()
    own_site.restart()
    found = eventually(lambda: own_site.engine == "sqlite" or not own_site.ask(
        "SELECT 1 FROM metric_minute WHERE labels = 'operation=getOtp,status=404'"), 90, 1)
    assert found
    own_site.stop()
    if own_site.engine == "postgres":
        assert GET_OTP not in kept(own_site, "metric_minute")
    assert kept(own_site, "metric_hour")[GET_OTP] == 3
