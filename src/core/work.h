/*
 * A unit of work is one transaction with all that a domain function needs beside its own arguments.
 * Requests and jobs both make one, so that the rules do not know who asked. Code that needs more
 * puts the work into a struct of its own, which CONTAINER_OF finds again.
 */
#pragma once

#include "core/actor.h"
#include "core/route.h"
#include "kit/base/arena.h"
#include "kit/base/log.h"
#include "kit/base/metric.h"
#include "kit/base/secret.h"
#include "kit/db/db.h"

struct audit_note; /* core/audit.c */
struct event_note; /* core/event.c */
struct service;    /* core/service.h */

/* A note is an entry for the log that is published once the transaction is durable, and dropped
 * with it otherwise. */
struct work_note {
    struct work_note *next;
    enum log_level level;
    const char *message;
    const struct log_field *fields; /* in the arena */
    size_t field_count;
};

/* This is counted once the transaction is durable, and dropped with it otherwise. */
struct work_count {
    struct work_count *next;
    const struct metric *metric; /* NULL: it is a tally */
    size_t series;
    int64_t amount;                   /* of a counter; of a histogram, microseconds */
    const char *name, *key, *outcome; /* of a tally */
};

struct work {
    /* First, since the database gives this pointer back. Whoever starts the work may set is_read,
     * is_whole, is_bounded and group before. A run that may not write (is_read) returns
     * ERR_WRITE_NEEDED to ask for one that may. */
    struct db_task task;
    enum err (*run)(struct work *work);
    void (*end)(struct work *work, enum err err);

    struct db_tx *tx;
    struct arena *arena;
    int64_t now_ms; /* read once; the transaction has no other clock */
    struct service *service;
    const char *request_id;    /* NULL for jobs */
    const char *traceparent;   /* that fetches for it carry (core/trace.h); NULL: it has no trace */
    const struct actor *actor; /* set for each request of /internal/v1; NULL: herald itself */
    const char *address;       /* of the client, set together with `actor` */
    struct work_note *notes;   /* oldest first */
    struct work_note **notes_end;
    struct work_count *counts; /* the newest first */

    /* For the audit (core/audit.h), which is written behind the last statement of a run. */
    enum route_store store;    /* whose transaction it is */
    struct audit_note *audits; /* oldest first */
    struct audit_note **audits_end;

    /* For the outbox (core/event.h), which is written there, too. */
    enum { HEARING_UNKNOWN, HEARING_NOBODY, HEARING_SOMEBODY } hearing;
    struct event_note *events; /* oldest first */
    struct event_note **events_end;
    bool makes_events; /* a subject is read for its event, which has no words of others */

    struct db_stmt *key_in_force; /* as read for the values that were sealed; NULL: none was */
    uint8_t sealed_by[VAULT_PREFIX_LEN];
};

void work_init(struct work *work, struct service *service, struct arena *arena, int64_t now_ms,
               const char *request_id);
/* Forgets the notes, events and records for the audit of an earlier run of the same transaction. */
void work_restart(struct work *work, struct db_tx *tx);

/* Runs `run` as one transaction of `db` and waits for its end; it only reads if `task.is_read` was
 * set. `run` may run twice; the notes are those of the last run. Not for database threads. */
enum err work_run(struct work *work, struct db *db, enum err (*run)(struct work *work)) MUST_CHECK;
/* Does the same without waiting. The work lives until `end`, which may free it, is called once on a
 * thread of the database. If db_submit refuses it, this returns the error and `end` is not called.
 */
enum err work_start(struct work *work, struct db *db, enum err (*run)(struct work *work),
                    void (*end)(struct work *work, enum err err)) MUST_CHECK;

/* Counts `amount` of a counter, or one event of a histogram that took so many microseconds, once
 * the transaction of this work is durable. */
void work_count(struct work *work, const struct metric *metric, size_t series, int64_t amount);
/* Does the same in a tally (kit/base/tally.h); the key is copied. */
void work_tally(struct work *work, const char *name, const char *key, const char *outcome);

/* Adds a note; texts are copied into the arena. */
void work_note(struct work *work, enum log_level level, const char *message,
               const struct log_field *fields, size_t field_count);
