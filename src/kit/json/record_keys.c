/* An open-addressing table of (object, key) in the arena; it doubles when half full. */
#include "kit/json/record_keys.h"

#include <sodium.h>

enum { SLOTS_FIRST = 32 };

static struct record_key *find_slot(const struct record_keys *keys, uint64_t object,
                                    struct str text)
{
    uint64_t hash;

    crypto_shorthash((unsigned char *)&hash, (const unsigned char *)text.data, text.len,
                     keys->seed);
    hash += object * 0x9E3779B97F4A7C15ULL; /* spreads the objects that share a key */
    for (size_t i = hash & (keys->capacity - 1);; i = (i + 1) & (keys->capacity - 1)) {
        struct record_key *slot = &keys->slots[i];
        if (!slot->text.data) return slot;
        if (slot->object == object && slot->text.len == text.len &&
            memcmp(slot->text.data, text.data, text.len) == 0)
            return slot;
    }
}

static void grow(struct record_keys *keys)
{
    struct record_key *old = keys->slots;
    size_t old_capacity = keys->capacity;

    if (!old) randombytes_buf(keys->seed, sizeof(keys->seed));
    keys->capacity = old ? old_capacity * 2 : SLOTS_FIRST;
    keys->slots = arena_array(keys->arena, keys->capacity, sizeof(*keys->slots));
    for (size_t i = 0; old && i < old_capacity; i++) {
        if (old[i].text.data) *find_slot(keys, old[i].object, old[i].text) = old[i];
    }
}

enum record_key_state record_keys_add(struct record_keys *keys, uint64_t object, struct str key,
                                      struct str *ret_kept)
{
    if (keys->count * 2 >= keys->capacity) grow(keys);
    struct record_key *slot = find_slot(keys, object, key);
    if (slot->text.data) {
        *ret_kept = slot->text;
        return KEY_IS_REPEATED;
    }
    if (keys->count == RECORD_KEYS_MAX) return KEY_IS_TOO_MANY;
    *slot = (struct record_key){.object = object, .text = {arena_str(keys->arena, key), key.len}};
    keys->count++;
    *ret_kept = slot->text;
    return KEY_IS_NEW;
}
