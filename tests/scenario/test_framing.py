"""HTTP itself, byte by byte: each case of the tables has the answer of RFC 9110 and RFC 9112."""

import re
import socket

import pytest

from harness.http import RawConnection, check_conventions
from harness.http_body_cases import BODY_TABLES
from harness.http_cases import CHUNKED, DEVICE_KEY, GET, INTERNAL_KEY, POST
from harness.http_head_cases import HEAD_TABLES
from harness.http_meaning_cases import MEANING_TABLES

pytestmark = pytest.mark.only("sqlite")  # HTTP is the same on both engines

SCHEMES = ("http", "https")
TABLES = HEAD_TABLES | BODY_TABLES | MEANING_TABLES
CASES = {f"{part}: {name}": case for part, table in TABLES.items() for name, case in table.items()}
ONE_BY_ONE_MAX = 600  # bytes of a case that is sent byte by byte
SECTION = re.compile(r"(9110|9112|9113|6585) (\d+|[A-Z])(\.\d+)*")
PROBE = GET + b"X-Request-Id: probe\r\n\r\n"


@pytest.fixture(scope="module")
def keys(site):
    """What stands for a key in a case, and the key."""
    core = site.core()
    return {
        DEVICE_KEY: site.phone(core).device_key.encode(),
        INTERNAL_KEY: site.internal_key.encode(),
    }


def fill_in(sent, keys):
    for place, key in keys.items():
        sent = sent.replace(place, key)
    return sent


def send_one_by_one(connection, sent):
    connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for index in range(len(sent)):
        if not connection.send(sent[index:index + 1]):
            return


def read_answer(connection, is_head):
    """The next answer, held against what is true of each."""
    reply = connection.read_reply(is_head=is_head)
    if reply is None or reply.status == 100:
        return reply
    check_conventions(reply, is_head)
    assert reply.header("X-Request-Id") != "hidden", f"the hidden request was answered: {reply}"
    assert reply.header("Date"), f"RFC 9110, 6.6.1: {reply}"
    assert reply.status != 401 or reply.header("WWW-Authenticate"), f"RFC 9110, 15.5.2: {reply}"
    has_coding = reply.header("Transfer-Encoding") is not None
    assert not (has_coding and reply.header("Content-Length")), f"RFC 9112, 6.2: {reply}"
    return reply


def read_answers(connection, case):
    """All that the case has an answer for; the last one."""
    is_head = case.sent.startswith(b"HEAD")
    for index, statuses in enumerate(case.answers):
        reply = read_answer(connection, is_head)
        if reply is not None and reply.status == 100:
            assert 100 in statuses, "nobody waits for 100 Continue"
            reply = read_answer(connection, is_head)
        status = reply.status if reply else 0
        assert status in statuses, f"RFC {case.section}: answer {index + 1} is {reply or 'the end'}"
    return reply


def serves_another(connection):
    connection.send(PROBE)
    reply = read_answer(connection, is_head=False)
    return reply is not None and reply.status == 200 and reply.header("X-Request-Id") == "probe"


def hold_against(case, connection):
    """What comes back for a case that was sent."""
    if case.is_half_closed:
        connection.socket.shutdown(socket.SHUT_WR)
    reply = read_answers(connection, case)
    if case.is_kept:
        assert serves_another(connection), f"RFC {case.section}: the connection is of no more use"
        return
    if reply is not None and not case.is_half_closed:
        assert reply.header("Connection") == "close", f"RFC 9112, 9.6: {reply}"
    assert connection.is_closed(), f"RFC {case.section}: the connection stays open"


@pytest.mark.parametrize("name", CASES)
def test_case(site, keys, name):
    case = CASES[name]
    sent = fill_in(case.sent, keys)
    with RawConnection(site.address, timeout=10) as connection:
        connection.send(sent)
        hold_against(case, connection)


def test_cases_byte_by_byte(site, keys):
    """Where the bytes are cut changes no answer."""
    for name, case in CASES.items():
        sent = fill_in(case.sent, keys)
        if len(sent) > ONE_BY_ONE_MAX:
            continue
        with RawConnection(site.address, timeout=10) as connection:
            send_one_by_one(connection, sent)
            try:
                hold_against(case, connection)
            except AssertionError as fault:
                raise AssertionError(f"{name}: {fault}") from fault


def test_each_case_is_another_and_names_its_section():
    rows = list(CASES.values())
    assert len({(case.sent, case.is_half_closed) for case in rows}) == len(rows) >= 150
    assert not [name for name, case in CASES.items() if not SECTION.fullmatch(case.section)]


# --- Dialogues: what is sent depends on what came back


def test_pipelined_answers_come_in_order(site):
    with RawConnection(site.address) as connection:
        one = GET + b"X-Request-Id: %d\r\n\r\n"
        connection.send(b"".join(one % index for index in range(20)))
        replies = [connection.read_reply() for _ in range(20)]
    assert [reply.header("X-Request-Id") for reply in replies] == [str(n) for n in range(20)]


def test_expected_continue_comes_before_the_body(site, keys):
    with RawConnection(site.address) as connection:
        head = POST + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        connection.send(fill_in(head, keys))
        assert connection.read_reply().status == 100
        connection.send(b"{}")
        connection.read_reply().expect(200)
        assert serves_another(connection)


def test_expected_continue_with_a_wrong_key_is_refused_before_the_body(site):
    with RawConnection(site.address, source="127.0.9.2") as connection:
        head = POST.replace(b"/api/device/ping", b"/internal/v1/devices")
        connection.send(head + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        connection.read_reply().expect(401)
        assert connection.is_closed()


def test_callers_that_vanish_do_no_harm(site, core):
    for cut in range(1, len(CHUNKED), 7):
        with RawConnection(site.address) as connection:
            connection.send(CHUNKED[:cut])
    core.get("/health/live").expect(200)
