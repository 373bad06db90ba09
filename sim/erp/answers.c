/* The ERP does something with a request, and answers it, or answers what it was told to answer
 * instead. */
#include "call.h"
#include "judge.h"
#include "kit/base/clock.h"

#include <stdlib.h>

enum { PADDING_BYTES = 512 * 1024 };

#define ELSEWHERE "/svc/v1/elsewhere"

static void put_error(struct json_writer *json, const char *code, const char *message)
{
    json_key(json, "error");
    json_object_begin(json);
    json_put_text(json, "code", code);
    json_put_text(json, "message", message);
    json_object_end(json);
}

void call_refuse(struct call *call, int status, const char *code, const char *message)
{
    struct json_writer json = answer_begin(&call->answer, status);

    put_error(&json, code, message);
    json_object_end(&json);
}

/* ---- as usual ---- */

static bool has_token(struct call *call)
{
    const struct str given = http_header_get(call->x, "authorization");
    const char *wanted = arena_printf(&call->arena, "Bearer %s", call->sim->options->token);

    if (http_header_count(call->x, "authorization") == 1 && str_is(given, wanted)) return true;
    call->sim->unauthorized++;
    call_refuse(call, 401, "unauthorized", "The token is not the one that was agreed on");
    return false;
}

static bool has_verb(struct call *call, const char *verb)
{
    if (str_is(http_method(call->x), verb)) return true;
    call_refuse(call, 405, "method_not_allowed", "This path is asked in another way");
    answer_add_header(&call->answer, "Allow", verb);
    return false;
}

static bool is_json(const struct http_request *x)
{
    struct str type = http_header_get(x, "content-type");
    const char *end = type.data ? memchr(type.data, ';', type.len) : NULL;

    if (end) type.len = (size_t)(end - type.data);
    return http_header_count(x, "content-type") == 1 &&
           str_is_nocase(str_trim(type), "application/json");
}

/* The sentence that says what is wrong with the request; NULL: nothing is. */
static const char *find_fault(struct call *call, struct judged_order *ret_order)
{
    if (!is_json(call->x)) return "Content-Type must be application/json";
    if (http_header_count(call->x, "idempotency-key") != 1 || !call->order)
        return "Idempotency-Key must be the uuid of the order";
    return judge_order(buf_view(&call->body), call->key, &call->arena, ret_order);
}

static void accept_order(struct call *call, const struct document *document)
{
    const struct behaviour *told = &call->behaviour;
    struct json_writer json = answer_begin(&call->answer, 200);

    json_put_bool(&json, "accepted", told->accepted != 0);
    if (told->kind != BEHAVIOUR_NO_ORDER_ID)
        json_put_text(&json, "order_id", told->order_id ? told->order_id : document->id);
    json_put_text(&json, "number", document->number);
    json_object_end(&json);
}

static void take_order(struct call *call)
{
    char digest[DIGEST_LEN + 1];
    struct judged_order order;

    if (!has_verb(call, "POST") || !has_token(call)) return;
    const char *fault = find_fault(call, &order);
    if (fault) {
        call_refuse(call, 422, "validation_error", fault);
        return;
    }
    digest_of(buf_view(&call->body), digest);
    const struct document *document = documents_take(
        call->sim->documents, &(struct incoming){call->order, order.point_id, order.number, digest},
        clock_now_ms(), &call->had_effect);
    if (document)
        accept_order(call, document);
    else
        call_refuse(call, 503, "no_room", "The document cannot be kept");
    call->had_effect = call->had_effect && document;
}

static void tell_health(struct call *call)
{
    if (!has_verb(call, "GET") || !has_token(call)) return;
    struct json_writer json = answer_begin(&call->answer, 200);
    json_put_text(&json, "status", "ok");
    json_object_end(&json);
}

/* As tempting as can be, so that it shows who believes it. */
static void tempt(struct call *call)
{
    struct json_writer json = answer_begin(&call->answer, 200);

    json_put_bool(&json, "accepted", true);
    json_put_text(&json, "order_id", "redirected");
    json_put_text(&json, "number", "SO-000000");
    json_object_end(&json);
}

static void answer_as_usual(struct call *call)
{
    switch (call->method) {
    case METHOD_ORDER:
        take_order(call);
        return;
    case METHOD_HEALTH:
        tell_health(call);
        return;
    case METHOD_REDIRECTED:
        tempt(call);
        return;
    case METHOD_UNKNOWN:
        call_refuse(call, 404, "not_found", "There is nothing at this path");
        return;
    case METHOD_COUNT:
        break;
    }
    abort();
}

/* ---- as told ---- */

/* Blanks, which leave it the same JSON. */
static void pad(struct call *call)
{
    struct answer *answer = &call->answer;
    struct str usual = {arena_str(&call->arena, buf_view(&answer->body)), answer->body.len};

    buf_clear(&answer->body);
    answer_pad(answer, ' ', PADDING_BYTES);
    buf_str(&answer->body, usual);
    answer_pad(answer, ' ', PADDING_BYTES);
}

static void reject(struct call *call)
{
    const char *message = call->behaviour.body;
    struct json_writer json = answer_begin(&call->answer, 200);

    json_put_bool(&json, "accepted", false);
    put_error(&json, "rejected", message ? message : "The order is not wanted");
    json_object_end(&json);
}

/* Exactly what was given; `headers` is an object of texts. */
static void answer_exactly(struct call *call)
{
    const char *headers = call->behaviour.headers;
    struct params *given = ARENA_NEW(&call->arena, struct params);

    answer_set_body(&call->answer, "application/json",
                    call->behaviour.body ? call->behaviour.body : "");
    if (headers) params_add_json(given, str_of(headers), &call->arena);
    for (size_t i = 0; i < given->count; i++) {
        const struct param *header = &given->rows[i];
        if (str_is_nocase(str_of(header->name), "content-type"))
            call->answer.content_type = header->text;
        else
            answer_add_header(&call->answer, header->name, header->text);
    }
}

static void apply_behaviour(struct call *call)
{
    switch (call->behaviour.kind) {
    case BEHAVIOUR_OK:
    case BEHAVIOUR_SLOW:
    case BEHAVIOUR_LATE:
    case BEHAVIOUR_NO_ORDER_ID:
    case BEHAVIOUR_TRICKLE:
    case BEHAVIOUR_COUNT:
        return;
    case BEHAVIOUR_CUT_BEFORE:
    case BEHAVIOUR_CUT_AFTER:
        call->ending = ENDING_CUT;
        return;
    case BEHAVIOUR_CUT_WITHIN:
        call->ending = ENDING_CUT_WITHIN;
        return;
    case BEHAVIOUR_SERVER_ERROR:
        answer_set_html(&call->answer, 502, "502 Bad Gateway");
        return;
    case BEHAVIOUR_RATE_LIMIT:
        call_refuse(call, 429, "too_many_requests", "Too many requests");
        return;
    case BEHAVIOUR_REJECTED:
        reject(call);
        return;
    case BEHAVIOUR_NONSENSE:
        answer_set_nonsense(&call->answer, call->behaviour.shape, "\"accepted\":true");
        return;
    case BEHAVIOUR_HUGE:
        pad(call);
        return;
    case BEHAVIOUR_REDIRECT:
        answer_set_body(&call->answer, "text/plain", "");
        answer_add_header(&call->answer, "Location", ELSEWHERE);
        return;
    case BEHAVIOUR_WRONG_TOKEN:
        call_refuse(call, 401, "unauthorized", "The token is not the one that was agreed on");
        return;
    case BEHAVIOUR_STATUS:
    case BEHAVIOUR_ANSWER:
        answer_exactly(call);
        return;
    }
}

void call_answer(struct call *call)
{
    const struct behaviour *told = &call->behaviour;
    const char *retry_after = told->retry_after;

    call->has_answer = true;
    call_refuse(call, 500, "internal", "Nothing was done");
    if (told->is_taken) answer_as_usual(call);
    apply_behaviour(call);
    if (told->http_status > 0) call->answer.status = told->http_status;
    if (!retry_after && told->kind == BEHAVIOUR_RATE_LIMIT) retry_after = "1";
    if (retry_after) answer_add_header(&call->answer, "Retry-After", retry_after);
}

enum method call_method(const struct sim *sim, struct str path)
{
    if (str_is(path, sim->options->order_path)) return METHOD_ORDER;
    if (str_is(path, "/svc/v1/health")) return METHOD_HEALTH;
    return str_is(path, ELSEWHERE) ? METHOD_REDIRECTED : METHOD_UNKNOWN;
}
