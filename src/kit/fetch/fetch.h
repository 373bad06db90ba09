/*
 * HTTP calls to foreign servers: libcurl's multi interface on a thread of its own, connections
 * reused, redirects never followed, TLS verified, answers bounded. Any number of calls are under
 * way at once, up to a limit; nobody waits for anybody else's slow server.
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/buf.h"
#include "kit/base/err.h"

#include <stdint.h>

enum { FETCH_HEADERS_MAX = 16, FETCH_ANSWER_MAX = 64 * 1024 };

struct fetch_client;
struct networks;

/* Where calls go through, alike for all calls of one provider. */
struct fetch_route {
    const char *proxy;   /* URL of a proxy; NULL: none, whatever the environment says */
    const char *ca_file; /* PEM file that is trusted instead of the system's; NULL: the system's */
    /* The addresses that may be connected to (kit/fetch/networks.h), looked at when each
     * connection is made, and again when a kept one is used; NULL: any. Not with a proxy. */
    const struct networks *networks;
    int connect_timeout_ms;
    int timeout_ms; /* of the whole call, from fetch_start on */
};

struct fetch_header {
    const char *name;
    const char *value; /* no control characters (asserted) */
};

/* What became of a call, as far as sending it again is concerned. */
enum fetch_end {
    FETCH_ANSWERED, /* there is a whole answer: status and body */
    FETCH_NOT_SENT, /* no byte of the request left: name, connect, TLS, or no room */
    FETCH_UNKNOWN,  /* bytes went out and no whole answer came: time-out, cut, too large */
    FETCH_CANCELED, /* fetch_client_free came first; whether bytes went out says `was_sent` */
};

struct fetch_call {
    /* The request; everything must live until `done` was called. */
    const char *method; /* GET, POST or PATCH */
    const char *url;    /* its path is sent as it is written, with `.` and `..` */
    struct fetch_header headers[FETCH_HEADERS_MAX]; /* ends with a row without a name */
    struct str body;                                /* of a POST or PATCH */
    struct fetch_route route;

    /* Called once, on the client's thread; must not block. May start other calls. */
    void (*done)(struct fetch_call *call);

    /* The answer, valid from `done` on until fetch_call_done. */
    enum fetch_end end;
    bool was_sent;
    int status;             /* HTTP status; 0 without an answer */
    int64_t retry_after_ms; /* of the header Retry-After (seconds or a date); -1: none */
    struct buf answer;      /* the body, at most what the client takes */
    const char *error;      /* what failed, for people; NULL if answered. A static text */
    int64_t duration_ms;    /* from fetch_start on: waiting for its turn counts */

    struct fetch_call *next; /* the client's */
    int64_t started_ms;      /* the client's */
};

/* `in_flight_max`: more calls than this wait their turn, `queue_max` of them. */
struct fetch_client *fetch_client_new(int in_flight_max, int queue_max);
/* The same for answers whose bodies have up to `answer_max` bytes, not FETCH_ANSWER_MAX; each of
 * the calls in flight holds so much memory. */
struct fetch_client *fetch_client_new_wide(int in_flight_max, int queue_max, size_t answer_max);
/* Cancels what is under way (each `done` is called), ends the thread. */
void fetch_client_free(struct fetch_client *client);

/* Starts a call. Any thread. ERR_OVERLOADED if the queue is full or the client ends: then `done` is
 * not called. A request leaves at most once: nothing is ever repeated. */
enum err fetch_start(struct fetch_client *client, struct fetch_call *call) MUST_CHECK;
/* Frees the answer; zeroes it first, since answers can hold codes. */
void fetch_call_done(struct fetch_call *call);
/* How many calls are under way or wait. Any thread. A call gives up its place before `done`. */
int fetch_client_load(struct fetch_client *client);
