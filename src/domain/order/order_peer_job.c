/* Finds workers that are dead, and frees what they held. */
#include "domain/order/order_lane_db.h"
#include "domain/order/order_peer.h"
#include "domain/order/order_turn_db.h"
#include "kit/base/clock.h"

static bool has_others(const struct work *work)
{
    return db_engine_of(work->service->exchange) != DB_SQLITE;
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

/* Notes since when each sign is the same: since now, where this worker itself stood still. */
static enum err look_at_all(const struct order_peers *known, struct work *work, int64_t now_ms,
                            struct order_look *look)
{
    bool stood_still = now_ms - known->looked_ms > ORDER_STILL_MS;
    struct life_sign *signs;

    enum err err =
        life_list(work->tx, ORDER_LIFE, ORDER_PEERS_MAX, work->arena, &signs, &look->count);
    if (err) return err;
    look->is_looking = true;
    look->peers = arena_array(work->arena, look->count, sizeof(*look->peers));
    for (size_t i = 0; i < look->count; i++) {
        const struct order_peer *peer = stood_still ? NULL : find_peer(known, &signs[i]);
        look->peers[i] = (struct order_peer){signs[i], peer ? peer->seen_ms : now_ms, false};
    }
    return ERR_OK;
}

/* Nobody knows what became of its fetches. So its orders are due, and its lanes are free. */
static enum err bury(struct work *work, struct order_peer *peer)
{
    const struct uuid *holder = &peer->sign.holder;
    enum err err = life_end(work->tx, ORDER_LIFE, &peer->sign, &peer->is_buried);

    if (err || !peer->is_buried) return err;
    err = orders_release_of(work, holder);
    return err ? err : order_lane_release_all(work, holder);
}

enum err order_peers_bury(const struct order_peers *known, struct work *work,
                          const struct uuid *own, struct order_look *look)
{
    int64_t now_ms = clock_monotonic_ms();

    if (!has_others(work) || now_ms - known->looked_ms < ORDER_LOOK_EVERY_MS) return ERR_OK;
    enum err err = look_at_all(known, work, now_ms, look);
    for (size_t i = 0; !err && i < look->count; i++) {
        struct order_peer *peer = &look->peers[i];
        if (uuid_equal(&peer->sign.holder, own)) continue;
        if (now_ms - peer->seen_ms >= ORDER_DEAD_MS) err = bury(work, peer);
    }
    return err;
}

enum err order_peers_show(const struct order_peers *known, struct work *work,
                          const struct uuid *own, struct order_look *look)
{
    int64_t since_ms = clock_monotonic_ms() - known->shown_ms;

    if (!has_others(work) || since_ms < ORDER_LIFE_EVERY_MS) return ERR_OK;
    look->is_showing = true;
    return life_show(work->tx, ORDER_LIFE, own, work->now_ms);
}

void order_peers_learn(struct order_peers *peers, const struct order_look *look)
{
    if (look->is_showing) peers->shown_ms = clock_monotonic_ms();
    if (!look->is_looking) return;
    peers->looked_ms = clock_monotonic_ms();
    peers->count = 0;
    for (size_t i = 0; i < look->count; i++) {
        if (!look->peers[i].is_buried) {
            peers->items[peers->count++] = look->peers[i];
            continue;
        }
        log_write(LOG_WARNING, "a worker is dead; its orders are delivered by others",
                  LOG_FIELDS(log_uuid("worker", &look->peers[i].sign.holder)));
    }
}
