/* How many connections there may be: in all, from one caller, and for bodies behind one key. Shared
 * by all loops. */
#pragma once

#include "kit/http/address.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HTTP_CALLERS_BUCKETS = 1024 };

/* How many each has of something. */
struct http_callers {
    pthread_mutex_t lock; /* for all below */
    uint64_t seed;
    struct http_callers_row *buckets[HTTP_CALLERS_BUCKETS];
};

struct http_admission {
    int max;
    int max_per_caller;                     /* 0: no limit, nobody is counted */
    const struct http_addresses *uncounted; /* NULL: everybody is */
    atomic_int connections;
    struct http_callers callers;  /* their connections */
    struct http_callers vouchers; /* bodies that are kept for them */
};

enum http_admitted {
    HTTP_ADMITTED, /* http_admission_leave gives the place back */
    HTTP_ALL_PLACES_TAKEN,
    HTTP_CALLER_HAS_ALL, /* that one may have */
};

/* `uncounted`: who has no limit of one caller's, beside loopback; NULL: everybody has it. */
void http_admission_init(struct http_admission *admission, int max, int max_per_caller,
                         const struct http_addresses *uncounted);
void http_admission_done(struct http_admission *admission);

enum http_admitted http_admission_enter(struct http_admission *admission,
                                        const struct in6_addr *address);
void http_admission_leave(struct http_admission *admission, const struct in6_addr *address);
/* Whether more than three quarters of all places are taken: then nobody keeps one who has shown no
 * right to it. */
bool http_admission_is_short(const struct http_admission *admission);
/* Whether one more body may be kept for whom it is vouched for, who has up to a quarter of all
 * places with such ones; http_admission_drop ends that. */
bool http_admission_keep(struct http_admission *admission, const struct http_caller *voucher);
void http_admission_drop(struct http_admission *admission, const struct http_caller *voucher);
/* The place of one goes to another. False: the other has all that one may have, and nothing was
 * changed. */
bool http_admission_replace(struct http_admission *admission, const struct in6_addr *old,
                            const struct in6_addr *address);
