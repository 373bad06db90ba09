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
/* Returns the version of libsodium. */
const char *secret_library_version(void);

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
 *
 * A vault may know several keys, since a key can be replaced while herald runs (contract, section
 * 10.4): values of each open, and one of them seals. The target is the key that shall seal in the
 * end; until everybody knows it, the one before it does.
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

/* Writes and takes form 2 alone until vault_set_forms. Its key seals and is the target. Returns
 * ERR_VALIDATION for what is no key. */
enum err vault_new(struct str key_base64url, struct vault **ret_vault) MUST_CHECK;
void vault_free(struct vault *vault);
/* Adds a further key, which becomes the target if `is_target`; what seals stays. Any thread may
 * call it. Returns ERR_VALIDATION for what is no key, and ERR_OVERLOADED for one too many. Nothing
 * changes for a key that is known. */
enum { VAULT_KEYS_MAX = 16 };
enum err vault_add_key(struct vault *vault, struct str key_base64url, bool is_target) MUST_CHECK;
/* Returns what values under the target begin with. */
struct str vault_target(const struct vault *vault);
bool vault_knows(const struct vault *vault, struct str prefix);
/* Lets the key of that prefix seal from now on. False: there is no such key here, so nothing is
 * sealed, and what does not open is taken to be sealed with it (ERR_STORAGE_UNAVAILABLE). */
bool vault_seal_by(struct vault *vault, struct str prefix);
/* Returns the prefix of the key that opens a value. ERR_NOT_FOUND: none does. */
enum err vault_find_key(const struct vault *vault, struct vault_place place, struct str sealed,
                        struct str *ret_prefix) MUST_CHECK;
/* Sets and tells what is in force. It was so when its reading began, at `read_at_ms` (monotonic):
 * the process may have stood still since. Any thread may call them. */
void vault_set_forms(struct vault *vault, struct vault_forms forms, int64_t read_at_ms);
struct vault_forms vault_forms(const struct vault *vault);
/* Returns the VAULT_PREFIX_LEN bytes that newly sealed values of form 2 begin with; they live with
 * the vault. No data: nothing is sealed. */
struct str vault_prefix(const struct vault *vault);
bool vault_has_prefix(const struct vault *vault, struct str sealed);

/* Seals into the arena. Returns ERR_STORAGE_UNAVAILABLE if it would still write form 1, or under
 * another key than the target, although what is in force was not read for VAULT_FORMS_MS. The
 * others have not waited for a process that stood still so long, so it must read them first, or it
 * would seal what nobody opens any more. */
enum { VAULT_FORMS_MS = 15 * 1000 };
/* Tells whether what is in force was read within that time. */
bool vault_is_fresh(const struct vault *vault);
enum err vault_seal(const struct vault *vault, struct vault_place place, struct str plain,
                    struct arena *arena, struct str *ret_sealed) MUST_CHECK;
/* Seals by the target, whoever seals otherwise, in form 2. */
struct str vault_seal_by_target(const struct vault *vault, struct vault_place place,
                                struct str plain, struct arena *arena);
/* Gives the plain text, NUL-terminated, in the arena. Returns ERR_INTERNAL if the value was not
 * sealed with a known key for this place. */
enum err vault_open(const struct vault *vault, struct vault_place place, struct str sealed,
                    struct arena *arena, struct str *ret_plain) MUST_CHECK;
/* Does the same for a text, and logs if it does not open. */
enum err vault_open_text(const struct vault *vault, struct vault_place place, struct str sealed,
                         struct arena *arena, const char **ret_text) MUST_CHECK;
/* The key of fingerprints stays when the secret key is replaced. It is made from the vault's first
 * key until vault_set_own_key; set it before threads use it. `prefix` tells the key from which
 * vault_make_own_key makes it; without data it is random. Wipe it. */
void vault_make_own_key(const struct vault *vault, struct str prefix,
                        uint8_t ret_key[static SECRET_KEY_LEN]);
void vault_get_own_key(const struct vault *vault, uint8_t ret_key[static SECRET_KEY_LEN]);
void vault_set_own_key(struct vault *vault, const uint8_t key[static SECRET_KEY_LEN]);
/* Gives the key of the marks behind masked numbers, the same in all processes of an installation.
 * It is made from the key of fingerprints. */
void vault_mask_key(const struct vault *vault, uint8_t ret_key[static MASK_KEY_LEN]);
/* Hashes by BLAKE2b under a key of the vault, for fingerprints of texts that could be guessed. */
void vault_fingerprint(const struct vault *vault, struct str text,
                       uint8_t ret_hash[static SECRET_HASH_LEN]);
