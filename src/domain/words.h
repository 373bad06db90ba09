/* States are stored as the words of the contract: readable to whoever opens the database. */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* The index of `word` in a list that ends with NULL; -1 for NULL. Any other word is our bug. */
static inline int word_index(const char *const *words, const char *word)
{
    if (!word) return -1;
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) return i;
    }
    assert(!"a word that no table knows");
    return -1;
}
