/*
 * A unit of work: one transaction with all that a domain function needs beside its own arguments.
 * Requests and jobs both make one, so that the rules do not know who asked. Whoever needs more than
 * that puts the work into a struct of its own, which CONTAINER_OF finds again.
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/log.h"
#include "kit/db/db.h"

struct service; /* the program's own context; the kit never looks inside */

/* Something to be said once the transaction is durable; dropped with it otherwise. */
struct work_note {
    struct work_note *next;
    enum log_level level;
    const char *message;
    const struct log_field *fields; /* in the arena */
    size_t field_count;
};

struct work {
    /* First: the database gives this pointer back. Who starts the work may set is_read, is_whole,
     * is_bounded and group before. A run that may not write (is_read) asks with ERR_WRITE_NEEDED for
     * one that may. */
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
/* Forgets what an earlier run of the same transaction noted. */
void work_restart(struct work *work, struct db_tx *tx);

/* Runs `run` as one transaction of `db`, and waits for its end; with `task.is_read` set before, one that
 * only reads. `run` may run twice: the notes are those of the last run. Not from a database thread.
 */
enum err work_run(struct work *work, struct db *db, enum err (*run)(struct work *work)) MUST_CHECK;
/* The same without waiting. The work lives until `end` is called, once, on a thread of the
 * database, which may free it; where db_submit refuses it, with that error, `end` is not called. */
enum err work_start(struct work *work, struct db *db, enum err (*run)(struct work *work),
                    void (*end)(struct work *work, enum err err)) MUST_CHECK;

/* Notes an entry for the log stream; texts are copied into the arena. */
void work_note(struct work *work, enum log_level level, const char *message,
               const struct log_field *fields, size_t field_count);
