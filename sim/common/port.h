/*
 * The port on which a simulator serves. The control API can have it go down, which a client sees as
 * a server that died, and come up again at the same address.
 */
#pragma once

#include "control.h"
#include "errands.h"
#include "kit/http/address.h"

#include <pthread.h>

struct port_options {
    const char *program; /* borrowed, as all here */
    const char *listen;
    struct http_handler handler;
    pthread_mutex_t *lock; /* the simulator's; not held by who calls the functions below */
    struct errands *errands;
    void (*rush)(struct sim *sim); /* has all that waits for its answer end now */
    struct sim *sim;
};

struct port {
    struct port_options options;
    char address[HTTP_LISTEN_LEN]; /* with its real port; written once, before others can read */
    /* Under the lock. */
    struct http_server *server; /* NULL while it is down */
    bool is_down;
    bool is_over;        /* nothing brings it up again */
    uint64_t down_count; /* tells which down a timer ends */
};

/* Starts listening, for the first time or again; false after a sentence on stderr. */
bool port_open(struct port *port);
/* Nobody listens from now on, and what was open is cut. Not from a loop of the port itself. */
void port_close(struct port *port);
/* No timer brings it up again: before the control API stops. */
void port_retire(struct port *port);
bool port_is_down(struct port *port);

/* The routes /_control/down and /_control/up. */
int port_go_down(struct port *port, struct ask *ask);
int port_go_up(struct port *port, struct ask *ask);
