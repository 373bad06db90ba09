/*
 * Declares the parts of the worker, which channel_*job.c share and nobody else sees. A lane is
 * pumped: it claims what is due (channel_claim_job.c), fetches (channel_fetch_job.c), records
 * (channel_record_job.c), and each end pumps it again (channel_lane_job.c).
 */
#pragma once

#include "domain/channel/channel_job.h"
#include "domain/channel/channel_rules.h"
#include "kit/base/macros.h"
#include "kit/job/circuit.h"
#include "kit/job/fetcher.h"
#include "kit/job/job.h"

/* The fetch of a slot asks one of these. */
enum slot_ask {
    ASK_STEP,    /* it does what the job's step says */
    ASK_ABILITY, /* before a send, whether the recipient can be reached; the send stays `queued` */
    ASK_FATE,    /* of a send in doubt, whether it went out */
    /* These fetch nothing, and leave the send as it was; they are recorded by themselves, since an
     * owner's row is locked first and the claim has locked others by then. */
    ASK_TURN, /* it is put off until another turn */
    ASK_END,  /* it is over */
};

/* A slot has a job with everything that it needs until it is recorded. */
struct slot {
    struct fetch_slot base;
    struct slot *next;
    struct lane *lane;
    enum channel_step step; /* STEP_COUNT: it turned out that no fetch is needed */
    enum slot_ask ask;
    struct job job;
    struct channel_send send; /* as the claim left it; a record works on a copy */
    bool was_in_doubt;        /* an earlier fetch of this send may have gone out */
    bool is_probe;            /* the one fetch that an open circuit allows */
    bool goes_on;             /* its job was recorded to run again at once */
    bool is_fetching;         /* counts among the lane's fetches */
    bool is_late;             /* found so long after its time that it asks for a turn */
    int64_t turn_at_least_ms; /* of ASK_TURN */
    enum send_state end;      /* of ASK_END; why is in the answer */
    struct channel_content content;
    struct channel_answer answer;
    struct work work;
    enum circuit_change circuit; /* what this answer did to the circuit */
};

/* A probe is the driver's own fetch that asks whether the provider serves. */
struct probe {
    struct lane *lane;
    bool is_under_way, was_made; /* under the worker's lock */

    /* These are set while it is under way. */
    struct fetch_slot base;
    struct channel_answer answer;
    struct work work;
    enum circuit_change circuit;
};

/* A lane is the queue of one channel's jobs. */
struct lane {
    /* These are set once. */
    struct channel_worker *worker;
    int channel;

    /* The worker's lock guards what is under way. */
    int fetches;             /* sends that the provider has not answered yet */
    int sends, follow_ups;   /* under way or not yet recorded */
    struct slot *unrecorded; /* the database did not take them yet */

    /* The worker's lock guards when to claim again. */
    bool is_claiming;    /* until the fetches of the claim have begun */
    bool is_woken;       /* jobs may be due that no claim has looked for */
    bool has_follow_ups; /* the same of follow-ups, which can wait for the ticker */
    bool is_short;       /* the last claim may have left due jobs, for want of room */

    /* The worker's lock guards what the provider allows. */
    struct circuit circuit; /* by the monotonic clock */
    int unshared_changes;   /* of it, which the other processes do not know yet */
    bool is_probing;        /* by a send */
    struct probe probe;
    int64_t pace_level; /* thousandths of a send that may go out now */
    int64_t paced_at_ms;

    /* The claim at hand belongs to whoever has it: lane_pump until it is begun (with the lock),
     * then its transaction, then lane_claimed. */
    struct work work;
    struct arena arena;
    int send_max, follow_up_max;
    bool asks_circuit;       /* this process knows nothing better than what others tell */
    int64_t closed_until_ms; /* no send goes out before; 0: they do */
    struct slot *claimed, **claimed_end; /* in the order in which they were due */
    bool is_full, are_follow_ups_full;   /* as many came as were asked for */
    enum err claim_err;                  /* of the last one */
};

/* The worker's lock is that of its fetcher. */
struct channel_worker {
    struct fetcher fetcher;
    struct service *service;
    struct event_log *event_log;
    /* A pump begins lane_claim, and lane_claimed after it, which stand in files above that of the
     * pump. */
    enum err (*claim)(struct work *work);
    void (*claimed)(struct work *work, enum err err);
    struct lane lanes[CHANNEL_COUNT];
};

static inline const struct channel_setup *lane_setup(const struct lane *lane)
{
    return &lane->worker->service->channels[lane->channel];
}

/* --- channel_lane_job.c: what all others stand on --- */

/* Counts how a fetch ended; CIRCUIT_OPENED and CIRCUIT_CLOSED are all that is news. */
enum circuit_change channel_count_outcome(struct circuit *circuit, enum channel_outcome outcome,
                                          int64_t now_ms);
/* Counts how a fetch of the lane ended, and tells the log at once of what is news. */
enum circuit_change lane_count(struct lane *lane, const struct fetch *fetch,
                               const struct channel_answer *answer);
/* Tells the other processes what the circuit does. */
enum err lane_share_circuit(struct lane *lane, struct work *work, enum circuit_change change,
                            const char *cause) MUST_CHECK;
/* The transaction that told of `change` has ended, one way or the other. */
void lane_circuit_shared(struct lane *lane, enum circuit_change change);
/* Tells whether the driver can ask its provider if it serves, so that no send has to find out. */
bool lane_has_probe(const struct lane *lane);
/* Claims if there is room. The lock is held. */
void lane_pump(struct lane *lane);
/* Frees a slot that is over; the lane may take the next job. */
void slot_leave(struct slot *slot);
void slot_free(struct slot *slot);

/* --- channel_claim_job.c --- */

/* Claims, in the transaction `work`, and fills `claimed`. */
enum err lane_claim(struct work *work) MUST_CHECK;
/* Frees what was claimed. */
void lane_drop_claimed(struct lane *lane);
/* Tells whether the send carries the id of a check, by which the provider tells what became of
 * it. */
bool lane_can_ask_fate(const struct lane *lane, const struct channel_send *send);
/* Takes a turn, not before `at_least_ms`, for a send that does not go out when it was to. */
enum err slot_take_turn(struct slot *slot, int64_t at_least_ms, int64_t *ret_run_at) MUST_CHECK;

/* --- channel_record_job.c --- */

/* Records slot->answer; the slot leaves when that is done. */
void slot_record(struct slot *slot);

/* --- channel_fetch_job.c --- */

/* Ends the claim: begins the fetches. */
void lane_claimed(struct work *work, enum err err);
