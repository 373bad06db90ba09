/*
 * Something in memory that is fetched anew now and then, and who waits for it: when a fetch is due,
 * how often one may be asked for, and who is told of its end. What is fetched, and how, is the
 * owner's business.
 */
#pragma once

#include "kit/base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    REFRESH_TURN_MAX_MS = 1000, /* the next fetch is waited for if it may begin within */
    /* and its end for this long: with the beat of refresh_tick nobody waits for 5 s */
    REFRESH_WAIT_MAX_MS = 4500,
};

struct refresh_options {
    int64_t period_ms; /* after a fetch that succeeded */
    /* After one that failed; doubled with each further one in a row, up to the maximum. */
    int64_t retry_ms, retry_max_ms;
    int64_t least_ms; /* between the beginnings of two that were waited for */
    int waiting_max;  /* who wait at once */
    enum err trouble; /* what those are told who waited in vain */
    /* Begins a fetch, of which refresh_done tells the end: later, or at once. Any thread. */
    void (*start)(void *arg);
    void *arg;
};

/* Somebody who waits; lives until `done` was called. */
struct refresh_waiter {
    /* Called once, with `err` set, on any thread; must not block. */
    void (*done)(struct refresh_waiter *waiter);
    enum err err; /* ERR_OK: fetched since refresh_wait; else the `trouble` of the options */

    struct refresh_waiter *next; /* the rest is the refresh's */
    int64_t round;
    int64_t since_ms;
};

struct refresh;

struct refresh *refresh_new(const struct refresh_options *options);
/* Nobody waits any more and nothing is being fetched. NULL is fine. */
void refresh_free(struct refresh *refresh);

/* Begins what is due, and lets those go who waited too long; called a few times a second. */
void refresh_tick(struct refresh *refresh);
/* There is something new: fetched at once, or `least_ms` after the fetch that is under way began.
 * Any thread. */
void refresh_ask(struct refresh *refresh);
/* Waits for a fetch that begins now or soon (REFRESH_TURN_MAX_MS), or is under way. ERR_OK: `done`
 * follows. Else it is not called: ERR_UNAUTHORIZED: the last fetch was a moment ago, and another
 * one would bring nothing new; the `trouble` of the options: it failed; ERR_OVERLOADED:
 * waiting_max wait. Any thread. */
enum err refresh_wait(struct refresh *refresh, struct refresh_waiter *waiter) MUST_CHECK;
/* The end of a fetch. Any thread. */
void refresh_done(struct refresh *refresh, bool is_good);
