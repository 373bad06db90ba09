/*
 * The ERP as a server. All but what is said to be otherwise is read and written under the lock of
 * the server.
 */
#pragma once

#include "behaviours.h"
#include "documents.h"
#include "options.h"
#include "sim/common/server.h"

struct call;

struct sim {
    const struct options *options; /* never changes */
    struct server server;
    struct behaviours *behaviours;
    struct documents *documents;
    int64_t calls[METHOD_COUNT];
    int64_t unauthorized;
    int64_t malformed; /* requests that were no HTTP */
    int in_flight;
    int in_flight_max;
    struct call *held; /* what waits for its answer; of the port's loop alone */
};

/* NULL after a sentence on stderr. */
struct sim *sim_new(const struct options *options);
/* Its server must have stopped before. */
void sim_free(struct sim *sim);
/* Forgets calls and behaviours, and documents if told so; slow answers are given now. */
void sim_reset(struct sim *sim, bool forgets_documents);

/* front.c: the port of the ERP */

struct http_handler front_handler(struct sim *sim);
/* Gives whatever waits its answer now. */
void front_flush(struct sim *sim);

/* control_behave.c: a uuid in the arena, in lower case; NULL of NULL. 0, or the status of a
 * refusal. */
int control_read_order(struct control_request *request, const char *order, const char **ret_order);

/* control_calls.c, control_behave.c, control_reset.c; each ends with a row without a verb. */
extern const struct route call_routes[], behave_routes[], reset_routes[];
/* They, and those of the port; then NULL. */
extern const struct route *const control_routes[];
