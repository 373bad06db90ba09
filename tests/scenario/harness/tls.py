"""Certificates for herald's own HTTPS, and a bridge by which all who speak plain HTTP reach it."""

import datetime
import ipaddress
import os
import select
import socket
import ssl
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import NameOID

PIECE = 16 * 1024
KINDS = {
    "P-256": (lambda: ec.generate_private_key(ec.SECP256R1()), hashes.SHA256()),
    "Ed25519": (ed25519.Ed25519PrivateKey.generate, None),
}


class Pair:
    """A certificate of its own authority, and its key, as two files."""

    def __init__(self, folder, **options):
        self.cert, self.key = folder / "tls-cert.pem", folder / "tls-key.pem"
        self.renew(**options)

    def renew(self, kind="P-256", days=90, names=("localhost",), key_alone=False):
        """Puts another pair in its place, each file at once."""
        make_key, algorithm = KINDS[kind]
        key = make_key()
        now = datetime.datetime.now(datetime.timezone.utc)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "herald")])
        hosts = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), *map(x509.DNSName, names)]
        begin = now - datetime.timedelta(days=100)
        leaf = (x509.CertificateBuilder().subject_name(name).issuer_name(name)
                .public_key(key.public_key()).serial_number(x509.random_serial_number())
                .not_valid_before(begin).not_valid_after(now + datetime.timedelta(days=days))
                .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
                .sign(key, algorithm))
        replace(self.key, key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()))
        if not key_alone:
            replace(self.cert, leaf.public_bytes(serialization.Encoding.PEM))

    @property
    def settings(self):
        return {"HERALD_TLS_CERT_FILE": str(self.cert), "HERALD_TLS_KEY_FILE": str(self.key)}


def replace(path, text):
    part = path.with_suffix(".part")
    part.write_bytes(text)
    part.chmod(0o600)
    os.replace(part, path)


def client_context(pair=None):
    """One who trusts that certificate; without one, whatever comes. Authorities of the system are
    not read: that takes longer than a handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if pair is None:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    else:
        context.load_verify_locations(pair.cert)
    return context


def connect(address, context=None, timeout=30):
    plain = socket.create_connection(address, timeout)
    return (context or client_context()).wrap_socket(plain, server_hostname="localhost")


class Bridge:
    """Listens for plain HTTP, and carries it to `target` over TLS. Ends and resets are passed on."""

    def __init__(self, target):
        self.target = target
        self._context = client_context()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.address = self._listener.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(plain,), daemon=True).start()

    def _carry(self, plain):
        sealed = None
        try:
            sealed = socket.create_connection(self.target, 30)
            Carrier(plain, sealed, self._context).run()
        except (OSError, ssl.SSLError):
            reset(plain)
            reset(sealed)
        finally:
            plain.close()
            if sealed:
                sealed.close()


def reset(end):
    if end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


class Carrier:
    """One connection of a bridge."""

    def __init__(self, plain, sealed, context):
        for end in (plain, sealed):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.plain, self.sealed = plain, sealed
        self.records_in, self.records_out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.records_in, self.records_out, server_hostname="localhost")
        self.has_ended = {plain: False, sealed: False}

    def run(self):
        self._shake()
        while not all(self.has_ended.values()):
            waiting = [end for end, has_ended in self.has_ended.items() if not has_ended]
            for end in select.select(waiting, [], [])[0]:
                self._from_client() if end is self.plain else self._from_server()

    def _flush(self):
        if self.records_out.pending:
            self.sealed.sendall(self.records_out.read())

    def _shake(self):
        while True:
            try:
                self.tls.do_handshake()
                return self._flush()
            except ssl.SSLWantReadError:
                self._flush()
                self._take_records()

    def _take_records(self):
        records = self.sealed.recv(PIECE)
        if not records:
            raise ConnectionResetError("it ended without saying so")
        self.records_in.write(records)

    def _from_client(self):
        data = self.plain.recv(PIECE)
        if data:
            self.tls.write(data)
            return self._flush()
        self.has_ended[self.plain] = True
        try:
            self.tls.unwrap()
        except ssl.SSLError:
            pass  # the server has not ended yet
        self._flush()
        self.sealed.shutdown(socket.SHUT_WR)

    def _from_server(self):
        self._take_records()
        while True:
            try:
                data = self.tls.read(PIECE)
            except ssl.SSLWantReadError:
                return self._flush()
            except ssl.SSLSyscallError:
                continue  # having said its end, OpenSSL stops once at a ticket that comes
            if not data:
                break
            self.plain.sendall(data)
        self.has_ended[self.sealed] = True
        self.plain.shutdown(socket.SHUT_WR)
