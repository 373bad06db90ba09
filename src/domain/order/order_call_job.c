/*
 * Calls: the frozen body goes out, always the same bytes under the same key, and what comes back is
 * read (doc B, section 4). No transaction is open meanwhile.
 */
#include "domain/client/erp_address.h"
#include "domain/order/order_body.h"
#include "domain/order/order_worker.h"
#include "kit/base/clock.h"

#include <stdlib.h>

/* --- Its beginning ---------------------------------------------------------------------------- */

static struct order_call *call_new(struct order_worker *worker, struct held_lane *lane,
                                   const struct due_order *order)
{
    struct order_call *call = calloc(1, sizeof(*call));
    if (!call) abort();
    call->worker = worker;
    call->lane = lane;
    call->id = order->id;
    call->attempt = order->attempts + 1;
    call->failures = order->failures;
    call->started_at = clock_now_ms();
    call->give_up_at = order->give_up_at;
    arena_init(&call->arena);

    call->next_of_lane = lane->calls;
    lane->calls = call;
    lane->under_way++;
    lane->used_ms = clock_monotonic_ms();
    worker->under_way++;
    return call;
}

static void call_done(struct client_call *call)
{
    struct order_call *ended = (struct order_call *)call;
    order_worker_take_call(ended->worker, ended);
}

/* No byte has left. */
static void end_unsent(struct order_call *call, const char *error)
{
    call->call.end = CLIENT_NOT_SENT;
    call->call.was_sent = false;
    call->call.retry_after_ms = -1;
    call->call.error = error;
    call_done(&call->call);
}

static const char *open_token(struct order_call *call, const struct order_target *target)
{
    const char *token;
    enum err err =
        vault_open_text(call->worker->service->vault, uuid_view(&call->lane->integration_id),
                        target->sealed_token, &call->arena, &token);
    return err ? NULL : token;
}

struct client_route order_route(const struct service *service, const struct order_target *target)
{
    int timeout_ms = (int)target->timeout_s * 1000;

    return (struct client_route){
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

    uuid_format(&call->id, key);
    call->call.method = "POST";
    call->call.url = arena_printf(arena, "%s%s", target->base_url, target->order_path);
    call->call.headers[0] = (struct client_header){"Content-Type", "application/json"};
    call->call.headers[1] =
        (struct client_header){"Authorization", arena_printf(arena, "Bearer %s", token)};
    call->call.headers[2] = (struct client_header){"Idempotency-Key", key};
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

static void start(struct order_call *call, const struct order_target *target, struct str sealed)
{
    const struct vault *vault = call->worker->service->vault;
    const char *fault = order_target_fault(call->worker->service, target);
    const char *body, *token = open_token(call, target);

    if (order_body_open(vault, &call->id, sealed, &call->arena, &body) != ERR_OK) {
        call->is_hopeless = true;
        end_unsent(call, "the stored body cannot be read");
        return;
    }
    if (!token) fault = "the token for this ERP cannot be read";
    if (fault) {
        end_unsent(call, fault);
        return;
    }
    fill_request(call, target, token, body);
    if (client_start(call->worker->client, &call->call) != ERR_OK)
        end_unsent(call, "too many calls under way");
}

void order_call_start(struct order_worker *worker, struct held_lane *lane,
                      const struct order_target *target, const struct due_order *order)
{
    start(call_new(worker, lane, order), target, order->sealed);
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
    return call->call.end == CLIENT_CANCELED;
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

    order_read_answer(&call->call, &call->arena, &call->answer);
    client_call_done(&call->call);
    call->lane->under_way--;
    call->lane->used_ms = clock_monotonic_ms();
    worker->under_way--;
    if (tells_of_erp(call)) held_lane_count(worker, call->lane, &call->answer, now_ms);
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
    arena_wipe(&call->arena); /* of the order and the token */
    arena_done(&call->arena);
    free(call);
}
