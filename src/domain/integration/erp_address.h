/* The address of an ERP and the path of its orders are checked here (contract, section 4). Both end
 * up in request lines and Host headers, so nothing gets in that RFC 3986 does not allow. */
#pragma once

#include "kit/base/arena.h"

/* http or https in any case, a host, maybe a port and a path; no user info, query or fragment. */
bool erp_url_is_valid(struct str url);
/* Returns a sentence that names the form in ASCII of an internationalised host, which is refused;
 * NULL: that is not what is wrong. */
const char *erp_url_explain(struct str url, struct arena *arena);
bool erp_url_is_https(struct str url);
/* Returns whether both, which are valid, have the same scheme, host and port, however these are
 * written: in either case, with or without the default port, an IPv6 address in any form. Names are
 * compared as they are given; nobody looks them up. */
bool erp_url_has_same_origin(struct str a, struct str b);
/* Returns whether both addresses, which are valid and trimmed, each with the path behind it, are
 * one place: the same origin, as above, and the same path in its normal form (RFC 3986, section
 * 6.2.2), in which several slashes are one and one at the end is none. */
bool erp_urls_meet(struct str a, struct str a_path, struct str b, struct str b_path);
/* Cuts the slashes off its end: the path that follows begins with one. */
struct str erp_url_trim(struct str url);

/* Begins with a slash; no query or fragment, and no `.` or `..` that leads elsewhere. */
bool erp_path_is_valid(struct str path);
