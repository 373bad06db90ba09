/*
 * Case folding, a character for a character. The table is our own since folded names are stored:
 * with the C library's they would differ between machines of one database and after an upgrade, and
 * it has none where the system lacks locales.
 */
#include "kit/base/fold.h"

#include <stddef.h>

/* Every `step`th character from `first` to `last` is folded to the one `distance` further on. */
struct fold_range {
    uint32_t first, last;
    uint32_t step;
    int32_t distance;
};

static const struct fold_range ranges[] = {
#include "kit/base/fold.def"
#include "kit/base/macros.h"
};
enum { RANGE_COUNT = COUNT_OF(ranges) };

uint32_t fold_point(uint32_t point)
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
