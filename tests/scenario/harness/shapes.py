"""The records of the contract, sections 1 and 2: exactly these fields, of these kinds."""

import re
from datetime import datetime, timedelta, timezone

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
UUID_V7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
NUMBER = re.compile(r"\+(7[0-9]{10}|[1-689][0-9]{6,14})")
DEVICE_KEY = re.compile(r"hd_[A-Za-z0-9_-]{43}")


def parse_time(text):
    assert TIME.fullmatch(text), f"not RFC 3339 in UTC with milliseconds: {text!r}"
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)


def format_time(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def seconds_between(earlier, later):
    return (parse_time(later) - parse_time(earlier)) / timedelta(seconds=1)


def _is_time(value):
    return isinstance(value, str) and bool(TIME.fullmatch(value))


def _is_id(value):
    return isinstance(value, str) and bool(UUID_V7.fullmatch(value))


def _is_number(value):
    return isinstance(value, str) and bool(NUMBER.fullmatch(value))


def _is_text(value):
    return isinstance(value, str)


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_bool(value):
    return isinstance(value, bool)


def _or_null(check):
    return lambda value: value is None or check(value)


def _one_of(*words):
    return lambda value: value in words


def _list_of(fields):
    return lambda value: isinstance(value, list) and all(not _faults(row, fields) for row in value)


PAIRING = {
    "code": lambda value: bool(re.fullmatch(r"[0-9]{8}", value)),
    "expires_at": _is_time,
    "url": _is_text,
    "qr_svg": _is_text,
}
CHALLENGE = {
    "id": _is_id,
    "caller": _is_number,
    "gateway_number": _is_number,
    "state": _one_of("pending", "confirmed", "expired", "canceled"),
    "created_at": _is_time,
    "expires_at": _is_time,
    "confirmed_at": _or_null(_is_time),
    "gateway_ready": _is_bool,
}
EVENT_RESULT = {
    "event_id": _is_text,
    "result": _one_of("confirmed", "no_challenge", "late"),
    "duplicate": _is_bool,
    "challenge_id": _or_null(_is_id),
}
CHANNEL = _one_of("sms", "flash_call", "messenger_gateway", "personal_messenger")
SEND = {
    "channel": CHANNEL,
    "gateway_number": _or_null(_is_number),
    "state": _one_of("queued", "claimed", "accepted", "sent", "delivered", "failed", "unknown"),
    "error": _or_null(_is_text),
    "updated_at": _is_time,
}
OTP = {
    "id": _is_id,
    "channel": CHANNEL,
    "recipient": _is_number,
    "state": _one_of(
        "queued", "accepted", "sent", "delivered", "undelivered",
        "confirmed", "expired", "exhausted", "canceled",
    ),
    "code_length": _one_of(4, 6),
    "attempts_left": _is_count,
    "created_at": _is_time,
    "expires_at": _is_time,
    "confirmed_at": _or_null(_is_time),
    "sends": _list_of(SEND),
}
NUMBER_ROW = {
    "number": _is_number,
    "sim_ready": _is_bool,
    "sim_ready_until": _or_null(_is_time),
    "silent_since": _or_null(_is_time),
    "active_challenges": _is_count,
    "slot": _is_count,
    "slot_confirmed": _is_bool,
}
ACCOUNT_ROW = {
    "account_id": _is_text,
    "messenger": _is_text,
    "state": _one_of("linked", "connected", "disconnected", "banned", "unbound"),
    "state_until": _or_null(_is_time),
    "gone_since": _or_null(_is_time),
}
DEVICE = {
    "id": _is_id,
    "name": _is_text,
    "enabled": _is_bool,
    "created_at": _is_time,
    "last_seen_at": _or_null(_is_time),
    "numbers": _list_of(NUMBER_ROW),
    "accounts": _list_of(ACCOUNT_ROW),
    "accounts_left_out": lambda value: isinstance(value, list) and all(map(_is_text, value)),
    "status": lambda value: value is None or isinstance(value, dict),
}
CREDENTIALS = {
    "device_id": _is_id,
    "device_key": lambda value: bool(DEVICE_KEY.fullmatch(value)),
    "device": lambda value: not _faults(value, DEVICE),
}
ROTATED_KEY = {key: CREDENTIALS[key] for key in ("device_id", "device_key")}
SMS_JOB = {
    "id": _is_id,
    "lease_id": lambda value: bool(UUID.fullmatch(value)),
    "gateway_number": _is_number,
    "recipient": _is_number,
    "text": _is_text,
    "attempt": lambda value: _is_count(value) and value >= 1,
    "lease_expires_at": _is_time,
}
MESSAGE_JOB = {
    "id": _is_id,
    "lease_id": lambda value: bool(UUID.fullmatch(value)),
    "account_id": _is_text,
    "recipient": _is_number,
    "text": _is_text,
    "attempt": lambda value: _is_count(value) and value >= 1,
    "lease_expires_at": _is_time,
}
MESSAGE = {
    "id": _is_id,
    "channel": _one_of("personal_messenger", "messenger_bot"),
    "state": _one_of("accepted", "sent", "delivered", "failed", "unknown"),
    "account_id": _or_null(_is_text),
    "recipient": _or_null(_is_number),
    "chat_id": _or_null(lambda value: _is_text(value) or type(value) is int),
    "error": _or_null(_is_text),
    "created_at": _is_time,
    "updated_at": _is_time,
}
ERP = {
    "base_url": _is_text,
    "order_path": _is_text,
    "timeout_seconds": lambda value: _is_count(value) and 1 <= value <= 60,
}
CIRCUIT = {
    "state": _one_of("closed", "open", "half_open"),
    "since": _or_null(_is_time),
    "next_probe_at": _or_null(_is_time),
    "last_error": _or_null(_is_text),
}
EXCHANGE = {
    "last_snapshot_at": _or_null(_is_time),
    "last_change_at": _or_null(_is_time),
    "waiting": lambda value: _is_count(value) and value <= 1000,
    "failed": lambda value: _is_count(value) and value <= 1000,
    "circuit": lambda value: not _faults(value, CIRCUIT),
    "orders_waiting": lambda value: _is_count(value) and value <= 1000,
    "oldest_order_at": _or_null(_is_time),
}
INTEGRATION = {
    "id": _is_id,
    "tenant_id": lambda value: bool(UUID.fullmatch(value)),
    "point_id": lambda value: bool(UUID.fullmatch(value)),
    "environment": _one_of("production", "test"),
    "name": _is_text,
    "enabled": _is_bool,
    "erp": lambda value: not _faults(value, ERP),
    "absent": _one_of("remove", "keep"),
    "exchange": lambda value: not _faults(value, EXCHANGE),
    "max_archive_share": _or_null(lambda value: type(value) in (int, float) and 0 <= value <= 1),
    "created_at": _is_time,
    "updated_at": _is_time,
}
CLIENT_SECRET = {"id": _is_id, "created_at": _is_time, "expires_at": _or_null(_is_time)}
SCOPE = _one_of("erp.catalog.write", "erp.changes.write", "erp.events.read")
WORKLOAD_CLIENT = {
    "client_id": _is_id,
    "integration_id": _is_id,
    "name": _or_null(_is_text),
    "scopes": lambda value: isinstance(value, list) and value and all(map(SCOPE, value)),
    "enabled": _is_bool,
    "created_at": _is_time,
    "secrets": _list_of(CLIENT_SECRET),
}
CLIENT_CREDENTIALS = {
    "client_id": _is_id,
    "client_secret": lambda value: bool(re.fullmatch(r"hs_[A-Za-z0-9_-]{43}", value)),
    "secret_id": _is_id,
    "token_url": _or_null(_is_text),
    "integration_id": _is_id,
    "scopes": WORKLOAD_CLIENT["scopes"],
}
ROLE = _one_of("core", "viewer", "support", "operator", "admin")
_RATE = _or_null(lambda value: type(value) is int and 1 <= value <= 1000000)
API_KEY = {
    "id": _is_id,
    "name": _is_text,
    "role": ROLE,
    "test": _is_bool,
    "requests_per_minute": _RATE,
    "created_at": _is_time,
    "expires_at": _or_null(_is_time),
    "rotated_at": _or_null(_is_time),
    "old_key_until": _or_null(_is_time),
    "revoked_at": _or_null(_is_time),
}
NEW_API_KEY = {**API_KEY, "key": lambda value: bool(re.fullmatch(r"hk_[A-Za-z0-9_-]{43}", value))}
OWN_API_KEY = {
    "kind": _one_of("root", "api_key"),
    "id": _or_null(_is_id),
    "name": _is_text,
    "role": ROLE,
    "test": _is_bool,
    "requests_per_minute": _RATE,
    "created_at": _or_null(_is_time),
    "expires_at": _or_null(_is_time),
}
SIGNING_KEY = {
    "kid": lambda value: _is_text(value) and 1 <= len(value) <= 128,
    "state": _one_of("next", "signing", "retired"),
    "created_at": _is_time,
    "signs_from": _is_time,
    "signs_until": _or_null(_is_time),
}
TOKEN_ANSWER = {
    "access_token": lambda value: bool(re.fullmatch(r"(?:[A-Za-z0-9_-]+\.){2}[\w-]{86}", value)),
    "token_type": _one_of("Bearer"),
    "expires_in": _one_of(600),
    "scope": _is_text,
}
EVENT_STATUS = {
    "event_id": _is_text,
    "event_type": _one_of("snapshot", "delta"),
    "status": _one_of("accepted", "processing", "applied", "retry", "failed"),
    "attempts": _is_count,
    "received_at": _is_time,
    "processed_at": _or_null(_is_time),
    "last_error": _or_null(_is_text),
}
ORDER_DELIVERY = {
    "id": lambda value: bool(UUID.fullmatch(value)),
    "order_id": lambda value: bool(UUID.fullmatch(value)),
    "integration_id": _is_id,
    "integration_name": _is_text,
    "environment": _one_of("production", "test"),
    "state": _one_of("queued", "delivering", "accepted", "rejected", "failed"),
    "attempts": _is_count,
    "next_attempt_at": _or_null(_is_time),
    "erp_order_id": _or_null(_is_text),
    "erp_number": _or_null(_is_text),
    "last_error": _or_null(_is_text),
    "circuit": _or_null(lambda value: not _faults(value, CIRCUIT)),
    "known_products": _or_null(lambda value: set(value) == {"known", "of"}
                               and 0 <= value["known"] <= value["of"]),
    "created_at": _is_time,
    "updated_at": _is_time,
}
ORDER_ATTEMPT = {
    "attempt": lambda value: _is_count(value) and value >= 1,
    "started_at": _is_time,
    "duration_ms": _is_count,
    "status": _or_null(lambda value: _is_count(value) and 100 <= value <= 999),
    "outcome": _one_of(
        "accepted", "rejected", "contract_error", "refused", "unknown", "not_sent"),
    "error": _or_null(_is_text),
}
LOG_ENTRY = {
    "id": _is_count,
    "level": _one_of("debug", "info", "warning", "error"),
    "message": _is_text,
    "fields": lambda value: isinstance(value, dict),
}
LOG_PAGE = {"entries": _list_of(LOG_ENTRY), "next_cursor": _or_null(_is_text)}
CHANNEL = {
    "channel": _one_of(
        "sms", "flash_call", "messenger_gateway", "messenger_bot", "personal_messenger"),
    "driver": _or_null(_is_text),
    "configured": _is_bool,
    "circuit": _or_null(lambda value: not _faults(value, CIRCUIT)),
    "under_way": lambda value: _is_count(value) and value <= 1000,
    "waiting": lambda value: _is_count(value) and value <= 1000,
    "oldest_waiting_at": _or_null(_is_time),
    "last_success_at": _or_null(_is_time),
    "rate_limit": _or_null(_is_count),
    "ready_sims": _or_null(_is_count),
    "connected_accounts": _or_null(_is_count),
}
FLEET_OVERVIEW = dict.fromkeys(
    ("phones", "enabled_phones", "sims", "ready_sims", "silent_sims", "accounts",
     "connected_accounts"), _is_count)
TROUBLE_KINDS = (
    "no_worker", "no_ready_sim", "process_gone", "disk_low", "degraded", "channel_closed",
    "sim_silent", "erp_circuit", "package_failed", "package_refused", "catalog_old",
    "endpoint_disabled")
TROUBLE = {
    "kind": _one_of(*TROUBLE_KINDS),
    "what": _is_text,
    "record": lambda value: not _faults(value, {
        "type": _one_of("service", "fleet", "process", "disk", "channel", "device", "integration",
                        "webhook_endpoint"),
        "id": _or_null(_is_text),
        "name": _or_null(_is_text),
        "path": _or_null(_is_text),
        "command": _is_text,
    }),
    "reason": _or_null(_is_text),
    "remedy": _is_text,
    "since": _is_time,
}
OVERVIEW = {
    "version": _one_of("0.5.0"),
    "environment": _one_of("production", "test"),
    "degraded": _or_null(_is_text),
    "fleet": lambda value: not _faults(value, FLEET_OVERVIEW),
    "processes": lambda value: not _faults(value, {"living": _is_count, "lost": _is_count}),
    "channels": _list_of(CHANNEL),
    "troubles": _list_of(TROUBLE),
    "trouble_count": _is_count,
    "well_since": _or_null(_is_time),
}
EXCHANGE_OVERVIEW = {
    "integrations": _is_count,
    "enabled_integrations": _is_count,
    "open_circuits": _is_count,
    "old_catalogs": _is_count,
    "packages_waiting": lambda value: _is_count(value) and value <= 1000,
    "packages_failed": lambda value: _is_count(value) and value <= 1000,
    "orders_waiting": lambda value: _is_count(value) and value <= 1000,
    "oldest_package_at": _or_null(_is_time),
    "oldest_order_at": _or_null(_is_time),
}
PROCESS = {
    "id": _is_id,
    "host": _is_text,
    "pid": _is_count,
    "verb": _one_of("serve", "api", "worker", "idp"),
    "version": _one_of("0.5.0"),
    "build": lambda value: re.fullmatch(r"0\.5\.0(\+[0-9a-f]{7,40}(-dirty)?)?", value),
    "started_at": _is_time,
    "last_beat_at": _is_time,
    "state": _one_of("living", "lost"),
    "answering": _is_bool,
}
EVENT = {
    "id": _is_id,
    "seq": _is_count,
    "type": _is_text,
    "timestamp": _is_time,
    "subject": lambda value: set(value) == {"type", "id", "sequence"},
    "data": _or_null(lambda value: isinstance(value, dict)),
}
HEALTH = {"status": _is_text, "version": _one_of("0.5.0"), "ok": _is_bool}


def _faults(record, fields):
    if not isinstance(record, dict):
        return [f"not an object: {record!r}"]
    faults = [f"{name} is missing" for name in fields if name not in record]
    faults += [f"{name} is not of this record" for name in record if name not in fields]
    faults += [
        f"{name} is {record[name]!r}"
        for name, check in fields.items()
        if name in record and not check(record[name])
    ]
    return faults


def check_shape(record, fields):
    """Demands that the record has exactly these fields with values of their kind; returns it."""
    faults = _faults(record, fields)
    assert not faults, f"{'; '.join(faults)} in {record!r}"
    return record
