/*
 * Entries wait in a bounded queue, from which a thread, the appender, writes one batch after the
 * other. While a batch commits, the next one gathers. A batch that is not full also waits after the
 * one before, the longer the more entries that one had: a commit costs the database the same
 * however many entries it has, so under load there are few large ones, while entries that come one
 * by one go at once.
 */
#include "domain/event_log/event_log.h"

#include "domain/event_log/event_log_db.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELDS_TEXT_MAX = 16 * 1024, FIELDS_MAX = 16, PACE_MS = 10, ENTRIES_PER_MS = 2 };

struct entry {
    struct entry *next;
    struct log_row row; /* its texts lie behind the struct */
};

struct event_log {
    struct db *db;
    bool is_sensitive;
    pthread_t thread;

    pthread_mutex_t lock;
    pthread_cond_t is_changed;
    struct entry *first;
    struct entry **end;
    size_t count;
    int64_t lost_count;
    bool is_stopping;
};

struct batch {
    struct entry *first;
    size_t count;
};

static enum err write_batch(void *arg, struct db_tx *tx)
{
    const struct batch *batch = arg;
    struct log_row rows[EVENT_LOG_BATCH_MAX];
    size_t count = 0;
    int64_t first_id;

    for (const struct entry *entry = batch->first; entry; entry = entry->next)
        rows[count++] = entry->row;
    enum err err = log_head_take(tx, (int64_t)count, &first_id);
    if (err) return err;
    db_notify(tx, EVENT_LOG_TOPIC);
    return log_entry_insert(tx, first_id, rows, count);
}

static void free_entries(struct entry *entry)
{
    while (entry) {
        struct entry *next = entry->next;
        free(entry);
        entry = next;
    }
}

/* Cuts a batch off the queue. The lock is held. */
static struct batch take_batch(struct event_log *event_log)
{
    struct entry **cut = &event_log->first;
    struct batch batch = {.first = event_log->first};

    while (*cut && batch.count < EVENT_LOG_BATCH_MAX) {
        cut = &(*cut)->next;
        batch.count++;
    }
    event_log->first = *cut;
    *cut = NULL;
    if (!event_log->first) event_log->end = &event_log->first;
    event_log->count -= batch.count;
    return batch;
}

/* Writes a batch, or counts it as lost; when the next one may begin goes to `ret_next_at`. The lock
 * is held, and released meanwhile. */
static void write_next(struct event_log *event_log, struct timespec *ret_next_at)
{
    struct batch batch = take_batch(event_log);
    size_t wait_ms = batch.count / ENTRIES_PER_MS;

    *ret_next_at = thread_deadline(wait_ms < PACE_MS ? (int64_t)wait_ms : PACE_MS);
    pthread_mutex_unlock(&event_log->lock);
    enum err err = db_run(event_log->db, false, write_batch, &batch);
    if (err)
        log_write(LOG_ERROR, "log entries could not be stored",
                  LOG_FIELDS(log_int("entries", (int64_t)batch.count),
                             log_text("error", err_info(err)->code)));
    free_entries(batch.first);
    pthread_mutex_lock(&event_log->lock);
    if (err) event_log->lost_count += (int64_t)batch.count;
}

static void *append_on(void *arg)
{
    struct event_log *event_log = arg;

    pthread_mutex_lock(&event_log->lock);
    while (event_log->first || !event_log->is_stopping) {
        if (!event_log->first) {
            pthread_cond_wait(&event_log->is_changed, &event_log->lock);
            continue;
        }
        struct timespec next_at;
        write_next(event_log, &next_at);
        int failure = 0;
        while (!failure && event_log->count < EVENT_LOG_BATCH_MAX && !event_log->is_stopping)
            failure = pthread_cond_timedwait(&event_log->is_changed, &event_log->lock, &next_at);
    }
    pthread_mutex_unlock(&event_log->lock);
    return NULL;
}

struct event_log *event_log_new(struct db *db, bool is_sensitive)
{
    struct event_log *event_log = must_calloc(1, sizeof(*event_log));
    event_log->db = db;
    event_log->is_sensitive = is_sensitive;
    event_log->end = &event_log->first;
    pthread_mutex_init(&event_log->lock, NULL);
    thread_cond_init(&event_log->is_changed);
    thread_start(&event_log->thread, "log-appender", append_on, event_log);
    return event_log;
}

void event_log_free(struct event_log *event_log)
{
    if (!event_log) return;
    pthread_mutex_lock(&event_log->lock);
    event_log->is_stopping = true;
    pthread_cond_signal(&event_log->is_changed);
    pthread_mutex_unlock(&event_log->lock);
    pthread_join(event_log->thread, NULL);
    pthread_cond_destroy(&event_log->is_changed);
    pthread_mutex_destroy(&event_log->lock);
    free(event_log);
}

static struct entry *make_entry(enum log_level level, const char *message, struct str fields,
                                int64_t at)
{
    size_t message_len = strlen(message) + 1;
    struct entry *entry = must_malloc(sizeof(*entry) + message_len + fields.len);

    char *text = (char *)(entry + 1);
    memcpy(text, message, message_len);
    memcpy(text + message_len, fields.data, fields.len);
    *entry = (struct entry){
        .row = {
            .at = at, .level = level, .message = text, .fields = {text + message_len, fields.len}}};
    return entry;
}

static void append(struct event_log *event_log, struct entry *entry)
{
    *event_log->end = entry;
    event_log->end = &entry->next;
    event_log->count++;
}

/* There is room again, so the stream says how many of its entries are missing. The lock is held. */
static void tell_lost(struct event_log *event_log, int64_t at)
{
    char fields[64];
    int len = snprintf(fields, sizeof(fields), "{\"entries\":%" PRId64 "}", event_log->lost_count);
    append(event_log,
           make_entry(LOG_WARNING, "log entries were lost", (struct str){fields, (size_t)len}, at));
    log_write(LOG_WARNING, "log entries were lost",
              LOG_FIELDS(log_int("entries", event_log->lost_count)));
    event_log->lost_count = 0;
}

static void push(struct event_log *event_log, struct entry *entry)
{
    pthread_mutex_lock(&event_log->lock);
    if (event_log->count >= EVENT_LOG_QUEUE_MAX) {
        event_log->lost_count++;
        free(entry);
    } else {
        if (event_log->lost_count > 0) tell_lost(event_log, entry->row.at);
        append(event_log, entry);
    }
    if (event_log->count == 1 || event_log->count >= EVENT_LOG_BATCH_MAX)
        pthread_cond_signal(&event_log->is_changed);
    pthread_mutex_unlock(&event_log->lock);
}

/* Publishes an entry with its own fields behind those that every entry has: its time, the request's
 * id, and the key used. */
static void publish(struct event_log *event_log, const struct work *work,
                    const struct work_note *note, const char *key)
{
    struct log_field fields[FIELDS_MAX];
    char at[CLOCK_TEXT_LEN + 1];
    size_t count = 0;

    clock_format(work->now_ms, at);
    fields[count++] = log_plain("at", at);
    if (work->request_id) fields[count++] = log_text("request_id", work->request_id);
    if (key) fields[count++] = log_secret("key", key);
    for (size_t i = 0; i < note->field_count && count < FIELDS_MAX; i++)
        fields[count++] = note->fields[i];

    AUTO_BUF text = {0};
    buf_init(&text, FIELDS_TEXT_MAX);
    log_encode_fields(&text, fields, count, event_log->is_sensitive);
    struct str json = text.is_full ? STR("{}") : buf_view(&text);
    push(event_log, make_entry(note->level, note->message, json, work->now_ms));
}

void event_log_publish(struct event_log *event_log, const struct work *work, const char *key)
{
    for (const struct work_note *note = work->notes; note; note = note->next)
        publish(event_log, work, note, key);
}

void event_log_write(struct event_log *event_log, enum log_level level, const char *message,
                     const struct log_field *fields, size_t field_count)
{
    struct work work = {.now_ms = clock_now_ms()};
    struct work_note note = {
        .level = level, .message = message, .fields = fields, .field_count = field_count};
    publish(event_log, &work, &note, NULL);
}
