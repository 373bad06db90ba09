"""Timelines (contract, section 11.7): each is read with its rules."""

from .shapes import _is_count, _is_id, _is_number, _is_text, _is_time, _one_of, parse_time
from .tools import PATIENCE_S, eventually

WORDS = (
    "created", "queued", "claimed", "returned", "moved", "check", "fetch", "status", "success",
    "attempt", "accepted", "sent", "delivered", "failed", "unknown", "rejected", "retried",
    "wrong_code", "fallback", "undelivered", "confirmed", "exhausted", "expired", "canceled", "cut",
)
MEMBERS = {
    "at": _is_time,
    "step": _one_of(*WORDS),
    "channel": _one_of(
        "sms", "flash_call", "messenger_gateway", "messenger_bot", "personal_messenger"),
    "gateway_number": _is_number,
    "account_id": _is_text,
    "device_id": _is_id,
    "device_name": _is_text,
    "attempt": _is_count,
    "duration_ms": _is_count,
    "status": _is_count,
    "outcome": _one_of(
        "done", "rate_limited", "retryable", "permanent", "ours", "unknown",
        "accepted", "rejected", "contract_error", "refused", "not_sent"),
    "error": _is_text,
}


def steps_of(core, what, row_id):
    """The steps of a code, a challenge, a message or an order: `otp`, `challenges` and so on."""
    record = core.get(f"/internal/v1/{what}/{row_id}/timeline").expect(200)
    assert set(record) == {"steps"}
    for step in record["steps"]:
        assert {"at", "step"} <= set(step), step
        for name, value in step.items():
            assert MEMBERS[name](value), f"{name} of {step}"
    times = [parse_time(step["at"]) for step in record["steps"]]
    assert times == sorted(times), f"out of order: {record['steps']}"
    return record["steps"]


def words_of(core, what, row_id):
    return [step["step"] for step in steps_of(core, what, row_id)]


def wait_for_step(core, what, row_id, word, within=PATIENCE_S):
    """Reads the timeline until it has this step; returns its steps."""
    def read():
        steps = steps_of(core, what, row_id)
        return steps if any(step["step"] == word for step in steps) else None

    found = eventually(read, within, 0.02)
    assert found, f"no {word}: {steps_of(core, what, row_id)}"
    return found
