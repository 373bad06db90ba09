/*
 * Telegram Gateway sends codes that we give to people who have Telegram. There is no idempotency
 * field, so a send that may have gone out is never sent again, unless checkSendAbility gave an id
 * whose status shows that nothing did. An answer is {"ok":true,"result":{…}} or
 * {"ok":false,"error":"NAME"}.
 */
#include "domain/channel/driver_reply.h"
#include "domain/channel/driver_request.h"
#include "kit/base/macros.h"

#include <assert.h>

enum { TTL_MIN_S = 30, TTL_MAX_S = 3600, CODE_MAX = 999999 };

/* --- Requests --------------------------------------------------------------------------------- */

static void begin(const struct driver_config *config, const char *method, struct arena *arena,
                  struct fetch *fetch)
{
    request_begin(fetch, "POST", arena_printf(arena, "%s/%s", config->base_url, method));
    request_bearer(fetch, config->token, "", arena);
}

static void make_send(const struct driver_config *config, const struct channel_content *content,
                      struct arena *arena, struct fetch *fetch)
{
    struct request_json json;
    char send_id[UUID_TEXT_LEN + 1];
    int64_t ttl_s = content->ttl_s < TTL_MIN_S ? TTL_MIN_S : content->ttl_s;

    assert(content->recipient && content->code);
    uuid_format(&content->send_id, send_id);
    begin(config, "sendVerificationMessage", arena, fetch);
    request_json_begin(&json);
    json_put_text(&json.writer, "phone_number", content->recipient);
    json_put_text(&json.writer, "code", content->code);
    json_put_int(&json.writer, "ttl", ttl_s > TTL_MAX_S ? TTL_MAX_S : ttl_s);
    json_put_text(&json.writer, "payload", send_id);
    if (content->provider_id) json_put_text(&json.writer, "request_id", content->provider_id);
    if (config->callback_url) json_put_text(&json.writer, "callback_url", config->callback_url);
    if (config->sender) json_put_text(&json.writer, "sender_username", config->sender);
    request_json_end(&json, fetch, arena);
}

/* The check is charged if the number can be reached; a send with the request_id of its answer is
 * then free. */
static void make_check(const struct driver_config *config, const struct channel_content *content,
                       struct arena *arena, struct fetch *fetch)
{
    struct request_json json;

    assert(content->recipient);
    begin(config, "checkSendAbility", arena, fetch);
    request_json_begin(&json);
    json_put_text(&json.writer, "phone_number", content->recipient);
    request_json_end(&json, fetch, arena);
}

/* Makes a fetch of a method that takes the id of a send, and the code that was entered if `code` is
 * not NULL. */
static void make_about(const struct driver_config *config, const struct channel_content *content,
                       const char *method, const char *code, struct arena *arena,
                       struct fetch *fetch)
{
    struct request_json json;

    assert(content->provider_id);
    begin(config, method, arena, fetch);
    request_json_begin(&json);
    json_put_text(&json.writer, "request_id", content->provider_id);
    if (code) json_put_text(&json.writer, "code", code);
    request_json_end(&json, fetch, arena);
}

static void make_status(const struct driver_config *config, const struct channel_content *content,
                        struct arena *arena, struct fetch *fetch)
{
    make_about(config, content, "checkVerificationStatus", NULL, arena, fetch);
}

static void make_revoke(const struct driver_config *config, const struct channel_content *content,
                        struct arena *arena, struct fetch *fetch)
{
    make_about(config, content, "revokeVerificationMessage", NULL, arena, fetch);
}

static void make_success(const struct driver_config *config, const struct channel_content *content,
                         struct arena *arena, struct fetch *fetch)
{
    assert(content->code);
    make_about(config, content, "checkVerificationStatus", content->code, arena, fetch);
}

/* --- Answers ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum channel_outcome outcome;
} errors[] = {
    {"ACCESS_TOKEN_INVALID", OUTCOME_OURS},
    {"BALANCE_NOT_ENOUGH", OUTCOME_OURS},
    {"PHONE_NUMBER_INVALID", OUTCOME_PERMANENT},
    {"PHONE_NUMBER_NOT_FOUND", OUTCOME_PERMANENT},
    {"PHONE_NUMBER_NOT_AVAILABLE", OUTCOME_PERMANENT},
    {"MESSAGE_ALREADY_SENT", OUTCOME_UNKNOWN},
};
static const char flood[] = "FLOOD_WAIT"; /* in a longer name: FLOOD_WAIT_30 */

static enum channel_outcome outcome_of_name(const struct reply *reply, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        if (strcmp(errors[i].name, name) == 0) return errors[i].outcome;
    }
    return strstr(name, flood) ? OUTCOME_RATE_LIMITED : reply_unlisted(reply);
}

/* Reads the seconds that FLOOD_WAIT_30 names; 0: none. */
static int64_t flood_wait_s(const char *name)
{
    const char *found = strstr(name, flood);
    long long wait_s = 0;

    if (!found) return 0;
    found += strcspn(found, "0123456789");
    struct str digits = {found, strspn(found, "0123456789")};
    if (digits.len > 0 && !str_to_int64(digits, &wait_s)) return REPLY_WAIT_MAX_S;
    return wait_s;
}

static void read_refusal(const struct reply *reply, struct channel_answer *ret_answer)
{
    const char *name = reply_scalar(reply, "/error");

    if (!name || !name[0]) {
        reply_unreadable(reply, ret_answer);
        return;
    }
    ret_answer->wait_ms = reply_wait_ms(flood_wait_s(name));
    reply_refused(reply, outcome_of_name(reply, name), reply_words(reply, name), ret_answer);
}

void telegram_gateway_read_progress(const char *word, struct channel_answer *ret_answer)
{
    static const struct {
        const char *word;
        enum channel_progress progress;
    } states[] = {
        {"sent", PROGRESS_SENT},      {"delivered", PROGRESS_DELIVERED},
        {"read", PROGRESS_DELIVERED}, {"expired", PROGRESS_FAILED},
        {"revoked", PROGRESS_FAILED},
    };

    ret_answer->progress = PROGRESS_ACCEPTED;
    ret_answer->is_pending = true;
    for (size_t i = 0; word && i < COUNT_OF(states); i++) {
        if (strcmp(states[i].word, word) != 0) continue;
        ret_answer->progress = states[i].progress;
        ret_answer->is_pending = false;
        if (states[i].progress == PROGRESS_FAILED) ret_answer->error = states[i].word;
    }
}

static void read_any(const struct driver_config *config, const struct fetch *fetch,
                     struct arena *arena, struct channel_answer *ret_answer)
{
    struct reply reply = {&driver_telegram_gateway, config, fetch, arena};

    if (!reply_open(&reply, ret_answer)) return;
    const char *id = reply_id(&reply, "/result/request_id");
    if (reply_is_true(&reply, "/ok") && reply_is_success(&reply) && id) {
        ret_answer->outcome = OUTCOME_DONE;
        ret_answer->provider_id = id;
        const char *word = reply_scalar(&reply, "/result/delivery_status/status");
        telegram_gateway_read_progress(word, ret_answer);
        ret_answer->is_unsent = !reply_has(&reply, "/result/delivery_status");
        return;
    }
    const char *ok = reply_scalar(&reply, "/ok");
    if (ok && strcmp(ok, "false") == 0)
        read_refusal(&reply, ret_answer);
    else
        reply_unreadable(&reply, ret_answer);
}

static void read_send(const struct driver_config *config, const struct fetch *fetch,
                      struct arena *arena, struct channel_answer *ret_answer)
{
    read_any(config, fetch, arena, ret_answer);
    ret_answer->is_pending = ret_answer->is_unsent = false;
}

static void read_status(const struct driver_config *config, const struct fetch *fetch,
                        struct arena *arena, struct channel_answer *ret_answer)
{
    read_any(config, fetch, arena, ret_answer);
    reply_end_status(ret_answer);
}

const struct channel_driver driver_telegram_gateway = {
    .name = "telegram_gateway",
    .tells_key_by_status = true,
    .code_min = 0,
    .code_max = CODE_MAX,
    .make_send = make_send,
    .read_send = read_send,
    .make_status = make_status,
    .read_status = read_status,
    .make_revoke = make_revoke,
    .make_success = make_success,
    .make_check = make_check,
};
