/* Erasing and exporting a person may take longer than a request: these wait until it is done. */
#pragma once

#include "app/admin/admin_service.h"

int admin_subject(const struct admin_input *input, const struct admin_service *service,
                  struct arena *arena, struct buf *out, struct buf *why);
