"""What a phone says of a failure may quote the SMS: it is kept with its send alone, without the code,
and numbers in the log are masked by what they are.

Contract section 2, rules 5, 12 and 15. Doc A: only LOG_SENSITIVE shows more.
"""

import json
import re

import pytest

from harness.actors import read_code
from harness.tools import fresh_number

from test_secrets import find_codes, stored_bytes


def quotes(task, stranger):
    """Error texts as modems and libraries write them: as they come, and as they are kept."""
    code, recipient = read_code(task), task["recipient"]
    text = task["text"]
    said = [
        f"cannot send {text!r}",
        f"{code}",
        f"no route to {recipient}, forwarded to {stranger}",
        f"+CMS ERROR: 38 (tel:{stranger[1:]}) pdu=<{code}>",
        f"{code} {code}",
        "<b>" + "</b><b>".join(code) + "</b>",
        "9" * 500,
    ]
    return [(words, words.replace(code, "***")) for words in said]


def fail_with_quotes(core, phone, stranger):
    """One failed code for each text; returns what phones and recipients know of them."""
    codes, otp_ids, kept = [], [], []
    for index in range(7):
        otp = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
        task = phone.claim_task()
        said, shown = quotes(task, stranger)[index]
        phone.result(task, "failed", error=said, permanent=True).expect(204)
        codes.append(read_code(task))
        otp_ids.append(otp["id"])
        kept.append(shown)
    return codes, otp_ids, kept


def failures_of(reader):
    """What the entries of failed SMS say beside ids and numbers."""
    return [entry["fields"] for entry in reader.entries if entry["message"] == "sms failed"]


def test_words_of_a_phone_stay_with_their_send(fresh_site):
    process = fresh_site.serve({"HERALD_LOG_LEVEL": "debug"})
    core, stranger = fresh_site.core(), fresh_number()
    phone = fresh_site.phone(core)
    phone.be_ready()
    with fresh_site.log_reader(last_event_id=0) as reader:
        codes, otp_ids, kept = fail_with_quotes(core, phone, stranger)
        core.cancel_otp(otp_ids[1]).expect(204)  # a code is hidden also when it is final
        reader.wait_until_quiet()
        failures, log = failures_of(reader), reader.text

    answers = [core.otp(otp_id).expect(200) for otp_id in otp_ids]
    assert [answer["sends"][0]["error"] for answer in answers] == kept
    assert [fields["error_length"] for fields in failures] == [len(text.encode()) for text in kept]
    assert not any("error" in fields for fields in failures)
    assert find_codes(json.dumps(answers).encode(), codes) == []
    fresh_site.stop()
    for place, blob in {"log": log.encode(), "output": process.output,
                        **stored_bytes(fresh_site)}.items():
        assert find_codes(blob, codes) == [], f"a code in {place}"
        assert stranger[2:].encode() not in blob, f"a number in {place}"
        assert b"9" * 20 not in blob, f"digits in {place}"


@pytest.mark.parametrize("error", [
    "no credit", "CMS ERROR 500", "+CMS ERROR: 38", "GSM 7-bit, 160 of 153 characters, try 3",
])
def test_what_helps_the_operator_is_kept_with_its_send_alone(site, core, ready_phone, error):
    with site.log_reader() as reader:
        otp = core.create_otp(fresh_number()).expect(201)
        task = ready_phone.claim_task()
        ready_phone.result(task, "failed", error=error, permanent=True).expect(204)
        assert core.otp(otp["id"]).expect(200)["sends"][0]["error"] == error
        entry = reader.wait_for_text("sms failed")
        assert entry["fields"]["error_length"] == len(error)
        assert json.dumps(error)[1:-1] not in reader.text


def test_quote_that_is_tried_again_is_without_its_code(core, new_phone):
    phone, other = new_phone(), new_phone()
    phone.be_ready()
    otp = core.create_otp(fresh_number()).expect(201)
    other.be_ready()
    task = phone.claim_task()
    phone.result(task, "failed", error=task["text"]).expect(204)
    other.result(other.claim_task(), "sent").expect(204)
    sends = core.otp(otp["id"]).expect(200)["sends"]
    assert [row["state"] for row in sends] == ["failed", "sent"]
    assert sends[0]["error"] == task["text"].replace(read_code(task), "***")


# --- numbers in what others name


MASK = re.compile(r"\+7\d{3}\*\*\*\d{4} #[0-9a-z]{4}")


def spellings(number):
    """As people write a number, and as its run of digits begins."""
    return {number: "+", number[1:]: "", f"8{number[2:]}": "", number[2:]: "",
            f"8 ({number[2:5]}) {number[5:8]}-{number[8:10]}-{number[10:]}": "",
            f"{number[:2]} [{number[2:5]}] {number[5:8]}.{number[8:]}": "+"}


def test_runs_of_digits_in_names_show_their_last_two(fresh_site):
    fresh_site.serve()
    core, number = fresh_site.core(), fresh_number()
    kept = ["Shop 12, left drawer", "room 123456", "123,4567 and 123  4567"]
    with fresh_site.log_reader(last_event_id=0) as reader:
        for name in [f"of {spelling}!" for spelling in spellings(number)] + kept:
            made = core.register(name, [fresh_number()]).expect(201)
            assert made["device"]["name"] == name  # answers say it as it is
        reader.wait_until_quiet()
    shown = [entry["fields"]["name"] for entry in reader.entries
             if entry["message"] == "device registered"]
    masks = [f"of {before}***{number[-2:]}!" for before in spellings(number).values()]
    assert shown == masks + kept


def test_one_number_has_one_mask(fresh_site):
    """However it is typed; the same in every entry and process, and another for another number."""
    fresh_site.serve()
    core, number, gateway = fresh_site.core(), fresh_number(), fresh_number()
    same_ends = f"{number[:5]}{(int(number[5:8]) + 1) % 1000:03d}{number[8:]}"
    core.register("of calls", [gateway]).expect(201)
    with fresh_site.log_reader(last_event_id=0) as reader:
        for caller in (number, same_ends):
            made = core.create_challenge(caller, gateway_number=gateway).expect(201)
            core.cancel_challenge(made["id"]).expect(204)
        reader.wait_until_quiet()
    masks = [entry["fields"]["caller"] for entry in reader.entries
             if entry["message"] == "call challenge created"]
    assert all(MASK.fullmatch(mask) for mask in masks) and len(set(masks)) == 2
    assert masks[0].startswith(f"{number[:5]}***{number[8:]} #")
    fresh_site.stop()
    fresh_site.serve()
    with fresh_site.log_reader() as reader:
        fresh_site.core().create_challenge(number, gateway_number=gateway).expect(201)
        assert reader.wait_for_text(masks[0])  # after a restart, too


def test_request_id_that_is_a_number_is_masked_and_any_other_stands_whole(site, core):
    number = fresh_number()
    with site.log_reader() as reader:
        for request_id in (f"call-{number[1:]}-1", number[1:], None):
            headers = {"X-Request-Id": request_id} if request_id else {}
            reply = core.post("/internal/v1/devices", {"name": "x", "numbers": [fresh_number()]},
                              headers=headers)
            told = reply.header("X-Request-Id")
            shown = reader.wait_for_text(reply.json["device_id"])["fields"]["request_id"]
            assert shown == told or MASK.fullmatch(shown)
            assert (shown == told) == (request_id != number[1:])
