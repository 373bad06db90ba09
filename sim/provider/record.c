/* A call stands in the ledger like this: the whole request, and the answer that was given. */
#include "kit/base/clock.h"
#include "sim.h"
#include "sim/common/wire_text.h"

enum { ANSWER_SHOWN_MAX = 8192 };

/* The headers that a caller of these providers may send with a meaning. */
static const char *const header_names[] = {
    "host",         "user-agent",     "accept",           "accept-encoding", "connection",
    "content-type", "content-length", "content-encoding", "authorization",   "x-authorization",
    "client",       "expect",         "x-request-id",     "idempotency-key", "transfer-encoding",
    "traceparent",
};

/* Without control characters: in a JSON text they are white space, and a line must stay one. */
static struct str one_line(struct str json, struct arena *arena)
{
    char *text = arena_str(arena, json);

    for (size_t i = 0; i < json.len; i++) {
        if ((unsigned char)text[i] < ' ') text[i] = ' ';
    }
    return (struct str){text, json.len};
}

static void put_request_headers(struct json_writer *json, const struct http_request *x,
                                struct arena *arena)
{
    json_key(json, "headers");
    json_object_begin(json);
    for (size_t i = 0; i < sizeof header_names / sizeof *header_names; i++) {
        struct str value = http_header_get(x, header_names[i]);
        if (value.data) wire_text_put(json, header_names[i], value, arena);
    }
    json_object_end(json);
}

static void put_request(const struct call *call, const struct http_request *x,
                        struct json_writer *json)
{
    const struct request *request = &call->request;

    json_key(json, "request");
    json_object_begin(json);
    wire_text_put(json, "method", str_of(request->verb), call->arena);
    wire_text_put(json, "path", http_path(x), call->arena);
    wire_text_put(json, "query", str_of(request->query), call->arena);
    put_request_headers(json, x, call->arena);
    wire_text_put(json, "body", request->body, call->arena);
    json_key(json, "json");
    if (request->params.is_json)
        json_raw(json, one_line(request->body, call->arena));
    else
        json_null(json);
    json_object_end(json);
}

static void put_answer(const struct call *call, enum ending ending, struct json_writer *json)
{
    struct str body = buf_view(&call->answer.body);

    json_key(json, "answer");
    if (ending == ENDING_CUT) {
        json_null(json);
        return;
    }
    if (body.len > ANSWER_SHOWN_MAX) body.len = ANSWER_SHOWN_MAX;
    json_object_begin(json);
    json_put_int(json, "status", call->answer.status);
    wire_text_put(json, "body", body, call->arena);
    json_put_int(json, "length", (int64_t)call->answer.body.len);
    json_put_bool(json, "cut", ending == ENDING_CUT_WITHIN);
    json_object_end(json);
}

static const char *behaviour_name(const struct call *call)
{
    const struct behaviour *behaviour = &call->behaviour;

    return behaviour->fault ? behaviour->fault->name : behaviour_words[behaviour->kind];
}

void record_write(const struct call *call, struct http_request *x, uint64_t number,
                  enum ending ending, struct buf *out)
{
    char at[CLOCK_TEXT_LEN + 1];
    struct json_writer json;

    clock_format(call->now_ms, at);
    json_writer_init(&json, out);
    json_object_begin(&json);
    json_put_int(&json, "id", (int64_t)number);
    json_put_text(&json, "provider", call->provider->name);
    json_put_text(&json, "method", call->method ? call->method->name : NULL);
    json_put_text(&json, "at", at);
    json_put_int(&json, "at_ms", call->now_ms);
    json_put_int(&json, "connection", (int64_t)http_connection_number(x));
    wire_text_put(&json, "recipient", str_of(call->recipient), call->arena);
    json_put_text(&json, "code", call->send && call->send->code[0] ? call->send->code : NULL);
    json_put_text(&json, "send_id", call->send ? call->send->id : NULL);
    json_put_bool(&json, "had_effect", call->had_effect);
    json_put_text(&json, "behaviour", behaviour_name(call));
    json_put_int(&json, "wait_ms", call->behaviour.wait_ms);
    put_request(call, x, &json);
    put_answer(call, ending, &json);
    json_object_end(&json);
}
