/* How many connections there may be: in all, and from one caller. Shared by all loops. */
#pragma once

#include "kit/http/address.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HTTP_ADMISSION_BUCKETS = 1024 };

struct http_admission {
    int max;
    int max_per_caller; /* 0: no limit, nobody is counted */
    atomic_int connections;
    pthread_mutex_t lock; /* for all below */
    uint64_t seed;
    struct http_admitted *buckets[HTTP_ADMISSION_BUCKETS];
};

void http_admission_init(struct http_admission *admission, int max, int max_per_caller);
void http_admission_done(struct http_admission *admission);

/* False at a limit; after true, http_admission_leave gives the place back. */
bool http_admission_enter(struct http_admission *admission, struct http_caller caller);
void http_admission_leave(struct http_admission *admission, struct http_caller caller);
