"""Words of phones, providers and ERPs stay with their record (contract, section 2, rule 14): marked ones
are sent through each field that they can fill, and then looked for everywhere."""

import json

from harness.exchange import Operator
from harness.feed import Feed
from harness.orders import ORDER_SETTINGS, ORDERS, RawErp, Shop, http_answer
from harness.tools import eventually, fresh_number
from test_secrets import stored_bytes

BOT_KEY = "1000:key_of_the_bot_of_these_words"
MARK = "zqxword"


def said(place):
    """Words with a number in them, which could be a customer's."""
    return f"{MARK}-{place} of +79995550142, Аделаида"


def settings_of(provider):
    return ORDER_SETTINGS | {
        "HERALD_EVENTS": "on", "HERALD_LOG_LEVEL": "debug",
        "HERALD_TELEGRAM_BOT_URL": provider.url, "HERALD_TELEGRAM_BOT_TOKEN": BOT_KEY,
        "HERALD_TELEGRAM_GATEWAY_URL": provider.url, "HERALD_TELEGRAM_GATEWAY_TOKEN": BOT_KEY,
    }


def refusal(head, body):
    """What the providers answer to whatever is sent."""
    if b"/sendMessage" in head:
        answer = {"ok": False, "error_code": 403, "description": said("bot")}
    else:
        answer = {"ok": False, "error": said("gateway")}
    return http_answer(json.dumps(answer).encode(), "403 Forbidden")


def fail_on_phones(site, core):
    phone = site.phone(core)
    phone.be_ready()
    otp = core.create_otp(fresh_number(), gateway_number=phone.number).expect(201)
    phone.result(phone.claim_task(), "failed", error=said("sms"), permanent=True).expect(204)
    core.put(f"/internal/v1/devices/{phone.device_id}/accounts", {"accounts": ["acc-1"]}).expect(200)
    phone.be_connected("acc-1")
    message = core.create_message(channel="personal_messenger", account_id="acc-1",
                                  recipient=fresh_number(), text="Ready.").expect(202)
    task = phone.claim_message_task("acc-1")
    phone.message_result(task, "failed", error=said("messenger"), permanent=True).expect(204)
    return {f"/internal/v1/otp/{otp['id']}": "sms",
            f"/internal/v1/otp/{otp['id']}/timeline": "sms",
            f"/internal/v1/messages/{message['id']}": "messenger"}


def fail_at_providers(core):
    otp = core.create_otp(fresh_number(), channel="messenger_gateway").expect(201)
    message = core.create_message(channel="messenger_bot", chat_id=-1000123456789,
                                  text="Ready.").expect(202)
    return {f"/internal/v1/otp/{otp['id']}": "gateway",
            f"/internal/v1/messages/{message['id']}": "bot"}


def fail_at_erps(site, erp):
    paths = {}
    for place, answer in {
        "rejected": http_answer(json.dumps(
            {"accepted": False, "reason": said("rejected")}).encode()),
        "plain": http_answer(said("plain").encode(), "422 Unprocessable"),
        "contract": http_answer(said("contract").encode()),
    }.items():
        erp.answer = lambda *_, answer=answer: answer
        shop = Shop(site, erp)
        order_id = shop.placed()
        assert eventually(lambda: shop.attempts(order_id))
        paths |= {f"{ORDERS}/{order_id}": place, f"{ORDERS}/{order_id}/attempts": place}
        shop.close()
    return paths


def test_words_of_others_stay_with_their_record(fresh_site):
    with RawErp(refusal) as provider, RawErp() as erp:
        process = fresh_site.serve(settings_of(provider))
        core, operator = fresh_site.core(), Operator.of(fresh_site)
        feed = Feed(core, 0)
        with fresh_site.log_reader(last_event_id=0) as reader:
            paths = fail_on_phones(fresh_site, core) | fail_at_providers(core)
            orders = fail_at_erps(fresh_site, erp)
            for path, place in (paths | orders).items():
                told = eventually(lambda: said(place) in json.dumps(
                    operator.get(path).expect(200), ensure_ascii=False))
                assert told, (path, operator.get(path).body)
            reader.wait_until_quiet()
            while feed.read(limit=500):
                pass
            seen = {"the log": reader.text, "the feed": str(feed.events),
                    "channels": str(core.channels()),
                    "overview": core.get("/internal/v1/overview").body.decode(),
                    "metrics": core.get("/internal/v1/metrics").body.decode(),
                    "audit": core.audit("?limit=200").body.decode()}
        assert "error_length" in seen["the log"] and len(feed.events) >= 5
        fresh_site.stop()
    places = seen | {"the output": process.output.decode()} | {
        name: blob.decode("latin-1") for name, blob in stored_bytes(fresh_site).items()}
    assert [place for place, text in places.items() if MARK in text] == []
