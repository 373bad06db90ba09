/*
 * Events tell the core system of changes (contract, section 13). Rules say with their change that
 * there is an event; the unit of work keeps it, and behind its last statement writes it into the
 * outbox of its own store. So an event exists exactly when its change is committed, and shows its
 * subject as the commit leaves it. The room domain/event makes the feed of it.
 */
#pragma once

#include "core/work.h"
#include "kit/json/record.h"

#include <stdatomic.h>

enum event_subject {
    EVENT_OF_OTP,
    EVENT_OF_CHALLENGE,
    EVENT_OF_MESSAGE,
    EVENT_OF_ORDER,
    EVENT_OF_PACKAGE,
    EVENT_OF_SIM,
    EVENT_OF_DEVICE,
    EVENT_OF_ACCOUNT,
    EVENT_OF_CHANNEL,
    EVENT_OF_INTEGRATION,
    EVENT_OF_WEBHOOK_ENDPOINT,
    EVENT_SUBJECT_COUNT
};
extern const char *const event_subject_words[]; /* "otp" ...; ends with NULL */

enum event_type {
    EVENT_OTP_ACCEPTED,
    EVENT_OTP_SENT,
    EVENT_OTP_DELIVERED,
    EVENT_OTP_UNDELIVERED,
    EVENT_OTP_CONFIRMED,
    EVENT_OTP_EXPIRED,
    EVENT_OTP_EXHAUSTED,
    EVENT_OTP_CANCELED,
    EVENT_CHALLENGE_CONFIRMED,
    EVENT_CHALLENGE_EXPIRED,
    EVENT_CHALLENGE_CANCELED,
    EVENT_MESSAGE_SENT,
    EVENT_MESSAGE_DELIVERED,
    EVENT_MESSAGE_FAILED,
    EVENT_MESSAGE_UNKNOWN,
    EVENT_ORDER_ACCEPTED,
    EVENT_ORDER_REJECTED,
    EVENT_ORDER_FAILED,
    EVENT_PACKAGE_APPLIED,
    EVENT_PACKAGE_FAILED,
    EVENT_SIM_SILENT,
    EVENT_SIM_READY,
    EVENT_DEVICE_DISABLED,
    EVENT_DEVICE_ENABLED,
    EVENT_ACCOUNT_GONE,
    EVENT_ACCOUNT_BACK,
    EVENT_CHANNEL_CLOSED,
    EVENT_CHANNEL_OPENED,
    EVENT_CIRCUIT_OPENED,
    EVENT_CIRCUIT_CLOSED,
    EVENT_WEBHOOK_DISABLED,
    EVENT_TYPE_COUNT
};
extern const char *const event_type_words[]; /* "otp.accepted" ...; ends with NULL */

/* Text of a data that is longer is left out of its event. */
enum { EVENT_DATA_MAX = 18 * 1024 };
/* Is notified in the store whose outbox has new rows. */
#define EVENT_OUTBOX_TOPIC "outbox"

/* A room shows its subjects so. */
struct event_reader {
    const struct record *record;
    /* Reads a subject as its GET shows it, into the arena, and how many of its changes were events,
     * with those of this transaction. ERR_NOT_FOUND: it is gone, and there is no event. */
    enum err (*read)(struct work *work, const char *id, const void **ret_value,
                     int64_t *ret_sequence);
};

enum event_mode { EVENTS_AUTO, EVENTS_ON, EVENTS_OFF };
extern const char *const event_mode_words[];

/* service->events says whether this process writes events; NULL: it never does. */
struct event_setup {
    const struct event_reader *readers; /* by enum event_subject */
    enum event_mode mode;
    int64_t days; /* the feed keeps events for so long */
    /* Is told of events (struct event_row) in the transaction that numbers them; NULL: nobody is.
     */
    enum err (*on_published)(struct work *work, const struct record_list *events);
    /* With EVENTS_AUTO (domain/event/event_listen.c): */
    atomic_bool is_wanted;
    atomic_int_least64_t known_at_ms; /* monotonic: that was last read then */
    atomic_bool has_feed;             /* events were written at some time */
    atomic_int unheard;               /* units of work under way that found that nobody listens */
};
enum { EVENT_KNOWN_MS = 10 * 1000 }; /* what was read longer ago is not relied upon */

/* Tells whether events of this unit of work are written. All calls in one run agree. */
bool work_is_heard(struct work *work);
/* Adds an event about a subject of this store, whose row this transaction has changed and counted
 * the change in. Nothing happens while nobody listens. */
void work_event(struct work *work, enum event_type type, const char *subject_id);
void work_event_id(struct work *work, enum event_type type, const struct uuid *subject_id);
/* Erases what was personal in a subject: the feed forgets what its events told. */
void work_event_erase(struct work *work, enum event_subject subject, const struct uuid *subject_id);

/* core/work.c calls these: behind the last statement of a run, before a second run, and at the end.
 */
enum err event_write(struct work *work) MUST_CHECK;
void event_forget(struct work *work);

/* --- The outbox ------------------------------------------------------------------------------- */

/* A row of the outbox, and of the feed. */
struct event_row {
    int64_t place; /* in the outbox: rows of one subject are in order */
    int64_t seq;   /* in the feed */
    struct uuid id;
    const char *type; /* "" in the outbox: the subject is erased */
    enum event_subject subject;
    const char *subject_id;
    int64_t sequence;
    int64_t at;              /* wall time: each delivery of the event says the same */
    const char *data;        /* JSON; NULL: none, or erased */
    const char *traceparent; /* that deliveries of it carry; NULL: it has no trace */
};
/* Returns its data as a role may see it, borrowed from the row or in the arena; data NULL: there is
 * none, or it cannot be masked. */
struct str event_show(const struct event_setup *setup, const struct event_row *row, enum role role,
                      struct arena *arena);
/* Tells whether something of this store is still to be erased from the feed. */
enum err outbox_has_erasures(struct work *work, bool *ret_has) MUST_CHECK;
enum err outbox_insert(struct work *work, const struct event_row *row) MUST_CHECK;
