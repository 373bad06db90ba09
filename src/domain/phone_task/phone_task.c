/*
 * A task lives so (contract, section 2, rules 7 and 11):
 *
 *   queued -> claimed -> sent -> delivered
 *        ^       |  \--> failed (a retryable failure queues another task)
 *        \-------/       when the lease ends unanswered
 *
 * A lease that ends leaves the row as it is: from then on the task counts as queued. So nobody has
 * to sweep, and a result that comes late is still taken as long as no other lease was given. That
 * holds, too, where the sender moves to another phone meanwhile (contract, section 11.1). A task
 * that its phone has handed to the radio may be out: it is unknown when its time there is over, and
 * nobody claims it again (contract, section 15.2).
 * Reports are applied by phone_task_report.c.
 */
#include "domain/phone_task/phone_task.h"

#include "core/said.h"
#include "domain/fleet/fleet_account.h"
#include "domain/phone_task/phone_task_db.h"

const char *const phone_task_channel_words[] = {"sms", "personal_messenger", NULL};
const char *const phone_task_owner_words[] = {"otp", "message", NULL};
const char *const phone_task_state_words[] = {"queued", "claimed", "sent", "delivered",
                                              "failed", "unknown", NULL};

const char *phone_task_error(const struct work *work, const struct phone_task *task)
{
    return said_show(work, SEALED_TASK_WORDS, uuid_view(&task->id), task->words, task->error);
}

enum err phone_task_queue(struct work *work, const struct phone_task_spec *spec)
{
    struct phone_task task = {
        .id = uuid_new(work->now_ms),
        .channel = spec->channel,
        .owner_kind = spec->owner_kind,
        .owner_id = spec->owner_id,
        .sender = spec->sender,
        .recipient = spec->recipient,
        .attempt = 1,
        .state = PHONE_TASK_QUEUED,
        .created_at = work->now_ms,
        .expires_at = spec->expires_at,
    };
    return phone_task_insert(work, &task);
}

enum phone_task_state phone_task_shown_state(const struct phone_task *task, int64_t now_ms)
{
    bool is_waiting = task->state == PHONE_TASK_CLAIMED && task->lease_until <= now_ms;
    if (!is_waiting) return task->state;
    if (task->handed_over_at > 0) return PHONE_TASK_UNKNOWN;
    return task->expires_at >= now_ms ? PHONE_TASK_QUEUED : PHONE_TASK_UNKNOWN;
}

/* --- Claims ----------------------------------------------------------------------------------- */

static void note_claim(struct work *work, const struct device *device,
                       const struct phone_task *task)
{
    const struct phone_task_line *line = work->service->phone_tasks->lines[task->channel];
    work_note(work, LOG_INFO, arena_printf(work->arena, "%s claimed", line->noun),
              LOG_FIELDS(log_uuid("task_id", &task->id), log_uuid("owner_id", &task->owner_id),
                         log_device(&device->id), fleet_log_sender(line->sender_name, task->sender),
                         log_phone("recipient", task->recipient),
                         log_int("attempt", task->attempt)));
}

/* Takes the task that this phone holds, or the oldest that is free. */
static enum err take(struct work *work, enum phone_task_channel channel,
                     const struct device *device, const char *sender, struct phone_task *ret_task)
{
    bool is_new;
    enum err err = phone_task_lease(work, channel, sender, &device->id, ret_task, &is_new);
    if (!err && is_new) note_claim(work, device, ret_task);
    return err;
}

static enum err show_claimed(struct work *work, const struct phone_task *task,
                             struct claimed_task **ret_claimed)
{
    const char *text;
    enum err err =
        work->service->phone_tasks->owners[task->owner_kind]->make_text(work, task, &text);
    if (err) return err;

    struct claimed_task *claimed = ARENA_NEW(work->arena, struct claimed_task);
    *claimed = (struct claimed_task){
        .id = task->id,
        .lease_id = task->lease_id,
        .sender = task->sender,
        .recipient = task->recipient,
        .text = text,
        .attempt = task->attempt,
        .lease_expires_at = task->lease_until,
        .is_handed_over = task->handed_over_at > 0,
    };
    *ret_claimed = claimed;
    return ERR_OK;
}

enum err phone_task_ask(struct work *work, enum phone_task_channel channel, const char *sender,
                        struct phone_task_question *ret_question)
{
    struct phone_task_question question = {.channel = channel, .sender = sender};
    enum err err = phone_task_start_open(work, channel, sender, &question.open);
    if (!err) *ret_question = question;
    return err;
}

void phone_task_question_done(struct phone_task_question *question)
{
    db_stmt_done(&question->open);
}

enum err phone_task_claim(struct work *work, const struct phone_task_question *question,
                          const struct device *device, struct phone_task_claim_result *ret_result)
{
    struct phone_task task;
    bool is_moved;

    ret_result->task = NULL;
    enum err err = db_step(question->open);
    if (err == ERR_NOT_FOUND) return ERR_OK;
    if (err) return err;
    if (work->task.is_read) return ERR_WRITE_NEEDED;
    const struct phone_task_line *line = work->service->phone_tasks->lines[question->channel];
    err = line->hold(work, question->sender);
    /* On PostgreSQL it may have left its phone before it was held. */
    if (!err) err = line->check_owned(work, device, question->sender);
    if (!err) err = take(work, question->channel, device, question->sender, &task);
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    err = show_claimed(work, &task, &ret_result->task);
    if (err != ERR_NOT_FOUND) return err;
    /* The owner is over without having ended its task, which would hold up those behind it under a
     * lease. */
    return phone_task_move(work, &task, PHONE_TASK_FAILED, "it is not wanted any more", &is_moved);
}
