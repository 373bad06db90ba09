"""What schemathesis has to know of herald beside its document: who asks, what exists, what must not
be spoiled, and which refusals are right though no JSON Schema says so."""

import atexit
import itertools
import json
import os
import re

import schemathesis
from schemathesis.core.failures import ServerError
from schemathesis.core.parameters import ParameterLocation
from schemathesis.openapi.checks import RejectedPositiveData

_requests = itertools.count(1)
_spare = json.loads(os.environ["HERALD_SPARE"])
_seen = {}  # operation id: the statuses that it answered

SPOILING = {
    "setDeviceEnabled", "setDeviceAccounts", "changeDevice", "removeDevice", "rotateDeviceKey",
    "changeIntegration", "setClientEnabled", "rotateClientSecret", "revokeClientSecret",
}
PACKAGES = {"sendErpSnapshot", "sendErpChanges"}

# What is there, and guesses would never find: in bodies by the path in them, and in the paths of
# operations.
KNOWN_IN_BODY = json.loads(os.environ["HERALD_KNOWN_IN_BODY"])
KNOWN_IN_PATH = json.loads(os.environ["HERALD_KNOWN_IN_PATH"])
# Its code is that of a pairing, and none is open.
NAMES_NOTHING_KNOWN = {"useDevicePairing"}
# Its endpoint is away, for which it waits: most of its requests ask for one that is not there.
WAITS = {"testWebhookEndpoint"}
# Fields that go with one channel only.
CHANNEL_OF = {
    "createOtp": {"gateway_number": "sms", "account_id": "personal_messenger"},
    "createMessage": {"account_id": "personal_messenger", "recipient": "personal_messenger",
                      "chat_id": "messenger_bot"},
}

# Rules over several values, or over what is stored: by the path of the fault.
UNSAID_FIELDS = {
    "occurred_at|sent_at": "RFC 3339, or a number of seconds or milliseconds since 1970",
    "expires_at": "a key ends in the future",
    "cursor": "only the next_cursor of an earlier page is one",
    "account_id|recipient|chat_id|gateway_number": 
        "goes with some channels, and not with others; of a list, a number in any spelling",
    r"accounts|accounts\[\d+\]\.account_id": "each once, at most 16 of others with earlier ones",
    r"slots\[\d+\]": "each number once; only - may stand there again",
    "name": "no other operator has one that looks like it",
    "role": "a person has none of a system",
    "metadata": "at most 512 bytes as JSON in its shortest form",
    "erp.base_url": "a host has at most 253 characters, and no .. stands in a path",
    "erp.order_path": "no . or .. stands between slashes, and two hexadecimal digits behind each %",
    "erp.token": "it is given anew with another scheme, host or port of base_url",
    "integration_id": "that of an enabled one",
    "max_archive_share": "at most 6 digits after the point, which no multipleOf says of binary numbers",
    "order.point_id": "that of the integration",
    "order.delivery.scheduled_for": "a time after the beginning of 1970",
    r"types(\[\d+\])?": "a list of words that are types of events",
    "url": "https with a host and a path, no user, query or fragment",
    "": "there are at most 50 webhook endpoints",
    "Idempotency-Key": "of a package its event_id",
}
# The same in the words of pydantic, by the type of the fault and the names on the way to it.
UNSAID_FAULTS = {
    "reference_not_found .*": "an id in a package names something in it",
    "duplicate_id .*": "an id stands once in its list",
    r"(missing|too_short) body\.attribute_definitions\.values": "an enum has some",
    r"\w+ body\.products\.attributes\.value(_id)?": "one of them, as the definition has it",
    r"missing .*\.option_values\..*": "a variant has a value for each axis of its product",
    r"greater_than_equal .*\.max_select": "as much as min_select",
    "decimal_max_places .*": "at most six; multipleOf is of binary numbers",
    "truncated.*": "there are more of them than 100",
    "too_short body.prices": "there is a row of prices, or one of stocks",
}
# A wrong code is no fault of the request.
UNSAID_CODES = {"code_mismatch"}
# A body is too large as a whole; the feed has no such place.
UNSAID_STATUSES = {413, 410}
# No string may have it; schemathesis does not leave it out of names and of values of any type.
NUL = r"\u0000"
# The service works; whoever sends does not (contract, section 1).
UNAVAILABLE = {"channel_unavailable", "no_ready_sim"}


@schemathesis.hook
def before_call(context, case, kwargs):
    index = next(_requests)
    operation = operation_id(case)
    case.headers["X-Forwarded-For"] = f"10.{index >> 16 & 255}.{index >> 8 & 255}.{index & 255}"
    if operation in SPOILING:
        spare_own(case)
    if operation in PACKAGES:
        name_package(case, index)
    is_known = index % 16 == 1 if operation in WAITS else index % 4 > 0
    if is_known and operation not in NAMES_NOTHING_KNOWN:  # the rest asks for what is not there
        name_known(case, operation)
    if isinstance(case.body, dict) and is_good(case, ParameterLocation.BODY):
        fit_channel(case.body, CHANNEL_OF.get(operation, {}))


@schemathesis.hook
def after_call(context, case, response):
    _seen.setdefault(operation_id(case), set()).add(response.status_code)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """False: the answer is right."""
    if isinstance(failure, ServerError):
        return not is_unavailable(response)
    if isinstance(failure, RejectedPositiveData):
        return not is_unsaid(response)
    return True


@atexit.register
def tell():
    with open(os.environ["HERALD_SEEN"], "w", encoding="utf-8") as file:
        json.dump({operation: sorted(statuses) for operation, statuses in _seen.items()}, file)


def operation_id(case):
    return case.operation.definition.raw["operationId"]


# --- What is sent


def spare_own(case):
    for name, value in case.path_parameters.items():
        case.path_parameters[name] = _spare.get(value, value)


def name_package(case, index):
    """A package that was never sent, and is the one of the header, unless the case is about that: a
    repeat is answered without a look at its content."""
    event_id = case.body.get("event_id") if isinstance(case.body, dict) else None
    if not isinstance(event_id, str) or not re.fullmatch("[!-~]{1,128}", event_id):
        return
    case.body["event_id"] = f"schema:{index}"
    if isinstance(case.headers.get("Idempotency-Key"), str):
        case.headers["Idempotency-Key"] = f"schema:{index}"


def is_good(case, location):
    return case.meta is not None and not case.meta.is_negative_at(location)


def name_known(case, operation):
    """Ids in the path of a request that follows a link are those of the link."""
    if is_good(case, ParameterLocation.PATH) and case.meta.phase.name != "stateful":
        case.path_parameters.update(KNOWN_IN_PATH.get(operation, {}))
    if not is_good(case, ParameterLocation.BODY):
        return
    for path, value in KNOWN_IN_BODY.items():
        *above, name = path.split(".")
        part = case.body
        for step in above:
            part = part.get(step) if isinstance(part, dict) else None
        if isinstance(part, dict) and name in part:
            part[name] = value


def fit_channel(body, channel_of):
    for name, channel in channel_of.items():
        if body.get("channel") != channel:
            body.pop(name, None)


# --- What is answered


def is_unavailable(response):
    return response.status_code == 503 and response.json()["error"]["code"] in UNAVAILABLE


def is_unsaid(response):
    """All that is wrong with it is against rules that no schema says."""
    if response.status_code in UNSAID_STATUSES:
        return True
    if response.status_code != 422:
        return False
    answer = response.json()
    if "detail" in answer:
        return all(is_unsaid_fault(fault) for fault in answer["detail"])
    error = answer["error"]
    return error["code"] in UNSAID_CODES or all(
        is_unsaid_field(fault) for fault in error["fields"])


def is_unsaid_fault(fault):
    names = ".".join(step for step in fault["loc"] if isinstance(step, str))
    return NUL in fault.get("ctx", {}).get("error", "") or fits_any(
        UNSAID_FAULTS, f"{fault['type']} {names}")


def is_unsaid_field(fault):
    return NUL in fault["message"] or fits_any(UNSAID_FIELDS, fault["path"])


def fits_any(patterns, text):
    return any(re.fullmatch(pattern, text, re.DOTALL) for pattern in patterns)
