/* Admission limits the connections in all, those of one source, and the bodies behind one key. All
 * loops share it. */
#pragma once

#include "kit/http/address.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HTTP_SOURCES_BUCKETS = 1024 };

/* The rows count how many of something each address has. */
struct http_sources {
    pthread_mutex_t lock; /* for all below */
    uint64_t seed;
    struct http_sources_row *buckets[HTTP_SOURCES_BUCKETS];
};

struct http_admission {
    int max;
    int max_per_source;                     /* 0: there is no limit, and no source is counted */
    const struct http_addresses *uncounted; /* NULL: all sources are counted */
    atomic_int connections;
    struct http_sources sources;  /* their connections */
    struct http_sources vouchers; /* bodies that are kept for them */
};

enum http_admitted {
    HTTP_ADMITTED, /* http_admission_leave gives the place back */
    HTTP_ALL_PLACES_TAKEN,
    HTTP_SOURCE_HAS_ALL, /* the source has all connections that it may have */
};

/* Loopback and the `uncounted` addresses have no limit of their own; NULL: all sources have it. */
void http_admission_init(struct http_admission *admission, int max, int max_per_source,
                         const struct http_addresses *uncounted);
void http_admission_done(struct http_admission *admission);

enum http_admitted http_admission_enter(struct http_admission *admission,
                                        const struct in6_addr *address);
void http_admission_leave(struct http_admission *admission, const struct in6_addr *address);
/* Tells whether more than three quarters of all places are taken; then no source keeps a place to
 * which it has shown no right. */
bool http_admission_is_short(const struct http_admission *admission);
/* Tells whether one more body may be kept for the voucher, who has up to a quarter of all places
 * with such bodies; http_admission_drop ends that. */
bool http_admission_keep(struct http_admission *admission, const struct http_source *voucher);
void http_admission_drop(struct http_admission *admission, const struct http_source *voucher);
/* Gives the place of one address to another. Returns false, and changes nothing, if the other has
 * all that it may have. */
bool http_admission_replace(struct http_admission *admission, const struct in6_addr *old,
                            const struct in6_addr *address);
