/* Counting connections and callers. */
#include "kit/http/admission.h"

#include "kit/http/memory.h"

#include <sys/random.h>

enum { SHORT_PART = 4 };

struct http_admission_row {
    struct http_admission_row *next;
    struct http_caller caller;
    int connections;
};

void http_admission_init(struct http_admission *admission, int max, int max_per_caller,
                         const struct http_addresses *uncounted)
{
    *admission = (struct http_admission){.max = max,
                                         .max_per_caller = max_per_caller,
                                         .uncounted = uncounted,
                                         .lock = PTHREAD_MUTEX_INITIALIZER};
    /* Callers must not be able to choose their bucket; without a seed they merely could. */
    if (getrandom(&admission->seed, sizeof(admission->seed), 0) < 0) admission->seed = 0;
}

void http_admission_done(struct http_admission *admission)
{
    for (int i = 0; i < HTTP_ADMISSION_BUCKETS; i++)
        assert(!admission->buckets[i]);
    pthread_mutex_destroy(&admission->lock);
}

/* The place that points at the caller's row, or at the end of its bucket. */
static struct http_admission_row **find(struct http_admission *admission, struct http_caller caller)
{
    uint64_t half[2];

    memcpy(half, caller.bytes, sizeof(half));
    uint64_t hash = (half[0] ^ admission->seed) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ half[1] ^ (hash >> 32)) * 0x9e3779b97f4a7c15u;
    struct http_admission_row **at = &admission->buckets[(hash >> 40) % HTTP_ADMISSION_BUCKETS];
    while (*at && memcmp((*at)->caller.bytes, caller.bytes, sizeof(caller.bytes)) != 0)
        at = &(*at)->next;
    return at;
}

static bool enter_caller(struct http_admission *admission, struct http_caller caller)
{
    struct http_admission_row **at = find(admission, caller);

    if (*at && (*at)->connections >= admission->max_per_caller) return false;
    if (!*at) {
        *at = http_alloc(sizeof(**at));
        (*at)->caller = caller;
    }
    (*at)->connections++;
    return true;
}

static void leave_caller(struct http_admission *admission, struct http_caller caller)
{
    struct http_admission_row **at = find(admission, caller);
    struct http_admission_row *row = *at;

    assert(row && row->connections > 0);
    if (--row->connections > 0) return;
    *at = row->next;
    free(row);
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
        pthread_mutex_lock(&admission->lock);
        has_room = enter_caller(admission, http_caller_of(address));
        pthread_mutex_unlock(&admission->lock);
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
    pthread_mutex_lock(&admission->lock);
    leave_caller(admission, http_caller_of(address));
    pthread_mutex_unlock(&admission->lock);
}

bool http_admission_is_short(const struct http_admission *admission)
{
    int connections = atomic_load_explicit(&admission->connections, memory_order_relaxed);

    return connections > admission->max - admission->max / SHORT_PART;
}

bool http_admission_replace(struct http_admission *admission, const struct in6_addr *old,
                            const struct in6_addr *address)
{
    bool was_counted = is_counted(admission, old), has_room = true;

    pthread_mutex_lock(&admission->lock);
    if (was_counted) leave_caller(admission, http_caller_of(old));
    if (is_counted(admission, address)) has_room = enter_caller(admission, http_caller_of(address));
    if (!has_room && was_counted) {
        bool is_back = enter_caller(admission, http_caller_of(old));
        assert(is_back); /* it had this place a moment ago */
    }
    pthread_mutex_unlock(&admission->lock);
    return has_room;
}
