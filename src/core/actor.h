/* Whoever acts by a request of `/internal/v1` is its actor (contract, section 10.1). */
#pragma once

#include "core/role.h"
#include "kit/base/uuid.h"

enum actor_kind {
    ACTOR_SYSTEM, /* herald itself, as jobs do */
    ACTOR_ROOT,   /* INTERNAL_API_KEY */
    ACTOR_API_KEY,
    ACTOR_OPERATOR, /* a person */
    ACTOR_COUNT
};
extern const char *const actor_kind_words[]; /* ends with NULL */

struct actor {
    enum actor_kind kind;
    struct uuid id; /* of the key or the person; nil: there is none */
    const char *name;
    enum role role;
    struct uuid session_id; /* of a person who is logged in to the console; else nil */
    bool is_test;           /* test numbers are test numbers for it (contract, section 12.1) */
};

extern const struct actor actor_root;
