/*
 * A lane knows how much its channel may have under way, what its circuit allows, and the probe that
 * asks whether its provider serves. This process counts what fetches tell of the provider, and
 * tells the others.
 *
 * A probe is a provider's own way to ask whether it serves and takes our credentials. One is made
 * at the start, so that bad credentials are known before somebody waits for a code; and while the
 * circuit is open one is made instead of a send at risk. One is made at a time, CIRCUIT_OPEN_MS
 * apart.
 */
#include "core/event.h"
#include "domain/channel/channel_db.h"
#include "domain/channel/channel_worker.h"
#include "domain/event_log/event_log.h"
#include "kit/base/clock.h"

#include <stdlib.h>

/* --- The circuit ------------------------------------------------------------------------------ */

/* A provider fails by giving no service or taking no credentials, not by refusing a recipient. */
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
    case OUTCOME_OURS: /* nobody's next fetch would do better */
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

/* A change of the circuit reads so in the log. */
static const struct circuit_news {
    enum log_level level;
    const char *text;
} circuit_news[] = {
    [CIRCUIT_OPENED] = {LOG_ERROR, "channel closed for a while: its provider does not serve"},
    [CIRCUIT_CLOSED] = {LOG_INFO, "channel open again"},
};

enum { NEWS_FIELDS = 3 };

static void fill_fields(const struct lane *lane, enum circuit_change change, const char *cause,
                        struct log_field ret_fields[static NEWS_FIELDS])
{
    ret_fields[0] = log_plain("channel", channel_words[lane->channel]);
    ret_fields[1] = log_plain("driver", lane_setup(lane)->driver->name);
    ret_fields[2] = log_plain("error", change == CIRCUIT_OPENED ? cause : NULL);
}

enum circuit_change lane_count(struct lane *lane, const struct fetch *fetch,
                               const struct channel_answer *answer)
{
    struct fetcher *fetcher = &lane->worker->fetcher;
    struct log_field fields[NEWS_FIELDS];

    /* A fetch that herald itself ended says nothing about the provider. */
    if (fetch->end == FETCH_CANCELED) return CIRCUIT_SAME;
    pthread_mutex_lock(&fetcher->lock);
    enum circuit_change change =
        channel_count_outcome(&lane->circuit, answer->outcome, clock_monotonic_ms());
    lane->unshared_changes += change != CIRCUIT_SAME;
    pthread_mutex_unlock(&fetcher->lock);
    if (change == CIRCUIT_SAME) return CIRCUIT_SAME;
    /* It is told at once, also while the database does not answer. */
    fill_fields(lane, change, answer->error, fields);
    log_write(circuit_news[change].level, circuit_news[change].text, fields, NEWS_FIELDS);
    return change;
}

enum err lane_share_circuit(struct lane *lane, struct work *work, enum circuit_change change,
                            const char *cause)
{
    struct log_field fields[NEWS_FIELDS];
    enum channel channel = (enum channel)lane->channel;
    bool opens = change == CIRCUIT_OPENED, was_open;
    int64_t open_until = 0;

    if (change == CIRCUIT_SAME) return ERR_OK;
    fill_fields(lane, change, cause, fields);
    work_note(work, circuit_news[change].level, circuit_news[change].text, fields, NEWS_FIELDS);
    enum err err = circuit_select_locked(work, channel, &was_open);
    if (err) return err;
    if (opens) open_until = work->now_ms + CIRCUIT_OPEN_MS + channel_probe_ms(lane_setup(lane));
    if (opens != was_open)
        work_event(work, opens ? EVENT_CHANNEL_CLOSED : EVENT_CHANNEL_OPENED,
                   channel_words[channel]);
    return circuit_set(work, channel, open_until, opens ? cause : NULL, opens != was_open);
}

void lane_circuit_shared(struct lane *lane, enum circuit_change change)
{
    pthread_mutex_lock(&lane->worker->fetcher.lock);
    lane->unshared_changes -= change != CIRCUIT_SAME;
    pthread_mutex_unlock(&lane->worker->fetcher.lock);
}

/* --- The probe -------------------------------------------------------------------------------- */

bool lane_has_probe(const struct lane *lane)
{
    const struct channel_driver *driver = lane_setup(lane)->driver;
    return driver && driver->make_probe;
}

static void leave_probe(struct probe *probe)
{
    struct lane *lane = probe->lane;

    pthread_mutex_lock(&lane->worker->fetcher.lock);
    fetch_slot_done(&probe->base);
    probe->is_under_way = false;
    lane_pump(lane);
    fetcher_changed(&lane->worker->fetcher);
    pthread_mutex_unlock(&lane->worker->fetcher.lock);
}

static enum err record_probe(struct work *work)
{
    struct probe *probe = CONTAINER_OF(work, struct probe, work);
    return lane_share_circuit(probe->lane, work, probe->circuit, probe->answer.error);
}

static void probe_recorded(struct work *work, enum err err)
{
    struct probe *probe = CONTAINER_OF(work, struct probe, work);

    lane_circuit_shared(probe->lane, probe->circuit);
    if (err)
        log_write(LOG_ERROR, "what a probe found could not be recorded",
                  LOG_FIELDS(log_plain("channel", channel_words[probe->lane->channel]),
                             log_plain("error", err_info(err)->code)));
    else
        event_log_publish(probe->lane->worker->event_log, work, NULL);
    leave_probe(probe);
}

static void end_probe(struct fetch_slot *slot)
{
    struct probe *probe = CONTAINER_OF(slot, struct probe, base);
    const struct channel_setup *setup = lane_setup(probe->lane);
    struct service *service = probe->lane->worker->service;

    setup->driver->read_send(&setup->config, &slot->fetch, &slot->arena, &probe->answer);
    probe->circuit = lane_count(probe->lane, &slot->fetch, &probe->answer);
    if (probe->circuit != CIRCUIT_SAME) {
        work_init(&probe->work, service, &slot->arena, clock_now_ms(), NULL);
        enum err err =
            work_start(&probe->work, service->verification, record_probe, probe_recorded);
        if (err) probe_recorded(&probe->work, err);
        return;
    }
    if (probe->answer.outcome != OUTCOME_DONE && slot->fetch.end != FETCH_CANCELED)
        log_write(LOG_WARNING, "a channel's provider does not serve now",
                  LOG_FIELDS(log_plain("channel", channel_words[probe->lane->channel]),
                             log_plain("driver", setup->driver->name),
                             log_plain("error", probe->answer.error)));
    leave_probe(probe);
}

/* Makes a probe if it is time for one: at the start, and instead of a send where the circuit is
 * open. The lock is held. */
static void make_probe(struct lane *lane, int64_t now_ms)
{
    const struct channel_setup *setup = lane_setup(lane);
    struct probe *probe = &lane->probe;
    bool is_due = !probe->was_made || circuit_is_probe_due(&lane->circuit, now_ms);

    if (!lane_has_probe(lane) || probe->is_under_way || !is_due) return;
    fetch_slot_init(&probe->base, &lane->worker->fetcher);
    probe->base.end = end_probe;
    probe->base.fetch.route = setup->config.route;
    setup->driver->make_probe(&setup->config, &probe->base.arena, &probe->base.fetch);
    probe->is_under_way = fetch_slot_start(&probe->base) == ERR_OK;
    if (probe->is_under_way)
        probe->was_made = true;
    else
        fetch_slot_done(&probe->base); /* too many fetches under way: the next time */
}

/* --- Room ------------------------------------------------------------------------------------- */

/* Tells how many sends the provider's pace allows now. As many as may go out at once and come in
 * over the next second are what it allows in any second. */
static int pace_room(struct lane *lane, int64_t now_ms)
{
    int per_s = lane_setup(lane)->driver ? lane_setup(lane)->driver->calls_per_s : 0;
    if (per_s == 0) return CHANNEL_CLAIM_MAX;

    int burst = per_s < 5 ? 1 : per_s / 5;
    int rate = per_s > burst ? per_s - burst : 1;
    lane->pace_level += (now_ms - lane->paced_at_ms) * rate;
    if (lane->pace_level > burst * 1000) lane->pace_level = burst * 1000;
    lane->paced_at_ms = now_ms;
    return (int)(lane->pace_level / 1000);
}

/* Tells how many sends a claim may take. Those of a channel that is closed fetch nothing, and only
 * need a slot. */
static int send_room(struct lane *lane, int64_t now_ms, bool is_closed)
{
    int room = CHANNEL_CLAIM_MAX, slots = CHANNEL_SLOTS_MAX - lane->sends;

    if (slots < room) room = slots;
    if (is_closed) return room;
    int fetches = CHANNEL_IN_FLIGHT_MAX - lane->fetches, paced = pace_room(lane, now_ms);
    if (fetches < room) room = fetches;
    if (paced < room) room = paced;
    if (!circuit_is_open(&lane->circuit)) return room;
    if (lane->is_probing || lane_has_probe(lane)) return 0;
    return room < 1 ? room : 1;
}

/* Sets what a claim may take now. While the circuit is open sends are claimed all the same, to be
 * put off or, when their time is over, ended. A process that finds out by itself does not ask what
 * others tell. */
static void set_room(struct lane *lane, int64_t now_ms)
{
    int64_t closed_ms = circuit_wait_ms(&lane->circuit, now_ms);
    bool knows_better = circuit_is_open(&lane->circuit) || lane->unshared_changes > 0;

    lane->closed_until_ms = closed_ms > 0 ? lane->work.now_ms + closed_ms : 0;
    lane->asks_circuit = lane_setup(lane)->driver && !knows_better;
    lane->send_max = send_room(lane, now_ms, closed_ms > 0);
    lane->follow_up_max = lane->has_follow_ups ? CHANNEL_FOLLOW_UPS_MAX - lane->follow_ups : 0;
}

void lane_pump(struct lane *lane)
{
    struct channel_worker *worker = lane->worker;
    struct service *service = worker->service;
    int64_t now_ms = clock_monotonic_ms();

    lane->is_woken = true;
    /* A channel that was never set up has no jobs. */
    if (!lane_setup(lane)->owner.load || worker->fetcher.state != FETCHER_RUNNING) return;
    make_probe(lane, now_ms);
    if (lane->is_claiming) return;
    work_init(&lane->work, service, &lane->arena, clock_now_ms(), NULL);
    set_room(lane, now_ms);
    if (lane->send_max == 0 && lane->follow_up_max == 0) return;
    lane->is_claiming =
        work_start(&lane->work, service->verification, worker->claim, worker->claimed) == ERR_OK;
    lane->is_woken = !lane->is_claiming;
    if (lane->is_claiming && lane->follow_up_max > 0) lane->has_follow_ups = false;
}

/* --- Slots ------------------------------------------------------------------------------------ */

void slot_free(struct slot *slot)
{
    fetch_slot_done(&slot->base);
    free(slot);
}

void slot_leave(struct slot *slot)
{
    struct lane *lane = slot->lane;
    struct fetcher *fetcher = &lane->worker->fetcher;
    bool is_send = slot->step == STEP_SEND, is_probe = slot->is_probe, goes_on = slot->goes_on;

    slot_free(slot);
    pthread_mutex_lock(&fetcher->lock);
    if (is_send)
        lane->sends--;
    else
        lane->follow_ups--;
    if (is_probe) lane->is_probing = false;
    if (lane->is_woken || goes_on) lane_pump(lane);
    if (lane->sends + lane->follow_ups == 0) fetcher_changed(fetcher);
    pthread_mutex_unlock(&fetcher->lock);
}
