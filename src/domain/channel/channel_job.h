/*
 * The worker's side of sends: claims jobs in batches, calls providers with no transaction open, and
 * records what came of each call in a transaction of its own. Everything is bounded: calls under
 * way per channel, the pace that a provider allows, the time of a call. What a process may have
 * under way and its pace are its own: two workers give a provider twice that. What it finds out of
 * a provider that does not serve holds for all, by channel_circuit.
 */
#pragma once

#include "domain/channel/channel.h"

enum {
    CHANNEL_IN_FLIGHT_MAX = 200, /* sends called at once, per channel */
    CHANNEL_SLOTS_MAX = 400,     /* the same with those that wait to be recorded */
    CHANNEL_FOLLOW_UPS_MAX = 50, /* status, revoke and success calls at once, per channel */
    CHANNEL_CLAIM_MAX = 64,      /* jobs of a kind claimed in one transaction */
    CHANNEL_POLL_MS = 500,       /* also without being woken; follow-ups only then */
    CHANNEL_LEASE_MARGIN_MS = 30 * 1000,
    /* Jobs of a channel that this process has no driver for wait so long for one that has. */
    CHANNEL_UNSERVED_MS = 60 * 1000,
};

struct channel_worker;
struct event_log;

/* Takes work from now on. */
struct channel_worker *channel_worker_start(struct service *service, struct event_log *event_log);
/* There may be sends; `worker` is one. Any thread, also after channel_worker_stop. */
void channel_worker_wake(void *worker);
/* Takes no more jobs, gives the calls under way `grace_ms`, cancels the rest, and waits until all
 * is recorded; what the database does not take any more is left to the lease of its job. Before
 * db_close; NULL is fine. */
void channel_worker_stop(struct channel_worker *worker, int64_t grace_ms);
/* After db_close, which ends the calls of channel_worker_wake; NULL is fine. */
void channel_worker_free(struct channel_worker *worker);
