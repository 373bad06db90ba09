/* States are stored as the words of the contract, so that people can read the database. */
#pragma once

#include <stddef.h>
#include <string.h>

/* Returns the index of `word` in a list that ends with NULL. It is -1 for NULL and for a word of a
 * later version of herald; the reader of the row returns ERR_INTERNAL then. */
static inline int word_index(const char *const *words, const char *word)
{
    for (int i = 0; word && words[i]; i++) {
        if (strcmp(words[i], word) == 0) return i;
    }
    return -1;
}
