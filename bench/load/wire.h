/*
 * Keep-alive HTTP/1.1 connections on one epoll loop, each with at most one request under way. It
 * reads only as much of HTTP as herald's answers need, so that the generator takes little of the
 * machine that it shares with what it measures.
 */
#pragma once

#include "kit/base/buf.h"

#include <netinet/in.h>
#include <stdint.h>

enum { WIRE_CONNECTIONS_MAX = 1024, WIRE_ANSWER_MAX = 65536 };

struct answer {
    int status;
    struct str body;
    int64_t us; /* from the request's write to the answer's last byte */
};

struct connection {
    int socket;
    size_t index;
    struct buf request;
    char *input; /* WIRE_ANSWER_MAX bytes */
    size_t input_len;
    int64_t written_us;
};

struct wire {
    int epoll;
    size_t count;
    struct connection *connections;
    struct connection **idle; /* those that wait until the next request is due */
    size_t idle_count;
};

/* What the connections do: asked for the next request when one has its answer. */
struct work {
    /* Writes the next request of the connection; false: it has nothing more to do. */
    bool (*next)(void *context, struct connection *connection, struct buf *request);
    void (*answered)(void *context, struct connection *connection, const struct answer *answer);
    void *context;
    /* When the next request is due, by the monotonic clock; nobody is asked for it before. NULL: as
     * soon as a connection has its answer. */
    int64_t (*due_us)(void *context);
};

/* Both answer false after a sentence on stderr. */
bool wire_open(struct wire *wire, const struct sockaddr_in *address, size_t count);
/* Returns when no connection has anything to do any more. */
bool wire_run(struct wire *wire, const struct work *work);
void wire_close(struct wire *wire);

/* A blocking connected socket, or -1. */
int wire_connect(const struct sockaddr_in *address);
