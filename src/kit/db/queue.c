/* The queue of tasks: a list under a mutex, since a database thread takes many at a time. */
#include "kit/db/queue.h"

#include "kit/base/thread.h"

void db_queue_init(struct db_queue *queue)
{
    *queue = (struct db_queue){.end = &queue->first};
    pthread_mutex_init(&queue->mutex, NULL);
    thread_cond_init(&queue->filled);
    thread_cond_init(&queue->closed);
}

void db_queue_done(struct db_queue *queue)
{
    assert(!queue->first);
    pthread_cond_destroy(&queue->filled);
    pthread_cond_destroy(&queue->closed);
    pthread_mutex_destroy(&queue->mutex);
}

/* Where tasks come that are no later than the others. */
static struct db_task **place_behind_ahead(struct db_queue *queue)
{
    struct db_task **place = &queue->first;
    while (*place && (*place)->is_ahead)
        place = &(*place)->next;
    return place;
}

static void insert_locked(struct db_queue *queue, struct db_task **place, struct db_task *task)
{
    task->next = *place;
    *place = task;
    if (!task->next) queue->end = &task->next;
    queue->count++;
}

static enum err push_locked(struct db_queue *queue, struct db_task *task)
{
    if (queue->is_closed) return ERR_STORAGE_UNAVAILABLE;
    if (queue->count >= DB_QUEUE_MAX && !task->is_ahead) return ERR_OVERLOADED;

    insert_locked(queue, task->is_ahead ? place_behind_ahead(queue) : queue->end, task);
    pthread_cond_signal(&queue->filled);
    return ERR_OK;
}

enum err db_queue_push(struct db_queue *queue, struct db_task *task)
{
    pthread_mutex_lock(&queue->mutex);
    enum err err = push_locked(queue, task);
    pthread_mutex_unlock(&queue->mutex);
    return err;
}

/* Cuts `count` tasks off the front. */
static size_t cut_locked(struct db_queue *queue, size_t count, struct db_task **ret_batch)
{
    *ret_batch = queue->first;
    struct db_task **cut = ret_batch;
    for (size_t i = 0; i < count; i++)
        cut = &(*cut)->next;

    queue->first = *cut;
    *cut = NULL;
    queue->count -= count;
    if (!queue->first) queue->end = &queue->first;
    return count;
}

size_t db_queue_take(struct db_queue *queue, size_t takers, size_t max, struct db_task **ret_batch)
{
    pthread_mutex_lock(&queue->mutex);
    while (!queue->first && !queue->is_closed)
        pthread_cond_wait(&queue->filled, &queue->mutex);

    size_t share = (queue->count + takers - 1) / takers;
    size_t taken = cut_locked(queue, share < max ? share : max, ret_batch);
    pthread_mutex_unlock(&queue->mutex);
    return taken;
}

size_t db_queue_take_now(struct db_queue *queue, size_t max, struct db_task **ret_batch)
{
    pthread_mutex_lock(&queue->mutex);
    size_t taken = cut_locked(queue, queue->count < max ? queue->count : max, ret_batch);
    pthread_mutex_unlock(&queue->mutex);
    return taken;
}

void db_queue_return(struct db_queue *queue, struct db_task *batch)
{
    pthread_mutex_lock(&queue->mutex);
    struct db_task **place = place_behind_ahead(queue);
    while (batch) {
        struct db_task *task = batch;
        batch = task->next;
        insert_locked(queue, place, task);
        place = &task->next;
    }
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->mutex);
}

bool db_queue_await_close(struct db_queue *queue, int64_t wait_ms)
{
    struct timespec deadline = thread_deadline(wait_ms);
    pthread_mutex_lock(&queue->mutex);
    int timed_out = 0;
    while (!queue->is_closed && !timed_out)
        timed_out = pthread_cond_timedwait(&queue->closed, &queue->mutex, &deadline);
    bool is_closed = queue->is_closed;
    pthread_mutex_unlock(&queue->mutex);
    return is_closed;
}

void db_queue_close(struct db_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->is_closed = true;
    pthread_cond_broadcast(&queue->filled);
    pthread_cond_broadcast(&queue->closed);
    pthread_mutex_unlock(&queue->mutex);
}
