/*
 * A thread for what must not block the event loops: it runs things later, and posts reports
 * (libcurl). Its functions may be called from any thread.
 */
#pragma once

#include "kit/base/buf.h"

#include <stdint.h>

enum { POST_HEADERS_MAX = 4, POST_TIMEOUT_MS = 10000 };

/* A POST under way. Everything lives until `done` was called. */
struct http_post {
    const char *url;
    const char *headers[POST_HEADERS_MAX]; /* whole lines; NULL after the last */
    struct str body;
    /* Called once, on the worker's thread. */
    void (*done)(struct http_post *post);
    long http_status; /* 0: no answer came */
    void *transfer;   /* of the worker's own */
};

struct worker;

/* NULL: the system does not give what it takes. */
struct worker *worker_new(void);
/* Ends the thread; what waits is run before. Takes NULL. */
void worker_free(struct worker *worker);

/* Runs fn(arg) on the worker's thread after that time. */
void worker_run_after(struct worker *worker, int64_t wait_ms, void (*fn)(void *arg), void *arg);
/* Makes all that waits to run `fn` (NULL: anything) due now. */
void worker_run_now(struct worker *worker, void (*fn)(void *arg));
/* Only from the worker's thread. */
void worker_post(struct worker *worker, struct http_post *post);
/* From now on nothing waits: all that is or will be due later is due at once, and posts fail. */
void worker_drain(struct worker *worker);
