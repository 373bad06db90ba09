/* The value of a Content-Type header (RFC 9110, section 8.3). */
#pragma once

#include "kit/base/str.h"

#include <stdbool.h>

/* Whether it is of that type, in any case, whatever its parameters say. */
bool http_media_is(struct str value, const char *type);
/* False: a parameter `charset` says something else than UTF-8, in any case, quoted or not. */
bool http_media_is_utf8(struct str value);
