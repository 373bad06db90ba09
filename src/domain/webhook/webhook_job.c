/*
 * One thread delivers events, turn by turn: a turn is a transaction that records the attempts which
 * have ended, and takes what is due of each endpoint with room, under a lease. Attempts leave after
 * the commit. So one that a crash cuts is made again, and an event is delivered at least once. A
 * turn with nothing to do only reads, and there is none while nobody listens.
 *
 * An endpoint has places and a circuit of its own in each worker: one that hangs or fails holds up
 * no other. While its circuit is open nothing of it is taken; then one attempt at a time finds out.
 */
#include "domain/event_log/event_log.h"
#include "domain/webhook/webhook_db.h"
#include "domain/webhook/webhook_request.h"
#include "domain/webhook/webhook_rules.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/job/circuit.h"
#include "kit/job/fetcher.h"

#include <stdlib.h>

enum {
    IN_FLIGHT_MAX = 16, /* of an endpoint, in a worker */
    FETCHES_MAX = 256,
    LEASE_MS = 25 * 1000, /* an attempt is recorded by then */
    POLL_MS = 250,
    LANES = 2 * WEBHOOK_ENDPOINTS_MAX, /* endpoints that were deleted may have attempts under way */
    RANDOM_MAX = 1000,
};
static_assert((int)WEBHOOK_TIMEOUT_MS < (int)LEASE_MS, "a lease outlives its attempt");
static const int64_t FAILING_MAX_MS = 5 * INT64_C(24) * 3600 * 1000;

/* Attempts, by the state of their delivery behind them. */
static const char *const outcome_words[] = {
    [WEBHOOK_PENDING] = "retried", [WEBHOOK_DELIVERED] = "delivered", [WEBHOOK_FAILED] = "failed"};

METRIC(webhook_deliveries, COUNT_OF(outcome_words), 1, .name = "herald_webhook_deliveries_total",
       .help = "Attempts to deliver an event to a webhook endpoint, by what came of them.",
       .labels = {"outcome"}, .words = {outcome_words},
       .word_counts = {COUNT_OF(outcome_words), 1});

/* The worker remembers this of an endpoint. Another one gets the lane once the endpoint is not
 * enabled any more and no attempt of it is under way. */
struct lane {
    struct uuid endpoint_id;
    struct circuit circuit; /* by the monotonic clock */
    int under_way;
    bool is_enabled; /* the endpoint, as of this turn */
};

struct attempt {
    struct fetch_slot slot;
    struct attempt *next;
    struct webhook_worker *worker;
    struct lane *lane;                /* until it has ended */
    struct webhook_delivery delivery; /* its answer is in the slot's arena */
    int64_t active_from;              /* of the endpoint, as it was when this began */
    enum webhook_outcome outcome;
    bool is_signed;
};

struct webhook_worker {
    struct fetcher fetcher;
    struct service *service;
    struct event_log *event_log;
    bool has_paused, is_busy; /* the fetcher's lock */

    /* The thread's own: */
    struct lane lanes[LANES];
    struct attempt *ended, **ended_end; /* not recorded yet */
    int under_way;
    bool is_troubled;
    /* A turn: */
    struct arena arena;
    struct work work;
    bool may_begin;
    struct record_list endpoints; /* of struct webhook_endpoint: those that are enabled */
    struct lane *lane_of[WEBHOOK_ENDPOINTS_MAX]; /* of each of them; NULL: none is free */
    struct attempt *begun, **begun_end;
    bool goes_on;
};

static struct webhook_worker *worker_of(const struct fetcher *fetcher)
{
    return CONTAINER_OF(fetcher, struct webhook_worker, fetcher);
}

/* --- Endpoints and their lanes ---------------------------------------------------------------- */

static struct lane *find_lane(struct webhook_worker *worker, const struct uuid *endpoint_id)
{
    for (size_t i = 0; i < LANES; i++) {
        if (uuid_equal(&worker->lanes[i].endpoint_id, endpoint_id)) return &worker->lanes[i];
    }
    return NULL;
}

static struct lane *take_free_lane(struct webhook_worker *worker, const struct uuid *endpoint_id)
{
    for (size_t i = 0; i < LANES; i++) {
        struct lane *lane = &worker->lanes[i];
        if (lane->is_enabled || lane->under_way > 0) continue;
        *lane = (struct lane){.endpoint_id = *endpoint_id, .is_enabled = true};
        return lane;
    }
    return NULL;
}

/* Those that have a lane keep it, before others take what is free. */
static void assign_lanes(struct webhook_worker *worker)
{
    const struct webhook_endpoint *endpoints = worker->endpoints.items;

    for (size_t i = 0; i < LANES; i++)
        worker->lanes[i].is_enabled = false;
    for (size_t i = 0; i < worker->endpoints.count; i++) {
        worker->lane_of[i] = find_lane(worker, &endpoints[i].id);
        if (worker->lane_of[i]) worker->lane_of[i]->is_enabled = true;
    }
    for (size_t i = 0; i < worker->endpoints.count; i++) {
        if (!worker->lane_of[i]) worker->lane_of[i] = take_free_lane(worker, &endpoints[i].id);
    }
}

/* Returns NULL for one that is not enabled any more. */
static struct webhook_endpoint *find_endpoint(const struct webhook_worker *worker,
                                              const struct uuid *id)
{
    struct webhook_endpoint *endpoints = worker->endpoints.items;

    for (size_t i = 0; i < worker->endpoints.count; i++) {
        if (uuid_equal(&endpoints[i].id, id)) return endpoints[i].enabled ? &endpoints[i] : NULL;
    }
    return NULL;
}

/* While its circuit is not closed, one attempt at a time goes to an endpoint. */
static int room_of(const struct webhook_worker *worker, size_t place)
{
    const struct webhook_endpoint *endpoints = worker->endpoints.items;
    const struct lane *lane = worker->lane_of[place];

    if (!lane || !endpoints[place].enabled || !endpoints[place].is_due) return 0;
    if (circuit_wait_ms(&lane->circuit, clock_monotonic_ms()) > 0) return 0;
    bool is_careful = circuit_is_open(&lane->circuit) || circuit_is_half_open(&lane->circuit);
    return (is_careful ? 1 : IN_FLIGHT_MAX) - lane->under_way;
}

static bool has_room(const struct webhook_worker *worker)
{
    bool has_room = false;
    for (size_t i = 0; i < worker->endpoints.count; i++)
        has_room |= room_of(worker, i) > 0;
    return has_room && worker->under_way < FETCHES_MAX;
}

/* --- Recording -------------------------------------------------------------------------------- */

static enum err disable(struct work *work, struct webhook_endpoint *endpoint, const char *why)
{
    bool is_disabled;
    enum err err = webhook_endpoint_disable(work, &endpoint->id, why, &is_disabled);

    endpoint->enabled = false;
    if (err || !is_disabled) return err;
    work_event_id(work, EVENT_WEBHOOK_DISABLED, &endpoint->id);
    work_note(work, LOG_ERROR, "webhook endpoint disabled; enable it once it is well",
              LOG_FIELDS(log_uuid("endpoint_id", &endpoint->id), log_plain("reason", why)));
    return ERR_OK;
}

/* Notes since when nothing succeeds, and disables an endpoint of which nothing did for too long. */
static enum err note_health(struct work *work, struct webhook_endpoint *endpoint,
                            enum webhook_outcome outcome)
{
    int64_t since = endpoint->failing_since;
    bool is_ok = outcome == WEBHOOK_OK;

    if (outcome == WEBHOOK_GONE)
        return disable(work, endpoint, "it answered 410: it wants no more events");
    if (!is_ok && since != 0 && work->now_ms - since >= FAILING_MAX_MS)
        return disable(work, endpoint, "nothing could be delivered for 5 days");
    if (is_ok == (since == 0)) return ERR_OK;
    endpoint->failing_since = is_ok ? 0 : work->now_ms;
    return webhook_endpoint_set_failing(work, &endpoint->id, endpoint->failing_since);
}

/* A test is attempted once. */
static void decide(const struct attempt *attempt, int64_t now_ms, struct webhook_delivery *end)
{
    const struct fetch *fetch = &attempt->slot.fetch;
    int64_t told_ms = fetch->end == FETCH_ANSWERED ? fetch->retry_after_ms : -1;
    int64_t wait_ms = webhook_wait_ms(end->attempts, told_ms, random_below(RANDOM_MAX));

    end->next_attempt_at = 0;
    end->state = attempt->outcome == WEBHOOK_OK ? WEBHOOK_DELIVERED : WEBHOOK_FAILED;
    if (attempt->outcome == WEBHOOK_UNSENT) {
        end->state = WEBHOOK_PENDING;
        end->next_attempt_at = now_ms;
        end->is_unsent = true;
    } else if (attempt->outcome == WEBHOOK_RETRY && wait_ms >= 0 && end->seq >= 0) {
        end->state = WEBHOOK_PENDING;
        end->next_attempt_at = now_ms + wait_ms;
    }
}

/* A delivery that another worker has taken since, after the end of the lease, is recorded by that
 * one. */
static enum err record_all(struct webhook_worker *worker)
{
    struct work *work = &worker->work;
    struct webhook_delivery ends[FETCHES_MAX];
    bool are_recorded[FETCHES_MAX];
    size_t count = 0;

    for (const struct attempt *attempt = worker->ended; attempt; attempt = attempt->next) {
        ends[count] = attempt->delivery;
        decide(attempt, work->now_ms, &ends[count++]);
    }
    enum err err = webhook_delivery_end(work, ends, count, are_recorded);
    const struct attempt *attempt = worker->ended;
    for (size_t i = 0; !err && attempt; attempt = attempt->next, i++) {
        struct webhook_endpoint *endpoint = find_endpoint(worker, &attempt->delivery.endpoint_id);
        bool is_test = ends[i].seq < 0;
        if (!are_recorded[i] || attempt->outcome == WEBHOOK_UNSENT) continue;
        if (!is_test) work_count(work, &webhook_deliveries, (size_t)ends[i].state, 1);
        /* An attempt that began before the endpoint was enabled again tells nothing of it. */
        if (endpoint && endpoint->active_from == attempt->active_from)
            err = note_health(work, endpoint, attempt->outcome);
    }
    return err;
}

/* --- Beginning -------------------------------------------------------------------------------- */

static void end_attempt(struct fetch_slot *slot);

static void add_attempt(struct webhook_worker *worker, struct lane *lane,
                        const struct webhook_endpoint *endpoint,
                        const struct webhook_delivery *delivery, const struct event_row *event)
{
    struct attempt *attempt = must_calloc(1, sizeof(*attempt));

    fetch_slot_init(&attempt->slot, &worker->fetcher);
    attempt->slot.end = end_attempt;
    attempt->worker = worker;
    attempt->lane = lane;
    attempt->active_from = endpoint->active_from;
    attempt->delivery = *delivery;
    attempt->delivery.type = attempt->delivery.answer = NULL; /* they are the turn's */
    attempt->is_signed = webhook_fill_request(&attempt->slot.fetch, worker->service, endpoint,
                                              event, &attempt->slot.arena);
    *worker->begun_end = attempt;
    worker->begun_end = &attempt->next;
}

/* An event that the feed keeps no more has nothing to tell. */
static enum err give_up(struct work *work, struct webhook_delivery *delivery)
{
    bool is_recorded;

    delivery->state = WEBHOOK_FAILED;
    delivery->next_attempt_at = 0;
    delivery->answer = "the event is not kept any more";
    delivery->is_unsent = true;
    return webhook_delivery_end(work, delivery, 1, &is_recorded);
}

/* This was taken of an endpoint. */
struct taken {
    size_t place; /* of the endpoint */
    struct record_list deliveries;
};

static enum err begin_taken(struct webhook_worker *worker, const struct taken *taken,
                            const struct record_list *events)
{
    const struct webhook_endpoint *endpoints = worker->endpoints.items,
                                  *endpoint = &endpoints[taken->place];
    struct webhook_delivery *rows = taken->deliveries.items;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < taken->deliveries.count; i++) {
        bool is_test = rows[i].seq < 0;
        struct event_row test = webhook_test_event(endpoint, &rows[i], worker->work.arena);
        const struct event_row *event = is_test ? &test : event_find(events, rows[i].seq);
        if (event) add_attempt(worker, worker->lane_of[taken->place], endpoint, &rows[i], event);
        if (!event) err = give_up(&worker->work, &rows[i]);
    }
    return err;
}

static enum err take(struct webhook_worker *worker, size_t place, int room, struct taken *taken)
{
    struct work *work = &worker->work;
    const struct webhook_endpoint *endpoints = worker->endpoints.items;
    enum err err = webhook_delivery_claim(work, &endpoints[place].id, room, work->now_ms + LEASE_MS,
                                          &taken->deliveries);
    taken->place = place;
    if (!err) worker->goes_on |= (int)taken->deliveries.count == room;
    return err;
}

static enum err read_events(struct work *work, const struct taken *taken, size_t count,
                            struct record_list *ret_events)
{
    int64_t numbers[FETCHES_MAX];
    size_t number_count = 0;

    for (size_t i = 0; i < count; i++) {
        const struct webhook_delivery *rows = taken[i].deliveries.items;
        for (size_t k = 0; k < taken[i].deliveries.count; k++)
            if (rows[k].seq >= 0) numbers[number_count++] = rows[k].seq;
    }
    return event_select_numbers(work, numbers, number_count, ret_events);
}

/* Takes what is due under a lease, and makes the attempts. */
static enum err begin(struct webhook_worker *worker)
{
    struct taken taken[WEBHOOK_ENDPOINTS_MAX];
    struct record_list events;
    size_t count = 0;
    int left = FETCHES_MAX - worker->under_way;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < worker->endpoints.count; i++) {
        int room = room_of(worker, i);
        if (room > left) room = left;
        if (room <= 0) continue;
        err = take(worker, i, room, &taken[count]);
        if (!err) left -= (int)taken[count++].deliveries.count;
    }
    if (!err) err = read_events(&worker->work, taken, count, &events);
    for (size_t i = 0; !err && i < count; i++)
        err = begin_taken(worker, &taken[i], &events);
    return err;
}

/* --- A turn ----------------------------------------------------------------------------------- */

static void free_attempt(struct attempt *attempt)
{
    fetch_slot_done(&attempt->slot);
    free(attempt);
}

static void drop(struct attempt **list, struct attempt ***list_end)
{
    while (*list) {
        struct attempt *attempt = *list;
        *list = attempt->next;
        free_attempt(attempt);
    }
    *list_end = list;
}

static enum err run_turn(struct work *work)
{
    struct webhook_worker *worker = CONTAINER_OF(work, struct webhook_worker, work);

    drop(&worker->begun, &worker->begun_end); /* of a run that was undone */
    worker->goes_on = false;
    enum err err = webhook_endpoint_select_due(work, &worker->endpoints);
    if (err) return err;
    assign_lanes(worker);
    if (work->task.is_read) return has_room(worker) ? ERR_WRITE_NEEDED : ERR_OK;
    err = record_all(worker);
    return !err && worker->may_begin ? begin(worker) : err;
}

/* An attempt that cannot leave ends at once, and is given back in the next turn. */
static void let_leave(struct webhook_worker *worker)
{
    struct attempt *attempt = worker->begun, *next;

    worker->begun = NULL;
    worker->begun_end = &worker->begun;
    for (; attempt; attempt = next) {
        next = attempt->next;
        attempt->next = NULL;
        attempt->lane->under_way++;
        worker->under_way++;
        if (!attempt->is_signed)
            fetch_slot_abandon(&attempt->slot, FETCH_NOT_SENT, "its secret cannot be read");
        else if (fetch_slot_start(&attempt->slot) != ERR_OK)
            fetch_slot_abandon(&attempt->slot, FETCH_CANCELED, "too many fetches under way");
    }
}

/* Is called in the thread, before the next turn. */
static void end_attempt(struct fetch_slot *slot)
{
    struct attempt *attempt = CONTAINER_OF(slot, struct attempt, slot);
    struct webhook_worker *worker = attempt->worker;
    const struct fetch *fetch = &slot->fetch;
    bool is_answered = fetch->end == FETCH_ANSWERED;
    int64_t now_ms = clock_monotonic_ms();

    attempt->lane->under_way--;
    worker->under_way--;
    attempt->outcome = webhook_read_outcome(fetch);
    attempt->delivery.status = is_answered ? fetch->status : -1;
    attempt->delivery.answer =
        is_answered ? webhook_show_answer(buf_view(&fetch->answer), &slot->arena) : fetch->error;
    if (attempt->outcome == WEBHOOK_OK) circuit_count_success(&attempt->lane->circuit);
    if (attempt->outcome == WEBHOOK_RETRY)
        circuit_count_failure(&attempt->lane->circuit, 1, now_ms);
    attempt->next = NULL;
    *worker->ended_end = attempt;
    worker->ended_end = &attempt->next;
}

static enum err run(struct webhook_worker *worker, bool is_read)
{
    arena_done(&worker->arena);
    arena_init(&worker->arena);
    work_init(&worker->work, worker->service, &worker->arena, clock_now_ms(), NULL);
    worker->work.task.is_read = is_read;
    return work_run(&worker->work, worker->service->verification, run_turn);
}

/* It is told once per trouble. */
static void note_trouble(struct webhook_worker *worker, enum err err)
{
    if (err && !worker->is_troubled)
        log_write(LOG_WARNING, "webhooks cannot be recorded and begun at the moment",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
    worker->is_troubled = err != ERR_OK;
}

/* Attempts of a turn that was undone have not left. */
static void take_turn(struct webhook_worker *worker, bool may_begin)
{
    worker->may_begin = may_begin;
    enum err err = ERR_WRITE_NEEDED;
    if (!worker->ended) err = may_begin ? run(worker, true) : ERR_OK;
    if (err == ERR_WRITE_NEEDED) {
        err = run(worker, false);
        if (!err) event_log_publish(worker->event_log, &worker->work, NULL);
        if (!err) drop(&worker->ended, &worker->ended_end);
    }
    note_trouble(worker, err);
    if (!err) let_leave(worker);
    drop(&worker->begun, &worker->begun_end);
}

static bool has_listeners(const struct webhook_worker *worker)
{
    struct event_setup *events = worker->service->events;
    return events->mode != EVENTS_AUTO || atomic_load(&events->is_wanted);
}

static void work_on(struct fetcher *fetcher)
{
    struct webhook_worker *worker = worker_of(fetcher);
    struct fetcher_news news;
    int wait_ms = 0;

    do {
        news = fetcher_wait(fetcher, wait_ms, worker->is_troubled);
        bool is_pausing = news.state != FETCHER_RUNNING;
        while (news.ended) {
            struct fetch_slot *slot = news.ended;
            news.ended = slot->next;
            slot->end(slot);
        }
        worker->goes_on = false;
        if (worker->ended || has_listeners(worker)) take_turn(worker, !is_pausing);
        wait_ms = worker->goes_on && !worker->is_troubled ? 0 : POLL_MS;

        pthread_mutex_lock(&fetcher->lock);
        worker->has_paused = is_pausing;
        worker->is_busy = worker->under_way > 0 || worker->ended;
        fetcher_changed(fetcher);
        pthread_mutex_unlock(&fetcher->lock);
    } while (news.state != FETCHER_STOPPING || worker->under_way > 0);
}

/* --- Start and stop --------------------------------------------------------------------------- */

static bool is_beginning(const struct fetcher *fetcher)
{
    return !worker_of(fetcher)->has_paused;
}

static bool is_busy(const struct fetcher *fetcher)
{
    return worker_of(fetcher)->is_busy;
}

static const struct fetcher_kind kind = {
    .thread = "webhooks",
    .takes_turns = true,
    .fetches_max = FETCHES_MAX,
    .answer_max = FETCH_ANSWER_MAX,
    .run = work_on,
    .is_beginning = is_beginning,
    .is_busy = is_busy,
};

struct webhook_worker *webhook_worker_start(struct service *service, struct event_log *event_log)
{
    struct webhook_worker *worker = must_calloc(1, sizeof(*worker));

    worker->service = service;
    worker->event_log = event_log;
    worker->ended_end = &worker->ended;
    worker->begun_end = &worker->begun;
    arena_init(&worker->arena);
    fetcher_start(&worker->fetcher, &kind);
    return worker;
}

void webhook_worker_wake(void *arg)
{
    struct webhook_worker *worker = arg;
    fetcher_wake(&worker->fetcher);
}

void webhook_worker_stop(struct webhook_worker *worker, int64_t grace_ms)
{
    if (worker) fetcher_stop(&worker->fetcher, grace_ms);
}

void webhook_worker_free(struct webhook_worker *worker)
{
    if (!worker) return;
    drop(&worker->ended, &worker->ended_end);
    arena_done(&worker->arena);
    fetcher_done(&worker->fetcher);
    free(worker);
}
