/* A Content-Type header, and each item of Accept, has a media type and parameters (RFC 9110,
 * sections 8.3 and 12.5.1). */
#pragma once

#include "kit/base/str.h"

#include <stdbool.h>

/* Tells whether it has that type, in any case, whatever its parameters are. */
bool http_media_is(struct str value, const char *type);
/* Returns the first parameter of that name, in any case, as it was sent; data NULL: it has none. */
struct str http_media_param(struct str value, const char *name);
/* Returns false if a parameter `charset` is anything but UTF-8, in any case, quoted or not. */
bool http_media_is_utf8(struct str value);
