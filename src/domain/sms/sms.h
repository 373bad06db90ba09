/*
 * SMS through own SIMs: tasks that phones claim with a lease, send, and report (doc A, section 4
 * "SMS tasks for phones"; contract, section 2, rules 7 and 11). A task is one send; a failed one is
 * followed by another on another SIM. What the text says is its owner's business (domain/otp): a
 * task holds no text. Lives in the verification store.
 */
#pragma once

#include "domain/fleet/fleet.h"

enum {
    SMS_LEASE_MS = 90 * 1000,
    SMS_SENDS_MAX = 3,
    SMS_ERROR_MAX = 500,
};

/* SMS_UNKNOWN: the code was final before its phone reported; a late report is still taken. */
enum sms_state { SMS_QUEUED, SMS_CLAIMED, SMS_SENT, SMS_DELIVERED, SMS_FAILED, SMS_UNKNOWN };
extern const char *const sms_state_words[];

/* A send that is wanted. */
struct sms_order {
    struct uuid otp_id;
    const char *recipient;
    const char *gateway_number; /* chosen by fleet_choose_number */
    int64_t expires_at;         /* nothing is sent after it */
};

struct sms_task {
    struct uuid id;
    struct uuid otp_id;
    const char *recipient;
    const char *gateway_number;
    int64_t attempt; /* 1 for the first send */
    int state;       /* enum sms_state */
    const char *error;
    struct uuid lease_id;
    struct uuid lease_device_id; /* nil: never claimed */
    int64_t lease_until;
    int64_t created_at;
    int64_t updated_at;
    int64_t expires_at;
};

enum sms_status { SMS_STATUS_SENT, SMS_STATUS_DELIVERED, SMS_STATUS_FAILED };

/* What a phone reports. */
struct sms_result {
    struct uuid lease_id; /* nil: not given */
    int status;           /* enum sms_status */
    const char *error;
    bool permanent; /* another SIM would not do better */
};

/* What a report changed. */
enum sms_change {
    SMS_UNCHANGED, /* a repeat */
    SMS_NOW_SENT,
    SMS_NOW_DELIVERED,
    SMS_NOW_QUEUED,  /* failed, and another send is queued */
    SMS_NOW_GIVEN_UP /* failed, and that was the last one */
};

enum err sms_queue(struct work *work, const struct sms_order *order) MUST_CHECK;

/* The sends of a code, oldest first. */
enum err sms_list(struct work *work, const struct uuid *otp_id,
                  struct record_list *ret_tasks) MUST_CHECK;

/* Whether a claim for `number` would get a task: cheap, and reads only. */
enum err sms_has_open(struct work *work, const char *number, bool *ret_has) MUST_CHECK;

/* The task that `device` holds for `number`, or the oldest open one under a new lease.
 * ERR_NOT_FOUND: there is none. */
enum err sms_claim(struct work *work, const struct device *device, const char *number,
                   struct sms_task *ret_task) MUST_CHECK;

/* Which code is a task for? ERR_NOT_FOUND. */
enum err sms_find_owner(struct work *work, const struct uuid *task_id,
                        struct uuid *ret_otp_id) MUST_CHECK;

/* Takes a phone's report; the code's row is locked (otp_lock). ERR_NOT_FOUND, ERR_NUMBER_NOT_OWNED,
 * ERR_LEASE_LOST, ERR_RESULT_CONFLICT. */
enum err sms_report(struct work *work, const struct device *device, const struct uuid *task_id,
                    const struct sms_result *result, struct sms_task *ret_task,
                    enum sms_change *ret_change) MUST_CHECK;

/* The code is final: what was not sent yet is not sent any more. `reason` for the send's story. */
enum err sms_end(struct work *work, const struct uuid *otp_id, const char *reason) MUST_CHECK;

/* Rule 11: tasks under a lease of a disabled phone return to the queue; sms_move_stranded finds
 * them another phone. */
enum err sms_return_tasks(struct work *work, const struct uuid *device_id) MUST_CHECK;

/* A task that no phone holds and whose SIM is ready no more moves to a ready one: one that no phone
 * ever held, or one of a disabled phone. One a transaction, so that nobody waits long.
 * `ret_goes_on`: there may be more. */
enum err sms_move_stranded(struct work *work, bool *ret_goes_on) MUST_CHECK;
/* Tasks that were claimed for a code that is final, and never reported, are closed, at most `max`.
 */
enum err sms_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
