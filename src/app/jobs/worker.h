/*
 * The worker's side: says that it is alive, and runs the table of periodic jobs. Several workers on
 * one database share the work by a lease: one of them at a time sweeps.
 */
#pragma once

#include "app/jobs/jobs.h"
#include "core/route.h"

/* Work that comes back: a row of jobs.c. */
struct periodic_job {
    const char *name;
    enum route_store store;
    int64_t period_ms;
    /* One batch, in a transaction of its own that may run twice; or what needs none. One of the
     * four is set. */
    int max;                             /* of one sweep: if it found as many, there is more */
    enum err (*once)(struct work *work); /* no more, however much there is to do */
    enum err (*sweep)(struct work *work, int max, int64_t *ret_swept);
    enum err (*run)(struct work *work, bool *ret_goes_on); /* `ret_goes_on`: there is more */
    enum err (*tend)(struct db *db);
    bool forgets; /* what is old: not by a clock that was set forward only now */
};

extern const struct periodic_job periodic_jobs[];
extern const size_t periodic_job_count;

struct worker *worker_start(struct jobs *jobs);
void worker_stop(struct worker *worker);
