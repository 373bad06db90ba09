/* Words are read character by character; nothing is read into them but runs of digits. */
#include "kit/json/said_text.h"

#include "kit/base/buf.h"
#include "kit/base/terminal.h"
#include "kit/json/utf8.h"

#include <string.h>

static const char hidden[] = "***";

static size_t measure_digits(struct str text)
{
    size_t len = 0;
    while (len < text.len && str_is_digit(text.data[len]))
        len++;
    return len;
}

/* Returns the length of what is hidden at the front of `text`; 0: nothing is. */
static size_t measure_hidden(struct str text, size_t digits, const struct said_rule *rule)
{
    const struct str token = rule->token;
    bool is_token =
        token.len > 0 && text.len >= token.len && memcmp(text.data, token.data, token.len) == 0;

    if (is_token) return token.len;
    return digits > 0 && digits == rule->code_length ? digits : 0;
}

/* Each byte of what is no UTF-8 becomes U+FFFD. */
static void put_character(struct str *text, struct buf *out)
{
    const char *begin = text->data, *end = text->data + text->len;
    int len;

    if (terminal_danger(begin, end, &len)) {
        buf_char(out, ' ');
    } else if ((len = utf8_measure(begin, end)) > 0) {
        buf_append(out, begin, (size_t)len);
    } else {
        buf_text(out, "\xEF\xBF\xBD");
        len = 1;
    }
    *text = str_behind(*text, (size_t)len);
}

const char *said_keep(struct arena *arena, const char *text, const struct said_rule *rule)
{
    enum { BYTES_MAX = 4 * SAID_MAX };
    struct str rest = str_of(text);
    AUTO_BUF out = {0};

    buf_init(&out, BYTES_MAX + UTF8_LEN_MAX);
    while (rest.len > 0 && out.len < BYTES_MAX) {
        size_t digits = measure_digits(rest), skipped = measure_hidden(rest, digits, rule);
        if (skipped > 0) {
            buf_text(&out, hidden);
            rest = str_behind(rest, skipped);
            continue;
        }
        if (digits == 0) put_character(&rest, &out);
        for (; digits > 0 && out.len < BYTES_MAX; digits--)
            put_character(&rest, &out);
    }
    struct str kept = str_trim(utf8_cut(buf_view(&out), SAID_MAX));
    return kept.len > 0 ? arena_str(arena, kept) : NULL;
}
