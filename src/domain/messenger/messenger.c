/*
 * Personal messenger accounts add this to the life of a task (contract, section 2, rules 7 and 9):
 * a phone claims for an account of its own, and a failed message is sent again from the same one.
 */
#include "domain/messenger/messenger.h"

enum err messenger_claim(struct work *work, const struct device *device,
                         const struct message_claim_input *input,
                         struct phone_task_claim_result *ret_result)
{
    const char *account_id = input->account_id;
    bool is_connected;
    AUTO_PHONE_TASK_QUESTION question = {0};

    ret_result->task = NULL;
    enum err err = phone_task_ask(work, PHONE_TASK_PERSONAL_MESSENGER, account_id, &question);
    if (!err) err = fleet_check_own_account(work, device, account_id, &is_connected);
    if (err) return err;
    fleet_renew_seen(work, device);
    /* Tasks wait on while their phone declares the account not to be connected. */
    if (!is_connected) return ERR_OK;
    return phone_task_claim(work, &question, device, ret_result);
}

static enum err check_owned(struct work *work, const struct device *device, const char *sender)
{
    return fleet_check_own_account(work, device, sender, NULL);
}

const struct phone_task_line messenger_task_line = {
    .noun = "phone message",
    .sender_name = "account_id",
    .hold = fleet_hold_account,
    .check_owned = check_owned,
};
