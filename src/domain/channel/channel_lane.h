/* The parts of the worker's side: what channel_*job.c share, and nobody else sees. */
#pragma once

#include "domain/channel/channel_breaker.h"
#include "domain/channel/channel_job.h"
#include "domain/channel/channel_rules.h"
#include "kit/job/job.h"

#include <pthread.h>

/* A job with everything that it needs until it is recorded. */
struct slot {
    struct db_task task; /* first: the database gives this pointer back */
    struct slot *next;
    struct lane *lane;
    enum channel_step step; /* STEP_COUNT: it turned out that no call is needed */
    struct job job;
    struct channel_send send; /* as the claim left it; a record works on a copy */
    bool was_in_doubt;        /* an earlier call of this send may have gone out */
    bool is_probe;            /* the one call that an open circuit allows */
    struct channel_order order;
    struct channel_answer answer;
    struct client_call call; /* `done` finds the slot by it */
    struct arena arena;      /* lives as long as the slot */
    struct work work;
    enum breaker_change circuit; /* what this answer did to the circuit */
};

/* One channel's flow of jobs. */
struct lane {
    struct db_task task; /* of the claim; first: the database gives this pointer back */
    struct channel_worker *worker;
    int channel;

    /* Under the worker's lock. */
    bool is_claiming;      /* until the calls of the claim have begun */
    bool is_woken;         /* jobs may be due that no claim has looked for */
    int sends, follow_ups; /* under way or not yet recorded */
    bool is_short;         /* the last claim may have left due jobs, for want of room */
    struct breaker breaker;
    bool is_probing;
    int64_t pace_level; /* thousandths of a send that may go out now */
    int64_t paced_at_ms;
    struct slot *unrecorded; /* the database did not take them yet */

    /* The claim at hand: written while no task is in flight, or by the task. */
    int64_t claim_at_ms;
    int send_max, follow_up_max;
    struct slot *claimed, **claimed_end; /* in the order in which they were due */
    bool is_full;                        /* as many came as were asked for */
    struct arena arena;
};

struct channel_worker {
    struct service *service;
    struct audit *audit;
    struct client *client;
    pthread_t ticker;
    pthread_mutex_t lock;
    pthread_cond_t is_idle, is_ending;
    bool is_stopping; /* no claims, no calls */
    bool has_ticker;
    struct lane lanes[CHANNEL_COUNT];
};

static inline const struct channel_setup *lane_setup(const struct lane *lane)
{
    return &lane->worker->service->channels[lane->channel];
}

/* What waits grow like: first, twice that ... */
static inline int64_t backoff_ms(int64_t attempt, int64_t first_ms, int64_t max_ms)
{
    int64_t wait_ms = first_ms;
    for (int64_t i = 1; i < attempt && wait_ms < max_ms; i++)
        wait_ms *= 2;
    return wait_ms < max_ms ? wait_ms : max_ms;
}

/* --- channel_job.c --- */

/* Claims if there is room. The lock is held. */
void lane_pump(struct lane *lane);
/* The slot is over; the lane may take the next job. */
void slot_leave(struct slot *slot);
void slot_free(struct slot *slot);

/* --- channel_claim_job.c --- */

/* The transaction of lane->task; fills `claimed`. */
enum err lane_claim(struct db_task *task, struct db_tx *tx);
void lane_drop_claimed(struct lane *lane);

/* --- channel_call_job.c --- */

/* Ends the claim: begins the calls. */
void lane_claim_done(struct db_task *task, enum err err);
/* Whether the driver can be asked for that step. */
bool driver_has_step(const struct channel_driver *driver, enum channel_step step);

/* --- channel_record_job.c --- */

/* Records slot->answer; the slot leaves when that is done. */
void slot_record(struct slot *slot);
