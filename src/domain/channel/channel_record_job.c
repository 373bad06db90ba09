/*
 * The outcome of a fetch is recorded by compare-and-set on the job's lease. The job comes first, so
 * that a worker that has lost the lease writes nothing; then the owner's row and the send
 * (channel_move_send).
 *
 * While the database does not answer, outcomes are kept until their lease ends: this process alone
 * knows whether somebody was called or messaged.
 */
#include "core/words.h"
#include "domain/channel/channel_db.h"
#include "domain/channel/channel_worker.h"
#include "domain/event_log/event_log.h"
#include "kit/base/clock.h"

enum {
    RETRY_FIRST_MS = 1000,
    RETRY_MAX_MS = 30 * 1000,
    STATUS_FIRST_MS = 2000,
    STATUS_MAX_MS = 30 * 1000,
    FOLLOW_UP_TRIES_MAX = 5,  /* of a revoke or success that did not go out */
    CHECKED_ATTEMPTS_MAX = 2, /* of one send whose status showed that nothing went out */
};

/* Each wait is twice the one before, from the first to the longest. */
static int64_t backoff_ms(int64_t attempt, int64_t first_ms, int64_t max_ms)
{
    int64_t wait_ms = first_ms;
    for (int64_t i = 1; i < attempt && wait_ms < max_ms; i++)
        wait_ms *= 2;
    return wait_ms < max_ms ? wait_ms : max_ms;
}

/* --- The timeline ------------------------------------------------------------------------------
 */

static enum timeline_word word_of(const struct slot *slot)
{
    switch (slot->step) {
    case STEP_STATUS:
        return TIMELINE_STATUS;
    case STEP_SUCCESS:
        return TIMELINE_SUCCESS;
    case STEP_SEND:
    case STEP_REVOKE:
    case STEP_COUNT:
        break;
    }
    if (slot->ask == ASK_ABILITY) return TIMELINE_CHECK;
    return slot->ask == ASK_FATE ? TIMELINE_STATUS : TIMELINE_FETCH;
}

/* Returns the line of the fetch of a slot, which says why it is made again (`error`, or NULL); what
 * ends a send stands in its row. NULL: it has none. */
static const char *line_of(const struct slot *slot, const char *error)
{
    static const char *const outcomes[] = {
        [OUTCOME_DONE] = "done",           [OUTCOME_RATE_LIMITED] = "rate_limited",
        [OUTCOME_RETRYABLE] = "retryable", [OUTCOME_PERMANENT] = "permanent",
        [OUTCOME_OURS] = "ours",           [OUTCOME_UNKNOWN] = "unknown",
    };
    const struct fetch *fetch = &slot->base.fetch;
    struct timeline_step step = timeline_step_of(word_of(slot), slot->content.now_ms);

    if (slot->ask == ASK_TURN || slot->ask == ASK_END) return NULL;
    step.duration_ms = fetch->duration_ms;
    step.error = error;
    if (slot->step == STEP_SUCCESS)
        step.status = fetch->status; /* nobody reads more of the answer */
    else
        step.outcome = word_index(timeline_outcome_words, outcomes[slot->answer.outcome]);
    return timeline_line(slot->work.arena, &step);
}

/* --- Sends ------------------------------------------------------------------------------------ */

static enum err end_send(struct slot *slot, struct channel_send *send, enum send_state state)
{
    enum err err = job_finish(slot->work.tx, &slot->job);
    if (err) return err;
    send->state = state;
    err = channel_take_error(&slot->work, send, &slot->answer);
    if (err) return err;
    send->line = line_of(slot, NULL);
    if (slot->answer.provider_id) send->provider_id = slot->answer.provider_id;
    return channel_move_send(&slot->work, send, slot->send.state, slot->answer.learned_code);
}

/* A send in doubt may be out: bytes left and no answer came, now or at an earlier fetch. */
static bool is_in_doubt(const struct slot *slot)
{
    if (slot->ask == ASK_ABILITY) return false;
    return slot->was_in_doubt ||
           (slot->base.fetch.was_sent && slot->base.fetch.end != FETCH_ANSWERED);
}

static enum err run_again(struct slot *slot, struct channel_send *send, enum send_state state,
                          int64_t run_at)
{
    bool is_moved;
    enum err err = job_retry(slot->work.tx, &slot->job, run_at);
    if (err) return err;
    send->state = state;
    err = channel_take_error(&slot->work, send, &slot->answer);
    if (err) return err;
    send->line = line_of(slot, slot->answer.error);
    err = send_move(&slot->work, send, slot->send.state, &is_moved);
    if (err) return err;
    return is_moved ? ERR_OK : ERR_TX_RETRY;
}

/* A send in doubt stays SEND_FETCHING, so that neither a cancel nor the end of its time forgets
 * that. */
static enum err retry_later(struct slot *slot, struct channel_send *send)
{
    int64_t attempt = slot->ask == ASK_STEP ? send->attempt : slot->job.attempt;
    int64_t told_ms = slot->answer.wait_ms;
    int64_t wait_ms = told_ms > 0 ? told_ms : backoff_ms(attempt, RETRY_FIRST_MS, RETRY_MAX_MS);
    int64_t run_at = slot->work.now_ms + wait_ms;

    enum err err = run_at < send->expires_at ? slot_take_turn(slot, run_at, &run_at) : ERR_OK;
    if (err) return err;
    if (run_at >= send->expires_at)
        return end_send(slot, send, is_in_doubt(slot) ? SEND_UNKNOWN : SEND_FAILED);
    return run_again(slot, send, is_in_doubt(slot) ? SEND_FETCHING : SEND_QUEUED, run_at);
}

static enum err follow_up(struct slot *slot, const struct channel_send *send)
{
    bool is_wanted;
    enum err err = channel_make_good(&slot->work, send, &is_wanted);
    if (err || !is_wanted || send->state >= SEND_DELIVERED) return err;
    return channel_enqueue_step(&slot->work, send, STEP_STATUS,
                                slot->work.now_ms + STATUS_FIRST_MS);
}

static enum err record_done(struct slot *slot, struct channel_send *send)
{
    enum err err = end_send(slot, send, channel_state_of(slot->answer.progress));
    if (err || send->state == SEND_FAILED) return err;
    return follow_up(slot, send);
}

/* The provider can be asked, a little later, what became of the send. */
static enum err record_unknown(struct slot *slot, struct channel_send *send)
{
    int64_t run_at = slot->work.now_ms + STATUS_FIRST_MS;
    bool is_final = !lane_can_ask_fate(slot->lane, send) || run_at >= send->expires_at;
    if (is_final) return end_send(slot, send, SEND_UNKNOWN);
    return run_again(slot, send, SEND_FETCHING, run_at);
}

static enum err record_send(struct slot *slot)
{
    struct channel_send send = slot->send;

    switch (slot->answer.outcome) {
    case OUTCOME_DONE:
        return record_done(slot, &send);
    case OUTCOME_RATE_LIMITED:
    case OUTCOME_RETRYABLE:
    case OUTCOME_OURS:
        return retry_later(slot, &send);
    case OUTCOME_PERMANENT:
        return end_send(slot, &send, SEND_FAILED);
    case OUTCOME_UNKNOWN:
        return record_unknown(slot, &send);
    }
    return ERR_INTERNAL;
}

/* --- Checks ----------------------------------------------------------------------------------- */

static enum err run_again_now(struct slot *slot, struct channel_send *send)
{
    slot->goes_on = true;
    return run_again(slot, send, SEND_QUEUED, slot->work.now_ms);
}

/* Nothing is sent by asking, so any failure is asked again. */
static enum err record_ability(struct slot *slot, struct channel_send *send)
{
    if (slot->answer.outcome == OUTCOME_PERMANENT) return end_send(slot, send, SEND_FAILED);
    if (slot->answer.outcome != OUTCOME_DONE) return retry_later(slot, send);
    send->provider_id = slot->answer.provider_id;
    return run_again_now(slot, send);
}

static enum err record_fate(struct slot *slot)
{
    struct channel_send send = slot->send;
    const struct channel_answer *answer = &slot->answer;

    if (answer->outcome == OUTCOME_PERMANENT) return end_send(slot, &send, SEND_UNKNOWN);
    if (answer->outcome != OUTCOME_DONE) return retry_later(slot, &send);
    if (!answer->is_unsent) return record_done(slot, &send);
    if (send.attempt >= CHECKED_ATTEMPTS_MAX) return end_send(slot, &send, SEND_UNKNOWN);
    return run_again_now(slot, &send);
}

/* --- Sends without a fetch -------------------------------------------------------------------- */

/* Puts a send off until its turn, or to its end where there is no time left. */
static enum err record_turn(struct slot *slot)
{
    int64_t run_at, expires_at = slot->send.expires_at;
    enum err err = slot_take_turn(slot, slot->turn_at_least_ms, &run_at);
    if (err) return err;
    return job_retry(slot->work.tx, &slot->job, run_at < expires_at ? run_at : expires_at);
}

/* The claim left the send as it was, so the owner may have ended it in the meantime. */
static enum err record_unfetched(struct slot *slot)
{
    struct channel_send send;
    enum err err = send_select(&slot->work, &slot->job.subject, &send);
    bool is_over = err == ERR_NOT_FOUND || (!err && send.state != slot->send.state);

    if (is_over) return job_finish(slot->work.tx, &slot->job);
    if (err) return err;
    return slot->ask == ASK_END ? end_send(slot, &send, slot->end) : record_ability(slot, &send);
}

static enum err record_ask(struct slot *slot)
{
    switch (slot->ask) {
    case ASK_STEP:
        return record_send(slot);
    case ASK_FATE:
        return record_fate(slot);
    case ASK_TURN:
        return record_turn(slot);
    case ASK_ABILITY:
    case ASK_END:
        return record_unfetched(slot);
    }
    return ERR_INTERNAL;
}

/* --- Follow-ups ------------------------------------------------------------------------------- */

/* The send is read as it stands now, since a report may have come in the meantime. */
static enum err record_status(struct slot *slot)
{
    struct work *work = &slot->work;
    int64_t wait_ms = backoff_ms(slot->job.attempt, STATUS_FIRST_MS, STATUS_MAX_MS);
    int64_t told_ms = slot->answer.wait_ms;
    int64_t run_at = work->now_ms + (told_ms > wait_ms ? told_ms : wait_ms);
    struct channel_send send;

    /* A job ends whatever the row of its send holds, and also if that is gone. */
    const struct channel_answer *answer = &slot->answer;
    bool is_end = answer->progress == PROGRESS_DELIVERED || answer->progress == PROGRESS_FAILED;
    bool is_told = answer->outcome == OUTCOME_DONE && !answer->is_pending && is_end;
    bool is_last = is_told || run_at >= slot->send.expires_at;
    enum err err =
        is_last ? job_finish(work->tx, &slot->job) : job_retry(work->tx, &slot->job, run_at);
    if (!err) err = send_select(work, &slot->job.subject, &send);
    if (err == ERR_NOT_FOUND) return ERR_OK;
    if (err) return err;
    send.line = line_of(slot, NULL);
    return channel_apply_progress(work, &send, answer);
}

/* A follow-up is best effort: once it went out it is done with, whatever the answer. */
static enum err record_notice(struct slot *slot)
{
    const struct fetch *fetch = &slot->base.fetch;
    bool is_unsent =
        fetch->end == FETCH_NOT_SENT || (fetch->end == FETCH_CANCELED && !fetch->was_sent);
    int64_t wait_ms = backoff_ms(slot->job.attempt, RETRY_FIRST_MS, RETRY_MAX_MS);

    if (is_unsent && slot->job.attempt < FOLLOW_UP_TRIES_MAX)
        return job_retry(slot->work.tx, &slot->job, slot->work.now_ms + wait_ms);
    enum err err = job_finish(slot->work.tx, &slot->job);
    if (err || slot->step != STEP_SUCCESS) return err;
    return send_end_success(&slot->work, &slot->job.subject, line_of(slot, fetch->error));
}

/* --- The transaction -------------------------------------------------------------------------- */

static enum err record_step(struct slot *slot)
{
    switch (slot->step) {
    case STEP_SEND:
        return record_ask(slot);
    case STEP_STATUS:
        return record_status(slot);
    case STEP_REVOKE:
    case STEP_SUCCESS:
        return record_notice(slot);
    case STEP_COUNT:
        return ERR_INTERNAL;
    }
    return ERR_INTERNAL;
}

/* Records a slot. It may run twice, and changes nothing in the slot but the notes and `goes_on`. */
static enum err record(struct work *work)
{
    struct slot *slot = CONTAINER_OF(work, struct slot, work);
    slot->goes_on = false;
    enum err err = record_step(slot);
    if (err) return err;
    return lane_share_circuit(slot->lane, work, slot->circuit, slot->answer.error);
}

/* --- Its end ---------------------------------------------------------------------------------- */

/* Keeps a slot that the database did not take. Until the lease ends nobody else touches the
 * send. */
static bool keep_for_later(struct slot *slot, enum err err)
{
    struct fetcher *fetcher = &slot->lane->worker->fetcher;
    bool is_passing = err == ERR_STORAGE_UNAVAILABLE || err == ERR_OVERLOADED;

    if (!is_passing || clock_now_ms() >= slot->job.lease_until_ms) return false;
    pthread_mutex_lock(&fetcher->lock);
    bool is_kept = fetcher->state == FETCHER_RUNNING;
    if (is_kept) {
        slot->next = slot->lane->unrecorded;
        slot->lane->unrecorded = slot;
    }
    pthread_mutex_unlock(&fetcher->lock);
    return is_kept;
}

static void record_finished(struct work *work, enum err err)
{
    struct slot *slot = CONTAINER_OF(work, struct slot, work);
    bool is_lost = err == ERR_LEASE_LOST;
    const char *failure =
        is_lost ? "nothing to record: another worker has the job, or it was recorded by a "
                  "transaction whose answer did not arrive"
                : "the outcome of a job could not be recorded; its lease will end";

    if (err && keep_for_later(slot, err)) return;
    if (err)
        log_write(is_lost ? LOG_INFO : LOG_ERROR, failure,
                  LOG_FIELDS(log_uuid("send_id", &slot->job.subject),
                             log_plain("error", err_info(err)->code)));
    else
        event_log_publish(slot->lane->worker->event_log, work, NULL);
    lane_circuit_shared(slot->lane, slot->circuit);
    slot_leave(slot);
}

void slot_record(struct slot *slot)
{
    struct lane *lane = slot->lane;

    if (slot->is_fetching) { /* the provider is free for the next one */
        slot->is_fetching = false;
        pthread_mutex_lock(&lane->worker->fetcher.lock);
        lane->fetches--;
        if (lane->is_woken) lane_pump(lane);
        pthread_mutex_unlock(&lane->worker->fetcher.lock);
    }
    slot->work.now_ms = clock_now_ms();
    enum err err =
        work_start(&slot->work, slot->work.service->verification, record, record_finished);
    if (err) record_finished(&slot->work, err);
}
