/* Fetches for what was claimed begin here, and answers are read, with no transaction open. */
#include "core/words.h"
#include "domain/channel/channel_worker.h"
#include "domain/channel/driver_request.h"
#include "domain/event_log/event_log.h"
#include "kit/base/clock.h"

/* A template has whatever name its author gave it, so those count as one. */
static const char *const driver_words[] = {"flash_template", "telegram_gateway", "telegram_bot",
                                           "ucaller", NULL};
enum { DRIVER_TEMPLATE }; /* the place of the first */
static const char *const outcome_words[] = {"done",      "rate_limited", "retryable",
                                            "permanent", "ours",         "unknown"};
enum { DRIVERS = COUNT_OF(driver_words) - 1, OUTCOMES = COUNT_OF(outcome_words) };

METRIC(channel_fetch_seconds, DRIVERS *OUTCOMES, METRIC_HISTOGRAM_CELLS,
       .name = "herald_provider_request_duration_seconds",
       .help = "How long providers took to answer, by what their answers meant for the send.",
       .type = METRIC_HISTOGRAM, .labels = {"driver", "outcome"},
       .words = {driver_words, outcome_words}, .word_counts = {DRIVERS, OUTCOMES},
       .bounds = &metric_bounds_request);

/* A fetch that herald itself ended says nothing about the provider. */
static void count_fetch(const struct slot *slot)
{
    const struct fetch *fetch = &slot->base.fetch;
    int driver = word_index(driver_words, lane_setup(slot->lane)->driver->name);

    if (fetch->end == FETCH_CANCELED) return;
    if (driver < 0) driver = DRIVER_TEMPLATE;
    metric_observe(&channel_fetch_seconds,
                   metric_series(&channel_fetch_seconds, (size_t)driver, slot->answer.outcome),
                   fetch->duration_ms * 1000);
}

static driver_make_fn make_of_slot(const struct slot *slot)
{
    const struct channel_driver *driver = lane_setup(slot->lane)->driver;

    switch (slot->ask) {
    case ASK_STEP:
        return driver_make_of(driver, slot->step);
    case ASK_ABILITY:
        return driver->make_check;
    case ASK_FATE:
        return driver->make_status;
    case ASK_TURN:
    case ASK_END:
        return NULL;
    }
    return NULL;
}

static void end_fetch(struct fetch_slot *base)
{
    struct slot *slot = CONTAINER_OF(base, struct slot, base);
    const struct channel_setup *setup = lane_setup(slot->lane);

    if (slot->step == STEP_STATUS || slot->ask == ASK_FATE)
        setup->driver->read_status(&setup->config, &base->fetch, &base->arena, &slot->answer);
    else if (slot->step == STEP_SEND)
        setup->driver->read_send(&setup->config, &base->fetch, &base->arena, &slot->answer);
    if (slot->step == STEP_SEND || slot->step == STEP_STATUS) count_fetch(slot);
    if (slot->step == STEP_SEND)
        slot->circuit = lane_count(slot->lane, &base->fetch, &slot->answer);
    slot_record(slot);
}

/* --- Beginning -------------------------------------------------------------------------------- */

/* Sends that were claimed do not go out if one of these came about while the claim ran. */
struct no_fetches {
    bool is_stopping;
    bool is_circuit_open;
};

/* Lets the fetch of a slot leave, or tells why it does not: that is not the provider's doing, so it
 * goes out later. */
static const char *let_leave(struct slot *slot, const struct no_fetches *no_fetches)
{
    const struct channel_setup *setup = lane_setup(slot->lane);

    if (no_fetches->is_stopping) return "herald is stopping";
    if (slot->step == STEP_SEND && no_fetches->is_circuit_open)
        return "the provider does not serve";
    slot->base.fetch.route = setup->config.route;
    make_of_slot(slot)(&setup->config, &slot->content, &slot->base.arena, &slot->base.fetch);
    if (slot->work.traceparent)
        request_header(&slot->base.fetch, "traceparent", slot->work.traceparent);
    return fetch_slot_start(&slot->base) == ERR_OK ? NULL : "too many fetches under way";
}

static void start_fetch(struct slot *slot, const struct no_fetches *no_fetches)
{
    slot->base.end = end_fetch;
    if (slot->ask == ASK_TURN || slot->ask == ASK_END) {
        slot_record(slot); /* its claim has left only that to do */
        return;
    }
    const char *why_not = let_leave(slot, no_fetches);
    if (why_not) fetch_slot_abandon(&slot->base, FETCH_CANCELED, why_not);
}

/* Counts the claimed slots, which are under way from now on. The lock is held. */
static void count_claimed(struct lane *lane)
{
    for (struct slot *slot = lane->claimed; slot; slot = slot->next) {
        lane->sends += slot->step == STEP_SEND;
        lane->follow_ups += slot->step != STEP_SEND && slot->step != STEP_COUNT;
        slot->is_fetching =
            slot->step == STEP_SEND && slot->ask != ASK_TURN && slot->ask != ASK_END;
        if (!slot->is_fetching) continue;
        lane->fetches++;
        lane->pace_level -= 1000;
        slot->is_probe = circuit_is_open(&lane->circuit);
        lane->is_probing |= slot->is_probe;
    }
}

static void begin_fetches(struct lane *lane, const struct no_fetches *no_fetches)
{
    struct slot *slot = lane->claimed;

    lane->claimed = NULL;
    lane->claimed_end = &lane->claimed;
    while (slot) {
        struct slot *next = slot->next;
        event_log_publish(lane->worker->event_log, &slot->work, NULL);
        if (slot->step == STEP_COUNT)
            slot_free(slot);
        else
            start_fetch(slot, no_fetches);
        slot = next;
    }
}

/* Claims again while there is more. Where there was no room, a slot that leaves claims again. The
 * lock is held. */
static void end_claim(struct lane *lane, bool has_failed)
{
    bool goes_on = !has_failed && (lane->is_full || lane->are_follow_ups_full);

    lane->is_claiming = false;
    lane->has_follow_ups |= has_failed || lane->are_follow_ups_full;
    bool is_rest_due = has_failed || lane->send_max == 0 || lane->has_follow_ups;
    lane->is_short = goes_on || is_rest_due;
    if (goes_on || lane->is_woken) lane_pump(lane);
    if (lane->is_claiming) return;
    lane->is_woken |= is_rest_due;
    fetcher_changed(&lane->worker->fetcher);
}

void lane_claimed(struct work *work, enum err err)
{
    struct lane *lane = CONTAINER_OF(work, struct lane, work);
    struct fetcher *fetcher = &lane->worker->fetcher;

    if (err) lane_drop_claimed(lane);
    /* This is told once, however often the claim is tried again. */
    if (err && err != lane->claim_err)
        log_write(LOG_ERROR, "the jobs of a channel cannot be claimed",
                  LOG_FIELDS(log_plain("channel", channel_words[lane->channel]),
                             log_plain("error", err_info(err)->code)));
    lane->claim_err = err;
    arena_done(&lane->arena);
    arena_init(&lane->arena);

    pthread_mutex_lock(&fetcher->lock);
    count_claimed(lane);
    bool is_by_probe = circuit_is_open(&lane->circuit) && lane_has_probe(lane);
    struct no_fetches no_fetches = {
        .is_stopping = fetcher->state != FETCHER_RUNNING,
        .is_circuit_open = is_by_probe || circuit_wait_ms(&lane->circuit, clock_monotonic_ms()) > 0,
    };
    pthread_mutex_unlock(&fetcher->lock);
    begin_fetches(lane, &no_fetches);
    pthread_mutex_lock(&fetcher->lock);
    end_claim(lane, err != ERR_OK);
    pthread_mutex_unlock(&fetcher->lock);
}
