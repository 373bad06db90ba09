/* How a call stands in the ledger: the whole request as it came, and what was answered. */
#include "kit/base/clock.h"
#include "kit/http/connection.h" /* each header as it came, which the public side does not list */
#include "sim/common/wire_text.h"
#include "visit.h"

#include <assert.h>
#include <ctype.h>

enum { RECORD_MAX = 8 * 1024 * 1024, END_MAX = 1024 };

/* What stands in place of the end until it is known. */
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

static void put_request(struct json_writer *json, struct visit *visit)
{
    struct arena *arena = &visit->arena;
    char digest[DIGEST_LEN + 1];

    digest_of(buf_view(&visit->body), digest);
    json_key(json, "request");
    json_object_begin(json);
    wire_text_put(json, "method", http_method(visit->x), arena);
    wire_text_put(json, "path", http_path(visit->x), arena);
    wire_text_put(json, "query", http_query(visit->x), arena);
    put_headers(json, &visit->x->head, arena);
    wire_text_put(json, "body", buf_view(&visit->body), arena);
    json_put_text(json, "digest", digest);
    json_object_end(json);
}

void visit_record(struct visit *visit)
{
    struct ledger *ledger = visit->sim->ledger;
    struct call call = {
        .method = method_words[visit->method], .at_ms = clock_now_ms(), .until_ended = NO_END};
    struct json_writer json;
    struct buf record;

    visit->generation = visit->sim->generation;
    visit->number = ledger_next_number(ledger);
    if (visit->order) memcpy(call.subject, visit->order, ORDER_TEXT_LEN);
    buf_init(&record, RECORD_MAX);
    json_writer_init(&json, &record);
    json_object_begin(&json);
    json_put_int(&json, "id", (int64_t)visit->number);
    json_put_text(&json, "method", call.method);
    json_put_int(&json, "at_ms", call.at_ms);
    json_put_int(&json, "connection", (int64_t)http_connection_number(visit->x));
    json_put_text(&json, "order", visit->order);
    json_put_text(&json, "behaviour", deed_words[visit->behaviour.deed]);
    put_request(&json, visit);
    json_object_end(&json);
    assert(!record.is_full);
    ledger_add(ledger, call, &record);
}

void visit_record_end(struct visit *visit, bool is_answered)
{
    AUTO_BUF end;

    buf_init(&end, END_MAX);
    if (visit->generation != visit->sim->generation) return;
    buf_printf(&end, ",\"had_effect\":%s,\"answer\":", visit->had_effect ? "true" : "false");
    if (is_answered)
        buf_printf(&end, "{\"status\":%d,\"length\":%zu,\"cut\":%s}", visit->answer.status,
                   visit->answer.body.len, visit->ending == ENDING_CUT_WITHIN ? "true" : "false");
    else
        buf_text(&end, "null");
    ledger_end(visit->sim->ledger, visit->number, visit->had_effect, buf_view(&end));
}
