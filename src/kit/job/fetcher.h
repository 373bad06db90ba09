/*
 * A fetcher is the part of a worker that takes leased rows and fetches for them, with no
 * transaction open meanwhile. All fetchers share a thread, a client of their own (so the servers of
 * one hold up no other), a slot for each fetch, and the way they end. The owner decides which rows
 * it takes, and when: as there is room for them, or turn by turn.
 *
 *   running   it takes rows, and fetches
 *   pausing   it takes no more rows; fetches under way have until the end of the grace
 *   stopping  fetches that are still under way are cancelled, recorded, and given back with all
 * leases
 *
 * A fetch that cannot be recorded is left to the end of its lease; the worker that finds the row
 * then knows that the fetch may have happened.
 */
#pragma once

#include "kit/fetch/fetch.h"

#include <pthread.h>

struct fetcher;

/*
 * A slot holds a fetch from its beginning until it is recorded. The fetch ends once: with an
 * answer, at its deadline (the timeout of its route), cancelled by the stop, or abandoned before it
 * began. An answer that comes after another worker took the row is recorded by compare-and-set, or
 * not at all.
 */
struct fetch_slot {
    struct fetch fetch; /* first: `done` gives this pointer back */
    struct fetcher *fetcher;
    /* Is called when it has ended, see fetcher_kind.takes_turns. Set it before the slot starts or
     * is abandoned. */
    void (*end)(struct fetch_slot *slot);
    struct arena arena;      /* lives as long as the slot */
    struct fetch_slot *next; /* in the list of those that have ended */
};

void fetch_slot_init(struct fetch_slot *slot, struct fetcher *fetcher);
/* Frees its answer and its arena. */
void fetch_slot_done(struct fetch_slot *slot);
/* Lets the fetch go out. Returns ERR_OVERLOADED, and has not started it, if the client is full or
 * ends. */
enum err fetch_slot_start(struct fetch_slot *slot) MUST_CHECK;
/* Ends a slot that was not started and never will be, so no byte of it has left. */
void fetch_slot_abandon(struct fetch_slot *slot, enum fetch_end end, const char *why);

struct fetcher_kind {
    const char *thread; /* the name of the thread */
    /* The ends of fetches are kept for the fetcher's thread (fetcher_wait); without this, `end` is
     * called at once, on the client's thread. */
    bool takes_turns;
    int fetches_max;   /* so many are under way at once */
    int queue_max;     /* so many more wait behind them */
    size_t answer_max; /* bytes of an answer */
    /* Runs in the thread: it waits by fetcher_wait, and returns some time after FETCHER_STOPPING,
     * when all fetches have ended. */
    void (*run)(struct fetcher *fetcher);
    /* Are called with the lock. They tell whether a fetch may still begin for a row that was taken
     * before the pause; and whether any fetch is under way or not yet recorded. The code that
     * changes that calls fetcher_changed. */
    bool (*is_beginning)(const struct fetcher *fetcher);
    bool (*is_busy)(const struct fetcher *fetcher);
};

enum fetcher_state { FETCHER_RUNNING, FETCHER_PAUSING, FETCHER_STOPPING };

/* The owner has it as a member, and finds itself by CONTAINER_OF. */
struct fetcher {
    const struct fetcher_kind *kind;
    struct fetch_client *client;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows, and what the owner tells */
    pthread_cond_t has_news, is_changed;
    enum fetcher_state state;
    enum fetcher_state seen; /* the state that its thread has seen */
    bool is_woken;
    struct fetch_slot *ended, **ended_end;
};

/* The news since the thread last looked. */
struct fetcher_news {
    enum fetcher_state state;
    bool is_woken;
    struct fetch_slot *ended; /* in the order of their ends */
};

/* Starts the thread; the owner must be complete. */
void fetcher_start(struct fetcher *fetcher, const struct fetcher_kind *kind);
/* Lets the thread wait for news, `wait_ms` at most. With `is_deaf` only its state is news; the rest
 * can wait for that long. */
struct fetcher_news fetcher_wait(struct fetcher *fetcher, int wait_ms, bool is_deaf);
/* Says that there may be rows. Any thread may call, also after fetcher_stop. */
void fetcher_wake(struct fetcher *fetcher);
/* Says that is_beginning or is_busy may have changed. Call it with the lock. */
void fetcher_changed(struct fetcher *fetcher);

/* Pauses without waiting. */
void fetcher_begin_no_more(struct fetcher *fetcher);
/* Pauses, waits until no fetch can begin, and then `grace_ms` at most for those under way. */
void fetcher_pause(struct fetcher *fetcher, int64_t grace_ms);
/* Pauses, cancels the rest, and waits until all is recorded or given up. Call it before db_close.
 */
void fetcher_stop(struct fetcher *fetcher, int64_t grace_ms);
/* Frees the fetcher. Call it after db_close, which ends the calls of fetcher_wake. */
void fetcher_done(struct fetcher *fetcher);
