/* Secrets on libsodium. */
#include "kit/base/secret.h"

#include "kit/base/log.h"

#include <sodium.h>
#include <stdlib.h>

static_assert(VAULT_OVERHEAD == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES +
                                    crypto_aead_xchacha20poly1305_ietf_ABYTES,
              "nonce and tag");
static_assert(SECRET_KEY_LEN == crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "key");

bool secret_system_init(void)
{
    return sodium_init() >= 0;
}

void secret_init(struct secret *secret, struct str value)
{
    secret->len = value.len;
    secret->data = sodium_malloc(value.len + 1);
    if (!secret->data) abort();
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

struct vault {
    uint8_t seal_key[SECRET_KEY_LEN];
    uint8_t fingerprint_key[SECRET_KEY_LEN];
};

static void derive(const uint8_t master[static SECRET_KEY_LEN], uint64_t number,
                   uint8_t ret_key[static SECRET_KEY_LEN])
{
    static_assert(crypto_kdf_KEYBYTES == SECRET_KEY_LEN, "key");
    if (crypto_kdf_derive_from_key(ret_key, SECRET_KEY_LEN, number, "hrldrest", master)) abort();
}

enum err vault_new(struct str key_base64url, struct vault **ret_vault)
{
    uint8_t master[SECRET_KEY_LEN];
    size_t len;

    if (sodium_base642bin(master, sizeof(master), key_base64url.data, key_base64url.len, NULL, &len,
                          NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) ||
        len != sizeof(master))
        return ERR_VALIDATION;
    struct vault *vault = sodium_malloc(sizeof(*vault));
    if (!vault) abort();
    derive(master, 1, vault->seal_key);
    derive(master, 2, vault->fingerprint_key);
    sodium_memzero(master, sizeof(master));
    *ret_vault = vault;
    return ERR_OK;
}

void vault_free(struct vault *vault)
{
    sodium_free(vault);
}

/* `room` has plain.len + VAULT_OVERHEAD bytes. */
static void seal_into(uint8_t *room, const struct vault *vault, struct str context,
                      struct str plain)
{
    enum { NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES };
    randombytes_buf(room, NONCE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(room + NONCE, NULL, (const uint8_t *)plain.data,
                                               plain.len, (const uint8_t *)context.data,
                                               context.len, NULL, room, vault->seal_key);
}

void vault_seal(const struct vault *vault, struct str context, struct str plain,
                struct buf *ret_sealed)
{
    uint8_t *room = (uint8_t *)buf_reserve(ret_sealed, plain.len + VAULT_OVERHEAD);
    if (room) seal_into(room, vault, context, plain);
}

struct str vault_seal_text(const struct vault *vault, struct str context, const char *text,
                           struct arena *arena)
{
    struct str plain = str_of(text);
    size_t len = plain.len + VAULT_OVERHEAD;
    uint8_t *room = arena_alloc(arena, len);
    seal_into(room, vault, context, plain);
    return (struct str){(const char *)room, len};
}

enum err vault_open(const struct vault *vault, struct str context, struct str sealed,
                    struct arena *arena, struct str *ret_plain)
{
    enum { NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES };
    if (sealed.len < VAULT_OVERHEAD) return ERR_INTERNAL;

    size_t len = sealed.len - VAULT_OVERHEAD;
    char *plain = arena_alloc(arena, len + 1);
    const uint8_t *bytes = (const uint8_t *)sealed.data;
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            (uint8_t *)plain, NULL, NULL, bytes + NONCE, sealed.len - NONCE,
            (const uint8_t *)context.data, context.len, bytes, vault->seal_key))
        return ERR_INTERNAL;
    *ret_plain = (struct str){plain, len};
    return ERR_OK;
}

enum err vault_open_text(const struct vault *vault, struct str context, struct str sealed,
                         struct arena *arena, const char **ret_text)
{
    struct str plain;
    if (vault_open(vault, context, sealed, arena, &plain))
        return LOG_BROKEN("what is sealed does not open: damaged, or of another HERALD_SECRET_KEY");
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
