"""The simulated ERP as a server (`erp serve`): it keeps to doc B to the letter, and makes one
document of each order."""

import concurrent.futures
import copy
import hashlib
import json
import threading
import uuid

import pytest

from erp_caller import MIB, Caller, order_record
from erp_client import TIMEOUT_S, ErpService

# A name of a test is the same in each process that runs tests.
ANOTHER_ID = "9b2d7c54-0c1e-4f0a-8b51-3d9a6f4e2c17"


# --- One document an order


def test_an_order_becomes_a_document(erp, caller):
    record = order_record()
    body = json.dumps(record).encode()
    answer = caller.send(record)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert set(answer.json) == {"accepted", "order_id", "number"}
    assert answer.json["accepted"] is True and answer.json["number"] == "SO-000001"
    assert uuid.UUID(answer.json["order_id"])
    assert erp.documents() == {"count": 1, "documents": [{
        "order": record["id"], "order_id": answer.json["order_id"], "number": "SO-000001",
        "digest": hashlib.sha256(body).hexdigest(), "calls": 1,
    }]}


def test_a_repeat_gets_the_same_document(erp, caller):
    record = order_record()
    first, again = caller.send(record), caller.send(record)
    assert (first.status, first.json) == (again.status, again.json)
    assert erp.documents()["documents"][0]["calls"] == 2
    assert erp.stats()["documents"] == 1 and erp.stats()["changed_bodies"] == 0
    assert [erp.claim()["had_effect"] for _ in range(2)] == [True, False]


def test_other_bytes_under_one_uuid_are_counted(erp, caller):
    record = order_record()
    first = caller.send(record)
    assert caller.send(record | {"comment": "changed"}).json == first.json
    assert caller.post(json.dumps(record, indent=1), record["id"]).json == first.json
    assert erp.stats()["changed_bodies"] == 2 and erp.stats()["documents"] == 1


def test_another_uuid_for_an_order_number_is_counted():
    with ErpService() as erp:
        caller, record = Caller(erp), order_record()
        for changes in ({}, {}, {"point_id": str(uuid.uuid4())}, {"number": "A-1"}):
            caller.send(record | changes | ({"id": str(uuid.uuid4())} if changes else {}))
        assert erp.stats()["documents"] == 3 and erp.stats()["twice"] == 0
        caller.send(record | {"id": str(uuid.uuid4())})
        assert erp.stats()["documents"] == 4 and erp.stats()["twice"] == 1


def test_a_uuid_in_capitals_is_the_same_order(erp, caller):
    record = order_record()
    first = caller.send(record)
    assert caller.send(record | {"id": record["id"].upper()}).json == first.json
    assert erp.stats()["documents"] == 1


def test_fifty_repeats_at_once_make_one_document(erp, caller):
    record = order_record()
    start = threading.Barrier(50)

    def send(_):
        start.wait(TIMEOUT_S)
        return caller.send(record).json

    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(send, range(50)))
    assert all(answer == answers[0] for answer in answers)
    assert erp.documents()["documents"][0]["calls"] == 50
    calls = erp.calls(order=record["id"])
    assert [call["had_effect"] for call in calls].count(True) == 1
    assert len({call["connection"] for call in calls}) == 50


def test_documents_are_numbered_and_kept_apart(erp, caller):
    answers = [caller.send().json for _ in range(20)]
    assert [answer["number"] for answer in answers] == [f"SO-{n:06}" for n in range(1, 21)]
    assert len({answer["order_id"] for answer in answers}) == 20
    assert erp.stats()["documents"] == 20


def test_documents_file(tmp_path):
    path = tmp_path / "documents"
    with ErpService("--documents", path) as erp:
        records = [order_record() for _ in range(3)]
        for record in records * 2:
            Caller(erp).send(record)
        documents = erp.documents()["documents"]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["order"] for line in lines] == [record["id"] for record in records]
    assert lines == [{name: row[name] for name in ("order", "order_id", "number", "digest")}
                     for row in documents]


def test_no_document_that_cannot_be_written():
    with ErpService("--documents", "/dev/full") as erp:
        record = order_record()
        assert Caller(erp).send(record).status == 503
        assert erp.documents()["count"] == 0
        assert not erp.claim()["had_effect"]


# --- Who may call, and how


def test_health(erp, caller):
    answer = caller.health()
    assert (answer.status, answer.json) == (200, {"status": "ok"})
    assert erp.stats()["health_calls"] == 1 and erp.stats()["calls"] == 0
    assert erp.claim(method="health")["request"]["path"] == "/svc/v1/health"


@pytest.mark.parametrize("value", [None, "", "Bearer", "Bearer erp-toke", "Bearer erp-token2",
                                   "Basic erp-token", "erp-token", "Bearer  erp-token"])
def test_a_wrong_token_is_401(erp, caller, value):
    for answer in (caller.send(Authorization=value), caller.health(Authorization=value)):
        assert answer.status == 401 and answer.json["error"]["code"] == "unauthorized"
    assert erp.stats()["unauthorized"] == 2 and erp.stats()["documents"] == 0


def test_a_token_of_its_own():
    with ErpService("--token", "other", "--order-path", "/in/orders") as erp:
        caller, record = Caller(erp), order_record()
        assert caller.send(record).status == 404
        erp.token = "other"
        answer = caller.post(json.dumps(record), record["id"], path="/in/orders")
        assert answer.status == 200 and erp.stats()["documents"] == 1
        assert erp.stats()["unknown_calls"] == 1


def test_paths_and_verbs(erp, caller):
    assert caller.request("GET", "/svc/v1/orders").status == 405
    assert caller.request("PUT", "/svc/v1/orders").status == 405
    assert caller.request("POST", "/svc/v1/health").status == 405
    assert caller.request("GET", "/svc/v1/orders/").status == 404
    assert erp.claim(method="unknown")["answer"]["status"] == 404
    assert erp.stats()["documents"] == 0


@pytest.mark.parametrize("key", [None, "", "1", ANOTHER_ID])
def test_the_key_must_equal_the_id(erp, caller, key):
    answer = caller.post(json.dumps(order_record()), key)
    assert answer.status == 422 and answer.json["error"]["code"] == "validation_error"
    assert "Idempotency-Key" in answer.json["error"]["message"]
    assert erp.stats()["documents"] == 0


@pytest.mark.parametrize("value", [None, "text/plain", "application/x-www-form-urlencoded"])
def test_the_content_type_must_be_json(erp, caller, value):
    assert caller.send(Content_Type=value).status == 422
    assert erp.stats()["documents"] == 0
    assert caller.send(Content_Type="application/json; charset=utf-8").status == 200


# --- What an order must be


def places(record, path=()):
    """Where each field of an order stands."""
    for name, value in record.items():
        yield path + (name,)
        inner = value[0] if isinstance(value, list) else value
        if isinstance(inner, dict):
            yield from places(inner, path + ((name, 0) if isinstance(value, list) else (name,)))


PLACES = list(places(order_record()))
DECIMALS = [path for path in PLACES
            if path[-1] in ("subtotal", "delivery_fee", "total", "quantity", "unit_price",
                            "line_total")]
NULLABLE = {("payment_method",), ("delivery", "scheduled_for")}


def changed(path, change):
    """An order of which `change` got the object that holds the field, and its name."""
    record = copy.deepcopy(order_record())
    holder = record
    for step in path[:-1]:
        holder = holder[step]
    change(holder, path[-1])
    return record


def expect_refused(erp, caller, body, key):
    answer = caller.post(body, key)
    assert answer.status == 422, answer.body
    assert answer.json["error"]["code"] == "validation_error" and answer.json["error"]["message"]
    assert erp.stats()["documents"] == 0
    call = erp.claim()
    assert not call["had_effect"] and call["answer"]["status"] == 422


def dotted(path):
    return ".".join(map(str, path))


@pytest.mark.parametrize("path", PLACES, ids=dotted)
def test_each_field_must_be_there(erp, caller, path):
    record = changed(path, lambda holder, name: holder.pop(name))
    expect_refused(erp, caller, json.dumps(record), record.get("id", str(uuid.uuid4())))


@pytest.mark.parametrize("path", PLACES, ids=dotted)
def test_each_field_has_one_type(erp, caller, path):
    kept = changed(path, lambda holder, name: None)
    for step in path:
        kept = kept[step]
    for wrong in (7, 7.5, True, "a text", {"a": 1}, [1], ["a"], None):
        if wrong is None and path in NULLABLE:
            continue
        if isinstance(wrong, str) and isinstance(kept, str) and path not in DECIMALS:
            continue
        if wrong == "a text" and path == ("payment_method",):
            continue
        record = changed(path, lambda holder, name, wrong=wrong: holder.update({name: wrong}))
        expect_refused(erp, caller, json.dumps(record), str(uuid.uuid4()) if path == ("id",) else
                       record["id"])


@pytest.mark.parametrize("path", sorted({path[:-1] for path in PLACES}), ids=dotted)
def test_nothing_more_than_the_fields(erp, caller, path):
    record = changed(path + ("more",), lambda holder, name: holder.update({name: 1}))
    expect_refused(erp, caller, json.dumps(record), record["id"])


@pytest.mark.parametrize("path", DECIMALS, ids=dotted)
def test_decimals_are_strings_of_digits(erp, caller, path):
    for wrong in ("", " ", "1,5", "1.", ".5", "1e3", "+1", "0x1", "1 000", "--1", "1.5.5", "NaN",
                  " 1", "1 ", "1\n", "\u0661"):
        record = changed(path, lambda holder, name, wrong=wrong: holder.update({name: wrong}))
        expect_refused(erp, caller, json.dumps(record), record["id"])
    for sound in ("0", "-1", "0.00", "12345678901234567890.123456789"):
        record = changed(path, lambda holder, name, sound=sound: holder.update({name: sound}))
        assert caller.send(record).status == 200


@pytest.mark.parametrize(("path", "wrong", "sound"), [
    (("id",), ["", "1", "0192f0cc33337d3e8f003b2a1c0d9e8f"], []),
    (("point_id",), ["", "point"], [ANOTHER_ID]),
    (("created_at",), ["", "now", "2026-11-21", "2026-11-21T04:33:00", "2026-02-30T04:33:00Z"],
     ["2026-11-21T04:33:00Z", "2026-11-21T04:33:00.123+03:00"]),
    (("delivery", "scheduled_for"), ["", "2026-11-21T04:33:00"], [None, "2026-11-21T04:33:00Z"]),
    (("type",), ["", "Delivery", "dine_in"], ["delivery", "pickup"]),
    (("status",), [""], ["confirmed", "new"]),
    (("payment_method",), ["", "card"], [None, "cash", "card_offline", "card_online", "sbp"]),
    (("payment_status",), ["", "unknown"], ["pending", "paid", "refunded", "failed"]),
    (("currency",), ["", "rub", "RUBL", "₽"], ["RUB", "KZT"]),
    (("number",), [""], ["1", "№ 1"]),
    (("items", 0, "product_id"), ["", "p" * 129], ["p", "я" * 128]),
    (("items", 0, "variant_id"), ["", "v" * 129], ["v" * 128]),
    (("items", 0, "modifiers", 0, "id"), ["", "v" * 129], ["v" * 128]),
    (("items", 0, "modifiers"), [], [[]]),
    (("comment",), [], ["", "a\nb", "€" * 10000]),
], ids=lambda value: dotted(value) if isinstance(value, tuple) else "")
def test_values(erp, caller, path, wrong, sound):
    for value in wrong:
        record = changed(path, lambda holder, name, value=value: holder.update({name: value}))
        expect_refused(erp, caller, json.dumps(record), str(uuid.uuid4()) if path == ("id",) else
                       record["id"])
    for value in sound:
        record = changed(path, lambda holder, name, value=value: holder.update({name: value}))
        assert caller.send(record).status == 200


def test_a_body_that_is_no_order(erp, caller):
    key = str(uuid.uuid4())
    whole = json.dumps(order_record(id=key, number="A-1042"))
    twice = whole[:-1] + f', "id": "{key}"}}'
    for body in ("", " ", "null", "[]", "{}", whole[:-1], whole + "}", f"[{whole}]", twice,
                 whole.replace('"A-1042"', '"\\ud800"'), "\ufeff" + whole,
                 whole.encode().replace(b"Anna", b"\xff")):
        expect_refused(erp, caller, body.encode() if isinstance(body, str) else body, key)


def test_a_body_of_a_mebibyte_and_no_more(erp, caller):
    record = order_record()
    room = MIB - len(json.dumps(record))
    assert caller.send(record | {"comment": "c" * room}).status == 200
    other = order_record()
    assert caller.send(other | {"comment": "c" * (room + 1)}).status == 413
    assert erp.stats()["documents"] == 1
    assert len(erp.claim()["request"]["body"]) == MIB
    assert erp.claim()["answer"]["status"] == 413
