/*
 * Sends go out through providers: flash calls, `messenger_gateway`, `messenger_bot` (doc A,
 * section 1; contract, section 3). A send is a row and a job written in the transaction that wants
 * it; the worker (channel_job.h) fetches from the provider with no transaction open and records
 * what came of it by compare-and-set. The owner of the send, a code or a message, is asked what to
 * say and told what became of it through struct channel_owner. Sends live in the verification
 * store.
 */
#pragma once

#include "core/timeline.h"
#include "domain/channel/driver.h"
#include "kit/json/record.h"

enum channel {
    CHANNEL_FLASH_CALL,
    CHANNEL_MESSENGER_GATEWAY,
    CHANNEL_MESSENGER_BOT,
    CHANNEL_COUNT
};
extern const char *const channel_words[];

enum send_state {
    SEND_QUEUED,
    SEND_FETCHING, /* a fetch is under way, its worker died over it, or a deduplicated one repeats
                    */
    SEND_ACCEPTED,
    SEND_SENT,
    SEND_DELIVERED,
    SEND_FAILED,
    SEND_UNKNOWN,
};
extern const char *const channel_send_words[];

struct channel_send {
    struct uuid id;
    enum channel channel;
    struct uuid owner_id;
    enum send_state state;
    int64_t attempt;
    const char *provider_id; /* NULL: not told yet */
    const char *error;       /* herald's own word for what failed; NULL: nothing did */
    struct str words;        /* of its provider, sealed (channel_error); empty: there are none */
    int64_t created_at;
    int64_t updated_at;
    int64_t expires_at;
    const char *line;        /* of its timeline, for its next move; NULL: none */
    const char *traceparent; /* of the request that wanted it (core/trace.h); NULL: none */
};
enum {
    CHANNEL_SENDS_MAX = 4, /* of one owner */
    /* Jobs are looked for so often without being announced; follow-ups only then. */
    CHANNEL_POLL_MS = 500,
    /* No circuit is told to be open for longer than this: a pause, a poll and the longest
     * time-out. */
    CHANNEL_CLOSED_MAX_MS = 2 * 60 * 1000,
};

/* The owner says what a send carries. It must be set even where a channel has no driver any
 * more. */
struct channel_owner {
    /* Fills what the provider is to be given: recipient or chat_id, code or text. It only reads.
     * ERR_NOT_FOUND: the send is not wanted any more. */
    enum err (*load)(struct work *work, const struct uuid *owner_id,
                     struct channel_content *content);
    /* The send has a new state; `learned_code` (or NULL) is the code that the provider chose.
     * Called before the send's row is written, so that the owner's row is locked first, as by a
     * cancel: take the state from `send`, and lock the row also if nothing in it changes, since
     * then a cancel sees what the provider has. ERR_NOT_FOUND: the owner is gone, which is fine. */
    enum err (*apply)(struct work *work, const struct channel_send *send, const char *learned_code);
    /* Optional. Gives a send that is late a new time, `at_least_ms` or later, so that its chat
     * (content->chat_id) does not get all its sends at once; with work->now_ms it asks whether the
     * send may go now. ERR_NOT_FOUND: the owner is gone. */
    enum err (*next_turn)(struct work *work, const struct uuid *owner_id, int64_t at_least_ms,
                          int64_t *ret_run_at);
    /* Tells how many digits the code has. NULL: the sends have none. */
    enum err (*code_length)(struct work *work, const struct uuid *owner_id, int64_t *ret_length);
};

/* A channel is configured by these. */
struct channel_setup {
    const struct channel_driver *driver; /* NULL: no driver, the channel is unavailable */
    struct driver_config config;
    struct channel_owner owner;
};

/* Checks that a send of the channel may be created. ERR_CHANNEL_NOT_CONFIGURED: it has no driver.
 * ERR_CIRCUIT_OPEN: `ret_retry_after_ms` tells when it may close. */
enum err channel_check(struct work *work, enum channel channel,
                       int64_t *ret_retry_after_ms) MUST_CHECK;

/* Returns how long a probe may take to answer: for so long beyond the time of the next probe the
 * channel is told to be open. 0: it has no probe, and a send tries. */
int64_t channel_probe_ms(const struct channel_setup *setup);
/* Tells how many changes of its circuit were events. ERR_NOT_FOUND: it never opened. */
enum err channel_select_changes(struct work *work, enum channel channel,
                                int64_t *ret_changes) MUST_CHECK;
/* Returns the kind of the jobs that send. */
const char *channel_send_kind(enum channel channel);

/* Queues a send for `owner_id`; nothing goes out before `run_at` or after `expires_at`. An owner
 * has at most CHANNEL_SENDS_MAX sends. */
enum err channel_queue(struct work *work, enum channel channel, const struct uuid *owner_id,
                       int64_t run_at, int64_t expires_at) MUST_CHECK;

/* Returns why a send failed, in the words of its provider where it said some; NULL: it did not. */
const char *channel_error(const struct work *work, const struct channel_send *send);
/* Lists the sends of an owner (struct channel_send), oldest first. */
enum err channel_list(struct work *work, const struct uuid *owner_id,
                      struct record_list *ret_sends) MUST_CHECK;

/* Adds what became of the sends of an owner. */
enum err channel_add_steps(struct work *work, const struct uuid *owner_id,
                           struct timeline *timeline) MUST_CHECK;
/* Lists those of 1 to DB_KEYS_MAX owners, in no order. */
enum err channel_list_all(struct work *work, const struct uuid *owner_ids, size_t count,
                          struct record_list *ret_sends) MUST_CHECK;

/* Ends the sends of an owner that is final and whose row is held. A send that did not go out yet
 * does not go out any more, and its error says `reason`; taking back what the provider can take
 * back is queued. A send that is under way now is taken back once the provider has it. With
 * `right_code` (or NULL), providers that want to hear that the code was right are told instead: it
 * is kept, sealed, until then. */
enum err channel_end(struct work *work, const struct uuid *owner_id, const char *reason,
                     const char *right_code) MUST_CHECK;

/* Erases what is personal in the sends of an owner whose sends have ended: what providers said. */
enum err channel_erase(struct work *work, const struct uuid *owner_id) MUST_CHECK;

/* Withdraws the sends of an owner whose row is held and which wants to go another way: a send that
 * did not go out yet does not go out any more, and its error says `reason`. The owner, which asks,
 * is not told of it. `ret_is_fetching` tells whether a fetch is under way, which may bring what the
 * owner waits for. */
enum err channel_withdraw(struct work *work, const struct uuid *owner_id, const char *reason,
                          bool *ret_is_fetching) MUST_CHECK;

/* Applies a report of a provider on a send, by its own id, or by ours (nil: not told), which also
 * finds a send whose fetch had no readable answer. ERR_NOT_FOUND, also while the fetch is still
 * under way. A repeat changes nothing. */
enum err channel_apply_report(struct work *work, enum channel channel, const char *provider_id,
                              const struct uuid *send_id,
                              const struct channel_answer *answer) MUST_CHECK;

/* --- For the tables of app/ --- */

struct route_table;
extern const struct route_table channel_routes;
