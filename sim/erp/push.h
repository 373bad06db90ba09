/* The verbs `push ...`. */
#pragma once

#include "options.h"

/* The exit status. */
int push_run(const struct options *options, int stop_fd);
