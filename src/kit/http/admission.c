/* Connections are counted here, in all and by caller. */
#include "kit/http/admission.h"

#include "kit/base/must.h"

#include <stdlib.h>
#include <sys/random.h>

enum { SHORT_PART = 4 };

struct http_callers_row {
    struct http_callers_row *next;
    struct http_caller caller;
    int count;
};

/* --- Callers ---------------------------------------------------------------------------------- */

static void callers_init(struct http_callers *callers)
{
    *callers = (struct http_callers){.lock = PTHREAD_MUTEX_INITIALIZER};
    /* The seed keeps callers from choosing their bucket; without it they could, and nothing worse.
     */
    if (getrandom(&callers->seed, sizeof(callers->seed), 0) < 0) callers->seed = 0;
}

static void callers_done(struct http_callers *callers)
{
    for (int i = 0; i < HTTP_CALLERS_BUCKETS; i++)
        assert(!callers->buckets[i]);
    pthread_mutex_destroy(&callers->lock);
}

/* Returns the pointer to the caller's row, or to the end of its bucket. */
static struct http_callers_row **find(struct http_callers *callers, struct http_caller caller)
{
    uint64_t half[2];

    memcpy(half, caller.bytes, sizeof(half));
    uint64_t hash = (half[0] ^ callers->seed) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ half[1] ^ (hash >> 32)) * 0x9e3779b97f4a7c15u;
    struct http_callers_row **at = &callers->buckets[(hash >> 40) % HTTP_CALLERS_BUCKETS];
    while (*at && memcmp((*at)->caller.bytes, caller.bytes, sizeof(caller.bytes)) != 0)
        at = &(*at)->next;
    return at;
}

/* Returns false if the caller has `max` already. */
static bool enter_caller(struct http_callers *callers, struct http_caller caller, int max)
{
    struct http_callers_row **at = find(callers, caller);

    if (*at && (*at)->count >= max) return false;
    if (!*at) {
        *at = must_calloc(1, sizeof(**at));
        (*at)->caller = caller;
    }
    (*at)->count++;
    return true;
}

static void leave_caller(struct http_callers *callers, struct http_caller caller)
{
    struct http_callers_row **at = find(callers, caller);
    struct http_callers_row *row = *at;

    assert(row && row->count > 0);
    if (--row->count > 0) return;
    *at = row->next;
    free(row);
}

/* --- Connections ------------------------------------------------------------------------------ */

void http_admission_init(struct http_admission *admission, int max, int max_per_caller,
                         const struct http_addresses *uncounted)
{
    *admission = (struct http_admission){
        .max = max, .max_per_caller = max_per_caller, .uncounted = uncounted};
    callers_init(&admission->callers);
    callers_init(&admission->vouchers);
}

void http_admission_done(struct http_admission *admission)
{
    callers_done(&admission->callers);
    callers_done(&admission->vouchers);
}

static bool is_counted(const struct http_admission *admission, const struct in6_addr *address)
{
    const struct http_addresses *uncounted = admission->uncounted;

    if (admission->max_per_caller == 0) return false;
    if (!uncounted) return true;
    return !http_address_is_loopback(address) && !http_addresses_have(uncounted, address);
}

enum http_admitted http_admission_enter(struct http_admission *admission,
                                        const struct in6_addr *address)
{
    bool has_room = true;

    if (is_counted(admission, address)) {
        pthread_mutex_lock(&admission->callers.lock);
        has_room =
            enter_caller(&admission->callers, http_caller_of(address), admission->max_per_caller);
        pthread_mutex_unlock(&admission->callers.lock);
    }
    if (!has_room) return HTTP_CALLER_HAS_ALL;
    if (atomic_fetch_add(&admission->connections, 1) < admission->max) return HTTP_ADMITTED;
    http_admission_leave(admission, address);
    return HTTP_ALL_PLACES_TAKEN;
}

void http_admission_leave(struct http_admission *admission, const struct in6_addr *address)
{
    atomic_fetch_sub(&admission->connections, 1);
    if (!is_counted(admission, address)) return;
    pthread_mutex_lock(&admission->callers.lock);
    leave_caller(&admission->callers, http_caller_of(address));
    pthread_mutex_unlock(&admission->callers.lock);
}

bool http_admission_is_short(const struct http_admission *admission)
{
    int connections = atomic_load_explicit(&admission->connections, memory_order_relaxed);

    return connections > admission->max - admission->max / SHORT_PART;
}

bool http_admission_replace(struct http_admission *admission, const struct in6_addr *old,
                            const struct in6_addr *address)
{
    struct http_callers *callers = &admission->callers;
    bool was_counted = is_counted(admission, old), has_room = true;
    int max = admission->max_per_caller;

    pthread_mutex_lock(&callers->lock);
    if (was_counted) leave_caller(callers, http_caller_of(old));
    if (is_counted(admission, address))
        has_room = enter_caller(callers, http_caller_of(address), max);
    if (!has_room && was_counted) {
        bool is_back = enter_caller(callers, http_caller_of(old), max);
        assert(is_back); /* it had this place a moment ago */
    }
    pthread_mutex_unlock(&callers->lock);
    return has_room;
}

/* --- Bodies behind a right key ---------------------------------------------------------------- */

bool http_admission_keep(struct http_admission *admission, const struct http_caller *voucher)
{
    int max = admission->max / SHORT_PART;

    pthread_mutex_lock(&admission->vouchers.lock);
    bool is_kept = enter_caller(&admission->vouchers, *voucher, max > 0 ? max : 1);
    pthread_mutex_unlock(&admission->vouchers.lock);
    return is_kept;
}

void http_admission_drop(struct http_admission *admission, const struct http_caller *voucher)
{
    pthread_mutex_lock(&admission->vouchers.lock);
    leave_caller(&admission->vouchers, *voucher);
    pthread_mutex_unlock(&admission->vouchers.lock);
}
