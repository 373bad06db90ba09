"""Requests as bytes, with the answer that RFC 9110 and RFC 9112 have for them: the vocabulary of
the tables http_head_cases.py, http_body_cases.py and http_meaning_cases.py.

A row is refused(), served() or last(): the section that says so ("9112 6.3"; another RFC by its
number), the bytes, and a status for each answer, or a set of those that the RFC leaves open.
"""

from typing import NamedTuple

# What a runner puts in: keys that herald knows.
DEVICE_KEY = b"@DEVICE-KEY@"
INTERNAL_KEY = b"@INTERNAL-KEY@"

HOST = b"Host: herald\r\n"
GET = b"GET /health/live HTTP/1.1\r\n" + HOST
JSON = b"Content-Type: application/json\r\n"
KEY = b"X-Device-Key: " + DEVICE_KEY + b"\r\n"
POST = b"POST /api/device/ping HTTP/1.1\r\n" + HOST + KEY + JSON
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
END = b"\r\n"
# Goes behind what is refused or the last: whoever answers it has been deceived.
HIDDEN = b"GET /health/live HTTP/1.1\r\n" + HOST + b"X-Request-Id: hidden\r\n\r\n"


class Case(NamedTuple):
    section: str
    sent: bytes
    answers: tuple  # sets of statuses, one for each answer
    is_kept: bool  # the connection then serves another request; else it is closed
    is_half_closed: bool = False  # the caller says that it will send no more


def _sets(answers):
    return tuple(each if isinstance(each, set) else {each} for each in answers)


def refused(section, sent, answer):
    """Answered once, then closed; the bytes behind it are never taken for a request."""
    return Case(section, sent + HIDDEN, _sets([answer]), is_kept=False)


def served(section, sent, *answers):
    """Answered, and the next request of the connection too."""
    return Case(section, sent, _sets(answers), is_kept=True)


def last(section, sent, *answers):
    """Answered, then closed, as the message wants it; what comes behind it is not answered."""
    return Case(section, sent + HIDDEN, _sets(answers), is_kept=False)


def half_closed(section, sent, *answers):
    """The caller finishes sending. Whole messages have their answers still; of a part of one
    nothing is carried out, and 0 stands for an end without an answer."""
    return Case(section, sent, _sets(answers), is_kept=False, is_half_closed=True)


def host(value):
    """A request with this in Host."""
    return b"GET /health/live HTTP/1.1\r\nHost: " + value + b"\r\n\r\n"


def target(text):
    """A request for this target."""
    return b"GET " + text + b" HTTP/1.1\r\n" + HOST + END


def field(line):
    """A request with one more line in its head."""
    return GET + line + b"\r\n\r\n"


def coded(value, body=b"0\r\n\r\n"):
    """A request with this in Transfer-Encoding."""
    return POST + b"Transfer-Encoding: " + value + b"\r\n\r\n" + body


def sized(value, body=b"{}"):
    """A request with this in Content-Length."""
    return POST + b"Content-Length: " + value + b"\r\n\r\n" + body


def chunks(body):
    """A chunked request with these bytes for its body."""
    return CHUNKED + body
