/*
 * The life of a task (contract, section 2, rules 7 and 11):
 *
 *   queued -> claimed -> sent -> delivered
 *        ^       |  \--> failed (a retryable failure queues another task)
 *        \-------/       when the lease ends unanswered
 *
 * A lease that ends leaves the row as it is: from then on the task counts as queued. So nobody has
 * to sweep, and a result that comes late is still taken as long as no other lease was given. What
 * reports do is in task_report.c.
 */
#include "domain/task/task.h"

#include "domain/fleet/fleet_account.h"
#include "domain/task/task_db.h"

const char *const task_channel_words[] = {"sms", "personal_messenger", NULL};
const char *const task_owner_words[] = {"otp", "message", NULL};
const char *const task_state_words[] = {"queued", "claimed", "sent", "delivered",
                                        "failed", "unknown", NULL};

enum err task_queue(struct work *work, const struct task_order *order)
{
    struct task task = {
        .id = uuid_new(work->now_ms),
        .channel = order->channel,
        .owner_kind = order->owner_kind,
        .owner_id = order->owner_id,
        .sender = order->sender,
        .recipient = order->recipient,
        .attempt = 1,
        .state = TASK_QUEUED,
        .created_at = work->now_ms,
        .expires_at = order->expires_at,
    };
    return task_insert(work, &task);
}

enum err task_list(struct work *work, const struct uuid *owner_id, struct record_list *ret_tasks)
{
    return task_select_by_owner(work, owner_id, ret_tasks);
}

enum err task_read(struct work *work, const struct uuid *id, struct task *ret_task)
{
    return task_select(work, id, ret_task);
}

enum err task_end(struct work *work, const struct uuid *owner_id, const char *reason)
{
    return task_end_open(work, owner_id, reason);
}

enum task_state task_shown_state(const struct task *task, int64_t now_ms)
{
    bool is_waiting = task->state == TASK_CLAIMED && task->lease_until <= now_ms;
    if (!is_waiting) return (enum task_state)task->state;
    return task->expires_at >= now_ms ? TASK_QUEUED : TASK_UNKNOWN;
}

/* --- Claims ----------------------------------------------------------------------------------- */

enum err task_has_open(struct work *work, enum task_channel channel, const char *sender,
                       bool *ret_has)
{
    return task_select_open(work, channel, sender, ret_has);
}

static void note_claim(struct work *work, const struct device *device, const struct task *task)
{
    bool is_sms = task->channel == TASK_SMS;
    work_note(work, LOG_INFO, is_sms ? "sms task claimed" : "message task claimed",
              LOG_FIELDS(log_uuid("task_id", &task->id), log_uuid("owner_id", &task->owner_id),
                         log_uuid("device_id", &device->id),
                         log_phone("gateway_number", is_sms ? task->sender : NULL),
                         fleet_log_account("account_id", is_sms ? NULL : task->sender),
                         log_phone("recipient", task->recipient),
                         log_int("attempt", task->attempt)));
}

/* The one that this phone holds, or the oldest that is free. */
static enum err take(struct work *work, enum task_channel channel, const struct device *device,
                     const char *sender, struct task *ret_task)
{
    enum err err = task_select_leased(work, channel, sender, ret_task);
    if (!err && !uuid_equal(&ret_task->lease_device_id, &device->id)) return ERR_NOT_FOUND;
    if (err != ERR_NOT_FOUND) return err;

    struct uuid lease_id = uuid_new(work->now_ms);
    err = task_lease_oldest(work, channel, sender, &device->id, &lease_id, ret_task);
    if (err) return err;
    note_claim(work, device, ret_task);
    return ERR_OK;
}

enum err task_claim(struct work *work, enum task_channel channel, const struct device *device,
                    const char *sender, struct task *ret_task, const char **ret_text)
{
    enum err err = work->service->task_lines[channel]->lock(work, sender);
    if (!err) err = take(work, channel, device, sender, ret_task);
    if (err) return err;
    return work->service->task_owners[ret_task->owner_kind]->make_text(work, ret_task, ret_text);
}

/* --- Of the process --------------------------------------------------------------------------- */

enum err task_return(struct work *work, const struct uuid *device_id)
{
    return task_end_leases(work, device_id);
}

enum err task_sweep(struct work *work, int max, int64_t *ret_swept)
{
    return task_close_unreported(work, max, ret_swept);
}
