/*
 * This table has all work that happens without a request. No rule needs it to hold (the clock alone
 * ends a challenge, a lease, a readiness): the rows erase codes, move SMS away from silent phones,
 * and drop what is of no more use (the log, wrong codes, bodies).
 */
#include "app/jobs/reseal.h"
#include "app/metrics/figures.h"
#include "app/metrics/metrics.h"
#include "domain/alert/alert.h"
#include "domain/audit_chain/audit_chain.h"
#include "domain/challenge/challenge.h"
#include "domain/erp/erp.h"
#include "domain/fleet/fleet_watch.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/message/message.h"
#include "domain/order/order_job.h"
#include "domain/otp/otp.h"
#include "domain/process/process.h"
#include "domain/sms/sms.h"
#include "domain/subject/subject.h"
#include "domain/test_number/test_number.h"
#include "domain/token/token.h"
#include "domain/webhook/webhook.h"
#include "kit/base/macros.h"

enum {
    BATCH = 50, /* keeps transactions short, so that the rows that they lock are free soon */
    ONE = 1,    /* of rows whose owners are locked one after another */
    BODIES = 4, /* SQLite overwrites each body that goes, which is megabytes */
    LOG_BATCH = 2000,
    DELIVERIES = 500,
    AUDIT_BATCH = 1000,
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
    {"tell_expired_calls", STORE_VERIFICATION, 1000, BATCH, .sweep = inbound_call_tell_expired},
    {"play_test_numbers", STORE_VERIFICATION, 500, ONE, .sweep = test_send_play},
    {"move_stranded_sms", STORE_VERIFICATION, 1000, .run = sms_move_stranded},
    {"close_handed_over_tasks", STORE_VERIFICATION, 5 * 1000, BATCH,
     .sweep = phone_task_sweep_handed},
    {"close_unreported_tasks", STORE_VERIFICATION, 5 * 1000, BATCH, .sweep = phone_task_sweep},
    {"fail_unsent_messages", STORE_VERIFICATION, 1000, BATCH, .sweep = message_sweep},
    {"forget_silent_sims", STORE_VERIFICATION, 5 * 1000, .once = fleet_sweep},
    {"tell_who_is_silent", STORE_VERIFICATION, 1000, BATCH, .sweep = fleet_watch_sweep},
    {"drop_old_log", STORE_VERIFICATION, 5 * 1000, .run = drop_old_log},
    {"drop_old_wrong_codes", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = otp_sweep_wrong_codes},
    {"drop_old_call_events", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = inbound_call_sweep},
    {"forget_old_accounts", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = fleet_sweep_accounts},
    {"forget_free_senders", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = fleet_sweep_free},
    {"forget_lost_processes", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = process_sweep},
    {"drop_old_package_bodies", STORE_EXCHANGE, 60 * 1000, BODIES, .sweep = erp_sweep_bodies},
    {"drop_excess_package_bodies", STORE_EXCHANGE, 1000, BODIES, .sweep = erp_trim_bodies},
    {"fail_undelivered_orders", STORE_EXCHANGE, 1000, BATCH, .sweep = order_sweep},
    {"drop_old_order_bodies", STORE_EXCHANGE, 60 * 1000, BODIES, .sweep = order_sweep_bodies},
    {"drop_old_keys", STORE_EXCHANGE, 60 * 1000, .once = token_sweep_keys},
    {"prune_audit_of_verification", STORE_VERIFICATION, 60 * 1000, AUDIT_BATCH,
     .sweep = audit_sweep},
    {"prune_audit_of_exchange", STORE_EXCHANGE, 60 * 1000, AUDIT_BATCH, .sweep = audit_sweep},
    {"erase_old_codes", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = otp_sweep_personal},
    {"erase_old_calls", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = inbound_call_sweep_personal},
    {"erase_old_messages", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = message_sweep_personal},
    {"erase_old_orders", STORE_EXCHANGE, 60 * 1000, BATCH, .sweep = order_sweep_personal},
    {"erase_ended_orders", STORE_EXCHANGE, 1000, BODIES, .sweep = order_sweep_erased},
    {"forget_numbers_of_codes", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = otp_sweep_stand_ins},
    {"forget_numbers_of_calls", STORE_VERIFICATION, 60 * 1000, BATCH,
     .sweep = inbound_call_sweep_stand_ins},
    {"work_on_subjects", STORE_VERIFICATION, 250, .pass = subject_pass},
    {"forget_subject_jobs", STORE_VERIFICATION, 60 * 1000, BATCH, .sweep = subject_sweep},
    {"keep_how_all_stands", STORE_VERIFICATION, 30 * 1000, .pass = figures_keep},
    {"forget_old_metrics", STORE_VERIFICATION, 60 * 1000, .run = metrics_sweep},
    {"forget_webhook_deliveries", STORE_VERIFICATION, 60 * 1000, DELIVERIES,
     .sweep = webhook_sweep},
    {"stop_writing_events", STORE_VERIFICATION, 60 * 1000, .once = webhook_sweep_listening},
    {"tell_people", STORE_VERIFICATION, 2 * 1000, .pass = alert_pass},
    {"empty_log_of_verification", STORE_VERIFICATION, HOUR_MS, .tend = db_empty_log},
    {"empty_log_of_exchange", STORE_EXCHANGE, HOUR_MS, .tend = db_empty_log},
    {"reseal_verification", STORE_VERIFICATION, 500, .once = reseal_verification},
    {"reseal_exchange", STORE_EXCHANGE, 500, .once = reseal_exchange},
};

const size_t periodic_job_count = COUNT_OF(periodic_jobs);
