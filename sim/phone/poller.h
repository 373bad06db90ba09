/* The life of a phone: ask for tasks, send, report, until it is stopped. */
#pragma once

#include "http.h"
#include "options.h"

/* The exit status of the program. `stop_fd` becomes readable when the phone is to stop. */
int poller_run(const struct options *options, struct http *http, int stop_fd);
