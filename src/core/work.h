/*
 * A unit of work is one transaction with all that a domain function needs beside its own arguments.
 * Requests and jobs both make one, so that the rules do not know who asked. Code that needs more
 * puts the work into a struct of its own, which CONTAINER_OF finds again.
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/log.h"
#include "kit/db/db.h"

struct service; /* core/service.h */

/* A note is an entry for the log that is published once the transaction is durable, and dropped
 * with it otherwise. */
struct work_note {
    struct work_note *next;
    enum log_level level;
    const char *message;
    const struct log_field *fields; /* in the arena */
    size_t field_count;
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
    const char *request_id;  /* NULL for jobs */
    struct work_note *notes; /* oldest first */
    struct work_note **notes_end;
};

void work_init(struct work *work, struct service *service, struct arena *arena, int64_t now_ms,
               const char *request_id);
/* Forgets the notes of an earlier run of the same transaction. */
void work_restart(struct work *work, struct db_tx *tx);

/* Runs `run` as one transaction of `db` and waits for its end; it only reads if `task.is_read` was
 * set. `run` may run twice; the notes are those of the last run. Not for database threads. */
enum err work_run(struct work *work, struct db *db, enum err (*run)(struct work *work)) MUST_CHECK;
/* Does the same without waiting. The work lives until `end`, which may free it, is called once on a
 * thread of the database. If db_submit refuses it, this returns the error and `end` is not called.
 */
enum err work_start(struct work *work, struct db *db, enum err (*run)(struct work *work),
                    void (*end)(struct work *work, enum err err)) MUST_CHECK;

/* Adds a note; texts are copied into the arena. */
void work_note(struct work *work, enum log_level level, const char *message,
               const struct log_field *fields, size_t field_count);
