/*
 * The phone API of herald (doc A, section 4 "SMS tasks for phones"), as any phone speaks it:
 * claims, results, pings and calls, each by the key of a device. Requests run on the thread of
 * kit/fetch; their ends come back to the event loop.
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/secret.h"
#include "kit/base/uuid.h"
#include "kit/fetch/fetch.h"
#include "modem/config.h"

#include <systemd/sd-event.h>

/* Herald knows some of the modems by a device and its key. */
struct link {
    struct secret key;
    int64_t open_ms;    /* monotonic: herald is left alone until then */
    int64_t backoff_ms; /* 0 while herald answers */
    int64_t ping_ms;    /* monotonic: the next ping is due */
    bool is_pinging;
    bool is_refused; /* the key: told once */
};

/* A task as a claim brings it. */
struct job {
    struct uuid id, lease_id;
    const char *recipient, *text;
    int64_t attempt;
};

struct herald_call;
/* Is called on the event loop; the call is freed behind it. */
typedef void herald_done(struct herald_call *call);

struct herald_call {
    struct fetch fetch;
    struct herald *herald;
    struct link *link;
    herald_done *done;
    void *owner;

    /* They tell `done` what the call was about, since that may be gone. */
    char number[CONFIG_NUMBER_SIZE];
    struct uuid id; /* of a task or an event */
    int state;      /* that is reported */
    int64_t started_ms;

    char url[1024];
    char key[256]; /* wiped with the call */
    struct buf body;
    struct herald_call *next;
};

struct herald;

/* `owner` goes with each call. NULL: the system does not give what it takes. */
struct herald *herald_new(sd_event *event, const struct config *config, void *owner);
/* Cancels what is under way: the process ends. */
void herald_free(struct herald *herald);

/* Returns how many requests are under way. */
int herald_load(struct herald *herald);

/* Start a request; false: there are too many, and it is to be tried again later. */
bool herald_claim(struct herald *herald, struct link *link, const char *number, bool is_ready,
                  herald_done *done);
struct herald_result {
    struct uuid task_id, lease_id;
    int state; /* handed on to `done` */
    const char *number, *status, *error;
    bool permanent;
};
bool herald_report(struct herald *herald, struct link *link, const struct herald_result *result,
                   herald_done *done);
struct herald_event {
    struct uuid id;
    const char *number, *caller; /* caller NULL: a call without a number */
    int64_t occurred_ms;
};
bool herald_tell_call(struct herald *herald, struct link *link, const struct herald_event *event,
                      herald_done *done);
/* `status` is a JSON object. */
bool herald_ping(struct herald *herald, struct link *link, struct str status, herald_done *done);

/* Judges an answer: true for 2xx. Else the link waits where herald asks for it, does not answer or
 * refuses the key, and `ret_is_to_repeat` tells whether the request is to be made again. */
bool herald_is_good(struct herald_call *call, bool *ret_is_to_repeat);
/* Reads the answer to a claim; `ret_job` is NULL where there is nothing to send. False: it is not
 * what the contract promises. */
bool herald_read_job(struct herald_call *call, struct arena *arena, const struct job **ret_job);
/* Reads "result" of the answer to a call: confirmed, no_challenge or late; "" if there is none. */
const char *herald_read_verdict(struct herald_call *call, struct arena *arena);
