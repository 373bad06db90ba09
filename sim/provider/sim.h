/*
 * The simulator: what its event loops and its errands share. All but what is said to be otherwise
 * is read and written under `lock`.
 */
#pragma once

#include "options.h"
#include "orders.h"
#include "provider.h"
#include "sim/common/ledger.h"
#include "sim/common/port.h"

#include <pthread.h>
#include <stdatomic.h>

struct report_log;

/* What the calls of a provider amount to. */
struct tally {
    uint64_t calls;      /* taken */
    uint64_t effects;    /* that messaged or called somebody */
    uint64_t cut_before; /* connections cut before the request was taken */
    int in_flight;
    int in_flight_max;
};

struct sim {
    const struct options *options; /* never changes */
    struct errands *errands;       /* the same */
    atomic_bool is_stopping;       /* written under the lock, read without */
    pthread_mutex_t lock;
    struct ledger *ledger;
    struct orders *orders;
    struct outcomes *outcomes;
    struct sends *sends;
    struct report_log *reports;
    int64_t balances[PROVIDERS_MAX]; /* in cents, by place in providers[] */
    struct tally tallies[PROVIDERS_MAX];
    uint64_t generation; /* of the last reset */

    struct port port; /* of the providers */
};

/* NULL after a sentence on stderr. */
struct sim *sim_new(const struct options *options);
/* Its servers must have stopped before; its errands have ended. */
void sim_free(struct sim *sim);
/* Forgets calls, orders, outcomes, sends, reports; slow answers are given now. */
void sim_reset(struct sim *sim);
size_t provider_index(const struct provider *provider);

/* front.c: the port of the providers */

struct http_handler front_handler(struct sim *sim);
/* What waits for its answer gets it now. */
void front_rush(struct sim *sim);

/* record.c */

/* What becomes of an answer. */
enum ending { ENDING_ANSWER, ENDING_CUT, ENDING_CUT_WITHIN };

/* The record of a call for the ledger: one line of JSON. */
void record_write(const struct deal *deal, struct http_exchange *x, uint64_t number,
                  enum ending ending, struct buf *out);
