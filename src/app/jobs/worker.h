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
    /* One of the four functions is set. `tend` has no transaction; each of the others does a batch
     * in one, and may run twice. */
    int max;                             /* for `sweep`: if it found so many, there is more */
    enum err (*once)(struct work *work); /* does one batch, however much there is to do */
    enum err (*sweep)(struct work *work, int max, int64_t *ret_swept);
    enum err (*run)(struct work *work,
                    bool *ret_goes_on); /* `ret_goes_on` says that there is more */
    enum err (*tend)(struct db *db);
    bool forgets; /* drops old rows, but not by a clock that was set forward only now */
};

extern const struct periodic_job periodic_jobs[];
extern const size_t periodic_job_count;

struct worker *worker_start(struct jobs *jobs);
void worker_stop(struct worker *worker);
