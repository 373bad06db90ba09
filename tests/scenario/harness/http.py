"""Requests and replies over real sockets, and what the contract demands of every single reply.

A caller keeps one connection per thread. Each reply passes check_conventions(), so that a scenario
about anything at all fails when an error has no error record or an answer no X-Request-Id.
"""

import http.client
import json
import re
import select
import socket
import threading
from datetime import datetime

from .faults import check_detail
from .tools import PATIENCE_S

REPLY_TIMEOUT_S = 2 * PATIENCE_S  # of a crowd that hashes passwords the last one waits for long

CODES = {
    400: {"bad_request"},
    401: {"unauthorized"},
    403: {
        "number_not_owned", "device_disabled", "insufficient_scope", "insufficient_role",
        "integration_mismatch", "cross_site", "no_https",
    },
    404: {"not_found"},
    405: {"method_not_allowed"},
    408: {"request_timeout"},
    409: {
        "idempotency_conflict", "active_challenge_exists", "number_taken", "point_taken",
        "name_taken",
        "body_gone", "already_accepted", "lease_lost",
        "already_confirmed", "challenge_expired", "attempts_exhausted", "challenge_canceled",
        "fallback_not_applicable", "result_conflict", "tokens_elsewhere", "no_new_secret_key",
        "still_old_form", "events_off", "webhook_disabled",
    },
    410: {"events_gone"},
    413: {"payload_too_large"},
    414: {"uri_too_long"},
    415: {"unsupported_media_type"},
    417: {"expectation_failed"},
    422: {"validation_error", "code_mismatch"},
    429: {"rate_limited"},
    431: {"headers_too_large"},
    501: {"not_implemented"},
    503: {"storage_unavailable", "channel_unavailable", "no_ready_sim", "overloaded"},
    505: {"http_version_not_supported"},
}

REASONS = {
    "not_configured", "circuit_open", "account_not_connected", "no_enabled_number",
    "call_under_way", "key_set_unavailable",
}

TOKEN_ERRORS = {
    400: {"invalid_request", "unsupported_grant_type", "invalid_scope"},
    401: {"invalid_client"},
    405: {"invalid_request"},
}

PACKAGE_PATH = re.compile(r"/api/v1/integrations/erp/[^/]+/(catalog-snapshot|changes)")

NOTHING = object()


class Reply:
    """One answer, with what was asked, so that a failing assertion tells the dialogue."""

    def __init__(self, asked, status, headers, body):
        self.asked = asked
        self.status = status
        self.headers = headers
        self.body = body

    def header(self, name):
        values = self.all_headers(name)
        assert len(values) <= 1, f"{self}: {name} came {len(values)} times"
        return values[0] if values else None

    def all_headers(self, name):
        return [value for key, value in self.headers if key.lower() == name.lower()]

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]

    @property
    def code(self):
        """The code for programs, of the error record or of OAuth's."""
        if self.status < 400:
            return None
        return self.error if isinstance(self.error, str) else self.error["code"]

    @property
    def fault_paths(self):
        return [row["path"] for row in self.error.get("fields", [])]

    @property
    def retry_after(self):
        return int(self.header("Retry-After"))

    @property
    def replayed(self):
        return self.header("Idempotent-Replayed") == "true"

    def expect(self, status, code=None):
        """Demands this status (and error code); returns the decoded body, if there is one."""
        assert self.status == status, f"wanted {status}, got {self}"
        if code is not None:
            assert self.code == code, f"wanted {code}, got {self}"
        return self.json if self.body else None

    def __str__(self):
        return f"{self.asked} -> {self.status} {self.body[:600].decode('utf-8', 'replace')}"


def check_conventions(reply, is_head=False):
    """Contract section 1: what must hold whatever was asked."""
    assert reply.status != 500, f"herald made a mistake: {reply}"
    request_id = reply.header("X-Request-Id")
    assert request_id and re.fullmatch(r"[!-~]{1,128}", request_id), f"no X-Request-Id: {reply}"
    if is_head or reply.status == 204:
        assert reply.body == b"", f"a body where none may be: {reply}"
        return
    path = reply.asked.split()[1]
    if path.split("?")[0] == "/v1/oauth/token" and reply.status != 404:
        check_token_answer(reply)
    elif reply.status == 422 and PACKAGE_PATH.fullmatch(path) and "detail" in reply.json:
        check_detail(reply)
    elif reply.status >= 400 and not path.startswith("/health/"):
        check_error_record(reply, request_id)


def check_token_answer(reply):
    """The token endpoint answers as RFC 6749 has it, sections 5.1 and 5.2."""
    media_type = reply.header("Content-Type") or ""
    assert media_type.split(";")[0] == "application/json", f"{media_type!r}: {reply}"
    assert "no-store" in (reply.header("Cache-Control") or ""), f"may be stored: {reply}"
    if reply.status < 400:
        return
    members = {"error", "error_description"}
    if reply.header("Retry-After") is not None:
        members.add("retry_at")
    assert set(reply.json) == members, f"not an error of OAuth: {reply}"
    for text in reply.json.values():
        assert re.fullmatch(r"[ !#-\[\]-~]+", text), f"{text!r}: {reply}"
    known = TOKEN_ERRORS.get(reply.status)
    assert known is None or reply.json["error"] in known, f"error and status do not fit: {reply}"
    check_error_headers(reply)


def check_error_record(reply, request_id):
    media_type = reply.header("Content-Type") or ""
    assert media_type.split(";")[0] == "application/json", f"{media_type!r}: {reply}"
    assert set(reply.json) == {"error"}, f"not the error record: {reply}"
    error = reply.error
    assert error["code"] in CODES.get(reply.status, ()), f"code and status do not fit: {reply}"
    assert isinstance(error["message"], str) and error["message"], f"no message: {reply}"
    assert error["request_id"] == request_id, f"two request ids: {reply}"
    if error["code"] == "validation_error":
        assert 1 <= len(error["fields"]) <= 100, f"faults are not named: {reply}"
        for row in error["fields"]:
            assert set(row) == {"path", "message"}, f"not a fault: {reply}"
            assert isinstance(row["path"], str) and row["message"], f"not a fault: {reply}"
    else:
        assert "fields" not in error, f"fields are for validation_error only: {reply}"
    if error["code"] == "channel_unavailable":
        check_channel_reason(reply)
    assert ("what" in error) == (error["code"] == "not_found"), f"a 404 says what is not there: {reply}"
    has_wait = reply.header("Retry-After") is not None
    assert ("retry_at" in error) == has_wait, f"the wait is in both or in none: {reply}"
    if has_wait:
        datetime.strptime(error["retry_at"], "%Y-%m-%dT%H:%M:%S.%fZ")
    check_error_headers(reply, is_for_good=error.get("reason") == "not_configured")


def check_channel_reason(reply):
    """Contract section 1, Codes: why the channel cannot be used, and until when, where that is known."""
    error = reply.error
    assert error["reason"] in REASONS, f"no reason: {reply}"


def check_error_headers(reply, is_for_good=False):
    if is_for_good:
        assert reply.header("Retry-After") is None, f"no wait mends it: {reply}"
    elif reply.status in (429, 503):
        assert re.fullmatch(r"[1-9][0-9]*", reply.header("Retry-After") or ""), f"{reply}"
    if reply.status == 405:
        assert reply.header("Allow"), f"405 without Allow: {reply}"


class Client:
    """Somebody who talks to one address, from one source address, with headers of their own."""

    def __init__(self, address, headers=None, source=None):
        self.address = address
        self.headers = dict(headers or {})
        self.source = source
        self._local = threading.local()

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=NOTHING, **options):
        return self.request("POST", path, body, **options)

    def put(self, path, body=NOTHING, **options):
        return self.request("PUT", path, body, **options)

    def patch(self, path, body=NOTHING, **options):
        return self.request("PATCH", path, body, **options)

    def request(self, method, path, body=NOTHING, *, raw=None, headers=None):
        """Sends one request. `body` goes as JSON, `raw` bytes as they are.

        A header given as None is left out.
        """
        payload = raw
        sent = dict(self.headers)
        if body is not NOTHING:
            payload = json.dumps(body, ensure_ascii=False).encode()
        if payload is not None:
            sent.setdefault("Content-Type", "application/json")
        sent.update(headers or {})
        sent = {name: value for name, value in sent.items() if value is not None}
        reply = self._exchange(method, path, payload, sent)
        check_conventions(reply, is_head=method == "HEAD")
        return reply

    def connect(self):
        """Opens this thread's connection beforehand, for requests that must start together."""
        connection = self._connection()
        if connection.sock is None:
            connection.connect()

    def close(self):
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()

    def _exchange(self, method, path, payload, headers):
        connection = self._connection()
        try:
            connection.request(method, path, body=payload, headers=headers)
            response = connection.getresponse()
            body = response.read()
        except BaseException:
            connection.close()
            raise
        asked = f"{method} {path} {(payload or b'')[:200].decode('utf-8', 'replace')}".rstrip()
        return Reply(asked, response.status, response.getheaders(), body)

    def _connection(self):
        connection = getattr(self._local, "connection", None)
        if connection is None:
            source = (self.source, 0) if self.source else None
            connection = http.client.HTTPConnection(
                *self.address, timeout=REPLY_TIMEOUT_S, source_address=source
            )
            self._local.connection = connection
        if connection.sock is not None and select.select([connection.sock], [], [], 0)[0]:
            connection.close()  # the server has ended it meanwhile; the next request reopens it
        return connection


class RawConnection:
    """Bytes to the server as they are, for what no HTTP library would send."""

    def __init__(self, address, source=None, timeout=REPLY_TIMEOUT_S):
        source_address = (source, 0) if source else None
        self.socket = socket.create_connection(address, timeout, source_address)
        self._file = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, data):
        """Sends; False when the server has closed its end before all was taken."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def read_reply(self, asked="RAW /", is_head=False):
        """The next reply, or None when the server closed the connection instead.

        `is_head`: it answers a HEAD, so no body comes, whatever its headers say.
        """
        try:
            line = self._file.readline(65537)
            if not line:
                return None
            status = int(line.split()[1])
            headers = list(http.client.parse_headers(self._file).items())
            named = {name.lower(): value for name, value in headers}
            body = b"" if status == 100 or is_head else self._read_body(named)
        except ConnectionResetError:
            return None
        return Reply(asked, status, headers, body)

    def has_answer(self, within=1.0):
        """True when something of a reply, or the end of the connection, has come in that time."""
        return bool(select.select([self.socket], [], [], within)[0])

    def is_closed(self, within=5.0):
        """True when the server ends the connection in that time, without another byte."""
        self.socket.settimeout(within)
        try:
            return self._file.read(1) == b""
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False

    def close(self):
        self._file.close()
        self.socket.close()

    def _read_body(self, headers):
        if headers.get("transfer-encoding", "").lower() != "chunked":
            return self._file.read(int(headers.get("content-length", "0")))
        body = b""
        while size := int(self._file.readline().split(b";")[0], 16):
            body += self._file.read(size)
            self._file.readline()
        self._file.readline()
        return body
