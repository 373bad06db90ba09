/* The verb `run`: the day of an ERP. */
#pragma once

#include "options.h"

/* The exit status. */
int run_run(const struct options *options, int stop_fd);
