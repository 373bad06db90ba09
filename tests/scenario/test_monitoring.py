"""A real Prometheus that scrapes herald: the dashboard's expressions, and alerts that fire when
something is wrong (docs/monitoring.md)."""

import json
import re
import shutil

import pytest

from harness import catalog
from harness.actors import read_code
from harness.http import Client
from harness.metrics import ALERTS, Prometheus, promtool
from harness.orders import ORDER_SETTINGS, RawErp, Shop, accept_all, http_answer, refuse_all
from harness.outcomes import GATEWAY
from harness.site import PROJECT, free_port
from harness.tools import fresh_number

pytestmark = [pytest.mark.skipif(not shutil.which("prometheus"), reason="no prometheus here"),
              pytest.mark.only("sqlite")]  # test_metrics asks both engines

PORT = free_port()
SETTINGS = {**ORDER_SETTINGS, "HERALD_METRICS_LISTEN": f"127.0.0.1:{PORT}"}
CHANNELS = ("gateway",)
CLOCK = True
DASHBOARD = PROJECT / "packaging" / "grafana" / "herald.json"
# What Grafana fills in, for a Prometheus that scrapes once a second.
VARIABLES = {"$job": "herald", "$__rate_interval": "10s", "[5m]": "[10s]", "[10m]": "[10s]",
             "[1h]": "[20s]", "[1m]": "[10s]"}
# These tell of trouble alone; here is none.
MAY_BE_EMPTY = re.compile(r"changes\(process_start_time_seconds")


@pytest.fixture(scope="module")
def prometheus(site, tmp_path_factory):
    with Prometheus(tmp_path_factory.mktemp("prometheus"), f"127.0.0.1:{PORT}") as made:
        made.wait_for("herald_sims")
        yield made


def expressions():
    """Each expression of the dashboard, with the title of its panel."""
    document = json.loads(DASHBOARD.read_text())
    for panel in document["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]
    for annotation in document["annotations"]["list"]:
        yield annotation["name"], annotation["expr"]


def filled(expression):
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    assert "$" not in expression, expression
    return expression


def make_traffic(core, sim, phone, shop, sender):
    """Something of everything that the dashboard shows."""
    otp = core.create_otp(fresh_number()).expect(201)
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    phone.result(task, "delivered").expect(204)
    core.verify(otp["id"], read_code(task)).expect(200)
    otp, call = GATEWAY.send(core, sim)
    core.wait_for_send(otp, "accepted", "sent", "delivered")
    GATEWAY.confirm(core, sim, otp, call["code"])
    accepted = sender.snapshot(catalog.snapshot()).expect(202)
    sender.wait_for(accepted["event_id"], "applied")
    shop.delivered()
    Client(core.address, {"X-Internal-API-Key": "wrong"}).get("/internal/v1/overview")


def test_rules_pass_their_tests():
    promtool("check", "rules", str(ALERTS))
    for name in ("alerts_test.yml", "alerts_week_test.yml"):
        promtool("test", "rules", str(PROJECT / "tests" / "monitoring" / name))


def test_every_expression_of_the_dashboard_shows_something(
        prometheus, core, sim, ready_phone, shop, sender):
    for _ in range(3):  # rates want growth between scrapes
        make_traffic(core, sim, ready_phone, shop, sender)
        prometheus.wait_for("time()")
    missing = []
    for title, expression in expressions():
        try:
            if MAY_BE_EMPTY.search(expression):
                prometheus.query(filled(expression))
            else:
                prometheus.wait_for(filled(expression), within=15)
        except AssertionError as fault:
            missing.append(f"{title}: {fault}")
        make_traffic(core, sim, ready_phone, shop, sender)
    assert not missing, missing


def test_every_metric_of_an_alert_is_one_that_herald_tells(prometheus, sender):
    accepted = sender.snapshot(catalog.snapshot()).expect(202)
    sender.wait_for(accepted["event_id"], "applied")
    for name in set(re.findall(r"\b(?:herald|process)_\w+", ALERTS.read_text())):
        if re.search(rf"- alert: {name}\b", ALERTS.read_text()):
            continue
        prometheus.wait_for(name)


# --- alerts


def test_alert_when_the_phones_die(prometheus, new_phone, clock):
    phone = new_phone(2)
    phone.be_ready()
    prometheus.wait_for("herald_sims_ready > 0")
    prometheus.wait_for_quiet("HeraldNoReadySim")
    clock.advance(120)  # nobody claims in that time
    prometheus.wait_for_alert("HeraldNoReadySim")
    phone.be_ready()
    prometheus.wait_for_quiet("HeraldNoReadySim")


def test_alert_when_a_channel_closes(prometheus, site, core, sim, clock):
    GATEWAY.warm_up(core, sim)
    prometheus.wait_for('herald_channel_up{channel="messenger_gateway"} == 1')
    GATEWAY.order(sim, "ACCESS_TOKEN_INVALID", count=None)
    otp, _ = GATEWAY.send(core, sim)
    prometheus.wait_for('herald_channel_up{channel="messenger_gateway"} == 0')
    prometheus.wait_for_alert("HeraldChannelClosed")
    core.cancel_otp(otp["id"]).expect(204)
    sim.start_anew()


def test_alert_when_an_erp_stops(prometheus, site):
    with RawErp(refuse_all) as erp:
        erp.health = http_answer(b"", "401 Unauthorized")
        shop = Shop(site, erp)
        for _ in range(6):
            shop.placed()
        prometheus.wait_for_alert("HeraldErpStopped")
        prometheus.wait_for_alert("HeraldOrdersWait")
        erp.answer, erp.health = accept_all, http_answer(b'{"status":"ok"}')
        site.clock.advance(40)
        prometheus.wait_for_quiet("HeraldErpStopped", within=90)
        shop.close()


def test_alert_when_a_snapshot_is_late(prometheus, sender):
    accepted = sender.snapshot(catalog.snapshot()).expect(202)
    sender.wait_for(accepted["event_id"], "applied")
    prometheus.wait_for_alert("HeraldSnapshotStale", within=120)


@pytest.mark.only("postgres")
def test_alert_when_no_worker_beats(fresh_site, tmp_path):
    port = free_port()
    fresh_site.migrate()
    fresh_site.start("api", changes={"HERALD_METRICS_LISTEN": f"127.0.0.1:{port}"})
    worker = fresh_site.start("worker")
    fresh_site.processes[0].wait_until_ready()
    with Prometheus(tmp_path / "prometheus", f"127.0.0.1:{port}") as prometheus:
        prometheus.wait_for("time() - herald_worker_last_beat_timestamp_seconds < 8")
        worker.kill()
        prometheus.wait_for_alert("HeraldWorkerSilent", within=60)


def test_alert_when_herald_is_gone(prometheus, site):
    site.processes[-1].kill()
    prometheus.wait_for_alert("HeraldDown")
    site.processes.clear()
    site.serve()
    prometheus.wait_for_quiet("HeraldDown")
