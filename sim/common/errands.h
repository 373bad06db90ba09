/*
 * A thread for what must not block the event loops: it runs things later, and posts reports
 * (libcurl). Its functions may be called from any thread.
 */
#pragma once

#include "kit/base/buf.h"

#include <stdint.h>

enum { PARCEL_HEADERS_MAX = 4, PARCEL_TIMEOUT_MS = 10000 };

/* A POST under way. Everything lives until `done` was called. */
struct parcel {
    const char *url;
    const char *headers[PARCEL_HEADERS_MAX]; /* whole lines; NULL after the last */
    struct str body;
    /* Called once, on the thread of errands. */
    void (*done)(struct parcel *parcel);
    long http_status; /* 0: no answer came */
    void *transfer;   /* of the errands' own */
};

struct errands;

/* NULL: the system does not give what it takes. */
struct errands *errands_new(void);
/* Ends the thread; what waits is run before, in a hurry. */
void errands_free(struct errands *errands);

/* Runs fn(arg) on the thread of errands after that time. */
void errands_after(struct errands *errands, int64_t wait_ms, void (*fn)(void *arg), void *arg);
/* Makes all that waits to run `fn` (NULL: anything) due now. */
void errands_rush(struct errands *errands, void (*fn)(void *arg));
/* Only from the thread of errands. */
void errands_post(struct errands *errands, struct parcel *parcel);
/* From now on nothing waits: all that is or will be due later is due at once, and posts fail. */
void errands_hurry(struct errands *errands);
