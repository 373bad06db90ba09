"""No key of a provider, no code and no text in any log, error or file.

Contract, section 2, rules 5 and 12.

Every channel is used, rightly and wrongly: what goes wrong is what gets logged.
"""

import pytest

from harness.actors import read_code, wrong_code
from harness.http import Client
from harness.outcomes import GATEWAY, TEMPLATES, UCALLER
from harness.tools import Moment, eventually, fresh_chat, fresh_number

from test_secrets import find_codes, find_keys, stored_bytes

CANARY = "canary of a text that is nobody's business"


class Walk:
    """A dialogue with every channel, and the secrets of it."""

    def __init__(self, site, sim, flash):
        self.site, self.sim, self.flash = site, sim, flash
        self.core = site.core()
        self.phone = site.phone(self.core)
        self.account_id = f"account-{fresh_number()[1:]}"
        self.codes, self.otps = [], []

    def flash_calls(self):
        otp, call = self.flash.send(self.core, self.sim)
        self.core.verify(otp["id"], wrong_code(call["code"])).expect(422)
        self.core.wait_for_send(otp, "accepted", "sent", "delivered")
        self.flash.confirm(self.core, self.sim, otp, call["code"])
        self.otps.append(otp)

    def gateway(self, what=None):
        if what:
            GATEWAY.order(self.sim, what)
        otp, call = GATEWAY.send(self.core, self.sim)
        self.codes.append(call["code"])
        self.otps.append(otp)
        self.core.wait_for_send(
            otp, "accepted", "sent", "delivered", "failed", "unknown", "queued")
        self.core.verify(otp["id"], wrong_code(call["code"])).expect(422)
        if not what:
            GATEWAY.confirm(self.core, self.sim, otp, call["code"])

    def messenger(self):
        self.core.connect_accounts(self.phone, self.account_id)
        otp = self.core.create_otp(
            fresh_number(), channel="personal_messenger", account_id=self.account_id).expect(201)
        task = self.phone.claim_message_task(self.account_id)
        self.codes.append(read_code(task))
        self.otps.append(otp)
        self.phone.message_result(task, "failed", error=task["text"], permanent=True).expect(204)
        person = {"account_id": self.account_id, "recipient": fresh_number()}
        message = self.core.create_message(
            channel="personal_messenger", text=CANARY, **person).expect(202)
        task = self.phone.claim_message_task(self.account_id)
        self.phone.message_result(task, "failed", error="no route").expect(204)
        task = self.phone.claim_message_task(self.account_id)
        self.phone.message_result(task, "sent").expect(204)
        assert self.core.message(message["id"]).expect(200)["state"] == "sent"

    def bot(self, what=None):
        if what:
            self.sim.behave(what, provider="telegram_bot", method="sendMessage", count=1)
        message = self.core.create_message(
            channel="messenger_bot", chat_id=fresh_chat(), text=CANARY).expect(202)
        self.sim.take("telegram_bot", "sendMessage", recipient=str(message["chat_id"]))
        eventually(lambda: self.core.message(message["id"]).json["state"] == "sent" or (
            self.core.message(message["id"]).json["error"]), Moment(2))

    def run(self):
        self.phone.be_ready()
        self.flash_calls()
        self.messenger()
        for what in (None, "cut_after", "nonsense", "server_error", "PHONE_NUMBER_INVALID", None,
                     "ACCESS_TOKEN_INVALID"):
            self.gateway(what)
        for what in (None, "blocked", "cut_after", "nonsense", "internal", None, "unauthorized"):
            self.bot(what)
        self.flash.order(self.sim, "wrong_credentials")
        self.otps.append(self.flash.send(self.core, self.sim)[0])
        for otp in self.otps:
            self.core.cancel_otp(otp["id"])


@pytest.mark.parametrize("preset", ["ucaller", "smsru"])
def test_secrets_are_nowhere(fresh_site, sim, preset, monkeypatch):
    answers = record_answers(monkeypatch)
    fresh_site.settings |= sim.settings("gateway", "bot", preset)
    process = fresh_site.serve({"HERALD_LOG_LEVEL": "debug"})
    walk = Walk(fresh_site, sim, UCALLER if preset == "ucaller" else TEMPLATES[preset])
    with fresh_site.log_reader(last_event_id=0, query="?level=debug") as reader:
        walk.run()
        reader.wait_until_quiet()
        log = reader.text.encode()
    while_running = stored_bytes(fresh_site)
    fresh_site.stop()
    after = {f"{name} after": blob for name, blob in stored_bytes(fresh_site).items()}
    for place, blob in {"log": log, "output": process.output, "answers": b"\n".join(answers),
                        **while_running, **after}.items():
        assert find_keys(blob, sim.secret_keys) == [], f"a provider's key in {place}"
        assert find_codes(blob, walk.codes) == [], f"a code in {place}"
        assert CANARY.encode() not in blob, f"a text in {place}"
    numbers = [otp["recipient"][1:] for otp in walk.otps]
    assert find_keys(log + process.output, numbers) == [], "a number in the log"
    assert fresh_site.ask("SELECT count(*) FROM otp WHERE code IS NOT NULL") == "0"


def record_answers(monkeypatch):
    """Every answer but those that carry a text to a phone."""
    answers = []
    exchange = Client._exchange

    def record(self, method, path, payload, headers):
        reply = exchange(self, method, path, payload, headers)
        if not path.endswith("/claim"):
            answers.append(reply.body + repr(reply.headers).encode())
        return reply

    monkeypatch.setattr(Client, "_exchange", record)
    return answers


def test_configuration_does_not_show_keys(fresh_site, sim):
    fresh_site.settings |= sim.settings("gateway", "bot", "ucaller")
    done = fresh_site.run("config")
    assert done.returncode == 0, done.stdout
    assert "HERALD_TELEGRAM_BOT_TOKEN" in done.stdout
    assert find_keys(done.stdout.encode(), sim.secret_keys) == []


@pytest.mark.parametrize("changes", [
    {"HERALD_TELEGRAM_GATEWAY_TOKEN": "two\nlines"}, {"HERALD_UCALLER_KEY": "a b"},
    {"HERALD_TELEGRAM_BOT_URL": "ftp://api.telegram.org"},
    {"HERALD_TELEGRAM_BOT_URL": "not a url"},
    {"HERALD_FLASH_CALL_DRIVER": "pigeon"}, {"HERALD_UCALLER_TIMEOUT_MS": "soon"},
    {"HERALD_FLASH_CALL_DRIVER": "flash_template", "HERALD_FLASH_TEMPLATE": "nobody"},
    {"HERALD_FLASH_CALL_DRIVER": "flash_template", "HERALD_FLASH_TEMPLATE": "{\"name\":"},
], ids=str)
def test_bad_setting_stops_the_start_and_names_itself(fresh_site, sim, changes):
    fresh_site.settings |= sim.settings("gateway", "bot", "ucaller")
    fresh_site.migrate()
    done = fresh_site.run("serve", changes=changes)
    assert done.returncode != 0
    assert any(name in done.stdout for name in changes), done.stdout
    assert find_keys(done.stdout.encode(), sim.secret_keys) == []


def test_key_may_stand_in_a_file(fresh_site, sim, tmp_path):
    fresh_site.settings |= sim.settings("gateway")
    file = tmp_path / "token"
    file.write_text(fresh_site.settings.pop("HERALD_TELEGRAM_GATEWAY_TOKEN") + "\n")
    file.chmod(0o600)
    fresh_site.serve({"HERALD_TELEGRAM_GATEWAY_TOKEN_FILE": str(file)})
    core = fresh_site.core()
    otp, call = GATEWAY.send(core, sim)
    assert core.wait_for_send(otp, "accepted", "sent", "delivered")
    GATEWAY.confirm(core, sim, otp, call["code"])
