/* The database itself knows something that herald asks nowhere else. */
#pragma once

#include "kit/db/db.h"

/* Reads the clock of a PostgreSQL server, in ms since the epoch. */
enum err doctor_select_clock(struct db_tx *tx, int64_t *ret_now_ms) MUST_CHECK;
