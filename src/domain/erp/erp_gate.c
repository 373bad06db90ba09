/* Gives out the places of large bodies, and decides whose is taken for another one. */
#include "domain/erp/erp_gate.h"

#include "kit/base/must.h"

#include <pthread.h>
#include <stdlib.h>

enum { SECOND_MS = 1000, SLOTS = ERP_SLOW_AFTER_S + 1 };

struct erp_gate {
    pthread_mutex_t mutex;
    struct erp_place *places[ERP_LARGE_BODIES_MAX];
    size_t count;
};

struct erp_gate *erp_gate_new(void)
{
    struct erp_gate *gate = must_calloc(1, sizeof(*gate));
    pthread_mutex_init(&gate->mutex, NULL);
    return gate;
}

void erp_gate_free(struct erp_gate *gate)
{
    if (!gate) return;
    assert(gate->count == 0);
    pthread_mutex_destroy(&gate->mutex);
    free(gate);
}

/* --- How fast an upload is -------------------------------------------------------------------- */

/* Counts no bytes for the seconds since the last look. */
static void turn_to(struct erp_place *place, int64_t now_ms)
{
    int64_t second = now_ms / SECOND_MS;

    if (second - place->second >= SLOTS) place->second = second - SLOTS;
    while (place->second < second)
        place->bytes[++place->second % SLOTS] = 0;
}

/* The bytes a second over the last ERP_SLOW_AFTER_S and what has passed of the second at hand. */
static int64_t rate_of(struct erp_place *place, int64_t now_ms)
{
    int64_t sum = 0;

    turn_to(place, now_ms);
    for (size_t i = 0; i < SLOTS; i++)
        sum += place->bytes[i];
    int64_t begin_ms = (place->second - ERP_SLOW_AFTER_S) * SECOND_MS;
    if (begin_ms < place->since_ms) begin_ms = place->since_ms;
    return sum * SECOND_MS / (now_ms - begin_ms + 1);
}

static bool is_slow(struct erp_place *place, int64_t now_ms)
{
    bool is_judged = now_ms - place->since_ms >= ERP_SLOW_AFTER_S * SECOND_MS;
    return is_judged && rate_of(place, now_ms) < ERP_SLOW_RATE;
}

/* --- Whose place is taken --------------------------------------------------------------------- */

static size_t count_of(const struct erp_gate *gate, const struct erp_place *place)
{
    size_t count = 0;

    for (size_t i = 0; i < gate->count; i++)
        count += uuid_equal(&gate->places[i]->integration_id, &place->integration_id);
    return count;
}

/* An integration that holds two or more places gives one up, unless that leaves it with fewer than
 * the one that gets it: the two would take it from each other in turn, and neither got through. One
 * that has as many as it may can only give up a slow one of its own. */
static bool may_take(const struct erp_gate *gate, struct erp_place *held,
                     const struct erp_place *wanted, int64_t now_ms)
{
    size_t own = count_of(gate, wanted);
    bool is_own = uuid_equal(&held->integration_id, &wanted->integration_id);
    bool may_have_more = own < ERP_LARGE_BODIES_OF_ONE;

    if (held->is_kept) return false;
    if (!is_own && may_have_more && count_of(gate, held) >= own + 2) return true;
    return (is_own || may_have_more) && is_slow(held, now_ms);
}

/* The better one belongs to an integration that has more; of one integration, it is the slowest. */
static bool is_better(const struct erp_gate *gate, struct erp_place *held, struct erp_place *best,
                      int64_t now_ms)
{
    size_t count = count_of(gate, held), best_count = count_of(gate, best);

    if (count != best_count) return count > best_count;
    return rate_of(held, now_ms) < rate_of(best, now_ms);
}

/* The place that is given to `wanted` instead; NULL: there is none. */
static struct erp_place **find_loser(struct erp_gate *gate, const struct erp_place *wanted,
                                     int64_t now_ms)
{
    struct erp_place **best = NULL;

    for (size_t i = 0; i < gate->count; i++) {
        struct erp_place **held = &gate->places[i];
        if (!may_take(gate, *held, wanted, now_ms)) continue;
        if (!best || is_better(gate, *held, *best, now_ms)) best = held;
    }
    return best;
}

bool erp_gate_enter(struct erp_gate *gate, struct erp_place *place, int64_t now_ms)
{
    struct erp_place **at = NULL;

    place->since_ms = now_ms;
    place->second = now_ms / SECOND_MS;
    pthread_mutex_lock(&gate->mutex);
    bool has_room =
        gate->count < ERP_LARGE_BODIES_MAX && count_of(gate, place) < ERP_LARGE_BODIES_OF_ONE;
    if (has_room) {
        at = &gate->places[gate->count++];
    } else if ((at = find_loser(gate, place, now_ms)) != NULL) {
        (*at)->is_lost = true;
        /* The loser is told under the lock, so that it cannot leave before. */
        (*at)->ending.tell((*at)->ending.arg);
    }
    if (at) *at = place;
    pthread_mutex_unlock(&gate->mutex);
    return at != NULL;
}

bool erp_gate_note(struct erp_gate *gate, struct erp_place *place, size_t bytes, int64_t now_ms)
{
    pthread_mutex_lock(&gate->mutex);
    bool is_held = !place->is_lost;
    turn_to(place, now_ms);
    place->bytes[place->second % SLOTS] += (uint32_t)bytes;
    pthread_mutex_unlock(&gate->mutex);
    return is_held;
}

bool erp_gate_keep(struct erp_gate *gate, struct erp_place *place)
{
    pthread_mutex_lock(&gate->mutex);
    bool is_held = !place->is_lost;
    place->is_kept = true;
    pthread_mutex_unlock(&gate->mutex);
    return is_held;
}

void erp_gate_leave(struct erp_gate *gate, struct erp_place *place)
{
    size_t at = 0;

    pthread_mutex_lock(&gate->mutex);
    while (at < gate->count && gate->places[at] != place)
        at++;
    assert((at == gate->count) == place->is_lost);
    if (at < gate->count) gate->places[at] = gate->places[--gate->count];
    pthread_mutex_unlock(&gate->mutex);
}
