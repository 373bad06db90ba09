/*
 * `herald admin` manages integrations, their workload clients, secrets and keys from the command
 * line. It is an HTTP client of the running service, since an embedded database is served by one
 * process; so it can do only what operations can.
 */
#pragma once

#include "app/setup/config.h"

/* Runs the words behind the verb and returns the exit status: 0 for done, 1 if the service refused
 * or was not reached, 2 for a wrong command or setting. `out` is for stdout, `why` (maybe empty)
 * for stderr; both can be filled. `out` may hold a secret, so wipe it. */
int admin_run(int arg_count, char **args, struct arena *arena, struct buf *out, struct buf *why);
