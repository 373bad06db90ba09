/*
 * A mailbox holds the tasks that other threads give to a loop. They append under a lock that is
 * held for a few instructions; the loop takes all tasks at once, so that a burst costs one wake-up.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct http_request;

/* One of the two functions is set. */
struct http_task {
    void (*run)(void *arg);
    void *arg;
    void (*run_request)(struct http_request *x);
    struct http_request *request;
};

struct http_tasks {
    struct http_task *items;
    size_t count;
    size_t capacity;
};

struct http_mailbox {
    pthread_mutex_t lock;
    struct http_tasks waiting;
};

void http_mailbox_init(struct http_mailbox *mailbox);
void http_mailbox_done(struct http_mailbox *mailbox);

/* Returns true if the mailbox was empty, so that its loop must be woken. Any thread may call. */
bool http_mailbox_put(struct http_mailbox *mailbox, struct http_task task);
/* Swaps the waiting tasks for `tasks`, whose items must be done with and whose memory is used
 * again. */
void http_mailbox_take(struct http_mailbox *mailbox, struct http_tasks *tasks);
