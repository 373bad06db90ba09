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

const char *secret_library_version(void)
{
    return sodium_version_string();
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

/* Keys come and never go, so that whoever has found one may use it. */
struct vault_key {
    struct vault_key *next;
    uint8_t seal_key[SECRET_KEY_LEN];
    uint8_t fingerprint_key[SECRET_KEY_LEN];
    uint8_t prefix[VAULT_PREFIX_LEN]; /* FORM_2 and the id of the key */
};

struct vault {
    _Atomic(struct vault_key *) keys, target;
    _Atomic(struct vault_key *) sealer; /* NULL: a key that is not known here */
    uint8_t own_key[SECRET_KEY_LEN];    /* of fingerprints */
    atomic_bool writes_form_2, takes_form_1;
    _Atomic int64_t forms_read_at_ms; /* monotonic */
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

static enum err read_key(struct str base64url, struct vault_key **ret_key)
{
    uint8_t master[SECRET_KEY_LEN], id[SECRET_KEY_LEN];
    size_t len;

    bool is_key = sodium_base642bin(master, sizeof(master), base64url.data, base64url.len, NULL,
                                    &len, NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
                  len == sizeof(master);
    if (!is_key) {
        sodium_memzero(master, sizeof(master)); /* it may hold a key with one character too many */
        return ERR_VALIDATION;
    }
    struct vault_key *key = must_from(sodium_malloc, sizeof(*key));
    derive(master, SUBKEY_SEAL, key->seal_key);
    derive(master, SUBKEY_FINGERPRINT, key->fingerprint_key);
    derive(master, SUBKEY_ID, id);
    sodium_memzero(master, sizeof(master));
    key->next = NULL;
    key->prefix[0] = FORM_2;
    memcpy(key->prefix + 1, id, VAULT_PREFIX_LEN - 1);
    *ret_key = key;
    return ERR_OK;
}

enum err vault_new(struct str key_base64url, struct vault **ret_vault)
{
    struct vault_key *key;

    enum err err = read_key(key_base64url, &key);
    if (err) return err;
    struct vault *vault = must_from(sodium_malloc, sizeof(*vault));
    atomic_init(&vault->keys, key);
    atomic_init(&vault->target, key);
    atomic_init(&vault->sealer, key);
    memcpy(vault->own_key, key->fingerprint_key, sizeof(vault->own_key));
    vault_set_forms(vault, (struct vault_forms){.writes_form_2 = true}, clock_monotonic_ms());
    *ret_vault = vault;
    return ERR_OK;
}

void vault_free(struct vault *vault)
{
    struct vault_key *next;

    if (!vault) return;
    for (struct vault_key *key = vault->keys; key; key = next) {
        next = key->next;
        sodium_free(key);
    }
    sodium_free(vault);
}

/* NULL: there is no such key here. */
static struct vault_key *find_key(const struct vault *vault, struct str sealed)
{
    if (sealed.len < VAULT_PREFIX_LEN) return NULL;
    struct vault_key *key = atomic_load(&vault->keys);
    while (key && memcmp(sealed.data, key->prefix, VAULT_PREFIX_LEN) != 0)
        key = key->next;
    return key;
}

static struct str prefix_of(const struct vault_key *key)
{
    return (struct str){(const char *)key->prefix, sizeof(key->prefix)};
}

enum err vault_add_key(struct vault *vault, struct str key_base64url, bool is_target)
{
    struct vault_key *key, *first = atomic_load(&vault->keys);
    int count = 1;

    for (const struct vault_key *one = first; one; one = one->next)
        count++;
    enum err err = read_key(key_base64url, &key);
    if (err) return err;
    struct vault_key *known = find_key(vault, prefix_of(key));
    if (known || count > VAULT_KEYS_MAX) {
        sodium_free(key);
        if (known && is_target) atomic_store(&vault->target, known);
        return known ? ERR_OK : ERR_OVERLOADED;
    }
    key->next = first;
    while (!atomic_compare_exchange_weak(&vault->keys, &first, key))
        key->next = first;
    if (is_target) atomic_store(&vault->target, key);
    return ERR_OK;
}

struct str vault_target(const struct vault *vault)
{
    return prefix_of(atomic_load(&vault->target));
}

bool vault_knows(const struct vault *vault, struct str prefix)
{
    return find_key(vault, prefix) != NULL;
}

bool vault_seal_by(struct vault *vault, struct str prefix)
{
    struct vault_key *key = find_key(vault, prefix);
    atomic_store(&vault->sealer, key);
    return key != NULL;
}

void vault_set_forms(struct vault *vault, struct vault_forms forms, int64_t read_at_ms)
{
    atomic_store(&vault->writes_form_2, forms.writes_form_2);
    atomic_store(&vault->takes_form_1, forms.takes_form_1);
    atomic_store(&vault->forms_read_at_ms, read_at_ms);
}

struct vault_forms vault_forms(const struct vault *vault)
{
    return (struct vault_forms){.writes_form_2 = atomic_load(&vault->writes_form_2),
                                .takes_form_1 = atomic_load(&vault->takes_form_1)};
}

struct str vault_prefix(const struct vault *vault)
{
    const struct vault_key *key = atomic_load(&vault->sealer);
    return key ? prefix_of(key) : (struct str){0};
}

bool vault_has_prefix(const struct vault *vault, struct str sealed)
{
    const struct vault_key *key = atomic_load(&vault->sealer);
    return key && find_key(vault, sealed) == key;
}

/* Returns what a value of form 2 is bound to. Names hold no NUL, so each place has its own. */
static struct str context_of(const struct vault_key *key, struct vault_place place,
                             uint8_t room[static CONTEXT_MAX])
{
    const struct str parts[] = {prefix_of(key),
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

static struct str seal_under(const struct vault_key *key, struct vault_place place, bool is_form_2,
                             struct str plain, struct arena *arena)
{
    size_t prefix_len = is_form_2 ? VAULT_PREFIX_LEN : 0;
    size_t len = prefix_len + FORM_1_OVERHEAD + plain.len;
    uint8_t room[CONTEXT_MAX], *sealed = arena_alloc(arena, len), *nonce = sealed + prefix_len;
    struct str context = is_form_2 ? context_of(key, place, room) : place.row;

    memcpy(sealed, key->prefix, prefix_len);
    randombytes_buf(nonce, NONCE_LEN);
    crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + NONCE_LEN, NULL, (const uint8_t *)plain.data,
                                               plain.len, (const uint8_t *)context.data,
                                               context.len, NULL, nonce, key->seal_key);
    return (struct str){(const char *)sealed, len};
}

bool vault_is_fresh(const struct vault *vault)
{
    return clock_monotonic_ms() - atomic_load(&vault->forms_read_at_ms) < VAULT_FORMS_MS;
}

enum err vault_seal(const struct vault *vault, struct vault_place place, struct str plain,
                    struct arena *arena, struct str *ret_sealed)
{
    const struct vault_key *key = atomic_load(&vault->sealer);
    bool is_form_2 = atomic_load_explicit(&vault->writes_form_2, memory_order_relaxed);
    bool may_change = !is_form_2 || key != atomic_load(&vault->target);

    if (!key) return ERR_STORAGE_UNAVAILABLE;
    if (may_change && !vault_is_fresh(vault)) return ERR_STORAGE_UNAVAILABLE;
    *ret_sealed = seal_under(key, place, is_form_2, plain, arena);
    return ERR_OK;
}

struct str vault_seal_by_target(const struct vault *vault, struct vault_place place,
                                struct str plain, struct arena *arena)
{
    return seal_under(atomic_load(&vault->target), place, true, plain, arena);
}

/* `sealed` begins with its nonce. */
static bool open_into(char *room, const struct vault_key *key, struct str context,
                      struct str sealed)
{
    const uint8_t *nonce = (const uint8_t *)sealed.data;
    if (sealed.len < FORM_1_OVERHEAD) return false;
    return crypto_aead_xchacha20poly1305_ietf_decrypt(
               (uint8_t *)room, NULL, NULL, nonce + NONCE_LEN, sealed.len - NONCE_LEN,
               (const uint8_t *)context.data, context.len, nonce, key->seal_key) == 0;
}

/* Finds the key that opens a value, and opens it. NULL: none does. A value of form 1 may begin like
 * one of form 2, if rarely: then it is tried as both. */
static const struct vault_key *open_by_any(const struct vault *vault, struct vault_place place,
                                           struct str sealed, char *plain, size_t *ret_len)
{
    const struct vault_key *key = find_key(vault, sealed);
    uint8_t room[CONTEXT_MAX];

    if (key) {
        struct str rest = {sealed.data + VAULT_PREFIX_LEN, sealed.len - VAULT_PREFIX_LEN};
        *ret_len = rest.len - FORM_1_OVERHEAD;
        if (open_into(plain, key, context_of(key, place, room), rest)) return key;
    }
    if (!atomic_load_explicit(&vault->takes_form_1, memory_order_relaxed)) return NULL;
    *ret_len = sealed.len - FORM_1_OVERHEAD;
    key = atomic_load(&vault->keys);
    while (key && !open_into(plain, key, place.row, sealed))
        key = key->next;
    return key;
}

enum err vault_open(const struct vault *vault, struct vault_place place, struct str sealed,
                    struct arena *arena, struct str *ret_plain)
{
    char *plain = arena_alloc(arena, sealed.len + 1);
    size_t len;

    if (!open_by_any(vault, place, sealed, plain, &len))
        return atomic_load(&vault->sealer) ? ERR_INTERNAL : ERR_STORAGE_UNAVAILABLE;
    plain[len] = '\0';
    *ret_plain = (struct str){plain, len};
    return ERR_OK;
}

enum err vault_find_key(const struct vault *vault, struct vault_place place, struct str sealed,
                        struct str *ret_prefix)
{
    struct arena arena;
    size_t len;

    arena_init(&arena);
    char *plain = arena_alloc(&arena, sealed.len + 1);
    const struct vault_key *key = open_by_any(vault, place, sealed, plain, &len);
    secret_wipe(plain, sealed.len + 1);
    arena_done(&arena);
    if (!key) return ERR_NOT_FOUND;
    *ret_prefix = prefix_of(key);
    return ERR_OK;
}

enum err vault_open_text(const struct vault *vault, struct vault_place place, struct str sealed,
                         struct arena *arena, const char **ret_text)
{
    struct str plain;
    enum err err = vault_open(vault, place, sealed, arena, &plain);

    if (err == ERR_STORAGE_UNAVAILABLE) return err;
    if (err)
        return LOG_BROKEN(
            "a sealed value does not open: it is damaged, was moved from another row, "
            "or was sealed with another HERALD_SECRET_KEY");
    *ret_text = plain.data;
    return ERR_OK;
}

/* --- The key of fingerprints ------------------------------------------------------------------ */

void vault_make_own_key(const struct vault *vault, struct str prefix,
                        uint8_t ret_key[static SECRET_KEY_LEN])
{
    const struct vault_key *key = find_key(vault, prefix);

    if (key)
        memcpy(ret_key, key->fingerprint_key, SECRET_KEY_LEN);
    else
        randombytes_buf(ret_key, SECRET_KEY_LEN);
}

void vault_get_own_key(const struct vault *vault, uint8_t ret_key[static SECRET_KEY_LEN])
{
    memcpy(ret_key, vault->own_key, SECRET_KEY_LEN);
}

void vault_set_own_key(struct vault *vault, const uint8_t key[static SECRET_KEY_LEN])
{
    memcpy(vault->own_key, key, SECRET_KEY_LEN);
}

void vault_fingerprint(const struct vault *vault, struct str text,
                       uint8_t ret_hash[static SECRET_HASH_LEN])
{
    crypto_generichash(ret_hash, SECRET_HASH_LEN, (const uint8_t *)text.data, text.len,
                       vault->own_key, sizeof(vault->own_key));
}

void vault_mask_key(const struct vault *vault, uint8_t ret_key[static MASK_KEY_LEN])
{
    if (crypto_kdf_derive_from_key(ret_key, MASK_KEY_LEN, 1, "hrldmask", vault->own_key)) abort();
}
