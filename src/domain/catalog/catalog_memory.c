/* The memory is a table of fixed size in small groups; a pair takes a place in the group that its
 * hash names. In place of ids it has 80 bits of a hash whose key no ERP knows, and only the lower
 * halves of numbers, so that a group is as long as what a processor reads at once. */
#include "domain/catalog/catalog_memory.h"

#include "kit/base/must.h"

#include <assert.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS = 64 * 1024, /* a power of 2 */
    GROUP_SIZE = 4,
};

struct hash {
    uint64_t low, high;
};

struct slot {
    uint64_t hash_high;
    uint32_t product, variant; /* 0: free */
};

struct group {
    struct slot slots[GROUP_SIZE];
};

struct catalog_memory {
    pthread_mutex_t lock;
    struct group groups[GROUPS]; /* 4 MB, of which the system gives what is used */
};

static_assert(sizeof(struct hash) == crypto_shorthash_siphashx24_BYTES, "128 bits");
static_assert(sizeof(struct hash) == crypto_shorthash_siphashx24_KEYBYTES, "a hash may be a key");

struct catalog_memory *catalog_memory_new(void)
{
    struct catalog_memory *memory = must_calloc(1, sizeof(*memory));
    pthread_mutex_init(&memory->lock, NULL);
    return memory;
}

void catalog_memory_free(struct catalog_memory *memory)
{
    if (!memory) return;
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

static struct hash hash_text(struct hash key, const char *text)
{
    struct hash hash;
    crypto_shorthash_siphashx24((unsigned char *)&hash, (const unsigned char *)text, strlen(text),
                                (const unsigned char *)&key);
    return hash;
}

/* The hash of the product is the key of the variant's: so it matters where an id ends. */
static struct hash hash_pair(const struct catalog_row *catalog, const struct catalog_pair *pair)
{
    struct hash key = {.low = (uint64_t)catalog->edition};
    return hash_text(hash_text(key, pair->product_id), pair->variant_id);
}

static struct group *group_of(struct catalog_memory *memory, struct hash hash)
{
    return &memory->groups[hash.low % GROUPS];
}

static struct slot *find(struct group *group, struct hash hash)
{
    for (size_t i = 0; i < GROUP_SIZE; i++) {
        struct slot *slot = &group->slots[i];
        if (slot->hash_high == hash.high && slot->variant != 0) return slot;
    }
    return NULL;
}

static struct slot *find_free(struct group *group)
{
    for (size_t i = 0; i < GROUP_SIZE; i++) {
        if (group->slots[i].variant == 0) return &group->slots[i];
    }
    return NULL;
}

bool catalog_memory_recall(struct catalog_memory *memory, const struct catalog_row *catalog,
                           struct catalog_pair *pair)
{
    struct hash hash = hash_pair(catalog, pair);

    pthread_mutex_lock(&memory->lock);
    const struct slot *slot = find(group_of(memory, hash), hash);
    if (slot) {
        pair->product = catalog_first_product(catalog) + slot->product;
        pair->variant = slot->variant;
    }
    pthread_mutex_unlock(&memory->lock);
    return slot != NULL;
}

void catalog_memory_keep(struct catalog_memory *memory, const struct catalog_row *catalog,
                         const struct catalog_pair *pair)
{
    int64_t product = pair->product - catalog_first_product(catalog);
    struct hash hash = hash_pair(catalog, pair);

    assert(product > 0 && product <= UINT32_MAX && pair->variant > 0);
    if (pair->variant > UINT32_MAX) return;
    pthread_mutex_lock(&memory->lock);
    struct group *group = group_of(memory, hash);
    struct slot *slot = find(group, hash);
    if (!slot) slot = find_free(group);
    if (!slot) slot = &group->slots[hash.high % GROUP_SIZE];
    *slot = (struct slot){hash.high, (uint32_t)product, (uint32_t)pair->variant};
    pthread_mutex_unlock(&memory->lock);
}
