/*
 * Texts by their hash, each with a number: the ids of a large package. The texts are not kept but
 * 128 bits of a keyed hash of each, so that no caller can choose two that collide. Grows as needed;
 * out of memory ends the process, but for a large one, which then takes no more.
 */
#pragma once

#include "kit/base/str.h"

#include <stdint.h>

struct text_map_slot;

struct text_map {
    struct text_map_slot *slots; /* NULL while empty */
    size_t capacity, count;
    uint32_t generation; /* of the slots that are in use */
    unsigned char key[16];
    bool may_lack, lacks_memory; /* of a large one: there was no memory for what was added */
};

void text_map_init(struct text_map *map);
/* For what an outside body decides the size of. */
void text_map_init_large(struct text_map *map);
void text_map_done(struct text_map *map);
/* Empties it at once, keeps its memory. */
void text_map_clear(struct text_map *map);

/* Bytes that it takes. */
size_t text_map_memory(const struct text_map *map);

/* Adds `text` with `number`; false if it is there already: then `ret_number` (may be NULL) is the
 * number that it has, and nothing changes. True as well if it `lacks_memory` for it: one look at
 * that, in the end, serves many calls. */
bool text_map_add(struct text_map *map, struct str text, uint32_t number, uint32_t *ret_number);
/* The same for a pair of texts. */
bool text_map_add_pair(struct text_map *map, struct str first, struct str second, uint32_t number,
                       uint32_t *ret_number);
/* Gives a text that is there another number. */
void text_map_set(struct text_map *map, struct str text, uint32_t number);
/* False: it is not there. `ret_number` may be NULL. */
bool text_map_find(const struct text_map *map, struct str text, uint32_t *ret_number);
bool text_map_find_pair(const struct text_map *map, struct str first, struct str second,
                        uint32_t *ret_number);
