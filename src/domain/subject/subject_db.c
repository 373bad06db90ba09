/* These are the statements on subject_job. */
#include "domain/subject/subject_db.h"

#include "core/columns.h"

static struct str hash_view(const uint8_t hash[static SECRET_HASH_LEN])
{
    return (struct str){(const char *)hash, SECRET_HASH_LEN};
}

enum err subject_insert(struct work *work, const struct subject_job *job,
                        const uint8_t mark[static SECRET_HASH_LEN])
{
    return db_exec(work->tx,
                   "INSERT INTO subject_job (id, kind, state, number, mark, phase, place,"
                   " created_at, updated_at) VALUES ($1, $2, 'running', $3, $4, 0, 0, $5, $5)",
                   DB_ARGS(db_uuid(&job->id), db_text(subject_kind_words[job->kind]),
                           db_blob(job->number), db_blob(hash_view(mark)), db_int(job->created_at)),
                   NULL);
}

enum err subject_count_running(struct work *work, int max, int64_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT count(*) AS running FROM (SELECT updated_at FROM"
                                " subject_job WHERE state = 'running' ORDER BY updated_at"
                                " LIMIT $1) AS jobs",
                                DB_ARGS(db_int(max)), &stmt);
    if (!err) *ret_count = db_get_int(stmt, "running");
    return err;
}

#define JOB_ROW(FIRST, NEXT)                      \
    FIRST(id, id, UUID)                           \
    NEXT(kind, kind, WORD(subject_kind_words))    \
    NEXT(state, state, WORD(subject_state_words)) \
    NEXT(number, number, BLOB)                    \
    NEXT(place, place, INT)                       \
    NEXT(codes, codes, INT)                       \
    NEXT(calls, calls, INT)                       \
    NEXT(messages, messages, INT)                 \
    NEXT(orders, orders, INT)                     \
    NEXT(orders_waiting, orders_waiting, INT)     \
    NEXT(log_entries, log_entries, INT)           \
    NEXT(result, result, BLOB)                    \
    NEXT(created_at, created_at, INT)             \
    NEXT(updated_at, updated_at, INT)             \
    NEXT(finished_at, finished_at, INT)
#define JOB_COLUMNS COLUMNS(JOB_ROW) ", phase"
COLUMNS_READER(read_columns, struct subject_job *, JOB_ROW)

static enum err read_job(struct work *work, struct db_stmt *stmt, struct subject_job *ret_job)
{
    struct subject_job job = {0};
    bool is_known = read_columns(work, stmt, &job);

    job.phase = (int)db_get_int(stmt, "phase");
    if (!is_known || job.phase < 0 || job.phase >= SUBJECT_PHASE_COUNT)
        return LOG_BROKEN("a job about a person has an unknown word");
    *ret_job = job;
    return ERR_OK;
}

enum err subject_select(struct work *work, const struct uuid *id, struct subject_job *ret_job)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT " JOB_COLUMNS " FROM subject_job WHERE id = $1",
                                DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_job(work, stmt, ret_job);
}

enum err subject_select_next(struct work *work, struct subject_job *ret_job)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT " JOB_COLUMNS " FROM subject_job WHERE state = 'running'"
                                " ORDER BY updated_at LIMIT 1",
                                DB_NO_ARGS, &stmt);
    return err ? err : read_job(work, stmt, ret_job);
}

enum err subject_save(struct work *work, const struct subject_job *before,
                      const struct subject_job *job)
{
    int64_t changed = 0;
    enum err err = db_exec(
        work->tx,
        "UPDATE subject_job SET phase = $4, place = $5, codes = codes + $6, calls = calls + $7,"
        " messages = messages + $8, orders = orders + $9, orders_waiting = orders_waiting + $10,"
        " log_entries = log_entries + $11, updated_at = $12"
        " WHERE id = $1 AND phase = $2 AND place = $3 AND finished_at IS NULL",
        DB_ARGS(db_uuid(&job->id), db_int(before->phase), db_int(before->place), db_int(job->phase),
                db_int(job->place), db_int(job->codes), db_int(job->calls), db_int(job->messages),
                db_int(job->orders), db_int(job->orders_waiting), db_int(job->log_entries),
                db_int(work->now_ms)),
        &changed);
    if (err) return err;
    return changed == 1 ? ERR_OK : ERR_TX_RETRY;
}

enum err subject_postpone(struct work *work, const struct uuid *id)
{
    return db_exec(work->tx, "UPDATE subject_job SET updated_at = $2 WHERE id = $1",
                   DB_ARGS(db_uuid(id), db_int(work->now_ms)), NULL);
}

enum err subject_finish(struct work *work, const struct subject_job *job, struct str result)
{
    return db_exec(work->tx,
                   "UPDATE subject_job SET state = 'done', number = NULL, result = $2,"
                   " updated_at = $3, finished_at = $3"
                   " WHERE id = $1 AND finished_at IS NULL",
                   DB_ARGS(db_uuid(&job->id), db_blob(result), db_int(work->now_ms)), NULL);
}

enum err subject_delete_exports(struct work *work, const uint8_t mark[static SECRET_HASH_LEN])
{
    return db_exec(work->tx,
                   "UPDATE subject_job SET result = NULL,"
                   " place = CASE WHEN state = 'running' THEN place + 1 ELSE place END"
                   " WHERE mark = $1 AND kind = 'export'",
                   DB_ARGS(db_blob(hash_view(mark))), NULL);
}

enum err subject_sweep(struct work *work, int max, int64_t *ret_swept)
{
    return db_exec(work->tx,
                   "DELETE FROM subject_job WHERE id IN (SELECT id FROM subject_job"
                   " WHERE finished_at IS NOT NULL AND finished_at < $1"
                   " ORDER BY finished_at LIMIT $2)",
                   DB_ARGS(db_int(work->now_ms - SUBJECT_KEPT_MS), db_int(max)), ret_swept);
}
