"""What herald tells Prometheus, read by Prometheus's own tools."""

import contextlib
import json
import os
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open
from prometheus_client.parser import text_string_to_metric_families as parse_text

from .site import PROJECT, free_port
from .tools import eventually

ALERTS = PROJECT / "packaging" / "prometheus" / "alerts.yml"
OPENMETRICS = "application/openmetrics-text; version=1.0.0"
SCRAPE_S = 1


def fetch(url, accept=None):
    """(content type, text) of a scrape."""
    request = urllib.request.Request(url, headers={"Accept": accept} if accept else {})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


class Scrape:
    """The samples of one scrape: {(name, frozenset of labels): value}."""

    def __init__(self, text, is_open=False):
        self.text = text
        self.families = list((parse_open if is_open else parse_text)(text))
        self.samples = {}
        for family in self.families:
            for sample in family.samples:
                key = sample.name, frozenset(sample.labels.items())
                assert key not in self.samples, f"{key} comes twice"
                self.samples[key] = sample.value

    def get(self, name, **labels):
        return self.samples.get((name, frozenset(labels.items())))

    def sum(self, name, **labels):
        """Of all series that have these labels, whatever else they have."""
        return sum(value for (found, all_labels), value in self.samples.items()
                   if found == name and labels.items() <= dict(all_labels).items())

    def names(self):
        return {name for name, _ in self.samples}


def scrape(url, accept=None):
    _, text = fetch(url, accept)
    return Scrape(text, is_open=accept == OPENMETRICS)


def promtool(*arguments, text=None):
    done = subprocess.run(["promtool", *arguments], input=text, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


class Prometheus:
    """A real one, which scrapes once a second and has herald's alerts; they wait for seconds
    instead of minutes."""

    def __init__(self, home, *targets):
        self.home = Path(home)
        self.home.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        rules = self.home / "alerts.yml"
        rules.write_text(hurry(ALERTS.read_text()))
        (self.home / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": f"{SCRAPE_S}s", "evaluation_interval": "1s"},
            "rule_files": [str(rules)],
            "scrape_configs": [
                {"job_name": "herald", "static_configs": [{"targets": list(targets)}]}],
        }))

    def __enter__(self):
        with open(self.home / "output", "wb") as output:
            self._child = subprocess.Popen(
                ["prometheus", f"--config.file={self.home}/prometheus.yml",
                 f"--storage.tsdb.path={self.home}/data",
                 f"--web.listen-address=127.0.0.1:{self.port}"],
                stdout=output, stderr=subprocess.STDOUT, env={"HOME": str(self.home), **os.environ})
        assert eventually(self._is_ready, 30, 0.1), (self.home / "output").read_text()
        return self

    def __exit__(self, *_):
        self._child.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(10)
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()

    def _is_ready(self):
        assert self._child.poll() is None, (self.home / "output").read_text()
        try:
            return self._get("/-/ready") is not None
        except (OSError, urllib.error.URLError):
            return False

    def _get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
            return answer.read()

    def query(self, expression):
        """The samples of an expression: [(labels, value)]."""
        path = "/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        try:
            answer = json.loads(self._get(path))
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{expression}: {error.read().decode()}") from error
        assert answer["status"] == "success", f"{expression}: {answer}"
        rows = answer["data"]["result"]
        if answer["data"]["resultType"] == "scalar":
            return [({}, rows[1])]
        return [(row["metric"], row["value"][1]) for row in rows]

    def wait_for(self, expression, within=30.0):
        """Until the expression has a sample; returns all."""
        found = eventually(lambda: self.query(expression), within, 0.2)
        assert found, f"nothing comes of {expression}"
        return found

    def firing(self):
        return {labels["alertname"] for labels, _ in self.query('ALERTS{alertstate="firing"}')}

    def wait_for_alert(self, name, within=40.0):
        assert eventually(lambda: name in self.firing(), within, 0.3), (
            f"{name} does not fire: {self.query('ALERTS')}")

    def wait_for_quiet(self, name, within=40.0):
        assert eventually(lambda: name not in self.firing(), within, 0.3), f"{name} fires on"


HURRY = (  # what an alert waits for, and what it waits for in a test
    (r"for: \w+", "for: 1s"), (r"> 26 \* 3600", "> 8"), (r"seconds\) > 600", "seconds) > 8"),
    (r"timestamp_seconds\) > 60", "timestamp_seconds) > 10"), (r"\[5m\]", "[10s]"),
)


def hurry(rules):
    """The rules with waits of seconds, so that a test need not wait for minutes."""
    for pattern, hurried in HURRY:
        rules, count = re.subn(pattern, hurried, rules)
        assert count > 0, f"no rule has {pattern}"
    return rules
