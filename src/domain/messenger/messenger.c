/*
 * What personal messenger accounts add to the life of a task (contract, section 2, rules 7 and 9):
 * a phone claims for an account of its own, and a failed message is sent again from the same one.
 */
#include "domain/messenger/messenger.h"

static struct message_job *make_job(struct work *work, const struct task *task, const char *text)
{
    struct message_job *job = ARENA_NEW(work->arena, struct message_job);
    *job = (struct message_job){
        .id = task->id,
        .lease_id = task->lease_id,
        .account_id = task->sender,
        .recipient = task->recipient,
        .text = text,
        .attempt = task->attempt,
        .lease_expires_at = task->lease_until,
    };
    return job;
}

/* Whether there is a task to be had: what waits for an account that its phone declared to be not
 * connected waits on. */
static enum err has_task(struct work *work, const char *account_id, bool *ret_has)
{
    enum err err = task_has_open(work, TASK_PERSONAL_MESSENGER, account_id, ret_has);
    if (err || !*ret_has) return err;
    return fleet_is_account_connected(work, account_id, ret_has);
}

enum err messenger_claim(struct work *work, const struct device *device,
                         const struct message_claim_input *input, bool may_write,
                         struct message_claim_result *ret_result)
{
    bool has;
    struct task task;
    const char *text;

    ret_result->task = NULL;
    enum err err = fleet_check_own_account(work, device, input->account_id);
    if (err) return err;
    fleet_note_seen(work, device);
    err = has_task(work, input->account_id, &has);
    if (err || !has) return err;
    if (!may_write) return ERR_WRITE_NEEDED;
    err = task_claim(work, TASK_PERSONAL_MESSENGER, device, input->account_id, &task, &text);
    if (err == ERR_NOT_FOUND) return ERR_OK;
    if (err) return err;
    ret_result->task = make_job(work, &task, text);
    return ERR_OK;
}

enum err messenger_report(struct work *work, const struct device *device,
                          const struct uuid *task_id, const struct task_result *result)
{
    return task_report(work, TASK_PERSONAL_MESSENGER, device, task_id, result);
}

/* --- The line of tasks ------------------------------------------------------------------------ */

/* An account that was forgotten since has no row to hold: its phone may still report. */
static enum err lock_account(struct work *work, const char *account_id)
{
    enum err err = fleet_lock_account(work, account_id);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err choose_again(struct work *work, const struct task *task, const char **ret_sender)
{
    (void)work;
    *ret_sender = task->sender;
    return ERR_OK;
}

const struct task_line messenger_task_line = {
    .lock = lock_account,
    .check_owned = fleet_check_own_account,
    .choose_again = choose_again,
};
