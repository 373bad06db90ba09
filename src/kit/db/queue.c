/* The queue is a list under a mutex, since a database thread takes many tasks at a time. */
#include "kit/db/queue.h"

#include "kit/base/thread.h"

void db_queue_init(struct db_queue *queue)
{
    *queue = (struct db_queue){.end = &queue->first};
    pthread_mutex_init(&queue->mutex, NULL);
    thread_cond_init(&queue->filled);
    thread_cond_init(&queue->needed);
    thread_cond_init(&queue->closed);
}

void db_queue_done(struct db_queue *queue)
{
    assert(!queue->first);
    pthread_cond_destroy(&queue->filled);
    pthread_cond_destroy(&queue->needed);
    pthread_cond_destroy(&queue->closed);
    pthread_mutex_destroy(&queue->mutex);
}

/* Returns the place behind the tasks that go ahead. */
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

/* A thread that waits for a task takes the new one; one more is needed where there are not enough.
 */
static void wake_locked(struct db_queue *queue)
{
    pthread_cond_signal(&queue->filled);
    if (queue->count > queue->waiting) pthread_cond_signal(&queue->needed);
}

static enum err push_locked(struct db_queue *queue, struct db_task *task)
{
    if (queue->is_closed) return ERR_STORAGE_UNAVAILABLE;
    if (queue->count >= DB_QUEUE_MAX && !task->is_ahead) return ERR_OVERLOADED;

    insert_locked(queue, task->is_ahead ? place_behind_ahead(queue) : queue->end, task);
    wake_locked(queue);
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

/* --- Groups --- */

uint64_t db_queue_group_of(const struct db_task *task)
{
    return task->is_read ? 0 : task->group;
}

static bool is_under_way(const struct db_queue *queue, uint64_t group)
{
    for (size_t i = 0; i < queue->group_count; i++)
        if (queue->groups[i] == group) return true;
    return false;
}

/* Returns the link to the oldest task that may begin, or NULL. It walks past DB_QUEUE_MAX tasks at
 * most, whose groups are under way. */
static struct db_task **find_free(struct db_queue *queue)
{
    for (struct db_task **place = &queue->first; *place; place = &(*place)->next) {
        uint64_t group = db_queue_group_of(*place);
        if (!group || !is_under_way(queue, group)) return place;
    }
    return NULL;
}

static void move_task(struct db_queue *queue, struct db_task **place, struct db_task ***end)
{
    struct db_task *task = *place;
    *place = task->next;
    if (!*place) queue->end = place;
    queue->count--;
    task->next = NULL;
    **end = task;
    *end = &task->next;
}

static size_t take_group_locked(struct db_queue *queue, struct db_task **place, size_t max,
                                struct db_task **ret_batch)
{
    struct db_task **end = ret_batch;
    size_t taken = 1;
    uint64_t group = db_queue_group_of(*place);

    move_task(queue, place, &end);
    if (!group) return taken;
    assert(queue->group_count < DB_CONNECTIONS_MAX);
    queue->groups[queue->group_count++] = group;
    while (*place && taken < max) {
        if (db_queue_group_of(*place) == group) {
            move_task(queue, place, &end);
            taken++;
        } else {
            place = &(*place)->next;
        }
    }
    return taken;
}

size_t db_queue_take_group(struct db_queue *queue, size_t max, struct db_task **ret_batch)
{
    struct db_task **place;

    pthread_mutex_lock(&queue->mutex);
    queue->waiting++;
    while (!(place = find_free(queue)) && !queue->is_closed)
        pthread_cond_wait(&queue->filled, &queue->mutex);
    queue->waiting--;
    size_t taken = place ? take_group_locked(queue, place, max, ret_batch) : 0;
    pthread_mutex_unlock(&queue->mutex);
    return taken;
}

void db_queue_end_group(struct db_queue *queue, uint64_t group)
{
    if (!group) return;
    pthread_mutex_lock(&queue->mutex);
    size_t i = 0;
    while (i < queue->group_count && queue->groups[i] != group)
        i++;
    assert(i < queue->group_count);
    queue->groups[i] = queue->groups[--queue->group_count];
    /* Others of the group may wait, and no thread was woken for them. */
    if (queue->first) wake_locked(queue);
    pthread_mutex_unlock(&queue->mutex);
}

/* --- Taking without waiting, and giving back --- */

size_t db_queue_take_now(struct db_queue *queue, size_t max, struct db_task **ret_batch)
{
    pthread_mutex_lock(&queue->mutex);
    size_t taken = cut_locked(queue, queue->count < max ? queue->count : max, ret_batch);
    pthread_mutex_unlock(&queue->mutex);
    return taken;
}

size_t db_queue_take_late(struct db_queue *queue, int64_t now_ms, struct db_task **ret_batch)
{
    struct db_task **end = ret_batch;
    size_t taken = 0;

    *ret_batch = NULL;
    pthread_mutex_lock(&queue->mutex);
    for (struct db_task **place = &queue->first; *place;) {
        bool is_late = (*place)->deadline_ms > 0 && (*place)->deadline_ms <= now_ms;
        if (is_late) {
            move_task(queue, place, &end);
            taken++;
        } else {
            place = &(*place)->next;
        }
    }
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
    wake_locked(queue);
    pthread_mutex_unlock(&queue->mutex);
}

bool db_queue_await_need(struct db_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    while (queue->count <= queue->waiting && !queue->is_closed)
        pthread_cond_wait(&queue->needed, &queue->mutex);
    bool is_needed = queue->count > 0;
    if (is_needed) queue->waiting++;
    pthread_mutex_unlock(&queue->mutex);
    return is_needed;
}

void db_queue_end_need(struct db_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->waiting--;
    pthread_mutex_unlock(&queue->mutex);
}

void db_queue_await_task(struct db_queue *queue, int64_t wait_ms)
{
    struct timespec deadline = thread_deadline(wait_ms);
    pthread_mutex_lock(&queue->mutex);
    int timed_out = 0;
    while (!queue->first && !queue->is_closed && !timed_out)
        timed_out = pthread_cond_timedwait(&queue->filled, &queue->mutex, &deadline);
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
    pthread_cond_broadcast(&queue->needed);
    pthread_cond_broadcast(&queue->closed);
    pthread_mutex_unlock(&queue->mutex);
}
