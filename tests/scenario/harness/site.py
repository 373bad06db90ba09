"""One installation of herald: its folder, its database, its settings and its processes."""

import atexit
import base64
import contextlib
import functools
import http.client
import itertools
import os
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from .actors import Core, Phone
from .clock import Clock
from .logs import LogReader
from .postgres import PostgresDatabase
from .tls import Bridge, Pair
from .tools import PATIENCE_S, fresh_numbers

PROJECT = Path(__file__).resolve().parents[3]
BINARY = Path(os.environ.get("HERALD_BINARY", PROJECT / "build" / "herald")).resolve()
START_TIMEOUT_S = PATIENCE_S
STOP_TIMEOUT_S = PATIENCE_S
SANITIZER_REPORT = re.compile(
    rb"ERROR: (Address|Leak)Sanitizer|runtime error:|WARNING: ThreadSanitizer"
)


def fresh_secret_key():
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()


def _own_ports():
    """The ports of this worker of the run, below those that the kernel gives to anybody."""
    first, count = 10_000, 2_500
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 8
    ports = range(first + worker * count, first + (worker + 1) * count)
    start = os.getpid() % count
    return itertools.cycle([*ports[start:], *ports[:start]])


_ports = _own_ports()


def free_port():
    """A port that nobody else comes to have until it is listened on."""
    for port in _ports:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def clean_environment():
    """This process's environment without any setting of herald."""
    return {
        name: value
        for name, value in os.environ.items()
        if not re.match(r"(HERALD_|INTERNAL_API_KEY|LOG_SENSITIVE)", name)
    }


class Process:
    """A herald that was started, with all that it prints; `behind` is a command that becomes it."""

    def __init__(self, arguments, environment, folder, label, address, behind=()):
        self.address = address
        self.output_file = folder / f"{label}.output"
        with open(self.output_file, "wb") as output:
            self._child = subprocess.Popen(
                [*behind, BINARY, *arguments], cwd=folder, env=environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )

    @property
    def output(self):
        return self.output_file.read_bytes()

    @property
    def pid(self):
        return self._child.pid

    @property
    def is_running(self):
        return self._child.poll() is None

    def describe_end(self):
        return f"exit code {self._child.poll()}\n{self.output.decode(errors='replace')[-4000:]}"

    def get_health(self, path):
        """Status of a health path; None while nobody listens."""
        connection = http.client.HTTPConnection(*self.address, timeout=5)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def wait_until_ready(self, path="/health/ready"):
        deadline = time.monotonic() + START_TIMEOUT_S
        while self.get_health(path) != 200:
            assert self.is_running, f"herald ended at its start: {self.describe_end()}"
            assert time.monotonic() < deadline, f"herald is not ready:\n{self.output.decode()}"
            time.sleep(0.01)

    def wait(self, seconds=STOP_TIMEOUT_S):
        """Its exit code; fails when it runs on."""
        return self._child.wait(timeout=seconds)

    def terminate(self, signal_number=signal.SIGTERM):
        self._child.send_signal(signal_number)

    def kill(self):
        self._child.kill()
        self._child.wait()

    def stop(self):
        """SIGTERM, then what the contract promises: it ends with exit 0, and no sanitizer report."""
        if self.is_running:
            self.terminate()
            try:
                code = self.wait()
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError("herald did not end after SIGTERM") from None
            assert code == 0, f"herald failed: {self.describe_end()}"
        self.check_output()

    def check_output(self):
        report = SANITIZER_REPORT.search(self.output)
        assert not report, f"sanitizer report:\n{self.output.decode(errors='replace')[-20000:]}"


@functools.cache
def _migrated_database(server_url):
    """The name of a database that herald has migrated, for copies; it goes with this process."""
    home = Path(tempfile.mkdtemp(prefix="herald-migrated-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    site = Site("postgres", home, server_url=server_url)
    atexit.register(site.database.drop)
    done = site.run("migrate", "up")
    assert done.returncode == 0, done.stdout
    return site.database.name


@functools.cache
def _migrated_files():
    """Likewise of SQLite: the folder with the files of an installation that nobody has started yet."""
    home = Path(tempfile.mkdtemp(prefix="herald-migrated-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    site = Site("sqlite", home)
    done = site.run("migrate", "up")
    assert done.returncode == 0, done.stdout
    return site.state


class Site:
    """`engine` is sqlite or postgres; a postgres site is given the URL of a server.

    `scheme` https: herald speaks nothing else, and its address is that of a bridge (harness/tls.py).
    `port`: where every process listens, one after the other; by default each takes a free one.
    """

    def __init__(self, engine, home, *, server_url=None, settings=None, has_clock=False, port=None,
                 scheme="http"):
        self.engine = engine
        self.scheme = scheme
        self.port = port
        self.home = home
        self.state = home / "var"
        self.internal_key = f"internal-{secrets.token_urlsafe(24)}"
        self.processes = []
        self.disk = None  # a harness.disk.Disk, where the power is to be cut
        self._server_url = server_url
        self.database = PostgresDatabase(server_url) if engine == "postgres" else None
        self.clock = Clock(home, self.database) if has_clock else None
        self.settings = {
            "HERALD_STATE_DIR": str(self.state),
            "HERALD_DRAIN_SECONDS": "0",  # no balancer looks at it
            "INTERNAL_API_KEY": self.internal_key,
            "HERALD_SECRET_KEY": fresh_secret_key(),
            # A test sends more packages than any ERP does; test_erp_quota.py is about the limits.
            "HERALD_ERP_SNAPSHOTS_PER_DAY": "0",
            "HERALD_ERP_PACKAGES_PER_MINUTE": "0",
            "HERALD_CONSOLE_LISTEN": "off",  # many run at once
        }
        if self.database:
            self.settings["HERALD_DATABASE_URL"] = self.database.url
            # A busy machine starves it now and then; harness/proxy.py has one that hangs.
            self.settings["HERALD_DATABASE_SILENCE_MS"] = "15000"
        self.settings.update(settings or {})
        if scheme == "https":
            self.settings.update(Pair(home).settings)
        self._is_migrated = False
        self.beside = contextlib.ExitStack()  # what ends with it

    # --- processes

    def environment(self, changes=None):
        """What a process of this site is started with; a change to None leaves a setting out."""
        if self.database:
            self.database.make()
        merged = {**clean_environment(), **self.settings, **(changes or {})}
        preload = {}  # in this order, each once
        for shim in filter(None, (self.clock, self.disk)):
            merged.update(shim.environment(BINARY))
            preload.update(dict.fromkeys(merged["LD_PRELOAD"].split(":")))
        if preload:
            merged["LD_PRELOAD"] = ":".join(preload)
        return {name: value for name, value in merged.items() if value is not None}

    def run(self, *arguments, changes=None, timeout=START_TIMEOUT_S):
        """Runs herald to its end; returns the finished process with its output as text."""
        return subprocess.run(
            [BINARY, *arguments], cwd=self.home, env=self.environment(changes), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=timeout, check=False,
        )

    def start(self, *arguments, changes=None, port=None, behind=()):
        """Starts a process and does not wait for anything."""
        address = ("127.0.0.1", port or self.port or free_port())
        listen = {"HERALD_LISTEN": f"{address[0]}:{address[1]}"}
        label = f"{arguments[0]}-{len(self.processes)}"
        environment = self.environment({**listen, **(changes or {})})
        if self.scheme == "https":
            address = self.beside.enter_context(Bridge(address)).address
        process = Process(arguments, environment, self.home, label, address, behind)
        process.port = int(listen["HERALD_LISTEN"].rpartition(":")[2])  # behind a bridge, if any
        self.processes.append(process)
        return process

    def ask(self, sql):
        """Asks the database itself; an embedded one while nothing runs. Rows and columns as text."""
        if self.database:
            return self.database.ask(sql)
        with sqlite3.connect(self.state / "herald.db") as connection:
            rows = connection.execute(sql).fetchall()
        connection.close()
        return "\n".join("|".join(map(str, row)) for row in rows)

    def migrate(self):
        """An embedded database migrates itself; PostgreSQL is migrated by the operator, once.

        What `herald migrate up` makes of an empty database is the same each time, and is copied.
        """
        if self.engine == "postgres" and not self._is_migrated:
            if not self.database.is_made:
                self.database.make(like=_migrated_database(self._server_url))
            else:
                done = self.run("migrate", "up")
                assert done.returncode == 0, done.stdout
        if self.clock:
            self.clock.tell_server()
        self._is_migrated = True

    def _spare_migrations(self, changes):
        """The same for an embedded database that is not there yet, but where it is by `start`."""
        elsewhere = {"HERALD_DATABASE_URL", "HERALD_STATE_DIR"} & set(changes or ())
        if not (elsewhere or "HERALD_DATABASE_URL" in self.settings or self.disk
                or self.state.exists()):
            shutil.copytree(_migrated_files(), self.state)

    def serve(self, changes=None):
        """`herald serve`, ready to be asked."""
        self.migrate()
        if self.engine == "sqlite":
            self._spare_migrations(changes)
        process = self.start("serve", changes=changes)
        process.wait_until_ready()
        return process

    def restart(self):
        """`herald serve` once more: what it only remembered is forgotten."""
        self.stop()
        self.processes.clear()
        return self.serve()

    def start_cluster(self, apis=2, workers=2):
        """Several api and worker processes on one PostgreSQL; returns the api processes."""
        self.migrate()
        for _ in range(workers):
            self.start("worker")
        started = [self.start("api") for _ in range(apis)]
        for process in started:
            process.wait_until_ready()
        return started

    def stop(self):
        for process in self.processes:
            process.terminate() if process.is_running else None
        for process in self.processes:
            process.stop()

    def close(self):
        try:
            self.stop()
        finally:
            for process in self.processes:
                process.kill() if process.is_running else None
            self.beside.close()
            if self.database:
                self.database.drop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # --- those who talk to it

    @property
    def address(self):
        return self.processes[-1].address

    def core(self, process=None, source=None):
        return Core((process or self.processes[-1]).address, self.internal_key, source)

    def phone(self, core, count=1):
        """Registers a phone with that many fresh numbers and puts it into somebody's hand."""
        numbers = fresh_numbers(count)
        credentials = core.register(f"Phone {numbers[0][-4:]}", numbers).expect(201)
        return Phone(core.address, credentials["device_id"], credentials["device_key"], numbers)

    def log_reader(self, process=None, **options):
        return LogReader((process or self.processes[-1]).address, self.internal_key, **options)
