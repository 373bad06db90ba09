"""What the control API of `erp serve` makes it do."""

import concurrent.futures
import json
import time

import pytest

from erp_caller import LOST, MIB, Caller, order_record, raw_order
from erp_client import ErpService, wait_until


# --- Cuts


@pytest.mark.parametrize(("what", "is_made"),
                         [("cut_before", False), ("cut_after", True), ("cut_within", True)])
def test_cuts(erp, caller, what, is_made):
    record = order_record()
    erp.behave(what, count=1)
    with pytest.raises(LOST):
        caller.send(record)
    cut = erp.claim()
    assert (cut["behaviour"], cut["had_effect"]) == (what, is_made)
    assert erp.stats()["documents"] == is_made, "a document survives a cut"
    answer = caller.send(record)
    again = erp.claim()
    assert again["had_effect"] is not is_made
    assert again["request"]["body"] == cut["request"]["body"] == json.dumps(record)
    assert erp.documents()["documents"][0]["order_id"] == answer.json["order_id"]


def test_how_much_of_an_answer_a_cut_leaves(erp, caller):
    for what in ("cut_before", "cut_after"):
        erp.behave(what, count=1)
        assert caller.raw(raw_order(order_record())) == b""
        assert erp.claim()["answer"] is None
    erp.behave("cut_within", count=1)
    got = caller.raw(raw_order(order_record()))
    assert got.startswith(b"HTTP/1.1 200 ") and b'{"accepted":true' in got
    assert b'"number"' not in got
    answer = erp.claim()["answer"]
    assert answer["cut"] and answer["status"] == 200


# --- Time


def test_slow_answers_come_as_usual(erp, caller):
    erp.behave("slow", count=1, wait_ms=300)
    start = time.monotonic()
    assert caller.send().status == 200
    assert 0.29 <= time.monotonic() - start < 5
    assert erp.claim()["behaviour"] == "slow"


def test_who_leaves_a_slow_erp_finds_no_document_yet(erp, caller):
    record = order_record()
    erp.behave("slow", count=1, wait_ms=700)
    with pytest.raises(TimeoutError):
        caller.send(record, timeout=0.2)
    assert erp.stats()["documents"] == 0
    call = erp.claim()
    assert call["answer"] is None and not call["had_effect"], "it is listed while it waits"
    wait_until(lambda: erp.stats()["documents"] == 1)
    assert erp.calls(order=record["id"])[0]["had_effect"]


def test_late_answers_find_the_document_made(erp, caller):
    record = order_record()
    erp.behave("late", count=1, wait_ms=600)
    with pytest.raises(TimeoutError):
        caller.send(record, timeout=0.2)
    assert erp.stats()["documents"] == 1
    answer = caller.send(record)
    assert answer.status == 200
    first, again = erp.calls()
    wait_until(lambda: erp.stats()["in_flight"] == 0)
    assert first["order"] == again["order"]
    assert not again["had_effect"]


def test_who_left_is_not_in_flight_beside_who_comes(erp, caller):
    erp.behave("late", count=3, wait_ms=500)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            caller.send(timeout=0.05)
    caller.send()
    assert erp.stats()["in_flight_max"] == 1
    time.sleep(0.5)
    wait_until(lambda: erp.stats()["in_flight"] == 0)


def test_in_flight_counts_those_who_wait(erp, caller):
    erp.behave("slow", count=6, wait_ms=400)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        pending = [pool.submit(caller.send) for _ in range(6)]
        wait_until(lambda: erp.stats()["in_flight"] == 6)
        assert all(sent.result().status == 200 for sent in pending)
    assert time.monotonic() - start < 2, "they wait side by side"
    assert erp.stats()["in_flight_max"] == 6 and erp.stats()["in_flight"] == 0


def test_a_trickle(erp, caller):
    erp.behave("trickle", count=1, wait_ms=5)
    start = time.monotonic()
    answer = caller.send()
    assert answer.json["accepted"] and answer.headers["Transfer-Encoding"] == "chunked"
    assert time.monotonic() - start >= 0.005 * (len(answer.body) - 2)
    assert erp.claim()["answer"]["length"] == len(answer.body)


def test_who_leaves_a_trickle(erp, caller):
    erp.behave("trickle", count=1, wait_ms=100)
    with pytest.raises(TimeoutError):
        caller.send(timeout=0.05)
    assert erp.stats()["documents"] == 1
    wait_until(lambda: erp.stats()["in_flight"] == 0)


def test_any_behaviour_may_wait(erp, caller):
    erp.behave("server_error", count=1, wait_ms=200)
    start = time.monotonic()
    assert caller.send().status == 502
    assert time.monotonic() - start >= 0.19


# --- Answers


def test_server_errors(erp, caller):
    record = order_record()
    erp.behave("server_error", count=1)
    answer = caller.send(record)
    assert answer.status == 502 and answer.headers["Content-Type"] == "text/html"
    assert erp.stats()["documents"] == 0
    erp.behave("server_error", count=1, taken=True, http_status=503)
    assert caller.send(record).status == 503
    assert erp.stats()["documents"] == 1
    assert [erp.claim()["had_effect"] for _ in range(2)] == [False, True]


@pytest.mark.parametrize("status", [200, 204, 299, 300, 304, 400, 409, 422, 429, 500, 599])
def test_every_status(erp, caller, status):
    erp.behave("status", count=1, http_status=status, body='{"a":1}')
    answer = caller.send()
    assert answer.status == status
    assert answer.body == (b"" if status in (204, 304) else b'{"a":1}')
    assert erp.stats()["documents"] == 0
    erp.behave("status", count=1, http_status=status, taken=True)
    assert caller.send().status == status
    assert erp.stats()["documents"] == 1


@pytest.mark.parametrize("text", ["17", "0", "-5", "Sat, 21 Nov 2026 04:33:00 GMT", "soon"])
def test_rate_limits(erp, caller, text):
    erp.behave("rate_limit", count=1, retry_after=text)
    answer = caller.send()
    assert answer.status == 429 and answer.headers["Retry-After"] == text
    assert answer.json["error"]["code"] and erp.stats()["documents"] == 0
    erp.behave("rate_limit", count=1)
    assert caller.send().headers["Retry-After"] == "1"
    erp.behave("status", count=1, http_status=503, retry_after=text)
    assert caller.send().headers["Retry-After"] == text


def test_accepted_without_order_id(erp, caller):
    record = order_record()
    erp.behave("no_order_id", count=1)
    answer = caller.send(record)
    assert answer.status == 200 and answer.json == {"accepted": True, "number": "SO-000001"}
    assert caller.send(record).json["order_id"] == erp.documents()["documents"][0]["order_id"]


def test_rejected(erp, caller):
    erp.behave("rejected", count=1, body="Closed today")
    answer = caller.send()
    assert (answer.status, answer.json["accepted"]) == (200, False)
    assert answer.json["error"] == {"code": "rejected", "message": "Closed today"}
    assert erp.stats()["documents"] == 0


def test_what_the_acceptance_says_can_be_changed(erp, caller):
    erp.behave("ok", count=1, accepted=False, order_id="")
    assert caller.send().json == {"accepted": False, "order_id": "", "number": "SO-000001"}
    erp.behave("ok", count=1, order_id="Ж" * 10, http_status=201)
    answer = caller.send()
    assert answer.status == 201 and answer.json["order_id"] == "Ж" * 10
    assert erp.stats()["documents"] == 2


def test_nonsense(erp, caller):
    sizes = {}
    for shape in ("html", "truncated", "huge", "empty", "other_json"):
        erp.behave("nonsense", count=1, shape=shape)
        answer = caller.send()
        assert answer.status == 200
        sizes[shape] = len(answer.body)
        if shape == "other_json":
            assert isinstance(answer.json, list)
        elif shape != "huge":
            with pytest.raises(json.JSONDecodeError):
                _ = answer.json
    assert sizes["empty"] == 0 and sizes["huge"] > 8 * MIB
    assert erp.stats()["documents"] == 5, "nonsense is said of documents that are there"


def test_huge(erp, caller):
    erp.behave("huge", count=1)
    answer = caller.send()
    assert len(answer.body) > MIB and answer.json["accepted"] is True
    assert erp.claim()["answer"]["length"] == len(answer.body)


@pytest.mark.parametrize("status", [302, 307, 308])
def test_redirects(erp, caller, status):
    record = order_record()
    erp.behave("redirect", count=1, http_status=status)
    answer = caller.send(record)
    assert answer.status == status and erp.stats()["documents"] == 0
    elsewhere = answer.headers["Location"]
    assert elsewhere.startswith("/") and elsewhere != "/svc/v1/orders"
    assert erp.calls(method="redirected") == []
    followed = caller.post(json.dumps(record), record["id"], path=elsewhere)
    assert followed.json["accepted"] is True
    assert erp.stats()["documents"] == 0, "who follows loses the order"
    assert erp.claim(method="redirected")["order"] == record["id"]
    assert erp.stats()["redirected_calls"] == 1


def test_wrong_token_claims(erp, caller):
    erp.behave("wrong_token", count=1)
    assert caller.send().status == 401
    assert erp.stats()["unauthorized"] == 0, "the token was right"
    assert erp.stats()["documents"] == 0


def test_exact_answers(erp, caller):
    body = '{"accepted" : true,\n "order_id": "é"}'
    erp.behave("answer", count=1, http_status=418, body=body,
               headers={"X-One": "1", "Content-Type": "text/odd", "Set-Cookie": "a=b"})
    answer = caller.send()
    assert (answer.status, answer.body) == (418, body.encode())
    assert answer.headers["X-One"] == "1" and answer.headers["Set-Cookie"] == "a=b"
    assert answer.headers.get_all("Content-Type") == ["text/odd"]
    erp.behave("answer", count=1, body="x" * 1000000)
    assert caller.send().body == b"x" * 1000000


def test_answers_to_health(erp, caller):
    for what, status in (("server_error", 502), ("status", 500), ("rate_limit", 429),
                         ("redirect", 302), ("wrong_token", 401), ("answer", 200), ("huge", 200),
                         ("nonsense", 200), ("slow", 200), ("late", 200), ("trickle", 200)):
        erp.behave(what, method="health", count=1, wait_ms=1)
        assert caller.health().status == status
        assert erp.claim(method="health")["behaviour"] == what
    for what in ("cut_before", "cut_after", "cut_within"):
        erp.behave(what, method="health", count=1)
        with pytest.raises(LOST):
            caller.health()
    erp.behave("server_error", method="health")
    assert caller.send().status == 200, "it is for health alone"
    assert caller.health().status == 502
    assert caller.health().status == 502
    erp.reset()
    assert caller.health().status == 200


# --- Which behaviour a call meets


def test_counted_behaviours_come_first_and_in_order(erp, caller):
    erp.behave("status", http_status=500)
    erp.behave("status", http_status=501)
    erp.behave("status", http_status=502, count=2)
    erp.behave("status", http_status=503, count=1)
    assert erp.leftover()["orders_left"] == 3
    assert [caller.send().status for _ in range(5)] == [502, 502, 503, 501, 501]
    erp.reset()
    assert caller.send().status == 200


def test_behaviours_of_one_order(erp, caller):
    record = order_record()
    erp.behave("status", http_status=418, order=record["id"].upper(), count=1)
    assert caller.send().status == 200
    assert caller.send(record).status == 418
    assert caller.send(record).status == 200


@pytest.mark.parametrize(("fields", "word"), [
    ({}, "what"), ({"what": "sing"}, "what"), ({"what": "ok", "count": 0}, "count"),
    ({"what": "ok", "count": "1"}, "count"), ({"what": "ok", "order": "1"}, "order"),
    ({"what": "ok", "method": "redirected"}, "method"), ({"what": "ok", "method": "x"}, "method"),
    ({"what": "ok", "http_status": 199}, "http_status"),
    ({"what": "ok", "http_status": 600}, "http_status"),
    ({"what": "ok", "wait_ms": 3600001}, "wait_ms"), ({"what": "nonsense", "shape": "x"}, "shape"),
    ({"what": "rejected", "method": "health"}, "what"), ({"what": "ok", "more": 1}, "more"),
    ({"what": "ok", "method": "health", "order": "9b2d7c54-0c1e-4f0a-8b51-3d9a6f4e2c17"}, "order"),
    ({"what": "ok", "retry_after": "1\r\nX: y"}, "retry_after"),
    ({"what": "answer", "headers": {"X": "a\nb"}}, "headers"),
    ({"what": "answer", "headers": {"X": 1}}, "headers"),
    ({"what": "answer", "headers": {"Content-Length": "1"}}, "headers"),
], ids=str)
def test_what_cannot_be_told(erp, fields, word):
    status, record = erp.control("POST", "behave", fields)
    assert status == 422 and word in record["error"]


def test_no_more_than_256_behaviours(erp, caller):
    for _ in range(256):
        erp.behave("status", http_status=500)
    status, record = erp.control("POST", "behave", {"what": "ok"})
    assert status == 409 and "reset" in record["error"]
    assert caller.send().status == 500
    erp.reset()
    erp.behave("ok", count=1)
    assert caller.send().status == 200


# --- Left to chance


def behaviours_of(erp, count):
    caller = Caller(erp)
    for _ in range(count):
        try:
            caller.send()
        except LOST:
            pass
    return [call["behaviour"] for call in erp.calls(limit=count)]


def test_misbehaviour(erp):
    options = ("--misbehave", "0.3", "--seed", "7", "--timeout-ms", "1")
    with ErpService(*options) as first, ErpService(*options) as again:
        seen = behaviours_of(first, 600)
        assert seen[:100] == behaviours_of(again, 100), "the same seed, the same misbehaviours"
        assert first.stats()["twice"] == 0
    assert 120 <= sum(what != "ok" for what in seen) <= 240
    assert set(seen) == {"ok", "cut_before", "cut_after", "cut_within", "late", "server_error",
                         "rate_limit", "no_order_id", "nonsense", "huge", "redirect",
                         "wrong_token"}
    assert set(behaviours_of(erp, 100)) == {"ok"}


def test_misbehaviour_leaves_health_and_the_told_alone():
    with ErpService("--misbehave", "1") as erp:
        caller = Caller(erp)
        assert all(caller.health().status == 200 for _ in range(20))
        erp.behave("ok", count=20)
        assert all(caller.send().status == 200 for _ in range(20))
