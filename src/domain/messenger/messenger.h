/*
 * A phone sends through a personal messenger account: it claims a message, sends it over its own
 * network, and reports (doc A, section 4 "Messages"; contract, section 2, rule 9).
 */
#pragma once

#include "domain/fleet/fleet_account.h"
#include "domain/phone_task/phone_task.h"

struct message_claim_input {
    const char *account_id;
};

/* A phone asks for the next message of one of its accounts. ERR_WRITE_NEEDED: this is a read, and
 * would have to write. ERR_DEVICE_DISABLED, ERR_NUMBER_NOT_OWNED. */
enum err messenger_claim(struct work *work, const struct device *device,
                         const struct message_claim_input *input,
                         struct phone_task_claim_result *ret_result) MUST_CHECK;

/* A failed message is sent again from the same account: no other one may speak for it. */
extern const struct phone_task_line messenger_task_line;

extern const struct record message_claim_record;

/* --- For the tables of app/ --- */

struct route_table;
extern const struct route_table messenger_routes;
