/*
 * One thread asks, one writes, and they are the only ones of an api that wait for the database. The
 * third ticks, whatever becomes of the others.
 */
#include "app/api/pulse.h"

#include "app/api/api_key_set.h"
#include "app/api/key_set.h"
#include "app/api/log_stream.h"
#include "app/api/phone_stream.h"
#include "app/api/refusals.h"
#include "app/api/throttle.h"
#include "app/jobs/worker_db.h"
#include "app/setup/stores.h"
#include "domain/event_log/event_log.h"
#include "domain/fleet/presence.h"
#include "domain/process/process.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <malloc.h>
#include <stdlib.h>

enum {
    TRIM_EVERY_MS = 60 * 1000,
    ANSWER_GOOD_MS = READY_ANSWER_MS + 2 * PULSE_MS, /* so long after an answer the next is due */
};

struct pulse {
    const struct api *api;
    bool needs_worker;
    pthread_t asker, writer, ticker;
    pthread_mutex_t lock;
    pthread_cond_t is_woken;
    bool is_stopping;
    bool is_started;
    int64_t started_at_ms; /* monotonic */

    atomic_int_least64_t answered_at_ms; /* monotonic: the last good answer came then */
    atomic_int_least64_t worker_seen_ms; /* its age at that answer; -1: never */
};

/* --- A beat ----------------------------------------------------------------------------------- */

static enum err ask(void *arg, struct db_tx *tx)
{
    struct pulse *pulse = arg;
    int64_t now_ms = clock_now_ms(), seen_at;
    enum err err = worker_last_seen(tx, &seen_at);
    if (err) return err;
    int64_t ago_ms = seen_at < now_ms ? now_ms - seen_at : 0;
    atomic_store(&pulse->worker_seen_ms, seen_at == 0 ? -1 : ago_ms);
    return ERR_OK;
}

/* Tells whether they answered. */
static bool ask_databases(struct pulse *pulse)
{
    int64_t asked_at_ms = clock_monotonic_ms();
    enum err err = db_look(pulse->api->service->verification, ask, pulse);
    if (!err) err = stores_ping_exchange(pulse->api->service);
    if (!err) err = stores_learn(pulse->api->service);
    int64_t now_ms = clock_monotonic_ms();
    if (!err && now_ms - asked_at_ms <= READY_ANSWER_MS)
        atomic_store(&pulse->answered_at_ms, now_ms);
    return !err;
}

struct flush {
    struct presence_chunk *chunk;
    struct work work;
};

static enum err write_chunk(struct work *work)
{
    return presence_write(CONTAINER_OF(work, struct flush, work)->chunk, work);
}

static void flush_chunk(struct pulse *pulse, struct presence_chunk *chunk)
{
    struct flush flush = {.chunk = chunk};
    struct arena arena;

    arena_init(&arena);
    work_init(&flush.work, pulse->api->service, &arena, clock_now_ms(), NULL);
    enum err err = work_run(&flush.work, pulse->api->service->verification, write_chunk);
    if (err)
        log_write(LOG_WARNING, "readiness of SIMs could not be stored; the next polls renew it",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
    arena_done(&arena);
}

static void flush_presence(struct pulse *pulse)
{
    struct presence_chunk *chunk;
    while ((chunk = presence_take(pulse->api->service->fleet->presence))) {
        flush_chunk(pulse, chunk);
        presence_chunk_free(chunk);
    }
}

/* --- The threads ------------------------------------------------------------------------------ */

static void sleep_ms(struct pulse *pulse, int64_t ms)
{
    struct timespec until = thread_deadline(ms);
    pthread_mutex_lock(&pulse->lock);
    if (!pulse->is_stopping) pthread_cond_timedwait(&pulse->is_woken, &pulse->lock, &until);
    pthread_mutex_unlock(&pulse->lock);
}

static bool is_stopping(struct pulse *pulse)
{
    pthread_mutex_lock(&pulse->lock);
    bool is_stopping = pulse->is_stopping;
    pthread_mutex_unlock(&pulse->lock);
    return is_stopping;
}

/* Gives the memory of a few very large answers back to the system, since the allocator would keep
 * it. */
static void trim_memory(int64_t *trimmed_at_ms)
{
    int64_t now_ms = clock_monotonic_ms();
    if (now_ms - *trimmed_at_ms < TRIM_EVERY_MS) return;
    *trimmed_at_ms = now_ms;
    malloc_trim(0);
}

static void *ask_again_and_again(void *arg)
{
    struct pulse *pulse = arg;
    int64_t trimmed_at_ms = pulse->started_at_ms;

    while (!is_stopping(pulse)) {
        bool is_there = ask_databases(pulse);
        trim_memory(&trimmed_at_ms);
        if (is_there) process_beat(pulse->api->service);
        /* Beats are quick until a worker was seen, so that a start is ready as soon as it can be.
         */
        bool is_starting = atomic_load(&pulse->worker_seen_ms) < 0 &&
                           clock_monotonic_ms() - pulse->started_at_ms < PULSE_START_MAX_MS;
        sleep_ms(pulse, is_starting ? PULSE_START_MS : PULSE_MS);
    }
    return NULL;
}

static int64_t silence_ms(struct pulse *pulse)
{
    return clock_monotonic_ms() - atomic_load(&pulse->answered_at_ms);
}

/* A database that answers reads may be slow to write, since somebody has locked a table. So this
 * has a thread of its own: what it waits for tells nothing about readiness. */
static void *write_again_and_again(void *arg)
{
    struct pulse *pulse = arg;

    while (!is_stopping(pulse)) {
        /* While the database is away, what would be lost with its write is kept. */
        if (silence_ms(pulse) <= ANSWER_GOOD_MS) flush_presence(pulse);
        sleep_ms(pulse, PRESENCE_FLUSH_MS);
    }
    flush_presence(pulse);
    return NULL;
}

static void log_flood(const struct api *api, bool is_last)
{
    struct throttle_flood flood;
    char address[HTTP_PEER_LEN];

    if (!throttle_take_flood(api->throttle, clock_now_ms(), is_last, &flood)) return;
    http_address_format(&flood.address, address);
    event_log_write(api->event_log, LOG_WARNING, "many authentications failed within a minute",
                    LOG_FIELDS(log_int("failures", flood.failures),
                               log_plain("most_from_address", address),
                               log_int("failures_of_address", flood.address_failures)));
}

/* Tells of refusals that had no entry, where no other of their kind came to tell of them. */
static void log_left_out(const struct api *api, bool is_last)
{
    struct refusals_left_out rest;

    while (refusals_take_left_out(api->refusals, clock_monotonic_ms(), is_last, &rest))
        event_log_write(api->event_log,
                        err_info(rest.err)->http_status == 503 ? LOG_WARNING : LOG_INFO,
                        "more requests were refused",
                        LOG_FIELDS(log_int("status", err_info(rest.err)->http_status),
                                   log_plain("error", err_info(rest.err)->code),
                                   log_plain("reason", err_info(rest.err)->reason),
                                   log_plain("client", refused_words[rest.client]),
                                   log_int("left_out", rest.count)));
}

/* Nothing here waits for a database. */
static void *tick(void *arg)
{
    struct pulse *pulse = arg;

    while (!is_stopping(pulse)) {
        log_stream_wake(pulse->api->log_stream);
        log_stream_tick(pulse->api->log_stream);
        phone_stream_tick(pulse->api->phone_stream);
        key_set_tick(pulse->api->key_set);
        api_key_set_tick(pulse->api->api_keys);
        log_flood(pulse->api, false);
        log_left_out(pulse->api, false);
        sleep_ms(pulse, PULSE_MS);
    }
    log_flood(pulse->api, true);
    log_left_out(pulse->api, true);
    return NULL;
}

struct pulse *pulse_new(const struct api *api, bool needs_worker)
{
    struct pulse *pulse = must_calloc(1, sizeof(*pulse));

    pulse->api = api;
    pulse->needs_worker = needs_worker;
    pulse->started_at_ms = clock_monotonic_ms();
    atomic_init(&pulse->answered_at_ms, INT64_MIN / 2);
    atomic_init(&pulse->worker_seen_ms, -1);
    pthread_mutex_init(&pulse->lock, NULL);
    thread_cond_init(&pulse->is_woken);
    return pulse;
}

void pulse_start(struct pulse *pulse)
{
    thread_start(&pulse->asker, "pulse-asker", ask_again_and_again, pulse);
    thread_start(&pulse->writer, "pulse-writer", write_again_and_again, pulse);
    thread_start(&pulse->ticker, "pulse-ticker", tick, pulse);
    pulse->is_started = true;
}

void pulse_stop(struct pulse *pulse)
{
    if (!pulse || !pulse->is_started) return;
    pthread_mutex_lock(&pulse->lock);
    pulse->is_stopping = true;
    pthread_cond_broadcast(&pulse->is_woken);
    pthread_mutex_unlock(&pulse->lock);
    pthread_join(pulse->ticker, NULL);
    pthread_join(pulse->asker, NULL);
    pthread_join(pulse->writer, NULL);
}

void pulse_free(struct pulse *pulse)
{
    if (!pulse) return;
    pthread_cond_destroy(&pulse->is_woken);
    pthread_mutex_destroy(&pulse->lock);
    free(pulse);
}

const char *pulse_trouble(struct pulse *pulse)
{
    int64_t worker_ms = atomic_load(&pulse->worker_seen_ms);
    const struct service *service = pulse->api->service;

    if (atomic_load(&pulse->api->is_ending)) return "The service is stopping.";
    if (silence_ms(pulse) > ANSWER_GOOD_MS) return "The database does not answer.";
    /* A database on a full disk still answers, but refuses writes. */
    if (db_is_troubled(service->verification) || db_is_troubled(service->exchange))
        return "The database cannot be written.";
    const char *key_trouble = key_set_trouble(pulse->api->key_set);
    if (key_trouble) return key_trouble;
    if (pulse->needs_worker && (worker_ms < 0 || worker_ms > WORKER_ALIVE_MS))
        return "No worker was heard of within 30 seconds.";
    return NULL;
}
