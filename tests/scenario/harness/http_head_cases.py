"""Heads of requests: line ends, request lines, targets, versions, fields, Host, limits."""

from .http_cases import END, GET, HOST, field, host, refused, served, target, last

HEAD_MAX, TARGET_MAX, FIELDS_MAX = 16 * 1024, 8192, 100
ENCODED_DOT_PATH = b"/%2e%2e/%2e%2e/etc/passwd"


def padded_head(size):
    """A whole head of exactly that many bytes."""
    start = GET + b"X-Long: "
    return start + b"x" * (size - len(start) - 4) + b"\r\n\r\n"


def many_fields(count):
    """With Host, a head of that many fields."""
    return GET + b"".join(b"X-%d: 1\r\n" % index for index in range(count - 1)) + END


LINE_ENDS = {
    "an empty line before the request line": served("9112 2.2", END + GET + END, 200),
    "four empty lines before it": served("9112 2.2", END * 4 + GET + END, 200),
    "five empty lines before it": refused("9112 2.2", END * 5 + GET + END, 400),
    "a bare LF before it": refused("9112 2.2", b"\n" + GET + END, 400),
    "a bare CR before it": refused("9112 2.2", b"\r" + GET + END, 400),
    "bare LFs only": refused("9112 2.2", b"GET /health/live HTTP/1.1\nHost: herald\n\n", 400),
    "a bare LF behind the request line":
    refused("9112 2.2", b"GET /health/live HTTP/1.1\n" + HOST + END, 400),
    "a bare LF at the end of the head": refused("9112 2.2", GET + b"\n", 400),
    "a bare LF in a value": refused("9110 5.5", field(b"X-One: 1\nX-Two: 2"), 400),
    "a bare CR in a value": refused("9112 2.2", field(b"X-One: 1\rX-Two: 2"), 400),
    "a bare CR before CR LF": refused("9112 2.2", field(b"X-One: 1\r"), 400),
    "CR CR LF for an empty line": refused("9112 2.2", GET + b"\r\r\n", 400),
    "a blank before the first field":
    refused("9112 2.2", b"GET /health/live HTTP/1.1\r\n " + HOST + END, 400),
    "a tab before the first field":
    refused("9112 2.2", b"GET /health/live HTTP/1.1\r\n\tX-One: 1\r\n" + HOST + END, 400),
}

REQUEST_LINES = {
    "the least request": served("9112 3", GET + END, 200),
    "a space before the method": refused("9112 3", b" " + GET + END, 400),
    "two spaces behind the method":
    refused("9112 3", b"GET  /health/live HTTP/1.1\r\n" + HOST + END, 400),
    "two spaces before the version":
    refused("9112 3", b"GET /health/live  HTTP/1.1\r\n" + HOST + END, 400),
    "tabs for spaces": refused("9112 3", b"GET\t/health/live\tHTTP/1.1\r\n" + HOST + END, 400),
    "a space behind the version":
    refused("9112 3", b"GET /health/live HTTP/1.1 \r\n" + HOST + END, 400),
    "a space in the target": refused("9112 3.2", target(b"/health/live x"), 400),
    "no target": refused("9112 3", b"GET HTTP/1.1\r\n" + HOST + END, 400),
    "an empty target": refused("9112 3", b"GET  HTTP/1.1\r\n" + HOST + END, 400),
    "only a method": refused("9112 3", b"GET\r\n" + HOST + END, 400),
    "a method that is no token":
    refused("9110 9.1", b"G@T /health/live HTTP/1.1\r\n" + HOST + END, 400),
    "a method beyond ASCII":
    refused("9110 9.1", b"G\xc3\x8bT /health/live HTTP/1.1\r\n" + HOST + END, 400),
    "a method with a NUL":
    refused("9110 9.1", b"GET\x00 /health/live HTTP/1.1\r\n" + HOST + END, 400),
    "a method in small letters":
    served("9110 9.1", b"get /health/live HTTP/1.1\r\n" + HOST + END, {405, 501}),
    "a method that nobody knows":
    served("9110 9.1", b"BREW /health/live HTTP/1.1\r\n" + HOST + END, {405, 501}),
    "a method of 32 letters":
    served("9110 9.1", b"A" * 32 + b" /health/live HTTP/1.1\r\n" + HOST + END, {405, 501}),
    "a method of 33 letters":
    refused("9112 3", b"A" * 33 + b" /health/live HTTP/1.1\r\n" + HOST + END, 501),
    "a method of 9,000 letters": refused("9112 3", b"A" * 9000, {400, 414, 501}),
    "JSON for a request line": refused("9112 2.2", b'{"a":1}\r\n\r\n', 400),
    "a greeting of TLS":
    refused("9112 2.2", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64), 400),
}

VERSIONS = {
    "HTTP/0.9": refused("9112 3", b"GET /health/live\r\n", 400),
    "HTTP/0.9 by its name":
    refused("9110 15.6.6", b"GET /health/live HTTP/0.9\r\n" + HOST + END, {400, 505}),
    "HTTP/1.0": last("9112 9.3", b"GET /health/live HTTP/1.0\r\n\r\n", 200),
    "HTTP/1.0 that stays": served(
        "9112 9.3", b"GET /health/live HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200),
    "HTTP/1.2": served("9110 2.5", b"GET /health/live HTTP/1.2\r\n" + HOST + END, 200),
    "HTTP/1.9": served("9110 2.5", b"GET /health/live HTTP/1.9\r\n" + HOST + END, 200),
    "HTTP/1.2 without Host": refused("9112 3.2", b"GET /health/live HTTP/1.2\r\n\r\n", 400),
    "HTTP/2.0": refused("9110 15.6.6", b"GET /health/live HTTP/2.0\r\n" + HOST + END, 505),
    "HTTP/3.0": refused("9110 15.6.6", b"GET /health/live HTTP/3.0\r\n" + HOST + END, 505),
    "the preface of HTTP/2":
    refused("9113 3.4", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400, 505}),
    "a minor version of two digits":
    refused("9112 2.3", b"GET /health/live HTTP/1.10\r\n" + HOST + END, 400),
    "a major version of two digits":
    refused("9112 2.3", b"GET /health/live HTTP/01.1\r\n" + HOST + END, 400),
    "half a version": refused("9112 2.3", b"GET /health/live HTTP/1\r\n" + HOST + END, 400),
    "a version in small letters":
    refused("9112 2.3", b"GET /health/live http/1.1\r\n" + HOST + END, 400),
    "another protocol": refused("9112 2.3", b"GET /health/live RTSP/1.0\r\n" + HOST + END, 400),
    "text behind the version":
    refused("9112 2.3", b"GET /health/live HTTP/1.1x\r\n" + HOST + END, 400),
}

TARGETS = {
    "a query": served("9112 3.2.1", target(b"/health/live?a=b&c=?"), 200),
    "an empty query": served("9112 3.2.1", target(b"/health/live?"), 200),
    "a query that is no percent-encoding":
    served("9110 4.1", target(b"/health/live?a=%zz"), {200, 400}),
    "an encoded letter in the path": served("9110 4.2.3", target(b"/health/%6cive"), {200, 404}),
    "an encoded slash in the path": served("9110 4.2.3", target(b"/health%2Flive"), 404),
    "an encoded NUL in the path": served("9110 4.1", target(b"/health/live%00"), {400, 404}),
    "a percent that encodes nothing": served("9110 4.1", target(b"/health/live%"), {400, 404}),
    "a path that is no percent-encoding":
    served("9110 4.1", target(b"/health/live%zz"), {400, 404}),
    "a dot in overlong UTF-8":
    served("9110 4.1", target(b"/%c0%ae%c0%ae/etc/passwd"), {400, 404}),
    "dot segments that lead back":
    served("9110 4.2.3", target(b"/health/../health/live"), {200, 404}),
    "dot segments that lead out": served("9110 4.2.3", target(b"/../../etc/passwd"), {400, 404}),
    "encoded dot segments": served("9110 4.2.3", target(ENCODED_DOT_PATH), {400, 404}),
    "an empty segment": served("9110 4.2.3", target(b"//health/live"), 404),
    "a slash at the end": served("9110 4.2.3", target(b"/health/live/"), 404),
    "a path in capitals": served("9110 4.2.3", target(b"/HEALTH/LIVE"), 404),
    "a backslash": served("9112 3.2", target(b"/health\\live"), {400, 404}),
    "a NUL": refused("9112 3.2", target(b"/health/live\x00"), 400),
    "a control byte": refused("9112 3.2", target(b"/health\x01live"), 400),
    "DEL": refused("9112 3.2", target(b"/health/live\x7f"), 400),
    "UTF-8 as it is": refused("9112 3.2", target(b"/\xd0\xb4\xd0\xb0"), 400),
    "a byte of Latin-1": refused("9112 3.2", target(b"/health/live?a=\xe9"), 400),
    "a fragment": refused("9112 3.2.1", target(b"/health/live#a"), 400),
    "no slash before the path": refused("9112 3.2.1", target(b"health/live"), 400),
    "only a query": refused("9112 3.2.1", target(b"?a=b"), 400),
    "absolute-form": served("9112 3.2.2", target(b"http://herald/health/live"), 200),
    "absolute-form, its scheme in capitals":
    served("9110 4.2.3", target(b"HTTP://herald:8080/health/live?a=b"), 200),
    "absolute-form, another host than Host":
    served("9112 3.2.2", target(b"http://other.example/health/live"), 200),
    "absolute-form, IPv6": served("9112 3.2.2", target(b"http://[::1]:80/health/live"), 200),
    "absolute-form without a path": served("9110 4.2.3", target(b"http://herald"), 200),
    "absolute-form, and no Host":
    refused("9112 3.2", b"GET http://herald/health/live HTTP/1.1\r\n\r\n", 400),
    "absolute-form, no host in it": refused("9110 4.2.1", target(b"http:///health/live"), 400),
    "absolute-form, user information":
    refused("9110 4.2.4", target(b"http://user:pass@herald/health/live"), 400),
    "absolute-form, a port that is no number":
    refused("9110 4.2.1", target(b"http://herald:http/health/live"), 400),
    "absolute-form, https on a plain port":
    refused("9110 7.4", target(b"https://herald/health/live"), {400, 421}),
    "absolute-form, another scheme":
    refused("9110 7.4", target(b"ftp://herald/health/live"), {400, 421}),
    "authority-form for GET": refused("9112 3.2.3", target(b"herald:443"), 400),
    "CONNECT":
    refused("9110 9.3.6", b"CONNECT herald:443 HTTP/1.1\r\n" + HOST + END, {400, 405, 501}),
    "asterisk-form":
    served("9112 3.2.4", b"OPTIONS * HTTP/1.1\r\n" + HOST + END, {200, 204, 404}),
    "asterisk-form for GET": refused("9112 3.2.4", target(b"*"), 400),
    "two asterisks": refused("9112 3.2.4", b"OPTIONS ** HTTP/1.1\r\n" + HOST + END, 400),
    "a request line of 8,000 bytes": served("9112 3", target(b"/" + b"x" * 7984), 404),
    "a target of 8,192 bytes": served("9112 3", target(b"/" + b"x" * (TARGET_MAX - 1)), 404),
    "a target of 8,193 bytes": refused("9112 3", target(b"/" + b"x" * TARGET_MAX), 414),
    "a target without an end": refused("9112 3", b"GET /" + b"x" * 17_000, 414),
}

FIELDS = {
    "no blank behind the colon": served("9112 5", field(b"X-One:1"), 200),
    "blanks around a value": served("9112 5.1", field(b"X-One: \t 1 \t "), 200),
    "an empty value": served("9110 5.5", field(b"X-One:"), 200),
    "bytes from 0x80 on in a value": served("9110 5.5", field(b"X-One: \xd0\xb4\xff\x80"), 200),
    "all that a name may have": served("9110 5.1", field(b"!#$%&'*+-.^_`|~09aZ: 1"), 200),
    "one name many times": served("9110 5.3", GET + b"X-One: 1\r\n" * 50 + END, 200),
    "a space before the colon": refused("9112 5.1", field(b"X-One : 1"), 400),
    "a tab before the colon": refused("9112 5.1", field(b"X-One\t: 1"), 400),
    "a folded value": refused("9112 5.2", field(b"X-One: 1\r\n 2"), 400),
    "a value folded by a tab": refused("9112 5.2", field(b"X-One: 1\r\n\t2"), 400),
    "a fold of an empty value": refused("9112 5.2", field(b"X-One:\r\n 2"), 400),
    "a line of a blank": refused("9112 5.2", field(b"X-One: 1\r\n "), 400),
    "a name that is no token": refused("9110 5.1", field(b"X(One): 1"), 400),
    "a name beyond ASCII": refused("9110 5.1", field(b"\xd0\xb4: 1"), 400),
    "a name of two words": refused("9110 5.1", field(b"X One: 1"), 400),
    "an empty name": refused("9110 5.1", field(b": 1"), 400),
    "a line without a colon": refused("9112 5", field(b"nonsense"), 400),
    "a NUL in a name": refused("9110 5.1", field(b"X-One\x00: 1"), 400),
    "a NUL in a value": refused("9110 5.5", field(b"X-One: 1\x002"), 400),
    "a control byte in a value": refused("9110 5.5", field(b"X-One: 1\x012"), {200, 400}),
    "an escape in a value": refused("9110 5.5", field(b"X-One: \x1b[2J"), {200, 400}),
    "100 fields": served("6585 5", many_fields(FIELDS_MAX), 200),
    "101 fields": refused("6585 5", many_fields(FIELDS_MAX + 1), 431),
    "a head of 16 KiB": served("6585 5", padded_head(HEAD_MAX), 200),
    "a head of 16 KiB and a byte": refused("6585 5", padded_head(HEAD_MAX + 1), 431),
    "a field without an end": refused("6585 5", GET + b"X-Long: " + b"x" * 17_000, 431),
}

HOSTS = {
    "no Host": refused("9112 3.2", b"GET /health/live HTTP/1.1\r\n\r\n", 400),
    "two Hosts": refused("9112 3.2", field(b"Host: other"), 400),
    "one Host twice": refused("9112 3.2", field(b"HOST: herald"), 400),
    "an empty Host": refused("9110 4.2.1", host(b""), 400),
    "a list of hosts": refused("9112 3.2", host(b"herald, other"), 400),
    "a Host with a space": refused("9112 3.2", host(b"her ald"), 400),
    "a Host with a path": refused("9112 3.2", host(b"herald/health"), 400),
    "a Host with a user": refused("9112 3.2", host(b"user@herald"), 400),
    "a Host with a fragment": refused("9112 3.2", host(b"herald#a"), 400),
    "a Host with a word for its port": refused("9112 3.2", host(b"herald:http"), 400),
    "a Host with two ports": refused("9112 3.2", host(b"herald:80:80"), 400),
    "a port without a host": refused("9110 4.2.1", host(b":80"), 400),
    "an open bracket": refused("9112 3.2", host(b"[::1"), 400),
    "a Host beyond ASCII": refused("9112 3.2", host(b"\xd0\xb4"), 400),
    "a folded Host":
    refused("9112 5.2", b"GET /health/live HTTP/1.1\r\nHost:\r\n herald\r\n\r\n", 400),
    "a Host with a port": served("9112 3.2", host(b"herald:8080"), 200),
    "a Host with an empty port": served("9110 4.2.3", host(b"herald:"), 200),
    "a Host of IPv6": served("9112 3.2", host(b"[2001:db8::1]:8080"), 200),
}

HEAD_TABLES = {
    "line ends": LINE_ENDS,
    "request line": REQUEST_LINES,
    "version": VERSIONS,
    "target": TARGETS,
    "fields": FIELDS,
    "Host": HOSTS,
}
