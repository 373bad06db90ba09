/*
 * A request that waits for an event (rq->wait_ms) is parked here, with no transaction and no thread
 * of its own. When there may be an event, or its time is over, it runs again as a whole; so a key
 * that was revoked meanwhile is refused.
 */
#pragma once

#include <stdbool.h>

struct dispatch;
struct parking;

/* `run` runs a parked request again; any thread. */
struct parking *parking_start(void (*run)(struct dispatch *ex));
/* Runs all that are parked, and parks none from now on. */
void parking_stop(struct parking *parking);
void parking_free(struct parking *parking);

/* Notes what is known as the request begins to look, so that what comes meanwhile is not missed. */
void parking_look(struct parking *parking, struct dispatch *ex);
/* Takes a request that has found nothing. Returns false if its time is over, or too many wait: then
 * it is to be answered as it is. */
bool parking_add(struct parking *parking, struct dispatch *ex) __attribute__((warn_unused_result));
/* There may be an event; for db_subscribe. */
void parking_wake(void *parking);
