"""`herald admin otp`, `challenges` and `messages`: found, shown and canceled from the command line
(contract, section 11.5)."""

import itertools

import pytest

from harness.tools import eventually, fresh_key
from test_admin import REFUSED, Admin, facts, rows_of

SETTINGS = {"HERALD_ENVIRONMENT": "test", "HERALD_TEST_NUMBERS": "+79000000000-+79000999999"}
MISSING_ID = "01900000-0000-7000-8000-000000000000"
WIDTH = 80
METADATA = {"cart": "81f3", "who": "\u0416"}
_hundreds = itertools.count()


def number_with(ending):
    """A test number that no other scenario uses."""
    return f"+79000{next(_hundreds):04d}{ending:02d}"


@pytest.fixture
def admin(site):
    return Admin(site)


def test_code_is_found_shown_and_canceled(core, admin):
    number = number_with(1)
    otp = core.create_otp(number, channel="flash_call", metadata=METADATA).expect(201)
    assert eventually(lambda: core.otp(otp["id"]).expect(200)["state"] == "undelivered")
    row, = rows_of(admin("otp", "list", "--recipient", f"8 {number[2:]}"))
    assert (row["ID"], row["RECIPIENT"], row["STATE"]) == (otp["id"], number, "undelivered")
    assert admin.json("otp", "list", "--recipient", number)["codes"] == [
        core.otp(otp["id"]).expect(200)]

    assert "queued" in admin("otp", "fallback", otp["id"], "--gateway-number", "+79160000001")
    said = admin("otp", "show", otp["id"])
    shown = facts(said)
    assert (shown["channel"], shown["recipient"], shown["test"]) == ("flash_call", number, "yes")
    assert shown["metadata"] == '{"cart":"81f3","who":"\u0416"}'
    sends = rows_of(said.split("\n\n")[1])
    assert [(send["SEND"], send["OVER"]) for send in sends] == [
        ("flash_call", "-"), ("sms", "+79160000001")]

    assert otp["id"] in admin("otp", "cancel", otp["id"])
    assert "no such code" in admin("otp", "list", "--recipient", number, "--state", "queued")
    row, = rows_of(admin("otp", "list", "--recipient", number, "--state", "canceled"))
    assert row["ID"] == otp["id"]
    for words in (("show",), ("cancel",), ("fallback",)):
        admin.refuse("otp", *words, MISSING_ID, status=REFUSED, says="code")


def test_challenge_is_found_shown_and_canceled(core, admin):
    caller = number_with(1)
    challenge = core.create_challenge(caller, metadata=METADATA).expect(201)
    row, = rows_of(admin("challenges", "list", "--recipient", caller, "--state", "pending"))
    assert (row["ID"], row["CALLER"], row["STATE"]) == (challenge["id"], caller, "pending")
    shown = facts(admin("challenges", "show", challenge["id"]))
    assert (shown["caller"], shown["gateway_number"]) == (caller, challenge["gateway_number"])
    assert shown["metadata"].startswith('{"cart":"81f3"')
    assert challenge["id"] in admin("challenges", "cancel", challenge["id"])
    assert admin.json("challenges", "show", challenge["id"])["state"] == "canceled"
    assert "no such challenge" in admin("challenges", "list", "--recipient", caller, "--state", "pending")
    admin.refuse("challenges", "show", MISSING_ID, status=REFUSED, says="challenge")


def test_message_is_found_and_shown(core, admin):
    number, account = number_with(1), f"account-{fresh_key()[:8]}"
    message = core.create_message(channel="personal_messenger", account_id=account, text="Text.",
                                  recipient=number, metadata=METADATA).expect(202)
    assert eventually(lambda: core.message(message["id"]).expect(200)["state"] == "failed")
    for found in (("--recipient", number), ("--account", account), ("--account", account, "--state",
                                                                     "failed")):
        row, = rows_of(admin("messages", "list", *found))
        assert (row["ID"], row["TO"], row["STATE"]) == (message["id"], number, "failed")
    shown = facts(admin("messages", "show", message["id"]))
    assert (shown["account_id"], shown["state"]) == (account, "failed")
    assert shown["metadata"].startswith('{"cart":"81f3"') and "01" in shown["error"]
    assert "no such message" in admin("messages", "list", "--chat", "@nobody")
    admin.refuse("messages", "show", MISSING_ID, status=REFUSED, says="message")
    admin.refuse("messages", "list", "--recipient", "shop", status=REFUSED, says="8 (916) 123-45-67")


def test_lists_fit_80_columns_and_go_on(core, admin):
    for _ in range(3):
        number = number_with(1)
        core.create_otp(number, channel="personal_messenger", account_id="x" * 64).expect(201)
        core.create_challenge(number_with(1)).expect(201)
        core.create_message(channel="personal_messenger", account_id="a", text="Text.",
                            recipient=number).expect(202)
    for noun, member in (("otp", "codes"), ("challenges", "challenges"), ("messages", "messages")):
        lines = admin(noun, "list", "--limit", "2").splitlines()
        assert len(lines) == 5 and max(map(len, lines)) <= WIDTH
        rows, cursor = rows_of("\n".join(lines[:3])), lines[4].split()[-1]
        more = rows_of(admin(noun, "list", "--limit", "1", "--cursor", cursor).split("\n\n")[0])
        ids = [row["ID"] for row in rows + more]
        newest = core.get(f"/internal/v1/{noun}?limit=3").expect(200)[member]
        assert ids == [row["id"] for row in newest]
