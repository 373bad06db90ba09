/*
 * Entries of the log stream (doc A, section 4 "Log stream"; contract, section 2, rule 12) come from
 * transactions that are durable; the one appender of a process writes them in batches, and readers
 * ask for them by id. Ids are given and rows inserted in one transaction that holds the counter
 * row, so ids grow in the order in which entries become visible, also with several processes
 * writing. The log lives in the verification store.
 */
#pragma once

#include "core/service.h"
#include "kit/json/record.h"

enum {
    EVENT_LOG_QUEUE_MAX = 20000, /* entries that wait to be written; more are counted, not kept */
    EVENT_LOG_BATCH_MAX = 512,
    EVENT_LOG_PAGE_MAX = 256,
    EVENT_LOG_RETENTION_MS = 24 * 60 * 60 * 1000,
};

struct event_log;

/* Starts the appender. `is_sensitive` is LOG_SENSITIVE. */
struct event_log *event_log_new(struct db *db, bool is_sensitive);
/* Writes the entries that wait, then frees the log. Nothing may be published any more. */
void event_log_free(struct event_log *event_log);

/* Hands over the notes of a unit of work whose transaction is durable. `key` is the key that the
 * request used, which only a sensitive stream shows, or NULL. Any thread may call it. */
void event_log_publish(struct event_log *event_log, const struct work *work, const char *key);
/* Writes an entry that belongs to no transaction. */
void event_log_write(struct event_log *event_log, enum log_level level, const char *message,
                     const struct log_field *fields, size_t field_count);

/* db_notify announces new entries under this name. */
#define EVENT_LOG_TOPIC "log"

struct log_entry {
    int64_t id;
    int level;
    const char *message;
    struct str fields; /* a JSON object */
};

extern const struct record log_entry_record;

/* Reads the entries behind `after_id`, oldest first, at most EVENT_LOG_PAGE_MAX. */
enum err event_log_read(struct work *work, int64_t after_id, struct log_entry **ret_entries,
                        size_t *ret_count) MUST_CHECK;
/* Reads the id of the newest entry; 0 if there never was one. */
enum err event_log_last_id(struct work *work, int64_t *ret_id) MUST_CHECK;
/* Deletes entries beyond the retention, about `max` at once; `ret_goes_on` tells whether there may
 * be more. */
enum err event_log_sweep(struct work *work, int max, bool *ret_goes_on) MUST_CHECK;
