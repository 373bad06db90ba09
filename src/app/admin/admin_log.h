/* `herald admin log` searches the log, and follows it. */
#pragma once

#include "app/admin/admin_service.h"

/* Shows the last entries that the flags ask for, oldest first, and with --follow what comes behind
 * them until somebody stops it. Returns the exit status; `why` says what was refused. */
int admin_log(const struct admin_input *input, const struct admin_service *service,
              struct arena *arena, struct buf *out, struct buf *why);
