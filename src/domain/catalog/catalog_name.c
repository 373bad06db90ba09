/*
 * Case folding, a character for a character. The table is our own since folded names are stored:
 * with the C library's they would differ between machines of one database and after an upgrade, and
 * it has none where the system lacks locales.
 */
#include "domain/catalog/catalog_name.h"

#include <stdint.h>

/* Every `step`th character from `first` to `last` is folded to the one `distance` further on. */
struct fold_range {
    uint32_t first, last;
    uint32_t step;
    int32_t distance;
};

static const struct fold_range ranges[] = {
#include "domain/catalog/catalog_fold.def"
};
enum { RANGE_COUNT = sizeof(ranges) / sizeof(ranges[0]) };

static uint32_t fold(uint32_t point)
{
    size_t low = 0, high = RANGE_COUNT;

    if (point < 0x80) return point >= 'A' && point <= 'Z' ? point + 32 : point;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == RANGE_COUNT || point < ranges[low].first) return point;
    if ((point - ranges[low].first) % ranges[low].step != 0) return point;
    return point + ranges[low].distance;
}

/* The next character of valid UTF-8. */
static uint32_t take_point(const unsigned char **at)
{
    const unsigned char *bytes = *at;
    unsigned len = bytes[0] < 0x80 ? 1 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;
    uint32_t point = len == 1 ? bytes[0] : bytes[0] & (0x7F >> len);

    for (unsigned i = 1; i < len; i++)
        point = point << 6 | (bytes[i] & 0x3F);
    *at += len;
    return point;
}

static char *put_point(char *out, uint32_t point)
{
    unsigned len = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

    for (unsigned i = len - 1; i > 0; i--, point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3F));
    out[0] = (char)(len == 1 ? point : (0xF00 >> len & 0xFF) | point);
    return out + len;
}

char *catalog_fold(struct arena *arena, const char *text)
{
    size_t len = strlen(text);
    /* Two bytes may become three, and three never more. */
    char *folded = arena_alloc(arena, len + len / 2 + 1), *out = folded;
    const unsigned char *at = (const unsigned char *)text;

    while (*at)
        out = put_point(out, fold(take_point(&at)));
    *out = '\0';
    return folded;
}
