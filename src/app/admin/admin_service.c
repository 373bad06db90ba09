/* The running service is asked once, and its refusals are explained. */
#include "app/admin/admin_service.h"

#include "kit/base/progress.h"
#include "kit/base/terminal.h"
#include "kit/fetch/fetch.h"
#include "kit/json/pointer.h"

#include <semaphore.h>

enum { CONNECT_TIMEOUT_MS = 5000, TIMEOUT_MS = 30000, TEXT_MAX = 16 * 1024 };

/* --- The fetch -------------------------------------------------------------------------------- */

struct waited_fetch {
    struct fetch fetch; /* first, since `done` gets this pointer */
    struct progress *progress;
    struct buf taken;
    sem_t is_done;
};

static bool take_part(struct fetch *fetch, struct str part)
{
    struct waited_fetch *waited = (struct waited_fetch *)fetch;

    buf_str(&waited->taken, part);
    progress_count(waited->progress, (int64_t)waited->taken.len);
    return !waited->taken.is_full;
}

static void wake_waiting(struct fetch *fetch)
{
    sem_post(&((struct waited_fetch *)fetch)->is_done);
}

void admin_fetch(const struct admin_service *service, const char *method, const char *target,
                 struct str body, struct arena *arena, struct admin_answer *ret_answer)
{
    struct waited_fetch waited = {
        .fetch =
            {
                .method = method,
                .url = arena_printf(arena, "%s%s", service->url, target),
                .headers = {{"X-Internal-API-Key", service->key}},
                .body = body,
                .route = {.pin = service->pin,
                          .connect_timeout_ms = CONNECT_TIMEOUT_MS,
                          .timeout_ms = TIMEOUT_MS},
                .take = take_part,
                .done = wake_waiting,
            },
        .progress = service->progress,
    };
    size_t headers = 1;
    if (body.len > 0)
        waited.fetch.headers[headers++] = (struct fetch_header){"Content-Type", "application/json"};
    if (service->idempotency_key && strcmp(method, "POST") == 0)
        waited.fetch.headers[headers++] =
            (struct fetch_header){"Idempotency-Key", service->idempotency_key};

    *ret_answer = (struct admin_answer){.retry_after_ms = -1, .error = "the request cannot begin"};
    sem_init(&waited.is_done, 0, 0);
    buf_init(&waited.taken, service->answer_max);
    if (fetch_start(service->client, &waited.fetch)) return;
    while (sem_wait(&waited.is_done))
        continue; /* a signal interrupted it */
    sem_destroy(&waited.is_done);

    *ret_answer = (struct admin_answer){
        .status = waited.fetch.status,
        .error = waited.fetch.error,
        .was_sent = waited.fetch.was_sent,
        .retry_after_ms = waited.fetch.retry_after_ms,
    };
    const struct buf *came = waited.fetch.status == 200 ? &waited.taken : &waited.fetch.answer;
    ret_answer->body.data = arena_str(arena, buf_view(came));
    ret_answer->body.len = came->len;
    fetch_done(&waited.fetch);
    buf_done(&waited.taken);
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
                   "INTERNAL_API_KEY that it runs with, or an API key that is good by "
                   "HERALD_API_KEY.",
                   service->url, service->key_source);
        return;
    }
    const char *role = find_text(answer, "/error/role", arena);
    if (answer->status == 403 && role) {
        buf_printf(why, "The key from %s may not do that: it takes a key with the role %s.",
                   service->key_source, role);
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
    const char *taken = find_text(answer, "/error/number", arena);
    if (!taken) taken = find_text(answer, "/error/account_id", arena);
    if (taken) buf_printf(why, " It is %s.", taken);
    if (answer->retry_after_ms > 0)
        buf_printf(why, " Try again in %lld s.", (long long)(answer->retry_after_ms + 999) / 1000);
}

bool admin_read(const struct admin_input *input, const struct admin_service *service,
                const char *target, const struct record *record, struct arena *arena,
                void *ret_value, struct buf *why)
{
    struct admin_answer answer;
    struct record_faults faults;

    admin_fetch(service, "GET", target, STR(""), arena, &answer);
    if (!admin_is_done(&answer)) {
        admin_explain(input, service, &answer, arena, why);
        return false;
    }
    record_faults_init(&faults, arena);
    if (!record_decode_answer(record, answer.body, arena, ret_value, &faults)) return true;
    buf_printf(why,
               "The answer of the service at %s is not of the shape that this version of herald "
               "knows.",
               service->url);
    return false;
}
