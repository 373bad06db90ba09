/*
 * `herald admin`: integrations, their clients, secrets and keys from the command line. It is an
 * HTTP client of the running service, since an embedded database is served by one process; so it
 * can do what the operations of routes_exchange.c can, and nothing else.
 */
#pragma once

#include "app/setup/config.h"

/* Runs the words behind the verb; gives the exit status: 0 done, 1 the service refused or was not
 * reached, 2 a wrong command or setting. `out` is for stdout, `why` (maybe empty) for stderr; both
 * can be filled. `out` may hold a secret: wipe it. */
int admin_run(int arg_count, char **args, struct arena *arena, struct buf *out, struct buf *why);
