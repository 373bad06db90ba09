/* Request targets are split and decoded here. */
#include "kit/http/path.h"

bool http_path_next(struct str *rest, struct str *ret_segment)
{
    if (rest->len == 0 || rest->data[0] != '/') return false;
    *ret_segment = str_until(str_behind(*rest, 1), '/');
    *rest = str_behind(*rest, 1 + ret_segment->len);
    return true;
}

/* Takes everything up to `mark` or the end, and drops the mark itself. */
static struct str take_until(struct str *rest, char mark)
{
    struct str part = str_until(*rest, mark);

    *rest = str_behind(*rest, part.len < rest->len ? part.len + 1 : part.len);
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

bool http_percent_decode(struct str text, enum http_decoding decoding, char *out, size_t *ret_len)
{
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        int byte = (unsigned char)text.data[i];
        if (byte == '+' && decoding == HTTP_DECODE_QUERY) byte = ' ';
        if (byte == '%') {
            if (text.len - i < 3) return false;
            int high = str_hex_value(text.data[i + 1]), low = str_hex_value(text.data[i + 2]);
            byte = high < 0 || low < 0 ? -1 : high * 16 + low;
            i += 2;
        }
        if (byte <= 0) return false;
        out[len++] = (char)byte;
    }
    out[len] = '\0';
    *ret_len = len;
    return true;
}
