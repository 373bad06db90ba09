/*
 * Three tables hold what Unicode says about characters; tools/make_glyph_table and
 * tools/make_fold_table print them. Case folding has a table of its own, since folded names are
 * stored: with the C library's they would differ between machines of one database and after an
 * upgrade, and it has none where the system lacks locales.
 */
#include "kit/base/glyph.h"

#include "kit/base/macros.h"

/* A character that has no row here stands between. */
static const struct {
    uint32_t first, last;
    enum glyph_kind kind;
    int digit; /* the value of the first one; the others count on */
} kinds[] = {
#define LETTER(first, last)       {(first), (last), GLYPH_LETTER, -1},
#define UNSEEN(first, last)       {(first), (last), GLYPH_UNSEEN, -1},
#define DIGIT(first, last, digit) {(first), (last), GLYPH_DIGIT, (digit)},
#include "kit/base/glyph.def"
#undef LETTER
#undef UNSEEN
#undef DIGIT
};

/* A folded letter with a row here is read as the one `distance` further on. */
static const struct {
    uint32_t first, last;
    int32_t distance;
} bases[] = {
#include "kit/base/glyph_base.def"
};

/* Every `step`th character from `first` to `last` is folded to the one `distance` further on. */
static const struct {
    uint32_t first, last;
    uint32_t step;
    int32_t distance;
} folds[] = {
#include "kit/base/fold.def"
};

/* Defines a function that returns the row whose range holds a point, or NULL; rows are in order. */
#define FINDS_ROW(name, rows)                                            \
    static const __typeof__((rows)[0]) *name(uint32_t point)             \
    {                                                                    \
        size_t low = 0, high = COUNT_OF(rows);                           \
        while (low < high) {                                             \
            size_t middle = (low + high) / 2;                            \
            if ((rows)[middle].last < point)                             \
                low = middle + 1;                                        \
            else                                                         \
                high = middle;                                           \
        }                                                                \
        bool holds = low < COUNT_OF(rows) && (rows)[low].first <= point; \
        return holds ? &(rows)[low] : NULL;                              \
    }
FINDS_ROW(find_kind, kinds)
FINDS_ROW(find_base, bases)
FINDS_ROW(find_fold, folds)

uint32_t fold_point(uint32_t point)
{
    if (point < 0x80) return point >= 'A' && point <= 'Z' ? point + 32 : point;
    const __typeof__(folds[0]) *row = find_fold(point);
    bool is_folded = row && (point - row->first) % row->step == 0;
    return is_folded ? point + (uint32_t)row->distance : point;
}

static enum glyph_kind ascii_kind(uint32_t point, int *ret_digit)
{
    bool is_digit = point >= '0' && point <= '9';
    bool is_letter = (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z');

    *ret_digit = is_digit ? (int)(point - '0') : -1;
    return is_digit ? GLYPH_DIGIT : is_letter ? GLYPH_LETTER : GLYPH_BETWEEN;
}

enum glyph_kind glyph_kind(uint32_t point, int *ret_digit)
{
    if (point < 0x80) return ascii_kind(point, ret_digit);
    const __typeof__(kinds[0]) *row = find_kind(point);
    *ret_digit = row && row->kind == GLYPH_DIGIT ? row->digit + (int)(point - row->first) : -1;
    return row ? row->kind : GLYPH_BETWEEN;
}

static uint32_t fold(const struct glyph *glyph)
{
    if (glyph->digit >= 0) return '0' + (uint32_t)glyph->digit;
    uint32_t point = fold_point(glyph->point);
    if (point < 0x80) return point;
    const __typeof__(bases[0]) *row = find_base(point);
    return row ? point + (uint32_t)row->distance : point;
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

static char *put_point(char *out, uint32_t point)
{
    unsigned len = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

    for (unsigned i = len - 1; i > 0; i--, point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3F));
    out[0] = (char)(len == 1 ? point : (0xF00 >> len & 0xFF) | point);
    return out + len;
}

char *glyphs_fold(struct arena *arena, const char *text)
{
    struct glyphs glyphs = glyphs_read(str_of(text), arena);
    char *folded = arena_alloc(arena, 4 * glyphs.count + 1), *out = folded;

    for (size_t i = 0; i < glyphs.count; i++) {
        if (glyphs.at[i].kind != GLYPH_UNSEEN) out = put_point(out, glyphs.at[i].folded);
    }
    *out = '\0';
    return folded;
}

struct str glyphs_source(const struct glyphs *glyphs, size_t begin, size_t count)
{
    uint32_t from = glyphs->at[begin].offset, to = glyphs->at[begin + count].offset;
    return (struct str){glyphs->text.data + from, to - from};
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
