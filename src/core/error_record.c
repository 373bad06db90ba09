/* Errors as JSON, in the style of their route. */
#include "core/error_record.h"

#include "kit/base/macros.h"

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
    for (size_t i = 0; i < rq->member_count; i++) {
        const struct error_member *member = &rq->members[i];
        if (member->text)
            json_put_text(writer, member->name, member->text);
        else
            json_put_int(writer, member->name, member->number);
    }
}

static void encode_plain(struct json_writer *writer, enum err err, struct str request_id,
                         const struct request *rq)
{
    const struct err_info *info = err_info(err);

    json_object_begin(writer);
    json_key(writer, "error");
    json_object_begin(writer);
    json_put_text(writer, "code", info->code);
    json_put_text(writer, "message", rq && rq->sentence ? rq->sentence : info->sentence);
    json_key(writer, "request_id");
    json_str(writer, request_id);
    if (info->reason) json_put_text(writer, "reason", info->reason);
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

    for (size_t i = 0; i < COUNT_OF(own); i++) {
        if (err == own[i]) return info->code;
    }
    if (info->http_status == 429 || info->http_status == 503) return "temporarily_unavailable";
    return info->http_status < 500 ? "invalid_request" : "server_error";
}

static void encode_oauth(struct json_writer *writer, enum err err, const struct request *rq)
{
    const char *description = err_info(err)->sentence;

    for (size_t i = 0; i < rq->member_count; i++) {
        if (strcmp(rq->members[i].name, "error_description") == 0)
            description = rq->members[i].text;
    }
    json_object_begin(writer);
    json_put_text(writer, "error", oauth_word(err));
    json_put_text(writer, "error_description", description);
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
