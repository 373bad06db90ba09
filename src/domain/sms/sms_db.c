/* Statements on sms_task. */
#include "domain/sms/sms_db.h"

#include "domain/words.h"

enum err sms_insert(struct work *work, const struct sms_task *task)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO sms_task (id, otp_id, recipient, gateway_number, attempt, state, created_at,"
        " updated_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8)",
        DB_ARGS(db_uuid(&task->id), db_uuid(&task->otp_id), db_text(task->recipient),
                db_text(task->gateway_number), db_int(task->attempt),
                db_text(sms_state_words[task->state]), db_int(task->created_at),
                db_int(task->expires_at)));
}

#define TASK_COLUMNS                                                          \
    "id, otp_id, recipient, gateway_number, attempt, state, error, lease_id," \
    " lease_device_id, lease_until, created_at, updated_at, expires_at"

static enum err read_task(struct work *work, struct db_stmt *stmt, struct sms_task *ret_task)
{
    *ret_task = (struct sms_task){
        .id = db_get_uuid(stmt, "id"),
        .otp_id = db_get_uuid(stmt, "otp_id"),
        .recipient = db_get_text(stmt, "recipient", work->arena),
        .gateway_number = db_get_text(stmt, "gateway_number", work->arena),
        .attempt = db_get_int(stmt, "attempt"),
        .state = word_index(sms_state_words, db_get_text(stmt, "state", work->arena)),
        .error = db_get_text(stmt, "error", work->arena),
        .lease_id = db_get_uuid(stmt, "lease_id"),
        .lease_device_id = db_get_uuid(stmt, "lease_device_id"),
        .lease_until = db_get_int(stmt, "lease_until"),
        .created_at = db_get_int(stmt, "created_at"),
        .updated_at = db_get_int(stmt, "updated_at"),
        .expires_at = db_get_int(stmt, "expires_at"),
    };
    return ret_task->state < 0 ? ERR_INTERNAL : ERR_OK;
}

static enum err read_tasks(struct work *work, struct db_stmt *stmt, size_t max,
                           struct record_list *ret_tasks)
{
    struct sms_task *tasks = arena_array(work->arena, max, sizeof(*tasks));
    size_t count = 0;
    enum err err;

    while ((err = db_step(stmt)) == ERR_OK && count < max) {
        err = read_task(work, stmt, &tasks[count++]);
        if (err) return err;
    }
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_tasks = (struct record_list){tasks, count};
    return ERR_OK;
}

enum err sms_select(struct work *work, const struct uuid *id, struct sms_task *ret_task)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT " TASK_COLUMNS " FROM sms_task WHERE id = $1",
                                DB_ARGS(db_uuid(id)), &stmt);
    if (err) return err;
    return read_task(work, stmt, ret_task);
}

enum err sms_select_by_otp(struct work *work, const struct uuid *otp_id,
                           struct record_list *ret_tasks)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx, "SELECT " TASK_COLUMNS " FROM sms_task WHERE otp_id = $1 ORDER BY id",
                 DB_ARGS(db_uuid(otp_id)), &stmt);
    if (err) return err;
    return read_tasks(work, stmt, SMS_SENDS_MAX, ret_tasks);
}

enum err sms_select_open(struct work *work, const char *number, bool *ret_has)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT 1 AS one FROM sms_task WHERE gateway_number = $1"
                                " AND state IN ('queued', 'claimed') AND expires_at >= $2 LIMIT 1",
                                DB_ARGS(db_text(number), db_int(work->now_ms)), &stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_has = err == ERR_OK;
    return ERR_OK;
}

enum err sms_select_leased(struct work *work, const char *number, struct sms_task *ret_task)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT " TASK_COLUMNS " FROM sms_task WHERE gateway_number = $1"
                                " AND state IN ('queued', 'claimed') AND state = 'claimed'"
                                " AND lease_until > $2 AND expires_at >= $2 LIMIT 1",
                                DB_ARGS(db_text(number), db_int(work->now_ms)), &stmt);
    if (err) return err;
    return read_task(work, stmt, ret_task);
}

enum err sms_lease_oldest(struct work *work, const char *number, const struct uuid *device_id,
                          const struct uuid *lease_id, struct sms_task *ret_task)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx,
                     "UPDATE sms_task SET state = 'claimed', lease_id = $3, lease_device_id = $4,"
                     " lease_until = $5, updated_at = $2"
                     " WHERE id = (SELECT id FROM sms_task WHERE gateway_number = $1"
                     "  AND state IN ('queued', 'claimed') AND expires_at >= $2"
                     "  AND (state = 'queued' OR lease_until <= $2) ORDER BY id LIMIT 1)"
                     " AND state IN ('queued', 'claimed') AND expires_at >= $2"
                     " AND (state = 'queued' OR lease_until <= $2)"
                     " RETURNING " TASK_COLUMNS,
                     DB_ARGS(db_text(number), db_int(work->now_ms), db_uuid(lease_id),
                             db_uuid(device_id), db_int(work->now_ms + SMS_LEASE_MS)),
                     &stmt);
    if (err) return err;
    return read_task(work, stmt, ret_task);
}

/* The lease has no id to compare with before the first claim, but always a time. */
#define AS_SEEN " WHERE id = $1 AND state = $2 AND lease_until = $3"

enum err sms_move(struct work *work, const struct sms_task *task, enum sms_state state,
                  const char *error, bool *ret_moved)
{
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx, "UPDATE sms_task SET state = $4, error = $5, updated_at = $6" AS_SEEN,
                DB_ARGS(db_uuid(&task->id), db_text(sms_state_words[task->state]),
                        db_int(task->lease_until), db_text(sms_state_words[state]), db_text(error),
                        db_int(work->now_ms)),
                &changed);
    if (err) return err;
    *ret_moved = changed == 1;
    return ERR_OK;
}

enum err sms_end_open(struct work *work, const struct uuid *otp_id, const char *reason)
{
    /* A claimed one may be on its way: its phone still reports, but nobody claims it again. */
    return db_exec_later(
        work->tx,
        "UPDATE sms_task SET"
        " error = CASE state WHEN 'queued' THEN $2 ELSE error END,"
        " state = CASE state WHEN 'queued' THEN 'failed' ELSE state END,"
        " expires_at = $4, updated_at = $3"
        " WHERE otp_id = $1 AND state IN ('queued', 'claimed')",
        DB_ARGS(db_uuid(otp_id), db_text(reason), db_int(work->now_ms), db_int(work->now_ms - 1)));
}

enum err sms_end_leases(struct work *work, const struct uuid *device_id)
{
    return db_exec_later(work->tx,
                         "UPDATE sms_task SET state = 'queued', lease_until = 0, updated_at = $2"
                         " WHERE gateway_number IN"
                         " (SELECT number FROM device_number WHERE device_id = $1)"
                         " AND state IN ('queued', 'claimed') AND state = 'claimed'"
                         " AND expires_at >= $2",
                         DB_ARGS(db_uuid(device_id), db_int(work->now_ms)));
}

enum err sms_select_stranded(struct work *work, int max, struct record_list *ret_tasks)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx,
                 "SELECT " TASK_COLUMNS " FROM sms_task WHERE state IN ('queued', 'claimed')"
                 " AND state = 'queued' AND expires_at >= $1"
                 " AND EXISTS (SELECT 1 FROM device_number n"
                 "  WHERE n.number = sms_task.gateway_number AND (n.is_enabled = 0"
                 "  OR (n.sim_ready_until <= $1 AND sms_task.lease_device_id IS NULL)))"
                 " ORDER BY gateway_number, id LIMIT $2",
                 DB_ARGS(db_int(work->now_ms), db_int(max)), &stmt);
    if (err) return err;
    return read_tasks(work, stmt, (size_t)max, ret_tasks);
}

enum err sms_requeue(struct work *work, const struct sms_task *task, const char *number,
                     bool *ret_moved)
{
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx,
                "UPDATE sms_task SET state = 'queued', gateway_number = $4,"
                " lease_until = 0, updated_at = $5" AS_SEEN,
                DB_ARGS(db_uuid(&task->id), db_text(sms_state_words[task->state]),
                        db_int(task->lease_until), db_text(number), db_int(work->now_ms)),
                &changed);
    if (err) return err;
    *ret_moved = changed == 1;
    return ERR_OK;
}

#define SELECT_UNREPORTED                                                                \
    "SELECT id FROM sms_task WHERE state IN ('queued', 'claimed') AND state = 'claimed'" \
    " AND lease_until < $1 AND expires_at < $1 ORDER BY gateway_number, id LIMIT $2"

enum err sms_close_unreported(struct work *work, int max, int64_t *ret_closed)
{
    /* PostgreSQL: what is being reported at this moment is left alone. */
    const char *sql = db_sql(
        work->tx, "UPDATE sms_task SET state = 'unknown' WHERE id IN (" SELECT_UNREPORTED ")",
        "UPDATE sms_task SET state = 'unknown' WHERE id IN (" SELECT_UNREPORTED
        " FOR UPDATE SKIP LOCKED)");
    return db_exec(work->tx, sql, DB_ARGS(db_int(work->now_ms), db_int(max)), ret_closed);
}
