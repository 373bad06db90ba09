/* Some characters steer the program that shows a text: a terminal, a viewer of logs, an editor. */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/buf.h"

/* Returns the code point at `p` (p < end) if it is a control character (U+0000 to U+001F, U+007F to
 * U+009F), a line or paragraph separator (U+2028, U+2029) or turns the direction of what follows
 * (U+202A to U+202E, U+2066 to U+2069), and 0 if it is harmless. A NUL counts as U+FFFD. `ret_len`
 * is the number of its bytes. */
unsigned terminal_danger(const char *p, const char *end, int *ret_len);

/* Writes the text with each of these as \u and four hexadecimal digits, which within JSON is the
 * same text. Characters of `kept` stay: "\n" for a text of several lines, "" for a line. */
void terminal_escape(struct str text, const char *kept, struct buf *out);

/* Returns how many columns a terminal gives the text: two for each wide character, none for what
 * marks the one before it or is not seen. */
size_t terminal_width(struct str text);
/* Writes as much of the text as fits into so many columns; where that is not all, an ellipsis
 * stands in the last one. */
void terminal_cut(struct str text, size_t columns, struct buf *out);
/* Returns how many columns the terminal of that descriptor has; 0: it is none, or does not say. */
size_t terminal_columns(int fd);

/* Returns a word as it is typed for a shell: in quotes where it has more than letters, digits and
 * -_.:/@. */
const char *terminal_quote(const char *word, struct arena *arena);
