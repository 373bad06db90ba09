/* "Sending" an SMS: it is printed, and appended to a file if there is one. */
#pragma once

#include "device_api.h"

/* False if the file cannot be written. */
bool sms_send(const struct sms_task *task, const char *path);
