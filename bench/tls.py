"""The lines about HTTPS of herald's own, beside nginx in front of the same herald over plain HTTP."""

import os
import re
import socket
import ssl
import statistics
import subprocess
import tempfile
import time
from contextlib import ExitStack

from bodies import Shop
from erp import Erp, Wire
from host import BenchFailed, Herald, Program, free_port
from packages import SNAPSHOT_PAUSE_S
from table import number
from turns import ROUNDS

KINDS = {
    "ECDSA P-256": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "Ed25519": ["ed25519"],
}
CONNECTIONS, SECONDS = 32, 4
PATH = "/health/live"
OWN, PEER = "SQLite", "nginx in front, SQLite"
NEW_AT_LEAST, KEPT_AT_LEAST, BODY_AT_MOST = 0.9, 1.0, 1.0  # of nginx

NGINX = """\
worker_processes 2;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    keepalive_requests 10000000;
    upstream herald {{ server {herald}; keepalive 64; keepalive_requests 10000000; }}
    server {{
        listen {address} ssl reuseport;
        ssl_certificate {folder}/cert.pem;
        ssl_certificate_key {folder}/key.pem;
        ssl_protocols TLSv1.2 TLSv1.3;
        location / {{
            proxy_pass http://herald;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_request_buffering off;
            client_max_body_size 0;
        }}
    }}
}}
"""


class Nginx(Program):
    """As docs/deploy.md has it, with as many processes as herald has event loops."""

    def __init__(self, folder, herald):
        super().__init__(os.path.join(folder, "nginx.output"))
        self.address = f"127.0.0.1:{free_port()}"
        self.file = os.path.join(folder, "nginx.conf")
        with open(self.file, "w", encoding="ascii") as file:
            file.write(NGINX.format(folder=folder, address=self.address, herald=herald.address))

    def __enter__(self):
        try:
            self.spawn(["nginx", "-c", self.file], os.environ)
        except FileNotFoundError as fault:
            raise BenchFailed("nginx is not installed") from fault
        host, port = self.address.split(":")
        for _ in range(100):
            try:
                socket.create_connection((host, int(port))).close()
                return self
            except OSError:
                time.sleep(0.05)
        raise BenchFailed("nginx does not start: " + self.last_words())

    def __exit__(self, *_):
        self.stop()

    def pids(self):
        found = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False
        )
        return [self.process.pid, *map(int, found.stdout.split())]


class SecureWire(Wire):
    """The connection of an ERP, over TLS."""

    def __init__(self, address):
        super().__init__(address)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.socket = context.wrap_socket(self.socket)


def make_certificate(folder, kind):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", *KINDS[kind], "-nodes", "-days", "2", "-subj",
         "/CN=bench", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"],
        check=True, capture_output=True,
    )


def start_herald(options, folder, stack):
    """One that speaks both; it tells its secure address as well."""
    herald = Herald(options.herald, folder)
    herald.secure = f"127.0.0.1:{free_port()}"
    herald.environment.update(
        HERALD_LISTEN=f"http://{herald.address},https://{herald.secure}",
        HERALD_TLS_CERT_FILE=f"{folder}/cert.pem",
        HERALD_TLS_KEY_FILE=f"{folder}/key.pem",
    )
    return stack.enter_context(herald)


def run_wrk(address, is_new):
    """Requests a second; each over a connection of its own, or all over a few."""
    headers = ["-H", "Connection: close"] if is_new else []
    ended = subprocess.run(
        ["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{SECONDS}s", *headers,
         f"https://{address}{PATH}"],
        capture_output=True, text=True, check=False,
    )
    found = re.search(r"^\s+(\d+) requests in.*?^Requests/sec:\s+([\d.]+)", ended.stdout,
                      re.MULTILINE | re.DOTALL)
    if not found or "Non-2xx" in ended.stdout:
        raise BenchFailed(f"wrk: {ended.stdout} {ended.stderr}")
    return int(found[1]), float(found[2])


class Figures:
    """Of one way, over all rounds."""

    def __init__(self):
        self.rates, self.count, self.cpu_s = [], 0, 0

    def take(self, programs, address, is_new):
        before_s = sum(program.cpu_s() for program in programs)
        count, rate = run_wrk(address, is_new)
        self.cpu_s += sum(program.cpu_s() for program in programs) - before_s
        self.count += count
        self.rates.append(rate)

    @property
    def rate(self):
        return statistics.median(self.rates)

    @property
    def cost(self):
        return f"{self.cpu_s / self.count * 1e6:,.0f} us CPU"


def pair_of_rows(title, own, peer, words, is_met, goal, costs):
    verdict = "yes" if is_met else "**no**"
    yield (title, OWN, words(own), goal, verdict, f"nginx: {words(peer)}", costs[0])
    yield (title, PEER, words(peer), "", "", "", costs[1])


def rate_rows(title, own, peer, least):
    ratio = own.rate / peer.rate
    return pair_of_rows(
        title, own, peer, lambda one: f"{number(one.rate)}/s", ratio >= least,
        f">= {least} of nginx (it is {ratio:.2f})", (own.cost, peer.cost),
    )


def measure_kind(options, folder, kind, stack):
    make_certificate(folder, kind)
    herald = start_herald(options, folder, stack)
    nginx = stack.enter_context(Nginx(folder, herald))
    ways = {
        (is_new, who): Figures() for is_new in (True, False) for who in (OWN, PEER)
    }
    for _ in range(ROUNDS):
        for is_new in (True, False):
            ways[is_new, OWN].take([herald], herald.secure, is_new)
            ways[is_new, PEER].take([herald, nginx], nginx.address, is_new)
    new = f"HTTPS with {kind}: handshake and one request, {CONNECTIONS} at once"
    yield from rate_rows(new, ways[True, OWN], ways[True, PEER], NEW_AT_LEAST)
    if kind == "ECDSA P-256":
        kept = f"HTTPS: GET {PATH} over {CONNECTIONS} connections that are kept"
        yield from rate_rows(kept, ways[False, OWN], ways[False, PEER], KEPT_AT_LEAST)
        yield from body_rows(options, herald, nginx)


def body_rows(options, herald, nginx):
    """A snapshot, from its first byte to its 202."""
    package = Shop(options.erp).first
    times_ms = {OWN: [], PEER: []}
    for _ in range(ROUNDS):
        for who, address in ((OWN, herald.secure), (PEER, nginx.address)):
            with Erp(herald) as erp:
                erp.wire.close()
                erp.wire = SecureWire(address)
                times_ms[who].append(erp.apply(package, SNAPSHOT_PAUSE_S)[0])
    own, peer = (statistics.median(times_ms[who]) for who in (OWN, PEER))
    return pair_of_rows(
        f"HTTPS: snapshot of {package.length / 1e6:.1f} MB, POST -> 202", own, peer,
        lambda ms: f"p50 {number(ms)} ms", own <= peer * BODY_AT_MOST,
        f"<= {BODY_AT_MOST} of nginx (it is {own / peer:.2f})", ("", ""),
    )


def measure(options, _postgres, _fsync_ms):
    rows = []
    for kind in KINDS:
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
            rows += measure_kind(options, folder, kind, stack)
    return rows


LINES = (("tls", "HTTPS of its own", measure),)

NOTES = f"""\
- HTTPS of its own is measured beside Debian's nginx, which has the same certificate, two processes,
  and the herald of the same run behind it over plain HTTP, with connections that are kept. wrk
  makes the requests, {SECONDS} s at a time, {ROUNDS} times in turn; with `Connection: close` it
  does a full handshake of TLS 1.3 for each. It needs as much of a core for a handshake as they do.
  The CPU time of nginx's rows is that of nginx and of herald.
"""
