/* Answers of handlers, and the error record (contract, section 1). */
#include "kit/route/request.h"

#include <stdlib.h>

enum { REPLY_MAX = 64 * 1024 * 1024 };

void request_restart(struct request *rq, struct db_tx *tx)
{
    work_restart(&rq->work, tx);
    buf_done(&rq->reply);
    buf_init(&rq->reply, REPLY_MAX);
    rq->error = ERR_OK;
    rq->status = 0;
    rq->is_replayed = false;
    rq->retry_after_s = 0;
    rq->detail = NULL;
    rq->extra_name = NULL;
    rq->extra_text = NULL;
}

int list_limit(const char *param)
{
    long long limit = LIST_LIMIT_DEFAULT;
    bool is_number = !param || str_to_int64(str_of(param), &limit);

    assert(is_number);
    return (int)limit;
}

struct uuid list_uuid_cursor(const char *param)
{
    struct uuid id = {0};
    bool is_uuid = !param || uuid_parse(str_of(param), &id);

    assert(is_uuid);
    return id;
}

void reply_record(struct request *rq, const void *value)
{
    struct json_writer writer;
    json_writer_init(&writer, &rq->reply);
    record_encode(rq->route->reply, value, &writer);
    rq->status = rq->route->status;
}

void reply_empty(struct request *rq)
{
    rq->status = rq->route->status;
}

void reply_refusal(struct request *rq, enum err err)
{
    rq->error = err;
}

void error_retry_after(struct request *rq, int64_t wait_ms)
{
    rq->retry_after_s = wait_ms > 0 ? (wait_ms + 999) / 1000 : 1;
}

void error_put_text(struct request *rq, const char *name, const char *value)
{
    rq->extra_name = name;
    rq->extra_text = value;
}

void error_put_uuid(struct request *rq, const char *name, const struct uuid *id)
{
    error_put_text(rq, name, uuid_text(id, rq->work.arena));
}

void error_put_number(struct request *rq, const char *name, int64_t value)
{
    rq->extra_name = name;
    rq->extra_text = NULL;
    rq->extra_number = value;
}

void error_add_fault(struct request *rq, const char *path, const char *message)
{
    if (!rq->faults) {
        rq->faults = ARENA_NEW(rq->work.arena, struct record_faults);
        record_faults_init(rq->faults, rq->work.arena);
    }
    record_fault(rq->faults, path, "%s", message);
}

enum err error_fault(struct request *rq, const char *path, const char *message)
{
    error_add_fault(rq, path, message);
    return ERR_VALIDATION;
}

static void encode_faults(struct json_writer *writer, const struct record_faults *faults)
{
    json_key(writer, "fields");
    json_array_begin(writer);
    for (size_t i = 0; i < faults->count; i++) {
        json_object_begin(writer);
        json_put_text(writer, "path", faults->rows[i].path);
        json_put_text(writer, "message", faults->rows[i].message);
        json_object_end(writer);
    }
    json_array_end(writer);
}

static void encode_details(struct json_writer *writer, enum err err, const struct request *rq)
{
    bool has_faults = err == ERR_VALIDATION || err == ERR_KEY_NOT_EVENT_ID;

    if (has_faults && rq->faults) encode_faults(writer, rq->faults);
    if (!rq->extra_name) return;
    if (rq->extra_text)
        json_put_text(writer, rq->extra_name, rq->extra_text);
    else
        json_put_int(writer, rq->extra_name, rq->extra_number);
}

static void encode_plain(struct json_writer *writer, enum err err, struct str request_id,
                         const struct request *rq)
{
    const struct err_info *info = err_info(err);

    json_object_begin(writer);
    json_key(writer, "error");
    json_object_begin(writer);
    json_put_text(writer, "code", info->code);
    json_put_text(writer, "message", info->sentence);
    json_key(writer, "request_id");
    json_str(writer, request_id);
    if (rq) encode_details(writer, err, rq);
    json_object_end(writer);
    json_object_end(writer);
}

/* The words of RFC 6749; what it has no word for takes the nearest one. */
static const char *oauth_word(enum err err)
{
    static const enum err own[] = {ERR_INVALID_REQUEST, ERR_INVALID_CLIENT,
                                   ERR_UNSUPPORTED_GRANT_TYPE, ERR_INVALID_SCOPE};
    const struct err_info *info = err_info(err);

    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (err == own[i]) return info->code;
    }
    if (info->http_status == 429 || info->http_status == 503) return "temporarily_unavailable";
    return info->http_status < 500 ? "invalid_request" : "server_error";
}

static void encode_oauth(struct json_writer *writer, enum err err, const struct request *rq)
{
    bool is_described =
        rq->extra_name && rq->extra_text && strcmp(rq->extra_name, "error_description") == 0;

    json_object_begin(writer);
    json_put_text(writer, "error", oauth_word(err));
    json_put_text(writer, "error_description",
                  is_described ? rq->extra_text : err_info(err)->sentence);
    json_object_end(writer);
}

void error_encode(enum err err, struct str request_id, const struct request *rq, struct buf *out)
{
    struct json_writer writer;

    if (rq && rq->detail && err == ERR_VALIDATION) {
        buf_text(out, rq->detail);
        return;
    }
    json_writer_init(&writer, out);
    if (rq && rq->route && rq->route->error_style == ERRORS_OAUTH)
        encode_oauth(&writer, err, rq);
    else
        encode_plain(&writer, err, request_id, rq);
}

bool route_body_is_optional(const struct route *route)
{
    const struct record *record = route->body;

    if (!record || route->taker || route->auth != AUTH_INTERNAL_KEY) return false;
    for (size_t i = 0; i < record->field_count; i++) {
        if (record->fields[i].flags & FIELD_REQUIRED) return false;
    }
    return true;
}

void route_list_add(struct route_list *list, const struct route *rows, size_t count)
{
    assert(list->count + count <= ROUTES_MAX);
    for (size_t i = 0; i < count; i++)
        list->rows[list->count++] = &rows[i];
}
