/*
 * The quota of an integration (contract, section 5): snapshots a day, packages a minute, and how
 * many bytes of bodies are kept. Each rate has a token bucket: a full one lets through at once what
 * is allowed in its time, and what was taken comes back evenly. It is stored as the moment at which
 * it is full again, in the row of erp_receipt that each package locks, so that it is one for all
 * processes and outlives them.
 */
#pragma once

#include "domain/erp/erp.h"

enum erp_bucket { ERP_BUCKET_PACKAGES, ERP_BUCKET_SNAPSHOTS, ERP_BUCKET_COUNT };

/* These say when each bucket is full again, in microseconds since 1970. */
struct erp_buckets {
    int64_t full_at[ERP_BUCKET_COUNT];
};

/* It says how much is kept of an integration's bodies. */
struct erp_keep {
    int64_t bytes;
    int64_t trim_at; /* when it is looked at, since it is more than it may be; 0: it is not */
};

/* The charge for one package, as of `now_us`. */
struct erp_charge {
    int64_t now_us;
    int64_t step_us[ERP_BUCKET_COUNT];   /* how much later a bucket is full; 0: it has no limit */
    int64_t limit[ERP_BUCKET_COUNT];     /* so many are let through in its time */
    int64_t latest_us[ERP_BUCKET_COUNT]; /* one that is full later is overdrawn; INT64_MAX:
                                            the package takes nothing from it */
    int64_t kept_bytes;                  /* of its body, packed */
    int64_t kept_max;                    /* of all bodies of the integration; INT64_MAX: no limit */
    /* The package is one too many where more than this is kept and none of it may go, since it is
     * not applied yet. A snapshot may bring what the others wait for, so it has room of its own. */
    int64_t unapplied_max;
};

/* The charge for a package. `is_test`: its integration is for trying out, and may send as much as
 * it likes. */
struct erp_charge erp_quota_charge(const struct service *service, enum erp_package_type type,
                                   bool is_test, size_t packed_len, int64_t now_ms);
/* Returns how long the package would have to wait for its tokens; 0: they are there. */
int64_t erp_quota_wait_ms(const struct erp_charge *charge, const struct erp_buckets *buckets);
/* Tells what is left in each bucket that the package takes from; one that it does not take from, or
 * that has no limit, has no name. */
void erp_quota_tell(const struct erp_charge *charge, const struct erp_buckets *buckets,
                    struct rate_limit ret_limits[static ERP_BUCKET_COUNT]);
/* Charges in memory what the package's insert charges in the row. */
void erp_quota_take(const struct erp_charge *charge, struct erp_buckets *buckets,
                    struct erp_keep *keep);
/* Returns whether so much is kept that the package is one too many. Where more than allowed was
 * kept at the last look, all of it is taken for unapplied. */
bool erp_quota_is_full(const struct erp_charge *charge, const struct erp_keep *keep);
