/* A hash table of small sets, in which the oldest row makes room. */
#include "domain/operator/operator_guard.h"

#include "kit/base/must.h"
#include "kit/base/secret.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    SET_COUNT = 512,
    SET_SIZE = 8,
    FORGET_MS = 15 * 60 * 1000, /* behind the last wrong password of a pair */
    FIRST_WAIT_MS = 1000,
    DOUBLINGS_MAX = 6,
};

struct row {
    uint64_t pair;   /* a keyed hash, so that nobody can aim at a set */
    int64_t last_ms; /* 0: free */
    int wrong;
};

struct login_guard {
    pthread_mutex_t lock;
    char salt[16];
    struct row rows[SET_COUNT][SET_SIZE];
};

struct login_guard *login_guard_new(void)
{
    struct login_guard *guard = must_calloc(1, sizeof(*guard));
    pthread_mutex_init(&guard->lock, NULL);
    random_bytes(guard->salt, sizeof(guard->salt));
    return guard;
}

void login_guard_free(struct login_guard *guard)
{
    if (!guard) return;
    pthread_mutex_destroy(&guard->lock);
    free(guard);
}

static uint64_t hash_pair(const struct login_guard *guard, const char *name_key,
                          const struct in6_addr *address)
{
    struct http_source source = http_source_of(address);
    uint8_t name[SECRET_HASH_LEN], hash[SECRET_HASH_LEN];
    char text[sizeof(guard->salt) + sizeof(source) + sizeof(name)];
    uint64_t value;

    secret_hash(str_of(name_key), name);
    memcpy(text, guard->salt, sizeof(guard->salt));
    memcpy(text + sizeof(guard->salt), &source, sizeof(source));
    memcpy(text + sizeof(guard->salt) + sizeof(source), name, sizeof(name));
    secret_hash((struct str){text, sizeof(text)}, hash);
    memcpy(&value, hash, sizeof(value));
    return value;
}

static int64_t wait_behind(int wrong)
{
    int doublings = wrong - OPERATOR_FREE_TRIES;

    if (doublings < 0) return 0;
    int64_t wait_ms = (int64_t)FIRST_WAIT_MS
                      << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);
    return wait_ms < OPERATOR_WAIT_MAX_MS ? wait_ms : OPERATOR_WAIT_MAX_MS;
}

/* Under the lock. Returns the row of the pair, or NULL and the row to use in `ret_room`. */
static struct row *find(struct login_guard *guard, uint64_t pair, int64_t now_ms,
                        struct row **ret_room)
{
    struct row *set = guard->rows[pair % SET_COUNT];

    *ret_room = &set[0];
    for (int i = 0; i < SET_SIZE; i++) {
        bool is_fresh = set[i].last_ms != 0 && now_ms - set[i].last_ms < FORGET_MS;
        if (is_fresh && set[i].pair == pair) return &set[i];
        if (set[i].last_ms < (*ret_room)->last_ms) *ret_room = &set[i];
    }
    return NULL;
}

int64_t login_guard_wait(struct login_guard *guard, const char *name_key,
                         const struct in6_addr *address, int64_t now_ms)
{
    uint64_t pair = hash_pair(guard, name_key, address);
    struct row *room;

    pthread_mutex_lock(&guard->lock);
    const struct row *row = find(guard, pair, now_ms, &room);
    int64_t left_ms = row ? row->last_ms + wait_behind(row->wrong) - now_ms : 0;
    pthread_mutex_unlock(&guard->lock);
    return left_ms > 0 ? left_ms : 0;
}

void login_guard_count(struct login_guard *guard, const char *name_key,
                       const struct in6_addr *address, bool is_right, int64_t now_ms)
{
    uint64_t pair = hash_pair(guard, name_key, address);
    struct row *room;

    pthread_mutex_lock(&guard->lock);
    struct row *row = find(guard, pair, now_ms, &room);
    if (is_right && row) *row = (struct row){.last_ms = 0};
    if (!is_right && !row) {
        row = room;
        *row = (struct row){.pair = pair};
    }
    if (!is_right) {
        row->last_ms = now_ms;
        row->wrong++;
    }
    pthread_mutex_unlock(&guard->lock);
}
