/*
 * A glyph is a character as its reader sees it: a digit, a letter, or something that stands between
 * them. All code that hides numbers, codes and names in texts reads them by this one walk
 * (contract, section 9.9).
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

/* A glyph is one character together with the unseen ones behind it. */
struct glyph {
    uint32_t point;
    enum glyph_kind kind; /* GLYPH_UNSEEN at the front of a text only */
    int digit; /* 0 to 9, in any script: ASCII, full-width, superscript, circled... -1: none */
    /* Only glyphs_read fills these: */
    uint32_t folded; /* as it is compared: a letter without its case, marks, width and style, and as
                        the Latin one that looks alike; a digit as that of ASCII */
    uint32_t offset; /* in its text */
};

/* Returns what one character is; `ret_digit` is the digit that it stands for, or -1. */
enum glyph_kind glyph_kind(uint32_t point, int *ret_digit);
/* Takes the first glyph off the front of a text that is not empty. */
struct glyph glyph_take(struct str *rest);

/* Holds the glyphs of a text; one more, which is no digit, marks its end. */
struct glyphs {
    struct str text;
    struct glyph *at;
    size_t count;
};
/* Reads a text of at most 4 GiB into the arena. */
struct glyphs glyphs_read(struct str text, struct arena *arena);
/* Returns the text in the arena as it is compared, glyph by glyph, without what nobody sees: two
 * that look alike become equal. "": nobody sees anything of it. */
char *glyphs_fold(struct arena *arena, const char *text) __attribute__((returns_nonnull));
/* Returns the bytes of `count` glyphs. */
struct str glyphs_source(const struct glyphs *glyphs, size_t begin, size_t count);

/* Returns the one character that stands for `point` and for its other case, in any alphabet. It is
 * the same on any machine, since folded names are stored. */
uint32_t fold_point(uint32_t point);
/* Returns the text in the arena, each character of it folded so: two names that differ in case
 * alone become equal. */
char *fold_text(struct arena *arena, const char *text) __attribute__((returns_nonnull));
/* Does the same with a text that may hold NULs. */
struct str fold_str(struct arena *arena, struct str text);
