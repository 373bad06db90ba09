"""Codes by flash call through a template: each preset, with the rows of its provider's table.

Contract, section 3. What the providers answer stands in docs/flash-call-providers.md. None of the
five knows a repeat, so what may have been sent is never sent again by itself.
"""

import json
import urllib.parse

import pytest

from harness.actors import read_code, wrong_code
from harness.outcomes import (
    TEMPLATES, expect_never_again, expect_open_circuit, expect_permanent, expect_rate_limited,
    expect_rate_limited_without_a_word, expect_undelivered, expect_unknown,
)
from harness.providers import PRESETS
from harness.shapes import OTP, check_shape
from harness.site import Site
from harness.tools import fresh_number

from conftest import SERVER_URL

CLOCK = True
LEARNS = ("smsru", "zvonok", "smsc")  # the provider chooses the code

PERMANENT = [
    ("smsru", "202"), ("unibell", "11"), ("unibell", "10"), ("plusofon", "unreachable"),
    ("plusofon", "phone"), ("zvonok", "phone"), ("smsc", "7"), ("smsc", "8"), ("smsc", "6"),
]
OURS = [
    ("smsru", "200"), ("smsru", "201"),
    ("unibell", "1"), ("unibell", "5"), ("unibell", "401"), ("unibell", "6"), ("unibell", "403"),
    ("plusofon", "unauthenticated"), ("plusofon", "client"), ("plusofon", "no_money"),
    ("zvonok", "public_key"), ("zvonok", "balance"),
    ("smsc", "2"), ("smsc", "3"), ("smsc", "4"),
]
LIMITED_WITH_TIME = [("unibell", "4"), ("unibell", "429"), ("plusofon", "too_many"),
                     ("zvonok", "too_many")]
LIMITED = [("smsru", "230"), ("smsru", "231"), ("smsc", "9")]
UNKNOWN = [
    *((preset, "cut_after", {}) for preset in PRESETS),
    *((preset, "cut_within", {}) for preset in PRESETS),
    *((preset, "slow", {"wait_ms": 3300}) for preset in ("smsru", "unibell")),
    *((preset, "server_error", {"taken": True}) for preset in PRESETS),
    *(("unibell", "nonsense", {"shape": shape})
      for shape in ("html", "truncated", "huge", "empty", "other_json")),
    *((preset, "nonsense", {"shape": "other_json"}) for preset in ("smsru", "smsc", "zvonok")),
    ("unibell", "500", {}), ("plusofon", "server", {}), ("zvonok", "server", {}),
    ("smsc", "500", {}),
]


@pytest.fixture(scope="module", params=PRESETS)
def preset(request):
    return request.param


@pytest.fixture(scope="module")
def site(engine, preset, providers, herald_port, tmp_path_factory):
    """One running herald for each preset."""
    made = Site(
        engine, tmp_path_factory.mktemp(f"{engine}-{preset}"), server_url=SERVER_URL,
        settings=providers.settings(preset), has_clock=True, port=herald_port,
    )
    with made:
        made.serve()
        yield made


@pytest.fixture
def channel(preset):
    return TEMPLATES[preset]


def only(rows):
    """Runs each row with its own preset's herald."""
    return pytest.mark.parametrize(
        "preset, row", [(row[0], row[1:]) for row in rows], indirect=["preset"], scope="module",
        ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value)))


def verified_code(preset, call):
    """What the recipient hears as the last four digits, read from what went over the wire."""
    if preset in LEARNS:
        answer = json.loads(call["answer"]["body"])
        return str(answer.get("code") or answer["data"]["pincode"])[-4:]
    asked = call["request"]["json"]
    return str(asked.get("code") or asked["pin"])


# --- the dialogue


def test_call_goes_out_and_confirms(sim, core, preset, channel):
    recipient = fresh_number()
    otp = check_shape(channel.create(core, recipient), OTP)
    assert (otp["channel"], otp["state"], otp["code_length"]) == ("flash_call", "queued", 4)
    call = channel.take(sim, otp)
    read = core.wait_for_send(otp, "accepted", "sent", "delivered")
    assert read["state"] == read["sends"][0]["state"] == "accepted"
    code = verified_code(preset, call)
    assert len(code) == 4 and code.isdecimal()
    refused = core.verify(otp["id"], wrong_code(code))
    refused.expect(422, "code_mismatch")
    assert refused.error["attempts_left"] == 4
    assert core.verify(otp["id"], code).expect(200)["state"] == "confirmed"
    sim.expect_quiet()


def test_request_is_the_providers_own(sim, core, preset, channel):
    otp, call = channel.send(core, sim)
    asked, keys, phone = call["request"], sim.keys, otp["recipient"]
    query = dict(urllib.parse.parse_qsl(asked["query"] or ""))
    form = dict(urllib.parse.parse_qsl(asked["body"] or "")) if preset == "zvonok" else {}
    if preset == "smsru":
        assert (asked["method"], asked["path"]) == ("GET", "/code/call")
        assert (query["api_id"], query["phone"]) == (keys["sms-ru-id"], phone[1:])
    if preset == "unibell":
        assert asked["headers"]["x-authorization"] == f"AccessKey {keys['unibell-key']}"
        assert asked["json"]["number"].lstrip("+") == phone[1:]
        assert type(asked["json"]["code"]) is int and 1000 <= asked["json"]["code"] <= 9999
    if preset == "plusofon":
        assert asked["headers"]["authorization"] == f"Bearer {keys['plusofon-token']}"
        assert asked["headers"]["client"] == keys["plusofon-client"]
        assert len(asked["json"]["pin"]) == 4 and asked["json"]["phone"] == phone[1:]
    if preset == "zvonok":
        assert form["public_key"] == keys["zvonok-key"]
        assert form["campaign_id"] == keys["zvonok-campaign"]
        assert form["phone"].lstrip("+") == phone[1:]
    if preset == "smsc":
        fields = {name: query.get(name) or dict(urllib.parse.parse_qsl(asked["body"] or "")).get(
            name) for name in ("login", "psw", "phones", "mes", "call", "fmt")}
        assert fields["phones"].lstrip("+") == phone[1:]
        assert (fields["login"], fields["psw"]) == (keys["smsc-login"], keys["smsc-password"])
        assert (fields["mes"], fields["call"], fields["fmt"]) == ("code", "1", "3")


def test_fallback_sends_the_code_of_the_call(sim, core, preset, channel, ready_phone):
    otp, call = channel.send(core, sim)
    core.wait_for_send(otp, "accepted")
    core.fall_back(otp["id"]).expect(204)
    task = ready_phone.claim_task()
    assert read_code(task, 4) == verified_code(preset, call)
    ready_phone.result(task, "sent").expect(204)
    core.verify(otp["id"], read_code(task, 4)).expect(200)


def test_fallback_after_a_refusal_sends_a_code_that_is_right(sim, core, channel, ready_phone):
    """Also where the provider would have chosen the code, and chose none."""
    channel.order(sim, "unreachable_recipient")
    otp, _ = channel.send(core, sim)
    expect_undelivered(core, otp)
    core.fall_back(otp["id"]).expect(204)
    task = ready_phone.claim_task()
    ready_phone.result(task, "sent").expect(204)
    code = read_code(task, 4)
    core.verify(otp["id"], wrong_code(code)).expect(422, "code_mismatch")
    read = core.otp(otp["id"]).expect(200)
    assert [row["state"] for row in read["sends"]] == ["failed", "sent"]
    assert core.verify(otp["id"], code).expect(200)["state"] == "confirmed"


def test_fallback_during_the_call_sends_a_code_that_is_right(
        sim, core, preset, channel, ready_phone):
    """Where the provider chooses the code there is none yet: the caller may ask again soon."""
    channel.order(sim, "slow", wait_ms=700)
    otp, _ = channel.send(core, sim)
    if preset in LEARNS:
        refused = core.fall_back(otp["id"])
        refused.expect(503, "channel_unavailable")
        assert refused.retry_after <= 30
        core.wait_for_send(otp, "accepted")
    core.fall_back(otp["id"]).expect(204)
    task = ready_phone.claim_task()
    ready_phone.result(task, "sent").expect(204)
    core.wait_for_send(otp, "sent")
    assert core.verify(otp["id"], read_code(task, 4)).expect(200)["state"] == "confirmed"
    sim.expect_quiet()


# --- the rows of the tables


@only(PERMANENT)
def test_recipient_that_cannot_be_called(sim, core, clock, channel, row):
    expect_permanent(core, sim, clock, channel, *row)


@only(OURS)
def test_credentials_or_balance_open_the_circuit(site, sim, core, channel, row):
    expect_open_circuit(site, core, sim, channel, *row)


@only(LIMITED_WITH_TIME)
def test_limit_is_waited_for_as_told(sim, core, channel, row):
    expect_rate_limited(core, sim, channel, *row, wait_s=1, retry_after_s=1)


@only(LIMITED)
def test_limit_without_a_time(sim, core, clock, channel, row):
    expect_rate_limited_without_a_word(core, sim, clock, channel, *row)


@only(UNKNOWN)
def test_what_may_have_been_sent_is_never_sent_again(sim, core, clock, preset, channel, row):
    what, order = row
    if preset in LEARNS:
        expect_unknown_without_code(core, sim, clock, channel, what, **order)
    else:
        expect_unknown(core, sim, clock, channel, what, **order)


def expect_unknown_without_code(core, sim, clock, channel, what, **order):
    """As expect_unknown, but nobody knows the code: no guess is right, and the fallback makes one."""
    channel.warm_up(core, sim)
    channel.order(sim, what, **order)
    otp, _ = channel.send(core, sim)
    read = core.wait_for_send(otp, "unknown")
    assert len(read["sends"]) == 1 and read["sends"][0]["error"]
    expect_never_again(core, sim, clock, channel)
    core.verify(otp["id"], "0000").expect(422, "code_mismatch")
    core.create_otp(otp["recipient"], channel=channel.word).expect(409, "active_challenge_exists")


# --- a template of one's own


OWN = {
    "name": "own", "mode": "give", "base_url": "https://api.example.com",
    "send": {"method": "POST", "path": "/v1.0/initCall",
             "headers": {"Authorization": "Bearer {key}.{service_id}"},
             "json": {"phone": "{phone_int}", "code": "{code}", "unique": "{uuid}"}},
    "success": {"pointer": "/status", "equals": "true"}, "id": "/ucaller_id",
    "error": {"code": "/code", "text": "/error", "ours": ["401"], "permanent": ["9"]},
    "deduplicates": True,
    "status": {
        "request": {"method": "POST", "path": "/v1.0/getInfo",
                    "headers": {"Authorization": "Bearer {key}.{service_id}"},
                    "json": {"uid": "{id}"}},
        "state": "/call_status", "delivered": ["1"], "failed": ["0"]},
}


def own_settings(providers, template):
    return {
        "HERALD_FLASH_CALL_DRIVER": "flash_template",
        "HERALD_FLASH_TEMPLATE": json.dumps(template),
        **providers.driver_settings(
            "FLASH_TEMPLATE", KEY="ucaller-key", SERVICE_ID="ucaller-service"),
    }


@pytest.fixture
def own_core(fresh_site, providers):
    """A core system of a herald with a template of its own, which describes a known provider."""
    fresh_site.serve(own_settings(providers, OWN))
    return fresh_site.core()


def test_template_of_ones_own(sim, own_core):
    otp = own_core.create_otp(fresh_number(), channel="flash_call").expect(201)
    call = sim.take("ucaller", "initCall", recipient=otp["recipient"])
    assert own_core.wait_for_send(otp, "accepted", "delivered")
    own_core.verify(otp["id"], call["code"]).expect(200)

    sim.behave("cut_after", provider="ucaller", count=1)
    otp = own_core.create_otp(fresh_number(), channel="flash_call").expect(201)
    calls = [sim.take("ucaller", "initCall", recipient=otp["recipient"]) for _ in range(2)]
    assert len({call["request"]["json"]["unique"] for call in calls}) == 1
    assert [call["had_effect"] for call in calls] == [True, False]

    sim.behave("9", provider="ucaller", count=1)
    otp = own_core.create_otp(fresh_number(), channel="flash_call").expect(201)
    sim.take("ucaller", "initCall", recipient=otp["recipient"])
    expect_undelivered(own_core, otp)
