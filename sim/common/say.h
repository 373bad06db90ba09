/* The phone tells its watcher what happens: one line a happening, written at once. */
#pragma once

#include "kit/base/str.h"

/* `number` is the SIM it happened to, or NULL for the phone as a whole. */
void say(const char *number, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text from outside in JSON's quotes, so that no content breaks the line or the terminal. The
 * caller frees it. */
char *say_quote(struct str text);
