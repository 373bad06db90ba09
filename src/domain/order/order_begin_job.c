/*
 * The part of a turn that begins fetches. It looks at the lanes with something due, page by page,
 * takes those that nobody holds, and gives each one with room its share of what this worker may
 * begin. A fetch leaves after the commit, so whoever finds its order later knows that it may have
 * left.
 */
#include "domain/order/order_worker.h"
#include "kit/base/clock.h"

/* --- Lanes ------------------------------------------------------------------------------------ */

static enum err find_lanes(struct order_turn *turn)
{
    struct order_worker *worker = turn->worker;
    struct order_lane_page page;

    enum err err =
        order_lane_select_due(&turn->work, &worker->id, &worker->cursor, ORDER_PAGE_MAX, &page);
    if (err) return err;
    turn->lanes = arena_array(&turn->arena, page.count, sizeof(*turn->lanes));
    turn->lane_count = page.count;
    for (size_t i = 0; i < page.count; i++) {
        const struct order_lane_row *row = &page.rows[i];
        turn->lanes[i] = (struct turn_lane){
            .row = row,
            .held = held_lane_find(&worker->lanes, &row->integration_id),
            .is_ours = row->is_held,
        };
    }

    /* The first page follows the last. */
    memset(&turn->cursor, 0, sizeof(turn->cursor));
    if (page.count == ORDER_PAGE_MAX) turn->cursor = page.rows[page.count - 1].integration_id;
    return ERR_OK;
}

static enum order_crowd crowd_of(const struct order_worker *worker)
{
    if (worker->under_way >= ORDER_FETCHES_CROWDED) return CROWD_LARGE;
    return worker->under_way >= ORDER_FETCHES_FEW ? CROWD_SOME : CROWD_NONE;
}

static int budget_of(const struct order_worker *worker)
{
    int most = crowd_of(worker) == CROWD_LARGE ? ORDER_FETCHES_MAX : ORDER_FETCHES_CROWDED;
    int left = most - worker->under_way;

    if (worker->bytes >= ORDER_BYTES_MAX) return 0;
    return left < ORDER_TURN_MAX ? left : ORDER_TURN_MAX;
}

/* Takes a few at a time, since other workers look for some as well. */
static enum err take_lanes(struct order_turn *turn)
{
    size_t held = turn->worker->lanes.count, count = 0;
    size_t room = held < ORDER_LANES_MAX ? ORDER_LANES_MAX - held : 0;
    size_t max = room < ORDER_TAKEN_MAX ? room : ORDER_TAKEN_MAX;
    struct turn_lane *lanes[ORDER_TAKEN_MAX];
    struct uuid *ids = arena_array(&turn->arena, max, sizeof(*ids));
    int64_t *are_taken = arena_array(&turn->arena, max, sizeof(*are_taken));

    for (size_t i = 0; i < turn->lane_count; i++) {
        if (turn->lanes[i].is_ours) continue;
        turn->is_short |= count == max;
        if (count == max) break;
        ids[count] = turn->lanes[i].row->integration_id;
        lanes[count++] = &turn->lanes[i];
    }
    enum err err = order_lane_take(&turn->work, &turn->worker->id, ids, count,
                                   turn->work.now_ms + ORDER_LANE_LEASE_MS, are_taken);
    for (size_t i = 0; !err && i < count; i++) {
        lanes[i]->is_ours = are_taken[i] != 0;
        turn->has_progress |= lanes[i]->is_ours;
    }
    return err;
}

/* --- Orders ----------------------------------------------------------------------------------- */

static void look_at(struct order_turn *turn, struct turn_lane *lane, int *probes)
{
    const struct order_lane *state = &lane->row->lane; /* by now also of a lane that is ours */
    const struct held_lane nothing = {0}, *held = lane->held ? lane->held : &nothing;
    bool is_probing = held->is_probing;

    if (!lane->is_ours) return;
    lane->room = order_lane_room(state, held->under_way, held->is_quick, crowd_of(turn->worker));
    lane->wants_probe = *probes < ORDER_PROBES_MAX && !is_probing &&
                        circuit_is_probe_due(&state->circuit, turn->work.now_ms);
    *probes += lane->wants_probe;
}

/* If the budget does not suffice for all, the next page begins behind the last lane that was
 * served. */
static size_t share_out(struct order_turn *turn, struct due_share *ret_shares)
{
    int budget = budget_of(turn->worker), probes = turn->worker->probes;
    size_t with_room = 0, count = 0;

    for (size_t i = 0; i < turn->lane_count; i++) {
        look_at(turn, &turn->lanes[i], &probes);
        with_room += turn->lanes[i].room > 0;
    }
    int share = order_lane_share(budget, with_room);
    for (size_t i = 0; i < turn->lane_count && budget > 0; i++) {
        struct turn_lane *lane = &turn->lanes[i];
        if (lane->room == 0) continue;
        lane->share = lane->room < share ? lane->room : share;
        /* Fetches of ours that take too long are due as well, and are found first. */
        int max = lane->share + (lane->held ? lane->held->overdue : 0);
        ret_shares[count++] = (struct due_share){lane->row->integration_id, max};
        budget -= lane->share;
        turn->is_short |= lane->share < lane->room;
        if (budget == 0 && count < with_room) turn->cursor = lane->row->integration_id;
    }
    return count;
}

static struct turn_lane *find_lane(struct order_turn *turn, const struct uuid *integration_id)
{
    size_t from = 0, to = turn->lane_count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct uuid *id = &turn->lanes[middle].row->integration_id;
        int order = memcmp(id->bytes, integration_id->bytes, sizeof(id->bytes));
        if (order == 0) return &turn->lanes[middle];
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

/* Returns whether a fetch of this process has the order, although it should have ended by now: the
 * clock, or the process, stood still. */
static bool is_under_way(const struct turn_lane *lane, const struct uuid *id)
{
    const struct order_fetch *fetch = lane->held ? lane->held->fetches : NULL;
    while (fetch && !uuid_equal(&fetch->id, id))
        fetch = fetch->next_of_lane;
    return fetch;
}

static void choose(struct order_turn *turn)
{
    turn->begins = arena_array(&turn->arena, turn->due.count, sizeof(*turn->begins));
    turn->begin_lanes = arena_array(&turn->arena, turn->due.count, sizeof(*turn->begin_lanes));
    for (size_t i = 0; i < turn->due.count; i++) {
        const struct due_order *order = &turn->due.items[i];
        struct turn_lane *lane = find_lane(turn, &order->integration_id);
        if (!lane) continue;
        if (is_under_way(lane, &order->id)) {
            lane->overdue++;
            continue;
        }
        if (lane->begun == lane->share) continue;
        lane->begun++;
        int64_t timeout_ms = lane->row->target.timeout_s * 1000;
        turn->begin_lanes[turn->begin_count] = lane;
        turn->begins[turn->begin_count++] =
            (struct order_begin){order, turn->work.now_ms + timeout_ms + ORDER_FETCH_MARGIN_MS};
    }
}

/* Records that nobody knows what became of the attempts before. */
static enum err record_lost_attempts(struct order_turn *turn)
{
    struct attempt_row *rows = arena_array(&turn->arena, turn->begin_count, sizeof(*rows));
    size_t count = 0;

    for (size_t i = 0; i < turn->begin_count; i++) {
        const struct due_order *order = turn->begins[i].order;
        if (!order->was_begun) continue;
        rows[count++] = (struct attempt_row){order->id,
                                             {.attempt = order->attempts,
                                              .started_at = order->begun_at,
                                              .outcome = ATTEMPT_UNKNOWN,
                                              .error = "a worker ended during the fetch"}};
    }
    return order_attempts_insert(&turn->work, rows, count);
}

static enum err begin_orders(struct order_turn *turn)
{
    struct due_share shares[ORDER_PAGE_MAX];
    size_t count = share_out(turn, shares);

    enum err err = due_orders_select(&turn->work, shares, count, &turn->due);
    if (err) return err;
    choose(turn);
    turn->has_progress |= turn->begin_count > 0;
    err = orders_begin(&turn->work, turn->begins, turn->begin_count);
    return err ? err : record_lost_attempts(turn);
}

enum err order_turn_begin(struct order_turn *turn)
{
    if (budget_of(turn->worker) <= 0) return ERR_OK; /* until a fetch ends */
    enum err err = find_lanes(turn);
    if (!err) err = take_lanes(turn);
    return err ? err : begin_orders(turn);
}

/* --- After the commit ------------------------------------------------------------------------- */

/* Holds a lane, which may have been dropped since the turn began, or have been another worker's. */
static void hold(struct order_worker *worker, struct turn_lane *lane)
{
    const struct order_lane_row *row = lane->row;

    lane->held = held_lane_find(&worker->lanes, &row->integration_id);
    if (!lane->held) {
        lane->held = held_lane_add(&worker->lanes, &row->integration_id);
        lane->held->is_told = row->lane.circuit.failures > 0; /* by whoever held it before */
    }
    lane->held->lane = row->lane;
    lane->held->was_open = row->lane.opened_at != 0;
    lane->held->overdue = lane->overdue;
}

void order_turn_begun(struct order_turn *turn)
{
    struct order_worker *worker = turn->worker;

    for (size_t i = 0; i < turn->lane_count; i++) {
        struct turn_lane *lane = &turn->lanes[i];
        if (!lane->is_ours) continue;
        hold(worker, lane);
        if (!lane->wants_probe) continue;
        circuit_begin_probe(&lane->held->lane.circuit, clock_now_ms());
        held_lane_touch(&worker->lanes, lane->held);
        order_probe_start(worker, lane->held, &lane->row->target);
    }
    for (size_t i = 0; i < turn->begin_count; i++) {
        struct turn_lane *lane = turn->begin_lanes[i];
        order_fetch_start(worker, lane->held, &lane->row->target, turn->begins[i].order);
    }
    worker->cursor = turn->cursor;
}
