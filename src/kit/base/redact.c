/* A text is looked at character by character; what is to be hidden is marked, then left out. */
#include "kit/base/redact.h"

#include "kit/base/glyph.h"

enum {
    DIGITS_SHOWN_MAX = 3,
    WORD_SHOWN_MAX = 24, /* a key is long and mixed; a long word of letters alone is a word */
};

struct glyph {
    uint32_t point;
    int digit;       /* -1: none */
    uint32_t offset; /* in the text */
    bool is_hidden;
};

struct glyphs {
    struct str text;
    struct glyph *at; /* one more marks the end */
    size_t count;
};

static struct glyphs read_glyphs(struct str text, struct arena *arena)
{
    struct glyph *at = arena_array(arena, text.len + 1, sizeof(*at));
    struct str rest = text;
    size_t count = 0;

    while (rest.len > 0) {
        at[count].offset = (uint32_t)(text.len - rest.len);
        at[count].point = utf8_take(&rest);
        at[count].digit = glyph_digit(at[count].point);
        count++;
    }
    at[count] = (struct glyph){.digit = -1, .offset = (uint32_t)text.len};
    return (struct glyphs){text, at, count};
}

static void hide(struct glyphs *glyphs, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++)
        glyphs->at[i].is_hidden = true;
}

/* Digits with no letter between them. */
static void hide_numbers(struct glyphs *glyphs)
{
    size_t first = 0, last = 0, digits = 0;

    for (size_t i = 0; i <= glyphs->count; i++) {
        const struct glyph *glyph = &glyphs->at[i];
        if (glyph->digit >= 0) {
            first = digits == 0 ? i : first;
            last = i;
            digits++;
        }
        if (i < glyphs->count && (glyph->digit >= 0 || !glyph_is_letter(glyph->point))) continue;
        if (digits > DIGITS_SHOWN_MAX) hide(glyphs, first, last);
        digits = 0;
    }
}

static bool is_of_key(const struct glyph *glyph)
{
    if (glyph->digit >= 0) return true;
    return glyph->point < 0x80 && glyph->point &&
           (glyph_is_letter(glyph->point) || strchr("_-.+/=", (int)glyph->point));
}

static void hide_keys(struct glyphs *glyphs)
{
    size_t first = 0;
    bool has_digit = false;

    for (size_t i = 0; i <= glyphs->count; i++) {
        if (i < glyphs->count && is_of_key(&glyphs->at[i])) {
            has_digit |= glyphs->at[i].digit >= 0;
            continue;
        }
        if (has_digit && i - first > WORD_SHOWN_MAX) hide(glyphs, first, i - 1);
        first = i + 1;
        has_digit = false;
    }
}

/* The next digit from `at` on; the count where there is none. */
static size_t find_digit(const struct glyphs *glyphs, size_t at)
{
    while (at < glyphs->count && glyphs->at[at].digit < 0)
        at++;
    return at;
}

/* Hides the digits of `number`, whatever stands between them. */
static void hide_number(struct glyphs *glyphs, const struct glyph *number, size_t count)
{
    for (size_t first = find_digit(glyphs, 0); first < glyphs->count;
         first = find_digit(glyphs, first + 1)) {
        size_t last = first, same = 0, next = first;
        while (same < count && next < glyphs->count &&
               glyphs->at[next].digit == number[same].digit) {
            last = next;
            same++;
            next = find_digit(glyphs, next + 1);
        }
        if (same == count) hide(glyphs, first, last);
    }
}

static void hide_quotes(struct glyphs *glyphs, const struct glyphs *said)
{
    for (size_t i = find_digit(said, 0); i < said->count; i = find_digit(said, i)) {
        size_t count = 0;
        while (said->at[i + count].digit >= 0)
            count++;
        if (count > DIGITS_SHOWN_MAX) hide_number(glyphs, said->at + i, count);
        i += count;
    }
}

static const char *put_glyphs(const struct glyphs *glyphs, struct arena *arena)
{
    static const char mask[] = "***";
    /* What is hidden may be shorter than its mask: one character of the longest UTF-8. */
    char *kept = arena_alloc(arena, glyphs->text.len * (sizeof(mask) - 1) + 1);
    size_t len = 0;

    for (size_t i = 0; i < glyphs->count; i++) {
        const struct glyph *glyph = &glyphs->at[i];
        bool goes_on = glyph->is_hidden && i > 0 && glyphs->at[i - 1].is_hidden;
        size_t size = glyph->is_hidden ? sizeof(mask) - 1 : glyph[1].offset - glyph->offset;
        if (goes_on) continue;
        memcpy(kept + len, glyph->is_hidden ? mask : glyphs->text.data + glyph->offset, size);
        len += size;
    }
    kept[len] = '\0';
    return kept;
}

const char *redact_codes(struct arena *arena, const char *text, struct str said)
{
    if (!text) return NULL;
    struct glyphs glyphs = read_glyphs(str_of(text), arena);
    struct glyphs quoted = read_glyphs(said, arena);

    hide_numbers(&glyphs);
    hide_keys(&glyphs);
    hide_quotes(&glyphs, &quoted);
    return put_glyphs(&glyphs, arena);
}
