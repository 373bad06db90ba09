/* What a character is to who reads it: a digit, a letter, or something that stands between. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The digit that a character is read as, 0 to 9, in any script: ASCII, full-width, superscript,
 * circled, Arabic... -1: none. */
int glyph_digit(uint32_t point);
/* Whether it is a letter, or a sign that is one word; no digit, punctuation, blank, symbol or mark,
 * and nothing that cannot be seen. */
bool glyph_is_letter(uint32_t point);
