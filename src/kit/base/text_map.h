/*
 * A text map gives each text a number, as for the ids of a large package. It keeps not the texts
 * but 128 bits of a keyed hash of each, so that no sender can choose two that collide. It grows as
 * needed. Without memory the process ends, but a large map only takes no more then.
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
    bool may_lack, lacks_memory; /* a large map found no memory for what was added */
};

void text_map_init(struct text_map *map);
/* The large map is for texts whose number an outside body decides. */
void text_map_init_large(struct text_map *map);
void text_map_done(struct text_map *map);
/* Empties it at once and keeps its memory. */
void text_map_clear(struct text_map *map);

/* Returns the bytes that it takes. */
size_t text_map_memory(const struct text_map *map);

/* Adds `text` with `number`. Returns false if it is there already: nothing changes, and
 * `ret_number` (which may be NULL) is the number that it has. Returns true as well if the map
 * `lacks_memory` for it, so that one look at that in the end serves many calls. */
bool text_map_add(struct text_map *map, struct str text, uint32_t number, uint32_t *ret_number);
/* Does the same for a pair of texts. */
bool text_map_add_pair(struct text_map *map, struct str first, struct str second, uint32_t number,
                       uint32_t *ret_number);
/* Gives a text that is there another number. */
void text_map_set(struct text_map *map, struct str text, uint32_t number);
/* Return false if it is not there. `ret_number` may be NULL. */
bool text_map_find(const struct text_map *map, struct str text, uint32_t *ret_number);
bool text_map_find_pair(const struct text_map *map, struct str first, struct str second,
                        uint32_t *ret_number);
