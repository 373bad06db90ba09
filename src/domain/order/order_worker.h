/*
 * The parts of the worker's side: what order_*_job.c share, and nobody else sees.
 *
 * One thread does all there is to do, turn by turn: a turn is a transaction that records the calls
 * that have ended and begins those that are due. So lanes and calls need no lock. What comes
 * from other threads (calls that have ended, wakes, the stop) goes through the inbox.
 */
#pragma once

#include "domain/order/order_job.h"
#include "domain/order/order_lane_db.h"
#include "domain/order/order_turn_db.h"
#include "kit/fetch/fetch.h"
#include "kit/job/job.h"

#include <pthread.h>

enum {
    ORDER_PAGE_MAX = 128,             /* lanes looked at in a turn */
    ORDER_TAKEN_MAX = 16,             /* lanes taken in a turn: other workers get some, too */
    ORDER_CALL_MARGIN_MS = 10 * 1000, /* behind its time-out a call is over, and recorded */
    ORDER_LEAVE_WITHIN_MS = ORDER_CALL_MARGIN_MS / 2, /* of its beginning, or it does not */
    ORDER_RENEW_EVERY_MS = 10 * 1000, /* lanes that had nothing to do for so long are given back */
    ORDER_TELL_EVERY_MS = 60 * 1000,  /* that a lane is failing */
    ORDER_LANE_BUCKETS = 1024,
};

struct held_lane;

/* An attempt, from its beginning until it is recorded. */
struct order_call {
    struct fetch_call call;  /* first: `done` gives this pointer back */
    struct order_call *next; /* in the inbox, or of those that wait to leave or to be recorded */
    struct order_call *next_of_lane;
    struct order_worker *worker;
    struct held_lane *lane;
    struct uuid id, order_id; /* of its row, and its own */
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
    struct arena arena;
};

/* The question whether an ERP serves again. */
struct order_probe {
    struct fetch_call call; /* first: `done` gives this pointer back */
    struct order_probe *next;
    struct order_worker *worker;
    struct held_lane *lane;
    struct arena arena;
};

struct held_lane {
    struct held_lane *next; /* in its bucket */
    struct uuid integration_id;
    struct order_lane lane;
    bool is_unwritten; /* `lane` is not yet in the database */
    struct held_lane *next_unwritten;
    struct order_call *calls;                  /* not yet recorded */
    int under_way;                             /* of them, without an answer */
    int in_flight;                             /* of those, with their ERP */
    struct order_call *waiting, **waiting_end; /* the others, to leave in this order */
    bool is_quick;                             /* its ERP, at the last call */
    int overdue; /* calls under way that hid other orders when it was last looked at */
    bool is_probing;
    int64_t used_ms; /* monotonic: when something was last begun or recorded */
    bool is_told;    /* that it is failing */
    int64_t told_ms; /* monotonic: when */
};

struct held_lanes {
    struct held_lane *buckets[ORDER_LANE_BUCKETS];
    size_t count;
    struct held_lane *unwritten;
};

enum {
    ORDER_PEERS_MAX = 256, /* signs of life that are looked at, one's own among them */
    ORDER_STILL_MS = 4 * ORDER_LOOK_EVERY_MS, /* who stood still for so long judges nobody */
};

/* Another worker, by the signs of life that were seen of it. */
struct order_peer {
    struct life_sign sign;
    int64_t seen_ms; /* monotonic: when this sign was new */
    bool is_buried;  /* in the turn at hand */
};
struct order_peers {
    struct order_peer items[ORDER_PEERS_MAX];
    size_t count;
    int64_t looked_ms; /* monotonic: when last; 0: never */
    int64_t shown_ms;  /* likewise: the own sign */
};

/* What came from other threads since the last turn. */
struct order_inbox {
    struct order_call *calls;
    struct order_probe *probes;
    bool is_woken, is_pausing, is_stopping;
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
    bool is_clock_doubtful; /* it may have been set back since the turn before */
    int64_t clock_back_ms;  /* by so much it was; 0: not known */

    /* By the calls that wait to be recorded: 1 where it was news; true where the order has another
     * document. */
    int64_t *are_ended;
    bool *are_second;

    struct uuid *renewed, *released;
    size_t renewed_count, released_count;

    bool is_showing; /* its sign of life, to be noted once it is durable */
    bool is_looking; /* at those of others */
    struct order_peer *peers;
    size_t peer_count;

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
    struct service *service;
    struct event_log *event_log;
    struct fetch_client *client;
    struct uuid id; /* as a holder of lanes */
    pthread_t thread;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t is_called, is_changed;
    struct order_inbox inbox;
    struct order_call **calls_end;
    bool has_paused; /* no call begins any more */
    bool has_stopped;
    bool is_busy; /* calls are under way, or wait to be recorded */

    /* The thread's own. */
    struct held_lanes lanes;
    struct order_peers peers;
    struct order_call *unrecorded, **unrecorded_end;
    size_t unrecorded_count;
    int under_way, probes;
    size_t bytes;              /* of the bodies of calls that are not yet recorded */
    struct uuid cursor;        /* behind this lane the next page begins; nil: it is the first */
    bool is_round_stale;       /* the pages before it may have something due by now */
    int64_t renew_at_ms;       /* monotonic */
    int64_t waits_check_at_ms; /* monotonic */
    int64_t clock_ahead_ms;    /* of the monotonic one, in the turn before; 0: there was none */
    bool is_troubled;          /* the database was told not to answer, and did not since */
    struct order_turn turn;
};

/* --- order_job.c: the inbox --- */

/* Any thread. */
void order_worker_take_call(struct order_worker *worker, struct order_call *call);
void order_worker_take_probe(struct order_worker *worker, struct order_probe *probe);

/* --- order_turn_job.c --- */

/* Records what has ended and begins what is due. False if the database did not take it. */
bool order_turn_run(struct order_worker *worker, bool may_begin);

/* --- order_record_job.c: within the transaction, and after it --- */

enum err order_turn_record(struct order_turn *turn) MUST_CHECK;
void order_turn_recorded(struct order_turn *turn);

/* --- order_peer_job.c: the same --- */

#define ORDER_LIFE "orders"
/* Frees what those held who are dead. */
enum err order_turn_bury(struct order_turn *turn) MUST_CHECK;
/* Shows that this worker lives, if it holds anything. */
enum err order_turn_show_life(struct order_turn *turn) MUST_CHECK;
void order_turn_seen(struct order_turn *turn);

/* --- order_begin_job.c: the same --- */

enum err order_turn_begin(struct order_turn *turn) MUST_CHECK;
void order_turn_begun(struct order_turn *turn);

/* --- order_call_job.c --- */

/* NULL: its ERP may be called; else why not. */
const char *order_target_fault(const struct service *service, const struct order_target *target);
/* How its ERP is reached, and how long it may take. */
struct fetch_route order_route(const struct service *service, const struct order_target *target);
/* Begins an attempt that is stored as begun; its call leaves when there is a place for it. */
void order_call_start(struct order_worker *worker, struct held_lane *lane,
                      const struct order_target *target, const struct due_order *order);
/* What waits to leave ends without having left. */
void order_calls_give_back(struct order_worker *worker);
/* What has ended is counted, and waits to be recorded. */
void order_call_end(struct order_call *call, int64_t now_ms);
void order_call_free(struct order_call *call);

/* --- order_probe_job.c --- */

void order_probe_start(struct order_worker *worker, struct held_lane *lane,
                       const struct order_target *target);
void order_probe_end(struct order_probe *probe, int64_t now_ms);

/* --- order_held_job.c --- */

struct held_lane *held_lane_find(const struct held_lanes *lanes, const struct uuid *integration_id);
struct held_lane *held_lane_add(struct held_lanes *lanes, const struct uuid *integration_id);
/* It changed, and is to be written. */
void held_lane_touch(struct held_lanes *lanes, struct held_lane *lane);
/* Whether nothing of it is under way or waits. */
bool held_lane_is_free(const struct held_lane *lane);
/* Frees those that `drops` says, and that are free. */
void held_lanes_drop(struct held_lanes *lanes,
                     bool (*drops)(const struct held_lane *lane, const void *arg), const void *arg);
/* Counts how an attempt ended, and tells what is worth telling. */
void held_lane_count(struct order_worker *worker, struct held_lane *lane,
                     const struct order_answer *answer, int64_t now_ms);
/* A probe was answered with 2xx. */
void held_lane_close(struct order_worker *worker, struct held_lane *lane);
void held_lane_warn(struct order_worker *worker, struct held_lane *lane, int status,
                    int64_t now_ms);
