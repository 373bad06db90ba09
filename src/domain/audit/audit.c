/*
 * The appender: entries wait in a bounded queue; one write at a time takes what is there. While it
 * commits, the next batch gathers, so the batch grows with the load and the delay does not.
 */
#include "domain/audit/audit.h"

#include "domain/audit/audit_db.h"
#include "kit/base/clock.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELDS_TEXT_MAX = 16 * 1024, FIELDS_MAX = 16 };

struct entry {
    struct entry *next;
    struct log_row row; /* texts are owned, behind the struct */
};

struct audit {
    struct db_task task;
    struct db *db;
    bool is_sensitive;

    pthread_mutex_t lock;
    pthread_cond_t is_idle;
    struct entry *first;
    struct entry **end;
    size_t count;
    int64_t lost_count;
    bool is_writing;

    /* The batch at hand; only the write in flight looks at it. */
    struct entry *batch;
    size_t batch_count;
};

static enum err write_batch(struct db_task *task, struct db_tx *tx)
{
    struct audit *audit = (struct audit *)task;
    struct log_row rows[AUDIT_BATCH_MAX];
    size_t count = 0;
    int64_t first_id;

    for (const struct entry *entry = audit->batch; entry; entry = entry->next)
        rows[count++] = entry->row;
    enum err err = log_head_take(tx, (int64_t)count, &first_id);
    if (err) return err;
    db_notify(tx, AUDIT_CHANNEL);
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

/* Moves up to a batch from the queue to the write. The lock is held. */
static void take_batch(struct audit *audit)
{
    struct entry **cut = &audit->first;

    audit->batch = audit->first;
    audit->batch_count = 0;
    while (*cut && audit->batch_count < AUDIT_BATCH_MAX) {
        cut = &(*cut)->next;
        audit->batch_count++;
    }
    audit->first = *cut;
    *cut = NULL;
    if (!audit->first) audit->end = &audit->first;
    audit->count -= audit->batch_count;
}

/* Starts a write if none is in flight and there is something to write. The lock is held. */
static void pump(struct audit *audit)
{
    if (audit->is_writing || !audit->first) return;
    take_batch(audit);
    audit->is_writing = true;
    if (db_submit(audit->db, &audit->task) == ERR_OK) return;

    /* The database is full or closing: these entries are lost, and counted. */
    audit->lost_count += (int64_t)audit->batch_count;
    free_entries(audit->batch);
    audit->batch = NULL;
    audit->is_writing = false;
}

static void write_done(struct db_task *task, enum err err)
{
    struct audit *audit = (struct audit *)task;

    if (err)
        log_write(LOG_ERROR, "log entries could not be stored",
                  LOG_FIELDS(log_int("entries", (int64_t)audit->batch_count),
                             log_text("error", err_info(err)->code)));
    pthread_mutex_lock(&audit->lock);
    free_entries(audit->batch);
    audit->batch = NULL;
    audit->is_writing = false;
    pump(audit);
    if (!audit->is_writing) pthread_cond_broadcast(&audit->is_idle);
    pthread_mutex_unlock(&audit->lock);
}

struct audit *audit_new(struct db *db, bool is_sensitive)
{
    struct audit *audit = calloc(1, sizeof(*audit));
    if (!audit) abort();
    audit->task = (struct db_task){.run = write_batch, .done = write_done};
    audit->db = db;
    audit->is_sensitive = is_sensitive;
    audit->end = &audit->first;
    pthread_mutex_init(&audit->lock, NULL);
    pthread_cond_init(&audit->is_idle, NULL);
    return audit;
}

void audit_free(struct audit *audit)
{
    if (!audit) return;
    pthread_mutex_lock(&audit->lock);
    while (audit->is_writing)
        pthread_cond_wait(&audit->is_idle, &audit->lock);
    pthread_mutex_unlock(&audit->lock);
    free_entries(audit->first);
    pthread_cond_destroy(&audit->is_idle);
    pthread_mutex_destroy(&audit->lock);
    free(audit);
}

static struct entry *make_entry(enum log_level level, const char *message, struct str fields,
                                int64_t at)
{
    size_t message_len = strlen(message) + 1;
    struct entry *entry = malloc(sizeof(*entry) + message_len + fields.len);
    if (!entry) abort();

    char *text = (char *)(entry + 1);
    memcpy(text, message, message_len);
    memcpy(text + message_len, fields.data, fields.len);
    *entry = (struct entry){
        .row = {
            .at = at, .level = level, .message = text, .fields = {text + message_len, fields.len}}};
    return entry;
}

static void append(struct audit *audit, struct entry *entry)
{
    *audit->end = entry;
    audit->end = &entry->next;
    audit->count++;
}

/* There is room again: the stream says how much of it is missing. The lock is held. */
static void tell_lost(struct audit *audit, int64_t at)
{
    char fields[64];
    int len = snprintf(fields, sizeof(fields), "{\"entries\":%" PRId64 "}", audit->lost_count);
    append(audit,
           make_entry(LOG_WARNING, "log entries were lost", (struct str){fields, (size_t)len}, at));
    log_write(LOG_WARNING, "log entries were lost",
              LOG_FIELDS(log_int("entries", audit->lost_count)));
    audit->lost_count = 0;
}

static void push(struct audit *audit, struct entry *entry)
{
    pthread_mutex_lock(&audit->lock);
    if (audit->count >= AUDIT_QUEUE_MAX) {
        audit->lost_count++;
        free(entry);
    } else {
        if (audit->lost_count > 0) tell_lost(audit, entry->row.at);
        append(audit, entry);
    }
    pump(audit);
    pthread_mutex_unlock(&audit->lock);
}

/* The fields of an entry with what every entry has: its time, the request's id, the key used. */
static void publish(struct audit *audit, const struct work *work, const struct work_note *note,
                    const char *key)
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
    log_encode_fields(&text, fields, count, audit->is_sensitive);
    struct str json = text.is_full ? STR("{}") : buf_view(&text);
    push(audit, make_entry(note->level, note->message, json, work->now_ms));
}

void audit_publish(struct audit *audit, const struct work *work, const char *key)
{
    for (const struct work_note *note = work->notes; note; note = note->next)
        publish(audit, work, note, key);
}

void audit_write(struct audit *audit, enum log_level level, const char *message,
                 const struct log_field *fields, size_t field_count)
{
    struct work work = {.now_ms = clock_now_ms()};
    struct work_note note = {
        .level = level, .message = message, .fields = fields, .field_count = field_count};
    publish(audit, &work, &note, NULL);
}
