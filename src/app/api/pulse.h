/*
 * A process that answers requests has a pulse of three threads. One asks the databases whether they
 * are there. Health answers what that thread saw last, so a database that hangs cannot hang the
 * answer (contract, section 2, rule 13). Another one writes the presence of phones; a
 * lock that it waits for makes nobody unready. The third looks for log entries of
 * other processes and keeps log streams alive and the keys of tokens fresh. It waits for no
 * database, so it is always in time.
 */
#pragma once

#include "app/api/api.h"

enum {
    PULSE_MS = 250,
    PULSE_START_MS = 10,
    PULSE_START_MAX_MS = 2000,
    READY_ANSWER_MS = 1000,      /* an answer that takes longer does not count */
    WORKER_ALIVE_MS = 30 * 1000, /* a worker must have shown a sign of life within this time */
};

/* If it `needs_worker`, the service is not ready without a working one. */
struct pulse *pulse_new(const struct api *api, bool needs_worker);
void pulse_start(struct pulse *pulse);
/* Ends the threads; pulse_trouble still answers until pulse_free. */
void pulse_stop(struct pulse *pulse);
void pulse_free(struct pulse *pulse);

/* Returns NULL if the service is ready, else a sentence that says what is wrong. */
const char *pulse_trouble(struct pulse *pulse);
