/* One inbound call, reported to herald. */
#pragma once

#include "http.h"
#include "options.h"

/* The exit status of the program: 0 if herald took the event, whatever its result. */
int call_run(const struct options *options, struct http *http);
