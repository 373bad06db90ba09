/* Lists of scopes as they come in requests and tokens (RFC 6749, section 3.3). */
#pragma once

#include "domain/integration/client.h"

/* Reads words separated by single spaces, in any order; a repeated one counts once.
 * `ret_has_unknown`: one of them is no scope of ours. False: not such a list, or an empty one. */
bool token_scope_read(struct str text, unsigned *ret_scopes, bool *ret_has_unknown);
