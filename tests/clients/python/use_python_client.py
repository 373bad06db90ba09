"""A client of openapi-python-client."""

import json
import os
import uuid

from generated import AuthenticatedClient
from generated.api.fleet import list_devices
from generated.api.one_time_codes import create_otp, get_otp
from generated.models import DeviceList, ErrorBody, OTPChallenge, OTPChannel, OTPInput

client = AuthenticatedClient(
    base_url=os.environ["HERALD_URL"], token=os.environ["HERALD_KEY"], prefix="",
    auth_header_name="X-Internal-API-Key",
)
page = list_devices.sync(client=client, limit=10)
assert isinstance(page, DeviceList), page
otp = create_otp.sync(
    client=client, idempotency_key=str(uuid.uuid4()),
    body=OTPInput(channel=OTPChannel.SMS, recipient=os.environ["HERALD_RECIPIENT"]),
)
assert isinstance(otp, OTPChallenge), otp
refused = get_otp.sync_detailed(uuid.uuid4(), client=client)
assert isinstance(refused.parsed, ErrorBody), refused
print(json.dumps({
    "numbers": [row.number for device in page.devices for row in device.numbers],
    "id": str(otp.id),
    "state": otp.state.value,
    "attempts_left": otp.attempts_left,
    "confirmed": otp.confirmed_at,
    "refusal": [refused.status_code, refused.parsed.error.code],
}))
