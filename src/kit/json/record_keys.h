/* The keys that objects of one text have had, so that a repeated one is found (contract, section
 * 1). Bounded by a number of keys in all; hashed under a random key, so that no caller can choose
 * keys that collide. */
#pragma once

#include "kit/base/arena.h"

#include <stdint.h>

enum { RECORD_KEYS_MAX = 16384, RECORD_KEYS_SEED_LEN = 16 };

struct record_key {
    uint64_t object;
    struct str text; /* data NULL: the slot is free */
};

struct record_keys {
    struct arena *arena;
    struct record_key *slots; /* NULL until the first key */
    size_t capacity, count;
    unsigned char seed[RECORD_KEYS_SEED_LEN];
};

enum record_key_state { KEY_IS_NEW, KEY_IS_REPEATED, KEY_IS_TOO_MANY };

/* Adds a key of the object with this number; `ret_kept` is a copy in the arena (with KEY_IS_NEW and
 * KEY_IS_REPEATED). */
enum record_key_state record_keys_add(struct record_keys *keys, uint64_t object, struct str key,
                                      struct str *ret_kept);
