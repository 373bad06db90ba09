/*
 * The secret of a code: made, sealed for storage, compared (contract, section 2, rule 5). A code
 * that its provider chooses and has not told yet is the empty text: no guess equals it.
 */
#pragma once

#include "domain/otp/otp.h"

/* A code from `min` to `max`, `length` digits with its leading zeros, from the system's randomness:
 * each as likely as the other. */
const char *otp_code_new(struct arena *arena, int min, int max, int length);
/* Sealed by the vault and bound to the id: a stored code is worthless in another row. */
enum err otp_code_seal(struct work *work, const struct uuid *id, const char *code,
                       struct str *ret_sealed) MUST_CHECK;
enum err otp_code_open(struct work *work, const struct otp *otp, const char **ret_code) MUST_CHECK;
/* In constant time. */
enum err otp_code_matches(struct work *work, const struct otp *otp, const char *guess,
                          bool *ret_is_right) MUST_CHECK;
