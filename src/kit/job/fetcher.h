/*
 * A fetcher: the part of a worker that takes leased rows and fetches for them, with no transaction
 * open meanwhile. What all of them share stands here: a thread, a client of its own (what one's
 * servers do holds up no other), a slot for each fetch, and how it ends. Which rows it takes, and
 * when, is its owner's: as there is room for them, or turn by turn.
 *
 *   running   it takes rows, and fetches
 *   pausing   it takes no more; what is under way has until the end of its grace
 *   stopping  what was still under way is cancelled, recorded, and given back with all leases
 *
 * What cannot be recorded is left to the end of its lease: whoever finds the row then knows that
 * the fetch may have happened.
 */
#pragma once

#include "kit/fetch/fetch.h"

#include <pthread.h>

struct fetcher;

/*
 * A fetch with what belongs to it, from its beginning until it is recorded. It ends once: with an
 * answer, at its deadline (the time-out of its route), cancelled by the stop, or abandoned before
 * it began. An answer that comes after somebody else took the row is recorded by compare-and-set,
 * or not at all.
 */
struct fetch_slot {
    struct fetch_call call; /* first: `done` gives this pointer back */
    struct fetcher *fetcher;
    /* It has ended; see fetcher_kind.takes_turns. Set before it starts or is abandoned. */
    void (*end)(struct fetch_slot *slot);
    struct arena arena;      /* lives as long as the slot */
    struct fetch_slot *next; /* of those that have ended */
};

void fetch_slot_init(struct fetch_slot *slot, struct fetcher *fetcher);
/* Frees what is in it. */
void fetch_slot_done(struct fetch_slot *slot);
/* Lets it go out. ERR_OVERLOADED, where the client is full or ends: it was not started. */
enum err fetch_slot_start(struct fetch_slot *slot) MUST_CHECK;
/* Ends a slot that was not started, and never will be: no byte of it has left. */
void fetch_slot_abandon(struct fetch_slot *slot, enum fetch_end end, const char *why);

struct fetcher_kind {
    const char *thread; /* its name */
    /* The ends of fetches are kept for the fetcher's thread (fetcher_wait); else they are read on
     * the client's thread, at once. */
    bool takes_turns;
    int fetches_max;   /* under way at once */
    int queue_max;     /* that wait for their turn behind them */
    size_t answer_max; /* bytes of an answer */
    /* The thread: waits by fetcher_wait, and returns some time after FETCHER_STOPPING, when all has
     * ended. */
    void (*run)(struct fetcher *fetcher);
    /* With the lock: whether a fetch may still begin though the fetcher pauses, by what was at hand
     * before; and whether any is under way or not yet recorded. Whoever changes that calls
     * fetcher_changed. */
    bool (*is_beginning)(const struct fetcher *fetcher);
    bool (*is_busy)(const struct fetcher *fetcher);
};

enum fetcher_state { FETCHER_RUNNING, FETCHER_PAUSING, FETCHER_STOPPING };

/* Its owner has it as a member, and finds itself by CONTAINER_OF. */
struct fetcher {
    const struct fetcher_kind *kind;
    struct fetch_client *client;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows, and of what the owner says */
    pthread_cond_t is_called, is_changed;
    enum fetcher_state state;
    enum fetcher_state seen; /* by its thread */
    bool is_woken;
    struct fetch_slot *ended, **ended_end;
};

/* What came since the thread last looked. */
struct fetcher_news {
    enum fetcher_state state;
    bool is_woken;
    struct fetch_slot *ended; /* in the order in which they did */
};

/* The owner is complete: its thread runs from now on. */
void fetcher_start(struct fetcher *fetcher, const struct fetcher_kind *kind);
/* For the thread: waits for news, `wait_ms` at most. With `is_deaf` only its state is news: the
 * rest can wait for that long. */
struct fetcher_news fetcher_wait(struct fetcher *fetcher, int wait_ms, bool is_deaf);
/* There may be rows. Any thread, also after fetcher_stop. */
void fetcher_wake(struct fetcher *fetcher);
/* What is_beginning or is_busy say may have changed. The lock is held. */
void fetcher_changed(struct fetcher *fetcher);

/* Pauses, and does not wait. */
void fetcher_begin_no_more(struct fetcher *fetcher);
/* Pauses, and waits until no fetch can begin, and `grace_ms` at most for those under way. */
void fetcher_pause(struct fetcher *fetcher, int64_t grace_ms);
/* The same; then cancels the rest, and waits until all is recorded or given up. Before db_close. */
void fetcher_stop(struct fetcher *fetcher, int64_t grace_ms);
/* After db_close, which ends the calls of fetcher_wake. */
void fetcher_done(struct fetcher *fetcher);
