"""schemathesis against a herald that really runs, on both engines.

HERALD_SCHEMATHESIS   where tools/install_venv put it; default build/schema
The rest is as for the scenarios (tests/scenario/conftest.py), whose harness this uses.
"""

import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "scenario"))

from harness.actors import read_code  # noqa: E402 (its folder is known from here on)
from harness.exchange import Operator  # noqa: E402
from harness.providers import Providers  # noqa: E402
from harness.engines import SERVER_URL, need_engine, need_files  # noqa: E402
from harness.hooks import WEBHOOKS  # noqa: E402
from harness.site import BINARY, Site, free_port  # noqa: E402
from harness.tools import fresh_number  # noqa: E402

FOLDER = Path(os.environ.get("HERALD_SCHEMATHESIS", ROOT / "build" / "schema")).resolve()
PROGRAM = FOLDER / "venv" / "bin" / "schemathesis"
ACCOUNT = "shop-12"  # as in the document's examples
HOOK = "https://127.0.0.1:1/hooks"  # no network that herald connects to


def pytest_sessionstart(session):
    need_files(session, (BINARY, "build it, or set HERALD_BINARY"),
               (PROGRAM, "run tools/install_venv"))


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def engine(request):
    return need_engine(request.param)


@pytest.fixture(scope="session")
def site(engine, tmp_path_factory):
    """A herald whose channels have their simulated providers. Behind a proxy, so that a request can
    come from any address: refused keys are counted by address."""
    port = free_port()
    with Providers(reports_to=f"http://127.0.0.1:{port}") as providers:
        settings = providers.settings("gateway", "bot", "ucaller")
        settings["HERALD_TRUSTED_PROXIES"] = "127.0.0.1"
        settings["HERALD_EVENTS"] = "on"
        with Site(engine, tmp_path_factory.mktemp(engine), server_url=SERVER_URL,
                  settings=settings, port=port) as made:
            made.serve()
            yield made


class Cast:
    """Whose keys are used, and what is there that requests can name. What operators may disable, and
    keys that they may change, are those of the spare ones."""

    def __init__(self, site):
        core, operator = site.core(), Operator.of(site)
        self.internal_key = site.internal_key
        self.phone, self.spare_phone = site.phone(core), site.phone(core)
        self.erp, self.spare_erp = operator.new_erp(), operator.new_erp()
        self.token = self.erp.ask_token().expect(200)["access_token"]
        spare = operator.client(self.spare_erp.integration_id, self.spare_erp.client_id)
        self.spare_secret_id = spare["secrets"][0]["id"]
        self.sms = self.claim_sms(core)
        self.message = self.claim_message(core)
        self.open_otp = core.create_otp(fresh_number(), ttl_seconds=900).expect(201)
        self.gateway_otp = core.create_otp(
            fresh_number(), channel="messenger_gateway", ttl_seconds=900).expect(201)
        self.event_id = self.send_package()
        self.endpoint, self.spare_endpoint, self.doomed_endpoint = (
            core.post(WEBHOOKS, {"url": HOOK, "types": ["*"]}).expect(201)["id"] for _ in range(3))
        self.delivery = core.post(f"{WEBHOOKS}/{self.endpoint}/test").expect(200)["id"]

    def claim_sms(self, core):
        """The SMS with a code: it stays with the phone, and the code can be verified."""
        self.phone.be_ready()
        otp = core.create_otp(fresh_number(), ttl_seconds=900).expect(201)
        return self.phone.claim_task() | {"otp_id": otp["id"]}

    def claim_message(self, core):
        core.connect_accounts(self.phone, ACCOUNT)
        core.create_message(channel="personal_messenger", account_id=ACCOUNT,
                            recipient=fresh_number(), text="Hello").expect(202)
        return self.phone.claim_message_task(ACCOUNT)

    def send_package(self):
        """Of prices without a product: it waits for a snapshot."""
        package = {"event_id": "changes:1", "generated_at": "2026-11-21T04:32:50Z",
                   "prices": [{"product_id": "p-1", "variant_id": "v-1", "price": 1}]}
        self.erp.post(
            f"/api/v1/integrations/erp/{self.erp.integration_id}/changes", package,
            headers={"Authorization": f"Bearer {self.token}", "Idempotency-Key": "changes:1"},
        ).expect(202)
        return package["event_id"]

    def environment(self):
        """How hooks.py and schemathesis.toml are told."""
        return {
            "HERALD_INTERNAL_KEY": self.internal_key,
            "HERALD_DEVICE_KEY": self.phone.device_key,
            "HERALD_ACCESS_TOKEN": self.token,
            "HERALD_INTEGRATION": self.erp.integration_id,
            "HERALD_KNOWN_IN_BODY": json.dumps(self.known_in_body()),
            "HERALD_KNOWN_IN_PATH": json.dumps(self.known_in_path()),
            "HERALD_SPARE": json.dumps({
                self.phone.device_id: self.spare_phone.device_id,
                self.erp.integration_id: self.spare_erp.integration_id,
                self.erp.client_id: self.spare_erp.client_id,
            }),
        }

    def known_in_body(self):
        return {
            "gateway_number": self.phone.number,
            "phone_number": self.phone.number,
            "to": self.phone.number,
            "account_id": ACCOUNT,
            "code": read_code(self.sms),
            "integration_id": self.erp.integration_id,
            "order.point_id": self.erp.integration["point_id"],
            "client_id": self.erp.client_id,
            "client_secret": self.erp.client_secret,
            "secret_id": self.spare_secret_id,
            "url": HOOK,
            "types": ["otp.*"],
        }

    def known_in_path(self):
        package = {"id": self.erp.integration_id, "event_id": self.event_id}
        endpoint = {"id": self.endpoint}
        return {
            "getWebhookEndpoint": endpoint,
            "changeWebhookEndpoint": {"id": self.spare_endpoint},
            "deleteWebhookEndpoint": {"id": self.doomed_endpoint},
            "rotateWebhookSecret": endpoint,
            "testWebhookEndpoint": endpoint,
            "listWebhookDeliveries": endpoint,
            "replayWebhookDelivery": {**endpoint, "delivery_id": self.delivery},
            "recoverWebhookDeliveries": endpoint,
            "verifyOtp": {"id": self.sms["otp_id"]},
            "cancelOtp": {"id": self.open_otp["id"]},
            "fallBackToSms": {"id": self.gateway_otp["id"]},
            "reportSms": {"id": self.sms["id"]},
            "reportMessage": {"id": self.message["id"]},
            "revokeClientSecret": {"client_id": self.spare_erp.client_id},
            "getErpEvent": {"event_id": self.event_id},
            "getErpEventDetails": package,
            "getErpEventBody": package,
            "retryErpEvent": package,
            "releaseErpEvent": package,
        }


@pytest.fixture(scope="session")
def cast(site):
    return Cast(site)
