/*
 * What is kept of others' words that may quote what they were to send: an error of a phone, the
 * answer of a provider (contract, section 2, rules 5 and 12, and section 9.9).
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/str.h"

/* `text` (NULL gives NULL) with "***" for what could be a code, a number or a key: more than 3
 * digits of any script with no letter between them, and long words with a digit in them. Of `said`
 * (empty: not known), the text that was to be sent, also each number of 4 digits or more: between
 * two of its digits may stand whatever is no digit, and up to two others. In the arena. */
const char *redact_codes(struct arena *arena, const char *text, struct str said);
