/* The simulator. All but what is said to be otherwise is read and written under the lock of the
 * server. */
#pragma once

#include "options.h"
#include "provider.h"
#include "sim/common/server.h"

struct report_log;

/* The calls of a provider amount to this. */
struct tally {
    uint64_t calls;      /* taken */
    uint64_t effects;    /* that messaged or called somebody */
    uint64_t cut_before; /* connections cut before the request was taken */
    int in_flight;
    int in_flight_max;
};

struct sim {
    const struct options *options; /* never changes */
    struct server server;
    struct rules *rules;
    struct outcomes *outcomes;
    struct sends *sends;
    struct report_log *reports;
    int64_t balances[PROVIDERS_MAX]; /* in cents, by place in providers[] */
    struct tally tallies[PROVIDERS_MAX];
};

/* NULL after a sentence on stderr. */
struct sim *sim_new(const struct options *options);
/* Its server must have stopped before. */
void sim_free(struct sim *sim);
/* Forgets calls, behaviours, outcomes, sends, reports; slow answers are given now. */
void sim_reset(struct sim *sim);
size_t provider_index(const struct provider *provider);

/* front.c: the port of the providers */

struct http_handler front_handler(struct sim *sim);
/* Gives whatever waits its answer now. */
void front_flush(struct sim *sim);

/* record.c */

/* The record of a call for the ledger: one line of JSON. */
void record_write(const struct call *call, struct http_request *x, uint64_t number,
                  enum ending ending, struct buf *out);
