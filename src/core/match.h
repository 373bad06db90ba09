/* Finding the row of the routes table that a request means. */
#pragma once

#include "core/route.h"

/* What a path and a method lead to. */
struct route_match {
    const struct route *route;          /* another method's row where only the path is known */
    struct uuid ids[PATH_PARAMS_MAX];   /* of the {ids}, in order */
    const char *texts[PATH_PARAMS_MAX]; /* of the {*texts}, decoded, in the arena */
    const char *allow;                  /* other methods of the path, in the arena; or NULL */
};

/* The row for method and path (percent-encoded, without the query). HEAD finds the row of GET.
 * ERR_NOT_FOUND: no row has this path, an id is no uuid, or a text is none (PATH_TEXT_MAX).
 * ERR_METHOD_NOT_ALLOWED: the path takes other methods; `ret_match` then has a row of the path,
 * for the style of its errors, and `allow`. */
enum err route_match(const struct route_list *routes, struct str method, struct str path,
                     struct arena *arena, struct route_match *ret_match) MUST_CHECK;
