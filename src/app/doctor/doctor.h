/*
 * `herald doctor` looks at an installation and says what is wrong, and what to do (contract,
 * section 11.10). It reads the settings and the databases, and asks the running service, providers
 * and ERPs; it changes nothing and holds nothing up, whether herald runs or not.
 */
#pragma once

#include "app/setup/config.h"

/* Runs the words behind the verb and returns the exit status: 0 if all is well, 1 with a warning, 2
 * if something fails or the command is wrong. `out` is for stdout, `why` (maybe empty) for stderr.
 */
int doctor_run(int arg_count, char **args, struct arena *arena, struct buf *out, struct buf *why);
