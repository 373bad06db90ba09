/*
 * The beat of a process that answers requests. One thread asks the databases whether they are there
 * and writes what was noted of the phones; what health says is what it saw last, so a database that
 * hangs cannot hang the answer (contract, section 2, rule 13). Another one looks for log entries of
 * other processes, keeps log streams alive and the keys of tokens fresh: it waits for no database,
 * so what has a bound of time keeps it.
 */
#pragma once

#include "app/api/api.h"

enum {
    PULSE_MS = 250,
    PULSE_START_MS = 10,
    PULSE_START_MAX_MS = 2000,
    READY_ANSWER_MS = 1000,      /* a round trip that takes longer is no answer */
    WORKER_ALIVE_MS = 30 * 1000, /* a worker must have been heard of within */
};

/* `needs_worker`: without one at work the service is not ready. */
struct pulse *pulse_new(const struct api *api, bool needs_worker);
void pulse_start(struct pulse *pulse);
/* Ends the beat; what it saw last can still be asked for until pulse_free. */
void pulse_stop(struct pulse *pulse);
void pulse_free(struct pulse *pulse);

/* NULL if the service is ready, else a sentence that says what is wrong. */
const char *pulse_trouble(struct pulse *pulse);
