/* One thread runs parked requests again; what they ask the database goes its usual ways. */
#include "app/api/parking.h"

#include "app/api/dispatch.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <stdlib.h>

enum {
    PARKED_MAX = 1000,
    TICK_MS = 100,  /* so exact is the end of a wait */
    PACE_MS = 20,   /* between two waves of all */
    LOOK_MS = 1000, /* hints can be lost */
};

struct parking {
    void (*run)(struct dispatch *ex);
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t is_woken;
    bool is_stopping;
    bool has_news;
    uint64_t news; /* how often there was some */
    struct dispatch *rows[PARKED_MAX];
    size_t count;
};

void parking_look(struct parking *parking, struct dispatch *ex)
{
    pthread_mutex_lock(&parking->lock);
    ex->news = parking->news;
    pthread_mutex_unlock(&parking->lock);
}

bool parking_add(struct parking *parking, struct dispatch *ex)
{
    int64_t now_ms = clock_monotonic_ms();

    if (ex->parked_until_ms == 0) ex->parked_until_ms = now_ms + ex->rq.wait_ms;
    pthread_mutex_lock(&parking->lock);
    bool is_taken =
        now_ms < ex->parked_until_ms && parking->count < PARKED_MAX && !parking->is_stopping;
    if (is_taken) {
        parking->rows[parking->count++] = ex;
        if (ex->news != parking->news) parking->has_news = true; /* it looked too early */
        pthread_cond_signal(&parking->is_woken);
    }
    pthread_mutex_unlock(&parking->lock);
    return is_taken;
}

void parking_wake(void *arg)
{
    struct parking *parking = arg;

    pthread_mutex_lock(&parking->lock);
    parking->news++;
    parking->has_news = true;
    pthread_cond_signal(&parking->is_woken);
    pthread_mutex_unlock(&parking->lock);
}

/* Takes out all, or those whose time is over. */
static size_t take(struct parking *parking, bool takes_all, struct dispatch **ret_rows)
{
    int64_t now_ms = clock_monotonic_ms();
    size_t kept = 0, taken = 0;

    pthread_mutex_lock(&parking->lock);
    for (size_t i = 0; i < parking->count; i++) {
        struct dispatch *ex = parking->rows[i];
        if (takes_all || now_ms >= ex->parked_until_ms)
            ret_rows[taken++] = ex;
        else
            parking->rows[kept++] = ex;
    }
    parking->count = kept;
    pthread_mutex_unlock(&parking->lock);
    return taken;
}

/* Returns false once the thread is to end. */
static bool await_news(struct parking *parking, bool *ret_has_news)
{
    struct timespec pace = thread_deadline(PACE_MS), tick = thread_deadline(TICK_MS);
    int timed_out = 0;

    pthread_mutex_lock(&parking->lock);
    while (parking->count == 0 && !parking->is_stopping)
        pthread_cond_wait(&parking->is_woken, &parking->lock);
    while (!parking->is_stopping && !timed_out)
        timed_out = pthread_cond_timedwait(&parking->is_woken, &parking->lock, &pace);
    timed_out = 0;
    while (!parking->is_stopping && !parking->has_news && !timed_out)
        timed_out = pthread_cond_timedwait(&parking->is_woken, &parking->lock, &tick);
    *ret_has_news = parking->has_news;
    parking->has_news = false;
    bool goes_on = !parking->is_stopping;
    pthread_mutex_unlock(&parking->lock);
    return goes_on;
}

static void *park_on(void *arg)
{
    struct parking *parking = arg;
    struct dispatch **rows = must_calloc(PARKED_MAX, sizeof(struct dispatch *));
    int64_t looked_at_ms = clock_monotonic_ms();
    bool goes_on = true, has_news;

    while (goes_on) {
        goes_on = await_news(parking, &has_news);
        bool takes_all = has_news || !goes_on || clock_monotonic_ms() - looked_at_ms >= LOOK_MS;
        size_t count = take(parking, takes_all, rows);
        if (takes_all) looked_at_ms = clock_monotonic_ms();
        for (size_t i = 0; i < count; i++)
            parking->run(rows[i]);
    }
    free(rows);
    return NULL;
}

struct parking *parking_start(void (*run)(struct dispatch *ex))
{
    struct parking *parking = must_calloc(1, sizeof(*parking));

    parking->run = run;
    pthread_mutex_init(&parking->lock, NULL);
    thread_cond_init(&parking->is_woken);
    thread_start(&parking->thread, "parking", park_on, parking);
    return parking;
}

void parking_stop(struct parking *parking)
{
    if (!parking) return;
    pthread_mutex_lock(&parking->lock);
    parking->is_stopping = true;
    pthread_cond_broadcast(&parking->is_woken);
    pthread_mutex_unlock(&parking->lock);
    pthread_join(parking->thread, NULL);
}

void parking_free(struct parking *parking)
{
    if (!parking) return;
    pthread_cond_destroy(&parking->is_woken);
    pthread_mutex_destroy(&parking->lock);
    free(parking);
}
