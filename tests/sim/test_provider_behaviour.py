"""What the control API makes the providers do, and what it tells of them."""

import http.client
import json
import socket
import subprocess
import threading
import time

import pytest

from provider_client import (
    BINARY, GATEWAY, TIMEOUT_S, UCALLER, Provider, Receiver, exchange, is_signed,
)

PHONE = "+79161234567"

# A good request to each provider's first method.
GOOD = {
    "telegram_gateway": lambda sim: sim.gateway(
        "sendVerificationMessage", phone_number=PHONE, code="123456"
    ),
    "telegram_bot": lambda sim: sim.bot("sendMessage", chat_id=42, text="Hello"),
    "ucaller": lambda sim: sim.ucaller("initCall", phone=79161234567, code="1234"),
    "sms_ru": lambda sim: sim.sms_ru(),
    "unibell": lambda sim: sim.unibell(number=PHONE, code=1234, timeout=60000),
    "plusofon": lambda sim: sim.plusofon(phone=PHONE, pin="1234"),
    "zvonok": lambda sim: sim.zvonok(phone=PHONE),
    "smsc": lambda sim: sim.smsc(),
}

# What each error looks like: HTTP status, and a part of the body.
FAULTS = [
    ("telegram_gateway", name, 200, {"ok": False, "error": name})
    for name in (
        "ACCESS_TOKEN_INVALID", "BALANCE_NOT_ENOUGH", "PHONE_NUMBER_INVALID",
        "PHONE_NUMBER_NOT_FOUND", "PHONE_NUMBER_NOT_AVAILABLE", "MESSAGE_ALREADY_SENT",
    )
]
FAULTS += [
    ("telegram_bot", name, code, {"ok": False, "error_code": code, "description": text})
    for name, code, text in (
        ("blocked", 403, "Forbidden: bot was blocked by the user"),
        ("deactivated", 403, "Forbidden: user is deactivated"),
        ("cannot_initiate", 403, "Forbidden: bot can't initiate conversation with a user"),
        ("chat_not_found", 400, "Bad Request: chat not found"),
        ("unauthorized", 401, "Unauthorized"),
        ("internal", 500, "Internal Server Error"),
    )
]
FAULTS += [
    ("telegram_bot", "migrated", 400, {"parameters": {"migrate_to_chat_id": -1001000000000}}),
]
FAULTS += [
    ("ucaller", str(code), code if code in (401, 429, 500) else 200, {"status": False, "code": code})
    for code in (0, 1, 2, 3, 4, 9, 18, 19, 20, 401, 429, 500, 1001, 1002, 1003, 1004, 1005)
]
FAULTS += [
    ("sms_ru", name, 200, {"status": "ERROR"}) for name in ("200", "201", "202", "220", "230", "231")
]
FAULTS += [
    ("unibell", name, status, {"errorCode": code})
    for name, status, code in (
        ("1", 401, 1), ("401", 401, 401), ("5", 401, 5), ("2", 400, 2), ("6", 403, 6),
        ("403", 403, 403), ("4", 429, 4), ("429", 429, 429), ("10", 400, 10), ("11", 400, 11),
        ("500", 500, 500),
    )
]
FAULTS += [("plusofon", name, 200, {"success": False}) for name in ("no_money", "unreachable")]
FAULTS += [("smsc", str(code), 200, {"error_code": code}) for code in range(1, 10)]
FAULTS += [("zvonok", "balance", 400, {"status": "error"})]


@pytest.mark.parametrize(("provider", "name", "status", "part"), FAULTS)
def test_each_error_of_the_tables(sim, provider, name, status, part):
    sim.behave(name, provider=provider, count=1)
    answer = GOOD[provider](sim)
    assert answer.status == status
    assert answer.json | part == answer.json
    call = sim.claim(provider=provider)
    assert call["behaviour"] == name and not call["had_effect"]
    assert GOOD[provider](sim).status in (200, 201), "one call, and no more"
    assert sim.claim(provider=provider)["had_effect"]


RATE_LIMITS = [
    ("telegram_gateway", 200, {"ok": False, "error": "FLOOD_WAIT_17"}, None),
    ("telegram_bot", 429, {"error_code": 429, "parameters": {"retry_after": 17}}, "17"),
    ("ucaller", 429, {"code": 429}, "17"),
    ("sms_ru", 200, {"status": "ERROR"}, None),
    ("unibell", 429, {"errorCode": 4}, "17"),
    ("plusofon", 429, {"success": False}, "17"),
    ("zvonok", 429, {"status": "error"}, "17"),
    ("smsc", 200, {"error_code": 9}, None),
]


@pytest.mark.parametrize(("provider", "status", "part", "header"), RATE_LIMITS)
def test_rate_limits(sim, provider, status, part, header):
    sim.behave("rate_limit", provider=provider, count=1, retry_after_s=17)
    answer = GOOD[provider](sim)
    assert answer.status == status
    assert answer.json | part == answer.json
    assert answer.headers["Retry-After"] == header
    sim.claim(provider=provider)


@pytest.mark.parametrize(
    ("what", "provider", "part"),
    [
        ("wrong_credentials", "telegram_gateway", {"error": "ACCESS_TOKEN_INVALID"}),
        ("wrong_credentials", "telegram_bot", {"error_code": 401}),
        ("wrong_credentials", "ucaller", {"code": 401}),
        ("no_balance", "telegram_gateway", {"error": "BALANCE_NOT_ENOUGH"}),
        ("no_balance", "ucaller", {"code": 1002}),
        ("no_balance", "unibell", {"errorCode": 6}),
        ("unreachable_recipient", "telegram_gateway", {"error": "PHONE_NUMBER_NOT_AVAILABLE"}),
        ("unreachable_recipient", "telegram_bot", {"error_code": 403}),
        ("unreachable_recipient", "unibell", {"errorCode": 11}),
    ],
)
def test_words_for_all_providers(sim, what, provider, part):
    sim.behave(what, count=1)
    answer = GOOD[provider](sim)
    assert answer.json | part == answer.json
    assert not sim.claim(provider=provider)["had_effect"]


# --- Connections, time, nonsense --------------------------------------------------------------


@pytest.mark.parametrize("provider", sorted(GOOD))
def test_cut_before_the_request_is_taken(sim, provider):
    sim.behave("cut_before", provider=provider, count=2)
    for _ in range(2):
        with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)):
            GOOD[provider](sim)
    assert sim.stats(provider)["cut_before"] == 2
    assert sim.calls() == []
    assert GOOD[provider](sim).status in (200, 201)
    sim.claim(provider=provider)


@pytest.mark.parametrize("provider", sorted(GOOD))
def test_cut_after_it_was_taken(sim, provider):
    sim.behave("cut_after", provider=provider, count=1)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        GOOD[provider](sim)
    call = sim.claim(provider=provider)
    assert call["answer"] is None and call["had_effect"]


def test_cut_within_the_answer(sim):
    sim.behave("cut_within", provider="ucaller", count=1)
    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        GOOD["ucaller"](sim)
    call = sim.claim(provider="ucaller")
    assert call["answer"]["cut"] and call["had_effect"]


def test_a_repeat_after_a_cut_places_no_second_call(sim):
    sim.behave("cut_after", provider="ucaller", count=1)
    fields = {"phone": 79161234567, "code": "1234", "unique": "one"}
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        sim.ucaller("initCall", **fields)
    assert sim.ucaller("initCall", **fields).json["exists"] is True
    assert [sim.claim()["had_effect"] for _ in range(2)] == [True, False]


def test_slow_answers(sim):
    sim.behave("slow", provider="telegram_bot", count=1, wait_ms=300)
    start = time.monotonic()
    assert GOOD["telegram_bot"](sim).json["ok"]
    assert 0.29 <= time.monotonic() - start < 5
    assert sim.claim()["wait_ms"] == 300


def test_many_slow_answers_at_once(sim):
    sim.behave("slow", provider="ucaller", wait_ms=400)
    start = time.monotonic()
    threads = [threading.Thread(target=GOOD["ucaller"], args=(sim,)) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - start < 5
    assert sim.stats("ucaller")["in_flight_max"] > 10
    for _ in range(50):
        assert sim.claim()["had_effect"]


def test_reset_gives_slow_answers_now(sim):
    sim.behave("slow", wait_ms=600000)
    answers = []
    thread = threading.Thread(target=lambda: answers.append(GOOD["smsc"](sim)))
    thread.start()
    while not sim.calls():
        time.sleep(0.01)
    sim.told("reset")
    thread.join(TIMEOUT_S)
    assert answers[0].status == 200


def test_server_errors(sim):
    sim.behave("server_error", count=1)
    sim.behave("server_error", count=1, http_status=503, taken=True)
    first, second = GOOD["ucaller"](sim), GOOD["ucaller"](sim)
    assert (first.status, second.status) == (502, 503)
    assert first.headers["Content-Type"] == "text/html"
    assert [sim.claim()["had_effect"] for _ in range(2)] == [False, True]


def test_an_error_may_hide_that_it_was_done(sim):
    sim.behave("500", provider="ucaller", count=1, taken=True)
    assert GOOD["ucaller"](sim).json["code"] == 500
    assert sim.claim()["had_effect"]


def test_nonsense(sim):
    for shape in ("html", "truncated", "huge", "empty", "other_json"):
        sim.behave("nonsense", shape=shape, count=1)
    html, truncated, huge, empty, other = (GOOD["ucaller"](sim) for _ in range(5))
    assert {answer.status for answer in (html, truncated, huge, empty, other)} == {200}
    assert html.body.startswith(b"<html>")
    with pytest.raises(json.JSONDecodeError):
        json.loads(truncated.body)
    assert len(huge.body) > 8 * 1024 * 1024 and huge.json["ok"]
    assert empty.body == b""
    assert other.json == [1, "two", None]
    lengths = [sim.claim()["answer"]["length"] for _ in range(5)]
    assert lengths == [len(answer.body) for answer in (html, truncated, huge, empty, other)]


def test_a_body_of_any_bytes_is_recorded(sim):
    answer = sim.post("/v1.0/initCall", b'{\n "phone":\t"\xf0\x28" }', UCALLER)
    assert answer.json["code"] == 1
    assert sim.claim()["request"]["body"] == '{\n "phone":\t"?(" }'


def test_too_large_a_body(sim):
    assert sim.post("/v1.0/initCall", b" " * (256 * 1024 + 1), UCALLER).status == 413


def test_connections_have_numbers(sim):
    connection = sim.connect()
    for _ in range(2):
        exchange(connection, "POST", "/v1.0/getInfo", {"uid": 1}, UCALLER)
    connection.close()
    GOOD["ucaller"](sim)
    first, second, third = (sim.claim()["connection"] for _ in range(3))
    assert first == second != third


def test_down_and_up(sim):
    connection = sim.connect()
    exchange(connection, "POST", "/v1.0/getInfo", {"uid": 1}, UCALLER)
    sim.claim()
    sim.told("down")
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        exchange(connection, "POST", "/v1.0/getInfo", {"uid": 1}, UCALLER)
    with pytest.raises(ConnectionRefusedError):
        GOOD["ucaller"](sim)
    assert sim.control("GET", "health").json["down"] is True
    assert sim.control("POST", "down", {}).status == 409
    sim.told("up")
    assert GOOD["ucaller"](sim).status == 200
    sim.claim()


def test_down_for_a_time(sim):
    sim.behave("slow", wait_ms=600000, count=1)
    ends = []

    def call():
        try:
            ends.append(GOOD["ucaller"](sim))
        except (http.client.HTTPException, ConnectionError) as error:
            ends.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    while not sim.calls():
        time.sleep(0.01)
    sim.told("down", for_ms=300)
    thread.join(TIMEOUT_S)
    assert isinstance(ends[0], (http.client.HTTPException, ConnectionError))
    deadline = time.monotonic() + TIMEOUT_S
    while sim.control("GET", "health").json["down"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert GOOD["ucaller"](sim).status == 200
    assert [sim.claim()["behaviour"] for _ in range(2)] == ["slow", "ok"]


# --- Orders -----------------------------------------------------------------------------------


def test_counted_orders_go_before_the_others_and_in_turn(sim):
    sim.behave("1001", provider="ucaller")
    sim.behave("18", provider="ucaller", count=1)
    sim.behave("19", provider="ucaller", count=1)
    sim.behave("1002", provider="ucaller")
    codes = [GOOD["ucaller"](sim).json["code"] for _ in range(4)]
    assert codes == [18, 19, 1002, 1002]
    for _ in range(4):
        sim.claim()


def test_orders_have_a_scope(sim):
    sim.behave("20", provider="ucaller", method="initCall", recipient="79160000001", count=1)
    assert GOOD["ucaller"](sim).json["status"] is True
    assert GOOD["unibell"](sim).status == 200
    assert sim.leftover()["orders_left"] == 1
    assert sim.ucaller("initCall", phone=79160000001, code="1234").json["code"] == 20
    for _ in range(3):
        sim.claim()


def test_outcomes_by_recipient_go_before_the_others(sim):
    sim.told("outcome", recipient="+79160000001", status="undelivered")
    sim.told("outcome", status="delivered")
    for phone, status in ((79160000001, 0), (79160000002, 1)):
        uid = sim.ucaller("initCall", phone=phone, code="1234").json["ucaller_id"]
        assert sim.ucaller("getInfo", uid=uid).json["call_status"] == status
    for _ in range(4):
        sim.claim()


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("behave", {}),
        ("behave", {"what": "nothing_known"}),
        ("behave", {"what": "18"}),
        ("behave", {"what": "nothing_known", "provider": "ucaller"}),
        ("behave", {"what": "no_balance", "provider": "telegram_bot"}),
        ("behave", {"what": "ok", "provider": "nobody"}),
        ("behave", {"what": "ok", "provider": "ucaller", "method": "none"}),
        ("behave", {"what": "ok", "method": "initCall"}),
        ("behave", {"what": "ok", "count": 0}),
        ("behave", {"what": "ok", "http_status": 100}),
        ("behave", {"what": "ok", "surplus": 1}),
        ("behave", {"what": "nonsense", "shape": "round"}),
        ("behave", {"what": "cut_before", "recipient": PHONE}),
        ("outcome", {"status": "lost"}),
        ("claim", {"provider": "nobody"}),
        ("report", {"request_id": "1", "signature": "odd"}),
    ],
)
def test_what_is_not_understood(sim, path, fields):
    answer = sim.control("POST", path, fields)
    assert answer.status == 422 and answer.json["error"]


def test_control_paths(sim):
    assert sim.control("GET", "nothing").status == 404
    assert sim.control("GET", "claim").status == 405
    assert sim.control("POST", "claim", {}).status == 404
    assert sim.control("GET", "code?phone=+79169999999").status == 404
    assert set(sim.control("GET", "providers").json) == set(GOOD)


# --- The record -------------------------------------------------------------------------------


def test_calls_are_listed_and_claimed(sim):
    for name in ("ucaller", "sms_ru", "ucaller"):
        GOOD[name](sim)
    assert [call["provider"] for call in sim.calls()] == ["ucaller", "sms_ru", "ucaller"]
    assert len(sim.calls(provider="ucaller", limit=1)) == 1
    first = sim.claim(provider="ucaller", method="initCall", recipient="79161234567")
    assert sim.calls(provider="ucaller", claimed="false")[0]["id"] > first["id"]
    assert [call["id"] for call in sim.calls(claimed="true")] == [first["id"]]
    assert sim.calls(after=first["id"])[0]["provider"] == "sms_ru"
    assert sim.leftover()["count"] == 2
    assert sim.claim(contains="api_id=sms-ru-id")["provider"] == "sms_ru"
    assert sim.claim()["claimed"] is True
    assert sim.control("POST", "claim", {}).status == 404


def test_times_are_the_least_of_the_same_calls(sim):
    for name in ("ucaller", "sms_ru", "ucaller"):
        GOOD[name](sim)
    wanted = [[call["id"], call["recipient"], call["at_ms"]] for call in sim.calls()]
    assert sim.control("GET", "times").json == wanted
    assert sim.control("GET", "times?provider=ucaller&limit=1").json == wanted[:1]
    assert sim.control("GET", f"times?after={wanted[1][0]}").json == wanted[2:]
    assert sim.control("GET", "times?limit=100001").status == 422
    for _ in wanted:
        sim.claim()


def test_the_last_code_counts(sim):
    for code in ("1111", "2222"):
        sim.ucaller("initCall", phone=79161234567, code=code)
    sim.unibell(number=PHONE, code=3333, timeout=1)
    assert sim.code(PHONE) == "3333"
    assert sim.code(PHONE, provider="ucaller") == "2222"
    for _ in range(3):
        sim.claim()


def test_calls_file(tmp_path):
    path = tmp_path / "calls.jsonl"
    sim = Provider("--calls-file", str(path))
    GOOD["ucaller"](sim)
    sim.post("/v1.0/getInfo", b'{\n"uid":\n1}', UCALLER)
    assert sim.stop() == 0
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["method"] for line in lines] == ["initCall", "getInfo"]
    assert lines[1]["request"]["json"] == {"uid": 1}


# --- Delivery reports -------------------------------------------------------------------------


def send_with_callback(sim, receiver):
    answer = sim.gateway(
        "sendVerificationMessage", phone_number=PHONE, code="123456", payload="otp-1",
        callback_url=f"{receiver.url}/callbacks/telegram-gateway",
    )
    sim.claim(provider="telegram_gateway")
    return answer.json["result"]["request_id"]


@pytest.mark.parametrize(("fate", "word"), [("delivered", "delivered"), ("undelivered", "expired")])
def test_a_report_is_signed(sim, receiver, fate, word):
    sim.told("outcome", status=fate, after_ms=20)
    request_id = send_with_callback(sim, receiver)
    report = receiver.wait(1)[0]
    assert report["path"] == "/callbacks/telegram-gateway"
    assert is_signed(report)
    assert not is_signed(report, "another-token")
    assert abs(int(report["headers"]["X-Request-Timestamp"]) - time.time()) < 5
    body = json.loads(report["body"])
    assert body["request_id"] == request_id
    assert body["delivery_status"]["status"] == word
    assert body["payload"] == "otp-1" and body["phone_number"] == PHONE


def reports_of(sim, request_id, count):
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        rows = sim.control("GET", f"reports?request_id={request_id}").json["reports"]
        if len(rows) >= count or time.monotonic() > deadline:
            return rows
        time.sleep(0.01)


def test_a_report_is_repeated_until_200(sim):
    receiver = Receiver(500, 404, 204)
    request_id = send_with_callback(sim, receiver)
    bodies = {report["body"] for report in receiver.wait(4)}
    rows = reports_of(sim, request_id, 4)
    assert [row["http_status"] for row in rows] == [500, 404, 204, 200]
    assert len(bodies) == 1
    receiver.close()


def test_a_report_is_repeated_ten_times_at_most():
    sim, receiver = Provider("--http-callbacks", "--report-retry-ms", "1"), Receiver(*[500] * 30)
    request_id = send_with_callback(sim, receiver)
    assert len(reports_of(sim, request_id, 11)) == 11
    time.sleep(1.5)  # longer than the wait for a twelfth would be
    assert len(receiver.reports) == 11
    assert sim.stop() == 0
    receiver.close()


def test_an_ordered_report(sim, receiver):
    sim.told("outcome", status="delivered", report=False)
    request_id = send_with_callback(sim, receiver)
    receiver.statuses = [401, 200, 200]
    told = sim.told("report", request_id=request_id, status="read", signature="wrong")
    assert told == {"attempts": [{"http_status": 401}]}
    assert sim.told("report", request_id=request_id, signature="missing", age_s=900)["attempts"]
    told = sim.told("report", request_id=request_id, times=2)
    assert told == {"attempts": [{"http_status": 200}] * 2}
    wrong, bare, first, second = receiver.wait(4)
    assert not is_signed(wrong) and "X-Request-Signature" in wrong["headers"]
    assert json.loads(wrong["body"])["delivery_status"]["status"] == "read"
    assert "X-Request-Signature" not in bare["headers"]
    assert time.time() - int(bare["headers"]["X-Request-Timestamp"]) > 890
    assert is_signed(first) and first["body"] == second["body"]
    assert first["headers"]["X-Request-Signature"] == second["headers"]["X-Request-Signature"]


def test_a_report_for_a_request_that_nobody_knows(sim, receiver):
    assert sim.control("POST", "report", {"request_id": "77"}).status == 404
    told = sim.told("report", request_id="77", url=f"{receiver.url}/x", status="delivered")
    assert told["attempts"] == [{"http_status": 200}]
    report = receiver.wait(1)[0]
    assert is_signed(report) and json.loads(report["body"])["request_id"] == "77"
    sim.told("report", request_id="77", url=f"{receiver.url}/x", body="no JSON")
    assert is_signed(receiver.wait(2)[1])


def test_a_report_that_reaches_nobody(sim):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        assert sim.told("report", request_id="77", url=url)["attempts"] == [{"http_status": 0}]


def test_a_revoked_message_is_reported_so(sim, receiver):
    sim.told("outcome", status="delivered", after_ms=600000)
    request_id = send_with_callback(sim, receiver)
    assert sim.gateway("revokeVerificationMessage", request_id=request_id).json["ok"]
    body = json.loads(receiver.wait(1)[0]["body"])
    assert body["delivery_status"]["status"] == "revoked"
    sim.claim(method="revokeVerificationMessage", provider="telegram_gateway")


# --- The program ------------------------------------------------------------------------------


def test_callbacks_need_https_and_reports_can_be_turned_round(receiver):
    sim = Provider("--report-to", receiver.url, "--settle-ms", "1")
    fields = {"phone_number": PHONE, "code": "123456"}
    for url, is_ok in (("http://example.com/", False), ("https://example.com/a/b", True)):
        answer = sim.gateway("sendVerificationMessage", callback_url=url, **fields)
        assert answer.json["ok"] is is_ok
    assert receiver.wait(1)[0]["path"] == "/a/b"
    assert sim.stop() == 0


def test_bot_limits():
    sim = Provider("--bot-limits")
    assert sim.bot("sendMessage", chat_id=1, text="x").status == 200
    limited = sim.bot("sendMessage", chat_id=1, text="x")
    assert (limited.status, limited.json["parameters"]) == (429, {"retry_after": 1})
    assert [sim.bot("sendMessage", chat_id=2 + i, text="x").status for i in range(30)].count(429) == 1
    assert sim.stop() == 0


def test_it_stops_while_answers_wait():
    sim = Provider()
    sim.behave("slow", wait_ms=600000)
    connection = sim.connect()
    connection.request("POST", "/checkSendAbility", "{}", GATEWAY)
    while not sim.calls():
        time.sleep(0.01)
    assert sim.stop() == 0
    connection.close()


def test_the_command_line():
    done = subprocess.run([BINARY, "--help"], capture_output=True, text=True, check=True)
    for word in [*GOOD, "/_control/behave", "cut_before", "--gateway-token", "BALANCE_NOT_ENOUGH"]:
        assert word in done.stdout
    for arguments in (["--none"], ["--settle-ms", "x"], ["surplus"]):
        assert subprocess.run([BINARY, *arguments], capture_output=True, check=False).returncode == 2
    taken = Provider()
    again = subprocess.run(
        [BINARY, "--listen", taken.address, "--control", "127.0.0.1:0", "--calls-file", "/no/file"],
        capture_output=True, check=False,
    )
    assert again.returncode == 1
    assert taken.stop() == 0
