/*
 * Entries of the log stream (doc A, section 4 "Log stream"; contract, section 2, rule 12) come from
 * transactions that are durable; the one appender of a process writes them in batches, and readers
 * ask for them by id. Ids are given and rows inserted in one transaction that holds the counter
 * row, so ids grow in the order in which entries become visible, also with several processes
 * writing. The log lives in the verification store.
 */
#pragma once

#include "core/page.h"
#include "core/service.h"
#include "core/work.h"
#include "kit/json/record.h"

enum {
    EVENT_LOG_QUEUE_MAX = 20000, /* entries that wait to be written; more are counted, not kept */
    EVENT_LOG_BATCH_MAX = 512,
    EVENT_LOG_PAGE_MAX = 256,
    EVENT_LOG_LOOKED_MAX = 20000, /* a request for a page looks at no more entries */
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
    int64_t at;        /* for herald itself: on the wire `fields` have it */
};

extern const struct metric event_log_lost; /* herald_log_lost_total */

extern const struct record log_entry_record;

/* Says which entries a page has. */
struct log_filter {
    int level;              /* the least one; -1: all */
    const char *q;          /* a part of their text; NULL: any */
    const char *request_id; /* NULL: any */
    struct uuid otp_id;     /* nil: any */
    int64_t since, until;   /* from `since` on, and before `until`; 0: without bound */
    int64_t limit;
    const char *cursor;
};

struct log_entry_list {
    struct record_list entries;
    const char *next_cursor;
};

extern const struct record log_filter_query; /* for route->query */
extern const struct record log_entry_list_record;

/* Reads a page of the log, newest first (contract, section 2, rule 12). It looks at
 * EVENT_LOG_LOOKED_MAX entries at most, so a page may be short, or empty, and have a next one all
 * the same. ERR_VALIDATION: the cursor. */
enum err event_log_list(struct work *work, const struct log_filter *filter,
                        struct log_entry_list *ret_list) MUST_CHECK;
extern const struct route_table event_log_routes;

/* A search looks at the sentence of an entry and the values of its fields, in whatever case, and
 * not at the JSON that holds them. */
struct log_wanted {
    const char *text;   /* folded; NULL: any entry is wanted */
    const char *masked; /* the same, with its numbers as they are masked */
};
/* `q` may be NULL. */
struct log_wanted event_log_want(const char *q, struct arena *arena);
/* Returns the sentence and the values, folded, each with a NUL behind. */
struct str event_log_fold(const char *message, struct str fields, struct arena *arena);
bool event_log_has(struct str folded, const struct log_wanted *wanted);

/* While LOG_SENSITIVE is true each entry ends with a field that says so. Such an entry is for
 * admins alone, whichever process wrote it and for as long as it is kept (contract, section 10.2).
 */
#define LOG_UNMASKED     "unmasked"
#define LOG_UNMASKED_END ",\"" LOG_UNMASKED "\":true}"
bool event_log_is_unmasked(struct str fields);
/* Tells whether the actor of the work may see such entries; herald itself may. */
bool event_log_shows_unmasked(const struct work *work);

/* Reads the entries behind `after_id`, oldest first, at most EVENT_LOG_PAGE_MAX. */
enum err event_log_read(struct work *work, int64_t after_id, struct log_entry **ret_entries,
                        size_t *ret_count) MUST_CHECK;
/* Reads the id of the newest entry; 0 if there never was one. */
enum err event_log_last_id(struct work *work, int64_t *ret_id) MUST_CHECK;
/* Takes a number, in full or masked, out of the entries behind `*place`, of which it looks at
 * `max`, and moves `*place`. What holds the digits in full is cut out of the text. */
enum err event_log_erase(struct work *work, const char *number, int max, int64_t *place,
                         bool *ret_has_more, int64_t *ret_erased) MUST_CHECK;
/* Adds entries that name a number, in full or masked, newest first, to `found` (struct log_entry),
 * which has `found_max` at most, out of the `max` before `*place` (0: the newest). `*place` is
 * moved, and -1 at the end. What was written unmasked is left out. */
enum err event_log_find(struct work *work, const char *number, int max, int64_t *place,
                        size_t found_max, struct record_list *found) MUST_CHECK;
/* The same of the newest `max` entries, but only of requests that were refused. */
enum err event_log_find_refused(struct work *work, const char *number, int max, size_t found_max,
                                struct record_list *found) MUST_CHECK;
/* The sentence of their entries. */
#define LOG_REFUSED "request refused"
/* Deletes entries beyond the retention, about `max` at once; `ret_goes_on` tells whether there may
 * be more. */
enum err event_log_sweep(struct work *work, int max, bool *ret_goes_on) MUST_CHECK;
