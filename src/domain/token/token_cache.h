/* The cache serves token_verify. */
#pragma once

#include "domain/token/token.h"

enum {
    TOKEN_CACHE_MAX = 16 * 1024, /* tokens: 4 MiB */
    TOKEN_HASH_LEN = 32,
};

/* A token has this name in the cache, which tells nothing about the token. */
struct token_hash {
    uint8_t bytes[TOKEN_HASH_LEN];
};

void token_cache_hash(const struct token_cache *cache, struct str token,
                      struct token_hash *ret_hash);
/* Finds the claims of a token. False: it is not there, not good at `now_ms`, or was found good by
 * another revision of the keyring. */
bool token_cache_find(struct token_cache *cache, const struct token_hash *hash, uint64_t revision,
                      int64_t now_ms, struct token_claims *ret_claims);
/* Remembers a token; where there is no room, another one is forgotten. */
void token_cache_put(struct token_cache *cache, const struct token_hash *hash, int64_t now_ms,
                     const struct token_claims *claims);
