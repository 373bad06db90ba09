/*
 * The keys in memory are a snapshot that never changes and is replaced as a whole. Whoever uses it
 * holds on to it, and the last one to let go frees it, so that the lock is never held for longer
 * than it takes to copy a pointer. Seeds lie in secret memory, and only those of keys that may
 * still sign.
 *
 * The times of the keys alone say which of them signs. Where that one cannot be used, none signs:
 * the one before it leaves the key sets of others before its new tokens would expire.
 */
#include "domain/token/keyring.h"

#include "domain/token/token_key.h"
#include "domain/token/token_records.h"
#include "kit/base/must.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

struct ring_key {
    struct jose_key key;
    int64_t signs_from;
    int64_t published_until;
    struct secret signer; /* struct jose_signer; unset: this one does not sign here */
    bool is_void;         /* there is no key to it, only its times */
    bool is_judged;       /* `fault` is known; false: it is what it was */
    const char *fault;    /* NULL, or why it cannot be used */
    const char *told;     /* the fault that keyring_next_news told of last; under the lock */
};

static_assert(alignof(struct jose_signer) == 1, "secret memory is not aligned");

struct ring {
    atomic_int users;
    size_t count;
    struct ring_key *keys; /* of own ones the oldest first */
    char *set_json;
    int64_t set_until; /* set_json is right until then */
};

struct keyring {
    pthread_mutex_t lock;
    struct ring *ring;
    uint64_t revision;
    atomic_bool is_silent; /* nothing is signed */
};

/* --- Snapshots -------------------------------------------------------------------------------- */

static struct ring *ring_new(size_t count)
{
    struct ring *ring = must_calloc(1, sizeof(*ring));
    struct ring_key *keys = must_calloc(count > 0 ? count : 1, sizeof(*keys));
    ring->users = 1;
    ring->keys = keys;
    return ring;
}

static void ring_release(struct ring **held)
{
    struct ring *ring = *held;

    if (!ring || atomic_fetch_sub(&ring->users, 1) > 1) return;
    for (size_t i = 0; i < ring->count; i++)
        secret_done(&ring->keys[i].signer);
    free(ring->keys);
    free(ring->set_json);
    free(ring);
}

#define AUTO_RING __attribute__((cleanup(ring_release))) struct ring

static struct ring *hold(const struct keyring *keyring)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&keyring->lock;

    pthread_mutex_lock(lock);
    struct ring *ring = keyring->ring;
    atomic_fetch_add(&ring->users, 1);
    pthread_mutex_unlock(lock);
    return ring;
}

/* Writes the key set as it is at `now_ms`; `ret_until` is when the next key leaves it. */
static const char *write_set(const struct ring *ring, int64_t now_ms, struct arena *arena,
                             int64_t *ret_until)
{
    struct jose_key *keys = arena_array(arena, ring->count, sizeof(*keys));
    size_t count = 0;

    *ret_until = INT64_MAX;
    for (size_t i = 0; i < ring->count; i++) {
        int64_t until = ring->keys[i].published_until;
        if (until <= now_ms || ring->keys[i].is_void) continue;
        if (until < *ret_until) *ret_until = until;
        keys[count++] = ring->keys[i].key;
    }
    return key_set_text(keys, count, arena);
}

/* Completes a ring, in which nothing changes from here on. */
static void finish_ring(struct ring *ring, int64_t now_ms)
{
    struct arena arena;

    arena_init(&arena);
    ring->set_json = must_strdup(write_set(ring, now_ms, &arena, &ring->set_until));
    arena_done(&arena);
}

static bool has_same_keys(const struct ring *a, const struct ring *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct jose_key *left = &a->keys[i].key, *right = &b->keys[i].key;
        if (strcmp(left->kid, right->kid) != 0) return false;
        if (memcmp(left->public_key, right->public_key, JOSE_PUBLIC_LEN) != 0) return false;
    }
    return true;
}

static const char *told_of(const struct ring *ring, const char *kid)
{
    for (size_t i = 0; i < ring->count; i++) {
        if (strcmp(ring->keys[i].key.kid, kid) == 0) return ring->keys[i].told;
    }
    return NULL;
}

/* News that was told of a key stays told. */
static void inherit_news(struct ring *ring, const struct ring *old)
{
    for (size_t i = 0; i < ring->count; i++) {
        struct ring_key *key = &ring->keys[i];
        key->told = told_of(old, key->key.kid);
        if (!key->is_judged) key->fault = key->told;
    }
}

static void replace(struct keyring *keyring, struct ring *take_ring)
{
    pthread_mutex_lock(&keyring->lock);
    struct ring *old = keyring->ring;
    inherit_news(take_ring, old);
    if (!has_same_keys(old, take_ring)) keyring->revision++;
    keyring->ring = take_ring;
    pthread_mutex_unlock(&keyring->lock);
    ring_release(&old);
}

/* --- Keyrings --------------------------------------------------------------------------------- */

struct keyring *keyring_new(void)
{
    struct keyring *keyring = must_calloc(1, sizeof(*keyring));
    pthread_mutex_init(&keyring->lock, NULL);
    keyring->revision = 1;
    keyring->ring = ring_new(0);
    finish_ring(keyring->ring, 0);
    return keyring;
}

void keyring_free(struct keyring *keyring)
{
    if (!keyring) return;
    ring_release(&keyring->ring);
    pthread_mutex_destroy(&keyring->lock);
    free(keyring);
}

static void take_signer(struct ring_key *ring_key, struct work *work, const struct signing_key *key)
{
    struct jose_signer signer;
    enum err err = token_key_open(work, key, &signer, &ring_key->fault);
    if (err) return;
    secret_init(&ring_key->signer, (struct str){(const char *)&signer, sizeof(signer)});
    secret_wipe(&signer, sizeof(signer));
}

static void fill_key(struct ring_key *ring_key, struct work *work, const struct signing_key *key,
                     bool with_seeds)
{
    /* A key is needed for a while after its time, since clocks may step back. */
    bool is_needed =
        key->signs_until == 0 || work->now_ms < key->signs_until + KEY_MARGIN_S * INT64_C(1000);
    bool may_sign = with_seeds && is_needed;

    ring_key->key = key->key;
    ring_key->signs_from = key->signs_from;
    ring_key->published_until = token_key_published_until(key);
    ring_key->is_void = key->fault != NULL;
    ring_key->is_judged = ring_key->is_void || may_sign || !with_seeds;
    ring_key->fault = key->fault;
    if (may_sign) take_signer(ring_key, work, key);
}

enum err keyring_load(struct keyring *keyring, struct work *work, bool with_seeds)
{
    struct signing_key_list list;
    enum err err = token_list_keys(work, &list);
    if (err) return err;
    const struct signing_key *keys = list.keys.items;
    struct ring *ring = ring_new(list.keys.count);
    for (size_t i = 0; i < list.keys.count; i++)
        fill_key(&ring->keys[ring->count++], work, &keys[i], with_seeds);
    finish_ring(ring, work->now_ms);
    replace(keyring, ring);
    return ERR_OK;
}

void keyring_set_foreign(struct keyring *keyring, const struct record_list *keys)
{
    const struct jose_key *key = keys->items;
    struct ring *ring = ring_new(keys->count);

    for (size_t i = 0; i < keys->count; i++) {
        if (!key[i].kid[0]) continue; /* no token could name it */
        ring->keys[ring->count++] = (struct ring_key){.key = key[i], .published_until = INT64_MAX};
    }
    finish_ring(ring, 0);
    replace(keyring, ring);
}

bool keyring_find(const struct keyring *keyring, const char *kid, struct jose_key *ret_key)
{
    AUTO_RING *ring = hold(keyring);

    for (size_t i = 0; i < ring->count; i++) {
        if (ring->keys[i].is_void || strcmp(ring->keys[i].key.kid, kid) != 0) continue;
        *ret_key = ring->keys[i].key;
        return true;
    }
    return false;
}

const char *keyring_publish(const struct keyring *keyring, int64_t now_ms, struct arena *arena)
{
    AUTO_RING *ring = hold(keyring);
    int64_t until;

    if (now_ms < ring->set_until) return arena_text(arena, ring->set_json);
    return write_set(ring, now_ms, arena, &until);
}

uint64_t keyring_revision(const struct keyring *keyring)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&keyring->lock;

    pthread_mutex_lock(lock);
    uint64_t revision = keyring->revision;
    pthread_mutex_unlock(lock);
    return revision;
}

/* Finds the newest key whose time has come. If none's has, another process has just made the first,
 * which will do. NULL: the key does not sign here. */
static const struct ring_key *signing_key_at(const struct ring *ring, int64_t now_ms)
{
    const struct ring_key *found = NULL;

    for (size_t i = 0; i < ring->count; i++) {
        const struct ring_key *key = &ring->keys[i];
        if (!found || key->signs_from <= now_ms) found = key;
    }
    return found && found->signer.data ? found : NULL;
}

void keyring_set_silent(struct keyring *keyring, bool is_silent)
{
    keyring->is_silent = is_silent;
}

const char *keyring_sign(const struct keyring *keyring, struct str claims, int64_t now_ms,
                         struct arena *arena)
{
    AUTO_RING *ring = hold(keyring);
    const struct ring_key *key = signing_key_at(ring, now_ms);

    if (!key || keyring->is_silent) return NULL;
    return jose_sign((const struct jose_signer *)key->signer.data, TOKEN_TYPE, claims, arena);
}

bool keyring_has_signer(const struct keyring *keyring, int64_t now_ms)
{
    AUTO_RING *ring = hold(keyring);
    return signing_key_at(ring, now_ms) != NULL;
}

bool keyring_next_news(struct keyring *keyring, struct keyring_news *ret_news)
{
    bool is_found = false;

    pthread_mutex_lock(&keyring->lock);
    struct ring *ring = keyring->ring;
    for (size_t i = 0; i < ring->count && !is_found; i++) {
        struct ring_key *key = &ring->keys[i];
        is_found = key->fault != key->told;
        if (!is_found) continue;
        key->told = key->fault;
        memcpy(ret_news->kid, key->key.kid, sizeof(ret_news->kid));
        ret_news->fault = key->fault;
    }
    pthread_mutex_unlock(&keyring->lock);
    return is_found;
}
