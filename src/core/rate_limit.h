/*
 * A limit on how often something may be asked for, as an answer tells of it in the headers
 * RateLimit-Policy and RateLimit (contract, section 1, "Limits in headers").
 */
#pragma once

#include <stdint.h>

enum { RATE_LIMITS_MAX = 2 }; /* of an answer */

struct rate_limit {
    const char *name;  /* of the policy, "codes"; NULL: there is nothing to tell */
    int64_t quota;     /* so many are allowed within */
    int64_t window_s;  /* this time */
    int64_t left;      /* so many more are allowed now */
    int64_t refill_ms; /* after this time one more is allowed than now */
};
