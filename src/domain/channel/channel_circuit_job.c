/* Circuits: what calls tell of the provider is counted by this process, and told to the others. */
#include "domain/channel/channel_db.h"
#include "domain/channel/channel_lane.h"
#include "kit/base/clock.h"

/* How a change reads in the log, and in the log stream. */
static const struct circuit_news {
    enum log_level level;
    const char *text;
} circuit_news[] = {
    [CIRCUIT_OPENED] = {LOG_ERROR, "channel closed for a while: its provider does not serve"},
    [CIRCUIT_CLOSED] = {LOG_INFO, "channel open again"},
};

enum { NEWS_FIELDS = 3 };

static void fill_fields(const struct lane *lane, enum circuit_change change, const char *error,
                        struct log_field ret_fields[static NEWS_FIELDS])
{
    ret_fields[0] = log_text("channel", channel_words[lane->channel]);
    ret_fields[1] = log_text("driver", lane_setup(lane)->driver->name);
    ret_fields[2] = log_text("error", change == CIRCUIT_OPENED ? error : NULL);
}

/* At once, also while the database does not answer. */
static void log_change(const struct lane *lane, enum circuit_change change, const char *error)
{
    struct log_field fields[NEWS_FIELDS];
    fill_fields(lane, change, error, fields);
    log_write(circuit_news[change].level, circuit_news[change].text, fields, NEWS_FIELDS);
}

/* What counts as the provider's failure: no service, or no credentials; not a bad recipient. */
enum circuit_change channel_count_outcome(struct circuit *circuit, enum channel_outcome outcome,
                                          int64_t now_ms)
{
    enum circuit_change change = CIRCUIT_SAME;

    switch (outcome) {
    case OUTCOME_DONE:
    case OUTCOME_PERMANENT:
        change = circuit_count_success(circuit);
        break;
    case OUTCOME_RATE_LIMITED: /* it serves, though not now: enough for a probe */
        if (circuit_is_probe_due(circuit, now_ms)) change = circuit_count_success(circuit);
        break;
    case OUTCOME_OURS: /* nobody's next call would do better */
        change = circuit_count_failure(circuit, CIRCUIT_FAILURES, now_ms);
        break;
    case OUTCOME_RETRYABLE:
    case OUTCOME_UNKNOWN:
        change = circuit_count_failure(circuit, 1, now_ms);
        break;
    }
    bool is_news = change == CIRCUIT_OPENED || change == CIRCUIT_CLOSED;
    return is_news ? change : CIRCUIT_SAME;
}

enum circuit_change lane_count(struct lane *lane, const struct fetch_call *call,
                               const struct channel_answer *answer)
{
    /* What herald itself ended says nothing about the provider. */
    if (call->end == FETCH_CANCELED) return CIRCUIT_SAME;
    pthread_mutex_lock(&lane->worker->lock);
    enum circuit_change change =
        channel_count_outcome(&lane->circuit, answer->outcome, clock_monotonic_ms());
    lane->untold_changes += change != CIRCUIT_SAME;
    pthread_mutex_unlock(&lane->worker->lock);
    if (change != CIRCUIT_SAME) log_change(lane, change, answer->error);
    return change;
}

/* Where a probe decides, the channel is closed until it has answered. */
static int64_t closed_ms(const struct lane *lane)
{
    if (!lane_has_probe(lane)) return CIRCUIT_OPEN_MS;
    return CIRCUIT_OPEN_MS + CHANNEL_POLL_MS + lane_setup(lane)->config.route.timeout_ms;
}

enum err lane_tell_circuit(struct lane *lane, struct work *work, enum circuit_change change,
                           const char *error)
{
    struct log_field fields[NEWS_FIELDS];
    bool is_opened = change == CIRCUIT_OPENED;

    if (change == CIRCUIT_SAME) return ERR_OK;
    fill_fields(lane, change, error, fields);
    work_note(work, circuit_news[change].level, circuit_news[change].text, fields, NEWS_FIELDS);
    return circuit_set(work, (enum channel)lane->channel,
                       is_opened ? work->now_ms + closed_ms(lane) : 0, is_opened ? error : NULL);
}

void lane_circuit_told(struct lane *lane, enum circuit_change change)
{
    pthread_mutex_lock(&lane->worker->lock);
    lane->untold_changes -= change != CIRCUIT_SAME;
    pthread_mutex_unlock(&lane->worker->lock);
}

bool lane_asks_circuit(const struct lane *lane)
{
    return lane_setup(lane)->driver && !circuit_is_open(&lane->circuit) &&
           lane->untold_changes == 0;
}

enum err lane_read_circuit(struct lane *lane, struct db_tx *tx)
{
    struct work work;
    int64_t open_until;

    work_init(&work, lane->worker->service, &lane->arena, lane->claim_at_ms, NULL);
    work_restart(&work, tx);
    enum err err = circuit_select(&work, (enum channel)lane->channel, &open_until);
    if (err) return err;
    bool is_closed = clock_left_ms(open_until, CHANNEL_CLOSED_MAX_MS, lane->claim_at_ms) > 0;
    lane->closed_until_ms = is_closed ? open_until : 0;
    return ERR_OK;
}
