/* The statements on sms_task, one function each. */
#pragma once

#include "domain/sms/sms.h"

enum err sms_insert(struct work *work, const struct sms_task *task) MUST_CHECK;
enum err sms_select(struct work *work, const struct uuid *id, struct sms_task *ret_task) MUST_CHECK;
enum err sms_select_by_otp(struct work *work, const struct uuid *otp_id,
                           struct record_list *ret_tasks) MUST_CHECK;
enum err sms_select_open(struct work *work, const char *number, bool *ret_has) MUST_CHECK;
/* The one that is under a living lease; ERR_NOT_FOUND. */
enum err sms_select_leased(struct work *work, const char *number,
                           struct sms_task *ret_task) MUST_CHECK;
/* Leases the oldest task that is free; ERR_NOT_FOUND. */
enum err sms_lease_oldest(struct work *work, const char *number, const struct uuid *device_id,
                          const struct uuid *lease_id, struct sms_task *ret_task) MUST_CHECK;
/* By compare-and-set on the state and the lease it was seen with. */
enum err sms_move(struct work *work, const struct sms_task *task, enum sms_state state,
                  const char *error, bool *ret_moved) MUST_CHECK;
enum err sms_end_open(struct work *work, const struct uuid *otp_id, const char *reason) MUST_CHECK;
/* What phones of this device hold goes back to the queue. */
enum err sms_end_leases(struct work *work, const struct uuid *device_id) MUST_CHECK;
enum err sms_select_stranded(struct work *work, int max, struct record_list *ret_tasks) MUST_CHECK;
/* Back to the queue, of `number`, by compare-and-set on the state and lease it was seen with. */
enum err sms_requeue(struct work *work, const struct sms_task *task, const char *number,
                     bool *ret_moved) MUST_CHECK;
enum err sms_close_unreported(struct work *work, int max, int64_t *ret_closed) MUST_CHECK;
