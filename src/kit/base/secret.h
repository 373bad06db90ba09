/*
 * Secrets: text that no format prints, compared in constant time and zeroed when it goes; a vault
 * that encrypts what must be stored; random bytes and one-way hashes.
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/buf.h"
#include "kit/base/err.h"
#include "kit/base/mask.h"

#include <stdint.h>

enum {
    SECRET_KEY_LEN = 32,
    SECRET_HASH_LEN = 32,
    SECRET_TOKEN_LEN = 43, /* 256 random bits as base64url */
    VAULT_OVERHEAD = 40,   /* nonce and tag around each sealed value */
};

struct secret {
    char *data; /* locked memory, zeroed on secret_done */
    size_t len;
};

/* Call once before anything else here; false if the system has no randomness to give. */
bool secret_system_init(void);

void secret_init(struct secret *secret, struct str value);
void secret_done(struct secret *secret);
/* Constant time in the content; a secret that was never set equals nothing. */
bool secret_equals(const struct secret *secret, struct str guess);

/* Constant-time compare of two texts. */
bool secret_text_equals(struct str a, struct str b);
void secret_wipe(void *data, size_t len);

void random_bytes(void *data, size_t len);
/* Uniform in [0, bound), without modulo bias. */
uint32_t random_below(uint32_t bound);

/* `prefix` followed by 43 base64url characters of 256 random bits, NUL-terminated. */
char *secret_new_token(struct arena *arena, const char *prefix);
/* BLAKE2b-256, for tokens of full entropy that are looked up by their hash. */
void secret_hash(struct str token, uint8_t ret_hash[static SECRET_HASH_LEN]);

/* Encrypts what is stored (XChaCha20-Poly1305). `context` binds a value to its row: opening it
 * under another context fails. */
struct vault;
enum err vault_new(struct str key_base64url, struct vault **ret_vault) MUST_CHECK;
void vault_free(struct vault *vault);
void vault_seal(const struct vault *vault, struct str context, struct str plain,
                struct buf *ret_sealed);
/* The plain text, NUL-terminated, in the arena. ERR_INTERNAL if the value was not sealed with this
 * key and context. */
enum err vault_open(const struct vault *vault, struct str context, struct str sealed,
                    struct arena *arena, struct str *ret_plain) MUST_CHECK;
/* The same of a text, with what comes out of both in the arena. */
struct str vault_seal_text(const struct vault *vault, struct str context, const char *text,
                           struct arena *arena);
enum err vault_open_text(const struct vault *vault, struct str context, struct str sealed,
                         struct arena *arena, const char **ret_text) MUST_CHECK;
/* The key of the marks behind masked numbers, the same in all processes of an installation. It is
 * made from that of fingerprints until these have keys of their own, beside the vault's. */
void vault_mask_key(const struct vault *vault, uint8_t ret_key[static MASK_KEY_LEN]);
/* BLAKE2b keyed by the vault: for fingerprints of texts that could be guessed. */
void vault_fingerprint(const struct vault *vault, struct str text,
                       uint8_t ret_hash[static SECRET_HASH_LEN]);
