/*
 * Some applications sign what they send, but carry no key. Each phone has a signing key for them,
 * which the vault makes of the hash of the phone's own key (contract, section 15.3).
 */
#include "core/audit.h"
#include "domain/fleet/fleet_db.h"

#include <sodium.h>

#define PURPOSE "herald signing key of a phone"

enum { PURPOSE_LEN = sizeof(PURPOSE) - 1, MAC_LEN = crypto_auth_hmacsha256_BYTES };

static void make_signing_key(const struct work *work, struct str key_hash,
                             char ret_key[static FLEET_SIGNING_KEY_LEN + 1])
{
    char text[PURPOSE_LEN + SECRET_HASH_LEN] = PURPOSE;
    uint8_t hash[SECRET_HASH_LEN];

    assert(key_hash.len == SECRET_HASH_LEN);
    memcpy(text + PURPOSE_LEN, key_hash.data, SECRET_HASH_LEN);
    vault_fingerprint(work->service->vault, (struct str){text, sizeof(text)}, hash);
    sodium_bin2hex(ret_key, FLEET_SIGNING_KEY_LEN + 1, hash, FLEET_SIGNING_KEY_LEN / 2);
    secret_wipe(hash, sizeof(hash));
}

enum err fleet_read_signing_key(struct work *work, const struct uuid *id,
                                char ret_key[static FLEET_SIGNING_KEY_LEN + 1])
{
    struct device device;
    struct str key_hash;
    enum err err = device_select_key(work, id, &device, &key_hash);
    if (err) return err;

    make_signing_key(work, key_hash, ret_key);
    work_audit_id(work, "device.read_signing_key", "device", id, NULL);
    return ERR_OK;
}

static bool is_signed(const char *key, const struct fleet_signature *signature)
{
    uint8_t given[MAC_LEN], expected[MAC_LEN];
    crypto_auth_hmacsha256_state state;
    struct str mac = signature->mac;
    size_t len;

    if (mac.len != 2 * sizeof(given)) return false;
    if (sodium_hex2bin(given, sizeof(given), mac.data, mac.len, NULL, &len, NULL) != 0)
        return false;
    crypto_auth_hmacsha256_init(&state, (const uint8_t *)key, strlen(key));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)signature->body.data,
                                  signature->body.len);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)signature->timestamp.data,
                                  signature->timestamp.len);
    crypto_auth_hmacsha256_final(&state, expected);
    secret_wipe(&state, sizeof(state));
    return len == sizeof(given) && sodium_memcmp(given, expected, sizeof(given)) == 0;
}

enum err fleet_authenticate_signature(struct work *work, const struct uuid *id,
                                      const struct fleet_signature *signature,
                                      struct device *ret_device)
{
    struct device device;
    struct str key_hash;
    char key[FLEET_SIGNING_KEY_LEN + 1];
    enum err err = device_select_key(work, id, &device, &key_hash);
    if (err) return err == ERR_NOT_FOUND ? ERR_UNAUTHORIZED : err;

    make_signing_key(work, key_hash, key);
    bool is_right = is_signed(key, signature);
    secret_wipe(key, sizeof(key));
    if (!is_right) return ERR_UNAUTHORIZED;
    *ret_device = device;
    return ERR_OK;
}
