/* The tasks that wait for a database thread: those that go ahead, then the others, oldest first.
 * Bounded; any number of threads. */
#pragma once

#include "kit/db/db.h"

#include <pthread.h>

struct db_queue {
    pthread_mutex_t mutex;
    pthread_cond_t filled;
    pthread_cond_t closed;
    struct db_task *first;
    struct db_task **end;
    size_t count;
    uint64_t groups[DB_CONNECTIONS_MAX]; /* of which tasks are under way */
    size_t group_count;
    bool is_closed;
};

void db_queue_init(struct db_queue *queue);
void db_queue_done(struct db_queue *queue);

/* ERR_OVERLOADED if DB_QUEUE_MAX tasks wait, ERR_STORAGE_UNAVAILABLE once it is closed. */
enum err db_queue_push(struct db_queue *queue, struct db_task *task) MUST_CHECK;

/* Waits for tasks and takes what is there: `max` at most, and no more than a fair part if `takers`
 * threads share the queue. Never waits for company. 0 means closed and empty. */
size_t db_queue_take(struct db_queue *queue, size_t takers, size_t max,
                     struct db_task **ret_batch) MUST_CHECK;
/* Waits for a task of which no other of its group is under way, and takes it; with it up to `max`
 * in all of its group, in their order. Until db_queue_end_group they are under way. 0 means closed,
 * and nothing left to take. */
size_t db_queue_take_group(struct db_queue *queue, size_t max,
                           struct db_task **ret_batch) MUST_CHECK;
/* What was taken as a group is over. Nothing happens for 0. */
void db_queue_end_group(struct db_queue *queue, uint64_t group);
/* Of a task; 0: it goes by itself. */
uint64_t db_queue_group_of(const struct db_task *task);

/* db_queue_take without waiting; 0 if nothing is there. */
size_t db_queue_take_now(struct db_queue *queue, size_t max, struct db_task **ret_batch) MUST_CHECK;
/* Takes all whose time is over. */
size_t db_queue_take_late(struct db_queue *queue, int64_t now_ms,
                          struct db_task **ret_batch) MUST_CHECK;
/* Gives back what was taken and not begun: it is next, after those that go ahead. */
void db_queue_return(struct db_queue *queue, struct db_task *batch);

/* Waits until there is a task, the queue is closed or `wait_ms` have passed. */
void db_queue_await_task(struct db_queue *queue, int64_t wait_ms);
/* Waits until the queue is closed or `wait_ms` have passed; true if it is closed. */
bool db_queue_await_close(struct db_queue *queue, int64_t wait_ms);
/* No more tasks come in; those inside are still taken. */
void db_queue_close(struct db_queue *queue);
