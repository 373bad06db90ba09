/*
 * Calls: the frozen body goes out, always the same bytes under the same key, and what comes back is
 * read (doc B, section 4). No transaction is open meanwhile.
 */
#include "domain/integration/erp_address.h"
#include "domain/order/order_body.h"
#include "domain/order/order_worker.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"

#include <stdlib.h>

/* --- Its beginning ---------------------------------------------------------------------------- */

static struct order_call *call_new(struct order_worker *worker, struct held_lane *lane,
                                   const struct due_order *order)
{
    struct order_call *call = must_calloc(1, sizeof(*call));
    call->worker = worker;
    call->lane = lane;
    call->id = order->id;
    call->order_id = order->order_id;
    call->body_len = order->sealed.len;
    call->attempt = order->attempts + 1;
    call->failures = order->failures;
    call->begun_ms = clock_monotonic_ms();
    call->started_at = clock_now_ms();
    call->give_up_at = order->give_up_at;
    arena_init(&call->arena);

    call->next_of_lane = lane->calls;
    lane->calls = call;
    lane->under_way++;
    lane->used_ms = call->begun_ms;
    worker->under_way++;
    worker->bytes += call->body_len;
    return call;
}

static void call_done(struct fetch_call *call)
{
    struct order_call *ended = (struct order_call *)call;
    order_worker_take_call(ended->worker, ended);
}

/* No byte has left. */
static void end_unsent(struct order_call *call, enum fetch_end end, const char *error)
{
    call->call.end = end;
    call->call.was_sent = false;
    call->call.retry_after_ms = -1;
    call->call.error = error;
    call_done(&call->call);
}

static const char *open_token(struct order_call *call, const struct order_target *target)
{
    const char *token;
    enum err err =
        vault_open_text(call->worker->service->vault,
                        sealed_at(SEALED_ERP_TOKEN, uuid_view(&call->lane->integration_id)),
                        target->sealed_token, &call->arena, &token);
    return err ? NULL : token;
}

struct fetch_route order_route(const struct service *service, const struct order_target *target)
{
    int timeout_ms = (int)target->timeout_s * 1000;

    return (struct fetch_route){
        .ca_file = service->erp_ca_file,
        .networks = service->erp_networks,
        .connect_timeout_ms = timeout_ms,
        .timeout_ms = timeout_ms,
    };
}

static void fill_request(struct order_call *call, const struct order_target *target,
                         const char *token, const char *body)
{
    struct arena *arena = &call->arena;
    char *key = arena_alloc(arena, UUID_TEXT_LEN + 1);

    uuid_format(&call->order_id, key);
    call->call.method = "POST";
    call->call.url = arena_printf(arena, "%s%s", target->base_url, target->order_path);
    call->call.headers[0] = (struct fetch_header){"Content-Type", "application/json"};
    call->call.headers[1] =
        (struct fetch_header){"Authorization", arena_printf(arena, "Bearer %s", token)};
    call->call.headers[2] = (struct fetch_header){"Idempotency-Key", key};
    call->call.body = str_of(body);
    call->call.route = order_route(call->worker->service, target);
    call->call.done = call_done;
}

/* The setting may have been another when the address was given. Its network is looked at when it is
 * connected to. */
const char *order_target_fault(const struct service *service, const struct order_target *target)
{
    if (service->may_use_http_for_erp || erp_url_is_https(str_of(target->base_url))) return NULL;
    return "the address is not https, and the setting HERALD_ERP_ALLOW_HTTP is off";
}

/* NULL, or why it cannot leave. */
static const char *prepare(struct order_call *call, const struct order_target *target,
                           struct str sealed)
{
    const struct vault *vault = call->worker->service->vault;
    const char *fault = order_target_fault(call->worker->service, target);
    const char *body, *token = open_token(call, target);

    if (order_body_open(vault, &call->id, sealed, &call->arena, &body) != ERR_OK) {
        call->is_hopeless = true;
        return "the stored body cannot be read";
    }
    if (!token) return "the token for this ERP cannot be read";
    if (!fault) fill_request(call, target, token, body);
    return fault;
}

static void leave(struct order_call *call)
{
    call->started_at = clock_now_ms();
    call->has_left = true;
    call->lane->in_flight++;
    if (fetch_start(call->worker->client, &call->call) != ERR_OK)
        end_unsent(call, FETCH_NOT_SENT, "too many calls under way");
}

static void wait_for_place(struct order_call *call)
{
    struct held_lane *lane = call->lane;

    *lane->waiting_end = call;
    lane->waiting_end = &call->next;
}

void order_call_start(struct order_worker *worker, struct held_lane *lane,
                      const struct order_target *target, const struct due_order *order)
{
    struct order_call *call = call_new(worker, lane, order);
    const char *fault = prepare(call, target, order->sealed);

    if (fault)
        end_unsent(call, FETCH_NOT_SENT, fault);
    else if (lane->in_flight < ORDER_IN_FLIGHT_MAX)
        leave(call);
    else
        wait_for_place(call);
}

/* --- Those that were begun ahead -------------------------------------------------------------- */

static struct order_call *take_waiting(struct held_lane *lane)
{
    struct order_call *call = lane->waiting;

    lane->waiting = call->next;
    call->next = NULL;
    if (!lane->waiting) lane->waiting_end = &lane->waiting;
    return call;
}

/* It might still be under way when another worker may begin the next attempt. */
static bool is_late(const struct order_call *call)
{
    return clock_monotonic_ms() - call->begun_ms > ORDER_LEAVE_WITHIN_MS;
}

/* A circuit that opens finds none of them: each failure before has let one leave. */
static_assert((int)ORDER_AHEAD_MAX < (int)CIRCUIT_FAILURES,
              "they would leave through an open circuit");

static void let_leave(struct held_lane *lane)
{
    while (lane->waiting && lane->in_flight < ORDER_IN_FLIGHT_MAX) {
        struct order_call *call = take_waiting(lane);
        if (is_late(call))
            end_unsent(call, FETCH_CANCELED, "there was no place for it");
        else
            leave(call);
    }
}

void order_calls_give_back(struct order_worker *worker)
{
    for (size_t i = 0; i < ORDER_LANE_BUCKETS; i++) {
        for (struct held_lane *lane = worker->lanes.buckets[i]; lane; lane = lane->next) {
            while (lane->waiting)
                end_unsent(take_waiting(lane), FETCH_CANCELED, "herald is stopping");
        }
    }
}

/* --- Its end ---------------------------------------------------------------------------------- */

static void end_finally(struct order_call *call, enum order_state state)
{
    call->end.state = state;
    call->end.due_at = 0;
}

/* By herald, which stops. */
static bool is_canceled(const struct order_call *call)
{
    return call->call.end == FETCH_CANCELED;
}

/* Whoever serves the order next need not wait. */
static void end_canceled(struct order_call *call, int64_t now_ms)
{
    call->end.state = ORDER_QUEUED;
    call->end.due_at = now_ms;
}

/* The last attempt is at the end of its time, but never sooner than the ERP asks for. */
static void end_retried(struct order_call *call, int64_t now_ms)
{
    int64_t told_ms = call->answer.retry_after_ms;
    int64_t failures = call->failures + 1;
    int64_t due_at =
        now_ms + order_retry_delay_ms(failures, told_ms, random_below(ORDER_RANDOM_MAX));
    bool is_over = now_ms >= call->give_up_at || call->is_hopeless;

    call->end.failures = failures;

    if (due_at > call->give_up_at) {
        is_over |= told_ms > 0 && now_ms + told_ms > call->give_up_at;
        due_at = call->give_up_at;
    }
    if (is_over) {
        end_finally(call, ORDER_FAILED);
        return;
    }
    call->end.state = ORDER_QUEUED;
    call->end.due_at = due_at;
}

static void decide(struct order_call *call, int64_t now_ms)
{
    const struct order_answer *answer = &call->answer;

    call->end = (struct order_end){.id = call->id,
                                   .attempt = call->attempt,
                                   .erp_order_id = answer->erp_order_id,
                                   .erp_number = answer->erp_number,
                                   .error = answer->error,
                                   .failures = call->failures};
    switch (answer->outcome) {
    case ATTEMPT_ACCEPTED:
        end_finally(call, ORDER_ACCEPTED);
        break;
    case ATTEMPT_REJECTED:
        end_finally(call, ORDER_REJECTED);
        break;
    case ATTEMPT_CONTRACT_ERROR:
    case ATTEMPT_REFUSED:
    case ATTEMPT_UNKNOWN:
    case ATTEMPT_NOT_SENT:
        if (is_canceled(call))
            end_canceled(call, now_ms);
        else
            end_retried(call, now_ms);
        break;
    }
}

/* What herald itself ended says nothing about the ERP, nor does what is wrong with the order. */
static bool tells_of_erp(const struct order_call *call)
{
    return !is_canceled(call) && !call->is_hopeless && !call->answer.is_of_order;
}

void order_call_end(struct order_call *call, int64_t now_ms)
{
    struct order_worker *worker = call->worker;
    struct held_lane *lane = call->lane;

    order_read_answer(&call->call, &call->arena, &call->answer);
    fetch_call_done(&call->call);
    lane->under_way--;
    if (call->has_left) lane->in_flight--;
    lane->used_ms = clock_monotonic_ms();
    lane->is_quick = call->call.end == FETCH_ANSWERED && call->call.duration_ms <= ORDER_QUICK_MS;
    worker->under_way--;
    if (tells_of_erp(call)) held_lane_count(worker, lane, &call->answer, now_ms);
    let_leave(lane);
    decide(call, now_ms);
    call->next = NULL;
    *worker->unrecorded_end = call;
    worker->unrecorded_end = &call->next;
    worker->unrecorded_count++;
}

void order_call_free(struct order_call *call)
{
    struct order_call **at = &call->lane->calls;
    while (*at != call)
        at = &(*at)->next_of_lane;
    *at = call->next_of_lane;
    call->worker->bytes -= call->body_len;
    arena_done(&call->arena);
    free(call);
}
