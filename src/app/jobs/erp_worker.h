/*
 * Applies packages of ERPs: some threads that take what is due of one integration each
 * (domain/erp), woken by what is stored, and looking by themselves as well.
 */
#pragma once

#include "app/jobs/jobs.h"

enum {
    /* Integrations at once, in a process: each may have its longest body unpacked in memory. */
    ERP_WORKER_THREADS = 2,
    ERP_WORKER_POLL_MS = 500,
    ERP_WORKER_TICK_MS = 1000, /* between notes of progress, for other processes to see */
};

struct erp_worker;

/* With the databases and the log open. */
struct erp_worker *erp_worker_start(struct jobs *jobs);
/* Takes no more packages and waits for those at hand. NULL is fine. */
void erp_worker_stop(struct erp_worker *worker);
/* After the databases are closed, which ends the calls that wake it; NULL is fine. */
void erp_worker_free(struct erp_worker *worker);
