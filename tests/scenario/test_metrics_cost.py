"""What metrics cost where a Prometheus scrapes each second (contract, section 17.1)."""

import time
from pathlib import Path

import pytest

from harness import catalog
from harness.metrics import fetch, scrape
from harness.packages import Sender, is_sanitized
from harness.site import free_port
from harness.tools import at_once, eventually

pytestmark = pytest.mark.skipif(is_sanitized(), reason="sanitizers take time of their own")

PORT = free_port()
URL = f"http://127.0.0.1:{PORT}/metrics"
SETTINGS = {"HERALD_METRICS_LISTEN": f"127.0.0.1:{PORT}"}
INTEGRATIONS, PHONES, SIMS_OF_ONE = 200, 20, 5
SECONDS, SHARE_MAX = 6, 0.005  # of a core
BYTES_MAX = 256 * 1024


def cpu_s(site):
    """What the threads of herald have run so far."""
    try:
        tasks = list(Path(f"/proc/{site.processes[-1].pid}/task").iterdir())
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    except (OSError, PermissionError):
        pytest.skip("only root may look at a process that leaves no core")


def spent_in(site, seconds, each_second):
    began = cpu_s(site)
    for _ in range(seconds):
        each_second()
        time.sleep(1)
    return (cpu_s(site) - began) / seconds


def send_a_snapshot(site):
    sender = Sender.of(site)
    sender.wait_for(sender.snapshot(catalog.snapshot()).expect(202)["event_id"], "applied")


def test_a_scrape_each_second_costs_less_than_half_a_percent(site, core, new_phone):
    for _ in range(PHONES):
        new_phone(SIMS_OF_ONE).be_ready()
    at_once(INTEGRATIONS, lambda _: send_a_snapshot(site))
    name = "herald_integration_last_snapshot_timestamp_seconds"
    assert eventually(lambda: scrape(URL).text.count(f"{name}{{") == INTEGRATIONS, 20, 0.5)
    assert scrape(URL).get("herald_sims") == PHONES * SIMS_OF_ONE
    assert len(scrape(URL).text) < BYTES_MAX
    time.sleep(1)
    idle = spent_in(site, SECONDS, lambda: None)
    scraped = spent_in(site, SECONDS, lambda: fetch(URL))
    assert scraped - idle < SHARE_MAX, (scraped, idle)
