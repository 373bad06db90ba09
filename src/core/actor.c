/* The root key is the only actor that is not stored. */
#include "core/actor.h"

const char *const actor_kind_words[] = {
    [ACTOR_SYSTEM] = "system",     [ACTOR_ROOT] = "root", [ACTOR_API_KEY] = "api_key",
    [ACTOR_OPERATOR] = "operator", [ACTOR_COUNT] = NULL,
};

const struct actor actor_root = {.kind = ACTOR_ROOT, .name = "root", .role = ROLE_ADMIN};
