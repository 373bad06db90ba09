/* Tasks change threads here. */
#include "kit/http/mailbox.h"

#include "kit/base/must.h"

#include <stdlib.h>

enum { CAPACITY_MIN = 64 };

void http_mailbox_init(struct http_mailbox *mailbox)
{
    *mailbox = (struct http_mailbox){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void http_mailbox_done(struct http_mailbox *mailbox)
{
    free(mailbox->waiting.items);
    pthread_mutex_destroy(&mailbox->lock);
}

bool http_mailbox_put(struct http_mailbox *mailbox, struct http_task task)
{
    struct http_tasks *tasks = &mailbox->waiting;

    pthread_mutex_lock(&mailbox->lock);
    bool was_empty = tasks->count == 0;
    tasks->items =
        must_grow(tasks->items, tasks->count, &tasks->capacity, CAPACITY_MIN, sizeof(task));
    tasks->items[tasks->count++] = task;
    pthread_mutex_unlock(&mailbox->lock);
    return was_empty;
}

void http_mailbox_take(struct http_mailbox *mailbox, struct http_tasks *tasks)
{
    tasks->count = 0;
    pthread_mutex_lock(&mailbox->lock);
    struct http_tasks taken = mailbox->waiting;
    mailbox->waiting = *tasks;
    pthread_mutex_unlock(&mailbox->lock);
    *tasks = taken;
}
