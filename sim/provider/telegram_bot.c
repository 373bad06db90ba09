/*
 * Telegram Bot API, as the cloud and the self-hosted server speak it: /bot<token>/<method>, a JSON
 * body, a form or a query. The HTTP status is the error_code.
 *
 * The descriptions are those that bots see; a driver goes by the code and a part of the text.
 */
#include "kit/json/number.h"
#include "options.h"
#include "provider.h"

#include <stdio.h>

enum { TEXT_MAX = 4096, BOT_ID = 1000, PER_SECOND = 30, LIMIT_WINDOW_MS = 1000 };

static const struct fault faults[] = {
    {"unauthorized", FAULT_CREDENTIALS, 401, "Unauthorized"},
    {"blocked", FAULT_RECIPIENT, 403, "Forbidden: bot was blocked by the user"},
    {"deactivated", FAULT_RECIPIENT, 403, "Forbidden: user is deactivated"},
    {"cannot_initiate", FAULT_RECIPIENT, 403,
     "Forbidden: bot can't initiate conversation with a user"},
    {"kicked", FAULT_RECIPIENT, 403, "Forbidden: bot was kicked from the group chat"},
    {"chat_not_found", FAULT_RECIPIENT, 400, "Bad Request: chat not found"},
    {"migrated", FAULT_RECIPIENT, 400, "Bad Request: group chat was upgraded to a supergroup chat"},
    {"too_many_requests", FAULT_RATE, 429, "Too Many Requests: retry after "},
    {"chat_id_empty", FAULT_REQUEST, 400, "Bad Request: chat_id is empty"},
    {"text_empty", FAULT_REQUEST, 400, "Bad Request: message text is empty"},
    {"text_too_long", FAULT_REQUEST, 400, "Bad Request: message is too long"},
    {"unreadable", FAULT_REQUEST, 400, "Bad Request: can't parse the request"},
    {"not_found", FAULT_REQUEST, 404, "Not Found"},
    {"conflict", FAULT_REQUEST, 409,
     "Conflict: terminated by other getUpdates request; make sure that only one bot instance is "
     "running"},
    {"internal", FAULT_SERVER, 500, "Internal Server Error"},
    {"bad_gateway", FAULT_SERVER, 502, "Bad Gateway"},
};

static void write_parameters(struct deal *deal, const struct fault *fault)
{
    bool is_migrated = strcmp(fault->name, "migrated") == 0;

    if (fault->kind != FAULT_RATE && !is_migrated) return;
    json_key(&deal->json, "parameters");
    json_object_begin(&deal->json);
    if (is_migrated)
        json_put_int(&deal->json, "migrate_to_chat_id", -1001000000000);
    else
        json_put_int(&deal->json, "retry_after", deal_retry_after_s(deal));
    json_object_end(&deal->json);
}

static void write_fault(struct deal *deal, const struct fault *fault)
{
    const char *text = fault->text;

    if (fault->kind == FAULT_RATE)
        text = arena_printf(deal->arena, "%s%lld", text, (long long)deal_retry_after_s(deal));
    deal_begin_answer(deal, fault->http_status);
    json_put_bool(&deal->json, "ok", false);
    json_put_int(&deal->json, "error_code", fault->http_status);
    json_put_text(&deal->json, "description", text);
    write_parameters(deal, fault);
    deal_end_answer(deal);
    if (fault->kind == FAULT_RATE) deal_put_retry_after(deal);
}

/* "bot<token>/<method>" against the token. */
static const struct fault *check_credentials(const struct deal *deal)
{
    const char *token = deal->request.path + strlen("bot");
    size_t len = strcspn(token, "/");
    const char *wanted = deal->options->bot_token;

    if (len == strlen(wanted) && memcmp(token, wanted, len) == 0) return NULL;
    return deal_fault(deal, "unauthorized");
}

static void write_bot(struct json_writer *json, const char *key)
{
    json_key(json, key);
    json_object_begin(json);
    json_put_int(json, "id", BOT_ID);
    json_put_bool(json, "is_bot", true);
    json_put_text(json, "first_name", "Simulated bot");
    json_put_text(json, "username", "simulated_bot");
}

static const struct fault *get_me(struct deal *deal)
{
    deal_begin_answer(deal, 200);
    json_put_bool(&deal->json, "ok", true);
    write_bot(&deal->json, "result");
    json_put_bool(&deal->json, "can_join_groups", true);
    json_put_bool(&deal->json, "can_read_all_group_messages", false);
    json_put_bool(&deal->json, "supports_inline_queries", false);
    json_object_end(&deal->json);
    deal_end_answer(deal);
    return NULL;
}

/* ---- sendMessage ---- */

/* A number in text or JSON, or the @name of a channel. */
static const char *chat_of(const struct deal *deal)
{
    const struct param *chat = params_find(&deal->request.params, "chat_id");
    long long id;
    int64_t exact;

    if (chat->type == PARAM_NUMBER)
        return number_to_int64(str_of(chat->text), &exact) ? chat->text : NULL;
    if (chat->type != PARAM_TEXT || !*chat->text) return NULL;
    return chat->text[0] == '@' || str_to_int64(str_of(chat->text), &id) ? chat->text : NULL;
}

static const struct fault *check_message(const struct deal *deal)
{
    const char *text = params_text(&deal->request.params, "text");

    if (!params_has(&deal->request.params, "chat_id")) return deal_fault(deal, "chat_id_empty");
    if (!chat_of(deal)) return deal_fault(deal, "chat_not_found");
    if (!text || !*text) return deal_fault(deal, "text_empty");
    if (utf8_length(str_of(text)) > TEXT_MAX) return deal_fault(deal, "text_too_long");
    return NULL;
}

/* How many messages of the last second went to the chat (NULL: to any). */
static int count_recent(const struct deal *deal, const char *chat)
{
    int64_t since_ms = deal->now_ms - LIMIT_WINDOW_MS;
    const struct send *send;
    int count = 0;

    for (uint64_t back = 0; (send = sends_recent(deal->sends, back)); back++) {
        if (send->made_ms <= since_ms) break;
        if (send->provider != deal->provider) continue;
        if (!chat || strcmp(send->recipient, chat) == 0) count++;
    }
    return count;
}

static const struct fault *check_limits(struct deal *deal)
{
    if (!deal->options->limits_bot) return NULL;
    if (count_recent(deal, NULL) < PER_SECOND && count_recent(deal, deal->recipient) < 1)
        return NULL;
    deal->order.retry_after_s = 1;
    return deal_fault(deal, "too_many_requests");
}

static void write_chat(struct deal *deal, const char *chat)
{
    long long id;

    json_key(&deal->json, "chat");
    json_object_begin(&deal->json);
    if (str_to_int64(str_of(chat), &id)) {
        json_put_int(&deal->json, "id", id);
        json_put_text(&deal->json, "type", id < 0 ? "group" : "private");
    } else {
        json_put_text(&deal->json, "username", chat + 1);
        json_put_text(&deal->json, "type", "channel");
    }
    json_object_end(&deal->json);
}

static const struct fault *send_message(struct deal *deal)
{
    const struct fault *fault = check_message(deal);

    if (!fault) fault = check_limits(deal);
    if (fault) return fault;
    int64_t id = sends_next_number(deal->sends);
    deal_send(deal, arena_printf(deal->arena, "%lld", (long long)id), NULL, NULL);
    deal_begin_answer(deal, 200);
    json_put_bool(&deal->json, "ok", true);
    json_key(&deal->json, "result");
    json_object_begin(&deal->json);
    json_put_int(&deal->json, "message_id", id);
    write_bot(&deal->json, "from");
    json_object_end(&deal->json);
    write_chat(deal, chat_of(deal));
    json_put_int(&deal->json, "date", deal->now_ms / 1000);
    json_put_text(&deal->json, "text", params_text(&deal->request.params, "text"));
    json_object_end(&deal->json);
    deal_end_answer(deal);
    return NULL;
}

static const struct method methods[] = {
    {"sendMessage", "sendMessage", "GET POST", "chat_id", send_message},
    {"getMe", "getMe", "GET POST", NULL, get_me},
};

const struct provider telegram_bot = {
    .name = "telegram_bot",
    .home = "https://api.telegram.org",
    .prefix = "bot",
    .is_path_nocase = true,
    PROVIDER_METHODS(methods),
    PROVIDER_FAULTS(faults),
    .unknown_method = "not_found",
    .unreadable = "unreadable",
    .check_credentials = check_credentials,
    .write_fault = write_fault,
};
