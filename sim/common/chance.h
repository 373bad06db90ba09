/* Numbers that only look random: the same seed gives the same ones on every machine. */
#pragma once

#include "kit/base/uuid.h"

#include <stdbool.h>
#include <stdint.h>

struct chance {
    uint64_t state;
};

/* A row of numbers of its own for each thing that is made: what `purpose` and `index` name never
 * depends on how many numbers something else took. */
struct chance chance_of(uint64_t seed, uint64_t purpose, uint64_t index);

uint64_t chance_next(struct chance *chance);
/* In [0, bound); bound is above 0. */
uint32_t chance_below(struct chance *chance, uint32_t bound);
/* True once in `count` times. */
bool chance_once_in(struct chance *chance, uint32_t count);
/* An id in the form that ERPs export. */
void chance_guid(struct chance *chance, char ret_text[static UUID_TEXT_LEN + 1]);
