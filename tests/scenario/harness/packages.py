"""Those who send packages and those who look after them: an ERP with its token, and the operator."""

import json
import re
from decimal import Decimal
from urllib.parse import quote, urlencode

from . import catalog
from .exchange import Bearer, Operator
from .http import RawConnection
from .shapes import EVENT_STATUS, TIME, check_shape
from .site import BINARY
from .tools import PATIENCE_S, eventually

BODY_MAX = 26_214_400
SNAPSHOT, CHANGES = "catalog-snapshot", "changes"
FINAL = ("applied", "failed")
DEFAULT = object()
"""An Idempotency-Key that is the event_id of the body."""


def is_sanitized():
    program = BINARY.read_bytes()
    return b"__asan_init" in program or b"__tsan_init" in program


def package_path(integration_id, kind):
    return f"/api/v1/integrations/erp/{integration_id}/{kind}"


class Sender(Bearer):
    """An ERP that holds a token and sends packages. Each method is one operation."""

    @classmethod
    def of(cls, site, process=None, **client_fields):
        """The ERP of a new integration."""
        operator = Operator.of(site, process)
        erp = operator.new_erp(**client_fields)
        made = cls(erp.address, erp.fetch_token(), erp.integration_id)
        made.erp = erp
        return made

    def at(self, address):
        """The same ERP, talking to another process of the same site."""
        made = Sender(address, self.token, self.integration_id)
        made.erp = self.erp.at(address)
        return made

    @property
    def token(self):
        return self.headers["Authorization"].split()[1]

    def send(self, kind, package, key=DEFAULT, headers=None, path=None):
        """Sends a package, a record or bytes. By default the key is its event_id."""
        raw = package if isinstance(package, bytes) else catalog.encode(package)
        if key is DEFAULT:
            key = event_id_of(package)
        sent = {"Idempotency-Key": key} | (headers or {})
        path = path or package_path(self.integration_id, kind)
        return self.request("POST", path, raw=raw, headers=sent)

    def snapshot(self, package, **options):
        return self.send(SNAPSHOT, package, **options)

    def changes(self, package, **options):
        return self.send(CHANGES, package, **options)

    def status(self, event_id):
        """The status record of a package that is known."""
        record = check_status(self.event(event_id).expect(200))
        assert len(record["warnings"]) <= 20, record
        return record

    def wait_for(self, event_id, *statuses, within=PATIENCE_S):
        """Asks until the package has one of these statuses; returns its record."""
        wanted = statuses or ("applied",)

        def read():
            record = self.status(event_id)
            return record if record["status"] in wanted else None

        found = eventually(read, within, 0.01)
        assert found, f"not {wanted} after {within} s: {self.event(event_id)}"
        return found

    def apply(self, kind, package):
        """Sends the package and waits until it is applied; returns its record."""
        event_id = event_id_of(package)
        expect_acceptance(self.send(kind, package), event_id, "accepted")
        return self.wait_for(event_id)

    def head(self, kind, *extra, key="none", token=DEFAULT):
        """The head of a request, for a connection where more or less follows than belongs there."""
        lines = [
            f"POST {package_path(self.integration_id, kind)} HTTP/1.1", "Host: herald",
            "Content-Type: application/json",
            f"Authorization: Bearer {self.token if token is DEFAULT else token}",
            f"Idempotency-Key: {key}", *extra, "", "",
        ]
        return "\r\n".join(lines).encode()

    def connection(self, **options):
        return RawConnection(self.address, source=self.source, **options)


class Desk(Operator):
    """The operator at the packages and the catalog of one integration."""

    def __init__(self, address, internal_key, integration_id):
        super().__init__(address, internal_key)
        self.integration_id = integration_id

    @classmethod
    def at(cls, site, sender, process=None):
        address = (process or site.processes[-1]).address
        return cls(address, site.internal_key, sender.integration_id)

    def packages(self, **query):
        return self.get(self._path("events", query=query))

    def package(self, event_id):
        return self.get(self._path("events", event_id))

    def body(self, event_id):
        return self.get(self._path("events", event_id, "body"))

    def retry(self, event_id):
        return self.post(self._path("events", event_id, "retry"))

    def release(self, event_id):
        return self.post(self._path("events", event_id, "release"))

    def products(self, **query):
        return self.get(self._path("products", query=query))

    def product(self, product_id):
        return self.get(self._path("products", product_id))

    def variants(self, product_id):
        """The variants of a product by their ids, their numbers with the digits that were sent."""
        record = exact(self.product(product_id))
        return {row["id"]: row for row in record["variants"]}

    def categories(self, **query):
        return self.get(self._path("categories", query=query))

    def definitions(self, **query):
        return self.get(self._path("attribute-definitions", query=query))

    def _path(self, *steps, query=None):
        path = "/".join(quote(step, safe="") for step in steps)
        words = f"?{urlencode(query)}" if query else ""
        return f"/internal/v1/integrations/{self.integration_id}/{path}{words}"


def event_id_of(package):
    """Of a record, or of bytes that hold one; none where there is none to be found."""
    if isinstance(package, dict):
        event_id = package.get("event_id")
        return event_id if isinstance(event_id, str) else "none"
    found = re.search(rb'"event_id" ?: ?"([^"\\]+)"', package)
    return found[1].decode() if found else "none"


def expect_acceptance(reply, event_id, status):
    """202, and exactly the acceptance record."""
    assert reply.expect(202) == {"event_id": event_id, "status": status}, f"{reply}"


def check_status(record):
    """The event status record of doc B, with what belongs to its status."""
    known = {name: record[name] for name in record if name in EVENT_STATUS}
    check_shape(known, EVENT_STATUS)
    beside = set(record) - set(EVENT_STATUS)
    assert beside <= {"result", "errors", "warnings", "progress"}, f"{beside} in {record}"
    if record["status"] == "applied":
        check_result(record["result"])
        assert TIME.fullmatch(record["processed_at"]), record
    else:
        assert record.get("result") is None, record
    if record["status"] in ("retry", "failed"):
        assert record["last_error"], record
    return record


def check_result(result):
    """What an applied package did, as counts; `kept` is there where fields of products may stay."""
    result = dict(result)
    kept = result.pop("kept", 0)
    assert type(kept) is int and kept >= 0, result
    things = ("added", "changed", "unchanged", "archived")
    rows = ("changed", "unchanged", "superseded")
    wanted = {"products": things, "categories": things, "prices": rows, "stocks": rows}
    assert {name: tuple(counts) for name, counts in result.items()} == wanted, result
    for counts in result.values():
        assert all(type(count) is int and count >= 0 for count in counts.values()), result


def exact(reply, status=200):
    """The record with its numbers as decimals, so that no digit is lost in the test itself."""
    reply.expect(status)
    return json.loads(reply.body, parse_float=Decimal)


def number(value):
    """A number of a record, whether it goes over the wire as a number or as text."""
    assert isinstance(value, (int, str, Decimal)) and not isinstance(value, bool), repr(value)
    return Decimal(value)
