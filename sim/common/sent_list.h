/*
 * The list says which tasks this phone has sent (doc A, section 3: "the phone's local deduplication
 * prevents the same SMS from being sent twice"). With a file, it outlives the phone.
 */
#pragma once

#include "kit/base/uuid.h"

enum { SENT_LIST_MAX = 10000 }; /* the oldest are forgotten */

struct sent_list;

/* `path` may be NULL. NULL if the file can be neither read nor made. */
struct sent_list *sent_list_new(const char *path);
void sent_list_free(struct sent_list *sent);

bool sent_list_has(const struct sent_list *sent, const struct uuid *task_id);
/* Call before sending: a phone that dies in between rather loses an SMS than sends it twice.
 * False if the file could not be written; then nothing must be sent. */
bool sent_list_add(struct sent_list *sent, const struct uuid *task_id);
