/*
 * Texts that differ in case alone become equal. Case folding has a table of its own, since folded
 * names are stored: with the C library's they would differ between machines of one database and
 * after an upgrade, and it has none where the system lacks locales.
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/str.h"

/* Returns the one character that stands for `point` and for its other case, in any alphabet. It is
 * the same on any machine. */
uint32_t fold_point(uint32_t point);
/* Returns the text in the arena, each character of it folded so. */
char *fold_text(struct arena *arena, const char *text) __attribute__((returns_nonnull));
/* Does the same with a text that may hold NULs. */
struct str fold_str(struct arena *arena, struct str text);
