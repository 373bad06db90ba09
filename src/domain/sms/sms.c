/*
 * SIMs add this to the life of a task (contract, section 2, rules 1, 7 and 11): a claim says that
 * the SIM is ready, a failed SMS goes to another ready SIM, and a task that waits for a SIM that
 * went silent moves on.
 */
#include "domain/sms/sms.h"

#include "domain/challenge/challenge.h"

/* --- Claims ----------------------------------------------------------------------------------- */

enum err sms_claim(struct work *work, const struct device *device,
                   const struct sms_claim_input *input, struct phone_task_claim_result *ret_result)
{
    const char *number = input->gateway_number;
    struct sim_state stored;
    AUTO_PHONE_TASK_QUESTION question = {0};

    ret_result->task = NULL;
    enum err err = phone_task_ask(work, PHONE_TASK_SMS, number, &question);
    if (!err) err = fleet_check_number(work, device, number, &stored);
    if (err) return err;
    err = fleet_set_ready(work, device, number, input->sim_ready, &stored);
    if (err || !input->sim_ready) return err;
    return phone_task_claim(work, &question, device, ret_result);
}

/* --- Another SIM ------------------------------------------------------------------------------ */

static enum err check_owned(struct work *work, const struct device *device, const char *sender)
{
    return fleet_check_number(work, device, sender, NULL);
}

/* The log says from which SIM to which, and `why` (contract, section 2, rule 12). */
static enum err go_over(struct work *work, const struct phone_task *task, const char *number,
                        const char *why)
{
    if (strcmp(number, task->sender) != 0)
        work_note(work, LOG_INFO, "sms goes over another sim",
                  LOG_FIELDS(log_uuid("task_id", &task->id), log_uuid("owner_id", &task->owner_id),
                             log_phone("gateway_number", task->sender),
                             log_phone("next_gateway_number", number),
                             log_phone("recipient", task->recipient), log_plain("reason", why)));
    return challenge_move_gateway_number(work, task->recipient, &task->owner_id, number);
}

/* Chooses another ready number, if there is one. */
static enum err choose_again(struct work *work, const struct phone_task *task,
                             const char **ret_sender)
{
    struct number_choice choice = {
        .avoided = task->sender, .must_be_ready = true, .never_waits = true};

    enum err err = fleet_take_number(work, &choice, ret_sender);
    if (err == ERR_NO_READY_SIM) {
        /* The SMS stays with its number, which may be ready again in time. */
        *ret_sender = task->sender;
        return ERR_OK;
    }
    return err ? err : go_over(work, task, *ret_sender, "send_failed");
}

const struct phone_task_line sms_task_line = {
    .noun = "sms",
    .sender_name = "gateway_number",
    .hold = fleet_hold_number,
    .check_owned = check_owned,
    .choose_again = choose_again,
};

/* Moves a task to another ready number; ERR_NO_READY_SIM: none can be had now. A phone that claimed
 * or reported the task in the meantime keeps it. Rows are locked in the order that all keep:
 * active_challenge, device_number, phone_task. */
static enum err move_task(struct work *work, const struct phone_task *task)
{
    struct number_choice choice = {
        .avoided = task->sender, .must_be_ready = true, .never_waits = true};
    const char *number;
    bool is_moved;

    enum err err = challenge_hold(work, task->recipient, &task->owner_id);
    if (!err) err = fleet_hold_number(work, task->sender);
    if (!err) err = fleet_take_number(work, &choice, &number);
    if (!err) err = phone_task_requeue(work, task, number, &is_moved);
    if (err) return err;
    if (!is_moved) return fleet_release_numbers(work, &(struct record_list){&number, 1});
    return go_over(work, task, number, "sim_not_ready");
}

/* Tells whether no phone has it in hand. */
static bool is_free(const struct phone_task *task, int64_t now_ms)
{
    bool is_leased = task->lease_until > now_ms;
    return task->state == PHONE_TASK_QUEUED ||
           (task->state == PHONE_TASK_CLAIMED && task->handed_over_at == 0 && !is_leased);
}

enum err sms_move_stranded(struct work *work, bool *ret_goes_on)
{
    struct uuid task_id;
    struct phone_task task;
    bool is_any_ready;

    *ret_goes_on = false;
    enum err err = sms_select_stranded(work, &task_id);
    if (!err) err = phone_task_read(work, &task_id, &task);
    if (err == ERR_NOT_FOUND) return ERR_OK;
    if (err) return err;
    /* On PostgreSQL a phone may have claimed it between the two reads. */
    if (!is_free(&task, work->now_ms)) {
        *ret_goes_on = true;
        return ERR_OK;
    }
    /* Without a ready SIM the task stays where it is: no row is written for nothing. */
    err = fleet_has_ready(work, &is_any_ready);
    if (err || !is_any_ready) return err;
    err = move_task(work, &task);
    *ret_goes_on = !err;
    return err == ERR_NO_READY_SIM ? ERR_OK : err; /* it is tried again in a second */
}
