/*
 * The map uses open addressing: a text lies in the slot that its hash names or in the next free one
 * behind it. A slot is in use if it has the map's generation, so that emptying a large map touches
 * no slot.
 */
#include "kit/base/text_map.h"

#include "kit/base/must.h"
#include "kit/base/secret.h"

#include <sodium.h>
#include <stdlib.h>

enum { CAPACITY_MIN = 64 }; /* a power of 2, as all capacities */

struct hash {
    uint64_t low, high;
};

struct text_map_slot {
    struct hash hash;
    uint32_t number;
    uint32_t generation;
};

static_assert(sizeof(struct hash) == crypto_shorthash_siphashx24_BYTES, "128 bits");
static_assert(sizeof((struct text_map){0}.key) == crypto_shorthash_siphashx24_KEYBYTES, "key");

void text_map_init(struct text_map *map)
{
    *map = (struct text_map){.generation = 1};
    random_bytes(map->key, sizeof map->key);
}

void text_map_init_large(struct text_map *map)
{
    text_map_init(map);
    map->may_lack = true;
}

void text_map_done(struct text_map *map)
{
    free(map->slots);
    *map = (struct text_map){0};
}

void text_map_clear(struct text_map *map)
{
    map->count = 0;
    if (++map->generation != 0) return;
    /* All generations were used; slots of the first ones would be in use again. */
    if (map->slots) memset(map->slots, 0, map->capacity * sizeof *map->slots);
    map->generation = 1;
}

size_t text_map_memory(const struct text_map *map)
{
    return map->capacity * sizeof *map->slots;
}

/* --- Hashes --- */

static struct hash hash_bytes(const struct text_map *map, const void *data, size_t len)
{
    struct hash hash;
    crypto_shorthash_siphashx24((unsigned char *)&hash, data, len, map->key);
    return hash;
}

static struct hash hash_text(const struct text_map *map, struct str text)
{
    return hash_bytes(map, text.data ? text.data : "", text.len);
}

/* Hashes both hashes, so that it matters where the first text ends. Without the key nobody can
 * write a single text that equals them. */
static struct hash hash_pair(const struct text_map *map, struct str first, struct str second)
{
    struct hash hashes[2] = {hash_text(map, first), hash_text(map, second)};
    return hash_bytes(map, hashes, sizeof hashes);
}

/* --- Slots --- */

/* Returns the slot of the hash, or the free one where it would be put; one is always free. */
static struct text_map_slot *slot_of(const struct text_map *map, const struct hash *hash)
{
    size_t mask = map->capacity - 1;
    for (size_t i = hash->low & mask;; i = (i + 1) & mask) {
        struct text_map_slot *slot = &map->slots[i];
        if (slot->generation != map->generation) return slot;
        if (slot->hash.low == hash->low && slot->hash.high == hash->high) return slot;
    }
}

static bool is_used(const struct text_map *map, const struct text_map_slot *slot)
{
    return slot->generation == map->generation;
}

static void resize(struct text_map *map, size_t capacity)
{
    struct text_map before = *map;
    struct text_map_slot *slots =
        map->may_lack ? may_calloc(capacity, sizeof *slots) : must_calloc(capacity, sizeof *slots);
    map->lacks_memory = !slots;
    if (!slots) return;
    map->capacity = capacity;
    map->slots = slots;
    for (size_t i = 0; i < before.capacity; i++)
        if (is_used(&before, &before.slots[i]))
            *slot_of(map, &before.slots[i].hash) = before.slots[i];
    free(before.slots);
}

static bool add(struct text_map *map, struct hash hash, uint32_t number, uint32_t *ret_number)
{
    /* At most 3 of 5 slots are in use; beyond that, a free one would be far to find. */
    bool has_room = (map->count + 1) * 5 <= map->capacity * 3;
    if (!has_room && !map->lacks_memory)
        resize(map, map->capacity ? map->capacity * 2 : CAPACITY_MIN);
    if (map->lacks_memory) return true;
    struct text_map_slot *slot = slot_of(map, &hash);
    if (is_used(map, slot)) {
        if (ret_number) *ret_number = slot->number;
        return false;
    }
    *slot = (struct text_map_slot){hash, number, map->generation};
    map->count++;
    return true;
}

static bool find(const struct text_map *map, struct hash hash, uint32_t *ret_number)
{
    const struct text_map_slot *slot = slot_of(map, &hash);
    if (!is_used(map, slot)) return false;
    if (ret_number) *ret_number = slot->number;
    return true;
}

/* --- Texts and pairs --- */

bool text_map_add(struct text_map *map, struct str text, uint32_t number, uint32_t *ret_number)
{
    return add(map, hash_text(map, text), number, ret_number);
}

bool text_map_add_pair(struct text_map *map, struct str first, struct str second, uint32_t number,
                       uint32_t *ret_number)
{
    return add(map, hash_pair(map, first, second), number, ret_number);
}

void text_map_set(struct text_map *map, struct str text, uint32_t number)
{
    struct hash hash = hash_text(map, text);
    struct text_map_slot *slot = slot_of(map, &hash);
    assert(is_used(map, slot));
    slot->number = number;
}

bool text_map_find(const struct text_map *map, struct str text, uint32_t *ret_number)
{
    return map->count && find(map, hash_text(map, text), ret_number);
}

bool text_map_find_pair(const struct text_map *map, struct str first, struct str second,
                        uint32_t *ret_number)
{
    return map->count && find(map, hash_pair(map, first, second), ret_number);
}
