/*
 * A client fetches from other servers over HTTP. libcurl's multi interface runs on a thread of its
 * own; connections are reused, redirects never followed, TLS is verified and answers are bounded.
 * Many fetches are under way at once, up to a limit, so a slow server holds up no fetch from
 * another.
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/buf.h"
#include "kit/base/err.h"

#include <stdint.h>

enum { FETCH_HEADERS_MAX = 16, FETCH_ANSWER_MAX = 64 * 1024 };

struct fetch_client;
struct networks;

/* The way of a fetch, alike for all fetches from one provider. */
struct fetch_route {
    const char *proxy; /* URL of a proxy; NULL: none, whatever the environment has */
    const char
        *ca_file; /* PEM file that is trusted instead of the system's; NULL: the system's is */
    /* The key of the one server that is trusted, whatever its certificate says beside it:
     * "sha256//..." (tls_certificate_read); NULL: certificates are verified. */
    const char *pin;
    /* The addresses that may be connected to (kit/fetch/networks.h). They are checked when a
     * connection is made, and again when a kept one is used; NULL: any. Not with a proxy. */
    const struct networks *networks;
    int connect_timeout_ms;
    int timeout_ms; /* for the whole fetch, from fetch_start on */
};

struct fetch_header {
    const char *name;
    const char *value; /* no control characters (asserted) */
};

/* The end of a fetch, as far as sending it again is concerned. */
enum fetch_end {
    FETCH_ANSWERED, /* there is a whole answer: status and body */
    FETCH_NOT_SENT, /* no byte of the request left: it failed at the name, connect or TLS, or lacked
                       room */
    FETCH_UNKNOWN,  /* bytes went out, but no whole answer came: timeout, cut, too large */
    FETCH_CANCELED, /* fetch_client_free came first; `was_sent` tells whether bytes went out */
};

struct fetch {
    /* The request, all of which must live until `done` is called. */
    const char *method; /* GET, POST, PUT, PATCH or DELETE */
    const char *url;    /* its path is sent as it is written, with `.` and `..` */
    struct fetch_header headers[FETCH_HEADERS_MAX]; /* ends with a row without a name */
    struct str body;                                /* of any but GET */
    struct fetch_route route;

    /* Takes the parts of a body with status 200 as they come, on the client's thread, and `answer`
     * stays empty. It must not block for long; false ends the fetch. NULL: `answer` keeps them. */
    bool (*take)(struct fetch *fetch, struct str part);
    /* A body that is larger than the client takes is cut off there, and the fetch is answered; else
     * it is FETCH_UNKNOWN. */
    bool cuts_answer;

    /* Is called once, on the client's thread. It must not block; it may start other fetches. */
    void (*done)(struct fetch *fetch);

    /* The answer, valid from `done` on until fetch_done. */
    enum fetch_end end;
    bool was_sent;
    int status;             /* HTTP status; 0 without an answer */
    int64_t retry_after_ms; /* from the header Retry-After (seconds or a date); -1: none */
    struct buf answer;      /* the body, as much as the client takes */
    const char *error;      /* a static text for people; NULL if it was answered */
    int64_t duration_ms;    /* from fetch_start on, so its wait in the queue counts */

    struct fetch *next; /* for the client */
    int64_t started_ms; /* for the client */
};

/* Up to `in_flight_max` fetches are under way at once, and `queue_max` more wait. Each of those in
 * flight holds memory for a body of `answer_max` bytes, such as FETCH_ANSWER_MAX. */
struct fetch_client *fetch_client_new(int in_flight_max, int queue_max, size_t answer_max);
/* Cancels all fetches, whose `done` is called, and ends the thread. */
void fetch_client_free(struct fetch_client *client);

/* Starts a fetch. Any thread may call. Returns ERR_OVERLOADED if the queue is full or the client
 * ends; then `done` is not called. A request leaves at most once: it is never repeated. */
enum err fetch_start(struct fetch_client *client, struct fetch *fetch) MUST_CHECK;
/* Zeroes the answer, which may hold a code, and frees it. */
void fetch_done(struct fetch *fetch);
/* Returns how many fetches are under way or wait. Any thread may call. A fetch gives up its place
 * before `done`. */
int fetch_client_load(struct fetch_client *client);
/* Returns the version of libcurl. */
const char *fetch_library_version(void);
