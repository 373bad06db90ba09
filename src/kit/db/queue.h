/* The queue holds the tasks that wait for a database thread: first those that go ahead, then the
 * others, oldest first. It is bounded, and any number of threads may use it. */
#pragma once

#include "kit/db/db.h"

#include <pthread.h>

struct db_queue {
    pthread_mutex_t mutex;
    pthread_cond_t filled;
    pthread_cond_t needed; /* more tasks wait than threads wait for one */
    pthread_cond_t closed;
    struct db_task *first;
    struct db_task **end;
    size_t count;
    size_t waiting; /* threads that wait for a task in db_queue_take_group, or are about to */
    uint64_t groups[DB_CONNECTIONS_MAX]; /* groups with tasks under way */
    size_t group_count;
    bool is_closed;
};

void db_queue_init(struct db_queue *queue);
void db_queue_done(struct db_queue *queue);

/* Returns ERR_OVERLOADED if DB_QUEUE_MAX tasks wait, ERR_STORAGE_UNAVAILABLE once it is closed. */
enum err db_queue_push(struct db_queue *queue, struct db_task *task) MUST_CHECK;

/* Waits for a task and takes those that are there: `max` at most, and no more than a fair share of
 * them if `takers` threads use the queue. Returns 0 once the queue is closed and empty. */
size_t db_queue_take(struct db_queue *queue, size_t takers, size_t max,
                     struct db_task **ret_batch) MUST_CHECK;
/* Waits for a task whose group is not under way and takes it, together with others of its group, in
 * their order, `max` at most. The group is under way until db_queue_end_group. Returns 0 once the
 * queue is closed and nothing is left to take. */
size_t db_queue_take_group(struct db_queue *queue, size_t max,
                           struct db_task **ret_batch) MUST_CHECK;
/* Ends what was taken as a group. Does nothing for 0. */
void db_queue_end_group(struct db_queue *queue, uint64_t group);
/* Returns the group of a task; 0 if it goes by itself. */
uint64_t db_queue_group_of(const struct db_task *task);

/* Takes tasks without waiting; returns 0 if there are none. */
size_t db_queue_take_now(struct db_queue *queue, size_t max, struct db_task **ret_batch) MUST_CHECK;
/* Takes all tasks whose deadline has passed. */
size_t db_queue_take_late(struct db_queue *queue, int64_t now_ms,
                          struct db_task **ret_batch) MUST_CHECK;
/* Gives back tasks that were taken and not begun: they are next, after those that go ahead. */
void db_queue_return(struct db_queue *queue, struct db_task *batch);

/* Waits until more tasks are there than threads wait for one in db_queue_take_group. Returns false
 * once the queue is closed and empty. Else the thread counts as one that waits, until it says that
 * it is ready to take one, or cannot. */
bool db_queue_await_need(struct db_queue *queue);
void db_queue_end_need(struct db_queue *queue);
/* Waits until there is a task, the queue is closed or `wait_ms` have passed. */
void db_queue_await_task(struct db_queue *queue, int64_t wait_ms);
/* Waits until the queue is closed or `wait_ms` have passed; true if it is closed. */
bool db_queue_await_close(struct db_queue *queue, int64_t wait_ms);
/* Lets no more tasks in; those inside are still taken. */
void db_queue_close(struct db_queue *queue);
