/* The arithmetic of the buckets, which erp_db.c repeats on the stored row. */
#include "domain/erp/erp_quota.h"

enum { MS_US = 1000 };
static const int64_t MINUTE_US = INT64_C(60) * 1000 * 1000, DAY_US = 24 * 60 * MINUTE_US;

static void set_bucket(struct erp_charge *charge, enum erp_bucket bucket, int64_t limit,
                       int64_t length_us, bool is_taken)
{
    bool has_limit = limit > 0;

    charge->limit[bucket] = limit;
    charge->step_us[bucket] = has_limit && is_taken ? length_us / limit : 0;
    charge->latest_us[bucket] = has_limit && is_taken ? charge->now_us + length_us : INT64_MAX;
}

struct erp_charge erp_quota_charge(const struct service *service, enum erp_package_type type,
                                   bool is_test, size_t packed_len, int64_t now_ms)
{
    bool is_snapshot = type == ERP_PACKAGE_SNAPSHOT;
    int64_t packages = is_test ? 0 : service->erp->packages_per_minute;
    int64_t snapshots = is_test ? 0 : service->erp->snapshots_per_day;
    bool has_kept_max = service->erp->bodies_max > 0;
    int64_t kept_max = has_kept_max ? service->erp->bodies_max : INT64_MAX;
    struct erp_charge charge = {
        .now_us = now_ms * MS_US,
        .kept_bytes = (int64_t)packed_len,
        .kept_max = kept_max,
        .unapplied_max = has_kept_max ? kept_max * (is_snapshot ? 3 : 2) : INT64_MAX,
    };

    set_bucket(&charge, ERP_BUCKET_PACKAGES, packages, MINUTE_US, true);
    set_bucket(&charge, ERP_BUCKET_SNAPSHOTS, snapshots, DAY_US, is_snapshot);
    return charge;
}

/* Returns when the bucket is full again. */
static int64_t full_at(const struct erp_charge *charge, const struct erp_buckets *buckets,
                       int bucket)
{
    int64_t stored = buckets->full_at[bucket];
    return stored < charge->now_us ? charge->now_us : stored;
}

/* The same once the package is charged. */
static int64_t charged_full_at(const struct erp_charge *charge, const struct erp_buckets *buckets,
                               int bucket)
{
    return full_at(charge, buckets, bucket) + charge->step_us[bucket];
}

int64_t erp_quota_wait_ms(const struct erp_charge *charge, const struct erp_buckets *buckets)
{
    int64_t wait_us = 0;

    for (int i = 0; i < ERP_BUCKET_COUNT; i++) {
        int64_t over_us = charged_full_at(charge, buckets, i) - charge->latest_us[i];
        if (over_us > wait_us) wait_us = over_us;
    }
    return (wait_us + MS_US - 1) / MS_US;
}

void erp_quota_tell(const struct erp_charge *charge, const struct erp_buckets *buckets,
                    struct rate_limit ret_limits[static ERP_BUCKET_COUNT])
{
    static const char *const names[] = {"packages", "snapshots"};

    for (int i = 0; i < ERP_BUCKET_COUNT; i++) {
        int64_t step_us = charge->step_us[i];
        int64_t room_us = charge->latest_us[i] - full_at(charge, buckets, i);
        ret_limits[i] = (struct rate_limit){.name = NULL};
        if (step_us == 0) continue;
        int64_t left = room_us > 0 ? room_us / step_us : 0;
        if (left > charge->limit[i]) left = charge->limit[i]; /* a step is rounded down */
        ret_limits[i] = (struct rate_limit){
            .name = names[i],
            .quota = charge->limit[i],
            .window_s = (charge->latest_us[i] - charge->now_us) / (MS_US * MS_US),
            .left = left,
            .refill_ms = ((left + 1) * step_us - room_us + MS_US - 1) / MS_US,
        };
    }
}

void erp_quota_take(const struct erp_charge *charge, struct erp_buckets *buckets,
                    struct erp_keep *keep)
{
    for (int i = 0; i < ERP_BUCKET_COUNT; i++)
        buckets->full_at[i] = charged_full_at(charge, buckets, i);
    keep->bytes += charge->kept_bytes;
    if (keep->trim_at == 0 && keep->bytes > charge->kept_max)
        keep->trim_at = charge->now_us / MS_US;
}

bool erp_quota_is_full(const struct erp_charge *charge, const struct erp_keep *keep)
{
    return keep->trim_at > 0 && keep->bytes > charge->unapplied_max;
}
