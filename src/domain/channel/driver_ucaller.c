/*
 * uCaller makes flash calls from a number that ends in the four digits that we give. `unique` makes
 * a repeat the same call, so a fetch that may have gone out is made again. A refusal is the
 * presence of `error`; `status` is false for a subscriber who cannot be reached, too, and then
 * there is an id.
 */
#include "domain/channel/driver_reply.h"
#include "domain/channel/driver_request.h"
#include "kit/base/macros.h"

#include <assert.h>

enum { CODE_MIN = 1, CODE_MAX = 9999 };

/* --- Requests --------------------------------------------------------------------------------- */

static void begin(const struct driver_config *config, const char *method, struct arena *arena,
                  struct fetch *fetch)
{
    request_begin(fetch, "POST", arena_printf(arena, "%s/v1.0/%s", config->base_url, method));
    request_bearer(fetch, config->token,
                   arena_printf(arena, ".%s", config->service_id ? config->service_id : ""), arena);
}

static void make_send(const struct driver_config *config, const struct channel_content *content,
                      struct arena *arena, struct fetch *fetch)
{
    struct request_json json;
    char unique[UUID_TEXT_LEN + 1];

    assert(content->code);
    uuid_format(&content->send_id, unique);
    begin(config, "initCall", arena, fetch);
    request_json_begin(&json);
    json_key(&json.writer, "phone");
    json_raw(&json.writer, str_of(request_phone_digits(content))); /* as a number */
    json_put_text(&json.writer, "code", content->code);
    json_put_text(&json.writer, "unique", unique);
    request_json_end(&json, fetch, arena);
}

static void make_status(const struct driver_config *config, const struct channel_content *content,
                        struct arena *arena, struct fetch *fetch)
{
    struct request_json json;
    long long uid;

    assert(content->provider_id);
    begin(config, "getInfo", arena, fetch);
    request_json_begin(&json);
    if (str_to_int64(str_of(content->provider_id), &uid))
        json_put_int(&json.writer, "uid", uid);
    else
        json_put_text(&json.writer, "uid", content->provider_id);
    request_json_end(&json, fetch, arena);
}

/* --- Answers ---------------------------------------------------------------------------------- */

static const struct {
    int64_t from, to;
    enum channel_outcome outcome;
} errors[] = {
    {0, 2, OUTCOME_OURS},       {3, 3, OUTCOME_PERMANENT},        {4, 4, OUTCOME_OURS},
    {9, 9, OUTCOME_PERMANENT},  {18, 19, OUTCOME_RATE_LIMITED},   {20, 20, OUTCOME_PERMANENT},
    {401, 401, OUTCOME_OURS},   {429, 429, OUTCOME_RATE_LIMITED}, {500, 500, OUTCOME_RETRYABLE},
    {1001, 1005, OUTCOME_OURS},
};

static enum channel_outcome outcome_of_code(const struct reply *reply, int64_t code)
{
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        if (code >= errors[i].from && code <= errors[i].to) return errors[i].outcome;
    }
    return reply_unlisted(reply);
}

/* If there is an `error`, `code` is its number; else it has the digits of the call. */
static void read_refusal(const struct reply *reply, struct channel_answer *ret_answer)
{
    const char *words = reply_words(reply, reply_scalar(reply, "/error"));
    int64_t code;

    if (!reply_error_code(reply, "/code", &code)) {
        reply_unreadable(reply, ret_answer);
        return;
    }
    reply_refused(
        reply, outcome_of_code(reply, code),
        arena_printf(reply->arena, "%lld: %s", (long long)code, words ? words : "refused"),
        ret_answer);
}

static void read_unreachable(const struct reply *reply, struct channel_answer *ret_answer)
{
    reply_refused(reply, OUTCOME_PERMANENT, NULL, ret_answer);
    ret_answer->error = "the subscriber cannot be reached";
}

static void read_send(const struct driver_config *config, const struct fetch *fetch,
                      struct arena *arena, struct channel_answer *ret_answer)
{
    struct reply reply = {&driver_ucaller, config, fetch, arena};

    if (!reply_open(&reply, ret_answer)) return;
    if (reply_has(&reply, "/error")) {
        read_refusal(&reply, ret_answer);
        return;
    }
    const char *id = reply_id(&reply, "/ucaller_id");
    const char *status = reply_scalar(&reply, "/status");
    if (!id || !status || !reply_is_success(&reply)) {
        reply_unreadable(&reply, ret_answer);
        return;
    }
    ret_answer->provider_id = id;
    if (strcmp(status, "true") == 0)
        ret_answer->outcome = OUTCOME_DONE;
    else
        read_unreachable(&reply, ret_answer);
}

static void read_call_status(const struct reply *reply, struct channel_answer *ret_answer)
{
    int64_t call_status;

    ret_answer->outcome = OUTCOME_DONE;
    ret_answer->is_pending = true;
    if (!reply_int(reply, "/call_status", &call_status)) return;
    if (call_status == 1) ret_answer->progress = PROGRESS_DELIVERED;
    if (call_status == 0) {
        ret_answer->progress = PROGRESS_FAILED;
        ret_answer->error = "the call was not connected";
    }
    ret_answer->is_pending = call_status != 0 && call_status != 1;
}

static void read_status(const struct driver_config *config, const struct fetch *fetch,
                        struct arena *arena, struct channel_answer *ret_answer)
{
    struct reply reply = {&driver_ucaller, config, fetch, arena};

    if (!reply_open(&reply, ret_answer)) {
        reply_end_status(ret_answer);
        return;
    }
    if (reply_has(&reply, "/error"))
        read_refusal(&reply, ret_answer);
    else if (reply_is_success(&reply))
        read_call_status(&reply, ret_answer);
    else
        reply_unreadable(&reply, ret_answer);
    reply_end_status(ret_answer);
}

const struct channel_driver driver_ucaller = {
    .name = "ucaller",
    .is_deduplicating = true,
    .code_min = CODE_MIN,
    .code_max = CODE_MAX,
    .make_send = make_send,
    .read_send = read_send,
    .make_status = make_status,
    .read_status = read_status,
};
