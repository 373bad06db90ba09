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
    VAULT_PREFIX_LEN = 5,
    VAULT_OVERHEAD = 45, /* prefix, nonce and tag around each sealed value */
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

/*
 * Encrypts what is stored (XChaCha20-Poly1305). A sealed value has one of two forms:
 *
 *   form 2   prefix, nonce, ciphertext, tag; bound to its table, column and row. The prefix is a
 *            version byte and the id of the key, so that what is of another key or of form 1 is
 *            found without opening it.
 *   form 1   nonce, ciphertext, tag; bound to its row alone, as herald 0.5.0 writes and reads it.
 *
 * Which of them is written and taken, the database says (app/setup/vault_db.h): values of form 1
 * are written only while processes of 0.5.0 may run beside, and taken until all were sealed anew.
 */
struct vault;

/* Where a sealed value stands. At another place it does not open. */
struct vault_place {
    const char *table, *column;
    struct str row; /* its key */
};

struct vault_forms {
    bool writes_form_2; /* else form 1 */
    bool takes_form_1;  /* form 2 is always taken */
};

/* Writes and takes form 2 alone, until vault_set_forms. ERR_VALIDATION: that is no key. */
enum err vault_new(struct str key_base64url, struct vault **ret_vault) MUST_CHECK;
void vault_free(struct vault *vault);
/* What is in force as of now. Any thread. */
void vault_set_forms(struct vault *vault, struct vault_forms forms);
struct vault_forms vault_forms(const struct vault *vault);
/* What values of form 2 begin with: VAULT_PREFIX_LEN bytes that live as long as the vault. */
struct str vault_prefix(const struct vault *vault);
bool vault_has_prefix(const struct vault *vault, struct str sealed);

/* In the arena. ERR_STORAGE_UNAVAILABLE: it would still write form 1, and what is in force was not
 * looked at for VAULT_FORMS_MS. A process that stood still for long, and for which the others have
 * not waited, would seal what nobody opens any more: it has to look first. */
enum { VAULT_FORMS_MS = 15 * 1000 };
enum err vault_seal(const struct vault *vault, struct vault_place place, struct str plain,
                    struct arena *arena, struct str *ret_sealed) MUST_CHECK;
/* The plain text, NUL-terminated, in the arena. ERR_INTERNAL if the value was not sealed with this
 * key for this place. */
enum err vault_open(const struct vault *vault, struct vault_place place, struct str sealed,
                    struct arena *arena, struct str *ret_plain) MUST_CHECK;
/* The same of a text; that it does not open is logged. */
enum err vault_open_text(const struct vault *vault, struct vault_place place, struct str sealed,
                         struct arena *arena, const char **ret_text) MUST_CHECK;
/* The key of the marks behind masked numbers, the same in all processes of an installation. It is
 * made from that of fingerprints until these have keys of their own, beside the vault's. */
void vault_mask_key(const struct vault *vault, uint8_t ret_key[static MASK_KEY_LEN]);
/* BLAKE2b keyed by the vault: for fingerprints of texts that could be guessed. */
void vault_fingerprint(const struct vault *vault, struct str text,
                       uint8_t ret_hash[static SECRET_HASH_LEN]);
