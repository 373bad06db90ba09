/*
 * The process's supervisor, such as systemd, hears that the process is ready, how it is, that it
 * stops, and that its loops live (contract, section 17.3).
 */
#pragma once

#include "kit/base/err.h"

#include <stdint.h>

struct http_server;
struct supervisor;

/* The supervisor is told what these say. */
struct supervisor_setup {
    struct http_server *server; /* each of its loops has to answer; NULL: it has none */
    /* Returns for how long the worker has begun nothing new; NULL: there is none. */
    int64_t (*worker_silence_ms)(const void *arg);
    /* Returns a sentence for people on what is wrong; NULL: nothing is. */
    const char *(*trouble)(const void *arg);
    const char *status; /* what is told while nothing is wrong, such as "listens on ..." */
    const void *arg;
};

/* The longest a worker may be busy with one batch and still be taken to live: far longer than a
 * database is waited for. */
enum { SUPERVISOR_WORKER_MAX_MS = 5 * 60 * 1000 };

/* Tells that the process is ready, and from then on how it is; NULL if nobody listens. `setup` must
 * live until supervisor_free. */
struct supervisor *supervisor_start(const struct supervisor_setup *setup);
/* Tells that the process stops. From then on no loop is asked, since they end, and the time that a
 * stop takes has a bound of its own; but the supervisor still hears that the process lives. */
void supervisor_stopping(struct supervisor *supervisor);
/* Ends the thread, and tells nothing more. Call it after http_server_stop. */
void supervisor_free(struct supervisor *supervisor);
