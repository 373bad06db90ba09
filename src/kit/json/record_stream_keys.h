/*
 * The keys that the open objects of a stream have had and no table knows, so that a repeated one is
 * found (contract, section 1); also the texts of lists whose items are distinct. Not the texts are
 * kept, but 128 bits of a keyed hash of each, so that no caller can choose two that collide.
 *
 * Objects close in the reverse order of their opening: what was added last is dropped first.
 */
#pragma once

#include "kit/base/str.h"

#include <stdint.h>

enum { STREAM_KEYS_SEED_LEN = 16 };

struct stream_key {
    uint64_t hash[2];
    bool is_repeated;
};

struct stream_keys {
    struct stream_key *keys; /* in the order in which they came */
    size_t count;
    uint32_t *slots; /* by hash: the place in `keys` plus 1, or 0 */
    size_t capacity; /* of `slots`; `keys` has half of it */
    unsigned char seed[STREAM_KEYS_SEED_LEN];
};

enum stream_key_state {
    STREAM_KEY_NEW,
    STREAM_KEY_REPEATED,
    STREAM_KEY_REPEATED_AGAIN, /* its repetition was told before */
    STREAM_KEY_TOO_MANY,       /* the maximum was reached; it is not added */
    STREAM_KEY_LACKS_MEMORY,   /* the same */
};

/* `keys` starts as all zeros. */
void stream_keys_done(struct stream_keys *keys);
/* Adds a key of the object or list that is open at this level. */
enum stream_key_state stream_keys_add(struct stream_keys *keys, unsigned level, struct str text);
/* Drops all but the first `count`. */
void stream_keys_rewind(struct stream_keys *keys, size_t count);
