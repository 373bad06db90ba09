/*
 * The names that people gave phones and points, as this process last read them. An entry of the log
 * with the id of one shows its name beside it (log_named; contract, section 2, rule 12).
 */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/uuid.h"

/* Keeps a copy of the name, from whatever thread. At most 4,096 are kept. */
void log_keep_name(const struct uuid *id, const char *name);
/* Tells whether the name was read within the last minute, so that it need not be read again. */
bool log_name_is_fresh(const struct uuid *id);
/* Appends the name. Returns false, and appends nothing, where this process never read it. */
bool log_copy_name(const struct uuid *id, struct buf *out);
