/* Counting connections and callers. */
#include "kit/http/admission.h"

#include "kit/http/memory.h"

#include <sys/random.h>

struct http_admitted {
    struct http_admitted *next;
    struct http_caller caller;
    int connections;
};

void http_admission_init(struct http_admission *admission, int max, int max_per_caller)
{
    *admission = (struct http_admission){
        .max = max, .max_per_caller = max_per_caller, .lock = PTHREAD_MUTEX_INITIALIZER};
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
static struct http_admitted **find(struct http_admission *admission, struct http_caller caller)
{
    uint64_t half[2];

    memcpy(half, caller.bytes, sizeof(half));
    uint64_t hash = (half[0] ^ admission->seed) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ half[1] ^ (hash >> 32)) * 0x9e3779b97f4a7c15u;
    struct http_admitted **at = &admission->buckets[(hash >> 40) % HTTP_ADMISSION_BUCKETS];
    while (*at && memcmp((*at)->caller.bytes, caller.bytes, sizeof(caller.bytes)) != 0)
        at = &(*at)->next;
    return at;
}

static bool enter_caller(struct http_admission *admission, struct http_caller caller)
{
    struct http_admitted **at = find(admission, caller);

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
    struct http_admitted **at = find(admission, caller);
    struct http_admitted *row = *at;

    assert(row && row->connections > 0);
    if (--row->connections > 0) return;
    *at = row->next;
    free(row);
}

bool http_admission_enter(struct http_admission *admission, struct http_caller caller)
{
    if (atomic_fetch_add(&admission->connections, 1) >= admission->max) {
        atomic_fetch_sub(&admission->connections, 1);
        return false;
    }
    if (admission->max_per_caller == 0) return true;
    pthread_mutex_lock(&admission->lock);
    bool is_admitted = enter_caller(admission, caller);
    pthread_mutex_unlock(&admission->lock);
    if (!is_admitted) atomic_fetch_sub(&admission->connections, 1);
    return is_admitted;
}

void http_admission_leave(struct http_admission *admission, struct http_caller caller)
{
    atomic_fetch_sub(&admission->connections, 1);
    if (admission->max_per_caller == 0) return;
    pthread_mutex_lock(&admission->lock);
    leave_caller(admission, caller);
    pthread_mutex_unlock(&admission->lock);
}
