"""The part of the walk that goes over providers and messengers: flash call, gateway, bot, fallback."""

import random
import re
import uuid

from walk_stage import Simulation, WalkFailed, printable, wait_for

ACCOUNT = "shop-12"
CHAT_ID = 4242

# What herald is told of the providers; the simulated ones know these keys by default.
PROVIDER_SETTINGS = {
    "HERALD_TELEGRAM_GATEWAY_URL": "{url}",
    "HERALD_TELEGRAM_GATEWAY_TOKEN": "gateway-token",
    "HERALD_TELEGRAM_BOT_URL": "{url}",
    "HERALD_TELEGRAM_BOT_TOKEN": "1000:bot-token",
    "HERALD_FLASH_CALL_DRIVER": "ucaller",
    "HERALD_UCALLER_URL": "{url}",
    "HERALD_UCALLER_KEY": "ucaller-key",
    "HERALD_UCALLER_SERVICE_ID": "1000",
}


class Providers(Simulation):
    """The simulated providers: what was called, and how they behave."""

    def __init__(self, program, programs):
        super().__init__("providers", [program], programs)

    def settings(self):
        return {name: value.format(url=self.url) for name, value in PROVIDER_SETTINGS.items()}

    def claim(self, **wanted):
        """The oldest call that fits and was not claimed before; None: none yet."""
        return self.ask("POST", "claim", wanted)


def random_number():
    return f"+7999{random.randint(1000000, 9999999)}"


def create_otp(herald, voice, body):
    herald.tell("POST", "/internal/v1/otp", body)
    otp = herald.must(201, "POST", "/internal/v1/otp", body, f"walk-{uuid.uuid4()}")
    voice.answer(f"201 {otp['state']}, {otp['code_length']} digits")
    return otp["id"]


def wait_for_state(herald, programs, otp_id, *states):
    def look():
        otp = herald.must(200, "GET", f"/internal/v1/otp/{otp_id}")
        return otp if otp["state"] in states else None

    return wait_for(f"waiting for the code to be {' or '.join(states)}", look, programs)


def confirm(herald, voice, otp_id, code):
    path = f"/internal/v1/otp/{otp_id}/verify"
    herald.tell("POST", path, {"code": code})
    voice.answer(f"200 {herald.must(200, 'POST', path, {'code': code})['state']}")


def show_flash_call(herald, voice, programs, providers):
    recipient = random_number()
    voice.step(
        "flash-call",
        "A code by a flash call",
        "The provider rings the customer; its number ends with the code.",
    )
    otp_id = create_otp(herald, voice, {"channel": "flash_call", "recipient": recipient})
    call = wait_for(
        "waiting for the call",
        lambda: providers.claim(provider="ucaller", method="initCall", recipient=recipient),
        programs,
    )
    wait_for_state(herald, programs, otp_id, "accepted", "sent", "delivered")
    voice.line(f"   The phone of {recipient} rings: a call from +7 495 000-{call['code']}.")
    confirm(herald, voice, otp_id, call["code"])


def show_gateway(herald, voice, programs, providers):
    recipient = random_number()
    voice.step(
        "gateway",
        "A code by the messenger gateway",
        "It comes as a message; the provider is told when it was the right one.",
    )
    otp_id = create_otp(herald, voice, {"channel": "messenger_gateway", "recipient": recipient})
    call = wait_for(
        "waiting for the gateway",
        lambda: providers.claim(
            provider="telegram_gateway", method="sendVerificationMessage", recipient=recipient
        ),
        programs,
    )
    wait_for_state(herald, programs, otp_id, "accepted", "sent", "delivered")
    voice.line(f"   The messenger of {recipient} shows: {call['code']} is your code.")
    confirm(herald, voice, otp_id, call["code"])


def show_fallback(herald, voice, programs, providers, sms_box):
    recipient = random_number()
    voice.step(
        "fallback",
        "A flash call that does not reach the customer, and the fallback to SMS",
        "This number cannot be rung: the code is undelivered, and stays good.",
    )
    providers.ask("POST", "behave", {"what": "unreachable_recipient", "count": 1,
                                     "provider": "ucaller", "recipient": recipient})
    otp_id = create_otp(herald, voice, {"channel": "flash_call", "recipient": recipient})
    otp = wait_for_state(herald, programs, otp_id, "undelivered")
    path = f"/internal/v1/otp/{otp_id}"
    herald.tell("GET", path)
    voice.answer(f"200 {otp['state']}: {otp['sends'][0]['error']}", is_refusal=True)

    herald.tell("POST", f"{path}/sms-fallback", {})
    herald.must(204, "POST", f"{path}/sms-fallback", {})
    voice.answer("204 the same code goes out by SMS")
    sms = wait_for("waiting for the SMS", lambda: sms_box.take_for(recipient), programs)
    voice.sms(sms)
    confirm(herald, voice, otp_id, re.search(r"\d{4}", sms["text"]).group())


def show_messenger_code(herald, voice, programs, sms_box):
    recipient = random_number()
    voice.step(
        "messenger",
        "A code by a personal messenger account",
        "The account lives on a phone, which sends over its own network.",
    )
    wait_for("waiting for the account", lambda: is_account_connected(herald), programs)
    otp_id = create_otp(herald, voice, {"channel": "personal_messenger", "recipient": recipient,
                                        "account_id": ACCOUNT})
    message = wait_for("waiting for the message", lambda: sms_box.take_for(recipient), programs)
    voice.line(f"   The phone writes from {ACCOUNT} to {recipient}: {printable(message['text'])}")
    confirm(herald, voice, otp_id, re.search(r"\d{6}", message["text"]).group())


def is_account_connected(herald):
    devices = herald.must(200, "GET", "/internal/v1/devices")["devices"]
    accounts = [row for device in devices for row in device["accounts"]]
    return any(row["account_id"] == ACCOUNT and row["state"] == "connected" for row in accounts)


def send_message(herald, voice, programs, body):
    herald.tell("POST", "/internal/v1/messages", body)
    message = herald.must(202, "POST", "/internal/v1/messages", body, f"walk-{uuid.uuid4()}")
    voice.answer(f"202 {message['state']}")
    path = f"/internal/v1/messages/{message['id']}"

    def look():
        state = herald.must(200, "GET", path)["state"]
        return state if state in ("sent", "delivered") else None

    state = wait_for("waiting for the message to be sent", look, programs)
    herald.tell("GET", path)
    voice.answer(f"200 {state}")


def show_messages(herald, voice, programs, providers, sms_box):
    recipient = random_number()
    voice.step(
        "messages",
        "Messages: from a personal messenger account, and from the bot",
        "A message is accepted first; what became of it is read later.",
    )
    send_message(herald, voice, programs, {
        "channel": "personal_messenger", "account_id": ACCOUNT, "recipient": recipient,
        "text": "Ваш заказ готов"})
    sms_box.take_for(recipient)
    send_message(herald, voice, programs, {
        "channel": "messenger_bot", "chat_id": CHAT_ID, "text": "Смена открыта"})
    call = providers.claim(provider="telegram_bot", method="sendMessage")
    if not call:
        raise WalkFailed("The bot's provider was not called.")
    text = call["request"]["json"]["text"]
    voice.line(f"   The bot wrote to chat {CHAT_ID}: {printable(text)}")


def show_channels(herald, voice, programs, providers, sms_box):
    show_flash_call(herald, voice, programs, providers)
    show_gateway(herald, voice, programs, providers)
    show_messenger_code(herald, voice, programs, sms_box)
    show_fallback(herald, voice, programs, providers, sms_box)
    show_messages(herald, voice, programs, providers, sms_box)
