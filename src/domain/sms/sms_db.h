/* What SIMs ask of phone_task, beside device_number. */
#pragma once

#include "domain/sms/sms.h"

/* The id of a queued SMS whose SIM will not send it (sms_move_stranded); ERR_NOT_FOUND. */
enum err sms_select_stranded(struct work *work, struct uuid *ret_task_id) MUST_CHECK;
