/*
 * A simulator as a server: the port on which it plays its part, a control API on a second one, a
 * worker for what is due later, and the calls that it took.
 *
 * Threads: a loop of the port, a loop of the control API, and the worker's. What they share is read
 * and written under `lock`, unless it is said to be otherwise.
 */
#pragma once

#include "control.h"
#include "kit/http/address.h"
#include "ledger.h"
#include "worker.h"

#include <pthread.h>

struct server_options {
    const char *program;               /* in messages; borrowed, as all here */
    const char *listen;                /* where it plays its part */
    const char *control;               /* where the control API answers */
    const char *calls_file;            /* each call is appended to it; NULL: to none */
    struct http_handler handler;       /* of the port */
    const struct route *const *routes; /* of the control API; ends with NULL */
    /* Not under the lock: what waits for its answer gets it now. */
    void (*flush)(struct sim *sim);
    const char *announcement, *control_announcement; /* "erp serves", "control": see server_run */
    struct sim *sim;
};

/* At this port it plays its part; see port.h. */
struct port {
    char address[HTTP_LISTEN_LEN]; /* with its real port; written once, before others can read */
    struct http_server *http;      /* NULL while it is down */
    bool is_down;
    bool is_retired;     /* nothing brings it up again */
    uint64_t down_count; /* tells which down a timer ends */
};

struct server {
    struct server_options options; /* never changes */
    struct worker *worker;         /* the same */
    pthread_mutex_t lock;
    struct ledger *ledger;
    struct port port;
    uint64_t generation; /* of the last reset */
    bool is_stopping;
};

/* False after a sentence on stderr; then too, server_done has to follow. */
bool server_init(struct server *server, const struct server_options *options);
/* It must not run. What waits for the worker is run before, so all else of the simulator has to be
 * there still. */
void server_done(struct server *server);
/* Says on stdout where it listens, "erp serves on http://..., control on http://...", and serves
 * until `stop_fd` is readable (stop.h). The exit status. */
int server_run(struct server *server, int stop_fd);
