/* Splitting and decoding of request targets. */
#include "kit/http/path.h"

#include "kit/http/chars.h"

bool http_path_next(struct str *rest, struct str *ret_segment)
{
    if (rest->len == 0 || rest->data[0] != '/') return false;
    const char *start = rest->data + 1;
    size_t left = rest->len - 1;
    const char *slash = left > 0 ? memchr(start, '/', left) : NULL;
    size_t len = slash ? (size_t)(slash - start) : left;

    *ret_segment = (struct str){start, len};
    *rest = (struct str){start + len, left - len};
    return true;
}

/* Everything up to `mark` or the end; the mark itself is dropped. */
static struct str take_until(struct str *rest, char mark)
{
    const char *found = memchr(rest->data, mark, rest->len);
    size_t len = found ? (size_t)(found - rest->data) : rest->len;
    size_t used = found ? len + 1 : len;
    struct str part = {rest->data, len};

    *rest = (struct str){rest->data + used, rest->len - used};
    return part;
}

bool http_query_next(struct str *rest, struct str *ret_name, struct str *ret_value)
{
    while (rest->len > 0) {
        struct str pair = take_until(rest, '&');
        if (pair.len == 0) continue;
        *ret_name = take_until(&pair, '=');
        *ret_value = pair;
        return true;
    }
    return false;
}

static int hex_value(char c)
{
    if (!http_char_is(c, HTTP_CHAR_HEX)) return -1;
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* The byte that "%41" stands for; -1 if it is none. */
static int decode_triplet(const char *text, size_t len)
{
    if (len < 3) return -1;
    int high = hex_value(text[1]), low = hex_value(text[2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

bool http_percent_decode(struct str text, enum http_decoding decoding, char *out, size_t *ret_len)
{
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        int byte = (unsigned char)text.data[i];
        if (byte == '+' && decoding == HTTP_DECODE_QUERY) byte = ' ';
        if (byte == '%') {
            byte = decode_triplet(text.data + i, text.len - i);
            i += 2;
        }
        if (byte <= 0) return false;
        out[len++] = (char)byte;
    }
    out[len] = '\0';
    *ret_len = len;
    return true;
}
