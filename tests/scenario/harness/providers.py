"""The simulated providers (sim/provider), with keys of their own, and herald's settings for them.

A scenario tells them what to answer, and claims each call that herald makes. Questions about the
state of a call come when herald sees fit, so they alone need not be claimed.
"""

import hashlib
import hmac
import os
import secrets
import sys
import time

from .site import BINARY, PROJECT
from .tools import PATIENCE_S, Moment, eventually

# The programs of one build belong together.
os.environ.setdefault("HERALD_PROVIDER", str(BINARY.parent / "sim" / "provider"))
sys.path.append(str(PROJECT / "tests" / "sim"))

from provider_client import Provider  # noqa: E402 (its folder is known from here on)

QUESTIONS = {
    ("ucaller", "getInfo"), ("telegram_gateway", "checkVerificationStatus"),
    ("telegram_bot", "getMe"),
}
TIMEOUT_MS = "2500"  # of a call: "slow" answers come long before it or long after it
NEVER = Moment(0.6)  # longer than it takes a worker to see that there is something to do

# A preset of the template driver: the provider, and its two keys.
PRESETS = {
    "smsru": ("sms_ru", "sms-ru-id", None),
    "unibell": ("unibell", "unibell-key", None),
    "plusofon": ("plusofon", "plusofon-token", "plusofon-client"),
    "zvonok": ("zvonok", "zvonok-key", "zvonok-campaign"),
    "smsc": ("smsc", "smsc-password", "smsc-login"),
}


def fresh_keys():
    """One for each option of the program; each is a secret that must show up nowhere."""
    keys = {name: f"canary-{name}-{secrets.token_hex(8)}" for name in (
        "gateway-token", "ucaller-key", "sms-ru-id", "unibell-key", "plusofon-token",
        "zvonok-key", "smsc-password")}
    names = {"bot-token": f"1000:canary_bot_{secrets.token_hex(8)}", "ucaller-service": "7007",
             "plusofon-client": "10553", "zvonok-campaign": "7070", "smsc-login": "shop"}
    return keys | names


class Providers(Provider):
    """`reports_to`: where delivery reports go, whatever host the callback URL names."""

    def __init__(self, *options, reports_to=None):
        self.keys = fresh_keys()
        self.awaited = []  # codes whose success the Gateway is to be told
        given = [word for name, key in self.keys.items() for word in (f"--{name}", key)]
        given += ["--report-to", reports_to] if reports_to else []
        super().__init__(*given, "--settle-ms", "50", "--report-retry-ms", "50", *options)
        self.url = f"http://{self.address}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        assert self.stop() == 0

    # --- what herald is told of them

    def settings(self, *channels):
        """Of these: gateway, bot, ucaller, or a preset of the template driver."""
        merged = {}
        for channel in channels:
            merged |= self.template_settings(channel) if channel in PRESETS else {
                "gateway": self.driver_settings("TELEGRAM_GATEWAY", TOKEN="gateway-token"),
                "bot": self.driver_settings("TELEGRAM_BOT", TOKEN="bot-token"),
                "ucaller": {
                    "HERALD_FLASH_CALL_DRIVER": "ucaller",
                    **self.driver_settings(
                        "UCALLER", KEY="ucaller-key", SERVICE_ID="ucaller-service"),
                },
            }[channel]
        return merged

    def template_settings(self, preset):
        _, key, service_id = PRESETS[preset]
        named = {"KEY": key} | ({"SERVICE_ID": service_id} if service_id else {})
        return {
            "HERALD_FLASH_CALL_DRIVER": "flash_template",
            "HERALD_FLASH_TEMPLATE": preset,
            **self.driver_settings("FLASH_TEMPLATE", **named),
        }

    def driver_settings(self, prefix, **keys):
        named = {f"HERALD_{prefix}_{name}": self.keys[key] for name, key in keys.items()}
        return {f"HERALD_{prefix}_URL": self.url, f"HERALD_{prefix}_TIMEOUT_MS": TIMEOUT_MS, **named}

    @property
    def secret_keys(self):
        return [key for key in self.keys.values() if "canary" in key]

    # --- what they saw

    def take_success(self, code, **options):
        """The Gateway was told that this code was right."""
        told = f'\\"code_entered\\":\\"{code}\\"'  # in the answer to it, as the record quotes it
        return self.take("telegram_gateway", "checkVerificationStatus", contains=told, **options)

    def await_success(self, code):
        """As take_success, but at the end of the scenario: nothing else waits for it."""
        self.awaited.append(code)

    def take_awaited(self):
        while self.awaited:
            self.take_success(self.awaited.pop())

    def take(self, provider, method, within=PATIENCE_S, **fields):
        """Waits for a call and claims it: the oldest that fits."""
        def claim():
            answer = self.control(
                "POST", "claim", {"provider": provider, "method": method, **fields})
            return answer.json if answer.status == 200 else None

        call = eventually(claim, within, 0.02)
        assert call, f"no {method} came ({fields}); unclaimed: {self.unclaimed()}"
        return call

    def unclaimed(self):
        """The calls that nobody claimed or awaits, questions left out."""
        return [call for call in self.calls(claimed="false", limit=100000)
                if not is_question(call) and not self.is_awaited(call)]

    def is_awaited(self, call):
        return call["method"] == "checkVerificationStatus" and (
            call["request"]["json"].get("code") in self.awaited)

    def expect_quiet(self, clock=None, seconds=NEVER):
        """No further call comes, not even (with a clock) minutes later."""
        time.sleep(0.1 if clock else seconds)
        if clock:
            clock.advance(30)
            time.sleep(seconds)
        self.expect_no_call()

    def expect_no_call(self):
        left = [f"{call['provider']} {call['method']} {call['recipient']} "
                f"{call['request']['body']}" for call in self.unclaimed()]
        assert not left, f"calls that nobody claimed: {left}"

    def expect_nothing_left(self):
        self.take_awaited()
        self.expect_no_call()
        assert self.leftover()["orders_left"] == 0, "the scenario ordered what nobody asked for"

    def start_anew(self):
        """As if just started."""
        self.take_awaited()
        self.told("reset")

    def outcome(self, status, **fields):
        self.told("outcome", status=status, **fields)


def is_question(call):
    """Herald asks what became of something. With a code it tells instead: the code was right."""
    return (call["provider"], call["method"]) in QUESTIONS and (
        "code" not in (call["request"]["json"] or {}))


def sign_report(token, body, timestamp):
    """The signature of a delivery report, as Telegram Gateway describes it."""
    key = hashlib.sha256(token.encode()).digest()
    return hmac.new(key, f"{timestamp}\n".encode() + body, hashlib.sha256).hexdigest()
