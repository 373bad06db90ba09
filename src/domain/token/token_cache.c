/*
 * The cache remembers tokens that were found good. A token belongs into one bucket of a few
 * entries, chosen by its hash; if the bucket is full, a dead entry makes room, or else the one that
 * was asked for the longest time ago. The hash is keyed by each process anew, so that nobody can
 * choose the bucket.
 */
#include "domain/token/token_cache.h"

#include "domain/token/token_claims.h"
#include "kit/base/must.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>

enum {
    WAYS = 8,
    BUCKETS = TOKEN_CACHE_MAX / WAYS,
    LOCKS = 64, /* each guards every 64th bucket */
};
static_assert(BUCKETS % LOCKS == 0 && BUCKETS <= UINT16_MAX, "two bytes of the hash choose");
static_assert(TOKEN_HASH_LEN == crypto_generichash_BYTES, "hash");

struct entry {
    struct token_hash hash;
    int64_t used_at;
    struct token_claims claims; /* there is no entry while their revision is 0 */
};

struct token_cache {
    uint8_t key[crypto_generichash_KEYBYTES];
    pthread_mutex_t locks[LOCKS];
    struct entry entries[BUCKETS][WAYS];
};

struct token_cache *token_cache_new(void)
{
    struct token_cache *cache = must_calloc(1, sizeof(*cache));
    random_bytes(cache->key, sizeof(cache->key));
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&cache->locks[i], NULL);
    return cache;
}

void token_cache_free(struct token_cache *cache)
{
    if (!cache) return;
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&cache->locks[i]);
    free(cache);
}

void token_cache_hash(const struct token_cache *cache, struct str token,
                      struct token_hash *ret_hash)
{
    crypto_generichash(ret_hash->bytes, sizeof(ret_hash->bytes), (const uint8_t *)token.data,
                       token.len, cache->key, sizeof(cache->key));
}

static size_t bucket_of(const struct token_hash *hash)
{
    return ((size_t)hash->bytes[0] << 8 | hash->bytes[1]) % BUCKETS;
}

/* Finds the entry of this token; NULL: there is none. */
static struct entry *find_entry(struct entry bucket[static WAYS], const struct token_hash *hash)
{
    for (int i = 0; i < WAYS; i++) {
        bool is_it = memcmp(bucket[i].hash.bytes, hash->bytes, TOKEN_HASH_LEN) == 0;
        if (bucket[i].claims.revision != 0 && is_it) return &bucket[i];
    }
    return NULL;
}

bool token_cache_find(struct token_cache *cache, const struct token_hash *hash, uint64_t revision,
                      int64_t now_ms, struct token_claims *ret_claims)
{
    size_t bucket = bucket_of(hash);
    pthread_mutex_t *lock = &cache->locks[bucket % LOCKS];

    pthread_mutex_lock(lock);
    struct entry *entry = find_entry(cache->entries[bucket], hash);
    bool is_good =
        entry && entry->claims.revision == revision && token_claims_hold(&entry->claims, now_ms);
    if (is_good) {
        entry->used_at = now_ms;
        *ret_claims = entry->claims;
    }
    pthread_mutex_unlock(lock);
    return is_good;
}

/* The entry that is worth least makes room. */
static int64_t worth(const struct entry *entry, uint64_t revision, int64_t now_ms)
{
    bool is_dead = entry->claims.revision != revision || entry->claims.expires_at <= now_ms;
    return is_dead ? INT64_MIN : entry->used_at;
}

static struct entry *make_room(struct entry bucket[static WAYS], uint64_t revision, int64_t now_ms)
{
    struct entry *least = &bucket[0];

    for (int i = 1; i < WAYS; i++) {
        if (worth(&bucket[i], revision, now_ms) < worth(least, revision, now_ms))
            least = &bucket[i];
    }
    return least;
}

void token_cache_put(struct token_cache *cache, const struct token_hash *hash, int64_t now_ms,
                     const struct token_claims *claims)
{
    size_t bucket = bucket_of(hash);
    pthread_mutex_t *lock = &cache->locks[bucket % LOCKS];

    pthread_mutex_lock(lock);
    struct entry *entry = find_entry(cache->entries[bucket], hash);
    if (!entry) entry = make_room(cache->entries[bucket], claims->revision, now_ms);
    *entry = (struct entry){*hash, now_ms, *claims};
    pthread_mutex_unlock(lock);
}
