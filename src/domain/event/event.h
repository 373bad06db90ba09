/*
 * The feed of events (contract, section 13.2): events of both stores, numbered without a gap behind
 * their commits. core/event.h says how they come into an outbox. The feed lives in the verification
 * store.
 */
#pragma once

#include "core/event.h"
#include "core/service.h"
#include "core/work.h"

enum {
    EVENT_LIMIT_MAX = 500,
    EVENT_LIMIT_DEFAULT = 100,
    EVENT_WAIT_MAX_S = 30,
    EVENT_LOOKED_MAX = 5000, /* numbers that one answer goes through for the types that it wants */
    EVENT_TYPES_LEN_MAX = 1000,
    EVENT_DAYS_MAX = 90,
    EVENT_LISTEN_MS = 2000, /* a registration is confirmed within this time, or refused */
};
/* Is notified once events have numbers. */
#define EVENT_TOPIC "event"
/* Is notified when it changes whether somebody listens. */
#define EVENT_LISTEN_TOPIC "event_listen"
/* Is notified when a process has confirmed that it knows. */
#define EVENT_CONFIRMED_TOPIC "event_confirmed"

/* --- The feed --------------------------------------------------------------------------------- */

struct event_subject_ref {
    enum event_subject type;
    const char *id;
    int64_t sequence;
};
struct event {
    struct uuid id;
    int64_t seq;
    const char *type;
    int64_t timestamp;
    struct event_subject_ref *subject;
    struct str data; /* JSON; data NULL: none */
};
enum event_from { EVENTS_FROM_OLDEST, EVENTS_FROM_NOW };
extern const char *const event_from_words[];
struct event_query {
    int64_t after;     /* -1: `from` says where to begin */
    int from;          /* enum event_from */
    const char *types; /* "otp.confirmed,order.*"; NULL: all */
    int64_t limit;
    int64_t wait_seconds;
};
struct event_list {
    struct record_list events; /* of struct event, in order */
    int64_t last_seq;          /* `after` of the next request */
    /* Not shown: */
    bool is_at_end;     /* no event behind it has a number yet */
    int64_t oldest_seq; /* of ERR_EVENTS_GONE */
};

/* Reads on behind `after`. ERR_EVENTS_OFF: none are written at the moment. ERR_EVENTS_GONE: events
 * behind `after` are not kept any more, or it is no place of this feed; `ret_list` has the oldest
 * number. ERR_VALIDATION: `types` names a type that there is not; `ret_fault` says which. */
enum err event_list(struct work *work, const struct event_query *query, struct event_list *ret_list,
                    const char **ret_fault) MUST_CHECK;

/* Tells whether it names types: a type, "otp.*" for all of a subject, or "*". */
bool event_is_type(struct str wish);
/* Tells whether a wish for types means this one. */
bool event_is_meant(struct str wish, const char *type);
/* Reads events (struct event_row) by their numbers, in the order of these; those that are not kept
 * any more are left out. */
enum err event_select_numbers(struct work *work, const int64_t *numbers, size_t count,
                              struct record_list *ret_rows) MUST_CHECK;
/* Finds one among them by its number, or NULL. */
const struct event_row *event_find(const struct record_list *rows, int64_t seq);

extern const struct record event_query_record;
extern const struct record event_list_record;
extern const struct record event_record;

extern const struct route_table event_routes;

/* --- Who listens ------------------------------------------------------------------------------ */

/* Says whether somebody listens from now on (HERALD_EVENTS=auto); every living process confirms it
 * soon after the commit. */
enum err event_want(struct work *work, bool is_wanted) MUST_CHECK;
/* Holds the head of the feed until the end of the transaction, and tells whether somebody listens.
 */
enum err event_hold_head(struct work *work, bool *ret_is_wanted) MUST_CHECK;
/* Tells whether all living processes have confirmed that they know who listens. */
enum err event_is_confirmed(struct work *work, bool *ret_is_confirmed) MUST_CHECK;

/* Keeps this process informed: a thread asks every second, and when it is told. The first answer is
 * there when this returns, so no change of this process goes unnoticed; without one it writes
 * events. Not with EVENTS_OFF, for which it returns NULL. */
struct event_listener *event_listener_start(struct service *service);
void event_listener_wake(void *listener); /* for db_subscribe */
void event_listener_stop(struct event_listener *listener);
void event_listener_free(struct event_listener *listener);

/* --- The publisher ---------------------------------------------------------------------------- */

/* Numbers events, in one of the workers at a time, and drops those that are older than
 * service->events->days. */
struct event_publisher *event_publisher_start(struct service *service);
void event_publisher_wake(void *publisher); /* for db_subscribe */
void event_publisher_stop(struct event_publisher *publisher);
void event_publisher_free(struct event_publisher *publisher);
