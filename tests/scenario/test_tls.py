"""Contract, section 19: HTTPS of herald's own, and whoever misuses it."""

import json
import os
import select
import socket
import ssl
import subprocess
import threading
import time
from contextlib import ExitStack

import pytest

from harness.http import RawConnection
from harness.metrics import fetch
from harness.site import BINARY, free_port
from harness.tls import Pair, client_context, connect
from harness.tools import eventually, fresh_number, took_at_most

pytestmark = pytest.mark.only("sqlite")  # HTTP is the same on both engines

HALF, KEPT = 1000, 100
ASK = b"GET /health/live HTTP/1.1\r\nHost: herald\r\n\r\n"
LAST = ASK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


class Secure:
    """A herald that speaks HTTPS, and plain HTTP on the loopback."""

    def __init__(self, site, folder, **settings):
        self.site = site
        self.pair = Pair(folder)
        self.port = free_port()
        self.address = ("127.0.0.1", self.port)
        self.settings = {**self.pair.settings, **settings}
        self.process = None

    def start(self):
        site = self.site
        site.migrate()
        plain = free_port()
        listen = f"https://127.0.0.1:{self.port},http://127.0.0.1:{plain}"
        self.process = site.start("serve", port=plain,
                                  changes={**self.settings, "HERALD_LISTEN": listen})
        self.process.wait_until_ready()
        return self

    @property
    def output(self):
        return self.process.output.decode()

    def connect(self, **options):
        return connect(self.address, client_context(), **options)

    def is_served(self):
        with self.connect() as caller:
            return ask(caller).startswith(b"HTTP/1.1 200")

    def certificate(self):
        with self.connect() as caller:
            return caller.getpeercert(binary_form=True)

    def admin(self, *words, **changes):
        listen = f"https://127.0.0.1:{self.port}"
        return self.site.run("admin", *words,
                             changes={**self.settings, "HERALD_LISTEN": listen, **changes})

    def doctor(self, **changes):
        """What is said, by check: a list of (status, sentence)."""
        listen = f"https://127.0.0.1:{self.port}"
        done = self.site.run("doctor", "--json",
                             changes={**self.settings, "HERALD_LISTEN": listen, **changes})
        said = {}
        for row in json.loads(done.stdout)["checks"]:
            said.setdefault(row["check"], []).append((row["status"], row["message"]))
        return said


def ask(caller, request=ASK):
    caller.sendall(request)
    return caller.recv(65536)


@pytest.fixture
def secure(fresh_site, tmp_path):
    return Secure(fresh_site, tmp_path).start()


def test_protocol_is_chosen_and_the_certificate_verified(secure):
    context = client_context(secure.pair)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with connect(secure.address, context) as caller:
        assert caller.version() == "TLSv1.3" and caller.selected_alpn_protocol() == "http/1.1"
        assert ask(caller).startswith(b"HTTP/1.1 200")
        assert ask(caller, LAST).startswith(b"HTTP/1.1 200")
        assert caller.recv(1) == b"", "the end is said, not a cut"
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with connect(secure.address, context) as caller:
        assert caller.version() == "TLSv1.2" and caller.cipher()[0].startswith("ECDHE-")
        assert ask(caller).startswith(b"HTTP/1.1 200")
    context = client_context()
    context.set_alpn_protocols(["h2"])
    with pytest.raises(ssl.SSLError):
        connect(secure.address, context)


def test_plain_http_beside_it_and_at_the_wrong_port(secure):
    assert secure.process.get_health("/health/live") == 200
    with RawConnection(secure.address) as stranger:
        stranger.send(ASK)
        reply = stranger.read_reply()
        assert reply.expect(400, "bad_request") and "HTTPS" in reply.error["message"]
        assert stranger.is_closed()
    with pytest.raises(ssl.SSLError):
        connect(secure.process.address)
    assert secure.is_served() and secure.process.get_health("/health/live") == 200


def test_metrics_are_told_over_it_and_beside_it(fresh_site, tmp_path):
    port, plain = free_port(), free_port()
    address = ("127.0.0.1", port)
    secure = Secure(fresh_site, tmp_path, HERALD_METRICS_LISTEN=(
        f"https://127.0.0.1:{port},http://127.0.0.1:{plain}")).start()
    scrape = ASK.replace(b"/health/live", b"/metrics")
    with connect(address, client_context(secure.pair)) as caller:
        assert ask(caller, scrape).startswith(b"HTTP/1.1 200")
    assert "herald_build_info" in fetch(f"http://127.0.0.1:{plain}/metrics")[1]
    with RawConnection(address) as stranger:
        stranger.send(scrape)
        assert stranger.read_reply().expect(400, "bad_request")


def test_tickets_are_taken_back(secure):
    context = client_context()
    with connect(secure.address, context) as caller:
        assert ask(caller).startswith(b"HTTP/1.1 200")
        session = caller.session
    plain = socket.create_connection(secure.address)
    with context.wrap_socket(plain, server_hostname="localhost", session=session) as caller:
        assert ask(caller).startswith(b"HTTP/1.1 200")
        assert caller.session_reused


@pytest.mark.long
def test_a_thousand_half_handshakes_hold_up_nobody(secure):
    hello = ssl.MemoryBIO()
    tls = client_context().wrap_bio(ssl.MemoryBIO(), hello)
    with pytest.raises(ssl.SSLWantReadError):
        tls.do_handshake()
    beginning = hello.read()
    cuts = [0, 1, 5, len(beginning) // 2, len(beginning)]
    with ExitStack() as stack:
        callers = [stack.enter_context(socket.create_connection(secure.address))
                   for _ in range(HALF)]
        for index, caller in enumerate(callers):
            caller.sendall(beginning[:cuts[index % len(cuts)]])
        began = time.monotonic()
        assert all(secure.is_served() for _ in range(20))
        took_at_most(began, 10)
        # A handshake has ten seconds, as a head has.
        assert eventually(lambda: all(has_ended(caller) for caller in callers), seconds=20)
    assert secure.is_served()


def has_ended(caller):
    """True when the server has closed it; what came before that is dropped."""
    caller.setblocking(False)
    try:
        while select.select([caller], [], [], 0)[0]:
            if not caller.recv(65536):
                return True
    except ConnectionResetError:
        return True
    return False


def test_a_broken_record_ends_its_connection_alone(secure):
    with secure.connect() as other:
        caller = secure.connect()
        raw = socket.socket(fileno=caller.detach())
        raw.sendall(b"\x17\x03\x03\x00\x20" + b"x" * 32)
        raw.settimeout(10)
        rest = b""
        while piece := raw.recv(65536):
            rest += piece
        raw.close()
        assert rest, "an alert says why"
        assert ask(other).startswith(b"HTTP/1.1 200")


def test_a_certificate_is_renewed_under_load(secure):
    before = secure.certificate()
    stopped, faults, count = threading.Event(), [], [0]

    def go_on_asking():
        try:
            with secure.connect() as kept:
                while not stopped.is_set():
                    with secure.connect() as fresh:
                        assert ask(kept).startswith(b"HTTP/1.1 200")
                        assert ask(fresh).startswith(b"HTTP/1.1 200")
                    count[0] += 1
        except Exception as fault:  # of any kind
            faults.append(fault)

    threads = [threading.Thread(target=go_on_asking) for _ in range(4)]
    for thread in threads:
        thread.start()
    secure.pair.renew(key_alone=True)
    assert eventually(lambda: "is not that of the certificate" in secure.output, seconds=15)
    assert secure.certificate() == before
    assert ("fail", True) in [(status, "is not that of" in text)
                              for status, text in secure.doctor()["certificate"]]
    secure.pair.renew(kind="Ed25519")
    assert eventually(lambda: secure.certificate() != before, seconds=15)
    stopped.set()
    for thread in threads:
        thread.join()
    assert not faults and count[0] > 10
    assert "read anew" in secure.output
    assert secure.output.count("cannot be used") == 1, "it is told once"


def test_admin_trusts_the_configured_certificate_alone(secure, tmp_path_factory):
    assert secure.admin("integrations", "list").returncode == 0
    other = Pair(tmp_path_factory.mktemp("other"))
    refused = secure.admin("integrations", "list", HERALD_TLS_CERT_FILE=str(other.cert))
    assert refused.returncode == 1 and "another certificate" in refused.stdout
    nobody = secure.admin("integrations", "list", HERALD_TLS_CERT_FILE=None,
                          HERALD_TLS_KEY_FILE=None)
    assert nobody.returncode != 0


def test_simulated_phone_speaks_it(secure):
    """It claims what there is, which is nothing, over a certificate that it was told to trust."""
    phone = secure.site.phone(secure.site.core())
    command = [BINARY.parent / "sim" / "phone", "--url", f"https://localhost:{secure.port}",
               "--key", phone.device_key, "--number", phone.numbers[0], "--once"]

    def run(**environment):
        return subprocess.run(command, env={**os.environ, **environment}, timeout=60, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    assert "herald knows this phone" not in run().stdout, "nobody vouches for the certificate"
    told = run(SSL_CERT_FILE=str(secure.pair.cert))
    assert told.returncode == 0 and "herald knows this phone" in told.stdout


def test_simulated_app_pairs_over_it(secure, tmp_path):
    """The stand-in for the SMSGate app, which is told to trust the certificate, and dies at its first
    fetch."""
    core = secure.site.core()
    device_id = core.register("App", [fresh_number()]).expect(201)["device_id"]
    code = core.pair(device_id).expect(201)["code"]
    command = [BINARY.parent / "sim" / "smsgate", "--url",
               f"https://localhost:{secure.port}/smsgate/v1", "--code", code, "--die-at", "pull"]
    told = subprocess.run(command, env={**os.environ, "SSL_CERT_FILE": str(secure.pair.cert)},
                          timeout=60, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert told.returncode == 0 and f"registered as {device_id}" in told.stdout


def test_its_faults_are_told_at_the_start_and_by_doctor(fresh_site, tmp_path):
    secure = Secure(fresh_site, tmp_path, HERALD_PUBLIC_URL="https://localhost:1")
    for options, status, words in [
        ({"days": -1}, "fail", "expired on"),
        ({"days": 13}, "warn", "expires on"),
        ({"names": ["elsewhere.example"]}, "warn", "does not name localhost"),
    ]:
        secure.pair.renew(**options)
        secure.start()
        assert words in secure.output
        assert secure.is_served(), "it serves all the same"
        said = secure.doctor()["certificate"]
        assert [row[0] for row in said] == [status] and words in said[0][1], said
        fresh_site.stop()
    secure.pair.renew(days=15)
    secure.start()
    assert "certificate" not in secure.output.lower()
    assert [row[0] for row in secure.doctor()["certificate"]] == ["ok"]


@pytest.mark.parametrize("changes, words", [
    ({"HERALD_TLS_KEY_FILE": None}, "HERALD_TLS_KEY_FILE is not"),
    ({"HERALD_TLS_CERT_FILE": None}, "HERALD_TLS_CERT_FILE is not"),
    ({"HERALD_TLS_CERT_FILE": None, "HERALD_TLS_KEY_FILE": None}, "no certificate for it"),
    ({"HERALD_LISTEN": "http://127.0.0.1:0"}, "http:// addresses alone"),
    ({"HERALD_TLS_KEY_FILE": "/no/such/key"}, "/no/such/key"),
])
def test_what_does_not_go_together_is_refused(fresh_site, tmp_path, changes, words):
    settings = {**Pair(tmp_path).settings, "HERALD_LISTEN": "https://127.0.0.1:0", **changes}
    done = fresh_site.run("serve", changes=settings)
    assert done.returncode != 0 and words in done.stdout


def test_public_url_follows(fresh_site, tmp_path):
    """Without a scheme an address speaks HTTPS, and tokens name it so."""
    port = free_port()
    process = fresh_site.start(
        "serve", changes={**Pair(tmp_path).settings, "HERALD_LISTEN": f"localhost:{port}"})
    assert eventually(lambda: f"listens on https://127.0.0.1:{port}" in process.output.decode())
    with connect(("127.0.0.1", port)) as caller:
        answer = ask(caller, b"GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: a\r\n"
                             b"Connection: close\r\n\r\n")
    assert f'"issuer":"https://localhost:{port}"'.encode() in answer


@pytest.mark.long
def test_a_log_stream_and_a_large_body(secure):
    """What lasts and what is long: over TLS they are as they are without."""
    key = secure.site.internal_key
    with secure.connect() as reader, secure.connect() as sender:
        reader.sendall(b"GET /internal/v1/logs/stream HTTP/1.1\r\nHost: herald\r\n"
                       b"X-Internal-API-Key: %s\r\n\r\n" % key.encode())
        assert reader.recv(65536).startswith(b"HTTP/1.1 200")
        body = b"[" + b" " * 2_000_000 + b"]"
        sender.sendall(b"POST /internal/v1/devices HTTP/1.1\r\nHost: herald\r\n"
                       b"X-Internal-API-Key: %s\r\nContent-Type: application/json\r\n"
                       b"Content-Length: %d\r\n\r\n" % (key.encode(), len(body)))
        try:
            sender.sendall(body)
        except OSError:
            pass  # it is refused by its length
        assert sender.recv(65536).startswith(b"HTTP/1.1 4")
        assert secure.is_served()
        secure.process.terminate()
        assert secure.process.wait() == 0
        while reader.recv(65536):
            pass  # the stream ends, and says so
