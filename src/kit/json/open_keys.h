/*
 * These are the keys that the open objects of a text have had and no table knows, so that a
 * repeated one is found (contract, section 1); also the texts of lists whose items are distinct.
 * Each level has a map, which is emptied when the object or list there closes.
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

/* There may be `max` keys in all, of objects that are open or were. */
void open_keys_init(struct open_keys *keys, size_t max);
/* This is for a text of any length: there may be `max` keys of open objects at a time, and there
 * may be no memory for one. */
void open_keys_init_large(struct open_keys *keys, size_t max);
void open_keys_done(struct open_keys *keys);
/* Adds a key of what is open at this level, from 0 to JSON_DEPTH_MAX. */
enum open_key open_keys_add(struct open_keys *keys, unsigned level, struct str text);
/* Drops the keys of that level, since what was open there is whole. */
void open_keys_close(struct open_keys *keys, unsigned level);
/* Returns how many bytes they take. */
size_t open_keys_memory(const struct open_keys *keys);
