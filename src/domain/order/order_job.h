/*
 * The worker's side of orders: it takes lanes, sends orders to ERPs with no transaction open, and
 * records what came of each fetch by compare-and-set on the number of the attempt.
 *
 * A worker holds the lanes of some integrations (leases, renewed while it lives). All that it knows
 * of a lane stands in one place: up to ORDER_IN_FLIGHT_MAX fetches, failures in a row, the circuit.
 * One transaction at a time records the fetches that have ended, and begins the next ones of the
 * lanes with room; so a busy lane costs one commit for some orders, and no lane waits for another's
 * slow ERP. Nor does a quick ERP wait for the commit: ORDER_AHEAD_MAX more are begun than it may
 * have at once, and each leaves when a fetch before it has ended. Where that takes too long, or the
 * worker stops, they are given back, due at once.
 *
 * A worker that is killed would leave its lanes to the end of their leases; so each shows signs of
 * life (one row a worker), and the first that misses another's for 6 s frees what that one held:
 * its lanes, and its orders that are being delivered.
 *
 * Where a lease ends while its holder still has fetches under way (a process that stood still,
 * clocks of two machines more than 20 s apart), another worker begins up to ORDER_IN_FLIGHT_MAX
 * beside them, and maybe the same orders again. The documents stay single: each order goes under
 * its own key, and what its fetches bring is recorded by compare-and-set on the number of the
 * attempt.
 */
#pragma once

#include "domain/order/order.h"

enum {
    ORDER_LANES_MAX = 4096,  /* held by one process */
    ORDER_FETCHES_MAX = 512, /* under way in one process */
    /* With so many under way, each lane may have one only: four each of some ERPs that do not
     * answer would take all places until their time-out. */
    ORDER_FETCHES_CROWDED = ORDER_FETCHES_MAX / 2,
    /* Below so many a turn has little to do, and lanes of quick ERPs go ahead. */
    ORDER_FETCHES_FEW = ORDER_FETCHES_MAX / 16,
    ORDER_TURN_MAX = 256, /* orders begun in one transaction */
    ORDER_LANE_LEASE_MS = 30 * 1000,
    /* A worker that holds lanes shows so often that it lives. Another one takes it for dead when it
     * has seen no new sign for so long: 6 s after the last one, with the time until that was seen.
     */
    ORDER_LIFE_EVERY_MS = 1000,
    ORDER_DEAD_MS = 5500,
    ORDER_LOOK_EVERY_MS = 500,
    ORDER_POLL_MS = 500,                /* also without being woken */
    ORDER_BYTES_MAX = 64 * 1024 * 1024, /* of bodies under way: beyond, none is begun */
    ORDER_PROBES_MAX = 128,             /* under way in one process */
    /* Orders that nobody serves (a paused lane, a disabled integration) fail so long after their
     * time. So those that are served can have their last attempt at its end. */
    ORDER_SWEEP_AFTER_MS = 60 * 1000,
};

struct event_log;
struct order_worker;

/* Starts a worker, which takes work from now on. */
struct order_worker *order_worker_start(struct service *service, struct event_log *event_log);
/* Tells the worker that there may be orders. Any thread, also after order_worker_stop. */
void order_worker_wake(void *worker);
/* Begins no more fetches, from the turn at hand on, and does not wait. NULL is fine here and below.
 */
void order_worker_begin_no_more(struct order_worker *worker);
/* Does the same, and waits until none can begin. */
void order_worker_pause(struct order_worker *worker);
/* Does the same, gives the fetches under way `grace_ms`, cancels the rest, waits until all is
 * recorded, and gives its lanes back. Comes before db_close. */
void order_worker_stop(struct order_worker *worker, int64_t grace_ms);
/* Comes after db_close, behind which nobody wakes it any more. */
void order_worker_free(struct order_worker *worker);

/* Frees, at the start of an embedded service, what the process before held and was delivering. */
enum err order_release_leases(struct work *work) MUST_CHECK;
/* Fails orders whose time is over while nobody serves them. A row of the periodic jobs. */
enum err order_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
/* Drops bodies of orders that were rejected or failed ORDER_BODY_KEPT_MS ago. A row of the periodic
 * jobs, too. */
enum err order_sweep_bodies(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
