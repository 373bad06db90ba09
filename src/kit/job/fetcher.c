/* A fetcher has slots and a thread, and ends by pause, cancel and join. */
#include "kit/job/fetcher.h"

#include "kit/base/thread.h"

/* --- Slots ------------------------------------------------------------------------------------ */

void fetch_slot_init(struct fetch_slot *slot, struct fetcher *fetcher)
{
    *slot = (struct fetch_slot){.fetcher = fetcher};
    arena_init(&slot->arena);
}

void fetch_slot_done(struct fetch_slot *slot)
{
    fetch_done(&slot->fetch);
    arena_done(&slot->arena);
}

static void take_end(struct fetch *fetch)
{
    struct fetch_slot *slot = (struct fetch_slot *)fetch;
    struct fetcher *fetcher = slot->fetcher;

    if (!fetcher->kind->takes_turns) {
        slot->end(slot);
        return;
    }
    pthread_mutex_lock(&fetcher->lock);
    slot->next = NULL;
    *fetcher->ended_end = slot;
    fetcher->ended_end = &slot->next;
    pthread_cond_signal(&fetcher->has_news);
    pthread_mutex_unlock(&fetcher->lock);
}

enum err fetch_slot_start(struct fetch_slot *slot)
{
    slot->fetch.done = take_end;
    return fetch_start(slot->fetcher->client, &slot->fetch);
}

void fetch_slot_abandon(struct fetch_slot *slot, enum fetch_end end, const char *why)
{
    slot->fetch.end = end;
    slot->fetch.was_sent = false;
    slot->fetch.retry_after_ms = -1;
    slot->fetch.error = why;
    take_end(&slot->fetch);
}

/* --- The thread ------------------------------------------------------------------------------- */

static void *run(void *arg)
{
    struct fetcher *fetcher = arg;
    fetcher->kind->run(fetcher);
    return NULL;
}

void fetcher_start(struct fetcher *fetcher, const struct fetcher_kind *kind)
{
    *fetcher = (struct fetcher){.kind = kind, .is_woken = true};
    fetcher->ended_end = &fetcher->ended;
    fetcher->client = fetch_client_new(kind->fetches_max, kind->queue_max, kind->answer_max);
    pthread_mutex_init(&fetcher->lock, NULL);
    thread_cond_init(&fetcher->has_news);
    thread_cond_init(&fetcher->is_changed);
    thread_start(&fetcher->thread, kind->thread, run, fetcher);
}

struct fetcher_news fetcher_wait(struct fetcher *fetcher, int wait_ms, bool is_deaf)
{
    struct timespec deadline = thread_deadline(wait_ms);
    int timed_out = 0;

    pthread_mutex_lock(&fetcher->lock);
    while (!timed_out && fetcher->seen == fetcher->state) {
        if (!is_deaf && (fetcher->is_woken || fetcher->ended)) break;
        timed_out = pthread_cond_timedwait(&fetcher->has_news, &fetcher->lock, &deadline);
    }
    struct fetcher_news news = {fetcher->state, fetcher->is_woken, fetcher->ended};
    fetcher->seen = fetcher->state;
    fetcher->is_woken = false;
    fetcher->ended = NULL;
    fetcher->ended_end = &fetcher->ended;
    pthread_mutex_unlock(&fetcher->lock);
    return news;
}

void fetcher_wake(struct fetcher *fetcher)
{
    pthread_mutex_lock(&fetcher->lock);
    fetcher->is_woken = true;
    pthread_cond_signal(&fetcher->has_news);
    pthread_mutex_unlock(&fetcher->lock);
}

void fetcher_changed(struct fetcher *fetcher)
{
    pthread_cond_broadcast(&fetcher->is_changed);
}

/* --- Its end ---------------------------------------------------------------------------------- */

static void enter(struct fetcher *fetcher, enum fetcher_state state)
{
    pthread_mutex_lock(&fetcher->lock);
    if (fetcher->state < state) fetcher->state = state;
    pthread_cond_signal(&fetcher->has_news);
    pthread_mutex_unlock(&fetcher->lock);
}

void fetcher_begin_no_more(struct fetcher *fetcher)
{
    enter(fetcher, FETCHER_PAUSING);
}

void fetcher_pause(struct fetcher *fetcher, int64_t grace_ms)
{
    struct timespec deadline = thread_deadline(grace_ms > 0 ? grace_ms : 0);
    int timed_out = 0;

    enter(fetcher, FETCHER_PAUSING);
    pthread_mutex_lock(&fetcher->lock);
    while (fetcher->kind->is_beginning(fetcher))
        pthread_cond_wait(&fetcher->is_changed, &fetcher->lock);
    while (fetcher->kind->is_busy(fetcher) && !timed_out)
        timed_out = pthread_cond_timedwait(&fetcher->is_changed, &fetcher->lock, &deadline);
    pthread_mutex_unlock(&fetcher->lock);
}

void fetcher_stop(struct fetcher *fetcher, int64_t grace_ms)
{
    fetcher_pause(fetcher, grace_ms);
    fetch_client_free(fetcher->client);
    fetcher->client = NULL;
    enter(fetcher, FETCHER_STOPPING);
    pthread_join(fetcher->thread, NULL);
}

void fetcher_done(struct fetcher *fetcher)
{
    pthread_cond_destroy(&fetcher->has_news);
    pthread_cond_destroy(&fetcher->is_changed);
    pthread_mutex_destroy(&fetcher->lock);
}
