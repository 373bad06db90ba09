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
    /* Called once, on the courier's thread. */
    void (*done)(struct parcel *parcel);
    long http_status; /* 0: no answer came */
    void *transfer;   /* the courier's */
};

struct courier;

/* NULL: the system does not give what it takes. */
struct courier *courier_new(void);
/* Ends the thread; what waits is run before, in a hurry. */
void courier_free(struct courier *courier);

/* Runs fn(arg) on the courier's thread after that time. */
void courier_after(struct courier *courier, int64_t wait_ms, void (*fn)(void *arg), void *arg);
/* Makes all that waits to run `fn` (NULL: anything) due now. */
void courier_rush(struct courier *courier, void (*fn)(void *arg));
/* Only from the courier's thread. */
void courier_post(struct courier *courier, struct parcel *parcel);
/* From now on nothing waits: all that is or will be due later is due at once, and posts fail. */
void courier_hurry(struct courier *courier);
