/* `herald-modem list`: what is plugged in, and what is missing. */
#pragma once

#include "modem/config.h"

/* Prints it; returns the exit status: 0 where all modems are ready, 1 where one is not or none is
 * there. */
int list_run(const struct config *config);
