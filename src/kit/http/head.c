/*
 * The request line and the header fields are read byte by byte. Each rule of RFC 9112 that lenient
 * parsers relax is kept: one space between the parts, CRLF and nothing else at the end of a line,
 * no folding, no space before the colon.
 */
#include "kit/http/head.h"

enum {
    VERSION_LEN = sizeof("HTTP/1.1") - 1,
    REQUEST_LINE_MAX = HTTP_METHOD_MAX + 1 + HTTP_TARGET_MAX + 1 + VERSION_LEN + 2,
};

/* Each row stands for sixteen bytes, and each number is the sum of the kinds of its byte. */
/* clang-format off */
const uint8_t http_chars[256] = {
     0,  0,  0,  0,  0,  0,  0,  0,  0,  2,  0,  0,  0,  0,  0,  0, /* 0x00 */
     0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, /* 0x10 */
     2, 15,  6,  3, 15, 15, 15, 15, 14, 14, 15, 15,  6, 15, 15,  6, /* space to / */
    31, 31, 31, 31, 31, 31, 31, 31, 31, 31,  6, 14,  6, 14,  6,  6, /* 0123456789:;<=>? */
     6, 31, 31, 31, 31, 31, 31, 15, 15, 15, 15, 15, 15, 15, 15, 15, /* @ABCDEFGHIJKLMNO */
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,  6,  6,  6,  7, 15, /* PQRSTUVWXYZ[\]^_ */
     7, 31, 31, 31, 31, 31, 31, 15, 15, 15, 15, 15, 15, 15, 15, 15, /* `abcdefghijklmno */
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,  6,  7,  6, 15,  0, /* pqrstuvwxyz{|}~ */
     2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2, /* 0x80 */
     2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2, /* 0x90 */
     2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2, /* 0xa0 */
     2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2, /* 0xb0 */
     2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2, /* 0xc0 */
     2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2, /* 0xd0 */
     2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2, /* 0xe0 */
     2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2, /* 0xf0 */
};
/* clang-format on */

/* The place of the parser in a whole head. */
struct cursor {
    const char *bytes;
    size_t at;
    size_t len;
};

enum err http_head_skip_empty_lines(struct str *in, int *count)
{
    while (in->len >= 2 && in->data[0] == '\r' && in->data[1] == '\n') {
        if (++*count > HTTP_EMPTY_LINES_MAX) return ERR_BAD_REQUEST;
        in->data += 2;
        in->len -= 2;
    }
    return ERR_OK;
}

/* A head may be too large in its first line or after it, which are two errors. */
static enum err check_size(const struct http_head_scan *scan, size_t len, size_t head_max)
{
    size_t request_line = scan->request_line > 0 ? scan->request_line : len;

    if (request_line > REQUEST_LINE_MAX) return ERR_URI_TOO_LONG;
    if (len <= head_max) return ERR_OK;
    return scan->request_line > 0 ? ERR_HEADERS_TOO_LARGE : ERR_URI_TOO_LONG;
}

/* Returns false for bytes that never become a request, such as a TLS greeting or a leading space.
 */
static bool starts_like_request(struct str in)
{
    if (in.len == 0) return true;
    if (in.data[0] == '\r') return in.len == 1; /* perhaps half an empty line */
    return http_char_is(in.data[0], HTTP_CHAR_TOKEN);
}

enum err http_head_find_end(struct http_head_scan *scan, struct str in, size_t head_max,
                            size_t *ret_len)
{
    *ret_len = 0;
    if (!starts_like_request(in)) return ERR_BAD_REQUEST;
    while (scan->seen < in.len) {
        const char *newline = memchr(in.data + scan->seen, '\n', in.len - scan->seen);
        if (!newline) {
            scan->seen = in.len;
            break;
        }
        size_t end = (size_t)(newline - in.data);
        if (end == scan->line || in.data[end - 1] != '\r') return ERR_BAD_REQUEST;
        bool is_empty = end == scan->line + 1;
        scan->seen = scan->line = end + 1;
        if (scan->request_line == 0) scan->request_line = scan->line;
        if (is_empty) {
            *ret_len = scan->line;
            return check_size(scan, scan->line, head_max);
        }
    }
    return check_size(scan, in.len, head_max);
}

static struct http_span span_of(size_t at, size_t end)
{
    return (struct http_span){(uint16_t)at, (uint16_t)(end - at)};
}

static bool take_char(struct cursor *c, char expected)
{
    if (c->at == c->len || c->bytes[c->at] != expected) return false;
    c->at++;
    return true;
}

static bool take_crlf(struct cursor *c)
{
    if (c->len - c->at < 2 || c->bytes[c->at] != '\r' || c->bytes[c->at + 1] != '\n') return false;
    c->at += 2;
    return true;
}

static struct http_span take_run(struct cursor *c, enum http_char kind)
{
    size_t start = c->at;

    while (c->at < c->len && http_char_is(c->bytes[c->at], kind))
        c->at++;
    return span_of(start, c->at);
}

static enum err read_version(struct cursor *c, struct http_head *head)
{
    const char *text = c->bytes + c->at;

    if (c->len - c->at < VERSION_LEN || memcmp(text, "HTTP/", 5) != 0) return ERR_BAD_REQUEST;
    if (!str_is_digit(text[5]) || text[6] != '.' || !str_is_digit(text[7])) return ERR_BAD_REQUEST;
    c->at += VERSION_LEN;
    if (!take_crlf(c)) return ERR_BAD_REQUEST;
    if (text[5] != '1') return ERR_HTTP_VERSION;
    /* A later minor version is read as the latest known one (RFC 9110, section 2.5). */
    head->minor_version = text[7] == '0' ? 0 : 1;
    return ERR_OK;
}

static void split_query(struct http_head *head, size_t at, size_t end)
{
    size_t split = at + str_until((struct str){head->bytes + at, end - at}, '?').len;

    head->path = span_of(at, split);
    head->query = span_of(split < end ? split + 1 : end, end);
}

/* Reads http://host:port/path?query, as a client sends it to a proxy (RFC 9112, section 3.2.2). */
static enum err read_absolute_target(struct http_head *head, struct http_span target)
{
    enum { SCHEME_LEN = sizeof("http://") - 1 };
    struct str text = http_head_view(head, target);

    if (text.len <= SCHEME_LEN) return ERR_BAD_REQUEST;
    if (!str_is_nocase((struct str){text.data, SCHEME_LEN}, "http://")) return ERR_BAD_REQUEST;
    size_t host_end = SCHEME_LEN;
    while (host_end < text.len && text.data[host_end] != '/' && text.data[host_end] != '?')
        host_end++;
    if (!http_host_is_valid((struct str){text.data + SCHEME_LEN, host_end - SCHEME_LEN}))
        return ERR_BAD_REQUEST;
    split_query(head, target.at + host_end, (size_t)target.at + target.len);
    /* An empty path means "/", so it points at the one that ends the scheme. */
    if (head->path.len == 0)
        head->path = span_of(target.at + SCHEME_LEN - 1u, target.at + SCHEME_LEN);
    return ERR_OK;
}

static enum err read_target(struct http_head *head, struct http_span target)
{
    struct str method = http_head_view(head, head->method);
    struct str text = http_head_view(head, target);

    if (text.len > HTTP_TARGET_MAX) return ERR_URI_TOO_LONG;
    if (str_is(method, "CONNECT")) return ERR_NOT_IMPLEMENTED;
    if (text.len == 0) return ERR_BAD_REQUEST;
    if (text.data[0] != '/' && !str_is(text, "*")) return read_absolute_target(head, target);
    if (text.data[0] == '*' && !str_is(method, "OPTIONS")) return ERR_BAD_REQUEST;
    split_query(head, target.at, (size_t)target.at + target.len);
    return ERR_OK;
}

static enum err read_request_line(struct cursor *c, struct http_head *head)
{
    head->method = take_run(c, HTTP_CHAR_TOKEN);
    if (head->method.len == 0 || !take_char(c, ' ')) return ERR_BAD_REQUEST;
    struct http_span target = take_run(c, HTTP_CHAR_TARGET);
    if (!take_char(c, ' ')) return ERR_BAD_REQUEST;
    enum err err = read_version(c, head);
    if (err) return err;
    if (head->method.len > HTTP_METHOD_MAX) return ERR_NOT_IMPLEMENTED;
    return read_target(head, target);
}

/* Leading and trailing blanks are not part of a value (RFC 9112, section 5.1). */
static struct http_span take_value(struct cursor *c)
{
    while (c->at < c->len && (c->bytes[c->at] == ' ' || c->bytes[c->at] == '\t'))
        c->at++;
    struct http_span value = take_run(c, HTTP_CHAR_VALUE);
    while (value.len > 0) {
        char last = c->bytes[value.at + value.len - 1];
        if (last != ' ' && last != '\t') break;
        value.len--;
    }
    return value;
}

static enum err read_field(struct cursor *c, struct http_field *ret_field)
{
    ret_field->name = take_run(c, HTTP_CHAR_TOKEN);
    if (ret_field->name.len == 0 || !take_char(c, ':')) return ERR_BAD_REQUEST;
    ret_field->value = take_value(c);
    return take_crlf(c) ? ERR_OK : ERR_BAD_REQUEST;
}

enum err http_head_parse(struct str bytes, struct http_field *fields, int fields_max,
                         struct http_head *ret_head)
{
    struct cursor c = {bytes.data, 0, bytes.len};
    struct http_head head = {.bytes = bytes.data, .fields = fields};

    assert(bytes.len <= HTTP_HEAD_BYTES_MAX);
    enum err err = read_request_line(&c, &head);
    if (err) return err;
    while (!take_crlf(&c)) {
        if (head.field_count == fields_max) return ERR_HEADERS_TOO_LARGE;
        err = read_field(&c, &fields[head.field_count]);
        if (err) return err;
        head.field_count++;
    }
    if (c.at != c.len) return ERR_BAD_REQUEST;
    err = http_head_read_framing(&head);
    if (err) return err;
    *ret_head = head;
    return ERR_OK;
}
