/* The error record (contract, section 1), and that of OAuth (RFC 6749, section 5.2). */
#pragma once

#include "core/request.h"

/* The body of an error, in the style of the route (of a request without one: plain). `rq` may be
 * NULL: then without details. In the style of OAuth a text put as "error_description" stands
 * instead of the error's sentence; it has visible ASCII without quotes and backslashes. */
void error_encode(enum err err, struct str request_id, const struct request *rq, struct buf *out);
