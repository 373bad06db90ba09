/* What a phone says of a failure may quote the text that it could not send, or its key. task*.c
 * only. */
#pragma once

#include "kit/base/arena.h"

/* `text` (or NULL) without what could be a code, a number or a key (contract, section 2, rules 5
 * and 12). In the arena. */
const char *task_redact(struct arena *arena, const char *text);
