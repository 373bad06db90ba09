/* These are the statements on store_clock, and how a process follows it. */
#include "core/store_clock.h"

#include "kit/base/clock.h"
#include "kit/base/log.h"

#include <stdlib.h>
#include <time.h>

enum {
    /* A clock that is kept in step drifts by less between two looks. It is also how long an answer
     * may take: the time that it tells is that of the middle. */
    DRIFT_MS = 1000,
    BEAT_S = 3,          /* a process that lives has noted its time once more by then */
    QUIET_MS = 8 * 1000, /* a process that lives has noted a time that is younger */
    TRIES = 5,
};

struct reading {
    int64_t ahead_ms; /* the offset */
    int64_t wall_ms;  /* of the store's machine */
    int64_t noted_ms; /* store time had come so far */
    int64_t own_ms;   /* store time as this process reckons it */
    int64_t took_ms;
};

static int64_t told_by(const struct reading *reading)
{
    return reading->wall_ms + reading->ahead_ms;
}

/* --- Statements ------------------------------------------------------------------------------- */

static const char *wall_sql(const struct db_tx *tx)
{
    return db_sql(tx, "SELECT ahead_ms, noted_ms, 0 AS wall_ms FROM store_clock",
                  "SELECT ahead_ms, noted_ms, herald_wall_ms() AS wall_ms FROM store_clock");
}

/* A file is on this machine, whose clock is its store's. */
static enum err run_read(void *arg, struct db_tx *tx)
{
    struct reading *reading = arg;
    AUTO_STMT stmt = NULL;
    int64_t from_ms = clock_now_ms();

    enum err err = db_query_one(tx, wall_sql(tx), DB_NO_ARGS, &stmt);
    if (err) return err;
    int64_t told_ms = clock_now_ms(), wall_ms = db_get_int(stmt, "wall_ms");
    reading->ahead_ms = db_get_int(stmt, "ahead_ms");
    reading->noted_ms = db_get_int(stmt, "noted_ms");
    reading->wall_ms = wall_ms == 0 ? clock_wall_ms() : wall_ms;
    reading->own_ms = wall_ms == 0 ? told_ms : from_ms + (told_ms - from_ms) / 2;
    reading->took_ms = clock_now_ms() - from_ms;
    return ERR_OK;
}

struct move {
    int64_t from_ms, to_ms;
    bool is_done;
};

static enum err run_move(void *arg, struct db_tx *tx)
{
    struct move *move = arg;
    int64_t changed = 0;
    enum err err = db_exec(tx, "UPDATE store_clock SET ahead_ms = $2 WHERE ahead_ms = $1",
                           DB_ARGS(db_int(move->from_ms), db_int(move->to_ms)), &changed);
    if (!err) move->is_done = changed == 1;
    return err;
}

enum err store_clock_note(struct db_tx *tx, int64_t now_ms)
{
    return db_exec_later(tx, "UPDATE store_clock SET noted_ms = $1 WHERE noted_ms < $1",
                         DB_ARGS(db_int(now_ms)));
}

enum err store_clock_select_wall(struct db_tx *tx, int64_t *ret_wall_ms)
{
    struct reading reading;
    enum err err = run_read(&reading, tx);
    if (!err) *ret_wall_ms = reading.wall_ms;
    return err;
}

/* --- A process and store time ----------------------------------------------------------------- */

/* The process may have stood still, as a machine does that is copied. Then those that went on have
 * noted a later time than its own, and what the row tells is nearer to that. */
static bool do_others_agree(const struct reading *reading)
{
    int64_t behind_ms = reading->noted_ms - reading->own_ms;
    return behind_ms > 0 && llabs(told_by(reading) - reading->noted_ms) < behind_ms;
}

static void tell_step(int64_t step_ms)
{
    log_write(LOG_WARNING,
              step_ms < 0
                  ? "the clock was set back; waits and lengths of time go on as they were"
                  : "the clock was set forward; waits and lengths of time go on as they were",
              LOG_FIELDS(log_int("seconds", (llabs(step_ms) + 500) / 1000)));
}

/* Moves the offset by a step of the clock, so that store time does not step. Another process may
 * have done so first; the next look shows it. */
static enum err take_out_step(struct db *db, const struct reading *reading, int64_t step_ms)
{
    struct move move = {.from_ms = reading->ahead_ms, .to_ms = reading->ahead_ms - step_ms};
    enum err err = db_run(db, false, run_move, &move);

    if (err || !move.is_done) return err;
    clock_set(clock_now_ms(), move.to_ms);
    tell_step(step_ms);
    return ERR_OK;
}

enum err store_clock_learn(struct db *verification)
{
    struct reading reading;
    enum err err = db_look(verification, run_read, &reading);

    if (err) return err;
    if (reading.took_ms > DRIFT_MS) {
        clock_set(clock_now_ms(), reading.ahead_ms);
        return ERR_OK;
    }
    int64_t apart_ms = told_by(&reading) - reading.own_ms;
    if (llabs(apart_ms) > DRIFT_MS && !do_others_agree(&reading))
        return take_out_step(verification, &reading, apart_ms);
    clock_set(clock_now_ms() + apart_ms, reading.ahead_ms);
    return ERR_OK;
}

/* A clock that was set forward a moment ago looks like time that has passed. So where others may
 * live, they are given the time of a sign of life: if they note what is far from what the row
 * tells, they go on by their own clocks, and store time is theirs. */
static enum err hear_others(struct db *db, struct reading *reading)
{
    int64_t noted_ms = reading->noted_ms;

    if (db_engine_of(db) == DB_SQLITE || noted_ms == 0 || told_by(reading) - noted_ms <= QUIET_MS)
        return ERR_OK;
    nanosleep(&(struct timespec){.tv_sec = BEAT_S}, NULL);
    enum err err = db_run(db, true, run_read, reading);
    if (err || reading->noted_ms == noted_ms) return err;
    if (told_by(reading) - reading->noted_ms > QUIET_MS)
        reading->wall_ms = reading->noted_ms - reading->ahead_ms;
    return ERR_OK;
}

static void begin_at(const struct reading *reading)
{
    clock_set(clock_now_ms() + told_by(reading) - reading->own_ms, reading->ahead_ms);
}

enum err store_clock_begin(struct db *verification, bool is_beside)
{
    struct reading reading;

    for (int i = 0; i < TRIES; i++) {
        enum err err = db_run(verification, true, run_read, &reading);
        if (!err && !is_beside) err = hear_others(verification, &reading);
        if (err) return err;
        if (reading.took_ms > DRIFT_MS && i + 1 < TRIES) continue;
        int64_t behind_ms = reading.noted_ms - told_by(&reading);
        if (is_beside && behind_ms > DRIFT_MS) reading.ahead_ms += behind_ms;
        begin_at(&reading);
        if (is_beside || behind_ms <= DRIFT_MS) return ERR_OK;
        err = take_out_step(verification, &reading, -behind_ms);
        if (err) return err;
    }
    return ERR_STORAGE_UNAVAILABLE;
}
