/* Names of hosts beyond ASCII have a form in ASCII (RFC 3492, RFC 5891). */
#pragma once

#include "kit/base/buf.h"

/* Appends the host with small letters, each label beyond ASCII as "xn--" and its Punycode. Returns
 * false for a label that is empty or too long. `host` is UTF-8. */
bool punycode_host(struct str host, struct buf *out);
