"""What `erp serve` tells of its calls, and its life: HTTP, down and up, start and stop."""

import concurrent.futures
import hashlib
import json
import socket
import subprocess
import threading
import time

import pytest

from erp_caller import LOST, Caller, order_record, raw_order, read_some
from erp_client import BINARY, TIMEOUT_S, ErpService, wait_until


# --- What is recorded


def test_a_record_has_the_whole_request(erp, caller):
    record = order_record()
    body = json.dumps(record, ensure_ascii=False).encode()
    before = time.time()
    caller.post(body, record["id"], path="/svc/v1/orders?a=b", X_Request_Id="r-1")
    call = erp.claim()
    assert set(call) == {"id", "method", "at_ms", "connection", "order", "behaviour", "had_effect",
                         "claimed", "request", "answer"}
    assert call["method"] == "order" and call["order"] == record["id"]
    assert call["claimed"] and call["behaviour"] == "ok"
    assert before - 1 <= call["at_ms"] / 1000 <= time.time() + 1
    request = call["request"]
    assert (request["method"], request["path"], request["query"]) == ("POST", "/svc/v1/orders",
                                                                      "a=b")
    assert request["body"].encode() == body
    assert request["digest"] == hashlib.sha256(body).hexdigest()
    assert request["headers"]["x-request-id"] == "r-1"
    assert request["headers"]["authorization"] == "Bearer erp-token"
    assert set(call["answer"]) == {"status", "length", "cut"}


def test_headers_that_come_twice_are_a_list(erp, caller):
    record = order_record()
    data = raw_order(record).replace(b"Host: erp\r\n", b"Host: erp\r\nX-A: 1\r\nx-a: 2\r\n")
    assert caller.raw(data).startswith(b"HTTP/1.1 200 ")
    headers = erp.claim()["request"]["headers"]
    assert headers["x-a"] == ["1", "2"] and headers["host"] == "erp"


def test_keys_and_tokens_that_come_twice(erp, caller):
    for name in (b"Idempotency-Key", b"Authorization", b"Content-Type"):
        record = order_record()
        data = raw_order(record)
        line = next(line for line in data.split(b"\r\n") if line.startswith(name))
        answer = caller.raw(data.replace(line, line + b"\r\n" + line))
        assert answer.split(b" ")[1] in (b"400", b"401", b"422"), answer
    assert erp.stats()["documents"] == 0


def test_claims_and_filters(erp, caller):
    records = [order_record() for _ in range(3)]
    for record in records:
        caller.send(record)
    caller.health()
    assert erp.claim(order=records[1]["id"])["order"] == records[1]["id"]
    assert erp.control("POST", "claim", {"order": records[1]["id"]})[0] == 404
    assert erp.claim()["order"] == records[0]["id"], "the oldest that is left"
    left = erp.leftover()
    assert [call["order"] for call in left["calls"]] == [records[2]["id"]], "health is no order"
    first = erp.calls()[0]
    assert [call["order"] for call in erp.calls(after=first["id"], method="order")] == [
        record["id"] for record in records[1:]]
    assert len(erp.calls(limit=2)) == 2 and len(erp.calls(claimed=False)) == 2
    assert len(erp.calls(had_effect=True)) == 3
    assert len(erp.documents(order=records[0]["id"])["documents"]) == 1
    for path in ("calls?order=1", "calls?method=x", "calls?claimed=1", "documents?order=1"):
        assert erp.control("GET", path)[0] == 422


def test_reset_keeps_documents_unless_told_otherwise(erp, caller):
    record = order_record()
    first = caller.send(record)
    erp.reset()
    assert erp.calls() == [] and erp.stats()["calls"] == 0
    assert caller.send(record).json == first.json
    erp.reset(documents=True)
    assert erp.documents() == {"count": 0, "documents": []}
    assert caller.send(record).json["order_id"] != first.json["order_id"]


def test_reset_gives_slow_answers_now(erp, caller):
    erp.behave("slow", count=1, wait_ms=60000)
    erp.behave("trickle", count=1, wait_ms=60000)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        pending = [pool.submit(caller.send) for _ in range(2)]
        wait_until(lambda: len([c for c in erp.calls() if c["behaviour"] == "slow" or
                                c["answer"]]) == 2)
        erp.reset()
        assert all(sent.result(5).json["accepted"] for sent in pending)
    assert erp.calls() == [], "what came before the reset is forgotten"


def test_the_oldest_of_more_than_200000_calls_is_dropped():
    count = 200001
    ask = b"GET /svc/v1/health HTTP/1.1\r\nHost: erp\r\nAuthorization: Bearer erp-token\r\n\r\n"
    with ErpService() as erp:
        host, port = erp.address.split(":")
        with socket.create_connection((host, int(port)), TIMEOUT_S) as connection:
            threading.Thread(target=connection.sendall, args=(ask * count,), daemon=True).start()
            wait_until(lambda: read_some(connection) and erp.stats()["health_calls"] == count, 60)
        seen = erp.asked("calls", limit=1)
        assert (seen["count"], seen["dropped"], seen["calls"][0]["id"]) == (count - 1, 1, 2)
        erp.claim(method="health")
        assert erp.asked("calls", claimed=False, limit=0)["count"] == count - 2


# --- HTTP


def test_broken_requests_are_counted(erp, caller):
    for data in (b"NONSENSE\r\n\r\n", b"POST /svc/v1/orders HTTP/1.1\r\n\r\n",
                 b"POST /svc/v1/orders HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
                 b"POST /svc/v1/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
                 b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"):
        assert b" 400 " in caller.raw(data).split(b"\r\n")[0]
    assert erp.stats()["malformed"] == 4 and erp.stats()["calls"] == 0


def test_two_requests_over_one_connection(erp, caller):
    records = [order_record(), order_record()]
    got = caller.raw(raw_order(records[0], close=False) + raw_order(records[1]))
    assert got.count(b"HTTP/1.1 200 ") == 2
    calls = [erp.claim() for _ in range(2)]
    assert [call["order"] for call in calls] == [record["id"] for record in records]
    assert calls[0]["connection"] == calls[1]["connection"]
    assert erp.stats()["malformed"] == 0


def test_a_request_that_breaks_off_is_no_call(erp, caller):
    host, port = erp.address.split(":")
    with socket.create_connection((host, int(port)), TIMEOUT_S) as connection:
        connection.sendall(raw_order(order_record())[:-10])
        wait_until(lambda: erp.stats()["in_flight"] == 1)
    wait_until(lambda: erp.stats()["in_flight"] == 0)
    assert erp.calls() == [] and erp.stats()["documents"] == 0
    assert caller.send().status == 200


# --- Down and up


def test_down_refuses_and_cuts(erp, caller):
    record = order_record()
    erp.behave("slow", count=1, wait_ms=60000)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pending = pool.submit(caller.send, record)
        wait_until(lambda: erp.stats()["in_flight"] == 1)
        erp.down()
        with pytest.raises(LOST):
            pending.result(5)
    with pytest.raises(ConnectionRefusedError):
        caller.send()
    assert erp.control("POST", "down", {})[0] == 409
    assert erp.control("GET", "health")[1] == {"ok": True, "down": True, "listen": erp.address}
    assert erp.stats()["documents"] == 0, "nothing was done of what was lost"
    erp.up()
    erp.up()
    assert caller.send(record).status == 200
    assert erp.control("GET", "health")[1]["down"] is False


def test_down_for_a_time(erp, caller):
    record = order_record()
    first = caller.send(record)
    erp.down(for_ms=300)
    with pytest.raises(ConnectionRefusedError):
        caller.send(record)
    wait_until(lambda: not erp.control("GET", "health")[1]["down"])
    assert caller.send(record).json == first.json, "documents survive"


def test_an_older_timer_does_not_end_a_newer_down(erp):
    erp.down(for_ms=200)
    erp.up()
    erp.down()
    time.sleep(0.4)
    assert erp.control("GET", "health")[1]["down"] is True
    erp.reset()
    assert erp.control("GET", "health")[1]["down"] is False


# --- Start and stop


def test_it_stops_with_0_while_answers_hang():
    erp = ErpService()
    caller = Caller(erp)
    erp.behave("late", count=10, wait_ms=600000)
    erp.behave("slow", count=5, wait_ms=600000)
    erp.behave("trickle", count=5, wait_ms=600000)
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        pending = [pool.submit(caller.send) for _ in range(20)]
        wait_until(lambda: erp.stats()["in_flight"] == 20)
        start = time.monotonic()
        assert erp.stop() == 0
        assert time.monotonic() - start < 5
        for sent in pending:
            try:
                sent.result(5)
            except LOST:
                pass


def test_it_stops_with_0_while_it_is_down_for_a_time():
    erp = ErpService()
    erp.down(for_ms=600000)
    assert erp.stop() == 0


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT_S, check=False, text=True)


@pytest.mark.parametrize("arguments", [
    ("--misbehave", "1.1"), ("--misbehave", "x"), ("--timeout-ms", "-1"), ("--products", "3"),
    ("--listen",), ("more",),
], ids=str)
def test_wrong_command_lines(arguments):
    done = run("serve", *arguments)
    assert done.returncode == 2 and done.stderr.startswith(("erp:", str(BINARY)))


def test_what_cannot_be_served(erp, tmp_path):
    for arguments in (("--listen", erp.address), ("--listen", "nowhere"),
                      ("--listen", "127.0.0.1:0", "--control", erp.control_address),
                      ("--listen", "127.0.0.1:0", "--control", "127.0.0.1:0", "--documents",
                       tmp_path / "no" / "file")):
        done = run("serve", *arguments)
        assert done.returncode == 1 and done.stderr.startswith("erp: ") and not done.stdout


def test_help_names_all_there_is(erp):
    shown = run("--help").stdout
    for word in ("serve", "--misbehave", "--order-path", "/_control/behave", "/_control/claim",
                 "/_control/leftover", "cut_within", "no_order_id", "trickle", "retry_after"):
        assert word in shown
    assert erp.control("GET", "nothing")[0] == 404
    assert erp.control("GET", "behave")[0] == 405
