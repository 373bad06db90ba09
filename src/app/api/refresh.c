/* Each fetch is a round, and a waiter hears of the end of the first round that serves it. */
#include "app/api/refresh.h"

#include "kit/base/clock.h"
#include "kit/base/must.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static const int64_t LONG_AGO_MS = INT64_MIN / 2;

struct refresh {
    struct refresh_options options;
    pthread_mutex_t lock;
    int64_t round;         /* the number of the last fetch that began; 0: none did */
    int64_t started_at_ms; /* monotonic */
    int64_t due_at_ms;
    bool is_running;
    bool is_asked;
    bool was_good;    /* the last fetch succeeded */
    int64_t retry_ms; /* pause before the next try if the fetch under way fails */
    struct refresh_waiter *waiters;
    int waiting; /* the number of waiters */
};

struct refresh *refresh_new(const struct refresh_options *options)
{
    struct refresh *refresh = must_calloc(1, sizeof(*refresh));
    refresh->options = *options;
    refresh->started_at_ms = LONG_AGO_MS;
    refresh->retry_ms = options->retry_ms;
    pthread_mutex_init(&refresh->lock, NULL);
    return refresh;
}

void refresh_free(struct refresh *refresh)
{
    if (!refresh) return;
    assert(!refresh->waiters && !refresh->is_running);
    pthread_mutex_destroy(&refresh->lock);
    free(refresh);
}

/* --- Under the lock --------------------------------------------------------------------------- */

static bool may_start(const struct refresh *refresh, int64_t now_ms)
{
    return !refresh->is_running && now_ms - refresh->started_at_ms >= refresh->options.least_ms;
}

static void begin_round(struct refresh *refresh, int64_t now_ms)
{
    refresh->is_running = true;
    refresh->is_asked = false;
    refresh->started_at_ms = now_ms;
    refresh->round++;
}

/* Takes out those that wait for a round up to this one, or have waited since before that time. */
static struct refresh_waiter *take_waiters(struct refresh *refresh, int64_t round, int64_t since_ms)
{
    struct refresh_waiter *taken = NULL;

    for (struct refresh_waiter **link = &refresh->waiters; *link;) {
        struct refresh_waiter *waiter = *link;
        if (waiter->round > round && waiter->since_ms > since_ms) {
            link = &waiter->next;
            continue;
        }
        *link = waiter->next;
        refresh->waiting--;
        waiter->next = taken;
        taken = waiter;
    }
    return taken;
}

/* --- Without the lock ------------------------------------------------------------------------- */

static void tell(struct refresh_waiter *waiters, enum err err)
{
    while (waiters) {
        struct refresh_waiter *waiter = waiters;
        waiters = waiter->next; /* `done` may end it */
        waiter->err = err;
        waiter->done(waiter);
    }
}

void refresh_tick(struct refresh *refresh)
{
    int64_t now_ms = clock_monotonic_ms();

    pthread_mutex_lock(&refresh->lock);
    bool is_due = !refresh->is_running && now_ms >= refresh->due_at_ms;
    bool starts = is_due || (refresh->is_asked && may_start(refresh, now_ms));
    if (starts) begin_round(refresh, now_ms);
    struct refresh_waiter *late = take_waiters(refresh, 0, now_ms - REFRESH_WAIT_MAX_MS);
    pthread_mutex_unlock(&refresh->lock);

    tell(late, refresh->options.trouble);
    if (starts) refresh->options.start(refresh->options.arg);
}

void refresh_ask(struct refresh *refresh)
{
    int64_t now_ms = clock_monotonic_ms();

    pthread_mutex_lock(&refresh->lock);
    bool starts = !refresh->is_running;
    if (starts)
        begin_round(refresh, now_ms);
    else
        refresh->is_asked = true; /* the fetch under way may have missed it */
    pthread_mutex_unlock(&refresh->lock);
    if (starts) refresh->options.start(refresh->options.arg);
}

/* The fetch under way serves a waiter, unless the next one may begin soon, which is surely newer
 * than the wish. */
static bool find_round(struct refresh *refresh, int64_t now_ms, int64_t *ret_round)
{
    int64_t next_ms = refresh->started_at_ms + refresh->options.least_ms - now_ms;

    if (next_ms <= REFRESH_SOON_MS) {
        refresh->is_asked = true;
        *ret_round = refresh->round + 1;
        return true;
    }
    *ret_round = refresh->round;
    return refresh->is_running;
}

enum err refresh_wait(struct refresh *refresh, struct refresh_waiter *waiter)
{
    int64_t now_ms = clock_monotonic_ms();

    pthread_mutex_lock(&refresh->lock);
    enum err refusal = refresh->was_good ? ERR_UNAUTHORIZED : refresh->options.trouble;
    bool waits = find_round(refresh, now_ms, &waiter->round);
    if (waits && refresh->waiting >= refresh->options.waiting_max) {
        waits = false;
        refusal = ERR_OVERLOADED; /* its key may be right */
    }
    if (waits) {
        refresh->waiting++;
        waiter->since_ms = now_ms;
        waiter->next = refresh->waiters;
        refresh->waiters = waiter;
    }
    bool starts = waits && refresh->is_asked && may_start(refresh, now_ms);
    if (starts) begin_round(refresh, now_ms);
    pthread_mutex_unlock(&refresh->lock);

    if (starts) refresh->options.start(refresh->options.arg);
    return waits ? ERR_OK : refusal;
}

/* Returns the pause until the next fetch; a server that fails again and again is asked less often.
 */
static int64_t next_pause(struct refresh *refresh, bool is_good)
{
    const struct refresh_options *options = &refresh->options;
    int64_t retry_ms = refresh->retry_ms;
    int64_t longer_ms = 2 * retry_ms < options->retry_max_ms ? 2 * retry_ms : options->retry_max_ms;

    refresh->retry_ms = is_good ? options->retry_ms : longer_ms;
    return is_good ? options->period_ms : retry_ms;
}

void refresh_done(struct refresh *refresh, bool is_good)
{
    int64_t now_ms = clock_monotonic_ms();

    pthread_mutex_lock(&refresh->lock);
    refresh->is_running = false;
    refresh->was_good = is_good;
    refresh->due_at_ms = now_ms + next_pause(refresh, is_good);
    struct refresh_waiter *served = take_waiters(refresh, refresh->round, LONG_AGO_MS);
    pthread_mutex_unlock(&refresh->lock);
    tell(served, is_good ? ERR_OK : refresh->options.trouble);
}
