/* A table holds what Unicode says about case; tools/make_fold_table prints it. */
#include "kit/base/fold.h"

#include "kit/base/macros.h"

/* Every `step`th character from `first` to `last` is folded to the one `distance` further on. */
struct fold {
    uint32_t first, last;
    uint32_t step;
    int32_t distance;
};
static const struct fold folds[] = {
#include "kit/base/fold.def"
};

/* Returns the row whose range holds a point, or NULL; rows are in order. */
static const struct fold *find(uint32_t point)
{
    size_t low = 0, high = COUNT_OF(folds);

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (folds[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < COUNT_OF(folds) && folds[low].first <= point ? &folds[low] : NULL;
}

uint32_t fold_point(uint32_t point)
{
    if (point < 0x80) return point >= 'A' && point <= 'Z' ? point + 32 : point;
    const struct fold *row = find(point);
    bool is_folded = row && (point - row->first) % row->step == 0;
    return is_folded ? point + (uint32_t)row->distance : point;
}

static char *put_point(char *out, uint32_t point)
{
    unsigned len = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

    for (unsigned i = len - 1; i > 0; i--, point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3F));
    out[0] = (char)(len == 1 ? point : (0xF00 >> len & 0xFF) | point);
    return out + len;
}

struct str fold_str(struct arena *arena, struct str text)
{
    /* Two bytes may become three, and three never more. */
    char *folded = arena_alloc(arena, text.len + text.len / 2 + 1), *out = folded;

    while (text.len > 0)
        out = put_point(out, fold_point(utf8_take(&text)));
    *out = '\0';
    return (struct str){folded, (size_t)(out - folded)};
}

char *fold_text(struct arena *arena, const char *text)
{
    return (char *)fold_str(arena, str_of(text)).data;
}
