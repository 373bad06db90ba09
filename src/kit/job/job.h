/*
 * A job is work that fetches or waits. The transaction that wants it writes it as a row; a worker
 * claims it with a lease and records it by compare-and-set on that lease. A job whose worker dies
 * is claimed again when its lease ends, so a job may run twice, and must bear that.
 *
 * Tables job and lease (migration 0001).
 */
#pragma once

#include "kit/db/db.h"

struct job {
    struct uuid id;
    const char *kind;    /* "otp_send" */
    struct uuid subject; /* the id of the OTP, the message, the order ... that it is about */
    int attempt;         /* 1 for the first run */
    int64_t created_at_ms;
    int64_t run_at_ms; /* the time for which it was queued; tells how late it is */
    struct uuid lease_id;
    int64_t lease_until_ms;
};

/* Queues a job to run at `run_at_ms` or soon after; if that is now, the topic "job" is notified. */
enum err job_enqueue(struct db_tx *tx, const char *kind, const struct uuid *subject,
                     int64_t run_at_ms, int64_t now_ms) MUST_CHECK;

/* Claims up to `max` due jobs of `kind`, the longest due first, leased for `lease_ms`. Jobs whose
 * lease has ended are due too. `ret_jobs` lies in the arena. */
enum err job_claim(struct db_tx *tx, const char *kind, int max, int64_t lease_ms, int64_t now_ms,
                   struct arena *arena, struct job **ret_jobs, size_t *ret_count) MUST_CHECK;

/* Deletes a job that is done. Returns ERR_LEASE_LOST if another worker holds it by now. */
enum err job_finish(struct db_tx *tx, const struct job *job) MUST_CHECK;
/* Lets the job run again at `run_at_ms`. Returns ERR_LEASE_LOST as above. */
enum err job_retry(struct db_tx *tx, const struct job *job, int64_t run_at_ms) MUST_CHECK;

/* Takes or renews the lease `name` for `holder` until `until_ms`, for work that one process at a
 * time does. `ret_is_held` tells whether it is ours now. */
enum err lease_take(struct db_tx *tx, const char *name, const struct uuid *holder, int64_t now_ms,
                    int64_t until_ms, bool *ret_is_held) MUST_CHECK;
/* Gives it back, if it is still ours. */
enum err lease_release(struct db_tx *tx, const char *name, const struct uuid *holder) MUST_CHECK;

/* Workers hold rows that others take over once they are silent. Each worker shows a sign of life,
 * one row in table lease, however many rows it holds. Its readers judge by their own clock how long
 * it has not changed, so clocks may differ. `kind` is a word of small letters. */
struct life_sign {
    struct uuid holder;
    int64_t shown_at; /* by the holder's clock; it differs each time */
};
enum err life_show(struct db_tx *tx, const char *kind, const struct uuid *holder,
                   int64_t now_ms) MUST_CHECK;
/* Lists the signs of all holders, at most `max`, in the arena. */
enum err life_list(struct db_tx *tx, const char *kind, int max, struct arena *arena,
                   struct life_sign **ret_signs, size_t *ret_count) MUST_CHECK;
/* Ends a sign if it is still this one, and no transaction is showing or ending it. */
enum err life_end(struct db_tx *tx, const char *kind, const struct life_sign *sign,
                  bool *ret_is_ended) MUST_CHECK;
/* Ends the sign of a holder that goes, whatever it is. */
enum err life_end_own(struct db_tx *tx, const char *kind, const struct uuid *holder) MUST_CHECK;
