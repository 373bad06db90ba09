/*
 * A send lives so (contract, section 3):
 *
 *   queued -> calling -> accepted -> sent -> delivered
 *     ^          |  \--> failed      a permanent refusal, no time left, or nobody wants it any more
 *     |          \-----> unknown     it may have gone out: never sent again by itself
 *     \----------/                   rate-limited, or provably not sent: later
 *
 * `calling` (SEND_FETCHING; the word stands so in the database) is written before the first byte
 * goes out. A worker that dies over a fetch leaves it behind: the worker that takes the job next
 * knows that the fetch may have happened. Where the provider deduplicates, it is made again; the
 * send stays `calling` until there is a definite answer.
 */
#include "domain/channel/channel.h"

#include "core/said.h"
#include "domain/channel/channel_db.h"
#include "domain/channel/channel_rules.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/job/job.h"

const char *const channel_words[] = {"flash_call", "messenger_gateway", "messenger_bot", NULL};
const char *const channel_send_words[] = {"queued",    "calling", "accepted", "sent",
                                          "delivered", "failed",  "unknown",  NULL};

/* Each step of a channel has a job kind of its own, so that a slow channel holds up no other. */
#define KINDS(channel)                                                          \
    {                                                                           \
        [STEP_SEND] = channel "/send", [STEP_REVOKE] = channel "/revoke",       \
        [STEP_SUCCESS] = channel "/success", [STEP_STATUS] = channel "/status", \
    }
const char *const channel_job_kinds[][STEP_COUNT] = {
    [CHANNEL_FLASH_CALL] = KINDS("flash_call"),
    [CHANNEL_MESSENGER_GATEWAY] = KINDS("messenger_gateway"),
    [CHANNEL_MESSENGER_BOT] = KINDS("messenger_bot"),
};
static_assert(COUNT_OF(channel_words) == CHANNEL_COUNT + 1, "each channel has its word");
static_assert(COUNT_OF(channel_job_kinds) == CHANNEL_COUNT, "each channel has its jobs");

static const struct channel_setup *setup_of(const struct work *work, int channel)
{
    return &work->service->channels[channel];
}

enum err channel_check(struct work *work, enum channel channel, int64_t *ret_retry_after_ms)
{
    int64_t open_until = 0;
    if (!setup_of(work, channel)->driver) return ERR_CHANNEL_NOT_CONFIGURED;
    enum err err = circuit_select(work, channel, &open_until);
    int64_t left_ms = clock_left_ms(open_until, work->now_ms);
    if (err || left_ms == 0) return err;
    *ret_retry_after_ms = left_ms;
    return ERR_CIRCUIT_OPEN;
}

int64_t channel_probe_ms(const struct channel_setup *setup)
{
    bool has_probe = setup->driver && setup->driver->make_probe;
    return has_probe ? CHANNEL_POLL_MS + setup->config.route.timeout_ms : 0;
}

const char *channel_send_kind(enum channel channel)
{
    return channel_job_kinds[channel][STEP_SEND];
}

enum err channel_queue(struct work *work, enum channel channel, const struct uuid *owner_id,
                       int64_t run_at, int64_t expires_at)
{
    struct channel_send send = {
        .id = uuid_new(work->now_ms),
        .channel = channel,
        .owner_id = *owner_id,
        .state = SEND_QUEUED,
        .created_at = work->now_ms,
        .expires_at = expires_at,
    };
    enum err err = send_insert(work, &send);
    if (err) return err;
    return job_enqueue(work->tx, channel_job_kinds[channel][STEP_SEND], &send.id, run_at,
                       work->now_ms);
}

static void note_send(struct work *work, const struct channel_send *send)
{
    bool is_bad = send->state == SEND_FAILED || send->state == SEND_UNKNOWN;
    work_note(work, is_bad ? LOG_WARNING : LOG_INFO, "send changed",
              LOG_FIELDS(log_uuid("send_id", &send->id), log_uuid("owner_id", &send->owner_id),
                         log_plain("channel", channel_words[send->channel]),
                         log_plain("state", channel_send_words[send->state]),
                         log_id("provider_id", send->provider_id), log_plain("error", send->error),
                         log_int("attempt", send->attempt)));
}

/* --- Follow-ups ------------------------------------------------------------------------------- */

driver_make_fn driver_make_of(const struct channel_driver *driver, enum channel_step step)
{
    if (!driver) return NULL;
    switch (step) {
    case STEP_SEND:
        return driver->make_send;
    case STEP_STATUS:
        return driver->make_status;
    case STEP_REVOKE:
        return driver->make_revoke;
    case STEP_SUCCESS:
        return driver->make_success;
    case STEP_COUNT:
        return NULL;
    }
    return NULL;
}

bool driver_has_step(const struct channel_driver *driver, enum channel_step step)
{
    return driver_make_of(driver, step);
}

/* A send that is under way now gets its follow-ups when its fetch is recorded. */
enum err channel_enqueue_step(struct work *work, const struct channel_send *send,
                              enum channel_step step, int64_t run_at)
{
    bool is_with_provider = send->state >= SEND_ACCEPTED && send->state <= SEND_DELIVERED;
    if (!is_with_provider || !send->provider_id) return ERR_OK;
    if (!driver_has_step(setup_of(work, send->channel)->driver, step)) return ERR_OK;
    return job_enqueue(work->tx, channel_job_kinds[send->channel][step], &send->id, run_at,
                       work->now_ms);
}

/* An owner that was final while it was not known that the provider has the send could neither take
 * it back nor tell of success, but left the code that was right. */
static enum err queue_what_is_owed(struct work *work, const struct channel_send *send)
{
    bool is_tellable = driver_has_step(setup_of(work, send->channel)->driver, STEP_SUCCESS);
    struct str sealed;
    enum err err = send_select_success_code(work, &send->id, &sealed);
    if (err == ERR_NOT_FOUND) return channel_enqueue_step(work, send, STEP_REVOKE, work->now_ms);
    if (err) return err;
    if (!is_tellable || !send->provider_id)
        return send_set_success_code(work, &send->id, (struct str){0});
    return channel_enqueue_step(work, send, STEP_SUCCESS, work->now_ms);
}

enum err channel_make_good(struct work *work, const struct channel_send *send, bool *ret_is_wanted)
{
    const struct channel_setup *setup = setup_of(work, send->channel);
    struct channel_content content = {.send_id = send->id, .now_ms = work->now_ms};
    bool is_told =
        driver_has_step(setup->driver, STEP_REVOKE) || driver_has_step(setup->driver, STEP_SUCCESS);

    enum err err = is_told ? setup->owner.load(work, &send->owner_id, &content) : ERR_OK;
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_is_wanted = !err;
    return err ? queue_what_is_owed(work, send) : ERR_OK;
}

/* --- The end of the owner --------------------------------------------------------------------- */

/* The right code is a secret of the send's row, bound to the send's id. */
static enum err keep_code(struct work *work, const struct uuid *send_id, const char *code)
{
    struct str sealed;
    enum err err = work_seal(work, SEALED_SEND_CODE, uuid_view(send_id), str_of(code), &sealed);
    return err ? err : send_set_success_code(work, send_id, sealed);
}

enum err channel_open_code(struct work *work, const struct uuid *send_id, const char **ret_code)
{
    struct str sealed, code;
    enum err err = send_select_success_code(work, send_id, &sealed);
    if (err) return err;
    err = vault_open(work->service->vault, sealed_at(SEALED_SEND_CODE, uuid_view(send_id)), sealed,
                     work->arena, &code);
    if (err) return err;
    *ret_code = code.data;
    return ERR_OK;
}

const char *channel_error(const struct work *work, const struct channel_send *send)
{
    return said_show(work, SEALED_SEND_WORDS, uuid_view(&send->id), send->words, send->error);
}

enum err channel_take_error(struct work *work, struct channel_send *send,
                            const struct channel_answer *answer)
{
    const struct channel_owner *owner = &setup_of(work, send->channel)->owner;
    const char *words = answer ? answer->words : NULL;
    int64_t code_length = 0;
    enum err err = ERR_OK;

    if (words && owner->code_length) err = owner->code_length(work, &send->owner_id, &code_length);
    if (err && err != ERR_NOT_FOUND) return err;
    const struct said_rule rule = {.code_length = (size_t)code_length};
    send->error = answer ? answer->error : NULL;
    return said_seal(work, SEALED_SEND_WORDS, uuid_view(&send->id),
                     said_keep(work->arena, words, &rule), &send->words);
}

/* The code is kept for a send that the provider has, or may have in a moment. */
static enum err queue_success(struct work *work, const struct channel_send *send, const char *code)
{
    const struct channel_driver *driver = setup_of(work, send->channel)->driver;
    bool is_over = send->state == SEND_FAILED || send->state == SEND_UNKNOWN;
    bool is_there = send->state == SEND_FETCHING || send->provider_id;

    if (!driver_has_step(driver, STEP_SUCCESS) || is_over || !is_there) return ERR_OK;
    enum err err = keep_code(work, &send->id, code);
    return err ? err : channel_enqueue_step(work, send, STEP_SUCCESS, work->now_ms);
}

static enum err end_queued(struct work *work, struct channel_send *send, const char *reason)
{
    bool is_moved;
    send->state = SEND_FAILED;
    send->error = reason;
    enum err err = send_move(work, send, SEND_QUEUED, &is_moved);
    if (err) return err;
    if (is_moved)
        note_send(work, send);
    else
        send->state = SEND_FETCHING; /* a worker was first */
    return ERR_OK;
}

enum err channel_end(struct work *work, const struct uuid *owner_id, const char *reason,
                     const char *right_code)
{
    struct record_list list;
    enum err err = channel_list(work, owner_id, &list);
    if (err) return err;

    struct channel_send *sends = list.items;
    for (size_t i = 0; !err && i < list.count; i++) {
        struct channel_send *send = &sends[i];
        if (send->state == SEND_QUEUED) err = end_queued(work, send, reason);
        if (err) break;
        err = right_code ? queue_success(work, send, right_code)
                         : channel_enqueue_step(work, send, STEP_REVOKE, work->now_ms);
    }
    return err;
}

enum err channel_withdraw(struct work *work, const struct uuid *owner_id, const char *reason,
                          bool *ret_is_fetching)
{
    struct record_list list;
    bool is_fetching = false;
    enum err err = channel_list(work, owner_id, &list);
    if (err) return err;

    struct channel_send *sends = list.items;
    for (size_t i = 0; i < list.count; i++) {
        if (sends[i].state == SEND_QUEUED) err = end_queued(work, &sends[i], reason);
        if (err) return err;
        is_fetching |= sends[i].state == SEND_FETCHING;
    }
    *ret_is_fetching = is_fetching;
    return ERR_OK;
}

/* --- Progress --------------------------------------------------------------------------------- */

enum send_state channel_state_of(enum channel_progress progress)
{
    switch (progress) {
    case PROGRESS_ACCEPTED:
        return SEND_ACCEPTED;
    case PROGRESS_SENT:
        return SEND_SENT;
    case PROGRESS_DELIVERED:
        return SEND_DELIVERED;
    case PROGRESS_FAILED:
        return SEND_FAILED;
    }
    return SEND_FAILED;
}

enum err channel_move_send(struct work *work, struct channel_send *send, enum send_state from,
                           const char *learned_code)
{
    bool is_moved;
    enum err err = setup_of(work, send->channel)->owner.apply(work, send, learned_code);
    if (err && err != ERR_NOT_FOUND) return err;
    err = send_move(work, send, from, &is_moved);
    if (err) return err;
    if (!is_moved) return ERR_TX_RETRY;
    note_send(work, send);
    bool is_over = send->state == SEND_FAILED || send->state == SEND_UNKNOWN;
    return is_over ? send_set_success_code(work, &send->id, (struct str){0}) : ERR_OK;
}

enum err channel_apply_progress(struct work *work, struct channel_send *send,
                                const struct channel_answer *answer)
{
    enum send_state from = send->state;
    enum send_state to = channel_state_of(answer->progress);

    /* A send moves forward only, since reports overtake each other: one that failed or was
     * delivered stays so. */
    bool is_open = from == SEND_ACCEPTED || from == SEND_SENT || from == SEND_UNKNOWN;
    if (answer->outcome != OUTCOME_DONE || answer->is_pending || !is_open) return ERR_OK;
    if (to <= from && from != SEND_UNKNOWN) return ERR_OK;
    send->state = to;
    enum err err = channel_take_error(work, send, to == SEND_FAILED ? answer : NULL);
    if (err) return err;
    return channel_move_send(work, send, from, NULL);
}

/* A report proves that the provider has the send, whatever it says of it. */
static enum err apply_proof(struct work *work, struct channel_send *send,
                            const struct channel_answer *answer)
{
    send->state = channel_state_of(answer->progress);
    bool is_wanted;
    enum err err = channel_take_error(work, send, send->state == SEND_FAILED ? answer : NULL);
    if (err) return err;
    err = channel_move_send(work, send, SEND_UNKNOWN, NULL);
    if (err || send->state == SEND_FAILED) return err;
    return channel_make_good(work, send, &is_wanted);
}

/* The fetch may have ended without an answer that named the provider's id. */
static enum err select_by_report(struct work *work, enum channel channel, const char *provider_id,
                                 const struct uuid *send_id, struct channel_send *ret_send)
{
    enum err err = send_select_by_provider_id(work, channel, provider_id, ret_send);
    if (err != ERR_NOT_FOUND || uuid_is_nil(send_id)) return err;
    err = send_select(work, send_id, ret_send);
    if (err) return err;
    bool is_it = ret_send->channel == channel && !ret_send->provider_id;
    if (!is_it || ret_send->state != SEND_UNKNOWN) return ERR_NOT_FOUND;
    ret_send->provider_id = provider_id;
    return ERR_OK;
}

enum err channel_apply_report(struct work *work, enum channel channel, const char *provider_id,
                              const struct uuid *send_id, const struct channel_answer *answer)
{
    struct channel_send send;
    enum err err = select_by_report(work, channel, provider_id, send_id, &send);
    if (err) return err;
    /* The fetch's own record comes first; the provider repeats its report. */
    if (send.state == SEND_QUEUED || send.state == SEND_FETCHING) return ERR_NOT_FOUND;
    if (send.state == SEND_UNKNOWN) return apply_proof(work, &send, answer);
    return channel_apply_progress(work, &send, answer);
}
