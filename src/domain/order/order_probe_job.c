/* Probes: whether an ERP serves again, asked instead of an order at risk (doc B, section 4: any 2xx
 * of GET /svc/v1/health means available). */
#include "domain/order/order_worker.h"
#include "kit/base/must.h"

#include <stdlib.h>

#define HEALTH_PATH "/svc/v1/health"

static void probe_done(struct fetch_call *call)
{
    struct order_probe *probe = (struct order_probe *)call;
    order_worker_take_probe(probe->worker, probe);
}

static void probe_free(struct order_probe *probe)
{
    fetch_call_done(&probe->call);
    arena_done(&probe->arena);
    free(probe);
}

static bool fill_request(struct order_probe *probe, const struct order_target *target)
{
    const struct service *service = probe->worker->service;
    struct arena *arena = &probe->arena;
    const char *token;

    if (order_target_fault(service, target)) return false;
    struct vault_place place = sealed_at(SEALED_ERP_TOKEN, uuid_view(&probe->lane->integration_id));
    enum err err = vault_open_text(service->vault, place, target->sealed_token, arena, &token);
    if (err) return false;
    probe->call.method = "GET";
    probe->call.url = arena_printf(arena, "%s" HEALTH_PATH, target->base_url);
    probe->call.headers[0] =
        (struct fetch_header){"Authorization", arena_printf(arena, "Bearer %s", token)};
    probe->call.route = order_route(service, target);
    probe->call.done = probe_done;
    return true;
}

/* Where it cannot leave, the next one is due in its time. */
void order_probe_start(struct order_worker *worker, struct held_lane *lane,
                       const struct order_target *target)
{
    struct order_probe *probe = must_calloc(1, sizeof(*probe));
    probe->worker = worker;
    probe->lane = lane;
    arena_init(&probe->arena);
    bool has_started =
        fill_request(probe, target) && fetch_start(worker->client, &probe->call) == ERR_OK;
    if (!has_started) {
        probe_free(probe);
        return;
    }
    lane->is_probing = true;
    worker->probes++;
}

void order_probe_end(struct order_probe *probe, int64_t now_ms)
{
    struct order_worker *worker = probe->worker;
    const struct fetch_call *call = &probe->call;
    int status = call->end == FETCH_ANSWERED ? call->status : 0;

    probe->lane->is_probing = false;
    worker->probes--;
    if (status >= 200 && status <= 299) held_lane_close(worker, probe->lane);
    if (status == 401 || status == 403) held_lane_warn(worker, probe->lane, status, now_ms);
    probe_free(probe);
}
