/* UTF-8 is read byte by byte here, and malformed bytes are harmless. */
#include "kit/base/terminal.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <wchar.h>

#define ELLIPSIS "\xe2\x80\xa6"

/* Tells it for U+2000 to U+20BF, whose UTF-8 is 0xE2 and two bytes. */
static bool is_steering(unsigned point)
{
    bool is_separator = point == 0x2028 || point == 0x2029;
    bool is_embedding = point >= 0x202A && point <= 0x202E;
    bool is_isolate = point >= 0x2066 && point <= 0x2069;
    return is_separator || is_embedding || is_isolate;
}

unsigned terminal_danger(const char *p, const char *end, int *ret_len)
{
    const unsigned char *bytes = (const unsigned char *)p;

    *ret_len = 1;
    if (bytes[0] < 0x20 || bytes[0] == 0x7F) return bytes[0] ? bytes[0] : 0xFFFD;
    *ret_len = 2;
    bool is_pair = end - p >= 2 && bytes[0] == 0xC2;
    if (is_pair && bytes[1] >= 0x80 && bytes[1] < 0xA0) return bytes[1];
    *ret_len = 3;
    if (end - p < 3 || bytes[0] != 0xE2 || (bytes[1] & 0xC0) != 0x80 || (bytes[2] & 0xC0) != 0x80)
        return 0;
    unsigned point = 0x2000U | (bytes[1] & 0x3FU) << 6 | (bytes[2] & 0x3FU);
    return is_steering(point) ? point : 0;
}

void terminal_escape(struct str text, const char *kept, struct buf *out)
{
    const char *end = text.data + text.len;

    for (const char *p = text.data; p < end;) {
        int len;
        bool is_kept = *p && strchr(kept, *p);
        unsigned danger = is_kept ? 0 : terminal_danger(p, end, &len);
        if (danger) {
            buf_printf(out, "\\u%04x", danger);
            p += len;
            continue;
        }
        buf_char(out, *p++);
    }
}

/* --- Columns ---------------------------------------------------------------------------------- */

static locale_t utf8;

static void open_locale(void)
{
    utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
}

/* Returns how many columns the C library gives a character. Without its locale each takes one. */
static size_t measure_width(uint32_t point)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, open_locale);
    if (!utf8) return 1;
    locale_t before = uselocale(utf8);
    int width = wcwidth((wchar_t)point);
    uselocale(before);
    return width >= 0 ? (size_t)width : 1;
}

/* Takes the first character off the text. */
static size_t take_width(struct str *rest)
{
    uint32_t point = utf8_take(rest);

    return point < 0x300 ? 1 : measure_width(point); /* no mark and no wide one is that low */
}

size_t terminal_width(struct str text)
{
    size_t width = 0;

    while (text.len > 0)
        width += take_width(&text);
    return width;
}

void terminal_cut(struct str text, size_t columns, struct buf *out)
{
    if (terminal_width(text) <= columns) {
        buf_str(out, text);
        return;
    }
    if (columns == 0) return;
    struct str rest = text;
    size_t len = 0, width = 0;
    while (rest.len > 0) {
        width += take_width(&rest);
        if (width > columns - 1) break;
        len = text.len - rest.len;
    }
    buf_str(out, (struct str){text.data, len});
    buf_text(out, ELLIPSIS);
}

size_t terminal_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

const char *terminal_quote(const char *word, struct arena *arena)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/@";
    AUTO_BUF out = {0};

    if (word[strspn(word, plain)] == '\0') return word;
    buf_init(&out, 4 * strlen(word) + 2);
    buf_char(&out, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            buf_text(&out, "'\\''");
        else
            buf_char(&out, *word);
    }
    buf_char(&out, '\'');
    return arena_str(arena, buf_view(&out));
}
