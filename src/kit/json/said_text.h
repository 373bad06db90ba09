/*
 * This says what is kept of the words of a phone, a provider or an ERP (contract, section 2, rule
 * 14).
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/str.h"

enum { SAID_MAX = 500 /* characters that are kept */ };

/* A rule says what must not be repeated to whoever reads the words. */
struct said_rule {
    size_t code_length; /* of the code that was sent: runs of as many digits are hidden; 0: none */
    struct str token;   /* of herald, as it was sent; empty: none was */
};

/* Returns what is kept of a text of any bytes, in the arena: its first SAID_MAX characters, valid
 * UTF-8, with a blank for each control character, and "***" for each separate run of exactly as
 * many digits as the code has, and for the token. NULL for NULL, and where nothing is left. */
const char *said_keep(struct arena *arena, const char *text, const struct said_rule *rule);
