/*
 * Signed delivery reports of Telegram Gateway. The signature is checked before a byte of the body
 * is read, and in constant time; the timestamp is part of what is signed, so an old report cannot
 * be played again once it is older than GATEWAY_REPORT_AGE_MAX_MS.
 */
#include "domain/channel/driver_gateway.h"
#include "kit/json/pointer.h"

#include <sodium.h>

static_assert(crypto_auth_hmacsha256_KEYBYTES == crypto_hash_sha256_BYTES,
              "the hash of the token is the key");

static void sign(const struct secret *token, struct str timestamp, struct str body,
                 uint8_t ret_mac[static crypto_auth_hmacsha256_BYTES])
{
    uint8_t key[crypto_auth_hmacsha256_KEYBYTES];
    crypto_auth_hmacsha256_state state;

    crypto_hash_sha256(key, (const uint8_t *)token->data, token->len);
    crypto_auth_hmacsha256_init(&state, key, sizeof(key));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)timestamp.data, timestamp.len);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)"\n", 1);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)body.data, body.len);
    crypto_auth_hmacsha256_final(&state, ret_mac);
    secret_wipe(key, sizeof(key));
    secret_wipe(&state, sizeof(state));
}

static bool is_signed(const struct secret *token, struct str timestamp, struct str signature,
                      struct str body)
{
    uint8_t given[crypto_auth_hmacsha256_BYTES], expected[crypto_auth_hmacsha256_BYTES];
    size_t len;

    if (!token || token->len == 0) return false;
    if (signature.len != 2 * sizeof(given)) return false;
    if (sodium_hex2bin(given, sizeof(given), signature.data, signature.len, NULL, &len, NULL) != 0)
        return false;
    sign(token, timestamp, body, expected);
    return len == sizeof(given) && sodium_memcmp(given, expected, sizeof(given)) == 0;
}

/* `timestamp` counts seconds since the epoch. */
static bool is_fresh(struct str timestamp, int64_t now_ms)
{
    long long at_s;
    int64_t at_ms, age_ms;

    if (!str_to_int64(timestamp, &at_s)) return false;
    if (__builtin_mul_overflow(at_s, 1000, &at_ms)) return false;
    if (__builtin_sub_overflow(now_ms, at_ms, &age_ms)) return false;
    return age_ms >= -GATEWAY_REPORT_AGE_MAX_MS && age_ms <= GATEWAY_REPORT_AGE_MAX_MS;
}

enum err gateway_report_read(const struct driver_config *config, struct str timestamp,
                             struct str signature, struct str body, int64_t now_ms,
                             struct arena *arena, struct gateway_report *ret_report)
{
    struct json_value id, state, payload;

    if (!is_signed(config->token, timestamp, signature, body)) return ERR_UNAUTHORIZED;
    if (!is_fresh(timestamp, now_ms)) return ERR_UNAUTHORIZED;

    if (!json_find(body, "/request_id", arena, &id)) return ERR_VALIDATION;
    if (id.type != JSON_STRING || id.text.len == 0) return ERR_VALIDATION;
    if (!json_find(body, "/delivery_status/status", arena, &state)) return ERR_VALIDATION;
    *ret_report = (struct gateway_report){
        .request_id = id.text.data,
        .answer = {.outcome = OUTCOME_DONE, .provider_id = id.text.data},
    };
    gateway_read_progress(state.text.data, &ret_report->answer);
    if (json_find(body, "/payload", arena, &payload) && payload.type == JSON_STRING)
        (void)uuid_parse(payload.text, &ret_report->send_id);
    return ERR_OK;
}
