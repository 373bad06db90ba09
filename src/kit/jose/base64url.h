/* Base64url (RFC 4648, section 5) as JOSE has it: without padding, and with one text only for any
 * bytes: no other character and no unused bit that is set. Only kit/jose includes this. */
#pragma once

#include "kit/base/arena.h"

#include <stdint.h>

/* The names of the one algorithm: RFC 8037's, which all readers know, then RFC 9864's. */
extern const char *const jose_algorithms[];

/* Returns how many characters `len` bytes make. */
size_t base64url_length(size_t len);
/* Writes them, and a NUL behind them. */
void base64url_encode(struct str bytes, char *ret_text);

/* Gives the bytes, NUL-terminated in the arena; returns false for what is not base64url. */
bool base64url_decode(struct str text, struct arena *arena, struct str *ret_bytes);
/* Returns false also for more or fewer than `len` bytes; `ret_bytes` is undefined then. */
bool base64url_decode_exactly(struct str text, size_t len, uint8_t *ret_bytes);
