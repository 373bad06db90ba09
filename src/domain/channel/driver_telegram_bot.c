/*
 * The Telegram Bot API sends messages to known chats. There is no idempotency field. The token
 * stands in the URL. An answer is {"ok":true,"result":{…}} or
 * {"ok":false,"error_code":…,"description":…}.
 */
#include "domain/channel/driver_reply.h"
#include "domain/channel/driver_request.h"

#include <assert.h>

enum { CALLS_PER_S = 30 };

/* --- Requests --------------------------------------------------------------------------------- */

static void begin(const struct driver_config *config, const char *http_method, const char *method,
                  struct arena *arena, struct fetch *fetch)
{
    AUTO_BUF url = {0};

    buf_init(&url, REQUEST_MAX);
    buf_printf(&url, "%s/bot", config->base_url);
    request_escape(&url, (struct str){config->token->data, config->token->len}, ":");
    buf_printf(&url, "/%s", method);
    assert(!url.is_full);
    request_begin(fetch, http_method, arena_str(arena, buf_view(&url)));
}

/* A chat is named by its number as it is, a Telegram channel by its @name as a string. */
static void put_chat_id(struct json_writer *writer, const char *chat_id)
{
    long long number;

    json_key(writer, "chat_id");
    if (str_to_int64(str_of(chat_id), &number))
        json_int(writer, number);
    else
        json_text(writer, chat_id);
}

static void make_send(const struct driver_config *config, const struct channel_content *content,
                      struct arena *arena, struct fetch *fetch)
{
    struct request_json json;

    assert(content->chat_id && content->text);
    begin(config, "POST", "sendMessage", arena, fetch);
    request_json_begin(&json);
    put_chat_id(&json.writer, content->chat_id);
    json_put_text(&json.writer, "text", content->text);
    request_json_end(&json, fetch, arena);
}

static void make_probe(const struct driver_config *config, struct arena *arena, struct fetch *fetch)
{
    begin(config, "GET", "getMe", arena, fetch);
}

/* --- Answers ---------------------------------------------------------------------------------- */

/* 404 is a path that is not there, since the token has the wrong form. */
static enum channel_outcome outcome_of_code(int64_t code)
{
    if (code == 429) return OUTCOME_RATE_LIMITED;
    if (code == 401 || code == 404) return OUTCOME_OURS;
    if (code >= 400 && code <= 499) return OUTCOME_PERMANENT; /* of these, 400 and 403 are common */
    return OUTCOME_UNKNOWN;
}

static const char *describe(const struct reply *reply, int64_t code)
{
    const char *words = reply_words(reply, reply_scalar(reply, "/description"));
    int64_t chat_id;

    if (reply_int(reply, "/parameters/migrate_to_chat_id", &chat_id))
        return arena_printf(reply->arena, "%lld: the chat is now %lld", (long long)code,
                            (long long)chat_id);
    return arena_printf(reply->arena, "%lld: %s", (long long)code,
                        words ? words : "the provider gave no reason");
}

static void read_refusal(const struct reply *reply, struct channel_answer *ret_answer)
{
    int64_t code, wait_s;

    if (!reply_error_code(reply, "/error_code", &code)) {
        reply_unreadable(reply, ret_answer);
        return;
    }
    enum channel_outcome outcome = outcome_of_code(code);
    if (reply_int(reply, "/parameters/retry_after", &wait_s)) {
        outcome = OUTCOME_RATE_LIMITED;
        ret_answer->wait_ms = reply_wait_ms(wait_s);
    }
    reply_refused(reply, outcome, describe(reply, code), ret_answer);
}

/* The result of sendMessage has a message_id; that of getMe, the probe, is a bot. */
static void read_send(const struct driver_config *config, const struct fetch *fetch,
                      struct arena *arena, struct channel_answer *ret_answer)
{
    struct reply reply = {&driver_telegram_bot, config, fetch, arena};

    if (!reply_open(&reply, ret_answer)) return;
    const char *ok = reply_scalar(&reply, "/ok");
    if (ok && strcmp(ok, "false") == 0) {
        read_refusal(&reply, ret_answer);
        return;
    }
    const char *message_id = reply_id(&reply, "/result/message_id");
    bool is_complete = message_id || reply_is_true(&reply, "/result/is_bot");
    if (!reply_is_true(&reply, "/ok") || !reply_is_success(&reply) || !is_complete) {
        reply_unreadable(&reply, ret_answer);
        return;
    }
    ret_answer->outcome = OUTCOME_DONE;
    ret_answer->progress = PROGRESS_SENT;
    ret_answer->provider_id = message_id;
}

const struct channel_driver driver_telegram_bot = {
    .name = "telegram_bot",
    .calls_per_s = CALLS_PER_S,
    .make_send = make_send,
    .read_send = read_send,
    .make_probe = make_probe,
};
