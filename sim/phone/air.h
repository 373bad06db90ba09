/* "Sending" an SMS or a message: it is printed, and appended to a file if there is one. */
#pragma once

#include "device_api.h"

/* False if the file cannot be written. */
bool air_send(struct sender sender, const struct task *task, const char *path);
