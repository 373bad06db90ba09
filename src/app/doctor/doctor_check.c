/* All checks say what they find, and ask over HTTP: many questions at once, waited for together. */
#include "app/doctor/doctor_check.h"

#include "kit/json/pointer.h"

#include <semaphore.h>
#include <stdarg.h>

enum { MESSAGE_MAX = 16 * 1024 };

void doctor_say(struct doctor *doctor, enum doctor_status status, const char *format, ...)
{
    AUTO_BUF text = {0};
    va_list args;

    buf_init(&text, MESSAGE_MAX);
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    doctor_report_add(&doctor->report, doctor->check->name, status,
                      arena_str(doctor->arena, buf_view(&text)));
}

/* --- Fetches ---------------------------------------------------------------------------------- */

/* A copy of a fetch that tells when it has ended. */
struct waited_fetch {
    struct fetch fetch; /* first, since `done` gets this pointer */
    sem_t *ends;
};

static void count_end(struct fetch *fetch)
{
    sem_post(((struct waited_fetch *)fetch)->ends);
}

static void fetch_side_by_side(struct doctor *doctor, struct fetch *fetches, size_t count)
{
    struct waited_fetch *waited = arena_array(doctor->arena, count, sizeof(*waited));
    size_t begun = 0;
    sem_t ends;

    sem_init(&ends, 0, 0);
    for (size_t i = 0; i < count; i++) {
        waited[i] = (struct waited_fetch){fetches[i], &ends};
        waited[i].fetch.done = count_end;
        waited[i].fetch.error = "the request cannot begin";
        if (fetch_start(doctor->client, &waited[i].fetch) == ERR_OK) begun++;
    }
    while (begun > 0) {
        if (sem_wait(&ends) == 0) begun--; /* else a signal interrupted it */
    }
    sem_destroy(&ends);
    for (size_t i = 0; i < count; i++)
        fetches[i] = waited[i].fetch;
}

/* None waits for another one, since that would count as the time of its server. */
void doctor_fetch(struct doctor *doctor, struct fetch *fetches, size_t count)
{
    for (size_t i = 0; i < count; i += DOCTOR_FETCHES_AT_ONCE) {
        size_t rest = count - i;
        fetch_side_by_side(doctor, fetches + i,
                           rest < DOCTOR_FETCHES_AT_ONCE ? rest : DOCTOR_FETCHES_AT_ONCE);
    }
}

void doctor_ask(struct doctor *doctor, const char *path, const char *key, struct fetch *ret_fetch)
{
    *ret_fetch = (struct fetch){
        .method = "GET",
        .url = arena_printf(doctor->arena, "%s%s", doctor->url, path),
        .route = {.pin = doctor->pin,
                  .connect_timeout_ms = DOCTOR_TIMEOUT_MS,
                  .timeout_ms = DOCTOR_TIMEOUT_MS},
    };
    if (key) ret_fetch->headers[0] = (struct fetch_header){"X-Internal-API-Key", key};
    doctor_fetch(doctor, ret_fetch, 1);
}

const char *doctor_text_at(struct doctor *doctor, const struct fetch *fetch, const char *pointer)
{
    struct json_value value;
    bool is_there = fetch->answer.len > 0 &&
                    json_find(buf_view(&fetch->answer), pointer, doctor->arena, &value) &&
                    value.type == JSON_STRING;
    return is_there ? value.text.data : NULL;
}
