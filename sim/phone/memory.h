/*
 * Which tasks this phone has sent (doc A, section 3: "the phone's local deduplication prevents the
 * same SMS from being sent twice"). With a file, it outlives the phone.
 */
#pragma once

#include "kit/base/uuid.h"

enum { MEMORY_TASKS_MAX = 10000 }; /* the oldest are forgotten */

struct memory;

/* `path` may be NULL. NULL if the file can be neither read nor made. */
struct memory *memory_new(const char *path);
void memory_free(struct memory *memory);

bool memory_has(const struct memory *memory, const struct uuid *task_id);
/* Call before sending: a phone that dies in between rather loses an SMS than sends it twice.
 * False if the file could not be written; then nothing must be sent. */
bool memory_add(struct memory *memory, const struct uuid *task_id);
