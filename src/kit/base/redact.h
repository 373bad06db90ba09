/*
 * An error of a phone or the answer of a provider may quote what was to be sent, so it is kept only
 * redacted (contract, section 2, rules 5 and 12, and section 9.9).
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/str.h"

/* Returns `text` (NULL for NULL), in the arena, with "***" for what could be a code, a number or a
 * key: more than 3 digits of any script with no letter between them, and long words with a digit in
 * them. `said` is the text that was to be sent, or empty where it is not known. Each of its numbers
 * of 4 digits or more is hidden as well, also where up to two other digits, and anything else,
 * stand between two of its digits. */
const char *redact_codes(struct arena *arena, const char *text, struct str said);
