/*
 * Passwords of people are stored as Argon2id hashes (RFC 9106) of 64 MiB and two passes, as
 * libsodium writes them: with their parameters and a salt. Each hash takes about a tenth of a
 * second and that memory, so nothing that others wait for may compute one.
 */
#pragma once

#include "kit/base/buf.h"

enum {
    PASSWORD_MIN = 10, /* characters */
    PASSWORD_MAX = 128,
    PASSWORD_HASH_LEN = 128, /* with its NUL */
};

/* Returns false if there is no memory for it. */
bool password_hash(struct str password, char ret_hash[static PASSWORD_HASH_LEN]);
bool password_matches(const char *hash, struct str password);
/* The hash of a password that nobody knows; it costs as much to check as any. */
extern const char password_of_nobody[];
