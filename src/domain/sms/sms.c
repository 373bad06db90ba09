/*
 * The life of an SMS task (contract, section 2, rules 7 and 11):
 *
 *   queued -> claimed -> sent -> delivered
 *        ^       |  \--> failed (a retryable failure queues another task)
 *        \-------/       when the lease ends unanswered
 *
 * A lease that ends leaves the row as it is: from then on the task counts as queued. So nobody has
 * to sweep, and a result that comes late is still taken as long as no other lease was given.
 */
#include "domain/sms/sms.h"

#include "domain/challenge/challenge.h"
#include "domain/sms/sms_db.h"

const char *const sms_state_words[] = {"queued", "claimed", "sent", "delivered",
                                       "failed", "unknown", NULL};

static enum err insert_task(struct work *work, const struct sms_order *order, int64_t attempt)
{
    struct sms_task task = {
        .id = uuid_new(work->now_ms),
        .otp_id = order->otp_id,
        .recipient = order->recipient,
        .gateway_number = order->gateway_number,
        .attempt = attempt,
        .state = SMS_QUEUED,
        .created_at = work->now_ms,
        .expires_at = order->expires_at,
    };
    return sms_insert(work, &task);
}

enum err sms_queue(struct work *work, const struct sms_order *order)
{
    return insert_task(work, order, 1);
}

enum err sms_list(struct work *work, const struct uuid *otp_id, struct record_list *ret_tasks)
{
    return sms_select_by_otp(work, otp_id, ret_tasks);
}

enum err sms_has_open(struct work *work, const char *number, bool *ret_has)
{
    return sms_select_open(work, number, ret_has);
}

static void note_claim(struct work *work, const struct device *device, const struct sms_task *task)
{
    work_note(work, LOG_INFO, "sms task claimed",
              LOG_FIELDS(log_uuid("task_id", &task->id), log_uuid("otp_id", &task->otp_id),
                         log_uuid("device_id", &device->id),
                         log_phone("gateway_number", task->gateway_number),
                         log_phone("recipient", task->recipient),
                         log_int("attempt", task->attempt)));
}

enum err sms_claim(struct work *work, const struct device *device, const char *number,
                   struct sms_task *ret_task)
{
    enum err err = fleet_lock_number(work, number);
    if (err) return err;
    err = sms_select_leased(work, number, ret_task);
    if (!err && !uuid_equal(&ret_task->lease_device_id, &device->id)) return ERR_NOT_FOUND;
    if (err != ERR_NOT_FOUND) return err;

    struct uuid lease_id = uuid_new(work->now_ms);
    err = sms_lease_oldest(work, number, &device->id, &lease_id, ret_task);
    if (err) return err;
    note_claim(work, device, ret_task);
    return ERR_OK;
}

/* May this phone speak for this task? */
static enum err check_reporter(struct work *work, const struct device *device,
                               const struct sms_task *task, const struct sms_result *result)
{
    bool is_holder = uuid_equal(&task->lease_device_id, &device->id);
    bool names_lease = !uuid_is_nil(&result->lease_id);
    struct device enabled = *device;

    /* Somebody who names another lease held the task before it was given on. */
    if (names_lease && !uuid_equal(&result->lease_id, &task->lease_id)) return ERR_LEASE_LOST;
    if (is_holder) return ERR_OK;
    /* A disabled phone may still report; whose number it is decides. */
    enabled.enabled = true;
    enum err err = fleet_check_number(work, &enabled, task->gateway_number, NULL);
    return err ? err : ERR_LEASE_LOST;
}

/* A report on a task that was reported on before. */
static enum err judge_repeat(const struct sms_task *task, const struct sms_result *result,
                             enum sms_change *ret_change)
{
    bool was_sent = task->state == SMS_SENT || task->state == SMS_DELIVERED;
    bool says_sent = result->status != SMS_STATUS_FAILED;

    if (was_sent != says_sent) return ERR_RESULT_CONFLICT;
    bool is_news = task->state == SMS_SENT && result->status == SMS_STATUS_DELIVERED;
    *ret_change = is_news ? SMS_NOW_DELIVERED : SMS_UNCHANGED;
    return ERR_OK;
}

/* After a failure: another send, by another ready number if there is one. */
static enum err send_again(struct work *work, const struct sms_task *task,
                           enum sms_change *ret_change)
{
    struct sms_order order = {
        .otp_id = task->otp_id,
        .recipient = task->recipient,
        .gateway_number = task->gateway_number,
        .expires_at = task->expires_at,
    };
    struct number_choice choice = {
        .avoided = task->gateway_number, .must_be_ready = true, .never_waits = true};

    *ret_change = SMS_NOW_QUEUED;
    enum err err = fleet_choose_number(work, &choice, &order.gateway_number);
    /* Without any, it stays where it was: that one may be ready again in time. */
    if (err && err != ERR_NO_READY_SIM) return err;
    if (!err)
        err = challenge_move_gateway(work, task->recipient, &task->otp_id, order.gateway_number);
    if (err && err != ERR_NO_READY_SIM) return err;
    return insert_task(work, &order, task->attempt + 1);
}

static enum err judge_first(struct work *work, const struct sms_task *task,
                            const struct sms_result *result, enum sms_change *ret_change)
{
    if (result->status == SMS_STATUS_SENT) {
        *ret_change = SMS_NOW_SENT;
        return ERR_OK;
    }
    if (result->status == SMS_STATUS_DELIVERED) {
        *ret_change = SMS_NOW_DELIVERED;
        return ERR_OK;
    }
    *ret_change = SMS_NOW_GIVEN_UP;
    bool is_worth_it = !result->permanent && task->attempt < SMS_SENDS_MAX &&
                       !challenge_is_over(task->expires_at, work->now_ms);
    return is_worth_it ? send_again(work, task, ret_change) : ERR_OK;
}

static enum sms_state state_after(enum sms_change change)
{
    switch (change) {
    case SMS_NOW_SENT:
        return SMS_SENT;
    case SMS_NOW_DELIVERED:
        return SMS_DELIVERED;
    case SMS_NOW_QUEUED:
    case SMS_NOW_GIVEN_UP:
    case SMS_UNCHANGED:
        return SMS_FAILED;
    }
    return SMS_FAILED;
}

static void note_report(struct work *work, const struct device *device, const struct sms_task *task,
                        enum sms_state state, const struct sms_result *result)
{
    bool has_failed = state == SMS_FAILED;
    const char *message = has_failed          ? "sms failed"
                          : state == SMS_SENT ? "sms sent"
                                              : "sms delivered";
    work_note(work, has_failed ? LOG_WARNING : LOG_INFO, message,
              LOG_FIELDS(log_uuid("task_id", &task->id), log_uuid("otp_id", &task->otp_id),
                         log_uuid("device_id", &device->id),
                         log_phone("gateway_number", task->gateway_number),
                         log_phone("recipient", task->recipient),
                         log_text("state", sms_state_words[state]),
                         log_text("error", has_failed ? result->error : NULL)));
}

enum err sms_report(struct work *work, const struct device *device, const struct uuid *task_id,
                    const struct sms_result *result, struct sms_task *ret_task,
                    enum sms_change *ret_change)
{
    bool is_moved;
    enum err err = sms_select(work, task_id, ret_task);
    if (err) return err;
    err = fleet_lock_number(work, ret_task->gateway_number);
    if (err) return err;
    err = check_reporter(work, device, ret_task, result);
    if (err) return err;

    bool is_first = ret_task->state == SMS_QUEUED || ret_task->state == SMS_CLAIMED ||
                    ret_task->state == SMS_UNKNOWN;
    err = is_first ? judge_first(work, ret_task, result, ret_change)
                   : judge_repeat(ret_task, result, ret_change);
    if (err || *ret_change == SMS_UNCHANGED) return err;

    enum sms_state state = state_after(*ret_change);
    err = sms_move(work, ret_task, state, state == SMS_FAILED ? result->error : NULL, &is_moved);
    if (err) return err;
    if (!is_moved) return ERR_TX_RETRY;
    note_report(work, device, ret_task, state, result);
    return ERR_OK;
}

enum err sms_end(struct work *work, const struct uuid *otp_id, const char *reason)
{
    return sms_end_open(work, otp_id, reason);
}

/* To another ready number, if there is one. Whoever claimed or reported it in the meantime keeps
 * it: then nothing moves. Rows are locked in the order of all: active_challenge, device_number,
 * sms_task. */
static enum err move_task(struct work *work, const struct sms_task *task)
{
    struct number_choice choice = {
        .avoided = task->gateway_number, .must_be_ready = true, .never_waits = true};
    const char *number;
    bool is_moved;

    enum err err = challenge_lock(work, task->recipient, &task->otp_id);
    if (!err) err = fleet_lock_number(work, task->gateway_number);
    if (!err) err = fleet_choose_number(work, &choice, &number);
    if (err == ERR_NO_READY_SIM) return ERR_OK;
    if (!err) err = sms_requeue(work, task, number, &is_moved);
    if (err) return err;
    if (!is_moved) return fleet_release_numbers(work, &(struct record_list){&number, 1});
    return challenge_move_gateway(work, task->recipient, &task->otp_id, number);
}

enum err sms_return_tasks(struct work *work, const struct uuid *device_id)
{
    return sms_end_leases(work, device_id);
}

enum err sms_move_stranded(struct work *work, bool *ret_goes_on)
{
    struct record_list tasks;
    bool is_any_ready;

    *ret_goes_on = false;
    enum err err = sms_select_stranded(work, 1, &tasks);
    if (err || tasks.count == 0) return err;
    /* Without a ready SIM it stays where it is: no row is written for nothing. */
    err = fleet_has_ready(work, &is_any_ready);
    if (err || !is_any_ready) return err;
    *ret_goes_on = true;
    return move_task(work, tasks.items);
}

enum err sms_sweep(struct work *work, int max, int64_t *ret_swept)
{
    return sms_close_unreported(work, max, ret_swept);
}

enum err sms_find_owner(struct work *work, const struct uuid *task_id, struct uuid *ret_otp_id)
{
    struct sms_task task;
    enum err err = sms_select(work, task_id, &task);
    if (err) return err;
    *ret_otp_id = task.otp_id;
    return ERR_OK;
}
