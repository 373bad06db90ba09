/*
 * The simulator: what its event loops and its courier share. All but what is said to be otherwise
 * is read and written under `lock`.
 */
#pragma once

#include "courier.h"
#include "kit/http/server.h"
#include "ledger.h"
#include "options.h"
#include "orders.h"
#include "provider.h"

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
    struct courier *courier;       /* the same */
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

    struct http_server *front; /* the providers' port; NULL while they are down */
    char front_address[128];   /* with its real port; written once, before others can read */
    bool is_down;
    uint64_t down_count; /* how often it went down: tells whose end a timer means */
};

/* NULL after a sentence on stderr. */
struct sim *sim_new(const struct options *options);
/* Its servers must have stopped before; its courier has. */
void sim_free(struct sim *sim);
/* Forgets calls, orders, outcomes, sends, reports; slow answers are given now. */
void sim_reset(struct sim *sim);
size_t provider_index(const struct provider *provider);

/* front.c: the port of the providers */

/* Starts listening; false after a sentence on stderr. */
bool front_start(struct sim *sim, const char *address);
/* Nobody listens from now on, and what was open is cut. Not from a loop of the port itself. */
void front_stop(struct sim *sim);
/* What waits for its answer gets it now. */
void front_rush(struct sim *sim);

/* record.c */

/* What becomes of an answer. */
enum ending { ENDING_ANSWER, ENDING_CUT, ENDING_CUT_WITHIN };

/* The record of a call for the ledger: one line of JSON. */
void record_write(const struct deal *deal, struct http_exchange *x, uint64_t number,
                  enum ending ending, struct buf *out);
/* Valid JSON for any bytes: what is no UTF-8 becomes '?'. */
void record_put_text(struct json_writer *json, const char *key, struct str bytes,
                     struct arena *arena);
