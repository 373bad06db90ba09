/*
 * Failed authentications per address (contract, section 1, Keys, and section 9.4). A key is looked
 * at first, so that a right one is never refused for what others did wrong; only a wrong one beyond
 * THROTTLE_FAILURES_MAX in a minute is told to wait. Fixed memory: where too many addresses fail at
 * once, the oldest are forgotten. Any thread.
 *
 * A key that only the database knows (of a phone, of a client) costs a lookup. While its address,
 * or all of them together, failed too often, such requests take turns: one lookup at a time, each
 * behind those that came before. So a flood of wrong keys never has more than one of the database's
 * threads or connections, and the right one among them waits for its turn and gets it. Those that
 * wait are at most as many as there are connections.
 */
#pragma once

#include "kit/http/address.h"

enum {
    THROTTLE_FAILURES_MAX = 20,      /* of one address in a minute */
    THROTTLE_FAILURES_OF_ALL = 2000, /* of all addresses */
    THROTTLE_WINDOW_MS = 60 * 1000,
    THROTTLE_TOLD_OF_ONE = 5, /* of an address in a minute are told one by one in the log */
    THROTTLE_TOLD_OF_ALL = 60,
};

struct throttle;

struct throttle *throttle_new(void);
void throttle_free(struct throttle *throttle);

/* What is to be done about a failure that was counted. */
struct throttle_failure {
    int64_t wait_ms; /* how long the address has to wait; 0: it is answered as any other */
    bool is_told;    /* in the log, by itself; otherwise with the flood that it is a part of */
};
struct throttle_failure throttle_add_failure(struct throttle *throttle,
                                             const struct in6_addr *address, int64_t now_ms);

/* The failures of a minute that were not told one by one. */
struct throttle_flood {
    int64_t failures;
    struct in6_addr address; /* that failed most often */
    int address_failures;
};
/* True once a minute while there are some; `is_last`: also before the minute is over. */
bool throttle_take_flood(struct throttle *throttle, int64_t now_ms, bool is_last,
                         struct throttle_flood *ret_flood);

/* A lookup that may have to wait for its turn. */
struct throttle_turn {
    struct throttle_turn *next;
    /* Begins the lookup, on the thread that had the turn before. False: there is nothing to wait
     * for, and the turn is the next one's. */
    bool (*begin)(struct throttle_turn *turn);
};
/* Whether lookups for this address take turns at present. Cheap while they do not. */
bool throttle_is_in_turns(struct throttle *throttle, const struct in6_addr *address,
                          int64_t now_ms);
/* `turn->begin` is called at once or by whoever has the turn before. */
void throttle_await_turn(struct throttle *throttle, struct throttle_turn *turn);
/* The lookup that was begun has ended. */
void throttle_end_turn(struct throttle *throttle);
