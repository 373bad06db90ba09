/* Base64url (RFC 4648 section 5) as JOSE has it: no padding, and every text of bytes is the only
 * one: no other character, no bit that means nothing. For this room alone. */
#pragma once

#include "kit/base/arena.h"

#include <stdint.h>

/* How many characters `len` bytes make. */
size_t base64url_length(size_t len);
/* Writes them, and a NUL behind them. */
void base64url_encode(struct str bytes, char *ret_text);

/* The bytes, NUL-terminated in the arena; false: not base64url. */
bool base64url_decode(struct str text, struct arena *arena, struct str *ret_bytes);
/* False too where they are not exactly `len` bytes; what `ret_bytes` holds then is of no use. */
bool base64url_decode_exactly(struct str text, size_t len, uint8_t *ret_bytes);
