/* libsodium keeps, compares and seals secrets. */
#include "kit/base/secret.h"

#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"

#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>

bool secret_system_init(void)
{
    return sodium_init() >= 0;
}

void secret_init(struct secret *secret, struct str value)
{
    secret->len = value.len;
    secret->data = must_from(sodium_malloc, value.len + 1);
    if (value.len > 0) memcpy(secret->data, value.data, value.len);
    secret->data[value.len] = '\0';
}

void secret_done(struct secret *secret)
{
    sodium_free(secret->data); /* zeroes first */
    *secret = (struct secret){0};
}

bool secret_equals(const struct secret *secret, struct str guess)
{
    return secret->data && secret_text_equals((struct str){secret->data, secret->len}, guess);
}

bool secret_text_equals(struct str a, struct str b)
{
    /* Hashing first makes the time independent of where the texts differ and how long they are. */
    uint8_t hash_a[SECRET_HASH_LEN], hash_b[SECRET_HASH_LEN];
    secret_hash(a, hash_a);
    secret_hash(b, hash_b);
    return sodium_memcmp(hash_a, hash_b, SECRET_HASH_LEN) == 0;
}

void secret_wipe(void *data, size_t len)
{
    sodium_memzero(data, len);
}

void random_bytes(void *data, size_t len)
{
    randombytes_buf(data, len);
}

uint32_t random_below(uint32_t bound)
{
    return randombytes_uniform(bound);
}

char *secret_new_token(struct arena *arena, const char *prefix)
{
    uint8_t bits[32];
    char text[SECRET_TOKEN_LEN + 1];

    randombytes_buf(bits, sizeof(bits));
    sodium_bin2base64(text, sizeof(text), bits, sizeof(bits),
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    char *token = arena_printf(arena, "%s%s", prefix, text);
    sodium_memzero(bits, sizeof(bits));
    sodium_memzero(text, sizeof(text));
    return token;
}

void secret_hash(struct str token, uint8_t ret_hash[static SECRET_HASH_LEN])
{
    crypto_generichash(ret_hash, SECRET_HASH_LEN, (const uint8_t *)token.data, token.len, NULL, 0);
}

/* --- The vault -------------------------------------------------------------------------------- */

enum {
    NONCE_LEN = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    FORM_1_OVERHEAD = NONCE_LEN + crypto_aead_xchacha20poly1305_ietf_ABYTES,
    FORM_2 = 2, /* the version byte */
    CONTEXT_MAX = 256,
};

static_assert(VAULT_OVERHEAD == VAULT_PREFIX_LEN + FORM_1_OVERHEAD, "prefix, nonce and tag");
static_assert(SECRET_KEY_LEN == crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "key");

struct vault {
    uint8_t seal_key[SECRET_KEY_LEN];
    uint8_t fingerprint_key[SECRET_KEY_LEN];
    uint8_t prefix[VAULT_PREFIX_LEN]; /* FORM_2 and the id of the key */
    atomic_bool writes_form_2, takes_form_1;
    _Atomic int64_t forms_set_at_ms; /* monotonic */
};

/* Each key made from the master key has a number, which never changes: stored values depend on it.
 */
enum { SUBKEY_SEAL = 1, SUBKEY_FINGERPRINT = 2, SUBKEY_ID = 3 };

static void derive(const uint8_t master[static SECRET_KEY_LEN], uint64_t number,
                   uint8_t ret_key[static SECRET_KEY_LEN])
{
    static_assert(crypto_kdf_KEYBYTES == SECRET_KEY_LEN, "key");
    if (crypto_kdf_derive_from_key(ret_key, SECRET_KEY_LEN, number, "hrldrest", master)) abort();
}

enum err vault_new(struct str key_base64url, struct vault **ret_vault)
{
    uint8_t master[SECRET_KEY_LEN], id[SECRET_KEY_LEN];
    size_t len;

    bool is_key =
        sodium_base642bin(master, sizeof(master), key_base64url.data, key_base64url.len, NULL, &len,
                          NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
        len == sizeof(master);
    if (!is_key) {
        sodium_memzero(master, sizeof(master)); /* it may hold a key with one character too many */
        return ERR_VALIDATION;
    }
    struct vault *vault = must_from(sodium_malloc, sizeof(*vault));
    derive(master, SUBKEY_SEAL, vault->seal_key);
    derive(master, SUBKEY_FINGERPRINT, vault->fingerprint_key);
    derive(master, SUBKEY_ID, id);
    sodium_memzero(master, sizeof(master));
    vault->prefix[0] = FORM_2;
    memcpy(vault->prefix + 1, id, VAULT_PREFIX_LEN - 1);
    vault_set_forms(vault, (struct vault_forms){.writes_form_2 = true});
    *ret_vault = vault;
    return ERR_OK;
}

void vault_free(struct vault *vault)
{
    sodium_free(vault);
}

void vault_set_forms(struct vault *vault, struct vault_forms forms)
{
    atomic_store(&vault->writes_form_2, forms.writes_form_2);
    atomic_store(&vault->takes_form_1, forms.takes_form_1);
    atomic_store(&vault->forms_set_at_ms, clock_monotonic_ms());
}

struct vault_forms vault_forms(const struct vault *vault)
{
    return (struct vault_forms){.writes_form_2 = atomic_load(&vault->writes_form_2),
                                .takes_form_1 = atomic_load(&vault->takes_form_1)};
}

struct str vault_prefix(const struct vault *vault)
{
    return (struct str){(const char *)vault->prefix, sizeof(vault->prefix)};
}

bool vault_has_prefix(const struct vault *vault, struct str sealed)
{
    return sealed.len >= VAULT_PREFIX_LEN &&
           memcmp(sealed.data, vault->prefix, VAULT_PREFIX_LEN) == 0;
}

/* Returns what a value of form 2 is bound to. Names hold no NUL, so each place has its own. */
static struct str context_of(const struct vault *vault, struct vault_place place,
                             uint8_t room[static CONTEXT_MAX])
{
    const struct str parts[] = {vault_prefix(vault),
                                {place.table, strlen(place.table) + 1},
                                {place.column, strlen(place.column) + 1},
                                place.row};
    size_t len = 0;

    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        assert(parts[i].len <= CONTEXT_MAX - len);
        if (parts[i].len > 0) memcpy(room + len, parts[i].data, parts[i].len);
        len += parts[i].len;
    }
    return (struct str){(const char *)room, len};
}

enum err vault_seal(const struct vault *vault, struct vault_place place, struct str plain,
                    struct arena *arena, struct str *ret_sealed)
{
    bool is_form_2 = atomic_load_explicit(&vault->writes_form_2, memory_order_relaxed);
    size_t prefix_len = is_form_2 ? VAULT_PREFIX_LEN : 0;
    size_t len = prefix_len + FORM_1_OVERHEAD + plain.len;
    uint8_t room[CONTEXT_MAX], *sealed = arena_alloc(arena, len), *nonce = sealed + prefix_len;
    struct str context = is_form_2 ? context_of(vault, place, room) : place.row;

    if (!is_form_2 && clock_monotonic_ms() - atomic_load(&vault->forms_set_at_ms) >= VAULT_FORMS_MS)
        return ERR_STORAGE_UNAVAILABLE;
    memcpy(sealed, vault->prefix, prefix_len);
    randombytes_buf(nonce, NONCE_LEN);
    crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + NONCE_LEN, NULL, (const uint8_t *)plain.data,
                                               plain.len, (const uint8_t *)context.data,
                                               context.len, NULL, nonce, vault->seal_key);
    *ret_sealed = (struct str){(const char *)sealed, len};
    return ERR_OK;
}

/* `sealed` begins with its nonce. */
static bool open_into(char *room, const struct vault *vault, struct str context, struct str sealed)
{
    const uint8_t *nonce = (const uint8_t *)sealed.data;
    if (sealed.len < FORM_1_OVERHEAD) return false;
    return crypto_aead_xchacha20poly1305_ietf_decrypt(
               (uint8_t *)room, NULL, NULL, nonce + NONCE_LEN, sealed.len - NONCE_LEN,
               (const uint8_t *)context.data, context.len, nonce, vault->seal_key) == 0;
}

/* A value of form 1 may begin like one of form 2, if rarely: then it is tried as both. */
enum err vault_open(const struct vault *vault, struct vault_place place, struct str sealed,
                    struct arena *arena, struct str *ret_plain)
{
    char *plain = arena_alloc(arena, sealed.len + 1);
    uint8_t room[CONTEXT_MAX];

    if (vault_has_prefix(vault, sealed)) {
        struct str rest = {sealed.data + VAULT_PREFIX_LEN, sealed.len - VAULT_PREFIX_LEN};
        if (open_into(plain, vault, context_of(vault, place, room), rest)) {
            *ret_plain = (struct str){plain, rest.len - FORM_1_OVERHEAD};
            return ERR_OK;
        }
    }
    bool is_form_1 = atomic_load_explicit(&vault->takes_form_1, memory_order_relaxed) &&
                     open_into(plain, vault, place.row, sealed);
    if (!is_form_1) return ERR_INTERNAL;
    *ret_plain = (struct str){plain, sealed.len - FORM_1_OVERHEAD};
    return ERR_OK;
}

enum err vault_open_text(const struct vault *vault, struct vault_place place, struct str sealed,
                         struct arena *arena, const char **ret_text)
{
    struct str plain;
    if (vault_open(vault, place, sealed, arena, &plain))
        return LOG_BROKEN(
            "a sealed value does not open: it is damaged, was moved from another row, "
            "or was sealed with another HERALD_SECRET_KEY");
    *ret_text = plain.data;
    return ERR_OK;
}

void vault_fingerprint(const struct vault *vault, struct str text,
                       uint8_t ret_hash[static SECRET_HASH_LEN])
{
    crypto_generichash(ret_hash, SECRET_HASH_LEN, (const uint8_t *)text.data, text.len,
                       vault->fingerprint_key, sizeof(vault->fingerprint_key));
}

void vault_mask_key(const struct vault *vault, uint8_t ret_key[static MASK_KEY_LEN])
{
    if (crypto_kdf_derive_from_key(ret_key, MASK_KEY_LEN, 1, "hrldmask", vault->fingerprint_key))
        abort();
}
