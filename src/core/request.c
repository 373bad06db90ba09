/* Handlers answer here, and errors are written as JSON in the style of their route. */
#include "core/request.h"

#include "core/missing.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

enum { REPLY_MAX = 64 * 1024 * 1024, TOLD_MAX = 100 };

void request_restart(struct request *rq, struct db_tx *tx)
{
    work_restart(&rq->work, tx);
    buf_done(&rq->reply);
    buf_init(&rq->reply, REPLY_MAX);
    rq->error = ERR_OK;
    rq->status = 0;
    rq->reply_type = NULL;
    rq->session_token = NULL;
    rq->is_replayed = false;
    rq->retry_after_s = 0;
    rq->wait_ms = 0;
    rq->detail = NULL;
    rq->sentence = NULL;
    rq->member_count = 0;
    rq->limit_count = 0;
}

void reply_record(struct request *rq, const void *value)
{
    struct json_writer writer;
    json_writer_init(&writer, &rq->reply);
    if (rq->work.actor && !rq->route->reveals) writer.masks = role_masks(rq->work.actor->role);
    record_encode(rq->route->reply, value, &writer);
    rq->status = rq->route->status;
}

void reply_empty(struct request *rq)
{
    rq->status = rq->route->status;
}

enum err reply_with(struct request *rq, enum err err, const void *value)
{
    if (!err) reply_record(rq, value);
    return err;
}

enum err reply_done(struct request *rq, enum err err)
{
    if (!err) reply_empty(rq);
    return err;
}

enum err reply_page(struct request *rq, enum err err, const void *page)
{
    if (err == ERR_VALIDATION)
        return error_fault(rq, "cursor", "Must be the next_cursor of an earlier page.");
    return reply_with(rq, err, page);
}

void request_check_password(struct request *rq, struct str password, const char *hash,
                            bool goes_first)
{
    struct password_work *work = rq->password;
    size_t len = strlen(hash);

    assert(len < sizeof(work->hash));
    memcpy(work->hash, hash, len + 1);
    work->password = password;
    work->is_to_match = true;
    work->goes_first = goes_first;
    work->is_done = false;
}

/* Only who has a right is asked for a new password. */
void request_make_password(struct request *rq, struct str password)
{
    rq->password->password = password;
    rq->password->is_to_match = false;
    rq->password->goes_first = true;
    rq->password->is_done = false;
}

void reply_refusal(struct request *rq, enum err err)
{
    rq->error = err;
}

void reply_limit(struct request *rq, const struct rate_limit *limit)
{
    if (!limit->name) return;
    assert(rq->limit_count < RATE_LIMITS_MAX);
    rq->limits[rq->limit_count++] = *limit;
}

void error_retry_after(struct request *rq, int64_t wait_ms)
{
    char *text = arena_alloc(rq->work.arena, CLOCK_TEXT_LEN + 1);

    if (wait_ms <= 0) wait_ms = 1000;
    rq->retry_after_s = (wait_ms + 999) / 1000;
    clock_format(clock_to_wall(rq->work.now_ms + wait_ms), text);
    error_put_text(rq, "retry_at", text);
}

static void put_member(struct request *rq, struct error_member member)
{
    size_t i = 0;
    while (i < rq->member_count && strcmp(rq->members[i].name, member.name) != 0)
        i++;
    assert(i < ERROR_MEMBERS_MAX);
    rq->members[i] = member;
    if (i == rq->member_count) rq->member_count++;
}

void error_put_text(struct request *rq, const char *name, const char *value)
{
    put_member(rq, (struct error_member){.name = name, .text = value});
}

void error_put_uuid(struct request *rq, const char *name, const struct uuid *id)
{
    error_put_text(rq, name, uuid_text(id, rq->work.arena));
}

void error_put_number(struct request *rq, const char *name, int64_t value)
{
    put_member(rq, (struct error_member){.name = name, .number = value});
}

void error_tell_header(struct request *rq, const char *name, struct str value, const char *advice)
{
    size_t len = 0;

    while (len < value.len && len < TOLD_MAX && value.data[len] >= ' ' && value.data[len] <= '~')
        len++;
    if (value.data)
        rq->sentence = arena_printf(rq->work.arena, "%s is \"%.*s\"%s. %s", name, (int)len,
                                    value.data, len < value.len ? " and more" : "", advice);
    else
        rq->sentence = arena_printf(rq->work.arena, "%s is missing. %s", name, advice);
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

/* --- The error record ------------------------------------------------------------------------- */

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
    struct missing missing = missing_of(err, rq ? rq->route : NULL);
    const char *sentence = missing.sentence ? missing.sentence : info->sentence;

    json_object_begin(writer);
    json_key(writer, "error");
    json_object_begin(writer);
    json_put_text(writer, "code", info->code);
    json_put_text(writer, "message", rq && rq->sentence ? rq->sentence : sentence);
    json_key(writer, "request_id");
    json_str(writer, request_id);
    if (missing.what) json_put_text(writer, "what", missing.what);
    if (info->reason) json_put_text(writer, "reason", info->reason);
    if (rq) encode_details(writer, err, rq);
    json_object_end(writer);
    json_object_end(writer);
}

/* An error without a word in RFC 6749 takes the nearest one. */
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
    const char *description = err_info(err)->sentence, *retry_at = NULL;

    for (size_t i = 0; i < rq->member_count; i++) {
        const struct error_member *member = &rq->members[i];
        if (strcmp(member->name, "error_description") == 0) description = member->text;
        if (strcmp(member->name, "retry_at") == 0) retry_at = member->text;
    }
    json_object_begin(writer);
    json_put_text(writer, "error", oauth_word(err));
    json_put_text(writer, "error_description", description);
    if (retry_at) json_put_text(writer, "retry_at", retry_at);
    json_object_end(writer);
}

static void encode_message(struct json_writer *writer, enum err err, const struct request *rq)
{
    json_object_begin(writer);
    json_put_text(writer, "message", rq->sentence ? rq->sentence : err_info(err)->sentence);
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
    else if (rq && rq->route && rq->route->error_style == ERRORS_MESSAGE)
        encode_message(&writer, err, rq);
    else
        encode_plain(&writer, err, request_id, rq);
}
