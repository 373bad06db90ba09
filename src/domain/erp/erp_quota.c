/* The arithmetic of the buckets, which erp_db.c repeats on the stored row. */
#include "domain/erp/erp_quota.h"

enum { MS_US = 1000 };
static const int64_t MINUTE_US = INT64_C(60) * 1000 * 1000, DAY_US = 24 * 60 * MINUTE_US;

static void set_bucket(struct erp_charge *charge, enum erp_bucket bucket, int64_t limit,
                       int64_t length_us, bool is_taken)
{
    bool has_limit = limit > 0;

    charge->step_us[bucket] = has_limit && is_taken ? length_us / limit : 0;
    charge->latest_us[bucket] = charge->now_us + (has_limit ? length_us : 0);
    charge->believed_us[bucket] = charge->latest_us[bucket] + (has_limit ? length_us : 0);
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

int64_t erp_quota_wait_ms(const struct erp_charge *charge, const struct erp_buckets *buckets)
{
    int64_t wait_us = 0;

    for (int i = 0; i < ERP_BUCKET_COUNT; i++) {
        int64_t full_at = buckets->full_at[i];
        if (full_at < charge->now_us || full_at > charge->believed_us[i]) full_at = charge->now_us;
        int64_t over_us = full_at + charge->step_us[i] - charge->latest_us[i];
        if (over_us > wait_us) wait_us = over_us;
    }
    return (wait_us + MS_US - 1) / MS_US;
}

bool erp_quota_is_full(const struct erp_charge *charge, const struct erp_keep *keep)
{
    return keep->trim_at > 0 && keep->bytes > charge->unapplied_max;
}
