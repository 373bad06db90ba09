/*
 * A worker and its turns: order_job.c and the files of a turn share this, and nobody else sees it.
 *
 * One thread does all there is to do, turn by turn: a turn is a transaction that records the
 * fetches that have ended and begins those that are due. So lanes and fetches need no lock. News
 * from other threads (fetches that have ended, wakes, the stop) come by fetcher_wait.
 */
#pragma once

#include "domain/order/order_held.h"
#include "domain/order/order_lane_db.h"
#include "domain/order/order_peer.h"
#include "domain/order/order_turn_db.h"
#include "kit/base/macros.h"
#include "kit/job/fetcher.h"

enum {
    ORDER_PAGE_MAX = 128,              /* lanes looked at in a turn */
    ORDER_TAKEN_MAX = 16,              /* lanes taken in a turn: other workers get some, too */
    ORDER_FETCH_MARGIN_MS = 10 * 1000, /* behind its time-out a fetch is over, and recorded */
    ORDER_LEAVE_WITHIN_MS = ORDER_FETCH_MARGIN_MS / 2, /* of its beginning, or it does not */
    ORDER_RENEW_EVERY_MS = 10 * 1000, /* lanes that had nothing to do for so long are given back */
};

/* The fetch that makes an attempt, from its beginning until it is recorded. */
struct order_fetch {
    struct fetch_slot slot;
    struct order_fetch *next; /* of those that wait to leave or to be recorded */
    struct order_fetch *next_of_lane;
    struct order_worker *worker;
    struct held_lane *lane;
    struct uuid id, order_id; /* of its row, and its own */
    const char *traceparent;  /* in the slot's arena; NULL: none */
    size_t body_len;          /* as it is stored */
    int64_t attempt;
    int64_t failures; /* before it */
    int64_t begun_ms; /* monotonic */
    int64_t started_at;
    int64_t give_up_at;
    bool has_left;
    bool is_hopeless; /* there is nothing to send */
    struct order_answer answer;
    struct order_end end; /* what is to be recorded */
};

/* A lane in a turn. */
struct turn_lane {
    const struct order_lane_row *row;
    struct held_lane *held; /* NULL: not held so far */
    int room;
    int share, begun; /* what it may begin of the worker's budget, and does */
    int overdue;
    bool is_ours, wants_probe;
};

/* One transaction, which may run twice: what it finds is kept here, and holds once it is durable.
 */
struct order_turn {
    struct order_worker *worker;
    struct arena arena;
    struct work work;
    bool may_begin, is_renewing;

    /* One for each fetch that waits to be recorded: 1 where it was news; true where the order has
     * another document. */
    int64_t *are_ended;
    bool *are_second;

    struct uuid *renewed, *released;
    size_t renewed_count, released_count;

    struct order_look look; /* at other workers */

    struct turn_lane *lanes; /* with something due */
    size_t lane_count;
    struct due_orders due;
    struct order_begin *begins;
    struct turn_lane **begin_lanes; /* by begin */
    size_t begin_count;
    struct uuid cursor; /* where the next turn goes on; nil: this was the last page */
    bool is_short;      /* more may have been due than it could begin or take */
    bool has_progress;
};

struct order_worker {
    struct fetcher fetcher;
    struct service *service;
    struct event_log *event_log;
    struct uuid id; /* as a holder of lanes */

    /* The fetcher's lock. */
    bool has_paused; /* no fetch begins any more */
    bool is_busy;    /* fetches are under way, or wait to be recorded */

    /* The thread's own. */
    struct held_lanes lanes;
    struct order_peers peers;
    struct order_fetch *unrecorded, **unrecorded_end;
    size_t unrecorded_count;
    int under_way, probes;
    size_t bytes;        /* of the bodies of fetches that are not yet recorded */
    struct uuid cursor;  /* behind this lane the next page begins; nil: it is the first */
    bool is_round_stale; /* the pages before it may have something due by now */
    int64_t renew_at_ms; /* monotonic */
    bool is_troubled;    /* the database was told not to answer, and did not since */
    struct order_turn turn;
};

/* --- order_turn_job.c --- */

/* Records what has ended and begins what is due. False: the database did not take it. */
bool order_turn_run(struct order_worker *worker, bool may_begin);

/* --- order_record_job.c: within the transaction, and after it --- */

enum err order_turn_record(struct order_turn *turn) MUST_CHECK;
void order_turn_recorded(struct order_turn *turn);

/* --- order_begin_job.c: the same --- */

enum err order_turn_begin(struct order_turn *turn) MUST_CHECK;
void order_turn_begun(struct order_turn *turn);

/* --- order_fetch_job.c --- */

/* Begins an attempt that is stored as begun; its fetch leaves when there is a place for it. */
void order_fetch_start(struct order_worker *worker, struct held_lane *lane,
                       const struct order_target *target, const struct due_order *order);
/* Ends the fetches that wait to leave, without their leaving. */
void order_fetches_give_back(struct order_worker *worker);
void order_fetch_free(struct order_fetch *fetch);
/* Asks an ERP whether it serves again. Where the question cannot leave, the next probe is due in
 * its time. */
void order_probe_start(struct order_worker *worker, struct held_lane *lane,
                       const struct order_target *target);
