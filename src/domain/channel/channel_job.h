/*
 * The worker's side of sends: claims jobs in batches, calls providers with no transaction open, and
 * records what came of each call in a transaction of its own. Everything is bounded: calls under
 * way per channel, the pace that a provider allows, the time of a call.
 */
#pragma once

#include "domain/channel/channel.h"

enum {
    CHANNEL_IN_FLIGHT_MAX = 200, /* calls at once per channel */
    CHANNEL_CLAIM_MAX = 64,      /* jobs claimed in one transaction */
    CHANNEL_LEASE_MARGIN_MS = 30 * 1000,
    BREAKER_FAILURES = 5, /* in a row, until the circuit opens */
    BREAKER_OPEN_MS = 30 * 1000,
};

struct channel_worker;
struct audit;

/* Takes work from now on. Calls go through `client`. */
struct channel_worker *channel_worker_new(struct service *service, struct audit *audit,
                                          struct client *client);
/* There may be jobs. Any thread. */
void channel_worker_wake(struct channel_worker *worker);
/* Takes no more jobs, and waits until what is under way is recorded; after client_free has canceled
 * what did not end in time. */
void channel_worker_stop(struct channel_worker *worker);
void channel_worker_free(struct channel_worker *worker);
