/* The running service is asked once, and its refusals are explained. */
#include "app/admin/admin_service.h"

#include "kit/base/terminal.h"
#include "kit/fetch/fetch.h"
#include "kit/json/pointer.h"

#include <semaphore.h>

enum { CONNECT_TIMEOUT_MS = 5000, TIMEOUT_MS = 30000, TEXT_MAX = 16 * 1024 };

/* --- The call --------------------------------------------------------------------------------- */

struct waited_call {
    struct fetch_call call; /* first, since `done` gets this pointer */
    sem_t is_done;
};

static void call_done(struct fetch_call *call)
{
    sem_post(&((struct waited_call *)call)->is_done);
}

void admin_call(const struct admin_service *service, const char *method, const char *target,
                struct str body, struct arena *arena, struct admin_answer *ret_answer)
{
    struct waited_call waited = {
        .call = {
            .method = method,
            .url = arena_printf(arena, "%s%s", service->url, target),
            .headers = {{"X-Internal-API-Key", service->key}},
            .body = body,
            .route = {.connect_timeout_ms = CONNECT_TIMEOUT_MS, .timeout_ms = TIMEOUT_MS},
            .done = call_done,
        }};
    if (body.len > 0)
        waited.call.headers[1] = (struct fetch_header){"Content-Type", "application/json"};

    *ret_answer = (struct admin_answer){.retry_after_ms = -1, .error = "the call cannot begin"};
    sem_init(&waited.is_done, 0, 0);
    if (fetch_start(service->client, &waited.call)) return;
    while (sem_wait(&waited.is_done))
        continue; /* a signal interrupted it */
    sem_destroy(&waited.is_done);

    *ret_answer = (struct admin_answer){
        .status = waited.call.status,
        .error = waited.call.error,
        .was_sent = waited.call.was_sent,
        .retry_after_ms = waited.call.retry_after_ms,
    };
    ret_answer->body.data = arena_str(arena, buf_view(&waited.call.answer));
    ret_answer->body.len = waited.call.answer.len;
    fetch_call_done(&waited.call);
}

/* --- What a refusal means --------------------------------------------------------------------- */

/* Returns a text of the error record, fit for a terminal; NULL if there is none. */
static const char *find_text(const struct admin_answer *answer, const char *pointer,
                             struct arena *arena)
{
    struct json_value value;
    AUTO_BUF text = {0};

    buf_init(&text, TEXT_MAX);
    if (!json_find(answer->body, pointer, arena, &value) || value.type != JSON_STRING) return NULL;
    terminal_escape(value.text, "\n", &text);
    return arena_str(arena, buf_view(&text));
}

/* Returns what people type for the field: the flag (with [1] for its second word), the id, or else
 * the path as it is. */
static const char *typed_name(const struct admin_input *input, const char *path,
                              struct arena *arena)
{
    for (size_t i = 0; i < input->flags.count; i++) {
        const struct admin_flag *flag = &input->flags.rows[i];
        size_t len = strlen(flag->path);
        bool is_it = strncmp(path, flag->path, len) == 0 && (path[len] == '\0' || path[len] == '[');
        if (is_it && flag->id >= 0) return input->command->ids[flag->id];
        if (is_it) return arena_printf(arena, "--%s%s", flag->name, path + len);
    }
    return path;
}

static void explain_faults(const struct admin_input *input, const struct admin_answer *answer,
                           struct arena *arena, struct buf *why)
{
    buf_text(why, "The service refused the values:");
    for (int i = 0; i < FAULTS_MAX; i++) {
        const char *prefix = arena_printf(arena, "/error/fields/%d", i);
        const char *path = find_text(answer, arena_printf(arena, "%s/path", prefix), arena);
        const char *message = find_text(answer, arena_printf(arena, "%s/message", prefix), arena);
        if (!path || !message) break;
        const char *name = typed_name(input, path, arena);
        buf_printf(why, "\n  %s%s%s", name, name[0] ? ": " : "", message);
    }
}

static void explain_silence(const struct admin_input *input, const struct admin_service *service,
                            const struct admin_answer *answer, struct buf *why)
{
    bool is_doubtful = answer->was_sent && strcmp(input->route->method, "GET") != 0;

    buf_printf(why, "The service at %s gave no answer: %s. ", service->url, answer->error);
    if (is_doubtful)
        buf_text(why, "The request was sent, and may have been carried out: look before you "
                      "repeat it.");
    else
        buf_text(why, "Is `herald serve` running there? --url or HERALD_LISTEN says where it is.");
}

void admin_explain(const struct admin_input *input, const struct admin_service *service,
                   const struct admin_answer *answer, struct arena *arena, struct buf *why)
{
    const char *message = find_text(answer, "/error/message", arena);

    if (answer->status == 0) {
        explain_silence(input, service, answer, why);
        return;
    }
    if (!message) {
        buf_printf(why,
                   "What answers at %s is not herald: it gave status %d. --url or "
                   "HERALD_LISTEN says where herald is.",
                   service->url, answer->status);
        return;
    }
    if (answer->status == 401) {
        buf_printf(why,
                   "The service at %s does not take the key from %s. Give the "
                   "INTERNAL_API_KEY that it runs with.",
                   service->url, service->key_source);
        return;
    }
    if (answer->status == 404 && input->command->missing) {
        buf_printf(why, "There is no such %s.", input->command->missing);
        return;
    }
    if (find_text(answer, "/error/fields/0/path", arena)) {
        explain_faults(input, answer, arena, why);
        return;
    }
    buf_printf(why, "The service refused: %s", message);
    if (answer->retry_after_ms > 0)
        buf_printf(why, " Try again in %lld s.", (long long)(answer->retry_after_ms + 999) / 1000);
}
