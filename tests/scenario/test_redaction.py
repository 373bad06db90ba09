"""What a phone says of a failure may quote the SMS: no code and no number of it is kept.

Contract section 2, rules 5 and 12, and section 9.9. Doc A: only LOG_SENSITIVE shows more.
"""

import json
import re
import unicodedata

import pytest

from harness.actors import read_code
from harness.tools import fresh_number

from test_secrets import find_codes, stored_bytes

FOUR_DIGITS = re.compile(r"\d{4}")


def quotes(task, stranger):
    """Error texts as modems and libraries write them, around what must not be kept."""
    code, recipient = read_code(task), task["recipient"]
    return [
        f"cannot send {task['text']!r}",
        f"{code}",
        f"no route to {recipient}, forwarded to {stranger}",
        f"+CMS ERROR: 38 (tel:{stranger[1:]};8{stranger[2:]}) pdu=<{code}{stranger[1:]}>",
        f"{code[:4]} {code}{code} \u2116{stranger[2:]}\u044f",
        "9" * 500,
        f"said {' '.join(code)} and {' - '.join(code)}",
        "<b>" + "</b><b>".join(code) + "</b>",
        f"said {''.join(chr(0xFF10 + int(digit)) for digit in code)}",
        f"said {''.join(chr(0x660 + int(digit)) + chr(0x200B) for digit in code)}",
        " then ".join(code),
    ]


def digits_of(text):
    """All digits of a text as a person reads them, whatever stands between."""
    return "".join(str(unicodedata.digit(char)) for char in text
                   if unicodedata.digit(char, None) is not None)


def fail_with_quotes(core, phone, stranger):
    """One failed code for each text; returns what phones and recipients know of them."""
    codes, otp_ids = [], []
    for index in range(len(quotes({"text": "000000", "recipient": ""}, ""))):
        otp = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
        task = phone.claim_task()
        text = quotes(task, stranger)[index]
        phone.result(task, "failed", error=text, permanent=True).expect(204)
        codes.append(read_code(task))
        otp_ids.append(otp["id"])
    return codes, otp_ids


def errors_of_entries(reader):
    return [entry["fields"]["error"] for entry in reader.entries if "error" in entry["fields"]]


def test_quoted_codes_and_numbers_are_nowhere(fresh_site):
    process = fresh_site.serve({"HERALD_LOG_LEVEL": "debug"})
    core, stranger = fresh_site.core(), fresh_number()
    phone = fresh_site.phone(core)
    phone.be_ready()
    with fresh_site.log_reader(last_event_id=0) as reader:
        codes, otp_ids = fail_with_quotes(core, phone, stranger)
        reader.wait_until_quiet()
        errors, log = errors_of_entries(reader), reader.text

    shown = [core.otp(otp_id).expect(200)["sends"][0]["error"] for otp_id in otp_ids]
    assert len(shown) == len(errors) == len(codes)
    assert [text for text in [*shown, *errors] if FOUR_DIGITS.search(text)] == []
    for texts in (shown, errors):
        assert [text for text, code in zip(texts, codes) if code in digits_of(text)] == []
    fresh_site.stop()
    stored = fresh_site.ask("SELECT error FROM phone_task WHERE error IS NOT NULL").split("\n")
    assert len(stored) == len(codes)
    assert [text for text in stored if FOUR_DIGITS.search(text)] == []

    for place, blob in {"log": log.encode(), "output": process.output,
                        **stored_bytes(fresh_site)}.items():
        assert find_codes(blob, codes) == [], f"a code in {place}"
        assert stranger[2:].encode() not in blob, f"a number in {place}"
        assert b"9" * 20 not in blob, f"digits in {place}"


@pytest.mark.parametrize("error", [
    "no credit", "CMS ERROR 500", "+CMS ERROR: 38", "GSM 7-bit, 160 of 153 characters, try 3",
])
def test_what_helps_the_operator_is_kept(site, core, ready_phone, error):
    with site.log_reader() as reader:
        otp = core.create_otp(fresh_number()).expect(201)
        task = ready_phone.claim_task()
        ready_phone.result(task, "failed", error=error, permanent=True).expect(204)
        assert core.otp(otp["id"]).expect(200)["sends"][0]["error"] == error
        assert reader.wait_for_text(json.dumps(error)[1:-1])


def test_quote_that_is_tried_again_is_not_kept_either(core, new_phone):
    phone, other = new_phone(), new_phone()
    phone.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    other.be_ready()
    task = phone.claim_task()
    phone.result(task, "failed", error=task["text"]).expect(204)
    other.result(other.claim_task(), "sent").expect(204)
    sends = core.otp(otp["id"]).expect(200)["sends"]
    assert [row["state"] for row in sends] == ["failed", "sent"]
    assert not FOUR_DIGITS.search(sends[0]["error"])


# --- numbers in what others name


MASK = re.compile(r"\+7\d{3}\*\*\*\d{4} #[0-9a-z]{4}")


def spellings(number):
    """As people write a number."""
    wide = "".join(chr(ord(char) + 0xFEE0) for char in number)
    return [number, number[1:], f"8{number[2:]}", number[2:], wide,
            f"8 ({number[2:5]}) {number[5:8]}-{number[8:10]}-{number[10:]}",
            f"{number[:2]}\u00a0{number[2:5]}\u2011{number[5:8]}\u2011{number[8:]}"]


def test_numbers_in_names_are_masked_alike(fresh_site):
    """However a number is written, and typed: one mask, the same in every entry and process."""
    fresh_site.serve()
    core, number, other = fresh_site.core(), fresh_number(), fresh_number()
    same_ends = f"{number[:5]}{(int(number[5:8]) + 1) % 1000:03d}{number[8:]}"
    with fresh_site.log_reader(last_event_id=0) as reader:
        for spelling in spellings(number):
            made = core.register(f"of {spelling}!", [fresh_number()]).expect(201)
            assert made["device"]["name"] == f"of {spelling}!"  # answers say it as it is
        core.register(f"of {same_ends}!", [other]).expect(201)
        core.create_challenge(number, gateway_number=other).expect(201)
        caller = reader.wait_for_text("call challenge created")["fields"]["caller"]
        names = [entry["fields"]["name"] for entry in reader.entries
                 if entry["message"] == "device registered"]
        fresh_site.stop()
        assert MASK.fullmatch(caller) and caller.startswith(f"{number[:5]}***{number[8:]} #")
        assert names[:-1] == [f"of {caller}!"] * len(spellings(number))
        assert MASK.fullmatch(names[-1][3:-1]) and names[-1] != names[0]  # with the same ends
    fresh_site.serve()
    with fresh_site.log_reader() as reader:
        fresh_site.core().register(f"of {number}!", [fresh_number()]).expect(201)
        assert reader.wait_for_text(f"of {caller}!")  # after a restart, too


def test_numbers_in_request_ids_are_masked(site, core):
    number = fresh_number()
    with site.log_reader() as reader:
        reply = core.post("/internal/v1/devices", {"name": "x", "numbers": [fresh_number()]},
                          headers={"X-Request-Id": f"call-{number[1:]}-1"})
        assert reply.header("X-Request-Id") == f"call-{number[1:]}-1"
        entry = reader.wait_for_text(reply.json["device_id"])
        assert re.fullmatch(rf"call-{MASK.pattern}-1", entry["fields"]["request_id"])
        plain = core.post("/internal/v1/devices", {"name": "x", "numbers": [fresh_number()]})
        entry = reader.wait_for_text(plain.json["device_id"])
        assert entry["fields"]["request_id"] == plain.header("X-Request-Id")
