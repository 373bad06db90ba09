/* Signs of life of workers: one row each (migration 0005). */
#pragma once

#include "kit/db/db.h"

/* When the last worker was heard of; 0: none ever was. Signs of life from after `until_ms` do not
 * count: they are of a machine whose clock is wrong, or of a worker that died before it was set. */
enum err worker_last_seen(struct db_tx *tx, int64_t until_ms, int64_t *ret_seen_at) MUST_CHECK;
enum err worker_touch(struct db_tx *tx, const struct uuid *id, int64_t now_ms) MUST_CHECK;
/* This worker ends; rows of workers that died long ago go with it. */
enum err worker_forget(struct db_tx *tx, const struct uuid *id, int64_t before_ms) MUST_CHECK;
