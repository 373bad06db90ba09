/*
 * Failed authentications are counted by address (contract, section 1, Keys). A key
 * is checked first, so that a right one is never refused because of others; only a wrong key beyond
 * THROTTLE_FAILURES_MAX in a minute has to wait. The memory is fixed: where too many addresses fail
 * at once, the oldest are forgotten. Any thread may call.
 *
 * A key that only the database knows (of a phone or a workload client) costs a lookup. After too
 * many failures from its address, or from all together, such requests take turns: one lookup goes
 * at a time, each behind those that came before. So a flood of wrong keys never has more than one
 * of the database's threads or connections, and a right key among them waits for its turn and gets
 * it. At most as many wait as there are connections.
 */
#pragma once

#include "kit/http/address.h"

enum {
    THROTTLE_FAILURES_MAX = 20,      /* of one address in a minute */
    THROTTLE_FAILURES_OF_ALL = 2000, /* of all addresses */
    THROTTLE_WINDOW_MS = 60 * 1000,
    THROTTLE_TOLD_OF_ONE = 5, /* so many of an address in a minute are logged one by one */
    THROTTLE_TOLD_OF_ALL = 60,
};

struct throttle;

struct throttle *throttle_new(void);
void throttle_free(struct throttle *throttle);

/* Says what to do about a failure that was counted. */
struct throttle_failure {
    int64_t wait_ms; /* the address has to wait so long; 0: it is answered as usual */
    int left;        /* so many more are answered as usual within */
    int64_t left_ms; /* this time */
    bool is_told;    /* it is logged by itself; otherwise with the flood that it is a part of */
};
struct throttle_failure throttle_add_failure(struct throttle *throttle,
                                             const struct in6_addr *address, int64_t now_ms);

/* The failures of a minute that were not logged one by one. */
struct throttle_flood {
    int64_t failures;
    struct in6_addr address; /* the one that failed most often */
    int address_failures;
};
/* Returns true once a minute while there are some; with `is_last` also before the minute is over.
 */
bool throttle_take_flood(struct throttle *throttle, int64_t now_ms, bool is_last,
                         struct throttle_flood *ret_flood);

/* The turn of a lookup. */
struct throttle_turn {
    struct throttle_turn *next;
    /* Begins the lookup, on the thread that had the turn before. Returns false if it could not
     * begin, so that the next one has the turn. */
    bool (*begin)(struct throttle_turn *turn);
};
/* Tells whether lookups for this address take turns at present. It costs little while they do not.
 */
bool throttle_is_in_turns(struct throttle *throttle, const struct in6_addr *address,
                          int64_t now_ms);
/* Calls `turn->begin` at once, or lets the turn before it do so at its end. */
void throttle_await_turn(struct throttle *throttle, struct throttle_turn *turn);
/* Lets the next lookup begin, since the one that had the turn has ended. */
void throttle_begin_next(struct throttle *throttle);
