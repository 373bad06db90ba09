/*
 * Some header fields are about the message itself: its host, its length, whether the connection
 * stays. Ambiguity is refused (RFC 9112, sections 3.2, 6.1 and 6.3), also where the RFC would let a
 * recipient choose, since a proxy in front may have chosen otherwise.
 */
#include "kit/http/head.h"

/* Counts fields that may come once. */
struct tally {
    int hosts;
    int lengths;
    int codings;
    bool closes;
    bool keeps;
};

static bool all_of(struct str text, enum http_char kind)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!http_char_is(text.data[i], kind)) return false;
    }
    return true;
}

static bool is_port(struct str text)
{
    if (text.len > 5) return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') return false;
    }
    return true;
}

/* Tells whether it is an [IPv6] address by the kind of its characters alone. */
static bool is_bracketed(struct str text)
{
    if (text.len < 4 || text.data[0] != '[' || text.data[text.len - 1] != ']') return false;
    for (size_t i = 1; i + 1 < text.len; i++) {
        char c = text.data[i];
        if (!http_char_is(c, HTTP_CHAR_HEX) && c != ':' && c != '.') return false;
    }
    return true;
}

bool http_host_is_valid(struct str host)
{
    if (!host.data || host.len == 0) return false;
    /* The colons of an IPv6 address stand inside its brackets. */
    const char *bracket = host.data[0] == '[' ? memchr(host.data, ']', host.len) : NULL;
    size_t from = bracket ? (size_t)(bracket - host.data) : 0;
    struct str name = {host.data, from + str_until(str_behind(host, from), ':').len};

    if (name.len == 0) return false;
    if (name.len < host.len && !is_port(str_behind(host, name.len + 1))) return false;
    return bracket ? is_bracketed(name) : all_of(name, HTTP_CHAR_HOST);
}

/* Reads digits only: no sign, no list, no overflow. */
static enum err read_length(struct str value, int64_t *ret_length)
{
    int64_t length = 0;

    if (value.len == 0) return ERR_BAD_REQUEST;
    for (size_t i = 0; i < value.len; i++) {
        char c = value.data[i];
        if (c < '0' || c > '9') return ERR_BAD_REQUEST;
        if (__builtin_mul_overflow(length, 10, &length)) return ERR_BAD_REQUEST;
        if (__builtin_add_overflow(length, c - '0', &length)) return ERR_BAD_REQUEST;
    }
    *ret_length = length;
    return ERR_OK;
}

/* Takes "chunked" alone. Without it as the last coding the end of the body is not known, which is
 * 400 (RFC 9112, section 6.3, rule 4). Behind codings that herald does not know it is 501 (section
 * 6.1). */
static enum err read_coding(struct str value)
{
    struct str element;
    bool is_chunked = false;

    if (str_is_nocase(value, "chunked")) return ERR_OK;
    while (str_next_item(&value, &element)) {
        if (element.len == 0 || is_chunked) return ERR_BAD_REQUEST;
        if (!all_of(element, HTTP_CHAR_TOKEN)) return ERR_BAD_REQUEST;
        is_chunked = str_is_nocase(element, "chunked");
    }
    return is_chunked ? ERR_NOT_IMPLEMENTED : ERR_BAD_REQUEST;
}

static void read_connection(struct str value, struct tally *tally)
{
    struct str element;

    while (str_next_item(&value, &element)) {
        if (str_is_nocase(element, "close")) tally->closes = true;
        if (str_is_nocase(element, "keep-alive")) tally->keeps = true;
    }
}

/* In HTTP/1.0 the field means nothing (RFC 9110, section 10.1.1). It is a list, whose empty
 * elements mean nothing either (section 5.6.1). */
static enum err read_expect(struct http_head *head, struct str value)
{
    struct str element;

    if (head->minor_version == 0) return ERR_OK;
    while (str_next_item(&value, &element)) {
        if (element.len == 0) continue;
        if (!str_is_nocase(element, "100-continue")) return ERR_EXPECTATION_FAILED;
        head->expects_continue = true;
    }
    return ERR_OK;
}

static enum err read_one(struct http_head *head, struct str name, struct str value,
                         struct tally *tally)
{
    /* The length rules out nearly every other field before a letter is compared. */
    if (name.len == 4 && str_is_nocase(name, "host")) {
        tally->hosts++;
        return http_host_is_valid(value) ? ERR_OK : ERR_BAD_REQUEST;
    }
    if (name.len == 14 && str_is_nocase(name, "content-length")) {
        tally->lengths++;
        return read_length(value, &head->content_length);
    }
    if (name.len == 17 && str_is_nocase(name, "transfer-encoding")) {
        tally->codings++;
        return read_coding(value);
    }
    if (name.len == 10 && str_is_nocase(name, "connection")) read_connection(value, tally);
    if (name.len == 6 && str_is_nocase(name, "expect")) return read_expect(head, value);
    return ERR_OK;
}

static enum err check_tally(const struct http_head *head, const struct tally *tally)
{
    if (tally->hosts > 1 || (tally->hosts == 0 && head->minor_version == 1)) return ERR_BAD_REQUEST;
    if (tally->lengths + tally->codings > 1) return ERR_BAD_REQUEST;
    if (tally->codings > 0 && head->minor_version == 0) return ERR_BAD_REQUEST;
    return ERR_OK;
}

enum err http_head_read_framing(struct http_head *head)
{
    struct tally tally = {0};
    enum err doubt =
        ERR_OK; /* an error other than 400, which counts only if nothing is malformed */

    for (int i = 0; i < head->field_count; i++) {
        const struct http_field *field = &head->fields[i];
        enum err err = read_one(head, http_head_view(head, field->name),
                                http_head_view(head, field->value), &tally);
        if (err == ERR_BAD_REQUEST) return err;
        if (err && !doubt) doubt = err;
    }
    enum err err = check_tally(head, &tally);
    if (err) return err;
    if (doubt) return doubt;
    head->is_chunked = tally.codings > 0;
    head->is_keep_alive = !tally.closes && (head->minor_version == 1 || tally.keeps);
    return ERR_OK;
}
