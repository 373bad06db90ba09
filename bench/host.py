"""Where the bench measures: the machine, databases on PostgreSQL, the simulated providers, and
programs, of which herald has a fleet."""

import base64
import datetime
import http.client
import json
import os
import platform
import re
import secrets
import signal
import socket
import sqlite3
import statistics
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEVICES = 100
NUMBERS_PER_DEVICE = 2
READY_MAX_S = 15


class BenchFailed(Exception):
    """A line could not be measured; the text is for people."""


# --- The machine --------------------------------------------------------------------------------


def first_match(path, pattern):
    with open(path, encoding="utf-8") as file:
        found = re.search(pattern, file.read(), re.MULTILINE)
    return found.group(1).strip() if found else "unknown"


def output_of(*command):
    try:
        ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return ended.stdout.strip()


def describe_machine(herald, postgres, folder):
    memory_gb = int(first_match("/proc/meminfo", r"^MemTotal:\s+(\d+)")) / 1024 / 1024
    processor = first_match("/proc/cpuinfo", r"^model name\s*:\s*(.*)$")
    system = first_match("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)')
    facts = [
        ("date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
        ("version", f"{output_of(herald, '--version')}, commit {commit()}"),
        (
            "machine",
            f"{processor}, {os.cpu_count()} cores, {memory_gb:.0f} GB; "
            "the generator runs on it too",
        ),
        ("load before the run", f"{os.getloadavg()[0]:.1f} (a busy machine spoils figures)"),
        ("kernel", f"{platform.system()} {platform.release()}"),
        ("system", system),
        ("SQLite", sqlite3.sqlite_version),
    ]
    if postgres:
        facts.append(("PostgreSQL", postgres.describe()))
    fsync_ms = fsync_times_ms(folder)
    facts.append(
        (
            "disk",
            f"write + fdatasync of 4 KiB: p50 {statistics.median(fsync_ms):.2f} ms, "
            f"p99 {sorted(fsync_ms)[int(len(fsync_ms) * 0.99)]:.2f} ms",
        )
    )
    return facts, statistics.median(fsync_ms)


def commit():
    name = output_of("git", "rev-parse", "--short", "HEAD")
    is_changed = output_of("git", "status", "--porcelain") != ""
    return f"{name} with changes" if is_changed and name != "unknown" else name


def fsync_times_ms(folder, limit_s=1.0):
    times = []
    path = os.path.join(folder, "fsync-probe")
    block = secrets.token_bytes(4096)
    with open(path, "wb", buffering=0) as file:
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            start = time.monotonic()
            file.write(block)
            os.fdatasync(file.fileno())
            times.append((time.monotonic() - start) * 1000)
    os.unlink(path)
    return times


# --- Databases ----------------------------------------------------------------------------------


class Postgres:
    """Makes and drops databases on the server that a URL names."""

    def __init__(self, url):
        self.url = url
        self.made = 0

    def query(self, sql):
        command = ["psql", "-X", "-At", "-v", "ON_ERROR_STOP=1", "-d", self.url, "-c", sql]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, check=True)
        except FileNotFoundError as fault:
            raise BenchFailed("psql is not installed") from fault
        except subprocess.CalledProcessError as fault:
            raise BenchFailed(f"PostgreSQL: {fault.stderr.strip()}") from fault
        return ended.stdout.strip()

    def create(self):
        """The URL of an empty database."""
        self.made += 1
        name = f"herald_bench_{os.getpid()}_{self.made}"
        self.query(f"CREATE DATABASE {name}")
        server, parameters = re.fullmatch(
            r"(postgres(?:ql)?://[^/?]*)(?:/[^?]*)?(\?.*)?", self.url
        ).groups()
        return name, f"{server}/{name}{parameters or ''}"

    def drop(self, name):
        self.query(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def describe(self):
        settings = ", ".join(
            f"{name} {self.query(f'SHOW {name}')}"
            for name in ("fsync", "synchronous_commit", "full_page_writes", "shared_buffers")
        )
        return f"{self.query('SHOW server_version')} ({settings})"


# --- Providers ----------------------------------------------------------------------------------


class Provider:
    """One `sim/provider`, told at its start how to behave."""

    def __init__(self, program, orders):
        self.program = program
        self.orders = orders
        self.process = None
        self.address = None
        self.control_address = None

    def __enter__(self):
        command = [self.program, "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"listening on http://(\S+), control API on http://(\S+)", line)
        if not found:
            self.__exit__()
            raise BenchFailed(f"the simulated providers do not start: {line!r}")
        self.address, self.control_address = found.groups()
        for order in self.orders:
            self.control("POST", "behave", order)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)
        self.process.stdout.close()

    def control(self, verb, path, body=None):
        text = json.dumps(body) if body else None
        status, text = ask(self.control_address, verb, f"/_control/{path}", {}, text)
        if status not in (200, 204):
            raise BenchFailed(f"the simulated providers: {status} {text}")
        return json.loads(text) if text else None

    def in_flight_max(self, name):
        return self.control("GET", "stats")[name]["in_flight_max"]

    def reset(self):
        """Slow answers are given now."""
        self.control("POST", "reset")

    def environment(self):
        """What makes herald call here."""
        return {
            "HERALD_FLASH_CALL_DRIVER": "ucaller",
            "HERALD_UCALLER_URL": f"http://{self.address}",
            "HERALD_UCALLER_KEY": "ucaller-key",
            "HERALD_UCALLER_SERVICE_ID": "1000",
            "HERALD_TELEGRAM_GATEWAY_URL": f"http://{self.address}",
            "HERALD_TELEGRAM_GATEWAY_TOKEN": "gateway-token",
        }


# --- Programs -----------------------------------------------------------------------------------


def ask(address, method, path, headers, body=None):
    """The status and the text of one answer."""
    connection = http.client.HTTPConnection(address, timeout=10)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def run_load(load, program, scenario, connections, seconds, extra=()):
    command = [load, scenario, "--address", program.address, "--connections", str(connections)]
    command += ["--seconds", str(seconds), *extra]
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds * 4 + 60, check=False
        )
    except subprocess.TimeoutExpired as fault:
        raise BenchFailed(f"load {scenario} does not end") from fault
    if ended.returncode != 0:
        raise BenchFailed(ended.stderr.strip() or f"load {scenario} failed")
    return json.loads(ended.stdout)


def settings_of(program):
    """The names that this herald knows: an older one refuses what it does not."""
    ended = subprocess.run([program, "config"], capture_output=True, text=True, check=True, env={})
    return set(re.findall(r"^#? ?([A-Z_0-9]+)=", ended.stdout, re.MULTILINE))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_s_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Program:
    """A process that is measured, and its log."""

    def __init__(self, log_file):
        self.log_file = log_file
        self.address = None
        self.process = None

    def spawn(self, command, environment, folder=None):
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, cwd=folder
            )

    def stop(self):
        if not self.process:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=35)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def last_words(self):
        with open(self.log_file, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-5:]).strip()

    def pids(self):
        """Of the processes whose time and memory count."""
        return [self.process.pid]

    def cpu_s(self):
        return sum(cpu_s_of(pid) for pid in self.pids())

    def rss_mb(self):
        return self.memory_mb("VmRSS")

    def peak_mb(self):
        """The most that was ever resident."""
        return self.memory_mb("VmHWM")

    def memory_mb(self, name):
        return sum(
            int(first_match(f"/proc/{pid}/status", rf"^{name}:\s+(\d+)")) / 1024
            for pid in self.pids()
        )


class Herald(Program):
    """One `herald serve` on an engine, in a folder of its own, and its fleet."""

    def __init__(self, program, folder, postgres=None, settings=None):
        super().__init__(os.path.join(folder, "herald.log"))
        self.program = program
        self.folder = folder
        self.postgres = postgres
        self.address = f"127.0.0.1:{free_port()}"
        self.key = secrets.token_urlsafe(32)
        self.key_file = os.path.join(folder, "bench-key")
        self.fleet_file = os.path.join(folder, "bench-fleet")
        self.clients_file = os.path.join(folder, "bench-clients")
        self.database = None
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("HERALD_") and name != "LOG_SENSITIVE"
        }
        wanted = {
            "HERALD_STATE_DIR": folder,
            "HERALD_LISTEN": self.address,
            "INTERNAL_API_KEY": self.key,
            "HERALD_ERP_SNAPSHOTS_PER_DAY": "0",
            "HERALD_ERP_PACKAGES_PER_MINUTE": "0",
            "HERALD_DRAIN_SECONDS": "0",
            **(settings or {}),
        }
        known = settings_of(program)
        self.environment.update({name: wanted[name] for name in wanted if name in known})

    def __enter__(self):
        with open(self.key_file, "w", encoding="ascii") as file:
            file.write(self.key + "\n")
        try:
            if self.postgres:
                self.prepare_postgres()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        if self.database:
            self.postgres.drop(self.database)

    def prepare_postgres(self):
        self.database, url = self.postgres.create()
        key = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
        self.environment.update(HERALD_DATABASE_URL=url, HERALD_SECRET_KEY=key)
        ended = subprocess.run(
            [self.program, "migrate", "up"],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode != 0:
            raise BenchFailed(f"herald migrate up: {ended.stdout}{ended.stderr}")

    def start(self):
        """Milliseconds from exec to ready."""
        started = time.monotonic()
        self.spawn([self.program, "serve"], self.environment)
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > started + READY_MAX_S:
                raise BenchFailed(
                    f"herald does not get ready (exit status {self.process.poll()}): "
                    + self.last_words()
                )
            time.sleep(0.0005)
        return (time.monotonic() - started) * 1000

    def is_ready(self):
        """A request by hand: http.client costs more than herald's start leaves to measure."""
        host, port = self.address.split(":")
        try:
            with socket.create_connection((host, int(port)), timeout=2) as connection:
                connection.sendall(b"GET /health/ready HTTP/1.1\r\nHost: herald\r\n\r\n")
                return connection.recv(4096).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    def post(self, path, body, more_headers=None):
        """The record that was created, or accepted."""
        headers = {"X-Internal-API-Key": self.key, "Content-Type": "application/json"}
        headers |= more_headers or {}
        status, text = ask(self.address, "POST", path, headers, json.dumps(body))
        if status not in (201, 202):
            raise BenchFailed(f"POST {path}: {status} {text}")
        return json.loads(text)

    def make_fleet(self):
        """Registers the phones and writes a line "key number" for each number."""
        with open(self.fleet_file, "w", encoding="ascii") as file:
            for device in range(DEVICES):
                numbers = [
                    f"+7800{device * NUMBERS_PER_DEVICE + sim:07d}"
                    for sim in range(NUMBERS_PER_DEVICE)
                ]
                made = self.post(
                    "/internal/v1/devices", {"name": f"bench {device}", "numbers": numbers}
                )
                file.writelines(f"{made['device_key']} {number}\n" for number in numbers)
