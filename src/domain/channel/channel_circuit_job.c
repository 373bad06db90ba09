/* Circuits: what calls tell of the provider is counted by this process, and told to the others. */
#include "domain/channel/channel_db.h"
#include "domain/channel/channel_lane.h"
#include "kit/base/clock.h"

/* How a change reads in the log, and in the log stream. */
static const struct circuit_news {
    enum log_level level;
    const char *text;
} circuit_news[] = {
    [BREAKER_OPENED] = {LOG_ERROR, "channel closed for a while: its provider does not serve"},
    [BREAKER_CLOSED] = {LOG_INFO, "channel open again"},
};

enum { NEWS_FIELDS = 3 };

static void fill_fields(const struct lane *lane, enum breaker_change change, const char *error,
                        struct log_field ret_fields[static NEWS_FIELDS])
{
    ret_fields[0] = log_text("channel", channel_words[lane->channel]);
    ret_fields[1] = log_text("driver", lane_setup(lane)->driver->name);
    ret_fields[2] = log_text("error", change == BREAKER_OPENED ? error : NULL);
}

/* At once, also while the database does not answer. */
static void log_change(const struct lane *lane, enum breaker_change change, const char *error)
{
    struct log_field fields[NEWS_FIELDS];
    fill_fields(lane, change, error, fields);
    log_write(circuit_news[change].level, circuit_news[change].text, fields, NEWS_FIELDS);
}

enum breaker_change lane_count(struct lane *lane, const struct fetch_call *call,
                               const struct channel_answer *answer)
{
    /* What herald itself ended says nothing about the provider. */
    if (call->end == FETCH_CANCELED) return BREAKER_UNCHANGED;
    pthread_mutex_lock(&lane->worker->lock);
    enum breaker_change change =
        breaker_count(&lane->breaker, answer->outcome, clock_monotonic_ms());
    lane->untold_changes += change != BREAKER_UNCHANGED;
    pthread_mutex_unlock(&lane->worker->lock);
    if (change != BREAKER_UNCHANGED) log_change(lane, change, answer->error);
    return change;
}

/* Where a probe decides, the channel is closed until it has answered. */
static int64_t closed_ms(const struct lane *lane)
{
    if (!lane_has_probe(lane)) return BREAKER_OPEN_MS;
    return BREAKER_OPEN_MS + CHANNEL_POLL_MS + lane_setup(lane)->config.route.timeout_ms;
}

enum err lane_tell_circuit(struct lane *lane, struct work *work, enum breaker_change change,
                           const char *error)
{
    struct log_field fields[NEWS_FIELDS];
    bool is_opened = change == BREAKER_OPENED;

    if (change == BREAKER_UNCHANGED) return ERR_OK;
    fill_fields(lane, change, error, fields);
    work_note(work, circuit_news[change].level, circuit_news[change].text, fields, NEWS_FIELDS);
    return circuit_set(work, (enum channel)lane->channel,
                       is_opened ? work->now_ms + closed_ms(lane) : 0, is_opened ? error : NULL);
}

void lane_circuit_told(struct lane *lane, enum breaker_change change)
{
    pthread_mutex_lock(&lane->worker->lock);
    lane->untold_changes -= change != BREAKER_UNCHANGED;
    pthread_mutex_unlock(&lane->worker->lock);
}

bool lane_asks_circuit(const struct lane *lane)
{
    return lane_setup(lane)->driver && !breaker_is_probing(&lane->breaker) &&
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
