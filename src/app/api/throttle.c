/* The hash table has small sets, in which the oldest row makes room. */
#include "app/api/throttle.h"

#include "kit/base/must.h"
#include "kit/base/secret.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    SET_COUNT = 1024,
    SET_SIZE = 8,
};

struct row {
    uint64_t source;  /* a keyed hash, so that no client can aim at a set */
    int64_t since_ms; /* 0: free */
    int count;
};

struct throttle {
    pthread_mutex_t lock;
    _Atomic int64_t turns_until_ms; /* spares the lock while no address failed too often */
    char salt[16];
    struct row rows[SET_COUNT][SET_SIZE];
    struct row all; /* the failures of all addresses */
    int told;       /* so many of them were logged one by one */
    struct throttle_flood flood;
    int64_t flood_since_ms;

    pthread_mutex_t turn_lock; /* guards all below */
    bool is_turn_taken;
    struct throttle_turn *first, **end;
};

struct throttle *throttle_new(void)
{
    struct throttle *throttle = must_calloc(1, sizeof(*throttle));
    pthread_mutex_init(&throttle->lock, NULL);
    pthread_mutex_init(&throttle->turn_lock, NULL);
    throttle->end = &throttle->first;
    random_bytes(throttle->salt, sizeof(throttle->salt));
    return throttle;
}

void throttle_free(struct throttle *throttle)
{
    if (!throttle) return;
    assert(!throttle->first && !throttle->is_turn_taken);
    pthread_mutex_destroy(&throttle->lock);
    pthread_mutex_destroy(&throttle->turn_lock);
    free(throttle);
}

/* --- Counting --------------------------------------------------------------------------------- */

static uint64_t hash_source(const struct throttle *throttle, const struct in6_addr *address)
{
    struct http_source source = http_source_of(address);
    char text[sizeof(throttle->salt) + sizeof(source)];
    uint8_t hash[SECRET_HASH_LEN];
    uint64_t value;

    memcpy(text, throttle->salt, sizeof(throttle->salt));
    memcpy(text + sizeof(throttle->salt), &source, sizeof(source));
    secret_hash((struct str){text, sizeof(text)}, hash);
    memcpy(&value, hash, sizeof(value));
    return value;
}

static bool is_current(const struct row *row, int64_t now_ms)
{
    return row->since_ms != 0 && now_ms < row->since_ms + THROTTLE_WINDOW_MS;
}

/* Returns the source's row of this minute; or NULL, and the row to use in `ret_room`. */
static struct row *find(struct throttle *throttle, uint64_t source, int64_t now_ms,
                        struct row **ret_room)
{
    struct row *set = throttle->rows[source % SET_COUNT];
    struct row *oldest = &set[0];

    for (int i = 0; i < SET_SIZE; i++) {
        if (set[i].source == source && is_current(&set[i], now_ms)) return &set[i];
        if (set[i].since_ms < oldest->since_ms) oldest = &set[i];
    }
    *ret_room = oldest;
    return NULL;
}

/* Returns how long the minute of the row still lasts. */
static int64_t left_ms(const struct row *row, int64_t now_ms)
{
    int64_t left_ms = row->since_ms + THROTTLE_WINDOW_MS - now_ms;
    return left_ms < THROTTLE_WINDOW_MS ? left_ms : THROTTLE_WINDOW_MS;
}

/* Counts a failure; returns how long the minute of the row still lasts if it has more than `max`,
 * else 0. */
static int64_t count(struct throttle *throttle, struct row *row, int max, int64_t now_ms)
{
    int64_t end_ms = row->since_ms + THROTTLE_WINDOW_MS;

    row->count += row->count < INT32_MAX;
    if (row->count >= max && end_ms > atomic_load(&throttle->turns_until_ms))
        atomic_store(&throttle->turns_until_ms, end_ms);
    return row->count <= max ? 0 : left_ms(row, now_ms);
}

static void join_flood(struct throttle *throttle, const struct in6_addr *address, int failures,
                       int64_t now_ms)
{
    struct throttle_flood *flood = &throttle->flood;

    if (flood->failures++ == 0) throttle->flood_since_ms = now_ms;
    if (failures <= flood->address_failures) return;
    flood->address = *address;
    flood->address_failures = failures;
}

struct throttle_failure throttle_add_failure(struct throttle *throttle,
                                             const struct in6_addr *address, int64_t now_ms)
{
    struct row *room = NULL, *all = &throttle->all;
    uint64_t source = hash_source(throttle, address);
    struct throttle_failure failure;

    pthread_mutex_lock(&throttle->lock);
    if (!is_current(all, now_ms)) {
        *all = (struct row){.since_ms = now_ms};
        throttle->told = 0;
    }
    struct row *row = find(throttle, source, now_ms, &room);
    if (!row) {
        row = room;
        *row = (struct row){.source = source, .since_ms = now_ms};
    }
    (void)count(throttle, all, THROTTLE_FAILURES_OF_ALL, now_ms);
    failure.wait_ms = count(throttle, row, THROTTLE_FAILURES_MAX, now_ms);
    failure.left = row->count < THROTTLE_FAILURES_MAX ? THROTTLE_FAILURES_MAX - row->count : 0;
    failure.left_ms = left_ms(row, now_ms);
    failure.is_told = row->count <= THROTTLE_TOLD_OF_ONE && throttle->told < THROTTLE_TOLD_OF_ALL;
    if (failure.is_told)
        throttle->told++;
    else
        join_flood(throttle, address, row->count, now_ms);
    pthread_mutex_unlock(&throttle->lock);
    return failure;
}

bool throttle_take_flood(struct throttle *throttle, int64_t now_ms, bool is_last,
                         struct throttle_flood *ret_flood)
{
    pthread_mutex_lock(&throttle->lock);
    int64_t age_ms = now_ms - throttle->flood_since_ms;
    bool is_over = is_last || age_ms < 0 || age_ms >= THROTTLE_WINDOW_MS;
    bool is_taken = is_over && throttle->flood.failures > 0;
    if (is_taken) {
        *ret_flood = throttle->flood;
        throttle->flood = (struct throttle_flood){.failures = 0};
    }
    pthread_mutex_unlock(&throttle->lock);
    return is_taken;
}

/* --- Turns ------------------------------------------------------------------------------------ */

bool throttle_is_in_turns(struct throttle *throttle, const struct in6_addr *address, int64_t now_ms)
{
    const struct row *all = &throttle->all;
    struct row *room;

    if (now_ms >= atomic_load_explicit(&throttle->turns_until_ms, memory_order_relaxed))
        return false;
    uint64_t source = hash_source(throttle, address);
    pthread_mutex_lock(&throttle->lock);
    const struct row *row = find(throttle, source, now_ms, &room);
    bool is_in_turns = (row && row->count >= THROTTLE_FAILURES_MAX) ||
                       (is_current(all, now_ms) && all->count >= THROTTLE_FAILURES_OF_ALL);
    pthread_mutex_unlock(&throttle->lock);
    return is_in_turns;
}

void throttle_begin_next(struct throttle *throttle)
{
    struct throttle_turn *turn;

    do {
        pthread_mutex_lock(&throttle->turn_lock);
        turn = throttle->first;
        if (turn) throttle->first = turn->next;
        if (!throttle->first) throttle->end = &throttle->first;
        throttle->is_turn_taken = turn;
        pthread_mutex_unlock(&throttle->turn_lock);
    } while (turn && !turn->begin(turn));
}

void throttle_await_turn(struct throttle *throttle, struct throttle_turn *turn)
{
    pthread_mutex_lock(&throttle->turn_lock);
    turn->next = NULL;
    *throttle->end = turn;
    throttle->end = &turn->next;
    bool is_free = !throttle->is_turn_taken;
    throttle->is_turn_taken = true;
    pthread_mutex_unlock(&throttle->turn_lock);
    if (is_free) throttle_begin_next(throttle);
}
