/*
 * This table has all work that happens without a request. No rule needs it to hold (the clock alone
 * ends a challenge, a lease, a readiness): the rows erase codes, move SMS away from silent phones,
 * and drop what is of no more use (the log, wrong codes, bodies).
 */
#include "app/jobs/reseal.h"
#include "domain/challenge/challenge.h"
#include "domain/erp/erp.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/message/message.h"
#include "domain/order/order_job.h"
#include "domain/otp/otp.h"
#include "domain/sms/sms.h"
#include "domain/token/token.h"
#include "kit/base/macros.h"

enum {
    BATCH = 50, /* keeps transactions short, so that the rows that they lock are free soon */
    BODIES = 4, /* SQLite overwrites each body that goes, which is megabytes */
    LOG_BATCH = 2000,
    HOUR_MS = 60 * 60 * 1000,
};

static enum err drop_old_log(struct work *work, bool *ret_goes_on)
{
    *ret_goes_on = false;
    return event_log_sweep(work, LOG_BATCH, ret_goes_on);
}

/* It goes a page at a time, so that codes do not wait for it. */
static enum err reseal_verification(struct work *work)
{
    return reseal_page(work, STORE_VERIFICATION);
}

static enum err reseal_exchange(struct work *work)
{
    return reseal_page(work, STORE_EXCHANGE);
}

const struct periodic_job periodic_jobs[] = {
    {"erase_expired_codes", STORE_VERIFICATION, 1000, BATCH, .sweep = otp_sweep},
    {"settle_expired_challenges", STORE_VERIFICATION, 1000, BATCH, .sweep = challenge_sweep},
    {"move_stranded_sms", STORE_VERIFICATION, 1000, .run = sms_move_stranded},
    {"close_unreported_tasks", STORE_VERIFICATION, 5 * 1000, BATCH, .sweep = phone_task_sweep},
    {"fail_unsent_messages", STORE_VERIFICATION, 5 * 1000, BATCH, .sweep = message_sweep},
    {"forget_silent_sims", STORE_VERIFICATION, 5 * 1000, .once = fleet_sweep},
    {"drop_old_log", STORE_VERIFICATION, 5 * 1000, .run = drop_old_log, .forgets = true},
    {"drop_old_wrong_codes", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = otp_sweep_wrong_codes,
     .forgets = true},
    {"drop_old_call_events", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = inbound_call_sweep,
     .forgets = true},
    {"forget_old_accounts", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = fleet_sweep_accounts,
     .forgets = true},
    {"drop_old_package_bodies", STORE_EXCHANGE, 60 * 1000, BODIES, .sweep = erp_sweep_bodies,
     .forgets = true},
    {"drop_excess_package_bodies", STORE_EXCHANGE, 1000, BODIES, .sweep = erp_trim_bodies},
    {"fail_undelivered_orders", STORE_EXCHANGE, 5 * 1000, BATCH, .sweep = order_sweep},
    {"drop_old_order_bodies", STORE_EXCHANGE, 60 * 1000, BODIES, .sweep = order_sweep_bodies,
     .forgets = true},
    {"drop_old_keys", STORE_EXCHANGE, 60 * 1000, .once = token_sweep_keys, .forgets = true},
    {"empty_log_of_verification", STORE_VERIFICATION, HOUR_MS, .tend = db_empty_log},
    {"empty_log_of_exchange", STORE_EXCHANGE, HOUR_MS, .tend = db_empty_log},
    {"reseal_verification", STORE_VERIFICATION, 500, .once = reseal_verification, .forgets = true},
    {"reseal_exchange", STORE_EXCHANGE, 500, .once = reseal_exchange, .forgets = true},
};

const size_t periodic_job_count = COUNT_OF(periodic_jobs);
