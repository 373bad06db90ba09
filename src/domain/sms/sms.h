/*
 * SMS through own SIMs: a phone says that a SIM is ready and claims its next SMS, sends it, and
 * reports (doc A, section 4 "SMS tasks for phones"; contract, section 2, rules 1, 7 and 11). The
 * life of a task is domain/phone_task; here is what SIMs add to it.
 */
#pragma once

#include "domain/phone_task/phone_task.h"

struct sms_claim_input {
    const char *gateway_number;
    bool sim_ready;
};

/* A phone asks for the next SMS of one of its numbers. In a read that would have to write:
 * ERR_WRITE_NEEDED. ERR_DEVICE_DISABLED, ERR_NUMBER_NOT_OWNED. */
enum err sms_claim(struct work *work, const struct device *device,
                   const struct sms_claim_input *input,
                   struct phone_task_claim_result *ret_result) MUST_CHECK;

/* A failed SMS is sent again by another ready number, if there is one. */
extern const struct phone_task_line sms_task_line;

/* A task that no phone holds and whose SIM is ready no more moves to a ready one: one that no phone
 * ever held, or one of a disabled phone. One a transaction, so that nobody waits long.
 * `ret_goes_on`: there may be more. */
enum err sms_move_stranded(struct work *work, bool *ret_goes_on) MUST_CHECK;

extern const struct record claim_sms_record;

/* --- For the tables of app/ --- */

struct request;
enum err sms_http_claim(struct request *rq) MUST_CHECK;
enum err sms_http_report(struct request *rq) MUST_CHECK;

/* --- For sms*.c --- */

/* The id of a queued SMS whose SIM will not send it (sms_move_stranded); ERR_NOT_FOUND. */
enum err sms_select_stranded(struct work *work, struct uuid *ret_task_id) MUST_CHECK;
