"""Bodies: lengths, transfer codings, chunks, trailers, and requests that hide in them."""

from .http_cases import (
    CHUNKED, END, GET, HIDDEN, HOST, JSON, KEY, POST, chunks, coded, field, half_closed, refused,
    served, sized,
)

EXTENSION_MAX, EXTENSIONS_MAX, TRAILER_MAX = 256, 16 * 1024, 4096
EMPTY = b"0\r\n\r\n"


def one_byte_chunks(count):
    """A body of that many bytes, one a chunk."""
    return b"1\r\n{\r\n" + b"1\r\n \r\n" * (count - 2) + b"1\r\n}\r\n" + EMPTY


def extended(length):
    """A chunk whose extension has that many bytes."""
    return b"2;" + b"x" * (length - 1) + b"\r\n{}\r\n" + EMPTY


def many_extensions(all_bytes):
    """Chunks of a byte whose extensions have that many bytes together."""
    parts, rest = b"1;\r\n{\r\n1;\r\n}\r\n", all_bytes - 2
    while rest:
        part = min(rest, EXTENSION_MAX)
        parts += b"1;" + b"x" * (part - 1) + b"\r\n \r\n"
        rest -= part
    return parts + EMPTY


def trailed(lines):
    """A chunked body with these lines for its trailer section."""
    return chunks(b"2\r\n{}\r\n0\r\n" + lines + END)


def long_trailer(size):
    """A trailer section of that many bytes; line feeds do not count, the empty line does."""
    return b"X: " + b"x" * (size - 5) + b"\r\n"


LENGTHS = {
    "a length": served("9112 6.2", sized(b"2"), 200),
    "leading zeros": served("9110 8.6", sized(b"0002"), 200),
    "a length of GET": served("9112 6", GET + b"Content-Length: 2\r\n\r\n{}", 200),
    "neither length nor coding": served("9112 6.3", POST + END, {411, 422}),
    "a length of zero": served("9110 8.6", sized(b"0", b""), 422),
    "two lengths that differ": refused("9112 6.3", sized(b"2\r\nContent-Length: 60"), 400),
    "two lengths, the first zero":
    refused("9112 6.3", sized(b"0\r\nContent-Length: %d" % len(HIDDEN), b""), 400),
    "one length twice": refused("9112 6.3", sized(b"2\r\nContent-Length: 2"), {200, 400}),
    "one length twice, names in other cases":
    refused("9112 6.3", sized(b"2\r\ncontent-length: 3"), 400),
    "a list of equal lengths": refused("9112 6.3", sized(b"2, 2"), {200, 400}),
    "a list of lengths": refused("9112 6.3", sized(b"2, 60"), 400),
    "a list with an empty element": refused("9112 6.3", sized(b",2"), 400),
    "two numbers": refused("9112 6.3", sized(b"2 2"), 400),
    "a plus": refused("9112 6.3", sized(b"+2"), 400),
    "a minus": refused("9112 6.3", sized(b"-2"), 400),
    "minus zero": refused("9112 6.3", sized(b"-0", b""), 400),
    "hexadecimal": refused("9112 6.3", sized(b"0x2"), 400),
    "an exponent": refused("9112 6.3", sized(b"2e0"), 400),
    "a fraction": refused("9112 6.3", sized(b"2.0"), 400),
    "an underscore": refused("9112 6.3", sized(b"0_2"), 400),
    "quotes": refused("9112 6.3", sized(b'"2"'), 400),
    "letters behind it": refused("9112 6.3", sized(b"2a"), 400),
    "no number": refused("9112 6.3", sized(b"", b""), 400),
    "digits beyond ASCII": refused("9112 6.3", sized("\uff12".encode()), 400),
    "2^63": refused("9110 8.6", sized(b"9223372036854775808"), {400, 413}),
    "2^64 + 2": refused("9110 8.6", sized(b"18446744073709551618"), {400, 413}),
    "a space before the colon of a length":
    refused("9112 5.1", POST + b"Content-Length : 2\r\n\r\n{}", 400),
    "a folded length": refused("9112 5.2", sized(b"\r\n 2"), 400),
    "a NUL behind a length": refused("9110 5.5", sized(b"2\x00"), 400),
    "a body that ends early": half_closed("9112 8", sized(b"20"), {0, 400}),
}

CODINGS = {
    "chunked": served("9112 7.1", chunks(b"2\r\n{}\r\n" + EMPTY), 200),
    "chunked in capitals": served("9112 7", coded(b"CHUNKED", b"2\r\n{}\r\n" + EMPTY), 200),
    "blanks around chunked":
    served("9112 5.1", coded(b"\t chunked \t", b"2\r\n{}\r\n" + EMPTY), 200),
    "chunked without a blank":
    served("9112 5", POST + b"Transfer-Encoding:chunked\r\n\r\n2\r\n{}\r\n" + EMPTY, 200),
    "chunked of GET":
    served("9112 6", GET + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n" + EMPTY, 200),
    "a length before chunked":
    refused("9112 6.3", sized(b"2\r\nTransfer-Encoding: chunked", EMPTY), {200, 400}),
    "a length behind chunked":
    refused("9112 6.3", coded(b"chunked\r\nContent-Length: 2"), {200, 400}),
    "a length and a coding unknown":
    refused("9112 6.3", sized(b"2\r\nTransfer-Encoding: xchunked"), 400),
    "a coding unknown": refused("9112 6.3", coded(b"gzip"), 400),
    "a coding that looks like chunked": refused("9112 6.3", coded(b"xchunked"), 400),
    "chunked with a letter more": refused("9112 6.3", coded(b"chunkedx"), 400),
    "identity": refused("9112 6.3", coded(b"identity"), 400),
    "gzip below chunked": refused("9112 6.1", coded(b"gzip, chunked"), 501),
    "gzip below chunked, in two lines":
    refused("9112 6.1", coded(b"gzip\r\nTransfer-Encoding: chunked"), {400, 501}),
    "gzip above chunked": refused("9112 6.3", coded(b"chunked, gzip"), 400),
    "identity above chunked": refused("9112 6.3", coded(b"chunked, identity"), 400),
    "chunked twice": refused("9112 6.1", coded(b"chunked, chunked"), 400),
    "chunked in two lines":
    refused("9112 6.1", coded(b"chunked\r\nTransfer-Encoding: chunked"), 400),
    "an empty coding": refused("9112 6.3", coded(b""), 400),
    "an empty element before chunked": refused("9112 6.1", coded(b",chunked"), {200, 400}),
    "an empty element behind chunked": refused("9112 6.1", coded(b"chunked,"), {200, 400}),
    "chunked with a parameter": refused("9112 7.1", coded(b"chunked;q=1"), 400),
    "chunked in quotes": refused("9112 6.3", coded(b'"chunked"'), 400),
    "chunked in apostrophes": refused("9112 6.3", coded(b"'chunked'"), 400),
    "two words": refused("9112 6.3", coded(b"chunked identity"), 400),
    "a vertical tab before chunked": refused("9110 5.5", coded(b"\x0bchunked"), 400),
    "a form feed before chunked": refused("9110 5.5", coded(b"\x0cchunked"), 400),
    "a byte beyond ASCII before chunked": refused("9112 6.3", coded(b"\xa0chunked"), 400),
    "a NUL behind chunked": refused("9110 5.5", coded(b"chunked\x00"), 400),
    "a space before the colon of a coding":
    refused("9112 5.1", POST + b"Transfer-Encoding : chunked\r\n\r\n" + EMPTY, 400),
    "a folded coding": refused("9112 5.2", coded(b"\r\n chunked"), 400),
    "a coding folded to another field":
    refused("9112 5.2", field(b"X-One: 1\r\n Transfer-Encoding: chunked"), 400),
    "a coding behind a bare CR":
    refused("9112 2.2", field(b"X-One: 1\rTransfer-Encoding: chunked"), 400),
    "a coding behind a bare LF":
    refused("9112 2.2", field(b"X-One: 1\nTransfer-Encoding: chunked"), 400),
    "a coding of HTTP/1.0": refused(
        "9112 6.1", b"POST /api/device/ping HTTP/1.0\r\n" + HOST + KEY + JSON
        + b"Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n" + EMPTY,
        {200, 400}),
    "an underscore in the name is another field":
    served("9110 5.1", POST + b"Transfer_Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}", 200),
    "TE is another field":
    served("9110 10.1.4", POST + b"TE: chunked\r\nContent-Length: 2\r\n\r\n{}", 200),
}

CHUNKS = {
    "two chunks": served("9112 7.1", chunks(b"1\r\n{\r\n1\r\n}\r\n" + EMPTY), 200),
    "a size in capitals": served("9112 7.1", chunks(b"A\r\n{        }\r\n" + EMPTY), 200),
    "zeros before sizes": served("9112 7.1", chunks(b"0002\r\n{}\r\n000\r\n\r\n"), 200),
    "a size of 16 digits": served("9112 7.1", chunks(b"0" * 15 + b"2\r\n{}\r\n" + EMPTY), 200),
    "a size of 17 digits":
    refused("9112 7.1", chunks(b"0" * 16 + b"2\r\n{}\r\n" + EMPTY), {200, 400}),
    "15,000 chunks": served("9112 7.1", chunks(one_byte_chunks(15_000)), 200),
    "no size": refused("9112 7.1", chunks(b"\r\n{}\r\n" + EMPTY), 400),
    "no digit": refused("9112 7.1", chunks(b"zz\r\n{}\r\n" + EMPTY), 400),
    "a plus before a size": refused("9112 7.1", chunks(b"+2\r\n{}\r\n" + EMPTY), 400),
    "a minus before a size": refused("9112 7.1", chunks(b"-2\r\n{}\r\n" + EMPTY), 400),
    "a size with a prefix": refused("9112 7.1", chunks(b"0x2\r\n{}\r\n" + EMPTY), 400),
    "an underscore in a size": refused("9112 7.1", chunks(b"0_2\r\n{}\r\n" + EMPTY), 400),
    "a space before a size": refused("9112 7.1", chunks(b" 2\r\n{}\r\n" + EMPTY), 400),
    "a space behind a size": refused("9112 7.1", chunks(b"2 \r\n{}\r\n" + EMPTY), 400),
    "a tab behind the last size": refused("9112 7.1", chunks(b"2\r\n{}\r\n0\t\r\n\r\n"), 400),
    "a comma behind a size": refused("9112 7.1", chunks(b"2,\r\n{}\r\n" + EMPTY), 400),
    "a NUL behind a size": refused("9112 7.1", chunks(b"2\x00\r\n{}\r\n" + EMPTY), 400),
    "a size of 2^63":
    refused("9112 7.1", chunks(b"8000000000000000\r\n{}\r\n" + EMPTY), {400, 413}),
    "a size of 2^64 + 2":
    refused("9112 7.1", chunks(b"10000000000000002\r\n{}\r\n" + EMPTY), {400, 413}),
    "a size of 2^64 - 1":
    refused("9112 7.1", chunks(b"ffffffffffffffff\r\n{}\r\n" + EMPTY), {400, 413}),
    "a bare LF behind a size": refused("9112 2.2", chunks(b"2\n{}\r\n" + EMPTY), 400),
    "a bare CR behind a size": refused("9112 2.2", chunks(b"2\r{}\r\n" + EMPTY), 400),
    "CR CR LF behind a size": refused("9112 2.2", chunks(b"2\r\r\n{}\r\n" + EMPTY), 400),
    "a bare LF behind a chunk": refused("9112 7.1", chunks(b"2\r\n{}\n" + EMPTY), 400),
    "no line end behind a chunk": refused("9112 7.1", chunks(b"2\r\n{}" + EMPTY), 400),
    "two other bytes behind a chunk": refused("9112 7.1", chunks(b"2\r\n{}XX" + EMPTY), 400),
    "a chunk longer than its size": refused("9112 7.1", chunks(b"1\r\n{}\r\n" + EMPTY), 400),
    "a chunk shorter than its size": refused("9112 7.1", chunks(b"3\r\n{}\r\n" + EMPTY), 400),
    "a bare LF behind the last chunk": refused("9112 7.1", chunks(b"2\r\n{}\r\n0\n\n"), 400),
    "an extension": served("9112 7.1.1", chunks(b"2;a\r\n{}\r\n0;b\r\n\r\n"), 200),
    "extensions with values":
    served("9112 7.1.1", chunks(b'2;a=b;c="d;\t e"\r\n{}\r\n' + EMPTY), 200),
    "blanks around an extension":
    served("9112 7.1.1", chunks(b"2 ; a = b\r\n{}\r\n" + EMPTY), {200, 400}),
    "a bare LF in an extension":
    refused("9112 7.1.1", chunks(b"2;a\n{}\r\n" + EMPTY), 400),
    "a bare CR in an extension":
    refused("9112 7.1.1", chunks(b"2;a\rb\r\n{}\r\n" + EMPTY), 400),
    "a NUL in an extension": refused("9112 7.1.1", chunks(b"2;a\x00\r\n{}\r\n" + EMPTY), 400),
    "an extension of 256 bytes": served("9112 7.1.1", chunks(extended(EXTENSION_MAX)), 200),
    "an extension of 257 bytes": refused("9112 7.1.1", chunks(extended(EXTENSION_MAX + 1)), 400),
    "extensions of 16 KiB": served("9112 7.1.1", chunks(many_extensions(EXTENSIONS_MAX)), 200),
    "extensions of 16 KiB and a byte":
    refused("9112 7.1.1", chunks(many_extensions(EXTENSIONS_MAX + 1)), 400),
    "chunks that end early": half_closed("9112 8", chunks(b"2\r\n{}\r\n"), {0, 400}),
    "a last chunk without its last line end":
    half_closed("9112 8", chunks(b"2\r\n{}\r\n0\r\n"), {0, 400}),
}

TRAILERS = {
    "a trailer field": served("9112 7.1.2", trailed(b"X-One: 1\r\n"), 200),
    "a length in the trailer":
    served("9110 6.5.1", trailed(b"Content-Length: %d\r\n" % len(HIDDEN)), 200),
    "a coding in the trailer": served("9110 6.5.1", trailed(b"Transfer-Encoding: gzip\r\n"), 200),
    "a Host in the trailer": served("9110 6.5.1", trailed(b"Host: other\r\n"), 200),
    "a wrong key in the trailer": served("9110 6.5.1", trailed(b"X-Device-Key: wrong\r\n"), 200),
    "a trailer line without a colon": refused("9112 7.1.2", trailed(b"nonsense\r\n"), 400),
    "a request for a trailer": refused("9112 7.1.2", trailed(b"GET / HTTP/1.1\r\n"), 400),
    "a folded trailer field": refused("9112 5.2", trailed(b"X-One: 1\r\n 2\r\n"), 400),
    "a space before the colon of a trailer field":
    refused("9112 5.1", trailed(b"X-One : 1\r\n"), 400),
    "a NUL in a trailer field": refused("9110 5.5", trailed(b"X-One: \x00\r\n"), 400),
    "a bare LF in a trailer": refused("9112 2.2", trailed(b"X-One: 1\n"), 400),
    "a trailer of 4 KiB": served("9110 6.5", trailed(long_trailer(TRAILER_MAX)), 200),
    "a trailer of 4 KiB and a byte":
    refused("9110 6.5", trailed(long_trailer(TRAILER_MAX + 1)), {400, 431}),
}

# Here the request that nobody may answer lies where it belongs to the message before it.
HIDING = {
    "in a body with a length":
    served("9112 6.3", POST + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN, 422),
    "in a body of GET":
    served("9112 6", GET + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN, 200),
    "in the body of a path that is not there": served(
        "9112 9.3", b"POST /nowhere HTTP/1.1\r\n" + HOST
        + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN, 404),
    "in the body of a method that is not there": served(
        "9112 9.3", b"DELETE /health/live HTTP/1.1\r\n" + HOST
        + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN, 405),
    "in the body of OPTIONS": served(
        "9110 9.3.7", b"OPTIONS * HTTP/1.1\r\n" + HOST
        + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN, {200, 204, 404}),
    "in a chunk": served(
        "9112 7.1", CHUNKED + b"%x\r\n" % len(HIDDEN) + HIDDEN + b"\r\n" + EMPTY, 422),
    "in the chunk of a path that is not there": refused(
        "9112 9.3", b"POST /nowhere HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
        + b"%x\r\n" % len(HIDDEN) + HIDDEN + b"\r\n" + EMPTY, 404),
    "in a body announced with Upgrade": served(
        "9110 7.8", GET + b"Connection: Upgrade\r\nUpgrade: h2c\r\n"
        + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN, 200),
    "behind an announced body that is too large": refused(
        "9110 15.5.14", POST + b"Content-Length: 1073741824\r\n\r\n", 413),
}

BODY_TABLES = {
    "length": LENGTHS,
    "coding": CODINGS,
    "chunks": CHUNKS,
    "trailer": TRAILERS,
    "hiding": HIDING,
}
