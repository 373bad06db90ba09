/* A turn is one transaction that records what has ended, keeps what this worker holds, and begins
 * what is due. */
#include "core/event.h"
#include "domain/order/order_worker.h"
#include "kit/base/clock.h"

#include <stdlib.h>

/* --- In the transaction ----------------------------------------------------------------------- */

/* The circuits that have opened or closed are told. */
static void tell_lanes(struct order_turn *turn, const struct order_lane_state *states, size_t count,
                       const int64_t *are_written)
{
    for (size_t i = 0; i < count; i++) {
        bool is_open = states[i].lane.opened_at != 0;
        if (!states[i].is_edge || !are_written[i]) continue;
        work_event_id(&turn->work, is_open ? EVENT_CIRCUIT_OPENED : EVENT_CIRCUIT_CLOSED,
                      &states[i].integration_id);
    }
}

static enum err write_lanes(struct order_turn *turn)
{
    const struct order_worker *worker = turn->worker;
    size_t max = worker->lanes.count, count = 0;
    struct order_lane_state *states;

    if (!worker->lanes.unwritten) return ERR_OK;
    states = arena_array(&turn->arena, max, sizeof(*states));
    for (const struct held_lane *lane = worker->lanes.unwritten; lane; lane = lane->next_unwritten)
        states[count++] =
            (struct order_lane_state){lane->integration_id, lane->lane,
                                      .is_edge = (lane->lane.opened_at != 0) != lane->was_open};
    int64_t *are_written = arena_array(&turn->arena, count, sizeof(*are_written));
    enum err err = order_lane_write(&turn->work, &worker->id, states, count, are_written);
    if (!err) tell_lanes(turn, states, count, are_written);
    return err;
}

/* A worker that begins nothing any more leaves its lanes to others. */
static void find_idle(struct order_turn *turn)
{
    const struct held_lanes *lanes = &turn->worker->lanes;
    int64_t now_ms = clock_monotonic_ms();

    turn->released = arena_array(&turn->arena, lanes->count, sizeof(*turn->released));
    for (size_t i = 0; i < ORDER_LANE_BUCKETS; i++) {
        for (const struct held_lane *lane = lanes->buckets[i]; lane; lane = lane->next) {
            bool is_unused = now_ms - lane->used_ms >= ORDER_RENEW_EVERY_MS;
            /* It may be unwritten all the same: this transaction writes it. */
            bool is_in_use = lane->fetches || lane->is_probing;
            if (!is_in_use && (is_unused || !turn->may_begin))
                turn->released[turn->released_count++] = lane->integration_id;
        }
    }
}

static enum err renew(struct order_turn *turn)
{
    const struct uuid *holder = &turn->worker->id;

    if (!turn->is_renewing) return ERR_OK;
    find_idle(turn);
    enum err err = order_lane_release(&turn->work, holder, turn->released, turn->released_count);
    if (err) return err;
    return order_lane_renew(&turn->work, holder, turn->work.now_ms + ORDER_LANE_LEASE_MS,
                            ORDER_LANES_MAX, &turn->renewed, &turn->renewed_count);
}

/* Forgets what an earlier run of the same transaction found; each reads the time. */
static void restart(struct order_turn *turn)
{
    struct order_worker *worker = turn->worker;
    struct order_turn fresh = {.worker = worker,
                               .work = turn->work,
                               .may_begin = turn->may_begin,
                               .is_renewing = turn->is_renewing,
                               .cursor = worker->cursor};

    arena_done(&turn->arena);
    *turn = fresh;
    arena_init(&turn->arena);
    turn->work.now_ms = clock_now_ms();
}

static bool holds_lanes(const struct order_turn *turn)
{
    bool holds_any = turn->worker->lanes.count > 0;
    for (size_t i = 0; !holds_any && i < turn->lane_count; i++)
        holds_any = turn->lanes[i].is_ours;
    return holds_any;
}

static enum err run(struct work *work)
{
    struct order_turn *turn = CONTAINER_OF(work, struct order_turn, work);

    struct order_worker *worker = turn->worker;

    restart(turn);
    enum err err = order_turn_record(turn);
    if (!err) err = write_lanes(turn);
    if (!err) err = renew(turn);
    if (!err && turn->may_begin)
        err = order_peers_bury(&worker->peers, work, &worker->id, &turn->look);
    if (!err && turn->may_begin) err = order_turn_begin(turn);
    if (err || !holds_lanes(turn)) return err;
    return order_peers_show(&worker->peers, work, &worker->id, &turn->look);
}

/* --- After it --------------------------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct uuid));
}

static bool is_not_renewed(const struct held_lane *lane, const void *arg)
{
    const struct order_turn *turn = arg;
    return !bsearch(&lane->integration_id, turn->renewed, turn->renewed_count,
                    sizeof(*turn->renewed), compare_ids);
}

/* Drops lanes that were given back, and lanes that another worker has taken. */
static void drop_lanes(struct order_turn *turn)
{
    struct order_worker *worker = turn->worker;

    if (!turn->is_renewing) return;
    qsort(turn->renewed, turn->renewed_count, sizeof(*turn->renewed), compare_ids);
    held_lanes_drop(&worker->lanes, is_not_renewed, turn);
    worker->renew_at_ms = clock_monotonic_ms() + ORDER_RENEW_EVERY_MS;
}

bool order_turn_run(struct order_worker *worker, bool may_begin)
{
    struct order_turn *turn = &worker->turn;

    turn->may_begin = may_begin;
    turn->is_renewing =
        worker->lanes.count > 0 && (!may_begin || clock_monotonic_ms() >= worker->renew_at_ms);
    enum err err = work_run(&turn->work, worker->service->exchange, run);
    if (err && !worker->is_troubled) /* once per trouble */
        log_write(LOG_WARNING, "orders cannot be recorded and begun at the moment",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
    worker->is_troubled = err != ERR_OK;
    if (err) return false;
    order_turn_recorded(turn);
    order_peers_learn(&worker->peers, &turn->look);
    held_lanes_written(&worker->lanes);
    drop_lanes(turn);
    if (may_begin) order_turn_begun(turn);
    return true;
}
