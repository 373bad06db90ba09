/*
 * Each process knows whether somebody listens (contract, section 13.1). The database says it, with
 * an epoch that grows whenever it changes. A process asks again and again, and confirms an epoch
 * once all its transactions go by it: those that found nobody before have ended. One that cannot
 * ask writes events, so a process that is taken for lost hides no change from whoever registers
 * then.
 */
#include "domain/event/event.h"
#include "domain/event/event_db.h"
#include "domain/process/process.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <stdlib.h>

enum { ASK_MS = 1000, ASK_SOON_MS = 5 };

struct event_listener {
    struct service *service;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t is_woken;
    bool is_asked; /* something has changed */
    bool is_stopping;
    int64_t confirmed; /* the epoch that was written; -1: none yet */
};

/* --- Asking and confirming -------------------------------------------------------------------- */

struct question {
    struct work work;
    struct event_head head;
};

static enum err run_question(struct work *work)
{
    struct question *question = CONTAINER_OF(work, struct question, work);
    return event_head_select(work, false, &question->head);
}

static enum err run_answer(struct work *work)
{
    struct question *question = CONTAINER_OF(work, struct question, work);
    db_notify(work->tx, EVENT_CONFIRMED_TOPIC);
    return process_confirm(work, question->head.epoch);
}

/* Confirms unless a transaction is under way that found nobody listening. */
static enum err confirm(struct event_listener *listener, struct question *question)
{
    struct event_setup *setup = listener->service->events;

    if (question->head.epoch == listener->confirmed) return ERR_OK;
    if (question->head.is_wanted && atomic_load(&setup->unheard) > 0) return ERR_TX_RETRY;
    enum err err = work_run(&question->work, listener->service->verification, run_answer);
    if (!err) listener->confirmed = question->head.epoch;
    return err;
}

/* Returns how long to wait before the next question. */
static int64_t ask(struct event_listener *listener)
{
    struct service *service = listener->service;
    struct event_setup *setup = service->events;
    int64_t asked_at_ms = clock_monotonic_ms();
    struct question question;
    struct arena arena;

    arena_init(&arena);
    work_init(&question.work, service, &arena, clock_now_ms(), NULL);
    question.work.task.is_read = true;
    enum err err = work_run(&question.work, service->verification, run_question);
    if (!err) {
        atomic_store(&setup->is_wanted, question.head.is_wanted);
        atomic_store(&setup->known_at_ms, asked_at_ms);
        atomic_store(&setup->has_feed, question.head.last_seq > 0);
        question.work.task.is_read = false;
        err = confirm(listener, &question);
    }
    arena_done(&arena);
    return err == ERR_TX_RETRY ? ASK_SOON_MS : ASK_MS;
}

/* --- The thread ------------------------------------------------------------------------------- */

static bool await_turn(struct event_listener *listener, int64_t wait_ms)
{
    struct timespec until = thread_deadline(wait_ms);
    int timed_out = 0;

    pthread_mutex_lock(&listener->lock);
    while (!listener->is_stopping && !listener->is_asked && !timed_out)
        timed_out = pthread_cond_timedwait(&listener->is_woken, &listener->lock, &until);
    listener->is_asked = false;
    bool goes_on = !listener->is_stopping;
    pthread_mutex_unlock(&listener->lock);
    return goes_on;
}

static void *listen_on(void *arg)
{
    struct event_listener *listener = arg;
    int64_t wait_ms = ASK_MS;

    while (await_turn(listener, wait_ms))
        wait_ms = ask(listener);
    return NULL;
}

struct event_listener *event_listener_start(struct service *service)
{
    struct event_setup *setup = service->events;

    if (setup->mode == EVENTS_OFF) return NULL;
    struct event_listener *listener = must_calloc(1, sizeof(*listener));
    listener->service = service;
    listener->confirmed = -1;
    pthread_mutex_init(&listener->lock, NULL);
    thread_cond_init(&listener->is_woken);
    (void)ask(listener);
    thread_start(&listener->thread, "event-listener", listen_on, listener);
    return listener;
}

void event_listener_wake(void *arg)
{
    struct event_listener *listener = arg;

    pthread_mutex_lock(&listener->lock);
    listener->is_asked = true;
    pthread_cond_broadcast(&listener->is_woken);
    pthread_mutex_unlock(&listener->lock);
}

void event_listener_stop(struct event_listener *listener)
{
    if (!listener) return;
    pthread_mutex_lock(&listener->lock);
    listener->is_stopping = true;
    pthread_cond_broadcast(&listener->is_woken);
    pthread_mutex_unlock(&listener->lock);
    pthread_join(listener->thread, NULL);
}

void event_listener_free(struct event_listener *listener)
{
    if (!listener) return;
    pthread_cond_destroy(&listener->is_woken);
    pthread_mutex_destroy(&listener->lock);
    free(listener);
}
