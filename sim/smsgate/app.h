/* The app runs here from its start to its end. */
#pragma once

#include "options.h"
#include "server.h"

/* Returns the exit status. */
int app_run(const struct options *options, struct server *server, int stop_fd);
