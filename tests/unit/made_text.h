/* Texts that tests make, in the arena. */
#pragma once

#include "kit/base/arena.h"

#include <string.h>

/* JSON that is easier to read in C: ' stands for ". */
static inline char *quoted(struct arena *arena, const char *text)
{
    char *copy = arena_text(arena, text);
    for (char *at = copy; *at; at++)
        if (*at == '\'') *at = '"';
    return copy;
}

static inline char *repeat(struct arena *arena, const char *text, size_t count)
{
    size_t len = strlen(text);
    char *all = arena_alloc(arena, len * count + 1);

    for (size_t i = 0; i < count; i++)
        memcpy(all + len * i, text, len);
    all[len * count] = '\0';
    return all;
}
