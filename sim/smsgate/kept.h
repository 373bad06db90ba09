/* The app keeps this of its registration and of the settings that its server has told it. */
#pragma once

#include "kit/base/uuid.h"

#include <stdbool.h>
#include <stdint.h>

enum { KEPT_KEY_MAX = 256 };

struct kept {
    char key[KEPT_KEY_MAX];            /* empty: it is not registered */
    char device_id[UUID_TEXT_LEN + 1]; /* empty: the key was typed, and nobody has answered yet */
    int64_t ping_ms;                   /* 0: the server has not said */
    bool is_sse_only;
};

/* Reads what an earlier run has left; nothing where there is no such file. `path` may be NULL. */
void kept_read(const char *path, struct kept *ret_kept);
/* False if it cannot be written. */
bool kept_write(const char *path, const struct kept *kept);
