"""What herald tells the supervisor that started it, as systemd with Type=notify does (contract,
section 17.3)."""

import contextlib
import os
import secrets
import signal
import socket
import time

import pytest

from harness.engines import SERVER_URL
from harness.site import Site
from harness.tools import lasted_at_most

WATCHDOG_S = 1.0


class Supervisor:
    """The socket that NOTIFY_SOCKET names; `name` begins with @ where it is abstract."""

    def __init__(self, name):
        self.name = name
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + name[1:] if name.startswith("@") else name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def settings(self, **changes):
        return {"NOTIFY_SOCKET": self.name, **changes}

    def hear(self, within):
        """The next message, a dict of its lines; None when none came in time."""
        self._socket.settimeout(within)
        try:
            text = self._socket.recv(4096).decode()
        except TimeoutError:
            return None
        return dict(line.split("=", 1) for line in text.split("\n"))

    def wait_for(self, name, value=None, within=20.0):
        """The first message with that line, and what came before it."""
        before, deadline = [], time.monotonic() + within
        while (left := deadline - time.monotonic()) > 0:
            heard = self.hear(left)
            if heard and name in heard and value in (None, heard[name]):
                return heard, before
            before.append(heard)
        told = [heard for heard in before if heard and set(heard) != {"WATCHDOG"}]
        raise AssertionError(f"{name}={value} was not told within {within} s; told was {told}")


@pytest.fixture
def home(engine, tmp_path):
    with Site(engine, tmp_path, server_url=SERVER_URL) as site:
        yield site


@contextlib.contextmanager
def supervised(home, name, *arguments, **changes):
    home.migrate()
    with Supervisor(name) as supervisor:
        yield home.start(*(arguments or ("serve",)), changes=supervisor.settings(**changes)), supervisor


def watchdog():
    return {"WATCHDOG_USEC": str(int(WATCHDOG_S * 1e6))}


@pytest.mark.parametrize("kind", ["file", "abstract"])
def test_ready_is_told_when_requests_are_taken(home, tmp_path, kind):
    name = f"{tmp_path}/notify" if kind == "file" else f"@herald-{secrets.token_hex(8)}"
    with supervised(home, name) as (process, supervisor):
        heard, before = supervisor.wait_for("READY", "1")
        assert before == []
        assert heard["STATUS"] == f"listens on http://127.0.0.1:{process.address[1]}"
        assert process.get_health("/health/live") == 200
        process.terminate()
        heard, before = supervisor.wait_for("STOPPING", "1")
        assert not [row for row in before if "WATCHDOG" in row], "nobody asked for it"
        process.stop()


def test_watchdog_hears_of_the_loops_until_they_end(home):
    name = f"@herald-{secrets.token_hex(8)}"
    with supervised(home, name, **watchdog()) as (process, supervisor):
        supervisor.wait_for("READY", "1")
        times = []
        for _ in range(4):
            supervisor.wait_for("WATCHDOG", "1")
            times.append(time.monotonic())
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        lasted_at_most(max(gaps), WATCHDOG_S)
        assert sum(gaps) > 2.5 * WATCHDOG_S / 2, f"more often than at half its time: {gaps}"
        os.kill(process.pid, signal.SIGSTOP)  # it hangs as a whole
        supervisor.hear(0.1)
        assert supervisor.hear(2 * WATCHDOG_S) is None
        os.kill(process.pid, signal.SIGCONT)
        supervisor.wait_for("WATCHDOG", "1")


def test_drain_is_part_of_the_stop_and_the_watchdog_goes_on(home):
    name = f"@herald-{secrets.token_hex(8)}"
    with supervised(home, name, HERALD_DRAIN_SECONDS="2", **watchdog()) as (process, supervisor):
        supervisor.wait_for("READY", "1")
        process.terminate()
        supervisor.wait_for("STOPPING", "1", within=1.5)
        assert process.get_health("/health/ready") == 503
        supervisor.wait_for("WATCHDOG", "1", within=1.5)
        process.stop()


def test_watchdog_of_another_process_is_not_told(home):
    name = f"@herald-{secrets.token_hex(8)}"
    with supervised(home, name, WATCHDOG_PID="1", **watchdog()) as (_, supervisor):
        supervisor.wait_for("READY", "1")
        assert supervisor.hear(2 * WATCHDOG_S) is None


def test_start_that_fails_is_not_ready(home):
    name = f"@herald-{secrets.token_hex(8)}"
    with supervised(home, name, HERALD_LISTEN="nowhere") as (process, supervisor):
        process.wait()
        assert supervisor.hear(0.1) is None


def test_nobody_listens(home, tmp_path):
    """A socket that is gone, or of a kind that is not spoken, keeps herald from nothing."""
    home.migrate()
    for name in (f"{tmp_path}/gone", "vsock:2:1", ""):
        process = home.start("serve", changes={"NOTIFY_SOCKET": name, **watchdog()})
        process.wait_until_ready()
        process.stop()


@pytest.mark.only("postgres")
def test_status_tells_what_is_wrong(home):
    """A restart would not help, so the watchdog goes on."""
    name = f"@herald-{secrets.token_hex(8)}"
    with supervised(home, name, "api", **watchdog()) as (_, supervisor):
        supervisor.wait_for("READY", "1")
        heard, _ = supervisor.wait_for("STATUS", within=60)
        assert heard["STATUS"] == "not ready: No worker was heard of within 30 seconds."
        supervisor.wait_for("WATCHDOG", "1")
        worker = home.start("worker")
        heard, _ = supervisor.wait_for("STATUS")
        assert heard["STATUS"].startswith("listens on ")
        worker.stop()


@pytest.mark.only("postgres")
def test_worker_without_a_server_is_supervised_too(home):
    name = f"@herald-{secrets.token_hex(8)}"
    with supervised(home, name, "worker", **watchdog()) as (process, supervisor):
        heard, _ = supervisor.wait_for("READY", "1")
        assert heard["STATUS"] == "works"
        supervisor.wait_for("WATCHDOG", "1")
        process.terminate()
        supervisor.wait_for("STOPPING", "1")
        process.stop()
