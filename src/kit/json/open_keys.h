/*
 * The keys that the open objects of a text have had and no table knows, so that a repeated one is
 * found (contract, section 1); also the texts of lists whose items are distinct. A map for each
 * level, which is emptied when the object or list there closes.
 */
#pragma once

#include "kit/base/text_map.h"
#include "kit/json/reader.h"

struct open_keys {
    size_t max, count;    /* of all levels */
    unsigned level_count; /* that had a key so far */
    bool is_large;
    struct text_map levels[JSON_DEPTH_MAX + 1];
};

enum open_key {
    KEY_IS_NEW,
    KEY_IS_REPEATED,
    KEY_IS_REPEATED_AGAIN, /* its repetition was told before */
    KEY_IS_TOO_MANY,       /* the maximum was reached; it is not added */
    KEY_LACKS_MEMORY,      /* the same */
};

/* `max`: how many keys there may be, of what is open and what was. */
void open_keys_init(struct open_keys *keys, size_t max);
/* For a text of any length: `max` of what is open at a time, and there may be no memory. */
void open_keys_init_large(struct open_keys *keys, size_t max);
void open_keys_done(struct open_keys *keys);
/* A key of what is open at this level, from 0 to JSON_DEPTH_MAX. */
enum open_key open_keys_add(struct open_keys *keys, unsigned level, struct str text);
/* What was open there is whole. */
void open_keys_close(struct open_keys *keys, unsigned level);
/* Bytes that they take. */
size_t open_keys_memory(const struct open_keys *keys);
