/*
 * A role says what a key may do (contract, section 10.2). The roles for people are a ladder: each
 * may do what those below it may. The role of a core system stands beside the ladder. The row of an
 * operation names the least role of the ladder that may call it, and whether core systems may, too
 * (core/route.h).
 */
#pragma once

#include "kit/json/writer.h"

#include <stdbool.h>

/* The least role of a row is one of the ladder. So a row that names none has ROLE_CORE, which
 * route_list_add refuses. */
enum role {
    ROLE_CORE,
    ROLE_VIEWER, /* the ladder begins */
    ROLE_SUPPORT,
    ROLE_OPERATOR,
    ROLE_ADMIN,
    ROLE_COUNT
};
extern const char *const role_words[]; /* ends with NULL */

/* Tells whether the role may call an operation whose row says `least` and `is_for_core`. */
static inline bool role_may(enum role role, enum role least, bool is_for_core)
{
    return role == ROLE_CORE ? is_for_core : role >= least;
}
/* Returns the role to ask for where another one may not call such an operation: the least of the
 * ladder, or core where the ladder has only its top. */
static inline enum role role_wanted(enum role least, bool is_for_core)
{
    return is_for_core && least == ROLE_ADMIN ? ROLE_CORE : least;
}

/* Returns how an answer for this role writes what is personal (FIELD_PERSONAL), and words
 * (FIELD_WORDS). */
struct json_masks role_masks(enum role role);
