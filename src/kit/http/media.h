/* A Content-Type header has a media type and parameters (RFC 9110, section 8.3). */
#pragma once

#include "kit/base/str.h"

#include <stdbool.h>

/* Tells whether it has that type, in any case, whatever its parameters are. */
bool http_media_is(struct str value, const char *type);
/* Returns false if a parameter `charset` is anything but UTF-8, in any case, quoted or not. */
bool http_media_is_utf8(struct str value);
