/*
 * This worker applies packages of ERPs. Some threads take due packages, each of one integration
 * (domain/erp). A package that is stored wakes them, and they look by themselves as well.
 */
#pragma once

#include "app/jobs/jobs.h"

enum {
    /* So many integrations are served at once; each may have its longest body unpacked in memory.
     */
    ERP_WORKER_THREADS = 2,
    ERP_WORKER_POLL_MS = 500,
    ERP_WORKER_TICK_MS =
        1000, /* the time between records of progress, which other processes show */
};

struct erp_worker;

/* Call it when the databases and the log are open. */
struct erp_worker *erp_worker_start(struct jobs *jobs);
/* Takes no more packages and waits for the current ones. Takes NULL. */
void erp_worker_stop(struct erp_worker *worker);
/* Call it after the databases are closed, which ends the calls that wake it; takes NULL. */
void erp_worker_free(struct erp_worker *worker);
