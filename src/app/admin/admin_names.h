/* Names may be typed in the place of ids. */
#pragma once

#include "app/admin/admin_service.h"

/* Puts ids in the place of names, as the lists of the service tell them. Returns false, and `why`
 * in sentences, if nothing or more than one thing has such a name, or the service does not answer.
 */
bool admin_resolve_names(struct admin_input *input, const struct admin_service *service,
                         struct arena *arena, struct buf *why) MUST_CHECK;
