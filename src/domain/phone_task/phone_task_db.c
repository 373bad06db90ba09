/* These are the statements on phone_task. */
#include "domain/phone_task/phone_task_db.h"

#include "core/columns.h"
#include "core/personal.h"
#include "core/rows.h"
#include "kit/db/keys.h"

enum err phone_task_insert(struct work *work, const struct phone_task *task)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO phone_task (id, channel, owner_kind, owner_id, sender, recipient, attempt,"
        " state, created_at, updated_at, expires_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10)",
        DB_ARGS(db_uuid(&task->id), db_text(phone_task_channel_words[task->channel]),
                db_text(phone_task_owner_words[task->owner_kind]), db_uuid(&task->owner_id),
                db_text(task->sender), db_text(task->recipient), db_int(task->attempt),
                db_text(phone_task_state_words[task->state]), db_int(task->created_at),
                db_int(task->expires_at)));
}

#define PHONE_TASK_ROW(FIRST, NEXT)                            \
    FIRST(id, id, UUID)                                        \
    NEXT(channel, channel, WORD(phone_task_channel_words))     \
    NEXT(owner_kind, owner_kind, WORD(phone_task_owner_words)) \
    NEXT(owner_id, owner_id, UUID)                             \
    NEXT(sender, sender, TEXT)                                 \
    NEXT(recipient, recipient, TEXT)                           \
    NEXT(attempt, attempt, INT)                                \
    NEXT(state, state, WORD(phone_task_state_words))           \
    NEXT(error, error, TEXT)                                   \
    NEXT(words, words, BLOB)                                   \
    NEXT(lease_id, lease_id, UUID)                             \
    NEXT(lease_device_id, lease_device_id, UUID)               \
    NEXT(lease_until, lease_until, INT)                        \
    NEXT(handed_over_at, handed_over_at, INT)                  \
    NEXT(created_at, created_at, INT)                          \
    NEXT(updated_at, updated_at, INT)                          \
    NEXT(expires_at, expires_at, INT)
#define PHONE_TASK_COLUMNS COLUMNS(PHONE_TASK_ROW)
COLUMNS_READER(read_columns, struct phone_task *, PHONE_TASK_ROW)

static enum err read_task(struct work *work, struct db_stmt *stmt, struct phone_task *ret_task)
{
    *ret_task = (struct phone_task){0};
    return read_columns(work, stmt, ret_task) ? ERR_OK : LOG_BROKEN("a task has an unknown word");
}

enum err phone_task_read(struct work *work, const struct uuid *id, struct phone_task *ret_task)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT " PHONE_TASK_COLUMNS " FROM phone_task WHERE id = $1",
                     DB_ARGS(db_uuid(id)), &stmt);
    if (err) return err;
    return read_task(work, stmt, ret_task);
}

static enum err read_traced(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct traced_task *traced = ret_row;
    traced->steps = db_get_text(stmt, "steps", work->arena);
    return read_task(work, stmt, &traced->task);
}

enum err phone_task_select_traced(struct work *work, const struct uuid *owner_id,
                                  struct record_list *ret_tasks)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT " PHONE_TASK_COLUMNS ", steps FROM phone_task"
                            " WHERE owner_id = $1 ORDER BY id LIMIT $2",
                            DB_ARGS(db_uuid(owner_id), db_int(PHONE_TASKS_OF_OWNER_MAX)), &stmt);
    if (err) return err;
    return rows_read(work, stmt, PHONE_TASKS_OF_OWNER_MAX, sizeof(struct traced_task), read_traced,
                     ret_tasks);
}

enum err phone_task_list(struct work *work, const struct uuid *owner_id,
                         struct record_list *ret_tasks)
{
    struct phone_task *tasks = arena_array(work->arena, PHONE_TASKS_OF_OWNER_MAX, sizeof(*tasks));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    /* The limit is one more than there can be, to see that there is none. */
    enum err err = db_query(
        work->tx,
        "SELECT " PHONE_TASK_COLUMNS " FROM phone_task WHERE owner_id = $1 ORDER BY id LIMIT $2",
        DB_ARGS(db_uuid(owner_id), db_int(PHONE_TASKS_OF_OWNER_MAX + 1)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        assert(count < PHONE_TASKS_OF_OWNER_MAX);
        err = read_task(work, stmt, &tasks[count++]);
        if (err) return err;
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_tasks = (struct record_list){tasks, count};
    return ERR_OK;
}

enum err phone_task_list_all(struct work *work, const struct uuid *owner_ids, size_t owner_count,
                             struct record_list *ret_tasks)
{
    size_t max = owner_count * PHONE_TASKS_OF_OWNER_MAX, count = 0;
    struct phone_task *tasks = arena_array(work->arena, max, sizeof(*tasks));
    struct db_arg args[DB_KEYS_MAX];
    AUTO_STMT stmt = NULL;

    db_fill_keys(owner_ids, owner_count, args);
    enum err err = db_query(
        work->tx, "SELECT " PHONE_TASK_COLUMNS " FROM phone_task WHERE owner_id IN " DB_KEYS, args,
        DB_KEYS_MAX, &stmt);
    while (!err && !(err = db_step(stmt))) {
        assert(count < max);
        err = read_task(work, stmt, &tasks[count++]);
    }
    *ret_tasks = (struct record_list){tasks, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* The index phone_task_open holds these rows, so whoever reads it has to say so. */
#define IS_OPEN_OF_SENDER " channel = $1 AND sender = $2 AND state IN ('queued', 'claimed')"

/* The + 0 hides the time from PostgreSQL, which thinks that hardly any task is alive, and would
 * read all that are claimed by that time. */
#define IS_ALIVE(now) " AND expires_at + 0 >= " now

enum err phone_task_start_open(struct work *work, enum phone_task_channel channel,
                               const char *sender, struct db_stmt **ret_stmt)
{
    return db_query(
        work->tx,
        "SELECT 1 AS one FROM phone_task WHERE" IS_OPEN_OF_SENDER " AND expires_at >= $3 LIMIT 1",
        DB_ARGS(db_text(phone_task_channel_words[channel]), db_text(sender), db_int(work->now_ms)),
        ret_stmt);
}

enum err phone_task_count_open(struct work *work, enum phone_task_channel channel,
                               const char *sender, int max, int64_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT count(*) AS n FROM (SELECT 1 AS one FROM phone_task"
        " WHERE" IS_OPEN_OF_SENDER " LIMIT $3) AS counted",
        DB_ARGS(db_text(phone_task_channel_words[channel]), db_text(sender), db_int(max)), &stmt);
    if (err) return err;
    *ret_count = db_get_int(stmt, "n");
    return ERR_OK;
}

/* The line of what happens to a task now: `device_id` (or NULL) is the phone that does it,
 * `sender` (or NULL) the one that it leaves. */
static struct db_arg line_of(const struct work *work, enum timeline_word word,
                             const struct uuid *device_id, const char *sender)
{
    struct timeline_step step = timeline_step_of(word, work->now_ms);
    if (device_id) step.device_id = *device_id;
    step.gateway_number = sender;
    return db_text(timeline_line(work->arena, &step));
}

/* A task that a phone has in hand of a sender that moved on holds up nobody at the phone that has
 * the sender now. */
#define IS_LEASED_TO(device)                              \
    " channel = $1 AND sender = $2 AND state = 'claimed'" \
    " AND lease_device_id = " device " AND lease_until > $3" IS_ALIVE("$3")
#define IS_FREE "(state = 'queued' OR (handed_over_at IS NULL AND lease_until <= $3))"

static enum err start_leased(struct work *work, enum phone_task_channel channel, const char *sender,
                             const struct uuid *device_id, struct db_stmt **ret_stmt)
{
    return db_query(work->tx,
                    "SELECT " PHONE_TASK_COLUMNS
                    " FROM phone_task WHERE" IS_LEASED_TO("$4") " LIMIT 1",
                    DB_ARGS(db_text(phone_task_channel_words[channel]), db_text(sender),
                            db_int(work->now_ms), db_uuid(device_id)),
                    ret_stmt);
}

#define APPEND_CLAIM TIMELINE_APPEND("$7")

/* No task is leased to a phone that has one of the sender under a lease. */
static enum err start_lease(struct work *work, enum phone_task_channel channel, const char *sender,
                            const struct uuid *device_id, struct db_stmt **ret_stmt)
{
    struct uuid lease_id = uuid_new(work->now_ms);
    return db_query(
        work->tx,
        "UPDATE phone_task SET state = 'claimed', lease_id = $4, lease_device_id = $5,"
        " lease_until = $6, updated_at = $3," APPEND_CLAIM
        " WHERE id = (SELECT id FROM phone_task WHERE" IS_OPEN_OF_SENDER "  AND expires_at >= $3"
        "  AND " IS_FREE " ORDER BY id LIMIT 1)"
        " AND state IN ('queued', 'claimed') AND expires_at >= $3 AND " IS_FREE
        " AND (SELECT id FROM phone_task WHERE" IS_LEASED_TO("$5") " LIMIT 1) IS NULL"
                                                                   " RETURNING " PHONE_TASK_COLUMNS,
        DB_ARGS(db_text(phone_task_channel_words[channel]), db_text(sender), db_int(work->now_ms),
                db_uuid(&lease_id), db_uuid(device_id), db_int(work->now_ms + PHONE_TASK_LEASE_MS),
                line_of(work, TIMELINE_CLAIMED, device_id, NULL)),
        ret_stmt);
}

enum err phone_task_lease(struct work *work, enum phone_task_channel channel, const char *sender,
                          const struct uuid *device_id, struct phone_task *ret_task,
                          bool *ret_is_new)
{
    AUTO_STMT leased = NULL;
    AUTO_STMT oldest = NULL;
    enum err err = start_leased(work, channel, sender, device_id, &leased);
    if (!err) err = start_lease(work, channel, sender, device_id, &oldest);
    if (err) return err;

    enum err of_leased = db_step(leased);
    if (of_leased && of_leased != ERR_NOT_FOUND) return of_leased;
    /* On PostgreSQL that lease may have ended since, and there may be a new one. */
    err = db_step(oldest);
    if (err && err != ERR_NOT_FOUND) return err;
    if (err && of_leased) return ERR_NOT_FOUND;
    *ret_is_new = !err;
    return read_task(work, err ? leased : oldest, ret_task);
}

/* The lease's end is compared, not its id, since a task that was never claimed has no id. */
#define AS_SEEN " WHERE id = $1 AND state = $2 AND lease_until = $3"

enum err phone_task_move(struct work *work, const struct phone_task *task,
                         enum phone_task_state state, const char *error, bool *ret_moved)
{
    /* The row tells its state by itself, until another one takes its place. */
    bool is_replaced = task->state == PHONE_TASK_SENT;
    struct timeline_step replaced = timeline_step_of(TIMELINE_SENT, task->updated_at);
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx,
                "UPDATE phone_task SET state = $4, error = $5, updated_at = $6, words = "
                "$8," TIMELINE_APPEND("$7") AS_SEEN,
                DB_ARGS(db_uuid(&task->id), db_text(phone_task_state_words[task->state]),
                        db_int(task->lease_until), db_text(phone_task_state_words[state]),
                        db_text(error), db_int(work->now_ms),
                        db_text(is_replaced ? timeline_line(work->arena, &replaced) : ""),
                        db_blob(task->words)),
                &changed);
    if (err) return err;
    *ret_moved = changed == 1;
    return ERR_OK;
}

enum err phone_task_hand_over(struct work *work, const struct phone_task *task, bool *ret_moved)
{
    int64_t changed = 0;
    enum err err = db_exec(work->tx,
                           "UPDATE phone_task SET state = 'claimed', handed_over_at = $4,"
                           " lease_until = $5, updated_at = $4" AS_SEEN,
                           DB_ARGS(db_uuid(&task->id), db_text(phone_task_state_words[task->state]),
                                   db_int(task->lease_until), db_int(work->now_ms),
                                   db_int(work->now_ms + PHONE_TASK_HANDED_OVER_MS)),
                           &changed);
    *ret_moved = changed == 1;
    return err;
}

enum err phone_task_list_ended(struct work *work, const struct uuid *device_id,
                               struct record_list *ret_tasks)
{
    struct phone_task *tasks = arena_array(work->arena, DEVICE_NUMBERS_MAX, sizeof(*tasks));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        "SELECT " PHONE_TASK_COLUMNS " FROM phone_task WHERE lease_device_id = $1"
        " AND state = 'claimed' AND handed_over_at IS NULL AND expires_at + 0 < $2"
        " AND lease_until > $2 LIMIT $3",
        DB_ARGS(db_uuid(device_id), db_int(work->now_ms), db_int(DEVICE_NUMBERS_MAX)), &stmt);
    while (!err && !(err = db_step(stmt)))
        err = read_task(work, stmt, &tasks[count++]);
    *ret_tasks = (struct record_list){tasks, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err phone_task_end(struct work *work, const struct uuid *owner_id, const char *reason)
{
    enum { LONG_AGO_MS = 1 }; /* by any clock */
    /* A claimed task may be on its way: its phone still reports, but nobody claims it again. */
    return db_exec_later(
        work->tx,
        "UPDATE phone_task SET"
        " error = CASE state WHEN 'queued' THEN $2 ELSE error END,"
        " state = CASE state WHEN 'queued' THEN 'failed' ELSE state END,"
        " expires_at = $4, updated_at = $3"
        " WHERE owner_id = $1 AND state IN ('queued', 'claimed')",
        DB_ARGS(db_uuid(owner_id), db_text(reason), db_int(work->now_ms), db_int(LONG_AGO_MS)));
}

enum err phone_task_return(struct work *work, const struct uuid *device_id)
{
    return db_exec_later(
        work->tx,
        "UPDATE phone_task SET state = 'queued', lease_until = 0, updated_at = $2," TIMELINE_APPEND(
            "$3") " WHERE lease_device_id = $1 AND state = 'claimed'"
                  " AND handed_over_at IS NULL" IS_ALIVE("$2"),
        DB_ARGS(db_uuid(device_id), db_int(work->now_ms),
                line_of(work, TIMELINE_RETURNED, NULL, NULL)));
}

enum err phone_task_requeue(struct work *work, const struct phone_task *task, const char *sender,
                            bool *ret_moved)
{
    int64_t changed = 0;
    enum err err = db_exec(work->tx,
                           "UPDATE phone_task SET state = 'queued', sender = $4,"
                           " lease_until = 0, updated_at = $5," TIMELINE_APPEND("$6") AS_SEEN,
                           DB_ARGS(db_uuid(&task->id), db_text(phone_task_state_words[task->state]),
                                   db_int(task->lease_until), db_text(sender), db_int(work->now_ms),
                                   line_of(work, TIMELINE_MOVED, NULL, task->sender)),
                           &changed);
    if (err) return err;
    *ret_moved = changed == 1;
    return ERR_OK;
}

/* The index phone_task_unreported is for this question alone, and says `expires_at > 0`. */
#define SELECT_UNREPORTED                                                  \
    "SELECT id FROM phone_task WHERE state = 'claimed' AND expires_at > 0" \
    " AND expires_at < $1 AND lease_until < $1 ORDER BY expires_at LIMIT $2"

enum err phone_task_sweep(struct work *work, int max, int64_t *ret_closed)
{
    /* On PostgreSQL a task that is being reported at this moment is left alone. */
    const char *sql = db_sql(
        work->tx, "UPDATE phone_task SET state = 'unknown' WHERE id IN (" SELECT_UNREPORTED ")",
        "UPDATE phone_task SET state = 'unknown' WHERE id IN (" SELECT_UNREPORTED
        " FOR UPDATE SKIP LOCKED)");
    return db_exec(work->tx, sql, DB_ARGS(db_int(work->now_ms), db_int(max)), ret_closed);
}

/* The index phone_task_handed_over is for this question alone. */
#define SELECT_HANDED                                                                  \
    "SELECT id FROM phone_task WHERE state = 'claimed' AND handed_over_at IS NOT NULL" \
    " AND lease_until < $1 ORDER BY lease_until LIMIT $2"

enum err phone_task_sweep_handed(struct work *work, int max, int64_t *ret_swept)
{
    const char *sql = db_sql(work->tx,
                             "UPDATE phone_task SET state = 'unknown', updated_at = lease_until"
                             " WHERE id IN (" SELECT_HANDED ")",
                             "UPDATE phone_task SET state = 'unknown', updated_at = lease_until"
                             " WHERE id IN (" SELECT_HANDED " FOR UPDATE SKIP LOCKED)");
    return db_exec(work->tx, sql, DB_ARGS(db_int(work->now_ms), db_int(max)), ret_swept);
}

enum err phone_task_erase(struct work *work, const struct uuid *owner_id)
{
    return db_exec_later(
        work->tx,
        "UPDATE phone_task SET recipient = '', steps = NULL, words = NULL," PERSONAL_TEXT_GONE(
            " error") " WHERE owner_id = $1",
        DB_ARGS(db_uuid(owner_id)));
}
