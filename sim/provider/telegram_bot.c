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

static void write_parameters(struct call *call, const struct fault *fault)
{
    bool is_migrated = strcmp(fault->name, "migrated") == 0;

    if (fault->kind != FAULT_RATE && !is_migrated) return;
    json_key(&call->json, "parameters");
    json_object_begin(&call->json);
    if (is_migrated)
        json_put_int(&call->json, "migrate_to_chat_id", -1001000000000);
    else
        json_put_int(&call->json, "retry_after", call_retry_after_s(call));
    json_object_end(&call->json);
}

static void write_fault(struct call *call, const struct fault *fault)
{
    const char *text = fault->text;

    if (fault->kind == FAULT_RATE)
        text = arena_printf(call->arena, "%s%lld", text, (long long)call_retry_after_s(call));
    call_begin_answer(call, fault->http_status);
    json_put_bool(&call->json, "ok", false);
    json_put_int(&call->json, "error_code", fault->http_status);
    json_put_text(&call->json, "description", text);
    write_parameters(call, fault);
    call_end_answer(call);
    if (fault->kind == FAULT_RATE) call_put_retry_after(call);
}

/* "bot<token>/<method>" against the token. */
static const struct fault *check_credentials(const struct call *call)
{
    const char *token = call->request.path + strlen("bot");
    size_t len = strcspn(token, "/");
    const char *wanted = call->options->bot_token;

    if (len == strlen(wanted) && memcmp(token, wanted, len) == 0) return NULL;
    return call_fault(call, "unauthorized");
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

static const struct fault *get_me(struct call *call)
{
    call_begin_answer(call, 200);
    json_put_bool(&call->json, "ok", true);
    write_bot(&call->json, "result");
    json_put_bool(&call->json, "can_join_groups", true);
    json_put_bool(&call->json, "can_read_all_group_messages", false);
    json_put_bool(&call->json, "supports_inline_queries", false);
    json_object_end(&call->json);
    call_end_answer(call);
    return NULL;
}

/* ---- sendMessage ---- */

/* A number in text or JSON, or the @name of a channel. */
static const char *chat_of(const struct call *call)
{
    const struct param *chat = params_find(&call->request.params, "chat_id");
    long long id;
    int64_t exact;

    if (chat->type == PARAM_NUMBER)
        return number_to_int64(str_of(chat->text), &exact) ? chat->text : NULL;
    if (chat->type != PARAM_TEXT || !*chat->text) return NULL;
    return chat->text[0] == '@' || str_to_int64(str_of(chat->text), &id) ? chat->text : NULL;
}

static const struct fault *check_message(const struct call *call)
{
    const char *text = params_text(&call->request.params, "text");

    if (!params_has(&call->request.params, "chat_id")) return call_fault(call, "chat_id_empty");
    if (!chat_of(call)) return call_fault(call, "chat_not_found");
    if (!text || !*text) return call_fault(call, "text_empty");
    if (utf8_length(str_of(text)) > TEXT_MAX) return call_fault(call, "text_too_long");
    return NULL;
}

/* Returns how many messages of the last second went to the chat (NULL: to any). */
static int count_recent(const struct call *call, const char *chat)
{
    int64_t since_ms = call->now_ms - LIMIT_WINDOW_MS;
    const struct send *send;
    int count = 0;

    for (uint64_t back = 0; (send = sends_recent(call->sends, back)); back++) {
        if (send->made_ms <= since_ms) break;
        if (send->provider != call->provider) continue;
        if (!chat || strcmp(send->recipient, chat) == 0) count++;
    }
    return count;
}

static const struct fault *check_limits(struct call *call)
{
    if (!call->options->limits_bot) return NULL;
    if (count_recent(call, NULL) < PER_SECOND && count_recent(call, call->recipient) < 1)
        return NULL;
    call->behaviour.retry_after_s = 1;
    return call_fault(call, "too_many_requests");
}

static void write_chat(struct call *call, const char *chat)
{
    long long id;

    json_key(&call->json, "chat");
    json_object_begin(&call->json);
    if (str_to_int64(str_of(chat), &id)) {
        json_put_int(&call->json, "id", id);
        json_put_text(&call->json, "type", id < 0 ? "group" : "private");
    } else {
        json_put_text(&call->json, "username", chat + 1);
        json_put_text(&call->json, "type", "channel");
    }
    json_object_end(&call->json);
}

static const struct fault *send_message(struct call *call)
{
    const struct fault *fault = check_message(call);

    if (!fault) fault = check_limits(call);
    if (fault) return fault;
    int64_t id = sends_next_number(call->sends);
    call_send(call, arena_printf(call->arena, "%lld", (long long)id), NULL, NULL);
    call_begin_answer(call, 200);
    json_put_bool(&call->json, "ok", true);
    json_key(&call->json, "result");
    json_object_begin(&call->json);
    json_put_int(&call->json, "message_id", id);
    write_bot(&call->json, "from");
    json_object_end(&call->json);
    write_chat(call, chat_of(call));
    json_put_int(&call->json, "date", call->now_ms / 1000);
    json_put_text(&call->json, "text", params_text(&call->request.params, "text"));
    json_object_end(&call->json);
    call_end_answer(call);
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
