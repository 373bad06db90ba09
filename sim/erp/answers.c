/* What the ERP does with a request, what it answers, and what it was told to answer instead. */
#include "judge.h"
#include "kit/base/clock.h"
#include "visit.h"

#include <stdlib.h>

enum { PADDING_BYTES = 512 * 1024, FILLING_BYTES = 8 * 1024 * 1024 };

#define ELSEWHERE "/svc/v1/elsewhere"

static struct json_writer begin(struct visit *visit, int status)
{
    struct answer *answer = &visit->answer;
    struct json_writer json;

    buf_clear(&answer->body);
    answer->header_count = 0;
    answer->status = status;
    answer->content_type = "application/json";
    json_writer_init(&json, &answer->body);
    json_object_begin(&json);
    return json;
}

static void add_header(struct visit *visit, const char *name, const char *value)
{
    struct answer *answer = &visit->answer;

    if (answer->header_count == ANSWER_HEADERS_MAX) return;
    answer->headers[answer->header_count++] = (struct http_header){str_of(name), str_of(value)};
}

static void put_error(struct json_writer *json, const char *code, const char *message)
{
    json_key(json, "error");
    json_object_begin(json);
    json_put_text(json, "code", code);
    json_put_text(json, "message", message);
    json_object_end(json);
}

void visit_refuse(struct visit *visit, int status, const char *code, const char *message)
{
    struct json_writer json = begin(visit, status);

    put_error(&json, code, message);
    json_object_end(&json);
}

/* ---- as usual ---- */

static bool has_token(struct visit *visit)
{
    const struct str given = http_header_get(visit->x, "authorization");
    const char *wanted = arena_printf(&visit->arena, "Bearer %s", visit->sim->options->token);

    if (http_header_count(visit->x, "authorization") == 1 && str_is(given, wanted)) return true;
    visit->sim->unauthorized++;
    visit_refuse(visit, 401, "unauthorized", "The token is not the one that was agreed on");
    return false;
}

static bool has_verb(struct visit *visit, const char *verb)
{
    if (str_is(http_method(visit->x), verb)) return true;
    visit_refuse(visit, 405, "method_not_allowed", "This path is asked in another way");
    add_header(visit, "Allow", verb);
    return false;
}

static bool is_json(const struct http_exchange *x)
{
    struct str type = http_header_get(x, "content-type");
    const char *end = type.data ? memchr(type.data, ';', type.len) : NULL;

    if (end) type.len = (size_t)(end - type.data);
    return http_header_count(x, "content-type") == 1 &&
           str_is_nocase(str_trim(type), "application/json");
}

/* The sentence that says what is wrong with the request; NULL: nothing is. */
static const char *find_fault(struct visit *visit, struct judged_order *ret_order)
{
    if (!is_json(visit->x)) return "Content-Type must be application/json";
    if (http_header_count(visit->x, "idempotency-key") != 1 || !visit->order)
        return "Idempotency-Key must be the uuid of the order";
    return judge_order(buf_view(&visit->body), visit->key, &visit->arena, ret_order);
}

static void accept_order(struct visit *visit, const struct document *document)
{
    const struct behaviour *told = &visit->behaviour;
    struct json_writer json = begin(visit, 200);

    json_put_bool(&json, "accepted", told->accepted != 0);
    if (told->deed != DEED_NO_ORDER_ID)
        json_put_text(&json, "order_id", told->order_id ? told->order_id : document->id);
    json_put_text(&json, "number", document->number);
    json_object_end(&json);
}

static void take_order(struct visit *visit)
{
    char digest[DIGEST_LEN + 1];
    struct judged_order order;

    if (!has_verb(visit, "POST") || !has_token(visit)) return;
    const char *fault = find_fault(visit, &order);
    if (fault) {
        visit_refuse(visit, 422, "validation_error", fault);
        return;
    }
    digest_of(buf_view(&visit->body), digest);
    const struct document *document =
        documents_take(visit->sim->documents,
                       &(struct incoming){visit->order, order.point_id, order.number, digest},
                       clock_now_ms(), &visit->had_effect);
    if (document)
        accept_order(visit, document);
    else
        visit_refuse(visit, 503, "no_room", "The document cannot be kept");
    visit->had_effect = visit->had_effect && document;
}

static void tell_health(struct visit *visit)
{
    if (!has_verb(visit, "GET") || !has_token(visit)) return;
    struct json_writer json = begin(visit, 200);
    json_put_text(&json, "status", "ok");
    json_object_end(&json);
}

/* As tempting as can be, so that it shows who believes it. */
static void tempt(struct visit *visit)
{
    struct json_writer json = begin(visit, 200);

    json_put_bool(&json, "accepted", true);
    json_put_text(&json, "order_id", "redirected");
    json_put_text(&json, "number", "SO-000000");
    json_object_end(&json);
}

static void answer_as_usual(struct visit *visit)
{
    switch (visit->method) {
    case METHOD_ORDER:
        take_order(visit);
        return;
    case METHOD_HEALTH:
        tell_health(visit);
        return;
    case METHOD_REDIRECTED:
        tempt(visit);
        return;
    case METHOD_UNKNOWN:
        visit_refuse(visit, 404, "not_found", "There is nothing at this path");
        return;
    case METHOD_COUNT:
        break;
    }
    abort();
}

/* ---- as told ---- */

static void answer_bytes(struct visit *visit, const char *type, const char *body)
{
    buf_clear(&visit->answer.body);
    visit->answer.header_count = 0;
    visit->answer.content_type = type;
    buf_text(&visit->answer.body, body);
}

static void answer_html(struct visit *visit, const char *title)
{
    answer_bytes(visit, "text/html",
                 arena_printf(&visit->arena,
                              "<html>\r\n<head><title>%s</title></head>\r\n<body>\r\n<center>"
                              "<h1>%s</h1></center>\r\n</body>\r\n</html>\r\n",
                              title, title));
}

static void append_run(struct buf *body, char c, size_t len)
{
    char *room = buf_reserve(body, len);

    if (room) memset(room, c, len);
}

static void answer_nonsense(struct visit *visit)
{
    struct buf *body = &visit->answer.body;

    switch (visit->behaviour.shape) {
    case SHAPE_HTML:
        answer_html(visit, "Welcome");
        return;
    case SHAPE_TRUNCATED:
        body->len /= 2;
        return;
    case SHAPE_HUGE:
        answer_bytes(visit, "application/json", "{\"accepted\":true,\"filling\":\"");
        append_run(body, 'x', FILLING_BYTES);
        buf_text(body, "\"}");
        return;
    case SHAPE_EMPTY:
        answer_bytes(visit, "application/json", "");
        return;
    case SHAPE_OTHER_JSON:
        answer_bytes(visit, "application/json", "[1, \"two\", null]");
        return;
    case SHAPE_COUNT:
        break;
    }
    abort();
}

/* Blanks, which leave it the same JSON. */
static void pad(struct visit *visit)
{
    struct answer *answer = &visit->answer;
    struct str usual = {arena_str(&visit->arena, buf_view(&answer->body)), answer->body.len};

    buf_clear(&answer->body);
    append_run(&answer->body, ' ', PADDING_BYTES);
    buf_str(&answer->body, usual);
    append_run(&answer->body, ' ', PADDING_BYTES);
}

static void reject(struct visit *visit)
{
    const char *message = visit->behaviour.body;
    struct json_writer json = begin(visit, 200);

    json_put_bool(&json, "accepted", false);
    put_error(&json, "rejected", message ? message : "The order is not wanted");
    json_object_end(&json);
}

/* Exactly what was given; `headers` is an object of texts. */
static void answer_exactly(struct visit *visit)
{
    const char *headers = visit->behaviour.headers;
    struct params *given = ARENA_NEW(&visit->arena, struct params);

    answer_bytes(visit, "application/json", visit->behaviour.body ? visit->behaviour.body : "");
    if (headers) params_add_json(given, str_of(headers), &visit->arena);
    for (size_t i = 0; i < given->count; i++) {
        const struct param *header = &given->rows[i];
        if (str_is_nocase(str_of(header->name), "content-type"))
            visit->answer.content_type = header->text;
        else
            add_header(visit, header->name, header->text);
    }
}

static void disguise(struct visit *visit)
{
    switch (visit->behaviour.deed) {
    case DEED_OK:
    case DEED_SLOW:
    case DEED_LATE:
    case DEED_NO_ORDER_ID:
    case DEED_COUNT:
        return;
    case DEED_CUT_BEFORE:
    case DEED_CUT_AFTER:
        visit->ending = ENDING_CUT;
        return;
    case DEED_CUT_WITHIN:
        visit->ending = ENDING_CUT_WITHIN;
        return;
    case DEED_TRICKLE:
        visit->ending = ENDING_TRICKLE;
        return;
    case DEED_SERVER_ERROR:
        answer_html(visit, "502 Bad Gateway");
        return;
    case DEED_RATE_LIMIT:
        visit_refuse(visit, 429, "too_many_requests", "Too many requests");
        return;
    case DEED_REJECTED:
        reject(visit);
        return;
    case DEED_NONSENSE:
        answer_nonsense(visit);
        return;
    case DEED_HUGE:
        pad(visit);
        return;
    case DEED_REDIRECT:
        answer_bytes(visit, "text/plain", "");
        add_header(visit, "Location", ELSEWHERE);
        return;
    case DEED_WRONG_TOKEN:
        visit_refuse(visit, 401, "unauthorized", "The token is not the one that was agreed on");
        return;
    case DEED_STATUS:
    case DEED_ANSWER:
        answer_exactly(visit);
        return;
    }
}

void visit_settle(struct visit *visit)
{
    const struct behaviour *told = &visit->behaviour;
    const char *retry_after = told->retry_after;

    visit->is_settled = true;
    visit_refuse(visit, 500, "internal", "Nothing was done");
    if (told->is_taken) answer_as_usual(visit);
    disguise(visit);
    if (told->http_status > 0) visit->answer.status = told->http_status;
    if (!retry_after && told->deed == DEED_RATE_LIMIT) retry_after = "1";
    if (retry_after) add_header(visit, "Retry-After", retry_after);
}

enum method visit_method(const struct sim *sim, struct str path)
{
    if (str_is(path, sim->options->order_path)) return METHOD_ORDER;
    if (str_is(path, "/svc/v1/health")) return METHOD_HEALTH;
    return str_is(path, ELSEWHERE) ? METHOD_REDIRECTED : METHOD_UNKNOWN;
}
