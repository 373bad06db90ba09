/* Connections are counted here, in all and by source. */
#include "kit/http/admission.h"

#include "kit/base/must.h"

#include <stdlib.h>
#include <sys/random.h>

enum { SHORT_PART = 4 };

struct http_sources_row {
    struct http_sources_row *next;
    struct http_source source;
    int count;
};

/* --- Sources ---------------------------------------------------------------------------------- */

static void sources_init(struct http_sources *sources)
{
    *sources = (struct http_sources){.lock = PTHREAD_MUTEX_INITIALIZER};
    /* The seed keeps sources from choosing their bucket; without it they could, and nothing worse.
     */
    if (getrandom(&sources->seed, sizeof(sources->seed), 0) < 0) sources->seed = 0;
}

static void sources_done(struct http_sources *sources)
{
    for (int i = 0; i < HTTP_SOURCES_BUCKETS; i++)
        assert(!sources->buckets[i]);
    pthread_mutex_destroy(&sources->lock);
}

/* Returns the pointer to the source's row, or to the end of its bucket. */
static struct http_sources_row **find(struct http_sources *sources, struct http_source source)
{
    uint64_t half[2];

    memcpy(half, source.bytes, sizeof(half));
    uint64_t hash = (half[0] ^ sources->seed) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ half[1] ^ (hash >> 32)) * 0x9e3779b97f4a7c15u;
    struct http_sources_row **at = &sources->buckets[(hash >> 40) % HTTP_SOURCES_BUCKETS];
    while (*at && memcmp((*at)->source.bytes, source.bytes, sizeof(source.bytes)) != 0)
        at = &(*at)->next;
    return at;
}

/* Returns false if the source has `max` already. */
static bool enter_source(struct http_sources *sources, struct http_source source, int max)
{
    struct http_sources_row **at = find(sources, source);

    if (*at && (*at)->count >= max) return false;
    if (!*at) {
        *at = must_calloc(1, sizeof(**at));
        (*at)->source = source;
    }
    (*at)->count++;
    return true;
}

static void leave_source(struct http_sources *sources, struct http_source source)
{
    struct http_sources_row **at = find(sources, source);
    struct http_sources_row *row = *at;

    assert(row && row->count > 0);
    if (--row->count > 0) return;
    *at = row->next;
    free(row);
}

/* --- Connections ------------------------------------------------------------------------------ */

void http_admission_init(struct http_admission *admission, int max, int max_per_source,
                         const struct http_addresses *uncounted)
{
    *admission = (struct http_admission){
        .max = max, .max_per_source = max_per_source, .uncounted = uncounted};
    sources_init(&admission->sources);
    sources_init(&admission->vouchers);
}

void http_admission_done(struct http_admission *admission)
{
    sources_done(&admission->sources);
    sources_done(&admission->vouchers);
}

static bool is_counted(const struct http_admission *admission, const struct in6_addr *address)
{
    const struct http_addresses *uncounted = admission->uncounted;

    if (admission->max_per_source == 0) return false;
    if (!uncounted) return true;
    return !http_address_is_loopback(address) && !http_addresses_have(uncounted, address);
}

enum http_admitted http_admission_enter(struct http_admission *admission,
                                        const struct in6_addr *address)
{
    bool has_room = true;

    if (is_counted(admission, address)) {
        pthread_mutex_lock(&admission->sources.lock);
        has_room =
            enter_source(&admission->sources, http_source_of(address), admission->max_per_source);
        pthread_mutex_unlock(&admission->sources.lock);
    }
    if (!has_room) return HTTP_SOURCE_HAS_ALL;
    if (atomic_fetch_add(&admission->connections, 1) < admission->max) return HTTP_ADMITTED;
    http_admission_leave(admission, address);
    return HTTP_ALL_PLACES_TAKEN;
}

void http_admission_leave(struct http_admission *admission, const struct in6_addr *address)
{
    atomic_fetch_sub(&admission->connections, 1);
    if (!is_counted(admission, address)) return;
    pthread_mutex_lock(&admission->sources.lock);
    leave_source(&admission->sources, http_source_of(address));
    pthread_mutex_unlock(&admission->sources.lock);
}

bool http_admission_is_short(const struct http_admission *admission)
{
    int connections = atomic_load_explicit(&admission->connections, memory_order_relaxed);

    return connections > admission->max - admission->max / SHORT_PART;
}

bool http_admission_replace(struct http_admission *admission, const struct in6_addr *old,
                            const struct in6_addr *address)
{
    struct http_sources *sources = &admission->sources;
    bool was_counted = is_counted(admission, old), has_room = true;
    int max = admission->max_per_source;

    pthread_mutex_lock(&sources->lock);
    if (was_counted) leave_source(sources, http_source_of(old));
    if (is_counted(admission, address))
        has_room = enter_source(sources, http_source_of(address), max);
    if (!has_room && was_counted) {
        bool is_back = enter_source(sources, http_source_of(old), max);
        assert(is_back); /* it had this place a moment ago */
    }
    pthread_mutex_unlock(&sources->lock);
    return has_room;
}

/* --- Bodies behind a right key ---------------------------------------------------------------- */

bool http_admission_keep(struct http_admission *admission, const struct http_source *voucher)
{
    int max = admission->max / SHORT_PART;

    pthread_mutex_lock(&admission->vouchers.lock);
    bool is_kept = enter_source(&admission->vouchers, *voucher, max > 0 ? max : 1);
    pthread_mutex_unlock(&admission->vouchers.lock);
    return is_kept;
}

void http_admission_drop(struct http_admission *admission, const struct http_source *voucher)
{
    pthread_mutex_lock(&admission->vouchers.lock);
    leave_source(&admission->vouchers, *voucher);
    pthread_mutex_unlock(&admission->vouchers.lock);
}
