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
