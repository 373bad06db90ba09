"""An identity service from outside: keys of its own, a key set over HTTP, and tokens at will."""

import base64
import contextlib
import gzip
import json
import os
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .exchange import AUDIENCE, SCOPES, TOKEN_LIFE_S
from .site import Site, free_port

ISSUER = "https://id.example"
JWKS_PATH = "/keys.json"


def encode_part(data):
    """Base64url without padding, of bytes or of a value as JSON."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class SigningKey:
    """A pair of Ed25519 with its id."""

    def __init__(self, kid=None):
        self.kid = kid or f"key-{uuid.uuid4().hex}"
        self._private = Ed25519PrivateKey.generate()

    @property
    def public_bytes(self):
        return self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    @property
    def public_pem(self):
        return self._private.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def jwk(self, **changes):
        """The public key; a change to None leaves a member out."""
        made = {"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": self.kid,
                "x": encode_part(self.public_bytes)} | changes
        return {name: value for name, value in made.items() if value is not None}

    def sign_bytes(self, data):
        return self._private.sign(data)

    def sign(self, claims, **header_changes):
        """A token; a header changed to None is left out."""
        header = {"alg": "EdDSA", "typ": "at+jwt", "kid": self.kid} | header_changes
        header = {name: value for name, value in header.items() if value is not None}
        return self.sign_parts(encode_part(header), encode_part(claims))

    def sign_parts(self, head, claims):
        """Signs two parts as they are."""
        signing = f"{head}.{claims}"
        return f"{signing}.{encode_part(self.sign_bytes(signing.encode()))}"


class IdentityService:
    """Serves its key set on a port that stays the same while it is stopped and started again.

    `mode` says how it answers: "keys", or a fault of those in _FAULTS.
    """

    def __init__(self, issuer):
        self.issuer = issuer
        self.key = SigningKey()
        self.keys = [self.key]
        self.mode = "keys"
        self.fetches = 0
        self.fetched_by = []
        self._port = free_port()
        self._server = None
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._port}{JWKS_PATH}"

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), _handler_of(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self):
        """Nobody listens any more."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def key_set(self):
        return json.dumps({"keys": [key if isinstance(key, dict) else key.jwk()
                                    for key in self.keys]}).encode()

    def claims(self, site, erp, **changes):
        """What a good token for this ERP says just now; a claim changed to None is left out."""
        now = int(site.clock.now().timestamp())
        made = {
            "iss": self.issuer, "sub": erp.client_id, "client_id": erp.client_id, "aud": AUDIENCE,
            "scope": " ".join(SCOPES), "tenant_id": erp.integration["tenant_id"],
            "integration_id": erp.integration_id, "point_id": erp.integration["point_id"],
            "iat": now, "nbf": now, "exp": now + TOKEN_LIFE_S, "jti": str(uuid.uuid4()),
        } | changes
        return {name: value for name, value in made.items() if value is not None}

    def token(self, site, erp, key=None, **changes):
        return (key or self.key).sign(self.claims(site, erp, **changes))


def _handler_of(service):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            service.fetches += 1
            service.fetched_by.append(dict(self.headers))
            if self.path == JWKS_PATH and service.mode == "keys":
                return self.answer(200, service.key_set())
            return _FAULTS.get(service.mode, _not_found)(self, service)

        def answer(self, status, body, **headers):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


def _not_found(handler, _service):
    handler.answer(404, b"{}")


def _hang(handler, _service):
    time.sleep(20)
    handler.close_connection = True


def _half(handler, service):
    """Promises more than it sends."""
    body = service.key_set()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def _drip(handler, service):
    """A good set, a byte at a time: it would take minutes."""
    body = service.key_set()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    with contextlib.suppress(OSError):
        for byte in body:
            handler.wfile.write(bytes([byte]))
            time.sleep(0.5)


def _endless(handler, service):
    """A good set, and white space without an end."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    with contextlib.suppress(OSError):
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(service.key_set()), service.key_set()))
        while True:
            handler.wfile.write(b"400\r\n" + b" " * 1024 + b"\r\n")
    handler.close_connection = True


_FAULTS = {
    "error": lambda handler, _: handler.answer(500, b'{"keys":[]}'),
    "unavailable": lambda handler, service: handler.answer(503, service.key_set()),
    "marked": lambda handler, service: handler.answer(200, b"\xef\xbb\xbf" + service.key_set()),
    "garbage": lambda handler, _: handler.answer(200, b"<html>maintenance</html>"),
    "no set": lambda handler, _: handler.answer(200, b'{"kids":[]}'),
    "empty": lambda handler, _: handler.answer(200, b""),
    "huge": lambda handler, service: handler.answer(200, service.key_set() + b" " * 200_000),
    "redirect": lambda handler, _: handler.answer(302, b"", Location="/elsewhere"),
    "packed": lambda handler, service: handler.answer(
        200, gzip.compress(service.key_set()), **{"Content-Encoding": "gzip"}),
    "twice": lambda handler, service: handler.answer(
        200, service.key_set()[:-1] + b', "keys": []}'),
    "half": _half,
    "drip": _drip,
    "endless": _endless,
    "hang": _hang,
}


@contextlib.contextmanager
def outside_site(engine, home, service, **settings):
    """A running herald that takes its keys from this identity service, with a clock to move."""
    asked = {"HERALD_JWKS_URL": service.url, "HERALD_ISSUER": service.issuer} | settings
    server_url = os.environ.get("HERALD_TEST_POSTGRES_URL")
    with Site(engine, home, server_url=server_url, settings=asked, has_clock=True) as made:
        made.serve()
        yield made
