/*
 * A secret is a text that no format prints; it is compared in constant time and zeroed when it
 * goes. The vault encrypts secrets that must be stored. Random bytes and one-way hashes are here,
 * too.
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

/* Call it once, before anything else here. Returns false if the system has no randomness to give.
 */
bool secret_system_init(void);

void secret_init(struct secret *secret, struct str value);
void secret_done(struct secret *secret);
/* Takes the same time for any content; a secret that was never set equals nothing. */
bool secret_equals(const struct secret *secret, struct str guess);

/* Compares two texts in constant time. */
bool secret_text_equals(struct str a, struct str b);
void secret_wipe(void *data, size_t len);

void random_bytes(void *data, size_t len);
/* Returns a number that is uniform in [0, bound), without modulo bias. */
uint32_t random_below(uint32_t bound);

/* Returns `prefix` and 43 base64url characters of 256 random bits, NUL-terminated. */
char *secret_new_token(struct arena *arena, const char *prefix);
/* Hashes by BLAKE2b-256, for tokens of full entropy that are looked up by their hash. */
void secret_hash(struct str token, uint8_t ret_hash[static SECRET_HASH_LEN]);

/*
 * The vault encrypts values for storage (XChaCha20-Poly1305). A sealed value has one of two forms:
 *
 *   form 2   prefix, nonce, ciphertext, tag; bound to its table, column and row. The prefix is a
 *            version byte and the id of the key, so that values of another key or of form 1 are
 *            found without opening them.
 *   form 1   nonce, ciphertext, tag; bound to its row alone, as herald 0.5.0 writes and reads it.
 *
 * The database says which form is written and which are taken (app/setup/vault_db.h). Form 1 is
 * written only while processes of 0.5.0 may run beside this one, and taken until all values are
 * sealed anew.
 */
struct vault;

/* The place where a sealed value stands. At another place it does not open. */
struct vault_place {
    const char *table, *column;
    struct str row; /* the key of the row */
};

struct vault_forms {
    bool writes_form_2; /* else form 1 */
    bool takes_form_1;  /* form 2 is always taken */
};

/* Writes and takes form 2 alone until vault_set_forms. Returns ERR_VALIDATION for what is no key.
 */
enum err vault_new(struct str key_base64url, struct vault **ret_vault) MUST_CHECK;
void vault_free(struct vault *vault);
/* Sets and tells what is in force from now on. Any thread may call them. */
void vault_set_forms(struct vault *vault, struct vault_forms forms);
struct vault_forms vault_forms(const struct vault *vault);
/* Returns the VAULT_PREFIX_LEN bytes that values of form 2 begin with; they live with the vault. */
struct str vault_prefix(const struct vault *vault);
bool vault_has_prefix(const struct vault *vault, struct str sealed);

/* Seals into the arena. Returns ERR_STORAGE_UNAVAILABLE if it would still write form 1 although the
 * forms in force were not read for VAULT_FORMS_MS. The others have not waited for a process that
 * stood still so long, so it must read them first, or it would seal what nobody opens any more. */
enum { VAULT_FORMS_MS = 15 * 1000 };
enum err vault_seal(const struct vault *vault, struct vault_place place, struct str plain,
                    struct arena *arena, struct str *ret_sealed) MUST_CHECK;
/* Gives the plain text, NUL-terminated, in the arena. Returns ERR_INTERNAL if the value was not
 * sealed with this key for this place. */
enum err vault_open(const struct vault *vault, struct vault_place place, struct str sealed,
                    struct arena *arena, struct str *ret_plain) MUST_CHECK;
/* Does the same for a text, and logs if it does not open. */
enum err vault_open_text(const struct vault *vault, struct vault_place place, struct str sealed,
                         struct arena *arena, const char **ret_text) MUST_CHECK;
/* Gives the key of the marks behind masked numbers, the same in all processes of an installation.
 * It is made from the key of fingerprints. */
void vault_mask_key(const struct vault *vault, uint8_t ret_key[static MASK_KEY_LEN]);
/* Hashes by BLAKE2b under a key of the vault, for fingerprints of texts that could be guessed. */
void vault_fingerprint(const struct vault *vault, struct str text,
                       uint8_t ret_hash[static SECRET_HASH_LEN]);
