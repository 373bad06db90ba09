"""The walk's telephone with the SMSGate app: paired by a code, then a code goes out by its SIM."""

import json
import os
import random
import uuid

from walk_stage import WalkFailed, wait_for

NUMBER = "+79990000003"
NAME = "A telephone with SMSGate"


def find_or_register(herald, voice):
    """The id of the phone, also where an earlier walk has registered it."""
    body = {"name": NAME, "numbers": [NUMBER]}
    herald.tell("POST", "/internal/v1/devices", body)
    status, answer = herald.ask("POST", "/internal/v1/devices", body)
    if status == 201:
        voice.answer(f"201 device {answer['device_id']}")
        return answer["device_id"]
    if status != 409:
        raise WalkFailed(f"POST /internal/v1/devices: expected 201, got {status}: {answer}")
    voice.answer("409 number_taken: this phone is known from an earlier walk", is_refusal=True)
    path = f"/internal/v1/devices?q=%2B{NUMBER[1:]}"
    device_id = herald.must(200, "GET", path)["devices"][0]["id"]
    enable(herald, device_id, True)
    return device_id


def enable(herald, device_id, is_enabled):
    herald.must(204, "PATCH", f"/internal/v1/devices/{device_id}", {"enabled": is_enabled})


def start_app(options, herald, voice, programs, device_id):
    path = f"/internal/v1/devices/{device_id}/pair"
    herald.tell("POST", path)
    pairing = herald.must(201, "POST", path)
    voice.answer(f"201 code {pairing['code']}, a link and a QR code, good once and for 10 minutes")
    voice.line("   Somebody enters the code in the app, which fetches its key by it.")
    key_file = os.path.join(options.state_dir, "app.key")
    if os.path.exists(key_file):
        os.unlink(key_file)
    programs.start("app", [
        options.app, "--url", f"{herald.url}/smsgate/v1", "--code", pairing["code"],
        "--key-file", key_file, "--sim", NUMBER, "--sms-file", options.app_sms_file,
        "--memory", os.path.join(options.state_dir, "app.memory"), "--ping-ms", "5000",
    ])


def is_ready(herald, device_id):
    device = herald.must(200, "GET", f"/internal/v1/devices/{device_id}")
    return device["numbers"][0]["sim_ready"]


def sms_to(path, recipient):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.endswith("\n")]
    return next((sms for sms in lines if sms["recipient"] == recipient), None)


def show_app(options, herald, voice, programs):
    voice.step(
        "app",
        "Any Android telephone joins, with the SMSGate app as it is published",
        "It is paired by a code: nobody types a key. docs/phones.md does it with a",
        "real one, step by step.",
    )
    options.app_sms_file = os.path.join(options.state_dir, "app-sms.jsonl")
    device_id = find_or_register(herald, voice)
    start_app(options, herald, voice, programs, device_id)
    wait_for("waiting for the app", lambda: is_ready(herald, device_id), programs)
    recipient = f"+7999{random.randint(1000000, 9999999)}"
    body = {"channel": "sms", "recipient": recipient, "gateway_number": NUMBER}
    herald.tell("POST", "/internal/v1/otp", body)
    herald.must(201, "POST", "/internal/v1/otp", body, f"walk-{uuid.uuid4()}")
    voice.answer("201 queued; the app hears of it within a second")
    sms = wait_for("waiting for the SMS", lambda: sms_to(options.app_sms_file, recipient), programs)
    voice.sms({**sms, "gateway_number": NUMBER})
    enable(herald, device_id, False)
    voice.line("   The telephone is disabled now, so that the two phones do the rest.")
