/* Names as the search compares them. */
#pragma once

#include "kit/base/arena.h"

/* `text`, valid UTF-8, without the difference between upper and lower case, in any alphabet: what
 * is stored of a name, and what is looked for in it. */
char *catalog_fold(struct arena *arena, const char *text) __attribute__((returns_nonnull));
