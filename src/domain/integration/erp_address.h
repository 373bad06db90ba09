/* Where an ERP is: what may stand in its address and in the path of orders (contract, section 4).
 * Both end up in request lines and Host headers, so nothing else than RFC 3986 allows gets in. */
#pragma once

#include "kit/base/str.h"

/* http or https, a host, maybe a port and a path; no user info, query or fragment. */
bool erp_url_is_valid(struct str url);
bool erp_url_is_https(struct str url);
/* Whether both, which are valid, have one scheme, host and port, however they are written: in
 * either case, with or without the port that the scheme has by itself, an IPv6 address in any form.
 * Names are compared as they are given, not by what they mean. */
bool erp_url_has_same_origin(struct str a, struct str b);
/* Whether both addresses, which are valid and trimmed, each with the path behind it, are one place:
 * the same origin, as above, and the same text behind it. */
bool erp_urls_meet(struct str a, struct str a_path, struct str b, struct str b_path);
/* Without the slashes at its end: a path follows, which begins with one. */
struct str erp_url_trim(struct str url);

/* Begins with a slash; no query or fragment, and no `.` or `..` that leads elsewhere. */
bool erp_path_is_valid(struct str path);
