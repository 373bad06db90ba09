/* A hash table of small sets; within a set the oldest row makes room. */
#include "app/throttle.h"

#include "kit/base/secret.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SET_COUNT = 1024, SET_SIZE = 8 };

struct row {
    uint64_t address; /* a keyed hash, so that nobody can aim at a set */
    int64_t since_ms; /* 0: free */
    int count;
};

struct throttle {
    pthread_mutex_t lock;
    atomic_bool is_used; /* spares the lock while nobody ever failed */
    char salt[16];
    struct row rows[SET_COUNT][SET_SIZE];
};

struct throttle *throttle_new(void)
{
    struct throttle *throttle = calloc(1, sizeof(*throttle));
    if (!throttle) abort();
    pthread_mutex_init(&throttle->lock, NULL);
    random_bytes(throttle->salt, sizeof(throttle->salt));
    return throttle;
}

void throttle_free(struct throttle *throttle)
{
    if (!throttle) return;
    pthread_mutex_destroy(&throttle->lock);
    free(throttle);
}

static uint64_t hash_address(const struct throttle *throttle, const char *address)
{
    char text[96];
    uint8_t hash[SECRET_HASH_LEN];
    uint64_t value;
    size_t len = strnlen(address, sizeof(text) - sizeof(throttle->salt));

    memcpy(text, throttle->salt, sizeof(throttle->salt));
    memcpy(text + sizeof(throttle->salt), address, len);
    secret_hash((struct str){text, sizeof(throttle->salt) + len}, hash);
    memcpy(&value, hash, sizeof(value));
    return value;
}

static bool is_current(const struct row *row, int64_t now_ms)
{
    return row->since_ms != 0 && now_ms >= row->since_ms &&
           now_ms < row->since_ms + THROTTLE_WINDOW_MS;
}

/* The address's row of this minute; else NULL, and `ret_room` is where one can be made. */
static struct row *find(struct throttle *throttle, uint64_t address, int64_t now_ms,
                        struct row **ret_room)
{
    struct row *set = throttle->rows[address % SET_COUNT];
    struct row *oldest = &set[0];

    for (int i = 0; i < SET_SIZE; i++) {
        if (set[i].address == address && is_current(&set[i], now_ms)) return &set[i];
        if (set[i].since_ms < oldest->since_ms) oldest = &set[i];
    }
    *ret_room = oldest;
    return NULL;
}

int64_t throttle_wait_ms(struct throttle *throttle, const char *address, int64_t now_ms)
{
    struct row *room;
    int64_t wait_ms = 0;

    if (!atomic_load_explicit(&throttle->is_used, memory_order_relaxed)) return 0;
    uint64_t hash = hash_address(throttle, address);
    pthread_mutex_lock(&throttle->lock);
    const struct row *row = find(throttle, hash, now_ms, &room);
    if (row && row->count >= THROTTLE_FAILURES_MAX)
        wait_ms = row->since_ms + THROTTLE_WINDOW_MS - now_ms;
    pthread_mutex_unlock(&throttle->lock);
    return wait_ms;
}

void throttle_add_failure(struct throttle *throttle, const char *address, int64_t now_ms)
{
    struct row *room = NULL;
    uint64_t hash = hash_address(throttle, address);

    pthread_mutex_lock(&throttle->lock);
    atomic_store_explicit(&throttle->is_used, true, memory_order_relaxed);
    struct row *row = find(throttle, hash, now_ms, &room);
    if (row)
        row->count++;
    else
        *room = (struct row){.address = hash, .since_ms = now_ms, .count = 1};
    pthread_mutex_unlock(&throttle->lock);
}
