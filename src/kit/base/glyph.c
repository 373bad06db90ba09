/* What Unicode says of each character is a row of two tables, made by tools/make_glyph_table. */
#include "kit/base/glyph.h"

#include "kit/base/fold.h"
#include "kit/base/macros.h"

/* What is in none of them stands between. */
static const struct {
    uint32_t first, last;
    enum glyph_kind kind;
    int digit; /* that the first one is; the others follow */
} kinds[] = {
#define LETTER(first, last)       {(first), (last), GLYPH_LETTER, -1},
#define UNSEEN(first, last)       {(first), (last), GLYPH_UNSEEN, -1},
#define DIGIT(first, last, digit) {(first), (last), GLYPH_DIGIT, (digit)},
#include "kit/base/glyph.def"
#undef LETTER
#undef UNSEEN
#undef DIGIT
};

/* Letters, folded, that are read as the one `distance` further on. */
static const struct {
    uint32_t first, last;
    int32_t distance;
} bases[] = {
#include "kit/base/glyph_base.def"
};

static enum glyph_kind ascii_kind(uint32_t point, int *ret_digit)
{
    bool is_digit = point >= '0' && point <= '9';
    bool is_letter = (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z');

    *ret_digit = is_digit ? (int)(point - '0') : -1;
    return is_digit ? GLYPH_DIGIT : is_letter ? GLYPH_LETTER : GLYPH_BETWEEN;
}

enum glyph_kind glyph_kind(uint32_t point, int *ret_digit)
{
    size_t low = 0, high = COUNT_OF(kinds);

    if (point < 0x80) return ascii_kind(point, ret_digit);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (kinds[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_digit = -1;
    if (low == COUNT_OF(kinds) || point < kinds[low].first) return GLYPH_BETWEEN;
    if (kinds[low].kind == GLYPH_DIGIT)
        *ret_digit = kinds[low].digit + (int)(point - kinds[low].first);
    return kinds[low].kind;
}

static uint32_t fold(const struct glyph *glyph)
{
    size_t low = 0, high = COUNT_OF(bases);

    if (glyph->digit >= 0) return '0' + (uint32_t)glyph->digit;
    uint32_t point = fold_point(glyph->point);
    if (point < 0x80) return point;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (bases[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == COUNT_OF(bases) || point < bases[low].first) return point;
    return point + (uint32_t)bases[low].distance;
}

struct glyph glyph_take(struct str *rest)
{
    struct glyph glyph = {.point = utf8_take(rest)};

    glyph.kind = glyph_kind(glyph.point, &glyph.digit);
    while (rest->len > 0 && (rest->data[0] & 0x80)) {
        struct str behind = *rest;
        int digit;
        if (glyph_kind(utf8_take(&behind), &digit) != GLYPH_UNSEEN) break;
        *rest = behind;
    }
    return glyph;
}

struct glyphs glyphs_read(struct str text, struct arena *arena)
{
    struct glyphs glyphs = {text, arena_array(arena, text.len + 1, sizeof(struct glyph)), 0};

    for (struct str rest = text; rest.len > 0;) {
        struct glyph *glyph = &glyphs.at[glyphs.count++];
        uint32_t offset = (uint32_t)(text.len - rest.len);
        *glyph = glyph_take(&rest);
        glyph->folded = fold(glyph);
        glyph->offset = offset;
    }
    glyphs.at[glyphs.count] = (struct glyph){.offset = (uint32_t)text.len, .digit = -1};
    return glyphs;
}

struct str glyphs_source(const struct glyphs *glyphs, size_t begin, size_t count)
{
    uint32_t from = glyphs->at[begin].offset, to = glyphs->at[begin + count].offset;
    return (struct str){glyphs->text.data + from, to - from};
}
