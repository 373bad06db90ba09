/* The statements on process have one function each. */
#pragma once

#include "domain/process/process.h"

/* Writes the sign of life of this process, in a new row if it has none. `is_gap`: no worker ran
 * before, so nobody looked until now whether all was well; the row keeps the time. */
enum err process_write(struct db_tx *tx, const struct own_process *own, int64_t now_ms,
                       bool is_gap) MUST_CHECK;
enum err process_delete(struct db_tx *tx, const struct uuid *id) MUST_CHECK;
/* A process without its row of the list. */
struct process_beside {
    struct uuid id;
    int64_t pid;
    bool is_here; /* it runs on the same machine */
};
/* Lists those of the same verb on the same machine that gave a sign of life since `from_ms`, at
 * most `max`; without this one. */
enum err process_select_beside(struct db_tx *tx, const struct own_process *own, int64_t from_ms,
                               int max, struct process_beside *ret_rows,
                               size_t *ret_count) MUST_CHECK;
/* Does the same for those that do the work of a worker, on all machines. */
enum err process_select_workers(struct db_tx *tx, const struct own_process *own, int64_t from_ms,
                                int max, struct process_beside *ret_rows,
                                size_t *ret_count) MUST_CHECK;
/* Writes a sign of life of another process, unless it has stopped meanwhile. */
enum err process_touch(struct db_tx *tx, const struct uuid *id, int64_t now_ms) MUST_CHECK;
/* Lists at most `max` processes, those with the newest signs of life first. State and answering are
 * not set. */
enum err process_select(struct work *work, int max, struct process **ret_rows,
                        size_t *ret_count) MUST_CHECK;
enum err process_set_epoch(struct db_tx *tx, const struct uuid *id, int64_t epoch) MUST_CHECK;
/* Tells whether one whose last sign of life came between the two times has not confirmed `epoch`.
 */
enum err process_find_behind(struct db_tx *tx, int64_t epoch, int64_t from_ms,
                             bool *ret_is_behind) MUST_CHECK;
/* Deletes at most `max` processes whose last sign of life came before `before_ms`. */
enum err process_delete_old(struct db_tx *tx, int64_t before_ms, int max,
                            int64_t *ret_deleted) MUST_CHECK;
