/* A body is written, sent, and its answer judged by its status. */
#include "modem/herald.h"

#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "kit/base/must.h"
#include "kit/json/record.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    IN_FLIGHT_MAX = 16,
    QUEUE_MAX = 256,
    ANSWER_MAX = 32 * 1024,
    BODY_MAX = 16 * 1024,
    CONNECT_MS = 10 * 1000,
    TIMEOUT_MS = 20 * 1000,
    BACKOFF_FIRST_MS = 1000,
    BACKOFF_MAX_MS = 60 * 1000,
    REFUSED_MS = 30 * 1000, /* a key may be made good, a phone enabled */
    RETRY_AFTER_MAX_MS = 10 * 60 * 1000,
};

struct herald {
    const struct config *config;
    void *owner;
    struct fetch_client *client;
    sd_event_source *source;
    int fd; /* an eventfd: calls have ended */
    pthread_mutex_t lock;
    struct herald_call *ended; /* newest first */
};

/* --- Ends ------------------------------------------------------------------------------------- */

static void free_call(struct herald_call *call)
{
    fetch_done(&call->fetch);
    secret_wipe(call->key, sizeof call->key);
    buf_done(&call->body);
    free(call);
}

/* On the client's thread. */
static void hand_over(struct fetch *fetch)
{
    struct herald_call *call = (struct herald_call *)fetch; /* its first member */
    struct herald *herald = call->herald;

    pthread_mutex_lock(&herald->lock);
    call->next = herald->ended;
    herald->ended = call;
    pthread_mutex_unlock(&herald->lock);
    eventfd_write(herald->fd, 1);
}

static struct herald_call *take_ended(struct herald *herald)
{
    pthread_mutex_lock(&herald->lock);
    struct herald_call *calls = herald->ended;
    herald->ended = NULL;
    pthread_mutex_unlock(&herald->lock);
    return calls;
}

static int take_ends(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct herald *herald = context;
    eventfd_t count;

    (void)source, (void)events;
    eventfd_read(fd, &count);
    for (struct herald_call *call = take_ended(herald), *next; call; call = next) {
        next = call->next;
        call->done(call);
        free_call(call);
    }
    return 0;
}

struct herald *herald_new(sd_event *event, const struct config *config, void *owner)
{
    struct herald *herald = must_calloc(1, sizeof *herald);

    *herald = (struct herald){.config = config, .owner = owner};
    pthread_mutex_init(&herald->lock, NULL);
    herald->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool is_there = herald->fd >= 0 && sd_event_add_io(event, &herald->source, herald->fd, EPOLLIN,
                                                       take_ends, herald) >= 0;
    if (is_there) herald->client = fetch_client_new(IN_FLIGHT_MAX, QUEUE_MAX, ANSWER_MAX);
    if (herald->client) return herald;
    herald_free(herald);
    return NULL;
}

void herald_free(struct herald *herald)
{
    if (!herald) return;
    if (herald->client) fetch_client_free(herald->client);
    for (struct herald_call *call = take_ended(herald), *next; call; call = next) {
        next = call->next;
        free_call(call);
    }
    sd_event_source_unref(herald->source);
    if (herald->fd >= 0) close(herald->fd);
    pthread_mutex_destroy(&herald->lock);
    free(herald);
}

int herald_load(struct herald *herald)
{
    return fetch_client_load(herald->client);
}

/* --- Requests --------------------------------------------------------------------------------- */

static struct herald_call *new_call(struct herald *herald, struct link *link, const char *number,
                                    herald_done *done)
{
    struct herald_call *call = must_calloc(1, sizeof *call);

    *call = (struct herald_call){.herald = herald,
                                 .link = link,
                                 .done = done,
                                 .owner = herald->owner,
                                 .started_ms = clock_monotonic_ms()};
    if (number) snprintf(call->number, sizeof call->number, "%s", number);
    snprintf(call->key, sizeof call->key, "%.*s", (int)link->key.len, link->key.data);
    buf_init(&call->body, BODY_MAX);
    return call;
}

/* A slash at the end of the URL is not doubled. */
static void write_url(struct herald_call *call, const char *path)
{
    const char *url = call->herald->config->url;
    size_t len = strlen(url);

    if (url[len - 1] == '/') len--;
    snprintf(call->url, sizeof call->url, "%.*s%s", (int)len, url, path);
}

static bool start(struct herald_call *call, const char *path)
{
    write_url(call, path);
    call->fetch = (struct fetch){
        .method = "POST",
        .url = call->url,
        .headers = {{"X-Device-Key", call->key},
                    {"Content-Type", "application/json"},
                    {"User-Agent", "herald-modem/" HERALD_VERSION}},
        .body = buf_view(&call->body),
        .route = {.ca_file = call->herald->config->ca_file,
                  .connect_timeout_ms = CONNECT_MS,
                  .timeout_ms = TIMEOUT_MS},
        .done = hand_over,
    };
    assert(!call->body.is_full);
    if (fetch_start(call->herald->client, &call->fetch) == ERR_OK) return true;
    free_call(call);
    return false;
}

bool herald_claim(struct herald *herald, struct link *link, const char *number, bool is_ready,
                  herald_done *done)
{
    struct herald_call *call = new_call(herald, link, number, done);
    struct json_writer json;

    json_writer_init(&json, &call->body);
    json_object_begin(&json);
    json_put_text(&json, "gateway_number", number);
    if (!is_ready) json_put_bool(&json, "sim_ready", false);
    json_object_end(&json);
    return start(call, "/device/v1/sms/claim");
}

bool herald_report(struct herald *herald, struct link *link, const struct herald_result *result,
                   herald_done *done)
{
    struct herald_call *call = new_call(herald, link, result->number, done);
    char id[UUID_TEXT_LEN + 1], lease[UUID_TEXT_LEN + 1], path[128];
    struct json_writer json;

    call->id = result->task_id;
    call->state = result->state;
    uuid_format(&result->task_id, id);
    uuid_format(&result->lease_id, lease);
    json_writer_init(&json, &call->body);
    json_object_begin(&json);
    json_put_text(&json, "lease_id", lease);
    json_put_text(&json, "status", result->status);
    if (result->error && result->error[0]) json_put_text(&json, "error", result->error);
    if (result->permanent) json_put_bool(&json, "permanent", true);
    json_object_end(&json);
    snprintf(path, sizeof path, "/device/v1/sms/%s/result", id);
    return start(call, path);
}

bool herald_tell_call(struct herald *herald, struct link *link, const struct herald_event *event,
                      herald_done *done)
{
    struct herald_call *call = new_call(herald, link, event->number, done);
    char id[UUID_TEXT_LEN + 1], occurred[CLOCK_TEXT_LEN + 1], sent[CLOCK_TEXT_LEN + 1];
    struct json_writer json;

    call->id = event->id;
    uuid_format(&event->id, id);
    clock_format(event->occurred_ms, occurred);
    clock_format(clock_now_ms(), sent);
    json_writer_init(&json, &call->body);
    json_object_begin(&json);
    json_put_text(&json, "event_id", id);
    json_put_text(&json, "gateway_number", event->number);
    json_put_text(&json, "caller", event->caller);
    json_put_text(&json, "occurred_at", occurred);
    json_put_text(&json, "sent_at", sent);
    json_object_end(&json);
    return start(call, "/device/v1/events");
}

bool herald_ping(struct herald *herald, struct link *link, struct str status, herald_done *done)
{
    struct herald_call *call = new_call(herald, link, NULL, done);

    buf_str(&call->body, status);
    return start(call, "/api/device/ping");
}

/* --- Answers ---------------------------------------------------------------------------------- */

static void back_off(struct link *link, const struct fetch *fetch)
{
    int64_t wait_ms = link->backoff_ms ? link->backoff_ms * 2 : BACKOFF_FIRST_MS;

    if (wait_ms > BACKOFF_MAX_MS) wait_ms = BACKOFF_MAX_MS;
    link->backoff_ms = wait_ms;
    wait_ms += random_below((uint32_t)wait_ms / 4 + 1); /* so that links do not meet */
    if (fetch->retry_after_ms > wait_ms) wait_ms = fetch->retry_after_ms;
    if (wait_ms > RETRY_AFTER_MAX_MS) wait_ms = RETRY_AFTER_MAX_MS;
    link->open_ms = clock_monotonic_ms() + wait_ms;
}

/* The first failure is told, and the first answer behind it. */
static void tell_down(const struct herald_call *call)
{
    const struct fetch *fetch = &call->fetch;

    if (call->link->backoff_ms) return;
    log_write(LOG_WARNING, "herald does not answer as it should; it is asked again",
              LOG_FIELDS(log_plain("url", call->url), log_int("status", fetch->status),
                         log_plain("error", fetch->error)));
}

static void tell_refused(struct link *link)
{
    link->open_ms = clock_monotonic_ms() + REFUSED_MS;
    if (!link->is_refused)
        log_write(LOG_ERROR,
                  "herald refuses the device key: enter the one that `herald admin devices "
                  "rotate-key` gives, and restart herald-modem",
                  NULL, 0);
    link->is_refused = true;
}

bool herald_is_good(struct herald_call *call, bool *ret_is_to_repeat)
{
    struct link *link = call->link;
    int status = call->fetch.end == FETCH_ANSWERED ? call->fetch.status : 0;

    *ret_is_to_repeat =
        status < 200 || status == 401 || status == 408 || status == 429 || status >= 500;
    if (status == 401) {
        tell_refused(link);
        return false;
    }
    if (*ret_is_to_repeat) {
        tell_down(call);
        back_off(link, &call->fetch);
        return false;
    }
    if (link->backoff_ms) log_write(LOG_INFO, "herald answers again", NULL, 0);
    link->backoff_ms = 0;
    link->is_refused = false;
    return status < 300;
}

struct claim_answer {
    const struct job *task;
};

static const struct field job_fields[] = {
    FIELD(struct job, id, FIELD_UUID, FIELD_REQUIRED, NULL),
    FIELD(struct job, lease_id, FIELD_UUID, FIELD_REQUIRED, NULL),
    FIELD(struct job, recipient, FIELD_STRING, FIELD_REQUIRED, NULL),
    FIELD(struct job, text, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET, NULL),
    FIELD(struct job, attempt, FIELD_INTEGER, FIELD_REQUIRED, NULL),
};
static const struct record job_record = {
    .name = "SMSJob", .size = sizeof(struct job), RECORD_FIELDS(job_fields)};
static const struct field claim_fields[] = {
    FIELD(struct claim_answer, task, FIELD_RECORD, FIELD_REQUIRED | FIELD_NULLABLE, NULL,
          .record = &job_record),
};
static const struct record claim_record = {
    .name = "ClaimResult", .size = sizeof(struct claim_answer), RECORD_FIELDS(claim_fields)};

struct verdict_answer {
    const char *result;
};
static const struct field verdict_fields[] = {
    FIELD(struct verdict_answer, result, FIELD_STRING, FIELD_REQUIRED, NULL),
};
static const struct record verdict_record = {
    .name = "EventResult", .size = sizeof(struct verdict_answer), RECORD_FIELDS(verdict_fields)};

static bool decode(const struct record *record, struct herald_call *call, struct arena *arena,
                   void *ret_value)
{
    struct record_faults faults;

    record_faults_init(&faults, arena);
    return record_decode(record, buf_view(&call->fetch.answer), false, arena, ret_value, &faults) ==
           ERR_OK;
}

bool herald_read_job(struct herald_call *call, struct arena *arena, const struct job **ret_job)
{
    struct claim_answer answer;

    if (!decode(&claim_record, call, arena, &answer)) return false;
    *ret_job = answer.task;
    return true;
}

const char *herald_read_verdict(struct herald_call *call, struct arena *arena)
{
    struct verdict_answer answer;
    return decode(&verdict_record, call, arena, &answer) ? answer.result : "";
}
