/*
 * The ERP as a server: what the loop of its port, that of the control API and its errands share.
 * All but what is said to be otherwise is read and written under `lock`.
 */
#pragma once

#include "behaviours.h"
#include "documents.h"
#include "options.h"
#include "sim/common/ledger.h"
#include "sim/common/port.h"

struct visit;

struct sim {
    const struct options *options; /* never changes */
    struct errands *errands;       /* the same */
    pthread_mutex_t lock;
    struct ledger *ledger;
    struct behaviours *behaviours;
    struct documents *documents;
    struct port port;
    bool is_stopping;
    uint64_t generation; /* of the last reset */

    int64_t calls[METHOD_COUNT];
    int64_t unauthorized;
    int64_t malformed; /* requests that were no HTTP */
    int in_flight;
    int in_flight_max;
    struct visit *held; /* what waits for its answer; of the port's loop alone */
};

/* NULL after a sentence on stderr. */
struct sim *sim_new(const struct options *options);
/* Its servers must have stopped before. */
void sim_free(struct sim *sim);
/* Forgets calls and behaviours, and documents if told so; slow answers are given now. */
void sim_reset(struct sim *sim, bool forgets_documents);

/* front.c: the port of the ERP */

struct http_handler front_handler(struct sim *sim);
/* What waits for its answer gets it now. */
void front_rush(struct sim *sim);

/* control_behave.c: a uuid in the arena, in lower case; NULL of NULL. 0, or the status of a
 * refusal. */
int ask_order(struct ask *ask, const char *order, const char **ret_order);

/* control_calls.c, control_behave.c, control_life.c; each ends with a row without a verb. */
extern const struct route call_routes[], behave_routes[], life_routes[];
/* The three, then NULL. */
extern const struct route *const control_routes[];
