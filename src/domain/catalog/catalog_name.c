/* Names as the search compares them: folded, character by character (kit/base/fold.h). */
#include "domain/catalog/catalog_name.h"

#include "kit/base/fold.h"
#include "kit/base/str.h"

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
    struct str rest = str_of(text);
    /* Two bytes may become three, and three never more. */
    char *folded = arena_alloc(arena, rest.len + rest.len / 2 + 1), *out = folded;

    while (rest.len > 0)
        out = put_point(out, fold_point(utf8_take(&rest)));
    *out = '\0';
    return folded;
}
