/* An open-addressing table over an array. Since the last key added is always the first one dropped,
 * clearing its slot leaves the table as it was before it came. */
#include "kit/json/record_stream_keys.h"

#include "kit/base/must.h"
#include "kit/json/record_stream.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>

enum { SLOTS_FIRST = 64 };

_Static_assert(crypto_shorthash_siphashx24_BYTES == sizeof(((struct stream_key *)0)->hash) &&
                   crypto_shorthash_siphashx24_KEYBYTES == STREAM_KEYS_SEED_LEN,
               "the hash fills a key");

void stream_keys_done(struct stream_keys *keys)
{
    free(keys->keys);
    free(keys->slots);
    *keys = (struct stream_keys){0};
}

/* The slot of an equal key, or the free one where it belongs. */
static uint32_t *find_slot(const struct stream_keys *keys, const struct stream_key *key)
{
    for (size_t i = key->hash[0] & (keys->capacity - 1);; i = (i + 1) & (keys->capacity - 1)) {
        uint32_t *slot = &keys->slots[i];
        if (*slot == 0) return slot;
        const struct stream_key *found = &keys->keys[*slot - 1];
        if (found->hash[0] == key->hash[0] && found->hash[1] == key->hash[1]) return slot;
    }
}

/* False: there is no memory; then it is as it was. */
static bool grow(struct stream_keys *keys)
{
    size_t capacity = keys->capacity > 0 ? keys->capacity * 2 : SLOTS_FIRST;
    uint32_t *slots = may_calloc(capacity, sizeof(*slots));
    struct stream_key *grown = may_realloc(keys->keys, capacity / 2, sizeof(*grown));

    if (grown) keys->keys = grown;
    if (!slots || !grown) {
        free(slots);
        return false;
    }
    if (keys->capacity == 0) randombytes_buf(keys->seed, sizeof(keys->seed));
    free(keys->slots);
    keys->slots = slots;
    keys->capacity = capacity;
    for (size_t i = 0; i < keys->count; i++)
        *find_slot(keys, &keys->keys[i]) = (uint32_t)(i + 1);
    return true;
}

enum stream_key_state stream_keys_add(struct stream_keys *keys, unsigned level, struct str text)
{
    struct stream_key key = {.is_repeated = false};

    if (keys->count * 2 == keys->capacity && !grow(keys)) return STREAM_KEY_LACKS_MEMORY;
    crypto_shorthash_siphashx24((unsigned char *)key.hash, (const unsigned char *)text.data,
                                text.len, keys->seed);
    key.hash[0] += level * 0x9E3779B97F4A7C15ULL; /* each object has its own */
    uint32_t *slot = find_slot(keys, &key);
    if (*slot > 0) {
        struct stream_key *first = &keys->keys[*slot - 1];
        if (first->is_repeated) return STREAM_KEY_REPEATED_AGAIN;
        first->is_repeated = true;
        return STREAM_KEY_REPEATED;
    }
    if (keys->count == STREAM_UNKNOWN_KEYS_MAX) return STREAM_KEY_TOO_MANY;
    keys->keys[keys->count++] = key;
    *slot = (uint32_t)keys->count;
    return STREAM_KEY_NEW;
}

void stream_keys_rewind(struct stream_keys *keys, size_t count)
{
    assert(count <= keys->count);
    while (keys->count > count) {
        uint32_t *slot = find_slot(keys, &keys->keys[keys->count - 1]);
        assert(*slot == keys->count);
        *slot = 0;
        keys->count--;
    }
}
