/*
 * The publisher gives events their numbers (contract, section 13.2). It sees only what is
 * committed, and one transaction takes a batch out of the outbox and into the feed behind the lock
 * on its head; so there is no gap, no number comes late, and each event has one. The lease spares
 * the workers from doing so in turns; nothing else depends on it.
 *
 * SQLite has a second outbox in the file of the exchange. Its rows are read, numbered in the other
 * file, and then deleted; one that is there already was numbered before a crash.
 */
#include "domain/event/event.h"
#include "domain/event/event_db.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"
#include "kit/job/job.h"

#include <stdlib.h>

enum {
    BATCH = 200,
    LEASE_MS = 3000,
    POLL_MS = 500, /* hints can be lost */
    PACE_MS = 20,  /* between batches that are not full: a commit costs the same for one event */
    SWEEP_MS = 60 * 1000,
    SWEEP_BATCH = 1000,
    DAY_MS = 24 * 60 * 60 * 1000,
};

static const int64_t LONG_AGO_MS = INT64_MIN / 2;

struct event_publisher {
    struct service *service;
    struct uuid id;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t is_woken;
    bool has_work;
    bool is_hinted; /* there was a hint before this batch */
    bool is_stopping;
    bool is_troubled;
    int64_t leased_at_ms; /* monotonic; long ago: the lease is not held */
    int64_t swept_at_ms;  /* monotonic */
};

/* --- A batch ---------------------------------------------------------------------------------- */

struct batch {
    struct work work;
    struct event_publisher *publisher;
    struct arena arena;
    bool is_held;               /* the lease */
    struct record_list rows;    /* of the outbox beside the feed */
    struct record_list carried; /* of the other outbox */
    bool goes_on;
};

static enum err select_carried(struct work *work)
{
    struct batch *batch = CONTAINER_OF(work, struct batch, work);
    return outbox_select(work, BATCH, &batch->carried);
}

/* Looks without a lock whether there is anything to publish that no hint told of. */
static enum err peek(struct work *work)
{
    struct batch *batch = CONTAINER_OF(work, struct batch, work);
    return outbox_select(work, 1, &batch->rows);
}

static enum err delete_carried(struct work *work)
{
    struct batch *batch = CONTAINER_OF(work, struct batch, work);
    return outbox_delete(work, &batch->carried);
}

/* Numbers the rows that are events and not in the feed yet, behind `*last_seq`. */
static enum err number(struct work *work, const struct record_list *rows, bool may_repeat,
                       int64_t *last_seq, struct record_list *numbered)
{
    const struct event_row *items = rows->items;
    struct event_row *events = numbered->items;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < rows->count; i++) {
        bool is_there = false;
        if (!items[i].type[0]) continue;
        if (may_repeat) err = event_is_there(work, &items[i].id, &is_there);
        if (err || is_there) continue;
        events[numbered->count] = items[i];
        events[numbered->count++].seq = ++*last_seq;
    }
    return err;
}

static enum err erase(struct work *work, const struct record_list *rows)
{
    const struct event_row *items = rows->items;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < rows->count; i++) {
        if (!items[i].type[0]) err = event_erase(work, items[i].subject_id);
    }
    return err;
}

/* Rows of the feed come before what erases them. */
static enum err publish(struct work *work)
{
    struct batch *batch = CONTAINER_OF(work, struct batch, work);
    const struct event_setup *setup = work->service->events;
    struct record_list numbered = {0};
    struct event_head head;

    enum err err = event_head_select(work, true, &head);
    if (!err) err = outbox_select(work, BATCH, &batch->rows);
    if (err || batch->rows.count + batch->carried.count == 0) return err;
    numbered.items = arena_array(work->arena, batch->rows.count + batch->carried.count,
                                 sizeof(struct event_row));
    err = number(work, &batch->rows, false, &head.last_seq, &numbered);
    if (!err) err = number(work, &batch->carried, true, &head.last_seq, &numbered);
    if (!err) err = event_insert(work, &numbered);
    if (!err && numbered.count > 0 && setup->on_published)
        err = setup->on_published(work, &numbered);
    if (!err) err = outbox_delete(work, &batch->rows);
    if (!err) err = erase(work, &batch->rows);
    if (!err) err = erase(work, &batch->carried);
    if (err) return err;
    if (numbered.count > 0) db_notify(work->tx, EVENT_TOPIC);
    return event_head_set_last(work, head.last_seq);
}

static enum err take_lease(struct work *work)
{
    struct batch *batch = CONTAINER_OF(work, struct batch, work);
    int64_t now_ms = clock_now_ms();
    return lease_take(work->tx, "events", &batch->publisher->id, now_ms, now_ms + LEASE_MS,
                      &batch->is_held);
}

/* --- Retention -------------------------------------------------------------------------------- */

/* Returns how many of the oldest events are over, by the time in their ids, which is store time. A
 * prefix goes, so that what is left has no gap. */
static size_t count_old(const struct record_list *oldest, int64_t cutoff_ms)
{
    const struct event_row *rows = oldest->items;
    struct uuid cutoff = uuid_at(cutoff_ms);
    size_t count = 0;

    while (count < oldest->count && memcmp(&rows[count].id, &cutoff, sizeof(cutoff)) < 0)
        count++;
    return count;
}

static enum err drop_old(struct work *work)
{
    struct batch *batch = CONTAINER_OF(work, struct batch, work);
    int64_t cutoff_ms = work->now_ms - work->service->events->days * DAY_MS;
    struct record_list oldest;

    batch->goes_on = false;
    enum err err = event_select_oldest(work, SWEEP_BATCH, &oldest);
    if (err) return err;
    const struct event_row *rows = oldest.items;
    size_t count = count_old(&oldest, cutoff_ms);
    batch->goes_on = count == SWEEP_BATCH;
    return count > 0 ? event_delete_upto(work, rows[count - 1].seq) : ERR_OK;
}

/* --- The thread ------------------------------------------------------------------------------- */

static void batch_begin(struct event_publisher *publisher, struct batch *batch)
{
    *batch = (struct batch){.publisher = publisher};
    arena_init(&batch->arena);
    work_init(&batch->work, publisher->service, &batch->arena, clock_now_ms(), NULL);
}

static enum err run(struct batch *batch, struct db *db, bool is_read,
                    enum err (*part)(struct work *))
{
    batch->work.task = (struct db_task){.is_read = is_read};
    return work_run(&batch->work, db, part);
}

/* The lease is renewed when a third of it is over. */
static enum err hold_lease(struct batch *batch, int64_t now_ms)
{
    struct event_publisher *publisher = batch->publisher;

    batch->is_held = now_ms - publisher->leased_at_ms < LEASE_MS / 3;
    if (batch->is_held) return ERR_OK;
    enum err err = run(batch, publisher->service->verification, false, take_lease);
    publisher->leased_at_ms = !err && batch->is_held ? now_ms : LONG_AGO_MS;
    return err;
}

static enum err publish_batch(struct batch *batch)
{
    struct service *service = batch->publisher->service;
    bool is_hinted = batch->publisher->is_hinted;
    enum err err = ERR_OK;

    if (!service->is_one_database) err = run(batch, service->exchange, true, select_carried);
    if (!err && !is_hinted) err = run(batch, service->verification, true, peek);
    bool has_some = is_hinted || batch->rows.count + batch->carried.count > 0;
    if (err || !has_some) return err;
    err = run(batch, service->verification, false, publish);
    if (!err && batch->carried.count > 0)
        err = run(batch, service->exchange, false, delete_carried);
    batch->goes_on = batch->rows.count == BATCH || batch->carried.count == BATCH;
    return err;
}

static enum err sweep_if_due(struct batch *batch, int64_t now_ms)
{
    struct event_publisher *publisher = batch->publisher;

    if (now_ms - publisher->swept_at_ms < SWEEP_MS) return ERR_OK;
    enum err err = run(batch, publisher->service->verification, false, drop_old);
    if (!err && !batch->goes_on) publisher->swept_at_ms = now_ms;
    return err;
}

/* It is told once per trouble. */
static void note_trouble(struct event_publisher *publisher, enum err err)
{
    if (err && !publisher->is_troubled)
        log_write(LOG_WARNING, "events wait: the feed cannot be written at the moment",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
    publisher->is_troubled = err != ERR_OK;
}

/* Returns true if there is more to do at once. */
static bool do_batch(struct event_publisher *publisher)
{
    int64_t now_ms = clock_monotonic_ms();
    struct batch batch;

    batch_begin(publisher, &batch);
    enum err err = hold_lease(&batch, now_ms);
    if (!err && batch.is_held) err = publish_batch(&batch);
    if (!err && batch.is_held && !batch.goes_on) err = sweep_if_due(&batch, now_ms);
    bool goes_on = !err && batch.is_held && batch.goes_on;
    note_trouble(publisher, err);
    arena_done(&batch.arena);
    return goes_on;
}

static bool is_stopping(struct event_publisher *publisher)
{
    pthread_mutex_lock(&publisher->lock);
    bool is_stopping = publisher->is_stopping;
    pthread_mutex_unlock(&publisher->lock);
    return is_stopping;
}

/* Waits for a hint; while another worker holds the lease hints are not for this one. */
static bool await_work(struct event_publisher *publisher)
{
    bool is_ours = publisher->leased_at_ms != LONG_AGO_MS;
    struct timespec pace = thread_deadline(PACE_MS), until = thread_deadline(POLL_MS);
    int timed_out = 0;

    pthread_mutex_lock(&publisher->lock);
    while (!publisher->is_stopping && !timed_out)
        timed_out = pthread_cond_timedwait(&publisher->is_woken, &publisher->lock, &pace);
    timed_out = 0;
    while (!publisher->is_stopping && !(publisher->has_work && is_ours) && !timed_out)
        timed_out = pthread_cond_timedwait(&publisher->is_woken, &publisher->lock, &until);
    publisher->is_hinted = publisher->has_work;
    publisher->has_work = false;
    bool goes_on = !publisher->is_stopping;
    pthread_mutex_unlock(&publisher->lock);
    return goes_on;
}

static enum err release(struct work *work)
{
    struct batch *batch = CONTAINER_OF(work, struct batch, work);
    return lease_release(work->tx, "events", &batch->publisher->id);
}

static void give_lease_back(struct event_publisher *publisher)
{
    struct batch batch;

    batch_begin(publisher, &batch);
    enum err err = run(&batch, publisher->service->verification, false, release);
    note_trouble(publisher, err);
    arena_done(&batch.arena);
}

static void *publish_on(void *arg)
{
    struct event_publisher *publisher = arg;

    do {
        while (do_batch(publisher) && !is_stopping(publisher)) {
        }
    } while (await_work(publisher));
    (void)do_batch(publisher); /* what the end of this process has brought */
    give_lease_back(publisher);
    return NULL;
}

struct event_publisher *event_publisher_start(struct service *service)
{
    struct event_publisher *publisher = must_calloc(1, sizeof(*publisher));

    publisher->service = service;
    publisher->id = uuid_new(clock_now_ms());
    publisher->leased_at_ms = LONG_AGO_MS;
    publisher->swept_at_ms = LONG_AGO_MS;
    pthread_mutex_init(&publisher->lock, NULL);
    thread_cond_init(&publisher->is_woken);
    thread_start(&publisher->thread, "event-publisher", publish_on, publisher);
    return publisher;
}

void event_publisher_wake(void *arg)
{
    struct event_publisher *publisher = arg;

    pthread_mutex_lock(&publisher->lock);
    publisher->has_work = true;
    pthread_cond_signal(&publisher->is_woken);
    pthread_mutex_unlock(&publisher->lock);
}

void event_publisher_stop(struct event_publisher *publisher)
{
    if (!publisher) return;
    pthread_mutex_lock(&publisher->lock);
    publisher->is_stopping = true;
    pthread_cond_broadcast(&publisher->is_woken);
    pthread_mutex_unlock(&publisher->lock);
    pthread_join(publisher->thread, NULL);
}

void event_publisher_free(struct event_publisher *publisher)
{
    if (!publisher) return;
    pthread_cond_destroy(&publisher->is_woken);
    pthread_mutex_destroy(&publisher->lock);
    free(publisher);
}
