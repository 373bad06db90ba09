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

#include "domain/task/task_db.h"
#include "kit/base/clock.h"

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

enum err task_count_open(struct work *work, enum task_channel channel, const char *sender, int max,
                         int64_t *ret_count)
{
    return task_select_open_count(work, channel, sender, max, ret_count);
}

enum task_state task_shown_state(const struct task *task, int64_t now_ms)
{
    bool is_waiting =
        task->state == TASK_CLAIMED && clock_left_ms(task->lease_until, TASK_LEASE_MS, now_ms) == 0;
    if (!is_waiting) return (enum task_state)task->state;
    return task->expires_at >= now_ms ? TASK_QUEUED : TASK_UNKNOWN;
}

/* --- Claims ----------------------------------------------------------------------------------- */

static void note_claim(struct work *work, const struct device *device, const struct task *task)
{
    const struct task_line *line = work->service->task_lines[task->channel];
    work_note(work, LOG_INFO, arena_printf(work->arena, "%s claimed", line->noun),
              LOG_FIELDS(log_uuid("task_id", &task->id), log_uuid("owner_id", &task->owner_id),
                         log_uuid("device_id", &device->id), line->log_sender(task->sender),
                         log_phone("recipient", task->recipient),
                         log_int("attempt", task->attempt)));
}

/* The one that this phone holds, or the oldest that is free. */
static enum err take(struct work *work, enum task_channel channel, const struct device *device,
                     const char *sender, struct task *ret_task)
{
    bool is_new;
    enum err err = task_lease(work, channel, sender, &device->id, ret_task, &is_new);
    if (err) return err;
    if (!uuid_equal(&ret_task->lease_device_id, &device->id)) return ERR_NOT_FOUND;
    if (is_new) note_claim(work, device, ret_task);
    return ERR_OK;
}

static enum err make_job(struct work *work, const struct task *task, struct task_job **ret_job)
{
    const char *text;
    enum err err = work->service->task_owners[task->owner_kind]->make_text(work, task, &text);
    if (err) return err;

    struct task_job *job = ARENA_NEW(work->arena, struct task_job);
    *job = (struct task_job){
        .id = task->id,
        .lease_id = task->lease_id,
        .sender = task->sender,
        .recipient = task->recipient,
        .text = text,
        .attempt = task->attempt,
        .lease_expires_at = task->lease_until,
    };
    *ret_job = job;
    return ERR_OK;
}

/* Its owner is over without having ended it, as after the clock was set back; under a lease it
 * would hold up those behind it. */
static enum err drop(struct work *work, const struct task *task)
{
    bool is_moved;
    return task_move(work, task, TASK_FAILED, "it is not wanted any more", &is_moved);
}

enum err task_ask(struct work *work, enum task_channel channel, const char *sender,
                  struct task_question *ret_question)
{
    struct task_question question = {.channel = channel, .sender = sender};
    enum err err = task_start_open(work, channel, sender, &question.open);
    if (!err) *ret_question = question;
    return err;
}

void task_question_done(struct task_question *question)
{
    db_stmt_done(&question->open);
}

enum err task_claim(struct work *work, const struct task_question *question,
                    const struct device *device, struct task_claim_result *ret_result)
{
    struct task task;

    ret_result->task = NULL;
    enum err err = db_step(question->open);
    if (err == ERR_NOT_FOUND) return ERR_OK;
    if (err) return err;
    if (work->is_read) return ERR_WRITE_NEEDED;
    err = work->service->task_lines[question->channel]->hold(work, question->sender);
    if (!err) err = take(work, question->channel, device, question->sender, &task);
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    err = make_job(work, &task, &ret_result->task);
    return err == ERR_NOT_FOUND ? drop(work, &task) : err;
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
