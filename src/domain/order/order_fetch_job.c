/*
 * A fetch sends the frozen body, always the same bytes under the same key, and reads what comes
 * back. A probe asks an ERP whether it serves again, so that no order has to find out: any 2xx of
 * GET /svc/v1/health means that it does. No transaction is open meanwhile (doc B, section 4).
 */
#include "domain/integration/erp_address.h"
#include "domain/order/order_body.h"
#include "domain/order/order_worker.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"

#include <stdio.h>
#include <stdlib.h>

struct probe {
    struct fetch_slot slot;
    struct order_worker *worker;
    struct held_lane *lane;
};

/* --- What goes out ---------------------------------------------------------------------------- */

/* Reads the token and fills what fetches from this ERP have in common. NULL, or why none may leave.
 */
static const char *fill_request(struct fetch_slot *slot, const struct service *service,
                                const struct held_lane *lane, const struct order_target *target)
{
    struct vault_place place = sealed_at(SEALED_ERP_TOKEN, uuid_view(&lane->integration_id));
    int timeout_ms = (int)target->timeout_s * 1000;
    const char *token;

    if (vault_open_text(service->vault, place, target->sealed_token, &slot->arena, &token))
        return "the token for this ERP cannot be read";
    slot->fetch.headers[0] =
        (struct fetch_header){"Authorization", arena_printf(&slot->arena, "Bearer %s", token)};
    slot->fetch.route = (struct fetch_route){
        .ca_file = service->orders->ca_file,
        .networks = service->orders->networks,
        .connect_timeout_ms = timeout_ms,
        .timeout_ms = timeout_ms,
    };
    /* The setting may have been another one when the address was given. Whether its network is
     * allowed is looked at when it is connected to. */
    if (service->integrations->may_use_http || erp_url_is_https(str_of(target->base_url)))
        return NULL;
    return "the address is not https, and the setting HERALD_ERP_ALLOW_HTTP is off";
}

/* Fills the fetch that sends an order. NULL, or why it cannot leave. */
static const char *fill_order(struct order_fetch *fetch, const struct order_target *target,
                              struct str sealed)
{
    const struct service *service = fetch->worker->service;
    struct arena *arena = &fetch->slot.arena;
    struct fetch *request = &fetch->slot.fetch;
    char *key = arena_alloc(arena, UUID_TEXT_LEN + 1);
    const char *body;

    if (order_body_open(service->vault, &fetch->id, sealed, arena, &body)) {
        fetch->is_hopeless = true;
        return "the stored body cannot be read";
    }
    uuid_format(&fetch->order_id, key);
    request->method = "POST";
    request->url = arena_printf(arena, "%s%s", target->base_url, target->order_path);
    request->headers[1] = (struct fetch_header){"Content-Type", "application/json"};
    request->headers[2] = (struct fetch_header){"Idempotency-Key", key};
    if (fetch->traceparent)
        request->headers[3] = (struct fetch_header){"traceparent", fetch->traceparent};
    request->body = str_of(body);
    return fill_request(&fetch->slot, service, fetch->lane, target);
}

/* --- Leaving ---------------------------------------------------------------------------------- */

static void leave(struct order_fetch *fetch)
{
    fetch->started_at = clock_now_ms();
    fetch->has_left = true;
    fetch->lane->in_flight++;
    if (fetch_slot_start(&fetch->slot) != ERR_OK)
        fetch_slot_abandon(&fetch->slot, FETCH_NOT_SENT, "too many fetches under way");
}

static struct order_fetch *take_waiting(struct held_lane *lane)
{
    struct order_fetch *fetch = lane->waiting;

    lane->waiting = fetch->next;
    fetch->next = NULL;
    if (!lane->waiting) lane->waiting_end = &lane->waiting;
    return fetch;
}

/* None of them is left when a circuit opens: each failure before has let one leave. */
static_assert((int)ORDER_AHEAD_MAX < (int)CIRCUIT_FAILURES,
              "they would leave through an open circuit");

static void let_leave(struct held_lane *lane)
{
    while (lane->waiting && lane->in_flight < ORDER_IN_FLIGHT_MAX) {
        struct order_fetch *fetch = take_waiting(lane);
        /* It might still be under way when another worker may begin the next attempt. */
        bool is_late = clock_monotonic_ms() - fetch->begun_ms > ORDER_LEAVE_WITHIN_MS;
        if (is_late)
            fetch_slot_abandon(&fetch->slot, FETCH_CANCELED, "there was no place for it");
        else
            leave(fetch);
    }
}

void order_fetches_give_back(struct order_worker *worker)
{
    for (size_t i = 0; i < ORDER_LANE_BUCKETS; i++) {
        for (struct held_lane *lane = worker->lanes.buckets[i]; lane; lane = lane->next) {
            while (lane->waiting)
                fetch_slot_abandon(&take_waiting(lane)->slot, FETCH_CANCELED, "herald is stopping");
        }
    }
}

/* --- Its end ---------------------------------------------------------------------------------- */

/* The last attempt is at the end of the order's time, but never sooner than the ERP asks for. */
static void end_retried(struct order_fetch *fetch, int64_t now_ms)
{
    int64_t told_ms = fetch->answer.retry_after_ms;
    int64_t failures = fetch->failures + 1;
    int64_t due_at =
        now_ms + order_retry_delay_ms(failures, told_ms, random_below(ORDER_RANDOM_MAX));
    bool is_over = now_ms >= fetch->give_up_at || fetch->is_hopeless;

    if (due_at > fetch->give_up_at) {
        is_over |= told_ms > 0 && now_ms + told_ms > fetch->give_up_at;
        due_at = fetch->give_up_at;
    }
    fetch->end.failures = failures;
    fetch->end.state = is_over ? ORDER_FAILED : ORDER_QUEUED;
    fetch->end.due_at = is_over ? 0 : due_at;
}

/* Decides what is recorded. An order whose fetch herald ended, since it stops, need not wait for
 * whoever serves it next. */
static void decide(struct order_fetch *fetch, int64_t now_ms)
{
    const struct order_answer *answer = &fetch->answer;

    fetch->end = (struct order_end){.id = fetch->id,
                                    .attempt = fetch->attempt,
                                    .erp_order_id = answer->erp_order_id,
                                    .erp_number = answer->erp_number,
                                    .error = answer->error,
                                    .words = answer->words,
                                    .failures = fetch->failures};
    switch (answer->outcome) {
    case ATTEMPT_ACCEPTED:
        fetch->end.state = ORDER_ACCEPTED;
        break;
    case ATTEMPT_REJECTED:
        fetch->end.state = ORDER_REJECTED;
        break;
    case ATTEMPT_CONTRACT_ERROR:
    case ATTEMPT_REFUSED:
    case ATTEMPT_UNKNOWN:
    case ATTEMPT_NOT_SENT:
        if (fetch->slot.fetch.end != FETCH_CANCELED) {
            end_retried(fetch, now_ms);
            break;
        }
        fetch->end.state = ORDER_QUEUED;
        fetch->end.due_at = now_ms;
        break;
    }
}

/* Counts the fetch, which then waits to be recorded. */
static void end_fetch(struct fetch_slot *slot)
{
    struct order_fetch *fetch = CONTAINER_OF(slot, struct order_fetch, slot);
    struct order_worker *worker = fetch->worker;
    struct held_lane *lane = fetch->lane;
    int64_t now_ms = clock_now_ms();

    order_read_answer(&slot->fetch, &slot->arena, &fetch->answer);
    fetch_done(&slot->fetch);
    lane->under_way--;
    if (fetch->has_left) lane->in_flight--;
    lane->used_ms = clock_monotonic_ms();
    lane->is_quick = slot->fetch.end == FETCH_ANSWERED && slot->fetch.duration_ms <= ORDER_QUICK_MS;
    worker->under_way--;
    /* A fetch that herald itself ended says nothing about the ERP, nor does what is wrong with the
     * order. */
    bool tells_of_erp = slot->fetch.end != FETCH_CANCELED && !fetch->is_hopeless;
    if (tells_of_erp && !fetch->answer.is_of_order)
        held_lane_count(&worker->lanes, lane, &fetch->answer, now_ms);
    let_leave(lane);
    decide(fetch, now_ms);
    fetch->next = NULL;
    *worker->unrecorded_end = fetch;
    worker->unrecorded_end = &fetch->next;
    worker->unrecorded_count++;
}

/* --- Its beginning ---------------------------------------------------------------------------- */

void order_fetch_start(struct order_worker *worker, struct held_lane *lane,
                       const struct order_target *target, const struct due_order *order)
{
    struct order_fetch *fetch = must_calloc(1, sizeof(*fetch));
    fetch->worker = worker;
    fetch->lane = lane;
    fetch->id = order->id;
    fetch->order_id = order->order_id;
    fetch->body_len = order->sealed.len;
    fetch->attempt = order->attempts + 1;
    fetch->failures = order->failures;
    fetch->begun_ms = clock_monotonic_ms();
    fetch->started_at = clock_now_ms();
    fetch->give_up_at = order->give_up_at;
    fetch_slot_init(&fetch->slot, &worker->fetcher);
    fetch->slot.end = end_fetch;
    if (order->traceparent)
        fetch->traceparent = arena_str(&fetch->slot.arena, str_of(order->traceparent));

    fetch->next_of_lane = lane->fetches;
    lane->fetches = fetch;
    lane->under_way++;
    lane->used_ms = fetch->begun_ms;
    worker->under_way++;
    worker->bytes += fetch->body_len;

    const char *fault = fill_order(fetch, target, order->sealed);
    if (fault) {
        fetch_slot_abandon(&fetch->slot, FETCH_NOT_SENT, fault);
    } else if (lane->in_flight < ORDER_IN_FLIGHT_MAX) {
        leave(fetch);
    } else {
        *lane->waiting_end = fetch;
        lane->waiting_end = &fetch->next;
    }
}

void order_fetch_free(struct order_fetch *fetch)
{
    struct order_fetch **at = &fetch->lane->fetches;
    while (*at != fetch)
        at = &(*at)->next_of_lane;
    *at = fetch->next_of_lane;
    fetch->worker->bytes -= fetch->body_len;
    fetch_slot_done(&fetch->slot);
    free(fetch);
}

/* --- Probes ----------------------------------------------------------------------------------- */

/* A probe that herald itself ended says nothing about the ERP. */
static void note_failure(struct probe *probe, int status)
{
    const struct fetch_slot *slot = &probe->slot;
    struct held_lanes *lanes = &probe->worker->lanes;
    char text[sizeof("GET " ORDER_HEALTH_PATH ": HTTP 999")];

    snprintf(text, sizeof(text), "GET " ORDER_HEALTH_PATH ": HTTP %d", status);
    if (status > 0)
        held_lane_fail_probe(lanes, probe->lane, text);
    else if (slot->fetch.end != FETCH_CANCELED && slot->fetch.error)
        held_lane_fail_probe(lanes, probe->lane, slot->fetch.error);
}

static void end_probe(struct fetch_slot *slot)
{
    struct probe *probe = CONTAINER_OF(slot, struct probe, slot);
    struct held_lanes *lanes = &probe->worker->lanes;
    int status = slot->fetch.end == FETCH_ANSWERED ? slot->fetch.status : 0;

    probe->lane->is_probing = false;
    probe->worker->probes--;
    if (status >= 200 && status <= 299)
        held_lane_close(lanes, probe->lane);
    else
        note_failure(probe, status);
    if (status == 401 || status == 403) held_lane_warn(lanes, probe->lane, status, clock_now_ms());
    fetch_slot_done(slot);
    free(probe);
}

void order_probe_start(struct order_worker *worker, struct held_lane *lane,
                       const struct order_target *target)
{
    struct probe *probe = must_calloc(1, sizeof(*probe));
    struct fetch_slot *slot = &probe->slot;

    probe->worker = worker;
    probe->lane = lane;
    fetch_slot_init(slot, &worker->fetcher);
    slot->end = end_probe;
    slot->fetch.method = "GET";
    slot->fetch.url = arena_printf(&slot->arena, "%s" ORDER_HEALTH_PATH, target->base_url);
    lane->is_probing = true;
    worker->probes++;
    const char *fault = fill_request(slot, worker->service, lane, target);
    if (fault || fetch_slot_start(slot) != ERR_OK) fetch_slot_abandon(slot, FETCH_CANCELED, fault);
}
