/* A call stands in the ledger like this: the whole request as it came, and what was answered. */
#include "call.h"
#include "kit/base/clock.h"
#include "kit/http/connection.h" /* each header as it came, which the public side does not list */
#include "sim/common/wire_text.h"

#include <assert.h>
#include <ctype.h>

enum { RECORD_MAX = 8 * 1024 * 1024, END_MAX = 1024 };

/* This stands in place of the end until it is known. */
#define NO_END ",\"had_effect\":false,\"answer\":null"

static struct str name_at(const struct http_head *head, int index, struct arena *arena)
{
    struct str name = http_head_view(head, head->fields[index].name);
    char *lower = arena_str(arena, name);

    for (size_t i = 0; i < name.len; i++)
        lower[i] = (char)tolower((unsigned char)lower[i]);
    return (struct str){lower, name.len};
}

/* The fields of that name from `from` on. */
static int count_fields(const struct http_head *head, const char *name, int from, int until)
{
    int count = 0;

    for (int i = from; i < until; i++)
        count += str_is_nocase(http_head_view(head, head->fields[i].name), name);
    return count;
}

static void put_values(struct json_writer *json, const struct http_head *head, const char *name,
                       struct arena *arena)
{
    bool is_list = count_fields(head, name, 0, head->field_count) > 1;

    if (is_list) json_array_begin(json);
    for (int i = 0; i < head->field_count; i++) {
        if (str_is_nocase(http_head_view(head, head->fields[i].name), name))
            wire_text(json, http_head_view(head, head->fields[i].value), arena);
    }
    if (is_list) json_array_end(json);
}

static void put_headers(struct json_writer *json, const struct http_head *head, struct arena *arena)
{
    json_key(json, "headers");
    json_object_begin(json);
    for (int i = 0; i < head->field_count; i++) {
        struct str name = name_at(head, i, arena);
        if (count_fields(head, name.data, 0, i) > 0) continue;
        json_key(json, name.data);
        put_values(json, head, name.data, arena);
    }
    json_object_end(json);
}

static void put_request(struct json_writer *json, struct call *call)
{
    struct arena *arena = &call->arena;
    char digest[DIGEST_LEN + 1];

    digest_of(buf_view(&call->body), digest);
    json_key(json, "request");
    json_object_begin(json);
    wire_text_put(json, "method", http_method(call->x), arena);
    wire_text_put(json, "path", http_path(call->x), arena);
    wire_text_put(json, "query", http_query(call->x), arena);
    put_headers(json, &call->x->head, arena);
    wire_text_put(json, "body", buf_view(&call->body), arena);
    json_put_text(json, "digest", digest);
    json_object_end(json);
}

void call_write_record(struct call *call)
{
    struct ledger *ledger = call->sim->server.ledger;
    struct call_record record = {
        .method = method_words[call->method], .at_ms = clock_now_ms(), .until_ended = NO_END};
    struct json_writer json;
    struct buf text;

    call->generation = call->sim->server.generation;
    call->number = ledger_next_number(ledger);
    if (call->order) memcpy(record.subject, call->order, ORDER_TEXT_LEN);
    buf_init(&text, RECORD_MAX);
    json_writer_init(&json, &text);
    json_object_begin(&json);
    json_put_int(&json, "id", (int64_t)call->number);
    json_put_text(&json, "method", record.method);
    json_put_int(&json, "at_ms", record.at_ms);
    json_put_int(&json, "connection", (int64_t)http_connection_number(call->x));
    json_put_text(&json, "order", call->order);
    json_put_text(&json, "behaviour", behaviour_words[call->behaviour.kind]);
    put_request(&json, call);
    json_object_end(&json);
    assert(!text.is_full);
    ledger_add(ledger, record, &text);
}

void call_end_record(struct call *call, bool is_answered)
{
    AUTO_BUF end = {0};

    buf_init(&end, END_MAX);
    if (call->generation != call->sim->server.generation) return;
    buf_printf(&end, ",\"had_effect\":%s,\"answer\":", call->had_effect ? "true" : "false");
    if (is_answered)
        buf_printf(&end, "{\"status\":%d,\"length\":%zu,\"cut\":%s}", call->answer.status,
                   call->answer.body.len, call->ending == ENDING_CUT_WITHIN ? "true" : "false");
    else
        buf_text(&end, "null");
    ledger_end(call->sim->server.ledger, call->number, call->had_effect, buf_view(&end));
}
