/*
 * What a character is to who reads it: a digit, a letter, or something that stands between. All
 * that hides numbers, codes and names in texts reads them by this one walk (contract, section 9.9).
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/str.h"

enum glyph_kind {
    GLYPH_BETWEEN, /* punctuation, blanks, symbols, controls, and what Unicode does not know */
    GLYPH_LETTER,  /* or a sign that is one word */
    GLYPH_DIGIT,
    GLYPH_UNSEEN, /* nobody sees it, or it is a mark on the character before it */
};

/* A character and all behind it that is unseen. */
struct glyph {
    uint32_t point;
    enum glyph_kind kind; /* GLYPH_UNSEEN at the front of a text only */
    int digit; /* 0 to 9, in any script: ASCII, full-width, superscript, circled... -1: none */
    /* Of glyphs_read only: */
    uint32_t folded; /* as it is compared: a letter without its case, marks, width and style, and as
                        the Latin one that looks alike; a digit as that of ASCII */
    uint32_t offset; /* in its text */
};

/* What one character is, and which digit; -1: none. */
enum glyph_kind glyph_kind(uint32_t point, int *ret_digit);
/* Takes the first one off the front of a text that is not empty. */
struct glyph glyph_take(struct str *rest);

/* Those of a text; one more, of no digit, marks its end. */
struct glyphs {
    struct str text;
    struct glyph *at;
    size_t count;
};
/* In the arena. The text is of at most 4 GiB. */
struct glyphs glyphs_read(struct str text, struct arena *arena);
/* The bytes of `count` of them. */
struct str glyphs_source(const struct glyphs *glyphs, size_t begin, size_t count);
