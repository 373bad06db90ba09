"""Who takes part in the exchange with an ERP: the operator who connects it, and the ERP itself."""

import base64
import itertools
import json
from urllib.parse import quote, quote_plus, urlencode

from .actors import Core
from .http import Client
from .tools import fresh_key

SCOPES = ("erp.catalog.write", "erp.changes.write", "erp.events.read")
EVENTS_READ = "erp.events.read"
AUDIENCE = "svc-integration-erp-service"
TOKEN_LIFE_S = 600
KEY_LEAD_S = 300  # a new signing key is published at least this long before it signs
TOKEN_PATH = "/v1/oauth/token"
FORM = "application/x-www-form-urlencoded"
MISSING_ID = "01900000-0000-7000-8000-000000000000"

_sources = itertools.count(1)


def fresh_source():
    """A loopback address of its own, so that failures are counted for one talker alone."""
    index = next(_sources)
    return f"127.{2 + index // 62500}.{index // 250 % 250}.{1 + index % 250}"


def erp_input(**changes):
    """How an ERP is reached; a change to None leaves a field out."""
    made = {"base_url": "https://erp.example", "token": f"erp-{fresh_key()}"} | changes
    return {name: value for name, value in made.items() if value is not None}


def integration_input(erp=None, **changes):
    made = {"tenant_id": fresh_key(), "point_id": fresh_key(), "name": "A sales point",
            "erp": erp_input(**(erp or {}))} | changes
    return {name: value for name, value in made.items() if value is not None}


class Operator(Core):
    """Who connects sales points with their ERPs. Each method is one operation."""

    @classmethod
    def of(cls, site, process=None):
        return cls((process or site.processes[-1]).address, site.internal_key)

    def create_integration(self, **changes):
        return self.post("/internal/v1/integrations", integration_input(**changes))

    def integrations(self, query=""):
        return self.get(f"/internal/v1/integrations{query}")

    def integration(self, integration_id):
        return self.get(f"/internal/v1/integrations/{integration_id}")

    def change_integration(self, integration_id, **changes):
        return self.patch(f"/internal/v1/integrations/{integration_id}", changes)

    def create_client(self, integration_id, **fields):
        return self.post(f"/internal/v1/integrations/{integration_id}/clients", fields)

    def clients(self, integration_id, query=""):
        return self.get(f"/internal/v1/integrations/{integration_id}/clients{query}")

    def client(self, integration_id, client_id):
        """The row of one client in the list."""
        rows = self.clients(integration_id).expect(200)["clients"]
        return next(row for row in rows if row["client_id"] == client_id)

    def rotate_secret(self, client_id, **fields):
        return self.post(f"/internal/v1/clients/{client_id}/rotate-secret", fields)

    def revoke_secret(self, client_id, secret_id):
        return self.post(
            f"/internal/v1/clients/{client_id}/revoke-secret", {"secret_id": secret_id})

    def enable_client(self, client_id, is_enabled):
        return self.patch(f"/internal/v1/clients/{client_id}", {"enabled": is_enabled})

    def signing_keys(self, query=""):
        return self.get(f"/internal/v1/signing-keys{query}")

    def rotate_signing_key(self):
        return self.post("/internal/v1/signing-keys/rotate")

    def withdraw_signing_key(self, kid):
        return self.post(f"/internal/v1/signing-keys/{kid}/withdraw")

    def new_erp(self, integration=None, **client_fields):
        """An ERP with a client of its own; by default of a new integration."""
        integration = integration or self.create_integration().expect(201)
        credentials = self.create_client(integration["id"], **client_fields).expect(201)
        return Erp(self.address, integration, credentials)

    def new_outside_erp(self, integration=None):
        """An ERP whose client is at an outside identity service: nothing of it is known here."""
        integration = integration or self.create_integration().expect(201)
        return Erp(self.address, integration, {"client_id": fresh_key(), "client_secret": ""})


class Erp(Client):
    """The ERP of a sales point, at an address of its own: fetches tokens, asks for events."""

    def __init__(self, address, integration, credentials):
        super().__init__(address, source=fresh_source())
        self.integration = integration
        self.integration_id = integration["id"]
        self.client_id = credentials["client_id"]
        self.client_secret = credentials["client_secret"]

    def at(self, address):
        """The same ERP, talking to another process of the same site."""
        return Erp(address, self.integration, vars(self))

    def with_secret(self, secret):
        return Erp(self.address, self.integration,
                   {"client_id": self.client_id, "client_secret": secret})

    # --- tokens

    def form(self, **changes):
        """The fields of a good request; a change to None leaves one out."""
        fields = {"grant_type": "client_credentials", "client_id": self.client_id,
                  "client_secret": self.client_secret} | changes
        return {name: value for name, value in fields.items() if value is not None}

    def ask_token(self, **changes):
        """Asks with the credentials in the body."""
        return self.post_form(urlencode(self.form(**changes)))

    def ask_token_by_basic(self, scheme="Basic", client_id=None, client_secret=None, **fields):
        """Asks with the credentials in the header, encoded as RFC 6749 section 2.3.1 wants."""
        pair = (quote_plus(client_id or self.client_id),
                quote_plus(client_secret or self.client_secret))
        header = f"{scheme} {base64.b64encode(':'.join(pair).encode()).decode()}"
        body = urlencode({"grant_type": "client_credentials"} | fields)
        return self.post_form(body, Authorization=header)

    def post_form(self, text, **headers):
        """Sends a body as it is; header names are written with _ for -."""
        raw = text if isinstance(text, bytes) else text.encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request("POST", TOKEN_PATH, raw=raw, headers={"Content-Type": FORM} | named)

    def fetch_token(self, **fields):
        return self.ask_token(**fields).expect(200)["access_token"]

    # --- the API

    def with_token(self, token):
        """The same ERP, holding this token, at another address of its own."""
        return Bearer(self.address, token, self.integration_id)

    def event_path(self, event_id, integration_id=None):
        return event_path(integration_id or self.integration_id, event_id)


class Bearer(Client):
    """Somebody who holds a token, or what is given out for one."""

    def __init__(self, address, token, integration_id, source=None, scheme="Bearer"):
        headers = {} if token is None else {"Authorization": f"{scheme} {token}"}
        super().__init__(address, headers, source or fresh_source())
        self.integration_id = integration_id

    def event(self, event_id="none", integration_id=None, **options):
        return self.get(event_path(integration_id or self.integration_id, event_id), **options)

    def is_taken(self):
        """Whether the token opens its integration. Nothing was sent to it: an event is not found."""
        reply = self.event()
        assert reply.status in (401, 404), f"{reply}"
        return reply.status == 404


def event_path(integration_id, event_id):
    return f"/api/v1/integrations/erp/{integration_id}/events/{quote(event_id, safe='')}"


def decode_part(part):
    """A part of a token in strict base64url without padding."""
    assert "=" not in part and "+" not in part and "/" not in part, part
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def read_token(token):
    """(header, claims) of a token; nothing is verified."""
    head, claims, _ = token.split(".")
    return json.loads(decode_part(head)), json.loads(decode_part(claims))

