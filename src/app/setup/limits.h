/* The system limits what a process may have, and herald needs some of it. */
#pragma once

#include "app/setup/config.h"

enum {
    LIMITS_FILES_BESIDE =
        200, /* 128 of them for connections that get a 503 when all places are taken */
    LIMITS_FILES_LEAST = 256,
    LIMITS_MEMORY_AMPLE = 512 * 1024 * 1024, /* for eight large packages at once */
};

/* Returns how many descriptors a process of that role needs for HERALD_CONNECTIONS_MAX. */
int64_t limits_files_needed(const struct config *config, enum process_role role);
/* Raises this process's limit of descriptors to `wanted` as far as the system allows, and returns
 * it. */
int64_t limits_raise_files(int64_t wanted);
/* Says that so few descriptors are not enough for a start. */
void limits_explain_files(int64_t allowed, struct buf *why);
/* Returns how many bytes of memory this process may have; 0: no limit is known. */
int64_t limits_memory_allowed(void);
