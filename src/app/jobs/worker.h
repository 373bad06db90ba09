/*
 * A worker shows that it is alive and runs the table of periodic jobs. Several workers on one
 * database share the work by a lease, so that one of them runs the jobs at a time.
 */
#pragma once

#include "app/jobs/jobs.h"
#include "core/route.h"

/* A periodic job is a row of jobs.c. */
struct periodic_job {
    const char *name;
    enum route_store store;
    int64_t period_ms;
    /* One of the five functions is set. `tend` and `pass` have no transaction; each of the others
     * does a batch in one, and may run twice. */
    int max;                             /* for `sweep`: if it found so many, there is more */
    enum err (*once)(struct work *work); /* does one batch, however much there is to do */
    enum err (*sweep)(struct work *work, int max, int64_t *ret_swept);
    enum err (*run)(struct work *work,
                    bool *ret_goes_on); /* `ret_goes_on` says that there is more */
    enum err (*tend)(struct db *db);
    /* Takes a step in transactions of its own, in whichever stores. */
    enum err (*pass)(struct service *service, int64_t now_ms, bool *ret_goes_on);
};

extern const struct periodic_job periodic_jobs[];
extern const size_t periodic_job_count;

struct worker *worker_start(struct jobs *jobs);
/* Returns for how long it has begun nothing new: longer than a batch and the waits for a database
 * take, only if it hangs. Any thread may call. */
int64_t worker_silence_ms(const struct worker *worker);
void worker_stop(struct worker *worker);
