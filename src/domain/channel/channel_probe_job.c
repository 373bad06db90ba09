/*
 * Probes: a provider's own way to ask whether it serves and takes our credentials. One is made at
 * the start, so that bad credentials are known before somebody waits for a code; and while the
 * circuit is open one is made instead of a send at risk. One at a time, CIRCUIT_OPEN_MS apart.
 */
#include "domain/channel/channel_lane.h"
#include "domain/event_log/event_log.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

#include <stddef.h>

bool lane_has_probe(const struct lane *lane)
{
    const struct channel_driver *driver = lane_setup(lane)->driver;
    return driver && driver->make_probe;
}

/* --- Its end ---------------------------------------------------------------------------------- */

/* Nothing in it is used any more. The lock is held. */
static void clear(struct probe *probe)
{
    fetch_call_done(&probe->call);
    probe->call = (struct fetch_call){0};
    arena_done(&probe->arena);
    arena_init(&probe->arena);
    probe->is_under_way = false;
}

static void leave(struct probe *probe)
{
    struct lane *lane = probe->lane;

    pthread_mutex_lock(&lane->worker->lock);
    clear(probe);
    lane_pump(lane);
    pthread_cond_broadcast(&lane->worker->is_idle);
    pthread_mutex_unlock(&lane->worker->lock);
}

static enum err record(struct work *work)
{
    struct probe *probe = CONTAINER_OF(work, struct probe, work);
    return lane_tell_circuit(probe->lane, work, probe->circuit, probe->answer.error);
}

static void record_finished(struct work *work, enum err err)
{
    struct probe *probe = CONTAINER_OF(work, struct probe, work);
    struct channel_worker *worker = probe->lane->worker;

    lane_circuit_told(probe->lane, probe->circuit);
    if (!err) event_log_publish(worker->event_log, work, NULL);
    if (err)
        log_write(LOG_ERROR, "what a probe found could not be recorded",
                  LOG_FIELDS(log_text("channel", channel_words[probe->lane->channel]),
                             log_text("error", err_info(err)->code)));
    leave(probe);
}

static void record_circuit(struct probe *probe)
{
    struct service *service = probe->lane->worker->service;

    work_init(&probe->work, service, &probe->arena, clock_now_ms(), NULL);
    enum err err = work_start(&probe->work, service->verification, record, record_finished);
    if (err) record_finished(&probe->work, err);
}

static void probe_done(struct fetch_call *call)
{
    struct probe *probe = CONTAINER_OF(call, struct probe, call);
    const struct channel_setup *setup = lane_setup(probe->lane);

    setup->driver->read_send(&setup->config, call, &probe->arena, &probe->answer);
    probe->circuit = lane_count(probe->lane, call, &probe->answer);
    if (probe->circuit != CIRCUIT_SAME) {
        record_circuit(probe);
        return;
    }
    if (probe->answer.outcome != OUTCOME_DONE && call->end != FETCH_CANCELED)
        log_write(LOG_WARNING, "a channel's provider does not serve now",
                  LOG_FIELDS(log_text("channel", channel_words[probe->lane->channel]),
                             log_text("driver", setup->driver->name),
                             log_text("error", probe->answer.error)));
    leave(probe);
}

/* --- Its beginning ---------------------------------------------------------------------------- */

static bool is_due(const struct lane *lane, int64_t now_ms)
{
    if (!lane_has_probe(lane) || lane->probe.is_under_way) return false;
    if (!lane->probe.was_made) return true;
    return circuit_is_probe_due(&lane->circuit, now_ms);
}

void lane_probe(struct lane *lane, int64_t now_ms)
{
    const struct channel_setup *setup = lane_setup(lane);
    struct probe *probe = &lane->probe;

    if (!is_due(lane, now_ms)) return;
    probe->call.route = setup->config.route;
    probe->call.done = probe_done;
    setup->driver->make_probe(&setup->config, &probe->arena, &probe->call);
    probe->is_under_way = fetch_start(lane->worker->client, &probe->call) == ERR_OK;
    if (probe->is_under_way)
        probe->was_made = true;
    else
        clear(probe); /* too many calls under way: the next time */
}
