/* The verb `serve`: the ERP as a server, which takes orders. */
#pragma once

#include "options.h"

/* Serves until a signal makes `stop_fd` readable. The exit status. */
int serve_run(const struct options *options, int stop_fd);
/* Prints what --help says of it. */
void serve_print_help(void);
