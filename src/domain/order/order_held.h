/*
 * The lanes that this worker holds, and what the log tells of them. Only the worker's thread uses
 * them.
 */
#pragma once

#include "domain/order/order_lane.h"

enum {
    ORDER_LOG_EVERY_MS = 60 * 1000, /* that a lane is failing */
    ORDER_LANE_BUCKETS = 1024,
};

struct event_log;
struct order_fetch;

struct held_lane {
    struct held_lane *next; /* in its bucket */
    struct uuid integration_id;
    struct order_lane lane;
    bool is_unwritten; /* `lane` is not yet in the database */
    bool was_open;     /* its circuit, as it is written there */
    struct held_lane *next_unwritten;
    struct order_fetch *fetches;                /* not yet recorded */
    int under_way;                              /* of them, without an answer */
    int in_flight;                              /* of those, with their ERP */
    struct order_fetch *waiting, **waiting_end; /* the others, to leave in this order */
    bool is_quick;                              /* its ERP, at the last fetch */
    int overdue; /* fetches under way that hid other orders when it was last looked at */
    bool is_probing;
    int64_t used_ms; /* monotonic: when something was last begun or recorded */
    bool is_told;    /* that it is failing */
    int64_t told_ms; /* monotonic: when */
};

struct held_lanes {
    struct event_log *event_log;
    struct held_lane *buckets[ORDER_LANE_BUCKETS];
    size_t count;
    struct held_lane *unwritten;
};

struct held_lane *held_lane_find(const struct held_lanes *lanes, const struct uuid *integration_id);
struct held_lane *held_lane_add(struct held_lanes *lanes, const struct uuid *integration_id);
/* Notes that a lane changed, and has to be written. */
void held_lane_touch(struct held_lanes *lanes, struct held_lane *lane);
/* Notes that all are written, or that nobody will write them any more. */
void held_lanes_written(struct held_lanes *lanes);
/* Frees those that `drops` names (NULL: all), unless something of them is under way or waits. */
void held_lanes_drop(struct held_lanes *lanes,
                     bool (*drops)(const struct held_lane *lane, const void *arg), const void *arg);
/* Counts how an attempt ended, and logs what is worth it. */
void held_lane_count(struct held_lanes *lanes, struct held_lane *lane,
                     const struct order_answer *answer, int64_t now_ms);
/* Takes a probe that was answered with 2xx. */
void held_lane_close(struct held_lanes *lanes, struct held_lane *lane);
/* Takes a probe that was not, with what came instead. */
void held_lane_fail_probe(struct held_lanes *lanes, struct held_lane *lane, const char *error);
/* Warns that its ERP refused our token, with this status. */
void held_lane_warn(struct held_lanes *lanes, struct held_lane *lane, int status, int64_t now_ms);
