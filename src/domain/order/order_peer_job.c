/*
 * Workers among themselves: each that holds lanes shows a sign of life, and looks at those of the
 * others. By whose clock a sign was shown does not matter: it is dead who has shown no new one for
 * ORDER_DEAD_MS by the clock of the one that looks, and that looked all the while. An embedded
 * service has one worker, and nobody to look.
 */
#include "domain/order/order_worker.h"
#include "kit/base/clock.h"

static bool has_others(const struct order_turn *turn)
{
    return db_engine_of(turn->worker->service->exchange) != DB_SQLITE;
}

static const struct order_peer *find_peer(const struct order_peers *peers,
                                          const struct life_sign *sign)
{
    for (size_t i = 0; i < peers->count; i++) {
        const struct order_peer *peer = &peers->items[i];
        bool is_same =
            uuid_equal(&peer->sign.holder, &sign->holder) && peer->sign.shown_at == sign->shown_at;
        if (is_same) return peer;
    }
    return NULL;
}

/* --- In the transaction ----------------------------------------------------------------------- */

/* Since when each sign is the same; since now, where this worker itself stood still. */
static enum err look(struct order_turn *turn, int64_t now_ms)
{
    const struct order_peers *known = &turn->worker->peers;
    bool stood_still = now_ms - known->looked_ms > ORDER_STILL_MS;
    struct life_sign *signs;
    size_t count;

    enum err err =
        life_list(turn->work.tx, ORDER_LIFE, ORDER_PEERS_MAX, &turn->arena, &signs, &count);
    if (err) return err;
    turn->peers = arena_array(&turn->arena, count, sizeof(*turn->peers));
    for (size_t i = 0; i < count; i++) {
        const struct order_peer *peer = stood_still ? NULL : find_peer(known, &signs[i]);
        turn->peers[i] = (struct order_peer){signs[i], peer ? peer->seen_ms : now_ms, false};
    }
    turn->peer_count = count;
    return ERR_OK;
}

/* What became of its calls is known to nobody; so its orders are due, as its lanes are free. */
static enum err bury(struct order_turn *turn, struct order_peer *peer)
{
    const struct uuid *holder = &peer->sign.holder;
    enum err err = life_end(turn->work.tx, ORDER_LIFE, &peer->sign, &peer->is_buried);

    if (err || !peer->is_buried) return err;
    err = orders_release_of(&turn->work, holder);
    return err ? err : order_lane_release_all(&turn->work, holder);
}

enum err order_turn_bury(struct order_turn *turn)
{
    int64_t now_ms = clock_monotonic_ms();
    const struct order_peers *known = &turn->worker->peers;

    if (!has_others(turn) || now_ms - known->looked_ms < ORDER_LOOK_EVERY_MS) return ERR_OK;
    turn->is_looking = true;
    enum err err = look(turn, now_ms);
    for (size_t i = 0; !err && i < turn->peer_count; i++) {
        struct order_peer *peer = &turn->peers[i];
        if (uuid_equal(&peer->sign.holder, &turn->worker->id)) continue;
        if (now_ms - peer->seen_ms >= ORDER_DEAD_MS) err = bury(turn, peer);
    }
    return err;
}

static bool holds_lanes(const struct order_turn *turn)
{
    bool holds_any = turn->worker->lanes.count > 0;
    for (size_t i = 0; !holds_any && i < turn->lane_count; i++)
        holds_any = turn->lanes[i].is_ours;
    return holds_any;
}

enum err order_turn_show_life(struct order_turn *turn)
{
    int64_t since_ms = clock_monotonic_ms() - turn->worker->peers.shown_ms;

    if (!has_others(turn) || since_ms < ORDER_LIFE_EVERY_MS || !holds_lanes(turn)) return ERR_OK;
    turn->is_showing = true;
    return life_show(turn->work.tx, ORDER_LIFE, &turn->worker->id, turn->work.now_ms);
}

/* --- After it --------------------------------------------------------------------------------- */

void order_turn_seen(struct order_turn *turn)
{
    struct order_peers *peers = &turn->worker->peers;

    if (turn->is_showing) peers->shown_ms = clock_monotonic_ms();
    if (!turn->is_looking) return;
    peers->looked_ms = clock_monotonic_ms();
    peers->count = 0;
    for (size_t i = 0; i < turn->peer_count; i++) {
        if (!turn->peers[i].is_buried) {
            peers->items[peers->count++] = turn->peers[i];
            continue;
        }
        log_write(LOG_WARNING, "a worker is dead; its orders are delivered by others",
                  LOG_FIELDS(log_uuid("worker", &turn->peers[i].sign.holder)));
    }
}
