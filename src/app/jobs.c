/*
 * Everything that happens without a request, in one table. Nothing here is needed for a rule to
 * hold (the clock alone ends a challenge, a lease, a readiness): these rows erase codes, move SMS
 * away from silent phones, and keep tables small.
 */
#include "app/worker.h"
#include "domain/call/call_db.h"
#include "domain/challenge/challenge.h"
#include "domain/message/message.h"
#include "domain/otp/otp.h"
#include "domain/sms/sms.h"

enum {
    BATCH = 50, /* short transactions: nobody waits long for the rows that they hold */
    LOG_BATCH = 2000,
    DAY_MS = 24 * 60 * 60 * 1000,
    EVENTS_KEPT_DAYS = 30, /* a phone repeats a report within minutes, at most days */
};

static enum err erase_expired_codes(struct work *work, bool *ret_goes_on)
{
    int64_t swept = 0;
    enum err err = otp_sweep(work, BATCH, &swept);
    *ret_goes_on = swept == BATCH;
    return err;
}

static enum err move_stranded_sms(struct work *work, bool *ret_goes_on)
{
    return sms_move_stranded(work, ret_goes_on);
}

static enum err close_unreported_tasks(struct work *work, bool *ret_goes_on)
{
    int64_t swept = 0;
    enum err err = task_sweep(work, BATCH, &swept);
    *ret_goes_on = swept == BATCH;
    return err;
}

static enum err fail_unsent_messages(struct work *work, bool *ret_goes_on)
{
    int64_t swept = 0;
    enum err err = message_sweep(work, BATCH, &swept);
    *ret_goes_on = swept == BATCH;
    return err;
}

static enum err forget_old_accounts(struct work *work, bool *ret_goes_on)
{
    int64_t swept = 0;
    enum err err = fleet_sweep_accounts(work, BATCH, &swept);
    *ret_goes_on = swept == BATCH;
    return err;
}

static enum err settle_expired_challenges(struct work *work, bool *ret_goes_on)
{
    int64_t swept = 0;
    enum err err = challenge_sweep(work, BATCH, &swept);
    *ret_goes_on = swept == BATCH;
    return err;
}

static enum err forget_silent_sims(struct work *work, bool *ret_goes_on)
{
    *ret_goes_on = false;
    return fleet_sweep(work);
}

static enum err drop_old_log(struct work *work, bool *ret_goes_on)
{
    *ret_goes_on = false;
    return audit_sweep(work, LOG_BATCH, ret_goes_on);
}

static enum err drop_old_wrong_codes(struct work *work, bool *ret_goes_on)
{
    int64_t swept = 0;
    enum err err = otp_sweep_wrong_codes(work, BATCH, &swept);
    *ret_goes_on = swept == BATCH;
    return err;
}

static enum err drop_old_call_events(struct work *work, bool *ret_goes_on)
{
    int64_t swept = 0;
    int64_t before_ms = work->now_ms - (int64_t)EVENTS_KEPT_DAYS * DAY_MS;
    enum err err = call_event_sweep(work, before_ms, BATCH, &swept);
    *ret_goes_on = swept == BATCH;
    return err;
}

const struct periodic_job periodic_jobs[] = {
    {"erase_expired_codes", 1000, erase_expired_codes},
    {"settle_expired_challenges", 1000, settle_expired_challenges},
    {"move_stranded_sms", 1000, move_stranded_sms},
    {"close_unreported_tasks", 5 * 1000, close_unreported_tasks},
    {"fail_unsent_messages", 5 * 1000, fail_unsent_messages},
    {"forget_silent_sims", 5 * 1000, forget_silent_sims},
    {"drop_old_log", 5 * 1000, drop_old_log},
    {"drop_old_wrong_codes", 60 * 1000, drop_old_wrong_codes},
    {"drop_old_call_events", 60 * 1000, drop_old_call_events},
    {"forget_old_accounts", 60 * 1000, forget_old_accounts},
};

const size_t periodic_job_count = sizeof(periodic_jobs) / sizeof(periodic_jobs[0]);
