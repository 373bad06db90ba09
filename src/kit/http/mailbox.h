/*
 * What other threads ask a loop to do. Senders append under a lock that is held for a few
 * instructions; the loop takes all that has gathered at once, so that a burst costs one wake-up.
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
    void (*run_exchange)(struct http_request *x);
    struct http_request *exchange;
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

/* True if the mailbox was empty: then its loop must be woken. Any thread. */
bool http_mailbox_put(struct http_mailbox *mailbox, struct http_task task);
/* Swaps what waits for `tasks`, whose memory is used again; its items must be done with. */
void http_mailbox_take(struct http_mailbox *mailbox, struct http_tasks *tasks);
