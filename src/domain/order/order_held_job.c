/* The log tells of a lane that it begins to fail, that its circuit opens, that its credentials are
 * refused, and that it is well again, even if another worker told that it was not. It does not tell
 * of each attempt. */
#include "domain/event_log/event_log.h"
#include "domain/order/order_held.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"

#include <stdio.h>
#include <stdlib.h>

/* --- The table -------------------------------------------------------------------------------- */

/* The end of a UUID of ours is random. */
static size_t bucket_of(const struct uuid *id)
{
    return ((size_t)id->bytes[14] << 8 | id->bytes[15]) % ORDER_LANE_BUCKETS;
}

struct held_lane *held_lane_find(const struct held_lanes *lanes, const struct uuid *integration_id)
{
    struct held_lane *lane = lanes->buckets[bucket_of(integration_id)];
    while (lane && !uuid_equal(&lane->integration_id, integration_id))
        lane = lane->next;
    return lane;
}

struct held_lane *held_lane_add(struct held_lanes *lanes, const struct uuid *integration_id)
{
    struct held_lane **bucket = &lanes->buckets[bucket_of(integration_id)];
    struct held_lane *held = must_calloc(1, sizeof(*held));

    held->integration_id = *integration_id;
    held->used_ms = clock_monotonic_ms();
    held->waiting_end = &held->waiting;
    held->next = *bucket;
    *bucket = held;
    lanes->count++;
    return held;
}

void held_lane_touch(struct held_lanes *lanes, struct held_lane *lane)
{
    if (lane->is_unwritten) return;
    lane->is_unwritten = true;
    lane->next_unwritten = lanes->unwritten;
    lanes->unwritten = lane;
}

void held_lanes_written(struct held_lanes *lanes)
{
    while (lanes->unwritten) {
        struct held_lane *lane = lanes->unwritten;
        lanes->unwritten = lane->next_unwritten;
        lane->is_unwritten = false;
        lane->was_open = lane->lane.opened_at != 0;
    }
}

void held_lanes_drop(struct held_lanes *lanes,
                     bool (*drops)(const struct held_lane *lane, const void *arg), const void *arg)
{
    for (size_t i = 0; i < ORDER_LANE_BUCKETS; i++) {
        struct held_lane **at = &lanes->buckets[i];
        while (*at) {
            struct held_lane *lane = *at;
            bool is_free = !lane->fetches && !lane->is_probing && !lane->is_unwritten;
            if (!is_free || (drops && !drops(lane, arg))) {
                at = &lane->next;
                continue;
            }
            *at = lane->next;
            lanes->count--;
            free(lane);
        }
    }
}

/* --- What is told ----------------------------------------------------------------------------- */

/* An ERP's own words stay out of the log: they may repeat what an order says of a person. */
static void log_lane(const struct held_lanes *lanes, const struct held_lane *lane,
                     enum log_level level, const char *what, const struct order_answer *answer)
{
    struct log_field fields[] = {
        log_integration(&lane->integration_id),
        log_plain("status", NULL),
        log_plain("error", NULL),
    };
    if (answer && answer->status > 0) fields[1] = log_int("status", answer->status);
    if (answer && answer->outcome != ATTEMPT_REFUSED) fields[2] = log_plain("error", answer->error);
    event_log_write(lanes->event_log, level, what, fields, COUNT_OF(fields));
}

static void log_failing(const struct held_lanes *lanes, struct held_lane *lane,
                        const struct order_answer *answer)
{
    int64_t now_ms = clock_monotonic_ms();

    /* An ERP that fails now and then would fill the log. */
    if (lane->told_ms != 0 && now_ms - lane->told_ms < ORDER_LOG_EVERY_MS) return;
    lane->told_ms = now_ms;
    lane->is_told = true;
    log_lane(lanes, lane, LOG_WARNING, "an ERP does not take orders; they are tried again", answer);
}

/* It is told once, however often a probe goes well and the next order does not. */
static void log_opened(const struct held_lanes *lanes, struct held_lane *lane,
                       const struct order_answer *answer)
{
    if (lane->lane.circuit.failures > CIRCUIT_FAILURES) return;
    lane->is_told = true;
    log_lane(lanes, lane, LOG_ERROR,
             "orders wait: their ERP failed too often and is asked for its health", answer);
}

static void log_recovered(const struct held_lanes *lanes, struct held_lane *lane)
{
    if (!lane->is_told) return;
    lane->is_told = false;
    log_lane(lanes, lane, LOG_INFO, "an ERP takes orders again", NULL);
}

/* --- What it goes through --------------------------------------------------------------------- */

/* An operator reads it of the lane, not of one order: so the ERP's own words stay out of it, too.
 * NULL: the ERP served. */
static const char *describe(const struct order_answer *answer, char *text, size_t size)
{
    switch (answer->outcome) {
    case ATTEMPT_ACCEPTED:
    case ATTEMPT_REJECTED:
        return NULL;
    case ATTEMPT_REFUSED:
        snprintf(text, size, "HTTP %d", answer->status);
        return text;
    case ATTEMPT_CONTRACT_ERROR:
    case ATTEMPT_UNKNOWN:
    case ATTEMPT_NOT_SENT:
        break;
    }
    return answer->error;
}

void held_lane_count(struct held_lanes *lanes, struct held_lane *lane,
                     const struct order_answer *answer, int64_t now_ms)
{
    bool was_failing = lane->lane.circuit.failures > 0;
    enum circuit_change change = order_lane_count(&lane->lane, answer->outcome, now_ms);
    char status[sizeof("HTTP 999")];

    order_lane_note(&lane->lane, describe(answer, status, sizeof(status)), now_ms);
    if (was_failing || lane->lane.circuit.failures > 0) held_lane_touch(lanes, lane);
    if (answer->is_unauthorized) held_lane_warn(lanes, lane, answer->status, now_ms);
    switch (change) {
    case CIRCUIT_FAILING:
        log_failing(lanes, lane, answer);
        break;
    case CIRCUIT_OPENED:
        log_opened(lanes, lane, answer);
        break;
    case CIRCUIT_RECOVERED:
    case CIRCUIT_CLOSED:
        log_recovered(lanes, lane);
        break;
    case CIRCUIT_SAME:
        break;
    }
}

void held_lane_close(struct held_lanes *lanes, struct held_lane *lane)
{
    circuit_pass_probe(&lane->lane.circuit);
    order_lane_note(&lane->lane, NULL, clock_now_ms());
    held_lane_touch(lanes, lane);
    /* An earlier fetch was answered well in the meantime. */
    if (lane->lane.circuit.failures == 0) log_recovered(lanes, lane);
}

void held_lane_fail_probe(struct held_lanes *lanes, struct held_lane *lane, const char *error)
{
    order_lane_note(&lane->lane, error, clock_now_ms());
    held_lane_touch(lanes, lane);
}

void held_lane_warn(struct held_lanes *lanes, struct held_lane *lane, int status, int64_t now_ms)
{
    if (!order_lane_warns(&lane->lane, now_ms)) return;
    held_lane_touch(lanes, lane);
    event_log_write(
        lanes->event_log, LOG_ERROR,
        "an ERP refuses our token; give it a new one with PATCH /internal/v1/integrations",
        LOG_FIELDS(log_integration(&lane->integration_id), log_int("status", status)));
}
