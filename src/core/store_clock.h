/*
 * Store time goes on whatever is done to a clock (contract, section 7 "Clocks"). It is the clock of
 * the store's machine, which on PostgreSQL is that of the server, plus an offset that is one row of
 * the verification store. A process learns both with its signs of life, and reckons by its own
 * continuous clock in between. So all processes agree to within milliseconds. When the machine's
 * clock steps, the first process that sees it moves the offset by as much, and all go on by their
 * own clocks meanwhile.
 *
 * Where store time would begin before a time that was already stored, as after a start with a clock
 * that was set back, the offset moves, too.
 */
#pragma once

#include "kit/db/db.h"

/* Begins store time for this process. With `is_beside` nothing is written. It blocks. */
enum err store_clock_begin(struct db *verification, bool is_beside) MUST_CHECK;
/* Corrects it; at least every few seconds. It blocks. */
enum err store_clock_learn(struct db *verification) MUST_CHECK;

/* Notes that store time had come to `now_ms`, for whoever starts next. */
enum err store_clock_note(struct db_tx *tx, int64_t now_ms) MUST_CHECK;

/* Reads the clock of the store's machine. */
enum err store_clock_select_wall(struct db_tx *tx, int64_t *ret_wall_ms) MUST_CHECK;
