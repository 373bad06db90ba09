/* The names of the one algorithm: RFC 8037's, which all know, then RFC 9864's. For this room alone.
 */
#pragma once

#include <stddef.h>

static const char *const jose_algorithms[] = {"EdDSA", "Ed25519", NULL};
