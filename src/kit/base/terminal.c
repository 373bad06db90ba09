/* UTF-8 is read byte by byte here, and malformed bytes are harmless. */
#include "kit/base/terminal.h"

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
