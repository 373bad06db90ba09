"""What callers keep on codes, challenges, messages and orders (contract, section 11.6)."""

import itertools
import json

import pytest

from harness.orders import ORDER_SETTINGS, ORDERS
from harness.shapes import CHALLENGE, MESSAGE, ORDER_DELIVERY, OTP, check_shape
from harness.tools import eventually, fresh_key

SETTINGS = ORDER_SETTINGS | {
    "HERALD_ENVIRONMENT": "test", "HERALD_TEST_NUMBERS": "+79000000000-+79000999999"}
KEYS_MAX, KEY_MAX, BYTES_MAX = 16, 40, 512
SAMPLE = {"cart": "81f3", "Order.id:1-a_b": "\u0416 \U0001F355 \"\\\n", "empty": ""}


_hundreds = itertools.count()


def a_number():
    """A test number whose codes are delivered."""
    return f"+79000{next(_hundreds):04d}00"


class Kind:
    """A record that can have metadata: where it is created and read, and of what."""

    def __init__(self, path, make_body, created, shape, member):
        self.path, self.make_body, self.created = path, make_body, created
        self.shape, self.member = shape, member

    def body(self, shop, **fields):
        return self.make_body(shop) | fields

    def post(self, core, body, key=None):
        return core.post(self.path, body, headers={"Idempotency-Key": key or fresh_key()})

    def post_raw(self, core, text):
        headers = {"Content-Type": "application/json", "Idempotency-Key": fresh_key()}
        return core.request("POST", self.path, raw=text.encode(), headers=headers)

    def create(self, core, shop, **fields):
        return self.post(core, self.body(shop, **fields)).expect(self.created)

    def read(self, core, record):
        return core.get(f"{self.path}/{record['id']}").expect(200)

    def check(self, record, metadata):
        """The record has its shape, and this beside it."""
        assert record.get("metadata") == metadata
        assert ("metadata" in record) == (metadata is not None)
        check_shape({name: record[name] for name in record if name not in ("metadata", "test")},
                    self.shape)
        return record


KINDS = (
    Kind("/internal/v1/otp", lambda shop: {"channel": "sms", "recipient": a_number()}, 201, OTP,
         "codes"),
    Kind("/internal/v1/challenges", lambda shop: {"caller": a_number()}, 201, CHALLENGE,
         "challenges"),
    Kind("/internal/v1/messages",
         lambda shop: {"channel": "personal_messenger", "account_id": "shop-1", "text": "Text.",
                       "recipient": a_number()}, 202, MESSAGE, "messages"),
    Kind(ORDERS, lambda shop: {"integration_id": shop.integration_id, "order": shop.order()}, 202,
         ORDER_DELIVERY, "orders"),
)
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.member)


def of_size(size):
    """An object that has so many bytes as JSON."""
    made = {"a": ""}
    made["a"] = "x" * (size - len(json.dumps(made, separators=(",", ":"))))
    return made


# --- what comes back


@each_kind
@pytest.mark.parametrize("metadata", [
    SAMPLE,
    {"k" * KEY_MAX: "1"},
    {f"k{number}": str(number) for number in range(KEYS_MAX)},
    of_size(BYTES_MAX),
    {"a": "\U0001F355" * ((BYTES_MAX - len('{"a":""}')) // 4)},
], ids=["sample", "long key", "16 keys", "512 bytes", "emoji"])
def test_it_comes_back_in_every_read(core, shop, kind, metadata):
    made = kind.check(kind.create(core, shop, metadata=metadata), metadata)
    kind.check(kind.read(core, made), metadata)
    listed = core.get(f"{kind.path}?limit=1").expect(200)[kind.member]
    kind.check(listed[0], metadata)
    assert listed[0]["id"] == made["id"]


@each_kind
def test_without_it_there_is_no_such_member(core, shop, kind):
    kind.check(kind.create(core, shop), None)
    made = kind.check(kind.create(core, shop, metadata={}), None)
    kind.check(kind.read(core, made), None)


def test_it_stays_when_the_record_changes(core):
    codes = KINDS[0]
    otp = codes.create(core, None, metadata=SAMPLE)
    assert core.verify(otp["id"], "111111").code == "code_mismatch"
    confirmed = codes.check(core.verify(otp["id"], "000000").expect(200), SAMPLE)
    assert confirmed["state"] == "confirmed"


# --- limits


WRONG = {
    "17 keys": ({f"k{number}": "" for number in range(KEYS_MAX + 1)}, ["metadata"]),
    "513 bytes": (of_size(BYTES_MAX + 1), ["metadata"]),
    "127 emoji": ({"a": "\U0001F355" * 127}, ["metadata"]),
    "41 characters": ({"k" * (KEY_MAX + 1): "1"}, ["metadata." + "k" * (KEY_MAX + 1)]),
    "no key": ({"": "1"}, ["metadata."]),
    "a space": ({"a b": "1"}, ["metadata.a b"]),
    "brackets": ({"a[0]": "1"}, ["metadata.a[0]"]),
    "letters": ({"\u0416": "1"}, ["metadata.\u0416"]),
    "a number": ({"a": 1, "b": "2"}, ["metadata.a"]),
    "null within": ({"a": None}, ["metadata.a"]),
    "an object": ({"a": {"b": "c"}, "d": "e"}, ["metadata.a"]),
    "a list": ({"a": ["b", {"c": []}]}, ["metadata.a"]),
    "two": ({"a": True, "b": "2", "c": 1.5}, ["metadata.a", "metadata.c"]),
    "a string": ("a", ["metadata"]),
    "a list itself": ([], ["metadata"]),
}


@each_kind
@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_metadata_is_422(core, shop, kind, name):
    metadata, paths = WRONG[name]
    reply = kind.post(core, kind.body(shop, metadata=metadata))
    reply.expect(422, "validation_error")
    assert reply.fault_paths == paths, f"{reply}"


def test_sentences_say_what_to_send(core):
    codes = KINDS[0]

    def told(metadata):
        (fault,) = codes.post(core, codes.body(None, metadata=metadata)).error["fields"]
        return fault["message"]

    assert told(WRONG["17 keys"][0]) == "Must have at most 16 keys; this has 17."
    assert told(WRONG["513 bytes"][0]) == "Must have at most 512 bytes as JSON; this has 513."
    assert told({"a": 1}) == "Must be a string."
    assert told([]) == "Must be an object of strings."
    assert told({"a b": "1"}).startswith("A key must have 1 to 40")


@each_kind
def test_duplicate_key_is_422(core, shop, kind):
    body = json.dumps(kind.body(shop, metadata={"a": "1"}))
    twice = body.replace('"metadata": {"a": "1"}', '"metadata": {"a": "1", "\\u0061": "1"}')
    assert twice != body
    reply = kind.post_raw(core, twice)
    reply.expect(422, "validation_error")
    assert reply.fault_paths == ["metadata.a"]


def test_blanks_and_escapes_do_not_count(core):
    """512 bytes are those of the shortest form."""
    codes = KINDS[0]
    long, short = '"metadata" : {\n "b" : "%s" ,\t"a":"1"}', "\\ud83c\\udf55" * 120
    body = json.dumps(codes.body(None))[:-1] + "," + long % short + "}"
    reply = codes.post_raw(core, body)
    codes.check(reply.expect(201), {"a": "1", "b": "\U0001F355" * 120})


# --- repeats


@each_kind
def test_it_belongs_to_the_body_of_its_key(core, shop, kind):
    key, body = fresh_key(), kind.body(shop, metadata={"a": "1", "b": "2"})
    first = kind.post(core, body, key).expect(kind.created)
    again = kind.post(core, body | {"metadata": {"b": "2", "a": "1"}}, key)
    assert again.expect(kind.created)["id"] == first["id"]
    assert again.replayed and again.json["metadata"] == {"a": "1", "b": "2"}
    for other in ({"a": "1"}, {"a": "1", "b": "3"}, {}):
        kind.post(core, body | {"metadata": other}, key).expect(409, "idempotency_conflict")
    kind.check(kind.read(core, first), {"a": "1", "b": "2"})


def test_order_with_other_metadata_is_another_content(core, shop):
    """Its id is taken, as by another order; only the same metadata is the same order again."""
    orders = KINDS[3]
    body = orders.body(shop, metadata={"a": "1", "b": "2"})
    first = orders.post(core, body).expect(202)
    same = orders.post(core, body | {"metadata": {"b": "2", "a": "1"}}).expect(202)
    assert (same["id"], same["metadata"]) == (first["id"], {"a": "1", "b": "2"})
    without = {name: body[name] for name in body if name != "metadata"}
    for other in (body | {"metadata": {"a": "1"}}, without):
        orders.post(core, other).expect(409, "idempotency_conflict")


# --- who does not see it


def test_no_erp_gets_it(core, shop):
    orders = KINDS[3]
    made = orders.create(core, shop, metadata={"secret-of-ours": "hidden-value"})
    assert eventually(lambda: orders.read(core, made)["state"] == "accepted")
    sent = [head + body for head, body in list(shop.erp.requests)]
    assert any(made["id"].encode() in request for request in sent)
    assert not any(b"hidden-value" in request or b"secret-of-ours" in request for request in sent)


@each_kind
def test_it_is_in_no_log(site, core, shop, kind):
    with site.log_reader() as reader:
        made = kind.create(core, shop, metadata={"name-of-it": "+79161112233 hidden-value"})
        kind.post(core, kind.body(shop, metadata={"name-of-it": 7})).expect(422)
        assert reader.wait_for_text(made["id"])
        reader.wait_until_quiet()
        assert "hidden-value" not in reader.text and "name-of-it" not in reader.text
