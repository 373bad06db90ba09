/*
 * A job is a row. It is due at due_at_ms, whether it was queued for that time or a worker's lease
 * ends then, so one index serves both. A worker that ends a job names the lease that it holds.
 */
#include "kit/job/job.h"

#include <stdlib.h>

enum err job_enqueue(struct db_tx *tx, const char *kind, const struct uuid *subject,
                     int64_t run_at_ms, int64_t now_ms)
{
    struct uuid id = uuid_new(now_ms);
    enum err err = db_exec_later(
        tx,
        "INSERT INTO job (id, kind, subject, attempt, created_at_ms, run_at_ms, due_at_ms) "
        "VALUES ($1, $2, $3, 0, $4, $5, $5)",
        DB_ARGS(db_uuid(&id), db_text(kind), db_uuid(subject), db_int(now_ms), db_int(run_at_ms)));
    if (err) return err;
    /* Workers find a job for later by polling. */
    if (run_at_ms <= now_ms) db_notify(tx, "job");
    return ERR_OK;
}

/* On PostgreSQL a claim passes by the rows that another one has locked; SQLite has one writer. */
static const char *claim_sql(const struct db_tx *tx)
{
    return db_sql(
        tx,
        "UPDATE job SET attempt = attempt + 1, lease_id = $4, due_at_ms = $5 "
        "WHERE id IN (SELECT id FROM job WHERE kind = $1 AND due_at_ms <= $2 "
        "ORDER BY due_at_ms LIMIT $3) "
        "RETURNING id, subject, attempt, created_at_ms, run_at_ms",
        "WITH due AS MATERIALIZED (SELECT id FROM job WHERE kind = $1 AND due_at_ms <= $2 "
        "ORDER BY due_at_ms LIMIT $3 FOR UPDATE SKIP LOCKED) "
        "UPDATE job SET attempt = attempt + 1, lease_id = $4, due_at_ms = $5 "
        "WHERE id = ANY (ARRAY(SELECT id FROM due)) "
        "RETURNING id, subject, attempt, created_at_ms, run_at_ms");
}

static struct job read_job(struct db_stmt *row, const struct job *lease)
{
    struct job job = *lease;
    job.id = db_get_uuid(row, "id");
    job.subject = db_get_uuid(row, "subject");
    job.attempt = (int)db_get_int(row, "attempt");
    job.created_at_ms = db_get_int(row, "created_at_ms");
    job.run_at_ms = db_get_int(row, "run_at_ms");
    return job;
}

static int compare_by_run_at(const void *a, const void *b)
{
    const struct job *left = a, *right = b;
    if (left->run_at_ms != right->run_at_ms) return left->run_at_ms < right->run_at_ms ? -1 : 1;
    return memcmp(&left->id, &right->id, sizeof left->id);
}

enum err job_claim(struct db_tx *tx, const char *kind, int max, int64_t lease_ms, int64_t now_ms,
                   struct arena *arena, struct job **ret_jobs, size_t *ret_count)
{
    assert(max > 0);
    struct job lease = {.kind = arena_text(arena, kind),
                        .lease_id = uuid_new(now_ms),
                        .lease_until_ms = now_ms + lease_ms};
    AUTO_STMT rows = NULL;
    enum err err = db_query(tx, claim_sql(tx),
                            DB_ARGS(db_text(kind), db_int(now_ms), db_int(max),
                                    db_uuid(&lease.lease_id), db_int(lease.lease_until_ms)),
                            &rows);
    if (err) return err;

    struct job *jobs = arena_array(arena, (size_t)max, sizeof *jobs);
    size_t count = 0;
    while (!(err = db_step(rows)))
        jobs[count++] = read_job(rows, &lease);
    if (err != ERR_NOT_FOUND) return err;

    /* RETURNING gives rows in any order. */
    qsort(jobs, count, sizeof *jobs, compare_by_run_at);
    *ret_jobs = jobs;
    *ret_count = count;
    return ERR_OK;
}

/* `changed` is 1 if the job was still ours. */
static enum err held(enum err err, int64_t changed)
{
    if (err) return err;
    return changed == 1 ? ERR_OK : ERR_LEASE_LOST;
}

enum err job_finish(struct db_tx *tx, const struct job *job)
{
    int64_t changed = 0;
    enum err err = db_exec(tx, "DELETE FROM job WHERE id = $1 AND lease_id = $2",
                           DB_ARGS(db_uuid(&job->id), db_uuid(&job->lease_id)), &changed);
    return held(err, changed);
}

enum err job_retry(struct db_tx *tx, const struct job *job, int64_t run_at_ms)
{
    int64_t changed = 0;
    enum err err =
        db_exec(tx,
                "UPDATE job SET run_at_ms = $3, due_at_ms = $3, lease_id = NULL "
                "WHERE id = $1 AND lease_id = $2",
                DB_ARGS(db_uuid(&job->id), db_uuid(&job->lease_id), db_int(run_at_ms)), &changed);
    return held(err, changed);
}
