/*
 * Jobs: work that calls out or waits, written as a row in the transaction that wants it, claimed by
 * a worker with a lease, and recorded by compare-and-set on that lease. A job whose worker dies is
 * claimed again when its lease ends, so a job may run twice: what it does must bear that.
 *
 * Tables job and lease (migration 0001).
 */
#pragma once

#include "kit/db/db.h"

struct job {
    struct uuid id;
    const char *kind;    /* "otp_send" */
    struct uuid subject; /* what it is about: the id of an OTP, a message, an order ... */
    int attempt;         /* 1 for the first run */
    int64_t created_at_ms;
    int64_t run_at_ms; /* when it was to run: how late it is */
    struct uuid lease_id;
    int64_t lease_until_ms;
};

/* Queues a job to run at `run_at_ms` or soon after; if that is now, the channel "job" is notified.
 */
enum err job_enqueue(struct db_tx *tx, const char *kind, const struct uuid *subject,
                     int64_t run_at_ms, int64_t now_ms) MUST_CHECK;

/* Claims up to `max` due jobs of `kind`, the longest due first, leased for `lease_ms`. Jobs whose
 * lease has ended are due too. `ret_jobs` lies in the arena. */
enum err job_claim(struct db_tx *tx, const char *kind, int max, int64_t lease_ms, int64_t now_ms,
                   struct arena *arena, struct job **ret_jobs, size_t *ret_count) MUST_CHECK;

/* The job is done, and gone. ERR_LEASE_LOST if another worker holds it by now. */
enum err job_finish(struct db_tx *tx, const struct job *job) MUST_CHECK;
/* The job runs again at `run_at_ms`. ERR_LEASE_LOST as above. */
enum err job_retry(struct db_tx *tx, const struct job *job, int64_t run_at_ms) MUST_CHECK;

/* No job waits for what was set back at the clock. Where it is known that this was `back_ms`, all
 * that are due in more than CLOCK_SLACK_MS are due that much earlier. Where not (0), those that
 * were queued in the future, or would wait for longer than `wait_max_ms`, are due now; what is due
 * within `lease_ms` stays as it is. Those of a worker end with the longest lease, `lease_ms`. */
enum err job_end_waits(struct db_tx *tx, int64_t back_ms, int64_t wait_max_ms, int64_t lease_ms,
                       int64_t now_ms) MUST_CHECK;

/* Work that one process at a time does: takes or renews the lease `name` for `holder` until
 * `until_ms`. `ret_is_held` tells whether it is ours now. One that another holds for longer
 * than that counts as ended: it was taken under a clock that was ahead. */
enum err lease_take(struct db_tx *tx, const char *name, const struct uuid *holder, int64_t now_ms,
                    int64_t until_ms, bool *ret_is_held) MUST_CHECK;
/* Gives it back, if it is still ours. */
enum err lease_release(struct db_tx *tx, const char *name, const struct uuid *holder) MUST_CHECK;

/* Signs of life of those who hold something that others take over once they are silent: a row each
 * in table lease, however much it is that they hold. Who reads them judges by its own clock since
 * when one has not changed, so clocks may differ. `kind` is a word of small letters. */
struct life_sign {
    struct uuid holder;
    int64_t shown_at; /* by the holder's clock: another one each time */
};
enum err life_show(struct db_tx *tx, const char *kind, const struct uuid *holder,
                   int64_t now_ms) MUST_CHECK;
/* Of all holders, at most `max`, in the arena. */
enum err life_list(struct db_tx *tx, const char *kind, int max, struct arena *arena,
                   struct life_sign **ret_signs, size_t *ret_count) MUST_CHECK;
/* Ends it if it is still this one, and nobody is about to show or to end it. */
enum err life_end(struct db_tx *tx, const char *kind, const struct life_sign *sign,
                  bool *ret_is_ended) MUST_CHECK;
/* Whatever it is: the holder itself goes. */
enum err life_end_own(struct db_tx *tx, const char *kind, const struct uuid *holder) MUST_CHECK;
