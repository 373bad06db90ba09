/*
 * A refresh knows when something in memory is to be fetched anew, how often a fetch may be asked
 * for, and which waiters have to hear of its end. The owner knows what is fetched, and how.
 */
#pragma once

#include "kit/base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    REFRESH_SOON_MS = 1000, /* waiters wait for the next fetch if it may begin within this time */
    /* They wait so long for its end; with the beat of refresh_tick that is less than 5 s. */
    REFRESH_WAIT_MAX_MS = 4500,
};

struct refresh_options {
    int64_t period_ms; /* pause after a fetch that succeeded */
    /* Pause after one that failed; it doubles with each further failure, up to the maximum. */
    int64_t retry_ms, retry_max_ms;
    int64_t least_ms; /* between the beginnings of two fetches with waiters */
    int waiting_max;  /* at most so many wait at once */
    enum err trouble; /* the error of those that waited in vain */
    /* Begins a fetch, whose end refresh_done tells, later or at once. It runs on any thread. */
    void (*start)(void *arg);
    void *arg;
};

/* A waiter lives until its `done` is called. */
struct refresh_waiter {
    /* Is called once, with `err` set, on any thread. It must not block. */
    void (*done)(struct refresh_waiter *waiter);
    enum err err; /* ERR_OK: a fetch began after refresh_wait; else the `trouble` of the options */

    struct refresh_waiter *next; /* the rest is for the refresh */
    int64_t round;
    int64_t since_ms;
};

struct refresh;

struct refresh *refresh_new(const struct refresh_options *options);
/* Call it when there are no waiters and no fetch is under way. Takes NULL. */
void refresh_free(struct refresh *refresh);

/* Begins a fetch that is due, and ends waits that took too long. Call it a few times a second. */
void refresh_tick(struct refresh *refresh);
/* Says that there is something new to fetch: at once, or `least_ms` after the fetch under way
 * began. Any thread may call. */
void refresh_ask(struct refresh *refresh);
/* Waits for a fetch that begins now or soon (REFRESH_SOON_MS), or is under way; then `done` is
 * called. It is not called with an error: ERR_UNAUTHORIZED if the last fetch was a moment ago, and
 * another one would bring nothing new; the `trouble` of the options if that one failed;
 * ERR_OVERLOADED if waiting_max wait already. Any thread may call. */
enum err refresh_wait(struct refresh *refresh, struct refresh_waiter *waiter) MUST_CHECK;
/* Ends a fetch. Any thread may call. */
void refresh_done(struct refresh *refresh, bool is_good);
