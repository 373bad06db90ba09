/* UTF-8 is checked byte by byte from the left, so that the verdict on a prefix is final. */
#include "kit/json/utf8.h"

#include "kit/base/macros.h"

struct lead {
    uint8_t first, last; /* lead bytes of this row */
    int8_t len;
    uint8_t second_min, second_max; /* bounds of the second byte: no overlong, no surrogate */
};

static const struct lead leads[] = {
    {0x00, 0x7F, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

static const struct lead *find_lead(uint8_t byte)
{
    for (size_t i = 0; i < COUNT_OF(leads); i++) {
        if (byte >= leads[i].first && byte <= leads[i].last) return &leads[i];
    }
    return NULL;
}

int utf8_measure(const char *at, const char *end)
{
    const uint8_t *bytes = (const uint8_t *)at;
    const struct lead *lead = find_lead(bytes[0]);

    if (!lead) return -1;
    for (int i = 1; i < lead->len; i++) {
        if (at + i == end) return 0;
        uint8_t min = i == 1 ? lead->second_min : 0x80;
        uint8_t max = i == 1 ? lead->second_max : 0xBF;
        if (bytes[i] < min || bytes[i] > max) return -1;
    }
    return lead->len;
}

const char *utf8_find_fault(const char *at, const char *end)
{
    while (at < end) {
        int len = utf8_measure(at, end);
        if (len <= 0) return at;
        at += len;
    }
    return NULL;
}

bool utf8_is_valid(const char *at, const char *end)
{
    return !utf8_find_fault(at, end);
}

int utf8_encode(uint32_t point, char ret_bytes[static UTF8_LEN_MAX])
{
    if (point < 0x80) {
        ret_bytes[0] = (char)point;
        return 1;
    }
    int len = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (int i = len - 1; i > 0; i--) {
        ret_bytes[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    static const uint8_t marks[] = {[2] = 0xC0, [3] = 0xE0, [4] = 0xF0};
    ret_bytes[0] = (char)(marks[len] | point);
    return len;
}
