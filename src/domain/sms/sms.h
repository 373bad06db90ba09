/*
 * SMS go out by SIMs of the fleet: a phone says that a SIM is ready and claims its next SMS, sends
 * it, and reports (doc A, section 4 "SMS tasks for phones"; contract, section 2, rules 1, 7 and
 * 11). A task lives in domain/phone_task; this room is what SIMs add to it.
 */
#pragma once

#include "domain/phone_task/phone_task.h"

struct sms_claim_input {
    const char *gateway_number;
    bool sim_ready;
};

/* A phone asks for the next SMS of one of its numbers. ERR_WRITE_NEEDED: this is a read, and would
 * have to write. ERR_DEVICE_DISABLED, ERR_NUMBER_NOT_OWNED. */
enum err sms_claim(struct work *work, const struct device *device,
                   const struct sms_claim_input *input,
                   struct phone_task_claim_result *ret_result) MUST_CHECK;

/* A failed SMS is sent again by another ready number, if there is one. */
extern const struct phone_task_line sms_task_line;

/* Moves one task whose SIM will not send it to a ready SIM: its phone is disabled, or the SIM is
 * ready no more and its phone never held the task. What a phone has under a lease stays. One a
 * transaction is moved, so that nobody waits long; `ret_goes_on` tells whether there may be more.
 */
enum err sms_move_stranded(struct work *work, bool *ret_goes_on) MUST_CHECK;

/* --- For the tables of app/ --- */

struct route_table;
extern const struct route_table sms_routes;

/* --- For sms*.c --- */

/* Finds an SMS that is queued, or whose lease has ended, and whose SIM will not send it
 * (sms_move_stranded); ERR_NOT_FOUND. */
enum err sms_select_stranded(struct work *work, struct uuid *ret_task_id) MUST_CHECK;
