/*
 * SIMs that fall silent and accounts that go are told, and so are those that come back: once each,
 * on the edge (contract, section 11). A SIM is silent that has not claimed for
 * HERALD_SIM_SILENT_SECONDS. An account is gone that was connected, and whose phone says otherwise
 * or has not declared it for as long.
 *
 * A claim writes nothing for this. Each SIM has a time at which it is looked at next; the worker
 * finds those by an index, and sees from the last claim when to look again: once in that time.
 *
 * A SIM or an account that goes to another phone takes along what was told of it: while it is
 * nobody's, that is kept apart.
 */
#pragma once

#include "domain/fleet/fleet.h"

enum { FLEET_SILENT_MIN_S = 5, FLEET_SILENT_MAX_S = 24 * 60 * 60 };

/* A number or account that is nobody's for so long is new to the phone that gets it. */
#define FLEET_FREE_KEPT_MS (30 * 24 * 60 * 60 * INT64_C(1000))

enum fleet_edge {
    FLEET_SIM_SILENT,
    FLEET_SIM_BACK,
    FLEET_ACCOUNT_GONE,
    FLEET_ACCOUNT_BACK,
    FLEET_EDGE_COUNT
};

/* Tells of an edge, once the transaction is durable: the one place where that is done. `sender` is
 * the number or the account, and `since` says when it was last there. */
void fleet_tell_edge(struct work *work, enum fleet_edge edge, const struct uuid *device_id,
                     const char *sender, int64_t since);

/* The watch of one worker: it knows since when phones could be heard. */
struct fleet_watch *fleet_watch_new(void);
void fleet_watch_free(struct fleet_watch *watch);
/* Looks at SIMs and accounts whose time has come, at most `max` of each. After a start or a gap
 * (such as a database that was away) it waits until phones had time to be
 * heard of. */
enum err fleet_watch_sweep(struct work *work, int max, int64_t *ret_looked) MUST_CHECK;

/* Forgets, at most `max`, numbers and accounts that have been nobody's for FLEET_FREE_KEPT_MS. */
enum err fleet_sweep_free(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* It says how a SIM stands. */
struct sim_standing {
    const char *number;
    bool is_enabled; /* its phone */
    int64_t ready_until;
};
/* Lists at most `max` SIMs behind the number `after`, by their numbers (struct sim_standing). */
enum err fleet_list_standings(struct work *work, const char *after, int max,
                              struct record_list *ret_sims) MUST_CHECK;
