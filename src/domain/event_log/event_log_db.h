/* The statements on log_entry and log_head have one function each. */
#pragma once

#include "domain/event_log/event_log.h"

struct log_row {
    int64_t at;
    enum log_level level;
    const char *message;
    struct str fields;
};

/* Takes `count` ids from `ret_first_id` on, and holds the counter until the commit. */
enum err log_head_take(struct db_tx *tx, int64_t count, int64_t *ret_first_id) MUST_CHECK;
enum err log_entry_insert(struct db_tx *tx, int64_t first_id, const struct log_row *rows,
                          size_t count) MUST_CHECK;

/* The ids between which the log lies; `oldest` is 0 while it is empty. */
struct log_bounds {
    int64_t oldest, last;
};
enum err log_bounds_select(struct work *work, struct log_bounds *ret_bounds) MUST_CHECK;

enum { LOG_JUDGED_AT_ONCE = 1000 }; /* entries that one statement reads, to be judged */

/* This is looked for among the entries with from_id <= id < to_id. The texts stand in the fields as
 * they are, in that case; of two that stand together either may. */
struct log_search {
    int64_t from_id, to_id;
    int64_t level;
    int64_t since, until;
    const char *request[2], *id; /* of the fields */
    struct log_wanted wanted;    /* the entries are judged by it as they are read */
    bool shows_unmasked;
};
/* Adds the newest entries that match to `entries`, which has `max` at most. */
enum err log_entry_search(struct work *work, const struct log_search *search, size_t max,
                          struct record_list *entries) MUST_CHECK;

/* A number stands in entries like this: its last digits in full, and its mask; or two other
 * texts. */
struct log_number {
    const char *digits, *mask;
    const char *message; /* only entries with this sentence are read; "": all are */
};
/* Takes it out of the entries with after < id <= last. */
enum err log_entry_erase(struct work *work, const struct log_number *number, int64_t after,
                         int64_t last, int64_t *ret_erased) MUST_CHECK;
/* Reads those of them that name it, newest first, at most `max`. */
enum err log_entry_find(struct work *work, const struct log_number *number, int64_t after,
                        int64_t last, size_t max, struct log_entry *ret_entries,
                        size_t *ret_count) MUST_CHECK;
