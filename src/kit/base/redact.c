/* A text is read character by character; each that is to be hidden is marked, then left out. */
#include "kit/base/redact.h"

#include "kit/base/glyph.h"

#include <assert.h>

enum {
    DIGITS_SHOWN_MAX = 3,
    WORD_SHOWN_MAX = 24, /* a key is long and mixed; a long word of letters alone is a word */
    STRANGERS_MAX = 2,   /* other digits between two digits of a known number */
    DIGITS_SOUGHT_MAX = 32,
};

struct words {
    struct glyphs glyphs;
    bool *is_hidden;
};

static void hide(struct words *words, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++)
        words->is_hidden[i] = true;
}

/* Hides digits with no letter between them. */
static void hide_numbers(struct words *words)
{
    size_t first = 0, last = 0, digits = 0;

    for (size_t i = 0; i <= words->glyphs.count; i++) {
        enum glyph_kind kind = words->glyphs.at[i].kind;
        if (kind == GLYPH_DIGIT) {
            first = digits == 0 ? i : first;
            last = i;
            digits++;
        }
        if (i < words->glyphs.count && kind != GLYPH_LETTER) continue;
        if (digits > DIGITS_SHOWN_MAX) hide(words, first, last);
        digits = 0;
    }
}

static bool is_of_key(const struct glyph *glyph)
{
    if (glyph->digit >= 0) return true;
    return glyph->point < 0x80 && glyph->point &&
           (glyph->kind == GLYPH_LETTER || strchr("_-.+/=", (int)glyph->point));
}

static void hide_keys(struct words *words)
{
    const struct glyphs *glyphs = &words->glyphs;
    size_t first = 0;
    bool has_digit = false;

    for (size_t i = 0; i <= glyphs->count; i++) {
        if (i < glyphs->count && is_of_key(&glyphs->at[i])) {
            has_digit |= glyphs->at[i].digit >= 0;
            continue;
        }
        if (has_digit && i - first > WORD_SHOWN_MAX) hide(words, first, i - 1);
        first = i + 1;
        has_digit = false;
    }
}

/* Returns the place of the next digit from `at` on; the count where there is none. */
static size_t find_digit(const struct glyphs *glyphs, size_t at)
{
    while (at < glyphs->count && glyphs->at[at].digit < 0)
        at++;
    return at;
}

/* Hides the digits of `number` where they stand in their order, as in "1st: 4, 2nd: 9". There is a
 * row for each of the last ROWS digits of the text. In it, `[i]` is 0 unless the first i + 1 digits
 * of the number end with that digit; else it is 1 plus the place where they begin. */
static void hide_number(struct words *words, const struct glyph *number, size_t count)
{
    enum { ROWS = STRANGERS_MAX + 2 };
    const struct glyphs *glyphs = &words->glyphs;
    size_t begun[ROWS][DIGITS_SOUGHT_MAX] = {{0}}, nth = 0;

    assert(count > 0);
    if (count > DIGITS_SOUGHT_MAX) count = DIGITS_SOUGHT_MAX;
    for (size_t at = find_digit(glyphs, 0); at < glyphs->count; at = find_digit(glyphs, at + 1)) {
        size_t *here = begun[nth % ROWS];
        for (size_t i = 0; i < count; i++) {
            bool is_same = number[i].digit == glyphs->at[at].digit;
            here[i] = is_same && i == 0 ? at + 1 : 0;
            for (size_t back = 1; is_same && i > 0 && back < ROWS && back <= nth; back++) {
                size_t before = begun[(nth - back) % ROWS][i - 1];
                if (before > here[i]) here[i] = before;
            }
        }
        if (here[count - 1] > 0) hide(words, here[count - 1] - 1, at);
        nth++;
    }
}

static void hide_quotes(struct words *words, const struct glyphs *said)
{
    for (size_t i = find_digit(said, 0); i < said->count; i = find_digit(said, i)) {
        size_t count = 0;
        while (said->at[i + count].digit >= 0)
            count++;
        if (count > DIGITS_SHOWN_MAX) hide_number(words, said->at + i, count);
        i += count;
    }
}

static const char *put_words(const struct words *words, struct arena *arena)
{
    static const char mask[] = "***";
    const struct glyphs *glyphs = &words->glyphs;
    /* A mask may be longer than what it hides, which has at least one byte. */
    char *kept = arena_alloc(arena, glyphs->text.len * (sizeof(mask) - 1) + 1);
    size_t len = 0;

    for (size_t i = 0; i < glyphs->count; i++) {
        bool is_hidden = words->is_hidden[i];
        struct str shown = is_hidden ? STR(mask) : glyphs_source(glyphs, i, 1);
        if (is_hidden && i > 0 && words->is_hidden[i - 1]) continue;
        memcpy(kept + len, shown.data, shown.len);
        len += shown.len;
    }
    kept[len] = '\0';
    return kept;
}

const char *redact_codes(struct arena *arena, const char *text, struct str said)
{
    if (!text) return NULL;
    struct words words = {.glyphs = glyphs_read(str_of(text), arena)};
    struct glyphs quoted = glyphs_read(said, arena);

    words.is_hidden = arena_alloc(arena, words.glyphs.count + 1);
    hide_numbers(&words);
    hide_keys(&words);
    hide_quotes(&words, &quoted);
    return put_words(&words, arena);
}
