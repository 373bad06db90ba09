/* `herald admin find` asks both stores. */
#pragma once

#include "app/admin/admin_service.h"

/* Shows what either store has found, as one list. Returns the exit status. */
int admin_find(const struct admin_input *input, const struct admin_service *service,
               struct arena *arena, struct buf *out, struct buf *why);
