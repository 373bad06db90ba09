/* Each worker shows signs of life in a row of its own (migration 0005). */
#pragma once

#include "kit/db/db.h"

/* Gives the time of the last sign of life of any worker; 0 if there was none. */
enum err worker_last_seen(struct db_tx *tx, int64_t *ret_seen_at) MUST_CHECK;
enum err worker_touch(struct db_tx *tx, const struct uuid *id, int64_t now_ms) MUST_CHECK;
/* Deletes the row of this worker, and of workers that died long ago. */
enum err worker_forget(struct db_tx *tx, const struct uuid *id, int64_t before_ms) MUST_CHECK;
