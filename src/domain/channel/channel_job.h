/*
 * The worker claims jobs in batches, fetches from providers with no transaction open, and records
 * what came of each fetch in a transaction of its own. Everything is bounded: the fetches under way
 * of a channel, the pace that a provider allows, the time of a fetch. A process counts its own
 * fetches and paces them: two workers give a provider twice as many. That a provider does not
 * serve, which one process finds out, holds for all, by channel_circuit.
 */
#pragma once

#include "domain/channel/channel.h"

enum {
    CHANNEL_IN_FLIGHT_MAX = 200, /* sends of a channel that are under way at once */
    CHANNEL_SLOTS_MAX = 400,     /* sends of a channel that are under way or wait to be recorded */
    CHANNEL_FOLLOW_UPS_MAX = 50, /* status, revoke and success fetches of a channel at once */
    CHANNEL_CLAIM_MAX = 64,      /* jobs of a kind claimed in one transaction */
    CHANNEL_LEASE_MARGIN_MS = 30 * 1000,
    /* Jobs of a channel that this process has no driver for wait so long for a process that has
     * one. */
    CHANNEL_UNSERVED_MS = 60 * 1000,
};

struct channel_worker;
struct event_log;

/* Starts a worker, which takes jobs from now on. */
struct channel_worker *channel_worker_start(struct service *service, struct event_log *event_log);
/* Wakes `worker`, a struct channel_worker: there may be sends. Any thread may call it, also after
 * channel_worker_stop. */
void channel_worker_wake(void *worker);
/* Stops the worker before db_close: it takes no more jobs, gives the fetches under way `grace_ms`,
 * cancels the rest, and waits until all is recorded; what the database does not take any more is
 * left to the lease of its job. NULL is fine. */
void channel_worker_stop(struct channel_worker *worker, int64_t grace_ms);
/* Frees the worker after db_close, which ends the calls of channel_worker_wake. NULL is fine. */
void channel_worker_free(struct channel_worker *worker);

/* herald_provider_request_duration_seconds, by driver and outcome. */
extern const struct metric channel_fetch_seconds;
