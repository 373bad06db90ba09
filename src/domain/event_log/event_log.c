/*
 * Entries wait in a bounded queue, from which one batch after the other is written. While a batch
 * commits, the next one gathers. A batch that is not full also waits after the one before, the
 * longer the more entries that one had: a commit costs the database the same however many entries
 * it has, so under load there are few large ones, while entries that come one by one go at once.
 * Whoever publishes an entry, or ends a batch, begins the next one; a thread, the appender, begins
 * those that have to wait.
 */
#include "domain/event_log/event_log.h"

#include "core/phone.h"
#include "core/trace.h"
#include "domain/event_log/event_log_db.h"
#include "kit/base/clock.h"
#include "kit/base/mask.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELDS_TEXT_MAX = 16 * 1024, FIELDS_MAX = 18, PACE_MS = 10, ENTRY_MS = 2 };

METRIC(event_log_lost, 1, 1, .name = "herald_log_lost_total",
       .help = "Entries of the log that were dropped, since too many waited.",
       .word_counts = {1, 1});

struct entry {
    struct entry *next;
    struct log_row row; /* its texts lie behind the struct */
};

struct event_log {
    struct db_task task; /* writes the batch; first, since the database gives this pointer back */
    struct db *db;
    bool is_sensitive;
    pthread_t thread;

    struct entry *batch; /* is being written; NULL: none is */
    size_t batch_count;

    pthread_mutex_t lock;
    pthread_cond_t is_changed;
    struct entry *first;
    struct entry **end;
    size_t count;
    int64_t lost_count;
    int64_t next_at_ms; /* a batch that is not full waits until then, on the monotonic clock */
    bool is_waiting;    /* the appender has a batch to begin then */
    bool is_stopping;
};

static enum err write_batch(struct db_task *task, struct db_tx *tx)
{
    const struct event_log *event_log = (struct event_log *)task;
    struct log_row rows[EVENT_LOG_BATCH_MAX];
    size_t count = 0;
    int64_t first_id;

    for (const struct entry *entry = event_log->batch; entry; entry = entry->next)
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

/* Cuts a batch off the queue. Call it with the lock. */
static void take_batch(struct event_log *event_log)
{
    struct entry **cut = &event_log->first;

    event_log->batch = event_log->first;
    event_log->batch_count = 0;
    while (*cut && event_log->batch_count < EVENT_LOG_BATCH_MAX) {
        cut = &(*cut)->next;
        event_log->batch_count++;
    }
    event_log->first = *cut;
    *cut = NULL;
    if (!event_log->first) event_log->end = &event_log->first;
    event_log->count -= event_log->batch_count;
}

/* Call it with the lock. */
static void end_batch(struct event_log *event_log, enum err err)
{
    if (err) event_log->lost_count += (int64_t)event_log->batch_count;
    free_entries(event_log->batch);
    event_log->batch = NULL;
}

/* Tells whether a batch has to wait, and has the appender begin it then. Call it with the lock. */
static bool has_to_wait(struct event_log *event_log, int64_t now_ms)
{
    bool is_full = event_log->count >= EVENT_LOG_BATCH_MAX;

    if (is_full || event_log->is_stopping || now_ms >= event_log->next_at_ms) return false;
    if (event_log->is_waiting) return true;
    event_log->is_waiting = true;
    pthread_cond_broadcast(&event_log->is_changed);
    return true;
}

/* Begins the next batch unless one is being written, there is none, or it has to wait. Call it with
 * the lock. */
static void write_next(struct event_log *event_log)
{
    int64_t now_ms = clock_monotonic_ms();

    if (event_log->batch || !event_log->first || has_to_wait(event_log, now_ms)) return;
    take_batch(event_log);
    int64_t wait_ms = (int64_t)event_log->batch_count * ENTRY_MS;
    event_log->next_at_ms = now_ms + (wait_ms < PACE_MS ? wait_ms : PACE_MS);
    enum err err = db_submit(event_log->db, &event_log->task);
    if (err) end_batch(event_log, err); /* the database is full, or closing */
}

static void batch_written(struct db_task *task, enum err err)
{
    struct event_log *event_log = (struct event_log *)task;

    if (err)
        log_write(LOG_ERROR, "log entries could not be stored",
                  LOG_FIELDS(log_int("entries", (int64_t)event_log->batch_count),
                             log_plain("error", err_info(err)->code)));
    pthread_mutex_lock(&event_log->lock);
    end_batch(event_log, err);
    write_next(event_log);
    if (event_log->is_stopping) pthread_cond_broadcast(&event_log->is_changed);
    pthread_mutex_unlock(&event_log->lock);
}

/* Begins the batches that have to wait. */
static void *append_on(void *arg)
{
    struct event_log *event_log = arg;

    pthread_mutex_lock(&event_log->lock);
    while (!event_log->is_stopping) {
        int64_t wait_ms = event_log->next_at_ms - clock_monotonic_ms();
        if (!event_log->is_waiting) {
            pthread_cond_wait(&event_log->is_changed, &event_log->lock);
        } else if (wait_ms > 0) {
            struct timespec until = thread_deadline(wait_ms);
            (void)pthread_cond_timedwait(&event_log->is_changed, &event_log->lock, &until);
        } else {
            event_log->is_waiting = false;
            write_next(event_log);
        }
    }
    pthread_mutex_unlock(&event_log->lock);
    return NULL;
}

struct event_log *event_log_new(struct db *db, bool is_sensitive)
{
    struct event_log *event_log = must_calloc(1, sizeof(*event_log));
    event_log->task = (struct db_task){.run = write_batch, .done = batch_written};
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
    pthread_cond_broadcast(&event_log->is_changed);
    write_next(event_log);
    while (event_log->batch)
        pthread_cond_wait(&event_log->is_changed, &event_log->lock);
    pthread_mutex_unlock(&event_log->lock);
    pthread_join(event_log->thread, NULL);
    free_entries(event_log->first);
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
        metric_add(&event_log_lost, 0, 1);
        free(entry);
    } else {
        if (event_log->lost_count > 0) tell_lost(event_log, entry->row.at);
        append(event_log, entry);
    }
    write_next(event_log);
    pthread_mutex_unlock(&event_log->lock);
}

/* Publishes an entry with its own fields behind those that every entry has: its time, the request's
 * id, its trace, and the key used. */
static void publish(struct event_log *event_log, const struct work *work,
                    const struct work_note *note, const char *key)
{
    struct log_field fields[FIELDS_MAX + 1];
    char at[CLOCK_TEXT_LEN + 1];
    struct trace_ids ids;
    size_t count = 0;

    clock_format(clock_to_wall(work->now_ms), at);
    fields[count++] = log_plain("at", at);
    if (work->request_id) fields[count++] = log_id("request_id", work->request_id);
    trace_log_fields(work->traceparent, &ids, fields + count);
    count += TRACE_FIELDS;
    if (key) fields[count++] = log_secret("key", key);
    for (size_t i = 0; i < note->field_count && count < FIELDS_MAX; i++)
        fields[count++] = note->fields[i];
    if (event_log->is_sensitive) fields[count++] = log_bool(LOG_UNMASKED, true);

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

/* --- Pages ------------------------------------------------------------------------------------ */

#define ANY_TEXT ""

bool event_log_is_unmasked(struct str fields)
{
    static const char end[] = LOG_UNMASKED_END;
    size_t len = sizeof(end) - 1;
    return fields.len >= len && memcmp(fields.data + fields.len - len, end, len) == 0;
}

bool event_log_shows_unmasked(const struct work *work)
{
    return !work->actor || role_may(work->actor->role, ROLE_ADMIN, false);
}

/* Returns a field as entries have it. */
static const char *field_text(const struct log_field *field, struct arena *arena)
{
    AUTO_BUF json = {0};

    buf_init(&json, FIELDS_TEXT_MAX);
    log_encode_fields(&json, field, 1, false);
    if (json.is_full) return ANY_TEXT;
    return arena_str(arena, (struct str){json.data + 1, json.len - 2}); /* without { and } */
}

/* Sets the texts of a field as it is, and as it is masked (event_log_want). */
static void set_texts(const char *name, const char *text, struct arena *arena,
                      const char **ret_texts)
{
    struct log_field plain = log_plain(name, text), masked = log_id(name, text);

    ret_texts[0] = ret_texts[1] = ANY_TEXT;
    if (!text) return;
    ret_texts[0] = field_text(&plain, arena);
    ret_texts[1] = field_text(&masked, arena);
    if (!strchr(ret_texts[1], '#')) ret_texts[1] = ret_texts[0];
}

static void set_search(struct work *work, const struct log_filter *filter,
                       struct log_search *search)
{
    search->shows_unmasked = event_log_shows_unmasked(work);
    search->level = filter->level < 0 ? LOG_DEBUG : filter->level;
    search->since = filter->since;
    search->until = filter->until != 0 ? filter->until : INT64_MAX;
    search->wanted = event_log_want(filter->q, work->arena);
    set_texts("request_id", filter->request_id, work->arena, search->request);
    search->id = ANY_TEXT;
    if (uuid_is_nil(&filter->otp_id)) return;
    const char *id = uuid_text(&filter->otp_id, work->arena);
    search->id = arena_printf(work->arena, "\"%s\"", id);
}

/* Reads down from the newest until the page is full. What is judged here is read in portions. */
static enum err read_down(struct work *work, struct log_search search, int64_t oldest, size_t max,
                          struct record_list *ret_entries)
{
    int64_t end = search.from_id > oldest ? search.from_id : oldest;
    int64_t portion = search.wanted.text ? LOG_JUDGED_AT_ONCE : EVENT_LOG_LOOKED_MAX;
    enum err err = ERR_OK;

    *ret_entries =
        (struct record_list){.items = arena_array(work->arena, max, sizeof(struct log_entry))};
    while (!err && search.to_id > end && ret_entries->count < max) {
        search.from_id = search.to_id - portion > end ? search.to_id - portion : end;
        err = log_entry_search(work, &search, max, ret_entries);
        search.to_id = search.from_id;
    }
    return err;
}

enum err event_log_list(struct work *work, const struct log_filter *filter,
                        struct log_entry_list *ret_list)
{
    static const struct page_key key = PAGE_BY_NUMBER(struct log_entry, id);
    struct page_place place = {0};
    struct log_search search;
    struct log_bounds bounds;

    enum err err = page_begin(filter->cursor, &key, &place);
    if (!err) err = log_bounds_select(work, &bounds);
    if (err) return err;
    bool is_first = place.number == 0 || place.number > bounds.last;
    search.to_id = is_first ? bounds.last + 1 : place.number;
    search.from_id = search.to_id - EVENT_LOG_LOOKED_MAX;
    set_search(work, filter, &search);
    err = read_down(work, search, bounds.oldest, (size_t)filter->limit + 1, &ret_list->entries);
    if (err) return err;
    ret_list->next_cursor = page_end(filter->limit, &key, &ret_list->entries, work->arena);
    bool has_older = bounds.oldest > 0 && bounds.oldest < search.from_id;
    if (!ret_list->next_cursor && has_older)
        ret_list->next_cursor =
            page_cursor(&(struct page_place){.number = search.from_id}, &key, work->arena);
    return ERR_OK;
}

/* --- A number --------------------------------------------------------------------------------- */

enum { NATIONAL_DIGITS = 10 };

/* A Russian number is found as +7, 7 and 8 alike. */
static struct log_number number_of(const char *number, struct arena *arena)
{
    AUTO_BUF mask = {0};
    bool is_russian = strncmp(number, "+7", 2) == 0;
    size_t len = strlen(number);
    size_t skipped = is_russian && len > NATIONAL_DIGITS ? len - NATIONAL_DIGITS : 1;

    buf_init(&mask, PHONE_MAX + MASK_LEN_MAX);
    mask_number(str_of(number), &mask);
    return (struct log_number){number + skipped, arena_str(arena, buf_view(&mask)), ANY_TEXT};
}

/* Ids have gaps at the beginning alone, where old entries went. */
static enum err next_ids(struct work *work, int max, int64_t *after, int64_t *ret_last,
                         bool *ret_has_more)
{
    struct log_bounds bounds;
    enum err err = log_bounds_select(work, &bounds);
    if (err) return err;
    if (bounds.oldest == 0) *after = bounds.last;
    if (bounds.oldest > 0 && *after < bounds.oldest - 1) *after = bounds.oldest - 1;
    *ret_has_more = bounds.last - *after > max;
    *ret_last = *ret_has_more ? *after + max : bounds.last;
    return ERR_OK;
}

enum err event_log_erase(struct work *work, const char *number, int max, int64_t *place,
                         bool *ret_has_more, int64_t *ret_erased)
{
    struct log_number wanted = number_of(number, work->arena);
    int64_t after = *place, last;

    enum err err = next_ids(work, max, &after, &last, ret_has_more);
    if (!err) err = log_entry_erase(work, &wanted, after, last, ret_erased);
    if (!err) *place = last;
    return err;
}

/* Adds those of the `max` entries up to `last`. */
static enum err find_up_to(struct work *work, const struct log_number *wanted, int64_t last,
                           int max, size_t found_max, struct record_list *found)
{
    size_t count = 0;

    if (!found->items) found->items = arena_array(work->arena, found_max, sizeof(struct log_entry));
    struct log_entry *entries = found->items;
    enum err err = log_entry_find(work, wanted, last - max, last, found_max - found->count,
                                  entries + found->count, &count);
    found->count += count;
    return err;
}

enum err event_log_find(struct work *work, const char *number, int max, int64_t *place,
                        size_t found_max, struct record_list *found)
{
    struct log_number wanted = number_of(number, work->arena);
    struct log_bounds bounds;

    enum err err = log_bounds_select(work, &bounds);
    int64_t last = *place > 0 ? *place : bounds.last;
    if (!err) err = find_up_to(work, &wanted, last, max, found_max, found);
    if (err) return err;
    bool has_older = bounds.oldest > 0 && bounds.oldest <= last - max;
    *place = has_older && found->count < found_max ? last - max : -1;
    return ERR_OK;
}

enum err event_log_find_refused(struct work *work, const char *number, int max, size_t found_max,
                                struct record_list *found)
{
    struct log_field recipient = log_phone("recipient", number);
    struct log_field caller = log_phone("caller", number);
    struct log_number wanted = {field_text(&recipient, work->arena),
                                field_text(&caller, work->arena), LOG_REFUSED};
    struct log_bounds bounds;

    enum err err = log_bounds_select(work, &bounds);
    return err ? err : find_up_to(work, &wanted, bounds.last, max, found_max, found);
}
